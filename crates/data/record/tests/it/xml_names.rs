//! Elements of several namespaces, attributes, and text beside attributes.

use proptest::prelude::*;
use record::ErrorKind::{DuplicateField, MissingField, OutOfRange, Syntax, UnknownField};
use record::{BadNumber, Nil, OmitEmpty, UnknownFields, XmlField, XmlForm};

use crate::{Case, Choices, bytes, hex, refuse};

fn named(name: Option<&str>, namespace: Option<&str>, form: XmlForm) -> Option<XmlField> {
    Some(XmlField {
        name: name.map(str::to_owned),
        namespace: namespace.map(str::to_owned),
        form,
        ..XmlField::default()
    })
}

const ORDER: &str = "01 R. 05 ID PIC 9(3). 05 LANG PIC X(2). 05 A PIC X. 05 B PIC X. 05 G. 10 UNIT PIC X(3). 10 V PIC 9V9. \
    05 ROW OCCURS 2. 10 K PIC 9. 10 A PIC X. 10 A2 PIC X.";

/// A record with all kinds of names.
fn order(choices: &mut Choices<'_>) {
    choices.options.xml.namespace = Some("urn:main".to_owned());
    choices.field("ID").xml = named(None, None, XmlForm::Attribute);
    choices.field("LANG").xml = named(None, Some("http://www.w3.org/XML/1998/namespace"), XmlForm::Attribute);
    choices.field("B").xml = named(Some("a"), Some("urn:other"), XmlForm::Element);
    choices.field("UNIT").xml = named(Some("unit"), Some("urn:main"), XmlForm::Attribute);
    choices.field("V").xml = named(None, None, XmlForm::Text);
    choices.field("K").xml = named(None, None, XmlForm::Attribute);
    choices.field("A2").xml = named(Some("a"), Some(""), XmlForm::Element);
}

const XML: &str = "<ns:r xmlns:ns=\"urn:main\" xmlns:ns1=\"urn:other\" id=\"7\" xml:lang=\"de\"><ns:a>x</ns:a>\
    <ns1:a>y</ns1:a><ns:g ns:unit=\"kg\">1.5</ns:g><ns:row k=\"1\"><ns:a>p</ns:a><a>q</a></ns:row>\
    <ns:row k=\"2\"><ns:a>r</ns:a><a>s</a></ns:row></ns:r>";

const RECORD: &str = "F0F0F7 8485 A7 A8 928740 F1F5 F1 97 98 F2 99 A2";

#[test]
fn elements_and_attributes_have_the_names_of_others() {
    let case = Case::with(ORDER, order);
    case.check_xml(XML, RECORD);
    // Any prefixes, declared anywhere; other attributes of the schema instance mean nothing.
    case.check_encode_xml(
        "<r xmlns='urn:main' id=' 7 ' xml:lang='de' xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='r'>\
         <a>x</a><a xmlns='urn:other'>y</a><g xmlns:z='urn:main' z:unit='kg'>1<!-- -->.5</g>\
         <row k='1'><a>p</a><a xmlns=''>q</a></row><row k='2'><a>r</a><a xmlns=''>s</a></row></r>",
        RECORD,
    );
    // JSON does not know of it.
    case.check(
        r#"{"id":7,"lang":"de","a":"x","b":"y","g":{"unit":"kg","v":1.5},"row":[{"k":1,"a":"p","a2":"q"},{"k":2,"a":"r","a2":"s"}]}"#,
        RECORD,
    );
    let judge = roxmltree::Document::parse(XML).expect("XML");
    assert_eq!(judge.root_element().attribute(("http://www.w3.org/XML/1998/namespace", "lang")), Some("de"));
}

