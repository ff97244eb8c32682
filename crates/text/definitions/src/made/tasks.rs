//! Transactions and programs.

use super::{Maker, is_name};
use crate::csd::Definition;
use crate::place::Place;
use crate::read::OwnProgram;
use crate::section::{Table, Value};

/// `[[region.transaction]]`.
pub(super) const TRANSACTION: Table = Table::Entry("region", "transaction", "name");
/// `[[region.program]]`.
pub(super) const PROGRAM: Table = Table::Entry("region", "program", "name");

impl Maker {
    pub(super) fn transaction(&mut self, definition: &Definition) {
        if !is_name(&definition.name, 4) {
            return self
                .note(definition, "a transaction has a name of 1 to 4 characters; it is not imported");
        }
        let mut section = Self::section(TRANSACTION, &definition.name, definition);
        match (self.remote_system(definition), definition.word("PROGRAM")) {
            (Some(system), _) => {
                section.set("sysid", system);
                if let Some(name) = definition.value("REMOTENAME").filter(|name| *name != definition.name) {
                    section.set("remote_name", name);
                }
            }
            (None, Some(program)) if is_name(&program, 8) => {
                section.set("program", program);
                if definition.is("STATUS", "DISABLED") {
                    section.set("enabled", false);
                }
            }
            _ => {
                return self
                    .note(definition, "has neither a program nor a remote system, and is not imported");
            }
        }
        self.sections.push(section);
    }

    /// Programs that only transactions name. Neither CICS nor Gantry needs a definition for them.
    pub(super) fn programs_of_transactions(&mut self, definitions: &[Definition]) {
        let of_transactions: Vec<(String, Place)> = self
            .sections
            .iter()
            .filter(|section| section.table == TRANSACTION)
            .filter_map(|section| {
                let (_, value) = section.pairs.iter().find(|(key, _)| *key == "program")?;
                let Value::Text(name) = value else { return None };
                Some((name.to_uppercase(), section.places.first()?.clone()))
            })
            .collect();
        for (name, place) in of_transactions {
            let is_defined =
                definitions.iter().any(|one| one.kind == "PROGRAM" && one.name.eq_ignore_ascii_case(&name));
            let is_known = self.programs.iter().any(|known| known.name == name);
            // Programs of CICS itself begin with these letters.
            if !is_defined && !is_known && !name.starts_with("DFH") {
                self.programs.push(OwnProgram { name, place });
            }
        }
    }

    /// The limit of a class becomes that of its transaction, if it has only one.
    pub(super) fn classes(&mut self, definitions: &[Definition]) {
        for class in definitions.iter().filter(|one| one.kind == "TRANCLASS") {
            let Some(most) = class.value("MAXACTIVE").and_then(|most| most.parse::<u64>().ok()) else {
                continue;
            };
            let is_member = |one: &&Definition| one.kind == "TRANSACTION" && one.is("TRANCLASS", &class.name);
            let mut members = definitions.iter().filter(is_member);
            match (members.next(), members.next()) {
                (Some(only), None) if most > 0 => {
                    let is_its = |section: &&mut crate::section::Section| {
                        section.table == TRANSACTION && section.name == only.name
                    };
                    if let Some(section) = self.sections.iter_mut().find(is_its)
                        && section.pairs.iter().any(|(key, _)| *key == "program")
                    {
                        section.set("tasks_max", most);
                    }
                }
                (None, _) => self.note(class, "no transaction that is imported belongs to it"),
                _ => {
                    let reason = format!(
                        "a limit of {most} for several transactions together has no counterpart: set tasks_max of each"
                    );
                    self.note(class, reason);
                }
            }
        }
    }

    pub(super) fn program(&mut self, definition: &Definition) {
        if !is_name(&definition.name, 8) {
            return self.note(definition, "a program has a name of 1 to 8 characters; it is not imported");
        }
        let name = definition.name.to_uppercase();
        if let Some(system) = self.remote_system(definition) {
            let mut section = Self::section(PROGRAM, &name, definition).with("sysid", system);
            if let Some(remote) = definition.word("REMOTENAME").filter(|remote| *remote != name) {
                section.set("remote_name", remote);
            }
            if let Some(transaction) = definition.value("TRANSID") {
                section.set("transaction", transaction);
            }
            self.sections.push(section);
            return;
        }
        let language = definition.word("LANGUAGE").unwrap_or_default();
        let is_other = !matches!(language.as_str(), "" | "COBOL" | "LE370" | "NOTAPPLIC" | "NOTDEFINED");
        if definition.is("JVM", "YES") || is_other {
            let language = if is_other { language } else { "Java".to_owned() };
            return self.note(definition, format!("is written in {language}: Gantry runs COBOL"));
        }
        if definition.is("STATUS", "DISABLED") {
            self.note(
                definition,
                "is disabled: leave it out of programs/, or nobody may run it with users = []",
            );
        }
        self.programs.push(OwnProgram { name, place: definition.place.clone() });
    }
}
