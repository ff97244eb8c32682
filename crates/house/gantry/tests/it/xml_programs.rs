//! Compares a program that uses XML PARSE and DOCUMENT with the bind of the same service. These
//! tests need GnuCOBOL 3, and fail without it.

use crate::client::Response;
use crate::folder::Folder;
use crate::process::Gantry;
use crate::programs::example;

/// The application handler of a pipeline. It does for the service `order` what its bind does.
const HANDLER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. XMLORDER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-BODY           PIC X(4000) VALUE SPACES.
       01  WS-LENGTH         PIC S9(8) COMP.
       01  WS-TEXT           PIC X(40).
       01  WS-AT             PIC S9(4) COMP VALUE 1.
       01  WS-TOKEN          PIC X(16).
       01  WS-NUMBER         PIC -(9)9.99.
       01  WS-PLAIN          PIC X(20).
       01  WS-SIZE           PIC S9(8) COMP.
       01  WS-ORDER.
           COPY ORDERREC.
       PROCEDURE DIVISION.
       MAIN-LINE.
           INITIALIZE WS-ORDER
           MOVE LENGTH OF WS-BODY TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-BODY') INTO(WS-BODY)
               FLENGTH(WS-LENGTH) END-EXEC
           XML PARSE WS-BODY(1:WS-LENGTH)
               PROCESSING PROCEDURE TAKE-EVENT
               ON EXCEPTION
                   EXEC CICS ABEND ABCODE('XMLP') END-EXEC
           END-XML
           EXEC CICS LINK PROGRAM('ORDER') COMMAREA(WS-ORDER) END-EXEC
           EXEC CICS DOCUMENT CREATE DOCTOKEN(WS-TOKEN) END-EXEC
           MOVE OR-ITEM TO WS-PLAIN
           PERFORM MEASURE-PLAIN
           EXEC CICS DOCUMENT SET DOCTOKEN(WS-TOKEN) SYMBOL('ITEM')
               VALUE(WS-PLAIN) LENGTH(WS-SIZE) END-EXEC
           MOVE OR-CUSTOMER TO WS-PLAIN
           PERFORM MEASURE-PLAIN
           EXEC CICS DOCUMENT SET DOCTOKEN(WS-TOKEN)
               SYMBOL('CUSTOMER')
               VALUE(WS-PLAIN) LENGTH(WS-SIZE) END-EXEC
           MOVE OR-STATUS TO WS-PLAIN
           PERFORM MEASURE-PLAIN
           EXEC CICS DOCUMENT SET DOCTOKEN(WS-TOKEN) SYMBOL('STATUS')
               VALUE(WS-PLAIN) LENGTH(WS-SIZE) END-EXEC
           MOVE FUNCTION LENGTH(FUNCTION TRIM(OR-JOURNAL-LINE))
               TO WS-SIZE
           EXEC CICS DOCUMENT SET DOCTOKEN(WS-TOKEN) SYMBOL('LINE')
               VALUE(OR-JOURNAL-LINE) LENGTH(WS-SIZE) END-EXEC
           MOVE OR-QUANTITY TO WS-NUMBER
           PERFORM MAKE-PLAIN
           EXEC CICS DOCUMENT SET DOCTOKEN(WS-TOKEN)
               SYMBOL('QUANTITY')
               VALUE(WS-PLAIN) LENGTH(WS-SIZE) END-EXEC
           MOVE OR-AMOUNT TO WS-NUMBER
           PERFORM MAKE-PLAIN
           EXEC CICS DOCUMENT SET DOCTOKEN(WS-TOKEN) SYMBOL('AMOUNT')
               VALUE(WS-PLAIN) LENGTH(WS-SIZE) END-EXEC
           MOVE OR-STOCK-LEFT TO WS-NUMBER
           PERFORM MAKE-PLAIN
           EXEC CICS DOCUMENT SET DOCTOKEN(WS-TOKEN) SYMBOL('LEFT')
               VALUE(WS-PLAIN) LENGTH(WS-SIZE) END-EXEC
           MOVE OR-JOURNAL-ITEMS TO WS-NUMBER
           PERFORM MAKE-PLAIN
           EXEC CICS DOCUMENT SET DOCTOKEN(WS-TOKEN) SYMBOL('ITEMS')
               VALUE(WS-PLAIN) LENGTH(WS-SIZE) END-EXEC
           EXEC CICS DOCUMENT INSERT DOCTOKEN(WS-TOKEN)
               TEMPLATE('ORDERED') END-EXEC
           EXEC CICS DOCUMENT RETRIEVE DOCTOKEN(WS-TOKEN)
               INTO(WS-BODY) LENGTH(WS-LENGTH) DATAONLY END-EXEC
           EXEC CICS PUT CONTAINER('DFHWS-BODY') FROM(WS-BODY)
               FLENGTH(WS-LENGTH) CHAR END-EXEC
           EXEC CICS RETURN END-EXEC.
       TAKE-EVENT.
           EVALUATE XML-EVENT
             WHEN 'START-OF-ELEMENT'
               MOVE SPACES TO WS-TEXT
               MOVE 1 TO WS-AT
             WHEN 'CONTENT-CHARACTERS'
               STRING XML-TEXT DELIMITED BY SIZE INTO WS-TEXT
                   WITH POINTER WS-AT
             WHEN 'END-OF-ELEMENT'
               EVALUATE XML-TEXT
                 WHEN 'item'
                   MOVE WS-TEXT TO OR-ITEM
                 WHEN 'quantity'
                   INSPECT WS-TEXT REPLACING ALL X'0A' BY SPACE
                   COMPUTE OR-QUANTITY = FUNCTION NUMVAL(WS-TEXT)
               END-EVALUATE
      *      The prefix of the body is declared around it.
             WHEN 'EXCEPTION'
               IF XML-CODE = 264192
                   MOVE 0 TO XML-CODE
               END-IF
           END-EVALUATE.
       MAKE-PLAIN.
           MOVE FUNCTION TRIM(WS-NUMBER) TO WS-PLAIN
           PERFORM MEASURE-PLAIN
           PERFORM UNTIL WS-PLAIN(WS-SIZE:1) NOT = '0'
               SUBTRACT 1 FROM WS-SIZE
           END-PERFORM
           IF WS-PLAIN(WS-SIZE:1) = '.'
               SUBTRACT 1 FROM WS-SIZE
           END-IF.
       MEASURE-PLAIN.
           MOVE FUNCTION LENGTH(FUNCTION TRIM(WS-PLAIN)) TO WS-SIZE.
