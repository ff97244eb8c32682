//! Mapsets to the text of their symbolic map, in the columns of fixed format.
//!
//! Levels, names, their order and lengths are those of the copybooks that IBM's macros make; public
//! repositories hold such copybooks beside the sources. A field of a map for input and output has
//!
//! - in the structure for input: its length (L), a flag (F) and over it an attribute (A), the extended
//!   attributes as FILLER, and its data (I);
//! - in the structure for output: three bytes of FILLER, the extended attributes, and its data (O).
//!
//! A repeated field is a table. Its attribute stands in the structure for output. The fields of a group
//! have data only. All else belongs to the group and has its name.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::read::{Field, Map, Mapset, Mode, Storage};

/// Bytes before the first field for TIOAPFX=YES.
const PREFIX_BYTES: usize = 12;

/// Columns of a line that a compiler reads.
const LINE_MAX_COLUMNS: usize = 72;

/// Columns before the one at which clauses may begin.
const MARGIN_COLUMNS: usize = 11;

/// Columns of a level number and the widest gap behind it.
const LEVEL_COLUMNS: usize = 4;

/// The symbolic map of mapsets. Maps with a name that was there before, as sources for several devices have
/// them, are written once.
pub fn symbolic_map(mapsets: &[Mapset]) -> String {
    let mut writer = Writer::default();
    let mut names = BTreeSet::new();
    for mapset in mapsets {
        let mut first: Option<String> = None;
        for map in &mapset.maps {
            if !names.insert(map.name.as_str()) {
                continue;
            }
            let over = match &mapset.storage {
                Storage::Base(base) => Some(base.clone()),
                Storage::Separate => None,
                Storage::Shared => first.clone(),
            };
            let structure = writer.map(map, over.as_deref());
            first.get_or_insert(structure);
        }
    }
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    /// The number of tables for output so far. Their names have it.
    tables: usize,
}

impl Writer {
    /// Writes both structures of a map, and gives the name of the first one.
    fn map(&mut self, map: &Map, over: Option<&str>) -> String {
        let (input, output) = (format!("{}I", map.name), format!("{}O", map.name));
        match map.mode {
            Mode::In => self.input(map, &input, over),
            Mode::Out => {
                self.output(map, &output, over);
                return output;
            }
            Mode::InOut => {
                self.input(map, &input, over);
                self.output(map, &output, Some(&input));
            }
        }
        input
    }

    fn input(&mut self, map: &Map, name: &str, over: Option<&str>) {
        self.structure(map, name, over);
        for Unit { name, occurs, fields } in units(&map.fields) {
            let level = if occurs.is_some() { 3 } else { 2 };
            if let Some(occurs) = occurs {
                self.item(2, &format!("{name}D OCCURS {occurs} TIMES."));
            }
            self.item(level, &format!("{name}L    COMP  PIC  S9(4)."));
            self.item(level, &format!("{name}F    PICTURE X."));
            // The attribute of a table stands in the structure for output.
            if occurs.is_none() || map.mode == Mode::In {
                self.item(level, &format!("FILLER REDEFINES {name}F."));
                self.item(level + 1, &format!("{name}A    PICTURE X."));
            }
            if !map.attributes.is_empty() {
                self.item(level, &format!("FILLER   PICTURE X({}).", map.attributes.len()));
            }
            self.data(level, (name, 'I'), fields, |field| &field.input);
        }
    }

    fn output(&mut self, map: &Map, name: &str, over: Option<&str>) {
        self.structure(map, name, over);
        for Unit { name, occurs, fields } in units(&map.fields) {
            let level = if occurs.is_some() { 3 } else { 2 };
            if let Some(occurs) = occurs {
                // Without a structure for input, IBM's documentation shows another name.
                let table = match map.mode {
                    Mode::Out => format!("{name}G"),
                    Mode::In | Mode::InOut => {
                        self.tables += 1;
                        format!("DFHMS{}", self.tables)
                    }
                };
                self.item(2, &format!("{table} OCCURS {occurs} TIMES."));
            }
            match map.mode == Mode::InOut && occurs.is_none() {
                true => self.item(level, "FILLER PICTURE X(3)."),
                false => {
                    self.item(level, "FILLER PICTURE X(2).");
                    self.item(level, &format!("{name}A    PICTURE X."));
                }
            }
            for attribute in &map.attributes {
                self.item(level, &format!("{name}{}    PICTURE X.", attribute.suffix()));
            }
            self.data(level, (name, 'O'), fields, |field| &field.output);
        }
    }

    /// Level 01, and the prefix.
    fn structure(&mut self, map: &Map, name: &str, over: Option<&str>) {
        match over {
            Some(over) => self.item_in_two(1, name, &format!(" REDEFINES {over}.")),
            None => self.item(1, &format!("{name}.")),
        }
        if map.has_prefix {
            self.item(2, &format!("FILLER PIC X({PREFIX_BYTES})."));
        } else if map.fields.is_empty() {
            // A structure without anything is not COBOL.
            self.item(2, "FILLER PIC X.");
        }
    }

    /// The data of a field, or of the fields of a group.
    fn data(
        &mut self,
        level: usize,
        (name, suffix): (&str, char),
        fields: &[Field],
        picture: impl Fn(&Field) -> &str,
    ) {
        let level = match fields {
            [field] if field.group.is_none() => level,
            _ => {
                self.item(level, &format!("{name}{suffix}."));
                level + 1
            }
        };
        for field in fields {
            self.picture(level, &format!("{}{suffix}", field.name), picture(field));
        }
    }

    /// An item with a picture.
    fn picture(&mut self, level: usize, name: &str, picture: &str) {
        self.item_in_two(level, name, &format!("  PIC {picture}."));
    }

    /// An item with a clause, which begins with blanks. A long clause goes to a line of its own.
    fn item_in_two(&mut self, level: usize, name: &str, clause: &str) {
        let item = format!("{name}{clause}");
        if indent(level) + LEVEL_COLUMNS + item.len() <= LINE_MAX_COLUMNS {
            return self.item(level, &item);
        }
        self.item(level, name);
        // Behind column 11, where clauses stand.
        let indent = indent(level).max(MARGIN_COLUMNS) + 2;
        _ = writeln!(self.text, "{:indent$}{}", "", clause.trim_start());
    }

    fn item(&mut self, level: usize, item: &str) {
        let gap = if level < 3 { "  " } else { " " };
        _ = writeln!(self.text, "{:indent$}{level:02}{gap}{item}", "", indent = indent(level));
    }
}

/// A field, or the fields of a group.
struct Unit<'f> {
    /// Of the field or of the group.
    name: &'f str,
    occurs: Option<usize>,
    fields: &'f [Field],
}

fn units(fields: &[Field]) -> impl Iterator<Item = Unit<'_>> {
    fields.chunk_by(|first, next| first.group.is_some() && first.group == next.group).map(|fields| Unit {
        name: fields[0].group.as_deref().unwrap_or(&fields[0].name),
        occurs: fields[0].occurs,
        fields,
    })
}

/// The columns before a level number.
fn indent(level: usize) -> usize {
    match level {
        1 => 7,
        level => 7 + 2 * level,
    }
}
