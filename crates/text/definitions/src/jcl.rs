//! Jobs: their steps, the data sets of the steps, and the data in the job.
//!
//! Only what definitions need is read: EXEC, DD and SET statements. Other statements have no effect here.

use std::collections::HashMap;

use crate::cards::{Line, card};

/// A step of a job.
#[derive(Debug, Default)]
pub(crate) struct Step<'t> {
    /// The program or procedure, in upper case.
    pub(crate) program: String,
    pub(crate) files: Vec<Dd<'t>>,
}

/// A DD statement.
#[derive(Debug, Default)]
pub(crate) struct Dd<'t> {
    /// In upper case.
    pub(crate) name: String,
    /// The data set, in upper case; empty if it has none.
    pub(crate) data_set: String,
    /// The data lines in the job.
    pub(crate) data: Vec<Line<'t>>,
    /// The number of its line.
    pub(crate) line: usize,
}

impl<'t> Step<'t> {
    /// A DD statement by its name.
    pub(crate) fn file(&self, name: &str) -> Option<&Dd<'t>> {
        self.files.iter().find(|file| file.name == name)
    }
}

/// True if the text is a job, a procedure, or a part of one.
pub(crate) fn is_job(lines: &[Line<'_>]) -> bool {
    lines.iter().find(|(_, line)| !line.trim().is_empty()).is_some_and(|(_, line)| line.starts_with("//"))
}

/// The steps of a job.
pub(crate) fn steps<'t>(lines: &[Line<'t>]) -> Vec<Step<'t>> {
    let mut reader = Reader { lines, at: 0, symbols: HashMap::new(), steps: Vec::new() };
    while let Some(statement) = reader.statement() {
        reader.take(&statement);
    }
    reader.steps
}

/// A statement, with its continuations joined.
#[derive(Debug)]
struct Statement {
    name: String,
    operation: String,
    operands: String,
    line: usize,
}

struct Reader<'l, 't> {
    lines: &'l [Line<'t>],
    at: usize,
    symbols: HashMap<String, String>,
    steps: Vec<Step<'t>>,
}

