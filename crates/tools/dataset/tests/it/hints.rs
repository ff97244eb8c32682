//! Hints: each format is recognised where another one was tried, and right files give none.

use dataset::{Format, Look, RecordFormat};

use crate::{Case, write_all};

fn records() -> Vec<Vec<u8>> {
    let texts = ["GANTRY LIFTS RECORDS", "INTO TODAY", "AND BACK AGAIN 12345"];
    let page = codepage::CodePage::by_ccsid(37).expect("CCSID 37");
    texts
        .map(|text| {
            let mut bytes = Vec::new();
            page.encode(&format!("{text:<30}"), &mut bytes).expect("characters of the page");
            bytes
        })
        .to_vec()
}

fn hint(file: &[u8], tried: RecordFormat) -> Option<String> {
    let case = Case::new("01 R PIC X(30).", 37);
    Look { first: file, bytes: Some(file.len() as u64) }.format_hint(&case.layout, tried)
}

#[test]
fn formats() {
    let case = Case::new("01 R PIC X(30).", 37);
    let formats = [
        (RecordFormat::Fixed, None, "try --recfm fb"),
        (RecordFormat::Variable, None, "try --recfm vb"),
        (RecordFormat::Variable, Some(100), "try --recfm vb --bdw"),
        (RecordFormat::Spanned, Some(50), "try --recfm vbs --bdw"),
        (RecordFormat::Lines, None, "try --recfm lines"),
        (RecordFormat::GnuCobol, None, "try --recfm gnucobol"),
        (RecordFormat::LittleEndian, None, "try --recfm rdw-le"),
    ];
    for (recfm, block_bytes, expected) in formats {
        let format = Format { recfm, block_words: block_bytes.is_some(), block_bytes, ..Format::default() };
        let file = write_all(&records(), &case.framing(&format).expect("a framing")).expect("room");
        for tried in [RecordFormat::Fixed, RecordFormat::Variable, RecordFormat::Lines] {
            let hint = hint(&file, tried);
            if tried == recfm && block_bytes.is_none() {
                assert_eq!(hint, None, "{recfm} is right");
            } else {
                let hint = hint.unwrap_or_default();
                assert!(hint.ends_with(expected), "{recfm} tried as {tried}: {hint}");
            }
        }
    }
    let segments = b"\0\x08\x01\0\xc1\xc2\xc3\xc4\0\x06\x02\0\xc5\xc6";
    assert!(hint(segments, RecordFormat::Fixed).is_some_and(|hint| hint.ends_with("--recfm vbs")));
    let counted = Case::new("01 R. 05 N PIC 9. 05 T PIC X(3) OCCURS 1 TO 3 DEPENDING ON N.", 37);
    let look = Look { first: b"\xf1\xc1\xc2\xc3\x40\x40\x40\x40\x40\x40", bytes: Some(10) };
    let hint_of = look.format_hint(&counted.layout, RecordFormat::Counted);
    assert!(hint_of.is_some_and(|hint| hint.ends_with("try --recfm fb --lrecl 10")));
    assert_eq!(hint(b"", RecordFormat::Fixed), None);
    assert_eq!(hint(b"\0\0\0\0", RecordFormat::Variable), None);
}

#[test]
fn data_without_a_name_is_not_lost_in_silence() {
    let text =
        "01 R. 05 A PIC S9(3) COMP-3. 05 FILLER PIC X(4). 05 B PIC X(2). 05 FILLER REDEFINES B PIC 99.";
    let with = |filler: record::Filler, file: &[u8]| {
        let case = Case::with(text, 37, |options| options.filler = filler);
        let framing = case.framing(&Format::default()).expect("a framing");
        Look { first: file, bytes: None }.lost_hint(&case.bind, &case.layout, &framing)
    };
    let lost = |file: &[u8]| with(record::Filler::Hide, file);
    let blank = b"\x12\x3C\x40\x40\x40\x40\xC1\xC2";
    let unsigned = b"\x12\x3F\x40\x40\x40\x40\xF1\xC2";
    let full = b"\x12\x3C\x40\xC1\x40\x40\xC1\xC2";
    assert_eq!(lost(blank), None);
    assert_eq!(lost(unsigned), None, "another half byte for the sign is no data");
    let told = "the FILLER at offset 2 has data that the output leaves out; --filler shows it";
    assert_eq!(lost(full).as_deref(), Some(told));
    assert_eq!(lost(&[&blank[..], full].concat()).as_deref(), Some(told));
    assert_eq!(lost(&[&blank[..], &full[..7]].concat()), None, "the last one is not whole");
    assert_eq!(with(record::Filler::Expose, full), None);
}

#[test]
fn pages() {
    let (ebcdic, ascii) = (Case::new("01 R PIC X(30).", 37), Case::new("01 R PIC X(30).", 819));
    let page_hint = |case: &Case, first: &[u8]| Look { first, bytes: None }.page_hint(&case.options);
    let text = b"GANTRY LIFTS RECORDS INTO TODAY";
    assert!(page_hint(&ebcdic, text).is_some_and(|hint| hint.contains("--ccsid 1252")));
    assert!(page_hint(&ascii, &records()[0]).is_some_and(|hint| hint.contains("--ccsid 37")));
    assert_eq!(page_hint(&ascii, text), None);
    assert_eq!(page_hint(&ebcdic, &records()[0]), None);
    assert_eq!(page_hint(&ebcdic, b"short"), None);
}
