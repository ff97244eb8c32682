//! Reading and writing messages of the protocol: the arguments of a call, and the members of a result.

use std::fmt;

use serde_json::value::RawValue;

use crate::members::{self, Members};

/// The reason why a body is not a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageError {
    /// It is not JSON.
    Syntax,
    /// It is JSON, but no single message (JSON-RPC 2.0 without batches), or has a member twice that is needed here.
    Shape,
}

impl MessageError {
    /// The code of JSON-RPC 2.0 (section 5.1).
    #[must_use]
    pub fn code(&self) -> i32 {
        match self {
            MessageError::Syntax => -32700,
            MessageError::Shape => -32600,
        }
    }
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MessageError::Syntax => "Parse error: the body is not JSON",
            MessageError::Shape => {
                "Invalid Request: expected one JSON-RPC 2.0 message without duplicate members"
            }
        })
    }
}

impl std::error::Error for MessageError {}

/// The arguments of a message that calls a tool, as they are written; none of other messages, and of a call without any.
///
/// # Errors
/// It is not a message.
pub fn arguments(message: &[u8]) -> Result<Option<&str>, MessageError> {
    let value: &RawValue = serde_json::from_slice(message).map_err(|_| MessageError::Syntax)?;
    let message = object(value)?;
    let method = message.get("method").and_then(|method| serde_json::from_str::<String>(method.get()).ok());
    if method.as_deref() != Some("tools/call") {
        return Ok(None);
    }
    let Some(params) = message.get("params") else { return Ok(None) };
    let arguments = object(params)?.get("arguments").map(RawValue::get);
    Ok(arguments.filter(|arguments| *arguments != "null"))
}

fn object(value: &RawValue) -> Result<Members<'_>, MessageError> {
    Members::parse(value.get()).map_err(|_| MessageError::Shape)
}

/// A response message with more members in its result, each JSON text; one that is there already is replaced. None if
/// it is not a response with a result.
#[must_use]
pub fn with_members(response: &[u8], more: &[(&str, &str)]) -> Option<Vec<u8>> {
    let message = Members::parse(std::str::from_utf8(response).ok()?).ok()?;
    let result = Members::parse(message.get("result")?.get()).ok()?;
    let kept = result.0.iter().map(|(name, value)| (name.as_str(), value.get()));
    let kept = kept.filter(|(name, _)| !more.iter().any(|(other, _)| other == name));
    let result = members::write(kept.chain(more.iter().copied()));
    let outer = message.0.iter().map(|(name, value)| match name.as_str() {
        "result" => ("result", result.as_str()),
        name => (name, value.get()),
    });
    Some(members::write(outer).into_bytes())
}

/// A response message that tells an error, for a request whose id is not known.
#[must_use]
pub fn error_message(code: i32, message: &str) -> Vec<u8> {
    let (code, message) = (code.to_string(), members::quoted(message));
    let error = members::write([("code", code.as_str()), ("message", message.as_str())]);
    members::write([("jsonrpc", "\"2.0\""), ("id", "null"), ("error", error.as_str())]).into_bytes()
}
