//! What `[region]` defines for programs: its store, and where temporary storage queues are kept.

use std::path::{Path, PathBuf};
use std::time::Duration;

use region::wire::name;
use region::{Definitions, Keeping, Location, QueueModel};
use serde::Deserialize;
use toml::Spanned;

use super::files::Files;
use super::load::{GANTRY_FILE, Loader};
use super::region::RegionSection;

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
}

/// The longest prefix, in characters: a queue's name.
const PREFIX_MAX: usize = 16;

impl TsModelSection {
    fn model(&self, own_sysid: &str) -> Result<QueueModel, String> {
        let prefix = self.prefix.get_ref();
        if prefix.len() > PREFIX_MAX || !prefix.is_ascii() {
            return Err(format!(
                "expected a prefix of at most {PREFIX_MAX} ASCII characters, found '{prefix}'"
            ));
        }
        let keeping = match (&self.sysid, self.location) {
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

/// The store of a region: a path of its own, from the configuration's folder if it is relative, or that of the user's state.
pub(super) fn store_path(files: &Files, given: Option<&Path>, applid: &str) -> PathBuf {
    match given {
        Some(path) => files.folder().map_or_else(|| path.to_owned(), |folder| folder.join(path)),
        None => state_folder().join(format!("{applid}.store")),
    }
}

fn state_folder() -> PathBuf {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")));
    state.unwrap_or_else(|| PathBuf::from("/var/lib")).join("gantry")
}

impl Loader<'_> {
    /// What the region has for its programs; none if something is wrong with it.
    pub(super) fn definitions(&mut self, section: &RegionSection) -> Option<Definitions> {
        let mut queue_models: Vec<QueueModel> = Vec::new();
        let mut whole = true;
        for written in &section.ts_models {
            let model = written.model(section.sysid.get_ref()).and_then(|model| {
                match queue_models.iter().any(|known| known.prefix == model.prefix) {
                    true => Err(format!("there is another model for '{}'", written.prefix.get_ref())),
                    false => Ok(model),
                }
            });
            match model {
                Ok(model) => queue_models.push(model),
                Err(message) => {
                    whole = false;
                    self.at(GANTRY_FILE, written.prefix.span(), message);
                }
            }
        }
        let queue_location = match section.ts_location {
            LocationWord::Main => Location::Main,
            LocationWord::Auxiliary => Location::Auxiliary,
        };
        whole.then_some(Definitions { queue_models, queue_location })
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
    fn a_relative_store_is_in_the_folder_of_the_configuration() {
        let files = Files::Folder("/etc/shop".into());
        let path = |given: &str| store_path(&files, Some(Path::new(given)), "SHOP");
        assert_eq!(path(".state/shop.store"), Path::new("/etc/shop/.state/shop.store"));
        assert_eq!(path("/var/lib/shop.store"), Path::new("/var/lib/shop.store"));
        assert!(store_path(&files, None, "SHOP").ends_with("gantry/SHOP.store"));
    }
}
