//! CSV (RFC 4180): a row for each record, a column for each value, in the order of the copybook.
//!
//! A value in groups is named by its path, `group.field`. A table has columns for its greatest number of rows,
//! `table[0].field`, `table[1].field`, ...; if that number varies, the column `table[]` says how many the record has,
//! and those beyond are empty. A view of bytes that not every record shows has a column `view?`: `true` where it shows.

mod rows;
mod write;

use std::collections::HashMap;
use std::io::Read;

use record::{Bind, Schema, write_string};

use crate::encode::{Place, Text, Texts};
use crate::error::{Error, ErrorKind};
pub use rows::CSV_ROW_BYTES_MAX;
pub(crate) use rows::CellPlaces;
use rows::{Row, RowReader};

/// The bytes of a name that are compared as one word.
const KEY_BYTES: usize = 16;

/// The most columns; that of common spreadsheets.
pub const CSV_COLUMNS_MAX: usize = 16_384;

/// The columns of a bind's records.
#[derive(Clone, Debug)]
pub struct CsvPlan {
    names: Vec<String>,
    root: Node,
}

#[derive(Clone, Debug)]
enum Node {
    Value {
        column: usize,
        text: bool,
    },
    Object(Vec<Member>),
    /// The column with the number of rows, if it varies, and each row.
    Rows {
        count: Option<usize>,
        rows: Vec<Node>,
        /// How many columns each row has.
        columns: usize,
    },
    /// A view that not every record shows, and the column that says so.
    View {
        shown: usize,
        inner: Box<Node>,
    },
}

#[derive(Clone, Debug)]
struct Member {
    /// The name as JSON writes it, with its quotes and a colon.
    key: Vec<u8>,
    /// The first bytes of it, and a mask for this number of bytes.
    first: u128,
    mask: u128,
    node: Node,
    /// How many columns it has.
    columns: usize,
}

impl Member {
    fn new(name: &str, node: Node, columns: usize) -> Self {
        let mut key = Vec::new();
        write_string(name, &mut key);
        key.push(b':');
        let mut first = [0; KEY_BYTES];
        let length = key.len().min(KEY_BYTES);
        first[..length].copy_from_slice(&key[..length]);
        let mask = u128::MAX >> (8 * (KEY_BYTES - length));
        Self { key, first: u128::from_le_bytes(first), mask, node, columns }
    }

    /// True if a text starts with the name and its colon.
    #[inline]
    fn starts(&self, text: &[u8]) -> bool {
        let Some(window) = text.first_chunk() else { return text.starts_with(&self.key) };
        let is_first = (u128::from_le_bytes(*window) ^ self.first) & self.mask == 0;
        is_first && (self.key.len() <= KEY_BYTES || text.starts_with(&self.key))
    }

    /// The name as JSON writes it, without its quotes.
    fn name(&self) -> &[u8] {
        &self.key[1..self.key.len() - 2]
    }
}

