//! Warns of certificates that have ended, or that end soon.

use std::time::SystemTime;

use admission::CertificateFiles;
use admission::config::SecuritySection;

use super::loader::Loader;

impl Loader<'_> {
    /// The files of certificates that the configuration names. Warns of those that end soon.
    pub(super) fn certificates(&mut self, section: &SecuritySection) -> CertificateFiles {
        let files = CertificateFiles::new(self.take_certificates(), section.certificate_warning_days());
        for (file, message) in files.troubles(SystemTime::now()) {
            match &file.named_in {
                (path, Some(span)) => self.warn_at(path, span.clone(), message),
                (path, None) => self.warn(path, message),
            }
        }
        files
    }
}
