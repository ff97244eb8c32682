//! Names that mappings read and nothing gives: a slip of whoever wrote them, which shows only in empty answers.

use conversion::Conversion;
use serde_json::Value;

use super::node::Part;
use super::scope::{VARIABLES, no_variable};
use super::{Call, Flow};

impl Flow {
    /// Probable slips in the mappings, one sentence each.
    pub(crate) fn slips(&self) -> Vec<String> {
        let mut found = Vec::new();
        let schemas: Vec<Value> = self.calls.iter().map(Call::answer_schema).collect();
        let mut look = |part: Part<'_>, source: &str| {
            for input in part.inputs() {
                if !VARIABLES.contains(&&*input.name) {
                    found.push(format!("{}: {source}", no_variable(&input.name)));
                }
                for path in &input.paths {
                    let path: Vec<&str> = path.iter().map(|name| &**name).collect();
                    let slip = match (&*input.name, path.as_slice()) {
                        ("pathParameters", [name, ..]) => self.no_parameter(name),
                        ("calls", [call, names @ ..]) => self.no_member(&schemas, call, names),
                        _ => None,
                    };
                    found.extend(slip.map(|slip| format!("{slip}: {source}")));
                }
            }
        };
        for call in &self.calls {
            call.when.iter().for_each(|when| look(when.part(), when.source()));
            call.request.visit(&mut look);
        }
        for reply in &self.replies {
            reply.when.iter().for_each(|when| look(when.part(), when.source()));
            let members = reply.headers.iter().map(|(_, member)| member).chain(&reply.body);
            members.for_each(|member| member.visit(&mut look));
        }
        for reply in &self.replies {
            let status = reply.status.as_u16();
            if self.promise().response(status).is_none() {
                found.push(format!("a reply has the status {status}, which the document does not have"));
            }
        }
        found
    }

    fn no_parameter(&self, name: &str) -> Option<String> {
        let is_there = self.path_names.iter().any(|known| known == name);
        (!is_there).then(|| format!("the path has no parameter '{name}'"))
    }

    fn no_member(&self, schemas: &[Value], call: &str, names: &[&str]) -> Option<String> {
        let (call, schema) = self.calls.iter().zip(schemas).find(|(known, _)| *known.name == *call)?;
        let missing = call.missing(schema, names)?;
        Some(format!("answers of the service '{}' have no member '{missing}'", call.service))
    }
}

impl Call {
    /// The JSON Schema of answers; null if answers may have members that it does not name.
    fn answer_schema(&self) -> Value {
        match self.conversion {
            Conversion::Record { .. } | Conversion::Containers { .. } => {
                serde_json::from_slice(&self.conversion.response_schema()).unwrap_or_default()
            }
            Conversion::Message { .. } | Conversion::Channel { .. } | Conversion::Json { .. } => Value::Null,
        }
    }

    /// The first of the names that no answer has.
    fn missing<'n>(&self, schema: &Value, names: &[&'n str]) -> Option<&'n str> {
        let names = match (&self.wrapper, names) {
            (Some(wrapper), [first, rest @ ..]) if **wrapper == **first => rest,
            (Some(_), [first, ..]) => return Some(first),
            (_, names) => names,
        };
        let mut schema = schema;
        for name in names {
            // An expression goes through arrays by itself.
            while let Some(items) = schema.get("items") {
                schema = items;
            }
            let properties = schema.get("properties")?.as_object()?;
            if ["anyOf", "oneOf", "allOf", "$ref", "patternProperties"]
                .iter()
                .any(|word| schema.get(word).is_some())
                || schema.get("additionalProperties").is_some_and(|others| *others != Value::Bool(false))
            {
                return None;
            }
            match properties.get(*name) {
                Some(next) => schema = next,
                None => return Some(name),
            }
        }
        None
    }
}
