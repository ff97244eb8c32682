//! How long a record is by its own counters (OCCURS DEPENDING ON), when nothing in the file says so.

use std::sync::Arc;

use copybook::{FieldId, Kind, Layout};
use record::{Columns, Options, TableRoom, ZeroOccurs};

use crate::error::{Error, ErrorKind};

/// The fields that give a record's length, compiled from a layout.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    columns: Arc<Columns>,
    parts: Vec<Part>,
    max_bytes: usize,
    zero_occurs: ZeroOccurs,
}

/// One part that varies, or that must be read on the way to one, in the order of the record.
#[derive(Clone, Debug)]
enum Part {
    Count { field: FieldId, offset: usize, bytes: usize, path: String },
    Table(Table),
}

#[derive(Clone, Debug)]
struct Table {
    stride: usize,
    /// The least and greatest number of rows.
    rows: (usize, usize),
    counter: Option<FieldId>,
    parts: Vec<Part>,
    path: String,
}

/// A record's length, as far as its first bytes tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// The record has this number of bytes.
    Known(usize),
    /// At least this number of bytes is needed to know more.
    Needs(usize),
}

/// Why a walk through a record ended early.
enum Stop {
    Needs(usize),
    Failed(Error),
}

impl Extent {
    /// # Errors
    /// A table varies inside a REDEFINES.
    pub(crate) fn new(layout: &Layout, options: &Options) -> Result<Self, Error> {
        let root = layout.iter().next().map(|(id, _)| id);
        let moves = options.table_room == TableRoom::Rows;
        let root = root.filter(|_| moves);
        let parts = root.map(|root| parts_of(layout, root)).transpose()?.unwrap_or_default();
        Ok(Self {
            columns: Arc::new(Columns::new(layout, options)),
            parts,
            max_bytes: layout.max_bytes(),
            zero_occurs: options.zero_occurs,
        })
    }

    /// The length of the record that starts with `bytes`.
    ///
    /// # Errors
    /// A counter holds no number, or one that its table does not allow.
    pub(crate) fn length(&self, bytes: &[u8]) -> Result<Length, Error> {
        let mut counts = Vec::new();
        match self.missing(&self.parts, 0, bytes, &mut counts) {
            Ok(missing) => Ok(Length::Known(self.max_bytes - missing)),
            Err(Stop::Needs(needed)) => Ok(Length::Needs(needed)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    /// The bytes by which tables in these parts are shorter than they could be. A part lies `moved` bytes after its
    /// offset in the layout where nothing is missing before it.
    fn missing(
        &self,
        parts: &[Part],
        moved: isize,
        bytes: &[u8],
        counts: &mut Vec<(FieldId, usize)>,
    ) -> Result<usize, Stop> {
        let mut missing = 0;
        for part in parts {
            let moved = moved - missing as isize;
            match part {
                Part::Count { field, offset, bytes: length, path } => {
                    let at = offset.saturating_add_signed(moved);
                    let found = bytes.get(at..at + length).ok_or(Stop::Needs(at + length))?;
                    let rows = self.count(*field, found, path).map_err(Stop::Failed)?;
                    counts.retain(|(known, _)| known != field);
                    counts.push((*field, rows));
                }
                Part::Table(table) => {
                    let rows = self.rows(table, counts).map_err(Stop::Failed)?;
                    let mut inner = 0;
                    for row in 0..rows {
                        if table.parts.is_empty() {
                            break;
                        }
                        let moved = moved + (row * table.stride) as isize - inner as isize;
                        inner += self.missing(&table.parts, moved, bytes, counts)?;
                    }
                    missing += inner + (table.rows.1 - rows) * table.stride;
                }
            }
        }
        Ok(missing)
    }

    fn count(&self, field: FieldId, bytes: &[u8], path: &str) -> Result<usize, Error> {
        let text = self.columns.text(field, bytes).map_err(|error| Error {
            message: format!("{path}, which says how long the record is: {}", error.message),
            ..Error::data(error)
        })?;
        text.parse().map_err(|_| {
            Error::new(ErrorKind::Data, format!("{path} is {text}, which is not a valid number of rows"))
        })
    }

    fn rows(&self, table: &Table, counts: &[(FieldId, usize)]) -> Result<usize, Error> {
        let (min, max) = table.rows;
        let Some(counter) = table.counter else { return Ok(max) };
        let rows = counts.iter().find(|(field, _)| *field == counter).map_or(0, |(_, rows)| *rows);
        if (min..=max).contains(&rows) || (rows == 0 && self.zero_occurs == ZeroOccurs::Accept) {
            return Ok(rows);
        }
        let path = &table.path;
        Err(Error::new(
            ErrorKind::Data,
            format!("the counter of {path} holds {rows}, the table has {min} to {max} rows"),
        ))
    }
}

/// The parts below a field, in the order of their place in the record.
fn parts_of(layout: &Layout, id: FieldId) -> Result<Vec<Part>, Error> {
    let mut parts = Vec::new();
    for child in layout.field(id).children.iter().copied() {
        let field = layout.field(child);
        if layout
            .iter()
            .any(|(_, other)| other.occurs.is_some_and(|occurs| occurs.depending_on == Some(child)))
        {
            parts.push(Part::Count {
                field: child,
                offset: field.offset,
                bytes: field.bytes,
                path: layout.path(child),
            });
        }
        let inner = if field.kind == Kind::Group { parts_of(layout, child)? } else { Vec::new() };
        let varies = field.occurs.is_some_and(|occurs| occurs.depending_on.is_some())
            || inner.iter().any(|part| matches!(part, Part::Table(_)));
        let overlaid = layout.is_overlaid(child);
        if varies && overlaid {
            let path = layout.path(child);
            return Err(Error::setting(format!("{path}: a table of varying length inside a REDEFINES")));
        }
        match field.occurs {
            None => parts.extend(inner),
            Some(occurs) if varies => parts.push(Part::Table(Table {
                stride: field.bytes,
                rows: (occurs.min as usize, occurs.max as usize),
                counter: occurs.depending_on,
                parts: inner,
                path: layout.path(child),
            })),
            Some(_) => {}
        }
    }
    Ok(parts)
}
