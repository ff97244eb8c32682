//! PICTURE strings, one by one.

use copybook::{Kind, Options};

use crate::table::{parse_with, refuse, table, warn};

fn row(clauses: &str) -> String {
    row_with(clauses, &Options::default())
}

fn row_with(clauses: &str, options: &Options) -> String {
    let parsed = parse_with(&format!("       01  F {clauses}.\n"), options);
    table(&parsed.layouts[0]).trim_start_matches("F 0 ").to_owned()
}

#[test]
fn text() {
    for (picture, expected) in [
        ("PIC X", "1 text"),
        ("pic x(12)", "12 text"),
        ("PICTURE IS XX(3)X", "5 text"),
        ("PIC A(5)", "5 text"),
        ("PIC X(3)9(2)A", "6 text"),
        ("PIC X(0003)", "3 text"),
        ("PIC X(5) JUSTIFIED RIGHT", "5 text right"),
        ("JUST PIC X(5)", "5 text right"),
    ] {
        assert_eq!(row(picture), expected, "{picture}");
    }
}

#[test]
fn numbers() {
    for (picture, expected) in [
        ("PIC 9", "1 zoned 1/0"),
        ("PIC 9(5)V99", "7 zoned 7/2"),
        ("PIC S9(5)V9(2)", "7 zoned 7/2 trailing"),
        ("PIC s99v9", "3 zoned 3/1 trailing"),
        ("PIC V99", "2 zoned 2/2"),
        ("PIC 9(31)", "31 zoned 31/0"),
        ("PIC 99PPP", "2 zoned 2/-3"),
        ("PIC S99P(3)V", "2 zoned 2/-3 trailing"),
        ("PIC VPP99", "2 zoned 2/4"),
        ("PIC PP99", "2 zoned 2/4"),
        ("PIC SPP9", "1 zoned 1/3 trailing"),
    ] {
        assert_eq!(row(picture), expected, "{picture}");
    }
}

#[test]
fn edited() {
    for (picture, bytes) in [
        ("ZZZ,ZZ9.99", 10),
        ("-(5)9.99", 9),
        ("--,---,--9.99", 13),
        ("+9(5)", 6),
        ("9(5)-", 6),
        ("$$$,$$9.99CR", 12),
        ("$**,**9.99DB", 12),
        ("+$ZZ9", 5),
        ("$-,--9", 6),
        ("99/99/9999", 10),
        ("9(3)B9(3)", 7),
        ("0099", 4),
        ("XXBXX/X0", 8),
        ("A(2)X(3)/99", 8),
        ("PPP009999CR", 8),
        ("ZZ9V99", 5),
        ("*(7)9", 8),
        ("Z(4)", 4),
        ("+99.99E-99", 10),
        ("£ZZ9", 4),
        ("$$$9999/,99.999+", 16),
        ("999.", 4),
        ("ZZ9,", 4),
    ] {
        let expected = format!("{bytes} edited {picture}");
        assert_eq!(row(&format!("PIC {picture}")), expected, "{picture}");
    }
}

#[test]
fn blank_when_zero_makes_a_number_edited() {
    assert_eq!(row("PIC 9(5) BLANK WHEN ZERO"), "5 edited 9(5)");
    assert_eq!(row("PIC 9(5)V99 BLANK ZEROES"), "7 edited 9(5)V99");
}

#[test]
fn double_byte_characters() {
    assert_eq!(row("PIC N(5)"), "10 national");
    assert_eq!(row("PIC N(5) USAGE NATIONAL"), "10 national");
    assert_eq!(row("PIC N(5) DISPLAY-1"), "10 dbcs");
    assert_eq!(row("PIC G(4)"), "8 dbcs");
    assert_eq!(row("PIC G(2)BG DISPLAY-1"), "8 dbcs");
    assert_eq!(row("PIC 9(4) NATIONAL"), "8 national 4/0");
    assert_eq!(row("PIC S9(4) NATIONAL SIGN LEADING SEPARATE"), "10 national 4/0 leading separate");
    assert_eq!(row("PIC ZZ9.99 USAGE IS NATIONAL"), "12 edited ZZ9.99");
}

#[test]
fn the_comma_as_decimal_point() {
    let options = Options { decimal_comma: true, ..Options::default() };
    assert_eq!(row_with("PIC Z.ZZ9,99", &options), "8 edited Z.ZZ9,99");
    assert_eq!(row_with("PIC 9(5)V99", &options), "7 zoned 7/2");
    refuse("       01  F PIC Z.ZZ9.99.\n", "1:23 CPY049");
}

#[test]
fn separators_do_not_belong_to_the_picture() {
    assert_eq!(row("PIC X(5), VALUE 'A'"), "5 text");
    assert_eq!(row("PIC X(5); VALUE 'A'"), "5 text");
    assert_eq!(row("PIC X(5) "), "5 text");
}

#[test]
fn errors_stand_under_the_symbol() {
    // The string begins in column 18.
    for (picture, column, code) in [
        ("S9(5)V(5)", 24, "CPY040"),
        ("X(5", 19, "CPY040"),
        ("X()", 19, "CPY040"),
        ("X(0)", 19, "CPY040"),
        ("X(A)", 19, "CPY040"),
        ("X(99999999999)", 19, "CPY040"),
        ("9Q9", 19, "CPY040"),
        ("9S9", 19, "CPY040"),
        ("SS9", 18, "CPY040"),
        ("9.9.9", 21, "CPY049"),
        ("S", 18, "CPY040"),
        ("PPP", 18, "CPY040"),
        ("9P9", 20, "CPY040"),
        ("P9P", 20, "CPY040"),
        ("XV9", 19, "CPY040"),
        ("XN", 19, "CPY040"),
        ("NG", 19, "CPY040"),
        ("+9(8)+", 23, "CPY040"),
        ("9+9", 19, "CPY040"),
        ("+-9", 19, "CPY040"),
        ("9ZZ", 19, "CPY040"),
        ("Z*9", 19, "CPY040"),
        ("9.9.9", 21, "CPY049"),
        ("CR99", 18, "CPY040"),
        ("-99CR", 18, "CPY040"),
        ("--ZZ9", 20, "CPY040"),
        ("S9.9", 18, "CPY040"),
        ("BB", 18, "CPY040"),
        ("9.9E", 18, "CPY040"),
        ("9(32)", 18, "CPY041"),
        ("9(20)P(12)", 18, "CPY041"),
        ("9(38)V9(19)", 18, "CPY041"),
        ("Z(40)9", 18, "CPY041"),
    ] {
        refuse(&format!("       01  F PIC {picture}.\n"), &format!("1:{column} {code}"));
    }
}

#[test]
fn scaling_positions_astride_the_point_are_read_with_a_warning() {
    let parsed = warn("       01  F PIC S999PPPVPP.\n", "1:18 CPY042");
    let Kind::Zoned { digits: 3, scale: -3, .. } = parsed.layouts[0].root().kind else { panic!() };
    let parsed = warn("       01  F PIC SPPVPPP999.\n", "1:18 CPY042");
    let Kind::Zoned { digits: 3, scale: 6, .. } = parsed.layouts[0].root().kind else { panic!() };
}

#[test]
fn pictures_of_nothing_but_insertion_characters_are_read_with_a_warning() {
    for (picture, bytes) in [("000", 3), ("B(2)/0", 4), ("0,0", 3)] {
        let parsed = warn(&format!("       01  F PIC {picture}.\n"), "1:18 CPY042");
        assert_eq!(parsed.layouts[0].max_bytes(), bytes, "{picture}");
    }
}
