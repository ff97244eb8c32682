//! Texts with `{{...}}` in them: parameters, repetitions, and values that are made from the number of a message.
//!
//! A value depends on its name, the repetitions around it and the message alone. So a request and its expected answer, in
//! XML or JSON, have the same values wherever they have the same names.

use std::collections::BTreeMap;

/// The most bytes that a template may become.
const RENDERED_MAX_BYTES: usize = 64 * 1024 * 1024;
/// The most parts in braces that are written out, repetitions counted.
const PARTS_MAX_COUNT: u32 = 2_000_000;
/// The deepest nesting of repetitions.
const REPEAT_DEPTH_MAX: usize = 8;

/// A fault of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The message.
    pub message: String,
}

/// The names that a template may use.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// Parameters by their names.
    pub names: &'a BTreeMap<String, String>,
    /// The number of the message, from 0.
    pub message: u32,
}

/// Writes the template out.
///
/// # Errors
/// The first fault in it, with its line.
pub fn render(text: &str, scope: Scope<'_>) -> Result<String, Fault> {
    let mut renderer = Renderer { text, scope, out: String::new(), rounds: Vec::new(), seen: 0 };
    let (mut at, mut parts) = (0, 0);
    while let Some(found) = text[at..].find("{{") {
        // Of more than two braces the last two count: `{{{x}}}` is a JSON object around `{{x}}`.
        let braces = text[at + found..].bytes().take_while(|byte| *byte == b'{').count();
        let start = at + found + braces - 2;
        renderer.push(&text[at..start], at)?;
        renderer.seen = start;
        parts += 1;
        if parts > PARTS_MAX_COUNT {
            return Err(renderer.fault(format!("the text has more than {PARTS_MAX_COUNT} parts in braces")));
        }
        let length = text[start..].find("}}").ok_or_else(|| renderer.fault("'{{' without '}}'"))?;
        let inside = text[start + 2..start + length].trim();
        at = renderer.command(inside, start + length + 2)?;
    }
    renderer.push(&text[at..], at)?;
    match renderer.rounds.last() {
        None => Ok(renderer.out),
        Some(open) => {
            renderer.seen = open.body;
            Err(renderer.fault("'repeat' without 'end'"))
        }
    }
}

/// A repetition that is being written.
struct Round {
    /// Where its body begins.
    body: usize,
    index: u64,
    count: u64,
}

struct Renderer<'a> {
    text: &'a str,
    scope: Scope<'a>,
    out: String,
    rounds: Vec<Round>,
    /// Where the text is that is being read, for faults.
    seen: usize,
}

