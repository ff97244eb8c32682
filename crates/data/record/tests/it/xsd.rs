//! The XML Schemas of a layout, to the letter. Validators that are not ours judge more of them in the acceptance tests.

use record::{BadNumber, Conditions, DataTruncation, MissingRows, Nulls, OmitEmpty, ViewRule, ZeroOccurs};

use crate::Case;

/// The schema is this, with what all have around it, line by line and without indentation.
#[track_caller]
fn check(schema: &str, root: &str, inner: &str) {
    let shown: Vec<&str> = schema.lines().map(str::trim).collect();
    let start = [
        "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">",
        &format!("<xs:element name=\"{root}\">"),
        "<xs:complexType>",
        "<xs:sequence>",
    ];
    let end = ["</xs:sequence>", "</xs:complexType>", "</xs:element>", "</xs:schema>"];
    assert_eq!(shown[..4], start);
    assert_eq!(shown[shown.len() - 4..], end);
    let expected: Vec<&str> = inner.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(shown[4..shown.len() - 4].join("\n"), expected.join("\n"));
}

/// An element with a restricted type.
fn restricted(element: &str, base: &str, facets: &[(&str, &str)]) -> String {
    let facets: String =
        facets.iter().map(|(name, value)| format!("<xs:{name} value=\"{value}\"/>\n")).collect();
    format!(
        "<xs:element {element}>\n<xs:simpleType>\n<xs:restriction base=\"{base}\">\n{facets}</xs:restriction>\n\
         </xs:simpleType>\n</xs:element>\n"
    )
}

#[test]
fn every_type() {
    let case = Case::new(
        "01 R. 05 T PIC X(8). 05 N PIC N(4). 05 A PIC 9(4). 05 B PIC S9(4). 05 C PIC 9(9). 05 D PIC S9(9) COMP. \
         05 E PIC 9(18). 05 F PIC S9(18) COMP-3. 05 G PIC 9(31). 05 H PIC S9(31). 05 I PIC S9(5)V99 COMP-3. \
         05 J PIC VPP9. 05 K PIC S99PPP. 05 L COMP-1. 05 M COMP-2. 05 O PIC 9(9) COMP-5. 05 P PIC ZZ9.",
    );
    let nines = |count: usize| "9".repeat(count);
    let minus = |count: usize| format!("-{}", "9".repeat(count));
    let text = |name, length| {
        let name = format!("name=\"{name}\"");
        restricted(&name, "xs:string", &[("maxLength", length), ("whiteSpace", "preserve")])
    };
    let number = |name, base, facets: &[(&str, &str)]| restricted(&format!("name=\"{name}\""), base, facets);
    let expected = [
        text("t", "8"),
        text("n", "4"),
        number("a", "xs:unsignedShort", &[("maxInclusive", "9999")]),
        number("b", "xs:short", &[("minInclusive", "-9999"), ("maxInclusive", "9999")]),
        number("c", "xs:unsignedInt", &[("maxInclusive", "999999999")]),
        number("d", "xs:int", &[("minInclusive", "-999999999"), ("maxInclusive", "999999999")]),
        number("e", "xs:unsignedLong", &[("maxInclusive", &nines(18))]),
        number("f", "xs:long", &[("minInclusive", &minus(18)), ("maxInclusive", &nines(18))]),
        number("g", "xs:nonNegativeInteger", &[("maxInclusive", &nines(31))]),
        number("h", "xs:integer", &[("minInclusive", &minus(31)), ("maxInclusive", &nines(31))]),
        number(
            "i",
            "xs:decimal",
            &[
                ("totalDigits", "7"),
                ("fractionDigits", "2"),
                ("minInclusive", "-99999.99"),
                ("maxInclusive", "99999.99"),
            ],
        ),
        number(
            "j",
            "xs:decimal",
            &[
                ("totalDigits", "3"),
                ("fractionDigits", "3"),
                ("minInclusive", "0"),
                ("maxInclusive", "0.009"),
            ],
        ),
        number(
            "k",
            "xs:int",
            &[("pattern", "[+\\-]?([0-9]*0{3}|0+)"), ("minInclusive", "-99000"), ("maxInclusive", "99000")],
        ),
        "<xs:element name=\"l\" type=\"xs:float\"/>\n".to_owned(),
        "<xs:element name=\"m\" type=\"xs:double\"/>\n".to_owned(),
        "<xs:element name=\"o\" type=\"xs:unsignedInt\"/>\n".to_owned(),
        text("p", "3"),
    ];
    check(&case.bind.response_xsd(), "r", &expected.concat());
}

const TABLES: &str = "01 R. 05 N PIC 9. 05 A COMP-1 OCCURS 3. 05 B COMP-1 OCCURS 2 TO 5 DEPENDING ON N. \
    05 G OCCURS 2. 10 C COMP-1.";

#[test]
fn tables_of_a_request_are_whole_or_not_there() {
    let case = Case::new(TABLES);
    check(
        &case.bind.request_xsd(),
        "r",
        r#"<xs:sequence minOccurs="0">
           <xs:element name="a" minOccurs="3" maxOccurs="3" type="xs:float"/>
           </xs:sequence>
           <xs:sequence minOccurs="0">
           <xs:element name="b" minOccurs="2" maxOccurs="5" type="xs:float"/>
           </xs:sequence>
           <xs:sequence minOccurs="0">
           <xs:element name="g" minOccurs="2" maxOccurs="2">
           <xs:complexType>
           <xs:sequence>
           <xs:element name="c" minOccurs="0" type="xs:float"/>
           </xs:sequence>
           </xs:complexType>
           </xs:element>
           </xs:sequence>"#,
    );
}

