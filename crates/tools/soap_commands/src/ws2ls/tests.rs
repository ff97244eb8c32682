//! The assistant on the WSDLs of the crate `wsdl`, and messages through the binds that it makes.

use std::fs;
use std::path::Path;

use record::Bind;
use web_service::{BindFile, InterfaceKind, Role};

use super::make::{Made, make};
use super::request::Request;
use super::table::Ws2ls;
use crate::parameters::Parameters;

/// The request that lines make.
fn request(text: &str) -> Result<Request, Vec<String>> {
    let lines =
        text.lines().enumerate().map(|(number, line)| (format!("line {}", number + 1), line.to_owned()));
    Request::read(&Parameters::from_lines::<Ws2ls>(lines.collect())?)
}

const USUAL: &str = "WSDL=service.wsdl\nWSBIND=/u/ORDERS.wsbind\nREQMEM=REQ\nRESPMEM=RESP\n";

pub(super) fn made(text: &str, wsdl: &[u8], one_record: bool) -> Result<Made, Vec<web_service::Problem>> {
    let mut request = request(&format!("{USUAL}{text}")).expect("parameters");
    if one_record {
        request.take_one_record(Some(3));
    }
    make(&request, "service.wsdl", wsdl.to_vec(), &mut |name| Err(format!("{name} does not exist")))
}

fn golden(case: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../text/wsdl/tests/golden");
    fs::read(folder.join(case).join("service.wsdl")).expect("a WSDL")
}

