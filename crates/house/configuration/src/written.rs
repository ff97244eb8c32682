//! The configuration in its written form: the keys of `gantry.toml`, `services/*.toml` and
//! `apis/*/api.toml`.
//!
//! Unknown keys are refused. [`super::load`] combines the keys.

use std::collections::BTreeMap;

use interface::{InterfaceSection, Scalar};
use queue_config::QueueManagerSection;
use record::Naming;
use region_config::RegionSection;
use remote::config::ConnectionSection;
use requesters::config::HttpSection;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use storage::StoreSection;
use toml::{Spanned, Table};
use web_service::{InterfaceKind, MessagesSection};
use web_services::PipelineSection;

use super::mcp::{McpSection, McpWord};
use super::messaging::MessagingSection;
use super::own_programs::{Gives, OwnPrograms};
use super::uri_maps::UriMapSection;
use crate::kinds::KINDS;
use admission::config::{
    CallLimitsSection, CertificateSection, ClientCertificates, CorsSection, OwnSecuritySection,
    SecuritySection,
};
use gateway::{Limits, LogSection};
use recording::config::{ChainSection, InterceptorSection, TracesSection};

/// `gantry.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GantryFile {
    #[serde(default)]
    pub(crate) server: ServerSection,
    #[serde(default)]
    pub(crate) listener: Vec<ListenerSection>,
    pub(crate) admin: Option<AdminSection>,
    #[serde(default)]
    pub(crate) security: SecuritySection,
    #[serde(default)]
    pub(crate) limits: Limits,
    #[serde(default)]
    pub(crate) interceptor: Vec<Spanned<InterceptorSection>>,
    /// The policy of all APIs that name no other.
    pub(crate) policy: Option<Spanned<String>>,
    /// The code page of COBOL sources and copybooks that are not UTF-8.
    pub(crate) source_ccsid: Option<Spanned<u16>>,
    /// Without this section requests are not traced.
    pub(crate) traces: Option<TracesSection>,
    #[serde(default)]
    pub(crate) metrics: MetricsSection,
    #[serde(default)]
    pub(crate) log: LogSection,
    #[serde(default)]
    pub(crate) mcp: McpSection,
    /// The messaging interface of the queue manager.
    #[serde(default)]
    pub(crate) messaging: MessagingSection,
    /// Providers of services whose own files name none, for example in packages. The key is the
    /// service's name.
    #[serde(default)]
    pub(crate) providers: BTreeMap<Spanned<String>, Spanned<ProviderSection>>,
    /// The store of everything durable.
    #[serde(default)]
    pub(crate) store: StoreSection,
    /// The queue manager, if there is one.
    pub(crate) queue_manager: Option<QueueManagerSection>,
    /// The region for programs, if there are any.
    #[serde(default)]
    pub(crate) region: RegionSection,
    /// The programs in the folder. No key sets them.
    #[serde(skip)]
    pub(crate) own_programs: OwnPrograms,
    /// Pipelines. Web services refer to them by name.
    #[serde(default)]
    pub(crate) pipeline: Vec<PipelineSection>,
    /// Paths whose requests a program answers itself.
    #[serde(default)]
    pub(crate) urimap: Vec<UriMapSection>,
    /// Remote APIs. Services and API requesters refer to them by these names.
    #[serde(default)]
    pub(crate) connections: BTreeMap<Spanned<String>, Spanned<ConnectionSection>>,
}

/// `[server]`: how the process runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServerSection {
    /// The number of worker threads; 0 is one for each core.
    pub(crate) workers: Spanned<usize>,
    /// The time for running requests to end when the gateway stops.
    pub(crate) shutdown_timeout_ms: u64,
    /// The pause between checks of the files for changes; 0 is never.
    pub(crate) reload_poll_ms: u64,
    /// Networks of proxies. Their connections are not counted by address.
    pub(crate) trusted_proxies: Vec<Spanned<String>>,
}

impl Default for ServerSection {
    fn default() -> Self {
        Self {
            workers: Spanned::new(0..0, 0),
            shutdown_timeout_ms: 10_000,
            reload_poll_ms: 1_000,
            trusted_proxies: Vec::new(),
        }
    }
}

