//! `[traces]`: how requests are traced, and the collector of their spans.

use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use remote::json_server::{AskSettings, JsonServer};
use settings::{CertificatesOf, GANTRY_FILE, Loader};

use crate::traces::{CollectorSettings, TraceSettings};

/// The most bytes of a collector's answer. The gateway ignores its content.
const ANSWER_MAX_BYTES: usize = 64 * 1024;

/// `[traces]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TracesSection {
    /// The collector of spans (OTLP over HTTP, in JSON). Without it contexts are only passed on.
    url: Option<Spanned<String>>,
    /// The authorities of the collector's certificate, in place of the system's.
    ca: Option<String>,
    /// The share of recorded traces, among those that begin here.
    ratio: Spanned<f64>,
    service_name: String,
    timeout_ms: u64,
    queue_max_requests: usize,
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
        }
    }
}

impl TracesSection {
    /// The settings to run; none if there are faults, which are reported.
    pub fn read(&self, loader: &mut Loader<'_>) -> Option<TraceSettings> {
        let ratio = *self.ratio.get_ref();
        if !(0.0..=1.0).contains(&ratio) {
            let message = format!("traces.ratio is {ratio}; it must be from 0.0 to 1.0");
            loader.at(GANTRY_FILE, self.ratio.span(), message);
        }
        if self.queue_max_requests == 0 {
            loader.at_file(GANTRY_FILE, "traces.queue_max_requests must be 1 at least");
            return None;
        }
        let Some(url) = &self.url else { return Some(TraceSettings { ratio, collector: None }) };
        let ca = self.ca.as_ref().and_then(|path| loader.files.on_disk(path));
        if let Some(ca) = &ca {
            loader.note_certificates(ca, CertificatesOf::Authorities, (GANTRY_FILE, Some(url.span())));
        }
        let timeout = Duration::from_millis(self.timeout_ms);
        let asked = AskSettings {
            url: url.get_ref(),
            ca: ca.as_deref(),
            timeout,
            answer_max_bytes: ANSWER_MAX_BYTES,
        };
        let server = match JsonServer::new(asked) {
            Ok(server) => server,
            Err(message) => {
                loader.at(GANTRY_FILE, url.span(), message);
                return None;
            }
        };
        let collector = CollectorSettings {
            server,
            service_name: self.service_name.clone(),
            queue_max_requests: self.queue_max_requests,
        };
        Some(TraceSettings { ratio, collector: Some(collector) })
    }
}
