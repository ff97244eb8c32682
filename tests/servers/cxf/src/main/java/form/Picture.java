package form;

import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;

/** A picture that goes out. */
@XmlRootElement(name = "Picture")
@XmlType(name = "Picture", propOrder = {"label", "image"})
public class Picture {
    public String label;
    public byte[] image;
}