/// `[[listener]]`: an address for APIs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListenerSection {
    /// The name of the listener for `named_transport_entry` of a pipeline.
    pub(crate) name: Option<Spanned<String>>,
    pub(crate) address: Spanned<String>,
    pub(crate) tls: Option<TlsSection>,
    /// The host names of the listener. The default is all names if other machines reach it, else
    /// only this machine's.
    pub(crate) hosts: Option<Vec<Spanned<String>>>,
    /// True to allow listening beyond this machine without authentication or without TLS.
    #[serde(default)]
    pub(crate) allow_unprotected: bool,
    /// True if z/OS Connect's administration interface is at this address, too.
    #[serde(default = "off")]
    pub(crate) administration: Spanned<bool>,
    /// The shortest time before TCP sends a lost packet again, and the longest between two tries; 0
    /// keeps the kernel's values.
    pub(crate) rto_min_ms: Option<Spanned<u64>>,
    pub(crate) rto_max_ms: Option<Spanned<u64>>,
    /// How long sent bytes may stay without an acknowledgement; 0 keeps the kernel's value.
    pub(crate) user_timeout_ms: Option<Spanned<u64>>,
}

fn off() -> Spanned<bool> {
    Spanned::new(0..0, false)
}

/// `tls = { certificate = "...", private_key = "..." }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TlsSection {
    pub(crate) certificate: Spanned<String>,
    pub(crate) private_key: Spanned<String>,
    /// Certificates for other names.
    #[serde(default)]
    pub(crate) sni: Vec<CertificateSection>,
    /// Whether clients are asked for certificates.
    #[serde(default)]
    pub(crate) client_certificates: ClientCertificates,
    /// The authorities that sign client certificates.
    pub(crate) client_ca: Option<Spanned<String>>,
}

/// `[admin]`: metrics, health and administration, apart from the APIs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdminSection {
    pub(crate) address: Spanned<String>,
    pub(crate) tls: Option<TlsSection>,
    /// The host names of this address, as in `[[listener]]`.
    pub(crate) hosts: Option<Vec<Spanned<String>>>,
    /// True to allow administration from other machines without authentication or without TLS.
    #[serde(default)]
    pub(crate) allow_unprotected: bool,
}

/// `[metrics]`: optional measurements of every request.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MetricsSection {
    /// Times of requests and of calls of providers.
    pub(crate) times: bool,
    /// Sizes of request and response bodies.
    pub(crate) sizes: bool,
}

impl Default for MetricsSection {
    fn default() -> Self {
        Self { times: true, sizes: true }
    }
}

/// `services/NAME.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServiceFile {
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default = "default_timeout_ms")]
    pub(crate) timeout_ms: u64,
    pub(crate) ccsid: Spanned<u16>,
    /// The CCSID of PIC N: 1200 or 1202.
    pub(crate) national_ccsid: Option<Spanned<u16>>,
    /// The CCSID of PIC G, if `ccsid` has no double-byte part.
    pub(crate) dbcs_ccsid: Option<Spanned<u16>>,
    #[serde(default)]
    pub(crate) naming: Naming,
    #[serde(default)]
    pub(crate) security: OwnSecuritySection,
    /// The program of the service. `[providers]` of `gantry.toml` may name the program instead of
    /// the service.
    pub(crate) program: Option<String>,
    /// The name of its provider in z/OS Connect, for clients of the administration interface.
    pub(crate) service_provider: Option<String>,
    /// Its provider. The default is that of `[providers]` in `gantry.toml`.
    pub(crate) provider: Option<Spanned<ProviderSection>>,
    /// The HTTP form of its records, for the provider `http`.
    pub(crate) http: Option<Spanned<HttpSection>>,
    /// Its records. A service with several containers has the keys below instead.
    pub(crate) request: Option<Spanned<InterfaceSection>>,
    pub(crate) response: Option<Spanned<InterfaceSection>>,
    #[serde(default)]
    pub(crate) request_container: Vec<Spanned<ContainerSection>>,
    #[serde(default)]
    pub(crate) response_container: Vec<Spanned<ContainerSection>>,
    /// The messages of a WSDL, in place of records.
    pub(crate) messages: Option<Spanned<MessagesSection>>,
}

impl ServiceFile {
    /// True if the file names no provider.
    pub(super) fn names_no_provider(&self) -> bool {
        self.provider.is_none() && self.http.is_none()
    }

    /// The data that its program gets.
    pub(super) fn gives(&self) -> Gives {
        let containers = self.request_container.len() + self.response_container.len();
        let sides = [&self.request, &self.response].into_iter().flatten();
        let parts: usize = sides.map(|side| side.get_ref().containers.len()).sum();
        let has_messages = self
            .messages
            .as_ref()
            .is_some_and(|messages| messages.get_ref().interface == InterfaceKind::Channel);
        if containers + parts == 0 && !has_messages { Gives::Commarea } else { Gives::Channel }
    }
}

