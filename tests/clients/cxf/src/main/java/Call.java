import com.kinds.KINDSPort;
import com.kinds.KINDSService;
import com.request.kinds.KINDSOperation;
import com.response.kinds.KINDSOperationResponse;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.soap.SOAPFaultException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.namespace.QName;

/** Calls the service KINDS, and prints each value of the answer as a line: Call WSDL VERSION [ZONED]. ZONED brings a fault. */
public final class Call {
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private Call() {}

    public static void main(String[] arguments) throws Exception {
        KINDSService service = new KINDSService(URI.create(arguments[0]).toURL());
        String port = arguments[1].equals("1.2") ? "KINDS12Port" : "KINDSPort";
        KINDSPort client = service.getPort(new QName("http://www.KINDS.com", port), KINDSPort.class);
        // A fault of the sender has the status 400 in SOAP 1.2, and CXF reads no fault there unless it is told to.
        ((BindingProvider) client).getRequestContext().put("org.apache.cxf.transport.process_fault_on_http_400", true);
        try {
            print(client.kindsOperation(request(arguments.length > 2 ? Integer.parseInt(arguments[2]) : 9999)));
        } catch (SOAPFaultException failure) {
            var fault = failure.getFault();
            OUT.println("fault.code=" + fault.getFaultCodeAsQName().getLocalPart());
            OUT.println("fault.text=" + fault.getFaultString());
            boolean overflow = fault.getDetail().getTextContent().contains("OUTPUT_OVERFLOW");
            OUT.println("fault.condition=" + (overflow ? "OUTPUT_OVERFLOW" : "none"));
        }
    }

    private static KINDSOperation request(int zoned) {
        KINDSOperation request = new KINDSOperation();
        request.setPlainText("Zo\u00eb & <Bob> \"q\"");
        request.setLetters("ABCDEF");
        request.setZoned(zoned);
        request.setZonedSigned(-9999999);
        request.setZonedLong(-999999999999999999L);
        request.setZonedPoint(new BigDecimal("-12345.67"));
        request.setSignApart(-54321);
        request.setHalf((short) -9999);
        request.setHalfPlus(9999);
        request.setFull(-999999999);
        request.setDoubleWord(999999999999999999L);
        request.setNative(4294967295L);
        request.setPacked(new BigDecimal("-1234567.89"));
        request.setPackedLong(new BigDecimal("9999999999999.9999"));
        request.setSingle(1.5f);
        request.setLonger(-2.25);
        KINDSOperation.Outer outer = new KINDSOperation.Outer();
        outer.setInner("inside");
        outer.setDeeper(new KINDSOperation.Outer.Deeper());
        outer.getDeeper().setDeepest(7);
        request.setOuter(outer);
        request.getPart().add(part("one", "1.25", 1, 2));
        request.getPart().add(part("two", "-99999.99", 3, 4));
        request.getPart().add(part("six", "0", 5, 99));
        request.getOrderLine().add(line("LAMP", 2));
        request.getOrderLine().add(line("SOFA", 9999));
        return request;
    }

    private static KINDSOperation.Part part(String label, String price, int first, int second) {
        KINDSOperation.Part part = new KINDSOperation.Part();
        part.setLabel(label);
        part.setPrice(new BigDecimal(price));
        part.getCell().addAll(List.of(first, second));
        return part;
    }

    private static KINDSOperation.OrderLine line(String item, int quantity) {
        KINDSOperation.OrderLine line = new KINDSOperation.OrderLine();
        line.setItem(item);
        line.setQuantity(quantity);
        return line;
    }

    private static void print(KINDSOperationResponse answer) {
        value("plain_text", answer.getPlainText());
        value("letters", answer.getLetters());
        value("zoned", answer.getZoned());
        value("zoned_signed", answer.getZonedSigned());
        value("zoned_long", answer.getZonedLong());
        value("zoned_point", answer.getZonedPoint());
        value("sign_apart", answer.getSignApart());
        value("half", answer.getHalf());
        value("half_plus", answer.getHalfPlus());
        value("full", answer.getFull());
        value("double_word", answer.getDoubleWord());
        value("native", answer.getNative());
        value("packed", answer.getPacked());
        value("packed_long", answer.getPackedLong());
        value("single", answer.getSingle());
        value("longer", answer.getLonger());
        value("outer.inner", answer.getOuter().getInner());
        value("outer.deeper.deepest", answer.getOuter().getDeeper().getDeepest());
        for (int index = 0; index < answer.getPart().size(); index++) {
            KINDSOperationResponse.Part part = answer.getPart().get(index);
            value("part." + index + ".label", part.getLabel());
            value("part." + index + ".price", part.getPrice());
            for (int cell = 0; cell < part.getCell().size(); cell++) {
                value("part." + index + ".cell." + cell, part.getCell().get(cell));
            }
        }
        for (int index = 0; index < answer.getOrderLine().size(); index++) {
            value("order_line." + index + ".item", answer.getOrderLine().get(index).getItem());
            value("order_line." + index + ".quantity", answer.getOrderLine().get(index).getQuantity());
        }
    }

    private static void value(String name, Object value) {
        OUT.println(name + "=" + value);
    }
}
