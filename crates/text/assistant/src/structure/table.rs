//! Arrays in the forms of COBOL: tables, their counters, and containers with rows of their own.

use super::field::container_field;
use super::{
    COUNT, Container, Field, Held, LENGTH, Layer, Layouter, Made, OCCURS_MAX, RECORD_BYTES_MAX, Role,
    counter_field, join,
};
use crate::area::{self, Content, Holds};
use crate::options::{Apart, MappingLevel, VaryingArrays};
use crate::shape::{Array, Kind, Member, Shape};

/// The repetition of a table.
#[derive(Clone, Debug)]
pub(super) struct Occurs {
    /// The name of the field that occurs.
    pub(super) name: String,
    pub(super) clauses: Vec<String>,
    pub(super) rows: u64,
    /// The path of the field with the number of used rows.
    pub(super) count: Option<String>,
}

impl Occurs {
    /// A table whose rows are all used.
    pub(super) fn fixed(array: &Array, name: &str) -> Self {
        let rows = array.max.unwrap_or(array.min);
        let clauses = vec![format!("OCCURS {rows} TIMES")];
        Self { name: name.to_owned(), clauses, rows, count: None }
    }

    /// The same room. A counter says whether all rows are used or none.
    pub(super) fn all_or_none(rows: u64, name: &str, counter: &str) -> Self {
        let clauses = vec![format!("OCCURS 0 TO {rows} TIMES"), format!("DEPENDING ON {counter}")];
        Self { name: name.to_owned(), clauses, rows, count: None }
    }
}

