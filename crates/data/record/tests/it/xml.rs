//! XML both ways, for every type and option: from a record to its elements, and back.

use record::{
    BadNumber, Conditions, DataTruncation, DateFormat, EditedValue, ElementOrder, Filler, Format, Naming,
    Nulls, NumberStyle, OmitEmpty, Policies, UnknownFields, ViewRule, XmlText, ZeroOccurs,
};
use xml::{Cursor, Encoding};

use crate::{Case, Choices, bytes, hex};

impl Case {
    /// XML to record, the record as hexadecimal text.
    pub(crate) fn encode_xml(&self, xml: impl AsRef<[u8]>) -> Result<String, record::Error> {
        let mut record = Vec::new();
        self.bind.encode_xml(xml.as_ref(), &mut record)?;
        Ok(hex(&record))
    }

    /// Record to XML, the record as hexadecimal text.
    pub(crate) fn decode_xml(&self, record: &str) -> Result<String, record::Error> {
        let mut xml = Vec::new();
        self.bind.decode_xml(&bytes(record), &mut xml)?;
        Ok(String::from_utf8(xml).expect("XML is UTF-8"))
    }

    /// The XML gives the record, and the record gives the XML again, as it was.
    #[track_caller]
    pub(crate) fn check_xml(&self, xml: &str, record: &str) {
        self.check_encode_xml(xml, record);
        assert_eq!(self.decode_xml(record).as_deref(), Ok(xml), "the XML of {record}");
    }

    #[track_caller]
    pub(crate) fn check_encode_xml(&self, xml: &str, record: &str) {
        assert_eq!(self.encode_xml(xml).as_deref(), Ok(hex(&bytes(record)).as_str()), "the record of {xml}");
    }
}

#[track_caller]
fn check(copybook: &str, xml: &str, record: &str) {
    Case::new(copybook).check_xml(xml, record);
}

#[track_caller]
fn check_with(copybook: &str, choose: impl FnOnce(&mut Choices), xml: &str, record: &str) {
    Case::with(copybook, choose).check_xml(xml, record);
}

#[test]
fn members_are_elements_and_groups_nest() {
    check(
        "01 R. 05 T PIC X(3). 05 G. 10 A-B PIC 9(2). 10 H. 15 C PIC S9V9 COMP-3.",
        "<r><t>ab</t><g><a_b>7</a_b><h><c>-1.5</c></h></g></r>",
        "818240 F0F7 015D",
    );
}

#[test]
fn a_record_of_one_field_is_an_element_in_the_outermost() {
    check("01 R PIC X(2).", "<r><r>a</r></r>", "8140");
}

#[test]
fn tables_are_one_element_for_each_row() {
    check("01 R. 05 T PIC X OCCURS 3. 05 U PIC 9.", "<r><t>a</t><t></t><t>c</t><u>1</u></r>", "814083F1");
    check(
        "01 R. 05 G OCCURS 2. 10 A PIC 9. 10 B PIC X OCCURS 2.",
        "<r><g><a>1</a><b>a</b><b>b</b></g><g><a>2</a><b>c</b><b>d</b></g></r>",
        "F18182F28384",
    );
}

#[test]
fn tables_of_varying_length_have_their_counters_from_their_rows() {
    let copybook = "01 R. 05 N PIC 9. 05 G OCCURS 0 TO 3 DEPENDING ON N. 10 M PIC 9. \
        10 T PIC X OCCURS 1 TO 2 DEPENDING ON M. 05 Z PIC X.";
    check(copybook, "<r><z>z</z></r>", "F0A9");
    check(copybook, "<r><g><t>a</t></g><g><t>b</t><t>c</t></g><z>z</z></r>", "F2F181F28283A9");
    let refuse = |choices: &mut Choices| choices.options.zero_occurs = ZeroOccurs::Refuse;
    check_with(
        "01 R. 05 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N.",
        refuse,
        "<r><t>a</t></r>",
        "F181",
    );
}

