//! The parts of a gateway, loaded from its files.

use pipeline::By;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ::mcp::Tool;
use api::{Api, Router};
use conversion::Conversion;
use interceptor::policy::RuleSet;
use metrics::MetricsSettings;
use record::Bind;
use remote::Connection;
use requesters::{Requester, WebClient};
use security::{Cors, Limiter};
use serde::Deserialize;
use service::Service;
use soap::{TextEncoding, Versions};

use crate::gateway::{Gateway, Serving};
use crate::messaging::MessagingSettings;
use admission::{ApiGuard, Security, keep_limiter};
use recording::chains::InterceptorSettings;
use recording::traces::TraceSettings;

/// All parts of a gateway.
#[derive(Debug)]
pub struct GatewaySettings {
    /// The optional measurements.
    pub metrics: MetricsSettings,
    /// The settings of the log.
    pub log: LogSection,
    /// Limits for each client.
    pub limits: Limits,
    /// The APIs, in the router's order.
    pub apis: Vec<LoadedApi>,
    /// The web services, each with the index of its API.
    pub web_services: Vec<LoadedWebService>,
    /// The paths of programs that answer requests themselves, each with the index of its API.
    pub uri_maps: Vec<LoadedUriMap>,
    /// Leads paths to operations of APIs.
    pub router: Router,
    /// Services by name.
    pub services: BTreeMap<String, RunningService>,
    /// Connections to remote servers by name.
    pub connections: BTreeMap<String, Arc<Connection>>,
    /// API requesters by name.
    pub requesters: BTreeMap<String, Requester>,
    /// The servers that programs may call with EXEC CICS WEB.
    pub web_client: Arc<WebClient>,
    /// Decides who is admitted.
    pub security: Security,
    /// The interceptors, in the order of the APIs.
    pub interceptors: InterceptorSettings,
    /// The settings of traces; none without traces.
    pub traces: Option<TraceSettings>,
    /// The operations that are tools; none without tools.
    pub mcp: Option<McpSettings>,
    /// The messaging interface of the queue manager; none without one.
    pub messaging: Option<MessagingSettings>,
    /// The binds by which programs transform records, by name.
    pub transforms: BTreeMap<String, Arc<Bind>>,
    /// Which gateway serves now, over all configurations.
    pub serving: Arc<Serving>,
}

impl GatewaySettings {
    /// Takes over unchanged parts. Call it before serving.
    pub fn inherit(&mut self, before: &Gateway) {
        self.security.inherit(&before.security);
        self.serving = Arc::clone(&before.serving);
        if let (Some(messaging), Some(desk)) = (&mut self.messaging, &before.desk) {
            messaging.confirmed = Arc::clone(desk.confirmed());
        }
        if let (Some(mcp), Some(running)) = (&mut self.mcp, &before.mcp) {
            keep_limiter(&mut mcp.limiter, running.limiter());
        }
        for LoadedApi { api, guard, .. } in &mut self.apis {
            let Some(entry) = before.apis.iter().find(|entry| entry.api.name() == api.name()) else {
                continue;
            };
            let same = |id: &str| entry.api.operations().iter().position(|other| other.id() == id);
            let operations = api.operations().iter().map(|operation| same(operation.id()));
            guard.inherit(&entry.guard, operations);
        }
    }
}

/// A loaded API.
#[derive(Debug)]
pub struct LoadedApi {
    /// The API.
    pub api: Api,
    /// Its guard.
    pub guard: ApiGuard,
    /// Its policy; none if there is none.
    pub policy: Option<Arc<RuleSet>>,
}

impl LoadedApi {
    /// Joins APIs with their guards and policies.
    #[must_use]
    pub fn all(apis: Vec<Api>, guards: Vec<ApiGuard>, policies: Vec<Option<Arc<RuleSet>>>) -> Vec<Self> {
        let apis = apis.into_iter().zip(guards).zip(policies);
        apis.map(|((api, guard), policy)| Self { api, guard, policy }).collect()
    }
}

/// A loaded web service.
#[derive(Debug)]
pub struct LoadedWebService {
    /// The index of its API.
    pub api: usize,
    /// Its operations.
    pub service: soap::WebService,
    /// The programs that see its messages; none if there are none.
    pub pipeline: Option<LoadedPipeline>,
}

/// A path whose requests a program answers itself, loaded.
#[derive(Debug)]
pub struct LoadedUriMap {
    /// The index of its API.
    pub api: usize,
    /// Its name.
    pub name: String,
    /// The path; with `*` at its end, all paths that begin so.
    pub path: String,
    /// The host of its requests; none for all hosts.
    pub host: Option<String>,
    /// The character set of text for which nothing else names one.
    pub charset: String,
    /// Reaches the program.
    pub service: Arc<Service>,
}

