//! What a gateway is made of, as it was loaded from its files.

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
use requesters::Requester;
use security::{Cors, Limiter};
use serde::Deserialize;
use service::Service;
use soap::{TextEncoding, Versions};

use crate::gateway::Gateway;
use crate::messaging::MessagingSettings;
use admission::{ApiGuard, Security};
use recording::chains::InterceptorSettings;
use recording::traces::TraceSettings;

/// All that a gateway is made of.
#[derive(Debug)]
pub struct GatewaySettings {
    /// What is measured.
    pub metrics: MetricsSettings,
    /// What the log has.
    pub log: LogSection,
    /// What one client can make the gateway hold.
    pub limits: Limits,
    /// The APIs, in the router's order.
    pub apis: Vec<LoadedApi>,
    /// The web services, each with its place among the APIs.
    pub web_services: Vec<LoadedWebService>,
    /// Paths lead to the APIs' operations.
    pub router: Router,
    /// Services by name.
    pub services: BTreeMap<String, RunningService>,
    /// Connections to remote servers by name.
    pub connections: BTreeMap<String, Arc<Connection>>,
    /// API requesters by name.
    pub requesters: BTreeMap<String, Requester>,
    /// Who is let in.
    pub security: Security,
    /// Who is asked before calls and told after them, in the order of the APIs.
    pub interceptors: InterceptorSettings,
    /// How requests are traced; none if they are not.
    pub traces: Option<TraceSettings>,
    /// The operations that are tools; none if there are no tools at all.
    pub mcp: Option<McpSettings>,
    /// The messaging interface of the queue manager; none if there is none.
    pub messaging: Option<MessagingSettings>,
    /// How programs transform records, by name.
    pub transforms: BTreeMap<String, Arc<Bind>>,
}

impl GatewaySettings {
    /// Takes over what has not changed; to be called before anybody is served.
    pub fn inherit(&mut self, before: &Gateway) {
        self.security.inherit(&before.security);
        if let (Some(messaging), Some(desk)) = (&mut self.messaging, &before.desk) {
            messaging.confirmed = Arc::clone(desk.confirmed());
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

/// An API as it was loaded.
#[derive(Debug)]
pub struct LoadedApi {
    /// The API.
    pub api: Api,
    /// What guards it.
    pub guard: ApiGuard,
    /// None where no policy holds.
    pub policy: Option<Arc<RuleSet>>,
}

impl LoadedApi {
    /// APIs with what guards each, and their policies.
    #[must_use]
    pub fn all(apis: Vec<Api>, guards: Vec<ApiGuard>, policies: Vec<Option<Arc<RuleSet>>>) -> Vec<Self> {
        let apis = apis.into_iter().zip(guards).zip(policies);
        apis.map(|((api, guard), policy)| Self { api, guard, policy }).collect()
    }
}

/// A web service as it was loaded.
#[derive(Debug)]
pub struct LoadedWebService {
    /// The place among the APIs of the one that stands for it.
    pub api: usize,
    /// What it takes and answers.
    pub service: soap::WebService,
    /// The programs that see its messages; none if there are none.
    pub pipeline: Option<LoadedPipeline>,
}

/// A pipeline as it was loaded, for one web service.
#[derive(Clone, Debug)]
pub struct LoadedPipeline {
    /// Its name.
    pub name: String,
    /// What its file says.
    pub pipeline: Arc<pipeline::Pipeline>,
    /// Who runs its programs.
    pub programs: Arc<dyn service::ProgramRunner>,
    /// The transaction of its task.
    pub transaction: String,
    /// How long a service may take to answer, beside its own limit.
    pub response_wait: Duration,
    /// The users as whom handlers may have services run (DFHWS-USERID).
    pub users: Vec<String>,
}

impl LoadedPipeline {
    /// True if a program of the pipeline sees this message. Only if it has programs for some header blocks alone, the message is
    /// asked for its own.
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
        // What is wrong with the message is told by whoever reads it next.
        let Ok(cursor) = soap::cursor(text, encoding) else { return false };
        let names = soap::header_names(cursor, versions).unwrap_or_default();
        let names = names.iter().map(|(namespace, name)| (namespace.as_str(), name.as_str()));
        !self.pipeline.calls_nobody(by, names)
    }
}

/// A service with what turns its JSON into records and back, for calls that no API stands in front of.
#[derive(Clone, Debug)]
pub struct RunningService {
    /// The service.
    pub service: Arc<Service>,
    /// JSON to payloads and back.
    pub conversion: Conversion,
    /// What z/OS Connect calls its provider, if that is known.
    pub zos_provider: Option<String>,
}

/// Tools as they run.
#[derive(Debug)]
pub struct McpSettings {
    /// Where messages are sent.
    pub path: String,
    /// A URL with scheme and host.
    pub resource: Option<String>,
    /// What a client tells its model about all tools.
    pub instructions: Option<String>,
    /// Which web pages may ask.
    pub cors: Cors,
    /// Of messages; none if they are not counted.
    pub limiter: Option<Limiter>,
    /// Who issues tokens, as URLs.
    pub issuers: Vec<String>,
    /// All scopes that some tool needs.
    pub scopes: Vec<String>,
    /// The tools, in their order.
    pub tools: Vec<Offered>,
}

/// An operation that is a tool.
#[derive(Debug)]
pub struct Offered {
    /// The API's place among all.
    pub api: usize,
    /// The operation's place in its API.
    pub operation: usize,
    /// The tool.
    pub tool: Tool,
}

/// `[log]`: what goes to standard error.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSection {
    /// For people or for programs.
    pub format: LogFormat,
    /// Every answer has the id of its request, not only those of failures.
    pub return_request_id: bool,
}

/// `format`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line, with the id of the request that it is about.
    Json,
}

/// `[limits]`: what one client can make the gateway hold.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Bytes of a request body.
    pub request_body_max_bytes: usize,
    /// Connections at one time, over all listeners; more wait in the listen queue.
    pub connections_max: usize,
    /// Connections at one time from one address; more are closed at once.
    pub connections_per_address_max: usize,
    /// Headers of a request.
    pub header_count_max: usize,
    /// Bytes of a request's line and headers together.
    pub header_max_bytes: usize,
    /// Time for the line and headers of a request, and between requests of one connection.
    pub header_read_timeout_ms: u64,
    /// Time for a request body.
    pub body_read_timeout_ms: u64,
    /// Time in which the client must take some of an answer: 4 KiB, or all that is left.
    pub response_write_timeout_ms: u64,
    /// Bytes of answers that wait for their clients, over all connections.
    pub response_waiting_max_bytes: usize,
    /// Bytes of a service's longest record; a request's record is made at its full length.
    pub record_max_bytes: usize,
    /// Time for a TLS handshake.
    pub tls_handshake_timeout_ms: u64,
    /// Requests at one time on an HTTP/2 connection.
    pub http2_streams_max: u32,
    /// Streams of an HTTP/2 connection that end because the client does not take their answers; with one more, the
    /// connection ends.
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
