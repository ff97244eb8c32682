//! Random texts never panic, and random layouts, printed and parsed, keep their offsets.

use copybook::{Format, Options};
use proptest::prelude::*;

use crate::table::parse;

/// A text with most of the grammar, to be damaged.
const VALID: &str = "\
000100 01  ORDER-RECORD.
000200     05  ORDER-KEY.
000300         10  ORDER-NUMBER   PIC S9(9) COMP SYNC.
000400         10  ORDER-KIND     PIC X VALUE 'A'.
000500             88  KINDS      VALUES 'A' THRU 'C', X'F1' ZERO.
000600     05  ITEM-COUNT         PIC 9(3) COMP-3.
000700     05  ITEMS OCCURS 0 TO 20 TIMES DEPENDING ON ITEM-COUNT
000800              INDEXED BY I.
000900         10  PRICE          PIC S9(5)V99 SIGN IS LEADING SEPARATE.
001000         10  SHOWN REDEFINES PRICE PIC -(5)9.99.
001100         10  TITLE-TEXT     PIC X(30) VALUE 'a text that conti
001200-    'nues'.
001300     05  P                  USAGE POINTER.
001400 66  ALIAS RENAMES ORDER-KEY THRU ITEM-COUNT.
001500 77  LAST-ONE PIC N(4).
";

fn parse_in_all_formats(text: &str) {
    for format in [Format::Auto, Format::Fixed, Format::Free] {
        for decimal_comma in [false, true] {
            let options = Options { format, decimal_comma, ..Options::default() };
            let findings = match copybook::parse("M", text, &options) {
                Ok(parsed) => {
                    parsed.layouts.iter().for_each(check_inside);
                    parsed.warnings
                }
                Err(errors) => errors,
            };
            // A renderer of findings cuts the text at the span of a finding.
            for finding in findings {
                let span = finding.place.span.clone();
                assert!(text.get(span).is_some(), "{finding:?} of {text:?}");
            }
        }
    }
}

/// No field reaches out of the group around it.
fn check_inside(layout: &copybook::Layout) {
    for (id, field) in layout.iter() {
        let rows = field.occurs.map_or(1, |occurs| occurs.max as usize);
        let end = field.offset + field.bytes * rows;
        if let Some(parent) = field.parent.map(|parent| layout.field(parent)) {
            assert!(
                field.offset >= parent.offset && end <= parent.offset + parent.bytes,
                "{}",
                layout.path(id)
            );
        }
    }
}

proptest! {
    #[test]
    fn any_string(text in any::<String>()) {
        parse_in_all_formats(&text);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        parse_in_all_formats(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_words(words in prop::collection::vec(word(), 0..60)) {
        parse_in_all_formats(&words.join(" "));
        parse_in_all_formats(&words.join("\n           "));
    }

    #[test]
    fn any_damage(cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..20_usize, "\\PC{0,6}"), 1..6)) {
        let mut text: Vec<char> = VALID.chars().collect();
        for (at, removed, inserted) in cuts {
            let at = at.index(text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, inserted.chars());
        }
        parse_in_all_formats(&text.into_iter().collect::<String>());
    }

    #[test]
    fn any_picture(picture in "[SXA9VPZBEN0,./+$*()CRD1-3-]{1,16}") {
        parse_in_all_formats(&format!("       01  F PIC {picture}.\n"));
    }

    #[test]
    fn printed_layouts_keep_their_offsets(items in prop::collection::vec(item(3), 1..6)) {
        let mut printer = Printer::default();
        printer.text.push_str("       01  R.\n");
        let bytes = printer.group(&items, 5, 0);
        let layout = &parse(&printer.text).layouts[0];
        let found: Vec<_> = layout.fields()[1..].iter().map(|field| (field.offset, field.bytes)).collect();
        prop_assert_eq!(&found, &printer.expected, "{}", printer.text);
        prop_assert_eq!(layout.max_bytes(), bytes);
    }
}

#[test]
fn spans_of_findings_have_whole_characters() {
    parse_in_all_formats("3 PIC \u{c8}");
    parse_in_all_formats("       01  \u{c8}.\n           05  A PIC \u{20ac}9.\n");
}

