//! Members that a body leaves out get the defaults of their schemas, before the body is checked.

use expression::Value;

use super::{Check, Path};
use crate::schema::SchemaId;

impl Check<'_> {
    /// The value with the defaults of its missing members; the value itself if there are none.
    ///
    /// Follows `$ref`, `allOf`, `properties` and `items`: alternatives have no defaults, because the choice
    /// between them may depend on defaults. A default itself is not filled, so that schemas that contain
    /// themselves end.
    pub(crate) fn filled(&mut self, id: SchemaId, value: &Value, path: &Path<'_>) -> Value {
        if !self.may_go_on(path) {
            return value.clone();
        }
        self.depth += 1;
        let schema = self.schemas.get(id);
        let mut value = match value {
            Value::Object(object) => {
                let mut changed = object.clone();
                for property in schema.object.iter().flat_map(|rules| &rules.properties) {
                    let filled = match object.get(&property.name) {
                        Some(inner) => {
                            let filled =
                                self.filled(property.schema, inner, &Path::Member(path, &property.name));
                            (filled != *inner).then_some(filled)
                        }
                        None => property.default.clone().filter(|_| !self.goes_other_way(Some(property))),
                    };
                    if let Some(filled) = filled {
                        changed.insert(&*property.name, filled);
                    }
                }
                Value::Object(changed)
            }
            Value::Array(array) => {
                let rules = schema.array.as_deref();
                let of = |at: usize| rules.and_then(|rules| rules.first.get(at).copied().or(rules.rest));
                let items = array.items().iter().enumerate().map(|(at, item)| match of(at) {
                    Some(id) => self.filled(id, item, &Path::Element(path, at)),
                    None => item.clone(),
                });
                Value::array(items.collect::<Vec<_>>())
            }
            other => other.clone(),
        };
        for inner in &schema.all {
            value = self.filled(*inner, &value, path);
        }
        self.depth -= 1;
        value
    }
}
