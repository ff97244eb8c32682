//! Operations as tools of the Model Context Protocol (MCP), over streamable HTTP without sessions.
//!
//! A message of MCP takes the steps of every request, and rmcp answers it. A call of a tool becomes
//! a request to `handler::handle` with the caller's own headers. So identity, roles, scopes,
//! limits, log and metrics work as in REST. `tools/list` asks the same guards which tools the
//! caller may use.
//!
//! rmcp does not see values. Arguments and answers pass beside it as text (`message.rs`), because
//! its trees of `serde_json` round numbers.
//!
//! `api::OperationDescription` describes the input and the output of a tool, for both kinds of
//! operation. For a `Flow` it comes from `contract::SchemaReader`. That replaces references by
//! their targets. Only recursive or long parts keep names.
//!
//! There are no sessions. So a client leaves nothing behind, and a changed configuration takes
//! effect with the next message.

mod authorization;
mod call;
mod message;
mod server;

use std::fmt;
use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use failure::{Code, Failure, JSON};
use http::header::{ALLOW, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Body;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use security::{Cors, Identity, Limiter, Permit, Preflight};

use crate::gateway::Gateway;
use crate::handler::{
    Arrival, Ending, Exchange, Front, check_head, ended, failed, preflight, receive_any, run,
};
use crate::loaded::{Limits, McpSettings, Offered};
use admission::{Peer, Refusal};
use authorization::{Challenge, Resource};
use message::Message;
use server::Server;

/// Answers the paths of MCP.
pub(crate) struct Mcp {
    path: String,
    cors: Cors,
    /// The limiter of all messages; none if they are not limited.
    limiter: Option<Arc<Limiter>>,
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
        // Origins are checked before a message comes here. A page of another host has another
        // origin.
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

    /// The limiter of messages, for the configuration that follows.
    pub(crate) fn limiter(&self) -> Option<&Arc<Limiter>> {
        self.limiter.as_ref()
    }

    /// True for a path of MCP.
    pub(crate) fn has(&self, path: &str) -> bool {
        path == self.path || self.resource.has(path)
    }

    /// Answers one request. It never fails, because a failure also becomes an answer.
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
        let exchange = Exchange::begin(Arrival { gateway, peer, parts: &parts });
        let mut asked =
            Asked { mcp: self, gateway, peer, exchange, body: Some(body), challenge: None, cors: None };
        let mut response = run(&mut asked).await;
        // Calls of tools are reported as separate requests.
        if asked.exchange.has_failed() {
            asked.exchange.end(&response, None).await;
        }
        if let Some(challenge) = asked.challenge {
            challenge.complete(response.headers_mut());
        }
        response.headers_mut().extend(asked.cors.unwrap_or_default());
        response
    }

    /// Authenticates the sender of a message. An unknown sender is refused, unless an unknown
    /// caller may call some tool.
    async fn enter(&self, arrival: Arrival<'_>) -> Result<Option<Arc<Identity>>, Refusal> {
        let Arrival { gateway, peer, parts } = arrival;
        let identity = gateway.security.identify(peer, &parts.headers).await?;
        if identity.is_none() {
            let mut refusal = None;
            for Offered { api, operation, .. } in &*self.tools {
                let guard = gateway.operation(*api, *operation).guard;
                match gateway.security.would_admit(guard, peer, None) {
                    Ok(()) => return Ok(None),
                    // Credentials may help. If not, all tools need TLS.
                    Err(found) => refusal = refusal.filter(Refusal::asks_who).or(Some(found)),
                }
            }
            refusal.map_or(Ok(()), Err)?;
        }
        Ok(identity)
    }
}

/// A request for MCP: a message, or the question where to get a token. Each call of a tool in it is
/// a separate request, with its own interceptors.
struct Asked<'r, B> {
    mcp: &'r Mcp,
    gateway: &'r Arc<Gateway>,
    peer: &'r Arc<Peer>,
    exchange: Exchange<'r>,
    /// None after it has been read.
    body: Option<B>,
    /// The additional part of challenges in the answer to a message.
    challenge: Option<Challenge>,
    /// Headers for pages in the answer to a message.
    cors: Option<HeaderMap>,
}

