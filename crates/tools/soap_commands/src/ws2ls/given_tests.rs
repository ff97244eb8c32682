//! `fixed`, and attributes that wildcards allow (`xsd:anyAttribute`), on their way from a WSDL to a bind file, its bind and its
//! messages.

use record::{Bind, ErrorKind};

use super::any_order_tests::wsdl;
use super::tests::{bind, made, through, told};

const FIXED: &str = r#"<x:complexType name="Order"><x:sequence><x:element name="a" type="x:string" fixed="web"/>
    <x:element name="n" type="x:decimal" fixed="1.50"/><x:element name="sum" fixed="9"><x:complexType><x:simpleContent>
    <x:extension base="x:int"><x:attribute name="cur" type="x:token" fixed="EUR"/></x:extension></x:simpleContent></x:complexType>
    </x:element><x:element name="row" type="x:boolean" fixed="true" minOccurs="0" maxOccurs="2"/></x:sequence>
    <x:attribute name="day" type="x:date" fixed="2026-01-31"/><x:attribute name="at" type="x:time" fixed="12:00:00Z"/>
    <x:attribute name="kind" type="x:int" use="required" fixed="7"/></x:complexType>"#;

const FIXED_ORDER: &str = "<Order xmlns=\"urn:t\" day=\"2026-01-31\" kind=\"7\"><a>web</a><n>1.5</n><sum cur=\"EUR\">9</sum><row>true</row></Order>";

fn bind_at(types: &str, level: &str, container: bool) -> Bind {
    let interface = if container { "CHANNEL\nCONTID=DATA" } else { "COMMAREA" };
    let parameters = format!("PGMNAME=ORDERS\nPGMINT={interface}\nMAPPING-LEVEL={level}\n");
    let made = made(&parameters, &wsdl(types), true).unwrap_or_else(|found| panic!("{}", told(&found)));
    bind(made.file.as_ref().unwrap_or_else(|| panic!("{}", told(&made.warnings))))
}

#[test]
fn records_take_no_other_value_than_the_fixed_one() {
    let bind = bind_at(FIXED, "4.3", false);
    let whole = through(&bind, FIXED_ORDER);
    for (given, same) in [
        ("1.5<", " +01.500 <"),
        ("<n>1.5</n>", "<n/>"),
        ("kind=\"7\"", "kind=\" 007\""),
        ("day=\"2026-01-31\" ", ""),
        (" day=", " at=\" 13:00:00.0+01:00 \" day="),
        ("cur=\"EUR\"", "cur=\" EUR \""),
        ("<row>true</row>", "<row>1</row>"),
        ("<row>true</row>", "<row/>"),
    ] {
        assert_eq!(through(&bind, &FIXED_ORDER.replace(given, same)), whole, "{same}");
    }
    for (given, wrong, message) in [
        (
            "web",
            "Web",
            "a: expected 'web', the only value that the schema allows, found another (line 1, column",
        ),
        ("1.5<", "1.51<", "n: expected '1.50', the only"),
        (">9<", ">8<", "sum.sum: expected '9', the only"),
        ("EUR", "USD", "sum.cur: expected 'EUR', the only"),
        ("<row>true</row>", "<row>1</row><row>0</row>", "row[1]: expected 'true', the only"),
        ("-31\"", "-30\"", "day: expected '2026-01-31', the only"),
        ("-31\"", "-31Z\"", "day: expected '2026-01-31', the only"),
        (" day=", " at=\"12:00:00\" day=", "at: expected '12:00:00Z', the only"),
        ("kind=\"7\"", "kind=\"8\"", "kind: expected '7', the only"),
    ] {
        let error =
            bind.encode_xml(FIXED_ORDER.replace(given, wrong).as_bytes(), &mut Vec::new()).expect_err(wrong);
        assert_eq!(error.kind, ErrorKind::NotListed, "{error}");
        assert!(error.to_string().starts_with(message), "{error}");
    }
    // The program's value is written as it is.
    let text = through(&bind, FIXED_ORDER).1;
    let mut record = whole.0.clone();
    let page = codepage::CodePage::by_ccsid(37).expect("CCSID 37");
    let bytes = |text: &str| {
        let mut out = Vec::new();
        page.encode(text, &mut out).expect("characters of CCSID 37");
        out
    };
    let at = record.windows(3).position(|found| *found == *bytes("web")).expect("the text");
    record[at..at + 3].copy_from_slice(&bytes("abc"));
    let mut out = Vec::new();
    bind.decode_xml(&record, &mut out).expect("XML");
    assert_eq!(String::from_utf8(out).expect("UTF-8"), text.replace("web", "abc"));
}

const WILD: &str = r###"<x:complexType name="Order"><x:sequence><x:element name="a"><x:complexType><x:simpleContent>
    <x:extension base="x:string"><x:anyAttribute namespace="##other" processContents="lax"/></x:extension></x:simpleContent></x:complexType>
    </x:element><x:element name="g"><x:complexType><x:sequence><x:element name="b" type="x:int"/></x:sequence>
    <x:attribute name="c" type="x:string"/><x:anyAttribute namespace="##local"/></x:complexType></x:element>
    <x:element name="row" minOccurs="0" maxOccurs="2" nillable="true"><x:complexType><x:sequence><x:element name="d" type="x:int"/>
    </x:sequence><x:anyAttribute namespace="urn:x"/></x:complexType></x:element><x:element name="empty" minOccurs="0"><x:complexType>
    <x:anyAttribute/></x:complexType></x:element><x:element name="plain" type="x:string" minOccurs="0"/></x:sequence>
    <x:anyAttribute/></x:complexType>"###;