impl Renderer<'_> {
    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { line: settings::line_at(self.text, self.seen), message: message.into() }
    }

    fn push(&mut self, text: &str, at: usize) -> Result<(), Fault> {
        self.seen = at;
        if self.out.len() + text.len() > RENDERED_MAX_BYTES {
            return Err(self.fault(format!("the text becomes longer than {RENDERED_MAX_BYTES} bytes")));
        }
        self.out.push_str(text);
        Ok(())
    }

    /// Does what stands between the braces; gives where the text goes on.
    fn command(&mut self, inside: &str, after: usize) -> Result<usize, Fault> {
        let words: Vec<&str> = inside.split_ascii_whitespace().collect();
        let text = match words.as_slice() {
            ["repeat", count] => return self.repeat(count, after),
            ["end"] => return self.end(after),
            ["index"] => self.round()?.index.to_string(),
            ["comma"] => {
                let round = self.round()?;
                (if round.index < round.count { "," } else { "" }).to_owned()
            }
            ["message"] => self.scope.message.to_string(),
            ["name", shortest, longest] => self.element(shortest, longest)?,
            ["text", name, least, most] => self.value(name).text(self.number(least)?, self.number(most)?),
            ["number", name, digits] => self.value(name).number(self.number(digits)?),
            ["signed", name, digits] => {
                let digits = self.number(digits)?;
                let mut value = self.value(name);
                let sign = value.sign();
                sign.to_owned() + &value.number(digits)
            }
            ["decimal", name, digits, fraction] => {
                let (digits, fraction) = (self.number(digits)?, self.number(fraction)?);
                let mut value = self.value(name);
                let sign = value.sign();
                let whole = value.number(digits);
                format!("{sign}{whole}.{}", value.fraction(fraction))
            }
            [name] => match self.scope.names.get(*name) {
                Some(text) => text.clone(),
                None => {
                    let known: Vec<&str> = self.scope.names.keys().map(String::as_str).collect();
                    return Err(self.fault(format!("'{name}' is no parameter; known: {}", known.join(", "))));
                }
            },
            _ => return Err(self.fault(format!("'{inside}' is not known here"))),
        };
        self.push(&text, self.seen)?;
        Ok(after)
    }

    fn repeat(&mut self, count: &str, after: usize) -> Result<usize, Fault> {
        let count = self.number(count)?;
        if count == 0 || self.rounds.len() >= REPEAT_DEPTH_MAX {
            return Err(self.fault(format!("a 'repeat' is of 1 or more, at most {REPEAT_DEPTH_MAX} deep")));
        }
        self.rounds.push(Round { body: after, index: 1, count });
        Ok(after)
    }

    fn end(&mut self, after: usize) -> Result<usize, Fault> {
        let Some(round) = self.rounds.last_mut() else { return Err(self.fault("'end' without 'repeat'")) };
        if round.index < round.count {
            round.index += 1;
            return Ok(round.body);
        }
        self.rounds.pop();
        Ok(after)
    }

    fn round(&self) -> Result<&Round, Fault> {
        self.rounds.last().ok_or_else(|| self.fault("this stands only between 'repeat' and 'end'"))
    }

    /// A number, or the parameter that has one.
    fn number(&self, word: &str) -> Result<u64, Fault> {
        let text = self.scope.names.get(word).map_or(word, String::as_str);
        let number = text.parse().ok().filter(|number| *number <= RENDERED_MAX_BYTES as u64);
        number.ok_or_else(|| {
            self.fault(format!(
                "'{word}' is neither a number from 0 to {RENDERED_MAX_BYTES} nor a parameter that has one"
            ))
        })
    }

    /// A name for the element of this repetition: a letter and digits, of lengths in turn.
    fn element(&self, shortest: &str, longest: &str) -> Result<String, Fault> {
        let (shortest, longest) = (self.number(shortest)?, self.number(longest)?);
        let index = self.round()?.index;
        let fits = shortest <= longest && (2..=128).contains(&longest);
        let length = if fits { shortest + index % (longest - shortest + 1) } else { 0 };
        let width = usize::try_from(length).unwrap_or(0).saturating_sub(1);
        let name = format!("e{:0>width$}", in_base_36(index));
        if name.len() as u64 == length {
            return Ok(name);
        }
        Err(self.fault(format!("no name of {shortest} to {longest} bytes has the number {index}")))
    }

    fn value(&self, name: &str) -> Value {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let indexes = self.rounds.iter().flat_map(|round| round.index.to_le_bytes());
        for byte in name.bytes().chain(indexes).chain(self.scope.message.to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Value(hash)
    }
}

/// A number in digits and small letters: short names for many elements.
fn in_base_36(mut number: u64) -> String {
    let mut digits = Vec::new();
    while number > 0 {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize]);
        number /= 36;
    }
    digits.reverse();
    String::from_utf8_lossy(&digits).into_owned()
}

/// A value by chance that is the same in each run: the generator splitmix64.
struct Value(u64);

impl Value {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn up_to(&mut self, count: u64) -> u64 {
        self.next() % count.max(1)
    }

