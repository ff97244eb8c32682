//! Operations as tools of the Model Context Protocol (MCP), over streamable HTTP without sessions.
//!
//! A message of MCP comes in as any request does, and rmcp answers it. A call of a tool becomes a request to
//! `handler::handle` with the caller's own headers. So identity, roles, scopes, limits, log and metrics are those of
//! REST, and are decided in one place. `tools/list` asks the same guards whom they would let in.
//!
//! rmcp does not see values. Arguments and answers pass beside it as text (`exchange.rs`), because it keeps values as
//! trees of `serde_json`, which round numbers.
//!
//! `api::OperationDescription` says what a tool takes and answers. It is the same for both kinds of operation. For a
//! `Flow` it comes from `contract::SchemaReader`, which puts what references lead to in their places. It gives names
//! only to what has no end or is long.
//!
//! There are no sessions. So a client leaves nothing behind, and a changed configuration shows with the next message.

mod authorization;
mod call;
mod exchange;
mod server;

use std::fmt;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use failure::{Code, Failure, JSON};
use http::header::{ALLOW, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Body;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use security::{Cors, Identity, Limiter, Preflight};

use crate::config::{Limits, McpSettings, Offered};
use crate::gateway::Gateway;
use crate::handler::{check_head, collect, preflight, turn_away};
use crate::security::{Peer, Refusal};
use authorization::Resource;
use exchange::Exchange;
use server::Server;

/// What every path of MCP is answered with.
pub(crate) struct Mcp {
    path: String,
    cors: Cors,
    /// Of messages, whatever they ask for; none if they are not counted.
    limiter: Option<Limiter>,
    resource: Resource,
    tools: Arc<[Offered]>,
    service: StreamableHttpService<Server, NeverSessionManager>,
}

impl fmt::Debug for Mcp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mcp").field("path", &self.path).field("tools", &self.tools).finish_non_exhaustive()
    }
}

