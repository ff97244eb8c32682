//! `[store]`: the place of all durable data, and its limits.

use std::path::PathBuf;

use serde::Deserialize;
use store::{AfterCrash, EngineKind, Options};

/// `[store]`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct StoreSection {
    /// The file; by default a file in the user's state folder.
    pub path: Option<PathBuf>,
    /// Bytes of keys and values.
    pub bytes_max: Option<u64>,
    /// Bytes of a record or message.
    pub value_bytes_max: Option<usize>,
    /// Units of work that are open, prepared or in doubt.
    pub units_open_max: Option<usize>,
    /// Records and messages that one unit changes.
    pub unit_writes_max: Option<usize>,
    /// Bytes of keys and values that one unit holds.
    pub unit_bytes_max: Option<u64>,
    /// Bytes of memory in which parts of the file are kept.
    pub cache_bytes_max: Option<usize>,
    /// Microseconds for which the first unit of a batch waits for others.
    pub batch_delay_us: Option<u64>,
    /// The engine that takes the batches.
    pub engine: EngineWord,
    /// The work of opening the store after a crash, with the engine `file`.
    pub after_crash: AfterCrashWord,
}

/// `engine`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum EngineWord {
    /// A log beside the file. The file gets the changes later.
    #[default]
    Log,
    /// The file itself.
    File,
}

/// `after_crash`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum AfterCrashWord {
    /// The whole file is read and checked.
    #[default]
    Check,
    /// Opening takes no longer than after a normal end, but a commit waits for the disk twice.
    Resume,
}

impl StoreSection {
    /// The limits and choices. Those that are left out have the store's defaults.
    #[must_use]
    pub fn options(&self) -> Options {
        let usual = Options::default();
        Options {
            store_bytes_max: self.bytes_max.unwrap_or(usual.store_bytes_max),
            value_bytes_max: self.value_bytes_max.unwrap_or(usual.value_bytes_max),
            units_open_max: self.units_open_max.unwrap_or(usual.units_open_max),
            unit_writes_max: self.unit_writes_max.unwrap_or(usual.unit_writes_max),
            unit_bytes_max: self.unit_bytes_max.unwrap_or(usual.unit_bytes_max),
            cache_bytes_max: self.cache_bytes_max.unwrap_or(usual.cache_bytes_max),
            batch_delay_us: self.batch_delay_us.unwrap_or(usual.batch_delay_us),
            engine: match self.engine {
                EngineWord::Log => EngineKind::Log,
                EngineWord::File => EngineKind::File,
            },
            after_crash: match self.after_crash {
                AfterCrashWord::Check => AfterCrash::Check,
                AfterCrashWord::Resume => AfterCrash::Resume,
            },
            ..usual
        }
    }

    /// The file as it is written in the configuration. A caller that opens it must know the folder for
    /// relative paths.
    #[must_use]
    pub fn written_path(&self) -> Option<PathBuf> {
        self.path.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_is_left_out_is_as_the_store_has_it() {
        let section: StoreSection = toml::from_str(
            "path = '.state/all.store'\nbytes_max = 7\nengine = 'file'\nafter_crash = 'resume'",
        )
        .expect("right");
        assert_eq!(section.written_path().unwrap(), Path::new(".state/all.store"));
        let options = section.options();
        assert_eq!((options.store_bytes_max, options.after_crash), (7, AfterCrash::Resume));
        assert_eq!(
            (options.engine, StoreSection::default().options().engine),
            (EngineKind::File, EngineKind::Log)
        );
        assert_eq!(options.units_open_max, Options::default().units_open_max);
        assert!(toml::from_str::<StoreSection>("colour = 1").is_err());
    }
}
