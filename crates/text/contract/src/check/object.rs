//! Rules of objects: the allowed and required members, and their schemas.

use expression::{Object, Value};

use super::array::holds;
use super::{Check, Direction, Fault, Path, counted, quoted, shortened};
use crate::schema::{ObjectRules, Property, SchemaId};
use crate::violation::ViolationKind;

impl Check<'_> {
    pub(super) fn object(&mut self, rules: Option<&ObjectRules>, object: &Object, path: &Path<'_>) -> bool {
        let Some(rules) = rules else { return true };
        let mut fits = self.required(rules, object, path);
        if !holds(rules.members, object.len()) {
            fits = self.fails(path, || Fault {
                kind: ViolationKind::Members,
                expected: counted(rules.members, "members"),
                found: object.len().to_string(),
            });
        }
        for (name, value) in object.iter() {
            if self.is_over() || (!fits && self.quiet > 0) {
                return false;
            }
            fits &= self.member(rules, name, value, path);
        }
        for (name, schema) in &rules.dependent_schemas {
            if object.get(name).is_some() {
                fits &= self.value(*schema, &Value::Object(object.clone()), path);
            }
        }
        fits
    }

    fn required(&mut self, rules: &ObjectRules, object: &Object, path: &Path<'_>) -> bool {
        let mut fits = true;
        let dependent = rules.dependent_names.iter().filter(|(name, _)| object.get(name).is_some());
        for name in rules.required.iter().chain(dependent.flat_map(|(_, names)| names)) {
            if object.get(name).is_some() || self.goes_other_way(property(rules, name)) {
                continue;
            }
            fits = self.fails(path, || Fault {
                kind: ViolationKind::MissingField,
                expected: format!("the member '{}'", shortened(name)),
                found: "none".to_owned(),
            });
        }
        fits
    }

    /// True for a member that only the other direction has.
    pub(super) fn goes_other_way(&self, property: Option<&Property>) -> bool {
        property.is_some_and(|property| match self.direction {
            Direction::Request => property.read_only,
            Direction::Response => property.write_only,
        })
    }

    fn member(&mut self, rules: &ObjectRules, name: &str, value: &Value, path: &Path<'_>) -> bool {
        let here = Path::Member(path, name);
        let mut fits = match rules.names {
            Some(schema) => self.value(schema, &Value::from(name), &here),
            None => true,
        };
        let known = property(rules, name);
        if self.goes_other_way(known) && !self.options.other_direction_allowed {
            let direction = self.direction;
            return self.fails(&here, || Fault {
                kind: ViolationKind::WrongDirection,
                expected: match direction {
                    Direction::Request => "nothing in a request, since it is read only".to_owned(),
                    Direction::Response => "nothing in an answer, since it is write only".to_owned(),
                },
                found: super::described(value),
            });
        }
        if let Some(property) = known {
            fits &= self.value(property.schema, value, &here);
        }
        let mut fitting = known.is_some();
        for (pattern, schema) in &rules.patterns {
            if pattern.is_in(name) {
                fitting = true;
                fits &= self.value(*schema, value, &here);
            }
        }
        match rules.others {
            Some(SchemaId::NOTHING) if !fitting => self.fails(path, || Fault {
                kind: ViolationKind::UnknownField,
                expected: "only members that the document has".to_owned(),
                found: quoted(name),
            }),
            Some(schema) if !fitting => fits & self.value(schema, value, &here),
            _ => fits,
        }
    }
}

fn property<'r>(rules: &'r ObjectRules, name: &str) -> Option<&'r Property> {
    let at = rules.properties.binary_search_by(|property| (*property.name).cmp(name)).ok()?;
    Some(&rules.properties[at])
}
