//! VALUE clauses, their literals, and condition names.

use copybook::{Literal, Options};

use crate::table::{parse, parse_with, refuse, warn};

fn value(clauses: &str) -> Literal {
    parse(&format!("       01  F {clauses}.\n")).layouts[0].root().value.clone().expect("a value")
}

fn text(text: &str) -> Literal {
    Literal::Text(text.to_owned())
}

fn number(text: &str) -> Literal {
    Literal::Number(text.to_owned())
}

#[test]
fn literals() {
    assert_eq!(value("PIC X(9) VALUE 'it''s'"), text("it's"));
    assert_eq!(value("VALUE IS \"say \"\"so\"\"\" PIC X(9)"), text("say \"so\""));
    assert_eq!(value("PIC X(9) VALUE 'A. 05 B *> C'"), text("A. 05 B *> C"));
    assert_eq!(value("PIC X(2) VALUE X'0d25'"), Literal::Hex(vec![0x0d, 0x25]));
    assert_eq!(value("PIC N(2) VALUE N'ab'"), text("ab"));
    assert_eq!(value("PIC N(2) VALUE NX'004120AC'"), text("A€"));
    assert_eq!(value("PIC X(3) VALUE UX'e282ac'"), text("€"));
    assert_eq!(value("PIC G(2) VALUE G'ab'"), text("ab"));
    assert_eq!(value("PIC X(3) VALUE Z'ab'"), text("ab\0"));
    assert_eq!(value("PIC S9(3)V99 VALUE -1.50"), number("-1.50"));
    assert_eq!(value("PIC V99 VALUE .05"), number("0.05"));
    assert_eq!(value("PIC S9 VALUE +1"), number("+1"));
    assert_eq!(value("COMP-2 VALUE -1.5E+10"), number("-1.5E+10"));
    assert_eq!(value("PIC X(3) VALUE ALL 'ab'"), Literal::All(Box::new(text("ab"))));
}

#[test]
fn joined_literals() {
    assert_eq!(value("PIC X(9) VALUE 'ab' & 'cd' & \"e\""), text("abcde"));
    assert_eq!(value("PIC X(9) VALUE 'ab'\n               & SPACE & 'cd'"), text("ab cd"));
    assert_eq!(value("PIC X(9) VALUE X'00' & X'0D' & LOW-VALUE"), Literal::Hex(vec![0, 0x0D, 0]));
    assert_eq!(value("PIC N(9) VALUE N'a' & NX'0062'"), text("ab"));
    assert_eq!(value("PIC X(9) VALUE ALL 'a' & 'b'"), Literal::All(Box::new(text("ab"))));
    // Characters and bytes cannot be joined without the record's code page.
    let parsed = warn("       01  F PIC X(3) VALUE 'ab' & X'00'.\n", "1:29 CPY035");
    assert_eq!(parsed.layouts[0].root().value, None);
    let conditions =
        "       01  F PIC X(3).\n           88  A VALUES 'a', 'b' & X'00'.\n           88  B VALUE 'b'.\n";
    let parsed = warn(conditions, "2:30 CPY035");
    let names: Vec<_> = parsed.layouts[0].root().conditions.iter().map(|found| found.name.clone()).collect();
    assert_eq!(names, ["B"]);
    refuse("       01  F PIC X(3) VALUE 'ab' &.\n", "1:35 CPY024");
}

#[test]
fn figurative_constants() {
    for (words, expected) in [
        ("ZERO ZEROS zeroes", Literal::Zeros),
        ("SPACE SPACES", Literal::Spaces),
        ("LOW-VALUE LOW-VALUES", Literal::LowValues),
        ("HIGH-VALUE HIGH-VALUES", Literal::HighValues),
        ("QUOTE QUOTES", Literal::Quotes),
        ("NULL NULLS", Literal::Nulls),
    ] {
        for word in words.split(' ') {
            assert_eq!(value(&format!("PIC X(3) VALUE {word}")), expected);
            assert_eq!(value(&format!("PIC X(3) VALUE ALL {word}")), expected);
        }
    }
}

