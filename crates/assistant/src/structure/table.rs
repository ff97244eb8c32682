//! Arrays as COBOL lays them out: tables, their counters, and containers with rows of their own.

use super::{
    CONTAINER, COUNT, Container, Field, LENGTH, Layer, Layouter, OCCURS_MAX, RECORD_BYTES_MAX, Role,
    counter_field, join,
};
use crate::options::{MappingLevel, VaryingArrays};
use crate::shape::{Array, Kind, Member, Shape};

impl Layouter<'_> {
    pub(super) fn varying_array(
        &mut self,
        member: &Member,
        array: &Array,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> u64 {
        let json = join(&layer.json, &member.name);
        let most = array.max.or(self.options.default_array_max);
        let in_container = match self.options.varying_arrays {
            VaryingArrays::Container => true,
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
            return 0;
        };
        // The name is as long whether the rows are here or in a container.
        let mut suffixes = vec![COUNT, CONTAINER];
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
        let occurs = if depends {
            format!("OCCURS {least} TO {most} TIMES|DEPENDING ON {counter}")
        } else {
            format!("OCCURS {most} TIMES")
        };
        let rows = Array { max: Some(most), ..array.clone() };
        self.table(member, &rows, &name, &occurs, layer, out) + 4
    }

    pub(super) fn container(
        &mut self,
        member: &Member,
        array: &Array,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> u64 {
        let json = join(&layer.json, &member.name);
        let name = self.names.take(&member.name, &[COUNT, CONTAINER]);
        let (counter, field) = (format!("{name}{COUNT}"), format!("{name}{CONTAINER}"));
        let limits = match array.max {
            Some(max) => format!("{} to {max}", array.min),
            None => format!("{} or more", array.min),
        };
        let record = self.names.take(&format!("{}-{}", self.options.name, member.name), &[]);
        let says = format!(
            "{json}: the container that {field} names holds {counter} rows, {limits}, each laid out as {record}. Read \
             and write it in BIT mode."
        );
        out.push(counter_field(&counter, says));
        self.note(layer, &json, &format!("{}{COUNT}", member.name), &counter, Role::Count);
        out.push(Field { name: field.clone(), clauses: vec!["PIC X(16)".to_owned()], ..Field::default() });
        self.note(layer, &json, &member.name, &field, Role::Container);
        let row = Member { name: member.name.clone(), required: true, shape: (*array.items).clone() };
        self.containers.push_back(Container { record, field, json, outer: layer.json.clone(), row });
        20
    }

    /// A table with a row for each element.
    pub(super) fn table(
        &mut self,
        member: &Member,
        array: &Array,
        name: &str,
        occurs: &str,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> u64 {
        let rows = array.max.unwrap_or(array.min);
        let place = &member.shape.place;
        if rows > OCCURS_MAX {
            self.report.error(place, format!("expected at most {OCCURS_MAX} rows, found {rows}"));
            return 0;
        }
        if array.items.nullable {
            self.report.warning(&array.items.place, "null has no place in a table", None);
        }
        let row = Member { shape: (*array.items).clone(), ..member.clone() };
        let mut clauses: Vec<String> = occurs.split('|').map(str::to_owned).collect();
        let bytes = if let Kind::Array(inner) = &array.items.kind {
            if self.options.mapping_level < MappingLevel::V4_3 {
                let message = format!("arrays of arrays need mapping level {}", MappingLevel::V4_3);
                self.report.error(&array.items.place, message);
                return 0;
            }
            let help = Some("an array of objects has the same JSON in the schema and in the bind");
            let message = "a table in a table needs a group between; a bind shows its rows as objects";
            self.report.warning(&array.items.place, message, help);
            let json = join(&layer.json, &member.name);
            self.note(layer, &json, &member.name, name, Role::Rows);
            let below = layer.row(format!("{json}[]"), name);
            let mut group = Field { name: name.to_owned(), clauses, ..Field::default() };
            group.comments.push(format!("{json}: array of arrays."));
            let shape = Shape { kind: Kind::Array(inner.clone()), ..(*array.items).clone() };
            let inner = Member { name: member.name.clone(), required: true, shape };
            let bytes = self.member(&inner, &below, &mut group.children);
            out.push(group);
            bytes
        } else if self.is_paired(&array.items) {
            let json = join(&layer.json, &member.name);
            self.note(layer, &json, &member.name, name, Role::Rows);
            let below = layer.row(layer.json.clone(), name);
            let mut group = Field { name: name.to_owned(), clauses, ..Field::default() };
            let base = self.names.take_numbered(&member.name, &[LENGTH], Some(2));
            let bytes = self.value(&row, &base, None, &below, &mut group.children);
            out.push(group);
            bytes
        } else {
            let bytes = self.value(&row, name, Some(&mut clauses), layer, out);
            if let Some(noted) = self.found.iter_mut().rev().find(|noted| noted.field == name) {
                noted.role = Role::Rows;
            }
            bytes
        };
        let all = bytes.saturating_mul(rows);
        if all > RECORD_BYTES_MAX {
            self.report.error(place, format!("expected at most {RECORD_BYTES_MAX} bytes, found {all}"));
        }
        all.min(RECORD_BYTES_MAX)
    }
}
