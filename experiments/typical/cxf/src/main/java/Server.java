import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.jws.soap.SOAPBinding;
import jakarta.xml.ws.Endpoint;

/** The echo of the typical message with Apache CXF: Server PORT. */
@WebService(name = "TYPICALPort", serviceName = "TYPICALService", targetNamespace = "http://www.TYPICAL.com")
@SOAPBinding(parameterStyle = SOAPBinding.ParameterStyle.BARE)
public class Server {
    /** The operation. */
    @WebMethod(operationName = "TYPICALOperation")
    @WebResult(name = "TYPICALOperationResponse", targetNamespace = "http://www.TYPICAL.Response.com")
    public response.Message call(
            @WebParam(name = "TYPICALOperation", targetNamespace = "http://www.TYPICAL.Request.com") request.Message request) {
        return response.Message.of(request);
    }

    public static void main(String[] arguments) {
        Endpoint.publish("http://127.0.0.1:" + arguments[0] + "/", new Server());
    }
}
