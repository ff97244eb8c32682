//! Faults: the blame, the status, and the style of the words.

use codepage::CodePage;
use failure::{Code, Failure};
use record::{Bind, Format, Options};
use soap::{FaultStyle, Heard, Trouble, Version, Versions, WebService};

use crate::{ADD, S11, S12, envelope, fault, fault_of, service, taken_by};

#[test]
fn every_failure_has_its_status_and_its_code() {
    let service = service(Versions::All);
    for code in Code::ALL {
        let own = code.status().as_u16();
        let trouble = Trouble::from(Failure::with_details(*code, "<why> & \u{1}where"));
        for version in [Version::Soap11, Version::Soap12] {
            let heard = Heard { version: Some(version), reply: None };
            let (status, text) = fault_of(&service, &heard, &trouble);
            let expected = match (own, version) {
                (401..=499 | 501, _) => own,
                (400, Version::Soap12) => 400,
                _ => 500,
            };
            assert_eq!(status, expected, "{code:?}");
            assert!(text.contains(code.as_str()), "{text}");
        }
    }
    let stopped = Trouble::from(Failure::new(Code::Stopped));
    let (status, text) = fault_of(&service, &Heard::default(), &stopped);
    assert!(status == 404 && text.contains("SOAP-ENV:Server"), "{text}");
}

#[test]
fn the_detail_has_the_place_and_is_short() {
    let (_, text) = fault(&envelope(S11, "", &ADD.replace("7", "\n77777")));
    for part in ["<field>number_of</field>", "<line>1</line>", "<requestId>r-1</requestId>"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let trouble = Trouble::from(Failure::with_details(Code::BadRecord, "\u{e4}".repeat(100_000)));
    let (_, text) = fault_of(&service(Versions::All), &Heard::default(), &trouble);
    assert!(text.len() < soap::FAULT_DETAIL_BYTES_MAX + 1_000, "{}", text.len());
}

#[test]
fn conditions_are_those_of_cics() {
    for (from, to, condition) in [
        (">7<", ">77777<", "OUTPUT_OVERFLOW"),
        (">7<", ">-7<", "NEGATIVE_UNSIGNED"),
        (">7<", ">7.5<", "NO_FRACTION_DIGITS"),
        (">7<", ">seven<", "INVALID_CHARACTER"),
        ("hello", "hello, world", "OUTPUT_OVERFLOW"),
        ("hello", "\u{4e16}", "INVALID_CHARACTER"),
    ] {
        let (_, text) = fault(&envelope(S12, "", &ADD.replace(from, to)));
        assert!(text.contains(&format!("<condition>{condition}</condition>")), "{text}");
        assert!(text.contains("Conversion from SOAP failed"), "{text}");
    }
}

/// The words for values in records, and for values that forms of fields refuse.
#[test]
fn the_cause_of_a_fault_has_its_word() {
    let copybook = "       01 R.\n       05 B PIC X(2).\n       05 H PIC X(2).\n       05 D PIC 9V9.\n       05 P PIC S9(3) COMP-3.\n";
    let parsed = copybook::parse("R.cpy", copybook, &copybook::Options::default()).expect("a copybook");
    let layout = &parsed.layouts[0];
    let mut options = Options::new(CodePage::by_ccsid(37).expect("CCSID 37"));
    for (field, format) in [("B", Format::Base64), ("H", Format::Hex)] {
        options.fields.entry(layout.resolve(field).expect(field)).or_default().format = Some(format);
    }
    let bind = Bind::compile(layout, &options).expect("a bind");
    let word = |trouble: Trouble| trouble.place.condition;
    for (json, condition) in [
        (r#"{"b":"?"}"#, "INVALID_BASE64"),
        // The word base64 in a value is not the cause.
        (r#"{"b":7,"h":"base64"}"#, "INVALID_CHARACTER"),
        (r#"{"h":"012"}"#, "ODD_HEX_DIGITS"),
        (r#"{"h":"zz"}"#, "INVALID_CHARACTER"),
        (r#"{"d":1.25}"#, "FRACTION_TOO_LONG"),
        (r#"{"d":12}"#, "OUTPUT_OVERFLOW"),
    ] {
        let error = bind.encode(json.as_bytes(), &mut Vec::new()).expect_err(json);
        assert_eq!(word(Trouble::of_request(&error)), Some(condition), "{json}");
    }
    for (record, condition) in [
        (&[0, 0, 0, 0, 0xF0, 0xF0, 0xAB, 0xCD][..], "INVALID_PACKED_DEC"),
        (&[0, 0, 0, 0, 0x0F, 0xF0, 0, 0x0C], "INVALID_CHARACTER"),
        (&[0], "INVALID_FIELD_SIZE"),
    ] {
        let error = bind.decode(record, &mut Vec::new()).expect_err("a bad record");
        assert_eq!(word(Trouble::of_response(&error)), Some(condition), "{record:?}");
    }
}

#[test]
fn the_words_of_cics_blame_the_server() {
    let service = WebService { faults: FaultStyle::Cics, ..service(Versions::All) };
    let (heard, taken) = taken_by(&service, &envelope(S12, "", &ADD.replace(">7<", ">77777<")));
    let (status, text) = fault_of(&service, &heard, &taken.expect_err("too large"));
    assert_eq!(status, 500);
    assert!(text.contains("<SOAP-ENV:Value>SOAP-ENV:Receiver</SOAP-ENV:Value>"), "{text}");
    let message = "<CICSFault xmlns=\"http://www.ibm.com/software/htp/cics/WSFault\">DFHPI1009 XML to data transformation \
                   failed. A conversion error (OUTPUT_OVERFLOW) occurred when converting field number_of for WEBSERVICE \
                   NOTES.</CICSFault>";
    assert!(text.contains(message), "{text}");
    // Other faults are still the client's.
    let (heard, taken) = taken_by(&service, &envelope(S12, "", "<unknown/>"));
    let (status, text) = fault_of(&service, &heard, &taken.expect_err("unknown"));
    assert!(status == 400 && text.contains("Operation not part of web service"), "{text}");
}
