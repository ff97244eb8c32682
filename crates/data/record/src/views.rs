//! Views of the same bytes (REDEFINES), and the rules that select the view which a record holds.
//!
//! A `Rule` finds by one field which view the record holds. When a record is read, the steps of a view run if
//! its rule holds. When a record is written, the member that the request gives chooses the view. The bytes of
//! the view get their initial values first. The field that tells is set at the end, unless the request gave
//! it. A table of varying length in a view moves only the fields behind it within the view.

use copybook::{FieldId, Layout};

use crate::fields::slot_of;
use crate::options::{Options, ViewRule};
use crate::slot::{Codec, Slot};
use crate::text::TextTables;

/// A compiled [`ViewRule`].
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The field that tells.
    pub(crate) slot: Slot,
    /// The field's id, for code that meets it on its way through the record.
    pub(crate) field: FieldId,
    /// The number of tables around it.
    pub(crate) depth: usize,
    /// The field's bytes for each value, as they are written.
    values: Vec<Vec<u8>>,
    /// The same as numbers, for a field whose value can stand in different bytes.
    numbers: Option<Vec<i128>>,
    /// The same as texts, if the field's policies read several bytes alike. The tables are needed for
    /// reading.
    texts: Option<(Vec<String>, TextTables)>,
}

impl Rule {
    /// Compiles the rule of a view.
    pub(crate) fn new(
        layout: &Layout,
        view: FieldId,
        rule: &ViewRule,
        options: &Options,
        tables: &TextTables,
    ) -> Result<Self, String> {
        let slot = slot_of(layout, rule.field, options, tables)?;
        let path = layout.path(rule.field);
        if rule.values.is_empty() {
            return Err(format!("the rule by {path} has no value"));
        }
        check_place(layout, view, rule.field)
            .map_err(|why| format!("the view cannot go by {path}: {why}"))?;
        let at = Slot { offset: 0, ..slot.clone() };
        let mut values = Vec::new();
        let mut numbers = slot.codec.limits().map(|_| Vec::new());
        for value in &rule.values {
            let mut bytes = vec![0; slot.bytes];
            at.set_from_text(value, &mut bytes, 0, tables)
                .map_err(|error| format!("{path} cannot hold '{value}': {}", error.message))?;
            if let Some(numbers) = &mut numbers {
                numbers.push(slot.codec.read_number(&bytes).map_err(|error| error.message)?);
            }
            values.push(bytes);
        }
        let mut texts = None;
        if numbers.is_none() && matches!(slot.codec, Codec::Rich(_)) {
            let read = |bytes: &Vec<u8>| slot.text_of(bytes, tables).map_err(|error| error.message);
            texts = Some((values.iter().map(read).collect::<Result<_, _>>()?, tables.clone()));
        }
        let depth = tables_around(layout, rule.field).len();
        Ok(Self { slot, field: rule.field, depth, values, numbers, texts })
    }

    /// True if the field's bytes are those of one of the values.
    pub(crate) fn matches(&self, field: &[u8]) -> bool {
        match (&self.numbers, &self.texts) {
            (Some(numbers), _) => {
                self.slot.codec.read_number(field).is_ok_and(|value| numbers.contains(&value))
            }
            (None, Some((texts, tables))) => {
                self.slot.text_of(field, tables).is_ok_and(|text| texts.contains(&text))
            }
            (None, None) => self.values.iter().any(|value| value == field),
        }
    }

    /// The bytes of the first value.
    pub(crate) fn first(&self) -> &[u8] {
        self.values.first().map_or(&[], Vec::as_slice)
    }
}

/// The tables around a field, itself among them, outermost first.
pub(crate) fn tables_around(layout: &Layout, id: FieldId) -> Vec<FieldId> {
    let mut tables: Vec<FieldId> =
        layout.around(id).filter(|at| layout.field(*at).occurs.is_some()).collect();
    tables.reverse();
    tables
}

fn check_place(layout: &Layout, view: FieldId, teller: FieldId) -> Result<(), &'static str> {
    let area = layout.field(view).redefines.unwrap_or(view);
    let is_view = |id: FieldId| id == area || layout.field(id).redefines == Some(area);
    if layout.iter().any(|(id, _)| is_view(id) && layout.is_within(teller, id)) {
        return Err("the field is part of the view that it selects");
    }
    let (around_view, around_teller) = (tables_around(layout, view), tables_around(layout, teller));
    if !around_view.starts_with(&around_teller) {
        return Err("it is in a table of its own");
    }
    // A table of varying length must not lie between the view and the field that tells.
    let (from, to) = (layout.field(view).offset, layout.field(teller).offset);
    let moves = |field: &copybook::Field| field.occurs.is_some_and(|occurs| occurs.depending_on.is_some());
    if layout.fields().iter().any(|field| moves(field) && (from..to).contains(&field.offset)) {
        return Err("there is a table of varying length between them");
    }
    Ok(())
}
