//! What the programs of the region have told the operators, on the admin address.

use http::StatusCode;
use region::OperatorMessage;

use super::admin::{JSON, Plain};
use crate::gateway::Gateway;

/// The last messages of WRITE OPERATOR, oldest first.
pub(super) fn messages(gateway: &Gateway) -> Plain {
    let messages = gateway.region.as_ref().map(|region| region.operator_messages()).unwrap_or_default();
    let messages: Vec<_> = messages.iter().map(message).collect();
    (StatusCode::OK, JSON, format!("{}\n", serde_json::json!({ "messages": messages })))
}

fn message(message: &OperatorMessage) -> serde_json::Value {
    let name = |name: &[u8]| String::from_utf8_lossy(name).trim_end().to_owned();
    let since = message.time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    serde_json::json!({
        "unixSeconds": since.as_secs(),
        "transaction": name(&message.transaction),
        "task": message.task,
        "user": name(&message.user),
        "text": message.text,
        "routeCodes": message.routes,
        "action": message.action,
    })
}
