//! USAGE and SIGN: sizes, spellings, inheritance, and what does not go together.

use copybook::{Options, PointerBytes};

use crate::table::{check, parse, parse_with, refuse, table, warn};

fn row(clauses: &str) -> String {
    table(&parse(&format!("       01  F {clauses}.\n")).layouts[0]).trim_start_matches("F 0 ").to_owned()
}

#[test]
fn sizes_of_binary_numbers() {
    for (digits, bytes) in [(1, 2), (4, 2), (5, 4), (9, 4), (10, 8), (18, 8)] {
        assert_eq!(row(&format!("PIC S9({digits}) COMP")), format!("{bytes} binary {digits}/0 signed"));
    }
    assert_eq!(row("PIC S9(7)V99 BINARY"), "4 binary 9/2 signed");
    assert_eq!(row("PIC 9(4)P(5) COMP"), "2 binary 4/-5");
    refuse("       01  F PIC S9(19) COMP.\n", "1:18 CPY041");
}

#[test]
fn sizes_of_packed_numbers() {
    for (digits, packed, unsigned) in [(1, 1, 1), (2, 2, 1), (3, 2, 2), (7, 4, 4), (18, 10, 9), (31, 16, 16)]
    {
        assert_eq!(row(&format!("PIC S9({digits}) COMP-3")), format!("{packed} packed {digits}/0 signed"));
        assert_eq!(row(&format!("PIC 9({digits}) COMP-6")), format!("{unsigned} comp-6 {digits}/0"));
    }
    warn("       01  F PIC S9(4) COMP-6.\n", "1:8 CPY043");
    assert_eq!(row("PIC S9(4) COMP-6"), "3 packed 4/0 signed");
}

#[test]
fn every_spelling() {
    for word in ["COMP", "COMP-4", "BINARY", "COMPUTATIONAL", "COMPUTATIONAL-4", "comp"] {
        assert_eq!(row(&format!("PIC 9(4) {word}")), "2 binary 4/0", "{word}");
        assert_eq!(row(&format!("USAGE IS {word} PIC 9(4)")), "2 binary 4/0", "{word}");
        assert_eq!(row(&format!("USAGE {word}, PICTURE 9(4)")), "2 binary 4/0", "{word}");
    }
    for word in ["COMP-5", "COMPUTATIONAL-5"] {
        assert_eq!(row(&format!("PIC S9(9) {word}")), "4 binary 9/0 signed native", "{word}");
    }
    for word in ["COMP-3", "COMPUTATIONAL-3", "PACKED-DECIMAL"] {
        assert_eq!(row(&format!("PIC 9(5)V99 {word}")), "4 packed 7/2", "{word}");
    }
    assert_eq!(row("COMP-1"), "4 float");
    assert_eq!(row("USAGE COMPUTATIONAL-2"), "8 float");
    assert_eq!(row("PIC 9(3) DISPLAY"), "3 zoned 3/0");
}

#[test]
fn addresses() {
    for word in ["INDEX", "POINTER", "FUNCTION-POINTER", "OBJECT REFERENCE", "OBJECT REFERENCE THING"] {
        assert_eq!(row(&format!("USAGE {word}")), "4 pointer", "{word}");
    }
    assert_eq!(row("PROCEDURE-POINTER"), "8 pointer");
    let options = Options { pointer_bytes: PointerBytes::Eight, ..Options::default() };
    assert_eq!(parse_with("       01  F POINTER.\n", &options).layouts[0].max_bytes(), 8);
    assert_eq!(row("USAGE POINTER-32"), "4 pointer");
    assert_eq!(parse_with("       01  F POINTER-32 SYNC.\n", &options).layouts[0].max_bytes(), 4);
    let both = "       01  F.\n           05  A POINTER.\n           05  B INDEX.\n";
    let bytes = |pointer_bytes| {
        parse_with(both, &Options { pointer_bytes, ..Options::default() }).layouts[0].max_bytes()
    };
    assert_eq!(bytes(PointerBytes::Four), 8);
    assert_eq!(bytes(PointerBytes::Eight), 16);
    assert_eq!(bytes(PointerBytes::EightAndIndexFour), 12);
}

#[test]
fn signs() {
    assert_eq!(row("PIC S9(3)"), "3 zoned 3/0 trailing");
    assert_eq!(row("PIC S9(3) SIGN IS LEADING"), "3 zoned 3/0 leading");
    assert_eq!(row("PIC S9(3) LEADING SEPARATE"), "4 zoned 3/0 leading separate");
    assert_eq!(row("SIGN TRAILING SEPARATE CHARACTER PIC S9(3)"), "4 zoned 3/0 trailing separate");
    warn("       01  F PIC 9(3) SIGN LEADING SEPARATE.\n", "1:23 CPY047");
    refuse("       01  F PIC S9(3) COMP-3 SIGN LEADING.\n", "1:24 CPY047");
}