/// `[[request_container]]` and `[[response_container]]` of a service.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContainerSection {
    /// Its name in the channel.
    pub(crate) name: String,
    /// Its member in the JSON object; the default is its name in lower case.
    pub(crate) member: Option<String>,
    /// True if the JSON or the channel may be without it.
    #[serde(default)]
    pub(crate) optional: bool,
    /// Its type for programs; the default is BIT with a record and CHAR without one.
    pub(crate) data_type: Option<DataTypeWord>,
    /// Its copybook and its form in JSON. Without a copybook it is text.
    pub(crate) record: Option<Spanned<InterfaceSection>>,
}

/// `data_type`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DataTypeWord {
    Bit,
    Char,
}

/// The default time limit of a call, or of all calls of an operation.
pub(super) fn default_timeout_ms() -> u64 {
    30_000
}

/// `[provider]`: the section for a kind of provider that a back end registered.
#[derive(Debug)]
pub(crate) struct ProviderSection(pub(crate) Box<dyn providers::Section>);

impl ProviderSection {
    fn read(kind: &str, keys: Table) -> Result<Self, String> {
        let Some(known) = KINDS.of(kind) else {
            let known: Vec<String> = KINDS.words().map(|word| format!("`{word}`")).collect();
            return Err(format!("unknown variant `{kind}`, expected one of {}", known.join(", ")));
        };
        known.read(keys).map(Self).map_err(|error| error.message().to_owned())
    }
}

impl<'de> Deserialize<'de> for ProviderSection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut keys = Table::deserialize(deserializer)?;
        let kind = keys.remove("kind").ok_or_else(|| D::Error::missing_field("kind"))?;
        let kind =
            kind.as_str().ok_or_else(|| D::Error::custom("expected the name of a kind of providers"))?;
        Self::read(kind, keys).map_err(D::Error::custom)
    }
}

/// `apis/NAME/api.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApiFile {
    pub(crate) title: Option<String>,
    pub(crate) version: Option<String>,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) base_path: Spanned<String>,
    /// The handling of query parameters that the operation does not move.
    #[serde(default)]
    pub(crate) unknown_query: UnknownQuery,
    /// Other statuses for failures of providers, by code.
    #[serde(default)]
    pub(crate) statuses: BTreeMap<Spanned<String>, u16>,
    #[serde(default)]
    pub(crate) security: OwnSecuritySection,
    #[serde(default)]
    pub(crate) limits: CallLimitsSection,
    pub(crate) cors: Option<CorsSection>,
    /// Whether its operations are tools; the default is in `[mcp]` of `gantry.toml`.
    pub(crate) mcp: Option<bool>,
    #[serde(default)]
    pub(crate) interceptors: ChainSection,
    /// The rule set in `policies/` that turns headers into properties. It replaces the global one.
    pub(crate) policy: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) operation: Vec<OperationSection>,
}

/// `apis/NAME/api.toml` of an API that starts from its own document, or of an API project.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ContractFile {
    /// The OpenAPI document beside this file. An API project has its own.
    pub(crate) document: Option<Spanned<String>>,
    /// The path in front of all operations; the default is that of the document's first server.
    pub(crate) base_path: Option<Spanned<String>>,
    /// The handling of query parameters that the document does not name.
    pub(crate) unknown_query: UnknownQuery,
    /// Other statuses for failures, by code.
    pub(crate) statuses: BTreeMap<Spanned<String>, u16>,
    pub(crate) security: OwnSecuritySection,
    pub(crate) limits: CallLimitsSection,
    pub(crate) cors: Option<CorsSection>,
    /// Whether its operations are tools; the default is in `[mcp]` of `gantry.toml`.
    pub(crate) mcp: Option<bool>,
    /// For development: checks answers against the document, and logs the differences.
    pub(crate) check_responses: bool,
    pub(crate) interceptors: ChainSection,
    /// The rule set in `policies/` that turns headers into properties. It replaces the global one.
    pub(crate) policy: Option<Spanned<String>>,
    pub(crate) operation: Vec<ContractOperationSection>,
}

/// `unknown_query`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum UnknownQuery {
    /// The default, because documents seldom name all parameters.
    #[default]
    Ignore,
    Refuse,
}

