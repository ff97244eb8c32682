package form;

import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;

/** What is looked for. */
@XmlRootElement(name = "Find")
@XmlType(name = "Find", propOrder = {"itemId", "quantity"})
public class Find {
    @XmlElement(name = "item_id", required = true)
    public String itemId;

    public int quantity;
}
