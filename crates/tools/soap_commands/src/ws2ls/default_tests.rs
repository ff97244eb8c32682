//! `default` and `fixed` on their way from a WSDL to a bind file, its bind and its messages.

use super::any_order_tests::wsdl;
use super::tests::{bind, made, through, told};

const TYPES: &str = r#"<x:complexType name="Order"><x:sequence><x:element name="a" type="x:string" default="web"/>
    <x:element name="n" type="x:int" fixed="3"/><x:element name="sum" default="1.5"><x:complexType><x:simpleContent>
    <x:extension base="x:decimal"><x:attribute name="cur" type="x:string" default="EUR"/></x:extension></x:simpleContent></x:complexType>
    </x:element></x:sequence><x:attribute name="day" type="x:date" default="2026-01-31"/>
    <x:attribute name="kind" type="x:string" use="required"/></x:complexType>"#;

/// The levels that map attributes.
const LEVELS: [&str; 10] = ["1.1", "1.2", "2.0", "2.1", "2.2", "3.0", "4.0", "4.1", "4.2", "4.3"];

const EMPTY: &str = "<Order xmlns=\"urn:t\" kind=\"k\"><a/><n/><sum/></Order>";

const FULL: &str = "<Order xmlns=\"urn:t\" day=\"2026-01-31\" kind=\"k\"><a>web</a><n>3</n><sum cur=\"EUR\">1.5</sum></Order>";

#[test]
fn records_have_the_values_of_the_schema_at_all_levels() {
    for level in LEVELS {
        let parameters = format!("PGMNAME=ORDERS\nPGMINT=COMMAREA\nMAPPING-LEVEL={level}\n");
        let made = made(&parameters, &wsdl(TYPES), true).unwrap_or_else(|found| panic!("{}", told(&found)));
        let bind = bind(made.file.as_ref().unwrap_or_else(|| panic!("{}", told(&made.warnings))));
        let (empty, full) = (through(&bind, EMPTY), through(&bind, FULL));
        assert_eq!(empty, full, "{level}");
        assert_eq!(empty.1, FULL, "{level}");
    }
}

#[test]
fn channels_have_the_values_of_the_schema_at_all_levels() {
    for level in LEVELS {
        let parameters = format!("PGMNAME=ORDERS\nPGMINT=COMMAREA\nMAPPING-LEVEL={level}\n");
        let made = made(&parameters, &wsdl(TYPES), false).unwrap_or_else(|found| panic!("{}", told(&found)));
        let file = made.file.unwrap_or_else(|| panic!("{}", told(&made.warnings)));
        assert!(file.operation[0].by_wsdl);
        let messages =
            file.messages(&file.operation[0], 37).unwrap_or_else(|found| panic!("{}", told(&found)));
        let record = |text: &str| {
            let mut cursor = xml::Cursor::new(text, xml::Encoding::Utf8).expect("XML");
            let open = cursor.root().expect("an element");
            let channel = messages.request.channel_of_element(&mut cursor, &open);
            let channel = channel.unwrap_or_else(|error| panic!("{level}: {text}: {error}"));
            channel.containers()[0].content.bytes().to_vec()
        };
        assert_eq!(record(EMPTY), record(FULL), "{level}");
    }
}

#[test]
fn level_1_0_has_no_attributes_but_defaults_of_elements() {
    let made = made("PGMNAME=ORDERS\nPGMINT=COMMAREA\n", &wsdl(TYPES), true)
        .unwrap_or_else(|found| panic!("{}", told(&found)));
    let bind = bind(made.file.as_ref().unwrap_or_else(|| panic!("{}", told(&made.warnings))));
    let text = "<Order xmlns=\"urn:t\"><a/><n/><sum/></Order>";
    assert_eq!(through(&bind, text).1, "<Order xmlns=\"urn:t\"><a>web</a><n>3</n><sum>1.5</sum></Order>");
}
