package form;

import jakarta.annotation.Resource;
import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.jws.soap.SOAPBinding;
import jakarta.xml.ws.WebServiceContext;
import jakarta.xml.ws.handler.MessageContext;
import jakarta.xml.ws.soap.MTOM;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import javax.xml.namespace.QName;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPFactory;
import jakarta.xml.soap.SOAPFault;

/** Finds things, and turns pictures round. */
@WebService(name = "Shop", serviceName = "ShopService", targetNamespace = "urn:shop")
@MTOM
@SOAPBinding(parameterStyle = SOAPBinding.ParameterStyle.BARE)
public class Shop {
    private static final List<String> LINES = List.of("one", "two", "<three>", "four & more", "f\u00fcnf");

    /** SOAP 1.2 has other words for faults. */
    private final String version;

    @Resource
    private WebServiceContext context;

    /** A server for a version of SOAP. */
    public Shop(String version) {
        this.version = version;
    }

    /** The item with the first lines of its text. */
    @WebMethod(operationName = "Find")
    @WebResult(name = "FindResponse", targetNamespace = "urn:shop")
    public FindResponse find(@WebParam(name = "Find", targetNamespace = "urn:shop") Find request) throws SOAPException {
        if (request.quantity < 0) {
            throw new SOAPFaultException(fault());
        }
        FindResponse found = new FindResponse();
        found.name = request.itemId;
        found.price = new BigDecimal("12345.50");
        found.stock = 999999999999999999L;
        found.line.addAll(LINES.subList(0, Math.min(request.quantity, LINES.size())));
        return found;
    }

    /** The bytes in the opposite order; the label says how they came. */
    @WebMethod(operationName = "Picture")
    @WebResult(name = "PictureResponse", targetNamespace = "urn:shop")
    public PictureResponse picture(@WebParam(name = "Picture", targetNamespace = "urn:shop") Picture request) {
        Object parts = context.getMessageContext().get(MessageContext.INBOUND_MESSAGE_ATTACHMENTS);
        PictureResponse turned = new PictureResponse();
        turned.label = parts instanceof Map<?, ?> map && !map.isEmpty() ? "part" : "inline";
        turned.image = new byte[request.image.length];
        for (int index = 0; index < turned.image.length; index++) {
            turned.image[index] = request.image[turned.image.length - 1 - index];
        }
        return turned;
    }

    private SOAPFault fault() throws SOAPException {
        boolean isNew = version.equals("1.2");
        String namespace = isNew ? "http://www.w3.org/2003/05/soap-envelope" : "http://schemas.xmlsoap.org/soap/envelope/";
        SOAPFactory factory = SOAPFactory.newInstance(isNew ? "SOAP 1.2 Protocol" : "SOAP 1.1 Protocol");
        SOAPFault fault = factory.createFault("Less than nothing cannot be found", new QName(namespace, isNew ? "Sender" : "Client"));
        fault.addDetail().addDetailEntry(new QName("urn:shop", "why", "s")).addTextNode("no & never");
        return fault;
    }
}
