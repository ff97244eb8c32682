//! One record, field by field: where each lies, what it holds and what is wrong with it, in every view of the bytes.

use std::collections::HashMap;

use codepage::{Encoding, Unmappable};
use copybook::{Field, FieldId, Kind, Layout};
use record::{Columns, Options};

/// The content of a field of a record, or of a row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A group: its fields follow.
    Group,
    /// A table, and the number of its rows, which follow. If the counter is wrong, the fault; the rows are
    /// then an assumption.
    Table {
        /// Rows that follow.
        rows: usize,
        /// The fault of the counter.
        fault: Option<String>,
    },
    /// Text.
    Text(String),
    /// A number, as JSON writes it.
    Number(String),
    /// Bytes that mean nothing outside of a program, or of a usage that is not read: why.
    Opaque(String),
    /// Bytes that are no value of the field's type: what was found and what was expected.
    Fault(String),
    /// The record ends before the field, or within it.
    Missing,
    /// Bytes after all that the layout describes.
    Beyond,
}

/// A line of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The field; none for bytes beyond the layout.
    pub field: Option<FieldId>,
    /// How deep it is nested, 0 for the record; rows of a table are one deeper than the table.
    pub depth: usize,
    /// The row of a table that this is, from 0.
    pub row: Option<usize>,
    /// Bytes from the start of the record.
    pub offset: usize,
    /// How many bytes there are of it; fewer than it should have if the record ends before.
    pub bytes: usize,
    /// Its content.
    pub content: Content,
}

/// Explains records of a layout.
#[derive(Debug)]
pub struct Explainer<'l> {
    layout: &'l Layout,
    columns: Columns,
    encoding: Encoding,
}

impl<'l> Explainer<'l> {
    /// An explainer of a layout's records.
    #[must_use]
    pub fn new(layout: &'l Layout, options: &Options) -> Self {
        Self { layout, columns: Columns::new(layout, options), encoding: options.encoding }
    }

    /// All fields of a record in the order of the copybook, with each row of each table.
    ///
    /// A fault does not end it: a counter that is wrong is taken for the least number of rows.
    #[must_use]
    pub fn explain(&self, record: &[u8]) -> Vec<Item> {
        let mut walk = Walk { explainer: self, record, counts: HashMap::new(), items: Vec::new(), end: 0 };
        if let Some((root, _)) = self.layout.iter().next() {
            walk.field(root, 0, 0);
        }
        let (end, length) = (walk.end, record.len());
        let mut items = walk.items;
        if end < length {
            let (offset, bytes) = (end, length - end);
            items.push(Item { field: None, depth: 0, row: None, offset, bytes, content: Content::Beyond });
        }
        items
    }

    /// The characters of any bytes, for dumps: one for each byte, a dot where there is none that can be shown.
    #[must_use]
    pub fn characters(&self, bytes: &[u8]) -> String {
        let mut text = String::new();
        let shown = |byte: &u8| {
            text.clear();
            // A byte that is not a character by itself is a part of one, or none.
            let decoded = self.encoding.decode(&[*byte], Unmappable::Error, &mut text);
            let character = text.chars().next().filter(|_| decoded.is_ok());
            character.filter(|character| !character.is_control()).unwrap_or('.')
        };
        bytes.iter().map(shown).collect()
    }
}

/// One walk through a record.
struct Walk<'a, 'l> {
    explainer: &'a Explainer<'l>,
    record: &'a [u8],
    /// The value of each counter so far, or why it has none.
    counts: HashMap<FieldId, Result<usize, String>>,
    items: Vec<Item>,
    /// The end of the last field, wherever it is.
    end: usize,
}

