//! Interceptors and policies in their written form.

use serde::Deserialize;
use toml::Spanned;

/// `[[interceptor]]`.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct InterceptorSection(pub(super) Section);

/// The kinds of interceptors.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Section {
    /// Writes audit records.
    Audit(AuditSection),
    /// Writes requests and responses.
    Log(RequestLogSection),
    /// Asks another server.
    Http(HttpSection),
    /// Asks a module of WebAssembly.
    Wasm(WasmSection),
}

impl Section {
    pub(super) fn name(&self) -> &str {
        match self {
            Section::Audit(audit) => &audit.name,
            Section::Log(log) => &log.name,
            Section::Http(http) => &http.name,
            Section::Wasm(wasm) => &wasm.name,
        }
    }
}

/// `kind = "audit"`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditSection {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) sequence: u32,
    #[serde(default = "yes")]
    pub(crate) global: bool,
    /// The name of the gateway in the records.
    #[serde(default = "default_server")]
    pub(crate) server: String,
    /// The recorded headers, at most four.
    #[serde(default)]
    pub(crate) request_headers: Vec<String>,
    #[serde(default)]
    pub(crate) response_headers: Vec<String>,
    /// Query parameters whose values are hidden.
    #[serde(default)]
    pub(crate) redact: Vec<String>,
    /// True if requests that were refused before any interceptor was asked are recorded, too.
    #[serde(default = "yes")]
    pub(crate) early_failures: bool,
    pub(crate) file: FileSection,
}

/// `kind = "log"`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestLogSection {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) sequence: u32,
    #[serde(default = "yes")]
    pub(crate) global: bool,
    /// Fields and query parameters whose values are hidden, by name or path.
    #[serde(default)]
    pub(crate) redact: Vec<String>,
    /// Further headers with hidden values.
    #[serde(default)]
    pub(crate) redact_headers: Vec<String>,
    /// The shown bytes of a body; 0 shows none.
    #[serde(default = "default_body_max_bytes")]
    pub(crate) body_max_bytes: usize,
    pub(crate) file: FileSection,
}

/// `kind = "http"`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpSection {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) sequence: u32,
    #[serde(default = "yes")]
    pub(crate) global: bool,
    pub(crate) url: String,
    /// The authorities of the server's certificate, in place of the system's.
    pub(crate) ca: Option<String>,
    #[serde(default = "default_timeout_ms")]
    pub(crate) timeout_ms: u64,
    /// The effect of a missing answer. There is no default, because the user must decide this.
    pub(crate) on_failure: OnFailureWord,
    /// Headers that the server sees.
    #[serde(default)]
    pub(crate) send_headers: Vec<String>,
    /// Headers that the server may set. They are removed from callers' requests.
    #[serde(default)]
    pub(crate) may_set_headers: Vec<String>,
    #[serde(default)]
    pub(crate) send_body: bool,
    #[serde(default)]
    pub(crate) tell_after: bool,
}

/// `kind = "wasm"`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(feature = "wasm"), allow(dead_code))]
pub(crate) struct WasmSection {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) sequence: u32,
    #[serde(default = "yes")]
    pub(crate) global: bool,
    /// The module, in binary form or as text, in the configuration's folder.
    pub(crate) file: String,
    /// The effect of a failed call. There is no default, as for servers.
    pub(crate) on_failure: OnFailureWord,
    /// Headers that the module sees.
    #[serde(default)]
    pub(crate) send_headers: Vec<String>,
    /// Headers that the module may set. They are removed from callers' requests.
    #[serde(default)]
    pub(crate) may_set_headers: Vec<String>,
    #[serde(default)]
    pub(crate) send_body: bool,
    #[serde(default = "default_fuel_per_call")]
    pub(crate) fuel_per_call: u64,
    #[serde(default = "default_memory_max_bytes")]
    pub(crate) memory_max_bytes: usize,
    #[serde(default = "default_timeout_ms")]
    pub(crate) timeout_ms: u64,
}

/// `on_failure`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnFailureWord {
    Open,
    Closed,
}

/// `[interceptor.file]`: the file of an interceptor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileSection {
    pub(crate) path: String,
    /// The most lines that wait.
    #[serde(default = "default_queue_max_lines")]
    pub(crate) queue_max_lines: usize,
    /// The effect of a full queue.
    #[serde(default)]
    pub(crate) overflow: OverflowWord,
    /// With `overflow = "block"`: the longest wait of a request.
    #[serde(default = "default_block_max_ms")]
    pub(crate) block_max_ms: u64,
    /// The size at which a new file begins; 0 is never.
    #[serde(default = "default_rotate_bytes")]
    pub(crate) rotate_bytes: u64,
    /// The time after which a new file begins; 0 is never.
    #[serde(default)]
    pub(crate) rotate_s: u64,
    /// The number of old files to keep.
    #[serde(default = "default_files_max")]
    pub(crate) files_max: usize,
    #[serde(default)]
    pub(crate) sync: SyncWord,
    /// With `sync = "interval"`: the interval.
    #[serde(default = "default_sync_interval_ms")]
    pub(crate) sync_interval_ms: u64,
    #[serde(default)]
    pub(crate) on_write_error: OnWriteErrorWord,
}

/// `overflow`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OverflowWord {
    Drop,
    #[default]
    Block,
    Refuse,
}

/// `sync`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SyncWord {
    #[default]
    Never,
    Write,
    Interval,
}

/// `on_write_error`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnWriteErrorWord {
    #[default]
    Retry,
    Drop,
}

/// `[interceptors]` of an API.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChainSection {
    /// Names of interceptors for this API, beside the global ones.
    pub(crate) names: Vec<Spanned<String>>,
    pub(crate) run_global: bool,
}

impl Default for ChainSection {
    fn default() -> Self {
        Self { names: Vec::new(), run_global: true }
    }
}

fn yes() -> bool {
    true
}

fn default_server() -> String {
    "gantry".to_owned()
}

fn default_body_max_bytes() -> usize {
    4 * 1024
}

fn default_timeout_ms() -> u64 {
    1_000
}

fn default_fuel_per_call() -> u64 {
    10_000_000
}

fn default_memory_max_bytes() -> usize {
    16 * 1024 * 1024
}

fn default_queue_max_lines() -> usize {
    4 * 1024
}

fn default_block_max_ms() -> u64 {
    1_000
}

fn default_rotate_bytes() -> u64 {
    100 * 1024 * 1024
}

fn default_files_max() -> usize {
    10
}

fn default_sync_interval_ms() -> u64 {
    1_000
}
