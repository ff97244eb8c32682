//! Commands as text: `DEFINE QLOCAL(ORDERS) DESCR('Orders of today') MAXDEPTH(5000)`.

use std::borrow::Cow;

use crate::words::{Parameter, Syntax, Words};

/// Reads a command. Text outside of quotes becomes upper case, as in MQSC.
///
/// # Errors
/// A parenthesis or quote is not closed, or the text is empty.
pub fn parse(text: &str) -> Result<Words, Syntax> {
    let text = &*one_line(text);
    let mut scanner = Scanner { text, at: 0 };
    let (verb, _) = scanner.parameter()?.ok_or_else(|| Syntax(String::new()))?;
    let mut words = Words { verb, ..Words::default() };
    if let Some((object, name)) = scanner.parameter()? {
        (words.object, words.name) = (object, name);
    }
    while let Some((name, value)) = scanner.parameter()? {
        words.parameters.push(Parameter { name, value });
    }
    Ok(words)
}

/// Joins the lines of a command in a script. Line ends without a sign become blanks.
fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') && !text.starts_with('*') {
        return Cow::Borrowed(text);
    }
    let mut lines = Lines { lines: text.lines().enumerate().peekable(), open: None };
    let mut joined = String::with_capacity(text.len());
    while let Some((_, line)) = lines.joined() {
        joined.push_str(&line);
        joined.push('\n');
    }
    Cow::Owned(joined)
}

/// The commands of a script, each with the number of its first line. A command ends with its line or at a
/// semicolon, unless the line ends with a plus or a minus.
pub fn script<'t>(lines: impl IntoIterator<Item = (usize, &'t str)>) -> Vec<(usize, String)> {
    let mut lines = Lines { lines: lines.into_iter().peekable(), open: None };
    let mut commands = Vec::new();
    while let Some((number, line)) = lines.joined() {
        // An open quote ends with its command, which cannot be read.
        lines.open = None;
        let mut rest = &*line;
        while let Some(end) = semicolon(rest) {
            commands.push((number, rest[..end].to_owned()));
            rest = &rest[end + 1..];
        }
        commands.push((number, rest.to_owned()));
    }
    commands.retain(|(_, command)| !command.trim().is_empty() && !command.trim_start().starts_with('*'));
    commands
}

/// The end of a command within its line.
fn semicolon(line: &str) -> Option<usize> {
    let (mut open, mut depth) = (None, 0_usize);
    for (at, c) in line.char_indices() {
        match c {
            _ if open == Some(c) => open = None,
            _ if open.is_some() => {}
            '\'' | '"' => open = Some(c),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Lines that are joined to longer ones.
struct Lines<'t, I: Iterator<Item = (usize, &'t str)>> {
    lines: std::iter::Peekable<I>,
    /// The open quote.
    open: Option<char>,
}

impl<'t, I: Iterator<Item = (usize, &'t str)>> Lines<'t, I> {
    /// The next line, joined with the lines that continue it. A line with an asterisk in front is a comment.
    /// Blanks may stand before the asterisk if the line does not continue a command. After a plus at its end,
    /// a line goes on with the first non-blank character of the next line; after a minus, with its first
    /// character. Blank lines between them do not count.
    fn joined(&mut self) -> Option<(usize, String)> {
        let mut joined = String::new();
        // The number of the first line, and the sign at the end of the line before.
        let (mut first, mut goes_on) = (None, None);
        while let Some((number, line)) = self.lines.next() {
            let is_comment = line.starts_with('*') || (first.is_none() && line.trim_start().starts_with('*'));
            let is_passed_over = is_comment || (goes_on.is_some() && line.trim().is_empty());
            if is_passed_over && self.open.is_none() {
                continue;
            }
            self.open = open_after(self.open, line);
            first.get_or_insert(number);
            let line = if goes_on == Some('+') { line.trim_start() } else { line };
            let end = line.trim_end();
            let sign = end.chars().next_back().filter(|last| matches!(last, '+' | '-'));
            goes_on = sign.filter(|_| self.lines.peek().is_some());
            if goes_on.is_none() {
                joined.push_str(line);
                break;
            }
            joined.push_str(&end[..end.len() - 1]);
        }
        first.map(|first| (first, joined))
    }
}