const PLAIN: &str = "<Order xmlns=\"urn:t\"><a>x</a><g><b>1</b></g><row><d>2</d></row><empty/></Order>";

#[test]
fn records_skip_attributes_that_a_wildcard_allows() {
    for level in ["1.0", "1.1", "2.2", "3.0", "4.3"] {
        let bind = bind_at(WILD, level, level == "2.2");
        let whole = through(&bind, PLAIN);
        let wild = PLAIN.replace("<Order ", "<Order xmlns:x=\"urn:x\" o=\"1\" x:o=\"2\" xml:lang=\"en\" ");
        for (given, same) in [
            ("<a>", "<a x:a=\"1\">"),
            ("<g>", "<g a=\"1\" e=\"2\">"),
            ("<row>", "<row x:a=\"1\">"),
            ("<empty/>", "<empty a=\"b\" x:c=\"d\"/>"),
        ] {
            assert_eq!(through(&bind, &wild.replace(given, same)), whole, "{level}: {same}");
        }
        for (given, wrong, name) in [
            ("<a>", "<a a=\"1\">", "a"),
            ("<g>", "<g x:a=\"1\">", "x:a"),
            ("<row>", "<row a=\"1\">", "a"),
            ("<b>", "<b x:a=\"1\">", "x:a"),
            ("</Order>", "<plain x:b=\"1\"/></Order>", "x:b"),
        ] {
            let error =
                bind.encode_xml(wild.replace(given, wrong).as_bytes(), &mut Vec::new()).expect_err(wrong);
            assert!(
                error.message.starts_with(&format!("unknown attribute {name}")),
                "{level}: {wrong}: {error}"
            );
        }
    }
}

#[test]
fn level_1_0_skips_attributes_of_the_schema() {
    let bind = bind_at(FIXED, "1.0", false);
    let plain = "<Order xmlns=\"urn:t\"><a/><n/><sum/></Order>";
    let given = "<Order xmlns=\"urn:t\" day=\"2026-01-31\" kind=\"k\"><a/><n/><sum cur=\"EUR\"/></Order>";
    assert_eq!(through(&bind, given), through(&bind, plain));
    let error =
        bind.encode_xml(given.replace("cur", "other").as_bytes(), &mut Vec::new()).expect_err("unknown");
    assert!(error.to_string().starts_with("sum: unknown attribute other"), "{error}");
}

/// An element that comes again in its group has no name that a bind could find. Then the WSDL lays the message out.
#[test]
fn an_element_may_come_again_behind_another_one() {
    let types = r#"<x:complexType name="Order"><x:sequence><x:element name="a" type="x:int"/><x:element name="b" type="x:int" minOccurs="0"/>
        <x:element name="a" type="x:int"/></x:sequence></x:complexType>"#;
    for pgmint in ["COMMAREA", "CHANNEL"] {
        let parameters = format!("PGMNAME=ORDERS\nPGMINT={pgmint}\nMAPPING-LEVEL=3.0\n");
        let made = made(&parameters, &wsdl(types), false).unwrap_or_else(|found| panic!("{}", told(&found)));
        let file = made.file.unwrap_or_else(|| panic!("{}", told(&made.warnings)));
        assert!(file.operation[0].by_wsdl);
        let messages =
            file.messages(&file.operation[0], 37).unwrap_or_else(|found| panic!("{}", told(&found)));
        for inner in ["<a>1</a><a>2</a>", "<a>1</a><b>3</b><a>2</a>"] {
            let text = format!("<Order xmlns=\"urn:t\">{inner}</Order>");
            let mut cursor = xml::Cursor::new(&text, xml::Encoding::Utf8).expect("XML");
            let open = cursor.root().expect("XML");
            let channel = messages.request.channel_of_element(&mut cursor, &open);
            let mut out = Vec::new();
            messages.request.to_element(&channel.expect("a message"), &mut out).expect("XML");
            let out = String::from_utf8(out).expect("UTF-8").replace("ns1:", "");
            assert!(out.ends_with(&format!(">{inner}</Order>")), "{out}");
        }
    }
}

/// Rules of layouts may change from version to version. A program that was compiled with other copybooks would read wrong bytes.
#[test]
fn a_bind_file_whose_copybooks_do_not_fit_its_wsdl_is_refused() {
    let types = r#"<x:complexType name="Order"><x:sequence><x:element name="a" type="x:int" maxOccurs="unbounded"/></x:sequence></x:complexType>"#;
    let parameters = "PGMNAME=ORDERS\nPGMINT=CHANNEL\nMAPPING-LEVEL=3.0\n";
    let made = made(parameters, &wsdl(types), false).unwrap_or_else(|found| panic!("{}", told(&found)));
    let mut file = made.file.unwrap_or_else(|| panic!("{}", told(&made.warnings)));
    assert!(file.operation[0].by_wsdl && file.parts(37).is_ok());
    let name = file.operation[0].request.copybook.clone();
    for (from, to) in [
        ("PIC S9(9)", "PIC S9(4)"),
        ("PIC X(16)", "PIC X(17)"),
        ("       01  ", "       01  MORE PIC X.\n       01  "),
    ] {
        let whole = file.copybooks[&name].clone();
        assert!(whole.contains(from), "{whole}");
        file.copybooks.insert(name.clone(), whole.replacen(from, to, 1));
        let found = told(&file.parts(37).expect_err(to));
        assert!(found.contains("operation 'Order': the WSDL gives other fields than"), "{found}");
        file.copybooks.insert(name.clone(), whole);
    }
}
