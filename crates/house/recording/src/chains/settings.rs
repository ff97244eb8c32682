//! Configured interceptors, and how they start.

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

/// All interceptors of a configuration, and the chain of each API.
#[derive(Debug, Default)]
pub struct InterceptorSettings {
    /// All of them, in the order of the file.
    pub(crate) interceptors: Vec<Configured>,
    /// For each API, indexes of its interceptors, in order.
    pub(crate) chains: Vec<Vec<usize>>,
    /// Indexes of the global interceptors.
    pub(crate) early: Vec<usize>,
}

/// A configured interceptor.
#[derive(Debug)]
pub(crate) struct Configured {
    /// Its name.
    pub(crate) name: String,
    /// Its kind.
    pub(crate) kind: Kind,
}

/// The kind of an interceptor.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Writes audit records.
    Audit(AuditSettings),
    /// Writes requests and responses.
    Log(LogSettings),
    /// Asks another server. It was made when the configuration was read, so faults were reported
    /// there.
    External(Box<ExternalSettings>),
    /// Asks a module. It was compiled when the configuration was read.
    #[cfg(feature = "wasm")]
    Module(Box<(wasm::Sandbox, Terms)>),
}

impl Kind {
    /// The file to which it writes.
    #[must_use]
    pub(crate) fn path(&self) -> Option<&PathBuf> {
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
pub(crate) struct AuditSettings {
    /// The file to write.
    pub(crate) file: FileSettings,
    /// The effect of a full queue.
    pub(crate) overflow: Overflow,
    /// See [`Audit::server`].
    pub(crate) server: String,
    /// See [`Audit::request_headers`].
    pub(crate) request_headers: Vec<HeaderName>,
    /// See [`Audit::response_headers`].
    pub(crate) response_headers: Vec<HeaderName>,
    /// See [`Audit::redaction`].
    pub(crate) redaction: Redaction,
    /// See [`Audit::early_failures`].
    pub(crate) early_failures: bool,
}

/// See [`RequestLog`].
#[derive(Clone, Debug)]
pub(crate) struct LogSettings {
    /// The file to write.
    pub(crate) file: FileSettings,
    /// The effect of a full queue.
    pub(crate) overflow: Overflow,
    /// See [`RequestLog::redaction`].
    pub(crate) redaction: Redaction,
    /// See [`RequestLog::body_max_bytes`].
    pub(crate) body_max_bytes: usize,
}

/// The chains of all APIs.
pub struct Chains {
    /// The chain of each API.
    pub chains: Vec<Option<Chain>>,
    /// The chain of requests without an API.
    pub early: Option<Chain>,
}

impl InterceptorSettings {
    /// Takes all interceptors away: nobody records the calls, and nobody is asked. The APIs stay.
    pub fn clear(&mut self) {
        self.interceptors.clear();
        self.early.clear();
        self.chains.iter_mut().for_each(Vec::clear);
    }

    /// Starts the interceptors and makes the chains.
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
                let journal = journals.open(&name, &settings.file, settings.overflow, metrics)?;
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
                let journal = journals.open(&name, &settings.file, settings.overflow, metrics)?;
                let LogSettings { redaction, body_max_bytes, .. } = settings;
                Interceptor::Log(RequestLog { journal, redaction, body_max_bytes })
            }
            Kind::External(settings) => {
                let ExternalSettings { server, terms, tell_after } = *settings;
                let asker = Asker { metrics: metrics.interceptor(&name), name, terms };
                Interceptor::External(Box::new(External::new(asker, server, tell_after)))
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
