//! Dumps of abends and of DUMP TRANSACTION: a file for each, with the task, its data, and its last commands.
//!
//! A dump is JSON that people can read. Bytes stand in lines of hexadecimal and of text side by side. The headers of
//! requests are left out, because they may have credentials. A dump holds what the program worked with, so its file is
//! for the gateway's user alone.

mod content;
mod folder;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use wire::notes::Note;
use wire::{Clipped, State, TransactionDump, shown};

pub use folder::DumpView;
pub(crate) use writer::Writer;

use crate::region::Region;
use crate::settings::Settings;
use crate::watching::board::TaskLabel;

/// The most dumps that a task may ask for: each takes the place of an older one.
pub(crate) const DUMPS_OF_TASK_MAX: u32 = 10;

/// Where dumps are written, and how many bytes they have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpSettings {
    /// The folder; none turns dumps off.
    pub folder: Option<PathBuf>,
    /// How many are kept; the oldest go first. 0 for none at all.
    pub most: usize,
    /// How many bytes of commarea and containers a dump has, all together.
    pub data_max_bytes: usize,
}

impl Default for DumpSettings {
    fn default() -> Self {
        Self { folder: None, most: 100, data_max_bytes: 256 * 1024 }
    }
}

impl DumpSettings {
    /// The most bytes that a worker tells at an abend; 0 if nobody writes them.
    pub(crate) fn state_max_bytes(&self) -> u32 {
        match (&self.folder, self.most) {
            (Some(_), 1..) => u32::try_from(self.data_max_bytes.max(1)).unwrap_or(u32::MAX),
            _ => 0,
        }
    }
}

/// The parts of a dump.
#[derive(Debug)]
pub(crate) struct Material {
    pub(crate) settings: Arc<Settings>,
    pub(crate) task: TaskLabel,
    /// When the task ended, or asked for the dump.
    pub(crate) time: SystemTime,
    pub(crate) cause: Cause,
    /// The abend code, or DUMPCODE.
    pub(crate) code: String,
    /// The program in which it happened; empty if that is not known.
    pub(crate) program: String,
    pub(crate) message: String,
    pub(crate) evidence: Evidence,
}

/// Why there is a dump.
#[derive(Debug)]
pub(crate) enum Cause {
    Abend,
    /// DUMP TRANSACTION.
    Command {
        /// The area of FROM.
        area: Option<Clipped>,
    },
}

/// The evidence that a failed task leaves.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    /// The worker's report of the abend.
    pub(crate) state: Option<Box<State>>,
    /// The task's data at its begin, if its worker has reported nothing. It is cut to the size of a dump,
    /// because it may wait for other dumps.
    pub(crate) begun: Option<Box<State>>,
    /// Its last commands.
    pub(crate) commands: Vec<Note>,
    /// The program wants no dump.
    pub(crate) is_unwanted: bool,
    /// How many dumps the program has asked for.
    pub(crate) dumps: u32,
}

/// Deletes unfinished dumps of a killed gateway.
pub(crate) fn delete_unfinished(settings: &DumpSettings) {
    if let Some(folder) = &settings.folder
        && let Err(error) = folder::delete_unfinished(folder)
    {
        tracing::warn!("unfinished dumps in {} cannot be deleted: {error}", folder.display());
    }
}

impl Region {
    /// Writes the dump that a program asks for; false if its task has had [`DUMPS_OF_TASK_MAX`] already.
    pub(crate) fn dumped(
        &self,
        task: TaskLabel,
        mut dump: TransactionDump,
        commands: Vec<Note>,
        evidence: &mut Evidence,
    ) -> bool {
        if evidence.dumps == DUMPS_OF_TASK_MAX {
            return false;
        }
        evidence.dumps += 1;
        // The worker may have sent more than it was asked for.
        dump.clip(self.dump_max_bytes());
        let TransactionDump { code, area, state } = dump;
        let program = state.programs.last().map(|program| shown(program)).unwrap_or_default();
        let evidence = Evidence { state: Some(Box::new(state)), commands, ..Evidence::default() };
        let (settings, time) = (self.settings.clone(), SystemTime::now());
        let cause = Cause::Command { area };
        let (code, message) = (shown(&code), String::new());
        self.resources.dumps.write(Material {
            settings,
            task,
            time,
            cause,
            code,
            program,
            message,
            evidence,
        });
        true
    }

    /// The dumps that there are, oldest first. Reads a folder: for a thread that may wait.
    ///
    /// # Errors
    /// It cannot be read: the reason.
    pub fn dumps(&self) -> Result<Vec<DumpView>, String> {
        match &self.settings().dumps.folder {
            Some(folder) => folder::list(folder).map_err(|error| format!("{}: {error}", folder.display())),
            None => Ok(Vec::new()),
        }
    }

    /// A dump by its id: JSON. None if there is none. Reads a file: for a thread that may wait.
    ///
    /// # Errors
    /// It cannot be read: the reason.
    pub fn dump(&self, id: &str) -> Result<Option<String>, String> {
        match &self.settings().dumps.folder {
            Some(folder) => folder::read(folder, id).map_err(|error| format!("dump {id}: {error}")),
            None => Ok(None),
        }
    }
}
