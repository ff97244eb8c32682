//! Regular expressions of ECMA-262 in schemas. Parts with another meaning there are rewritten, and parts that the engines lack are refused.
//! An expression that looks ahead or behind has an engine that steps back, with a limit of its steps. All others have linear time.

use expression::class::{Hyphen, is_set, property};
use regex::{Regex, RegexBuilder};

use crate::limits::Limits;

/// An edge of a word of ASCII characters. No pattern of a document has this text, because groups of this kind are refused.
const WORD_EDGE: &str = r"(?-u:\b)";
/// The same for the engine that looks around. It does not know the other form.
const WORD_EDGE_AROUND: &str = "(?:(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?=[A-Za-z0-9_]))";

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The text in the document.
    pub(crate) text: Box<str>,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Linear(Regex),
    /// For a pattern that looks ahead or behind.
    SteppingBack(Box<fancy_regex::Regex>),
}

/// A pattern in the language of the engines.
struct Rewritten {
    text: String,
    looks_around: bool,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// The reason why it cannot be checked.
    pub(crate) fn compile(text: &str, limits: &Limits) -> Result<Self, String> {
        if text.len() > limits.pattern_max_bytes {
            return Err(format!("longer than {} bytes (pattern_max_bytes)", limits.pattern_max_bytes));
        }
        let rewritten = rewritten(text)?;
        let engine = if rewritten.looks_around {
            fancy_regex::RegexBuilder::new(&rewritten.text.replace(WORD_EDGE, WORD_EDGE_AROUND))
                .backtrack_limit(limits.pattern_step_max)
                .delegate_size_limit(limits.pattern_program_max_bytes)
                .build()
                .map(|regex| Engine::SteppingBack(Box::new(regex)))
                .map_err(|error| last_line(&error))?
        } else {
            RegexBuilder::new(&rewritten.text)
                .size_limit(limits.pattern_program_max_bytes)
                .build()
                .map(Engine::Linear)
                .map_err(|error| reason(&error, limits))?
        };
        Ok(Self { text: text.into(), engine })
    }

    /// True if the pattern is somewhere in the text. False if that takes more steps than the limit.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        match &self.engine {
            Engine::Linear(regex) => regex.is_match(text),
            Engine::SteppingBack(regex) => regex.is_match(text).unwrap_or(false),
        }
    }
}

fn reason(error: &regex::Error, limits: &Limits) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => {
            format!(
                "it takes more than {} bytes (pattern_program_max_bytes)",
                limits.pattern_program_max_bytes
            )
        }
        other => last_line(other),
    }
}

