//! Regular expressions: JavaScript's notation on an engine that always takes linear time.

use regex::{Regex, RegexBuilder};

use crate::class::{Hyphen, is_set, property};
use crate::error::Error;

/// A compiled regular expression.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) regex: Regex,
    pub(crate) source: String,
}

impl Pattern {
    /// # Errors
    /// S0303 for features that the engine lacks, S0304 for syntax, L0003 if it becomes too big.
    pub(crate) fn compile(source: &str, flags: &str, max_bytes: usize) -> Result<Pattern, Error> {
        refuse(source)?;
        let built = RegexBuilder::new(&translate(source)?)
            .case_insensitive(flags.contains('i'))
            .multi_line(flags.contains('m'))
            // A line may end with CR too.
            .crlf(true)
            .size_limit(max_bytes)
            .dfa_size_limit(max_bytes)
            .nest_limit(100)
            .build();
        match built {
            Ok(regex) => Ok(Pattern { regex, source: source.to_string() }),
            Err(regex::Error::CompiledTooBig(limit)) => Err(Error::new(
                "L0003",
                format!("the regular expression needs more memory than regex_max_bytes allows ({limit})"),
            )),
            Err(error) => {
                let text = error.to_string();
                let reason =
                    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_string();
                Err(Error::new("S0304", format!("the regular expression /{source}/ is wrong: {reason}")))
            }
        }
    }
}

/// Refuses features that need backtracking, because backtracking may take for ever.
fn refuse(source: &str) -> Result<(), Error> {
    let refused = |what| Err(refused(what, source));
    let mut characters = source.char_indices();
    while let Some((at, character)) = characters.next() {
        let rest = &source[at..];
        match character {
            '(' if rest.starts_with("(?=") || rest.starts_with("(?!") => return refused("a look ahead"),
            '(' if rest.starts_with("(?<=") || rest.starts_with("(?<!") => return refused("a look behind"),
            '\\' => {
                if matches!(characters.next(), Some((_, '1'..='9' | 'k'))) {
                    return refused("a back reference");
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn refused(what: &str, source: &str) -> Error {
    Error::new("S0303", format!("{what} in the regular expression /{source}/ is not supported"))
}

/// JavaScript's classes have only ASCII characters, and brackets in its sets are ordinary characters.
fn translate(source: &str) -> Result<String, Error> {
    let mut out = String::with_capacity(source.len() + 16);
    let mut in_set = false;
    // True if the last part of a set was a class, such as `\d`.
    let mut behind_class = false;
    let mut characters = source.chars().peekable();
    while let Some(character) = characters.next() {
        let is_behind_class = std::mem::take(&mut behind_class);
        match character {
            '\\' => {
                let Some(escaped) = characters.next() else {
                    out.push('\\');
                    break;
                };
                behind_class = is_set(escaped);
                match (escaped, in_set) {
                    ('d', _) => out.push_str(if in_set { "0-9" } else { "[0-9]" }),
                    ('D', _) => out.push_str("[^0-9]"),
                    ('w', _) => out.push_str(if in_set { "0-9A-Za-z_" } else { "[0-9A-Za-z_]" }),
                    ('W', _) => out.push_str("[^0-9A-Za-z_]"),
                    ('b', true) => out.push_str("\\x08"),
                    ('b', false) => out.push_str("(?-u:\\b)"),
                    ('B', false) => out.push_str("(?-u:\\B)"),
                    ('0', _) => out.push_str("\\x00"),
                    // An escape of a character that needs no escape.
                    (other, _) if "<>\"'`!@%_,;:= ".contains(other) => out.push(other),
                    (other, _) => out.extend(['\\', other]),
                }
                if matches!(escaped, 'p' | 'P') {
                    property(&mut characters, &mut out);
                }
            }
            '-' if in_set => match Hyphen::of(is_behind_class, characters.clone()) {
                Hyphen::Plain => out.push('-'),
                Hyphen::Literal => out.push_str("\\-"),
                Hyphen::Double => return Err(refused("two hyphens in a set", source)),
            },
            '[' if in_set => out.push_str("\\["),
            '&' | '~' if in_set => out.extend(['\\', character]),
            '[' => {
                in_set = true;
                out.push('[');
                if characters.peek() == Some(&'^') {
                    characters.next();
                    out.push('^');
                }
            }
            ']' => {
                out.push_str(if in_set { "]" } else { "\\]" });
                in_set = false;
            }
            '.' if !in_set => out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
            other => out.push(other),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_beside_properties_stand_for_themselves() {
        for (source, text, fits) in [
            (r"^[\p{L}-z]+$", "é-z", true),
            (r"^[\p{L}-~]$", "-", true),
            (r"^[.-\p{L}]+$", ".-é", true),
            (r"^[\w-.]+$", "a-b.c", true),
            (r"^[a-c]$", "-", false),
        ] {
            let pattern =
                Pattern::compile(source, "", 1 << 20).unwrap_or_else(|error| panic!("{source}: {error:?}"));
            assert_eq!(pattern.regex.is_match(text), fits, "{source} in {text}");
        }
    }
}
