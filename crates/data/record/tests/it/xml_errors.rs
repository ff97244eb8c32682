//! What XML is refused, and with which place and words.

use record::ErrorKind::{
    BadData, DuplicateField, ElementOrder, MissingField, NotAnObject, OutOfRange, RecordLength, RowCount,
    Syntax, TooDeep, TooLong, UnknownField, View, WrongType,
};
use record::{ControlCharacters, ErrorKind, Format, Nulls, UnknownFields, ViewRule};
use record::{XML_ATTRIBUTES_MAX, XML_DEPTH_MAX, XML_NAME_BYTES_MAX, XML_NAMESPACES_MAX};

use crate::{Case, bytes, refuse};

const COPYBOOK: &str = "01 R. 05 T PIC X(3). 05 N PIC 9(3). 05 G. 10 A PIC X. 05 L PIC 9 OCCURS 2.";

impl Case {
    #[track_caller]
    fn refuse_xml(&self, xml: impl AsRef<[u8]>, kind: ErrorKind, shown: &str) {
        let xml = xml.as_ref();
        let text = String::from_utf8_lossy(xml);
        let error = self.encode_xml(xml).expect_err(&text);
        assert_eq!((error.to_string().as_str(), error.kind), (shown, kind), "the error of {text}");
    }
}

fn nil(xml: &str) -> String {
    xml.replacen("<r", "<r xmlns:i='http://www.w3.org/2001/XMLSchema-instance'", 1)
}

