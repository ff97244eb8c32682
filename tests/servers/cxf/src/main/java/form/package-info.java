@jakarta.xml.bind.annotation.XmlSchema(namespace = "urn:shop", elementFormDefault = jakarta.xml.bind.annotation.XmlNsForm.UPPER)
package form;