";

const TEMPLATE: &str = "<e:Body xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\">\
                        <!--#include template=ORDERROW--></e:Body>";

const ROW: &str = "<ORDEROperationResponse xmlns=\"http://www.ORDER.Response.com\"><item>&ITEM;</item>\
                   <quantity>&QUANTITY;</quantity><customer>&CUSTOMER;</customer><amount>&AMOUNT;</amount>\
                   <stock_left><!--#echo var=LEFT--></stock_left><status>&STATUS;</status>\
                   <journal_items>&ITEMS;</journal_items><journal_line>&LINE;</journal_line>\
                   </ORDEROperationResponse>";

/// Makes the example with the program at the end of its pipeline.
fn with_handler() -> Folder {
    let folder = example("");
    let pipeline = std::fs::read_to_string(folder.path().join("pipelines/provider.xml")).expect("a text");
    folder
        .with("pipelines/provider.xml", &pipeline.replace(">DFHPITP<", ">XMLORDER<"))
        .with("programs/XMLORDER.cbl", HANDLER)
        .with("templates/ORDERED.xml", TEMPLATE)
        .with("templates/ORDERROW.xml", ROW)
}

fn send(gantry: &Gantry, content: &str) -> Response {
    let message = format!(
        "<?xml version=\"1.0\"?><s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>{content}</s:Body></s:Envelope>"
    );
    let head = "content-type: text/xml; charset=utf-8\r\nsoapaction: \"\"\r\n";
    gantry.send("POST", "/cics/services/ORDER", head, &message)
}

/// Gives the element in the body of an answer.
#[track_caller]
fn element(answer: &Response) -> String {
    let text = answer.text();
    assert_eq!(answer.status, 200, "{text}");
    let start = text.find("<ORDEROperationResponse").unwrap_or_else(|| panic!("no answer: {text}"));
    let end = text.rfind("</ORDEROperationResponse>").unwrap_or_else(|| panic!("no end: {text}"));
    text[start..end].to_owned()
}

#[test]
fn a_program_that_reads_xml_answers_as_the_bind_does() {
    let (bound, handled) = (example(""), with_handler());
    let (bound, handled) = (Gantry::folder(bound.path()), Gantry::folder(handled.path()));
    let plain = |item: &str, quantity: &str| {
        format!(
            "<ORDEROperation xmlns=\"http://www.ORDER.Request.com\"><item>{item}</item><quantity>{quantity}</quantity></ORDEROperation>"
        )
    };
    let prefixed = "\r\n <o:ORDEROperation xmlns:o='http://www.ORDER.Request.com'>\r\n  <o:item >CHAIR</o:item>\n\t\
                    <o:quantity>4</o:quantity ></o:ORDEROperation> ";
    let messages = [
        plain("LAMP", "3"),
        plain("LAMP", "2"),
        plain("CHAIR", "101"),
        plain("CHAIR  ", " 00007\n"),
        plain("<![CDATA[LA]]>MP", "1<!-- not 2 -->0"),
        plain("&#x4C;&#65;MP", "&#49;"),
        prefixed.to_owned(),
    ];
    for message in &messages {
        let (expected, found) = (send(&bound, message), send(&handled, message));
        assert_eq!(element(&found), element(&expected), "{message}");
    }
    // PRICER does not know this item, so both ways give a fault.
    for gantry in [&bound, &handled] {
        let answer = send(gantry, &plain("SOFA", "1"));
        assert_eq!(answer.status, 500, "{}", answer.text());
        assert!(answer.text().contains("<faultcode>SOAP-ENV:Server</faultcode>"), "{}", answer.text());
    }
}
