//! COPY and REPLACE: the resulting text, the places in it, and refusals.

use std::collections::HashMap;

use copybook::{
    Diagnostic, Literal, MAX_COPIES, MAX_COPY_DEPTH, MAX_EXPANDED_BYTES, Member, Options, Parsed,
};

use crate::table::table;

type Members<'m> = &'m [(&'m str, &'m str)];

/// Parses with a library of these members.
pub(crate) fn copied(text: &str, members: Members<'_>) -> Result<Parsed, Vec<Diagnostic>> {
    let members: HashMap<&str, &str> = members.iter().copied().collect();
    let library = |name: &str, library: Option<&str>| {
        let name = library.map_or_else(|| name.to_owned(), |library| format!("{library}/{name}"));
        match members.get(name.to_ascii_uppercase().as_str()) {
            Some(text) => Ok(Member { name, text: (*text).to_owned() }),
            None => Err("it is in no folder".to_owned()),
        }
    };
    copybook::parse_with("MAIN", text, &Options::default(), &library)
}

#[track_caller]
fn check(text: &str, members: Members<'_>, expected: &str) -> Parsed {
    match copied(text, members) {
        Ok(parsed) => {
            let tables: Vec<_> = parsed.layouts.iter().map(table).collect();
            let expected: Vec<_> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            assert_eq!(tables.join("\n"), expected.join("\n"), "{text}");
            parsed
        }
        Err(found) => panic!("{text}\n{}", shown(&found)),
    }
}

/// Checks the findings: `file:line:column code`, one a line.
#[track_caller]
fn refuse(text: &str, members: Members<'_>, expected: &str) -> Vec<Diagnostic> {
    let found = copied(text, members).expect_err("expected errors");
    let place = |d: &Diagnostic| format!("{}:{}:{} {}", d.file, d.place.line, d.place.column, d.code);
    assert_eq!(found.iter().map(place).collect::<Vec<_>>().join("\n"), expected, "{}", shown(&found));
    found
}

