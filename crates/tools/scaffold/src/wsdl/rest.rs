//! The API of the operations: a document with a path for each, and the call of each path.

use serde_json::Value;

use super::Taken;
use super::document::Document;
use super::try_out::sample;
use crate::indent::indented;
use crate::openapi;
use crate::texts::quoted;

/// The file name of the API's document.
const DOCUMENT: &str = "openapi.json";
/// The most requests that are printed. `requests.http` has all.
const PRINTED_MAX: usize = 3;

/// An API.
pub(super) struct Api {
    /// Its files, by their paths.
    pub(super) files: Vec<(String, String)>,
    /// A request for each operation, in the form of `requests.http`.
    pub(super) requests: String,
    /// Some of them as commands.
    pub(super) commands: Vec<String>,
}

/// Makes the API of operations.
///
/// # Errors
/// The new document cannot be read: an internal fault of Gantry.
pub(super) fn make(name: &str, source: &Document, taken: &[Taken<'_>]) -> Result<Api, String> {
    let document = document(name, source, taken);
    let contract = contract::Contract::read(document.as_bytes(), &contract::Limits::default())
        .map_err(|problems| format!("{DOCUMENT}: {}", problems.first().map_or("", |first| &first.message)))?;
    let reader = contract.schema_reader();
    let (mut requests, mut commands) = (String::new(), Vec::new());
    for (operation, taken) in contract.operations().iter().zip(taken) {
        let fits = |body: &Value| sample(taken.request(), body).is_some();
        match openapi::request((&contract, &reader), operation, &fits) {
            Some(request) => {
                requests.push_str(&request.text(&taken.service, operation));
                if commands.len() < PRINTED_MAX {
                    commands.push(request.curl(operation));
                }
            }
            None => requests.push_str(&format!(
                "### {}: Gantry found no request that fits the schema\n\n",
                taken.service
            )),
        }
    }
    let files =
        vec![(format!("apis/{name}/{DOCUMENT}"), document), (format!("apis/{name}/api.toml"), api(taken))];
    Ok(Api { files, requests, commands })
}

/// The document, in the order of the WSDL.
fn document(name: &str, source: &Document, taken: &[Taken<'_>]) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let paths: Vec<String> = taken
        .iter()
        .map(|taken| {
            let body = |schema: &str| format!(r#"{{"application/json":{{"schema":{schema}}}}}"#);
            let answer = match taken.response() {
                Some(response) => {
                    let content = body(&response.json_schema());
                    format!(r#"{{"200":{{"description":"The answer","content":{content}}}}}"#)
                }
                None => r#"{"204":{"description":"The message is delivered; there is no answer"}}"#.to_owned(),
            };
            format!(
                r#"{}:{{"post":{{"operationId":{},"summary":{},"requestBody":{{"required":true,"content":{}}},"responses":{answer}}}}}"#,
                quoted(&format!("/{}", taken.service)),
                quoted(&taken.service),
                quoted(&format!("The operation {}", taken.operation.name)),
                body(&taken.request().json_schema()),
            )
        })
        .collect();
    let text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":{},"version":"1.0.0","description":{}}},"servers":[{{"url":{}}}],"paths":{{{}}}}}"#,
        quoted(name),
        quoted(&format!("The operations of {}", source.name)),
        quoted(&format!("/{name}")),
        paths.join(",")
    );
    indented(&text)
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
