//! Random documents: well-formed ones with namespaces, and what random changes make of them.

use proptest::prelude::*;

use crate::oracle::compare;

fn word(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(names).prop_map(str::to_owned)
}

fn attribute() -> impl Strategy<Value = String> {
    let names = &["a", "p:a", "q:a", "xml:lang", "xmlns", "xmlns:p", "xmlns:q", "xmlns:é", "b"];
    let values = &["'u'", "\"v\"", "'u'", "''", "\"a &lt;\n b&#x41;\"", " = 'x'", "'http://a?b=c&amp;d'"];
    (word(names), word(values)).prop_map(|(name, value)| match value.strip_prefix(" = ") {
        Some(value) => format!("{name} = {value}"),
        None => format!("{name}={value}"),
    })
}

fn element() -> impl Strategy<Value = String> {
    let content = word(&[
        "",
        " ",
        "text",
        "a &amp; b",
        "<![CDATA[<a>&]]>",
        "a\r\nb\rc",
        "<!-- c -->",
        "&#13;&#x20ac;",
        "é",
        "x<!-- -->y",
    ]);
    content.prop_recursive(5, 40, 5, |inner| {
        let tag = (word(&["a", "b", "p:a", "q:b", "é"]), prop::collection::vec(attribute(), 0..4));
        let inner = prop::collection::vec(inner, 0..5);
        (tag, inner, any::<bool>()).prop_map(|((name, attributes), inner, blank)| {
            let attributes: String = attributes.iter().map(|given| format!(" {given}")).collect();
            let end = if blank { " \n" } else { "" };
            match inner.concat() {
                inner if inner.is_empty() => format!("<{name}{attributes}{end}/>"),
                inner => format!("<{name}{attributes}{end}>{inner}</{name}{end}>"),
            }
        })
    })
}

fn document() -> impl Strategy<Value = String> {
    let head = word(&["", "<?xml version='1.0'?>", "<!-- a -->\n", "\n"]);
    let root = word(&["xmlns:p='u' xmlns:q='v'", "xmlns:p='u' xmlns:q='u' xmlns='w'", "xmlns='u'", ""]);
    (head, root, prop::collection::vec(element(), 0..4))
        .prop_map(|(head, root, inner)| format!("{head}<r {root}>{}</r>", inner.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_are_read_as_another_reader_reads_them(text in document()) {
        compare(&text);
    }

    #[test]
    fn documents_with_a_fault_are_refused_as_another_reader_refuses_them(
        text in document(),
        at in any::<prop::sample::Index>(),
        new in word(&["", "<", ">", "&", "'", "\"", "/", ":", "=", "]]>", "<!--", "-->", "\u{1}", " ", "<?", "x"]),
    ) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = places[at.index(places.len())];
        let next = text[at..].chars().next().map_or(0, char::len_utf8);
        compare(&format!("{}{new}{}", &text[..at], &text[at + next..]));
    }
}