/// `[[operation]]` of an API that starts from its own document, or of an API project. The project
/// has the calls and replies of its operations in other files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContractOperationSection {
    /// The `operationId` of the document, or its method and path: `GET /books/{title}`.
    pub(crate) operation: Spanned<String>,
    /// The time limit of all its calls together.
    #[serde(default = "default_timeout_ms")]
    pub(crate) timeout_ms: u64,
    /// Scopes that a token must have, all of them.
    #[serde(default)]
    pub(crate) scopes: Vec<Box<str>>,
    #[serde(default)]
    pub(crate) limits: CallLimitsSection,
    /// Whether it is a tool, and its form; the default is the API's.
    pub(crate) mcp: Option<Spanned<McpWord>>,
    #[serde(default)]
    pub(crate) call: Vec<CallSection>,
    #[serde(default)]
    pub(crate) reply: Vec<ReplySection>,
}

/// `[[operation.call]]`: a service that is called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallSection {
    /// The name of the answer in expressions; the default is the service's name.
    pub(crate) name: Option<Spanned<String>>,
    pub(crate) service: Spanned<String>,
    /// The condition of the call.
    pub(crate) when: Option<Spanned<String>>,
    /// The calls that it waits for, besides those that its expressions name. The default is the
    /// call before it.
    pub(crate) after: Option<Vec<Spanned<String>>>,
    /// The service's JSON.
    pub(crate) request: Spanned<String>,
    #[serde(default)]
    pub(crate) on_failure: OnFailureWord,
}

/// `on_failure`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnFailureWord {
    #[default]
    Fail,
    Continue,
}

/// `[[operation.reply]]`: an answer. The first whose condition holds is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplySection {
    pub(crate) when: Option<Spanned<String>>,
    pub(crate) status: Spanned<u16>,
    pub(crate) body: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<Spanned<String>, Spanned<String>>,
}

/// `[[operation]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperationSection {
    pub(crate) method: Spanned<MethodWord>,
    pub(crate) path: Spanned<String>,
    pub(crate) service: Spanned<String>,
    pub(crate) operation_id: Option<String>,
    /// Scopes that a token must have, all of them.
    #[serde(default)]
    pub(crate) scopes: Vec<Box<str>>,
    #[serde(default)]
    pub(crate) limits: CallLimitsSection,
    /// Whether it is a tool, and its form; the default is the API's.
    pub(crate) mcp: Option<Spanned<McpWord>>,
    pub(crate) summary: Option<String>,
    pub(crate) description: Option<String>,
    #[serde(default)]
    pub(crate) request: RequestSection,
    #[serde(default)]
    pub(crate) response: ResponseSection,
    /// Responses with rules. The first whose rules hold is given.
    #[serde(default)]
    pub(crate) responses: Vec<ResponseSection>,
}

/// `method`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum MethodWord {
    Get,
    Put,
    Post,
    Patch,
    Delete,
}

/// `[operation.request]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RequestSection {
    pub(crate) r#move: Vec<MoveSection>,
    pub(crate) assign: BTreeMap<Spanned<String>, Spanned<Scalar>>,
    pub(crate) default: BTreeMap<Spanned<String>, Spanned<Scalar>>,
    pub(crate) remove: Vec<Spanned<String>>,
    pub(crate) rename: BTreeMap<Spanned<String>, Spanned<String>>,
}

/// `move = [{ from = "path.countIn", to = "COUNT-IN" }]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveSection {
    pub(crate) from: Spanned<String>,
    pub(crate) to: Spanned<String>,
    #[serde(default)]
    pub(crate) required: bool,
    pub(crate) description: Option<String>,
}

/// `[operation.response]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ResponseSection {
    pub(crate) status: Option<Spanned<u16>>,
    /// The field with the status.
    pub(crate) status_field: Option<Spanned<String>>,
    pub(crate) description: Option<String>,
    /// Rules, only for `[[operation.responses]]`.
    pub(crate) when: Vec<RuleSection>,
    /// Whether all rules must hold, or one is enough.
    pub(crate) r#match: MatchWord,
    pub(crate) remove: Vec<Spanned<String>>,
    pub(crate) rename: BTreeMap<Spanned<String>, Spanned<String>>,
    pub(crate) headers: BTreeMap<Spanned<String>, HeaderSection>,
}

/// `{ field = "RETURN-CODE", is = "=", value = 20 }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleSection {
    pub(crate) field: Spanned<String>,
    pub(crate) is: Spanned<String>,
    pub(crate) value: Option<Scalar>,
}

/// `match`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MatchWord {
    #[default]
    All,
    Any,
}

/// `X-Task = { field = "TASKID" }` or `X-Origin = { value = "gantry" }`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeaderSection {
    pub(crate) field: Option<Spanned<String>>,
    pub(crate) value: Option<Spanned<String>>,
}
