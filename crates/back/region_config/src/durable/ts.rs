//! Temporary storage in `[region]`: `[[region.tsmodel]]` and `[[region.tspool]]`.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use percent::bare_host;
use region::{Keeping, PoolAddress, PoolDefinition, PoolPassword, QueueModel};
use serde::Deserialize;
use toml::Spanned;
use wire::name;

use crate::names::check_length;

/// Where queues are kept.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LocationWord {
    Main,
    Auxiliary,
}

/// `[[region.tsmodel]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TsModelSection {
    /// The beginning of the queues' names.
    pub(crate) prefix: Spanned<String>,
    pub(crate) location: Option<LocationWord>,
    #[serde(default)]
    pub(crate) recoverable: bool,
    /// Seconds without use after which a queue goes.
    pub(crate) expiry_s: Option<u64>,
    /// The region that has the queues.
    pub(crate) sysid: Option<String>,
    /// The pool that has the queues.
    pub(crate) pool: Option<String>,
}

/// The longest prefix, in characters: a queue's name.
const PREFIX_MAX: usize = 16;

impl TsModelSection {
    pub(crate) fn model(&self, own_sysid: &str) -> Result<QueueModel, String> {
        let prefix = self.prefix.get_ref();
        if prefix.len() > PREFIX_MAX || !prefix.is_ascii() {
            return Err(format!(
                "expected a prefix of at most {PREFIX_MAX} ASCII characters, found '{prefix}'"
            ));
        }
        if self.pool.is_some() && self.recoverable {
            return Err("shared queues are not recoverable: leave out 'pool' or 'recoverable'".to_owned());
        }
        if self.pool.is_some() && (self.sysid.is_some() || self.location.is_some()) {
            return Err(
                "the pool says where the queues are: 'location' and 'sysid' do not go with it".to_owned()
            );
        }
        let keeping = match (&self.sysid, self.location) {
            (None, None) if self.pool.is_some() => Keeping::Shared(self.pool.clone().unwrap_or_default()),
            (Some(_), Some(_)) => {
                return Err("'location' is that region's affair if 'sysid' is given".to_owned());
            }
            (Some(sysid), None) if sysid.eq_ignore_ascii_case(own_sysid) => Keeping::Main,
            (Some(sysid), None) if (1..=4).contains(&sysid.len()) && sysid.is_ascii() => {
                Keeping::Remote(name(&sysid.to_uppercase()))
            }
            (Some(sysid), None) => {
                return Err(format!("expected a sysid of 1 to 4 characters, found '{sysid}'"));
            }
            (None, Some(LocationWord::Auxiliary)) => Keeping::Auxiliary { recoverable: self.recoverable },
            (None, _) => Keeping::Main,
        };
        if self.recoverable && keeping != (Keeping::Auxiliary { recoverable: true }) {
            return Err("recoverable queues need location = \"auxiliary\"".to_owned());
        }
        if self.expiry_s.is_some() && (self.recoverable || self.sysid.is_some()) {
            return Err(
                "recoverable and remote queues do not expire: 'expiry_s' goes with neither".to_owned()
            );
        }
        if self.expiry_s == Some(0) {
            return Err("expected expiry_s of at least 1; leave it out for queues that stay".to_owned());
        }
        Ok(QueueModel {
            prefix: prefix.as_bytes().to_vec(),
            keeping,
            expiry: self.expiry_s.map(Duration::from_secs),
        })
    }
}

/// `[[region.tspool]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TsPoolSection {
    pub(crate) name: Spanned<String>,
    /// `host:port`, or `unix:` and the path of a socket.
    pub(crate) address: String,
    #[serde(default)]
    pub(crate) database: u32,
    pub(crate) user: Option<String>,
    /// The file with the password.
    pub(crate) password_file: Option<String>,
    #[serde(default = "default_timeout_ms")]
    pub(crate) timeout_ms: u64,
    /// Consent to a connection that anybody on the way can read.
    #[serde(default)]
    pub(crate) allow_plaintext: bool,
}

fn default_timeout_ms() -> u64 {
    2_000
}

/// The longest name of a pool, in characters: that of CICS.
const POOL_MAX: usize = 8;