#[test]
fn every_kind_of_number() {
    check(
        "01 R. 05 A PIC S9(3). 05 B PIC S99 SIGN LEADING SEPARATE. 05 C PIC 9(4) COMP. 05 D PIC S9(9) COMP-5. \
         05 E PIC 9(3) COMP-6. 05 F PIC V99 COMP-3. 05 H PIC 99PP.",
        "<r><a>-12</a><b>34</b><c>258</c><d>-1</d><e>123</e><f>0.05</f><h>1200</h></r>",
        "F0F1D2 4EF3F4 0102 FFFFFFFF 0123 005F F1F2",
    );
    check("01 R. 05 A COMP-1. 05 B COMP-2.", "<r><a>1</a><b>-0.5</b></r>", "41100000 C080000000000000");
    check("01 R. 05 N PIC 99 NATIONAL. 05 T PIC N(2).", "<r><n>12</n><t>é</t></r>", "00310032 00E90020");
}

#[test]
fn numbers_may_be_written_as_xml_schema_allows() {
    let case = Case::new("01 R. 05 N PIC S99V9.");
    for (text, record) in [
        ("1.5", "F0F1C5"),
        (" \n 1.5\t", "F0F1C5"),
        ("+1.5", "F0F1C5"),
        ("001.500", "F0F1C5"),
        (".5", "F0F0C5"),
        ("-.5", "F0F0D5"),
        ("5.", "F0F5C0"),
        ("-0", "F0F0C0"),
        ("<![CDATA[1]]>.<!-- point -->5", "F0F1C5"),
        ("&#49;.&#x35;", "F0F1C5"),
    ] {
        case.check_encode_xml(&format!("<r><n>{text}</n></r>"), record);
    }
    let float = Case::new("01 R. 05 F COMP-1.");
    for text in ["1", "1.", "1.0E0", ".1e1", "10E-1", "+1"] {
        float.check_encode_xml(&format!("<r><f>{text}</f></r>"), "41100000");
    }
}

#[test]
fn text_keeps_its_white_space_and_its_special_characters() {
    let copybook = "01 R. 05 T PIC X(8).";
    check(copybook, "<r><t>  a</t></r>", "4040814040404040");
    check(copybook, "<r><t>a&lt;b&gt;&amp;c\"'</t></r>", "814C826E50837F7D");
    check(copybook, "<r><t>a&#13;b\tc\nd</t></r>", "810D820583258440");
    check(copybook, "<r><t></t></r>", "4040404040404040");
    let case = Case::new(copybook);
    case.check_encode_xml("<r><t/></r>", "4040404040404040");
    case.check_encode_xml("<r><t a='b'/></r>".replace(" a='b'", "").as_str(), "4040404040404040");
    case.check_encode_xml(
        "<r><t>a<![CDATA[<&]]>b]]&gt;</t></r>",
        "814C5082BDBD6E40".replace("BDBD", "BBBB").as_str(),
    );
    case.check_encode_xml("<r><t>&quot;&apos;&#65;&#x42;</t></r>", "7F7DC1C240404040");
    case.check_encode_xml("<r><t>a<!-- b -->c</t></r>", "8183404040404040");
    case.check_encode_xml("<r><t>a\r\nb\rc</t></r>", "8125822583404040");
    case.check_encode_xml("<r><t><![CDATA[a\r\n]]>&#13;</t></r>", "81250D4040404040");
}

