//! The uses of the cursor by a reader of envelopes.

use xml::{Cursor, Encoding, ErrorKind, XML_NAMESPACE_BYTES_MAX, XSI};

const ENVELOPE: &str = "<s:Envelope xmlns:s='soap' xmlns:t='types' xmlns='outer'>\
    <s:Header><h:A xmlns:h='head' s:mustUnderstand=' 1 ' role='next'><h:B/></h:A></s:Header>\
    <s:Body><order xmlns:x='http://www.w3.org/2001/XMLSchema-instance' x:type='t:Order'><n>1</n></order></s:Body>\
    </s:Envelope>";

fn cursor(text: &str) -> Cursor<'_> {
    Cursor::new(text, Encoding::Utf8).expect("characters of XML")
}

#[test]
fn an_envelope_is_read_down_to_its_body() {
    let mut cursor = cursor(ENVELOPE);
    let envelope = cursor.root().unwrap();
    assert!(cursor.is_in(&envelope, "soap") && !cursor.is_in(&envelope, "outer"));
    assert_eq!((envelope.prefix, envelope.name, envelope.attribute()), ("s", "Envelope", None));
    let header = cursor.child().unwrap().unwrap();
    assert_eq!(header.name, "Header");
    let block = cursor.child().unwrap().unwrap();
    assert_eq!(block.attribute().map(|at| cursor.name_at(at)), Some("s:mustUnderstand".to_owned()));
    let attributes = cursor.attributes(&block).unwrap();
    let shown: Vec<(&str, &str, &str)> =
        attributes.iter().map(|given| (&*given.namespace, given.name, &*given.value)).collect();
    assert_eq!(shown, [("soap", "mustUnderstand", " 1 "), ("", "role", "next")]);
    assert_eq!(cursor.namespace(&block), "head");
    let around: Vec<(&str, &str)> = cursor.declarations(&block).collect();
    assert_eq!(around, [("s", "soap"), ("t", "types"), ("", "outer")]);
    let raw = cursor.raw(&block).unwrap();
    assert_eq!(raw, "<h:A xmlns:h='head' s:mustUnderstand=' 1 ' role='next'><h:B/></h:A>");
    assert!(cursor.child().unwrap().is_none());
    let body = cursor.child().unwrap().unwrap();
    assert_eq!((body.name, cursor.depth()), ("Body", 2));
    let order = cursor.child().unwrap().unwrap();
    assert_eq!((cursor.namespace(&order), order.attribute()), ("outer", None));
    let attributes = cursor.attributes(&order).unwrap();
    assert_eq!((&*attributes[0].namespace, attributes[0].name), (XSI, "type"));
    assert_eq!(cursor.namespace_of_prefix(&order, "t"), Some("types"));
    assert_eq!(cursor.namespace_of_prefix(&order, "h"), None);
    // The prefix of an element inside means nothing outside of it.
    assert_eq!(cursor.namespace_of_prefix(&body, "x"), None);
    cursor.skip_to(1).unwrap();
    // An element that was opened long ago keeps its namespace.
    assert_eq!(cursor.namespace(&envelope), "soap");
    assert!(cursor.child().unwrap().is_none());
    cursor.end().unwrap();
}

#[test]
fn elements_without_content_have_an_end_too() {
    let mut cursor = cursor("<r><a/><b></b><c x='/'/>  </r>");
    cursor.root().unwrap();
    let a = cursor.child().unwrap().unwrap();
    assert_eq!(cursor.raw(&a).unwrap(), "<a/>");
    let b = cursor.child().unwrap().unwrap();
    assert_eq!(cursor.raw(&b).unwrap(), "<b></b>");
    let c = cursor.child().unwrap().unwrap();
    assert_eq!(cursor.text().unwrap(), "");
    assert_eq!(cursor.name_at(c.attribute().unwrap()), "x");
    assert!(cursor.child().unwrap().is_none());
    cursor.end().unwrap();
}

#[test]
fn inner_declarations_hide_outer_ones() {
    let mut cursor = cursor("<a xmlns='u' xmlns:p='v'><b xmlns='' xmlns:p='w'><p:c/></b><p:d/></a>");
    let a = cursor.root().unwrap();
    let b = cursor.child().unwrap().unwrap();
    let c = cursor.child().unwrap().unwrap();
    assert_eq!(
        [cursor.namespace(&a), cursor.namespace(&b), cursor.namespace(&c)],
        ["u", "", "w"],
        "each keeps its own"
    );
    assert_eq!(cursor.declarations(&c).collect::<Vec<_>>(), [("p", "w")]);
    assert_eq!(cursor.namespace_of_prefix(&a, "p"), Some("v"));
    cursor.skip_to(1).unwrap();
    let d = cursor.child().unwrap().unwrap();
    assert_eq!(cursor.namespace(&d), "v");
}

