//! XML documents that are longer than what is read of them at a time.

use dataset::{Counts, Error, Format, Output, RecordWriter, Rejected, encode_xml};
use record::XmlOptions;

use crate::{Case, Drops};

const NUMBERED: &str = "01 R. 05 N PIC 9(6). 05 T PIC X(6).";
const RECORDS: usize = 30_000;

fn read(case: &Case, document: &[u8]) -> (Vec<u8>, Vec<String>, Result<Counts, Error>) {
    let framing = case.framing(&Format::default()).expect("a framing");
    let mut writer = RecordWriter::new(Vec::new(), &framing);
    let mut faults = Vec::new();
    let mut on_reject = |rejected: &Rejected<'_>| {
        faults.push(format!("{} {}", rejected.number, rejected.error));
        Ok(())
    };
    let result = encode_xml(&case.bind, Drops(document, 9_999), &mut writer, &mut on_reject);
    (writer.finish().expect("memory"), faults, result)
}

fn file() -> Vec<u8> {
    (0..RECORDS).flat_map(|number| format!("{number:06}a<{}]>\"", number % 10).into_bytes()).collect()
}

#[test]
fn a_long_document_comes_back() {
    let file = file();
    for namespace in [None, Some("urn:x".to_owned())] {
        let case = Case::with(NUMBERED, 819, |options| {
            options.xml = XmlOptions { namespace: namespace.clone(), ..XmlOptions::default() };
        });
        let text = case.decode(&file, &Format::default(), &Output::Xml, 1, false).text;
        assert!(text.len() > 1_100_000);
        for document in [text.clone(), text.replace('\n', ""), format!("\u{feff}{text}<!-- end -->")] {
            let (back, faults, result) = read(&case, document.as_bytes());
            assert!(faults.is_empty(), "{faults:?}");
            assert_eq!(result.expect("a document").read, RECORDS as u64);
            assert!(back == file);
        }
    }
}

#[test]
fn places_are_those_of_the_document() {
    let case = Case::new(NUMBERED, 819);
    let text = case.decode(&file(), &Format::default(), &Output::Xml, 1, false).text;
    let wrong = text.replacen("<n>20000</n>", "<n>\u{e9}</n>", 1);
    // The declaration and the element around all are lines of their own.
    let line = 1 + wrong.lines().position(|line| line.contains("<n>\u{e9}</n>")).expect("the record");
    let column = wrong.lines().nth(line - 1).and_then(|line| line.find("<n>\u{e9}")).expect("the value") + 1;
    let (back, faults, result) = read(&case, wrong.as_bytes());
    assert_eq!(back.len(), 12 * (RECORDS - 1));
    assert_eq!(result.expect("a document").rejected, 1);
    assert!(faults[0].starts_with("20001 record 20001: n: "), "{}", faults[0]);
    assert!(faults[0].ends_with(&format!("(line {line}, column {column})")), "{} at {column}", faults[0]);
    // The same on one line, by its column alone.
    let flat = wrong.replace('\n', "");
    let at = flat.find("<n>\u{e9}").expect("the value");
    let (_, faults, _) = read(&case, flat.as_bytes());
    assert!(faults[0].ends_with(&format!("(line 1, column {})", at + 1)), "{} at {at}", faults[0]);
    // A fault of XML ends the run at its place.
    for (broken, place) in [
        (text.replacen("<n>20000</n>", "<n>20000</m>", 1), "line 20003, "),
        (text.replacen("</records>", "</record>", 1), ""),
        (text.replacen("</records>", "", 1), ""),
        (format!("{text}<more/>"), ""),
    ] {
        let error = read(&case, broken.as_bytes()).2.expect_err("no XML").to_string();
        assert!(error.contains(place), "{error}");
    }
    let mut bytes = text.into_bytes();
    let at = 1_100_000;
    bytes[at] = 0xFF;
    let error = read(&case, &bytes).2.expect_err("not UTF-8").to_string();
    assert!(error.starts_with(&format!("byte {at} of the text is not UTF-8 (line ")), "{error}");
}
