//! `[[region.tdqueue]]`: transient data queues.

use std::path::Path;

use region::{TransientDefinition, TransientPlace, TransientRecovery, Trigger};
use serde::Deserialize;
use wire::name;

use crate::names::check_length;

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
    /// How many records there must be for a task to be started; 1 if there is a transaction, 0 for none.
    pub(crate) trigger_level: Option<u32>,
    /// The transaction of that task.
    pub(crate) transaction: Option<String>,
    /// Its user.
    pub(crate) user: Option<String>,
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

/// The highest trigger level (CICS TS, TDQUEUE).
const TRIGGER_LEVEL_MAX: u32 = 32_767;

impl TdQueueSection {
    /// The queue; paths begin at `folder`.
    pub(crate) fn definition(&self, folder: Option<&Path>) -> Result<TransientDefinition, String> {
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
        let trigger = self.trigger(&place)?;
        let status = self.status.status();
        Ok(TransientDefinition { name: name(&shown.to_uppercase()), place, status, trigger })
    }

    /// The task that is started for the queue; none if it has none.
    fn trigger(&self, place: &TransientPlace) -> Result<Option<Trigger>, String> {
        let Some(transaction) = &self.transaction else {
            return match (self.trigger_level, &self.user) {
                (Some(1..), _) => {
                    Err("'trigger_level' needs 'transaction', which is started then".to_owned())
                }
                (_, Some(_)) => Err("'user' goes with 'transaction'".to_owned()),
                _ => Ok(None),
            };
        };
        if !matches!(place, TransientPlace::Store(_)) {
            return Err("'transaction' goes with intrapartition queues".to_owned());
        }
        check_length("transaction", transaction, 4)?;
        if let Some(user) = &self.user {
            check_length("user", user, 8)?;
        }
        let level = self.trigger_level.unwrap_or(1);
        if level > TRIGGER_LEVEL_MAX {
            return Err(format!("expected a trigger_level of at most {TRIGGER_LEVEL_MAX}, found {level}"));
        }
        let user = self.user.as_ref().map(|user| name(&user.to_uppercase()));
        Ok((level > 0).then(|| Trigger { level, transaction: name(transaction), user }))
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

    #[test]
    fn a_queue_starts_a_transaction_at_its_level() {
        let trigger = |text: &str| {
            let section: TdQueueSection =
                toml::from_str(&format!("name = 'ORDR'\n{text}")).expect("a section");
            section.definition(None).map(|queue| queue.trigger)
        };
        let expected = |level, user| Ok(Some(Trigger { level, transaction: *b"Ord1", user }));
        assert_eq!(trigger("transaction = 'Ord1'"), expected(1, None));
        let with_user = trigger("transaction = 'Ord1'\ntrigger_level = 30\nuser = 'batch'");
        assert_eq!(with_user, expected(30, Some(*b"BATCH   ")));
        assert_eq!(trigger("transaction = 'Ord1'\ntrigger_level = 0"), Ok(None));
        for (text, expected) in [
            ("trigger_level = 2", "needs 'transaction'"),
            ("user = 'BATCH'", "goes with 'transaction'"),
            ("transaction = 'TOOLONG'", "1 to 4 characters"),
            ("transaction = 'A'\ntrigger_level = 32768", "at most 32767, found 32768"),
            ("transaction = 'A'\nkind = 'output'\npath = 'x'", "intrapartition queues"),
        ] {
            let message = trigger(text).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
