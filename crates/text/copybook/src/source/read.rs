//! From source lines to logical text: columns, indicators, comments and continuation.

use std::ops::Range;

use super::columns::{self, Before, Line, Remark, Sentence};
use super::conditions::{Conditions, Outcome};
use super::{Segment, Source, format};
use crate::codes;
use crate::report::Report;
use crate::{Format, Severity};

/// Reads the lines of the text that starts at `base`.
pub(crate) fn read(base: usize, format: Format, report: &mut Report) -> Source {
    let text = &*report.files.text(base);
    let mut format = match format {
        Format::Auto => format::detect(text),
        given => given,
    };
    let mut builder = Builder {
        source: Source::default(),
        base,
        text,
        open: None,
        sentence: Sentence::default(),
        refused: false,
    };
    let mut started = false;
    let mut conditions = Conditions::default();
    for (start, raw) in lines(text) {
        let was_live = conditions.live();
        if let Some(outcome) = conditions.directive(raw.trim()) {
            builder.condition(start, raw, outcome, report);
            continue;
        }
        if !was_live {
            continue;
        }
        match columns::classify(raw, format, Before { started, sentence: builder.sentence }) {
            Ok(Line::Nothing) => {}
            Ok(Line::Format(stated)) => format = stated,
            Ok(Line::Code { text: span, cut, warning }) => {
                started = !columns::ends_program(&raw[span.clone()]);
                builder.add_line(start + span.start..start + span.end);
                builder.mark(cut);
                if let Some(remark) = warning {
                    builder.remark(start, remark, Severity::Warning, report);
                }
            }
            Ok(Line::Continuation { text: span, cut }) => {
                builder.continue_line(start + span.start..start + span.end, report);
                builder.mark(cut);
            }
            Err(remark) => builder.remark(start, remark, Severity::Error, report),
        }
    }
    if conditions.is_open() {
        let end = text.trim_end();
        let start = end.rfind('\n').map_or(0, |at| at + 1);
        builder.condition(start, &end[start..], Err("the IF above has no end".to_owned()), report);
    }
    builder.source
}

/// The lines of a text with their offsets, without line ends, byte order mark and the end-of-file character
/// of some editors.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let body = text.trim_end_matches(['\u{1a}', '\0']);
    let skipped = if body.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut at = skipped;
    body[skipped..].split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start, line.trim_end_matches('\r'))
    })
}

/// Adds a piece of code. Control characters and no-break spaces from editors and transfers become blanks, one
/// for each byte. In literals they are ordinary characters. `open` is the quote of a literal that is open at
/// the start of the piece.
fn push_code(piece: &str, mut open: Option<char>, out: &mut String) {
    for c in piece.chars() {
        open = match open {
            Some(quote) if c == quote => None,
            None if c == '\'' || c == '"' => Some(c),
            same => same,
        };
        let is_stray = (c.is_ascii_control() && c != '\t') || c == '\u{a0}';
        if open.is_none() && is_stray {
            out.extend(std::iter::repeat_n(' ', c.len_utf8()));
        } else {
            out.push(c);
        }
    }
}

struct Builder<'t> {
    source: Source,
    /// The position of the text's first byte.
    base: usize,
    text: &'t str,
    /// True once a directive has been refused. Later ones belong to it, or have lost their meaning.
    refused: bool,
    /// The quote of a literal that is open at the present end of the text.
    open: Option<char>,
    sentence: Sentence,
}

impl Builder<'_> {
    fn add_line(&mut self, span: Range<usize>) {
        self.source.push_line_end();
        self.open = None;
        self.append(span);
    }

    fn remark(&mut self, start: usize, remark: Remark, severity: Severity, report: &mut Report) {
        if remark.code == codes::DIRECTIVE && std::mem::replace(&mut self.refused, true) {
            return;
        }
        let span = self.global(start + remark.span.start..start + remark.span.end);
        match severity {
            Severity::Error => report.error_with_help(remark.code, &span, remark.message, remark.help),
            Severity::Warning => report.warning(remark.code, &span, remark.message),
        }
    }

    /// Takes the result of a directive that decides which lines count.
    fn condition(&mut self, start: usize, line: &str, outcome: Outcome, report: &mut Report) {
        let blank = line.len() - line.trim_start().len();
        let span = self.global(start + blank..start + line.trim_end().len().max(blank));
        match outcome {
            Ok(unknown) => {
                for name in unknown {
                    let message = format!("{name} is taken as not defined");
                    report.warning(codes::DIRECTIVE, &span, message);
                }
            }
            Err(_) if std::mem::replace(&mut self.refused, true) => {}
            Err(reason) => {
                let message = format!("the directive cannot be carried out: {reason}");
                let help = Some("give the text without the lines left out".to_owned());
                report.error_with_help(codes::DIRECTIVE, &span, message, help);
            }
        }
    }

    /// The span in all files for a span of the text.
    fn global(&self, span: Range<usize>) -> Range<usize> {
        span.start + self.base..span.end + self.base
    }

    /// Notes whether a period was left out of the last line.
    fn mark(&mut self, cut: bool) {
        if let Some(segment) = self.source.segments.last_mut() {
            segment.cut = cut;
        }
    }

    fn continue_line(&mut self, span: Range<usize>, report: &mut Report) {
        let original = self.text;
        let text = &original[span.clone()];
        let start = span.start + (text.len() - text.trim_start().len());
        if self.source.segments.is_empty() {
            report.error(
                codes::BAD_CONTINUATION,
                &self.global(span),
                "there is no line before this continuation line",
            );
            return;
        }
        let Some(quote) = self.open else {
            // A word goes on: the blanks around the line end are not part of it.
            self.source.text.truncate(self.source.text.trim_end().len());
            self.append(start..span.end);
            return;
        };
        if original[start..span.end].starts_with(quote) {
            self.fill_to_column_72();
            self.append(start + quote.len_utf8()..span.end);
        } else {
            let message = format!("the line continues a literal and must begin with its quote, {quote}");
            let wrong = self.global(start..span.end.max(start));
            report.error(codes::BAD_CONTINUATION, &wrong, message);
            self.append(start..span.end);
        }
    }

    /// A continued literal has blanks up to column 72 (Enterprise COBOL Language Reference, "Continuation of
    /// alphanumeric and national literals").
    fn fill_to_column_72(&mut self) {
        let Some(last) = self.source.segments.last() else { return };
        let (start, end) = (last.original.start - self.base, last.original.end - self.base);
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let used = columns::width(&self.text[line_start..end]);
        for _ in used..columns::LAST_TEXT_COLUMN {
            self.source.text.push(' ');
        }
    }

    /// Adds a piece of the original, up to an inline comment.
    fn append(&mut self, span: Range<usize>) {
        let (piece, opened) = (&self.text[span.clone()], self.open);
        let mut end = piece.len();
        for (at, c) in piece.char_indices() {
            match self.open {
                Some(quote) if c == quote => self.open = None,
                Some(_) => {}
                None if c == '\'' || c == '"' => self.open = Some(c),
                None if piece[at..].starts_with("*>") => {
                    end = at;
                    break;
                }
                None => {}
            }
        }
        let logical = self.source.text.len();
        push_code(&piece[..end], opened, &mut self.source.text);
        self.sentence = self.sentence.after(&self.source.text[logical..]);
        let original = self.global(span.start..span.start + end);
        self.source.segments.push(Segment { logical, original, replaced: false, cut: false });
    }
}