#[test]
fn groups_pass_on_usage_and_sign() {
    let text = "
       01  R.
           05  G COMP-3.
               10  A PIC S9(5).
               10  B.
                   15  C PIC 9(4).
           05  H SIGN LEADING SEPARATE.
               10  D PIC S9(3).
               10  E PIC 9(3).
               10  I PIC S9(3) TRAILING.
           05  J GROUP-USAGE NATIONAL.
               10  K PIC N(2).
           05  L PIC S9(3).
";
    check(
        text,
        "R 0 23 group
         G 0 6 group
         G.A 0 3 packed 5/0 signed
         G.B 3 3 group
         G.B.C 3 3 packed 4/0
         H 6 10 group
         H.D 6 4 zoned 3/0 leading separate
         H.E 10 3 zoned 3/0
         H.I 13 3 zoned 3/0 trailing
         J 16 4 group
         J.K 16 4 national
         L 20 3 zoned 3/0 trailing",
    );
}

#[test]
fn integers_without_a_picture() {
    for (clauses, expected) in [
        ("BINARY-CHAR", "1 binary 3/0 signed native"),
        ("BINARY-CHAR UNSIGNED", "1 binary 3/0 native"),
        ("USAGE BINARY-SHORT SIGNED", "2 binary 5/0 signed native"),
        ("USAGE IS BINARY-LONG UNSIGNED", "4 binary 10/0 native"),
        ("binary-double", "8 binary 19/0 signed native"),
        ("BINARY-DOUBLE UNSIGNED VALUE 1", "8 binary 20/0 native"),
    ] {
        assert_eq!(row(clauses), expected);
    }
    refuse("       01  F PIC 9 BINARY-LONG.\n", "1:18 CPY043");
}

#[test]
fn binary_of_as_many_bytes_as_the_digits_need() {
    let unsigned = [1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8];
    let signed = [1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 8, 8];
    for (digits, (unsigned, signed)) in (1..=18).zip(unsigned.into_iter().zip(signed)) {
        assert_eq!(row(&format!("PIC 9({digits}) COMP-X")), format!("{unsigned} binary {digits}/0"));
        assert_eq!(
            row(&format!("PIC S9({digits}) COMP-N")),
            format!("{signed} binary {digits}/0 signed native")
        );
    }
    assert_eq!(row("PIC X COMP-X"), "1 binary 3/0");
    assert_eq!(row("PIC X(4) COMPUTATIONAL-X"), "4 binary 10/0");
    refuse("       01  F PIC X(9) COMP-X.\n", "1:18 CPY043");
    assert_eq!(row("PIC X(4) COMP-5"), "4 binary 10/0 native");
    warn("       01  F PIC X(4) COMP-5.\n", "1:18 CPY043");
}

#[test]
fn a_sign_is_refused_where_the_usage_is() {
    refuse("       01  F PIC S9 COMP-3\n           SIGN IS LEADING SEPARATE CHARACTER.\n", "1:21 CPY047");
    refuse("       01  F PIC X(3)\n           SIGN IS LEADING.\n", "1:18 CPY047");
    refuse("       01  G COMP.\n           05  F PIC S9 SIGN IS LEADING.\n", "2:25 CPY047");
}

#[test]
fn what_does_not_go_together() {
    refuse("       01  F PIC X(4) COMP-3.\n", "1:18 CPY043");
    refuse("       01  F PIC Z9 COMP.\n", "1:18 CPY043");
    refuse("       01  F PIC 9 COMP-1.\n", "1:18 CPY043");
    refuse("       01  F PIC X POINTER.\n", "1:18 CPY043");
    refuse("       01  F PIC X NATIONAL.\n", "1:18 CPY043");
    refuse("       01  F PIC N DISPLAY.\n", "1:18 CPY043");
    refuse("       01  F PIC 9 DISPLAY-1.\n", "1:18 CPY043");
    refuse("       01  F PIC S9 NATIONAL.\n", "1:8 CPY043");
    refuse("       01  F PIC 9 COMP-9.\n", "1:20 CPY048");
    refuse("       01  F PIC 9 COMP-3 COMP.\n", "1:27 CPY023");
    refuse("       01  G COMP-3.\n           05  A PIC 9(7) COMP.\n", "2:27 CPY046");
    refuse("       01  G COMP-3.\n           05  A PIC X.\n", "2:22 CPY043");
    warn("       01  F PIC 9(5) JUST.\n", "1:23 CPY047");
    warn("       01  F PIC S9(5) BLANK WHEN ZERO.\n", "1:24 CPY047");
}

