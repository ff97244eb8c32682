//! Messages of XML: elements to containers and back, and the same as JSON.

use assistant::{CharVarying, MappingLevel};
use channel::{Element, Interface, Options};
use codepage::Encoding;
use record::Cause;
use service::Channel;
use xml::Cursor;

/// All that one record does not hold: rows without a limit, choices, groups that repeat, types by `xsi:type`, substitution, any XML.
const WSDL: &str = include_str!("../orders.wsdl");

fn interface(char_varying: CharVarying) -> Interface {
    interface_of(WSDL, char_varying)
}

pub(crate) fn interface_of(wsdl: &str, char_varying: CharVarying) -> Interface {
    interface_with(wsdl, char_varying, true)
}

/// An interface that does not check types, nor what the schema fixes.
pub(crate) fn unchecked_interface_of(wsdl: &str, char_varying: CharVarying) -> Interface {
    interface_with(wsdl, char_varying, false)
}

pub(crate) fn interface_at(wsdl: &str, char_varying: CharVarying, mapping_level: MappingLevel) -> Interface {
    let rules =
        assistant::Options { char_varying, mapping_level, ..assistant::Options::web_service("ORDER") };
    interface_by(wsdl, &rules, true)
}

fn interface_with(wsdl: &str, char_varying: CharVarying, check_types: bool) -> Interface {
    let rules = assistant::Options { char_varying, ..assistant::Options::web_service("ORDER") };
    interface_by(wsdl, &rules, check_types)
}

fn interface_by(wsdl: &str, rules: &assistant::Options, check_types: bool) -> Interface {
    let read = wsdl::read::read("t.wsdl", wsdl.as_bytes().to_vec(), &mut |_| Err("none".to_owned()));
    let read = read.unwrap_or_else(|faults| panic!("{faults:?}"));
    let operation = read.bindings[0].operations[0].as_ref().expect("an operation");
    let element = operation.request.as_ref().expect("a request");
    let shape = wsdl::read::shape(element, rules).unwrap_or_else(|faults| panic!("{faults:?}"));
    let encoding = Encoding::by_ccsid(37).expect("CCSID 37");
    let options = Options { container: "DFHWS-DATA".to_owned(), check_types, ..Options::assistant(encoding) };
    let other_attributes = &wsdl::read::other_attributes(element, rules);
    let name = Element { local: "Order", namespace: "urn:t", other_attributes };
    Interface::compile_message(&shape, name, rules, &options).unwrap_or_else(|found| panic!("{found:?}"))
}

pub(crate) fn channel_of(interface: &Interface, text: &str) -> Result<Channel, channel::Error> {
    let mut cursor = Cursor::new(text, xml::Encoding::Utf8)?;
    let open = cursor.root()?;
    let channel = interface.channel_of_element(&mut cursor, &open)?;
    cursor.end()?;
    Ok(channel)
}

pub(crate) fn written(interface: &Interface, channel: &Channel) -> String {
    let mut out = Vec::new();
    interface.to_element(channel, &mut out).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(out).expect("UTF-8")
}

/// Messages, and the text that is written for them.
const MESSAGES: &[(&str, &str)] = &[
    (
        "<id>7</id><card>4711</card><circle>round</circle>",
        "<ns1:id>7</ns1:id><ns1:card>4711</ns1:card><ns1:circle>round</ns1:circle>",
    ),
    (
        "<id>+07</id><note xsi:nil=\"true\"/><line unit=\"kg\" no=\"1\"><item>a &amp; b</item><tag>x</tag><tag>y</tag></line>\
         <line no=\"2\"><item/></line><cash> 1 </cash><up>1</up><down>2</down><up>3</up>\
         <key>k</key><value>1.5</value><key>l</key><value>-.25</value>\
         <animal xsi:type=\"t:Cat\"><name>Tom</name><lives>9</lives></animal>\
         <animal xmlns:u=\"urn:t\" xsi:type=\"u:Dog\"><name>Rex</name><barks>true</barks></animal><square>s</square>\
         <open a:b=\"c\" xmlns:a=\"urn:a\"/>",
        "",
    ),
    (
        "<id>1</id><note>n</note><iban>DE1</iban><bic>B</bic><square>s</square>\
         <open xmlns:a=\"urn:a\"> text <a:b c=\"a:d\"><e xmlns=\"\"/></a:b> more </open><raw>AAEC /w==</raw>\
         <x:one xmlns:x=\"urn:x\"/><x:two xmlns:x=\"urn:y\">2</x:two>",
        "<ns1:id>1</ns1:id><ns1:note>n</ns1:note><ns1:iban>DE1</ns1:iban><ns1:bic>B</ns1:bic><ns1:square>s</ns1:square>\
         <ns1:open>text <a:b xmlns='urn:t' xmlns:t='urn:t' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' \
         xmlns:a=\"urn:a\" c=\"a:d\"><e xmlns=\"\"/></a:b> more</ns1:open><ns1:raw>AAEC/w==</ns1:raw>\
         <x:one xmlns='urn:t' xmlns:t='urn:t' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:x=\"urn:x\"/>\
         <x:two xmlns='urn:t' xmlns:t='urn:t' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:x=\"urn:y\">2</x:two>",
    ),
    (
        "<id>2</id><line no=\"-1\" unit=\"\"><item>i</item></line><cash>false</cash><down>5</down>\
         <animal xsi:type=\"t:Dog\"><name>Rex</name><barks>0</barks></animal><circle>c</circle>",
        "<ns1:id>2</ns1:id><ns1:line unit=\"\" no=\"-1\"><ns1:item>i</ns1:item></ns1:line><ns1:cash>false</ns1:cash>\
         <ns1:down>5</ns1:down><ns1:animal xsi:type=\"ns1:Dog\"><ns1:name>Rex</ns1:name><ns1:barks>false</ns1:barks></ns1:animal>\
         <ns1:circle>c</ns1:circle>",
    ),
];