#[test]
fn syntax_errors_say_line_and_column() {
    let case = Case::new(COPYBOOK);
    for (xml, shown) in [
        ("", "expected an element, found the end of the text (line 1, column 1)"),
        (" \n ", "expected an element, found the end of the text (line 2, column 2)"),
        ("text", "expected an element, found text (line 1, column 1)"),
        ("&amp;<r/>", "expected an element, found text (line 1, column 1)"),
        ("<r", "the tag that starts here does not end (line 1, column 1)"),
        ("<r>", "expected the end of an element, found the end of the text (line 1, column 4)"),
        ("<r><t>", "t: expected the end of an element, found the end of the text (line 1, column 7)"),
        ("<r><t>a", "t: expected the end of an element, found the end of the text (line 1, column 8)"),
        ("<r><t>a</t>", "expected the end of an element, found the end of the text (line 1, column 12)"),
        ("<r>\n<t>é</n></r>", "t: expected </t>, found </n> (line 2, column 5)"),
        ("<r></r></r>", "</r> ends no element that is open (line 1, column 8)"),
        ("</r>", "</r> ends no element that is open (line 1, column 1)"),
        ("<r/>x", "expected the end of the text, found more text (line 1, column 5)"),
        ("<r/><r/>", "expected the end of the text, found another element (line 1, column 5)"),
        ("<r/><!-- ", "the comment that starts here does not end (line 1, column 5)"),
        ("<r><!-- -- --></r>", "a comment must not have '--' (line 1, column 9)"),
        ("<r><t><![CDATA[a</t></r>", "t: the CDATA section that starts here does not end (line 1, column 7)"),
        ("<r><t>a]]>b</t></r>", "t: ']]>' in text must be written as ]]&gt; (line 1, column 8)"),
        ("<r><t>a & b</t></r>", "t: '&' must be written as &amp; (line 1, column 9)"),
        ("<r><t>a &b</t></r>", "t: '&' must be written as &amp; (line 1, column 9)"),
        (
            "<r><t>&nbsp;</t></r>",
            "t: &nbsp; is not one of XML's own entities, and others are not allowed (line 1, column 7)",
        ),
        ("<r><t>&#0;</t></r>", "t: &#0; is not a character of XML (line 1, column 7)"),
        ("<r><t>&#x;</t></r>", "t: &#x; is not a character of XML (line 1, column 7)"),
        ("<r><t>&#X41;</t></r>", "t: &#X41; is not a character of XML (line 1, column 7)"),
        ("<r><t>&#+65;</t></r>", "t: &#+65; is not a character of XML (line 1, column 7)"),
        ("<r><t>&#xD800;</t></r>", "t: &#xD800; is not a character of XML (line 1, column 7)"),
        ("<r><t>&#99999999999;</t></r>", "t: &#99999999999; is not a character of XML (line 1, column 7)"),
        ("<r><t>\u{1}</t></r>", "character U+0001 is not allowed in XML (line 1, column 7)"),
        ("<r><t>\u{ffff}</t></r>", "character U+FFFF is not allowed in XML (line 1, column 7)"),
        ("<r><?php ?></r>", "processing instructions are not taken (line 1, column 4)"),
        ("<?xml-stylesheet href='a'?><r/>", "processing instructions are not taken (line 1, column 1)"),
        (
            " <?xml version='1.0'?><r/>",
            "the XML declaration must be the first in the text (line 1, column 2)",
        ),
        (
            "<r><?xml version='1.0'?></r>",
            "the XML declaration must be the first in the text (line 1, column 4)",
        ),
        (
            "<?xml?><r/>",
            "an XML declaration has a version, then an encoding, then 'standalone' (line 1, column 1)",
        ),
        ("<?xml version='1.1'?><r/>", "version 1.1 of XML is not taken, only 1.0 (line 1, column 7)"),
        (
            "<?xml encoding='UTF-8'?><r/>",
            "an XML declaration has a version, then an encoding, then 'standalone' (line 1, column 1)",
        ),
        (
            "<?xml version='1.0' encoding='ISO-8859-1'?><r/>",
            "the declared encoding is ISO-8859-1, but the text is UTF-8 (line 1, column 21)",
        ),
        ("<?xml version='1.0' standalone='maybe'?><r/>", "standalone must be yes or no (line 1, column 21)"),
        (
            "<?xml version='1.0' standalone='yes' encoding='UTF-8'?><r/>",
            "an XML declaration has a version, then an encoding, then 'standalone' (line 1, column 1)",
        ),
        ("<?xml version='1.0'", "the XML declaration that starts here does not end (line 1, column 1)"),
        ("<!DOCTYPE r><r/>", "document type declarations are not taken (line 1, column 1)"),
        (
            "<!DOCTYPE r [<!ENTITY a 'b'>]><r><t>&a;</t></r>",
            "document type declarations are not taken (line 1, column 1)",
        ),
        (
            "<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///a'>",
            "document type declarations are not taken (line 1, column 1)",
        ),
        ("<!DOCTYPE><r/>", "document type declarations are not taken (line 1, column 1)"),
        ("<!doctype r><r/>", "document type declarations are not taken (line 1, column 1)"),
        ("<!ELEMENT r ANY><r/>", "this is not markup of XML (line 1, column 1)"),
        ("<r><1/></r>", "'1' is not a name (line 1, column 4)"),
        ("<r>< t/></r>", "expected a name (line 1, column 4)"),
        ("<r><></></r>", "expected a name (line 1, column 4)"),
        ("<:r/>", "':r' is not a name (line 1, column 1)"),
        ("<r><a:b:c xmlns:a='u'/></r>", "'a:b:c' is not a name (line 1, column 4)"),
        ("<r><a:t/></r>", "the prefix a is not declared (line 1, column 4)"),
        ("<r a></r>", "expected '=' and a value for the attribute a (line 1, column 5)"),
        ("<r a=></r>", "the value of the attribute a must be in quotes (line 1, column 6)"),
        ("<r a=b></r>", "the value of the attribute a must be in quotes (line 1, column 6)"),
        ("<r a='b></r>", "the value of an attribute in this tag does not end (line 1, column 1)"),
        ("<r a='b'c='d'></r>", "expected white space before an attribute (line 1, column 9)"),
        ("<r a='1' a='2'></r>", "the attribute a occurs twice in one tag (line 1, column 10)"),
        ("<r a='<'></r>", "'<' in an attribute must be written as &lt; (line 1, column 7)"),
        ("<r a='&'></r>", "'&' must be written as &amp; (line 1, column 7)"),
        (
            "<r a='&x;'></r>",
            "&x; is not one of XML's own entities, and others are not allowed (line 1, column 7)",
        ),
        ("<r 1='a'></r>", "'1' is not a name (line 1, column 4)"),
        ("<r a:b='c'></r>", "the prefix a is not declared (line 1, column 4)"),
        (
            "<r xmlns:a='u' xmlns:b='u' a:x='1' b:x='2'></r>",
            "the attribute b:x occurs twice in one tag (line 1, column 36)",
        ),
        ("<r xmlns:a=''></r>", "a prefix needs a namespace (line 1, column 4)"),
        ("<r xmlns:xml='u'></r>", "this prefix or namespace is XML's own (line 1, column 4)"),
        ("<r xmlns:xmlns='u'></r>", "this prefix or namespace is XML's own (line 1, column 4)"),
        (
            "<r xmlns:a='http://www.w3.org/2000/xmlns/'></r>",
            "this prefix or namespace is XML's own (line 1, column 4)",
        ),
        ("\u{feff}\u{feff}<r/>", "expected an element, found a byte order mark (line 1, column 1)"),
    ] {
        case.refuse_xml(xml, Syntax, shown);
    }
}