/// The reason in an error of an engine. Its text shows the pattern with a caret on several lines, and the reason on the last one.
fn last_line(error: &impl ToString) -> String {
    error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// The same expression in the engine's language.
fn rewritten(text: &str) -> Result<Rewritten, String> {
    let mut looks_around = false;
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    let mut in_class = false;
    // True if the last part of a class was a set of its own, such as `\d`.
    let mut behind_set = false;
    while let Some(character) = characters.next() {
        let is_behind_set = std::mem::take(&mut behind_set);
        match character {
            '\\' => {
                let escaped = characters.next().ok_or("a backslash at its end")?;
                behind_set = in_class && is_set(escaped);
                escape(escaped, in_class, &mut out)?;
                if matches!(escaped, 'p' | 'P') {
                    property(&mut characters, &mut out);
                }
            }
            '[' if in_class => out.push_str("\\["),
            '[' => {
                in_class = true;
                out.push('[');
                if characters.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                // In ECMA-262 an empty class means no character or every character; in the engine it is an
                // error.
                if characters.peek() == Some(&']') {
                    return Err("an empty class".to_owned());
                }
            }
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            // In the engine these are set operations when they are doubled.
            '&' | '~' if in_class => out.extend(['\\', character]),
            '-' if in_class => match Hyphen::of(is_behind_set, characters.clone()) {
                Hyphen::Plain => out.push('-'),
                Hyphen::Literal => out.push_str("\\-"),
                Hyphen::Double => return Err("two hyphens in a class".to_owned()),
            },
            '.' if !in_class => out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
            '$' if !in_class => out.push_str(r"\z"),
            '^' if !in_class => out.push_str(r"\A"),
            '(' if !in_class && characters.peek() == Some(&'?') => {
                out.push('(');
                looks_around |= is_looking(&mut characters.clone())?;
            }
            other => out.push(other),
        }
    }
    Ok(Rewritten { text: out, looks_around })
}

/// Whether the group looks ahead or behind. `behind` is the text from its question mark on.
fn is_looking(behind: &mut impl Iterator<Item = char>) -> Result<bool, String> {
    let behind: String = behind.skip(1).take(2).collect();
    match behind.as_bytes() {
        [b'=' | b'!', ..] | [b'<', b'=' | b'!'] => Ok(true),
        [b':', ..] | [b'<', _] => Ok(false),
        _ => Err("a group of a kind that ECMA-262 does not have".to_owned()),
    }
}

fn escape(escaped: char, in_class: bool, out: &mut String) -> Result<(), String> {
    match escaped {
        // ASCII only, unlike in the engine.
        'd' => out.push_str(if in_class { "0-9" } else { "[0-9]" }),
        'D' => out.push_str("[^0-9]"),
        'w' => out.push_str(if in_class { "A-Za-z0-9_" } else { "[A-Za-z0-9_]" }),
        'W' => out.push_str("[^A-Za-z0-9_]"),
        's' => out.push_str(r"[\s\x{FEFF}]"),
        'S' => out.push_str(r"[^\s\x{FEFF}]"),
        'b' if in_class => out.push_str(r"\x08"),
        'b' => out.push_str(WORD_EDGE),
        '0' => out.push_str(r"\x00"),
        '1'..='9' | 'k' => return Err("it refers back to a group, which takes unbounded time".to_owned()),
        'c' => return Err("an escape of a control character".to_owned()),
        'n' | 'r' | 't' | 'v' | 'f' | 'x' | 'u' | 'p' | 'P' => out.extend(['\\', escaped]),
        letter if letter.is_ascii_alphabetic() => return Err(format!("the escape \\{letter}")),
        other => out.push_str(&regex::escape(&other.to_string())),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(text: &str) -> Result<Pattern, String> {
        Pattern::compile(text, &Limits::default())
    }

    #[test]
    fn patterns_mean_what_ecma_262_says() {
        let cases = [
            ("^[A-Z]{3}$", "ABC", true),
            ("^[A-Z]{3}$", "ABCD", false),
            ("b", "abc", true),
            ("^a$", "a\n", false),
            (r"^\d+$", "12", true),
            (r"^\d$", "\u{0967}", false),
            (r"^\w+$", "\u{e9}", false),
            (r"^[\w.-]+$", "a.b-c", true),
            (r"^\S+$", "a\u{feff}", false),
            (r"^[^\d]$", "7", false),
            (r"^[\D]$", "7", false),
            ("^.$", "\u{2028}", false),
            ("^.$", "\u{1f600}", true),
            ("^[[]$", "[", true),
            ("^[a&&b]+$", "a&b", true),
            ("^[+-]$", "-", true),
            (r"^[\w-\.]+$", "a-b.c", true),
            (r"^[\w-\s]+$", "a- b", true),
            (r"^[\w-~]$", "-", true),
            (r"^[\w-~]$", "{", false),
            (r"^[.-\w]+$", ".-a", true),
            (r"^[.-\w]+$", "/", false),
            (r"^[\p{L}-z]+$", "é-z", true),
            (r"^[\p{L}-~]$", "-", true),
            (r"^[\P{L}-a]+$", "1-a", true),
            (r"^[.-\p{L}]+$", ".-é", true),
            (r"^[\pL-~]$", "-", true),
            (r"^a\/b\-c$", "a/b-c", true),
            (r"^\u0041\x42$", "AB", true),
            ("^(?:a|b)+$", "abab", true),
            ("^(?<year>[0-9]{4})$", "2024", true),
            (r"^\p{Lu}$", "\u{c9}", true),
            (r"^[\b]$", "\u{8}", true),
            (r"\bcat\b", "a cat.", true),
            ("^$", "", true),
            (r"^(?!\s)(.*)(\S)$", "a b", true),
            (r"^(?!\s)(.*)(\S)$", " a", false),
            (r"^(?!\s)(.*)(\S)$", "a\u{feff}", false),
            (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Secret12", true),
            (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "secret12", false),
            (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Secret1\u{0967}", true),
            (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Secretx\u{0967}", false),
            (r"(?<!a)b$", "ab", false),
            (r"(?<!a)b$", "cb", true),
            (r"(?<=x+)b$", "axxb", true),
            (r"^(?!.*\bcat\b).*$", "a dog\n", false),
            (r"^[^(?=a)]$", "b", true),
        ];
        for (pattern, text, fits) in cases {
            let compiled = compiled(pattern).unwrap_or_else(|reason| panic!("{pattern}: {reason}"));
            assert_eq!(compiled.is_in(text), fits, "{pattern} in {text:?}");
        }
    }

    #[test]
    fn what_cannot_be_checked_is_refused_with_the_reason() {
        let cases = [
            (r"(a)\1", "refers back"),
            ("[]", "empty class"),
            ("[^]", "empty class"),
            ("[+--]", "hyphens"),
            (r"\ca", "control"),
            (r"\z", "escape"),
            ("(?i)a", "kind"),
            ("a\\", "backslash"),
            ("(a", "unclosed"),
            ("(?=a", "parenthesis"),
            ("a{1000}{1000}{1000}", "pattern_program_max_bytes"),
        ];
        for (pattern, reason) in cases {
            let found = compiled(pattern).expect_err(pattern);
            assert!(found.contains(reason), "{pattern}: {found}");
        }
        let found = compiled(&"a".repeat(5_000)).expect_err("too long");
        assert!(found.contains("pattern_max_bytes"), "{found}");
    }

    #[test]
    fn a_text_that_needs_too_many_steps_does_not_fit() {
        let nested = compiled("^(?=((a*)*)*$)a*$").expect("a pattern");
        assert!(nested.is_in("aaaa"));
        let text = "a".repeat(5_000) + "!";
        assert!(!nested.is_in(&text));
        // Steps that go forward are bounded by the text.
        assert!(!compiled("(?:(?=a)a{0,1000}){1000}{1000}{1000}b").expect("a pattern").is_in(&text));
    }
}
