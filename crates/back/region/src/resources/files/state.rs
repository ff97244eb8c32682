//! Whether files are open, and may be used. The configuration says how a file begins. SET FILE of a program changes it for all
//! tasks, until the process ends or the configuration says something else.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wire::{Enabling, Name};

use super::FileStatus;

/// Whether a file is open, and may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// It is open.
    pub open: bool,
    /// Whether programs may use it.
    pub enabling: Enabling,
}

impl FileState {
    /// As the configuration says.
    #[must_use]
    pub fn of(status: FileStatus) -> Self {
        let (open, enabling) = match status {
            FileStatus::Open => (true, Enabling::Enabled),
            FileStatus::Closed => (false, Enabling::Unenabled),
            FileStatus::Disabled => (false, Enabling::Disabled),
        };
        Self { open, enabling }
    }

    /// After SET FILE. A closed file cannot be used until it is opened. An enabled file opens when it is
    /// used.
    pub(crate) fn after(mut self, open: Option<bool>, enabled: Option<bool>) -> Self {
        match open {
            Some(true) => {
                self.open = true;
                if self.enabling == Enabling::Unenabled {
                    self.enabling = Enabling::Enabled;
                }
            }
            Some(false) => {
                self.open = false;
                if self.enabling == Enabling::Enabled {
                    self.enabling = Enabling::Unenabled;
                }
            }
            None => {}
        }
        match enabled {
            Some(true) => self.enabling = Enabling::Enabled,
            Some(false) => self.enabling = Enabling::Disabled,
            None => {}
        }
        self
    }

    /// The words of INQUIRE FILE for it, for operators: OPENSTATUS and ENABLESTATUS.
    #[must_use]
    pub fn words(self) -> (&'static str, &'static str) {
        let enabling = match self.enabling {
            Enabling::Enabled => "enabled",
            Enabling::Unenabled => "unenabled",
            Enabling::Disabled => "disabled",
        };
        (if self.open { "open" } else { "closed" }, enabling)
    }

    fn encode(self) -> u8 {
        u8::from(self.open) | (self.enabling as u8) << 1
    }

    fn decode(bits: u8) -> Self {
        let enabling = match bits >> 1 {
            0 => Enabling::Enabled,
            1 => Enabling::Unenabled,
            _ => Enabling::Disabled,
        };
        Self { open: bits & 1 == 1, enabling }
    }
}

impl std::fmt::Display for FileState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (open, enabling) = self.words();
        write!(f, "{open}, {enabling}")
    }
}

/// The state of one file, for all tasks.
#[derive(Clone, Debug)]
pub(crate) struct SharedState(Arc<AtomicU8>);

impl SharedState {
    fn new(state: FileState) -> Self {
        Self(Arc::new(AtomicU8::new(state.encode())))
    }

    pub(crate) fn get(&self) -> FileState {
        FileState::decode(self.0.load(Ordering::Acquire))
    }

    fn set(&self, state: FileState) {
        self.0.store(state.encode(), Ordering::Release);
    }

    /// Changes the state, and gives the states before and after. Changes at the same time are not lost:
    /// `change` may be called more than once, and its last result counts.
    pub(crate) fn update(&self, mut change: impl FnMut(FileState) -> FileState) -> (FileState, FileState) {
        let mut bits = self.0.load(Ordering::Acquire);
        loop {
            let before = FileState::decode(bits);
            let after = change(before);
            match self.0.compare_exchange(bits, after.encode(), Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return (before, after),
                Err(changed) => bits = changed,
            }
        }
    }

    /// A task uses it: a file that is closed and enabled opens. Gives the state in which the task finds it.
    pub(crate) fn used(&self) -> FileState {
        let opens = |state: FileState| !state.open && state.enabling == Enabling::Enabled;
        let state = self.get();
        // Most files are open: nothing is written for them.
        if !opens(state) {
            return state;
        }
        self.update(|state| FileState { open: state.open || opens(state), ..state }).1
    }
}

/// The states of all files, with the status that the configuration that serves gives each.
#[derive(Debug, Default)]
pub(crate) struct FileStates(Mutex<HashMap<Name<8>, (FileStatus, SharedState)>>);

