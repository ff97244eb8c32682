//! INQUIRE PROGRAM, TRANSACTION, FILE and TASK, and SET FILE: the definitions and their states.
//!
//! Conditions and their reasons are those of CICS TS's system programming reference, as far as public pages show them.

use std::sync::atomic::Ordering;

use program::conditions::{Condition, END, FILENOTFOUND, NOTAUTH, NOTFND, PGMIDERR, TASKIDERR, TRANSIDERR};
use wire::{
    Access, Answer, FileFacts, FileKind, Guarded, Name, ProgramFacts, ResourceAnswer, ResourceAsk, TaskFacts,
    TransactionFacts, Wanted, shown,
};

use crate::definitions::Definitions;
use crate::resources::catalogue::find;
use crate::resources::files::{FileOrganization, OpenFile};
use crate::resources::trouble::refused;
use crate::starts::Whose;
use crate::work::Work;

/// A browse is at its end (CICS TS, "Exception conditions for browsing": END).
const NO_MORE: u32 = 2;
/// SET FILE knows no such file (CICS TX, "SET FILE OPEN": FILENOTFOUND).
const NO_SUCH_FILE: u32 = 18;
/// INQUIRE knows nothing of that name; the task's user may not use it. The pages that we could read do not show these two.
const NOT_FOUND: u32 = 1;
const NOT_ALLOWED: u32 = 101;

impl Work {
    /// Carries out a command on definitions.
    ///
    /// # Errors
    /// The resulting condition.
    pub(crate) fn resource(&self, ask: ResourceAsk) -> Result<Answer, Answer> {
        match ask {
            ResourceAsk::Transaction(wanted) => self.transaction_facts(wanted),
            ResourceAsk::File(wanted) => {
                let found = find(self.all_files.names(), wanted, |_| true);
                let file = found.and_then(|name| self.all_files.get(name));
                let file = file.ok_or_else(|| missing(wanted, &FILENOTFOUND))?;
                Ok(Answer::Resource(ResourceAnswer::File(file_facts(file))))
            }
            ResourceAsk::Program(wanted) => self.program_facts(wanted),
            ResourceAsk::Task { number } => self.task_facts(number),
            ResourceAsk::Access { to, log } => self.access(to, log),
            ResourceAsk::SetFile { file: name, open, enabled } => {
                let file = self.all_files.get(name).ok_or_else(|| refused(&FILENOTFOUND, NO_SUCH_FILE))?;
                let (before, after) = file.state.update(|state| state.after(open, enabled));
                if after != before {
                    let (task, transaction) = (self.task.number, shown(&self.task.transaction));
                    tracing::info!(
                        "file {}: transaction {transaction}, task {task}, made it {after}",
                        shown(&name)
                    );
                }
                Ok(Answer::Done)
            }
        }
    }

    fn transaction_facts(&self, wanted: Wanted<4>) -> Result<Answer, Answer> {
        let settings = &self.task.settings;
        let whose = Whose::of(self.task.user, &self.task);
        let may_run = |name: &Name<4>| whose.may_run(*name, settings);
        // A browse shows the resources that the user may use.
        let found = find(&self.catalogue.transactions, wanted, may_run);
        let name = found.ok_or_else(|| missing(wanted, &TRANSIDERR))?;
        if !may_run(&name) {
            return Err(refused(&NOTAUTH, NOT_ALLOWED));
        }
        let own = settings.transactions.get(&name);
        let remote = self.definitions.remote_transaction(name);
        Ok(Answer::Resource(ResourceAnswer::Transaction(TransactionFacts {
            name,
            program: own.map_or([b' '; 8], |own| own.program),
            enabled: own.is_none_or(|own| own.enabled),
            sysid: remote.map_or([b' '; 4], |remote| remote.sysid),
            remote_name: remote.map_or([b' '; 4], |remote| remote.remote_name),
            installed_by: settings.default_user,
        })))
    }

    fn program_facts(&self, wanted: Wanted<8>) -> Result<Answer, Answer> {
        let is_allowed = |name: &Name<8>| !self.task.refused_programs.contains(name);
        // A browse cannot show the names that an entry covers which is the beginning of several.
        let found = find(&self.catalogue.programs, wanted, is_allowed)
            .or_else(|| covered(&self.definitions, wanted))
            .filter(is_allowed);
        let name = found.ok_or_else(|| missing(wanted, &PGMIDERR))?;
        let settings = &self.task.settings;
        let bytes = self.catalogue.program_bytes(name);
        let remote = self.definitions.remote_program(name).filter(|_| bytes.is_none());
        let figures = self.resources.board.programs.known(name);
        let uses = figures.map_or(0, |figures| figures.tasks.load(Ordering::Relaxed));
        Ok(Answer::Resource(ResourceAnswer::Program(ProgramFacts {
            name,
            sysid: remote.as_ref().map_or([b' '; 4], |remote| remote.sysid),
            remote_name: remote.as_ref().map_or([b' '; 8], |remote| remote.remote_name),
            bytes: bytes.unwrap_or(0),
            uses: u32::try_from(uses).unwrap_or(u32::MAX),
            installed_by: settings.default_user,
        })))
    }

