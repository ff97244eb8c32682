package response;

import fields.Fields;
import fields.Row;
import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import java.util.ArrayList;
import java.util.List;

/** The response. */
@XmlAccessorType(XmlAccessType.FIELD)
public class Message extends Fields {
    public List<Detail> detail = new ArrayList<>();

    /** The echo of a request. */
    public static Message of(request.Message request) {
        Message response = new Message();
        response.take(request);
        for (request.Message.Detail detail : request.detail) {
            Detail row = new Detail();
            row.take(detail);
            response.detail.add(row);
        }
        return response;
    }

    /** A row of the table. */
    @XmlAccessorType(XmlAccessType.FIELD)
    public static class Detail extends Row {}
}
