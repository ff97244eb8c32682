package request;

import fields.Fields;
import fields.Row;
import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import java.util.ArrayList;
import java.util.List;

/** The request. */
@XmlAccessorType(XmlAccessType.FIELD)
public class Message extends Fields {
    public List<Detail> detail = new ArrayList<>();

    /** A row of the table. */
    @XmlAccessorType(XmlAccessType.FIELD)
    public static class Detail extends Row {}
}