impl Layouter<'_> {
    pub(super) fn varying_array(
        &mut self,
        member: &Member,
        array: &Array,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> Made {
        let json = join(&layer.json, &member.name);
        let most = array.max.or(self.options.default_array_max);
        let in_container = match self.options.varying_arrays {
            VaryingArrays::Container => true,
            VaryingArrays::Inline if self.options.one_record => false,
            VaryingArrays::Inline => most.is_none_or(|most| most > self.options.inline_max_occurs),
            VaryingArrays::DependingOn => false,
        };
        if in_container {
            return self.container(member, array, layer, out);
        }
        let Some(most) = most.filter(|most| *most >= array.min) else {
            let help = "give 'maxItems' in the schema, or a number of rows for arrays without it";
            let message = "expected a greatest number of elements, found none";
            self.report.error_with_help(&member.shape.place, message, help);
            return Made::nothing();
        };
        // The name has the same length whether the rows are here or in a container.
        let mut suffixes = vec![COUNT, self.options.apart.suffix()];
        suffixes.extend(self.suffixes(&array.items));
        let name = self.names.take(&member.name, &suffixes);
        let counter = format!("{name}{COUNT}");
        let least = if member.required { array.min } else { 0 };
        out.push(counter_field(&counter, format!("How many rows {json} has, {least} to {most}.")));
        let depends = self.options.varying_arrays == VaryingArrays::DependingOn;
        let role = if depends { Role::Counter } else { Role::Count };
        self.note(layer, &json, &format!("{}{COUNT}", member.name), &counter, role);
        if depends && layer.in_row {
            let message = "IBM's compiler takes no counter in a row of a table";
            let help = Some("lay varying arrays out inline or in containers");
            self.report.warning(&member.shape.place, message, help);
        }
        let clauses = if depends {
            vec![format!("OCCURS {least} TO {most} TIMES"), format!("DEPENDING ON {counter}")]
        } else {
            vec![format!("OCCURS {most} TIMES")]
        };
        let occurs = Occurs { name, clauses, rows: most, count: Some(join(&layer.path, &counter)) };
        let rows = Array { max: Some(most), ..array.clone() };
        let made = self.table(member, &rows, occurs, layer, out);
        Made { bytes: made.bytes + 4, ..made }
    }

    pub(super) fn container(
        &mut self,
        member: &Member,
        array: &Array,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> Made {
        let json = join(&layer.json, &member.name);
        let (apart, what) = (self.options.apart.suffix(), self.options.apart.word());
        let name = self.names.take(&member.name, &[COUNT, apart]);
        let (counter, field) = (format!("{name}{COUNT}"), format!("{name}{apart}"));
        let limits = match array.max {
            Some(max) => format!("{} to {max}", array.min),
            None => format!("{} or more", array.min),
        };
        let record = self.names.take(&format!("{}-{}", self.options.name, member.name), &[]);
        let says = format!(
            "{json}: the {what} that {field} names holds {counter} rows, {limits}, each laid out as {record}.{}",
            self.access()
        );
        out.push(counter_field(&counter, says));
        self.note(layer, &json, &format!("{}{COUNT}", member.name), &counter, Role::Count);
        out.push(container_field(&field));
        self.note(layer, &json, &member.name, &field, Role::Container);
        self.note_xml(member);
        self.warn_of_null(array);
        let shape = Shape { nullable: false, ..(*array.items).clone() };
        let row = Member { name: member.name.clone(), required: true, shape, xml: member.xml.clone() };
        let count = join(&layer.path, &counter);
        let holds = Holds::Rows { count, min: array.min, max: array.max, area: self.areas };
        let content = Content::Container(area::Container { field: join(&layer.path, &field), holds });
        let area = self.areas;
        self.areas += 1;
        let outer = layer.json.clone();
        self.containers.push(Container { record, field, json, outer, row, area, holds: Held::Rows });
        Made { bytes: 20, content }
    }

    /// Warns that elements are never null in a structure, whatever the schema allows.
    fn warn_of_null(&mut self, array: &Array) {
        if array.items.nullable {
            self.report.warning(&array.items.place, "null has no place in a table", None);
        }
    }

    /// The statements by which programs read and write the storage of the rows.
    pub(super) fn access(&self) -> &'static str {
        match self.options.apart {
            Apart::Containers => " Read and write it in BIT mode.",
            Apart::DataAreas => " Use BAQGETN or BAQPUTN.",
        }
    }

    /// A table with a row for each element.
    pub(super) fn table(
        &mut self,
        member: &Member,
        array: &Array,
        occurs: Occurs,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> Made {
        let rows = array.max.unwrap_or(array.min);
        let place = &member.shape.place;
        if rows > OCCURS_MAX {
            self.report.error(place, format!("expected at most {OCCURS_MAX} rows, found {rows}"));
            return Made::nothing();
        }
        self.warn_of_null(array);
        let shape = Shape { nullable: false, ..(*array.items).clone() };
        let row = Member { shape, ..member.clone() };
        let name = occurs.name.as_str();
        let group =
            || Field { name: name.to_owned(), clauses: occurs.clauses.clone(), rows, ..Field::default() };
        let made = if let Kind::Array(inner) = &array.items.kind {
            let Some(made) = self.nested(member, array, inner, group(), layer, out) else {
                return Made::nothing();
            };
            made
        } else if let Kind::Choice(choice) = &array.items.kind {
            let json = join(&layer.json, &member.name);
            self.note(layer, &json, &member.name, name, Role::Rows);
            self.note_xml(member);
            let below = layer.row(layer.json.clone(), name);
            let mut group = group();
            let made = self.choice(&row, choice, &below, &mut group.children);
            out.push(group);
            made
        } else if self.is_paired(&array.items) {
            let json = join(&layer.json, &member.name);
            self.note(layer, &json, &member.name, name, Role::Rows);
            self.note_xml(member);
            let below = layer.row(layer.json.clone(), name);
            let mut group = group();
            let base = self.names.take_numbered(&member.name, &[LENGTH], Some(2));
            let made = self.value(&row, &base, None, &below, &mut group.children);
            out.push(group);
            made
        } else {
            let made = self.value(&row, name, Some(&occurs), layer, out);
            if let Some(noted) = self.found.iter_mut().rev().find(|noted| noted.field == name) {
                noted.role = Role::Rows;
            }
            made
        };
        let all = made.bytes.saturating_mul(rows);
        if all > RECORD_BYTES_MAX {
            self.report.error(place, format!("expected at most {RECORD_BYTES_MAX} bytes, found {all}"));
        }
        let table = area::Table {
            count: occurs.count.clone(),
            field: join(&layer.path, name),
            min: array.min,
            max: rows,
            row: Box::new(made.content),
        };
        Made { bytes: all.min(RECORD_BYTES_MAX), content: Content::Table(table) }
    }

    /// A table whose rows are tables, in a group.
    fn nested(
        &mut self,
        member: &Member,
        array: &Array,
        inner: &Array,
        mut group: Field,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> Option<Made> {
        if self.options.mapping_level < MappingLevel::V4_3 {
            let message = format!("arrays of arrays need mapping level {}", MappingLevel::V4_3);
            self.report.error(&array.items.place, message);
            return None;
        }
        let help = Some("an array of objects has the same JSON in the schema and in the bind");
        let message = "a table in a table needs a group between; a bind shows its rows as objects";
        self.report.warning(&array.items.place, message, help);
        let json = join(&layer.json, &member.name);
        self.note(layer, &json, &member.name, &group.name, Role::Rows);
        let below = layer.row(format!("{json}[]"), &group.name);
        group.comments.push(format!("{json}: array of arrays."));
        let shape = Shape { kind: Kind::Array(inner.clone()), nullable: false, ..(*array.items).clone() };
        let inner = Member { name: member.name.clone(), required: true, shape, xml: None };
        let (bytes, placed) = self.member(&inner, &below, &mut group.children);
        out.push(group);
        Some(Made { bytes, content: placed.content })
    }
}