impl FileStates {
    /// The state of a file. A file that was not known before begins as it is configured. A known one keeps its state: the
    /// configuration may still be refused.
    pub(super) fn of(&self, file: Name<8>, configured: FileStatus) -> SharedState {
        let new = || (configured, SharedState::new(FileState::of(configured)));
        self.locked().entry(file).or_insert_with(new).1.clone()
    }

    /// The configuration serves from now on: each file with a changed status begins anew.
    pub(super) fn begin(&self, configured: impl Iterator<Item = (Name<8>, FileStatus)>) {
        let mut states = self.locked();
        for (file, configured) in configured {
            let Some((known, state)) = states.get_mut(&file) else { continue };
            if *known != configured {
                *known = configured;
                state.set(FileState::of(configured));
            }
        }
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<Name<8>, (FileStatus, SharedState)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: Name<8> = *b"FILE    ";

    #[test]
    fn states_follow_one_another_as_in_cics() {
        let state = |open, enabling| FileState { open, enabling };
        let open = state(true, Enabling::Enabled);
        assert_eq!(FileState::of(FileStatus::Open), open);
        let closed = open.after(Some(false), None);
        assert_eq!(closed, state(false, Enabling::Unenabled));
        assert_eq!(closed.after(Some(true), None), open);
        assert_eq!(closed.after(None, Some(true)), state(false, Enabling::Enabled));
        let disabled = open.after(None, Some(false));
        assert_eq!(disabled, state(true, Enabling::Disabled));
        assert_eq!(disabled.after(Some(false), None), state(false, Enabling::Disabled));
        assert_eq!(disabled.after(Some(true), None), disabled, "to open is not to enable");
        assert_eq!(FileState::of(FileStatus::Disabled).after(Some(true), Some(true)), open);
        for state in [open, closed, disabled, FileState::of(FileStatus::Disabled)] {
            assert_eq!(FileState::decode(state.encode()), state);
        }
    }

    #[test]
    fn of_two_changes_at_a_time_none_is_lost() {
        let state = SharedState::new(FileState::of(FileStatus::Open));
        let mut looks = 0;
        let (before, after) = state.update(|seen| {
            looks += 1;
            if looks == 1 {
                // Another task is faster.
                state.update(|seen| seen.after(None, Some(false)));
            }
            seen.after(Some(false), None)
        });
        assert_eq!((before.open, before.enabling), (true, Enabling::Disabled));
        assert_eq!(after, FileState { open: false, enabling: Enabling::Disabled });
        assert_eq!((state.get(), looks), (after, 2));
    }

    #[test]
    fn only_a_file_that_is_enabled_opens_when_it_is_used() {
        for enabling in [Enabling::Enabled, Enabling::Unenabled, Enabling::Disabled] {
            let state = SharedState::new(FileState { open: false, enabling });
            let found = state.used();
            assert_eq!(found, FileState { open: enabling == Enabling::Enabled, enabling });
            assert_eq!(state.get(), found);
        }
    }

    #[test]
    fn a_state_outlives_a_configuration_that_says_the_same_or_does_not_serve() {
        let states = FileStates::default();
        let begin = |status| states.begin([(FILE, status)].into_iter());
        let first = states.of(FILE, FileStatus::Open);
        let closed = first.get().after(Some(false), None);
        first.set(closed);
        begin(FileStatus::Open);
        assert_eq!(states.of(FILE, FileStatus::Disabled).get(), closed);
        begin(FileStatus::Disabled);
        assert_eq!(first.get(), FileState::of(FileStatus::Disabled), "tasks of before see it, too");
        begin(FileStatus::Open);
        assert!(states.of(FILE, FileStatus::Open).get().open);
    }

    #[test]
    fn a_file_of_a_refused_configuration_begins_as_the_next_one_says() {
        let states = FileStates::default();
        states.of(FILE, FileStatus::Disabled);
        let state = states.of(FILE, FileStatus::Open);
        states.begin([(FILE, FileStatus::Open)].into_iter());
        assert_eq!(state.get(), FileState::of(FileStatus::Open));
    }
}