#[test]
fn what_is_left_out_must_be_xml_all_the_same() {
    let case = Case::with(COPYBOOK, |choices| choices.options.unknown_fields = UnknownFields::Ignore);
    for (xml, shown) in [
        (
            "<r><x>&y;</x></r>",
            "&y; is not one of XML's own entities, and others are not allowed (line 1, column 7)",
        ),
        ("<r><x><1/></x></r>", "'1' is not a name (line 1, column 7)"),
        ("<r><x><y:z/></x></r>", "the prefix y is not declared (line 1, column 7)"),
        ("<r><x><y></x></y></r>", "expected </y>, found </x> (line 1, column 10)"),
        ("<r><x>", "expected the end of an element, found the end of the text (line 1, column 7)"),
        ("<r><x><?a?></x></r>", "processing instructions are not taken (line 1, column 7)"),
    ] {
        case.refuse_xml(xml, Syntax, shown);
    }
}

#[test]
fn other_encodings_are_refused() {
    let case = Case::new(COPYBOOK);
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    for (xml, shown) in [
        (b"<r>\n\xFF</r>".to_vec(), "byte 4 of the text is not UTF-8 (line 2, column 1)"),
        (b"\xEF\xBB\xBF<r>\xFF</r>".to_vec(), "byte 6 of the text is not UTF-8 (line 1, column 4)"),
        (utf16("<r/>"), "a document in UTF-16 must start with a byte order mark"),
        (
            utf16("\u{feff}<?xml version='1.0' encoding='UTF-8'?><r/>"),
            "the declared encoding is UTF-8, but the text is UTF-16 (line 1, column 21)",
        ),
        (
            [utf16("\u{feff}<r>"), vec![0xD8, 0, 0, 0x41]].concat(),
            "byte 8 of the text is not UTF-16 (line 1, column 4)",
        ),
        ([utf16("\u{feff}<r/>"), vec![0]].concat(), "byte 10 of the text is not UTF-16 (line 1, column 5)"),
        (vec![0xFF, 0xFE, 0, 0, b'<', 0, 0, 0], "character U+0000 is not allowed in XML (line 1, column 1)"),
        (vec![0x4C, 0x99, 0x61, 0x6E], "the document is neither UTF-8 nor UTF-16"),
    ] {
        case.refuse_xml(xml, Syntax, shown);
    }
}

#[test]
fn the_outermost_element_is_that_of_the_record() {
    let case = Case::new(COPYBOOK);
    for (xml, shown) in [
        ("<x/>", "expected the element r, found x (line 1, column 1)"),
        ("<r xmlns='urn:a'/>", "expected the element r, found r of the namespace urn:a (line 1, column 1)"),
        (
            "<a:r xmlns:a='urn:a'/>",
            "expected the element r, found r of the namespace urn:a (line 1, column 1)",
        ),
    ] {
        case.refuse_xml(xml, NotAnObject, shown);
    }
    case.refuse_xml(nil("<r i:nil='true'/>"), NotAnObject, "the element r cannot be nil (line 1, column 1)");
    let case = Case::with(COPYBOOK, |choices| choices.options.xml.namespace = Some("urn:a".to_owned()));
    case.refuse_xml(
        "<r/>",
        NotAnObject,
        "expected the element r, found r without a namespace (line 1, column 1)",
    );
    case.refuse_xml(
        "<r xmlns='urn:b'/>",
        NotAnObject,
        "expected the element r, found r of the namespace urn:b (line 1, column 1)",
    );
    case.refuse_xml(
        "<r xmlns='urn:a'><t xmlns=''/></r>",
        UnknownField,
        "t: unknown element t without a namespace (line 1, column 18)",
    );
    case.refuse_xml(
        "<r xmlns='urn:a'><t xmlns='urn:b'/></r>",
        UnknownField,
        "t: unknown element t of the namespace urn:b (line 1, column 18)",
    );
}

