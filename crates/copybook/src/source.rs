//! From source lines to logical text: columns, indicators, comments and continuation, with a map back.

mod columns;
mod format;

use std::ops::Range;

use crate::codes;
use crate::report::Report;
use crate::{Format, Options};
use columns::Line;

/// The text that COBOL's grammar sees: comments and sequence areas gone, continued lines joined,
/// lines separated by `\n`.
pub(crate) struct Source {
    pub(crate) text: String,
    /// The pieces of the original text that `text` is made of, in order.
    segments: Vec<Segment>,
}

/// A piece of the logical text, copied from the original unchanged.
struct Segment {
    logical: usize,
    original: Range<usize>,
    /// True if a period after column 72 was left out.
    cut: bool,
}

impl Source {
    /// Reads the lines of a copybook.
    pub(crate) fn read(text: &str, options: &Options, report: &mut Report<'_>) -> Self {
        let format = match options.format {
            Format::Auto => format::detect(text),
            given => given,
        };
        let mut builder =
            Builder { source: Source { text: String::new(), segments: Vec::new() }, open: None };
        let mut started = false;
        for (start, raw) in lines(text) {
            let line = match columns::classify(raw, format, started) {
                Ok(line) => line,
                Err(remark) => {
                    let span = start + remark.span.start..start + remark.span.end;
                    report.error_with_help(remark.code, &span, remark.message, remark.help);
                    continue;
                }
            };
            match line {
                Line::Nothing => {}
                Line::Code { text: span, cut, warning } => {
                    started = true;
                    builder.add_line(text, start + span.start..start + span.end);
                    builder.mark(cut);
                    if let Some(remark) = warning {
                        let span = start + remark.span.start..start + remark.span.end;
                        report.warning(remark.code, &span, remark.message);
                    }
                }
                Line::Continuation { text: span, cut } => {
                    let span = start + span.start..start + span.end;
                    builder.continue_line(text, span, report);
                    builder.mark(cut);
                }
            }
        }
        builder.source
    }

    /// The span of the original text that a span of the logical text came from.
    pub(crate) fn original(&self, logical: Range<usize>) -> Range<usize> {
        let start = self.original_offset(logical.start);
        let last = logical.end.saturating_sub(1).max(logical.start);
        start..self.original_offset(last).saturating_add(1).max(start)
    }

    /// True if a period stands after column 72 of the line at a position of the logical text.
    pub(crate) fn is_cut(&self, logical: usize) -> bool {
        self.segment(logical).is_some_and(|segment| segment.cut)
    }

    fn segment(&self, logical: usize) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.logical <= logical);
        self.segments.get(after.checked_sub(1)?)
    }

    fn original_offset(&self, logical: usize) -> usize {
        let Some(segment) = self.segment(logical) else { return 0 };
        // The blanks that fill up a continued literal, and line ends, are not in the original.
        (segment.original.start + (logical - segment.logical)).min(segment.original.end)
    }
}

/// The lines of a text with their offsets, without line ends, byte order mark and the end-of-file
/// character that some editors leave.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let body = text.trim_end_matches(['\u{1a}', '\0']);
    let skipped = if body.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut at = skipped;
    body[skipped..].split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start, line.strip_suffix('\r').unwrap_or(line))
    })
}

struct Builder {
    source: Source,
    /// The quote of a literal that is open where the text ends so far.
    open: Option<char>,
}

impl Builder {
    fn add_line(&mut self, original: &str, span: Range<usize>) {
        self.source.text.push('\n');
        self.open = None;
        self.append(original, span);
    }

    /// Notes whether a period was left out of the line added last.
    fn mark(&mut self, cut: bool) {
        if let Some(segment) = self.source.segments.last_mut() {
            segment.cut = cut;
        }
    }

    fn continue_line(&mut self, original: &str, span: Range<usize>, report: &mut Report<'_>) {
        let text = &original[span.clone()];
        let start = span.start + (text.len() - text.trim_start().len());
        if self.source.segments.is_empty() {
            report.error(codes::BAD_CONTINUATION, &span, "there is no line before this continuation line");
            return;
        }
        let Some(quote) = self.open else {
            // A word goes on: the blanks around the line end do not belong to it.
            self.source.text.truncate(self.source.text.trim_end().len());
            self.append(original, start..span.end);
            return;
        };
        if original[start..span.end].starts_with(quote) {
            self.fill_to_column_72(original);
            self.append(original, start + quote.len_utf8()..span.end);
        } else {
            let message = format!("the line continues a literal and must begin with its quote, {quote}");
            report.error(codes::BAD_CONTINUATION, &(start..span.end.max(start)), message);
            self.append(original, start..span.end);
        }
    }

    /// A literal that continues has blanks up to column 72 (Enterprise COBOL Language Reference,
    /// "Continuation of alphanumeric and national literals").
    fn fill_to_column_72(&mut self, original: &str) {
        let Some(last) = self.source.segments.last() else { return };
        let line_start = original[..last.original.start].rfind('\n').map_or(0, |at| at + 1);
        let used = columns::width(&original[line_start..last.original.end]);
        for _ in used..columns::LAST_TEXT_COLUMN {
            self.source.text.push(' ');
        }
    }

    /// Adds a piece of the original, up to an inline comment.
    fn append(&mut self, original: &str, span: Range<usize>) {
        let piece = &original[span.clone()];
        let mut end = piece.len();
        let mut previous = ' ';
        for (at, c) in piece.char_indices() {
            match self.open {
                Some(quote) if c == quote => self.open = None,
                Some(_) => {}
                None if c == '\'' || c == '"' => self.open = Some(c),
                None if c == '*' && previous.is_whitespace() && piece[at..].starts_with("*>") => {
                    end = at;
                    break;
                }
                None => {}
            }
            previous = c;
        }
        let logical = self.source.text.len();
        self.source.text.push_str(&piece[..end]);
        self.source.segments.push(Segment { logical, original: span.start..span.start + end, cut: false });
    }
}
