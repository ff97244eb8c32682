//! Several messages in one request and one unit of work: ours. `{"messages":[{"body":"..."}]}`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use message::{MessageId, NewMessage};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::Delivered;
use crate::descriptor;
use crate::id::written;
use crate::media::Media;
use crate::resource::Version;
use crate::trouble::Trouble;
use crate::unique::Members;

/// Messages of one request.
pub const BATCH_MAX: u32 = 1_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Batch {
    messages: Vec<Element>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Element {
    /// The text.
    body: Option<String>,
    /// Or bytes in base64.
    body_base64: Option<String>,
    /// Headers as a put of one message has them.
    #[serde(default)]
    headers: Members,
}

/// Reads the messages of a put.
pub(crate) fn parse(version: Version, body: &[u8]) -> Result<Vec<NewMessage>, Trouble> {
    let batch: Batch = serde_json::from_slice(body)
        .map_err(|error| Trouble::body(format!("It is not a list of messages: {error}.")))?;
    if batch.messages.is_empty() || batch.messages.len() > BATCH_MAX as usize {
        return Err(Trouble::body(format!("A request has 1 to {BATCH_MAX} messages.")));
    }
    batch.messages.into_iter().map(|element| put(version, element)).collect()
}

fn put(version: Version, element: Element) -> Result<NewMessage, Trouble> {
    let (media, body) = match (element.body, element.body_base64) {
        (Some(text), None) => (Media::Text, text.into_bytes()),
        (None, Some(text)) => {
            let bytes = STANDARD.decode(text).map_err(|_| Trouble::body("A 'bodyBase64' is not base64."))?;
            (Media::Binary, bytes)
        }
        _ => return Err(Trouble::body("A message has either 'body' or 'bodyBase64'.")),
    };
    let mut headers = HeaderMap::new();
    for (name, value) in element.headers.0 {
        let bad = || Trouble::body("A member of 'headers' cannot be a header.");
        let Value::String(value) = value else { return Err(bad()) };
        let name: HeaderName = name.parse().map_err(|_| bad())?;
        if !name.as_str().starts_with("ibm-mq-") {
            return Err(Trouble::body(format!("The header '{name}' is not one of a message.")));
        }
        // The names of headers have no case.
        if headers.contains_key(&name) {
            return Err(Trouble::body(format!("The header '{name}' is there twice.")));
        }
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).map_err(|_| bad())?);
    }
    Ok(media.message(descriptor::parse(version, &headers)?, body))
}

/// `{"messages":[{"messageId":"..."}]}`
pub(crate) fn put_written(version: Version, ids: &[MessageId]) -> Vec<u8> {
    let messages: Vec<Value> = ids.iter().map(|id| json!({ "messageId": written(version, &id.0) })).collect();
    json!({ "messages": messages }).to_string().into_bytes()
}

/// The same with all parts of each message. Text bodies stay text.
pub(crate) fn got_written(version: Version, messages: &[Delivered]) -> Vec<u8> {
    let one = |message: &Delivered| {
        let mut headers = HeaderMap::new();
        message.describe(version, &mut headers);
        let header = |(name, value): (&HeaderName, &HeaderValue)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), Value::from(value))
        };
        let headers: Map<String, Value> = headers.iter().map(header).collect();
        match message.text() {
            Ok(text) => json!({ "body": String::from_utf8_lossy(text), "headers": headers }),
            Err(_) => json!({ "bodyBase64": STANDARD.encode(message.body()), "headers": headers }),
        }
    };
    json!({ "messages": messages.iter().map(one).collect::<Vec<_>>() }).to_string().into_bytes()
}
