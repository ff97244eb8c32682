//! One record of a file through our codec, as the tree of its fields; several 01 levels follow each other.

use std::collections::BTreeMap;

use codepage::CodePage;
use copybook::{FieldId, Layout, Options, PointerBytes};

use super::super::extent::{self, Tables};
use super::super::reader::Reader;
use super::super::tree::Tree;
use super::options::CaseOptions;

/// A copybook's layouts with their readers.
pub(super) struct Records<'l> {
    layouts: &'l [Layout],
    readers: Vec<Reader<'l>>,
    page: &'static CodePage,
    tables: Tables,
}

/// Parses a case's copybook.
///
/// # Errors
/// The fault of the text.
pub(super) fn layouts(text: &str) -> Result<Vec<Layout>, String> {
    let options = Options { pointer_bytes: PointerBytes::Four, ..Options::default() };
    let parsed = copybook::parse("RECORD", text, &options);
    let parsed =
        parsed.map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    Ok(parsed.layouts)
}

/// The bytes of a record with all tables at their largest.
pub(super) fn record_bytes(layouts: &[Layout]) -> usize {
    let mut end = 0;
    let mut bytes = 0;
    for layout in layouts {
        if layout.redefines().is_none() {
            bytes = end;
        }
        end = end.max(bytes + layout.max_bytes());
    }
    end
}

impl<'l> Records<'l> {
    /// Makes the readers.
    ///
    /// # Errors
    /// A layout that no bind can be made for.
    pub(super) fn new(layouts: &'l [Layout], options: &CaseOptions) -> Result<Self, String> {
        let page = options.page()?;
        let readers = layouts
            .iter()
            .map(|layout| Reader::with(layout, page, options.record_options(page)))
            .collect::<Result<_, _>>()?;
        let shift = options.is_true("variable_size_occurs")
            || options.get("variable_size_occurs") == Some("shift_record");
        Ok(Self { layouts, readers, page, tables: if shift { Tables::Shift } else { Tables::Fixed } })
    }

    /// Reads a record: one tree for each 01 level.
    ///
    /// # Errors
    /// A record that is refused as a whole.
    pub(super) fn read(&self, record: &[u8]) -> Result<Vec<Tree>, String> {
        let (mut start, mut end) = (0, 0);
        let mut trees = Vec::new();
        for (layout, reader) in self.layouts.iter().zip(&self.readers) {
            if layout.redefines().is_none() {
                start = end;
            }
            let rest = record.get(start..).unwrap_or_default();
            let varies =
                layout.fields().iter().any(|field| field.occurs.is_some_and(|o| o.depending_on.is_some()));
            let bytes = if varies {
                let extent = extent::of(layout, self.page, self.tables, rest)?;
                let part = extent::compact(&extent, rest);
                trees.push(reader.read(&part)?);
                extent.bytes
            } else {
                // The missing part of a short record is filled with low values, and does not count.
                let mut part = rest.to_vec();
                part.resize(layout.max_bytes(), 0);
                let mut tree = reader.read(&part)?;
                cut(&mut tree, layout, rest.len());
                trees.push(tree);
                layout.max_bytes()
            };
            end = end.max(start + bytes);
        }
        Ok(trees)
    }
}

/// Refuses the numbers outside of tables that lie beyond the end of a record.
fn cut(tree: &mut Tree, layout: &Layout, bytes: usize) {
    let Tree::Members(members) = tree else { return };
    for (id, member) in members {
        let field = layout.field(*id);
        match member {
            Tree::Number(_) if field.offset + field.bytes > bytes => {
                *member = Tree::Refused("the record ends before it".to_owned());
            }
            member => cut(member, layout, bytes),
        }
    }
}

/// JSON names: underscores for hyphens, numbers for fields without a name.
pub(super) fn names(layout: &Layout) -> BTreeMap<FieldId, String> {
    let (mut groups, mut values) = (0, 0);
    let name = |(id, field): (FieldId, &copybook::Field)| {
        let name = match (field.filler, field.children.is_empty()) {
            (false, _) => field.name.replace('-', "_"),
            (true, false) => {
                groups += 1;
                format!("FILLER_{groups}")
            }
            (true, true) => {
                values += 1;
                format!("FILLER_P{values}")
            }
        };
        (id, name)
    };
    layout.iter().map(name).collect()
}
