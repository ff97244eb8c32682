//! The API of the operations: a document with a path for each, and the call of each path.

use std::path::Path;
use std::sync::Arc;

use contract::Contract;
use serde_json::Value;

use super::Taken;
use super::document::Document;
use super::shared::Shared;
use super::try_out::{Message, Requests, sample};
use crate::indent::indented;
use crate::openapi;
use crate::texts::{ADDRESS, quoted};

/// The file name of the API's document.
const DOCUMENT: &str = "openapi.json";
/// The most bytes of a document that a gateway reads.
const DOCUMENT_BYTES_MAX: usize = 8 << 20;

/// How large a document may be.
struct Room {
    bytes_max: usize,
    limits: contract::Limits,
}

impl Default for Room {
    fn default() -> Self {
        Self { bytes_max: DOCUMENT_BYTES_MAX, limits: contract::Limits::default() }
    }
}

/// The most operations that are named because their schemas are large.
const LARGE_NAMED_MAX: usize = 5;

/// An API.
pub(super) struct Api {
    /// Its files, by their paths.
    pub(super) files: Vec<(String, String)>,
    /// A request for each operation.
    pub(super) requests: Requests,
}

/// Makes the API of operations of a folder.
///
/// # Errors
/// The document would be too large. The text says what to do.
pub(super) fn make(name: &str, source: &Document, taken: &[Taken<'_>], folder: &Path) -> Result<Api, String> {
    let (document, contract) = contract(name, source, taken, &Room::default())?;
    let reader = contract.schema_reader();
    let mut requests = Requests::default();
    for (operation, taken) in contract.operations().iter().zip(taken) {
        let fits = |body: &Value| sample(taken.request(), body).is_some();
        let request = openapi::request(&contract, &reader, operation, &fits);
        let message = request.as_ref().and_then(|request| {
            let body = serde_json::to_string_pretty(request.body()?).ok()?;
            Some(Message {
                file: format!("{}.json", taken.service),
                url: format!("{ADDRESS}{}", request.target()),
                headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
                body,
            })
        });
        requests.add(&taken.service, message, folder);
    }
    let files =
        vec![(format!("apis/{name}/{DOCUMENT}"), document), (format!("apis/{name}/api.toml"), api(taken))];
    Ok(Api { files, requests })
}

/// The document, and what it promises.
///
/// # Errors
/// A gateway would not read the document. The text says what to do.
fn contract(
    name: &str,
    source: &Document,
    taken: &[Taken<'_>],
    room: &Room,
) -> Result<(String, Contract), String> {
    let document = document(name, source, taken, room.bytes_max)?;
    match Contract::read(document.as_bytes(), &room.limits) {
        Ok(contract) => Ok((document, contract)),
        Err(problems) => {
            let reason = problems.first().map_or("", |first| first.message.as_str());
            Err(format!("the OpenAPI document of {}: {reason}: {}", counted(taken), choose(taken)))
        }
    }
}

fn counted(taken: &[Taken<'_>]) -> String {
    terminal::count(taken.len(), "operation")
}

/// The advice for a document that is too large.
fn choose(taken: &[Taken<'_>]) -> String {
    let mut sizes: Vec<(usize, &str)> = taken
        .iter()
        .map(|taken| {
            let sides = [Some(taken.request()), taken.response()].into_iter().flatten();
            (sides.map(|side| side.json_schema().len()).sum(), taken.operation.name.as_str())
        })
        .collect();
    sizes.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    let large: Vec<&str> = sizes.iter().take(LARGE_NAMED_MAX).map(|(_, name)| *name).collect();
    format!(
        "choose some operations with --operations A,B. The largest messages are those of {}",
        large.join(", ")
    )
}

/// The document, in the order of the WSDL.
fn document(name: &str, source: &Document, taken: &[Taken<'_>], bytes_max: usize) -> Result<String, String> {
    let quoted = |text: &str| Value::from(text).to_string();
    let schemas: Vec<(Arc<str>, Option<Arc<str>>)> = taken
        .iter()
        .map(|taken| (taken.request().json_schema(), taken.response().map(channel::Interface::json_schema)))
        .collect();
    let mut shared = Shared::default();
    for (request, response) in &schemas {
        shared.count(request);
        response.iter().for_each(|response| shared.count(response));
    }
    let body = |schema: &str| format!(r#"{{"application/json":{{"schema":{schema}}}}}"#);
    let mut paths = Vec::new();
    for (taken, (request, response)) in taken.iter().zip(&schemas) {
        let answer = match response {
            Some(response) => {
                let content = body(&shared.referring(response));
                format!(r#"{{"200":{{"description":"The answer","content":{content}}}}}"#)
            }
            None => r#"{"204":{"description":"The message is delivered; there is no answer"}}"#.to_owned(),
        };
        paths.push(format!(
            r#"{}:{{"post":{{"operationId":{},"summary":{},"requestBody":{{"required":true,"content":{}}},"responses":{answer}}}}}"#,
            quoted(&format!("/{}", taken.service)),
            quoted(&taken.service),
            quoted(&format!("The operation {}", taken.operation.name)),
            body(&shared.referring(request)),
        ));
    }
    let text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":{},"version":"1.0.0","description":{}}},"servers":[{{"url":{}}}],"paths":{{{}}}{}}}"#,
        quoted(name),
        quoted(&format!("The operations of {}", source.name)),
        quoted(&format!("/{name}")),
        paths.join(","),
        shared.components()
    );
    if text.len() > bytes_max {
        return Err(format!(
            "the OpenAPI document of {} would have {} bytes, and at most {bytes_max} are possible: {}",
            counted(taken),
            text.len(),
            choose(taken)
        ));
    }
    // Indents are for people. A document that is too large with them does without.
    let readable = indented(&text);
    Ok(if readable.len() > bytes_max { text } else { readable })
}

/// The calls of the operations.
fn api(taken: &[Taken<'_>]) -> String {
    let mut text = format!(
        "document = {}\n\n# Each operation calls its service with the body of the request. docs/guides/contract-first.md says what else\n\
         # an operation can do.\n",
        quoted(DOCUMENT)
    );
    for taken in taken {
        let service = quoted(&taken.service);
        text.push_str(&format!(
            "\n[[operation]]\noperation = {service}\n\n[[operation.call]]\nservice = {service}\nname = \"answer\"\nrequest = \"$body\"\n\n\
             [[operation.reply]]\n"
        ));
        text.push_str(match taken.response() {
            Some(_) => "status = 200\nbody = \"$calls.answer\"\n",
            None => "status = 204\n",
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use super::*;
    use crate::wsdl::{Laid, taken};

    #[test]
    fn a_document_that_is_too_large_is_refused_with_what_to_do() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../text/wsdl/tests/golden/order/service.wsdl");
        let source = Document::read(Path::new(path), None).expect("a WSDL");
        let rules = soap_commands::laying_of_provider(&source.wsdl.bindings[0]);
        let laid = Laid::without_program(&rules);
        let (taken, _) = taken(&source, &source.wsdl.bindings[0], &laid, BTreeSet::new(), HashMap::new())
            .expect("operations");
        let (whole, _) = contract("shop", &source, &taken, &Room::default()).expect("a document");
        assert!(whole.contains("\n  \"paths\": {"), "{whole}");
        // Indents are left out first.
        let close = Room { bytes_max: whole.len() - 1, ..Room::default() };
        let (plain, _) = contract("shop", &source, &taken, &close).expect("a document");
        assert!(plain.len() < whole.len() && !plain.contains('\n'), "{plain}");
        let small = Room { bytes_max: 500, ..Room::default() };
        let few = contract::Limits { schema_count_max: 3, ..contract::Limits::default() };
        for (room, reason) in [
            (small, "bytes, and at most 500 are possible: choose some operations with --operations A,B. "),
            (
                Room { limits: few, ..Room::default() },
                "more than 3 schemas (schema_count_max): choose some operations",
            ),
        ] {
            let error = contract("shop", &source, &taken, &room).expect_err("too large");
            assert!(error.starts_with("the OpenAPI document of ") && error.contains(reason), "{error}");
            assert!(error.contains("The largest messages are those of PlaceOrder"), "{error}");
        }
    }
}