impl<B> Asked<'_, B> {
    fn wrong_method(&mut self, allow: &'static str) -> Ending {
        let mut response = failed(&mut self.exchange, &Failure::new(Code::WrongMethod));
        response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
        Ending::answered(response)
    }
}

impl<'r, B> Front for Asked<'r, B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    type Place = ();
    type Admitted = Option<Permit<'r>>;
    type Input = Bytes;
    type Output = Response<Full<Bytes>>;
    type Stop = Ending;
    type Answer = Response<Full<Bytes>>;

    fn check_head(&mut self) -> Result<(), Ending> {
        Ok(check_head(self.exchange.arrival())?)
    }

    /// Only a message goes on. There are no streams and no sessions, so GET and DELETE have no use.
    async fn route(&mut self) -> Result<(), Ending> {
        let Self { mcp, exchange, .. } = self;
        let Arrival { peer, parts, .. } = exchange.arrival();
        if parts.uri.path() != mcp.path {
            if parts.method != Method::GET && parts.method != Method::HEAD {
                return Err(self.wrong_method("GET, HEAD"));
            }
            return Err(Ending::answered(mcp.resource.answer(peer, parts)?));
        }
        // Any page can make a browser send requests to this machine, so check the origin first.
        if !mcp.cors.allows(&parts.headers) {
            return Err(Failure::new(Code::CorsRefused).into());
        }
        if parts.method == Method::OPTIONS {
            match mcp.cors.preflight(&parts.headers, Method::POST.as_str()) {
                Preflight::Allowed(headers) => return Err(Ending::answered(preflight(headers))),
                Preflight::Refused(why) => return Err(Failure::with_details(Code::CorsRefused, why).into()),
                Preflight::Not => {}
            }
        }
        if parts.method != Method::POST {
            return Err(self.wrong_method("POST"));
        }
        let mut cors = HeaderMap::new();
        mcp.cors.answer(&parts.headers, &mut cors);
        self.cors = Some(cors);
        self.challenge = mcp.resource.challenge(peer, parts);
        Ok(())
    }

    async fn admit(&mut self, (): &()) -> Result<Option<Permit<'r>>, Ending> {
        let arrival = self.exchange.arrival();
        let identity = self.mcp.enter(arrival).await.map_err(Ending::Refused)?;
        let Arrival { gateway, peer, .. } = arrival;
        let limiter = self.mcp.limiter.as_deref();
        let counted = limiter.map(|limiter| gateway.security.count(limiter, peer, identity.as_ref()));
        let permit = counted.transpose().map_err(Ending::Refused)?;
        self.exchange.set_identity(identity);
        Ok(permit)
    }

    async fn read(&mut self, (): &()) -> Result<Bytes, Ending> {
        let Some(body) = self.body.take() else { return Ok(Bytes::new()) };
        // rmcp checks the content type.
        Ok(receive_any(self.exchange.arrival(), body, true).await?)
    }

    /// Gives the message to rmcp, and adds the values that pass beside it to the answer.
    async fn call(&mut self, (): (), body: Bytes) -> Result<Response<Full<Bytes>>, Ending> {
        let arguments = match mcp::arguments(&body) {
            Ok(arguments) => arguments.map(str::to_owned),
            Err(error) => return Err(Ending::answered(protocol_error(error.code(), &error.to_string()))),
        };
        let (gateway, peer) = (Arc::clone(self.gateway), Arc::clone(self.peer));
        let message = Arc::new(Message::new(gateway, peer, self.exchange.identity().cloned(), arguments));
        let mut parts = self.exchange.arrival().parts.clone();
        parts.extensions.insert(Arc::clone(&message));
        let response = self.mcp.service.handle(Request::from_parts(parts, Full::new(body))).await;
        let (head, body) = response.into_parts();
        let Ok(body) = body.collect().await;
        Ok(message.complete(head, body.to_bytes()))
    }

    fn succeed(&mut self, response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
        response
    }

    fn fail(&mut self, ending: Ending) -> Response<Full<Bytes>> {
        let span = self.exchange.log_span();
        span.in_scope(|| ended(&mut self.exchange, ending))
    }
}

/// The answer to an invalid message.
fn protocol_error(code: i32, message: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(mcp::error_message(code, message))));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}