/// A loaded pipeline of a web service.
#[derive(Clone, Debug)]
pub struct LoadedPipeline {
    /// Its name.
    pub name: String,
    /// The contents of its file.
    pub pipeline: Arc<pipeline::Pipeline>,
    /// Runs its programs.
    pub programs: Arc<dyn service::ProgramRunner>,
    /// The transaction of its task.
    pub transaction: String,
    /// The longest time for a service's answer, beside its own limit.
    pub response_wait: Duration,
    /// The users under whom handlers may run services (DFHWS-USERID).
    pub users: Vec<String>,
}

impl LoadedPipeline {
    /// True if a program of the pipeline sees this message. The message's header blocks are only
    /// read if all programs of the pipeline depend on header blocks.
    pub(crate) fn sees(
        &self,
        by: By<'_>,
        (text, encoding): (&str, TextEncoding),
        versions: Versions,
    ) -> bool {
        if !self.pipeline.calls_nobody(by, std::iter::empty()) {
            return true;
        }
        if self.pipeline.programs().next().is_none() || !text.contains("Header") {
            return false;
        }
        // The next reader reports faults of the message.
        let Ok(cursor) = soap::cursor(text, encoding) else { return false };
        let names = soap::header_names(cursor, versions).unwrap_or_default();
        let names = names.iter().map(|(namespace, name)| (namespace.as_str(), name.as_str()));
        !self.pipeline.calls_nobody(by, names)
    }
}

/// A service with its conversion, for direct calls without an API.
#[derive(Clone, Debug)]
pub struct RunningService {
    /// The service.
    pub service: Arc<Service>,
    /// Converts JSON into payloads and back.
    pub conversion: Conversion,
    /// The name of its provider in z/OS Connect, if known.
    pub zos_provider: Option<String>,
}

/// Running tools.
#[derive(Debug)]
pub struct McpSettings {
    /// The path of messages.
    pub path: String,
    /// A URL with scheme and host.
    pub resource: Option<String>,
    /// The text about all tools that a client gives to its model.
    pub instructions: Option<String>,
    /// The web pages that may send messages.
    pub cors: Cors,
    /// The limiter of messages; none if they are not limited.
    pub limiter: Option<Arc<Limiter>>,
    /// The issuers of tokens, as URLs.
    pub issuers: Vec<String>,
    /// All scopes that any tool needs.
    pub scopes: Vec<String>,
    /// The tools, in their order.
    pub tools: Vec<Offered>,
}

/// An operation that is a tool.
#[derive(Debug)]
pub struct Offered {
    /// The index of the API.
    pub api: usize,
    /// The index of the operation in its API.
    pub operation: usize,
    /// The tool.
    pub tool: Tool,
}

/// `[log]`: the output to standard error.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSection {
    /// The form of the lines, for people or for programs.
    pub format: LogFormat,
    /// True if every answer has the id of its request, not only those of failures.
    pub return_request_id: bool,
}

/// `format`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line, with the id of its request.
    Json,
}

/// `[limits]`: limits for each client.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// The most bytes of a request body.
    pub request_body_max_bytes: usize,
    /// The most connections at one time, over all listeners. More wait in the listen queue.
    pub connections_max: usize,
    /// The most connections at one time from one address. More are closed at once.
    pub connections_per_address_max: usize,
    /// The most headers of a request.
    pub header_count_max: usize,
    /// The most bytes of a request's line and headers together.
    pub header_max_bytes: usize,
    /// The time for the line and headers of a request, and between requests of one connection.
    pub header_read_timeout_ms: u64,
    /// The time for a request body.
    pub body_read_timeout_ms: u64,
    /// The time in which the client must take 4 KiB of an answer, or all of its rest.
    pub response_write_timeout_ms: u64,
    /// The most bytes of answers that wait for their clients, over all connections.
    pub response_waiting_max_bytes: usize,
    /// The most bytes of a service's record. A request's record is made at its full length.
    pub record_max_bytes: usize,
    /// Time for a TLS handshake.
    pub tls_handshake_timeout_ms: u64,
    /// The most requests at one time on an HTTP/2 connection.
    pub http2_streams_max: u32,
    /// The most streams of an HTTP/2 connection that may end because the client does not take their
    /// answers. One more ends the connection.
    pub http2_stalled_streams_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_body_max_bytes: 1024 * 1024,
            connections_max: 10_000,
            connections_per_address_max: 1_000,
            header_count_max: 100,
            header_max_bytes: 64 * 1024,
            header_read_timeout_ms: 30_000,
            body_read_timeout_ms: 10_000,
            response_write_timeout_ms: 30_000,
            response_waiting_max_bytes: 64 * 1024 * 1024,
            record_max_bytes: 1024 * 1024,
            tls_handshake_timeout_ms: 10_000,
            http2_streams_max: 200,
            http2_stalled_streams_max: 8,
        }
    }
}