#[test]
fn numbers_with_a_decimal_comma() {
    let options = Options { decimal_comma: true, ..Options::default() };
    let parsed =
        parse_with("       01  F PIC 9V9 VALUE 1,5.\n           88  G VALUES 1,5, 2 ,5.\n", &options);
    let root = parsed.layouts[0].root();
    assert_eq!(root.value, Some(number("1.5")));
    let values: Vec<_> = root.conditions[0].values.iter().map(|(first, _)| first.clone()).collect();
    assert_eq!(values, [number("1.5"), number("2"), number("0.5")]);
}

#[test]
fn numbers_that_begin_with_their_point() {
    for (written, expected) in
        [(".05", "0.05"), ("-.5", "-0.5"), ("+.5", "+0.5"), ("1.5", "1.5"), ("-7", "-7")]
    {
        assert_eq!(value(&format!("PIC S9V99 VALUE {written}")), number(expected));
    }
}

#[test]
fn condition_names() {
    let parsed = parse(
        "
       01  R.
           05  A PIC 9(3).
               88  LOW VALUE 1 THRU 10.
               88  Some-More VALUES ARE 11, 12 20 THROUGH 30 ZERO.
           05  B PIC X.
               88  YES VALUE 'Y' 'y' WHEN SET TO FALSE IS 'N'.
               88  BYTE VALUE X'F1'.
",
    );
    let layout = &parsed.layouts[0];
    let conditions = &layout.fields()[1].conditions;
    assert_eq!(conditions[0].name, "LOW");
    assert_eq!(conditions[0].values, [(number("1"), Some(number("10")))]);
    assert_eq!(conditions[1].name, "SOME-MORE");
    let expected = [
        (number("11"), None),
        (number("12"), None),
        (number("20"), Some(number("30"))),
        (Literal::Zeros, None),
    ];
    assert_eq!(conditions[1].values, expected);
    let conditions = &layout.fields()[2].conditions;
    assert_eq!(conditions[0].values, [(text("Y"), None), (text("y"), None)]);
    assert_eq!(conditions[1].values, [(Literal::Hex(vec![0xF1]), None)]);
}

#[test]
fn what_is_wrong_with_a_literal_is_said() {
    refuse("       01  F PIC X VALUE 'abc.\n", "1:26 CPY011");
    refuse("       01  F PIC X VALUE X'0'.\n", "1:26 CPY011");
    refuse("       01  F PIC X VALUE X'0G'.\n", "1:26 CPY011");
    refuse("       01  F PIC N VALUE NX'41'.\n", "1:26 CPY011");
    refuse("       01  F PIC N VALUE NX'D800'.\n", "1:26 CPY011");
    refuse("       01  F PIC N VALUE UX'FF'.\n", "1:26 CPY011");
    refuse("       01  F PIC X VALUE.\n", "1:25 CPY024");
    refuse("       01  F PIC X VALUE ALL.\n", "1:29 CPY024");
    refuse("       01  F PIC X VALUE 'a' 'b'.\n", "1:30 CPY022");
    refuse("           88  A VALUE 1.\n", "1:12 CPY060");
    refuse("       01  F PIC X.\n           88  A.\n", "2:12 CPY024");
}

#[test]
fn numbers_in_hexadecimal() {
    let parsed = parse("       01  R PIC 9(8) COMP-X VALUE H\"0100\".\n");
    assert_eq!(parsed.layouts[0].root().value, Some(copybook::Literal::Number("256".to_owned())));
    refuse("       01  R PIC 9(8) COMP-X VALUE H'0G'.\n", "1:36 CPY011");
    refuse("       01  R PIC 9(8) COMP-X VALUE H''.\n", "1:36 CPY011");
}
