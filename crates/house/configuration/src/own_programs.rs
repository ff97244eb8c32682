//! The programs in the folder `programs/`. By default, such a program serves the service that names
//! it.

use std::collections::BTreeMap;

use region_config::{DEFAULT_CHANNEL, ProgramSection};
use settings::Files;
use toml::Spanned;

use super::written::ProviderSection;
use program::FOLDER;

/// The data that a service gives to its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gives {
    Commarea,
    Channel,
}

/// The programs. Each is a provider for services with records, and one for services with
/// containers.
#[derive(Debug, Default)]
pub(crate) struct OwnPrograms(BTreeMap<(String, Gives), Spanned<ProviderSection>>);

impl OwnPrograms {
    /// The programs of a configuration. An unreadable folder gives none; the region reports the
    /// fault.
    pub(super) fn of(files: &Files) -> Self {
        let entries = files.list(FOLDER).unwrap_or_default();
        let names = entries.iter().filter_map(|entry| program_of(entry));
        let sections = names.flat_map(|name| {
            [Gives::Commarea, Gives::Channel].map(|gives| {
                let section = ProviderSection(Box::new(ProgramSection::of(&name, channel(gives))));
                ((name.clone(), gives), Spanned::new(0..0, section))
            })
        });
        Self(sections.collect())
    }

    /// The provider of a service whose program is in the folder.
    pub(super) fn provider(&self, program: &str, gives: Gives) -> Option<&Spanned<ProviderSection>> {
        self.0.get(&(program.to_uppercase(), gives)).or_else(|| self.0.get(&(program.to_owned(), gives)))
    }
}

fn channel(gives: Gives) -> Option<String> {
    (gives == Gives::Channel).then(|| DEFAULT_CHANNEL.to_owned())
}

/// The program of a file in the folder; none for other files.
fn program_of(entry: &str) -> Option<String> {
    let (stem, ending) = entry.rsplit_once('.')?;
    match ending.to_ascii_lowercase().as_str() {
        "cbl" | "cob" => Some(stem.to_uppercase()),
        "so" => Some(stem.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_and_objects_are_programs() {
        let found = ["Pay.CBL", "LOOK.so", "ITEM.cpy", "MEMBER"].map(program_of);
        assert_eq!(found, [Some("PAY".to_owned()), Some("LOOK".to_owned()), None, None]);
    }
}
