import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.soap.SOAPBinding;
import java.net.ServerSocket;

/** The shop with Apache CXF: Server VERSION FORM. It says its port, and runs until it is killed. */
public final class Server {
    private Server() {}

    public static void main(String[] arguments) throws Exception {
        String version = arguments[0];
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Object shop = arguments[1].equals("qualified") ? new qualified.Shop(version) : new unqualified.Shop(version);
        Endpoint endpoint = Endpoint.create(version.equals("1.2") ? SOAPBinding.SOAP12HTTP_BINDING : SOAPBinding.SOAP11HTTP_BINDING, shop);
        endpoint.publish("http://127.0.0.1:" + port + "/");
        System.out.println("port " + port);
        System.out.flush();
    }
}