/// The quote that is open at the end of a line. `open` is the quote that was open at its start.
fn open_after(mut open: Option<char>, line: &str) -> Option<char> {
    for c in line.chars().filter(|c| matches!(c, '\'' | '"')) {
        match open {
            None => open = Some(c),
            Some(quote) if quote == c => open = None,
            Some(_) => {}
        }
    }
    open
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',').len();
        self.at += blanks;
    }

    /// A word, and the text in parentheses behind it.
    fn parameter(&mut self) -> Result<Option<(String, Option<String>)>, Syntax> {
        self.skip_blanks();
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(None);
        }
        let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '\'' | '"');
        let end = rest.find(ends).unwrap_or(rest.len());
        // A semicolon may end a command.
        let word = rest[..end].trim_end_matches(';').to_ascii_uppercase();
        if word.is_empty() {
            return if rest[end..].is_empty() { Ok(None) } else { Err(self.syntax()) };
        }
        self.at += end;
        let after = self.at;
        self.skip_blanks();
        if self.rest().starts_with('(') {
            self.at += 1;
            return Ok(Some((word, Some(self.value()?))));
        }
        self.at = after;
        Ok(Some((word, None)))
    }

    /// The text up to the closing parenthesis.
    fn value(&mut self) -> Result<String, Syntax> {
        let mut value = String::new();
        // The end of the value without the blanks behind it. Blanks in quotes count.
        let mut end = 0;
        let mut depth = 0;
        loop {
            let Some(c) = self.rest().chars().next() else { return Err(self.syntax()) };
            self.at += c.len_utf8();
            match c {
                ')' if depth == 0 => break,
                '\'' | '"' => {
                    self.quoted(c, &mut value)?;
                    end = value.len();
                    continue;
                }
                '(' => depth += 1,
                ')' => depth -= 1,
                _ if c.is_whitespace() && value.is_empty() => continue,
                _ => {}
            }
            value.push(c.to_ascii_uppercase());
            if !c.is_whitespace() {
                end = value.len();
            }
        }
        value.truncate(end);
        Ok(value)
    }

    /// The text in quotes. Two quotes stand for one.
    fn quoted(&mut self, quote: char, value: &mut String) -> Result<(), Syntax> {
        loop {
            let Some(end) = self.rest().find(quote) else { return Err(self.syntax()) };
            value.push_str(&self.text[self.at..self.at + end]);
            self.at += end + 1;
            if !self.rest().starts_with(quote) {
                return Ok(());
            }
            value.push(quote);
            self.at += 1;
        }
    }

    /// The error, with the command as far as it was read.
    fn syntax(&self) -> Syntax {
        Syntax(self.text.get(..self.at).unwrap_or(self.text).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\PC|[-+;*'\"()\n])*") {
            for (_, command) in script(text.lines().enumerate()) {
                let _ = parse(&command);
            }
            let _ = parse(&text);
        }
    }

    #[test]
    fn words_and_values_are_read() {
        let words = parse(" define  qlocal ( 'a.Queue' ) descr('it''s (one)') maxdepth( 5 ),replace ;")
            .expect("good");
        assert_eq!(
            (&*words.verb, &*words.object, words.name.as_deref()),
            ("DEFINE", "QLOCAL", Some("a.Queue"))
        );
        let parameter = |name: &str, value: Option<&str>| Parameter {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        assert_eq!(
            words.parameters,
            [
                parameter("DESCR", Some("it's (one)")),
                parameter("MAXDEPTH", Some("5")),
                parameter("REPLACE", None)
            ]
        );
        let words = parse("dis ql(dev.*) where(curdepth gt 0)").expect("good");
        assert_eq!(words.name.as_deref(), Some("DEV.*"));
        assert_eq!(words.parameters, [parameter("WHERE", Some("CURDEPTH GT 0"))]);
        assert_eq!(
            parse("DEFINE QLOCAL(A) BOQNAME(' ')").expect("good").parameters[0].value.as_deref(),
            Some(" ")
        );
    }

    #[test]
    fn lines_of_scripts_are_joined() {
        let same = parse("DEFINE QLOCAL(A) DESCR('one two  three') MAXDEPTH(5)").expect("good");
        for text in [
            "* A queue.\nDEFINE QLOCAL(A) +\n   DESCR('one +\n   two  three') +\r\n\tMAXDEPTH(5)\n",
            "define qlocal(a) -\n descr('one two-\n  three') -  \n maxdepth(5)",
            "define qlocal(a) +\n\n descr('one two  three') -\n \t \r\n\nmaxdepth(5)",
            "DEF+\n INE QLOCAL(A)\n DESCR('one two  three')\n* maxdepth(6) +\nMAXDEPTH(5)\n* The end.",
        ] {
            let words = parse(text).expect(text);
            assert_eq!((&words.name, &words.parameters), (&same.name, &same.parameters), "{text}");
            assert!(matches!(&*words.verb, "DEFINE"), "{text}");
        }
        let text = parse("ALTER QLOCAL(A) DESCR('a +\n* b')").expect("good");
        assert_eq!(text.parameters[0].value.as_deref(), Some("a * b"));
        for text in ["* Nothing.", "* A\n* B\n", "DIS QL(A) +", "DIS QL(A) +\n", "DIS QL(A\n* )\n"] {
            assert!(!matches!(parse(text), Ok(words) if words.parameters.is_empty()), "{text}");
        }
    }

    #[test]
    fn a_script_has_commands_with_their_lines() {
        let text = "* QM1\nDEFINE QLOCAL(A) +\n*  CRDATE(2020-01-01) +\n   REPLACE\n\n  * more -\n dis ql(a; b); DEF QL(';');\nDEF QL('B\nALTER \\\nEND";
        let found = script(text.lines().enumerate().map(|(at, line)| (at + 1, line)));
        let found: Vec<(usize, &str)> = found.iter().map(|(line, text)| (*line, text.trim())).collect();
        assert_eq!(
            found,
            [
                (2, "DEFINE QLOCAL(A) REPLACE"),
                (7, "dis ql(a; b)"),
                (7, "DEF QL(';')"),
                (8, "DEF QL('B"),
                (9, "ALTER \\"),
                (10, "END")
            ]
        );
        assert!(script([]).is_empty());
        assert_eq!(script([(4, "DIS QL(A) +")]), [(4, "DIS QL(A) +".to_owned())]);
        assert_eq!(script([(4, "DIS QL(A) +"), (5, "* B")]), [(4, "DIS QL(A) ".to_owned())]);
    }

    #[test]
    fn what_is_not_closed_is_an_error() {
        for text in ["", " ", "(A)", "DIS QL(A", "DIS QL('A)", "DIS QL(A))", "DIS 'A'"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