#[test]
fn names_that_xml_does_not_allow_become_valid() {
    check_with(
        "01 9-R. 05 1A PIC 9. 05 G. 10 2B PIC 9. 05 B-2 PIC 9.",
        |choices| choices.options.naming = Naming::Cobol,
        "<_9-R><_1A>1</_1A><G><_2B>2</_2B></G><B-2>3</B-2></_9-R>",
        "F1F2F3",
    );
    check_with(
        "01 R. 05 A PIC 9. 05 B PIC 9. 05 C PIC 9.",
        |choices| {
            choices.field("A").name = Some("a b".to_owned());
            choices.field("B").name = Some("a#b".to_owned());
            choices.field("C").name = Some("aXb".to_owned());
        },
        "<r><aXb2>1</aXb2><aXb3>2</aXb3><aXb>3</aXb></r>",
        "F1F2F3",
    );
}

#[test]
fn the_outermost_element_has_the_wrappers_name_or_another() {
    let copybook = "01 R. 05 A PIC 9.";
    let wrap = |choices: &mut Choices| choices.options.wrapper = Some("Operation".to_owned());
    check_with(copybook, wrap, "<Operation><a>1</a></Operation>", "F1");
    let root = |choices: &mut Choices| {
        choices.options.wrapper = Some("Operation".to_owned());
        choices.options.xml.root = Some("Answer".to_owned());
    };
    check_with(copybook, root, "<Answer><a>1</a></Answer>", "F1");
    check_with("01 FILLER. 05 A PIC 9.", |_| {}, "<record><a>1</a></record>", "F1");
}

#[test]
fn elements_are_in_one_namespace_under_any_prefix() {
    let copybook = "01 R. 05 G. 10 A PIC 9.";
    let namespace = |choices: &mut Choices| choices.options.xml.namespace = Some("urn:a&b".to_owned());
    check_with(copybook, namespace, "<r xmlns=\"urn:a&amp;b\"><g><a>1</a></g></r>", "F1");
    let case = Case::with(copybook, |choices| {
        namespace(choices);
        choices.options.xml.prefix = Some("p".to_owned());
    });
    case.check_xml("<p:r xmlns:p=\"urn:a&amp;b\"><p:g><p:a>1</p:a></p:g></p:r>", "F1");
    for xml in [
        "<r xmlns='urn:a&#38;b'><g><a>1</a></g></r>",
        "<q:r xmlns:q='urn:a&amp;b'><q:g><q:a>1</q:a></q:g></q:r>",
        "<q:r xmlns:q='urn:a&amp;b'><g xmlns='urn:a&amp;b'><x:a xmlns:x='urn:a&amp;b'>1</x:a></g></q:r>",
        "<p:r xmlns:p='urn:a&amp;b' xmlns:unused='u'><p:g xmlns:p='urn:a&amp;b'><p:a>1</p:a></p:g></p:r>",
    ] {
        case.check_encode_xml(xml, "F1");
    }
}

#[test]
fn attributes_of_schemas_mean_nothing() {
    let case = Case::new("01 R. 05 A PIC 9.");
    case.check_encode_xml(
        "<r xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:noNamespaceSchemaLocation='r.xsd'>\
         <a i:type='x' i:nil='false'>1</a></r>",
        "F1",
    );
}

#[test]
fn documents_have_prologs_comments_and_white_space() {
    let case = Case::new("01 R. 05 A PIC 9.");
    for xml in [
        "<?xml version=\"1.0\"?><r><a>1</a></r>",
        "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<!-- r -->\n<r >\n <a\n>1</a > <!----></r>\n<!-- - -->\n",
        "\u{feff}<r><a>1</a></r>",
        "\u{feff}<?xml version='1.0' encoding='US-ASCII'?><r><a>1</a></r>",
    ] {
        case.check_encode_xml(xml, "F1");
    }
}

#[test]
fn utf16_has_a_byte_order_mark() {
    let case = Case::new("01 R. 05 A PIC X(3).");
    let xml = "\u{feff}<?xml version='1.0' encoding='UTF-16'?><r><a>é1</a></r>";
    let big: Vec<u8> = xml.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let little: Vec<u8> = xml.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(case.encode_xml(big).as_deref(), Ok("51F140"));
    assert_eq!(case.encode_xml(little).as_deref(), Ok("51F140"));
}