/// A service of one operation; its request is this element.
pub(crate) fn wsdl_of(element: &str, types: &str) -> String {
    format!(
        "<w:definitions xmlns:w=\"http://schemas.xmlsoap.org/wsdl/\" xmlns:s=\"http://schemas.xmlsoap.org/wsdl/soap/\" \
         xmlns:t=\"urn:t\" targetNamespace=\"urn:t\"><w:types><xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" \
         targetNamespace=\"urn:t\" elementFormDefault=\"qualified\">{types}{element}</xs:schema></w:types>\
         <w:message name=\"M\"><w:part name=\"p\" element=\"t:Order\"/></w:message>\
         <w:portType name=\"P\"><w:operation name=\"O\"><w:input message=\"t:M\"/></w:operation></w:portType>\
         <w:binding name=\"B\" type=\"t:P\"><s:binding transport=\"http://schemas.xmlsoap.org/soap/http\"/>\
         <w:operation name=\"O\"><s:operation/><w:input><s:body use=\"literal\"/></w:input></w:operation></w:binding>\
         </w:definitions>"
    )
}

fn message(content: &str) -> String {
    format!(
        "<Order xmlns=\"urn:t\" xmlns:t=\"urn:t\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" lang=\"en\">{content}</Order>"
    )
}

#[test]
fn messages_become_containers_and_come_back() {
    for varying in [CharVarying::Collapse, CharVarying::Yes, CharVarying::Null] {
        let interface = interface(varying);
        for (content, expected) in MESSAGES {
            let channel = match channel_of(&interface, &message(content)) {
                Ok(channel) => channel,
                Err(error) if expected.is_empty() => {
                    assert!(error.message.starts_with("unknown attribute a:b"), "{error}");
                    continue;
                }
                Err(error) => panic!("{content}: {error}"),
            };
            let out = written(&interface, &channel);
            let expected = format!(
                "<ns1:Order xmlns:ns1=\"urn:t\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" lang=\"en\">{expected}</ns1:Order>"
            );
            assert_eq!(out, expected);
            // The written text means the same. Any XML then has the declarations of the element around it.
            let again = written(&interface, &channel_of(&interface, &out).expect("it was written"));
            assert_eq!(written(&interface, &channel_of(&interface, &again).expect("it was written")), again);
            if !out.contains("<a:b") {
                assert_eq!(again, out);
            }
        }
    }
}

#[test]
fn rows_that_lack_are_told_with_what_follows() {
    let element = "<xs:element name=\"Order\"><xs:complexType><xs:sequence><xs:element name=\"id\" type=\"xs:int\" minOccurs=\"2\" \
                   maxOccurs=\"unbounded\"/><xs:element name=\"name\" type=\"xs:string\"/></xs:sequence></xs:complexType></xs:element>";
    let interface = interface_of(&wsdl_of(element, ""), CharVarying::Collapse);
    for (content, expected) in [
        ("<id>1</id><name>n</name>", "found 1; name of the namespace urn:t follows"),
        ("<id>1</id><id xmlns=\"urn:u\">2</id>", "found 1; id of the namespace urn:u follows"),
        ("<id>1</id><id xmlns=\"\">2</id>", "found 1; id without a namespace follows"),
        ("", "found 0; the element around them ends"),
    ] {
        let content = message(content).replace(" lang=\"en\"", "");
        let error = channel_of(&interface, &content).expect_err("too few");
        assert_eq!(error.message, format!("expected at least 2 elements, {expected}"), "{content}");
        assert_eq!((error.kind, error.path.as_str()), (channel::ErrorKind::RowCount, "id"));
    }
}

#[test]
fn octets_that_their_end_would_cut_are_refused_as_the_fault_of_the_caller() {
    let types = "<xs:simpleType name=\"B\"><xs:restriction base=\"xs:base64Binary\"><xs:maxLength value=\"8\"/></xs:restriction></xs:simpleType>";
    let element = "<xs:element name=\"Order\"><xs:complexType><xs:sequence><xs:element name=\"raw\" type=\"t:B\"/></xs:sequence></xs:complexType></xs:element>";
    let interface = interface_of(&wsdl_of(element, types), CharVarying::Null);
    let of = |raw: &str| channel_of(&interface, &message(raw).replace(" lang=\"en\"", ""));
    assert!(of("<raw>AQID</raw>").is_ok());
    let error = of("<raw>AQAD</raw>").expect_err("X'00' ends the octets");
    assert_eq!((error.kind, error.path.as_str()), (channel::ErrorKind::Unmappable, "raw"));
}

