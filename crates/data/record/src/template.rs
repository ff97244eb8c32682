//! The template: a record of initial values, made once. Every request starts from it.

use copybook::{Field, FieldId, Kind, Layout, Literal};

use codepage::Encoding;

use crate::characters::{self, fill_blanks};
use crate::edited::{EditPlan, InsertionPlan};
use crate::error::{CompileError, Error};
use crate::fields::{dbcs, number_of, slot_of};
use crate::model::limit;
use crate::number::NumberForm;
use crate::options::{EditedValue, FieldOptions, Options, ZeroOccurs};
use crate::policies::{LowValueText, Policies};
use crate::shape::{Shape, counters_used_outside};
use crate::text::{TextCodec, TextTables};
use crate::views::tables_around;

/// Makes the initial record: defaults of the options, else VALUE clauses, else blanks and zeros; tables at their
/// largest, every row alike; counters at 0, or at their table's minimum where 0 is not accepted.
pub(crate) fn template(
    layout: &Layout,
    options: &Options,
    shape: &Shape,
    tables: &TextTables,
) -> Result<Vec<u8>, Vec<CompileError>> {
    let (root, _) = layout.iter().next().expect("a layout has a root");
    initial_of(layout, root, options, shape, tables)
}

/// The initial record as programs make it: text that a byte 00 ends has blanks. None if the record does not have such text.
///
/// # Errors
/// As [`template`].
pub(crate) fn with_blanks(
    layout: &Layout,
    options: &Options,
    shape: &Shape,
    tables: &TextTables,
) -> Result<Option<Vec<u8>>, Vec<CompileError>> {
    let mut blank = options.clone();
    let choices = blank.fields.values_mut().filter_map(|choice| choice.policies.as_mut());
    let mut has_ends = false;
    for policies in choices.chain([&mut blank.policies]) {
        if policies.low_value_text == LowValueText::End {
            policies.low_value_text = LowValueText::Keep;
            has_ends = true;
        }
    }
    if has_ends { template(layout, &blank, shape, tables).map(Some) } else { Ok(None) }
}

/// The initial bytes of one field, in the first row of tables around it. A view gets them when a request
/// chooses it.
pub(crate) fn initial_of(
    layout: &Layout,
    id: FieldId,
    options: &Options,
    shape: &Shape,
    tables: &TextTables,
) -> Result<Vec<u8>, Vec<CompileError>> {
    let record = vec![0; layout.max_bytes()];
    let mut filler = Filler { layout, options, shape, tables, record, errors: Vec::new() };
    filler.fill(id, Extent::All, 0);
    if !filler.errors.is_empty() {
        return Err(filler.errors);
    }
    let field = layout.field(id);
    let rows = field.occurs.map_or(1, |occurs| occurs.max as usize);
    Ok(filler.record[field.offset..field.offset + field.bytes * rows].to_vec())
}

