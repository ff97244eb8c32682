//! The template: a record of initial values, made once, that every request starts from.

use copybook::{Field, FieldId, Kind, Layout, Literal, Sign};

use crate::error::{CompileError, Error, ErrorKind};
use crate::model::slot_of;
use crate::number::NumberForm;
use crate::options::Options;
use crate::text::TextTables;

/// Makes the initial record: defaults of the options, else VALUE clauses, else blanks and zeros; tables at their
/// largest, every row alike; counters at 0, or at their table's minimum where 0 is not accepted.
pub(crate) fn template(
    layout: &Layout,
    options: &Options,
    tables: &TextTables,
) -> Result<Vec<u8>, Vec<CompileError>> {
    let mut filler =
        Filler { layout, options, tables, record: vec![0; layout.max_bytes()], errors: Vec::new() };
    if let Some((root, _)) = layout.iter().next() {
        filler.fill(root);
    }
    if filler.errors.is_empty() { Ok(filler.record) } else { Err(filler.errors) }
}

struct Filler<'a> {
    layout: &'a Layout,
    options: &'a Options,
    tables: &'a TextTables,
    record: Vec<u8>,
    errors: Vec<CompileError>,
}

impl Filler<'_> {
    fn fill(&mut self, id: FieldId) {
        let field = self.layout.field(id);
        let default = self.options.fields.get(&id).and_then(|choice| choice.default.as_deref());
        if field.kind == Kind::Group {
            self.fill_group(id, default.is_some());
        } else if let Err(message) = self.fill_elementary(field, default) {
            let error = CompileError { field: self.layout.path(id), line: field.place.line, message };
            self.errors.push(error);
        }
        if let Some(occurs) = field.occurs {
            for row in 1..occurs.max as usize {
                let to = field.offset + row * field.bytes;
                self.record.copy_within(field.offset..field.offset + field.bytes, to);
            }
        }
    }

    fn fill_group(&mut self, id: FieldId, has_default: bool) {
        let field = self.layout.field(id);
        if has_default {
            let error = CompileError {
                field: self.layout.path(id),
                line: field.place.line,
                message: "a group has no value of its own; give its fields defaults".to_owned(),
            };
            self.errors.push(error);
        }
        // Slack bytes and the like are blanks; then the children, and a view only if it was chosen or holds a default.
        let space = self.tables.space();
        self.record[field.offset..field.offset + field.bytes].fill(space);
        if let Some(value) = &field.value {
            let group = &mut self.record[field.offset..field.offset + field.bytes];
            if fill_text(value, group, self.tables).is_ok() {
                return;
            }
        }
        for child in field.children.clone() {
            let is_view = self.layout.field(child).redefines.is_some();
            if !is_view || self.is_wanted_view(child) {
                self.fill(child);
            }
        }
    }

    fn is_wanted_view(&self, id: FieldId) -> bool {
        let chosen = |id: &FieldId| {
            self.options
                .fields
                .get(id)
                .is_some_and(|choice| choice.included == Some(true) || choice.default.is_some())
        };
        let mut pending = vec![id];
        while let Some(next) = pending.pop() {
            if chosen(&next) {
                return true;
            }
            pending.extend(&self.layout.field(next).children);
        }
        false
    }

    fn fill_elementary(&mut self, field: &Field, default: Option<&str>) -> Result<(), String> {
        let bytes = &mut self.record[field.offset..field.offset + field.bytes];
        initial(field, bytes, self.tables, self.options)?;
        if let Some(value) = &field.value {
            set_literal(field, value, bytes, self.tables, self.options)?;
        }
        if let Some(text) = default {
            let slot = slot_of(field, self.options)?;
            let explain = |error: Error| format!("the default '{text}' does not fit: {}", error.message);
            slot.set_from_text(text, &mut self.record, self.tables).map_err(explain)?;
        }
        if let Some(minimum) = self.minimum_of_counted(field) {
            if default.is_some() {
                let message =
                    "a default is given for the counter of a table, which is filled from the array's length";
                return Err(message.to_owned());
            }
            let slot = slot_of(field, self.options)?;
            slot.set_from_text(&minimum.to_string(), &mut self.record, self.tables)
                .map_err(|error| error.message)?;
        }
        Ok(())
    }

    /// The rows that the tables of a counter have when the JSON is silent, if that may not be none.
    fn minimum_of_counted(&self, field: &Field) -> Option<u32> {
        let occurs = self.layout.fields().iter().filter_map(|table| table.occurs);
        let minimum = occurs
            .filter(|occurs| {
                occurs.depending_on.is_some_and(|counter| std::ptr::eq(self.layout.field(counter), field))
            })
            .map(|occurs| occurs.min)
            .max()?;
        Some(match self.options.zero_occurs {
            crate::options::ZeroOccurs::Accept => 0,
            crate::options::ZeroOccurs::Refuse => minimum,
        })
    }
}

