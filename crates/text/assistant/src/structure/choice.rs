//! Choices: one field says which of several members is there, and another names its container.

use super::field::container_field;
use super::{Container, Field, Held, Layer, Layouter, Made, Role, join};
use crate::area::{self, Content, Holds};
use crate::options::VaryingArrays;
use crate::shape::{Choice, Member};

/// The most members of a choice: a byte holds the number of the member, and 0 stands for none.
pub(super) const OPTIONS_MAX: usize = 255;

/// The suffixes of a choice's fields.
const ENUM: &str = "-enum";
const CONT: &str = "-cont";

impl Layouter<'_> {
    /// `NAME-enum` with a condition name for each member, and `NAME-cont`. Each member has a structure of its own.
    pub(super) fn choice(
        &mut self,
        member: &Member,
        choice: &Choice,
        layer: &Layer<'_>,
        out: &mut Vec<Field>,
    ) -> Made {
        let place = &member.shape.place;
        if choice.options.len() > OPTIONS_MAX {
            let found = choice.options.len();
            self.report
                .error(place, format!("expected at most {OPTIONS_MAX} members of a choice, found {found}"));
            return Made::nothing();
        }
        if self.options.one_record || self.options.varying_arrays == VaryingArrays::DependingOn {
            self.report.error(place, "a choice needs containers, and one record has none");
            return Made::nothing();
        }
        let json = join(&layer.json, &member.name);
        let name = self.names.take(&member.name, &[ENUM, CONT]);
        let (which, field) = (format!("{name}{ENUM}"), format!("{name}{CONT}"));
        let literals = (1_u16..).map(|number| format!("X'{number:02X}'"));
        let mut conditions = vec![(self.names.take("empty", &[]), "X'00'".to_owned())];
        let named = choice.options.iter().zip(literals);
        conditions.extend(named.map(|(option, literal)| (self.names.take(&option.name, &[]), literal)));
        let says = format!(
            "{json}: {which} tells which one is there; the container that {field} names holds it.{}",
            self.access()
        );
        out.push(Field {
            name: which.clone(),
            clauses: vec!["PIC X".to_owned(), "DISPLAY".to_owned()],
            comments: vec![says],
            conditions,
            bytes: 1,
            ..Field::default()
        });
        self.note(layer, &json, &format!("{}{ENUM}", member.name), &which, Role::Choice);
        out.push(container_field(&field));
        self.note(layer, &json, &member.name, &field, Role::Container);
        self.note_xml(member);
        let areas = choice.options.iter().map(|option| self.option(option, &field, layer)).collect();
        let holds = Holds::Choice { which: join(&layer.path, &which), areas };
        let content = Content::Container(area::Container { field: join(&layer.path, &field), holds });
        Made { bytes: 17, content }
    }

    /// Puts a member of a choice into a structure of its own, and returns the number of the structure.
    fn option(&mut self, option: &Member, field: &str, layer: &Layer<'_>) -> usize {
        let record = self.names.take(&format!("{}-{}", self.options.name, option.name), &[]);
        let area = self.areas;
        self.areas += 1;
        self.containers.push(Container {
            record,
            field: field.to_owned(),
            json: join(&layer.json, &option.name),
            outer: layer.json.clone(),
            row: Member { required: true, ..option.clone() },
            area,
            holds: Held::Option,
        });
        area
    }
}