/// The parts of a field that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Every byte.
    All,
    /// Only values of the options, and counters. The VALUE of the group around the field gives the other
    /// bytes.
    Chosen,
    /// Only values of the options, and counters of tables elsewhere. The bytes belong to another view.
    Beside,
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
        if extent != Extent::All && !self.holds_chosen(id, extent) {
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
            Extent::Chosen | Extent::Beside => {
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
            return Err("a group has no value itself; give its fields defaults".to_owned());
        }
        let mut inner = extent;
        if extent == Extent::All {
            let group = &mut self.record[field.offset + delta..field.offset + delta + field.bytes];
            // Slack bytes and similar bytes are blanks.
            let low = self.options.initialise.is_low();
            let values = self.options.initialise.takes_values();
            group.fill(if low { 0 } else { self.tables.space() });
            if let Some(value) = field.value.as_ref().filter(|_| values) {
                fill_text(value, group, self.tables)?;
                inner = Extent::Chosen;
            }
        }
        for child in &field.children {
            let view = self.layout.field(*child).redefines.is_some() && !self.is_included(*child);
            self.fill(*child, if view { Extent::Beside } else { inner }, delta);
        }
        let drawn = |child: &&FieldId| inner == Extent::All && self.shape.varies_within(**child);
        for child in field.children.iter().filter(drawn).copied().collect::<Vec<_>>() {
            if self.layout.field(child).redefines.is_none() || self.is_included(child) {
                self.compact_view(child, delta)?;
            }
        }
        Ok(())
    }

    /// Gives the fields of a view the places that follow from the row numbers in its counters.
    fn compact_view(&mut self, view: FieldId, delta: usize) -> Result<(), String> {
        let field = self.layout.field(view);
        let rows = field.occurs.map_or(1, |occurs| occurs.max as usize);
        let start = field.offset + delta;
        let bytes = start..start + field.bytes * rows;
        let deltas = vec![delta; tables_around(self.layout, view).len() + 1];
        let blank = self.tables.space();
        self.shape
            .compact_area(view, bytes, &mut self.record, &deltas, blank)
            .map_err(|error| error.to_string())
    }

    fn is_included(&self, id: FieldId) -> bool {
        self.choice(id).is_some_and(|choice| choice.included == Some(true))
    }

    /// True if the options, or a counter's minimum, have a value for the field or for one in it.
    fn holds_chosen(&self, id: FieldId, extent: Extent) -> bool {
        let mut pending = vec![id];
        while let Some(next) = pending.pop() {
            let chosen = self.choice(next).is_some_and(|choice| choice.default.is_some());
            if chosen || self.minimum_of_counted(next, extent).is_some() {
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
            let policies = self.options.policies_of(id);
            if matches!(field.kind, Kind::Text { .. }) && policies.low_value_text == LowValueText::End {
                // Text that a byte 00 ends is empty, not as long as its field.
                bytes.fill(0);
            }
            if let Some(value) = field.value.as_ref().filter(|_| self.options.initialise.takes_values()) {
                set_literal(field, value, bytes, self.tables, self.options)?;
            }
        }
        let choice = self.options.fields.get(&id);
        if let Some(text) = choice.and_then(|choice| choice.default.as_deref()) {
            let mut slot = slot_of(self.layout, id, self.options, self.tables)?;
            slot.offset += delta;
            limit(&mut slot, choice.unwrap_or(&FieldOptions::default()))?;
            let explain = |error: Error| format!("the default '{text}' does not fit: {}", error.message);
            return slot.set_from_text(text, &mut self.record, 0, self.tables).map_err(explain);
        }
        if let Some(minimum) = self.minimum_of_counted(id, extent) {
            let mut slot = slot_of(self.layout, id, self.options, self.tables)?;
            slot.offset += delta;
            let text = minimum.to_string();
            slot.set_from_text(&text, &mut self.record, 0, self.tables).map_err(|error| error.message)?;
        }
        Ok(())
    }

    /// The number of rows that a counter gives its tables if the JSON does not have them.
    fn minimum_of_counted(&self, id: FieldId, extent: Extent) -> Option<usize> {
        let counter = self.shape.counter_of(id)?;
        if extent == Extent::Beside {
            let view =
                self.layout.around(id).filter(|at| self.layout.field(*at).redefines.is_some()).last()?;
            if !counters_used_outside(self.layout, self.shape, view).contains(&counter) {
                return None;
            }
        }
        Some(match self.options.zero_occurs {
            ZeroOccurs::Accept => 0,
            ZeroOccurs::Refuse => self.shape.counters[counter].min,
        })
    }
}

/// Blanks or zero, by the field's type.
fn initial(field: &Field, bytes: &mut [u8], tables: &TextTables, options: &Options) {
    if options.initialise.is_low() {
        bytes.fill(0);
        return;
    }
    if let Some(shape) = NumberForm::of(&field.kind, options) {
        shape.form.write(0, bytes);
        return;
    }
    match &field.kind {
        // Zero is all 00 in every form of floating point.
        Kind::Float | Kind::Pointer => bytes.fill(0),
        Kind::Edited(edited) if options.edited == EditedValue::Value => {
            let mut shown = String::new();
            if let Some(plan) = EditPlan::numeric(edited) {
                plan.edit(0, &mut shown);
            } else if let Some(plan) = InsertionPlan::new(edited) {
                plan.edit("", &mut shown);
            }
            // Every page has zeros and blanks. A currency sign that the page lacks leaves blanks.
            let encoding = text_encoding(field, options);
            if characters::encode(encoding, false, Policies::default(), &shown, bytes).is_err() {
                fill_blanks(encoding, bytes);
            }
        }
        Kind::Text { .. } => bytes.fill(tables.space()),
        _ => fill_blanks(text_encoding(field, options), bytes),
    }
}