pub(super) fn told(problems: &[web_service::Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

/// The bind of the request of the first operation, from the text of the bind file.
pub(super) fn bind(file: &BindFile) -> Bind {
    let text = file.write().expect("a bind file");
    let read = BindFile::read(text.as_bytes()).expect("a bind file");
    assert_eq!(read, *file);
    let (parts, _) = read.parts(37).unwrap_or_else(|problems| panic!("{}", told(&problems)));
    let request = &parts[0].request;
    Bind::compile(&request.layout, &request.options).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Writes a message into a record and reads it back.
pub(super) fn through(bind: &Bind, xml: &str) -> (Vec<u8>, String) {
    let mut record = Vec::new();
    bind.encode_xml(xml.as_bytes(), &mut record).unwrap_or_else(|error| panic!("{xml}: {error}"));
    let mut out = Vec::new();
    bind.decode_xml(&record, &mut out).unwrap_or_else(|error| panic!("{xml}: {error}"));
    (record, String::from_utf8(out).expect("UTF-8"))
}

#[test]
fn parameters_are_checked_against_one_another() {
    let found = request(
        "WSDL=a.wsdl\nREQMEM=TOOLONGX\nPGMNAME=PROG\nMAPPING-LEVEL=1.1\nCHAR-VARYING=YES\nINLINE-MAXOCCURS-LIMIT=9\n\
         DEFAULT-FRACTION-DIGITS=18\nNAME-TRUNCATION=MIDDLE\nMAPPING-OVERRIDES=INTEGER-AS-PIC9",
    )
    .expect_err("faults");
    for expected in [
        "WSBIND is missing",
        "PGMINT is missing; a program has a COMMAREA or a CHANNEL",
        "line 2: REQMEM: expected a letter and at most 5 letters or digits, found 'TOOLONGX'",
        "line 5: CHAR-VARYING: needs mapping level 1.2 or later; the level is 1.1",
        "line 6: INLINE-MAXOCCURS-LIMIT: needs mapping level 2.1 or later; the level is 1.1",
        "line 7: DEFAULT-FRACTION-DIGITS: expected a number from 0 to 17, found '18'",
        "line 8: NAME-TRUNCATION: expected RIGHT, LEFT, found 'MIDDLE'",
        "line 9: MAPPING-OVERRIDES: INTEGER-AS-PIC9 is not possible: whole numbers are binary",
    ] {
        assert!(found.contains(&expected.to_owned()), "{expected}: {found:#?}");
    }
    let refused = request("XML-ONLY=TRUE").expect_err("refused");
    assert!(refused[0].contains("XML-ONLY: expected FALSE"), "{refused:?}");
}

#[test]
fn copybooks_have_the_numbers_of_their_operations() {
    let made = made("MAPPING-LEVEL=3.0\n", &golden("order"), false)
        .unwrap_or_else(|found| panic!("{}", told(&found)));
    let members: Vec<&str> = made.copybooks.iter().map(|copybook| copybook.member.as_str()).collect();
    assert_eq!(members, ["REQ01", "RESP01", "REQ02", "REQ03"]);
    assert_eq!(made.copybooks[1].about, "response of PlaceOrder");
    assert!(made.file.is_none());
    let told = told(&[made.warnings, made.obstacles].concat());
    assert!(
        told.contains("no bind file is made") && told.contains("response of Ping: the body is empty"),
        "{told}"
    );
}

#[test]
fn messages_with_containers_are_laid_out_by_the_wsdl() {
    let made = made("MAPPING-LEVEL=3.0\nOPERATIONS=PlaceOrder\n", &golden("order"), false)
        .unwrap_or_else(|found| panic!("{}", told(&found)));
    let file = made.file.unwrap_or_else(|| panic!("{}", told(&made.warnings)));
    assert!(file.operation[0].by_wsdl && file.layout.is_some() && file.wsdl.is_some());
    let text = file.write().unwrap_or_else(|problems| panic!("{}", told(&problems)));
    let read = BindFile::read(text.as_bytes()).unwrap_or_else(|problems| panic!("{}", told(&problems)));
    read.parts(37).unwrap_or_else(|problems| panic!("{}", told(&problems)));
    let messages = read.messages(&read.operation[0], 37).unwrap_or_else(|found| panic!("{}", told(&found)));
    assert!(messages.request.has_data_areas() && messages.response.is_some());
}

#[test]
fn what_is_refused_says_what_to_do() {
    // The message of the request is of the namespace that xsi:nil has.
    let order = String::from_utf8(golden("order")).expect("a text");
    let xsi = order.replace("urn:example:orders", "http://www.w3.org/2001/XMLSchema-instance");
    let refused = told(&made("MAPPING-LEVEL=3.0\n", xsi.as_bytes(), false).expect_err("refused"));
    assert!(
        refused.contains("service.wsdl") && refused.contains("expected a namespace of your own"),
        "{refused}"
    );
    assert!(refused.contains("service.wsdl:31:7: "), "{refused}");
    // One record is asked for already.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let messages = fs::read_to_string(folder.join("service.wsdl")).expect("a WSDL");
    let optional = messages.replace("name='id' type='x:int' use='required'", "name='id' type='x:int'");
    assert_ne!(optional, messages);
    let text = "MAPPING-LEVEL=4.3\nDEFAULT-CHAR-MAXLENGTH=10\n";
    let optional = made(text, optional.as_bytes(), true).unwrap_or_else(|found| panic!("{}", told(&found)));
    let warned = told(&[optional.warnings, optional.obstacles].concat());
    assert!(warned.contains("no bind file is made") && !warned.contains("--one-record may help"), "{warned}");
    assert!(warned.contains("require the attribute, or make it a text"), "{warned}");
    let long = order.replace(
        "<xsd:attribute name=\"number\" type=\"xsd:int\"/>",
        "<xsd:attribute name=\"number\"><xsd:simpleType><xsd:restriction base=\"xsd:decimal\">\
         <xsd:totalDigits value=\"20\"/><xsd:fractionDigits value=\"0\"/></xsd:restriction></xsd:simpleType></xsd:attribute>",
    );
    assert_ne!(long, order);
    let refused = told(&made("MAPPING-LEVEL=3.0\n", long.as_bytes(), false).expect_err("refused"));
    assert!(
        refused.contains("found 20 (help: allow packed numbers of 31 digits with WIDE-COMP3=YES)"),
        "{refused}"
    );
}

/// A WSDL with this number of operations; each has the element.
fn many_operations(count: usize, element: impl Fn(usize) -> String, content: &str) -> String {
    let each = |one: &dyn Fn(usize) -> String| (1..=count).map(one).collect::<String>();
    let elements: std::collections::BTreeSet<String> = (1..=count).map(&element).collect();
    let elements: String =
        elements.iter().map(|name| format!("<xs:element name=\"{name}\" {content}/>")).collect();
    let messages = each(&|at| {
        format!("<w:message name=\"M{at}\"><w:part name=\"p\" element=\"t:{}\"/></w:message>", element(at))
    });
    let operations =
        each(&|at| format!("<w:operation name=\"O{at}\"><w:input message=\"t:M{at}\"/></w:operation>"));
    let bound = each(&|at| {
        format!(
            "<w:operation name=\"O{at}\"><s:operation/><w:input><s:body use=\"literal\"/></w:input></w:operation>"
        )
    });
    format!(
        "<w:definitions xmlns:w=\"http://schemas.xmlsoap.org/wsdl/\" xmlns:s=\"http://schemas.xmlsoap.org/wsdl/soap/\" \
         xmlns:t=\"urn:t\" targetNamespace=\"urn:t\"><w:types><xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" \
         targetNamespace=\"urn:t\">{elements}</xs:schema></w:types>{messages}<w:portType name=\"P\">{operations}</w:portType>\
         <w:binding name=\"B\" type=\"t:P\"><s:binding transport=\"http://schemas.xmlsoap.org/soap/http\"/>{bound}</w:binding>\
         </w:definitions>"
    )
}

const INT: &str = "type=\"xs:int\"";

#[test]
fn more_operations_than_a_bind_file_has_must_be_chosen() {
    let wsdl = many_operations(1_001, |at| format!("e{at}"), INT);
    let refused = told(&made("", wsdl.as_bytes(), false).expect_err("too many"));
    assert_eq!(
        refused,
        "expected at most 1000 operations for one bind file, found 1001; choose some of them by name with OPERATIONS\n"
    );
    let some = made("OPERATIONS=O1,O1001\n", wsdl.as_bytes(), false);
    assert_eq!(some.expect("two").file.expect("a bind file").operation.len(), 2);
}

#[test]
fn only_a_provider_tells_operations_apart_by_their_elements() {
    let wsdl = many_operations(3, |at| format!("e{}", at % 2), INT);
    let provider = "PGMNAME=P\nPGMINT=CHANNEL\n";
    let refused = told(&made(provider, wsdl.as_bytes(), false).expect_err("two operations with one element"));
    assert!(
        refused.contains("operation 'O3': operation 'O1' has the same element")
            && refused.contains("choose one of them with OPERATIONS"),
        "{refused}"
    );
    let chosen = made(&format!("{provider}OPERATIONS=O2,O3\n"), wsdl.as_bytes(), false);
    assert_eq!(chosen.expect("two").file.expect("a bind file").operation.len(), 2);
    let requester = made("", wsdl.as_bytes(), false).unwrap_or_else(|found| panic!("{}", told(&found)));
    let text = requester.file.expect("a bind file").write().expect("a text");
    assert_eq!(BindFile::read(text.as_bytes()).expect("a bind file").operation.len(), 3);
}

#[test]
fn a_fault_that_operations_share_is_told_once() {
    let wsdl = many_operations(3, |at| format!("e{at}"), "type=\"t:Lost\"");
    let shared = wsdl
        .replace("<xs:element name=\"e1\" type=\"t:Lost\"/>", "")
        .replace("<xs:element name=\"e2\" type=\"t:Lost\"/>", "")
        .replace("element=\"t:e1\"", "element=\"t:e3\"")
        .replace("element=\"t:e2\"", "element=\"t:e3\"");
    let refused = made("", shared.as_bytes(), false).expect_err("a lost type");
    let text = told(&refused);
    assert_eq!(refused.len(), 1, "{text}");
    assert!(text.ends_with("type {urn:t}Lost is not declared in the schemas (3 times)\n"), "{text}");
}

#[test]
fn operations_and_bindings_are_chosen_by_name() {
    let refused = told(&made("", &golden("rpc"), false).expect_err("refused operations"));
    assert!(
        refused.contains("SOAP encoding") && refused.contains("OPERATIONS to leave these out"),
        "{refused}"
    );
    let unknown = told(&made("OPERATIONS=Find,Lose\n", &golden("rpc"), false).expect_err("unknown"));
    assert!(
        unknown.contains("binding PeopleRpc has no operation 'Lose'; it has Find, Old, Parts, Elements"),
        "{unknown}"
    );
    let near = told(&made("OPERATIONS=Part,find\n", &golden("rpc"), false).expect_err("unknown"));
    assert!(
        near.contains(
            "has no operation 'Part' (did you mean 'Parts'?), 'find' (did you mean 'Find'?); it has Find"
        ),
        "{near}"
    );
    let other = told(&made("BINDING=Nobody\n", &golden("rpc"), false).expect_err("unknown"));
    assert!(other.contains("the WSDL has PeopleRpc"), "{other}");
    let found =
        made("OPERATIONS=Find\n", &golden("rpc"), false).unwrap_or_else(|found| panic!("{}", told(&found)));
    let file = found.file.expect("a bind file");
    assert_eq!(
        (file.role, file.interface, file.program.as_deref()),
        (Role::Requester, InterfaceKind::Channel, None)
    );
    assert_eq!(file.operation[0].soap_action, "find");
    let bind = bind(&file);
    let xml = "<p:Find xmlns:p=\"urn:example:people\"><number>7</number><deep>true</deep></p:Find>";
    let (record, back) = through(&bind, xml);
    assert_eq!(record, [0, 0, 0, 7, 1]);
    assert!(back.contains("<number>7</number>") && back.contains("<deep>true</deep>"), "{back}");
}

#[test]
fn a_program_with_a_commarea_has_no_containers() {
    let provider = "MAPPING-LEVEL=3.0\nPGMNAME=ORDERS\nPGMINT=COMMAREA\n";
    let refused = told(&made(provider, &golden("order"), false).expect_err("containers"));
    assert!(refused.contains("a program with a commarea has none"), "{refused}");
}

/// Optional elements, tables, a choice, attributes and two namespaces: what is there is written, and nothing else. zeep 4.3.3 has
/// made the messages.
#[test]
fn messages_keep_their_elements_through_a_record() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let text = "MAPPING-LEVEL=4.3\nPGMNAME=ORDERS\nPGMINT=COMMAREA\nDEFAULT-CHAR-MAXLENGTH=10\n";
    let wsdl = fs::read(folder.join("service.wsdl")).expect("a WSDL");
    let made = made(text, &wsdl, true).unwrap_or_else(|found| panic!("{}", told(&found)));
    let file = made.file.unwrap_or_else(|| panic!("{}", told(&made.warnings)));
    assert_eq!((file.uri.as_deref(), file.namespace.as_str()), (Some("/services/o"), "urn:s"));
    let bind = bind(&file);
    // The structure of the program has the same bytes as that of the bind.
    let program =
        copybook::parse("REQ01", &made.copybooks[0].text, &copybook::Options::default()).expect("valid");
    for message in ["full.xml", "least.xml", "most.xml"] {
        let xml = fs::read_to_string(folder.join(message)).expect("a message");
        let (record, back) = through(&bind, &xml);
        assert_eq!(record.len(), program.layouts[0].max_bytes());
        let (again, same) = through(&bind, &back);
        assert_eq!((again, &same), (record, &back));
        assert_eq!(plain(&back), plain(&xml), "{back}");
    }
}

/// An element that is text of at most this number of characters.
fn short_text(name: &str, most: u32) -> String {
    format!(
        "<xs:element name=\"{name}\"><xs:simpleType><xs:restriction base=\"xs:string\"><xs:maxLength value=\"{most}\"/>\
         </xs:restriction></xs:simpleType></xs:element>"
    )
}

/// A group of 7 bytes that may be missing.
fn optional_group() -> String {
    format!(
        "<xs:element name=\"g\" minOccurs=\"0\"><xs:complexType><xs:sequence><xs:element name=\"n\" type=\"xs:int\"/>{}\
         </xs:sequence></xs:complexType></xs:element>",
        short_text("a", 3)
    )
}

/// A WSDL whose message has these elements in sequence.
fn sequence(elements: &str) -> String {
    let content =
        format!("><xs:complexType><xs:sequence>{elements}</xs:sequence></xs:complexType></xs:element");
    many_operations(1, |_| "e".to_owned(), &content).replace("</xs:element/>", "</xs:element>")
}

/// An optional group of 7 bytes, in front of a text: the rows of a table would begin at multiples of 4.
#[test]
fn fields_behind_an_optional_group_stand_where_programs_have_them() {
    let wsdl = sequence(&(optional_group() + &short_text("b", 5)));
    for interface in ["COMMAREA", "CHANNEL"] {
        let text = format!("MAPPING-LEVEL=4.3\nCHAR-VARYING=COLLAPSE\nPGMNAME=P\nPGMINT={interface}\n");
        let made = made(&text, wsdl.as_bytes(), false).unwrap_or_else(|found| panic!("{}", told(&found)));
        let program =
            copybook::parse("P", &made.copybooks[0].text, &copybook::Options::default()).expect("valid");
        let layout = &program.layouts[0];
        let b = layout.field(layout.resolve("B").expect("B")).offset;
        assert_eq!(b, 11);
        let file = made.file.expect("a bind file");
        assert!(file.operation[0].by_wsdl, "{interface}");
        let read = BindFile::read(file.write().expect("a text").as_bytes()).expect("a bind file");
        let messages =
            read.messages(&read.operation[0], 819).unwrap_or_else(|found| panic!("{}", told(&found)));
        let (record, areas) = messages.request.to_record(br#"{"b":"here"}"#).expect("it fits");
        assert!(areas.is_empty() && record[b..].starts_with(b"here "), "{record:?}");
        let folder = read.folder(819).unwrap_or_else(|found| panic!("{}", told(&found)));
        let service = folder.iter().find(|(path, _)| path.starts_with("services/")).expect("a service");
        let says = service.1.contains("interface = \"commarea\"");
        assert_eq!(
            (says, service.1.contains("channel = ")),
            (interface == "COMMAREA", interface == "CHANNEL")
        );
    }
    let alone = made("MAPPING-LEVEL=4.3\nPGMNAME=P\nPGMINT=COMMAREA\n", wsdl.as_bytes(), true);
    let alone = alone.unwrap_or_else(|found| panic!("{}", told(&found)));
    assert!(
        alone.file.is_none() && told(&alone.obstacles).contains("B: it stands elsewhere"),
        "{:?}",
        alone.obstacles
    );
}

/// The same group at the end: the row of a table would have 8 bytes.
#[test]
fn records_that_end_with_an_optional_group_are_as_long_as_programs_have_them() {
    let wsdl = sequence(&format!("<xs:element name=\"b\" type=\"xs:int\"/>{}", optional_group()));
    for interface in ["COMMAREA", "CHANNEL"] {
        let text = format!("MAPPING-LEVEL=4.3\nCHAR-VARYING=COLLAPSE\nPGMNAME=P\nPGMINT={interface}\n");
        let made = made(&text, wsdl.as_bytes(), false).unwrap_or_else(|found| panic!("{}", told(&found)));
        let program =
            copybook::parse("P", &made.copybooks[0].text, &copybook::Options::default()).expect("valid");
        let bytes = program.layouts[0].max_bytes();
        assert_eq!(bytes, 15);
        let file = made.file.expect("a bind file");
        assert!(file.operation[0].by_wsdl, "{interface}");
        let messages =
            file.messages(&file.operation[0], 819).unwrap_or_else(|found| panic!("{}", told(&found)));
        let (record, _) = messages.request.to_record(br#"{"b":1,"g":{"n":2,"a":"abc"}}"#).expect("it fits");
        assert_eq!(record.len(), bytes, "{interface}");
    }
    let alone = made("MAPPING-LEVEL=4.3\nPGMNAME=P\nPGMINT=COMMAREA\n", wsdl.as_bytes(), true);
    let alone = alone.unwrap_or_else(|found| panic!("{}", told(&found)));
    assert!(
        alone.file.is_none() && told(&alone.obstacles).contains("bytes in the copybook of a bind, and"),
        "{:?}",
        alone.obstacles
    );
}

/// A WSDL whose message has a text of at most 3 characters and a date.
fn three_characters_and_a_date() -> String {
    sequence(&format!("{}<xs:element name=\"b\" type=\"xs:date\"/>", short_text("a", 3)))
}

/// DFHPI9722: characters of UTF-16 have two bytes, or four.
#[test]
fn fields_in_utf16_have_two_or_four_bytes_for_a_character() {
    let wsdl = three_characters_and_a_date();
    // The number counts, also with a zero before it; both byte orders are UTF-16.
    for (ccsid, number) in [("1200", 1200), ("01200", 1200), ("1202", 1202)] {
        for (more, picture) in [("", "PIC X(6)."), ("CHAR-MULTIPLIER=4\n", "PIC X(12).")] {
            let text = format!("MAPPING-LEVEL=4.3\nCCSID={ccsid}\nCHAR-VARYING=COLLAPSE\n{more}");
            let made = made(&text, wsdl.as_bytes(), false).unwrap_or_else(|found| panic!("{}", told(&found)));
            assert!(made.copybooks[0].text.contains(picture), "{}", made.copybooks[0].text);
            // Messages in UTF-16 are not taken.
            assert!(told(&made.warnings).contains("no bind file is made") && made.file.is_none());
            assert!(told(&made.obstacles).contains("cannot be that of a record"), "{:?}", made.obstacles);
        }
        let refused = request(&format!("CCSID={ccsid}\nMAPPING-LEVEL=4.3\nCHAR-MULTIPLIER=3\n"));
        let refused = refused.expect_err("three bytes");
        let expected =
            format!("CHAR-MULTIPLIER: expected 2 or 4, because CCSID {number} is UTF-16, found '3'");
        assert!(refused.iter().any(|told| told.ends_with(&expected)), "{refused:?}");
    }
}

/// Text of a limited length fits its field in UTF-8, if a character has room for its bytes.
#[test]
fn fields_have_as_many_bytes_for_a_character_as_are_asked_for() {
    let wsdl = three_characters_and_a_date();
    let of = |more: &str| {
        let text = format!("MAPPING-LEVEL=4.3\nPGMNAME=P\nPGMINT=CHANNEL\nCCSID=1208\n{more}");
        made(&text, wsdl.as_bytes(), false).unwrap_or_else(|found| panic!("{}", told(&found)))
    };
    let message = "<t:e xmlns:t=\"urn:t\"><a>€ü€</a><b>2026-01-31</b></t:e>";
    let plain = of("CHAR-VARYING=COLLAPSE\n");
    assert!(
        told(&plain.warnings).contains("CCSID 1208 has characters of several bytes"),
        "{:?}",
        plain.warnings
    );
    let refused = bind(&plain.file.expect("a bind file")).encode_xml(message.as_bytes(), &mut Vec::new());
    let refused = refused.expect_err("eight bytes for three").to_string();
    assert!(
        refused.starts_with("a: text of 8 bytes in CCSID 1208 is longer than the field's 3"),
        "{refused}"
    );
    let wide = of("CHAR-VARYING=COLLAPSE\nCHAR-MULTIPLIER=3\n");
    assert_eq!(told(&wide.warnings), "");
    let copybook = &wide.copybooks[0].text;
    assert!(copybook.contains("PIC X(9).") && copybook.contains("PIC X(32)."), "{copybook}");
    assert!(copybook.contains("text of at most 3 characters, 3 bytes for each"), "{copybook}");
    let (record, back) = through(&bind(&wide.file.expect("a bind file")), message);
    assert_eq!(&record[..9], "€ü€ ".as_bytes());
    assert!(back.contains(">€ü€<"), "{back}");
    // With a length beside it, the WSDL lays the message out when the service is loaded.
    let paired = of("CHAR-VARYING=YES\nCHAR-MULTIPLIER=3\n");
    let text = paired.file.expect("a bind file").write().expect("a text");
    let file = BindFile::read(text.as_bytes()).expect("a bind file");
    let asked =
        file.messages(&file.operation[0], 37).unwrap_or_else(|found| panic!("{}", told(&found))).request;
    assert!(asked.copybook().contains("How many bytes of"), "{}", asked.copybook());
    let channel = asked.to_channel("{\"a\":\"€ü€\",\"b\":\"\"}".as_bytes()).expect("it fits");
    let record = channel.get("DFHWS-DATA").expect("a record").content.bytes();
    assert_eq!(record[..10], [b"\0\x08", "€ü€".as_bytes()].concat());
    let refused = asked.to_channel(b"{\"a\":\"abcd\",\"b\":\"\"}").expect_err("four characters").to_string();
    assert!(refused.starts_with("a: expected text of at most 3 characters, found 4"), "{refused}");
    for (more, says) in [
        ("CHAR-MULTIPLIER=5\n", "CHAR-MULTIPLIER: expected a number from 1 to 4, found '5'"),
        (
            "CHAR-MULTIPLIER=2\nMAPPING-LEVEL=1.1\n",
            "CHAR-MULTIPLIER: needs mapping level 1.2 or later; the level is 1.1",
        ),
    ] {
        let refused = request(&format!("{USUAL}{more}")).expect_err(more);
        assert!(refused.iter().any(|refused| refused.contains(says)), "{refused:?}");
    }
    let beyond = text.replace("char_multiplier = 3", "char_multiplier = 5");
    let file = BindFile::read(beyond.as_bytes()).expect("a bind file");
    let refused = told(&file.messages(&file.operation[0], 37).expect_err("five bytes"));
    assert!(refused.contains("char_multiplier: expected a number from 1 to 4, found 5"), "{refused}");
}

/// Text of a type of XML Schema is checked in one record as in containers.
#[test]
fn values_of_one_record_must_be_of_their_types() {
    let element =
        |name: &str, kind: &str| format!("<xs:element name=\"{name}\" type=\"xs:{kind}\" minOccurs=\"0\"/>");
    let kinds = [
        "dateTime",
        "date",
        "gMonthDay",
        "duration",
        "language",
        "NMTOKENS",
        "anyURI",
        "hexBinary",
        "string",
    ];
    let elements: String = kinds.iter().map(|kind| element(kind, kind)).collect();
    let content = format!(
        "><xs:complexType><xs:sequence>{elements}</xs:sequence><xs:attribute name=\"at\" type=\"xs:date\"/></xs:complexType></xs:element"
    );
    let wsdl = many_operations(1, |_| "e".to_owned(), &content).replace("</xs:element/>", "</xs:element>");
    let made = made("MAPPING-LEVEL=4.3\nPGMNAME=P\nPGMINT=COMMAREA\n", wsdl.as_bytes(), true)
        .unwrap_or_else(|found| panic!("{}", told(&found)));
    let file = made.file.unwrap_or_else(|| panic!("{}", told(&made.warnings)));
    let bind = bind(&file);
    let message = |at: &str, name: &str, value: &str| {
        format!("<t:e xmlns:t=\"urn:t\" at=\"{at}\"><{name}>{value}</{name}></t:e>")
    };
    for (name, value, expected) in [
        ("dateTime", " 2026-01-31T12:00:00.1234567+01:00\n", "2026-01-31T11:00:00.1234567Z"),
        ("date", "\n2026-01-31 ", "2026-01-31"),
        ("gMonthDay", "--02-29", "--02-29"),
        ("duration", "", ""),
        ("NMTOKENS", " a \n b ", "a b"),
        ("anyURI", " http://host/a b ", "http://host/a b"),
        ("hexBinary", " 00fF ", "00fF"),
        ("string", " a  b", " a  b"),
    ] {
        let (_, back) = through(&bind, &message(" 2026-01-31Z ", name, value));
        let name_is = |node: &roxmltree::Node| node.tag_name().name() == name;
        let document = roxmltree::Document::parse(&back).expect("XML");
        let found = document.descendants().find(name_is).unwrap_or_else(|| panic!("{back}"));
        assert_eq!(found.text().unwrap_or_default(), expected, "{back}");
        assert!(back.contains("at=\"2026-01-31Z\""), "{back}");
    }
    for (at, name, value, says) in [
        (
            "",
            "date",
            "not a date",
            "date[0]: expected a value of the type date, such as 2026-01-31, found 'not a date' (line 1, column",
        ),
        (
            "x",
            "date",
            "2026-01-31",
            "at: expected a value of the type date, such as 2026-01-31, found 'x' (line 1, column",
        ),
        ("", "language", "e n", "language[0]: expected a value of the type language"),
        ("", "hexBinary", "0", "hexBinary[0]: expected a value of the type hexBinary"),
    ] {
        let refused = bind.encode_xml(message(at, name, value).as_bytes(), &mut Vec::new()).expect_err(value);
        assert!(refused.to_string().contains(says), "{value}: {refused}");
    }
}

/// Namespace, name, attributes, and the text if there is nothing else.
type Plain = (Option<String>, String, Vec<(String, String)>, Option<String>);

/// The elements of a message: namespace, name, attributes, and the text of those that have nothing else.
fn plain(xml: &str) -> Vec<Plain> {
    let document = roxmltree::Document::parse(xml).expect("XML");
    let elements = document.descendants().filter(roxmltree::Node::is_element).map(|node| {
        let attributes = node.attributes().map(|at| (at.name().to_owned(), at.value().to_owned())).collect();
        let own =
            node.children().all(|child| child.is_text()).then(|| node.text().unwrap_or_default().to_owned());
        (node.tag_name().namespace().map(str::to_owned), node.tag_name().name().to_owned(), attributes, own)
    });
    elements.collect()
}