impl Walk<'_, '_> {
    /// A field with all its rows, which lies `moved` bytes after its offset in the layout. Returns the bytes by which
    /// it is shorter than it could be.
    fn field(&mut self, id: FieldId, moved: isize, depth: usize) -> usize {
        let layout = self.explainer.layout;
        let field = layout.field(id);
        let Some(occurs) = field.occurs else { return self.single(id, None, moved, depth) };
        let (rows, fault) = self.rows(field);
        let start = field.offset.saturating_add_signed(moved);
        let at = self.items.len();
        self.push(id, None, depth, start, 0, Content::Table { rows, fault });
        let mut missing = 0;
        for row in 0..rows {
            let moved = moved + (row * field.bytes) as isize - missing as isize;
            missing += self.single(id, Some(row), moved, depth + 1);
        }
        let length = rows * field.bytes - missing;
        self.items[at].bytes = self.available(start, length);
        missing + (occurs.max as usize - rows) * field.bytes
    }

    /// One occurrence of a field.
    fn single(&mut self, id: FieldId, row: Option<usize>, moved: isize, depth: usize) -> usize {
        let field = self.explainer.layout.field(id);
        let start = field.offset.saturating_add_signed(moved);
        if field.kind != Kind::Group {
            self.elementary(id, field, row, start, depth);
            return 0;
        }
        let at = self.items.len();
        self.push(id, row, depth, start, 0, Content::Group);
        let mut missing = 0;
        for child in &field.children {
            missing += self.field(*child, moved - missing as isize, depth + 1);
        }
        self.items[at].bytes = self.available(start, field.bytes - missing);
        self.end = self.end.max(start + field.bytes - missing);
        missing
    }

    fn elementary(&mut self, id: FieldId, field: &Field, row: Option<usize>, start: usize, depth: usize) {
        let columns = &self.explainer.columns;
        let there = self.record.get(start..start + field.bytes);
        let text = there.map(|bytes| columns.text(id, bytes));
        let content = match &text {
            None => Content::Missing,
            Some(Err(error)) if !columns.has_value(id) => Content::Opaque(error.message.clone()),
            Some(Err(error)) => Content::Fault(error.message.clone()),
            Some(Ok(text)) => match field.kind {
                Kind::Text { .. }
                | Kind::Edited { .. }
                | Kind::National { .. }
                | Kind::Dbcs { .. }
                | Kind::Utf8 { .. } => Content::Text(text.clone()),
                _ => Content::Number(text.clone()),
            },
        };
        let count = match text {
            None => Err("the record ends before its counter".to_owned()),
            Some(Err(_)) => Err("its counter holds no number".to_owned()),
            Some(Ok(text)) => text
                .parse()
                .map_err(|_| format!("its counter is {text}, which is not a valid number of rows")),
        };
        self.counts.insert(id, count);
        let bytes = self.available(start, field.bytes);
        self.push(id, row, depth, start, bytes, content);
        self.end = self.end.max(start + field.bytes);
    }

    /// The rows of a table, and what is wrong with that number.
    fn rows(&self, field: &Field) -> (usize, Option<String>) {
        let Some(occurs) = field.occurs else { return (1, None) };
        let Some(counter) = occurs.depending_on else { return (occurs.max as usize, None) };
        let (min, max) = (occurs.min as usize, occurs.max as usize);
        let count = self.counts.get(&counter).cloned();
        match count.unwrap_or_else(|| Err("its counter comes after it".to_owned())) {
            Ok(rows) if rows <= max && (rows >= min || rows == 0) => (rows, None),
            Ok(rows) => (min, Some(format!("its counter holds {rows}, the table has {min} to {max} rows"))),
            Err(fault) => (min, Some(fault)),
        }
    }

    /// Of bytes that should be there, those that are.
    fn available(&self, start: usize, bytes: usize) -> usize {
        bytes.min(self.record.len().saturating_sub(start))
    }

    fn push(
        &mut self,
        id: FieldId,
        row: Option<usize>,
        depth: usize,
        offset: usize,
        bytes: usize,
        content: Content,
    ) {
        self.items.push(Item { field: Some(id), depth, row, offset, bytes, content });
    }
}
