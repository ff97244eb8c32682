//! Faults name the line, the macro, and what was expected.

use mapset::{Limits, read};

#[track_caller]
fn check(source: &str, line: usize, message: &str) {
    let fault = read(source, &Limits::default()).expect_err("the source is wrong");
    assert_eq!((fault.line, fault.message.as_str()), (line, message));
}

/// A source with this field in line 3.
fn field(operands: &str) -> String {
    format!("SET DFHMSD MODE=INOUT\nMAP DFHMDI SIZE=(24,80)\n{operands}\n DFHMSD TYPE=FINAL\n")
}

#[test]
fn macros_stand_in_their_order() {
    check("", 1, "expected DFHMSD, found no mapset");
    check("S DFHMSD\n", 1, "expected DFHMDI, found a mapset without maps");
    check("MAP DFHMDI\n", 1, "DFHMDI: stands outside of a mapset: expected DFHMSD before it");
    check("S DFHMSD\nF DFHMDF LENGTH=1\n", 2, "DFHMDF: stands outside of a map: expected DFHMDI before it");
    let closed = "S DFHMSD\nM DFHMDI\n DFHMSD TYPE=FINAL\nF DFHMDF LENGTH=1\n";
    check(closed, 4, "DFHMDF: stands outside of a map: expected DFHMDI before it");
    check("S DFHMSD\n AIF ('X').END\n", 2, "expected DFHMSD, DFHMDI or DFHMDF, found AIF");
}

#[test]
fn mapsets_are_for_cobol() {
    check("S DFHMSD LANG=PLI\n", 1, "DFHMSD: LANG: expected COBOL, found PLI");
    check("S DFHMSD MODE=BOTH\n", 1, "DFHMSD: MODE: expected IN or OUT or INOUT, found BOTH");
    check("S DFHMSD STORAGE=AUTO,BASE=B\n", 1, "DFHMSD: STORAGE and BASE exclude each other");
    let all = "COLOR, PS, HILIGHT, VALIDN, OUTLINE, SOSI, TRANSP";
    check("S DFHMSD DSATTS=(RED)\n", 1, &format!("DFHMSD: DSATTS: expected one of {all}, found RED"));
    check(" DFHMSD TYPE=MAP\n", 1, "DFHMSD: expected a name in column 1");
}

#[test]
fn fields_say_how_long_they_are() {
    check(&field("F DFHMDF POS=(1,1)"), 3, "DFHMDF: expected LENGTH, PICIN or PICOUT");
    check(&field("F DFHMDF LENGTH=0"), 3, "DFHMDF: LENGTH: a field with a name has at least 1 byte");
    check(&field("F DFHMDF LENGTH=A"), 3, "DFHMDF: LENGTH: expected a number, found A");
    check(
        &field("F DFHMDF LENGTH=9999"),
        3,
        "DFHMDF: LENGTH: expected at most 4096 (field_max_bytes), found 9999",
    );
    check(&field("F DFHMDF PICIN='X Y'"), 3, "DFHMDF: PICIN: expected a picture of COBOL, found   in 'X Y'");
    check(&field("F DFHMDF PICIN=99"), 3, "DFHMDF: PICIN: expected a text in quotation marks, found 99");
    check(&field("F DFHMDF LENGTH=1,OCCURS=0"), 3, "DFHMDF: OCCURS: expected a number above 0");
    check(&field("F DFHMDF LENGTH=1,OCCURS=2,GRPNAME=G"), 3, "DFHMDF: OCCURS and GRPNAME exclude each other");
    check(&field(" DFHMDF LENGTH=1,GRPNAME=G"), 3, "DFHMDF: a field of the group G has no name");
    check(
        &field("F$ DFHMDF LENGTH=1"),
        3,
        "DFHMDF: expected a name of letters, digits and hyphens, found F$",
    );
}

/// The structure for output redefines the one for input, so a field has one length in both.
#[test]
fn all_lengths_of_a_field_are_the_same() {
    check(
        &field("F DFHMDF LENGTH=20,PICOUT='ZZ9'"),
        3,
        "DFHMDF: expected the same length in LENGTH and PICOUT, found 20 and 3",
    );
    check(
        &field("F DFHMDF PICOUT='X(5)',LENGTH=4,PICIN='9(5)'"),
        3,
        "DFHMDF: expected the same length in LENGTH and PICIN, found 4 and 5",
    );
    check(
        &field("F DFHMDF PICIN='9(5)',PICOUT='ZZZ,ZZ9.99'"),
        3,
        "DFHMDF: expected the same length in PICIN and PICOUT, found 5 and 10",
    );
    let right = field("F DFHMDF LENGTH=7,PICIN='S9(5)V99',PICOUT='ZZZ9.99'");
    assert!(read(&right, &Limits::default()).is_ok());
}

#[test]
fn operands_have_keywords_and_ends() {
    check(&field("F DFHMDF (1,1),LENGTH=1"), 3, "DFHMDF: expected KEYWORD=VALUE, found (1,1)");
    check(&field("F DFHMDF LENGTH=1,LENGTH=2"), 3, "DFHMDF: the operand LENGTH is there twice");
    check(&field("F DFHMDF POS=(1,1"), 3, "DFHMDF: expected a closing parenthesis in POS=(1,1");
    check(&field("F DFHMDF POS=1)"), 3, "DFHMDF: a closing parenthesis without an opening one");
    check(&field("F DFHMDF INITIAL='ABC"), 3, "expected the closing quotation mark of an operand");
}

#[test]
fn limits_are_named() {
    let limits = Limits {
        source_max_bytes: 200,
        statement_max_bytes: 60,
        map_count_max: 1,
        field_count_max: 1,
        name_max_bytes: 3,
        picture_max_bytes: 3,
        ..Limits::default()
    };
    let head = "S DFHMSD\nM DFHMDI\n";
    let names = [
        ("*".repeat(300), "source_max_bytes"),
        (format!("S DFHMSD CTRL=({}\n  {}\n", "A,".repeat(20), "A,".repeat(20)), "statement_max_bytes"),
        (format!("{head}N DFHMDI\n"), "map_count_max"),
        (format!("{head}A DFHMDF LENGTH=1\nB DFHMDF LENGTH=1\n"), "field_count_max"),
        (format!("{head}LONG DFHMDF LENGTH=1\n"), "name_max_bytes"),
        (format!("{head}A DFHMDF PICIN='X(2)'\n"), "picture_max_bytes"),
    ];
    for (source, name) in names {
        let fault = read(&source, &limits).expect_err(name);
        assert!(fault.message.contains(name), "{fault}");
    }
}
