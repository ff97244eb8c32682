//! Messages to try: turns JSON that an operation takes into containers and into the element of a
//! message.

use channel::Interface;
use serde_json::Value;
use wsdl::read::{Operation, Version};

use crate::example::Examples;
use crate::texts::ADDRESS;

/// A message that fits its schema.
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
    let examples = Examples::new(&schema, &[]);
    [examples.whole(), examples.least()].into_iter().flatten().find_map(|value| sample(interface, &value))
}

/// A request to a web service, in the form of `requests.http`.
pub(super) fn soap_request(operation: &Operation, version: Version, path: &str, element: &str) -> String {
    let action = &operation.action;
    let (head, namespace) = match version {
        Version::V1_1 => (
            format!("Content-Type: text/xml; charset=utf-8\nSOAPAction: \"{action}\""),
            "http://schemas.xmlsoap.org/soap/envelope/",
        ),
        Version::V1_2 => {
            let action = if action.is_empty() { String::new() } else { format!("; action=\"{action}\"") };
            (
                format!("Content-Type: application/soap+xml; charset=utf-8{action}"),
                "http://www.w3.org/2003/05/soap-envelope",
            )
        }
    };
    format!(
        "### {}, over SOAP\nPOST {ADDRESS}{path}\n{head}\n\n\
         <SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{namespace}\"><SOAP-ENV:Body>{element}</SOAP-ENV:Body></SOAP-ENV:Envelope>\n\n",
        operation.name
    )
}