#[test]
fn the_valid_text_is_valid() {
    assert_eq!(parse(VALID).layouts.len(), 2);
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "01",
        "05",
        "10",
        "66",
        "77",
        "88",
        "A",
        "B",
        "PIC",
        "X(5)",
        "S9(4)V99",
        ".",
        "COMP-3",
        "USAGE",
        "OCCURS",
        "3",
        "TO",
        "DEPENDING",
        "ON",
        "REDEFINES",
        "VALUE",
        "'a'",
        "THRU",
        "SIGN",
        "LEADING",
        "SEPARATE",
        "SYNC",
        "RENAMES",
        "COPY",
        "LINKAGE",
        "SECTION",
        "PROCEDURE",
        "DIVISION",
        "FILLER",
        "OF",
        "INDEXED",
        "BY",
        "ALL",
        "ZERO",
        "BLANK",
        "N(3)",
        "COMP-1",
        "POINTER",
        "-1.5",
        "X'0A'",
        ",",
        "IS",
    ])
    .prop_map(str::to_owned)
}

#[derive(Clone, Debug)]
enum Item {
    Elementary { clauses: String, bytes: usize },
    Group { rows: Option<usize>, items: Vec<Item> },
    View { first: Box<Item>, second: Box<Item> },
}

fn elementary() -> impl Strategy<Value = Item> {
    let item = |clauses: String, bytes| Item::Elementary { clauses, bytes };
    let binary = |digits: usize| match digits {
        1..=4 => 2,
        5..=9 => 4,
        _ => 8,
    };
    prop_oneof![
        (1..200_usize).prop_map(move |n| item(format!("PIC X({n})"), n)),
        (1..32_usize).prop_map(move |n| item(format!("PIC S9({n})"), n)),
        (1..30_usize).prop_map(move |n| item(format!("PIC S9({n})V9 SIGN LEADING SEPARATE"), n + 2)),
        (1..32_usize).prop_map(move |n| item(format!("PIC S9({n}) COMP-3"), n / 2 + 1)),
        (1..32_usize).prop_map(move |n| item(format!("USAGE COMP-6 PIC 9({n})"), n.div_ceil(2))),
        (1..19_usize).prop_map(move |n| item(format!("PIC S9({n}) BINARY"), binary(n))),
        (1..50_usize).prop_map(move |n| item(format!("PIC N({n})"), n * 2)),
        (2..20_usize).prop_map(move |n| item(format!("PIC -({n})9.99"), n + 4)),
        Just(item("COMP-2".to_owned(), 8)),
    ]
}

fn item(depth: u32) -> impl Strategy<Value = Item> {
    elementary().prop_recursive(depth, 24, 4, |inner| {
        prop_oneof![
            3 => (prop::option::of(1..5_usize), prop::collection::vec(inner.clone(), 1..4))
                .prop_map(|(rows, items)| Item::Group { rows, items }),
            1 => (inner.clone(), inner)
                .prop_map(|(first, second)| Item::View { first: Box::new(first), second: Box::new(second) }),
        ]
    })
}

/// Prints items as COBOL and works out their offsets on its own.
#[derive(Default)]
struct Printer {
    text: String,
    names: usize,
    expected: Vec<(usize, usize)>,
}

impl Printer {
    fn group(&mut self, items: &[Item], level: usize, offset: usize) -> usize {
        items.iter().fold(0, |used, item| used + self.item(item, level, offset + used, ""))
    }

    /// Prints an item; gives the bytes of all its rows.
    fn item(&mut self, item: &Item, level: usize, offset: usize, redefines: &str) -> usize {
        if let Item::View { first, second } = item {
            let name = format!("F{}", self.names + 1);
            let bytes = self.item(first, level, offset, redefines);
            let target =
                if redefines.is_empty() { format!("REDEFINES {name}") } else { redefines.to_owned() };
            return bytes.max(self.item(second, level, offset, &target));
        }
        self.names += 1;
        let head = format!("           {level:02}  F{} {redefines}\n               ", self.names);
        self.text.push_str(&head);
        let at = self.expected.len();
        self.expected.push((offset, 0));
        let (bytes, rows) = match item {
            Item::Elementary { clauses, bytes } => {
                self.text.push_str(&format!("{clauses}.\n"));
                (*bytes, 1)
            }
            Item::Group { rows, items } => {
                self.text.push_str(&rows.map_or(".\n".to_owned(), |rows| format!("OCCURS {rows} TIMES.\n")));
                (self.group(items, level + 5, offset), rows.unwrap_or(1))
            }
            Item::View { .. } => unreachable!("handled above"),
        };
        self.expected[at].1 = bytes;
        bytes * rows
    }
}
