//! The crate's tests, by subject.

mod calls;
mod codes;
mod dates;
mod errors;
mod every_command;
mod golden;
mod interface;
mod moves;
mod properties;
mod sql;
mod synchronized;
mod text;

use std::collections::HashMap;

use copybook::{Diagnostic, Member};
use program::translate::{Settings, Translation, translate};

/// Translates a program with members by name.
pub(crate) fn with_members(
    text: &str,
    members: &HashMap<String, String>,
    settings: &Settings<'_>,
) -> Result<Translation, Vec<Diagnostic>> {
    let library = |name: &str, _library: Option<&str>| match members.get(&name.to_ascii_uppercase()) {
        Some(text) => Ok(Member { name: format!("{name}.cpy"), text: text.clone() }),
        None => Err("it is in no folder".to_owned()),
    };
    translate("PROGRAM.cbl", text, settings, &library)
}

/// Translates a program that copies nothing.
pub(crate) fn alone(text: &str) -> Result<Translation, Vec<Diagnostic>> {
    with_members(text, &HashMap::new(), &Settings::default())
}

/// A program in free format, so that lines may be long, around some lines of code, which begin in line 20.
pub(crate) fn around(code: &str) -> String {
    let mut text = String::from(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. P.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  X        PIC X(100).
       01  G.
           05  G1   PIC X(4).
           05  N    PIC S9(8) COMP.
           05  H    PIC S9(4) COMP.
           05  K    PIC S9(15) COMP-3.
       01  P        USAGE POINTER.
       LINKAGE SECTION.
       01  L        PIC X(10).
       PROCEDURE DIVISION.
       MAIN-LINE.
           CONTINUE.
       L1.
>>SOURCE FORMAT IS FREE
       L2.
",
    );
    for line in code.lines() {
        text.push_str("           ");
        text.push_str(line.trim());
        text.push('\n');
    }
    text.push_str("           GOBACK.\n");
    text
}

/// The findings as `line:column code`, one a line.
pub(crate) fn places(findings: &[Diagnostic]) -> String {
    let shown: Vec<String> = findings
        .iter()
        .map(|finding| format!("{}:{} {}", finding.place.line, finding.place.column, finding.code))
        .collect();
    shown.join("\n")
}

/// The findings for a person who looks at a failed test.
pub(crate) fn shown(findings: &[Diagnostic]) -> String {
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
