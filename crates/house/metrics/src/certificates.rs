//! The ends of certificates as metrics.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FileLabels {
    file: String,
}

/// The time until the end of each file of certificates.
#[derive(Debug, Default)]
pub struct CertificateMetrics {
    remaining: Family<FileLabels, Gauge>,
    /// The labels at the last reading.
    shown: Mutex<HashSet<FileLabels>>,
}

impl CertificateMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "Time until the certificates of a file end; negative after that";
        registry.register_with_unit(
            "gantry_certificate_remaining",
            help,
            Unit::Seconds,
            self.remaining.clone(),
        );
    }

    /// Takes over the present files, with the seconds until their ends. Files that are gone disappear.
    pub fn show(&self, files: &[(String, i64)]) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now = HashSet::new();
        for (file, seconds) in files {
            let labels = FileLabels { file: file.clone() };
            self.remaining.get_or_create_owned(&labels).set(*seconds);
            now.insert(labels);
        }
        for gone in shown.difference(&now) {
            self.remaining.remove(gone);
        }
        *shown = now;
    }
}
