//! `[[region.tdqueue]]`: transient data queues.

use std::path::Path;

use region::wire::name;
use region::{TransientDefinition, TransientPlace, TransientRecovery};
use serde::Deserialize;

use super::super::region::check_length;

use super::files::StatusWord;

/// `[[region.tdqueue]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TdQueueSection {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) kind: KindWord,
    pub(crate) recovery: Option<RecoveryWord>,
    /// The file of an extrapartition queue.
    pub(crate) path: Option<String>,
    #[serde(default)]
    pub(crate) status: StatusWord,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KindWord {
    /// In the store.
    #[default]
    Intrapartition,
    /// Lines that programs read.
    Input,
    /// Lines that programs write.
    Output,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecoveryWord {
    None,
    Physical,
    Logical,
}

impl TdQueueSection {
    /// The queue; paths begin at `folder`.
    pub(super) fn definition(&self, folder: Option<&Path>) -> Result<TransientDefinition, String> {
        let shown = &self.name;
        check_length("queue", shown, 4)?;
        let path =
            self.path.as_ref().map(|path| folder.map_or_else(|| path.into(), |folder| folder.join(path)));
        let place = match (self.kind, path, self.recovery) {
            (KindWord::Intrapartition, None, recovery) => TransientPlace::Store(match recovery {
                None | Some(RecoveryWord::None) => TransientRecovery::No,
                Some(RecoveryWord::Physical) => TransientRecovery::Physical,
                Some(RecoveryWord::Logical) => TransientRecovery::Logical,
            }),
            (KindWord::Intrapartition, Some(_), _) => {
                return Err("an intrapartition queue is in the store: 'path' goes with kind = \"input\" or \"output\"".to_owned());
            }
            (_, _, Some(_)) => return Err("'recovery' goes with intrapartition queues".to_owned()),
            (_, None, _) => return Err("an extrapartition queue needs 'path', its file".to_owned()),
            (KindWord::Input, Some(path), None) => TransientPlace::Input(path),
            (KindWord::Output, Some(path), None) => TransientPlace::Output(path),
        };
        Ok(TransientDefinition { name: name(&shown.to_uppercase()), place, status: self.status.status() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Result<TransientPlace, String> {
        let section: TdQueueSection = toml::from_str(&format!("name = 'CSMT'\n{text}")).expect("a section");
        section.definition(Some(Path::new("/conf"))).map(|queue| queue.place)
    }

    #[test]
    fn queues_are_in_the_store_or_in_files() {
        assert_eq!(place(""), Ok(TransientPlace::Store(TransientRecovery::No)));
        assert_eq!(place("recovery = 'logical'"), Ok(TransientPlace::Store(TransientRecovery::Logical)));
        assert_eq!(
            place("kind = 'output'\npath = 'log.txt'"),
            Ok(TransientPlace::Output("/conf/log.txt".into()))
        );
        for (text, expected) in [
            ("path = 'x'", "is in the store"),
            ("kind = 'input'", "needs 'path'"),
            ("kind = 'input'\npath = 'x'\nrecovery = 'logical'", "intrapartition"),
        ] {
            let message = place(text).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
