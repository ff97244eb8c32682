//! The companions of an elementary field: lengths, containers of long text, condition names, comments.

use super::table::Occurs;
use super::{CONDITION_CHARACTERS_MAX, Field, LENGTH, Layer, Layouter, Made, Role, join};
use crate::area::{self, Content, Holds};
use crate::name::Names;
use crate::options::{Apart, CharVarying, VaryingArrays};
use crate::picture::{self, Characters, Scalar};
use crate::shape::{Kind, Member, Shape};

impl Layouter<'_> {
    /// The name of the container for text that is too long for a field.
    pub(super) fn text_container(
        &mut self,
        member: &Member,
        name: &str,
        characters: &Characters,
        occurs: Option<&Occurs>,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> Made {
        if self.options.one_record || self.options.varying_arrays == VaryingArrays::DependingOn {
            let most = self.options.char_varying_max;
            let message = format!("expected at most {most} characters, found {}", characters.most);
            self.report.error(&member.shape.place, message);
        }
        let json = join(&layer.json, &member.name);
        self.note(layer, &json, &member.name, name, Role::Container);
        self.note_xml(member);
        let says = format!("{}, in the container that this field names", characters.says);
        let mut clauses = vec!["PIC X(16)".to_owned()];
        clauses.extend(occurs.iter().flat_map(|occurs| occurs.clauses.iter().cloned()));
        out.push(Field {
            name: name.to_owned(),
            clauses,
            comments: comments(member, &json, &says, &[]),
            bytes: CONTAINER_NAME_BYTES,
            rows: occurs.map_or(0, |occurs| occurs.rows),
            ..Field::default()
        });
        let holds = Holds::Text { kind: member.shape.kind.clone() };
        let container = area::Container { field: join(&layer.path, name), holds };
        Made { bytes: CONTAINER_NAME_BYTES, content: Content::Container(container) }
    }

    /// The length of text that varies. Returns its path.
    pub(super) fn length(
        &mut self,
        member: &Member,
        name: &str,
        json: &str,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> String {
        let length = format!("{name}{LENGTH}");
        out.push(Field {
            name: length.clone(),
            clauses: ["PIC S9999", "COMP-5", "SYNC"].map(str::to_owned).to_vec(),
            comments: vec![format!("How many {} of {name} count.", self.units())],
            bytes: 2,
            boundary: 2,
            ..Field::default()
        });
        self.note(layer, json, &format!("{}{LENGTH}", member.name), &length, Role::Length);
        join(&layer.path, &length)
    }

    /// The unit of a length.
    fn units(&self) -> &'static str {
        if self.options.char_multiplier > 1 { "bytes" } else { "characters" }
    }

    /// The field of text, or its number of characters. If no container can hold longer text, it is at most
    /// the limit of a field.
    pub(super) fn characters(&self, kind: &Kind) -> Result<Scalar, Characters> {
        self.wanted_characters(kind).map_err(|characters| match self.options.apart {
            Apart::Containers => characters,
            Apart::DataAreas => {
                let most = characters.most.min(self.options.char_varying_max);
                Characters { most, varying: characters.varying || most < characters.most, ..characters }
            }
        })
    }

    /// Warns that a field is shorter than the schema allows.
    pub(super) fn warn_of_less_room(&mut self, shape: &Shape, found: &Characters) {
        let wanted = self.wanted_characters(&shape.kind).map_or_else(|characters| characters.most, |_| 0);
        let most = found.most;
        // A schema that contradicts itself has its own error.
        if let Kind::Text(text) = &shape.kind
            && text.values.is_empty()
            && text.min.min(wanted) > most
        {
            let message = format!("the field has {most} characters, and no text has fewer than {}", text.min);
            self.report.error(&shape.place, message);
        } else if wanted > most {
            let message = format!("the field has {most} of {wanted} characters; longer text is refused");
            self.report.warning(&shape.place, message, None);
        }
    }

    fn wanted_characters(&self, kind: &Kind) -> Result<Scalar, Characters> {
        match kind {
            Kind::Text(text) => Err(picture::text(text, self.options)),
            Kind::Binary(binary) => Err(picture::binary(binary, self.options)),
            Kind::Moment(moment) => picture::moment(*moment, self.options),
            Kind::Object(_) | Kind::Array(_) | Kind::Boolean | Kind::Number(_) | Kind::Choice(_) => {
                unreachable!("only kinds of text get here")
            }
        }
    }

    /// True for text with a length beside it.
    pub(super) fn is_paired(&self, shape: &Shape) -> bool {
        let textual = matches!(shape.kind, Kind::Text(_) | Kind::Binary(_) | Kind::Moment(_));
        self.options.char_varying == CharVarying::Yes
            && textual
            && self.characters(&shape.kind).is_err_and(|characters| {
                characters.varying && characters.most <= self.options.char_varying_max
            })
    }

    /// The suffixes of the fields beside a value.
    pub(super) fn suffixes(&self, shape: &Shape) -> &'static [&'static str] {
        if self.is_paired(shape) { &[LENGTH] } else { &[] }
    }

    pub(super) fn conditions(&mut self, name: &str, kind: &Kind) -> Vec<(String, String)> {
        let mut conditions = Vec::new();
        let mut add = |names: &mut Names, value: &str, literal: String| {
            conditions.push((names.take_condition(name, value), literal));
        };
        match kind {
            Kind::Boolean => {
                add(&mut self.names, "true", "X'01'".to_owned());
                add(&mut self.names, "false", "X'00'".to_owned());
            }
            Kind::Text(text) => {
                for value in &text.values {
                    let plain = value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
                    if plain && !value.is_empty() && value.len() <= CONDITION_CHARACTERS_MAX {
                        add(&mut self.names, value, format!("'{}'", value.replace('\'', "''")));
                    }
                }
            }
            Kind::Number(number) => {
                for value in &number.values {
                    let shown = value.to_string();
                    add(&mut self.names, &shown.replace('-', "minus-"), shown);
                }
            }
            Kind::Object(_) | Kind::Array(_) | Kind::Binary(_) | Kind::Moment(_) | Kind::Choice(_) => {}
        }
        conditions
    }
}

pub(super) fn counter_field(name: &str, says: String) -> Field {
    Field {
        name: name.to_owned(),
        clauses: ["PIC S9(9)", "COMP-5", "SYNC"].map(str::to_owned).to_vec(),
        comments: vec![says],
        bytes: 4,
        boundary: 4,
        ..Field::default()
    }
}

/// The bytes of a container's name.
const CONTAINER_NAME_BYTES: u64 = 16;

/// A field for the name of a container.
pub(super) fn container_field(name: &str) -> Field {
    Field {
        name: name.to_owned(),
        clauses: vec![format!("PIC X({CONTAINER_NAME_BYTES})")],
        bytes: CONTAINER_NAME_BYTES,
        ..Field::default()
    }
}

/// The comment of a field: its content, whether it is required, its values, and the schema's own texts.
pub(super) fn comments(member: &Member, json: &str, says: &str, values: &[String]) -> Vec<String> {
    let needed = if member.required { "required" } else { "optional" };
    let null = if member.shape.nullable { ", may be null" } else { "" };
    let mut found = vec![format!("{json}: {says}; {needed}{null}.")];
    if !values.is_empty() {
        found.push(format!("Values: {}.", values.join(", ")));
    }
    if let Some(description) = &member.shape.description {
        found.push(description.clone());
    }
    found
}

pub(super) fn values_of(kind: &Kind) -> Vec<String> {
    match kind {
        Kind::Text(text) => text.values.clone(),
        Kind::Number(number) => number.values.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}
