//! Puts the translated text together. Every line has its file and its number.
//!
//! The form is that of cobc's preprocessor: `#line number "file"` gives the source of the next line, and the
//! lines below it count on.

use std::ops::Range;

use copybook::ProgramText;

/// A change to the text.
pub(super) struct Edit {
    span: Range<usize>,
    content: Content,
}

enum Content {
    /// Replaces the span within its line.
    Inline(String),
    /// Replaces the span by lines of their own.
    Lines(Vec<(Origin, String)>),
}

/// The source of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The line of a position of the text.
    Text(usize),
    /// A line that is not from the user, with a name and a number.
    Added(&'static str, u32),
}

impl Edit {
    pub(super) fn inline(span: Range<usize>, text: String) -> Self {
        Edit { span, content: Content::Inline(text) }
    }

    pub(super) fn lines(span: Range<usize>, lines: Vec<(Origin, String)>) -> Self {
        Edit { span, content: Content::Lines(lines) }
    }
}

/// The text with all edits.
pub(super) fn write(program: &ProgramText, mut edits: Vec<Edit>) -> String {
    // An insertion comes before a replacement at the same place.
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let names = program.files().into_iter().map(|file| quoted(&file.name)).collect();
    let mut writer = Writer {
        program,
        names,
        out: String::with_capacity(program.text().len() * 2),
        next: None,
        open: false,
    };
    let mut copied = 0;
    for edit in edits {
        // An edit within another one is gone with it.
        if edit.span.start < copied {
            continue;
        }
        writer.copy(copied..edit.span.start);
        match edit.content {
            Content::Inline(text) => writer.append(edit.span.start, &text),
            Content::Lines(lines) => {
                writer.end_line();
                let mut last = None;
                for (origin, line) in lines {
                    let source = writer.source(origin);
                    // Text from one line stays on one line.
                    if last == Some(source) {
                        writer.out.push(' ');
                    } else {
                        writer.end_line();
                        writer.start_line(source);
                        writer.open = true;
                    }
                    writer.out.push_str(&line);
                    last = Some(source);
                }
                writer.end_line();
            }
        }
        copied = edit.span.end;
    }
    writer.copy(copied..program.text().len());
    writer.end_line();
    writer.out
}

struct Writer<'w> {
    program: &'w ProgramText,
    /// The names of the files, made safe for a `#line`.
    names: Vec<String>,
    out: String,
    /// The place that cobc assumes for the next line.
    next: Option<(Name, u32)>,
    /// True if the last line has text and is not ended.
    open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    File(usize),
    Added(&'static str),
}

impl Writer<'_> {
    /// Copies a part of the text, line by line, without blank lines.
    fn copy(&mut self, part: Range<usize>) {
        let (mut at, end) = (part.start, part.end);
        for (index, line) in self.program.text()[part].split('\n').enumerate() {
            if index > 0 {
                self.end_line();
            }
            if !line.trim().is_empty() {
                self.append(at, line);
            } else if self.open && !line.is_empty() && at + line.len() == end {
                // Blanks between two edits part their words.
                self.out.push(' ');
            }
            at += line.len() + 1;
        }
    }

    /// Adds text to the line, or begins a line with it.
    fn append(&mut self, at: usize, text: &str) {
        if text.is_empty() {
            return;
        }
        if !self.open {
            let blank = text.len() - text.trim_start().len();
            let last = self.program.text().len().saturating_sub(1);
            self.start_line(self.source(Origin::Text((at + blank).min(last))));
            self.open = true;
        }
        // cobc's parser, unlike its preprocessor, does not know tabs. In literals they are ordinary
        // characters.
        let mut quote = None;
        for c in text.chars() {
            quote = match quote {
                Some(open) if open == c => None,
                None if matches!(c, '\'' | '"') => Some(c),
                same => same,
            };
            self.out.push(if c == '\t' && quote.is_none() { ' ' } else { c });
        }
    }

    fn end_line(&mut self) {
        if self.open {
            self.out.push('\n');
            self.open = false;
        }
    }

    /// The file and the line of an origin.
    fn source(&self, origin: Origin) -> (Name, u32) {
        match origin {
            Origin::Added(name, line) => (Name::Added(name), line),
            Origin::Text(at) => {
                let place = self.program.place(&(at..at + 1));
                (Name::File(place.file), place.line)
            }
        }
    }

    /// Writes the source of the next line, unless cobc assumes it already.
    fn start_line(&mut self, (name, line): (Name, u32)) {
        if self.next != Some((name, line)) {
            let shown = match name {
                Name::File(file) => &self.names[file],
                Name::Added(name) => name,
            };
            self.out.push_str(&format!("#line {line} \"{shown}\"\n"));
        }
        self.next = Some((name, line + 1));
    }
}

/// A file's name without characters that would end a `#line`.
fn quoted(name: &str) -> String {
    name.replace(|c: char| c == '"' || c.is_control(), "_")
}
