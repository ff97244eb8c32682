//! The rows and cells of a CSV file, each with its place in the file's own lines and columns.

use std::io::Read;

use crate::error::{Error, ErrorKind};
use crate::format::RECORD_BYTES_MAX;
use crate::input::{BYTE_ORDER_MARK, Input};

/// The most bytes of one row.
pub const CSV_ROW_BYTES_MAX: usize = RECORD_BYTES_MAX;

/// Reads rows, one after the other. Lines end with LF, CR LF or CR; those without a character are no rows.
#[derive(Debug)]
pub(super) struct RowReader<R> {
    input: Input<R>,
    begun: bool,
    /// Bytes of the last row with its end, to be passed over when the next is asked for.
    taken: usize,
    row: Row,
}

/// A row.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// The text of all cells, without their quotes.
    text: String,
    cells: Vec<Cell>,
    /// The row's first line in the file, from 1.
    pub(super) line: u64,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Where the cell ends in the text of all.
    end: usize,
    /// Where it starts in the row as it stands in the file.
    start: usize,
}

/// Where the cells of a row are in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellPlaces<'a> {
    /// The row as it stands in the file.
    raw: &'a [u8],
    row: &'a Row,
    /// For each column of the plan, the cell in which the file has it.
    cells: &'a [Option<usize>],
    names: &'a [String],
}

/// Where in a cell the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Plain,
    Quoted,
    /// Behind a quote within quotes: the end of the cell, or the first of two that stand for one.
    Quote,
}

impl<'a> CellPlaces<'a> {
    /// The row as it stands in the file, without its end.
    pub(crate) fn raw(self) -> &'a [u8] {
        without_end(self.raw)
    }
}

/// A line without its end.
fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl<R: Read> RowReader<R> {
    pub(super) fn new(source: R) -> Self {
        let row = Row { line: 1, ..Row::default() };
        Self { input: Input::new(source), begun: false, taken: 0, row }
    }

    /// Goes to the next row; false at the end.
    ///
    /// # Errors
    /// The file cannot be read, a cell in quotes does not end, or is not UTF-8.
    pub(super) fn advance(&mut self) -> Result<bool, Error> {
        if !self.begun {
            self.begun = true;
            self.input.ensure(BYTE_ORDER_MARK.len())?;
            if self.input.bytes().starts_with(BYTE_ORDER_MARK) {
                self.input.consume(BYTE_ORDER_MARK.len());
            }
        }
        let taken = std::mem::take(&mut self.taken);
        self.row.line += line_and_column(&self.input.bytes()[..taken]).0;
        self.input.consume(taken);
        while self.input.ensure(1)? > 0 {
            let length = self.read()?;
            self.taken = length + self.line_end(length)?;
            if length > 0 {
                return Ok(true);
            }
            self.row.line += 1;
            self.input.consume(std::mem::take(&mut self.taken));
        }
        Ok(false)
    }

    /// The row as it stands in the file, without its end.
    pub(super) fn raw(&self) -> &[u8] {
        without_end(&self.input.bytes()[..self.taken])
    }

    pub(super) fn row(&self) -> &Row {
        &self.row
    }

    /// Where the row's cells are; `cells` has the cell of each of the columns of these names.
    pub(super) fn places<'a>(&'a self, cells: &'a [Option<usize>], names: &'a [String]) -> CellPlaces<'a> {
        CellPlaces { raw: &self.input.bytes()[..self.taken], row: &self.row, cells, names }
    }

    /// Reads the cells of the row that is next; gives its bytes, without its end.
    fn read(&mut self) -> Result<usize, Error> {
        self.row.cells.clear();
        let mut text = std::mem::take(&mut self.row.text).into_bytes();
        text.clear();
        let (mut at, mut start, mut state) = (0, 0, State::Start);
        'row: loop {
            let bytes = self.input.bytes();
            while let Some(&byte) = bytes.get(at) {
                match (state, byte) {
                    (State::Start | State::Plain | State::Quote, b',') => {
                        self.row.cells.push(Cell { end: text.len(), start });
                        (start, state) = (at + 1, State::Start);
                    }
                    (State::Start | State::Plain | State::Quote, b'\n' | b'\r') => break 'row,
                    (State::Start, b'"') => state = State::Quoted,
                    (State::Quoted, b'"') => state = State::Quote,
                    (State::Quote, b'"') => {
                        text.push(byte);
                        state = State::Quoted;
                    }
                    (State::Quoted, _) => {
                        let length = memchr::memchr(b'"', &bytes[at..]).unwrap_or(bytes.len() - at);
                        text.extend_from_slice(&bytes[at..at + length]);
                        at += length;
                        continue;
                    }
                    (State::Start | State::Plain | State::Quote, _) => {
                        let rest = &bytes[at..];
                        let length = rest.iter().position(|byte| matches!(byte, b',' | b'\n' | b'\r'));
                        text.extend_from_slice(&rest[..length.unwrap_or(rest.len())]);
                        at += length.unwrap_or(rest.len());
                        state = State::Plain;
                        continue;
                    }
                }
                at += 1;
            }
            if at > CSV_ROW_BYTES_MAX {
                return Err(self.fault(
                    at,
                    start,
                    &format!("the row has more than {CSV_ROW_BYTES_MAX} bytes"),
                ));
            }
            if self.input.ensure(at + 1)? == at {
                break;
            }
        }
        if state == State::Quoted {
            return Err(self.fault(at, start, "the cell begins with a quote and does not end with one"));
        }
        self.row.cells.push(Cell { end: text.len(), start });
        self.row.text = String::from_utf8(text).map_err(|error| {
            let end = error.utf8_error().valid_up_to();
            let number = self.row.cells.partition_point(|cell| cell.end <= end);
            let start = self.row.cells.get(number).map_or(0, |cell| cell.start);
            self.fault(at, start, &format!("cell {} is not UTF-8", number + 1))
        })?;
        Ok(at)
    }

    /// The bytes of the line end behind a row of this length.
    fn line_end(&mut self, length: usize) -> Result<usize, Error> {
        let there = self.input.ensure(length + 2)?;
        Ok(match &self.input.bytes()[length..there] {
            [b'\r', b'\n', ..] => 2,
            [_, ..] => 1,
            [] => 0,
        })
    }

    #[cold]
    fn fault(&self, length: usize, start: usize, message: &str) -> Error {
        let (lines, column) = line_and_column(&self.input.bytes()[..start.min(length)]);
        Error::new(ErrorKind::Text, format!("{message} (column {column})")).on_line(self.row.line + lines)
    }
}

