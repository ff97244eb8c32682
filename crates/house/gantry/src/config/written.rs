//! The configuration as it is written: the keys of `gantry.toml`, `services/*.toml` and `apis/*/api.toml`.
//!
//! Unknown keys are refused. What these mean together is worked out in [`super::load`].

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
use web_service::MessagesSection;
use web_services::PipelineSection;

use super::mcp::{McpSection, McpWord};
use super::messaging::MessagingSection;
use super::own_programs::{Gives, OwnPrograms};
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
    /// The policy of all APIs that name none.
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
    /// Providers of services whose own files name none, as those of packages: by the service's name.
    #[serde(default)]
    pub(crate) providers: BTreeMap<Spanned<String>, Spanned<ProviderSection>>,
    /// Where everything durable is.
    #[serde(default)]
    pub(crate) store: StoreSection,
    /// Queues, if there are any.
    pub(crate) queue_manager: Option<QueueManagerSection>,
    /// Where programs run, if there are any.
    #[serde(default)]
    pub(crate) region: RegionSection,
    /// The programs that are there, which no key says.
    #[serde(skip)]
    pub(crate) own_programs: OwnPrograms,
    /// Pipelines, which web services refer to by name.
    #[serde(default)]
    pub(crate) pipeline: Vec<PipelineSection>,
    /// Remote APIs, by the name by which services and API requesters refer to them.
    #[serde(default)]
    pub(crate) connections: BTreeMap<Spanned<String>, Spanned<ConnectionSection>>,
}

/// `[server]`: how the process runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServerSection {
    /// Threads that serve; 0 is one for each core.
    pub(crate) workers: Spanned<usize>,
    /// How long running requests may take to end when the gateway is stopped.
    pub(crate) shutdown_timeout_ms: u64,
    /// How often the files are looked at for changes; 0 is never.
    pub(crate) reload_poll_ms: u64,
    /// Networks of proxies, whose connections are not counted by address.
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

/// `[[listener]]`: an address on which APIs are served.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListenerSection {
    /// The name by which `named_transport_entry` of a pipeline refers to it.
    pub(crate) name: Option<Spanned<String>>,
    pub(crate) address: Spanned<String>,
    pub(crate) tls: Option<TlsSection>,
    /// The host names for which it answers; without it, all where other machines reach it, and none but its own elsewhere.
    pub(crate) hosts: Option<Vec<Spanned<String>>>,
    /// The consent to serve beyond this machine without authentication, or without TLS.
    #[serde(default)]
    pub(crate) allow_unprotected: bool,
    /// z/OS Connect's administration interface is at this address, too.
    #[serde(default = "off")]
    pub(crate) administration: Spanned<bool>,
    /// The shortest time before TCP sends a lost packet again, and the longest between two tries; 0 leaves the kernel's.
    pub(crate) rto_min_ms: Option<Spanned<u64>>,
    pub(crate) rto_max_ms: Option<Spanned<u64>>,
    /// How long sent bytes may stay without an acknowledgement; 0 leaves the kernel's time.
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
    /// Who signs them.
    pub(crate) client_ca: Option<Spanned<String>>,
}

/// `[admin]`: metrics, health and administration, apart from the APIs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdminSection {
    pub(crate) address: Spanned<String>,
    pub(crate) tls: Option<TlsSection>,
    /// The host names for which it answers, as in `[[listener]]`.
    pub(crate) hosts: Option<Vec<Spanned<String>>>,
    /// The consent to administration from other machines without authentication, or without TLS.
    #[serde(default)]
    pub(crate) allow_unprotected: bool,
}

/// `[metrics]`: what is measured of every request.
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
    /// Of PIC N: 1200 or 1202.
    pub(crate) national_ccsid: Option<Spanned<u16>>,
    /// Of PIC G, where `ccsid` has no double-byte part.
    pub(crate) dbcs_ccsid: Option<Spanned<u16>>,
    #[serde(default)]
    pub(crate) naming: Naming,
    #[serde(default)]
    pub(crate) security: OwnSecuritySection,
    /// The program behind it: `[providers]` of `gantry.toml` may name the program instead of the service.
    pub(crate) program: Option<String>,
    /// What z/OS Connect calls its provider, for clients of the administration interface.
    pub(crate) service_provider: Option<String>,
    /// Who serves it; without it, what `[providers]` of `gantry.toml` says.
    pub(crate) provider: Option<Spanned<ProviderSection>>,
    /// How records go over HTTP, for the provider `http`.
    pub(crate) http: Option<Spanned<HttpSection>>,
    /// Its records; a service of several containers has those below in their place.
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
    /// True if the file leaves it to others who serves it.
    pub(super) fn names_no_provider(&self) -> bool {
        self.provider.is_none() && self.http.is_none()
    }

    /// What its program gets.
    pub(super) fn gives(&self) -> Gives {
        let containers = self.request_container.len() + self.response_container.len();
        let sides = [&self.request, &self.response].into_iter().flatten();
        let parts: usize = sides.map(|side| side.get_ref().containers.len()).sum();
        if containers + parts == 0 && self.messages.is_none() { Gives::Commarea } else { Gives::Channel }
    }
}

