//! Properties: what is written is a copybook whose structures are equally long, and no text panics.

use copybook::{Options, parse};
use mapset::is_source;
use proptest::prelude::*;

use crate::{made, source};

/// The most digits of a number.
const DIGITS_MAX: usize = 31;

/// A field, by its operands and the number in its name.
fn field() -> impl Strategy<Value = String> {
    let length = (1_usize..80, 0..8).prop_map(|(length, given)| {
        let digits = length.min(DIGITS_MAX);
        let output = format!("PICOUT='{}'", "Z".repeat(digits));
        match given {
            0 => format!("PICIN='X({length})'"),
            1 => output,
            2 => format!("PICIN='X({length})',LENGTH={length}"),
            3 => format!("LENGTH={digits},\n  {output}"),
            4 => format!("PICIN='9({digits})',\n  {output}"),
            _ => format!("LENGTH={length}"),
        }
    });
    let occurs = (1_usize..9).prop_map(|count| format!(",\n  OCCURS={count}"));
    let group = prop_oneof![Just(",\n  GRPNAME=GA".to_owned()), Just(",\n  GRPNAME=GB".to_owned())];
    let more = prop_oneof![3 => Just(String::new()), 1 => occurs, 1 => group];
    (length, more).prop_map(|(length, more)| format!("DFHMDF POS=(1,1),\n  {length}{more}"))
}

/// Attributes for DSATTS.
fn attributes() -> impl Strategy<Value = String> {
    let all = vec!["COLOR", "PS", "HILIGHT", "VALIDN", "OUTLINE", "SOSI", "TRANSP"];
    proptest::sample::subsequence(all, 0..=7).prop_map(|words| format!("DSATTS=({})", words.join(",")))
}

proptest! {
    #[test]
    fn both_structures_are_equally_long(
        fields in prop::collection::vec(field(), 1..20),
        attributes in attributes(),
        prefix in prop_oneof![Just("YES"), Just("NO")],
    ) {
        let fields: Vec<String> =
            fields.iter().enumerate().map(|(at, field)| format!("F{at} {field}")).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let text = made(&source(&format!("MODE=INOUT,TIOAPFX={prefix}"), &attributes, &fields))
            .expect("the source is right");
        let alone = |name: &str| {
            let from = text.find(&format!("01  MAP{name}")).expect("the structure is there");
            let to = text[from + 2..].find("01  ").map_or(text.len(), |to| from + 2 + to);
            let structure = text[from..to].trim_end().replace(" REDEFINES MAPI", "");
            let layouts = parse("MAP", &format!("       {structure}\n"), &Options::default()).expect("a copybook");
            layouts.layouts[0].max_bytes()
        };
        prop_assert_eq!(alone("I"), alone("O"), "{}", text);
    }

    #[test]
    fn lines_end_in_column_72(
        map in "QM[A-Z]{0,27}",
        base in prop_oneof![Just(None), "QB[A-Z]{0,27}".prop_map(Some)],
        attributes in attributes(),
        fields in prop::collection::vec(("QF[A-Z]{0,27}", field()), 0..4),
    ) {
        let mapset = base.as_ref().map(|base| format!(",\n  BASE={base}")).unwrap_or_default();
        let fields: String = fields.iter().map(|(name, field)| format!("{name} {field}\n")).collect();
        let text = made(&format!("S DFHMSD MODE=INOUT{mapset}\n{map} DFHMDI SIZE=(1,1),\n  {attributes}\n{fields}"));
        let text = text.expect("the source is right");
        prop_assert!(text.lines().all(|line| line.len() <= 72), "{}", text);
        let record = base.map(|base| format!("       01  {base}\n           PIC X.\n")).unwrap_or_default();
        let read = parse("MAP", &format!("{record}{text}"), &Options::default());
        prop_assert!(read.is_ok(), "{read:?}\n{text}");
    }

    #[test]
    fn no_text_panics(text in "(?s)([A-Z]{0,29} {1,3}DFHM(SD|DI|DF) {1,2}[ -~\n]{0,60}\n){0,6}.{0,40}") {
        if let Ok(map) = made(&text) {
            prop_assert!(is_source(&text), "{}", text);
            prop_assert!(map.lines().all(|line| line.chars().count() <= 72), "{}", map);
        }
    }
}