#[test]
fn fields_that_are_unknown_missing_double_or_out_of_order() {
    let case = Case::with(COPYBOOK, |choices| choices.field("N").required = true);
    for (xml, kind, shown) in [
        ("<r><x/></r>", UnknownField, "x: unknown element (line 1, column 4)"),
        ("<r><T/></r>", UnknownField, "T: unknown element; did you mean 't'? (line 1, column 4)"),
        ("<r><n>1</n><g><b/></g></r>", UnknownField, "g.b: unknown element (line 1, column 15)"),
        ("<r a='1'/>", UnknownField, "unknown attribute a (line 1, column 4)"),
        (
            "<r><t xml:space='preserve'/></r>",
            UnknownField,
            "t: unknown attribute xml:space (line 1, column 7)",
        ),
        ("<r><t>a</t></r>", MissingField, "n: this field is required (line 1, column 1)"),
        (
            "<r><n>1</n><n>1</n></r>",
            DuplicateField,
            "n: this element occurs twice in its group (line 1, column 12)",
        ),
        (
            "<r><n>1</n><l>1</l><l>1</l><g/><l>1</l></r>",
            ElementOrder,
            "g: this element must come before l (line 1, column 28)",
        ),
        ("<r><n>1</n><t>1</t></r>", ElementOrder, "t: this element must come before n (line 1, column 12)"),
    ] {
        case.refuse_xml(xml, kind, shown);
    }
    let case = Case::with(COPYBOOK, |choices| choices.options.xml.order = record::ElementOrder::Any);
    case.refuse_xml(
        "<r><l>1</l><l>1</l><t/><l>1</l></r>",
        DuplicateField,
        "l: other elements are between the rows of this table (line 1, column 24)",
    );
}

#[test]
fn values_that_do_not_fit() {
    let case = Case::new(COPYBOOK);
    for (xml, kind, shown) in [
        (
            "<r><t>abcd</t></r>",
            TooLong,
            "t: text of 4 characters is longer than the field's 3 (line 1, column 4)",
        ),
        ("<r><t>a<b/></t></r>", WrongType, "t: expected text, found the element b (line 1, column 8)"),
        (
            "<r><n>1000</n></r>",
            OutOfRange,
            "n: the number is greater than the greatest allowed, 999 (line 1, column 4)",
        ),
        (
            "<r><n>-1</n></r>",
            OutOfRange,
            "n: the number is less than the least allowed, 0 (line 1, column 4)",
        ),
        ("<r><n>1.5</n></r>", OutOfRange, "n: expected an integer (line 1, column 4)"),
        ("<r><n>x</n></r>", WrongType, "n: expected an integer (line 1, column 4)"),
        ("<r><n> </n></r>", WrongType, "n: expected a number, found an empty element (line 1, column 4)"),
        ("<r><n/></r>", WrongType, "n: expected a number, found an empty element (line 1, column 4)"),
        ("<r><n>.</n></r>", WrongType, "n: expected an integer (line 1, column 4)"),
        ("<r><n>1 2</n></r>", WrongType, "n: expected an integer (line 1, column 4)"),
        ("<r><n>1e1</n></r>", WrongType, "n: expected an integer (line 1, column 4)"),
        ("<r><n>--1</n></r>", WrongType, "n: expected an integer (line 1, column 4)"),
        ("<r><g>a</g></r>", WrongType, "g: expected elements, found text (line 1, column 7)"),
        ("<r><g><![CDATA[a]]></g></r>", WrongType, "g: expected elements, found text (line 1, column 7)"),
        ("<r>&#32;</r>", WrongType, "expected elements, found text (line 1, column 4)"),
        (
            "<r><l>1</l></r>",
            RowCount,
            "l: the document has 1 rows, the table has at least 2 (line 1, column 4)",
        ),
        (
            "<r><l>1</l><l>2</l>\n<l>3</l></r>",
            RowCount,
            "l: the document has more than 2 rows (line 1, column 4)",
        ),
        ("<r><l>1</l><l>a</l></r>", WrongType, "l[1]: expected an integer (line 1, column 12)"),
    ] {
        case.refuse_xml(xml, kind, shown);
    }
}

