//! Inserts the members of COPY statements, and carries out REPLACING and REPLACE.
//!
//! A statement that cannot be carried out stays in the text, with a note on the reason. A program may copy
//! members that the wanted section does not need, and only the parser knows what it reads.
//!
//! Nested COPY statements are expanded from the inside out: a REPLACING also replaces in what its member
//! copies.

mod replace;
mod statement;
mod words;

use std::collections::HashMap;
use std::ops::Range;

use crate::codes::{self, Code};
use crate::report::Report;
use crate::source::{self, Source};
use crate::{Format, Library, MAX_TEXT_BYTES};
use replace::{Output, Pair, Rules};
pub use statement::MAX_REPLACEMENTS;
use statement::{Action, Malformed, Statement};
use words::Word;

/// The most levels of members that copy members.
pub const MAX_COPY_DEPTH: usize = 16;

/// The most COPY statements that one copybook may lead to.
pub const MAX_COPIES: usize = 10_000;

/// The most bytes of all members together, and of the resulting text.
pub const MAX_EXPANDED_BYTES: usize = 16 << 20;

/// The most comparisons of words that all replacing may take.
pub const MAX_COMPARISONS: usize = 20_000_000;

/// A text with its members in it.
pub(crate) struct Expanded {
    pub(crate) source: Source,
    pub(crate) refused: Refused,
}

/// Statements that were left in the text, by the positions of their first words.
#[derive(Default)]
pub(crate) struct Refused(HashMap<usize, Refusal>);

/// The reason why a statement was not carried out.
pub(crate) struct Refusal {
    pub(crate) code: Code,
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Refused {
    /// The reason why the statement at a position was not carried out.
    pub(crate) fn take(&mut self, position: usize) -> Option<Refusal> {
        self.0.remove(&position)
    }

    /// All statements that were not carried out, with the positions of their first words.
    pub(crate) fn into_all(self) -> impl Iterator<Item = (usize, Refusal)> {
        self.0.into_iter()
    }
}

/// The remaining budget of the expansion.
struct Budget {
    copies: usize,
    member_bytes: usize,
    comparisons: usize,
}

/// The limit that has been reached.
struct Exceeded(String);

impl Budget {
    fn compare(&mut self, count: usize) -> Result<(), Exceeded> {
        let left = self.comparisons.checked_sub(count);
        self.comparisons = left.ok_or_else(|| {
            Exceeded(format!("expected replacing to take at most {MAX_COMPARISONS} comparisons of words"))
        })?;
        Ok(())
    }

    fn copy(&mut self, bytes: usize) -> Result<(), Exceeded> {
        let copies = self.copies.checked_sub(1);
        self.copies =
            copies.ok_or_else(|| Exceeded(format!("expected at most {MAX_COPIES} COPY statements")))?;
        let left = self.member_bytes.checked_sub(bytes);
        self.member_bytes = left.ok_or_else(|| Budget::too_large("all members together"))?;
        Ok(())
    }

    fn check_size(&self, bytes: usize) -> Result<(), Exceeded> {
        if bytes > MAX_EXPANDED_BYTES { Err(Budget::too_large("the expanded text")) } else { Ok(()) }
    }

    fn too_large(what: &str) -> Exceeded {
        Exceeded(format!("expected {what} to have at most {MAX_EXPANDED_BYTES} bytes"))
    }
}

/// The scope of the expansion.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'l> {
    pub(crate) format: Format,
    /// The source of members. Without it, COPY statements stay unchanged.
    pub(crate) library: Option<&'l dyn Library>,
    /// True if members are also wanted in the PROCEDURE DIVISION, and not only in data descriptions.
    pub(crate) code: bool,
}

/// Expands the given text, the first of the report's files.
pub(crate) fn expand(source: Source, scope: Scope<'_>, report: &mut Report) -> Expanded {
    let name = report.files.name(0).to_owned();
    let budget =
        Budget { copies: MAX_COPIES, member_bytes: MAX_EXPANDED_BYTES, comparisons: MAX_COMPARISONS };
    let mut expander = Expander { scope, report, refused: Refused::default(), budget, chain: vec![name] };
    let result = match scope.library {
        None => Ok(source),
        Some(library) => expander.copies(source, library),
    };
    let result = result.and_then(|source| expander.replaces(source));
    let Expander { refused, .. } = expander;
    let source = result.unwrap_or_else(|Exceeded(message)| {
        report.error(codes::EXPANSION_TOO_LONG, &(0..0), message);
        Source::default()
    });
    Expanded { source, refused }
}

