//! The values that a schema gives to empty elements and to missing attributes (XML Schema part 1, 3.3.1 and 3.4.2).

use assistant::CharVarying;
use channel::{ErrorKind, Interface};
use serde_json::{Value, json};

use crate::messages::{channel_of, interface_of, unchecked_interface_of, written, wsdl_of};

/// Values of all forms: in the record, in rows, in containers, as attributes and as text beside them.
const ORDER: &str = r#"<xs:element name="Order"><xs:complexType><xs:sequence>
    <xs:element name="kind" type="xs:string" default="web"/><xs:element name="count" type="xs:int" default=" +3 "/>
    <xs:element name="price" type="xs:decimal" fixed="1.50"/><xs:element name="paid" type="xs:boolean" default="true"/>
    <xs:element name="day" type="xs:date" default="2026-01-31"/><xs:element name="code" default="0aFF"><xs:simpleType>
      <xs:restriction base="xs:hexBinary"><xs:length value="2"/></xs:restriction></xs:simpleType></xs:element>
    <xs:element name="long" default="much"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength value="40000"/>
      </xs:restriction></xs:simpleType></xs:element>
    <xs:element name="row" type="xs:int" default="7" minOccurs="0" maxOccurs="unbounded"/>
    <xs:element name="nil" type="xs:int" default="8" nillable="true" minOccurs="0"/>
    <xs:element name="plain" type="xs:string" minOccurs="0"/>
    <xs:element name="sum" default="9.5"><xs:complexType><xs:simpleContent><xs:extension base="xs:decimal">
      <xs:attribute name="unit" type="xs:token" default="EUR"/><xs:attribute name="scale" type="xs:byte" fixed="2"/>
      <xs:attribute name="exact" type="xs:boolean" default="1"/><xs:attribute name="note" type="xs:string"/>
      <xs:attribute name="id" type="xs:int" use="required" fixed="5"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
    </xs:sequence></xs:complexType></xs:element>"#;

