//! `[traces]`: how requests are traced, and where their spans are sent.

use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::loader::Loader;
use super::written::GantryFile;
use recording::traces::{CollectorSettings, TraceSettings};
use remote::json_server::{AskSettings, JsonServer};
use settings::GANTRY_FILE;

/// Bytes of a collector's answer; nothing in it is needed.
const ANSWER_MAX_BYTES: usize = 64 * 1024;

/// `[traces]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TracesSection {
    /// Where spans are sent (OTLP over HTTP, in JSON); without it contexts are only passed on.
    url: Option<Spanned<String>>,
    /// Certificates that the collector is trusted by, in place of the system's.
    ca: Option<String>,
    /// Of traces that begin here, this part is recorded.
    ratio: Spanned<f64>,
    service_name: String,
    timeout_ms: u64,
    queue_max_requests: usize,
    batch_max_spans: usize,
    batch_wait_ms: u64,
}

impl Default for TracesSection {
    fn default() -> Self {
        Self {
            url: None,
            ca: None,
            ratio: Spanned::new(0..0, 0.01),
            service_name: "gantry".to_owned(),
            timeout_ms: 5_000,
            queue_max_requests: 1_024,
            batch_max_spans: 512,
            batch_wait_ms: 1_000,
        }
    }
}

impl Loader<'_> {
    /// What runs of `[traces]`.
    pub(super) fn traces(&mut self, gantry: &GantryFile) -> Option<(TraceSettings, Option<JsonServer>)> {
        let section = gantry.traces.as_ref()?;
        let ratio = *section.ratio.get_ref();
        if !(0.0..=1.0).contains(&ratio) {
            let message = format!("traces.ratio is {ratio}; it must be from 0.0 to 1.0");
            self.at(GANTRY_FILE, section.ratio.span(), message);
        }
        if section.queue_max_requests == 0 || section.batch_max_spans == 0 {
            self.at_file(
                GANTRY_FILE,
                "traces.queue_max_requests and traces.batch_max_spans must be 1 at least",
            );
            return None;
        }
        let Some(url) = &section.url else { return Some((TraceSettings { ratio, collector: None }, None)) };
        let ca = section.ca.as_ref().and_then(|path| self.files.on_disk(path));
        let timeout = Duration::from_millis(section.timeout_ms);
        let asked = AskSettings {
            url: url.get_ref(),
            ca: ca.as_deref(),
            timeout,
            answer_max_bytes: ANSWER_MAX_BYTES,
        };
        let server = match JsonServer::new(asked) {
            Ok(server) => server,
            Err(message) => {
                self.at(GANTRY_FILE, url.span(), message);
                return None;
            }
        };
        let collector = CollectorSettings {
            service_name: section.service_name.clone(),
            queue_max_requests: section.queue_max_requests,
            batch_max_spans: section.batch_max_spans,
            batch_wait: Duration::from_millis(section.batch_wait_ms),
        };
        Some((TraceSettings { ratio, collector: Some(collector) }, Some(server)))
    }
}