impl Row {
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn get(&self, cell: usize) -> Option<&str> {
        let end = self.cells.get(cell)?.end;
        let start = cell.checked_sub(1).map_or(0, |before| self.cells[before].end);
        self.text.get(start..end)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|cell| self.get(cell))
    }
}

impl CellPlaces<'_> {
    /// The line and column, both from 1, of the cell with the value of a field; none if the file does not
    /// have the column.
    pub(crate) fn of_field(&self, path: &str) -> Option<(u64, u64)> {
        let within = |name: &str| {
            name.strip_prefix(path).is_some_and(|rest| rest.starts_with(['.', '[', '?']) || rest.is_empty())
        };
        let column = self.names.iter().position(|name| name == path);
        let column = column.or_else(|| self.names.iter().position(|name| within(name)))?;
        self.of_column(column)
    }

    /// The same of a column of the plan.
    pub(crate) fn of_column(&self, column: usize) -> Option<(u64, u64)> {
        let cell = self.row.cells.get((*self.cells.get(column)?)?)?;
        let (lines, column) = line_and_column(&self.raw[..cell.start]);
        Some((self.row.line + lines, column))
    }
}

/// The lines that end in a text, and the column behind it, in characters from 1.
fn line_and_column(text: &[u8]) -> (u64, u64) {
    let mut lines = memchr::memchr_iter(b'\n', text).count() as u64;
    // CR LF is one end.
    let alone = |at: &usize| text.get(at + 1) != Some(&b'\n');
    lines += memchr::memchr_iter(b'\r', text).filter(alone).count() as u64;
    let last = memchr::memrchr2(b'\n', b'\r', text).map_or(0, |at| at + 1);
    // Every byte that does not continue a UTF-8 sequence begins a character.
    let characters = text[last..].iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
    (lines, characters + 1)
}
