//! The page of codes in the reference, made from the tables of the copybook parser and the translator.
//!
//! UPDATE_GOLDEN=1 writes it.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;

use copybook::Code;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/reference/codes.md");

const INTRODUCTION: &str = "# Codes of findings

This page is for developers of copybooks and programs. It lists the codes of findings: what each one means, and what to do.
A finding has a file, a line and a code:

![A terminal: gantry record check finds two faults in a copybook](../images/findings.svg)

Codes do not change. An error has no result. A warning has one, and you should look at it. Some codes are errors in one place and warnings
in another.

The codes of failed requests are in [Errors](errors.md).

<!-- Made from the tables codes.rs of copybook and program: UPDATE_GOLDEN=1 cargo test -p program codes -->
";

fn page() -> String {
    let mut page = String::from(INTRODUCTION);
    chapter(&mut page, "Copybooks", "the text of COBOL, its columns, its data and COPY", copybook::CODES);
    chapter(&mut page, "Programs", "programs with EXEC CICS commands", program::translate::CODES);
    page
}

fn chapter(page: &mut String, title: &str, about: &str, codes: &[Code]) {
    let (first, last) = (codes[0].id, codes[codes.len() - 1].id);
    write!(page, "\n## {title}\n\n{first} to {last} are about {about}.\n").expect("a string");
    for Code { id, meaning, advice } in codes {
        write!(page, "\n### {id}\n\n{meaning}\n\nWhat to do: {advice}\n").expect("a string");
    }
}

#[test]
fn the_page_in_the_reference_is_the_tables() {
    let page = page();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(PAGE, &page).expect("the page can be written");
    }
    let written = fs::read_to_string(PAGE).expect("the page is there");
    assert_eq!(written, page, "run: UPDATE_GOLDEN=1 cargo test -p program codes");
}

#[test]
fn codes_of_the_translator_are_unique_and_say_what_to_do() {
    let mut seen = HashSet::new();
    for code in program::translate::CODES {
        assert!(seen.insert(code.id) && code.id.starts_with("EXC"), "{}", code.id);
        assert!(code.meaning.ends_with('.') && code.advice.ends_with('.'), "{}", code.id);
    }
}
