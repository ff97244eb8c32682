//! Rules that try schemas: one of several, `not`, and a schema that depends on another one.

use expression::Value;

use super::{Check, Fault, Path, described};
use crate::schema::{Alternatives, Discriminator, Schema, SchemaId, Types};
use crate::violation::ViolationKind;

impl Check<'_> {
    /// Checks a value against the schemas that a schema tries.
    pub(super) fn combined(&mut self, schema: &Schema, value: &Value, path: &Path<'_>) -> bool {
        let mut fits = true;
        for alternatives in &schema.alternatives {
            fits &= match alternatives.discriminator.as_ref().filter(|_| value.as_object().is_some()) {
                Some(discriminator) => self.discriminated(discriminator, value, path),
                None => self.alternative(alternatives, value, path),
            };
        }
        if let Some(not) = schema.not
            && self.tries(not, value, path)
        {
            fits = self.fails(path, || Fault {
                kind: ViolationKind::Alternatives,
                expected: "a value of another kind than the one that is excluded".to_owned(),
                found: described(value),
            });
        }
        if let Some(condition) = &schema.condition {
            let then =
                if self.tries(condition.test, value, path) { condition.then } else { condition.otherwise };
            fits &= then.is_none_or(|then| self.value(then, value, path));
        }
        fits
    }

    /// True if a value fits. It reports no violations.
    fn tries(&mut self, id: SchemaId, value: &Value, path: &Path<'_>) -> bool {
        self.quiet += 1;
        let fits = self.value(id, value, path);
        self.quiet -= 1;
        fits
    }

    fn alternative(&mut self, alternatives: &Alternatives, value: &Value, path: &Path<'_>) -> bool {
        let mut count = 0;
        for id in &alternatives.schemas {
            count += usize::from(self.tries(*id, value, path));
            if count == 1 && !alternatives.exactly_one || count > 1 {
                break;
            }
        }
        if count == 1 {
            return true;
        }
        if count == 0
            && self.quiet == 0
            && let Some(id) = self.meant(alternatives, value)
        {
            // Only one alternative is possible, so its violations say most.
            return self.value(id, value, path);
        }
        let all = alternatives.schemas.len();
        self.fails(path, || {
            let expected = match (count, alternatives.exactly_one) {
                (0, _) => format!("a value that fits one of {all} alternatives"),
                _ => format!("a value that fits only one of {all} alternatives"),
            };
            Fault { kind: ViolationKind::Alternatives, expected, found: described(value) }
        })
    }

    /// The only alternative for values of this type, if there is exactly one.
    fn meant(&self, alternatives: &Alternatives, value: &Value) -> Option<SchemaId> {
        let found = Types::of(value);
        let mut of_type =
            alternatives.schemas.iter().filter(|id| self.types(**id, TYPE_HOPS_MAX).meets(found));
        let first = of_type.next()?;
        of_type.next().is_none().then_some(*first)
    }

    /// The types that a schema and its references allow.
    fn types(&self, id: SchemaId, hops: usize) -> Types {
        let schema = self.schemas.get(id);
        if hops == 0 {
            return schema.types;
        }
        schema.all.iter().fold(schema.types, |types, inner| types.and(self.types(*inner, hops - 1)))
    }

    fn discriminated(&mut self, discriminator: &Discriminator, value: &Value, path: &Path<'_>) -> bool {
        let property = &*discriminator.property;
        let told = value.get(property);
        let Some(told) = told else {
            return self.fails(path, || Fault {
                kind: ViolationKind::MissingField,
                expected: format!("the member '{property}', which tells the kind of object"),
                found: "none".to_owned(),
            });
        };
        let schema = discriminator.schemas.iter().find(|(name, _)| told.as_str() == Some(name));
        match schema {
            Some((_, id)) => self.value(*id, value, path),
            None => self.fails(&Path::Member(path, property), || {
                let names: Vec<String> = discriminator
                    .schemas
                    .iter()
                    .take(super::LISTED_MAX)
                    .map(|(name, _)| super::quoted(name))
                    .collect();
                Fault {
                    kind: ViolationKind::NotListed,
                    expected: format!("one of {}", names.join(", ")),
                    found: described(told),
                }
            }),
        }
    }
}

/// The references that are followed to find the type of an alternative. It is only for messages.
const TYPE_HOPS_MAX: usize = 3;
