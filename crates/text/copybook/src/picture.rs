//! PICTURE strings: from `S9(5)V99` to digits and scale, with errors at the right character.

mod edited;
mod numeric;

use crate::codes::{self, Code};
use crate::special_names::{Currency, Symbols};

/// The most digits of a number, with those of P (ARITH(EXTEND) of IBM's compiler).
pub const MAX_DIGITS: u32 = 31;

/// The content of a PICTURE string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) category: Category,
    /// Character positions: the bytes of an item with USAGE DISPLAY, without a separate sign.
    pub(crate) positions: usize,
    /// The string in upper case.
    pub(crate) text: String,
    /// The symbols with their counts, as in [`crate::Edited`].
    pub(crate) symbols: Vec<(char, u32)>,
    /// The currency sign of `$` among the symbols.
    pub(crate) currency: String,
    /// True if DECIMAL-POINT IS COMMA holds.
    pub(crate) decimal_comma: bool,
    /// The bytes of an item in UTF-8, from the BYTE-LENGTH phrase.
    pub(crate) byte_length: Option<usize>,
    /// A rule that the string breaks although its meaning is clear.
    pub(crate) warning: Option<&'static str>,
}

/// The category of an item. It decides the allowed usages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Category {
    /// X, A, and 9 between them.
    Text,
    /// Alphanumeric edited, and external floating point.
    TextEdited,
    /// Numeric edited.
    NumericEdited,
    /// S, 9, V and P.
    Numeric { digits: u8, scale: i8, signed: bool },
    /// N.
    National,
    /// G.
    Dbcs,
    /// U.
    Utf8,
}

/// The fault of a PICTURE string.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) code: Code,
    /// The byte of the string with the fault.
    pub(crate) at: usize,
    pub(crate) message: String,
}

impl Problem {
    fn at(run: &Run, message: impl Into<String>) -> Self {
        Problem { code: codes::BAD_PICTURE, at: run.at, message: message.into() }
    }
}

/// A symbol, and the number of its occurrences in a row.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Upper case. `$` for any currency sign, `C` for CR, `D` for DB, `.` for the decimal point and `,` for
    /// the other of the two, however they are written.
    symbol: char,
    count: u32,
    at: usize,
}

/// Reads a PICTURE string.
pub(crate) fn parse(text: &str, symbols: &Symbols) -> Result<Picture, Problem> {
    let runs = runs(text, symbols)?;
    let (category, warning) = categorize(&runs)?;
    let positions: usize = runs.iter().map(|run| width(run.symbol) * run.count as usize).sum();
    // A currency sign is inserted once, even if its symbol floats.
    let sign = runs.iter().find(|run| run.symbol == '$');
    let currency = sign.and_then(|run| currency(&text[run.at..], symbols));
    let positions = positions + currency.map_or(0, |currency| currency.bytes.saturating_sub(1));
    let currency = match (currency, sign) {
        (Some(declared), _) => declared.sign.clone(),
        (None, Some(run)) => text[run.at..].chars().take(1).collect(),
        (None, None) => String::new(),
    };
    Ok(Picture {
        category,
        positions,
        text: text.to_uppercase(),
        symbols: runs.iter().map(|run| (run.symbol, run.count)).collect(),
        currency,
        decimal_comma: symbols.decimal_comma,
        byte_length: None,
        warning,
    })
}

/// The symbols of a PICTURE string in upper case, with their counts. None if it is not one, or needs SPECIAL-NAMES.
#[must_use]
pub fn picture_symbols(text: &str) -> Option<Vec<(char, u32)>> {
    parse(text, &Symbols::default()).ok().map(|picture| picture.symbols)
}

/// The bytes of one symbol.
fn width(symbol: char) -> usize {
    match symbol {
        'S' | 'V' | 'P' => 0,
        'C' | 'D' => 2,
        _ => 1,
    }
}

fn categorize(runs: &[Run]) -> Result<(Category, Option<&'static str>), Problem> {
    let has = |symbols: &[char]| runs.iter().any(|run| symbols.contains(&run.symbol));
    if has(&['X', 'A']) {
        only(runs, &['X', 'A', '9', 'B', '0', '/'], "X or A")?;
        return Ok((if has(&['B', '0', '/']) { Category::TextEdited } else { Category::Text }, None));
    }
    if has(&['N']) {
        only(runs, &['N', 'B', '0', '/'], "N")?;
        return Ok((Category::National, None));
    }
    if has(&['G']) {
        only(runs, &['G', 'B'], "G")?;
        return Ok((Category::Dbcs, None));
    }
    if has(&['U']) {
        only(runs, &['U'], "U")?;
        return Ok((Category::Utf8, None));
    }
    if has(&['E']) {
        edited::check_float(runs)?;
        return Ok((Category::TextEdited, None));
    }
    if runs.iter().all(|run| matches!(run.symbol, 'S' | '9' | 'V' | 'P')) {
        return numeric::check(runs);
    }
    if has(&['0']) && runs.iter().all(|run| matches!(run.symbol, 'B' | '0' | '/' | ',')) {
        // IBM's compiler requires a data position. Others treat it as text that is always the same.
        return Ok((Category::TextEdited, Some("has no position for data, only characters that it inserts")));
    }
    edited::check(runs)?;
    Ok((Category::NumericEdited, None))
}

