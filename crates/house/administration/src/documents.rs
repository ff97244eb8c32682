//! The documents of the admin address: OpenAPI 3.1 for Gantry's own part, Swagger 2.0 for z/OS
//! Connect's interface.
//!
//! Their texts are files. The table of routes adds the rights of each operation, and the answers to
//! callers without them. The ways to authenticate come from the running configuration.

use api::SecurityScheme;
use http::StatusCode;
use security::{Action, Kind};
use serde_json::{Value, json};

use crate::asked::{Answer, Asked};
use crate::paths;
use crate::routes::{ROUTES, Right, RouteSpec};

/// A document, before the table and the configuration add their parts.
struct Document {
    text: &'static str,
    /// The path in front of the document's paths.
    base: &'static str,
    /// The place of the ways to authenticate.
    schemes: &'static [&'static str],
    /// The schema of an error response in JSON.
    error: fn() -> Value,
}

const ADMINISTRATION: Document = Document {
    text: include_str!("documents/administration.json"),
    base: "",
    schemes: &["components", "securitySchemes"],
    error: || json!({ "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } }),
};

const ZOS_CONNECT: Document = Document {
    text: include_str!("documents/zos_connect.json"),
    base: paths::ZOS_CONNECT,
    schemes: &["securityDefinitions"],
    error: || json!({ "schema": { "$ref": "#/definitions/Error" } }),
};

/// Answers `/openapi.json`.
pub(crate) fn administration(asked: &Asked<'_>) -> Answer {
    let schemes = asked.gateway.schemes();
    let described = api::openapi_schemes(&schemes);
    served(&ADMINISTRATION, Ways { schemes: &schemes, described })
}

/// Answers `/zosConnect/api-docs`.
pub(crate) fn zos_connect(asked: &Asked<'_>) -> Answer {
    let schemes = asked.gateway.schemes();
    let described = api::swagger_schemes(&schemes);
    served(&ZOS_CONNECT, Ways { schemes: &schemes, described })
}

/// The ways to authenticate.
struct Ways<'a> {
    schemes: &'a [SecurityScheme],
    /// The ways that this form of document can describe, by their names.
    described: Value,
}

fn served(document: &Document, ways: Ways<'_>) -> Answer {
    match whole(document, ways) {
        Some(value) => Answer::json(StatusCode::OK, format!("{value}\n")),
        None => Answer::json(StatusCode::INTERNAL_SERVER_ERROR, "{}"),
    }
}

/// The document with the ways to authenticate (one is enough), and with the rights of its
/// operations.
fn whole(document: &Document, Ways { schemes, described }: Ways<'_>) -> Option<Value> {
    let mut whole = serde_json::from_str::<Value>(document.text).ok()?;
    let told = schemes.iter().filter(|scheme| described.get(&scheme.name).is_some());
    let needs: Vec<Value> = told.map(|scheme| json!({ &scheme.name: [] })).collect();
    for (path, operations) in whole["paths"].as_object_mut()? {
        let path = format!("{}{path}", document.base);
        for (method, operation) in operations.as_object_mut()? {
            let is_meant =
                |row: &&RouteSpec| row.path == path && row.verb.word().eq_ignore_ascii_case(method);
            let rows: Vec<&RouteSpec> = ROUTES.iter().filter(is_meant).collect();
            Rights { document, needs: &needs, rows: &rows }.add_to(operation);
        }
    }
    if !needs.is_empty() {
        let mut at = &mut whole;
        for name in document.schemes {
            at = &mut at[*name];
        }
        *at = described;
        whole["security"] = Value::Array(needs);
    }
    Some(whole)
}

/// The rights of one operation.
struct Rights<'a> {
    document: &'a Document,
    /// The ways to authenticate. One of them is enough.
    needs: &'a [Value],
    /// The rows of the operation. The last one handles the rest.
    rows: &'a [&'a RouteSpec],
}

impl Rights<'_> {
    /// Adds the rights to the operation.
    fn add_to(&self, operation: &mut Value) {
        let Self { document, needs, rows } = self;
        let Some((usual, others)) = rows.split_last() else { return };
        if usual.right == Right::Open {
            operation["security"] = json!([]);
            return;
        }
        if usual.right == Right::Health && !needs.is_empty() {
            operation["security"] = needs.iter().cloned().chain([json!({})]).collect();
        }
        for (status, description) in [
            ("401", "Nobody is known, or the credentials are wrong."),
            ("403", "The user is not authorized, or the page is of another origin."),
        ] {
            let mut response = (document.error)();
            response["description"] = description.into();
            operation["responses"][status] = response;
        }
        let mut sentences: Vec<String> =
            operation["description"].as_str().map(str::to_owned).into_iter().collect();
        sentences.push(format!("For {}.", role(usual.right)));
        for row in others.iter().filter(|row| row.right != usual.right) {
            let (parameter, value) = row.query.unwrap_or_default();
            sentences.push(format!("With {parameter}={value}, for {}.", role(row.right)));
        }
        operation["description"] = sentences.join(" ").into();
    }
}

