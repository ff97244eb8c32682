//! The texts of a copybook, laid end to end, so that one number gives a file and a place in it.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use crate::{Place, SourceFile};

/// All texts that have been read. The first one is the given text.
///
/// A position counts through all of them: each text starts one after the end of the one before, so that the
/// end of a text is a position of its own.
#[derive(Clone)]
pub(crate) struct Files {
    files: Vec<File>,
}

#[derive(Clone)]
struct File {
    name: String,
    text: Rc<str>,
    /// The position of the text's first byte.
    base: usize,
    /// Where each line starts, in bytes of the text.
    lines: Vec<usize>,
    /// The last place: its offset and column. Places are mostly needed in the order of the text. Counting on
    /// from the last one means that a long line does not cost its length every time.
    last: Cell<(usize, u32)>,
    /// The statement that copied the text.
    copied_at: Option<Range<usize>>,
}

impl Files {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let mut files = Files { files: Vec::new() };
        files.add(name, text, None);
        files
    }

    /// Adds a text. Gives the position of its first byte.
    pub(crate) fn add(&mut self, name: &str, text: &str, copied_at: Option<Range<usize>>) -> usize {
        let base = self.files.last().map_or(0, |last| last.base + last.text.len() + 1);
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        let (name, text) = (name.to_owned(), text.into());
        self.files.push(File { name, text, base, lines, last: Cell::new((0, 1)), copied_at });
        base
    }

    /// The text that starts at a position.
    pub(crate) fn text(&self, base: usize) -> Rc<str> {
        self.files[self.index(base)].text.clone()
    }

    /// The name of the file that a position lies in.
    pub(crate) fn name(&self, position: usize) -> &str {
        &self.files[self.index(position)].name
    }

    /// The file, line and column of the start of a span, and its bytes in that file.
    pub(crate) fn place(&self, span: &Range<usize>) -> Place {
        let index = self.index(span.start);
        let file = &self.files[index];
        let local = |position: usize| position.saturating_sub(file.base).min(file.text.len());
        // Positions count bytes, so a span may start or end within a character. It is widened to whole
        // characters.
        let start = file.text.floor_char_boundary(local(span.start));
        let (line, column) = file.line_and_column(start);
        // A span across files is shown where it starts.
        let end = if self.index(span.end.max(1) - 1) == index { local(span.end) } else { start };
        let end = file.text.ceil_char_boundary(end.max(start));
        Place { line, column, span: start..end, file: index }
    }

    /// The files in the form for readers.
    pub(crate) fn listing(&self) -> Vec<SourceFile> {
        let listed = |file: &File| SourceFile {
            name: file.name.clone(),
            copied_at: file.copied_at.as_ref().map(|span| self.place(span)),
        };
        self.files.iter().map(listed).collect()
    }

    fn index(&self, position: usize) -> usize {
        self.files.partition_point(|file| file.base <= position).saturating_sub(1)
    }
}

impl File {
    /// The line and the column in characters, both from 1, of a byte of the text.
    fn line_and_column(&self, start: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|first| *first <= start);
        let line_start = self.lines[line - 1];
        let (from, counted) = match self.last.get() {
            (offset, column) if (line_start..=start).contains(&offset) => (offset, column),
            _ => (line_start, 1),
        };
        let between = self.text.as_bytes()[from..start].iter();
        // Every byte that does not continue a UTF-8 sequence begins a character.
        let column = counted + between.filter(|byte| **byte & 0xC0 != 0x80).count() as u32;
        self.last.set((start, column));
        (line as u32, column)
    }
}
