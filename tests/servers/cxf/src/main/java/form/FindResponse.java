package form;

import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** What was found. */
@XmlRootElement(name = "FindResponse")
@XmlType(name = "FindResponse", propOrder = {"name", "price", "stock", "line"})
public class FindResponse {
    public String name;
    public BigDecimal price;
    public long stock;
    public List<String> line = new ArrayList<>();
}
