//! Written text is read back unchanged.

use proptest::prelude::*;
use xml::{Cursor, Encoding, ErrorKind, element_name, is_name, write_attribute, write_text};

#[test]
fn characters_that_xml_does_not_have_are_refused() {
    let mut out = Vec::new();
    let error = write_text("a\u{1}", &mut out).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Character, "character U+0001 is not allowed in XML")
    );
    assert!(write_text("\u{ffff}", &mut out).is_err());
    out.clear();
    write_text("]]>\r\n\t\u{fffd}", &mut out).unwrap();
    assert_eq!(out, "]]&gt;&#13;\n\t\u{fffd}".as_bytes());
}

proptest! {
    #[test]
    fn text_and_attributes_come_back(text in any::<String>(), value in any::<String>()) {
        let value: String = value.chars().filter(|character| xml::is_allowed(*character)).collect();
        let mut attribute = String::new();
        write_attribute(&value, &mut attribute);
        let mut document = format!("<a b=\"{attribute}\">").into_bytes();
        let written = write_text(&text, &mut document);
        prop_assert_eq!(written.is_ok(), text.chars().all(xml::is_allowed));
        prop_assume!(written.is_ok());
        document.extend_from_slice(b"</a>");
        let document = String::from_utf8(document).unwrap();
        let mut cursor = Cursor::new(&document, Encoding::Utf8).unwrap();
        let open = cursor.root().unwrap();
        prop_assert_eq!(&cursor.attributes(&open).unwrap()[0].value, &value);
        prop_assert_eq!(cursor.text().unwrap(), text);
        cursor.end().unwrap();
    }

    #[test]
    fn every_name_becomes_one_of_xml(name in any::<String>()) {
        let element = element_name(&name);
        prop_assert!(is_name(&element), "{}", element);
        prop_assert_eq!(element_name(&element), element);
    }
}