#[test]
fn names_of_others_are_refused_with_their_place() {
    let case = Case::with(ORDER, order);
    let wrong = |from: &str, to: &str, kind, shown: &str| {
        assert!(XML.contains(from), "{from}");
        let error = case.encode_xml(XML.replacen(from, to, 1)).expect_err(to);
        assert_eq!((error.kind, error.to_string().split(" (line").next().unwrap_or_default()), (kind, shown));
    };
    wrong("id=\"7\"", "id=\"x\"", record::ErrorKind::WrongType, "id: expected an integer");
    wrong("id=\"7\"", "id=\"1000\"", OutOfRange, "id: the number is greater than the greatest allowed, 999");
    wrong("id=\"7\"", "ns:id=\"7\"", UnknownField, "unknown attribute ns:id");
    wrong("ns:unit", "unit", UnknownField, "g: unknown attribute unit");
    wrong("<ns1:a>y</ns1:a>", "<a>y</a>", UnknownField, "a: unknown element a without a namespace");
    wrong(
        "<a>q</a>",
        "<ns1:a>q</ns1:a>",
        UnknownField,
        "row[0].a: unknown element a of the namespace urn:other",
    );
    wrong(
        "1.5</ns:g>",
        "<ns:v>1.5</ns:v></ns:g>",
        record::ErrorKind::WrongType,
        "g.v: expected text, found the element v",
    );
    wrong("k=\"1\"", "k=\"1\" k=\"2\"", Syntax, "the attribute k occurs twice in one tag");
    wrong("<ns:a>x</ns:a>", "<ns:A>x</ns:A>", UnknownField, "A: unknown element; did you mean 'a'?");
    wrong("<ns:a>x</ns:a>", "<ns:a x='1'>x</ns:a>", UnknownField, "a: unknown attribute x");
    let lenient = Case::with(ORDER, |choices| {
        order(choices);
        choices.options.unknown_fields = UnknownFields::Ignore;
        choices.field("ID").required = true;
    });
    let other = XML.replace("k=\"1\"", "k=\"1\" x=\"2\"").replace("<ns1:a>y</ns1:a>", "<ns1:a>y</ns1:a><a/>");
    lenient.check_encode_xml(&other, RECORD);
    let error = lenient.encode_xml(XML.replace("id=\"7\"", "")).expect_err("an attribute is missing");
    assert_eq!((error.kind, error.path.as_str()), (MissingField, "id"));
}

#[test]
fn values_of_attributes_are_escaped_and_may_be_left_out() {
    let case = Case::with("01 R. 05 T PIC X(6). 05 N PIC 9. 05 A PIC X.", |choices| {
        choices.field("T").xml = named(None, None, XmlForm::Attribute);
        choices.field("N").xml = named(None, None, XmlForm::Attribute);
        choices.options.policies.bad_numbers = BadNumber::Null;
        choices.options.policies.blank_numbers = BadNumber::Null;
        choices.options.policies.omit_empty = OmitEmpty::Text;
    });
    let text = hex(&bytes("4C 50 7F 6E 25 C1"));
    let xsi = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    let shown = case.decode_xml(&format!("{text} F1 C1")).expect("text");
    assert!(shown.contains("t=\"&lt;&amp;&quot;>&#10;A\" n=\"1\"><a>A</a>"), "{shown}");
    assert_eq!(case.encode_xml(&shown), Ok(format!("{text}F1C1")));
    let shown = case.decode_xml("40 40 40 40 40 40 40 C1").expect("nothing but blanks");
    assert_eq!(shown.replace(&format!(" {xsi}"), ""), "<r><a>A</a></r>");
    let error = case.decode_xml("C1 01 C1 C1 C1 C1 F1 C1").expect_err("a control character");
    assert_eq!((error.path.as_str(), error.offset), ("t", Some(0)));
}

#[test]
fn an_outermost_element_may_have_text_alone_and_parts_declare_nothing() {
    let case = Case::with("01 R. 05 C PIC X(3). 05 V PIC 9(2).", |choices| {
        choices.field("C").xml = named(Some("cur"), None, XmlForm::Attribute);
        choices.field("V").xml = named(None, None, XmlForm::Text);
        choices.options.xml.namespace = Some("urn:m".to_owned());
        choices.options.xml.root = Some("price".to_owned());
    });
    case.check_xml("<price xmlns=\"urn:m\" cur=\"EUR\">42</price>", "C5E4D9 F4F2");
    let mut part = Vec::new();
    case.bind.decode_xml_part(&bytes("C5E4D9 F4F2"), &mut part).expect("a record");
    assert_eq!(String::from_utf8_lossy(&part), "<price cur=\"EUR\">42</price>");
    let only = Case::with("01 R. 05 C PIC X(3).", |choices| {
        choices.field("C").xml = named(None, None, XmlForm::Attribute);
    });
    only.check_xml("<r c=\"EUR\"></r>", "C5E4D9");
    only.check_encode_xml("<r c='EUR'/>", "C5E4D9");
}