struct Expander<'e> {
    scope: Scope<'e>,
    report: &'e mut Report,
    refused: Refused,
    budget: Budget,
    /// The names of the texts that are being read, the outermost first.
    chain: Vec<String>,
}

impl Expander<'_> {
    /// Replaces COPY statements by their members.
    fn copies(&mut self, source: Source, library: &dyn Library) -> Result<Source, Exceeded> {
        let words = words::words(&source.text);
        let mut out = Source::default();
        let (mut copied, mut at) = (0, 0);
        while at < words.len() && (self.scope.code || !begins_procedure(&source.text, &words[at..])) {
            let Some(Statement { action, words: range, unfinished }) =
                self.statement(&source, &words, &mut at)
            else {
                continue;
            };
            let part = words[range.start].start..words[range.end - 1].end;
            let Action::Copy { member, library: from, pairs } = action else { continue };
            let position = source.original(part.clone());
            let Some(member) = self.member(&member, from.as_deref(), position, library)? else { continue };
            if unfinished {
                self.warn_of_missing_period(&source, &words[range.end - 1]);
            }
            let member = self.replacing(member, &pairs)?;
            out.push_part(&source, copied..part.start);
            out.push_line_end();
            out.push_part(&member, 0..member.text.len());
            out.push_line_end();
            self.budget.check_size(out.text.len())?;
            copied = part.end;
        }
        if copied == 0 {
            return Ok(source);
        }
        out.push_part(&source, copied..source.text.len());
        Ok(out)
    }

    /// A member's text with its own members in it. None if the statement is refused.
    fn member(
        &mut self,
        name: &str,
        from: Option<&str>,
        position: Range<usize>,
        library: &dyn Library,
    ) -> Result<Option<Source>, Exceeded> {
        let refuse = |code, message| Refusal { code, span: position.clone(), message, help: None };
        let found = library.member(name, from).map_err(|reason| {
            refuse(codes::COPY_STATEMENT, format!("the member {name} is missing: {reason}"))
        });
        let found = found.and_then(|member| {
            let chain = || format!("{} > {}", self.chain.join(" > "), member.name);
            // A text that a program's folder and a library both have is known by its content.
            let is_first = *self.report.files.text(0) == *member.text;
            let refusal = if is_first && self.chain.len() == 1 {
                let found = &member.name;
                let message = format!(
                    "COPY {name} finds the text itself, which is {found}, and no other file of this name"
                );
                let help =
                    "give the copybook an ending such as .cpy, or name the folder that has it".to_owned();
                Refusal { help: Some(help), ..refuse(codes::COPY_TOO_DEEP, message) }
            } else if is_first || self.chain.contains(&member.name) {
                refuse(codes::COPY_TOO_DEEP, format!("the member copies itself: {}", chain()))
            } else if self.chain.len() > MAX_COPY_DEPTH {
                refuse(
                    codes::COPY_TOO_DEEP,
                    format!("members copy each other more than {MAX_COPY_DEPTH} deep: {}", chain()),
                )
            } else if member.text.len() > MAX_TEXT_BYTES {
                let bytes = member.text.len();
                refuse(
                    codes::TEXT_TOO_LONG,
                    format!("expected at most {MAX_TEXT_BYTES} bytes in {name}, found {bytes}"),
                )
            } else {
                return Ok(member);
            };
            Err(refusal)
        });
        let member = match found {
            Ok(member) => member,
            Err(refusal) => {
                self.refused.0.insert(position.start, refusal);
                return Ok(None);
            }
        };
        self.budget.copy(member.text.len())?;
        let base = self.report.files.add(&member.name, &member.text, Some(position));
        let source = source::read(base, self.scope.format, self.report);
        self.chain.push(member.name);
        let expanded = self.copies(source, library);
        self.chain.pop();
        expanded.map(Some)
    }

    /// Carries out a REPLACING phrase.
    fn replacing(&mut self, source: Source, pairs: &[Pair]) -> Result<Source, Exceeded> {
        if pairs.is_empty() {
            return Ok(source);
        }
        let words = words::words(&source.text);
        let mut out = Output { source: Source::default(), budget: &mut self.budget };
        Rules::new(pairs).apply(&source, &words, 0..source.text.len(), &mut out)?;
        Ok(out.source)
    }

    /// Carries out the REPLACE statements of a text without COPY statements. Each holds until the next one.
    fn replaces(&mut self, source: Source) -> Result<Source, Exceeded> {
        let words = words::words(&source.text);
        let mut active: Vec<Vec<Pair>> = Vec::new();
        let mut output: Option<Source> = None;
        // The end of the last statement, in bytes and in words.
        let (mut copied, mut first, mut at) = (0, 0, 0);
        while at < words.len() {
            let Some(Statement { action, words: range, unfinished }) =
                self.statement(&source, &words, &mut at)
            else {
                continue;
            };
            if let Action::Copy { .. } = action {
                continue;
            }
            if unfinished {
                self.warn_of_missing_period(&source, &words[range.end - 1]);
            }
            let part = copied..words[range.start].start;
            self.replaced(&active, &source, &words[first..range.start], part, &mut output)?;
            (copied, first) = (words[range.end - 1].end, range.end);
            match action {
                Action::Replace { pairs, also: true } => active.push(pairs),
                Action::Replace { pairs, also: false } => active = vec![pairs],
                Action::Off { last: true } => drop(active.pop()),
                _ => active.clear(),
            }
        }
        if output.is_none() {
            return Ok(source);
        }
        self.replaced(&active, &source, &words[first..], copied..source.text.len(), &mut output)?;
        Ok(output.unwrap_or_default())
    }

    /// Adds a part of a text to the output, with the replacements of the active pairs, the latest first.
    fn replaced(
        &mut self,
        active: &[Vec<Pair>],
        source: &Source,
        words: &[Word],
        part: Range<usize>,
        output: &mut Option<Source>,
    ) -> Result<(), Exceeded> {
        // Making the rules costs more than comparing.
        self.budget.compare(active.iter().map(|pairs| pairs.len() * 10).sum())?;
        let mut out = Output { source: output.take().unwrap_or_default(), budget: &mut self.budget };
        Rules::new(active.iter().rev().flatten()).apply(source, words, part, &mut out)?;
        *output = Some(out.source);
        Ok(())
    }

    fn warn_of_missing_period(&mut self, source: &Source, last: &Word) {
        let message = "the statement does not end with a period; one is assumed";
        self.report.warning(codes::MISSING_PERIOD, &source.original(last.clone()), message);
    }

    /// The statement that begins at a word, if it can be carried out. `at` becomes the word where reading
    /// goes on.
    fn statement(&mut self, source: &Source, words: &[Word], at: &mut usize) -> Option<Statement> {
        let Some(found) = statement::at(&source.text, words, *at) else {
            *at += 1;
            return None;
        };
        let found = self.well_formed(found, source, words, *at);
        *at = found.as_ref().map_or_else(|stopped| *stopped, |statement| statement.words.end);
        found.ok()
    }

    /// A statement that can be carried out. If it cannot, the reason is noted, and the result is the word
    /// where reading goes on. That word lies behind all words read so far, so that no text is read twice.
    fn well_formed(
        &mut self,
        found: Result<Statement, Malformed>,
        source: &Source,
        words: &[Word],
        first: usize,
    ) -> Result<Statement, usize> {
        let Malformed { at, message } = match found {
            Ok(statement) => return Ok(statement),
            Err(malformed) => malformed,
        };
        let position = source.original(words[first].clone()).start;
        let span = source.original(words[at].clone());
        let help = Some("the form is COPY member REPLACING ==text== BY ==text==.".to_owned());
        self.refused.0.insert(position, Refusal { code: codes::BAD_COPY, span, message, help });
        Err(at.max(first + 1))
    }
}

/// True if code follows that does not describe data, and whose words may look like statements.
fn begins_procedure(text: &str, words: &[Word]) -> bool {
    let [first, second, ..] = words else { return false };
    text[first.clone()].eq_ignore_ascii_case("PROCEDURE")
        && text[second.clone()].eq_ignore_ascii_case("DIVISION")
}
