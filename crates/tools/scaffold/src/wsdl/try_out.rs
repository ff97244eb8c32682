//! Messages to try: turns JSON that an operation takes into containers and into the element of a
//! message, and writes requests with their bodies.

use std::path::Path;

use channel::Interface;
use serde_json::Value;
use wsdl::read::Version;

use super::Taken;
use crate::example::Examples;
use crate::openapi::in_shell;
use crate::texts::ADDRESS;

/// The folder of the bodies.
const FOLDER: &str = "requests";
/// The most requests of a kind that are printed. `requests.http` has all.
const PRINTED_MAX: usize = 3;

/// A message that fits its schema.
#[derive(Debug)]
pub(super) struct Sample {
    /// The containers, by their names.
    pub(super) containers: Vec<(String, Vec<u8>)>,
    /// The element of the message.
    pub(super) element: String,
}

/// Turns JSON into a message; none if it does not fit.
pub(super) fn sample(interface: &Interface, json: &Value) -> Option<Sample> {
    let channel = interface.to_channel(json.to_string().as_bytes()).ok()?;
    let mut element = Vec::new();
    interface.to_element(&channel, &mut element).ok()?;
    // An answer must become JSON again.
    interface.to_json(&channel, &mut Vec::new()).ok()?;
    let containers = channel.containers().iter();
    Some(Sample {
        containers: containers.map(|found| (found.name.clone(), found.content.bytes().to_vec())).collect(),
        element: String::from_utf8(element).ok()?,
    })
}

/// A message with values made from the schema; none if no such values fit.
pub(super) fn made(interface: &Interface) -> Option<Sample> {
    let schema = interface.json_schema();
    Examples::new(&schema, &[]).candidates().find_map(|value| sample(interface, &value))
}

/// A request by POST.
pub(super) struct Message {
    /// The file of its body in [`FOLDER`].
    pub(super) file: String,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

/// Requests to try.
#[derive(Default)]
pub(super) struct Requests {
    /// Their bodies, by the paths of files.
    pub(super) files: Vec<(String, String)>,
    /// All of them in the form of `requests.http`.
    pub(super) text: String,
    /// Some of them as commands.
    pub(super) commands: Vec<String>,
}

impl Requests {
    /// Adds a request to a gateway whose configuration is in this folder; none if no request fits the schema.
    pub(super) fn add(&mut self, title: &str, message: Option<Message>, folder: &Path) {
        let Some(Message { file, url, headers, body }) = message else {
            self.text.push_str(&format!("### {title}: Gantry found no request that fits the schema\n\n"));
            return;
        };
        let path = format!("{FOLDER}/{file}");
        let mut command = "curl -s".to_owned();
        self.text.push_str(&format!("### {title}\nPOST {url}\n"));
        for (name, value) in headers {
            self.text.push_str(&format!("{name}: {value}\n"));
            command.push_str(&format!(" -H {}", in_shell(&format!("{name}: {value}"))));
        }
        self.text.push_str(&format!("\n< ./{path}\n\n"));
        if self.commands.len() < PRINTED_MAX {
            let from_here = format!("@{}", folder.join(&path).display());
            self.commands.push(format!(
                "{command} --data-binary {} {}",
                in_shell(&from_here),
                in_shell(&url)
            ));
        }
        self.files.push((path, body + "\n"));
    }

    /// Adds other requests.
    pub(super) fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
        self.text.push_str(&other.text);
        self.commands.extend(other.commands);
    }
}

/// A request over SOAP for each operation of a web service at a path.
pub(super) fn over_soap(taken: &[Taken<'_>], version: Version, path: &str, folder: &Path) -> Requests {
    let mut requests = Requests::default();
    for taken in taken {
        let message = made(taken.request()).map(|sample| {
            let (headers, namespace) = head(version, &taken.operation.action);
            Message {
                file: format!("{}.xml", taken.service),
                url: format!("{ADDRESS}{path}"),
                headers,
                body: format!(
                    "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{namespace}\"><SOAP-ENV:Body>{}</SOAP-ENV:Body></SOAP-ENV:Envelope>",
                    sample.element
                ),
            }
        });
        requests.add(&format!("{}, over SOAP", taken.operation.name), message, folder);
    }
    requests
}

/// The headers of a message, and the namespace of its envelope.
fn head(version: Version, action: &str) -> (Vec<(String, String)>, &'static str) {
    let kind = "Content-Type".to_owned();
    match version {
        Version::V1_1 => {
            let headers = vec![
                (kind, "text/xml; charset=utf-8".to_owned()),
                ("SOAPAction".to_owned(), format!("\"{action}\"")),
            ];
            (headers, "http://schemas.xmlsoap.org/soap/envelope/")
        }
        Version::V1_2 => {
            let action = if action.is_empty() { String::new() } else { format!("; action=\"{action}\"") };
            let headers = vec![(kind, format!("application/soap+xml; charset=utf-8{action}"))];
            (headers, "http://www.w3.org/2003/05/soap-envelope")
        }
    }
}
