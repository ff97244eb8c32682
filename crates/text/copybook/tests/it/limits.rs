//! Every limit is a finding, and hostile texts cost no more than long ones.

use copybook::{MAX_DIAGNOSTICS, MAX_ENTRIES, MAX_OCCURS, MAX_TEXT_BYTES, Options};

use crate::table::{parse, refuse};

#[test]
fn bytes_of_text() {
    refuse(&" ".repeat(MAX_TEXT_BYTES + 1), "1:1 CPY001");
    refuse(&" ".repeat(MAX_TEXT_BYTES), "1:1 CPY030");
}

#[test]
fn entries() {
    let text = format!("01 R.\n{}", "05 F PIC X.\n".repeat(MAX_ENTRIES - 1));
    assert_eq!(parse(&text).layouts[0].max_bytes(), MAX_ENTRIES - 1);
    refuse(&format!("{text}05 G PIC X.\n"), &format!("{}:1 CPY027", MAX_ENTRIES + 1));
}

#[test]
fn bytes_of_a_record() {
    let tables = |depth: usize| {
        let groups: String =
            (2..2 + depth).map(|level| format!("{level:02} G{level} OCCURS {MAX_OCCURS}.\n")).collect();
        format!("01 R.\n{groups}49 F PIC X(8).\n")
    };
    assert_eq!(parse(&tables(1)).layouts[0].max_bytes(), MAX_OCCURS as usize * 8);
    refuse(&tables(2), "2:1 CPY068");
    refuse("01 R.\n05 F PIC X(4294967295) OCCURS 16777215.\n", "2:1 CPY068");
    refuse("01 R.\n05 F PIC X(100000000).\n05 G PIC X(100000000).\n", "3:1 CPY068");
}

#[test]
fn nesting_goes_as_deep_as_levels_do() {
    let groups: String = (1..49).map(|level| format!("{level:02} G{level}.\n")).collect();
    let parsed = parse(&format!("{groups}49 F PIC X.\n"));
    assert_eq!(parsed.layouts[0].fields().len(), 49);
}

#[test]
fn findings() {
    let found = copybook::parse("M", &"05 A PIC Q.\n".repeat(1_000), &Options::default()).unwrap_err();
    assert_eq!(found.len(), MAX_DIAGNOSTICS);
}

#[test]
fn hostile_texts_end_soon() {
    let names: String = (0..20_000).map(|_| "05 N PIC 9.\n".to_owned()).collect();
    let tables: String =
        (0..20_000).map(|at| format!("05 T OCCURS 1 TO 2 DEPENDING ON N OF X{at} PIC X.\n")).collect();
    assert!(copybook::parse("M", &format!("01 R.\n{names}{tables}"), &Options::default()).is_err());

    let views: String = (0..49_000).map(|at| format!("05 V{at} REDEFINES A PIC X.\n")).collect();
    assert!(copybook::parse("M", &format!("01 R.\n05 A PIC X.\n{views}"), &Options::default()).is_ok());

    let line = "05 A PIC X. ".repeat(40_000);
    assert!(copybook::parse("M", &format!("01 R. {line}"), &Options::default()).is_ok());
    for junk in ["'", "(", "9(", "-", "- ", "X'", "88 ", "==", "ä", "\t", "PIC ", "0\n      -'"] {
        let text = junk.repeat(MAX_TEXT_BYTES / junk.len() / 16);
        let _ = copybook::parse("M", &text, &Options::default());
        let _ = copybook::parse("M", &format!("       01  F PIC X VALUE {text}"), &Options::default());
    }
}
