//! The EXEC CICS commands of a program, as words.

use std::collections::BTreeSet;

use crate::entries::{code, is_free};
use crate::sources::{Members, Source, SourceFile};

/// The words of a program, and behind them those of the members that it copies: VALUE clauses and commands may stand there, too.
///
/// # Errors
/// The program cannot be read.
pub(crate) fn words_of(file: &SourceFile) -> Result<Vec<String>, String> {
    let source = Source::read(&file.path)?;
    let members = Members::of_program(file);
    let is_free = is_free(&source.text);
    let mut all = words(&source.text);
    let (mut at, mut known) = (0, BTreeSet::new());
    while let Some(next) = all[at..].iter().position(|word| word == "COPY") {
        at += next + 1;
        let Some(name) = all.get(at).map(|word| word.trim_matches(['\'', '"']).to_owned()) else { break };
        if !known.insert(name.clone()) {
            continue;
        }
        // A member that is missing has no words; the translator tells of it.
        let found = members.library(|library| library.member(&name, None).map_err(|_| Vec::new()));
        if let Ok(member) = found {
            all.extend(words_in(&member.text, is_free));
        }
    }
    Ok(all)
}

/// The words of a program's code in upper case. Literals keep their quotes.
pub(crate) fn words(text: &str) -> Vec<String> {
    words_in(text, is_free(text))
}

fn words_in(text: &str, is_free: bool) -> Vec<String> {
    let mut words = Vec::new();
    for line in text.lines().map(|line| code(line, is_free)) {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            let length = match first {
                '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
                first if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                other => other.len_utf8(),
            };
            let (word, after) = rest.split_at(length);
            words.push(if word.starts_with(['\'', '"']) {
                word.to_owned()
            } else {
                word.to_ascii_uppercase()
            });
            rest = after.trim_start();
        }
    }
    words
}

/// The words between EXEC CICS and END-EXEC, for each command.
pub(crate) fn commands(words: &[String]) -> impl Iterator<Item = &[String]> {
    let begins = words.windows(2).enumerate().filter(|(_, two)| two[0] == "EXEC" && two[1] == "CICS");
    begins.map(|(at, _)| {
        let rest = &words[at + 2..];
        &rest[..rest.iter().position(|word| word == "END-EXEC").unwrap_or(rest.len())]
    })
}

/// The words between the parentheses of an option.
pub(crate) fn option<'w>(command: &'w [String], name: &str) -> Option<&'w [String]> {
    let at = command.windows(2).position(|two| two[0] == name && two[1] == "(")?;
    let rest = &command[at + 2..];
    Some(&rest[..rest.iter().position(|word| word == ")")?])
}

/// The text of a literal or of a field. A field has its VALUE, or the only literal that is moved to
/// it.
///
/// # Errors
/// The program does not show the value of the field.
pub(crate) fn literal(words: &[String], value: &[String]) -> Result<String, String> {
    let text = |word: &String| {
        let inner = word.strip_prefix(['\'', '"'])?.strip_suffix(['\'', '"'])?;
        Some(inner.trim().to_owned())
    };
    if let Some(found) = value.first().and_then(text) {
        return Ok(found);
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
    match (initial, moved.as_slice()) {
        (Some(initial), _) => Ok(initial),
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(format!("the name is in {name}, whose value the program does not tell")),
    }
}