#[test]
fn errors_have_a_kind_and_a_place() {
    let mut here = cursor("<a>\n <b>x</b></a>");
    here.root().unwrap();
    let error = here.text().unwrap_err();
    assert_eq!(
        (error.kind, error.to_string().as_str()),
        (ErrorKind::Content, "expected text, found the element b (line 2, column 2)")
    );
    let mut here = cursor("<a><b>x</b></a>");
    here.root().unwrap();
    here.child().unwrap();
    assert_eq!(here.child().unwrap_err().kind, ErrorKind::Content);
    let deep = format!("{}{}", "<a>".repeat(65), "</a>".repeat(65));
    let mut here = cursor(&deep);
    here.root().unwrap();
    assert_eq!(here.skip().unwrap_err().kind, ErrorKind::TooDeep);
    for text in ["<!DOCTYPE a><a/>", "<?a?><a/>", "<a b='1' b='2'/>", "<p:a/>"] {
        assert_eq!(cursor(text).root().unwrap_err().kind, ErrorKind::Syntax, "{text}");
    }
    let mut many = String::from("<a");
    (0..65).for_each(|prefix| many.push_str(&format!(" xmlns:p{prefix}='u'")));
    let error = cursor(&format!("{many}/>")).root().unwrap_err();
    assert_eq!(error.message, "a tag has more than 64 attributes");
}

#[test]
fn an_element_that_is_expected_has_its_name_and_the_prefix_around_it() {
    let text = "<p:a xmlns:p='u' xmlns:q='v'> <p:b>1</p:b><q:b/><p:bc>2</p:bc><b/><p:b c='d'/><p:b><p:b/></p:b></p:a>";
    let mut cursor = xml::Cursor::new(text, xml::Encoding::Utf8).expect("characters of XML");
    let root = cursor.root().expect("an element");
    let mut open = xml::Open::default();
    assert!(!cursor.known_child(&mut open, &root, "bc"));
    assert!(cursor.known_child(&mut open, &root, "b"));
    assert_eq!(
        (open.name, open.prefix, cursor.namespace(&open), open.declaration()),
        ("b", "p", "u", root.declaration())
    );
    assert_eq!(cursor.text().expect("text"), "1");
    for (name, namespace) in [("b", "v"), ("bc", "u"), ("b", ""), ("b", "u")] {
        assert!(!cursor.known_child(&mut open, &root, "b"), "{namespace} {name}");
        assert!(cursor.next_child(&mut open).expect("an element"));
        assert_eq!((open.name, cursor.namespace(&open)), (name, namespace));
        cursor.skip().expect("XML");
    }
    assert!(cursor.known_child(&mut open, &root, "b"));
    let (outer, mut inner) = (open, open);
    assert!(!cursor.known_child(&mut inner, &outer, "b"), "it has no end tag");
    assert!(cursor.next_child(&mut inner).expect("an element"));
    assert!(!cursor.known_child(&mut open, &inner, "b"), "nothing is in it");
    cursor.skip_to(0).expect("XML");
    cursor.end().expect("the end");
}

#[test]
fn namespaces_in_force_have_a_limit_together() {
    let half = "x".repeat(XML_NAMESPACE_BYTES_MAX / 2);
    let read = |text: &str| {
        let mut cursor = cursor(text);
        cursor.root()?;
        cursor.skip()?;
        cursor.end()
    };
    // One behind the other is no more than one.
    let element = format!("<a:b xmlns:a='{half}'/>");
    read(&format!("<r xmlns:c='{half}'>{}</r>", element.repeat(3))).expect("within the limit");
    for text in [
        format!("<r xmlns:c='{half}u'>{element}</r>"),
        format!("<r xmlns='{half}' xmlns:b='{half}' xmlns:c='u'/>"),
        format!("<r xmlns='{half}{half}u'/>"),
    ] {
        let refused = read(&text).expect_err("beyond the limit");
        assert_eq!(refused.message, "the declared namespaces have more than 16384 bytes");
    }
}
