//! Documents as events.

use proptest::prelude::*;
use xml::{Event, EventKind, Events, Wrong, XML_EVENT_BYTES_MAX, XML_NAMESPACE_BYTES_MAX};

use crate::events_oracle::{compare, events};

/// Events, one on each line, without empty parts.
fn lines(text: &str) -> Vec<String> {
    let told = events(&[text]).expect("XML");
    told.iter().map(line).collect()
}

fn line(event: &Event) -> String {
    let Event { kind, text, namespace, prefix, whole } = event;
    let part = if *whole { "" } else { " ..." };
    let names = match (prefix.is_empty(), namespace.is_empty()) {
        (true, true) => String::new(),
        _ => format!(" {prefix}={namespace}"),
    };
    format!("{kind:?} {text}{names}{part}").trim_end().to_owned()
}

#[test]
fn a_simple_document_tells_its_parts() {
    let text = "<?xml version=\"1.0\" encoding='x-9' standalone=\"no\"?><!-- c -->\n<msg type=\"short\" e=''>Hello, \
        World! &lt;&#65;</msg> <?go on now ?>";
    assert_eq!(
        lines(text),
        [
            "DocumentStart",
            "Version 1.0",
            "Encoding x-9",
            "Standalone no",
            "Comment  c",
            "ElementStart msg",
            "AttributeName type",
            "AttributeText short",
            "AttributeName e",
            "AttributeText",
            "Text Hello, World! <A",
            "ElementEnd msg",
            "InstructionTarget go",
            "InstructionData on now",
            "DocumentEnd",
        ]
    );
}

#[test]
fn namespaces_are_told_after_their_element() {
    let text = "<section xmlns='e' xmlns:bk=\"b\"><bk:author bk:title=\"Mr\" t='1'/><comment xmlns=''>x</comment>\
        <![CDATA[a<b]]></section>";
    assert_eq!(
        lines(text),
        [
            "DocumentStart",
            "ElementStart section =e",
            "Namespace  =e",
            "Namespace  bk=b",
            "ElementStart author bk=b",
            "AttributeName title bk=b",
            "AttributeText Mr",
            "AttributeName t",
            "AttributeText 1",
            "ElementEnd author bk=b",
            "ElementStart comment",
            "Namespace",
            "Text x",
            "ElementEnd comment",
            "DataStart",
            "Text a<b",
            "DataEnd",
            "ElementEnd section =e",
            "DocumentEnd",
        ]
    );
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, wrong, place, message) in [
        ("<msg>Hello</mmsg>", Wrong::EndTag, (1, 11), "expected </msg>, found </mmsg>"),
        ("<a>\n<b:c/></a>", Wrong::ElementPrefix, (2, 2), "the prefix b is not declared"),
        ("<a x:y='1'/>", Wrong::AttributePrefix, (1, 4), "the prefix x is not declared"),
        ("<!DOCTYPE a><a/>", Wrong::NotTaken, (1, 1), "document type declarations are not taken"),
        (
            "<a>&x;</a>",
            Wrong::Other,
            (1, 4),
            "&x; is not one of XML's own entities, and others are not allowed",
        ),
        ("<a>", Wrong::Other, (1, 4), "the document does not end"),
        ("<a", Wrong::Other, (1, 1), "the tag that starts here does not end"),
        ("", Wrong::Other, (1, 1), "the document does not end"),
        ("x", Wrong::Other, (1, 1), "expected an element, found text"),
        ("<a/><b/>", Wrong::Other, (1, 5), "expected the end of the document, found another element"),
        ("<a/>x", Wrong::Other, (1, 5), "expected the end of the document, found more text"),
        ("</a>", Wrong::Other, (1, 1), "an end tag ends no element that is open"),
        ("<a>\u{1}</a>", Wrong::Other, (1, 4), "character U+0001 is not allowed in XML"),
        ("<a>]]></a>", Wrong::Other, (1, 4), "']]>' in text must be written as ]]&gt;"),
        ("<a>a & b</a>", Wrong::Other, (1, 6), "'&' must be written as &amp;"),
        (
            " <?xml version='1.0'?><a/>",
            Wrong::Other,
            (1, 2),
            "the XML declaration must be the first in the text",
        ),
        ("<?xml version='1.1'?><a/>", Wrong::Other, (1, 7), "version of the XML declaration cannot be '1.1'"),
        ("<a b='1' b='2'/>", Wrong::Other, (1, 10), "the attribute b occurs twice in one tag"),
        (
            "<a xmlns:x='u' xmlns:y='u' x:b='1' y:b='2'/>",
            Wrong::Other,
            (1, 36),
            "the attribute y:b occurs twice in one tag",
        ),
        ("<a><!-- a -- b --></a>", Wrong::Other, (1, 11), "a comment must not have '--'"),
        ("<a><![CDATA[x</a>", Wrong::Other, (1, 18), "the document does not end"),
        ("<a xmlns:xml='u'/>", Wrong::Other, (1, 4), "this prefix or namespace is XML's own"),
        ("<?>", Wrong::Other, (1, 1), "the processing instruction that starts here does not end"),
        ("<?y(?><a/>", Wrong::Other, (1, 3), "'y(' is not a name"),
        ("<?><a/>", Wrong::Other, (1, 1), "the processing instruction that starts here does not end"),
        ("<a><?></a>", Wrong::Other, (1, 4), "the processing instruction that starts here does not end"),
    ] {
        let exception = events(&[text]).expect_err(text);
        assert_eq!((exception.wrong, exception.error.position), (wrong, Some(place)), "{text}");
        assert_eq!(exception.error.message, message, "{text}");
    }
}

