import com.photo.PHOTOPort;
import com.photo.PHOTOService;
import com.request.photo.PHOTOOperation;
import com.response.photo.PHOTOOperationResponse;
import jakarta.xml.ws.soap.MTOMFeature;
import java.net.URI;
import java.util.Arrays;
import java.util.Random;
import javax.xml.namespace.QName;

/** Sends bytes to the service PHOTO as a part of a MIME package, and prints whether the same come back: Photo WSDL VERSION. */
public final class Photo {
    private Photo() {}

    public static void main(String[] arguments) throws Exception {
        PHOTOService service = new PHOTOService(URI.create(arguments[0]).toURL());
        String port = arguments[1].equals("1.2") ? "PHOTO12Port" : "PHOTOPort";
        PHOTOPort client = service.getPort(new QName("http://www.PHOTO.com", port), PHOTOPort.class, new MTOMFeature());
        PHOTOOperation request = new PHOTOOperation();
        byte[] image = new byte[4000];
        new Random(7).nextBytes(image);
        request.setLabel("LAMP");
        request.setImage(image);
        PHOTOOperationResponse answer = client.photoOperation(request);
        System.out.println(answer.getLabel() + " " + Arrays.equals(image, answer.getImage()));
    }
}