impl<'t> Reader<'_, 't> {
    fn next(&mut self) -> Option<Line<'t>> {
        let line = self.lines.get(self.at).copied();
        self.at += 1;
        line
    }

    /// The next statement, without comments.
    fn statement(&mut self) -> Option<Statement> {
        loop {
            let (line, text) = self.next()?;
            let Some(rest) = text.strip_prefix("//").filter(|rest| !rest.starts_with('*')) else { continue };
            let rest = card(text).get(2..).unwrap_or(rest);
            let (name, rest) = match rest.split_once(char::is_whitespace) {
                Some((name, rest)) => (name, rest.trim_start()),
                None => (rest, ""),
            };
            let (operation, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let mut operands = operands(rest.trim_start()).to_owned();
            while operands.ends_with(',')
                && let Some((_, next)) = self.lines.get(self.at)
                && let Some(more) = card(next).strip_prefix("//")
            {
                self.at += 1;
                if !more.starts_with('*') {
                    operands.push_str(self::operands(more.trim_start()));
                }
            }
            let name = name.to_uppercase();
            return Some(Statement { name, operation: operation.to_uppercase(), operands, line });
        }
    }

    fn take(&mut self, statement: &Statement) {
        let Statement { name, operation, operands, line } = statement;
        let keywords = keywords(operands);
        let keyword =
            |name: &str| keywords.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        match operation.as_str() {
            "SET" | "PROC" => self.symbols.extend(keywords),
            "EXEC" => {
                let program = keyword("PGM").or_else(|| keyword("PROC")).unwrap_or_default();
                let program =
                    if program.is_empty() { operands.split(',').next().unwrap_or("") } else { program };
                self.steps.push(Step { program: program.to_uppercase(), files: Vec::new() });
            }
            "DD" => {
                let name = name.rsplit('.').next().unwrap_or(name).to_owned();
                let data_set = keyword("DSN").or_else(|| keyword("DSNAME")).unwrap_or_default();
                let data_set = self.symbols_replaced(data_set).to_uppercase();
                let first = operands.split(',').next().unwrap_or("");
                let data = match first {
                    "*" | "DATA" => self.data(first == "*", keyword("DLM")),
                    _ => Vec::new(),
                };
                let made = Dd { name, data_set, data, line: *line };
                let Some(step) = self.steps.last_mut() else { return };
                match step.files.last_mut() {
                    // A statement without a name continues the data set before.
                    Some(last) if made.name.is_empty() => last.data.extend(made.data),
                    _ => step.files.push(made),
                }
            }
            _ => {}
        }
    }

    /// The data lines up to their end.
    fn data(&mut self, is_plain: bool, end: Option<&str>) -> Vec<Line<'t>> {
        let end = end.map(|end| end.trim_matches('\''));
        let mut data = Vec::new();
        while let Some((_, line)) = self.lines.get(self.at) {
            let ends = match end {
                Some(end) => line.starts_with(end),
                None => line.starts_with("/*") || (is_plain && line.starts_with("//")),
            };
            if ends {
                // The end of the data is not a statement, but a line with two slashes is one.
                self.at += usize::from(!line.starts_with("//"));
                break;
            }
            data.extend(self.next());
        }
        data
    }

    fn symbols_replaced(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('&') {
            out.push_str(before);
            let end =
                after.find(|c: char| !c.is_ascii_alphanumeric() && !"@#$".contains(c)).unwrap_or(after.len());
            let (name, after) = after.split_at(end);
            match self.symbols.get(&name.to_uppercase()) {
                Some(value) => {
                    out.push_str(value);
                    rest = after.strip_prefix('.').unwrap_or(after);
                }
                None => {
                    out.push('&');
                    out.push_str(name);
                    rest = after;
                }
            }
        }
        out + rest
    }
}

/// The operands of a statement, up to the first blank outside of quotes.
fn operands(text: &str) -> &str {
    let mut is_quoted = false;
    let end = text.find(|c: char| {
        is_quoted ^= c == '\'';
        c.is_whitespace() && !is_quoted
    });
    &text[..end.unwrap_or(text.len())]
}

/// `NAME=value` of operands, with the names in upper case.
fn keywords(operands: &str) -> Vec<(String, String)> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    let parts = operands.split(|c: char| {
        match c {
            '\'' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0 && !is_quoted
    });
    let pairs = parts.filter_map(|part| part.split_once('='));
    pairs.map(|(name, value)| (name.to_uppercase(), value.trim_matches('\'').to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::lines;

    #[test]
    fn steps_have_data_sets_and_data() {
        let text = "//A JOB 1,'X Y'\n//* comment\n// SET HLQ=BANK\n//S1 EXEC PGM=IDCAMS\n//IN  DD DISP=SHR,\n//   DSN=&HLQ..DATA\n\
                    //SYSIN   DD   *   comment\n DEFINE X\n/*\n//OUT DD DSN=&MORE..B(C)\n//S2 EXEC CICS,A=B\n//SYSIN DD DATA,DLM='@@'\n// not the end\n@@\n//";
        let lines = lines(text);
        assert!(is_job(&lines));
        let steps = steps(&lines);
        let [first, second] = steps.as_slice() else { panic!("{steps:?}") };
        assert_eq!((first.program.as_str(), second.program.as_str()), ("IDCAMS", "CICS"));
        let sets: Vec<(&str, &str)> =
            first.files.iter().map(|file| (file.name.as_str(), file.data_set.as_str())).collect();
        assert_eq!(sets, [("IN", "BANK.DATA"), ("SYSIN", ""), ("OUT", "&MORE..B(C)")]);
        assert_eq!(first.file("SYSIN").expect("data").data, [(8, " DEFINE X")]);
        assert_eq!(second.file("SYSIN").expect("data").data, [(13, "// not the end")]);
    }
}