    /// The access of the task's user. Whether a rule keeps the user out comes before whether the resource is
    /// there, so that nobody can find out the names of resources.
    fn access(&self, to: Guarded, log: bool) -> Result<Answer, Answer> {
        let rights = &self.task.settings.rights;
        let (may_use, is_there, has_rule) = match to {
            Guarded::Program(name) => (
                !self.task.refused_programs.contains(&name),
                find(&self.catalogue.programs, Wanted::Named(name), |_| true).is_some()
                    || covered(&self.definitions, Wanted::Named(name)).is_some(),
                rights.guard_program(name),
            ),
            Guarded::Transaction(name) => {
                let own = self.task.settings.transactions.get(&name);
                (
                    Whose::of(self.task.user, &self.task).may_run(name, &self.task.settings),
                    find(&self.catalogue.transactions, Wanted::Named(name), |_| true).is_some(),
                    rights.guard_transaction(name)
                        || own.is_some_and(|own| rights.guard_program(own.program)),
                )
            }
            Guarded::File(name) => (true, self.all_files.get(name).is_some(), false),
            Guarded::TransientQueue(name) => (true, self.all_transients.has(name), false),
        };
        let access = match (may_use, is_there) {
            (false, _) => Access::Nothing,
            (true, false) => return Err(refused(&NOTFND, NOT_FOUND)),
            (true, true) if has_rule => Access::Read,
            (true, true) => Access::Alter,
        };
        if log && access == Access::Nothing {
            let (task, transaction) = (self.task.number, shown(&self.task.transaction));
            tracing::info!(
                "QUERY SECURITY of transaction {transaction}, task {task}: {} may not use {to}",
                shown(&self.task.user)
            );
        }
        Ok(Answer::Resource(ResourceAnswer::Access(access)))
    }

    fn task_facts(&self, number: u32) -> Result<Answer, Answer> {
        let workers = self.resources.board.workers();
        let running = workers.iter().find_map(|(_, status)| {
            let task = status.occupation.task().filter(|task| task.number == number)?;
            Some((task, status.occupation.waits().is_some()))
        });
        let (task, waits) = running.ok_or_else(|| refused(&TASKIDERR, NOT_FOUND))?;
        Ok(Answer::Resource(ResourceAnswer::Task(TaskFacts {
            transaction: task.transaction,
            program: task.program,
            user: task.user,
            startcode: task.startcode,
            waits,
        })))
    }
}

/// The name that is wanted by itself, if another region has a program of that name.
fn covered(definitions: &Definitions, wanted: Wanted<8>) -> Option<Name<8>> {
    match wanted {
        Wanted::Named(name) => definitions.remote_program(name).map(|program| program.name),
        Wanted::From(_) | Wanted::After(_) => None,
    }
}

/// The answer to a command that finds nothing.
fn missing<const N: usize>(wanted: Wanted<N>, unknown: &'static Condition) -> Answer {
    match wanted {
        Wanted::Named(_) => refused(unknown, NOT_FOUND),
        Wanted::From(_) | Wanted::After(_) => refused(&END, NO_MORE),
    }
}

fn file_facts(file: &OpenFile) -> FileFacts {
    let (definition, state) = (&file.definition, file.state.get());
    let keys = |offset: usize, bytes: usize| FileKind::Keys { offset: offset as u32, bytes: bytes as u32 };
    let kind = match (&definition.path, definition.organization) {
        (Some(path), _) => keys(path.key_offset, path.key_bytes),
        (None, FileOrganization::KeySequenced { key_offset, key_bytes, .. }) => keys(key_offset, key_bytes),
        (None, FileOrganization::EntrySequenced) => FileKind::Addresses,
        (None, FileOrganization::Relative) => FileKind::Numbers,
    };
    let allowed = definition.allowed;
    FileFacts {
        name: definition.name,
        open: state.open,
        enabling: state.enabling,
        allowed: [allowed.read, allowed.update, allowed.browse, allowed.add, allowed.delete],
        kind,
        record_bytes: definition.record_bytes as u32,
        fixed: definition.fixed,
        recoverable: definition.recoverable,
        is_path: definition.path.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use wire::name;

    use super::*;
    use crate::link::definition::RemoteProgram;

    #[test]
    fn a_program_that_an_entry_covers_is_there_by_its_name() {
        let any = name("PAY*");
        let entry =
            RemoteProgram { name: any, sysid: *b"FARR", remote_name: any, transaction: None, text: vec![] };
        let definitions = Definitions { remote_programs: vec![entry], ..Definitions::default() };
        let covered = |wanted| covered(&definitions, wanted);
        assert_eq!(covered(Wanted::Named(name("PAYX"))), Some(name("PAYX")));
        assert_eq!(covered(Wanted::Named(name("OTHER"))), None);
        assert_eq!(covered(Wanted::From(name("PAYX"))), None, "a browse has no names to show");
        assert_eq!(covered(Wanted::After(name("PAYX"))), None);
    }
}
