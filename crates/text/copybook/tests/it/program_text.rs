//! Whole programs: members in code, places, and findings about members that are missing.

use copybook::{Diagnostic, Member, Options, ProgramText, TokenKind};

fn read(text: &str, members: &[(&str, &str)]) -> ProgramText {
    let library = |name: &str, _library: Option<&str>| {
        let found = members.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        match found {
            Some((known, text)) => Ok(Member { name: format!("{known}.cpy"), text: (*text).to_owned() }),
            None => Err("it is in no folder".to_owned()),
        }
    };
    ProgramText::read("MAIN.cbl", text, &Options::default(), &library)
}

fn shown(findings: &[Diagnostic]) -> Vec<String> {
    let place = |d: &Diagnostic| format!("{}:{}:{} {}", d.file, d.place.line, d.place.column, d.code);
    findings.iter().map(place).collect()
}

const HEAD: &str = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n";

#[test]
fn members_are_brought_into_code_with_their_places() {
    let members = [
        ("OUTER", "           MOVE :A: TO B.\n           COPY INNER.\n"),
        ("INNER", "      * a comment\n           DISPLAY :A:.\n"),
    ];
    let text = format!(
        "{HEAD}       PROCEDURE DIVISION.\n           COPY OUTER REPLACING ==:A:== BY ==X==.\n           GOBACK.\n"
    );
    let program = read(&text, &members);
    assert_eq!(shown(program.findings()), [""; 0]);
    let place = |word: &str| {
        let tokens = program.tokens();
        let token = tokens.iter().find(|token| token.is(word)).expect("the word");
        let place = program.place(&token.span);
        (program.file_name(token.span.start).to_owned(), place.line, place.column)
    };
    assert_eq!(place("MOVE"), ("OUTER.cpy".to_owned(), 1, 12));
    assert_eq!(place("DISPLAY"), ("INNER.cpy".to_owned(), 2, 12));
    assert_eq!(place("GOBACK"), ("MAIN.cbl".to_owned(), 5, 12));
    assert_eq!(program.files().len(), 3);
    assert!(program.text().contains("DISPLAY X."), "{}", program.text());
}

#[test]
fn what_cannot_be_brought_in_is_said_where_it_stands() {
    let code = "       PROCEDURE DIVISION.\n           COPY NOWHERE.\n           COPY 'X' REPLACING.\n";
    let program = read(&format!("{HEAD}{code}"), &[("LOOP", "           COPY LOOP.\n")]);
    assert_eq!(shown(program.findings()), ["MAIN.cbl:4:12 CPY026", "MAIN.cbl:5:30 CPY032"]);
    let program = read(
        &format!("{HEAD}       PROCEDURE DIVISION.\n           COPY LOOP.\n"),
        &[("LOOP", "           COPY LOOP.\n")],
    );
    assert_eq!(shown(program.findings()), ["LOOP.cpy:1:12 CPY033"]);
}

#[test]
fn comments_before_the_first_division_are_no_statements() {
    let text = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       REMARKS. COPY OF J. O'HARA'S.\n       DATA DIVISION.\n";
    let program = read(text, &[]);
    assert_eq!(shown(program.findings()), [""; 0]);
    let open = read(&format!("{HEAD}       PROCEDURE DIVISION.\n           DISPLAY 'OPEN.\n"), &[]);
    assert_eq!(shown(open.findings()), ["MAIN.cbl:4:20 CPY011"]);
}

#[test]
fn decimal_commas_are_read_as_the_program_says() {
    let text = "       SPECIAL-NAMES. DECIMAL-POINT IS COMMA.\n       PROCEDURE DIVISION.\n           MOVE 1,5 TO X.\n";
    let program = read(text, &[]);
    let tokens = program.tokens();
    assert!(tokens.iter().any(|token| token.kind == TokenKind::Number && token.text == "1,5"));
}

#[test]
fn a_text_that_is_too_long_is_not_read() {
    let program = read(&" ".repeat(copybook::MAX_TEXT_BYTES + 1), &[]);
    assert_eq!(shown(program.findings()), ["MAIN.cbl:1:1 CPY001"]);
    assert_eq!(program.text(), "");
}

#[test]
fn operators_that_begin_a_line_of_free_format_are_no_comments() {
    let text = "identification division.\nprogram-id. P.\nprocedure division.\n* a remark\n    compute x = a\n      * b\n    / c. *> done\n* a remark\n    goback.\n";
    let program = read(text, &[]);
    let words: Vec<&str> = program.tokens().iter().map(|token| token.text).collect();
    assert_eq!(words[10..].join(" "), "compute x = a * b / c . goback .");
}
