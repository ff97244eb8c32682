//! What a gateway is made of, as it was loaded from its files.

use std::collections::BTreeMap;
use std::sync::Arc;

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

use crate::config::RegionPlan;
use crate::gateway::Gateway;
use admission::{ApiGuard, Security};
use recording::chains::InterceptorSettings;
use recording::traces::TraceSettings;
use settings::Problems;

/// All that a gateway is made of.
#[derive(Debug)]
pub(crate) struct GatewaySettings {
    pub(crate) metrics: MetricsSettings,
    pub(crate) log: LogSection,
    pub(crate) limits: Limits,
    pub(crate) apis: Vec<LoadedApi>,
    pub(crate) router: Router,
    pub(crate) services: BTreeMap<String, RunningService>,
    pub(crate) connections: BTreeMap<String, Arc<Connection>>,
    pub(crate) requesters: BTreeMap<String, Requester>,
    pub(crate) security: Security,
    pub(crate) interceptors: InterceptorSettings,
    /// How requests are traced; none if they are not.
    pub(crate) traces: Option<TraceSettings>,
    /// The operations that are tools; none if there are no tools at all.
    pub(crate) mcp: Option<McpSettings>,
    /// Where programs run; none if no service needs one.
    pub(crate) region: Option<RegionPlan>,
    /// How programs transform records, by name.
    pub(crate) transforms: BTreeMap<String, Arc<Bind>>,
    /// What does not prevent serving, but should be known.
    pub(crate) warnings: Problems,
}

impl GatewaySettings {
    /// Takes over what has not changed; to be called before anybody is served.
    pub(crate) fn inherit(&mut self, before: &Gateway) {
        self.security.inherit(&before.security);
        if let (Some(plan), Some(region)) = (&mut self.region, &before.region) {
            plan.inherit(region);
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
pub(crate) struct LoadedApi {
    pub(crate) api: Api,
    /// What guards it.
    pub(crate) guard: ApiGuard,
    /// None where no policy holds.
    pub(crate) policy: Option<Arc<RuleSet>>,
}

/// A service with what turns its JSON into records and back, for calls that no API stands in front of.
#[derive(Clone, Debug)]
pub(crate) struct RunningService {
    pub(crate) service: Arc<Service>,
    pub(crate) conversion: Conversion,
    /// What z/OS Connect calls its provider, if that is known.
    pub(crate) zos_provider: Option<String>,
}

/// Tools as they run.
#[derive(Debug)]
pub(crate) struct McpSettings {
    pub(crate) path: String,
    /// A URL with scheme and host.
    pub(crate) resource: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) cors: Cors,
    /// Of messages; none if they are not counted.
    pub(crate) limiter: Option<Limiter>,
    /// Who issues tokens, as URLs.
    pub(crate) issuers: Vec<String>,
    /// All scopes that some tool needs.
    pub(crate) scopes: Vec<String>,
    pub(crate) tools: Vec<Offered>,
}

/// An operation that is a tool.
#[derive(Debug)]
pub(crate) struct Offered {
    /// The API's place among all.
    pub(crate) api: usize,
    /// The operation's place in its API.
    pub(crate) operation: usize,
    pub(crate) tool: Tool,
}

/// `[log]`: what goes to standard error.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LogSection {
    pub(crate) format: LogFormat,
    /// Every answer has the id of its request, not only those of failures.
    pub(crate) return_request_id: bool,
}

/// `format`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object a line, with the id of the request that it is about.
    Json,
}

/// `[limits]`: what one client can make the gateway hold.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// Bytes of a request body.
    pub(crate) request_body_max_bytes: usize,
    /// Connections at one time, over all listeners; more wait in the listen queue.
    pub(crate) connections_max: usize,
    /// Connections at one time from one address; more are closed at once.
    pub(crate) connections_per_address_max: usize,
    /// Headers of a request.
    pub(crate) header_count_max: usize,
    /// Bytes of a request's line and headers together.
    pub(crate) header_max_bytes: usize,
    /// Time for the line and headers of a request, and between requests of one connection.
    pub(crate) header_read_timeout_ms: u64,
    /// Time for a request body.
    pub(crate) body_read_timeout_ms: u64,
    /// Time in which the client must take some of an answer: `response_write_min_bytes`, or all that is left.
    pub(crate) response_write_timeout_ms: u64,
    /// Bytes of an answer that the client must take in that time.
    pub(crate) response_write_min_bytes: usize,
    /// Bytes of answers that wait for their clients, over all connections.
    pub(crate) response_waiting_max_bytes: usize,
    /// Bytes of a service's longest record; a request's record is made at its full length.
    pub(crate) record_max_bytes: usize,
    /// Time for a TLS handshake.
    pub(crate) tls_handshake_timeout_ms: u64,
    /// Requests at one time on an HTTP/2 connection.
    pub(crate) http2_streams_max: u32,
    /// Streams of an HTTP/2 connection that end because the client does not take their answers; with one more, the
    /// connection ends.
    pub(crate) http2_stalled_streams_max: usize,
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
            response_write_min_bytes: 4096,
            response_waiting_max_bytes: 64 * 1024 * 1024,
            record_max_bytes: 1024 * 1024,
            tls_handshake_timeout_ms: 10_000,
            http2_streams_max: 200,
            http2_stalled_streams_max: 8,
        }
    }
}
