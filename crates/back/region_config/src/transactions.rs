//! Transactions of a configuration's region (`[[region.transaction]]`).

use std::collections::BTreeMap;

use region::Transaction;
use serde::Deserialize;
use settings::GANTRY_FILE;
use settings::copybooks::FormatWord;
use toml::Spanned;
use wire::name;

use crate::commarea::Commarea;
use crate::names::check_length;
use crate::plan::Reader;
use crate::section::{InvokeSection, RightSection};

/// `[[region.transaction]]`: a program that programs may start, the users that may run programs under it, or
/// both.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TransactionSection {
    /// Its one to four characters.
    pub(crate) name: String,
    /// Its first program; without one, programs cannot start it.
    pub(crate) program: Option<Spanned<String>>,
    /// The region that has it, in place of a program here.
    pub(crate) sysid: Option<Spanned<String>>,
    /// Its name there, if that is another one.
    pub(crate) remote_name: Option<Spanned<String>>,
    /// The copybook of the data that START gives it there with FROM.
    pub(crate) copybook: Option<Spanned<String>>,
    /// Its record, if it has several.
    pub(crate) record: Option<Spanned<String>>,
    /// Its columns.
    pub(crate) format: Option<FormatWord>,
    /// False if no task may be started.
    #[serde(default = "yes")]
    pub(crate) enabled: bool,
    /// The most started tasks of it that run at once.
    pub(crate) tasks_max: Option<Spanned<usize>>,
    pub(crate) roles: Option<InvokeSection>,
    /// Users who may, whatever their groups.
    pub(crate) users: Option<Vec<Box<str>>>,
}

fn yes() -> bool {
    true
}

/// The users that may run programs under each transaction. A transaction with a program, here or elsewhere,
/// and without users is free for everybody.
pub(crate) fn rights_of(written: &[Spanned<TransactionSection>]) -> Vec<Spanned<RightSection>> {
    let right = |section: &Spanned<TransactionSection>| {
        let TransactionSection { name, program, sysid, roles, users, .. } = section.get_ref();
        if (program.is_some() || sysid.is_some()) && roles.is_none() && users.is_none() {
            return None;
        }
        let right = RightSection {
            name: name.clone(),
            roles: roles.clone().unwrap_or_default(),
            users: users.clone().unwrap_or_default(),
        };
        Some(Spanned::new(section.span(), right))
    };
    written.iter().filter_map(right).collect()
}

impl TransactionSection {
    /// The data that START gives it with FROM, if a copybook describes them.
    pub(crate) fn data(&self) -> Result<Option<Commarea<'_>>, String> {
        Commarea::of(self.copybook.as_ref(), (self.record.as_ref(), self.format), false)
    }
}

impl Reader<'_, '_> {
    /// The transactions that programs may start, by their names; none if one has a fault.
    pub(crate) fn transactions(
        &mut self,
        written: &[Spanned<TransactionSection>],
    ) -> Option<BTreeMap<[u8; 4], Transaction>> {
        let mut transactions = BTreeMap::new();
        let before = self.problems.error_count();
        for section in written {
            let TransactionSection { name: text, program, enabled, tasks_max, .. } = section.get_ref();
            let Some(program) = program else { continue };
            if let Err(message) = check_length("transaction", text, 4) {
                self.at(GANTRY_FILE, section.span(), message);
            }
            if let Err(message) = check_length("program", program.get_ref(), 8) {
                self.at(GANTRY_FILE, program.span(), message);
            }
            if let Some(none) = tasks_max.as_ref().filter(|most| *most.get_ref() == 0) {
                let message = "expected at least 1; 'enabled = false' keeps a transaction from being started";
                self.at(GANTRY_FILE, none.span(), message);
            }
            let transaction = Transaction {
                program: name(program.get_ref()),
                enabled: *enabled,
                tasks_max: tasks_max.as_ref().map(|most| *most.get_ref()),
            };
            // Names of transactions keep their case, as with CICS.
            if transactions.insert(name(text), transaction).is_some() {
                self.at(GANTRY_FILE, section.span(), format!("the transaction '{text}' is defined twice"));
            }
        }
        (self.problems.error_count() == before).then_some(transactions)
    }
}
