@XmlSchema(namespace = "http://www.TYPICAL.Response.com", elementFormDefault = XmlNsForm.QUALIFIED)
package response;

import jakarta.xml.bind.annotation.XmlNsForm;
import jakarta.xml.bind.annotation.XmlSchema;