impl CsvPlan {
    /// Names the columns.
    ///
    /// # Errors
    /// More than [`CSV_COLUMNS_MAX`] columns, or two of one name.
    pub fn new(bind: &Bind) -> Result<Self, Error> {
        let mut names = Vec::new();
        let root = node(&bind.response_schema(), "", &mut names)?;
        let mut seen = HashMap::new();
        for name in &names {
            if seen.insert(name, ()).is_some() {
                return Err(Error::setting(format!("two columns would have the name {name}")));
            }
        }
        Ok(Self { names, root })
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

fn separate(column: usize, out: &mut Vec<u8>) {
    if column > 0 {
        out.push(b',');
    }
}

fn node(schema: &Schema, path: &str, names: &mut Vec<String>) -> Result<Node, Error> {
    if names.len() >= CSV_COLUMNS_MAX {
        return Err(Error::setting(format!(
            "the records have more than {CSV_COLUMNS_MAX} columns as CSV, with tables at their largest; \
             JSON lines have no such limit"
        )));
    }
    if schema.is_view {
        names.push(format!("{path}?"));
        let shown = names.len() - 1;
        let schema = Schema { is_view: false, ..schema.clone() };
        return Ok(Node::View { shown, inner: Box::new(node(&schema, path, names)?) });
    }
    match schema.kind {
        "object" => {
            let members = schema.properties.iter().map(|(name, schema)| {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let before = names.len();
                let node = node(schema, &path, names)?;
                Ok(Member::new(name, node, names.len() - before))
            });
            Ok(Node::Object(members.collect::<Result<_, Error>>()?))
        }
        "array" => {
            let (min, max) = (schema.min_items.unwrap_or(0), schema.max_items.unwrap_or(0));
            let count = (min != max).then(|| {
                names.push(format!("{path}[]"));
                names.len() - 1
            });
            let before = names.len();
            let rows = match &schema.items {
                Some(items) => (0..max)
                    .map(|row| node(items, &format!("{path}[{row}]"), names))
                    .collect::<Result<Vec<_>, Error>>()?,
                None => Vec::new(),
            };
            let columns = (names.len() - before) / rows.len().max(1);
            Ok(Node::Rows { count, rows, columns })
        }
        kind => {
            names.push(path.to_owned());
            Ok(Node::Value { column: names.len() - 1, text: kind == "string" })
        }
    }
}

impl Node {
    /// The number of rows is absent where the array was; as a cell of a table that had none, it is 0.
    fn write_json(&self, cells: &Cells<'_>, out: &mut Vec<u8>) -> Result<Written, Error> {
        match self {
            Node::Value { column, text } => {
                let Some(cell) = cells.get(*column) else { return Ok(Written::Nothing) };
                if *text || !is_bare(cell) {
                    if cell.is_empty() && !*text {
                        return Ok(Written::Nothing);
                    }
                    write_string(cell, out);
                } else {
                    out.extend_from_slice(cell.as_bytes());
                }
            }
            Node::View { shown, inner } => {
                let is_shown = match cells.get(*shown).unwrap_or_default() {
                    "true" => true,
                    "false" => false,
                    // A file of another's making need not have the column: what has a value is shown.
                    "" => inner.has_value(cells),
                    cell => return Err(cells.unexpected(*shown, "true, false or nothing", cell)),
                };
                return if is_shown { inner.write_json(cells, out) } else { Ok(Written::Nothing) };
            }
            Node::Object(members) => {
                out.push(b'{');
                let mut begun = false;
                for member in members {
                    let start = out.len();
                    if begun {
                        out.push(b',');
                    }
                    out.extend_from_slice(&member.key);
                    match member.node.write_json(cells, out)? {
                        Written::Something => begun = true,
                        Written::Nothing => out.truncate(start),
                    }
                }
                out.push(b'}');
            }
            Node::Rows { count, rows, .. } => {
                let wanted = match count {
                    None if !self.is_given(cells) => return Ok(Written::Nothing),
                    None => rows.len(),
                    Some(column) => match cells.get(*column).unwrap_or_default() {
                        "" | "0" => return Ok(Written::Nothing),
                        cell => cells.row_count(*column, cell, rows.len())?,
                    },
                };
                out.push(b'[');
                for (row, node) in rows[..wanted].iter().enumerate() {
                    separate(row, out);
                    if node.write_json(cells, out)? == Written::Nothing {
                        out.extend_from_slice(b"null");
                    }
                }
                out.push(b']');
            }
        }
        Ok(Written::Something)
    }

    /// True if any cell of it holds anything.
    fn has_value(&self, cells: &Cells<'_>) -> bool {
        let holds = |column: usize| cells.get(column).is_some_and(|cell| !cell.is_empty());
        match self {
            Node::Value { column, .. } => holds(*column),
            Node::Object(members) => members.iter().any(|member| member.node.has_value(cells)),
            Node::Rows { count, rows, .. } => {
                count.is_some_and(holds) || rows.iter().any(|row| row.has_value(cells))
            }
            Node::View { shown, inner } => holds(*shown) || inner.has_value(cells),
        }
    }

    /// True if the file has a column for any value in it.
    fn is_given(&self, cells: &Cells<'_>) -> bool {
        match self {
            Node::Value { column, .. } => cells.get(*column).is_some(),
            Node::Object(members) => members.iter().any(|member| member.node.is_given(cells)),
            Node::Rows { rows, .. } => rows.iter().any(|row| row.is_given(cells)),
            Node::View { shown, inner } => cells.get(*shown).is_some() || inner.is_given(cells),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Something,
    Nothing,
}

/// A number, or a word of JSON, which stands without quotes; everything else is refused as text with its field.
fn is_bare(cell: &str) -> bool {
    matches!(cell, "true" | "false") || record::Decimal::from_json(cell.as_bytes()).is_ok()
}

/// The cells of a row by the columns of the plan.
#[derive(Clone, Copy)]
struct Cells<'a> {
    row: &'a Row,
    /// Where each column of the plan is in the file.
    places: &'a [Option<usize>],
    names: &'a [String],
    in_file: CellPlaces<'a>,
}

impl<'a> Cells<'a> {
    fn get(&self, column: usize) -> Option<&'a str> {
        self.places[column].and_then(|place| self.row.get(place))
    }

    fn row_count(&self, column: usize, cell: &str, max: usize) -> Result<usize, Error> {
        match cell.parse() {
            Ok(rows) if rows <= max => Ok(rows),
            _ => Err(self.unexpected(column, &format!("a number of rows up to {max}"), cell)),
        }
    }

    #[cold]
    fn unexpected(&self, column: usize, expected: &str, cell: &str) -> Error {
        let message = format!("{}: expected {expected}, found '{cell}'", self.names[column]);
        match self.in_file.of_column(column) {
            Some((line, place)) => {
                Error::new(ErrorKind::Data, format!("{message} (column {place})")).on_line(line)
            }
            None => Error::new(ErrorKind::Data, message),
        }
    }
}

/// Reads CSV with the names of a plan in its first line, in any order; columns may be missing.
#[derive(Debug)]
pub struct CsvTexts<'p, R> {
    plan: &'p CsvPlan,
    rows: RowReader<R>,
    places: Vec<Option<usize>>,
    /// How many cells a row has.
    width: usize,
    json: Vec<u8>,
    number: u64,
    /// The line of names as it stands in the file.
    heading: Vec<u8>,
}

impl<'p, R: Read> CsvTexts<'p, R> {
    /// Reads the line of names.
    ///
    /// # Errors
    /// A column that the plan does not have, or a name that stands twice; the file cannot be read.
    pub fn new(plan: &'p CsvPlan, source: R) -> Result<Self, Error> {
        let mut rows = RowReader::new(source);
        let mut places = vec![None; plan.names.len()];
        let (mut width, mut heading) = (0, Vec::new());
        if rows.advance()? {
            heading = rows.raw().to_vec();
            let known: HashMap<&str, usize> =
                plan.names.iter().enumerate().map(|(column, name)| (name.as_str(), column)).collect();
            let header = rows.row();
            let line = header.line;
            for (place, name) in header.iter().enumerate() {
                let column = *known.get(name).ok_or_else(|| {
                    let nearest = nearest(name, &plan.names);
                    Error::new(ErrorKind::Text, format!("there is no field for the column '{name}'{nearest}"))
                        .on_line(line)
                })?;
                if places[column].replace(place).is_some() {
                    let message = format!("the column '{name}' occurs twice");
                    return Err(Error::new(ErrorKind::Text, message).on_line(line));
                }
            }
            width = header.len();
        }
        Ok(Self { plan, rows, places, width, json: Vec::new(), number: 0, heading })
    }

