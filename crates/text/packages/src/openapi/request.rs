//! The request of an operation: parameters in their groups, and the body.

use document::Node;

use super::reader::Part;
use crate::json::quoted;

/// Members of a parameter of Swagger 2.0 that are not part of its schema.
const NO_SCHEMA: [&str; 6] = ["name", "in", "required", "description", "allowEmptyValue", "collectionFormat"];

/// The input of an operation.
pub(super) struct Request<'d> {
    /// The names of the groups, the kinds of parameter in them, and the body.
    names: &'static [(&'static str, &'static str); 4],
    /// The members of each group, in their order.
    groups: [Vec<Parameter<'d>>; 3],
    pub(super) body: Option<Body>,
}

struct Parameter<'d> {
    name: &'d str,
    schema: String,
    required: bool,
}

/// The body of a request.
pub(super) struct Body {
    /// The text of its schema.
    pub(super) schema: String,
    pub(super) required: bool,
    pub(super) media_type: String,
}

/// The result for a parameter.
pub(super) enum Taken {
    /// It is in its group.
    Parameter,
    /// It is left out, with the reason.
    LeftOut(&'static str),
}

impl<'d> Request<'d> {
    pub(super) fn new(names: &'static [(&'static str, &'static str); 4]) -> Self {
        Self { names, groups: Default::default(), body: None }
    }

    /// Takes a parameter; `schema` is the resolved one, or that of Swagger 2.0 within the parameter.
    ///
    /// # Errors
    /// It is required, and cannot be imported.
    pub(super) fn parameter(&mut self, part: &Part<'d>, schema: Option<Part<'d>>) -> Result<Taken, String> {
        let text = |key: &str| part.node.get(key).and_then(Node::text).unwrap_or_default();
        let (name, place) = (text("name"), text("in"));
        let is_header = place == "header";
        if is_header && headers::refused_as_parameter(&name.to_ascii_lowercase()) {
            return Ok(Taken::LeftOut(match name.eq_ignore_ascii_case("authorization") {
                true => "credentials belong to the connection",
                false => "the gateway writes this header",
            }));
        }
        let required = place == "path" || part.node.get("required").is_some_and(Node::is_true);
        let kind = schema.as_ref().map_or(part.node, |schema| schema.node).get("type").and_then(Node::text);
        let is_single = matches!(kind, Some("string" | "integer" | "number" | "boolean"));
        let why = match self.names[..3].iter().position(|(_, known)| *known == place) {
            Some(group) if is_single && is_name(name, is_header) => {
                let schema = schema.map_or_else(|| inner_schema(part.node), |schema| schema.node.json());
                self.groups[group].push(Parameter { name, schema, required });
                return Ok(Taken::Parameter);
            }
            Some(_) if is_single => "has a name that cannot be imported",
            Some(_) => "is not a single value",
            None => "is not in the path, the query or a header",
        };
        match required {
            true => Err(format!("the {place} parameter '{name}' is required, and {why}")),
            false => Ok(Taken::LeftOut(why)),
        }
    }

    /// The names of the parameters of the path.
    pub(super) fn in_path(&self) -> impl Iterator<Item = &str> {
        self.groups[0].iter().map(|parameter| parameter.name)
    }

    /// Members of the request's JSON, and their parameters: `ReqPathParameters/id`, `path.id`.
    pub(super) fn moves(&self) -> Vec<(String, String)> {
        let groups = self.names.iter().zip(&self.groups);
        let moves = groups.flat_map(|((group, place), members)| {
            members
                .iter()
                .map(move |Parameter { name, .. }| (format!("{group}/{name}"), format!("{place}.{name}")))
        });
        moves.collect()
    }

    /// The member that is the body, if there is one.
    pub(super) fn body_member(&self) -> Option<&'static str> {
        self.body.as_ref().map(|_| self.names[3].0)
    }

    /// The keywords of the schema of the request; none if there is no input. With `always`, each group and
    /// the body are required, so that structures always have them.
    pub(super) fn schema(&self, always: bool) -> Option<String> {
        let (mut members, mut required) = (Vec::new(), Vec::new());
        for ((group, _), parameters) in self.names.iter().zip(&self.groups) {
            if parameters.is_empty() {
                continue;
            }
            let names: Vec<&str> =
                parameters.iter().filter(|member| member.required).map(|member| member.name).collect();
            if always || !names.is_empty() {
                required.push(*group);
            }
            let inner = parameters.iter().map(|Parameter { name, schema, .. }| (*name, schema.as_str()));
            members.push((*group, format!("{{{}}}", object(inner, &names))));
        }
        if let Some(body) = &self.body {
            if always || body.required {
                required.push(self.names[3].0);
            }
            members.push((self.names[3].0, body.schema.clone()));
        }
        let members: Vec<_> = members.iter().map(|(name, schema)| (*name, schema.as_str())).collect();
        (!members.is_empty()).then(|| object(members.into_iter(), &required))
    }
}

/// The keywords of the schema of an object with these members.
pub(super) fn object<'m>(members: impl Iterator<Item = (&'m str, &'m str)>, required: &[&str]) -> String {
    let members: Vec<String> = members.map(|(name, schema)| format!("{}:{schema}", quoted(name))).collect();
    let mut text = format!(r#""type":"object","properties":{{{}}}"#, members.join(","));
    if !required.is_empty() {
        let names: Vec<String> = required.iter().map(|name| quoted(name)).collect();
        text.push_str(&format!(r#","required":[{}]"#, names.join(",")));
    }
    text
}

/// True for names that the keys of `requester.toml` and headers can have (RFC 9110, section 5.6.2).
fn is_name(name: &str, is_header: bool) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && !name.contains('/') && (!is_header || name.bytes().all(is_token))
}

/// The schema of a parameter of Swagger 2.0, which is inside the parameter.
fn inner_schema(parameter: &Node<'_>) -> String {
    let members = parameter.members().iter().filter(|(key, _)| !NO_SCHEMA.contains(&key.as_str()));
    let members: Vec<String> =
        members.map(|(key, value)| format!("{}:{}", quoted(key), value.json())).collect();
    format!("{{{}}}", members.join(","))
}