impl Mcp {
    pub(crate) fn new(settings: McpSettings, limits: &Limits) -> Self {
        let McpSettings { path, resource, instructions, cors, limiter, issuers, scopes, tools } = settings;
        let tools: Arc<[Offered]> = tools.into();
        let server = Server::new(Arc::clone(&tools), instructions);
        // Origins are checked before a message comes here, and a page of another host has another origin.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(limits.request_body_max_bytes)
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let service = StreamableHttpService::new(
            move || Ok(server.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        let resource = Resource::new(&path, resource, issuers, scopes);
        Self { path, cors, limiter, resource, tools, service }
    }

    /// True for a path that is answered here.
    pub(crate) fn has(&self, path: &str) -> bool {
        path == self.path || self.resource.has(path)
    }

    /// Answers one request. It never fails: what goes wrong becomes an answer too.
    pub(crate) async fn answer<B>(
        &self,
        gateway: &Arc<Gateway>,
        peer: &Arc<Peer>,
        request: Request<B>,
    ) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes>,
        B::Error: Display,
    {
        let (parts, body) = request.into_parts();
        if let Err(failure) = check_head(gateway, peer, &parts) {
            return failed(gateway, peer, &parts, failure).await;
        }
        if parts.uri.path() != self.path {
            return self.resource.answer(gateway, peer, &parts).await;
        }
        // Any page can have a browser send requests to this machine, so it is asked before anything is done.
        if !self.cors.allows(&parts.headers) {
            return failed(gateway, peer, &parts, Failure::new(Code::CorsRefused)).await;
        }
        if parts.method != Method::POST {
            return self.wrong_method(gateway, peer, &parts).await;
        }
        let mut cors = HeaderMap::new();
        self.cors.answer(&parts.headers, &mut cors);
        let challenge = self.resource.challenge(peer, &parts);
        let mut response = self.message(gateway, peer, (parts, body)).await;
        if let Some(challenge) = challenge {
            challenge.complete(response.headers_mut());
        }
        response.headers_mut().extend(cors);
        response
    }

    /// There are no streams and no sessions, so that there is nothing to GET and nothing to DELETE.
    async fn wrong_method(&self, gateway: &Gateway, peer: &Peer, parts: &Parts) -> Response<Full<Bytes>> {
        if parts.method == Method::OPTIONS {
            match self.cors.preflight(&parts.headers, Method::POST.as_str()) {
                Preflight::Allowed(headers) => return preflight(headers),
                Preflight::Refused => {
                    return failed(gateway, peer, parts, Failure::new(Code::CorsRefused)).await;
                }
                Preflight::Not => {}
            }
        }
        let mut response = failed(gateway, peer, parts, Failure::new(Code::WrongMethod)).await;
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        response
    }

    /// Answers one message: who sends it, what it is, and rmcp's answer with the values that passed beside it.
    async fn message<B>(
        &self,
        gateway: &Arc<Gateway>,
        peer: &Arc<Peer>,
        (mut parts, body): (Parts, B),
    ) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes>,
        B::Error: Display,
    {
        let identity = match self.enter(gateway, peer, &parts.headers).await {
            Ok(identity) => identity,
            Err(refusal) => return turn_away(gateway, peer, &parts, refusal).await,
        };
        // What it counts lasts until the answer.
        let counted =
            self.limiter.as_ref().map(|limiter| gateway.security.count(limiter, peer, identity.as_ref()));
        let _permit = match counted.transpose() {
            Ok(permit) => permit,
            Err(refusal) => return turn_away(gateway, peer, &parts, refusal).await,
        };
        let body = match read(gateway, &parts, body).await {
            Ok(body) => body,
            Err(failure) => {
                let refusal = Refusal { failure, headers: Vec::new(), identity };
                return turn_away(gateway, peer, &parts, refusal).await;
            }
        };
        let arguments = match mcp::arguments(&body) {
            Ok(arguments) => arguments.map(str::to_owned),
            Err(error) => return protocol_error(error.code(), &error.to_string()),
        };
        let exchange = Exchange::new(Arc::clone(gateway), Arc::clone(peer), identity, arguments);
        let exchange = Arc::new(exchange);
        parts.extensions.insert(Arc::clone(&exchange));
        let response = self.service.handle(Request::from_parts(parts, Full::new(body))).await;
        let (head, body) = response.into_parts();
        let Ok(body) = body.collect().await;
        exchange.complete(head, body.to_bytes())
    }

    /// Finds out who sends a message. Nobody may who is not known, unless there is a tool that such a one may call.
    async fn enter(
        &self,
        gateway: &Gateway,
        peer: &Peer,
        headers: &HeaderMap,
    ) -> Result<Option<Arc<Identity>>, Refusal> {
        let identity = gateway.security.identify(peer, headers).await?;
        if identity.is_none() {
            let mut refusal = None;
            for Offered { api, operation, .. } in &*self.tools {
                let guard = gateway.operation(*api, *operation).guard;
                match gateway.security.would_admit(guard, peer, None) {
                    Ok(()) => return Ok(None),
                    // To be known may help; where it does not, TLS is missing for all tools.
                    Err(found) => refusal = refusal.filter(Refusal::asks_who).or(Some(found)),
                }
            }
            refusal.map_or(Ok(()), Err)?;
        }
        Ok(identity)
    }
}

/// Reads a message, within the limits of size and time of all bodies.
async fn read<B>(gateway: &Gateway, parts: &Parts, body: B) -> Result<Bytes, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    if parts.headers.contains_key(CONTENT_ENCODING) {
        return Err(Failure::with_details(Code::WrongContentType, "content-encoding is not supported"));
    }
    let time = Duration::from_millis(gateway.limits.body_read_timeout_ms);
    let read = tokio::time::timeout(time, collect(body, gateway.limits.request_body_max_bytes)).await;
    read.unwrap_or_else(|_| Err(Failure::new(Code::BodyTimeout)))
}

/// The answer to a request that fails before it is known who sends it.
async fn failed(gateway: &Gateway, peer: &Peer, parts: &Parts, failure: Failure) -> Response<Full<Bytes>> {
    turn_away(gateway, peer, parts, Refusal::new(failure)).await
}

/// The answer to what is no message.
fn protocol_error(code: i32, message: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(mcp::error_message(code, message))));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}
