//! MIME packages. Values leave an envelope as parts and come back. A broken package is reported
//! with its place.

use proptest::prelude::*;
use soap::{
    MTOM_PART_HEADERS_MAX, MTOM_PARTS_MAX, Mtom, Package, Packed, Packing, Version, XOP_LEAST_BYTES, pack,
};

const TYPE: &str = "multipart/related; boundary=\"uuid:b\"; type=\"application/xop+xml\"; start=\"<root@x>\"; start-info=\"text/xml\"";

/// A part in the form of Apache CXF.
fn part(id: &str, media: &str, content: &str) -> String {
    format!(
        "\r\n--uuid:b\r\nContent-Type: {media}\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <{id}>\r\n\r\n{content}"
    )
}

fn root(envelope: &str) -> String {
    part("root@x", "application/xop+xml; charset=UTF-8; type=\"text/xml\"", envelope)
}

fn include(id: &str) -> String {
    format!("<i:Include xmlns:i=\"http://www.w3.org/2004/08/xop/include\" href=\"cid:{id}\"/>")
}

fn message(package: &str) -> Result<String, String> {
    message_of(TYPE, package)
}

fn message_of(content_type: &str, package: &str) -> Result<String, String> {
    let package_type = Package::parse(content_type).expect("a content type");
    let text = package_type.message(package.as_bytes());
    text.map(|(text, _)| text.into_owned()).map_err(|trouble| {
        assert_eq!(trouble.fault.word(Version::Soap12), "Sender");
        trouble.failure.details.unwrap_or_default()
    })
}

#[test]
fn a_message_of_cxf_is_one_text() {
    let envelope = format!("<e><a>1</a>\n<b> {} </b><c/></e>", include("1-2%40urn%3Ax"));
    let package =
        format!("{}{}\r\n--uuid:b--", root(&envelope), part("1-2@urn:x", "image/png", "\0\r\n--uuid:\u{1}"));
    // Lines keep their numbers.
    assert_eq!(message(&package).as_deref(), Ok("<e><a>1</a>\n<b> AA0KLS11dWlkOgE= </b><c/></e>"));
    // Without `start` the first part is the envelope. Text before and behind the parts is skipped.
    let plain = TYPE.replace("start=\"<root@x>\"; ", "");
    let around = format!("a note\r\n{}\r\nanother", package.trim_start());
    assert_eq!(message_of(&plain, &around), message(&package));
    // The envelope may stand behind its parts, and a part may be in base64.
    let coded = part("a", "image/png\r\nX-Long: b\r\n\tc", "QUJD\r\nREU=").replace("binary", "BASE64");
    let package = format!("{coded}{}\r\n--uuid:b-- ", root(&format!("<e>{}</e>", include("a"))));
    assert_eq!(message(&package).as_deref(), Ok("<e>QUJDREU=</e>"));
    for tag in ["<e a='>' b=\">\">", "<e > \n", "<e><!-- a > b's -->"] {
        let package = format!(
            "{}{}\r\n--uuid:b--",
            root(&format!("{tag}{}</e>", include("a"))),
            part("a", "image/png", "ABC")
        );
        let whole = message(&package).unwrap_or_else(|told| panic!("{tag}: {told}"));
        assert!(whole.contains("QUJD"), "{whole}");
    }
    let alone = format!("{}\r\n--uuid:b--", root("<e>one</e>"));
    assert_eq!(message(&alone).as_deref(), Ok("<e>one</e>"));
}

