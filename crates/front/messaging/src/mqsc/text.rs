//! Commands as text: `DEFINE QLOCAL(ORDERS) DESCR('Orders of today') MAXDEPTH(5000)`.

use std::borrow::Cow;

use super::words::{Parameter, Syntax, Words};

/// Reads a command. What is not quoted is in upper case, as MQSC has it.
///
/// # Errors
/// A parenthesis or quote is not closed, or there is nothing.
pub(super) fn parse(text: &str) -> Result<Words, Syntax> {
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

/// Joins the lines of a command, as scripts write it. A line with an asterisk in front is a comment. A plus at the end of a line goes on
/// with the first character of the next line that is not blank, a minus with the first one. Other ends of lines are blanks.
fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') && !text.starts_with('*') {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    // The sign that the line before ended with, and the quote that is open.
    let (mut goes_on, mut open) = (None, None);
    while let Some(line) = lines.next() {
        if line.starts_with('*') && open.is_none() {
            continue;
        }
        open = open_after(open, line);
        let line = if goes_on == Some('+') { line.trim_start() } else { line };
        let end = line.trim_end();
        goes_on = end.chars().next_back().filter(|last| matches!(last, '+' | '-') && lines.peek().is_some());
        if goes_on.is_some() {
            joined.push_str(&end[..end.len() - 1]);
        } else {
            joined.push_str(line);
            joined.push('\n');
        }
    }
    Cow::Owned(joined)
}

/// The quote that is open at the end of a line, if this one was at its beginning.
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

    /// A word and what stands in parentheses behind it.
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

    /// What stands up to the closing parenthesis.
    fn value(&mut self) -> Result<String, Syntax> {
        let mut value = String::new();
        // Where the value ends without the blanks behind it: blanks in quotes count.
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

    /// What stands in quotes; two of them are one.
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

    /// The command as far as it was read.
    fn syntax(&self) -> Syntax {
        Syntax(self.text.get(..self.at).unwrap_or(self.text).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_is_not_closed_is_an_error() {
        for text in ["", " ", "(A)", "DIS QL(A", "DIS QL('A)", "DIS QL(A))", "DIS 'A'"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