#[test]
fn tables_of_a_response_have_their_rows() {
    let rest = r#"<xs:element name="g" minOccurs="2" maxOccurs="2">
        <xs:complexType>
        <xs:sequence>
        <xs:element name="c" type="xs:float"/>
        </xs:sequence>
        </xs:complexType>
        </xs:element>"#;
    let fixed = r#"<xs:element name="a" minOccurs="3" maxOccurs="3" type="xs:float"/>"#;
    let varying = r#"<xs:element name="b" minOccurs="2" maxOccurs="5" type="xs:float"/>"#;
    let or_none = format!("<xs:sequence minOccurs=\"0\">\n{varying}\n</xs:sequence>");
    check(&Case::new(TABLES).bind.response_xsd(), "r", &format!("{fixed}\n{or_none}\n{rest}"));
    let case = Case::with(TABLES, |choices| choices.options.zero_occurs = ZeroOccurs::Refuse);
    check(&case.bind.response_xsd(), "r", &format!("{fixed}\n{varying}\n{rest}"));
    let case = Case::with(TABLES, |choices| choices.options.data_truncation = DataTruncation::Accept);
    let all = format!("{fixed}\n{varying}\n{rest}");
    let fewer =
        all.replace("minOccurs=\"2\"", "minOccurs=\"0\"").replace("minOccurs=\"3\"", "minOccurs=\"0\"");
    check(&case.bind.response_xsd(), "r", &fewer);
    let case = Case::with("01 R. 05 A COMP-1 OCCURS 3.", |choices| {
        choices.options.missing_rows = MissingRows::Initial;
    });
    let fewer = r#"<xs:element name="a" minOccurs="0" maxOccurs="3" type="xs:float"/>"#;
    check(&case.bind.request_xsd(), "r", fewer);
}

#[test]
fn views_are_a_choice_in_a_request() {
    let case = Case::with("01 R. 05 K COMP-1. 05 A COMP-1. 05 B REDEFINES A COMP-1.", |choices| {
        let field = choices.layout.resolve("K").expect("K");
        choices.field("A").when = Some(ViewRule { field, values: vec!["1".to_owned()] });
        choices.field("B").when = Some(ViewRule { field, values: vec!["2".to_owned()] });
        choices.field("K").required = true;
    });
    check(
        &case.bind.request_xsd(),
        "r",
        r#"<xs:element name="k" type="xs:float"/>
           <xs:choice minOccurs="0">
           <xs:element name="a" type="xs:float"/>
           <xs:element name="b" type="xs:float"/>
           </xs:choice>"#,
    );
    check(
        &case.bind.response_xsd(),
        "r",
        r#"<xs:element name="k" type="xs:float"/>
           <xs:element name="a" minOccurs="0" type="xs:float"/>
           <xs:element name="b" minOccurs="0" type="xs:float"/>"#,
    );
}

#[test]
fn what_may_be_nil_or_left_out() {
    let case = Case::with("01 R. 05 A COMP-1. 05 G. 10 B COMP-1.", |choices| {
        let policies = &mut choices.options.policies;
        policies.nulls = Nulls::Initial;
        policies.bad_numbers = BadNumber::Null;
        policies.omit_empty = OmitEmpty::Zero;
    });
    let group = |attributes: &str| {
        format!(
            "<xs:element name=\"g\"{attributes}>\n<xs:complexType>\n<xs:sequence>\n\
             <xs:element name=\"b\" minOccurs=\"0\" nillable=\"true\" type=\"xs:float\"/>\n\
             </xs:sequence>\n</xs:complexType>\n</xs:element>"
        )
    };
    let field = "<xs:element name=\"a\" minOccurs=\"0\" nillable=\"true\" type=\"xs:float\"/>";
    let request = format!("{field}\n{}", group(" minOccurs=\"0\" nillable=\"true\""));
    check(&case.bind.request_xsd(), "r", &request);
    check(&case.bind.response_xsd(), "r", &format!("{field}\n{}", group("")));
}

#[test]
fn condition_names_are_enumerations_and_ranges() {
    let case = Case::with(
        "01 R. 05 A PIC X. 88 Y VALUE 'Y'. 88 Z VALUE '<'. 05 B PIC 9. 88 C VALUE 1 THRU 3. 05 D PIC X. \
         88 E VALUE 'A' THRU 'C'.",
        |choices| choices.options.conditions = Conditions::Schema,
    );
    let expected = [
        restricted(
            "name=\"a\"",
            "xs:string",
            &[("maxLength", "1"), ("whiteSpace", "preserve"), ("enumeration", "Y"), ("enumeration", "&lt;")],
        ),
        restricted("name=\"b\"", "xs:unsignedShort", &[("minInclusive", "1"), ("maxInclusive", "3")]),
        restricted("name=\"d\"", "xs:string", &[("maxLength", "1"), ("whiteSpace", "preserve")]),
    ];
    check(&case.bind.response_xsd(), "r", &expected.concat());
}

#[test]
fn the_namespace_is_that_of_all_elements() {
    let case = Case::with("01 R. 05 A COMP-1.", |choices| {
        choices.options.wrapper = Some("1Op".to_owned());
        choices.options.xml.namespace = Some("urn:a&\"".to_owned());
    });
    let start = "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" targetNamespace=\"urn:a&amp;&quot;\" \
        elementFormDefault=\"qualified\">\n  <xs:element name=\"_1Op\">\n";
    assert!(case.bind.request_xsd().starts_with(start), "{}", case.bind.request_xsd());
}