fn order(inner: &str) -> String {
    format!("<Order xmlns=\"urn:t\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">{inner}</Order>")
}

/// A message becomes a record. This is the message that the gateway writes of that record.
fn through(interface: &Interface, inner: &str) -> String {
    let channel = channel_of(interface, &order(inner)).unwrap_or_else(|error| panic!("{inner}: {error}"));
    let out = written(interface, &channel);
    let (_, out) = out.split_once('>').expect("a tag");
    out.strip_suffix("</ns1:Order>").expect("an end").replace("ns1:", "")
}

const FULL: &str = "<kind>web</kind><count>3</count><price>1.5</price><paid>true</paid><day>2026-01-31</day><code>0aff</code>\
    <long>much</long>";

const SUM: &str = "<sum unit=\"EUR\" scale=\"2\" exact=\"true\" id=\"5\">9.5</sum>";

#[test]
fn an_empty_element_and_a_missing_attribute_have_the_values_of_the_schema() {
    for varying in [CharVarying::No, CharVarying::Collapse, CharVarying::Yes, CharVarying::Null] {
        let interface = interface_of(&wsdl_of(ORDER, ""), varying);
        let empty =
            "<kind/><count></count><price><!-- none --></price><paid/><day/><code/><long><![CDATA[]]></long>";
        let sum = "<sum id=\"5\"/>";
        assert_eq!(through(&interface, &format!("{empty}{sum}")), format!("{FULL}{SUM}"), "{varying:?}");
        let rows = "<row/><row>1</row><row></row>";
        let shown = "<row>7</row><row>1</row><row>7</row>";
        assert_eq!(through(&interface, &format!("{empty}{rows}{sum}")), format!("{FULL}{shown}{SUM}"));
        // A value that is there counts, and so does an attribute. An element without a default stays empty.
        let given = "<kind>a</kind><count>0</count><price>1.50</price><paid>false</paid><day>2026-02-01</day>\
            <code>0102</code><long>b</long><plain/><sum unit=\"KG\" exact=\"0\" note=\"\" id=\"5\">0</sum>";
        let out = through(&interface, given);
        for part in
            ["<kind>a<", "<count>0<", "<paid>false<", "<day>2026-02-01<", "<long>b<", "<plain></plain>"]
        {
            assert!(out.contains(part), "{part}: {out}");
        }
        assert!(
            out.contains("<sum unit=\"KG\" scale=\"2\" exact=\"false\" note=\"\" id=\"5\">0</sum>"),
            "{out}"
        );
    }
}

#[test]
fn nil_and_missing_elements_and_blanks_have_no_default() {
    let interface = interface_of(&wsdl_of(ORDER, ""), CharVarying::Collapse);
    let before = &FULL[..FULL.find("<long>").expect("an element")];
    // Nil is nil, and an optional element that is missing stays so.
    let out = through(&interface, &format!("{FULL}<nil xsi:nil=\"true\"/>{SUM}"));
    assert_eq!(out, format!("{FULL}{SUM}"));
    assert!(through(&interface, &format!("{FULL}<nil/>{SUM}")).contains("<nil>8</nil>"));
    // White space is text: it is a value of a string, and none of a number.
    let blank = FULL.replace("<kind>web<", "<kind> <");
    assert!(through(&interface, &format!("{blank}{SUM}")).starts_with("<kind></kind>"));
    for (inner, message) in [
        (format!("{}{SUM}", FULL.replace("<count>3<", "<count> <")), "count: "),
        (format!("{before}{SUM}"), "long: expected this element, found sum"),
        (format!("{FULL}<sum/>"), "sum.@id: expected the attribute, found none"),
    ] {
        let error = channel_of(&interface, &order(&inner)).expect_err(message);
        assert!(error.to_string().starts_with(message), "{error}");
    }
}

#[test]
fn a_value_that_its_type_does_not_allow_is_none() {
    let element = r#"<xs:element name="Order"><xs:complexType><xs:sequence><xs:element name="text" type="xs:string"/></xs:sequence>
        <xs:attribute name="day" type="xs:date" default="today"/><xs:attribute name="count" type="xs:byte" default="300"/>
        <xs:attribute name="empty" type="xs:int" default=""/></xs:complexType></xs:element>"#;
    let interface = interface_of(&wsdl_of(element, ""), CharVarying::Collapse);
    assert_eq!(through(&interface, "<text>a</text>"), "<text>a</text>");
}

/// Values that the schema fixes, of all forms.
const FIXED: &str = r#"<xs:element name="Order"><xs:complexType><xs:sequence>
    <xs:element name="kind" type="xs:string" fixed="web"/><xs:element name="count" type="xs:int" fixed=" +3 "/>
    <xs:element name="price" type="xs:decimal" fixed="1.50"/><xs:element name="rate" type="xs:double" fixed="1e2"/>
    <xs:element name="paid" type="xs:boolean" fixed="1"/><xs:element name="day" type="xs:date" fixed="2026-01-31Z"/>
    <xs:element name="at" type="xs:dateTime" fixed=" 2026-01-31T12:00:00Z "/><xs:element name="word" type="xs:token" fixed="a b"/>
    <xs:element name="code" fixed="0aFF"><xs:simpleType>
      <xs:restriction base="xs:hexBinary"><xs:length value="2"/></xs:restriction></xs:simpleType></xs:element>
    <xs:element name="long" fixed="much"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength value="40000"/>
      </xs:restriction></xs:simpleType></xs:element><xs:element name="blob" type="xs:base64Binary" fixed="AAEC"/>
    <xs:element name="row" type="xs:int" fixed="7" minOccurs="0" maxOccurs="unbounded"/>
    <xs:element name="nil" type="xs:int" fixed="8" nillable="true" minOccurs="0"/>
    <xs:element name="size" fixed="L" nillable="true" minOccurs="0"><xs:simpleType><xs:restriction base="xs:token">
      <xs:enumeration value="L"/><xs:enumeration value="M"/></xs:restriction></xs:simpleType></xs:element>
    <xs:element name="sum" fixed="9.5"><xs:complexType><xs:simpleContent><xs:extension base="xs:decimal">
      <xs:attribute name="unit" type="xs:token" fixed="EUR"/><xs:attribute name="id" type="xs:int" use="required" fixed="5"/>
      </xs:extension></xs:simpleContent></xs:complexType></xs:element>
    </xs:sequence></xs:complexType></xs:element>"#;

const FIXED_FULL: &str = "<kind>web</kind><count>3</count><price>1.5</price><rate>100</rate><paid>true</paid><day>2026-01-31Z</day>\
    <at>2026-01-31T12:00:00Z</at><word>a b</word><code>0aff</code><long>much</long><blob>AAEC</blob><row>7</row><sum id=\"5\">9.5</sum>";

#[test]
fn a_value_that_the_schema_fixes_is_the_only_one() {
    for varying in [CharVarying::Collapse, CharVarying::Yes, CharVarying::Null] {
        let interface = interface_of(&wsdl_of(FIXED, ""), varying);
        let whole = through(&interface, FIXED_FULL);
        // Other texts may be the same value.
        for (given, same) in [
            ("<count>3</count>", "<count> +003 </count>"),
            ("<price>1.5</price>", "<price>01.500</price>"),
            ("<rate>100</rate>", "<rate>1.0E2</rate>"),
            ("<paid>true</paid>", "<paid> 1 </paid>"),
            ("<day>2026-01-31Z</day>", "<day> 2026-01-31-00:00</day>"),
            ("<at>2026-01-31T12:00:00Z</at>", "<at>2026-01-31T12:00:00.000+00:00</at>"),
            ("<at>2026-01-31T12:00:00Z</at>", "<at>2026-01-31T13:30:00+01:30</at>"),
            ("<word>a b</word>", "<word> a\n b </word>"),
            ("<code>0aff</code>", "<code>0AfF</code>"),
            ("<blob>AAEC</blob>", "<blob>AA EC</blob>"),
            ("<row>7</row>", "<row/>"),
            ("<sum id=\"5\">9.5</sum>", "<sum id=\" 05\" unit=\" EUR\">9.50</sum>"),
            ("<sum id=\"5\">9.5</sum>", "<sum id=\"5\"/>"),
        ] {
            assert_eq!(through(&interface, &FIXED_FULL.replace(given, same)), whole, "{varying:?}: {same}");
        }
        for (given, wrong, path, fixed) in [
            ("web<", "Web<", "kind", "web"),
            ("web<", " <", "kind", "web"),
            ("<count>3", "<count>4", "count", " +3 "),
            ("1.5<", "1.51<", "price", "1.50"),
            (">100<", ">101<", "rate", "1e2"),
            ("true", "false", "paid", "1"),
            ("31Z", "31", "day", "2026-01-31Z"),
            ("31Z", "30Z", "day", "2026-01-31Z"),
            ("12:00:00Z", "12:00:00", "at", " 2026-01-31T12:00:00Z "),
            ("12:00:00Z", "12:00:00+01:00", "at", " 2026-01-31T12:00:00Z "),
            ("a b", "a c", "word", "a b"),
            ("0aff", "0afe", "code", "0aFF"),
            ("much", "more", "long", "much"),
            ("AAEC", "AAED", "blob", "AAEC"),
            ("<row>7</row>", "<row>7</row><row>8</row>", "row[1]", "7"),
            ("<sum", "<nil>9</nil><sum", "nil", "8"),
            ("9.5", "9.6", "sum", "9.5"),
            ("<sum ", "<sum unit=\"USD\" ", "sum.@unit", "EUR"),
            ("id=\"5\"", "id=\"6\"", "sum.@id", "5"),
        ] {
            let error = channel_of(&interface, &order(&FIXED_FULL.replace(given, wrong))).expect_err(wrong);
            assert_eq!((error.kind, error.path.as_str()), (ErrorKind::NotListed, path), "{wrong}: {error}");
            let expected =
                format!("expected '{fixed}', the only value that the schema allows, found another");
            assert_eq!(error.message, expected, "{wrong}");
            assert!(error.position.is_some(), "{wrong}");
        }
        // Nil is no value.
        let nil = FIXED_FULL.replace("<sum", "<nil xsi:nil=\"true\"/><sum");
        assert_eq!(through(&interface, &nil), whole);
    }
    // Without the checks of types, any value is taken.
    let interface = unchecked_interface_of(&wsdl_of(FIXED, ""), CharVarying::Collapse);
    let other = FIXED_FULL.replace("web", "Web");
    assert!(through(&interface, &other).contains("<kind>Web</kind>"));
}

/// The lists of values in a schema, by the names of its properties and of those in them.
fn enumerations(schema: &Value) -> Vec<(&str, &Value)> {
    let mut found = Vec::new();
    for (name, of) in schema["properties"].as_object().into_iter().flatten() {
        let of = of.get("items").unwrap_or(of);
        found.extend(of.get("enum").map(|values| (name.as_str(), values)));
        found.extend(enumerations(of));
        assert!(of.get("enum").is_none() || of.get("example").is_none(), "{name}");
    }
    found
}

#[test]
fn the_json_schema_lists_the_only_value() {
    for varying in [CharVarying::No, CharVarying::Collapse, CharVarying::Yes, CharVarying::Null] {
        let interface = interface_of(&wsdl_of(FIXED, ""), varying);
        let schema: Value = serde_json::from_str(&interface.json_schema()).expect("JSON");
        let expected = [
            ("kind", json!(["web"])),
            ("count", json!([3])),
            ("price", json!([1.5])),
            ("rate", json!([100])),
            ("paid", json!([true])),
            ("day", json!(["2026-01-31Z"])),
            ("at", json!(["2026-01-31T12:00:00Z"])),
            ("word", json!(["a b"])),
            ("code", json!(["0aff"])),
            ("long", json!(["much"])),
            ("blob", json!(["AAEC"])),
            ("row", json!([7])),
            ("nil", json!([8, null])),
            ("size", json!(["L", null])),
            ("@unit", json!(["EUR"])),
            ("@id", json!([5])),
            ("sum", json!([9.5])),
        ];
        let expected: Vec<_> = expected.iter().map(|(name, values)| (*name, values)).collect();
        let mut found = enumerations(&schema);
        found.sort_by_key(|(name, _)| expected.iter().position(|(wanted, _)| wanted == name));
        assert_eq!(found, expected, "{varying:?}: {schema}");
        // Answers have the same text.
        let channel = channel_of(&interface, &order(FIXED_FULL)).expect("a message");
        let mut json = Vec::new();
        interface.to_json(&channel, &mut json).expect("JSON");
        let answer: Value = serde_json::from_slice(&json).expect("JSON");
        let listed = |name: &str| schema["properties"][name]["enum"].as_array().expect(name).clone();
        for name in ["kind", "day", "at", "paid", "word", "code", "long", "blob"] {
            assert!(listed(name).contains(&answer[name]), "{varying:?}: {name}: {answer}");
        }
        // The values of the schema make a request.
        let request = json!({"kind": "web", "count": 3, "price": 1.5, "rate": 100, "paid": true, "day": "2026-01-31Z",
            "at": "2026-01-31T12:00:00Z", "word": "a b", "code": "0aff", "long": "much", "blob": "AAEC", "row": [7], "nil": null,
            "size": null, "sum": {"@id": 5, "sum": 9.5}});
        interface.to_channel(request.to_string().as_bytes()).expect("a request");
    }
}

#[test]
fn the_schema_of_an_answer_of_a_program_lists_no_only_value() {
    let interface = interface_of(&wsdl_of(FIXED, ""), CharVarying::Collapse);
    let schema: Value = serde_json::from_str(&interface.answer_schema()).expect("JSON");
    let properties = &schema["properties"];
    for (name, example) in
        [("kind", json!("web")), ("count", json!(3)), ("paid", json!(true)), ("word", json!("a b"))]
    {
        assert_eq!(
            (&properties[name]["example"], &properties[name]["enum"]),
            (&example, &Value::Null),
            "{name}"
        );
    }
    assert_eq!(properties["sum"]["properties"]["@id"]["example"], json!(5), "{schema}");
    // The list of the type stays.
    assert_eq!(properties["size"]["enum"], json!(["L", "M", null]), "{schema}");
    let plain =
        interface_of(&wsdl_of("<xs:element name=\"Order\" type=\"xs:int\"/>", ""), CharVarying::Collapse);
    assert_eq!(plain.answer_schema(), plain.json_schema());
}

/// The JSON of a message, and the same message in XML.
const SAME: [(&str, &str); 5] = [
    (
        r#"{"kind": "", "count": 3, "price": 1.5, "paid": true, "day": "", "code": "", "long": "", "sum": {"@id": 5, "sum": 9.5}}"#,
        "<kind/><count/><price/><paid/><day/><code/><long/><sum id=\"5\"/>",
    ),
    (
        r#"{"kind": "a", "count": 0, "price": 1.50, "paid": false, "day": "2026-02-01", "code": "0102", "long": "b", "row": [7, 1],
          "plain": "", "sum": {"@unit": "KG", "@scale": 2.0, "@exact": false, "@note": "", "@id": 5, "sum": 0}}"#,
        "<kind>a</kind><count>0</count><price>1.50</price><paid>false</paid><day>2026-02-01</day><code>0102</code><long>b</long>\
         <row/><row>1</row><plain/><sum unit=\"KG\" exact=\"0\" note=\"\" id=\"5\">0</sum>",
    ),
    (
        r#"{"kind": " ", "count": 1, "price": 1.5, "paid": true, "day": "", "code": "0AFF", "long": "much", "nil": null,
          "sum": {"@unit": "", "@id": 5, "sum": 1}}"#,
        "<kind> </kind><count>1</count><price/><paid>1</paid><day/><code/><long/><nil xsi:nil=\"1\"/><sum unit=\"\" id=\"5\">1</sum>",
    ),
    (
        r#"{"kind": "x", "count": 1, "price": 1.5, "paid": true, "day": "", "code": "0AFF", "long": "x", "row": [], "nil": 8,
          "sum": {"@id": 5, "sum": 1, "@exact": true}}"#,
        "<kind>x</kind><count>1</count><price/><paid>1</paid><day/><code/><long>x</long><nil/><sum id=\"5\">1</sum>",
    ),
    (
        r#"{"kind": "x", "count": 1, "price": 1.5, "paid": true, "day": "", "code": "0AFF", "long": "x",
          "sum": {"@id": 5, "sum": 1, "@note": "n"}}"#,
        "<kind>x</kind><count>1</count><price/><paid>1</paid><day/><code/><long>x</long><sum id=\"5\" note=\"n\">1</sum>",
    ),
];