#[test]
fn the_prefix_of_the_options_stays() {
    let case = Case::with("01 R. 05 A PIC X. 05 B PIC X.", |choices| {
        choices.options.xml.namespace = Some("urn:m".to_owned());
        choices.options.xml.prefix = Some("ns1".to_owned());
        choices.field("B").xml = named(None, Some("urn:o"), XmlForm::Element);
    });
    case.check_xml(
        "<ns1:r xmlns:ns1=\"urn:m\" xmlns:ns2=\"urn:o\"><ns1:a>x</ns1:a><ns2:b>y</ns2:b></ns1:r>",
        "A7 A8",
    );
}

#[test]
fn names_that_cannot_be_are_refused() {
    let wrong = |copybook: &str, choose: &dyn Fn(&mut Choices<'_>), shown: &str| {
        refuse(copybook, |choices| choose(choices), &[shown]);
    };
    let two = "01 R. 05 A PIC X. 05 B PIC X.";
    let attribute = || named(None, None, XmlForm::Attribute);
    wrong(
        two,
        &|choices| choices.field("B").xml = attribute(),
        "B: attributes must come before the elements and the text of their group",
    );
    wrong(
        two,
        &|choices| choices.field("B").xml = named(Some("a"), None, XmlForm::Element),
        "B: the name 'a' is given twice in one element",
    );
    wrong(
        two,
        &|choices| choices.field("B").xml = named(None, None, XmlForm::Text),
        "B: the text of an element must be its only content",
    );
    wrong(
        two,
        &|choices| choices.field("A").xml = named(None, None, XmlForm::Text),
        "B: an element with text cannot have elements",
    );
    wrong(
        two,
        &|choices| choices.field("A").xml = named(Some("1"), None, XmlForm::Element),
        "A: '1' is not a name of XML",
    );
    let reserved = "A: this namespace or name is XML's own";
    wrong(two, &|choices| choices.field("A").xml = named(Some("xmlns"), None, XmlForm::Attribute), reserved);
    wrong(
        two,
        &|choices| {
            choices.field("A").xml = named(None, Some("http://www.w3.org/2000/xmlns/"), XmlForm::Attribute)
        },
        reserved,
    );
    wrong(two, &|choices| choices.field("A").xml = named(None, Some("a\u{1}"), XmlForm::Element), reserved);
    let single = "A: only a single value can be an attribute or the text of an element";
    wrong("01 R. 05 A PIC X OCCURS 2.", &|choices| choices.field("A").xml = attribute(), single);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn records_come_back(
        id in 0..1_000u32, texts in prop::collection::vec("[ -~]{0,3}", 8), v in 0..100u32, keys in prop::collection::vec(0..10u32, 2)
    ) {
        let case = Case::with(ORDER, order);
        let value = |at: usize, most: usize| serde_json::to_string(&texts[at].chars().take(most).collect::<String>()).expect("text");
        let row = |at: usize| format!(r#"{{"k":{},"a":{},"a2":{}}}"#, keys[at], value(at * 2 + 3, 1), value(at * 2 + 4, 1));
        let json = format!(
            r#"{{"id":{id},"lang":{},"a":{},"b":{},"g":{{"unit":{},"v":{}.{}}},"row":[{},{}]}}"#,
            value(0, 2), value(1, 1), value(2, 1), value(7, 3), v / 10, v % 10, row(0), row(1)
        );
        let record = case.encode(&json).expect("JSON");
        let xml = case.decode_xml(&record).expect("a record");
        roxmltree::Document::parse(&xml).expect("XML");
        prop_assert_eq!(case.encode_xml(&xml).expect("XML"), record);
    }

    #[test]
    fn what_is_broken_does_no_harm(at in any::<prop::sample::Index>(), new in "[ -~]{0,3}") {
        let at = at.index(XML.len());
        let broken = format!("{}{new}{}", &XML[..at], &XML[at + 1..]);
        let case = Case::with(ORDER, order);
        if case.encode_xml(&broken).is_ok() {
            prop_assert!(roxmltree::Document::parse(&broken).is_ok(), "{}", broken);
        }
    }
}

/// A counter tells whether an element is there; one that is nil is not.
#[test]
fn an_element_that_is_nil_is_one_that_is_not_there() {
    let case = Case::with(
        "01 R. 05 N PIC 9. 05 A PIC X OCCURS 0 TO 1 DEPENDING ON N. 05 M PIC 9. 05 G OCCURS 0 TO 1 DEPENDING ON M. 10 B PIC X.",
        |choices| {
            choices.options.counters = record::Counters::Hide;
            choices.options.table_room = record::TableRoom::Full;
            choices.options.xml.namespace = Some("urn:main".to_owned());
            choices.field("A").xml = Some(XmlField { nil: Nil::Write, ..XmlField::default() });
            choices.field("G").xml = Some(XmlField { nil: Nil::Accept, ..XmlField::default() });
        },
    );
    let xml = |inner: &str| {
        format!("<r xmlns=\"urn:main\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">{inner}</r>")
    };
    let nil = |name: &str| format!("<{name} xsi:nil=\"true\"/>");
    case.check_xml(&xml(&nil("a")), "F0 40 F0 40");
    case.check_xml(&xml("<a>x</a><g><b>y</b></g>"), "F1 A7 F1 A8");
    case.check_encode_xml(&xml(&(nil("a") + &nil("g"))), "F0 40 F0 40");
    case.check_encode_xml(&xml("<a xsi:nil='1'> </a>").replace("> <", "><"), "F0 40 F0 40");
    let wrong = |inner: &str, kind| {
        let error = case.encode_xml(xml(inner)).expect_err(inner);
        assert_eq!(error.kind, kind, "{inner}: {error}");
    };
    wrong(&(nil("a") + &nil("a")), DuplicateField);
    wrong(&(nil("a") + "<a>x</a>"), DuplicateField);
    wrong(&("<a>x</a>".to_owned() + &nil("a")), record::ErrorKind::RowCount);
    wrong("<a xsi:nil='true'>x</a>", record::ErrorKind::WrongType);
    wrong("<a xsi:nil='true' b='c'/>", UnknownField);
    wrong("<g><b xsi:nil='true'/></g>", record::ErrorKind::WrongType);
}

#[test]
fn nil_is_for_elements_with_a_counter() {
    let expected = "A: nil is for an element that is there once or not at all, as a counter says";
    let choose = |choices: &mut Choices<'_>| {
        choices.field("A").xml = Some(XmlField { nil: Nil::Accept, ..XmlField::default() });
    };
    refuse("01 R. 05 A PIC X.", choose, &[expected]);
}

/// The elements of a group in any order, each on its own and as a table.
fn any_order(choices: &mut Choices<'_>) {
    choices.options.missing_fields = record::MissingFields::Refuse;
    choices.field("ID").xml = named(None, None, XmlForm::Attribute);
    for field in ["A", "B", "ROW"] {
        choices.field(field).xml = Some(XmlField { any_order: true, ..XmlField::default() });
    }
}

const ANY_ORDER: &str =
    "01 R. 05 ID PIC 9. 05 A PIC X. 05 B PIC 9. 05 ROW OCCURS 2. 10 K PIC 9. 10 L PIC 9. 05 S PIC X.";

#[test]
fn elements_of_a_group_come_in_any_order() {
    let all = |choices: &mut Choices<'_>| {
        any_order(choices);
        choices.field("S").xml = Some(XmlField { any_order: true, ..XmlField::default() });
    };
    let case = Case::with(ANY_ORDER, all);
    let row = |number: u8| format!("<row><k>{number}</k><l>0</l></row>");
    let rows = row(1) + &row(2);
    let (a, b, s) = ("<a>x</a>", "<b>5</b>", "<s>y</s>");
    let record = "F7 A7 F5 F1 F0 F2 F0 A8";
    let xml = |parts: &[&str]| format!("<r id=\"7\">{}</r>", parts.concat());
    case.check_xml(&xml(&[a, b, &rows, s]), record);
    for parts in [[b, a, &rows, s], [s, &rows, b, a], [&rows, s, a, b], [a, s, b, &rows]] {
        case.check_encode_xml(&xml(&parts), record);
    }
    for (parts, kind, shown) in [
        (vec![a, &rows, b, a], DuplicateField, "a: this element occurs twice in its group"),
        (
            vec![&row(1), a, &row(2)],
            record::ErrorKind::RowCount,
            "row: the document has 1 rows, the table has at least 2",
        ),
        (
            vec![&rows, a, &row(3), b, s],
            DuplicateField,
            "row: other elements are between the rows of this table",
        ),
        (vec![b, &rows, s], MissingField, "a: this field is required"),
        (vec![b, a, &rows], MissingField, "s: this field is required"),
        (vec![b, a, &rows, "<z/>"], UnknownField, "z: unknown element"),
        (
            vec!["<row><l>0</l><k>1</k></row>", a],
            record::ErrorKind::ElementOrder,
            "row[0].k: this element must come before l",
        ),
    ] {
        let text = xml(&parts);
        let error = case.encode_xml(text.clone()).expect_err(&text);
        assert_eq!(
            (error.kind, error.to_string().split(" (line").next().unwrap_or_default()),
            (kind, shown),
            "{text}"
        );
    }
}

