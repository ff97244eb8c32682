//! Reads Rust source as far as the checks of the tree need it: code without comments and literals, words and paths.

use std::collections::BTreeSet;

/// Modules of the standard library that stand for IO, the process or its environment.
const IO_MODULES: &[&str] = &["std::env", "std::fs", "std::net", "std::os", "std::process", "std::thread"];

/// Types that tell the time.
const CLOCKS: &[&str] = &["Instant", "SystemTime", "UNIX_EPOCH"];

/// Whether the file begins with a sentence about itself.
pub(super) fn opens_with_a_sentence(text: &str) -> bool {
    let paragraph: Vec<&str> = text
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let paragraph = paragraph.join(" ");
    paragraph.contains(". ") || paragraph.ends_with('.')
}

/// The text with comments, strings and characters taken out; lines stay apart.
pub(super) fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = literal_or_comment(rest, code.chars().next_back());
        if end == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.extend(rest[..end].chars().filter(|c| *c == '\n'));
            code.push(' ');
            rest = &rest[end..];
        }
    }
    code
}

/// Bytes of the comment, string or character at the beginning of the text, or 0.
fn literal_or_comment(text: &str, before: Option<char>) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return block_comment(text);
    }
    let in_word = before.is_some_and(is_word);
    if text.starts_with('r') && (!in_word || before == Some('b')) {
        let hashes = text[1..].bytes().take_while(|byte| *byte == b'#').count();
        if text[1 + hashes..].starts_with('"') {
            let close = format!("\"{}", "#".repeat(hashes));
            let content = 2 + hashes;
            return text[content..].find(&close).map_or(text.len(), |at| content + at + close.len());
        }
    }
    if text.starts_with('"') {
        return quoted(text, b'"');
    }
    if let Some(after) = text.strip_prefix('\'') {
        let mut chars = after.chars();
        let is_char = match chars.next() {
            Some('\\') => true,
            Some(_) => chars.next() == Some('\''),
            None => false,
        };
        return if is_char { quoted(text, b'\'') } else { 0 };
    }
    0
}

/// Bytes of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Bytes up to the closing quote, over escaped ones.
fn quoted(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The code before the module of tests, which by our custom ends a file.
pub(super) fn without_tests(code: &str) -> &str {
    code.find("#[cfg(test)]").map_or(code, |at| &code[..at])
}

/// Whether a word stands in the code by itself.
pub(super) fn has_word(code: &str, word: &str) -> bool {
    code.split(|c| !is_word(c)).any(|found| found == word)
}

/// The modules of IO and the clocks that the code names, in paths and in `use` with braces.
pub(super) fn io_in(code: &str) -> BTreeSet<&'static str> {
    let tight = tight(code);
    let mut found: BTreeSet<&str> = CLOCKS.iter().copied().filter(|clock| has_word(code, clock)).collect();
    for module in IO_MODULES {
        if names_path(&tight, module) {
            found.insert(module);
        }
    }
    for (at, _) in tight.match_indices("std::{") {
        let group = &tight[at + "std::{".len()..];
        for item in top_level_items(group) {
            let item = item.split("::").next().unwrap_or(item);
            found.extend(
                IO_MODULES.iter().copied().filter(|module| module.strip_prefix("std::") == Some(item)),
            );
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The code without blanks, but for one where two words would grow together.
fn tight(code: &str) -> String {
    let mut tight = String::with_capacity(code.len());
    for part in code.split_whitespace() {
        if tight.ends_with(is_word) && part.starts_with(is_word) {
            tight.push(' ');
        }
        tight.push_str(part);
    }
    tight
}

fn names_path(tight: &str, path: &str) -> bool {
    tight
        .match_indices(path)
        .any(|(at, _)| !tight[..at].ends_with(is_word) && !tight[at + path.len()..].starts_with(is_word))
}

/// The items of a group that ends with its closing brace; groups in it belong to their item.
fn top_level_items(group: &str) -> Vec<&str> {
    let (mut items, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&group[begin..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&group[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_is_left() {
        let text =
            "let a = \"unsafe \\\" // no\"; // unsafe\n/* a /* b */ unsafe */ let b = 'u'; fn f<'a>() {}\n";
        let code = code(text);
        assert!(!has_word(&code, "unsafe"), "{code}");
        assert!(code.contains("let b") && code.contains("fn f<'a>"), "{code}");
        assert_eq!(code.lines().count(), 2);
        assert!(!has_word(&super::code("r#\"a \" unsafe\"#; '\\''; \"x\""), "unsafe"));
        assert!(has_word(&super::code("for 'a in b { unsafe { } } 'x'"), "unsafe"));
    }

    #[test]
    fn io_is_found_in_every_spelling() {
        let found = |text: &str| io_in(&code(text)).into_iter().collect::<Vec<_>>();
        assert_eq!(found("use std::fs::File;"), ["std::fs"]);
        assert_eq!(
            found("use std::{\n  collections::{BTreeMap, fs_like},\n  env, fs::File\n};"),
            ["std::env", "std::fs"]
        );
        assert_eq!(found("use std::time::{Duration, Instant};"), ["Instant"]);
        assert_eq!(found("::std :: thread::sleep(d)"), ["std::thread"]);
        assert!(
            found("// std::fs\nuse std::fmt; use std::net_like; use std::time::Duration; env!(\"X\");")
                .is_empty()
        );
    }

    #[test]
    fn tests_are_left_out() {
        let text = code("fn f() {}\n#[cfg(test)]\nmod tests { use std::fs; }");
        assert!(io_in(without_tests(&text)).is_empty());
    }

    #[test]
    fn a_sentence_opens_a_file() {
        assert!(opens_with_a_sentence("//! One.\n"));
        assert!(opens_with_a_sentence("//! One that\n//! goes on.\n//!\n//! More"));
        assert!(!opens_with_a_sentence("// One.\n"));
        assert!(!opens_with_a_sentence("//! no sentence\n"));
        assert!(!opens_with_a_sentence("\n//! Late.\n"));
    }
}