/// The role of a right.
fn role(right: Right) -> String {
    let role = |action: Action| action.roles().first().map_or("Admin", |role| role.as_str());
    match right {
        Right::Open => "everybody".to_owned(),
        Right::Metrics => "the role Reader, or for everybody if security.open_metrics is true".to_owned(),
        Right::Whole(action) => format!("the role {}", role(action)),
        Right::List(kind, action) => {
            format!("the role {}, of everything or of at least one {}", role(action), word(kind))
        }
        Right::Object(kind, action) => format!("the role {} of this {}", role(action), word(kind)),
        Right::Invoke => "the role Invoke of this service".to_owned(),
        Right::Health => "the role Reader of this API. Callers who are not known learn up or down".to_owned(),
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Api => "API",
        Kind::Service => "service",
        Kind::Requester => "API requester",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::routes::{Function, Run};

    fn document(document: &Document) -> Value {
        let scheme = json!({ "apiKey": { "type": "apiKey", "name": "x-api-key", "in": "header" } });
        let schemes = [SecurityScheme {
            name: "apiKey".to_owned(),
            kind: api::SchemeKind::ApiKey("x-api-key".to_owned()),
            description: None,
        }];
        whole(document, Ways { schemes: &schemes, described: scheme }).expect("a document")
    }

    /// All operations of both documents, by method and path.
    fn operations() -> Vec<((String, String), Value)> {
        let of_document = |form: &Document| {
            let document = document(form);
            let paths = document["paths"].as_object().expect("paths").clone();
            let of_path = |(path, item): (String, Value)| {
                let path = format!("{}{path}", form.base);
                let item = item.as_object().expect("operations").clone();
                let named = move |(method, operation): (String, Value)| {
                    ((method.to_uppercase(), path.clone()), operation)
                };
                item.into_iter().map(named).collect::<Vec<_>>()
            };
            paths.into_iter().flat_map(of_path).collect::<Vec<_>>()
        };
        [&ADMINISTRATION, &ZOS_CONNECT].into_iter().flat_map(of_document).collect()
    }

    fn rows<'t>(key: &'t (String, String)) -> impl Iterator<Item = &'static RouteSpec> + 't {
        ROUTES.iter().filter(move |row| (row.verb.word(), row.path) == (&*key.0, &*key.1))
    }

    #[test]
    fn documents_have_the_routes_of_the_table_and_no_others() {
        let described: BTreeSet<(String, String)> = operations().into_iter().map(|(key, _)| key).collect();
        // The list at `/` is only for people.
        let routes = ROUTES.iter().filter(|row| row.path != "/");
        let routes: BTreeSet<_> =
            routes.map(|row| (row.verb.word().to_owned(), row.path.to_owned())).collect();
        assert_eq!(described, routes);
    }

    #[test]
    fn documents_have_the_actions_bodies_and_names_of_the_table() {
        for (key, operation) in operations() {
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let of = |place: &str| {
                let names = parameters.iter().filter(|parameter| parameter["in"] == place);
                names.map(|parameter| parameter["name"].clone()).collect::<Vec<_>>()
            };
            let is_read = |row: &RouteSpec| {
                matches!(row.run, Run::Here(Function::WithBody(_) | Function::Package(_)) | Run::Direct)
            };
            let has_body = operation.get("requestBody").is_some() || !of("body").is_empty();
            assert_eq!(has_body, rows(&key).any(is_read), "{key:?}");
            let names: Vec<&str> = routing::path_parameters(&key.1);
            assert_eq!(of("path"), names, "{key:?}");
            let action = parameters.iter().find(|parameter| parameter["name"] == "action");
            let told = action.and_then(|action| action["enum"].as_array()).cloned().unwrap_or_default();
            let told: BTreeSet<&str> = told.iter().filter_map(Value::as_str).collect();
            // A GET without an action gives the status, too.
            let told: BTreeSet<&str> = told.into_iter().filter(|action| *action != "status").collect();
            let taken: BTreeSet<&str> =
                rows(&key).filter_map(|row| row.query).map(|(_, value)| value).collect();
            assert_eq!(told, taken, "{key:?}");
        }
    }

    #[test]
    fn documents_tell_the_rights_of_the_table_alone() {
        for (key, operation) in operations() {
            let right = rows(&key).last().map(|row| row.right).expect("a row");
            let responses = &operation["responses"];
            for status in ["401", "403"] {
                let has_error = responses[status].to_string().contains("/Error");
                assert_eq!(has_error, right != Right::Open, "{key:?}");
            }
            let expected = match right {
                Right::Open => json!([]),
                Right::Health => json!([{ "apiKey": [] }, {}]),
                _ => Value::Null,
            };
            assert_eq!(operation["security"], expected, "{key:?}");
        }
        for form in [&ADMINISTRATION, &ZOS_CONNECT] {
            assert_eq!(document(form)["security"], json!([{ "apiKey": [] }]));
            assert!(!form.text.contains("\"401\"") && !form.text.contains("\"403\""));
            assert!(!form.text.contains("\"security\"") && !form.text.contains("the role "));
        }
        let operation = |method: &str, path: &str| {
            let mut all = operations().into_iter();
            all.find(|(key, _)| (&*key.0, &*key.1) == (method, path)).expect("an operation").1
        };
        assert_eq!(
            operation("GET", paths::SERVICE)["description"],
            "For the role Reader of this service. With action=getStatistics, for the role Operations of this service."
        );
        assert_eq!(
            operation("POST", paths::TRACE_OFF)["description"],
            "The records stay until the next trace. For the role Operations."
        );
    }
}
