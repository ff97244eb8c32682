package form;

import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;

/** The picture that comes back. */
@XmlRootElement(name = "PictureResponse")
@XmlType(name = "PictureResponse", propOrder = {"label", "image"})
public class PictureResponse {
    public String label;
    public byte[] image;
}