/// An error at the first symbol that is not allowed.
fn only(runs: &[Run], allowed: &[char], beside: &str) -> Result<(), Problem> {
    match runs.iter().find(|run| !allowed.contains(&run.symbol)) {
        None => Ok(()),
        Some(run) => Err(Problem::at(run, format!("{} is not allowed beside {beside}", shown(run.symbol)))),
    }
}

/// A symbol in the form for people.
fn shown(symbol: char) -> String {
    match symbol {
        'C' => "CR".to_owned(),
        'D' => "DB".to_owned(),
        other => other.to_string(),
    }
}

/// Splits the string into symbols with their counts. Equal neighbours are joined.
fn runs(text: &str, symbols: &Symbols) -> Result<Vec<Run>, Problem> {
    let mut found: Vec<Run> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let symbol = symbol(&text[at..], symbols).ok_or_else(|| {
            let message = match c {
                '1' => "PICTURE 1, bits, is not supported".to_owned(),
                '(' => "a count in parentheses must follow a symbol that can be repeated".to_owned(),
                _ => format!("'{c}' is not a PICTURE symbol"),
            };
            Problem { code: codes::BAD_PICTURE, at, message }
        })?;
        let start = at;
        at += if matches!(symbol, 'C' | 'D') { 2 } else { c.len_utf8() };
        let (count, used) =
            if matches!(symbol, 'S' | 'V' | 'C' | 'D' | 'E') { (1, 0) } else { count(text, at)? };
        at += used;
        match found.last_mut() {
            Some(last) if last.symbol == symbol => {
                last.count = last.count.checked_add(count).ok_or_else(|| too_large(start))?;
            }
            _ => found.push(Run { symbol, count, at: start }),
        }
    }
    Ok(found)
}

/// The symbol at the start of the rest of a string.
fn symbol(rest: &str, symbols: &Symbols) -> Option<char> {
    if currency(rest, symbols).is_some() {
        return Some('$');
    }
    let decimal_comma = symbols.decimal_comma;
    let first = rest.chars().next()?.to_ascii_uppercase();
    let second = rest[first.len_utf8()..].chars().next().map(|c| c.to_ascii_uppercase());
    match (first, second) {
        ('C', Some('R')) | ('D', Some('B')) => Some(first),
        ('.', _) if decimal_comma => Some(','),
        (',', _) if decimal_comma => Some('.'),
        ('$' | '€' | '£' | '¥', _) => Some('$'),
        (
            'X' | 'A' | '9' | 'S' | 'V' | 'P' | 'Z' | '*' | '+' | '-' | ',' | '.' | '/' | 'B' | '0' | 'E',
            _,
        ) => Some(first),
        ('N' | 'G' | 'U', _) => Some(first),
        _ => None,
    }
}

/// The currency sign whose symbol comes next. These symbols have case, unlike others.
fn currency<'s>(rest: &str, symbols: &'s Symbols) -> Option<&'s Currency> {
    symbols.currencies.iter().find(|currency| rest.starts_with(currency.symbol))
}

/// The count in parentheses after a symbol, and its length in bytes; 1 without parentheses.
fn count(text: &str, at: usize) -> Result<(u32, usize), Problem> {
    let Some(inside) = text[at..].strip_prefix('(') else { return Ok((1, 0)) };
    let problem = |message: &str| Problem { code: codes::BAD_PICTURE, at, message: message.to_owned() };
    let Some(length) = inside.find(')') else {
        return Err(problem("the count in parentheses is not closed; expected ')'"));
    };
    let digits = &inside[..length];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(problem("expected a whole number in the parentheses"));
    }
    match digits.parse::<u32>() {
        Ok(0) => Err(problem("expected a count of at least 1")),
        Ok(count) => Ok((count, length + 2)),
        Err(_) => Err(too_large(at)),
    }
}

fn too_large(at: usize) -> Problem {
    Problem { code: codes::BAD_PICTURE, at, message: "the count is too large".to_owned() }
}