impl TsPoolSection {
    /// The pool; paths begin at `folder`.
    pub(crate) fn pool(&self, folder: Option<&Path>) -> Result<PoolDefinition, String> {
        let name = self.name.get_ref();
        check_length("pool", name, POOL_MAX)?;
        let in_folder = |path: &str| folder.map_or_else(|| path.into(), |folder| folder.join(path));
        let address = match self.address.strip_prefix("unix:") {
            Some(path) => PoolAddress::Unix(in_folder(path)),
            None => self.tcp()?,
        };
        let password = match &self.password_file {
            None => None,
            Some(file) => {
                let text = std::fs::read_to_string(in_folder(file));
                let text = text.map_err(|error| format!("password_file {file}: {error}"))?;
                Some(PoolPassword::new(text.trim_end_matches(['\n', '\r']).to_owned()))
            }
        };
        Ok(PoolDefinition {
            name: name.clone(),
            address,
            database: self.database,
            user: self.user.clone(),
            password,
            timeout: Duration::from_millis(self.timeout_ms),
        })
    }

    fn tcp(&self) -> Result<PoolAddress, String> {
        let bad = || format!("expected host:port or unix:PATH, found '{}'", self.address);
        let (host, port) = self.address.rsplit_once(':').ok_or_else(bad)?;
        let host = bare_host(host);
        let port = port.parse().map_err(|_| bad())?;
        let is_here =
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        match (host.is_empty(), is_here || self.allow_plaintext) {
            (true, _) => Err(bad()),
            (false, false) => Err(format!(
                "others can read the data sent to {host}: use a socket or this machine, or set allow_plaintext = true"
            )),
            (false, true) => Ok(PoolAddress::Tcp(host.to_owned(), port)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> Result<QueueModel, String> {
        toml::from_str::<TsModelSection>(text).expect("a section").model("OWN1")
    }

    #[test]
    fn models_are_what_their_keys_say() {
        let keeping = |text: &str| model(text).map(|model| model.keeping);
        assert_eq!(keeping("prefix = 'A'"), Ok(Keeping::Main));
        let auxiliary = "prefix = 'A'\nlocation = 'auxiliary'\n";
        assert_eq!(keeping(auxiliary), Ok(Keeping::Auxiliary { recoverable: false }));
        let recoverable = format!("{auxiliary}recoverable = true\n");
        assert_eq!(keeping(&recoverable), Ok(Keeping::Auxiliary { recoverable: true }));
        assert_eq!(keeping("prefix = 'A'\nsysid = 'far'"), Ok(Keeping::Remote(*b"FAR ")));
        assert_eq!(keeping("prefix = 'A'\nsysid = 'own1'"), Ok(Keeping::Main));
        let expiring = model("prefix = 'A'\nexpiry_s = 60").expect("a model");
        assert_eq!(expiring.expiry, Some(Duration::from_secs(60)));
    }

    #[test]
    fn models_that_contradict_themselves_are_refused() {
        for (text, expected) in [
            ("prefix = 'A'\nrecoverable = true", "location"),
            ("prefix = 'A'\nlocation = 'auxiliary'\nrecoverable = true\nexpiry_s = 1", "do not expire"),
            ("prefix = 'A'\nlocation = 'main'\nsysid = 'FAR'", "that region's affair"),
            ("prefix = 'A'\nsysid = 'FAR'\nexpiry_s = 1", "do not expire"),
            ("prefix = 'A'\nsysid = 'TOOLONG'", "1 to 4 characters"),
            ("prefix = 'A'\nexpiry_s = 0", "at least 1"),
            ("prefix = '12345678901234567'", "at most 16"),
        ] {
            let message = model(text).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn shared_queues_are_in_a_pool_and_never_recoverable() {
        assert_eq!(
            model("prefix = 'A'\npool = 'P'").map(|model| model.keeping),
            Ok(Keeping::Shared("P".to_owned()))
        );
        for (more, expected) in
            [("recoverable = true", "not recoverable"), ("location = 'main'", "the pool says")]
        {
            let message = model(&format!("prefix = 'A'\npool = 'P'\n{more}")).expect_err(more);
            assert!(message.contains(expected), "{more}: {message}");
        }
        let pool = |text: &str| {
            let section: TsPoolSection = toml::from_str(&format!("name = 'P'\n{text}")).expect("a section");
            section.pool(Some(Path::new("/conf")))
        };
        let address = |text: &str| pool(text).map(|pool| pool.address);
        assert_eq!(address("address = '[::1]:6379'"), Ok(PoolAddress::Tcp("::1".to_owned(), 6379)));
        assert_eq!(address("address = 'unix:run/s'"), Ok(PoolAddress::Unix("/conf/run/s".into())));
        for (text, expected) in [
            ("address = '6379'", "host:port"),
            ("address = 'localhost:x'", "host:port"),
            ("address = 'example.com:6379'", "allow_plaintext"),
            ("address = 'localhost:1'\npassword_file = 'no-such-file'", "no-such-file"),
        ] {
            let message = address(text).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
        assert!(address("address = 'example.com:6379'\nallow_plaintext = true").is_ok());
    }
}
