//! Interceptors and policies as they are written.

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
    /// Headers that are recorded, at most four.
    #[serde(default)]
    pub(crate) request_headers: Vec<String>,
    #[serde(default)]
    pub(crate) response_headers: Vec<String>,
    /// Query parameters whose values are hidden.
    #[serde(default)]
    pub(crate) redact: Vec<String>,
    /// Requests are recorded that were refused before their interceptors were asked.
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
    /// Headers whose values are hidden, beside those that always are.
    #[serde(default)]
    pub(crate) redact_headers: Vec<String>,
    /// Bytes of a body that are shown; 0 shows none.
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
    /// Certificates that the server is trusted by, in place of the system's.
    pub(crate) ca: Option<String>,
    #[serde(default = "default_timeout_ms")]
    pub(crate) timeout_ms: u64,
    /// What happens without an answer. There is no default: whoever asks another server must have thought of it.
    pub(crate) on_failure: OnFailureWord,
    /// Headers that the server sees.
    #[serde(default)]
    pub(crate) send_headers: Vec<String>,
    /// Headers that the server may set; from callers they are taken away.
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
    /// The module, in its binary form or as text, below the configuration's folder.
    pub(crate) file: String,
    /// What happens when a call of the module fails. There is no default, as for servers.
    pub(crate) on_failure: OnFailureWord,
    /// Headers that the module sees.
    #[serde(default)]
    pub(crate) send_headers: Vec<String>,
    /// Headers that the module may set; from callers they are taken away.
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

/// `[interceptor.file]`: the file that an interceptor writes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileSection {
    pub(crate) path: String,
    /// Lines that wait at most.
    #[serde(default = "default_queue_max_lines")]
    pub(crate) queue_max_lines: usize,
    /// What happens when so many wait.
    #[serde(default)]
    pub(crate) overflow: OverflowWord,
    /// With `overflow = "block"`: how long a request waits.
    #[serde(default = "default_block_max_ms")]
    pub(crate) block_max_ms: u64,
    /// The size beyond which the file is put aside; 0 is never.
    #[serde(default = "default_rotate_bytes")]
    pub(crate) rotate_bytes: u64,
    /// How long a file is written until it is put aside; 0 is for ever.
    #[serde(default)]
    pub(crate) rotate_s: u64,
    /// Files that were put aside and are kept.
    #[serde(default = "default_files_max")]
    pub(crate) files_max: usize,
    #[serde(default)]
    pub(crate) sync: SyncWord,
    /// With `sync = "interval"`: how often.
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
    /// Names of interceptors that run for this API, beside the global ones.
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
