//! Properties of random layouts with random values: what goes in comes out, and no input is too strange.

use proptest::prelude::*;
use record::{ByteOrder, DataTruncation, EditedValue, ErrorKind, TableRoom, UnknownFields, ViewRule};

use crate::random::{Dice, RandomLayout};
use crate::value::Value;
use crate::{Case, hex, page};

const PAGES: [u16; 7] = [37, 273, 437, 819, 1047, 1140, 1252];

/// A case of a random layout, with a value for it.
struct Random {
    case: Case,
    value: Value,
    copybook: String,
}

fn random(dice: &mut Dice<'_>) -> Random {
    let ccsid = PAGES[dice.roll(PAGES.len())];
    let layout = RandomLayout::new(dice);
    let value = layout.value(dice);
    let case = Case::with(&layout.copybook, |choices| {
        choices.options.encoding = page(ccsid).into();
        choices.options.edited = EditedValue::Value;
        for name in &layout.chosen {
            choices.field(name).included = Some(true);
        }
        for (view, teller, value) in &layout.rules {
            let field = choices.layout.resolve(teller).expect("names are those of the copybook");
            let values = vec![(*value).to_owned()];
            // A request may give none of the views, and its record is decoded again.
            choices.options.unmatched_views = record::UnmatchedViews::Omit;
            choices.field(view).when = Some(ViewRule { field, values });
        }
        if dice.one_in(2) {
            choices.options.native_order = ByteOrder::Little;
        }
        if dice.one_in(4) {
            choices.options.table_room = TableRoom::Full;
        }
        if dice.one_in(2) {
            choices.options.unknown_fields = UnknownFields::Ignore;
        }
        if dice.one_in(4) {
            choices.options.data_truncation = DataTruncation::Accept;
        }
    });
    Random { case, value, copybook: layout.copybook }
}

fn rolls() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<u32>(), 0..1_500)
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() }
}

/// Bytes with some of them changed, taken out, put in or said twice.
pub(crate) fn mutated(mut bytes: Vec<u8>, pieces: &[&[u8]], dice: &mut Dice<'_>) -> Vec<u8> {
    for _ in 0..1 + dice.roll(3) {
        let at = dice.roll(bytes.len() + 1);
        let end = (at + dice.roll(8)).min(bytes.len());
        match dice.roll(5) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let said = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, said));
            }
            3 => {
                let piece = pieces[dice.roll(pieces.len())];
                drop(bytes.splice(at..at, piece.iter().copied()));
            }
            _ => {
                let byte = dice.roll(256) as u8;
                drop(bytes.splice(at..end.min(at + 1), [byte]));
            }
        }
    }
    bytes
}

/// Pieces of JSON that are interesting where they do not belong.
const JSON_PIECES: [&[u8]; 24] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"-",
    b"0",
    b"1e999999",
    b".5",
    b"e+",
    b"null",
    b"true",
    b"\"x\":[{\"y\":null}],",
    b"\\u00e9",
    b"\\ud83d",
    b"\\ude00",
    b"\\ud83d\\ude00",
    b"\xC3\xA9",
    b"\xFF",
    b"\xEF\xBB\xBF",
    b"99999999999999999999999999999999999999999",
];

