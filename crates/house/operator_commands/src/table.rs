//! Tables for people. Columns are as wide as their content, and have no control characters, which a
//! terminal would obey.

use std::fmt::Write;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    /// For numbers.
    Right,
}

/// A table: a line of titles, and rows with one cell for each title.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<(&'static str, Side)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: &[(&'static str, Side)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| visible(&cell)).collect());
    }

    /// The table as text. Without rows it is the line `none`.
    pub(crate) fn text(&self, none: &str) -> String {
        if self.rows.is_empty() {
            return format!("{none}\n");
        }
        let titles: Vec<String> = self.columns.iter().map(|(title, _)| (*title).to_owned()).collect();
        let all = || std::iter::once(&titles).chain(&self.rows);
        let width = |column: usize| {
            all().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for row in all() {
            let mut line = String::new();
            for ((cell, width), (_, side)) in row.iter().zip(&widths).zip(&self.columns) {
                let written = match side {
                    Side::Left => write!(line, "{cell:width$}  "),
                    Side::Right => write!(line, "{cell:>width$}  "),
                };
                written.expect("a text takes everything");
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// A text on one line, with a full stop for each control character.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '.' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them() {
        let mut table = Table::new(&[("NAME", Side::Left), ("N", Side::Right), ("TEXT", Side::Left)]);
        assert_eq!(table.text("nothing"), "nothing\n");
        table.row(["É".to_owned(), "12".to_owned(), "a\u{1b}[2J".to_owned()]);
        table.row(["LONGER".to_owned(), "3".to_owned(), String::new()]);
        assert_eq!(table.text(""), "NAME     N  TEXT\nÉ       12  a.[2J\nLONGER   3\n");
    }
}
