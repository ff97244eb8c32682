//! Fixed or free format, from the look of the text.

use super::columns;
use crate::Format;

/// The number of lines that are examined.
const LINES_EXAMINED: usize = 2_000;

/// Words that begin code, besides level numbers.
const FIRST_WORDS: &[&str] = &[
    "IDENTIFICATION",
    "ID",
    "DATA",
    "ENVIRONMENT",
    "WORKING-STORAGE",
    "LINKAGE",
    "FILE",
    "FD",
    "COPY",
    "PROGRAM-ID",
];

/// Decides by votes. A line with code in columns 1 to 7 votes for free format, a line with a sequence number
/// or an indicator for fixed format. A tie means fixed, the mainframe's own format. A directive is about the
/// lines below it. If no line above it votes, it decides for those as well.
pub(super) fn detect(text: &str) -> Format {
    let (mut fixed, mut free) = (0_usize, 0_usize);
    for (_, line) in super::read::lines(text).take(LINES_EXAMINED) {
        if let Some(format) = stated(line.trim()) {
            if fixed == 0 && free == 0 {
                return format;
            }
            break;
        }
        match vote(line.trim_start_matches('\u{c}')) {
            Some(Format::Fixed) => fixed += 1,
            Some(Format::Free) => free += 1,
            _ => {}
        }
    }
    if free > fixed { Format::Free } else { Format::Fixed }
}

/// The format in `>>SOURCE FORMAT IS FREE` or `$SET SOURCEFORMAT"FREE"`.
pub(super) fn stated(content: &str) -> Option<Format> {
    if !columns::is_directive(content) {
        return None;
    }
    let upper = content.to_ascii_uppercase();
    match upper.contains("SOURCE") {
        true if upper.contains("FREE") => Some(Format::Free),
        true if upper.contains("FIXED") => Some(Format::Fixed),
        _ => None,
    }
}

fn vote(line: &str) -> Option<Format> {
    if line.trim().is_empty() {
        return None;
    }
    let first = columns::first_column(line);
    if first > 7 {
        return None;
    }
    let content = line.trim_start();
    if first < 7 && content.starts_with("*>") {
        return Some(Format::Free);
    }
    if begins_code(content) {
        return Some(Format::Free);
    }
    let sequence = line.chars().take(6);
    let numbered = line.len() > 6 && sequence.clone().all(|c| c.is_ascii_digit());
    let unnumbered = sequence.clone().all(|c| c == ' ');
    let indicator = line.chars().nth(6);
    // Teams mark changes in columns 1 to 6, and note positions of fields there.
    let marked = indicator == Some(' ')
        && line.char_indices().nth(7).is_some_and(|(at, _)| begins_code(line[at..].trim_start()));
    (numbered || marked || (unnumbered && matches!(indicator, Some('*' | '/' | '-'))))
        .then_some(Format::Fixed)
}

/// True if the line begins with a level number and more, or with a word of a division's heading.
pub(super) fn begins_code(content: &str) -> bool {
    let mut words = content.split(|c: char| c.is_whitespace() || c == '.');
    let word = words.next().unwrap_or("");
    // A number is never the name of an item: two of them are notes in the columns of sequence numbers.
    let is_note = words
        .find(|next| !next.is_empty())
        .is_some_and(|next| next.bytes().all(|byte| byte.is_ascii_digit()));
    let level = (1..=2).contains(&word.len())
        && word.parse::<u8>().is_ok_and(|level| matches!(level, 1..=49 | 66 | 77 | 78 | 88))
        && content.len() > word.len()
        && !is_note;
    level || FIRST_WORDS.iter().any(|first| first.eq_ignore_ascii_case(word))
}