/// Blanks or zero, by the field's type.
fn initial(field: &Field, bytes: &mut [u8], tables: &TextTables, options: &Options) -> Result<(), String> {
    match NumberForm::of(&field.kind, options.page.family()) {
        Some(shape) => shape.form.write(0, bytes),
        None => match field.kind {
            Kind::Float | Kind::Pointer => bytes.fill(0),
            Kind::National => bytes.chunks_exact_mut(2).for_each(|unit| unit.copy_from_slice(&[0x00, 0x20])),
            _ => bytes.fill(tables.space()),
        },
    }
    Ok(())
}

/// Encodes the literal of a VALUE clause. Kinds that cannot be part of an interface keep their initial value.
fn set_literal(
    field: &Field,
    literal: &Literal,
    bytes: &mut [u8],
    tables: &TextTables,
    options: &Options,
) -> Result<(), String> {
    let Some(shape) = NumberForm::of(&field.kind, options.page.family()) else {
        return match field.kind {
            Kind::Text { .. } | Kind::Edited { .. } => fill_text(literal, bytes, tables),
            _ => Ok(()),
        };
    };
    let number = match literal {
        Literal::Zeros => return Ok(()),
        Literal::Number(text) => text.as_str(),
        Literal::Text(text) if matches!(field.kind, Kind::Zoned { sign: Sign::None, .. }) => {
            return fill_text(&Literal::Text(text.clone()), bytes, tables);
        }
        _ => return fill_text(literal, bytes, tables),
    };
    let value = crate::decimal::Decimal::from_text(number.as_bytes())
        .and_then(|decimal| decimal.scaled_to(shape.scale))
        .map_err(|_| format!("VALUE {number} does not fit the picture"))?;
    let (least, greatest) = shape.range(field.bytes);
    if value < least || value > greatest {
        return Err(format!("VALUE {number} does not fit the picture"));
    }
    shape.form.write(value, bytes);
    Ok(())
}

/// Fills bytes with text or a figurative constant.
fn fill_text(literal: &Literal, bytes: &mut [u8], tables: &TextTables) -> Result<(), String> {
    match literal {
        Literal::Spaces => bytes.fill(tables.space()),
        Literal::LowValues | Literal::Nulls => bytes.fill(0x00),
        Literal::HighValues => bytes.fill(0xFF),
        Literal::Zeros => return repeat("0", bytes, tables),
        Literal::Quotes => return repeat("\"", bytes, tables),
        Literal::Text(text) | Literal::Number(text) => {
            let codec = crate::text::TextCodec { justified: false, trim: true };
            return tables
                .encode(codec, text, bytes)
                .map_err(|error| format!("VALUE '{text}': {}", error.message));
        }
        Literal::Hex(hex) => {
            if hex.len() > bytes.len() {
                return Err("the hexadecimal VALUE is longer than the field".to_owned());
            }
            bytes.fill(tables.space());
            bytes[..hex.len()].copy_from_slice(hex);
        }
        Literal::All(inner) => match &**inner {
            Literal::Text(text) | Literal::Number(text) => return repeat(text, bytes, tables),
            Literal::Hex(hex) if !hex.is_empty() => {
                for (to, from) in bytes.iter_mut().zip(hex.iter().cycle()) {
                    *to = *from;
                }
            }
            other => return fill_text(other, bytes, tables),
        },
    }
    Ok(())
}

fn repeat(text: &str, bytes: &mut [u8], tables: &TextTables) -> Result<(), String> {
    let codec = crate::text::TextCodec { justified: false, trim: true };
    let repeated: String = text.chars().cycle().take(if text.is_empty() { 0 } else { bytes.len() }).collect();
    tables.encode(codec, &repeated, bytes).map_err(|error| error.message)
}

impl From<CompileError> for Error {
    fn from(error: CompileError) -> Self {
        Error::new(ErrorKind::BadData, error.to_string())
    }
}