/// The encoding of a field that holds characters.
fn text_encoding(field: &Field, options: &Options) -> Encoding {
    match &field.kind {
        Kind::National { .. } => options.national,
        Kind::Edited(edited) if edited.national => options.national,
        Kind::Dbcs { .. } => dbcs(options).unwrap_or(options.encoding),
        Kind::Utf8 { .. } => characters::utf8(),
        _ => options.encoding,
    }
}

/// Encodes the literal of a VALUE clause. Kinds that hold no value keep their initial one.
pub(crate) fn set_literal(
    field: &Field,
    literal: &Literal,
    bytes: &mut [u8],
    tables: &TextTables,
    options: &Options,
) -> Result<(), String> {
    let misfit = || match literal {
        Literal::Number(number) => format!("VALUE {number} does not fit the picture"),
        _ => "VALUE does not fit the picture".to_owned(),
    };
    match &field.kind {
        Kind::Text { .. } => return fill_text(literal, bytes, tables),
        Kind::Edited(edited) if !edited.national => return fill_text(literal, bytes, tables),
        Kind::Utf8 { characters: Some(most) } => {
            return fill_characters(literal, bytes, text_encoding(field, options), *most);
        }
        Kind::National { .. } | Kind::Dbcs { .. } | Kind::Utf8 { .. } | Kind::Edited(_) => {
            return fill_wide(literal, bytes, text_encoding(field, options));
        }
        Kind::Float => {
            let Literal::Number(number) = literal else { return Ok(()) };
            let codec = options.float_codec();
            let number = number.trim_start_matches('+');
            return codec.write(number, bytes).map_err(|_| misfit());
        }
        _ => {}
    }
    let Some(shape) = NumberForm::of(&field.kind, options) else { return Ok(()) };
    if let Literal::Text(_) | Literal::All(_) | Literal::Hex(_) = literal {
        // Digits in quotes are the field's bytes unchanged.
        return match field.kind {
            Kind::NationalNumber { .. } => fill_wide(literal, bytes, options.national),
            _ => fill_text(literal, bytes, tables),
        };
    }
    // ZERO is there already. Compilers refuse the other figurative constants, which are not numbers.
    if !matches!(literal, Literal::Number(_)) {
        return Ok(());
    }
    let value = number_of(literal, shape.scale).ok_or_else(misfit)?;
    let (least, greatest) = shape.range(field.bytes);
    if value < least || value > greatest {
        return Err(misfit());
    }
    shape.form.write(value, bytes);
    Ok(())
}

/// Fills the whole field with national or double-byte characters.
fn fill_wide(literal: &Literal, bytes: &mut [u8], encoding: Encoding) -> Result<(), String> {
    let room = bytes.len() / encoding.blank().len();
    fill_characters(literal, bytes, encoding, room)
}

/// Fills at most `room` characters, and blanks behind them.
fn fill_characters(
    literal: &Literal,
    bytes: &mut [u8],
    encoding: Encoding,
    room: usize,
) -> Result<(), String> {
    let text = match literal {
        Literal::Spaces => String::new(),
        Literal::Zeros => "0".repeat(room),
        Literal::Quotes => "\"".repeat(room),
        Literal::Text(text) | Literal::Number(text) => text.clone(),
        Literal::All(inner) => match &**inner {
            Literal::Text(text) | Literal::Number(text) if !text.is_empty() => {
                text.chars().cycle().take(room).collect()
            }
            other => return fill_characters(other, bytes, encoding, room),
        },
        Literal::LowValues | Literal::Nulls => {
            bytes.fill(0x00);
            return Ok(());
        }
        Literal::HighValues => {
            bytes.fill(0xFF);
            return Ok(());
        }
        Literal::Hex(hex) => {
            if hex.len() > bytes.len() {
                return Err("the hexadecimal VALUE is longer than the field".to_owned());
            }
            fill_blanks(encoding, bytes);
            bytes[..hex.len()].copy_from_slice(hex);
            return Ok(());
        }
    };
    characters::at_most(&text, room, Policies::default())
        .and_then(|text| characters::encode(encoding, false, Policies::default(), text, bytes))
        .map_err(|error| format!("VALUE '{text}': {}", error.message))
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
            let codec = TextCodec { justified: false, trim: true };
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
    let codec = TextCodec { justified: false, trim: true };
    let repeated: String = text.chars().cycle().take(if text.is_empty() { 0 } else { bytes.len() }).collect();
    tables.encode(codec, &repeated, bytes).map_err(|error| error.message)
}