#[test]
fn values_of_other_forms_that_do_not_fit() {
    let case = Case::with("01 R. 05 F COMP-1. 05 H PIC X(2). 05 S PIC X(2). 05 B PIC X.", |choices| {
        choices.field("H").format = Some(Format::Hex);
        choices.field("S").format = Some(Format::Base64);
        let (yes, no) = ("Y".to_owned(), "N".to_owned());
        choices.field("B").format = Some(Format::Boolean { yes, no });
    });
    for (xml, kind, shown) in [
        ("<r><f/></r>", WrongType, "f: expected a number, found an empty element (line 1, column 4)"),
        ("<r><f>inf</f></r>", WrongType, "f: expected a number, found text (line 1, column 4)"),
        (
            "<r><f> -INF </f></r>",
            OutOfRange,
            "f: expected a finite number, found -INF, which COBOL does not have (line 1, column 4)",
        ),
        (
            "<r><f>1e99</f></r>",
            OutOfRange,
            "f: the number is greater than the field can hold (line 1, column 4)",
        ),
        ("<r><h>0</h></r>", WrongType, "h: the text is not hexadecimal digits (line 1, column 4)"),
        ("<r><h/></r>", TooLong, "h: the text needs 0 bytes, the field has 2 (line 1, column 4)"),
        ("<r><s>AA=</s></r>", WrongType, "s: the text is not base64 (line 1, column 4)"),
        ("<r><b>yes</b></r>", WrongType, "b: expected true or false, found text (line 1, column 4)"),
        ("<r><b/></r>", WrongType, "b: expected true or false, found an empty element (line 1, column 4)"),
    ] {
        case.refuse_xml(xml, kind, shown);
    }
}

#[test]
fn nil_goes_by_the_policy_for_null() {
    let case = Case::new(COPYBOOK);
    for (xml, shown) in [
        ("<r><t i:nil='true'/></r>", "t: expected text, found nil (line 1, column 56)"),
        ("<r><n i:nil='1'/></r>", "n: expected a number, found nil (line 1, column 56)"),
        ("<r><g i:nil='true'/></r>", "g: expected a group, found nil (line 1, column 56)"),
        ("<r><l i:nil='true'/></r>", "l[0]: expected a number, found nil (line 1, column 56)"),
    ] {
        case.refuse_xml(nil(xml), WrongType, shown);
    }
    case.refuse_xml(
        nil("<r><t i:nil='yes'/></r>"),
        Syntax,
        "i:nil must be true or false (line 1, column 59)",
    );
    let case = Case::with("01 R. 05 T PIC X(3). 05 G OCCURS 1 TIMES. 10 A PIC X.", |choices| {
        choices.options.policies.nulls = Nulls::Initial;
    });
    case.refuse_xml(
        nil("<r><t i:nil='true'> </t></r>"),
        WrongType,
        "t: an element that is nil must be empty (line 1, column 56)",
    );
    case.refuse_xml(
        nil("<r><t i:nil='true'><a/></t></r>"),
        WrongType,
        "t: expected text, found the element a (line 1, column 72)",
    );
    case.refuse_xml(
        nil("<r><g i:nil='true'/></r>"),
        WrongType,
        "g[0]: expected a group, found nil (line 1, column 56)",
    );
}

#[test]
fn views_that_contradict() {
    let case = Case::with("01 R. 05 K PIC X. 05 A PIC 99. 05 B REDEFINES A PIC XX.", |choices| {
        let field = choices.layout.resolve("K").expect("K");
        choices.field("A").when = Some(ViewRule { field, values: vec!["a".to_owned()] });
        choices.field("B").when = Some(ViewRule { field, values: vec!["b".to_owned()] });
    });
    case.refuse_xml(
        "<r><a>1</a><b>x</b></r>",
        View,
        "b: another view of the same bytes is given too (line 1, column 12)",
    );
    case.refuse_xml(
        "<r><k>a</k><b>x</b></r>",
        View,
        "b: this view contradicts the field that tells which view the record holds",
    );
}

