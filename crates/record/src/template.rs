//! The template: a record of initial values, made once, that every request starts from.

use copybook::{Field, FieldId, Kind, Layout, Literal};

use crate::error::{CompileError, Error};
use crate::model::{limit, slot_of};
use crate::number::NumberForm;
use crate::options::{FieldOptions, Options, ZeroOccurs};
use crate::shape::Shape;
use crate::text::TextTables;

/// Makes the initial record: defaults of the options, else VALUE clauses, else blanks and zeros; tables at their
/// largest, every row alike; counters at 0, or at their table's minimum where 0 is not accepted.
pub(crate) fn template(
    layout: &Layout,
    options: &Options,
    shape: &Shape,
    tables: &TextTables,
) -> Result<Vec<u8>, Vec<CompileError>> {
    let record = vec![0; layout.max_bytes()];
    let mut filler = Filler { layout, options, shape, tables, record, errors: Vec::new() };
    if let Some((root, _)) = layout.iter().next() {
        filler.fill(root, Extent::All, 0);
    }
    if filler.errors.is_empty() { Ok(filler.record) } else { Err(filler.errors) }
}

/// How much of a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Every byte.
    All,
    /// Only what the options give: the other bytes have their values from a VALUE of the group around, or from another
    /// view of them.
    Chosen,
}

struct Filler<'a> {
    layout: &'a Layout,
    options: &'a Options,
    shape: &'a Shape,
    tables: &'a TextTables,
    record: Vec<u8>,
    errors: Vec<CompileError>,
}

impl Filler<'_> {
    fn choice(&self, id: FieldId) -> Option<&FieldOptions> {
        self.options.fields.get(&id)
    }

    /// Fills a field and all its rows, `delta` bytes behind its place in the layout.
    fn fill(&mut self, id: FieldId, extent: Extent, delta: usize) {
        if extent == Extent::Chosen && !self.holds_chosen(id) {
            return;
        }
        let field = self.layout.field(id);
        let rows = field.occurs.map_or(1, |occurs| occurs.max as usize);
        match extent {
            Extent::All => {
                self.fill_row(id, extent, delta);
                let row = field.offset + delta..field.offset + delta + field.bytes;
                for number in 1..rows {
                    self.record.copy_within(row.clone(), row.start + number * field.bytes);
                }
            }
            Extent::Chosen => {
                (0..rows).for_each(|number| self.fill_row(id, extent, delta + number * field.bytes))
            }
        }
    }

    fn fill_row(&mut self, id: FieldId, extent: Extent, delta: usize) {
        let result = match self.layout.field(id).kind {
            Kind::Group => self.fill_group(id, extent, delta),
            _ => self.fill_elementary(id, extent, delta),
        };
        if let Err(message) = result {
            let line = self.layout.field(id).place.line;
            self.errors.push(CompileError { field: self.layout.path(id), line, message });
        }
    }

    fn fill_group(&mut self, id: FieldId, extent: Extent, delta: usize) -> Result<(), String> {
        let field = self.layout.field(id);
        if self.choice(id).is_some_and(|choice| choice.default.is_some()) {
            return Err("a group has no value of its own; give its fields defaults".to_owned());
        }
        let mut inner = extent;
        if extent == Extent::All {
            let group = &mut self.record[field.offset + delta..field.offset + delta + field.bytes];
            // Slack bytes and the like are blanks.
            group.fill(self.tables.space());
            if let Some(value) = &field.value {
                fill_text(value, group, self.tables)?;
                inner = Extent::Chosen;
            }
        }
        for child in &field.children {
            let view = self.layout.field(*child).redefines.is_some() && !self.is_included(*child);
            self.fill(*child, if view { Extent::Chosen } else { inner }, delta);
        }
        Ok(())
    }

    fn is_included(&self, id: FieldId) -> bool {
        self.choice(id).is_some_and(|choice| choice.included == Some(true))
    }

    /// True if the options, or a counter's minimum, have a value for the field or one in it.
    fn holds_chosen(&self, id: FieldId) -> bool {
        let mut pending = vec![id];
        while let Some(next) = pending.pop() {
            let chosen = self.choice(next).is_some_and(|choice| choice.default.is_some());
            if chosen || self.minimum_of_counted(next).is_some() {
                return true;
            }
            pending.extend(&self.layout.field(next).children);
        }
        false
    }

    fn fill_elementary(&mut self, id: FieldId, extent: Extent, delta: usize) -> Result<(), String> {
        let field = self.layout.field(id);
        let bytes = &mut self.record[field.offset + delta..field.offset + delta + field.bytes];
        if extent == Extent::All {
            initial(field, bytes, self.tables, self.options);
            if let Some(value) = &field.value {
                set_literal(field, value, bytes, self.tables, self.options)?;
            }
        }
        let choice = self.options.fields.get(&id);
        if let Some(text) = choice.and_then(|choice| choice.default.as_deref()) {
            let mut slot = slot_of(field, self.options)?;
            slot.offset += delta;
            limit(&mut slot, choice.unwrap_or(&FieldOptions::default()))?;
            let explain = |error: Error| format!("the default '{text}' does not fit: {}", error.message);
            return slot.set_from_text(text, &mut self.record, self.tables).map_err(explain);
        }
        if let Some(minimum) = self.minimum_of_counted(id) {
            let mut slot = slot_of(field, self.options)?;
            slot.offset += delta;
            let text = minimum.to_string();
            slot.set_from_text(&text, &mut self.record, self.tables).map_err(|error| error.message)?;
        }
        Ok(())
    }

    /// The rows that the tables of a counter have when the JSON is silent.
    fn minimum_of_counted(&self, id: FieldId) -> Option<usize> {
        let counter = self.shape.counter_of(id)?;
        Some(match self.options.zero_occurs {
            ZeroOccurs::Accept => 0,
            ZeroOccurs::Refuse => self.shape.counters[counter].min,
        })
    }
}

/// Blanks or zero, by the field's type.
fn initial(field: &Field, bytes: &mut [u8], tables: &TextTables, options: &Options) {
    match NumberForm::of(&field.kind, options.page.family()) {
        Some(shape) => shape.form.write(0, bytes),
        None => match field.kind {
            Kind::Float | Kind::Pointer => bytes.fill(0),
            Kind::National => bytes.chunks_exact_mut(2).for_each(|unit| unit.copy_from_slice(&[0x00, 0x20])),
            _ => bytes.fill(tables.space()),
        },
    }
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
        Literal::Number(text) => text.as_str(),
        // Digits in quotes are the field's bytes as they stand.
        Literal::Text(_) | Literal::All(_) | Literal::Hex(_) => return fill_text(literal, bytes, tables),
        // ZERO is there already; compilers refuse the other figurative constants, which are no numbers.
        _ => return Ok(()),
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
