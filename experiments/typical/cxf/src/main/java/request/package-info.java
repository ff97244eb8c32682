@XmlSchema(namespace = "http://www.TYPICAL.Request.com", elementFormDefault = XmlNsForm.QUALIFIED)
package request;

import jakarta.xml.bind.annotation.XmlNsForm;
import jakarta.xml.bind.annotation.XmlSchema;
