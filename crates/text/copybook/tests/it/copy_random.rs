//! Random COPY and REPLACE: no panic, and the same words as a naive replacement gives.

use copybook::{MAX_EXPANDED_BYTES, Options};
use proptest::prelude::*;

use crate::copy::copied;

fn piece() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "COPY",
        "M",
        "N",
        "OF",
        "IN",
        "REPLACING",
        "REPLACE",
        "BY",
        "==",
        "==:T:==",
        ":T:",
        "LEADING",
        "TRAILING",
        "OFF",
        "ALSO",
        "LAST",
        "SUPPRESS",
        ".",
        "(",
        ")",
        ":",
        ",",
        "'a'",
        "'",
        "X'00'",
        "01",
        "05",
        "A",
        "A-B",
        "PIC",
        "X(3)",
        "9,99",
        "EXEC",
        "SQL",
        "INCLUDE",
        "END-EXEC",
        "++INCLUDE",
        "-INC",
        "78",
        "VALUE",
        "&",
        "66",
        "RENAMES",
        "THRU",
        "CONSTANT",
        "CURRENCY",
        "ä",
        "*> c",
        "\n      -    ",
        "\n",
        "\n           ",
    ])
    .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| format!("       {}", pieces.join(" ")))
}

/// A word of a simple text: no separator in it, none that begins a statement.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["A", "b", "AB", "A-B", "B-A", "C1", "'A'", "'b'", "9", "a"])
        .prop_map(str::to_owned)
}

fn words(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(word(), count)
}

/// COBOL's rule, by trying every pair at every word.
fn naive(text: &[String], pairs: &[(Vec<String>, Vec<String>)]) -> Vec<String> {
    let same = |a: &String, b: &String| if a.contains('\'') { a == b } else { a.eq_ignore_ascii_case(b) };
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let fits = pairs.iter().find(|(from, _)| {
            text.len() - at >= from.len() && text[at..].iter().zip(from).all(|(a, b)| same(a, b))
        });
        match fits {
            Some((from, to)) => {
                found.extend(to.iter().cloned());
                at += from.len();
            }
            None => {
                found.push(text[at].clone());
                at += 1;
            }
        }
    }
    found
}

/// The values of a condition whose list is a text of literals, so that a layout shows the words.
fn shown(words: &[String]) -> Vec<String> {
    words.iter().map(|word| word.trim_matches('\'').to_owned()).collect()
}

proptest! {
    #[test]
    fn any_statements(main in text(), member in text(), other in text()) {
        let members = [("M", member.as_str()), ("N", other.as_str())];
        if let Ok(parsed) = copied(&main, &members) {
            for layout in &parsed.layouts {
                for (_, field) in layout.iter() {
                    prop_assert!(field.place.file < parsed.files.len());
                }
            }
        }
    }

    #[test]
    fn any_member(main in ".{0,60}", member in ".{0,60}") {
        let text = format!("       COPY M REPLACING =={main}== BY =={member}==.\n");
        let _ = copied(&text, &[("M", &member)]);
        let _ = copied(&format!("       COPY M.\n{main}"), &[("M", &format!("           {member}"))]);
    }

    #[test]
    fn replacing_agrees_with_the_naive_way(
        member in words(1..30),
        pairs in prop::collection::vec((words(1..4), words(0..4)), 1..5),
        separators in prop::collection::vec(prop::sample::select(vec![" ", "  ", ", ", "\n           "]), 30),
    ) {
        // The values of a level 88 show the resulting words.
        let quoted = |word: &String| format!("'{}'", word.trim_matches('\'').replace('-', "_"));
        let literal = |words: &[String]| words.iter().map(quoted).collect::<Vec<_>>();
        let member = literal(&member);
        let pairs: Vec<_> = pairs.iter().map(|(from, to)| (literal(from), literal(to))).collect();
        let expected = naive(&member, &pairs);
        let list: String = member.iter().zip(&separators).map(|(word, separator)| format!("{word}{separator}")).collect();
        let phrase: String =
            pairs.iter().map(|(from, to)| format!("               =={}== BY =={}==\n", from.join(" "), to.join(" "))).collect();
        let text = format!(">>SOURCE FREE\n       01  R PIC X.\n           88  L VALUES\n           COPY M REPLACING\n{phrase}           .\n           .\n");
        let parsed = copied(&text, &[("M", &format!(">>SOURCE FREE\n {list}\n"))]);
        match parsed {
            Ok(parsed) => {
                let values = &parsed.layouts[0].root().conditions[0].values;
                let found: Vec<String> = values.iter().map(|(value, _)| match value {
                    copybook::Literal::Text(text) => text.clone(),
                    other => format!("{other:?}"),
                }).collect();
                prop_assert_eq!(found, shown(&expected));
            }
            Err(found) => prop_assert!(expected.is_empty(), "{:?}", found),
        }
    }

    #[test]
    fn names_agree_with_the_naive_way(
        member in prop::collection::vec(prop::sample::select(vec!["A", "b", "AB", "A-B", "B-A", "C1", "a"]), 1..20),
        pairs in prop::collection::vec((0..7_usize, 0..7_usize), 1..5),
    ) {
        let words = ["A", "b", "AB", "A-B", "B-A", "C1", "a"].map(str::to_owned);
        let pairs: Vec<_> =
            pairs.iter().map(|(from, to)| (vec![words[*from].clone()], vec![words[*to].clone()])).collect();
        let expected = naive(&member.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), &pairs);
        let entries: String = member.iter().map(|name| format!("           05  {name} PIC X.\n")).collect();
        let phrase: String = pairs.iter().map(|(from, to)| format!(" {} BY =={}==\n           ", from[0], to[0])).collect();
        let text = format!("       01  R.\n           COPY M REPLACING{phrase}.\n");
        let parsed = copied(&text, &[("M", &entries)]).expect("a layout");
        let found: Vec<_> = parsed.layouts[0].fields()[1..].iter().map(|field| field.spelling.clone()).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn hostile_statements_end_soon() {
    let pieces = [
        "COPY A REPLACING B (",
        "COPY A REPLACING == ",
        "COPY A REPLACING ==A== BY ==B== ",
        "COPY A ",
        "REPLACE ==A== BY ==A A==. A ",
        "REPLACE OFF. A ",
        "REPLACE ALSO ==A== BY ==B==. ",
        "EXEC SQL INCLUDE ",
        "78 A VALUE 1. 01 B PIC X(A). ",
        "(((( ",
        "A:B:",
        "01 A PIC X VALUE 'a' & ",
    ];
    for piece in pieces {
        let text = format!(">>SOURCE FREE\n{}", piece.repeat(400_000 / piece.len()));
        let _ = copybook::parse("M", &text, &Options::default());
        let _ = copied(&text, &[("A", "05 A PIC X.\n")]);
    }
}

#[test]
fn many_members_cost_what_their_text_costs() {
    let member = format!("{}\n", "           05  :T:-FIELD PIC X(10).\n".repeat(100));
    let copy = "           COPY M REPLACING ==:T:== BY ==CUST==.\n".repeat(400);
    assert!(member.len() * 400 < MAX_EXPANDED_BYTES);
    let parsed = copied(&format!("       01  R.\n{copy}"), &[("M", &member)]).expect("a layout");
    assert_eq!(parsed.layouts[0].max_bytes(), 400_000);
    assert_eq!(parsed.files.len(), 401);
}