#[test]
fn limits() {
    let case = Case::with(COPYBOOK, |choices| choices.options.unknown_fields = UnknownFields::Ignore);
    let nested = |depth: usize| format!("<r>{}{}</r>", "<x>".repeat(depth - 1), "</x>".repeat(depth - 1));
    assert!(case.encode_xml(nested(XML_DEPTH_MAX)).is_ok());
    case.refuse_xml(nested(XML_DEPTH_MAX + 1), TooDeep, "elements nest deeper than 64 (line 1, column 193)");
    let attributes = |count: usize| {
        let list: String = (0..count).map(|number| format!(" a{number}=''")).collect();
        format!("<r{list}/>")
    };
    assert!(case.encode_xml(attributes(XML_ATTRIBUTES_MAX)).is_ok());
    case.refuse_xml(
        attributes(XML_ATTRIBUTES_MAX + 1),
        Syntax,
        "a tag has more than 64 attributes (line 1, column 442)",
    );
    let namespaces = |count: usize| {
        let list: String = (1..count).map(|number| format!(" xmlns:a{number}='u'")).collect();
        format!("<r{list}><x xmlns:b='u'/><x xmlns:b='u'/></r>")
    };
    assert!(case.encode_xml(namespaces(XML_NAMESPACES_MAX)).is_ok());
    case.refuse_xml(
        namespaces(XML_NAMESPACES_MAX + 1),
        Syntax,
        "more than 64 namespaces are declared (line 1, column 894)",
    );
    let name = |length: usize| format!("<r><{}/></r>", "x".repeat(length));
    assert!(case.encode_xml(name(XML_NAME_BYTES_MAX)).is_ok());
    case.refuse_xml(
        name(XML_NAME_BYTES_MAX + 1),
        Syntax,
        "a name is longer than 1024 bytes (line 1, column 4)",
    );
}

#[test]
fn records_that_are_no_xml() {
    let copybook = "01 R. 05 G OCCURS 2. 10 T PIC X(2). 05 N PIC 9.";
    let case = Case::new(copybook);
    let refuse_record = |case: &Case, record: &str, kind: ErrorKind, shown: &str| {
        let mut xml = b"before".to_vec();
        let error = case.bind.decode_xml(&bytes(record), &mut xml).expect_err(record);
        assert_eq!((error.to_string().as_str(), error.kind), (shown, kind), "the error of {record}");
        assert_eq!(xml, b"before");
    };
    refuse_record(
        &case,
        "81 82 81 00 F1",
        BadData,
        "g[1].t: character U+0000 is not allowed in XML (record offset 2)",
    );
    refuse_record(
        &case,
        "81 82 81 82 81",
        BadData,
        "n: the bytes 81 are not a number of the field's type (record offset 4)",
    );
    refuse_record(
        &case,
        "81 82 81 82",
        RecordLength,
        "n: the record ends after 4 bytes, before this field does (record offset 4)",
    );
    for (choice, text) in [(ControlCharacters::Blank, "a b"), (ControlCharacters::Remove, "ab")] {
        let case = Case::with("01 R. 05 T PIC X(3).", |choices| {
            choices.options.policies.control_characters = choice;
        });
        assert_eq!(case.decode_xml("810082"), Ok(format!("<r><t>{text}</t></r>")));
    }
    let case = Case::with("01 R. 05 T PIC X(3).", |choices| {
        choices.options.wrapper = Some("W".to_owned());
        choices.options.policies.control_characters = ControlCharacters::Refuse;
    });
    refuse_record(&case, "810082", BadData, "W.t: control character U+0000 at character 1 (record offset 0)");
}

#[test]
fn names_in_the_options() {
    type Choose = fn(&mut record::XmlOptions);
    let cases: [(Choose, &str); 7] = [
        (|xml| xml.root = Some("a b".to_owned()), "'a b' is not a name for an element of XML"),
        (|xml| xml.root = Some("a:b".to_owned()), "'a:b' is not a name for an element of XML"),
        (|xml| xml.prefix = Some("p".to_owned()), "the prefix 'p' has no namespace"),
        (|xml| xml.namespace = Some(String::new()), "the namespace of the elements must be one of your own"),
        (
            |xml| xml.namespace = Some("\u{1}".to_owned()),
            "the namespace has a character that XML does not allow",
        ),
        (
            |xml| {
                xml.namespace = Some("u".to_owned());
                xml.prefix = Some("XMLa".to_owned());
            },
            "'XMLa' is not a prefix for a namespace of XML",
        ),
        (
            |xml| {
                xml.namespace = Some("u".to_owned());
                xml.prefix = Some("1".to_owned());
            },
            "'1' is not a prefix for a namespace of XML",
        ),
    ];
    for (choose, shown) in cases {
        refuse("01 R. 05 A PIC 9.", |choices| choose(&mut choices.options.xml), &[shown]);
    }
}