#[test]
fn json_has_the_values_of_the_schema_as_xml_has() {
    for varying in [CharVarying::No, CharVarying::Collapse, CharVarying::Yes, CharVarying::Null] {
        let interface = interface_of(&wsdl_of(ORDER, ""), varying);
        for (json, inner) in SAME {
            let of_json =
                interface.to_channel(json.as_bytes()).unwrap_or_else(|error| panic!("{json}: {error}"));
            let of_xml =
                channel_of(&interface, &order(inner)).unwrap_or_else(|error| panic!("{inner}: {error}"));
            let told = |channel: &service::Channel| {
                let mut parts: Vec<(String, Vec<u8>)> = channel
                    .containers()
                    .iter()
                    .map(|container| (container.name.clone(), container.content.bytes().to_vec()))
                    .collect();
                parts.sort();
                parts
            };
            assert_eq!(told(&of_json), told(&of_xml), "{varying:?}: {json}");
        }
        for (wrong, path) in [
            (SAME[1].0.replace("1.50", "1.6"), "price"),
            (SAME[1].0.replace("\"@scale\": 2.0", "\"@scale\": 3"), "sum.@scale"),
            (SAME[1].0.replace("\"@id\": 5", "\"@id\": 6"), "sum.@id"),
        ] {
            let error = interface.to_channel(wrong.as_bytes()).expect_err(path);
            assert_eq!((error.kind, error.path.as_str()), (ErrorKind::NotListed, path), "{error}");
            assert!(error.position.is_some(), "{error}");
        }
        let lacking = SAME[0].0.replace("\"@id\": 5, ", "");
        let error = interface.to_channel(lacking.as_bytes()).expect_err("an attribute");
        assert_eq!((error.kind, error.path.as_str()), (ErrorKind::MissingMember, "sum.@id"), "{error}");
    }
}