#[test]
fn other_forms_of_values() {
    check_with(
        "01 R. 05 D PIC 9(8). 05 B PIC X. 05 H PIC X(2). 05 S PIC X(4). 05 E PIC ZZ9.99.",
        |choices| {
            let date = DateFormat::parse("yyyyMMdd", record::CENTURY_WINDOW_DEFAULT).expect("a date");
            choices.field("D").format = Some(Format::Date(date));
            let (yes, no) = ("Y".to_owned(), "N".to_owned());
            choices.field("B").format = Some(Format::Boolean { yes, no });
            choices.field("H").format = Some(Format::Hex);
            choices.field("S").format = Some(Format::Base64);
            choices.options.edited = EditedValue::Value;
        },
        "<r><d>2026-11-21</d><b>true</b><h>00FF</h><s>AAECAw==</s><e>7.5</e></r>",
        "F2F0F2F6F1F1F2F1 E8 00FF 00010203 4040F74BF5F0",
    );
    let case = Case::with("01 R. 05 B PIC X. 05 S PIC X(4).", |choices| {
        let (yes, no) = ("Y".to_owned(), "N".to_owned());
        choices.field("B").format = Some(Format::Boolean { yes, no });
        choices.field("S").format = Some(Format::Base64);
    });
    case.check_encode_xml("<r><b> 0 </b><s>\n AAEC\n Aw==\n</s></r>", "D500010203");
    case.check_encode_xml("<r><b>1</b><s>AAECAw==</s></r>", "E800010203");
}

#[test]
fn numbers_as_text_are_the_same_in_xml() {
    check_with(
        "01 R. 05 A PIC 9(3).",
        |choices| choices.options.policies.numbers = NumberStyle::Text,
        "<r><a>7</a></r>",
        "F0F0F7",
    );
}

const NIL: &str = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";

#[test]
fn null_is_nil() {
    let case = Case::with("01 R. 05 A PIC 9. 05 B PIC 9 OCCURS 2. 05 G. 10 C PIC X.", |choices| {
        choices.options.policies =
            Policies { blank_numbers: BadNumber::Null, nulls: Nulls::Blanks, ..Policies::default() };
    });
    let xml = format!("<r{NIL}><a xsi:nil=\"true\"/><b>1</b><b xsi:nil=\"true\"/><g><c>x</c></g></r>");
    case.check_xml(&xml, "40F140A7");
    let xml = format!("<r{NIL}><a xsi:nil=' 1 '></a><b>1</b><b>2</b><g xsi:nil='true'/></r>");
    case.check_encode_xml(&xml, "40F1F240");
}

#[test]
fn values_may_be_left_out() {
    let case = Case::with("01 R. 05 A PIC 9. 05 B PIC X. 05 C PIC X.", |choices| {
        choices.options.policies.omit_empty = OmitEmpty::Zero;
    });
    case.check_xml("<r></r>", "F04040");
    case.check_xml("<r><b>b</b></r>", "F08240");
    case.check_xml("<r><a>1</a><c>c</c></r>", "F14083");
}

#[test]
fn views_go_by_their_rules() {
    let case =
        Case::with("01 R. 05 K PIC X. 05 A. 10 A1 PIC 99. 05 B REDEFINES A. 10 B1 PIC XX.", |choices| {
            let field = choices.layout.resolve("K").expect("K");
            choices.options.unmatched_views = record::UnmatchedViews::Omit;
            choices.field("A").when = Some(ViewRule { field, values: vec!["a".to_owned()] });
            choices.field("B").when = Some(ViewRule { field, values: vec!["b".to_owned()] });
        });
    case.check_xml("<r><k>a</k><a><a1>12</a1></a></r>", "81F1F2");
    case.check_xml("<r><k>b</k><b><b1>xy</b1></b></r>", "82A7A8");
    case.check_xml("<r><k>c</k></r>", "83F0F0");
    case.check_encode_xml("<r><b><b1>xy</b1></b></r>", "82A7A8");
}