    /// The line of names as it stands in the file, without its end.
    #[must_use]
    pub fn heading(&self) -> &[u8] {
        &self.heading
    }
}

fn nearest(name: &str, names: &[String]) -> String {
    let near = names.iter().map(|known| (copybook::edit_distance(known, name), known)).min();
    match near {
        Some((distance, known)) if distance <= 1 + name.len() / 4 => format!("; did you mean '{known}'?"),
        _ => String::new(),
    }
}

impl<R: Read> Texts for CsvTexts<'_, R> {
    fn next_text(&mut self) -> Result<Option<Text<'_>>, Error> {
        if !self.rows.advance()? {
            return Ok(None);
        }
        self.number += 1;
        let row = self.rows.row();
        let line = row.line;
        if row.len() != self.width {
            let message = format!("the row has {} cells, the first line has {}", row.len(), self.width);
            return Err(Error::new(ErrorKind::Text, message).on_line(line));
        }
        let names = &self.plan.names;
        let in_file = self.rows.places(&self.places, names);
        let cells = Cells { row, places: &self.places, names, in_file };
        self.json.clear();
        let fault = self.plan.root.write_json(&cells, &mut self.json).err();
        let place = Some(Place { line, column: 1 });
        Ok(Some(Text { number: self.number, place, json: &self.json, fault, cells: Some(in_file) }))
    }
}