#[test]
fn errors_tell_their_cause() {
    let of =
        |name: &str, kind: &str| format!("<xs:element name=\"{name}\" minOccurs=\"0\" type=\"{kind}\"/>");
    let limited = |name: &str, base: &str, facet: &str| {
        format!(
            "<xs:simpleType name=\"{name}\"><xs:restriction base=\"xs:{base}\">{facet}</xs:restriction></xs:simpleType>"
        )
    };
    let types = [
        limited("B", "base64Binary", "<xs:length value=\"3\"/>"),
        limited("H", "hexBinary", "<xs:length value=\"3\"/>"),
        limited("D", "decimal", "<xs:totalDigits value=\"3\"/><xs:fractionDigits value=\"1\"/>"),
    ];
    let elements =
        [of("b", "t:B"), of("h", "t:H"), of("d", "t:D"), of("n", "xs:unsignedShort"), of("i", "xs:int")]
            .concat();
    let element = format!(
        "<xs:element name=\"Order\"><xs:complexType><xs:sequence>{elements}</xs:sequence></xs:complexType></xs:element>"
    );
    let interface = interface_of(&wsdl_of(&element, &types.concat()), CharVarying::Collapse);
    for (content, cause) in [
        ("<b>?</b>", Some(Cause::NotBase64)),
        ("<h>012</h>", Some(Cause::OddHexDigits)),
        ("<h>0x</h>", None),
        ("<d>1.25</d>", Some(Cause::DecimalPlaces)),
        ("<n>-1</n>", Some(Cause::Negative)),
        ("<n>99999</n>", None),
        ("<i>1.5</i>", Some(Cause::NotInteger)),
        ("<i>one</i>", None),
    ] {
        let content = message(content).replace(" lang=\"en\"", "");
        assert_eq!(channel_of(&interface, &content).expect_err(&content).cause, cause, "{content}");
    }
    let channel =
        channel_of(&interface, &message("<d>1.5</d>").replace(" lang=\"en\"", "")).expect("a channel");
    let mut record = channel.containers()[0].content.bytes().to_vec();
    let packed = record.iter().position(|byte| *byte == 0x01).expect("the number");
    let digits =
        record[packed..].windows(2).position(|two| two == [0x01, 0x5C]).expect("the number") + packed;
    record[digits] = 0xAB;
    let error = interface.record_to_element(&record, &mut Vec::new()).expect_err("no number");
    assert_eq!(
        (error.cause, error.record.map(|place| place.container)),
        (Some(Cause::NotPacked), Some(String::new()))
    );
}

#[test]
fn white_space_counts_in_strings_alone() {
    let listed = |base: &str| {
        format!(
            "<xs:simpleType><xs:restriction base=\"xs:{base}\"><xs:enumeration value=\"A b\"/><xs:enumeration value=\"C\"/>\
             </xs:restriction></xs:simpleType>"
        )
    };
    let collapsing = "<xs:simpleType><xs:restriction base=\"xs:string\"><xs:whiteSpace value=\"collapse\"/><xs:maxLength value=\"3\"/>\
                      </xs:restriction></xs:simpleType>";
    let replacing = "<xs:simpleType><xs:restriction base=\"xs:string\"><xs:whiteSpace value=\"replace\"/><xs:enumeration value=\"a b\"/>\
                     </xs:restriction></xs:simpleType>";
    let code = "<xs:simpleType name=\"Code\"><xs:restriction base=\"xs:NMTOKEN\"><xs:enumeration value=\"c\"/></xs:restriction></xs:simpleType>";
    let union = |members: &str| {
        format!(
            "<xs:simpleType><xs:union memberTypes=\"{members}\"><xs:simpleType><xs:restriction base=\"xs:date\"/></xs:simpleType></xs:union>\
             </xs:simpleType>"
        )
    };
    let of = |name: &str, kind: &str| match kind.starts_with('<') {
        true => format!("<xs:element name=\"{name}\" minOccurs=\"0\">{kind}</xs:element>"),
        false => format!("<xs:element name=\"{name}\" minOccurs=\"0\" type=\"xs:{kind}\"/>"),
    };
    let elements = [
        ("string", "string".to_owned()),
        ("token", "token".to_owned()),
        ("date", "date".to_owned()),
        ("list", "NMTOKENS".to_owned()),
        ("year", "gYear".to_owned()),
        ("one", listed("token")),
        ("exact", listed("string")),
        ("short", collapsing.to_owned()),
        ("line", "normalizedString".to_owned()),
        ("lines", replacing.to_owned()),
        ("either", union("t:Code xs:int xs:token")),
        ("other", union("t:Code xs:string")),
    ];
    let elements: String = elements.iter().map(|(name, kind)| of(name, kind)).collect();
    let element = format!(
        "<xs:element name=\"Order\"><xs:complexType><xs:sequence>{elements}</xs:sequence></xs:complexType></xs:element>"
    );
    let interface = interface_of(&wsdl_of(&element, code), CharVarying::Yes);
    for (name, given, expected) in [
        ("line", "\n a\t\tb ", Some("  a  b ")),
        ("lines", "a\nb", Some("a b")),
        ("lines", " a b", None),
        ("either", "\n  c  ", Some("c")),
        ("other", "\n  c  ", Some("\n  c  ")),
        ("string", "\n a  b ", Some("\n a  b ")),
        ("token", "\n a  b ", Some("a b")),
        ("date", "\n  2026-01-31\t", Some("2026-01-31")),
        ("list", "a\n   b", Some("a b")),
        ("year", " 2026 ", Some("2026")),
        ("one", "\n  A\n  b ", Some("A b")),
        ("one", "A", None),
        ("exact", "A b", Some("A b")),
        ("exact", " A b", None),
        ("short", "  a   b  ", Some("a b")),
        ("short", "abcd", None),
    ] {
        let content = message(&format!("<{name}>{given}</{name}>")).replace(" lang=\"en\"", "");
        let channel = channel_of(&interface, &content);
        let Some(expected) = expected else {
            channel.expect_err(given);
            continue;
        };
        let out = written(&interface, &channel.unwrap_or_else(|error| panic!("{name} {given}: {error}")));
        assert!(out.contains(&format!("<ns1:{name}>{expected}</ns1:{name}>")), "{given}: {out}");
    }
}