    /// Letters and digits, with blanks inside.
    fn text(&mut self, least: u64, most: u64) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let length = least + self.up_to(most.saturating_sub(least) + 1);
        let mut text = String::new();
        for place in 0..length {
            let is_inside = place > 0 && place + 1 < length && !text.ends_with(' ');
            let blank = self.up_to(7) == 0 && is_inside;
            let letter = LETTERS[self.up_to(LETTERS.len() as u64) as usize];
            text.push(if blank { ' ' } else { char::from(letter) });
        }
        text
    }

    /// A whole number of one digit to this number of digits, without zeros in front; at least 1.
    fn number(&mut self, digits: u64) -> String {
        let length = 1 + self.up_to(digits);
        let mut text = (1 + self.up_to(9)).to_string();
        (1..length).for_each(|_| text.push(char::from(b'0' + self.up_to(10) as u8)));
        text
    }

    /// Digits behind the point; the last one is not zero.
    fn fraction(&mut self, digits: u64) -> String {
        let mut text = String::new();
        (1..digits).for_each(|_| text.push(char::from(b'0' + self.up_to(10) as u8)));
        text + &(1 + self.up_to(9)).to_string()
    }

    fn sign(&mut self) -> &'static str {
        if self.up_to(2) == 0 { "-" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str, message: u32) -> Result<String, Fault> {
        let names = [("size", "3"), ("x", "why")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        render(text, Scope { names: &names.into(), message })
    }

    #[test]
    fn parameters_and_repetitions_are_written_out() {
        assert_eq!(rendered("a{{x}}b", 0).as_deref(), Ok("awhyb"));
        let list = "[{{repeat size}}{{index}}:{{repeat 2}}{{index}}{{end}}{{comma}}{{end}}]";
        assert_eq!(rendered(list, 0).as_deref(), Ok("[1:12,2:12,3:12]"));
        assert_eq!(
            rendered("{{repeat 4}}{{name 5 8}} {{end}}", 0).as_deref(),
            Ok("e00001 e000002 e0000003 e0004 ")
        );
        assert_eq!(rendered("{{{repeat 2}}{{index}}{{comma}}{{end}}}", 0).as_deref(), Ok("{1,2}"));
        assert_eq!(rendered("{{message}}", 7).as_deref(), Ok("7"));
    }

    #[test]
    fn values_depend_on_name_repetition_and_message_alone() {
        let value = |text: &str, message| rendered(text, message).expect("a text");
        assert_eq!(value("{{text a 4 30}}", 1), value("{{text a 4 30}}", 1));
        assert_ne!(value("{{text a 4 30}}", 1), value("{{text a 4 30}}", 2));
        assert_ne!(value("{{text a 4 30}}", 1), value("{{text b 4 30}}", 1));
        let rows = value("{{repeat 2}}{{number a 9}} {{end}}", 1);
        let rows: Vec<&str> = rows.split_whitespace().collect();
        assert_ne!(rows[0], rows[1]);
    }

    #[test]
    fn values_have_the_asked_form() {
        for message in 0..200 {
            let value = |text: &str| rendered(text, message).expect("a text");
            let text = value("{{text a 4 30}}");
            assert!((4..=30).contains(&text.len()) && text.trim() == text, "{text:?}");
            let number: u64 = value("{{number a 5}}").parse().expect("a number");
            assert!((1..100_000).contains(&number));
            let decimal = value("{{decimal a 7 2}}");
            let (whole, fraction) = decimal.split_once('.').expect("a point");
            assert!(whole.parse::<i64>().is_ok_and(|whole| (1..10_000_000).contains(&whole.abs())));
            assert!(fraction.len() == 2 && !fraction.ends_with('0'));
        }
    }

    #[test]
    fn faults_have_their_line() {
        for (text, line, message) in [
            ("a\n{{y}}", 2, "no parameter"),
            ("\n\n{{repeat 2}}x", 3, "without 'end'"),
            ("{{end}}", 1, "without 'repeat'"),
            ("a\n{{x", 2, "without '}}'"),
            ("{{index}}", 1, "only between"),
            ("{{text a b 3}}", 1, "neither a number"),
            ("{{repeat 0}}{{end}}", 1, "1 or more"),
            ("{{repeat 2000}}{{name 2 3}}{{end}}", 1, "no name of"),
            (&format!("{{{{repeat 70000}}}}{}{{{{end}}}}", "x".repeat(1000)), 1, "longer than"),
            ("{{repeat 60000}}{{repeat 60000}}{{end}}{{end}}", 1, "parts"),
            ("{{four words are too many}}", 1, "not known"),
        ] {
            let fault = rendered(text, 0).expect_err(text);
            assert!(fault.line == line && fault.message.contains(message), "{text}: {fault:?}");
        }
    }
}
