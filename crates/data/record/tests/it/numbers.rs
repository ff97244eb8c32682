//! Numbers of every form, exactly, both ways, and bytes that are not numbers.

use record::ErrorKind::{BadData, OutOfRange, Syntax, WrongType};

use crate::{Case, check};

/// Each line: the clauses of the only field, its value, its bytes.
#[track_caller]
fn check_all(ccsid: u16, cases: &[(&str, &str, &str)]) {
    for (clauses, value, record) in cases {
        let case = Case::in_page(&format!("01 R. 05 N PIC {clauses}."), ccsid);
        case.check(&format!(r#"{{"n":{value}}}"#), record);
    }
}

/// Each line: the clauses, and bytes that are read as the value, which is written otherwise.
#[track_caller]
fn check_read(ccsid: u16, cases: &[(&str, &str, &str)]) {
    for (clauses, record, value) in cases {
        let case = Case::in_page(&format!("01 R. 05 N PIC {clauses}."), ccsid);
        case.check_decode(record, &format!(r#"{{"n":{value}}}"#));
        assert_ne!(case.encode(&format!(r#"{{"n":{value}}}"#)).as_deref(), Ok(*record), "{clauses} {record}");
    }
}

#[test]
fn ibm_vectors() {
    check_all(
        37,
        &[
            ("S9999", "-1234", "F1F2F3D4"),
            ("S9999", "1234", "F1F2F3C4"),
            ("9999", "1234", "F1F2F3F4"),
            ("S9999 SIGN LEADING", "-1234", "D1F2F3F4"),
            ("S9999 SIGN LEADING", "1234", "C1F2F3F4"),
            ("S9999 SIGN TRAILING SEPARATE", "-1234", "F1F2F3F460"),
            ("S9999 SIGN TRAILING SEPARATE", "1234", "F1F2F3F44E"),
            ("S9999 SIGN LEADING SEPARATE", "-1234", "60F1F2F3F4"),
            ("S9999 SIGN LEADING SEPARATE", "1234", "4EF1F2F3F4"),
            ("S9999 COMP", "-1234", "FB2E"),
            ("S9999 COMP", "1234", "04D2"),
            ("S9999 COMP-3", "-1234", "01234D"),
            ("S9999 COMP-3", "1234", "01234C"),
            ("9999 COMP-3", "1234", "01234F"),
        ],
    );
}

#[test]
fn zoned_in_ascii() {
    for ccsid in [437, 819, 1252] {
        check_all(
            ccsid,
            &[
                ("9(4)", "1234", "31323334"),
                ("S9(4)", "1234", "31323344"),
                ("S9(4)", "-1234", "3132334D"),
                ("S9(4)", "1230", "3132337B"),
                ("S9(4)", "-1230", "3132337D"),
                ("S9(4) SIGN LEADING", "-1234", "4A323334"),
                ("S9(4) SIGN LEADING", "0", "7B303030"),
                ("S9(4) SIGN TRAILING SEPARATE", "-1234", "313233342D"),
                ("S9(4) SIGN LEADING SEPARATE", "1234", "2B31323334"),
            ],
        );
        // As GnuCOBOL writes them: a plain digit is plus, 70 to 79 are minus.
        check_read(ccsid, &[("S9(2)", "3132", "12"), ("S9(2)", "3172", "-12"), ("S9(2)", "3170", "-10")]);
    }
}

#[test]
fn every_sign_letter() {
    for digit in 0..10u8 {
        for (negative, ebcdic, ascii) in [
            (false, 0xC0, b"{ABCDEFGHI"[usize::from(digit)]),
            (true, 0xD0, b"}JKLMNOPQR"[usize::from(digit)]),
        ] {
            let value = format!("{}1{digit}", if negative { "-" } else { "" });
            check_all(37, &[("S99", &value, &format!("F1{:02X}", ebcdic + digit))]);
            check_all(437, &[("S99", &value, &format!("31{ascii:02X}"))]);
        }
    }
}

#[test]
fn packed() {
    check_all(
        37,
        &[
            ("9 COMP-3", "7", "7F"),
            ("S9 COMP-3", "-7", "7D"),
            ("S9(2) COMP-3", "12", "012C"),
            ("S9(3) COMP-3", "-999", "999D"),
            ("S9(7)V99 PACKED-DECIMAL", "-1234567.89", "123456789D"),
            ("S9(7)V99 PACKED-DECIMAL", "0.01", "000000001C"),
            ("9(3) COMP-6", "123", "0123"),
            ("9(4) COMP-6", "9876", "9876"),
            ("9(2)V9 COMP-6", "12.5", "0125"),
        ],
    );
}

#[test]
fn binary() {
    check_all(
        37,
        &[
            ("9(4) COMP", "9999", "270F"),
            ("S9(4) COMP", "-9999", "D8F1"),
            ("9(5) COMP", "99999", "0001869F"),
            ("S9(9) BINARY", "-999999999", "C4653601"),
            ("9(10) COMP-4", "9999999999", "00000002540BE3FF"),
            ("S9(18) COMP", "-999999999999999999", "F21F494C589C0001"),
            ("S9(4) COMP-5", "-32768", "8000"),
            ("S9(4) COMP-5", "32767", "7FFF"),
            ("9(4) COMP-5", "65535", "FFFF"),
            ("S9(9) COMP-5", "-2147483648", "80000000"),
            ("9(9) COMP-5", "4294967295", "FFFFFFFF"),
            ("S9(18) COMP-5", "-9223372036854775808", "8000000000000000"),
            ("9(18) COMP-5", "18446744073709551615", "FFFFFFFFFFFFFFFF"),
            ("S9(3)V9 COMP", "-12.5", "FF83"),
        ],
    );
}

#[test]
fn scales() {
    check_all(
        37,
        &[
            ("9(3)V99", "1.5", "F0F0F1F5F0"),
            ("9(3)V99", "100", "F1F0F0F0F0"),
            ("9(3)V99", "0.05", "F0F0F0F0F5"),
            ("9(3)V99", "0", "F0F0F0F0F0"),
            ("S9V9(4)", "-0.0001", "F0F0F0F0D1"),
            ("V99", "0.25", "F2F5"),
            ("99PPP", "12000", "F1F2"),
            ("99PPP", "0", "F0F0"),
            ("S99PPP COMP-3", "-99000", "099D"),
            ("VPP99", "0.0012", "F1F2"),
            ("SVPP9 COMP-3", "-0.007", "7D"),
            ("S9(3)PP COMP", "-100", "FFFF"),
        ],
    );
}

#[test]
fn thirty_one_digits_are_exact() {
    let greatest = "9".repeat(31);
    check_all(
        37,
        &[
            ("9(31)", &greatest, &"F9".repeat(31)),
            ("S9(31) COMP-3", &format!("-{greatest}"), &format!("{greatest}D")),
            ("S9(31) COMP-3", "1234567890123456789012345678901", "1234567890123456789012345678901C"),
            ("S9(20)V9(11)", "-0.00000000001", &format!("{}D1", "F0".repeat(30))),
            ("9(19)", "9223372036854775808", "F9F2F2F3F3F7F2F0F3F6F8F5F4F7F7F5F8F0F8"),
            ("S9(19) SIGN LEADING", "-9000000000000000001", &format!("D9{}F1", "F0".repeat(17))),
            ("9(20)", "18446744073709551616", "F1F8F4F4F6F7F4F4F0F7F3F7F0F9F5F5F1F6F1F6"),
        ],
    );
}

#[test]
fn signs_that_are_accepted() {
    for zone in ["A", "C", "E", "F"] {
        let case = Case::new("01 R. 05 N PIC S99. 05 P PIC S9 COMP-3.");
        case.check_decode(&format!("F1{zone}2 3{zone}"), r#"{"n":12,"p":3}"#);
    }
    for zone in ["B", "D"] {
        let case = Case::new("01 R. 05 N PIC S99. 05 P PIC S9 COMP-3.");
        case.check_decode(&format!("F1{zone}2 3{zone}"), r#"{"n":-12,"p":-3}"#);
    }
    // A minus zero is zero, and an unsigned field may carry a plus.
    check_read(
        37,
        &[("S99", "F0D0", "0"), ("99", "F1C2", "12"), ("99", "F1A2", "12"), ("9 COMP-3", "7C", "7")],
    );
    check_read(37, &[("S9 COMP-3", "0D", "0"), ("9 COMP-3", "0D", "0")]);
    check_read(37, &[("S99 SIGN LEADING", "F1F2", "12"), ("S99 SIGN LEADING", "B1F2", "-12")]);
    check_read(37, &[("S99 SIGN LEADING SEPARATE", "60F0F0", "0")]);
}

#[test]
fn bytes_that_are_no_number() {
    let cases = [
        ("PIC 99", "40F1", "the bytes 40 F1 are not a number of the field's type"),
        ("PIC 99", "F140", "the bytes F1 40 are not a number of the field's type"),
        ("PIC 99", "0000", "the bytes 00 00 are not a number of the field's type"),
        ("PIC 99", "F1D2", "the bytes F1 D2 are not a number of the field's type"),
        ("PIC 99", "F1FA", "the bytes F1 FA are not a number of the field's type"),
        ("PIC S99", "F192", "the bytes F1 92 are not a number of the field's type"),
        ("PIC S99", "C1F2", "the bytes C1 F2 are not a number of the field's type"),
        ("PIC S9 SIGN LEADING SEPARATE", "40F1", "the bytes 40 F1 are not a number of the field's type"),
        ("PIC S9 SIGN TRAILING SEPARATE", "F140", "the bytes F1 40 are not a number of the field's type"),
        ("PIC S999 COMP-3", "1A3C", "the bytes 1A 3C are not a number of the field's type"),
        ("PIC S999 COMP-3", "12AC", "the bytes 12 AC are not a number of the field's type"),
        ("PIC S999 COMP-3", "1234", "the bytes 12 34 are not a number of the field's type"),
        ("PIC 999 COMP-3", "123D", "the bytes 12 3D are not a number of the field's type"),
        ("PIC 9(4) COMP-6", "12F4", "the bytes 12 F4 are not a number of the field's type"),
        ("PIC S99 COMP-3", "123C", "the number 123, in bytes 12 3C, is not between -99 and 99"),
        ("PIC 9(3) COMP-6", "1234", "the number 1234, in bytes 12 34, is not between 0 and 999"),
        ("PIC S9(4) COMP", "2710", "the number 10000, in bytes 27 10, is not between -9999 and 9999"),
        ("PIC S9(2)V99 COMP", "D8F0", "the number -100, in bytes D8 F0, is not between -99.99 and 99.99"),
        ("PIC 9(4) COMP", "FFFF", "the number 65535, in bytes FF FF, is not between 0 and 9999"),
    ];
    for (clauses, field, message) in cases {
        let case = Case::new(&format!("01 R. 05 A PIC XXX. 05 G. 10 N {clauses}."));
        case.refuse_record(&format!("404040{field}"), BadData, &format!("g.n: {message} (record offset 3)"));
    }
    let long = Case::new("01 R. 05 N PIC 9(17).");
    let message = "n: the bytes F0 F0 F0 F0 F0 F0 F0 F0 F0 F0 F0 F0 F0 F0 F0 F0 ... are not a number of the field's type (record offset 0)";
    long.refuse_record(&format!("{}40", "F0".repeat(16)), BadData, message);
}

#[test]
fn a_bad_digit_is_found_at_every_place() {
    for digits in [1, 2, 17, 18, 19, 31] {
        for clause in ["9", "S9"] {
            let case = Case::new(&format!("01 R. 05 N PIC {clause}({digits})."));
            for at in 0..digits {
                for bad in ["40", "FA", "00", "7A", "FF"] {
                    let record = format!("{}{bad}{}", "F1".repeat(at), "F1".repeat(digits - at - 1));
                    assert_eq!(case.decode(&record).expect_err(&record).kind, BadData, "{record}");
                }
            }
        }
    }
}

#[test]
fn numbers_beyond_the_field() {
    let cases = [
        ("9(2)", "100", "the number is greater than the greatest allowed, 99"),
        ("9(2)", "-1", "the number is less than the least allowed, 0"),
        ("S9(2)", "-100", "the number is less than the least allowed, -99"),
        ("9(2)", "1.5", "expected an integer"),
        ("9(2)", "1e-1", "expected an integer"),
        ("9V9", "1.55", "the number has more than 1 decimal place"),
        ("9V9", "10", "the number is greater than the greatest allowed, 9.9"),
        ("9PP", "150", "the number is not a multiple of 100"),
        ("9(4) COMP", "10000", "the number is greater than the greatest allowed, 9999"),
        ("S9(4) COMP-5", "32768", "the number is greater than the greatest allowed, 32767"),
        ("S9(4) COMP-5", "-32769", "the number is less than the least allowed, -32768"),
        (
            "9(18) COMP-5",
            "18446744073709551616",
            "the number is greater than the greatest allowed, 18446744073709551615",
        ),
        ("9(4)", "1e4", "the number is greater than the greatest allowed, 9999"),
    ];
    for (picture, value, message) in cases {
        let case = Case::new(&format!("01 R. 05 N PIC {picture}."));
        let json = format!(r#"{{"n":{value}}}"#);
        case.refuse_json(&json, OutOfRange, &format!("n: {message} (line 1, column 6)"));
    }
}

#[test]
fn numbers_written_in_other_ways() {
    let case = Case::new("01 R. 05 N PIC S9(3)V9.");
    for (value, record) in [
        ("1.50", "F0F0F1C5"),
        ("15e-1", "F0F0F1C5"),
        ("0.15E+1", "F0F0F1C5"),
        ("150000e-5", "F0F0F1C5"),
        ("1.5e0", "F0F0F1C5"),
        ("-0", "F0F0F0C0"),
        ("-0.0", "F0F0F0C0"),
        ("0e999999999999", "F0F0F0C0"),
        ("1e2", "F1F0F0C0"),
        ("-9.999e2", "F9F9F9D9"),
        ("1.5000000000000000000000000000000000000000000000", "F0F0F1C5"),
    ] {
        case.check_encode(&format!(r#"{{"n":{value}}}"#), record);
    }
}

#[test]
fn what_is_no_number_of_json() {
    let case = Case::new("01 R. 05 N PIC S9(3)V9.");
    for value in ["01", "-", "1.", "1.e1", "1e", "1e+", "--1", "1-2", "-01", "1.2.3", "1e1.5"] {
        let json = format!(r#"{{"n": {value}}}"#);
        case.refuse_json(&json, Syntax, "n: this is not a JSON number (line 1, column 7)");
    }
    for value in [".5", "+1", "NaN", "Infinity"] {
        assert_eq!(case.encode(&format!(r#"{{"n":{value}}}"#)).expect_err(value).kind, Syntax);
    }
    case.refuse_json(r#"{"n":"1"}"#, WrongType, "n: expected a number, found text (line 1, column 6)");
    check("01 R. 05 N PIC 9.", r#"{"n":1}"#, "F1");
}

#[test]
fn huge_numbers_cost_nothing_and_are_refused() {
    let case = Case::new("01 R. 05 N PIC S9(31).");
    let limit = format!("allowed, {} (line 1, column 6)", "9".repeat(31));
    let digits = "1".repeat(400);
    for value in ["1e999999", "1e99999999999999999999", digits.as_str(), &format!("1{}", "0".repeat(400))] {
        let error = case.encode(&format!(r#"{{"n":{value}}}"#)).expect_err(value);
        assert_eq!(error.kind, OutOfRange);
        assert!(error.to_string().ends_with(&limit), "{error}");
    }
    case.refuse_json(r#"{"n":1e-999999}"#, OutOfRange, "n: expected an integer (line 1, column 6)");
    let precise = format!(r#"{{"n":1.{digits}}}"#);
    case.refuse_json(&precise, OutOfRange, "n: expected an integer (line 1, column 6)");
    // Many digits do not hide that a text is not a number.
    for value in [format!("{digits}-"), format!("{digits}..1"), format!("0.{digits}e")] {
        let json = format!(r#"{{"n":{value}}}"#);
        case.refuse_json(&json, Syntax, "n: this is not a JSON number (line 1, column 6)");
    }
}
