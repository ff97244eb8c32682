//! When the certificates of the configuration end: for warnings, the log and metrics.
//!
//! A file with its owner's certificate and chain ends with the first of them. A file of authorities
//! ends with the first one that is still valid. Authorities that have ended before do not count, as
//! long as one is valid: they often stay in such files.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use calendar::Utc;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use security::Validity;
use settings::{CertificateFile, CertificatesOf};

use crate::reload::{Stamp, stamp};

const SECONDS_PER_DAY: i64 = 86_400;

/// The files of certificates that a configuration names.
#[derive(Debug, Default)]
pub struct CertificateFiles {
    files: Vec<Known>,
    /// Seconds before the end from which on there are warnings.
    warning_s: i64,
}

/// A file, with what was read in it.
#[derive(Debug)]
struct Known {
    file: CertificateFile,
    read: Mutex<Read>,
    /// The version that was judged last for the log.
    told: Mutex<Stamp>,
}

#[derive(Debug, Default)]
struct Read {
    stamp: Stamp,
    certificates: Vec<Validity>,
}

impl CertificateFiles {
    /// Reads the files. Files without a certificate that can be read have no end: who uses them
    /// reports that.
    #[must_use]
    pub fn new(files: Vec<CertificateFile>, warning_days: u32) -> Self {
        let mut known: Vec<Known> = Vec::new();
        for file in files {
            let is_same = |other: &Known| other.file.path == file.path && other.file.of == file.of;
            if !known.iter().any(is_same) {
                let told = Mutex::new(stamp(&file.path));
                let one = Known { file, read: Mutex::default(), told };
                one.look();
                known.push(one);
            }
        }
        Self { files: known, warning_s: i64::from(warning_days) * SECONDS_PER_DAY }
    }

    /// The seconds until the end of each file, negative after it. Looks at no file: what was read last
    /// counts.
    pub fn seconds_left(&self, now: SystemTime) -> Vec<(String, i64)> {
        let now = seconds(now);
        let mut left = BTreeMap::new();
        for known in &self.files {
            let Some(validity) = known.validity_read(now) else { continue };
            let own = validity.ends - now;
            let least = left.entry(known.file.path.display().to_string()).or_insert(own);
            *least = own.min(*least);
        }
        left.into_iter().collect()
    }

    /// The files that have ended, that end soon, or that are not valid yet; each with a sentence.
    pub fn troubles(&self, now: SystemTime) -> Vec<(&CertificateFile, String)> {
        let now = seconds(now);
        let trouble = |known: &Known| known.trouble(now, self.warning_s);
        self.files.iter().filter_map(|known| Some((&known.file, trouble(known)?))).collect()
    }

    /// Writes all troubles to the log.
    pub fn tell(&self, now: SystemTime) {
        let _ = self.tell_of(now, |_| true);
    }

    /// Reads files that have changed since the last call, and writes their troubles to the log. Gives
    /// them.
    pub fn tell_changed(&self, now: SystemTime) -> Vec<String> {
        self.tell_of(now, |known| {
            let new = stamp(&known.file.path);
            let mut told = known.told.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *told, new) != new
        })
    }

    fn tell_of(&self, now: SystemTime, wanted: impl Fn(&Known) -> bool) -> Vec<String> {
        let now = seconds(now);
        let wanted = self.files.iter().filter(|known| wanted(known));
        let troubles: Vec<String> = wanted.filter_map(|known| known.trouble(now, self.warning_s)).collect();
        for trouble in &troubles {
            tracing::warn!("{trouble}");
        }
        troubles
    }
}

impl Known {
    /// Reads the file if it has changed.
    fn look(&self) {
        let read = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        // The stamp comes first, so a change in between is seen the next time.
        let stamp = stamp(&self.file.path);
        if stamp.is_none() || read().stamp != stamp {
            // Nobody waits for the disk.
            let certificates = self.certificates();
            *read() = Read { stamp, certificates };
        }
    }

    /// The time in which the file, as it was read last, is valid as a whole; none without a certificate.
    fn validity_read(&self, now: i64) -> Option<Validity> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        whole(&read.certificates, self.file.of, now)
    }

    fn certificates(&self) -> Vec<Validity> {
        let Ok(found) = CertificateDer::pem_file_iter(&self.file.path) else { return Vec::new() };
        found.flatten().filter_map(|certificate| Validity::parse(&certificate)).collect()
    }

    fn trouble(&self, now: i64, warning_s: i64) -> Option<String> {
        self.look();
        let validity = self.validity_read(now)?;
        let path = self.file.path.display();
        let what = match self.file.of {
            CertificatesOf::Own => "certificate",
            CertificatesOf::Authorities => "authority",
        };
        let at = |seconds: i64| Utc::of_seconds(u64::try_from(seconds).unwrap_or(0)).plain();
        let left = validity.ends - now;
        match () {
            () if left < 0 => {
                Some(format!("{path}: the {what} ended on {} UTC; nobody accepts it", at(validity.ends)))
            }
            () if validity.begins > now => Some(format!(
                "{path}: the {what} is valid from {} UTC on; nobody accepts it before",
                at(validity.begins)
            )),
            () if left <= warning_s => {
                let days = match left / SECONDS_PER_DAY {
                    0 => "less than a day".to_owned(),
                    1 => "1 day".to_owned(),
                    days => format!("{days} days"),
                };
                Some(format!("{path}: the {what} ends in {days}, on {} UTC; renew it", at(validity.ends)))
            }
            () => None,
        }
    }
}