#[test]
fn order_is_free_where_the_options_say_so() {
    let case = Case::with("01 R. 05 A PIC 9. 05 T PIC 9 OCCURS 2. 05 B PIC 9.", |choices| {
        choices.options.xml.order = ElementOrder::Any;
    });
    case.check_encode_xml("<r><b>4</b><t>2</t><t>3</t><a>1</a></r>", "F1F2F3F4");
    case.check_encode_xml("<r><t>2</t><!-- --><t>3</t><b>4</b><a>1</a></r>", "F1F2F3F4");
}

#[test]
fn what_is_unknown_may_be_passed_over() {
    let case = Case::with("01 R. 05 A PIC 9. 05 T PIC 9 OCCURS 2. 05 B PIC 9.", |choices| {
        choices.options.unknown_fields = UnknownFields::Ignore;
    });
    case.check_encode_xml(
        "<r id='1'><x/><a y:z='2' xmlns:y='u'>1</a><x><a>9</a>text<x/>&amp;</x><t>2</t><x></x><t>3</t>\
         <y xmlns='v'/><b xmlns='v'>8</b><b>4</b></r>",
        "F1F2F3F4",
    );
}

#[test]
fn what_is_missing_has_initial_values() {
    let copybook = "01 R. 05 A PIC 9 VALUE 7. 05 T PIC 9 OCCURS 2. 05 G. 10 B PIC X.";
    Case::new(copybook).check_encode_xml("<r/>", "F7F0F040");
    Case::new(copybook).check_encode_xml("<r><g/></r>", "F7F0F040");
}

#[test]
fn fillers_show_if_they_are_asked_for() {
    check_with(
        "01 R. 05 FILLER PIC X. 05 A PIC 9.",
        |choices| choices.options.filler = Filler::Expose,
        "<r><fill_0>x</fill_0><a>1</a></r>",
        "A7F1",
    );
}

#[test]
fn condition_names_limit_what_is_taken() {
    let case = Case::with("01 R. 05 A PIC X. 88 YES VALUE 'Y'. 88 NO VALUE 'N'.", |choices| {
        choices.options.conditions = Conditions::Enforce;
    });
    case.check_xml("<r><a>Y</a></r>", "E8");
}

#[test]
fn records_that_are_cut_have_fewer_elements() {
    let case = Case::with("01 R. 05 A PIC 9. 05 T PIC 9 OCCURS 3.", |choices| {
        choices.options.data_truncation = DataTruncation::Accept;
    });
    assert_eq!(case.decode_xml("F1F2").as_deref(), Ok("<r><a>1</a><t>2</t></r>"));
    assert_eq!(case.decode_xml("F1").as_deref(), Ok("<r><a>1</a></r>"));
}

#[test]
fn many_records_stand_in_one_element() {
    let case = Case::with("01 R. 05 A PIC 9.", |choices| {
        choices.options.xml.namespace = Some("urn:x".to_owned());
        choices.options.xml.prefix = Some("p".to_owned());
        choices.options.policies = Policies { blank_numbers: BadNumber::Null, ..Policies::default() };
    });
    let (start, end) = case.bind.xml_around("records");
    let mut xml = start.into_bytes();
    for record in [[0xF1], [0x40]] {
        case.bind.decode_xml_part(&record, &mut xml).expect("a record");
    }
    xml.extend(end.into_bytes());
    let expected = format!(
        "<p:records xmlns:p=\"urn:x\"{NIL}><p:r><p:a>1</p:a></p:r><p:r><p:a xsi:nil=\"true\"/></p:r></p:records>"
    );
    assert_eq!(String::from_utf8(xml), Ok(expected));
    let (_, end) = case.bind.xml_around("1 file");
    assert_eq!(end, "</p:_1Xfile>");
}

