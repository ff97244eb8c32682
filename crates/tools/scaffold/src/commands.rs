//! The EXEC CICS commands of a program, as words.

use copybook::{Options, ProgramText, TokenKind};
use program::OwnMembers;

use crate::sources::{Members, Source, SourceFile};

/// The words of a program, with those of a member where the program copies it. Words are in upper case; literals keep their quotes.
///
/// # Errors
/// The program cannot be read.
pub(crate) fn words_of(file: &SourceFile) -> Result<Vec<String>, String> {
    let source = Source::read(&file.path)?;
    let members = Members::of_program(file);
    let read = |library: &dyn copybook::Library| {
        Ok(ProgramText::read(&source.name, &source.text, &Options::default(), &OwnMembers(library)))
    };
    // A member that is missing has no words; the translator tells of it.
    let program = members.library(read).map_err(|faults| members.tell_all(&source, faults))?;
    Ok(words_in(&program))
}

fn words_in(program: &ProgramText) -> Vec<String> {
    let word = |token: copybook::Token<'_>| match token.kind {
        TokenKind::Text(_) | TokenKind::Hex(_) | TokenKind::BadLiteral(_) => token.text.to_owned(),
        _ => token.text.to_ascii_uppercase(),
    };
    program.tokens().into_iter().map(word).collect()
}

/// The words of a program without members.
#[cfg(test)]
pub(crate) fn words(text: &str) -> Vec<String> {
    let none = |_: &str, _: Option<&str>| Err("it is not there".to_owned());
    words_in(&ProgramText::read("P.cbl", text, &Options::default(), &none))
}

/// The words between EXEC CICS and END-EXEC, for each command.
pub(crate) fn commands(words: &[String]) -> impl Iterator<Item = &[String]> {
    let begins = words.windows(2).enumerate().filter(|(_, two)| two[0] == "EXEC" && two[1] == "CICS");
    begins.map(|(at, _)| {
        let rest = &words[at + 2..];
        &rest[..rest.iter().position(|word| word == "END-EXEC").unwrap_or(rest.len())]
    })
}

/// The words between the parentheses of an option. They may have parentheses of their own, as a field of a table has.
pub(crate) fn option<'w>(command: &'w [String], name: &str) -> Option<&'w [String]> {
    let at = command.windows(2).position(|two| two[0] == name && two[1] == "(")?;
    let rest = &command[at + 2..];
    let mut depth = 1_usize;
    let end = rest.iter().position(|word| {
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    Some(&rest[..end])
}

/// The value of an option as people write it.
pub(crate) fn shown(value: &[String]) -> String {
    value.join(" ").replace(" ( ", "(").replace(" )", ")").replace(" : ", ":")
}

/// The text of a literal or of a field. A field has its VALUE, or the only literal that is moved to
/// it.
///
/// # Errors
/// The program does not show the value of the field.
pub(crate) fn literal(words: &[String], value: &[String]) -> Result<String, String> {
    let (initial, moved) = literals(words, value);
    match (initial, moved.as_slice()) {
        (Some(initial), _) => Ok(initial),
        (None, [only]) => Ok(only.clone()),
        (None, _) => {
            let name = shown(value);
            Err(format!("the name is in {name}, whose value the program does not tell"))
        }
    }
}

/// All texts that a literal or a field may be: what it begins as, and what is moved to it.
pub(crate) fn all_literals(words: &[String], value: &[String]) -> Vec<String> {
    let (initial, moved) = literals(words, value);
    let mut all: Vec<String> = initial.into_iter().chain(moved).filter(|text| !text.is_empty()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The text of a literal or the VALUE of a field, and the literals that are moved to it.
fn literals(words: &[String], value: &[String]) -> (Option<String>, Vec<String>) {
    let text = |word: &String| {
        let inner = word.strip_prefix(['\'', '"'])?.strip_suffix(['\'', '"'])?;
        Some(inner.trim().to_owned())
    };
    if let Some(found) = value.first().and_then(text) {
        return (Some(found), Vec::new());
    }
    let name = value.join(" ");
    let declared = words
        .windows(2)
        .enumerate()
        .find(|(_, two)| two[0].bytes().all(|byte| byte.is_ascii_digit()) && two[1] == name);
    let entry = declared.map(|(at, _)| {
        let rest = &words[at..];
        &rest[..rest.iter().position(|word| word == ".").unwrap_or(rest.len())]
    });
    let initial = entry.and_then(|entry| {
        let at = entry.iter().position(|word| word == "VALUE")?;
        entry[at + 1..].iter().find_map(text)
    });
    let mut moved: Vec<String> = words
        .windows(4)
        .filter(|four| four[0] == "MOVE" && four[2] == "TO" && four[3] == name)
        .filter_map(|four| text(&four[1]))
        .collect();
    moved.dedup();
    (initial, moved)
}