/// Bytes that are digits, signs, blanks, or counters out of range.
const RECORD_PIECES: [&[u8]; 8] =
    [b"\xF0", b"\x40", b"\x20", b"\x00", b"\xFF", b"\x0C", b"\xF9\xF9", b"\x00\x00\x00\x00\x00\x00"];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_encoded_is_decoded(rolls in rolls()) {
        let mut dice = Dice::new(&rolls);
        let Random { case, value, copybook } = random(&mut dice);
        let plain = value.plain();
        let record = case.encode(&plain);
        prop_assert!(record.is_ok(), "{record:?}\n{plain}\n{copybook}");
        let record = record.expect("checked");
        prop_assert!(record.len() / 2 <= case.bind.max_bytes());
        prop_assert!(!case.bind.is_fixed() || record.len() / 2 == case.bind.max_bytes());
        prop_assert_eq!(case.decode(&record), Ok(plain.clone()), "{}\n{}", &record, &copybook);

        let varied = value.varied(&mut dice);
        prop_assert_eq!(case.encode(&varied), Ok(record), "{}\n{}\n{}", varied, plain, copybook);
    }

    #[test]
    fn slots_agree_with_json(rolls in rolls()) {
        let mut dice = Dice::new(&rolls);
        let Random { case, value, copybook } = random(&mut dice);
        let mut record = Vec::new();
        case.bind.encode(value.plain().as_bytes(), &mut record).expect("checked elsewhere");
        let Value::Object(members) = &value else { unreachable!("a record is an object") };
        for (name, value) in members {
            let expected = match value {
                Value::Text(text) => text.clone(),
                Value::Number { .. } => value.plain(),
                _ => continue,
            };
            let id = case.layout.resolve(name).expect("names are those of the copybook");
            let slot = case.bind.slot(&case.layout, id, &case.options).expect("no table is around it");
            let found = case.bind.get(&slot, &record);
            prop_assert_eq!(found.as_ref(), Ok(&expected), "{} of {}\n{}", name, hex(&record), copybook);
            let mut alone = Vec::new();
            case.bind.start(&mut alone);
            prop_assert_eq!(case.bind.set(&slot, &expected, &mut alone), Ok(()));
            case.bind.finish(&mut alone).expect("counters are as they were");
            let found = case.bind.get(&slot, &alone);
            prop_assert_eq!(found.as_ref(), Ok(&expected), "{} set alone\n{}", name, copybook);
        }
    }

    #[test]
    fn whatever_a_record_holds_its_json_is_valid_and_means_the_same(rolls in rolls()) {
        let mut dice = Dice::new(&rolls);
        let Random { case, value, copybook } = random(&mut dice);
        let mut record = Vec::new();
        case.bind.encode(value.plain().as_bytes(), &mut record).expect("checked elsewhere");
        let record = hex(&mutated(record, &RECORD_PIECES, &mut dice));
        let Ok(json) = case.decode(&record) else { return Ok(()) };
        let valid = serde_json::from_str::<serde::de::IgnoredAny>(&json);
        prop_assert!(valid.is_ok(), "{json} of {record}\n{copybook}");
        let again = case.encode(&json);
        if case.options.data_truncation == DataTruncation::Accept {
            // Rows that were cut off are not in the JSON; some tables must have them, the others get initial ones.
            let kind = again.err().map(|error| error.kind);
            prop_assert!(matches!(kind, None | Some(ErrorKind::RowCount)), "{kind:?}: {json}\n{copybook}");
            return Ok(());
        }
        prop_assert!(again.is_ok(), "{again:?} {json} of {record}\n{copybook}");
        prop_assert_eq!(case.decode(&again.expect("checked")), Ok(json), "{}\n{}", &record, &copybook);
    }

    #[test]
    fn bytes_of_any_kind_do_no_harm(rolls in rolls(), record in prop::collection::vec(any::<u8>(), 0..200)) {
        let Random { case, .. } = random(&mut Dice::new(&rolls));
        let mut json = Vec::new();
        if case.bind.decode(&record, &mut json).is_ok() {
            prop_assert!(serde_json::from_slice::<serde::de::IgnoredAny>(&json).is_ok());
        } else {
            prop_assert!(json.is_empty());
        }
        // As JSON they are hardly ever anything; that they are read at all without harm is the point.
        let mut encoded = Vec::new();
        let is_object = serde_json::from_slice::<serde_json::Map<_, _>>(&record).is_ok();
        prop_assert!(is_object || case.bind.encode(&record, &mut encoded).is_err());
    }

    #[test]
    fn what_is_json_is_what_serde_json_takes(rolls in rolls()) {
        let mut dice = Dice::new(&rolls);
        let Random { case, value, copybook } = random(&mut dice);
        let text = if dice.one_in(2) { value.plain() } else { value.varied(&mut dice) };
        let json = mutated(text.into_bytes(), &JSON_PIECES, &mut dice);
        let mut record = Vec::new();
        let ours = case.bind.encode(&json, &mut record).map_err(|error| error.kind);
        let shown = String::from_utf8_lossy(&json);
        match (&ours, serde_json::from_slice::<serde_json::Value>(&json)) {
            (Ok(()), Err(error)) => prop_assert!(is_too_large(&error), "{error}: {shown}\n{copybook}"),
            (Err(ErrorKind::Syntax), found) => prop_assert!(found.is_err(), "{ours:?}: {shown}\n{copybook}"),
            _ => {}
        }
    }
}

/// A number that serde_json cannot keep, but which is JSON.
fn is_too_large(error: &serde_json::Error) -> bool {
    error.to_string().starts_with("number out of range")
}
