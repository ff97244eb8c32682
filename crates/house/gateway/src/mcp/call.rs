//! Turns a call of a tool into a request to the handler, and its answer into a result.

use api::Route;
use bytes::Bytes;
use failure::{Code, Failure};
use http::header::{
    CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, SET_COOKIE, VARY,
    WWW_AUTHENTICATE,
};
use http::request::Parts;
use http::{Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use mcp::{Call, Tool};

use super::message::{Aside, Message};
use crate::gateway::Gateway;
use crate::handler::{Arrival, handle, turn_away_from};
use crate::loaded::Offered;
use admission::Refusal;

/// The outcome of a call.
pub(super) struct Called {
    /// The body of the answer.
    pub(super) text: String,
    pub(super) fine: bool,
    /// The headers that its mapping set, as names and values.
    pub(super) headers: Vec<(String, String)>,
    pub(super) aside: Aside,
}

/// Calls a tool. A valid call goes to the handler. An invalid call is reported to the handler,
/// which records and counts it like any other failure. A caller without the right learns nothing
/// about the tool's arguments.
pub(super) async fn call(message: &Message, offered: &Offered, parts: &Parts) -> Called {
    let Message { gateway, peer, identity, arguments, .. } = message;
    let failure = match prepare(gateway, offered, arguments.as_deref()) {
        Ok(call) => return called(handle(gateway, peer, request(parts, &offered.tool, call)).await).await,
        Err(failure) => failure,
    };
    let entry = gateway.operation(offered.api, offered.operation);
    let refusal = match gateway.security.would_admit(entry.guard, peer, identity.as_ref()) {
        Ok(()) => Refusal { failure, headers: Vec::new(), identity: identity.clone() },
        Err(refusal) => refusal,
    };
    let parts = as_operation(parts, &offered.tool);
    let response = turn_away_from(Arrival { gateway, peer, parts: &parts }, entry, refusal).await;
    called(response).await
}

/// The head of an invalid call, which has no own path. Records and the log then have the
/// operation's path, `/items/{id}`.
fn as_operation(parts: &Parts, tool: &Tool) -> Parts {
    let (method, path) = tool.operation();
    let mut parts = parts.clone();
    parts.method = method.clone();
    if let Ok(target) = Uri::try_from(path) {
        parts.uri = target;
    }
    parts
}

/// The request of a call, if it leads to the tool's own operation. Beside `/items/{id}` there may
/// be `/items/all`, which may not be a tool.
fn prepare(gateway: &Gateway, offered: &Offered, arguments: Option<&str>) -> Result<Call, Failure> {
    let call = offered.tool.call(arguments)?;
    match gateway.router.route(&call.method, call.target.path()) {
        Route::Operation { api, index, .. } if (api, index) == (offered.api, offered.operation) => Ok(call),
        _ => {
            Err(Failure::with_details(Code::BadParameter, "the arguments make the path of another operation"))
        }
    }
}

/// The request, with the headers that identify and trace the caller.
fn request(parts: &Parts, tool: &Tool, call: Call) -> Request<Full<Bytes>> {
    let Call { method, target, headers, body } = call;
    let mut request = Request::new(Full::new(body.clone()));
    *request.method_mut() = method;
    *request.uri_mut() = target;
    *request.version_mut() = parts.version;
    let own = request.headers_mut();
    for (name, value) in &parts.headers {
        let of_protocol = headers::stays_with_message(name.as_str()) || name.as_str().starts_with("mcp-");
        if !of_protocol && !tool.headers().any(|set| set == name) {
            own.append(name, value.clone());
        }
    }
    own.extend(headers);
    if !body.is_empty() {
        own.insert(CONTENT_TYPE, HeaderValue::from_static(failure::JSON));
    }
    request
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The answer as a result. An answer that demands other credentials goes out over HTTP, where
/// clients look for it.
async fn called(response: Response<Full<Bytes>>) -> Called {
    if response.headers().contains_key(WWW_AUTHENTICATE) {
        let aside = Aside { instead: Some(response), ..Aside::default() };
        return Called { text: String::new(), fine: false, headers: Vec::new(), aside };
    }
    let (head, body) = response.into_parts();
    let Ok(body) = body.collect().await;
    let mut text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
    let fine = head.status.is_success();
    // A model sees no status: a failure without a body would tell it nothing.
    if !fine && text.is_empty() {
        text = format!("status {}", head.status);
    }
    let mut aside = Aside { headers: kept(&head.headers), ..Aside::default() };
    // The schema of answers does not apply to failures. Before 2026-07-28 only objects are
    // structured.
    if fine && text.starts_with('{') {
        aside.members.push(("structuredContent", text.clone()));
    }
    Called { text, fine, headers: told(&head.headers), aside }
}

/// The answer's headers that its mapping set, without those of the gateway and of HTTP. Cookies are
/// for browsers.
fn told(headers: &HeaderMap) -> Vec<(String, String)> {
    let told = headers.iter().filter(|(name, _)| !NOT_TOLD.contains(name));
    let text = |value: &HeaderValue| String::from_utf8(value.as_bytes().to_vec()).ok();
    told.filter_map(|(name, value)| Some((name.as_str().to_owned(), text(value)?))).collect()
}

const NOT_TOLD: [HeaderName; 6] = [CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, REQUEST_ID, SET_COOKIE, VARY];

/// The answer's headers that the caller of a tool gets, too.
fn kept(headers: &HeaderMap) -> HeaderMap {
    let kept = [RETRY_AFTER, REQUEST_ID].into_iter();
    kept.filter_map(|name| headers.get(&name).cloned().map(|value| (name, value))).collect()
}