fn shown(found: &[Diagnostic]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

const ADDRESS: (&str, &str) =
    ("ADDRESS", "           05  CITY PIC X(30).\n           05  ZIP-CODE PIC 9(5).\n");

#[test]
fn a_member_takes_the_place_of_the_statement() {
    let expected = "R 0 36 group
         CITY 0 30 text
         ZIP-CODE 30 5 zoned 5/0
         Z 35 1 text";
    for copy in [
        "COPY ADDRESS.",
        "copy address.",
        "COPY 'ADDRESS'.",
        "COPY \"ADDRESS\" SUPPRESS.",
        "COPY ADDRESS SUPPRESS PRINTING.",
        "COPY ADDRESS",
        "++INCLUDE ADDRESS",
        "++INCLUDE ADDRESS   where one lives",
        "-INC ADDRESS",
        "EXEC SQL INCLUDE ADDRESS END-EXEC.",
        "EXEC SQL INCLUDE ADDRESS END-EXEC",
    ] {
        let text = format!("       01  R.\n           {copy}\n           05  Z PIC X.\n");
        check(&text, &[ADDRESS], expected);
    }
    // Library managers have their statements in column 1.
    check("       01  R.\n++INCLUDE ADDRESS\n           05  Z PIC X.\n", &[ADDRESS], expected);
    check("       01  R.\n-INC ADDRESS\n           05  Z PIC X.\n", &[ADDRESS], expected);
    let named = [("LIB/ADDRESS", "           05  A PIC X.\n")];
    check("       01  R.\n           COPY ADDRESS OF LIB.\n", &named, "R 0 1 group\nA 0 1 text");
    check("       01  R.\n           COPY ADDRESS IN LIB.\n", &named, "R 0 1 group\nA 0 1 text");
}

#[test]
fn a_member_may_stand_within_an_entry_and_have_its_own_format() {
    check("       01  R COPY PART.\n", &[("PART", "           PIC X(4).\n")], "R 0 4 text");
    check("       01  R.\n           COPY FREE.\n", &[("FREE", "05 A PIC X.\n")], "R 0 1 group\nA 0 1 text");
    check("       01  R PIC X.\n           COPY NONE.\n", &[("NONE", "")], "R 0 1 text");
}

#[test]
fn replacing_words_and_text() {
    let member = [(
        "M",
        "
           05  :TAG:-KEY  PIC X(SIZE).
           05  :tag:-AMT  PIC S9(5)V99 USAGE-HERE.
           05  (P)-NOTE   PIC X(3) VALUE 'TAG'.
           05  TAG        PIC 9,99.
           05  'Q'REST    PIC X(7), VALUE  'a'.
",
    )];
    let text = "       01  R.
           COPY M REPLACING ==:TAG:== BY ==CUST==
               SIZE BY 12, ==USAGE-HERE== BY ==COMP-3==;
               ==(P)== BY ==X==
               TAG BY TOTAL
               ==9,99== BY ==X==
               'Q' BY Q-
               ==PIC X ( 7 ) VALUE 'a'== BY ==PIC X(2)==.
";
    let parsed = check(
        text,
        &member,
        "R 0 22 group
         CUST-KEY 0 12 text
         CUST-AMT 12 4 packed 7/2 signed
         X-NOTE 16 3 text
         TOTAL 19 1 text
         Q-REST 20 2 text",
    );
    assert_eq!(parsed.layouts[0].fields()[3].value, Some(Literal::Text("TAG".to_owned())));
}

#[test]
fn replacing_parts_of_words() {
    let member = [(
        "M",
        "           05  OLD-KEY-OLD PIC X.\n           05  OLD PIC X.\n           05  A-OLD-B PIC X.\n",
    )];
    let text = |pairs: &str| format!("       01  R.\n           COPY M REPLACING {pairs}.\n");
    let names = |pairs: &str| -> Vec<String> {
        let parsed = copied(&text(pairs), &member).expect("a layout");
        parsed.layouts[0].fields()[1..].iter().map(|field| field.name.clone()).collect()
    };
    assert_eq!(names("LEADING ==OLD== BY ==NEW=="), ["NEW-KEY-OLD", "NEW", "A-OLD-B"]);
    assert_eq!(names("TRAILING ==-old== BY ===="), ["OLD-KEY", "OLD", "A-OLD-B"]);
    assert_eq!(names("==OLD== BY ==X== LEADING ==OLD-== BY ===="), ["KEY-OLD", "X", "A-OLD-B"]);
    // The first pair that fits wins, whichever kind it is.
    assert_eq!(names("LEADING ==OLD== BY ==P== ==OLD== BY ==X=="), ["P-KEY-OLD", "P", "A-OLD-B"]);
}

#[test]
fn replacing_spares_comments_literals_and_what_was_replaced() {
    let member = [(
        "M",
        "      * A is no word here\n           05  A PIC X VALUE 'A'. *> A\n           05  B PIC X.\n",
    )];
    check(
        "       01  R.\n           COPY M REPLACING A BY B B BY A.\n",
        &member,
        "R 0 2 group\nB 0 1 text\nA 1 1 text",
    );
}

#[test]
fn members_nest_and_the_outer_replacing_reaches_inwards() {
    let members = [
        ("OUTER", "           05  :T:-A PIC X.\n           COPY INNER REPLACING ==:U:== BY ==:T:-U==.\n"),
        ("INNER", "           05  :U:-B PIC X(2).\n"),
    ];
    check(
        "       01  R.\n           COPY OUTER REPLACING ==:T:== BY ==T1==.\n",
        &members,
        "R 0 3 group\nT1-A 0 1 text\nT1-U-B 1 2 text",
    );
}

#[test]
fn replace_holds_up_to_the_next() {
    let text = "
       REPLACE ==A== BY ==B== LEADING ==P-== BY ==Q-==.
       01  R.
           05  A PIC X.
           05  P-A PIC X.
           COPY M.
       REPLACE ALSO ==C== BY ==D==.
           05  A PIC X.
           05  C PIC X.
       REPLACE LAST OFF.
           05  A PIC X.
           05  C PIC X.
       REPLACE ==X== BY ==X(3)==.
           05  A PIC X.
       REPLACE OFF.
           05  Z PIC X.
";
    check(
        text,
        &[("M", "           05  P-B PIC X.\n")],
        "R 0 11 group
         B 0 1 text
         Q-A 1 1 text
         Q-B 2 1 text
         B 3 1 text
         D 4 1 text
         B 5 1 text
         C 6 1 text
         A 7 3 text
         Z 10 1 text",
    );
    // REPLACE needs no library.
    let parsed =
        copybook::parse("M", "       REPLACE ==N== BY ==4==.\n       01  R PIC X(N).\n", &Options::default());
    assert_eq!(parsed.expect("a layout").layouts[0].max_bytes(), 4);
}

#[test]
fn every_field_leads_back_to_its_file() {
    let members = [
        (
            "OUTER",
            "      * a comment\n           05  :T:-A PIC X.\n           COPY INNER.\n           05 :T:-C PIC X.\n",
        ),
        ("INNER", "      *\n\n             05  LONG-:T:-B PIC X.\n"),
    ];
    let text =
        "       01  R.\n           COPY OUTER REPLACING ==:T:== BY ==LONGER==.\n           05  Z PIC X.\n";
    let parsed = copied(text, &members).expect("a layout");
    let places: Vec<_> = parsed.layouts[0]
        .fields()
        .iter()
        .map(|field| {
            let place = &field.place;
            let file = &parsed.files[place.file].name;
            let source = members.iter().find(|(name, _)| name == file).map_or(text, |(_, text)| text);
            format!("{file}:{}:{} {}", place.line, place.column, &source[place.span.clone()])
        })
        .collect();
    assert_eq!(
        places,
        [
            "MAIN:1:8 01  R",
            "OUTER:2:12 05  :T:-A",
            "INNER:3:14 05  LONG-:T:-B",
            "OUTER:4:12 05 :T:-C",
            "MAIN:3:12 05  Z",
        ]
    );
    let copied_at: Vec<_> =
        parsed.files.iter().map(|file| file.copied_at.as_ref().map(|at| (at.file, at.line))).collect();
    assert_eq!(copied_at, [None, Some((0, 2)), Some((1, 3))]);
}

#[test]
fn findings_name_the_member() {
    let members =
        [("M", "           05  A PIC X.\n           05  B PIC Q.\n      X    05  C PIC X.\n"), ADDRESS];
    refuse(
        "       01  R.\n           COPY M.\n           05  D PIC Q.\n",
        &members,
        "MAIN:3:22 CPY040\nM:2:22 CPY040\nM:3:7 CPY002",
    );
    let member = [("M", "           05  :T:-A PIC X.\n           05  B PIC :T:.\n")];
    let text = "       01  R.\n           COPY M REPLACING ==:T:== BY ==Q==.\n";
    refuse(text, &member, "M:2:22 CPY040");
}

#[test]
fn a_missing_member_counts_where_it_is_read() {
    let found = refuse("       01  R.\n           COPY NOPE OF LIB.\n", &[], "MAIN:2:12 CPY026");
    assert_eq!(found[0].message, "the member NOPE is missing: it is in no folder");
    let program = "       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       COPY NOPE.\n       01  A PIC X.\n       LINKAGE SECTION.\n       01  L.\n       COPY ADDRESS.\n       PROCEDURE DIVISION.\n           COPY NOPE.\n";
    check(program, &[ADDRESS], "L 0 35 group\nCITY 0 30 text\nZIP-CODE 30 5 zoned 5/0");
}

#[test]
fn forms_that_programs_use() {
    let member = [(
        "PARTS/P.CPY",
        "       01  ()-AREA.\n           05  FS-() PIC X(78-SIZE).\n           05 T_ID PIC 9 OCCURS 78-SIZE.\n",
    )];
    let text = "
       78  78-SIZE VALUE 3.
       COPY 'parts/p.cpy' REPLACING ==()== BY ==IN1==
           ==T_ID== BY == N-ID ==.
       COPY parts/p.cpy
           REPLACING == () == BY ==IN2==
           LEADING == T == BY == U == .
";
    check(
        text,
        &member,
        "IN1-AREA 0 6 group
         FS-IN1 0 3 text
         N-ID 3 1 zoned 1/0 x3..3
         IN2-AREA 0 6 group
         FS-IN2 0 3 text
         U_ID 3 1 zoned 1/0 x3..3",
    );
}

#[test]
fn a_file_description_may_end_with_a_copied_record() {
    let text = "       DATA DIVISION.\n       FILE SECTION.\n       FD  F\n           BLOCK CONTAINS\n           10 RECORDS\n           COPY REC.\n       FD  G.\n       01  H PIC X.\n";
    check(
        text,
        &[("REC", "       01  R.\n           05  A PIC X.\n")],
        "R 0 1 group\nA 0 1 text\nH 0 1 text",
    );
}

#[test]
fn what_follows_a_missing_member_is_read() {
    let at = |copy: &str, expected: &str| {
        let text = format!("       01  R.\n           {copy}\n           05  Z PIC Q.\n");
        refuse(&text, &[], expected);
    };
    at("COPY NOPE.", "MAIN:2:12 CPY026\nMAIN:3:22 CPY040");
    at("COPY NOPE", "MAIN:2:12 CPY026");
    at("++INCLUDE NOPE", "MAIN:2:12 CPY026\nMAIN:3:22 CPY040");
    at("-INC NOPE", "MAIN:2:12 CPY026\nMAIN:3:22 CPY040");
    at("EXEC SQL INCLUDE NOPE END-EXEC.", "MAIN:2:12 CPY026\nMAIN:3:22 CPY040");
}

#[test]
fn a_missing_period_is_assumed() {
    let parsed =
        copied("       01  R.\n           COPY ADDRESS\n           05  Z PIC X.\n", &[ADDRESS]).unwrap();
    assert_eq!(parsed.layouts[0].max_bytes(), 36);
    assert_eq!(
        shown(&parsed.warnings),
        "MAIN:2:17: warning[CPY025]: the statement does not end with a period; one is assumed"
    );
}

#[test]
fn wrong_statements() {
    let copy = |statement: &str| format!("       01  R.\n           {statement}\n           05  Z PIC X.\n");
    let at = |statement: &str, expected: &str| {
        refuse(&copy(statement), &[ADDRESS], expected);
    };
    at("COPY .", "MAIN:2:17 CPY032");
    at("COPY ADDRESS OF .", "MAIN:2:28 CPY032");
    at("COPY ADDRESS REPLACING.", "MAIN:2:34 CPY032");
    at("COPY ADDRESS REPLACING A B.", "MAIN:2:37 CPY032");
    at("COPY ADDRESS REPLACING ==A BY B.", "MAIN:2:35 CPY032");
    at("COPY ADDRESS REPLACING ==== BY ==B==.", "MAIN:2:35 CPY032");
    at("COPY ADDRESS REPLACING LEADING ==A B== BY ==B==.", "MAIN:2:43 CPY032");
    at("EXEC SQL INCLUDE ADDRESS.", "MAIN:2:36 CPY032");
    at("REPLACE ==A== ==B==.", "MAIN:2:26 CPY032");
}

#[test]
fn circles_and_depth() {
    let circle = [("A", "           COPY B.\n"), ("B", "\n           COPY A.\n")];
    let found = refuse("       01  R.\n           COPY A.\n", &circle, "B:2:12 CPY033");
    assert_eq!(found[0].message, "the member copies itself: MAIN > A > B > A");
    let itself = [("MAIN", "")];
    refuse("       01  R.\n           COPY MAIN.\n", &itself, "MAIN:2:12 CPY033");
    // The folder of a program may have the program alone under the name of the copybook.
    let program = "       01  R.\n           COPY ORDERS.\n";
    let found = refuse(program, &[("ORDERS", program)], "MAIN:2:12 CPY033");
    assert_eq!(
        found[0].message,
        "COPY ORDERS finds the text itself, which is ORDERS, and no other file of this name"
    );

    let names: Vec<String> = (0..=MAX_COPY_DEPTH).map(|at| format!("M{at}")).collect();
    let texts: Vec<String> = (1..=MAX_COPY_DEPTH + 1).map(|at| format!("           COPY M{at}.\n")).collect();
    let mut members: Vec<_> =
        names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    refuse("       01  R.\n           COPY M0.\n", &members, "M15:1:12 CPY033");
    members[MAX_COPY_DEPTH - 1].1 = "           05  A PIC X.\n";
    check("       01  R.\n           COPY M0.\n", &members, "R 0 1 group\nA 0 1 text");
}

#[test]
fn expansion_has_limits() {
    // Each member copies the next one ten times.
    let names: Vec<String> = (0..10).map(|at| format!("M{at}")).collect();
    let texts: Vec<String> = (1..=10).map(|at| format!("           COPY M{at}.\n").repeat(10)).collect();
    let mut members: Vec<_> =
        names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    members[9].1 = "           05  A PIC X.\n";
    let found = refuse("       01  R.\n           COPY M0.\n", &members, "MAIN:1:1 CPY007");
    assert!(found[0].message.contains(&MAX_COPIES.to_string()));

    let long = format!("           05  A PIC X.\n{}", "      * a comment\n".repeat(60_000));
    let text = format!("       01  R.\n{}", "           COPY LONG.\n".repeat(20));
    let found = refuse(&text, &[("LONG", &long)], "MAIN:1:1 CPY007");
    assert!(found[0].message.contains(&MAX_EXPANDED_BYTES.to_string()));

    let word = "X".repeat(10_000);
    let grown = format!("       REPLACE ==A== BY =={word}==.\n       01  R{}.\n", " A".repeat(10_000));
    refuse(&format!(">>SOURCE FREE\n{grown}"), &[], "MAIN:1:1 CPY007");

    let costly = format!(
        ">>SOURCE FREE\nREPLACE {} .\n01 R {}.\n",
        format!("=={} B== BY ==C==", "A ".repeat(1_000)).repeat(20),
        "A ".repeat(100_000)
    );
    refuse(&costly, &[], "MAIN:1:1 CPY007");
}