const TYPED: &str = "<xs:element name=\"Order\"><xs:complexType><xs:sequence>\
     <xs:element name=\"d\" type=\"xs:date\" minOccurs=\"0\"/><xs:element name=\"y\" type=\"xs:gYear\" minOccurs=\"0\"/>\
     <xs:element name=\"l\" type=\"xs:language\" minOccurs=\"0\"/><xs:element name=\"u\" type=\"xs:anyURI\" minOccurs=\"0\"/>\
     <xs:element name=\"i\" type=\"xs:ID\" minOccurs=\"0\"/><xs:element name=\"f\" type=\"xs:float\" minOccurs=\"0\"/></xs:sequence>\
     <xs:attribute name=\"lang\" type=\"xs:string\"/></xs:complexType></xs:element>";

#[test]
fn a_value_must_be_one_of_its_type_and_a_program_may_have_none() {
    let wsdl = wsdl_of(TYPED, "");
    let interface = interface_of(&wsdl, CharVarying::Collapse);
    for content in
        ["<d>2026-01-31</d><y>2026</y><l>en-GB</l><u>a b?</u><i>a1</i><f>1.5</f>", "<d/><y/><l> </l><i/>"]
    {
        let channel = channel_of(&interface, &message(content)).unwrap_or_else(|error| panic!("{error}"));
        let back = written(&interface, &channel);
        let plain = content.replace("<d/>", "<d></d>").replace("<y/>", "<y></y>").replace("<i/>", "<i></i>");
        let expected = plain
            .replace("</", "</ns1:")
            .replace("<l> ", "<l>")
            .replace('<', "<ns1:")
            .replace("<ns1:/ns1:", "</ns1:");
        assert!(back.contains(&expected), "{back}\n{expected}");
    }
    for (content, says) in [
        (
            "<d>\nnot a date</d>",
            "d: expected a value of the type date, such as 2026-01-31, found 'not a date' (line 1, column",
        ),
        ("<y>26</y>", "y: expected a value of the type gYear, such as 2026, found '26'"),
        ("<l>en_GB</l>", "l: expected a value of the type language, such as en, found 'en_GB'"),
        ("<i>1a</i>", "i: expected a value of the type NCName, such as a, found '1a'"),
        ("<f>INF</f>", "f: expected a finite number, found INF, which COBOL does not have"),
        ("<f>NaN</f>", "f: expected a finite number, found NaN, which COBOL does not have"),
    ] {
        let error = channel_of(&interface, &message(content)).expect_err(content);
        assert!(error.to_string().starts_with(says), "{content}: {error}");
    }
    let json =
        |text: &str| interface.to_channel(text.as_bytes()).map(drop).map_err(|error| error.to_string());
    assert_eq!(json(r#"{"d":"2026-01-31","l":""}"#), Ok(()));
    let refused = json(r#"{"d":"2026-02-30"}"#).expect_err("no date");
    assert!(refused.starts_with("d: expected a value of the type date"), "{refused}");
    // Bind files of before the key `check_types` take any text.
    let lenient = interface_with(&wsdl, CharVarying::Collapse, false);
    let channel =
        channel_of(&lenient, &message("<d> not a date </d>")).unwrap_or_else(|error| panic!("{error}"));
    assert!(written(&lenient, &channel).contains("<ns1:d>not a date</ns1:d>"));
    // Content of a program is sent unchanged.
    assert!(written(&interface, &channel).contains("<ns1:d>not a date</ns1:d>"));
}

#[test]
fn a_point_in_time_that_is_too_long_for_its_field_is_the_same_instant_in_utc() {
    let element = "<xs:element name=\"Order\"><xs:complexType><xs:sequence><xs:element name=\"at\" type=\"xs:dateTime\"/>\
                   </xs:sequence></xs:complexType></xs:element>";
    let interface = interface_of(&wsdl_of(element, ""), CharVarying::Collapse);
    let of =
        |at: &str| channel_of(&interface, &message(&format!("<at>{at}</at>")).replace(" lang=\"en\"", ""));
    for (given, expected) in [
        // As .NET writes it.
        ("2026-01-31T12:00:00.1234567+01:00", "2026-01-31T11:00:00.1234567Z"),
        // What fits stays as it is.
        ("2026-01-31T12:00:00.000000+01:00", "2026-01-31T12:00:00.000000+01:00"),
    ] {
        let out = written(&interface, &of(given).unwrap_or_else(|error| panic!("{given}: {error}")));
        assert!(out.contains(&format!("<ns1:at>{expected}</ns1:at>")), "{out}");
    }
    for (given, kind) in [
        ("2026-01-31T12:00:00.123456789012345+01:00", channel::ErrorKind::Length),
        ("2026-02-30T12:00:00.1234567+01:00", channel::ErrorKind::WrongType),
    ] {
        assert_eq!(of(given).expect_err("it does not fit").kind, kind, "{given}");
    }
}

#[test]
fn the_json_schema_tells_how_many_octets_fill_a_field() {
    let of = |base: &str, limit: &str| {
        format!("<xs:simpleType><xs:restriction base=\"xs:{base}\">{limit}</xs:restriction></xs:simpleType>")
    };
    let limit = |words: &str| format!("<xs:{words}/>");
    let parts = [
        ("a", of("base64Binary", &limit("length value=\"10\""))),
        ("b", of("hexBinary", &limit("maxLength value=\"4\""))),
        ("c", of("base64Binary", "")),
    ];
    let parts: String =
        parts.iter().map(|(name, of)| format!("<xs:element name=\"{name}\">{of}</xs:element>")).collect();
    let element = format!(
        "<xs:element name=\"Order\"><xs:complexType><xs:sequence>{parts}</xs:sequence></xs:complexType></xs:element>"
    );
    for (varying, example) in [(CharVarying::Collapse, true), (CharVarying::Yes, false)] {
        let interface = interface_of(&wsdl_of(&element, ""), varying);
        let schema: serde_json::Value = serde_json::from_str(&interface.json_schema()).expect("JSON");
        let of = |name: &str, word: &str| schema["properties"][name].get(word).cloned();
        assert_eq!((of("a", "maxLength"), of("b", "maxLength")), (Some(16.into()), Some(8.into())));
        assert_eq!(of("a", "minLength"), example.then(|| 16.into()), "{schema}");
        assert_eq!((of("c", "minLength"), of("c", "maxLength")), (None, None), "{schema}");
        let Some(a) = of("a", "example") else {
            assert!(!example);
            continue;
        };
        let json = serde_json::json!({"a": a, "b": of("b", "example"), "c": "AAAA"});
        interface.to_channel(json.to_string().as_bytes()).expect("the examples fit");
    }
}

#[test]
fn the_element_of_the_body_may_be_any_xml() {
    for element in ["<xs:element name=\"Order\"/>", "<xs:element name=\"Order\" type=\"xs:anyType\"/>"] {
        let interface = interface_of(&wsdl_of(element, ""), CharVarying::Collapse);
        for (message, expected) in [
            ("<Order xmlns=\"urn:t\">text</Order>", ">text</ns1:Order>"),
            (
                "<o:Order xmlns:o=\"urn:t\">a<b>c</b> d</o:Order>",
                ">a<b xmlns:o=\"urn:t\">c</b> d</ns1:Order>",
            ),
            ("<Order xmlns=\"urn:t\"/>", "></ns1:Order>"),
        ] {
            let channel =
                channel_of(&interface, message).unwrap_or_else(|error| panic!("{message}: {error}"));
            let out = written(&interface, &channel);
            assert_eq!(out, format!("<ns1:Order xmlns:ns1=\"urn:t\"{expected}"));
            let mut json = Vec::new();
            interface.to_json(&channel, &mut json).expect("JSON");
            assert_eq!(written(&interface, &interface.to_channel(&json).expect("its own JSON")), out);
        }
    }
}

#[test]
fn the_element_of_the_body_may_have_an_abstract_type() {
    let types = "<xs:complexType name=\"Animal\" abstract=\"true\"><xs:sequence><xs:element name=\"name\" type=\"xs:string\"/>\
        </xs:sequence></xs:complexType><xs:complexType name=\"Cat\"><xs:complexContent><xs:extension base=\"t:Animal\"><xs:sequence>\
        <xs:element name=\"lives\" type=\"xs:int\"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>\
        <xs:complexType name=\"Dog\"><xs:complexContent><xs:extension base=\"t:Animal\"/></xs:complexContent></xs:complexType>";
    let element = "<xs:element name=\"Order\" type=\"t:Animal\"/>";
    let interface = interface_of(&wsdl_of(element, types), CharVarying::Collapse);
    let of_type = |name: &str, content: &str| {
        message(content).replace(" lang=\"en\"", &format!(" xsi:type=\"t:{name}\""))
    };
    for (name, content, expected) in [
        ("Cat", "<name>Tom</name><lives>9</lives>", "<ns1:name>Tom</ns1:name><ns1:lives>9</ns1:lives>"),
        ("Dog", "<name>Rex</name>", "<ns1:name>Rex</ns1:name>"),
    ] {
        let channel =
            channel_of(&interface, &of_type(name, content)).unwrap_or_else(|error| panic!("{error}"));
        let out = written(&interface, &channel);
        assert!(out.ends_with(&format!(" xsi:type=\"ns1:{name}\">{expected}</ns1:Order>")), "{out}");
        let mut json = Vec::new();
        interface.to_json(&channel, &mut json).expect("JSON");
        assert_eq!(written(&interface, &interface.to_channel(&json).expect("its own JSON")), out);
    }
    let untyped = channel_of(&interface, &message("<name>Tom</name>").replace(" lang=\"en\"", ""));
    assert!(untyped.expect_err("no type").message.contains("expected xsi:type with one of Cat, Dog"));
}

#[test]
fn the_json_of_a_message_is_the_same_containers() {
    let interface = interface(CharVarying::Yes);
    for (content, expected) in MESSAGES.iter().filter(|(_, expected)| !expected.is_empty()) {
        let channel = channel_of(&interface, &message(content)).expect("a message");
        let mut json = Vec::new();
        interface.to_json(&channel, &mut json).unwrap_or_else(|error| panic!("{content}: {error}"));
        let again = interface.to_channel(&json).unwrap_or_else(|error| {
            panic!("{error}: {}", String::from_utf8_lossy(&json));
        });
        assert!(written(&interface, &again).contains(expected), "{}", String::from_utf8_lossy(&json));
        let schema: serde_json::Value = serde_json::from_str(&interface.json_schema()).expect("JSON");
        assert_eq!(schema["properties"]["line"]["items"]["required"][0], "@no", "{schema}");
    }
}

#[test]
fn what_the_schema_does_not_have_is_refused_with_its_place() {
    let interface = interface(CharVarying::Collapse);
    for (content, expected) in [
        ("<id>x</id>", "id: expected"),
        ("<id>1</id><circle>c</circle>", "expected one of card, cash, iban, found circle"),
        ("<id>1</id><card>c</card>", "expected one of circle, square, found the end"),
        ("<id>1</id><bic>b</bic>", "found bic"),
        ("<id>1</id><line><item>i</item></line>", "line[0].@no: expected the attribute, found none"),
        ("<id>1</id><line no=\"1\" x=\"1\"/>", "unknown attribute x"),
        ("<id>1</id><card>c</card><key>k</key>", "value: expected this element"),
        ("<id>1</id><card>c</card><animal><name>n</name></animal>", "expected xsi:type with one of"),
        ("<id>1</id><card>c</card><animal xsi:type=\"t:Animal\"><name>n</name></animal>", "found t:Animal"),
        ("<id>1</id><card>0123456789012</card>", "at most 12 characters"),
        (
            "<id>1</id><card>c</card><circle>c</circle><note>n</note>",
            "note: this element of the namespace urn:t is unknown",
        ),
        ("<id>1</id><card>c</card><circle>c</circle><x:note xmlns:x=\"urn:x\">n</x:note>", ""),
        ("<id>1</id>text", "expected elements"),
    ] {
        match channel_of(&interface, &message(content)) {
            // Of any element the schema says nothing.
            Ok(_) => assert!(expected.is_empty(), "{content}"),
            Err(error) => {
                let told = error.to_string();
                assert!(!expected.is_empty() && told.contains(expected), "{content}: {told}");
                assert!(error.position.is_some(), "{content}: {told}");
            }
        }
    }
}

#[test]
fn a_choice_is_empty_where_one_of_its_members_may_be() {
    let choice = "<xs:choice><xs:element name=\"card\" type=\"t:Word\"/>";
    let rest = "<id>7</id><circle>c</circle>";
    for (optional, emptied) in [
        // Each member may be missing, or one of them, or all in a group.
        (WSDL.replace(choice, "<xs:choice><xs:element name=\"card\" minOccurs=\"0\" type=\"t:Word\"/>"), true),
        (WSDL.replace("name=\"iban\"", "name=\"iban\" minOccurs=\"0\""), true),
        (WSDL.replace(choice, "<xs:choice><xs:choice minOccurs=\"0\"><xs:element name=\"x\" type=\"t:Word\"/></xs:choice><xs:element name=\"card\" type=\"t:Word\"/>"), true),
        (WSDL.replace(choice, "<xs:choice maxOccurs=\"2\"><xs:element name=\"card\" minOccurs=\"0\" type=\"t:Word\"/>"), true),
        // A member of a group must be there.
        (WSDL.replace("name=\"cash\"", "name=\"cash\" nillable=\"true\""), false),
        (WSDL.replace("<xs:choice><xs:element name=\"card\"", "<xs:choice maxOccurs=\"2\"><xs:element name=\"card\""), false),
    ] {
        assert_ne!(optional, WSDL);
        let interface = interface_of(&optional, CharVarying::Collapse);
        let channel = channel_of(&interface, &message(rest));
        assert_eq!(channel.is_ok(), emptied, "{optional}: {channel:?}");
        if let Ok(channel) = channel {
            let out = written(&interface, &channel);
            assert!(out.contains("<ns1:id>7</ns1:id><ns1:circle>c</ns1:circle>"), "{out}");
            let mut json = Vec::new();
            interface.to_json(&channel, &mut json).expect("JSON");
            let again = interface.to_channel(&json).expect("its own JSON");
            assert_eq!(written(&interface, &again), out);
        }
    }
}

#[test]
fn what_a_program_leaves_is_not_believed() {
    let interface = interface(CharVarying::Collapse);
    let good = channel_of(&interface, &message(MESSAGES[2].0)).expect("a message");
    let record = good.get("DFHWS-DATA").expect("the record").content.bytes().to_vec();
    for at in 0..record.len() {
        for byte in [0x00, 0xFF, 0x40] {
            let mut bytes = record.clone();
            bytes[at] = byte;
            let mut channel = good.clone();
            channel.put(service::Container {
                name: "DFHWS-DATA".to_owned(),
                content: service::Content::Bit(bytes),
            });
            let mut out = b"before".to_vec();
            match interface.to_element(&channel, &mut out) {
                Ok(()) => {
                    let text = String::from_utf8(out.split_off(6)).expect("UTF-8");
                    let mut cursor = Cursor::new(&text, xml::Encoding::Utf8).expect("characters");
                    cursor
                        .root()
                        .and_then(|_| cursor.skip())
                        .and_then(|()| cursor.end())
                        .expect("well-formed");
                }
                Err(_) => assert_eq!(out, b"before"),
            }
        }
    }
}

/// An order whose elements come in any order, with a choice of containers beside them.
const ANY_ORDER: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
  <types><x:schema targetNamespace="urn:t" elementFormDefault="qualified"><x:element name="Order"><x:complexType><x:all>
    <x:element name="id" type="x:int"/><x:element name="note" type="x:string" minOccurs="0"/>
    <x:element name="pay"><x:complexType><x:choice><x:element name="card" type="x:string"/><x:element name="cash" type="x:boolean"/>
    </x:choice></x:complexType></x:element></x:all></x:complexType></x:element></x:schema></types>
  <message name="I"><part name="p" element="t:Order"/></message>
  <portType name="P"><operation name="Order"><input message="t:I"/></operation></portType>
  <binding name="B" type="t:P"><s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Order"><s:operation soapAction=""/><input><s:body use="literal"/></input></operation></binding>
  <service name="S"><port name="O" binding="t:B"><s:address location="http://h/p"/></port></service></definitions>"#;

#[test]
fn elements_of_all_come_in_any_order() {
    let interface = interface_of(ANY_ORDER, CharVarying::No);
    let order = |inner: &str| format!("<Order xmlns=\"urn:t\">{inner}</Order>");
    let parts = ["<id>7</id>", "<note>n</note>", "<pay><card>4711</card></pay>"];
    let expected = written(&interface, &channel_of(&interface, &order(&parts.concat())).expect("a message"));
    for [a, b, c] in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let text = order(&[parts[a], parts[b], parts[c]].concat());
        let channel = channel_of(&interface, &text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(written(&interface, &channel), expected, "{text}");
    }
    let without = order("<pay><cash>1</cash></pay><id>7</id>");
    assert!(channel_of(&interface, &without).is_ok(), "the note may be missing");
    for (inner, kind, message) in [
        (
            "<id>1</id><id>1</id>",
            channel::ErrorKind::DuplicateMember,
            "id: this element occurs twice in its group",
        ),
        (
            "<pay><cash>1</cash></pay>",
            channel::ErrorKind::MissingMember,
            "id: expected this element, found the end of",
        ),
        (
            "<note>n</note><id>1</id>",
            channel::ErrorKind::MissingMember,
            "pay: expected this element, found the end of",
        ),
        (
            "<pay><cash>1</cash></pay><id>1</id><other/>",
            channel::ErrorKind::UnknownMember,
            "other: this element of the namespace urn:t is unknown",
        ),
    ] {
        let error = channel_of(&interface, &order(inner)).expect_err(inner);
        assert_eq!(error.kind, kind, "{inner}: {error}");
        assert!(error.to_string().starts_with(message), "{inner}: {error}");
    }
}

/// Elements and attributes with values of the schema. Some types do not allow their values.
const VALUES: &str = r#"<x:element name="Order"><x:complexType><x:sequence>
    <x:element name="version" type="x:string" fixed="2.0"/><x:element name="country" type="t:Country" default="DE"/>
    <x:element name="count" type="x:int" default=" +3 "/><x:element name="price" type="x:decimal" default="1.50"/>
    <x:element name="paid" type="x:boolean" default="0"/><x:element name="day" type="x:date" default="2026-01-31"/>
    <x:element name="rows" type="x:int" default="7" maxOccurs="2"/><x:element name="noDay" type="x:date" default="today"/>
    <x:element name="noCountry" type="t:Country" default="XX"/><x:element name="noCount" type="x:unsignedByte" default="300"/>
    </x:sequence><x:attribute name="channel" type="x:token" default="web"/></x:complexType></x:element>
    <x:simpleType name="Country"><x:restriction base="x:string"><x:enumeration value="AT"/><x:enumeration value="DE"/></x:restriction></x:simpleType>"#;

#[test]
fn values_of_the_schema_are_examples_if_they_fit_their_types() {
    let (before, rest) = ANY_ORDER.split_once("<x:element name=\"Order\">").expect("an element");
    let (_, after) = rest.split_once("</x:schema>").expect("a schema");
    let interface = interface_of(&format!("{before}{VALUES}</x:schema>{after}"), CharVarying::No);
    let schema: serde_json::Value = serde_json::from_str(&interface.json_schema()).expect("JSON");
    let example = |name: &str| {
        let member = &schema["properties"][name];
        member.get("example").or_else(|| member["items"].get("example")).cloned().unwrap_or_default()
    };
    assert_eq!(schema["properties"]["version"]["enum"], serde_json::json!(["2.0"]));
    for (name, expected) in [
        ("@channel", serde_json::json!("web")),
        ("country", "DE".into()),
        ("count", 3.into()),
        ("paid", false.into()),
        ("day", "2026-01-31".into()),
        ("rows", 7.into()),
        ("noDay", "2026-01-31".into()),
        ("noCountry", serde_json::Value::Null),
        ("noCount", serde_json::Value::Null),
    ] {
        assert_eq!(example(name), expected, "{name}: {schema}");
    }
    assert!(interface.json_schema().contains("\"example\":1.5"), "{schema}");
}

#[test]
fn the_declarations_of_any_xml_count_among_the_bytes_of_containers() {
    let any = "<xs:element name=\"Order\"><xs:complexType><xs:sequence><xs:element name=\"row\" maxOccurs=\"unbounded\">\
        <xs:complexType><xs:sequence><xs:any/></xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>";
    let interface = interface_of(&wsdl_of(any, ""), CharVarying::Collapse);
    let namespace = "x".repeat(xml::XML_NAMESPACE_BYTES_MAX - 100);
    let rows = |count: usize| {
        let row = "<row><a/></row>".repeat(count);
        format!("<Order xmlns=\"urn:t\" xmlns:b=\"{namespace}\">{row}</Order>")
    };
    channel_of(&interface, &rows(3)).expect("containers");
    let most = channel::CHANNEL_BYTES_MAX / namespace.len();
    let error = channel_of(&interface, &rows(most + 1)).expect_err("few bytes that become many");
    assert_eq!(error.kind, channel::ErrorKind::TooLarge, "{error}");
}

/// More elements than a table has rows begin the next row of the group around it.
#[test]
fn a_full_table_leaves_further_elements_to_the_next_group() {
    let of = |content: &str| {
        let element =
            format!("<xs:element name=\"Order\"><xs:complexType>{content}</xs:complexType></xs:element>");
        interface_of(&wsdl_of(&element, ""), CharVarying::Collapse)
    };
    let text = |inner: &str| format!("<Order xmlns=\"urn:t\">{inner}</Order>");
    let (a, b) = ("<a>1</a>", "<b>2</b>");
    let rows = "<xs:sequence maxOccurs=\"3\"><xs:element name=\"a\" type=\"xs:int\" maxOccurs=\"2\"/>\
        <xs:element name=\"b\" type=\"xs:int\" minOccurs=\"0\"/></xs:sequence>";
    let choice = "<xs:choice maxOccurs=\"3\"><xs:element name=\"a\" type=\"xs:int\" maxOccurs=\"2\"/><xs:element name=\"b\" type=\"xs:int\"/></xs:choice>";
    for content in [rows, choice] {
        let interface = of(content);
        for inner in [a.repeat(5), [a, a, a, b].concat(), a.repeat(6)] {
            let channel =
                channel_of(&interface, &text(&inner)).unwrap_or_else(|error| panic!("{inner}: {error}"));
            let out = written(&interface, &channel).replace("ns1:", "");
            assert!(out.ends_with(&format!(">{inner}</Order>")), "{out}");
        }
        let error = channel_of(&interface, &text(&a.repeat(7))).expect_err("seven for six");
        assert_eq!(error.kind, channel::ErrorKind::RowCount, "{error}");
        assert_eq!(error.message, "expected at most 3 elements, found more");
    }
    let behind = "<xs:sequence><xs:element name=\"a\" type=\"xs:int\" maxOccurs=\"2\"/><xs:element name=\"b\" type=\"xs:int\"/></xs:sequence>";
    let error = channel_of(&of(behind), &text(&a.repeat(3))).expect_err("three for two");
    assert_eq!(error.message, "expected this element, found a more often than it may occur");
}

/// A group whose elements may all be missing has no rows if none of them is there.
#[test]
fn a_group_that_may_be_empty_needs_no_row() {
    let element = "<xs:element name=\"Order\"><xs:complexType><xs:sequence><xs:sequence maxOccurs=\"3\">\
        <xs:element name=\"a\" type=\"xs:int\" minOccurs=\"0\"/><xs:element name=\"b\" type=\"xs:int\" minOccurs=\"0\"/></xs:sequence>\
        <xs:element name=\"c\" type=\"xs:int\"/></xs:sequence></xs:complexType></xs:element>";
    let interface = interface_of(&wsdl_of(element, ""), CharVarying::Collapse);
    for inner in ["<c>1</c>", "<b>1</b><a>2</a><c>3</c>"] {
        let channel = channel_of(&interface, &format!("<Order xmlns=\"urn:t\">{inner}</Order>"));
        let out = written(&interface, &channel.unwrap_or_else(|error| panic!("{inner}: {error}")))
            .replace("ns1:", "");
        assert!(out.ends_with(&format!(">{inner}</Order>")), "{out}");
    }
}
