//! Any bytes as what EXEC CICS DOCUMENT reads: lists of symbols, templates that include each other, retrieved documents. What was
//! retrieved is read back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use program::documents::{Document, From, Symbols, fill, from};

/// More than any template here should grow to.
const MOST: usize = 100_000;

fuzz_target!(|given: (&[u8], &[u8], &[u8], Option<u8>, bool)| {
    let (list, template, other, delimiter, is_escaped) = given;
    let mut symbols = Symbols::default();
    let _ = symbols.set_list(list, delimiter, is_escaped);
    let filled = fill(template, &mut symbols, &mut |_| Some(other.to_vec()), MOST);
    assert!(filled.is_ok_and(|text| text.len() <= MOST) || !template.is_empty());
    if let Ok(From::Pieces(pieces)) = from(template) {
        let mut document = Document::default();
        document.insert(pieces, None, None).expect("marks are of different bookmarks");
        let same = |bytes: &[u8], _: Option<u16>| Ok::<_, ()>(bytes.to_vec());
        let retrieved = document.retrieved(true, same).expect("no fault");
        assert_eq!(retrieved.len(), document.bytes());
        assert!(from(&retrieved).is_ok());
    }
});