#[test]
fn what_is_broken_is_told_with_its_place() {
    let good = |id: &str| root(&format!("<e>{}</e>", include(id)));
    let a = part("a", "image/png", "A");
    let end = "\r\n--uuid:b--";
    let many =
        |count: usize| (0..count).map(|number| part(&number.to_string(), "a/b", "")).collect::<String>();
    let headers = (0..=MTOM_PART_HEADERS_MAX).map(|number| format!("H{number}: 1\r\n")).collect::<String>();
    for (package, word) in [
        (String::new(), "expected the boundary, found none"),
        ("\r\n--uuid:b--".to_owned(), "expected a part, found none"),
        (good("a"), "expected the boundary that ends the package"),
        (format!("{}{a}", good("a")), "expected the boundary that ends the package"),
        (format!("{}{a}\r\n--uuid:b-", good("a")), "expected the boundary that ends the package"),
        (
            format!("{}{a}{end}", good("b")),
            "cid:b is not a part of the package, or is referred to twice (line 1, column 4)",
        ),
        (format!("{}{end}", good("a")), "cid:a is not a part of the package"),
        (
            format!("{}{a}{end}", root(&format!("<e><f>{0}</f><f>{0}</f></e>", include("a")))),
            "referred to twice",
        ),
        (format!("{}{a}{a}{end}", good("a")), "two parts have the content id a"),
        (format!("{}{a}{end}", root("<e/>")), "no xop:Include refers to the part a (byte"),
        (
            format!("{}{a}{end}", good("a").replace("root@x", "other")),
            "no part has the content id root@x that start names",
        ),
        (
            format!("{}{a}{end}", good("a").replace("xop+xml", "xml")),
            "expected an envelope of the type application/xop+xml",
        ),
        (format!("{}{a}{end}", good("a").replace("cid:", "http:")), "expected the href cid:ID, found http:a"),
        (format!("{}{a}{end}", good("a").replace("href", "ref")), "xop:Include has no href"),
        (format!("{}{a}{end}", good("a").replace("<e>", "<e>x")), "beside other content"),
        (format!("{}{a}{end}", good("a").replace("<e>", "<e>x>")), "beside other content"),
        (format!("{}{a}{end}", good("a").replace("<e>", "<e>\u{a0}")), "beside other content"),
        (format!("{}{}{end}", good("a"), a.replace("binary", "quoted-printable")), "found quoted-printable"),
        (format!("{}{}{end}", good("a"), a.replace("binary", "base64")), "the content is not base64"),
        (
            format!("{}{}{end}", good("a"), a.replace("Content-ID: <a>", "X: y")),
            "expected a content id of a part, found none",
        ),
        (
            format!("{}{}{end}", good("a"), a.replace("<a>", "a")),
            "expected a content id such as <a@b>, found a",
        ),
        (
            format!("{}{}{end}", good("a"), a.replace("Content-ID:", "Content-ID")),
            "expected the name of a header",
        ),
        (format!("{}{}{end}", good("a"), a.replace("\r\n\r\n", "\r\n")), "expected an empty line"),
        (
            format!("{}{}{end}", good("a"), a.replace("Content-Type", &format!("{headers}Content-Type"))),
            "headers, found more",
        ),
        (
            format!("{}{}{end}", good("a"), a.replace("png", &"p".repeat(9_000))),
            "expected headers of at most",
        ),
        (format!("{}{}{end}", good("0"), many(MTOM_PARTS_MAX)), "expected at most 100 parts"),
        (format!("{}{a}{end}", good("a").replace("UTF-8", "klingon")), "klingon"),
        (format!("{}{a}{end}", root("<!DOCTYPE e><e/>")), "document type"),
        (format!("{}{a}{end}", root("<e>")), "end of an element"),
    ] {
        let told = message(&package).expect_err(&package);
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[test]
fn a_content_type_of_something_else_is_none() {
    assert!(Package::parse(TYPE).is_some());
    for wrong in [
        TYPE.replace("related", "mixed"),
        TYPE.replace("application/xop+xml", "text/xml"),
        TYPE.replace("uuid:b", ""),
        TYPE.replace("uuid:b", &"b".repeat(71)),
        TYPE.replace("uuid:b", "b\u{1}"),
        TYPE.replace("boundary", "border"),
        TYPE.replace("text/xml", "text/html"),
        format!("{TYPE}; start=\"<b>\""),
    ] {
        assert_eq!(Package::parse(&wrong), None, "{wrong}");
    }
    let twelve = TYPE.replace("text/xml", "application/soap+xml") + "; action=\"urn:a\"";
    let content_type = Package::parse(&twelve).expect("a package").content_type;
    assert_eq!((content_type.version, content_type.action), (Version::Soap12, Some("urn:a")));
}

fn packing<'p>(mtom: &'p Mtom, elements: &'p [String]) -> Packing<'p> {
    Packing { mtom, elements, id: "1a-2/<>", version: Version::Soap11, action: "" }
}

#[test]
fn long_values_alone_are_parts() {
    let elements = ["image".to_owned()];
    let value = |bytes: usize| "QUJD".repeat(bytes / 3);
    let (short, long) = (value(XOP_LEAST_BYTES), value(XOP_LEAST_BYTES + 3));
    let envelope =
        format!("<e xmlns='u'><image>{long}</image><image>{short}</image><other>{long}</other><image/></e>");
    let mtom =
        Mtom { send_without_parts: false, content_id_domain: "example.org".to_owned(), ..Mtom::default() };
    let Packed { content_type, body } = pack(&envelope, &packing(&mtom, &elements)).expect("a package");
    let expected = "multipart/related; boundary=\"gantry-1a2-0\"; type=\"application/xop+xml\"; \
                    start=\"<0.1a2@example.org>\"; start-info=\"text/xml\"";
    assert_eq!(content_type, expected);
    let text = String::from_utf8(body).expect("text");
    let include = "<e xmlns='u'><image><xop:Include xmlns:xop=\"http://www.w3.org/2004/08/xop/include\" \
                   href=\"cid:1.1a2@example.org\"/></image><image>QUJD";
    assert!(text.contains(include), "{text}");
    assert!(text.contains("Content-ID: <1.1a2@example.org>\r\n\r\nABCABC"), "{text}");
    assert_eq!(message_of(&content_type, &text), Ok(envelope));
    // Without parts the pipeline decides.
    assert_eq!(pack("<e/>", &packing(&mtom, &elements)), None);
    let packed = pack("<e/>", &packing(&Mtom::default(), &[])).expect("a package");
    assert!(packed.content_type.contains("@cicsts"), "{}", packed.content_type);
}

proptest! {
    #[test]
    fn what_is_packed_comes_back(
        values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4_000), 0..6),
        tail in "(\r\n--gantry-1a2-[0-9]?(--)?\r\n)?",
        words in "[ -~]{0,40}",
    ) {
        use base64::Engine;
        let element = |value: &Vec<u8>| {
            // A value may look like a boundary.
            let value = [value, tail.as_bytes()].concat();
            format!("<image>{}</image>", base64::engine::general_purpose::STANDARD.encode(value))
        };
        let words = words.replace('&', "&amp;").replace('<', "&lt;").replace(']', ".");
        let envelope = format!("<e><w>{words}</w>{}</e>", values.iter().map(element).collect::<String>());
        let (mtom, elements) = (Mtom::default(), ["image".to_owned()]);
        let Packed { content_type, body } = pack(&envelope, &packing(&mtom, &elements)).expect("a package");
        let package = Package::parse(&content_type).expect("a content type");
        let back = package.message(&body).map(|(text, _)| text.into_owned());
        prop_assert_eq!(back.map_err(|trouble| trouble.failure.details), Ok(envelope));
    }

    #[test]
    fn any_bytes_are_a_message_or_a_fault(pieces in prop::collection::vec(piece(), 0..16)) {
        let package = Package::parse(TYPE).expect("a content type");
        if let Err(trouble) = package.message(pieces.concat().as_bytes()) {
            prop_assert_eq!(trouble.fault.word(Version::Soap11), "Client");
        }
    }
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\r\n--uuid:b".to_owned()),
        Just("--".to_owned()),
        Just("\r\n".to_owned()),
        Just("\r\n\r\n".to_owned()),
        Just("Content-ID: <a>\r\n".to_owned()),
        Just("Content-ID: <root@x>\r\n".to_owned()),
        Just("Content-Type: application/xop+xml\r\n".to_owned()),
        Just("Content-Transfer-Encoding: base64\r\n".to_owned()),
        Just(format!("<e>{}</e>", include("a"))),
        "[ -~]{0,12}",
    ]
}
