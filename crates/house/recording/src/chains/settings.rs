//! Interceptors as they were configured, and how they begin to run.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use http::HeaderName;
use interceptor::redact::Redaction;

use super::asker::Asker;
use super::{Audit, Chain, External, ExternalSettings, Interceptor, RequestLog};
#[cfg(feature = "wasm")]
use super::{ModuleInterceptor, Terms};
use crate::journal::{FileSettings, Journals, Overflow};
use metrics::Metrics;
use remote::json_server::JsonServer;

/// All interceptors of a configuration, and which API has which.
#[derive(Debug, Default)]
pub struct InterceptorSettings {
    /// All of them, in the order of the file.
    pub interceptors: Vec<Configured>,
    /// For each API, places among the interceptors, in order.
    pub chains: Vec<Vec<usize>>,
    /// Places of the global ones.
    pub early: Vec<usize>,
}

/// One interceptor that is configured.
#[derive(Debug)]
pub struct Configured {
    /// Its name.
    pub name: String,
    /// What it does.
    pub kind: Kind,
}

/// What it does.
#[derive(Debug)]
pub enum Kind {
    /// Writes audit records.
    Audit(AuditSettings),
    /// Writes requests and responses.
    Log(LogSettings),
    /// The server was made when the configuration was read, so that what is wrong with it is told there.
    External(Box<(JsonServer, ExternalSettings)>),
    /// The module was compiled when the configuration was read.
    #[cfg(feature = "wasm")]
    Module(Box<(wasm::Sandbox, Terms)>),
}

impl Kind {
    /// The file that it writes.
    #[must_use]
    pub fn path(&self) -> Option<&PathBuf> {
        match self {
            Kind::Audit(audit) => Some(&audit.file.path),
            Kind::Log(log) => Some(&log.file.path),
            Kind::External(_) => None,
            #[cfg(feature = "wasm")]
            Kind::Module(_) => None,
        }
    }
}

/// See [`Audit`].
#[derive(Clone, Debug)]
pub struct AuditSettings {
    /// The file that is written.
    pub file: FileSettings,
    /// What happens when too many lines wait.
    pub overflow: Overflow,
    /// See [`Audit::server`].
    pub server: String,
    /// See [`Audit::request_headers`].
    pub request_headers: Vec<HeaderName>,
    /// See [`Audit::response_headers`].
    pub response_headers: Vec<HeaderName>,
    /// See [`Audit::redaction`].
    pub redaction: Redaction,
    /// See [`Audit::early_failures`].
    pub early_failures: bool,
}

/// See [`RequestLog`].
#[derive(Clone, Debug)]
pub struct LogSettings {
    /// The file that is written.
    pub file: FileSettings,
    /// What happens when too many lines wait.
    pub overflow: Overflow,
    /// See [`RequestLog::redaction`].
    pub redaction: Redaction,
    /// See [`RequestLog::body_max_bytes`].
    pub body_max_bytes: usize,
}

/// The chains of all APIs.
pub struct Chains {
    /// For each API.
    pub chains: Vec<Option<Chain>>,
    /// Of requests that lead to no API.
    pub early: Option<Chain>,
}

impl InterceptorSettings {
    /// Opens what the interceptors need, and puts the chains together.
    pub fn start(self, journals: &Journals, metrics: &Metrics) -> io::Result<Chains> {
        let Self { interceptors, chains, early } = self;
        let mut running: Vec<Option<Arc<Interceptor>>> = Vec::new();
        for (place, configured) in interceptors.into_iter().enumerate() {
            let is_used = early.contains(&place) || chains.iter().any(|chain| chain.contains(&place));
            let started = if is_used { Some(Arc::new(configured.start(journals, metrics)?)) } else { None };
            running.push(started);
        }
        let chain = |places: Vec<usize>| {
            Chain::new(places.into_iter().filter_map(|place| running[place].clone()).collect())
        };
        Ok(Chains { early: chain(early), chains: chains.into_iter().map(chain).collect() })
    }
}

impl Configured {
    fn start(self, journals: &Journals, metrics: &Metrics) -> io::Result<Interceptor> {
        let Self { name, kind } = self;
        Ok(match kind {
            Kind::Audit(settings) => {
                let journal = journals.open(&name, &settings.file, (settings.overflow, metrics))?;
                let AuditSettings { server, request_headers, response_headers, redaction, .. } = settings;
                let early_failures = settings.early_failures;
                Interceptor::Audit(Audit {
                    journal,
                    server,
                    request_headers,
                    response_headers,
                    redaction,
                    early_failures,
                })
            }
            Kind::Log(settings) => {
                let journal = journals.open(&name, &settings.file, (settings.overflow, metrics))?;
                let LogSettings { redaction, body_max_bytes, .. } = settings;
                Interceptor::Log(RequestLog { journal, redaction, body_max_bytes })
            }
            Kind::External(parts) => {
                let (server, ExternalSettings { terms, tell_after, .. }) = *parts;
                let asker = Asker { metrics: metrics.interceptor(&name), name, terms };
                Interceptor::External(Box::new(External::new(asker, (server, tell_after))))
            }
            #[cfg(feature = "wasm")]
            Kind::Module(parts) => {
                let (sandbox, terms) = *parts;
                let asker = Asker { metrics: metrics.interceptor(&name), name, terms };
                Interceptor::Module(Box::new(ModuleInterceptor::new(asker, sandbox)))
            }
        })
    }
}