#[test]
fn limits_are_told_as_not_taken() {
    let deep = "<a>".repeat(65);
    let long = format!("<a b='{}'/>", "x".repeat(XML_EVENT_BYTES_MAX));
    let comment = format!("<!--{}--><a/>", "x".repeat(XML_EVENT_BYTES_MAX));
    let names: String = (0..65).map(|number| format!(" xmlns:n{number}='u'")).collect();
    // Two elements, because a tag has a limit of its own.
    let (first, second) = names.split_at(names.find(" xmlns:n40").expect("is there"));
    let namespace = format!("<a xmlns:b='{}'/>", "x".repeat(XML_NAMESPACE_BYTES_MAX + 1));
    for text in [deep, long, comment, format!("<a{first}><b{second}/></a>"), namespace] {
        assert_eq!(events(&[&text]).expect_err("a limit").wrong, Wrong::NotTaken);
    }
}

#[test]
fn undeclared_prefixes_can_be_passed_over() {
    let mut reader = Events::new("<x:a y:b='1'/>".to_owned());
    reader.finish();
    let told: Vec<_> = (0..7).map(|_| reader.next_event()).collect();
    let kinds: Vec<_> = told.iter().map(|told| told.as_ref().map(line).map_err(|told| told.wrong)).collect();
    assert_eq!(
        kinds,
        [
            Ok("DocumentStart".to_owned()),
            Err(Wrong::ElementPrefix),
            Ok("ElementStart a x=".to_owned()),
            Err(Wrong::AttributePrefix),
            Ok("AttributeName b y=".to_owned()),
            Ok("AttributeText 1".to_owned()),
            Ok("ElementEnd a x=".to_owned()),
        ]
    );
}

#[test]
fn long_texts_come_in_several_events() {
    let (one, two) = ("x".repeat(XML_EVENT_BYTES_MAX - 3), "&amp;".repeat(10));
    let text = format!("<a>{one}{two}<![CDATA[{one}]]&gt;é]]></a>");
    let told = events(&[&text]).expect("XML");
    let texts: Vec<(usize, bool)> = told
        .iter()
        .filter(|event| event.kind == EventKind::Text)
        .map(|event| (event.text.len(), event.whole))
        .collect();
    assert_eq!(
        texts,
        [(XML_EVENT_BYTES_MAX - 3, false), (10, true), (XML_EVENT_BYTES_MAX, false), (5, true)]
    );
    let whole: String =
        told.iter().filter(|event| event.kind == EventKind::Text).map(|event| &*event.text).collect();
    assert_eq!(whole, format!("{one}{}{one}]]&gt;é", "&".repeat(10)));
}

#[test]
fn a_document_type_is_found_in_parts_and_in_any_case() {
    for parts in [&["<!DOCTYPE a><a/>"][..], &["<!DO", "CTYPE a><a/>"], &["<!doc", "Type a><a/>"]] {
        assert_eq!(events(parts).expect_err("a document type").wrong, Wrong::NotTaken, "{parts:?}");
    }
}

#[test]
fn a_document_may_come_in_parts() {
    let mut reader = Events::new("<?xml version='1.0'?>".to_owned());
    let mut told = Vec::new();
    let mut more = ["<Tagline>", "COBOL is the language of the future!", "</Tagline>"].into_iter();
    loop {
        let event = reader.next_event().expect("XML");
        told.push(line(&event));
        match event.kind {
            EventKind::InputEnd => reader.push(more.next().expect("a part")),
            EventKind::DocumentEnd => break,
            _ => {}
        }
    }
    assert_eq!(
        told,
        [
            "DocumentStart",
            "Version 1.0",
            "InputEnd",
            "ElementStart Tagline",
            "InputEnd",
            "Text COBOL is the language of the future! ...",
            "InputEnd",
            "ElementEnd Tagline",
            "DocumentEnd",
        ]
    );
}

/// Text that is often XML.
fn documents() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<a>",
        "</a>",
        "<b/>",
        "<a x='1'>",
        "<a xmlns='u' p='&#x41;'>",
        "<p:a xmlns:p='v' p:q=\"2\" q=''>",
        "</p:a>",
        "t",
        "é ",
        "\r\n",
        "\r",
        "]]",
        ">",
        "&amp;",
        "&#10;",
        "&",
        ";",
        "<!--c-->",
        "<!-- - -->",
        "<![CDATA[",
        "]]>",
        "<?pi?>",
        "<?pi  d ?>",
        "<?xml version='1.0'?>",
        "<!DOCTYPE a>",
        "<",
        "--",
        "\u{1}",
        "&#0;",
        "xmlns:q='w'",
        " ",
    ]);
    prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
}

/// Text that is XML.
fn trees() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "t",
        "a&amp;b",
        "<!--c-->",
        "<![CDATA[<]]>",
        "<?pi d?>",
        "\r\n ",
        "<e/>",
        "é",
    ]);
    let leaf = leaf.prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop::collection::vec(inner, 0..4).prop_flat_map(|inner| {
            let inner = inner.concat();
            prop::sample::select(vec![
                format!("<a>{inner}</a>"),
                format!("<a k='1' l=\"&lt;\">{inner}</a >"),
                format!("<p:a xmlns:p='u' p:k='v'>{inner}</p:a>"),
                format!("<a xmlns='w'>{inner}</a>"),
            ])
        })
    })
    .prop_map(|inner| format!("<?xml version=\"1.0\"?>\n<r>{inner}</r>"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn events_are_what_another_reader_reads(text in documents(), places in prop::collection::vec(0_usize..60, 0..4)) {
        compare(&text, &places);
    }

    #[test]
    fn events_of_trees_are_what_another_reader_reads(text in trees(), places in prop::collection::vec(0_usize..90, 0..6)) {
        compare(&text, &places);
    }
}