#[test]
fn integers_named_by_their_c_types() {
    check(
        "
       01  R.
           05  A SIGNED-SHORT.
           05  B UNSIGNED-SHORT.
           05  C USAGE SIGNED-INT.
           05  D USAGE IS UNSIGNED-INT.
           05  E SIGNED-LONG.
           05  F UNSIGNED-LONG.
           05  G BINARY-INT UNSIGNED.
           05  H BINARY-LONG-LONG.
",
        "R 0 40 group
         A 0 2 binary 5/0 signed native
         B 2 2 binary 5/0 native
         C 4 4 binary 10/0 signed native
         D 8 4 binary 10/0 native
         E 12 8 binary 19/0 signed native
         F 20 8 binary 20/0 native
         G 28 4 binary 10/0 native
         H 32 8 binary 19/0 signed native",
    );
}

#[test]
fn sql_host_variables_are_what_the_precompiler_makes_of_them() {
    check(
        "
       01  R.
           05  A USAGE IS SQL TYPE IS CLOB(2K).
           05  B SQL TYPE IS VARBINARY(20) OCCURS 2 TIMES.
           05  C USAGE SQL TYPE IS ROWID.
           05  D USAGE IS SQL
                      TYPE IS BLOB-LOCATOR.
           05  E SQL TYPE IS BINARY(9).
           05  F USAGE IS SQL TYPE IS DBCLOB(3).
           05  G SQL TYPE IS RESULT-SET-LOCATOR VARYING.
           05  H SQL TYPE IS TABLE LIKE T AS LOCATOR.
           05  I SQL TYPE IS XML AS CLOB(1).
           05  J SQL TYPE IS CLOB-FILE.
           05  K PIC X.
",
        "R 0 2442 group
         A 0 2052 group
         A.A-LENGTH 0 4 binary 9/0 signed native
         A.A-DATA 4 2048 text
         B 2052 22 group x2..2
         B.B-LEN 2052 2 binary 4/0 signed native
         B.B-TEXT 2054 20 text
         C 2096 42 group
         C.C-LEN 2096 2 binary 4/0 signed native
         C.C-DATA 2098 40 text
         D 2138 4 binary 9/0 signed native
         E 2142 9 text
         F 2151 10 group
         F.F-LENGTH 2151 4 binary 9/0 signed native
         F.F-DATA 2155 6 dbcs
         G 2161 4 binary 9/0 signed native
         H 2165 4 binary 9/0 signed native
         I 2169 5 group
         I.I-LENGTH 2169 4 binary 9/0 signed native
         I.I-DATA 2173 1 text
         J 2174 267 group
         J.J-NAME-LENGTH 2174 4 binary 9/0 signed native
         J.J-DATA-LENGTH 2178 4 binary 9/0 signed native
         J.J-FILE-OPTION 2182 4 binary 9/0 signed native
         J.J-NAME 2186 255 text
         K 2441 1 text",
    );
    refuse("       01  R SQL TYPE IS CLOB.\n", "1:30 CPY024");
    refuse("       01  R SQL TYPE IS CLOB(0).\n", "1:31 CPY024");
    refuse("       01  R SQL TYPE IS CLOB(9G).\n", "1:31 CPY024");
    refuse("       01  R SQL TYPE IS CLOB(9.\n", "1:32 CPY024");
    refuse("       01  R SQL TYPE IS XML CLOB(9).\n", "1:30 CPY024");
    refuse("       01  R SQL TYPE IS TABLE T.\n", "1:32 CPY024");
    refuse("       01  R SQL TYPE IS POINT.\n", "1:26 CPY048");
    refuse("       01  R COMP SQL TYPE IS ROWID.\n", "1:19 CPY023");
}

#[test]
fn text_in_utf_8_has_four_bytes_a_character_or_as_many_as_it_says() {
    for (clauses, expected) in [
        ("PIC U(10)", "40 utf-8 10"),
        ("PIC UUUU USAGE UTF-8", "16 utf-8 4"),
        ("PIC U BYTE-LENGTH 10 USAGE UTF-8", "10 utf-8"),
        ("UTF-8 PICTURE u BYTE-LENGTH IS 7", "7 utf-8"),
    ] {
        assert_eq!(row(clauses), expected, "{clauses}");
    }
    check(
        "       01  G USAGE UTF-8.\n           05 A PIC U(2) OCCURS 3.\n           05 B PIC U BYTE-LENGTH 5.\n",
        "G 0 29 group\nA 0 8 utf-8 2 x3..3\nB 24 5 utf-8",
    );
    warn("       01  F PIC U(3) BYTE-LENGTH 5.\n", "1:18 CPY042");
    refuse("       01  F PIC X(3) USAGE UTF-8.\n", "1:18 CPY043");
    refuse("       01  F PIC U(3) USAGE DISPLAY.\n", "1:18 CPY043");
    refuse("       01  F PIC U9.\n", "1:19 CPY040");
    refuse("       01  F PIC X(3) BYTE-LENGTH 5.\n", "1:18 CPY047");
    refuse("       01  F PIC U BYTE-LENGTH 0.\n", "1:32 CPY040");
    refuse("       01  F PIC U DYNAMIC LENGTH.\n", "1:20 CPY022");
    refuse("       01  F PIC U VALUE U'\\u00zz'.\n", "1:26 CPY011");
}