#[test]
fn all_elements_of_a_group_come_in_any_order_or_none() {
    let expected = "S: either all elements of a group come in any order, or none of them";
    refuse(ANY_ORDER, any_order, &[expected]);
    let attribute = |choices: &mut Choices<'_>| {
        choices.field("ID").xml =
            Some(XmlField { form: XmlForm::Attribute, any_order: true, ..XmlField::default() });
    };
    refuse(ANY_ORDER, attribute, &["ID: only elements come in any order"]);
}

const DEFAULTS: &str = "01 R. 05 ID PIC 9. 05 CUR PIC X(3). 05 A PIC X(3). 05 N PIC S9(3)V9. 05 ROW PIC 9 OCCURS 2. \
    05 G. 10 U PIC X(2). 10 V PIC 9V9.";

/// Values that a schema gives.
fn defaults(choices: &mut Choices<'_>) {
    choices.options.missing_fields = record::MissingFields::Refuse;
    let values: [(&str, XmlForm, &str); 7] = [
        ("ID", XmlForm::Attribute, "7"),
        ("CUR", XmlForm::Attribute, "EUR"),
        ("A", XmlForm::Element, "web"),
        ("N", XmlForm::Element, " -01.5 "),
        ("ROW", XmlForm::Element, "4"),
        ("U", XmlForm::Attribute, "kg"),
        ("V", XmlForm::Text, "2.5"),
    ];
    for (field, form, value) in values {
        let default = Some(value.to_owned());
        choices.field(field).xml = Some(XmlField { form, default, ..XmlField::default() });
    }
    for field in ["CUR", "U"] {
        choices.field(field).omit = Some(String::new());
    }
}