/// `[[request_container]]` and `[[response_container]]` of a service.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContainerSection {
    /// Its name in the channel.
    pub(crate) name: String,
    /// The member of the JSON object that it is; its name in lower case if it is left out.
    pub(crate) member: Option<String>,
    /// The JSON, or the channel, may be without it.
    #[serde(default)]
    pub(crate) optional: bool,
    /// What it is to programs: BIT with a record and CHAR without one, if it is not said.
    pub(crate) data_type: Option<DataTypeWord>,
    /// Its copybook, and how JSON sees it; without one it is text.
    pub(crate) record: Option<Spanned<InterfaceSection>>,
}

/// `data_type`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DataTypeWord {
    Bit,
    Char,
}

/// The time of a call, or of all calls of an operation.
pub(super) fn default_timeout_ms() -> u64 {
    30_000
}

/// `[provider]`: what it says to the kind that a back end registered.
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
    /// Other statuses for failures of providers, by code.
    #[serde(default)]
    pub(crate) statuses: BTreeMap<Spanned<String>, u16>,
    #[serde(default)]
    pub(crate) security: OwnSecuritySection,
    #[serde(default)]
    pub(crate) limits: CallLimitsSection,
    pub(crate) cors: Option<CorsSection>,
    /// Whether its operations are tools; if it is not said, what `[mcp]` of `gantry.toml` says.
    pub(crate) mcp: Option<bool>,
    #[serde(default)]
    pub(crate) interceptors: ChainSection,
    /// The rule set in `policies/` that turns headers into properties, in place of the global one.
    pub(crate) policy: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) operation: Vec<OperationSection>,
}

/// `apis/NAME/api.toml` of an API that starts from its own document, or of an API project.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ContractFile {
    /// The OpenAPI document, beside this file; an API project has its own.
    pub(crate) document: Option<Spanned<String>>,
    /// The path in front of all operations, if it is not that of the document's first server.
    pub(crate) base_path: Option<Spanned<String>>,
    /// What becomes of query parameters that the document does not name.
    pub(crate) unknown_query: UnknownQuery,
    /// Other statuses for failures, by code.
    pub(crate) statuses: BTreeMap<Spanned<String>, u16>,
    pub(crate) security: OwnSecuritySection,
    pub(crate) limits: CallLimitsSection,
    pub(crate) cors: Option<CorsSection>,
    /// Whether its operations are tools; if it is not said, what `[mcp]` of `gantry.toml` says.
    pub(crate) mcp: Option<bool>,
    /// Answers are judged by the document, and what is wrong with them is told in the log: for development.
    pub(crate) check_responses: bool,
    pub(crate) interceptors: ChainSection,
    /// The rule set in `policies/` that turns headers into properties, in place of the global one.
    pub(crate) policy: Option<Spanned<String>>,
    pub(crate) operation: Vec<ContractOperationSection>,
}

/// `unknown_query`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum UnknownQuery {
    /// Documents seldom name all.
    #[default]
    Ignore,
    Refuse,
}

/// `[[operation]]` of an API that starts from its own document, or of an API project, whose operations have their calls
/// and replies elsewhere.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContractOperationSection {
    /// The `operationId` of the document, or its method and path: `GET /books/{title}`.
    pub(crate) operation: Spanned<String>,
    /// The time that all its calls may take together.
    #[serde(default = "default_timeout_ms")]
    pub(crate) timeout_ms: u64,
    /// Scopes that a token must have, all of them.
    #[serde(default)]
    pub(crate) scopes: Vec<Box<str>>,
    #[serde(default)]
    pub(crate) limits: CallLimitsSection,
    /// Whether it is a tool, and how it is shown; if it is not said, what the API says.
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
    /// The name under which expressions see what it answers; the service's if it is not given.
    pub(crate) name: Option<Spanned<String>>,
    pub(crate) service: Spanned<String>,
    /// The call is made if this holds.
    pub(crate) when: Option<Spanned<String>>,
    /// The calls that it waits for, besides those that its expressions name; without it, the one before.
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

/// `[[operation.reply]]`: an answer; the first whose condition holds is given.
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
    /// Whether it is a tool, and how it is shown; if it is not said, what the API says.
    pub(crate) mcp: Option<Spanned<McpWord>>,
    pub(crate) summary: Option<String>,
    pub(crate) description: Option<String>,
    #[serde(default)]
    pub(crate) request: RequestSection,
    #[serde(default)]
    pub(crate) response: ResponseSection,
    /// Responses under rules; the first that applies is the one.
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
    /// The field that holds the status.
    pub(crate) status_field: Option<Spanned<String>>,
    pub(crate) description: Option<String>,
    /// Rules; in `[[operation.responses]]` alone.
    pub(crate) when: Vec<RuleSection>,
    /// Whether all rules must hold, or one.
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
