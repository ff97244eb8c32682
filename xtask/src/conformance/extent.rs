//! How many bytes a record really takes, worked out from the layout alone: a second opinion beside the codec's.

use std::collections::HashMap;

use codepage::CodePage;
use copybook::{FieldId, Kind, Layout};

/// Where the unused rows of tables are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tables {
    /// Nowhere: what follows a table moves up.
    Shift,
    /// In the record: every table takes its greatest number of rows.
    Fixed,
}

/// The parts of a record that are in use, in order, and its length.
pub(super) struct Extent {
    /// Start and end of each part.
    pub(super) parts: Vec<(usize, usize)>,
    pub(super) bytes: usize,
}

/// Walks through a record.
///
/// # Errors
/// A counter lies beyond the end, or holds no number.
pub(super) fn of(layout: &Layout, page: &CodePage, tables: Tables, record: &[u8]) -> Result<Extent, String> {
    let mut walk = Walk { layout, page, tables, record, counts: HashMap::new(), parts: Vec::new() };
    let (root, _) = layout.iter().next().ok_or("no fields")?;
    let bytes = walk.field(root, 0, true)?;
    Ok(Extent { parts: walk.parts, bytes })
}

struct Walk<'w> {
    layout: &'w Layout,
    page: &'w CodePage,
    tables: Tables,
    record: &'w [u8],
    counts: HashMap<FieldId, usize>,
    parts: Vec<(usize, usize)>,
}

impl Walk<'_> {
    /// Goes over a field with all its rows; gives the position after it. `used` is false over other views.
    fn field(&mut self, id: FieldId, at: usize, used: bool) -> Result<usize, String> {
        let field = self.layout.field(id);
        let Some(occurs) = field.occurs else { return self.row(id, at, used) };
        let rows = match occurs.depending_on {
            None => occurs.max as usize,
            Some(counter) => {
                let rows = self.counts.get(&counter).copied().unwrap_or(occurs.max as usize);
                rows.min(occurs.max as usize)
            }
        };
        let mut end = at;
        for _ in 0..rows {
            end = self.row(id, end, used)?;
        }
        match self.tables {
            Tables::Shift => Ok(end),
            Tables::Fixed => Ok(at + field.bytes * occurs.max as usize),
        }
    }

    fn row(&mut self, id: FieldId, at: usize, used: bool) -> Result<usize, String> {
        let layout = self.layout;
        let field = layout.field(id);
        if field.kind != Kind::Group {
            let end = at + field.bytes;
            if used {
                self.parts.push((at, end));
            }
            let counts = layout
                .iter()
                .any(|(_, other)| other.occurs.is_some_and(|occurs| occurs.depending_on == Some(id)));
            if counts {
                let bytes = self.record.get(at..end).ok_or("the record ends before a counter")?;
                self.counts.insert(id, count(&field.kind, bytes, self.page)?);
            }
            return Ok(end);
        }
        let mut end = at;
        let mut starts: HashMap<FieldId, usize> = HashMap::new();
        for (index, child) in field.children.iter().enumerate() {
            let next = layout.field(*child);
            match next.redefines {
                Some(original) => {
                    let start = starts.get(&original).copied().unwrap_or(at);
                    end = end.max(self.field(*child, start, false)?);
                }
                None => {
                    let before = field.children[..index]
                        .iter()
                        .rev()
                        .find(|id| layout.field(**id).redefines.is_none());
                    // Slack bytes lie between what the layout says of both.
                    let slack = before.map_or(next.offset - field.offset, |before| {
                        let before = layout.field(*before);
                        let rows = before.occurs.map_or(1, |occurs| occurs.max as usize);
                        next.offset.saturating_sub(before.offset + before.bytes * rows).min(7)
                    });
                    starts.insert(*child, end + slack);
                    end = self.field(*child, end + slack, used)?;
                }
            }
        }
        Ok(end)
    }
}

/// The number that a counter holds.
fn count(kind: &Kind, bytes: &[u8], page: &CodePage) -> Result<usize, String> {
    let number = match kind {
        Kind::Zoned { .. } | Kind::Text { .. } | Kind::Edited { .. } => {
            let digits = bytes.iter().filter(|byte| **byte != page.space());
            digits.fold(0, |number, byte| number * 10 + usize::from(byte & 0x0F))
        }
        Kind::Packed { .. } => {
            let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0x0F]);
            let digits = halves.take(bytes.len() * 2 - 1);
            digits.fold(0, |number, digit| number * 10 + usize::from(digit))
        }
        Kind::Binary { .. } => bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)),
        _ => return Err("a counter that is no integer".to_owned()),
    };
    Ok(number)
}

/// The parts of a record that are in use, together.
pub(super) fn compact(extent: &Extent, record: &[u8]) -> Vec<u8> {
    extent
        .parts
        .iter()
        .flat_map(|(start, end)| record.get(*start..*end).unwrap_or_default())
        .copied()
        .collect()
}