/// What reading a document of many records gives, one after the other.
fn records(case: &Case, document: &str) -> Vec<Result<String, String>> {
    let text = XmlText::new(document.as_bytes()).expect("text");
    let mut records = text.records(&case.bind).expect("an element");
    let (mut record, mut read) = (Vec::new(), Vec::new());
    loop {
        match records.read(&mut record) {
            Ok(true) => read.push(Ok(hex(&record))),
            Ok(false) => return read,
            Err(error) => read.push(Err(error.to_string())),
        }
    }
}

#[test]
fn many_records_are_read_from_one_element() {
    let case =
        Case::with("01 R. 05 N PIC 9. 05 T PIC X OCCURS 0 TO 2 DEPENDING ON N. 05 A PIC 9.", |choices| {
            choices.options.xml.namespace = Some("urn:x".to_owned());
        });
    let document = "<?xml version='1.0'?>\n<p:all xmlns:p='urn:x'>\n<p:r><p:t>x</p:t><p:a>1</p:a></p:r>\n<p:r/></p:all>\n";
    assert_eq!(records(&case, document), [Ok("F1A7F1".to_owned()), Ok("F0F0".to_owned())]);
    assert_eq!(records(&case, "<none/>"), []);
    // A record that does not fit does not keep from reading the next.
    let document =
        "<r xmlns='urn:x'><r><a>x</a></r>\n<r><t><b/></t></r><r><a>1<b/></a></r><s/><r><a>2</a></r>text</r>";
    let read = records(&case, document);
    let shown: Vec<&str> =
        read.iter().map(|one| one.as_ref().map_or_else(String::as_str, String::as_str)).collect();
    assert_eq!(
        shown,
        [
            "a: expected an integer (line 1, column 21)",
            "t[0]: expected text, found the element b (line 2, column 7)",
            "a: expected text, found the element b (line 2, column 26)",
            "expected the element r, found s (line 2, column 38)",
            "F0F2",
            "expected elements, found text (line 2, column 57)",
        ]
    );
    // Text that is no XML does.
    let read = records(&case, "<r xmlns='urn:x'><r><a>&x;</a></r><r/></r>");
    assert_eq!(read.len(), 1);
    let read = records(&case, "<r xmlns='urn:x'><r/></r><r/>");
    assert_eq!(
        read,
        [
            Ok("F0F0".to_owned()),
            Err("expected the end of the text, found another element (line 1, column 26)".to_owned())
        ]
    );
}

#[test]
fn elements_are_read_out_of_a_document() {
    let case = Case::with("01 R. 05 A PIC 9. 05 B PIC 9.", |choices| {
        choices.options.xml.namespace = Some("urn:x".to_owned());
    });
    let fill = |element: &str, namespaces: &[(&str, &str)]| {
        let mut record = Vec::new();
        case.bind.start(&mut record);
        case.bind.fill_xml_part(element, namespaces, &mut record).map(|()| hex(&record))
    };
    assert_eq!(fill("<r><a>1</a></r>", &[("", "urn:x")]).as_deref(), Ok("F1F0"));
    let prefixed = "<p:r><q:a>1</q:a><b xmlns='urn:x'>2</b></p:r>";
    let around = [("p", "urn:y"), ("q", "urn:x"), ("p", "urn:x")];
    assert_eq!(fill(prefixed, &around).as_deref(), Ok("F1F2"));
    let error = fill(prefixed, &around[..2]).expect_err("another namespace");
    assert_eq!(
        error.to_string(),
        "expected the element r, found r of the namespace urn:y (line 1, column 1)"
    );
    assert!(fill("<r/>", &[("p", "")]).is_err());
    assert!(fill("<r/>", &[]).is_err());
}