#[test]
fn empty_elements_and_missing_attributes_have_the_defaults_of_a_schema() {
    let case = Case::with(DEFAULTS, defaults);
    let full = "F7 C5E4D9 A68582 F0F0F1D5 F4F1 9287 F2F5";
    for text in [
        "<r id='7' cur='EUR'><a>web</a><n>-1.5</n><row>4</row><row>1</row><g u='kg'>2.5</g></r>",
        "<r id='7'><a/><n/><row/><row>1</row><g/></r>",
        "<r id='7'><a></a><n><!-- none --></n><row><![CDATA[]]></row><row>1</row><g></g></r>",
    ] {
        case.check_encode_xml(text, full);
    }
    // A value that is there counts, also a blank one.
    case.check_encode_xml(
        "<r id='1' cur=''><a> </a><n>0</n><row>0</row><row>1</row><g u='g'>0</g></r>",
        "F1 404040 404040 F0F0F0C0 F0F1 8740 F0F0",
    );
    for (text, shown) in [
        ("<r><a/><n/><row/><row/><g/></r>", "id: this field is required"),
        ("<r id='7'><n/><row/><row/><g/></r>", "a: this field is required"),
        ("<r id='7'><a/><n> </n><row/><row/><g/></r>", "n: expected a number, found an empty element"),
        ("<r id=''><a/><n/><row/><row/><g/></r>", "id: expected a number, found an empty element"),
    ] {
        let error = case.encode_xml(text).expect_err(text);
        assert_eq!(error.to_string().split(" (line").next().unwrap_or_default(), shown, "{text}");
    }
    let group = |choices: &mut Choices<'_>| {
        choices.field("G").xml = Some(XmlField { default: Some("x".to_owned()), ..XmlField::default() });
    };
    refuse(DEFAULTS, group, &["G: only a single value has a default"]);
}
