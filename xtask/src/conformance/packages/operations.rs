//! The operations of an API made of a package, compared with the Swagger document in it: paths, methods, parameters,
//! what is required, and the names of what bodies and answers hold.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{Cursor, Read};

use ::packages::Package;
use api::{
    Api, ApiSpec, MoveSpec, OperationProtection, OperationSpec, RequestSpec, ResponseSpec, Source, Text,
    ValueSpec,
};
use serde::Deserialize;
use serde_json::Value;

use super::service::Service;

/// An API file, as packages make it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    version: String,
    #[serde(default)]
    description: String,
    base_path: String,
    operation: Vec<Operation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Operation {
    method: String,
    path: String,
    service: String,
    operation_id: Option<String>,
    summary: Option<String>,
    description: Option<String>,
    #[serde(default)]
    request: Request,
    #[serde(default)]
    response: Response,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Request {
    r#move: Vec<Move>,
    assign: BTreeMap<String, String>,
    default: BTreeMap<String, String>,
    remove: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    from: String,
    to: String,
    #[serde(default)]
    required: bool,
    description: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Response {
    status: Option<u16>,
    remove: Vec<String>,
}

/// Compares an API with its document; none if one of its services was not read.
pub(super) fn check(
    package: &Package,
    archive: &[u8],
    services: &BTreeMap<String, Service>,
) -> Option<Result<(), String>> {
    let file = super::text(package, &format!("apis/{}/api.toml", package.name)).ok()?;
    let file: File = match toml::from_str(file) {
        Ok(file) => file,
        Err(error) => return Some(Err(error.to_string())),
    };
    if !file.operation.iter().all(|operation| services.contains_key(&operation.service)) {
        return None;
    }
    Some(compare(package, archive, file, services))
}

fn compare(
    package: &Package,
    archive: &[u8],
    file: File,
    services: &BTreeMap<String, Service>,
) -> Result<(), String> {
    let interfaces: HashMap<_, _> =
        services.iter().map(|(name, service)| (name.clone(), service.interface.clone())).collect();
    let spec = spec(&package.name, file)?;
    let made = Api::compile(&spec, &interfaces)
        .map_err(|errors| errors.into_iter().map(|error| error.message).collect::<Vec<_>>().join("; "))?;
    let document = made.documents().iter().find(|document| document.path.ends_with("/api-docs"));
    let document = document.ok_or("the API has no Swagger document")?;
    let found: Value = serde_json::from_slice(&document.text).map_err(|error| error.to_string())?;
    let expected = swagger(archive)?;
    let (expected, found) = (described(&expected), described(&found));
    for (operation, expected) in &expected {
        match found.get(operation) {
            Some(found) if found == expected => {}
            Some(found) => {
                let lost: Vec<&String> = expected.difference(found).collect();
                let more: Vec<&String> = found.difference(expected).collect();
                return Err(format!("{operation}: not there {lost:?}, not expected {more:?}"));
            }
            None => return Err(format!("there is no {operation}")),
        }
    }
    match found.keys().find(|operation| !expected.contains_key(*operation)) {
        Some(more) => Err(format!("{more} is not expected")),
        None => Ok(()),
    }
}

/// The Swagger document in an archive. Older tools name it with a backslash.
fn swagger(archive: &[u8]) -> Result<Value, String> {
    let describe = |error: &dyn std::fmt::Display| format!("swagger.json: {error}");
    let mut zip = zip::ZipArchive::new(Cursor::new(archive)).map_err(|error| describe(&error))?;
    let names: Vec<String> = zip.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect();
    let name = names.iter().find(|name| name.ends_with("swagger.json")).ok_or("no swagger.json")?;
    let mut text = String::new();
    zip.by_name(name)
        .map_err(|error| describe(&error))?
        .read_to_string(&mut text)
        .map_err(|error| describe(&error))?;
    serde_json::from_str(&text).map_err(|error| describe(&error))
}

/// Operations with what can be compared of each, as texts. The parameter for authentication is nobody's field, and GET
/// and DELETE have no body here.
fn described(document: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut operations = BTreeMap::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let mut facts = BTreeSet::new();
            facts.insert(format!("id {}", operation["operationId"]));
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                if parameter["in"] == "body" {
                    if !matches!(method.as_str(), "get" | "delete") {
                        names(document, &parameter["schema"], "request", &mut facts);
                    }
                } else if parameter["name"] != "Authorization" {
                    let required = parameter["required"].as_bool().unwrap_or_default();
                    facts.insert(format!("{} {} required {required}", parameter["in"], parameter["name"]));
                }
            }
            for (status, response) in operation["responses"].as_object().into_iter().flatten() {
                if status.starts_with('2') {
                    names(document, &response["schema"], &format!("response {status}"), &mut facts);
                }
            }
            operations.insert(format!("{method} {}{path}", document["basePath"]), facts);
        }
    }
    operations
}

/// The names of all members below a schema.
fn names(document: &Value, schema: &Value, path: &str, facts: &mut BTreeSet<String>) {
    if let Some(reference) = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
        return names(document, document.pointer(reference).unwrap_or(&Value::Null), path, facts);
    }
    if schema["items"].is_object() {
        names(document, &schema["items"], path, facts);
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}/{name}");
        names(document, inner, &path, facts);
        facts.insert(path);
    }
}

fn spec(name: &str, file: File) -> Result<ApiSpec, String> {
    let operations = file.operation.into_iter().map(operation).collect::<Result<_, _>>()?;
    Ok(ApiSpec {
        name: name.to_owned(),
        title: file.title,
        version: file.version,
        description: file.description,
        base_path: word(file.base_path),
        refuse_unknown_query: false,
        statuses: Vec::new(),
        schemes: Vec::new(),
        operations,
    })
}

fn word(text: String) -> Text {
    Text { text, line: 0 }
}

fn operation(written: Operation) -> Result<OperationSpec, String> {
    let Request { r#move, assign, default, remove } = written.request;
    let values = |all: BTreeMap<String, String>| {
        all.into_iter().map(|(field, value)| ValueSpec { field: word(field), value: word(value) }).collect()
    };
    let response = ResponseSpec {
        status: word(written.response.status.unwrap_or(200).to_string()),
        remove: written.response.remove.into_iter().map(word).collect(),
        ..ResponseSpec::default()
    };
    Ok(OperationSpec {
        method: written.method.parse().map_err(|_| format!("'{}' is no method", written.method))?,
        path: word(written.path),
        service: word(written.service),
        operation_id: written.operation_id,
        summary: written.summary,
        description: written.description,
        request: RequestSpec {
            moves: r#move.into_iter().map(step).collect::<Result<_, _>>()?,
            assign: values(assign),
            default: values(default),
            remove: remove.into_iter().map(word).collect(),
            rename: Vec::new(),
        },
        response,
        responses: Vec::new(),
        protection: OperationProtection::default(),
    })
}

fn step(written: Move) -> Result<MoveSpec, String> {
    let (source, name) = match written.from.split_once('.') {
        Some(("path", name)) => (Source::Path, name),
        Some(("query", name)) => (Source::Query, name),
        Some(("header", name)) => (Source::Header, name),
        _ => return Err(format!("'{}' is no parameter", written.from)),
    };
    Ok(MoveSpec {
        source,
        name: Text::from(name),
        field: word(written.to),
        required: written.required,
        description: written.description,
    })
}