/// An envelope around an element, and its body, read by one cursor.
fn enveloped(case: &Case, element: &str) -> Result<String, String> {
    let text = format!(
        "<s:E xmlns:s='soap' xmlns='urn:other' xmlns:p='urn:x' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>\n\
         <s:B>{element}</s:B></s:E>"
    );
    let mut cursor = Cursor::new(&text, Encoding::Utf8).expect("characters of XML");
    let mut record = Vec::new();
    case.bind.start(&mut record);
    let mut read = || -> Result<(), record::Error> {
        cursor.root()?;
        cursor.child()?.expect("a body");
        let open = cursor.child()?.expect("an element");
        let filled = case.bind.fill_element(&mut cursor, &open, &mut record);
        if let Err(error) = filled {
            if error.kind != record::ErrorKind::Syntax {
                cursor.skip_to(1)?;
                assert!(cursor.child()?.is_none());
                cursor.end()?;
            }
            return Err(error);
        }
        assert!(cursor.child()?.is_none() && cursor.child()?.is_none());
        Ok(cursor.end()?)
    };
    read().map(|()| hex(&record)).map_err(|error| error.to_string())
}

#[test]
fn the_cursor_of_an_envelope_goes_on_into_the_record() {
    let case = Case::with("01 R. 05 A PIC 9. 05 G. 10 B PIC X(3).", |choices| {
        choices.options.xml.namespace = Some("urn:x".to_owned());
        choices.options.xml.root = Some("echo".to_owned());
    });
    assert_eq!(case.bind.xml_element(), ("urn:x", "echo"));
    for element in [
        "<p:echo><p:a>1</p:a><p:g><p:b>xyz</p:b></p:g></p:echo>",
        "<echo xmlns='urn:x'><a>1</a><g><b><![CDATA[xyz]]></b></g></echo>",
        "<q:echo xmlns:q='urn:x' i:type='q:R'><q:a i:type='i:x'> 1 </q:a><g xmlns='urn:x'><b>xyz</b></g></q:echo>",
        "<p:echo i:schemaLocation='urn:x x.xsd' i:nil='false'><p:a>1</p:a><p:g xmlns:z='z'><p:b>xyz</p:b></p:g></p:echo>",
    ] {
        assert_eq!(enveloped(&case, element).as_deref(), Ok("F1A7A8A9"), "{element}");
    }
    for (element, shown) in [
        ("<echo/>", "expected the element echo, found echo of the namespace urn:other (line 2, column 6)"),
        ("<p:r><x/></p:r>", "expected the element echo, found r (line 2, column 6)"),
        (
            "<p:echo><p:a>1</p:a><g/></p:echo>",
            "g: unknown element g of the namespace urn:other (line 2, column 26)",
        ),
        ("<p:echo><p:a>x<!-- --></p:a></p:echo>", "a: expected an integer (line 2, column 14)"),
        ("<p:echo><p:a>1</p:b></p:echo>", "a: expected </p:a>, found </p:b> (line 2, column 20)"),
    ] {
        assert_eq!(enveloped(&case, element).as_ref().map_err(String::as_str), Err(shown), "{element}");
    }
}

#[test]
fn records_are_written_into_an_envelope() {
    let case = Case::with("01 R. 05 A PIC 9. 05 B PIC 9.", |choices| {
        choices.options.xml.namespace = Some("urn:x".to_owned());
        choices.options.policies.bad_numbers = BadNumber::Null;
    });
    let mut out = b"<B>".to_vec();
    assert_eq!(case.bind.decode_xml_counting(&bytes("F1 40"), &mut out), Ok(1));
    let xsi = "http://www.w3.org/2001/XMLSchema-instance";
    let element = format!(r#"<B><r xmlns="urn:x" xmlns:xsi="{xsi}"><a>1</a><b xsi:nil="true"/></r>"#);
    assert_eq!(String::from_utf8_lossy(&out), element);
    assert!(case.bind.decode_xml_counting(&bytes("F1"), &mut out).is_err());
    assert_eq!(String::from_utf8_lossy(&out), element);
}