/// The time in which certificates of one file serve.
fn whole(certificates: &[Validity], of: CertificatesOf, now: i64) -> Option<Validity> {
    let ends = |some: &mut dyn Iterator<Item = &Validity>| some.map(|one| one.ends).min();
    match of {
        CertificatesOf::Own => Some(Validity {
            begins: certificates.iter().map(|one| one.begins).max()?,
            ends: ends(&mut certificates.iter())?,
        }),
        CertificatesOf::Authorities => {
            let is_valid = |one: &&Validity| (one.begins..=one.ends).contains(&now);
            match ends(&mut certificates.iter().filter(is_valid)) {
                Some(ends) => Some(Validity { begins: now, ends }),
                None => certificates.iter().max_by_key(|one| one.ends).copied(),
            }
        }
    }
}

fn seconds(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(NOW as u64)
    }

    /// A certificate in PEM that is valid between two numbers of seconds after [`NOW`].
    fn pem(begins: i64, ends: i64) -> String {
        let mut params = CertificateParams::default();
        let epoch = rcgen::date_time_ymd(1970, 1, 1);
        params.not_before = epoch + Duration::from_secs((NOW + begins) as u64);
        params.not_after = epoch + Duration::from_secs((NOW + ends) as u64);
        params.self_signed(&KeyPair::generate().expect("a key")).expect("a certificate").pem()
    }

    const DAY: i64 = SECONDS_PER_DAY;

    /// The seconds left and the warning of a file with these certificates.
    fn judged(of: CertificatesOf, certificates: &[(i64, i64)]) -> (Option<i64>, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file.pem");
        let text: String = certificates.iter().map(|(begins, ends)| pem(*begins, *ends)).collect();
        std::fs::write(&path, text).expect("written");
        let file = CertificateFile { path, of, named_in: ("gantry.toml".to_owned(), None) };
        let files = CertificateFiles::new(vec![file.clone(), file], 30);
        let troubles = files.troubles(now());
        assert!(troubles.len() <= 1, "one file is judged once");
        let trouble = troubles.first().map(|(_, text)| text.clone()).unwrap_or_default();
        (files.seconds_left(now()).first().map(|(_, left)| *left), trouble)
    }

    #[test]
    fn a_chain_ends_with_the_first_of_its_certificates() {
        let own = |certificates: &[(i64, i64)]| judged(CertificatesOf::Own, certificates);
        assert_eq!(own(&[(-DAY, 31 * DAY)]), (Some(31 * DAY), String::new()));
        let (left, told) = own(&[(-DAY, 900 * DAY), (-DAY, 12 * DAY + 5)]);
        assert_eq!(left, Some(12 * DAY + 5));
        assert!(
            told.ends_with("file.pem: the certificate ends in 12 days, on 2027-01-27 08:00:05 UTC; renew it"),
            "{told}"
        );
        assert!(own(&[(-DAY, 5)]).1.contains("ends in less than a day"));
        let (left, told) = own(&[(-9 * DAY, -DAY)]);
        assert_eq!(left, Some(-DAY));
        assert!(told.contains("the certificate ended on 2027-01-14 08:00:00 UTC"), "{told}");
        let (left, told) = own(&[(DAY, 900 * DAY)]);
        assert_eq!(left, Some(900 * DAY));
        assert!(told.contains("is valid from 2027-01-16 08:00:00 UTC on"), "{told}");
        assert_eq!(own(&[]), (None, String::new()), "who uses the file reports that");
    }

    #[test]
    fn authorities_that_ended_do_not_count_as_long_as_one_is_valid() {
        let all = |certificates: &[(i64, i64)]| judged(CertificatesOf::Authorities, certificates);
        assert_eq!(all(&[(-9 * DAY, -DAY), (-DAY, 900 * DAY)]), (Some(900 * DAY), String::new()));
        let (left, told) = all(&[(-DAY, 2 * DAY), (-DAY, 900 * DAY)]);
        assert_eq!(left, Some(2 * DAY));
        assert!(told.contains("the authority ends in 2 days"), "{told}");
        let (left, told) = all(&[(-9 * DAY, -2 * DAY), (-9 * DAY, -DAY)]);
        assert_eq!(left, Some(-DAY), "the last one");
        assert!(told.contains("the authority ended on"), "{told}");
    }

    #[test]
    fn a_changed_file_is_read_again_and_judged_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file.pem");
        std::fs::write(&path, pem(-DAY, DAY)).expect("written");
        let named_in = ("gantry.toml".to_owned(), None);
        let file = CertificateFile { path: path.clone(), of: CertificatesOf::Own, named_in };
        let files = CertificateFiles::new(vec![file], 0);
        let left = || files.seconds_left(now());
        assert!(files.troubles(now()).is_empty(), "0 days warn only of the end");
        assert!(files.tell_changed(now()).is_empty());
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, pem(-DAY, -5) + "\n\n").expect("written");
        assert_eq!(left()[0].1, DAY, "figures look at no file");
        let told = files.tell_changed(now());
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("file.pem: the certificate ended on "), "{told:?}");
        assert_eq!(left()[0].1, -5);
        assert!(files.tell_changed(now()).is_empty(), "it is told once");
        std::fs::remove_file(&path).expect("removed");
        assert!(files.tell_changed(now()).is_empty());
        assert!(left().is_empty());
    }
}
