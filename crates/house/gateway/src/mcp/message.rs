//! One message and its answer: the data that pass beside rmcp, in both directions.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use failure::JSON;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::response::Parts as Head;
use http::{Response, StatusCode};
use http_body_util::Full;
use security::Identity;

use crate::gateway::Gateway;
use admission::Peer;

/// A message in progress.
pub(super) struct Message {
    pub(super) gateway: Arc<Gateway>,
    pub(super) peer: Arc<Peer>,
    pub(super) identity: Option<Arc<Identity>>,
    /// The arguments of a call, as they were written.
    pub(super) arguments: Option<String>,
    aside: Mutex<Aside>,
}

/// The parts of the answer that do not come from rmcp.
#[derive(Default)]
pub(super) struct Aside {
    /// An answer that replaces the whole message, because HTTP's status must tell it.
    pub(super) instead: Option<Response<Full<Bytes>>>,
    /// Members of the result, as JSON text.
    pub(super) members: Vec<(&'static str, String)>,
    pub(super) headers: HeaderMap,
}

impl Message {
    pub(super) fn new(
        gateway: Arc<Gateway>,
        peer: Arc<Peer>,
        identity: Option<Arc<Identity>>,
        arguments: Option<String>,
    ) -> Self {
        Self { gateway, peer, identity, arguments, aside: Mutex::default() }
    }

    /// Sets the parts of the answer that do not come from rmcp.
    pub(super) fn set_aside(&self, aside: Aside) {
        *self.aside.lock().unwrap_or_else(PoisonError::into_inner) = aside;
    }

    /// Puts the answer together.
    pub(super) fn complete(&self, head: Head, body: Bytes) -> Response<Full<Bytes>> {
        let aside = std::mem::take(&mut *self.aside.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(instead) = aside.instead {
            return instead;
        }
        let (status, body) = message(&head, body);
        let members: Vec<(&str, &str)> =
            aside.members.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let completed = if members.is_empty() { None } else { mcp::with_members(&body, &members) };
        let mut response = Response::new(Full::new(completed.map_or(body, Bytes::from)));
        *response.status_mut() = status;
        *response.headers_mut() = head.headers;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        response.headers_mut().extend(aside.headers);
        response
    }
}

/// The code of JSON-RPC 2.0 for an invalid request (section 5.1).
const INVALID_REQUEST: i32 = -32600;

/// Turns rmcp's plain text about invalid requests into a message.
fn message(head: &Head, body: Bytes) -> (StatusCode, Bytes) {
    let is_text = head.headers.get(CONTENT_TYPE).is_none_or(|kind| kind != JSON);
    if !is_text || body.is_empty() {
        return (head.status, body);
    }
    match head.status {
        // For unknown messages, rmcp's text contains names of its types.
        StatusCode::UNSUPPORTED_MEDIA_TYPE if body.starts_with(b"fail to deserialize") => {
            let text = "Invalid Request: not a message of MCP that servers take";
            (StatusCode::BAD_REQUEST, mcp::error_message(INVALID_REQUEST, text).into())
        }
        status if status.is_client_error() => {
            (status, mcp::error_message(INVALID_REQUEST, &String::from_utf8_lossy(&body)).into())
        }
        status => {
            tracing::warn!(status = status.as_u16(), "an MCP message could not be answered");
            (status, mcp::error_message(INTERNAL, "Internal error").into())
        }
    }
}

const INTERNAL: i32 = -32603;
