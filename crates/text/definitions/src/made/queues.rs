//! Transient data queues, models of temporary storage queues, and models of names for ENQ.

use super::{Maker, is_name};
use crate::csd::Definition;
use crate::read::NewFile;
use crate::section::{Section, Table, Value};

/// `[[region.tdqueue]]`.
pub(super) const QUEUE: Table = Table::Entry("region", "tdqueue", "name");
/// `[[region.tsmodel]]`.
pub(super) const MODEL: Table = Table::Entry("region", "tsmodel", "prefix");

/// The highest trigger level here.
const TRIGGER_LEVEL_MAX: u64 = 32_767;
/// The longest chain of indirect queues.
const INDIRECT_MAX: usize = 8;

impl Maker {
    pub(super) fn transient_queue(&mut self, definition: &Definition, all: &[Definition]) {
        if !is_name(&definition.name, 4) {
            return self.note(definition, "a queue has a name of 1 to 4 characters; it is not imported");
        }
        if self.remote_system(definition).is_some() {
            return self.note(
                definition,
                "is in another region: transient data cannot be remote; it is not imported",
            );
        }
        let Some(target) = target(definition, all) else {
            return self
                .note(definition, "stands for a queue that is not imported; it is not imported either");
        };
        let name = definition.name.to_uppercase();
        let mut section = Self::section(QUEUE, &name, definition);
        match target.word("TYPE").as_deref() {
            Some("EXTRA") => self.external(target, &mut section),
            _ if target.place != definition.place => {
                let reason =
                    format!("stands for {}: programs must name that queue; it is not imported", target.name);
                return self.note(definition, reason);
            }
            _ => self.internal(definition, &mut section),
        }
        if definition.is("STATUS", "DISABLED") {
            section.set("status", "disabled");
        }
        self.sections.push(section);
    }

    /// A queue that is a file of lines.
    fn external(&mut self, target: &Definition, section: &mut Section) {
        let is_input = matches!(target.word("TYPEFILE").as_deref(), None | Some("INPUT" | "RDBACK"));
        let name = target.name.to_uppercase();
        let (kind, path) = match is_input {
            true => ("input", format!("data/{name}.txt")),
            false => ("output", format!(".gantry/queues/{name}.txt")),
        };
        section.set("kind", kind);
        section.set("path", path.clone());
        let what = target.value("DSNAME").or_else(|| target.value("DDNAME")).unwrap_or("its data set");
        self.note(target, format!("{path} takes the place of {what}"));
        if is_input && !self.new_files.iter().any(|file| file.path == path) {
            self.new_files.push(NewFile { path, text: String::new() });
        }
    }

    fn internal(&mut self, definition: &Definition, section: &mut Section) {
        match definition.word("RECOVSTATUS").as_deref() {
            Some("LOGICAL") => section.set("recovery", "logical"),
            Some("PHYSICAL") => section.set("recovery", "physical"),
            _ => {}
        }
        let level = definition.value("TRIGGERLEVEL").and_then(|level| level.parse::<u64>().ok()).unwrap_or(1);
        let Some(transaction) = definition.value("TRANSID").filter(|_| level > 0) else { return };
        if matches!(definition.word("ATIFACILITY").as_deref(), Some("TERMINAL" | "SYSTEM")) {
            let reason =
                format!("{transaction} needs a terminal or system (ATIFACILITY): nothing is started");
            return self.note(definition, reason);
        }
        section.set("transaction", transaction);
        if level > 1 {
            section.set("trigger_level", level.min(TRIGGER_LEVEL_MAX));
        }
        if let Some(user) = definition.value("USERID") {
            section.set("user", user);
        }
    }

    /// Notes triggers whose transaction is not defined here, because a queue can only start a defined one.
    pub(super) fn triggers(&mut self) {
        let is_known = |name: &Value, sections: &[Section]| {
            sections.iter().any(|section| {
                section.table == super::tasks::TRANSACTION
                    && Value::from(section.name.as_str()) == *name
                    && section.pairs.iter().any(|(key, _)| *key == "program")
            })
        };
        let mut notes = Vec::new();
        let known = self.sections.clone();
        for section in self.sections.iter_mut().filter(|section| section.table == QUEUE) {
            let transaction = section.pairs.iter().find(|(key, _)| *key == "transaction");
            let Some((_, Value::Text(name))) = transaction.cloned() else { continue };
            if !is_known(&Value::from(name.as_str()), &known) {
                section.pairs.retain(|(key, _)| !matches!(*key, "transaction" | "trigger_level" | "user"));
                let place = section.places.first().cloned();
                notes.extend(place.map(|place| (place, section.subject.clone(), name)));
            }
        }
        for (place, subject, name) in notes {
            let reason = format!(
                "the transaction {name}, which it starts, is not defined in what was read: it starts nothing"
            );
            self.note_at(&place, subject, reason);
        }
    }

    pub(super) fn storage_model(&mut self, definition: &Definition) {
        if let Some(hexadecimal) = definition.value("XPREFIX") {
            let reason =
                format!("a prefix in hexadecimal (X'{hexadecimal}') has no counterpart; it is not imported");
            return self.note(definition, reason);
        }
        let prefix = definition.value("PREFIX").unwrap_or_default().trim_end_matches('+').to_owned();
        if prefix.contains('+') || prefix.len() > 16 || !prefix.is_ascii() {
            return self.note(
                definition,
                format!("the prefix {prefix} is not the beginning of names; it is not imported"),
            );
        }
        let mut section = Self::section(MODEL, &prefix, definition);
        let is_recoverable = definition.is("RECOVERY", "YES");
        let remote = self.remote_system(definition);
        match (&remote, definition.word("LOCATION").as_deref()) {
            (Some(system), _) => section.set("sysid", system.clone()),
            (None, Some("MAIN")) => {}
            (None, _) => section.set("location", "auxiliary"),
        }
        if remote.is_some() && (definition.value("REMOTEPREFIX").is_some_and(|other| other != prefix)) {
            self.note(definition, "REMOTEPREFIX has no counterpart: the queues have the same names there");
        }
        if remote.is_none() && is_recoverable {
            match definition.is("LOCATION", "MAIN") {
                true => self.note(definition, "queues in main storage are not recoverable"),
                false => section.set("recoverable", true),
            }
        }
        let hours = definition.value("EXPIRYINT").and_then(|hours| hours.parse::<u64>().ok()).unwrap_or(0);
        let stays = match (&remote, is_recoverable && !definition.is("LOCATION", "MAIN")) {
            (Some(_), _) => Some("remote"),
            (None, true) => Some("recoverable"),
            (None, false) => None,
        };
        match stays {
            _ if hours == 0 => {}
            None => section.set("expiry_s", hours.saturating_mul(3_600)),
            Some(kind) => {
                self.note(
                    definition,
                    format!("{kind} queues do not expire here: EXPIRYINT has no counterpart"),
                );
            }
        }
        if let Some(pool) = definition.value("POOLNAME") {
            let reason = format!(
                "the pool {pool} is a server here: add [[region.tspool]], and pool = \"{pool}\" in place of location; until then the queues are in this region"
            );
            self.note(definition, reason);
        }
        self.sections.push(section);
    }

    /// Every ENQ here is within the region, as with a model without a scope.
    pub(super) fn enqueue_model(&mut self, definition: &Definition) {
        if let Some(scope) = definition.value("ENQSCOPE") {
            let reason = format!(
                "its names are locked in this region alone: the scope {scope} of several regions has no counterpart"
            );
            self.note(definition, reason);
        }
        if definition.is("STATUS", "DISABLED") {
            self.note(definition, "a disabled model ends tasks that lock its names; here they lock them");
        }
    }
}

/// The queue that has the records: the queue itself, or the target of an indirect one.
fn target<'d>(definition: &'d Definition, all: &'d [Definition]) -> Option<&'d Definition> {
    let mut target = definition;
    for _ in 0..INDIRECT_MAX {
        if !target.is("TYPE", "INDIRECT") {
            return Some(target);
        }
        let name = target.value("INDIRECTNAME")?;
        target = all.iter().find(|one| one.kind == "TDQUEUE" && one.name.eq_ignore_ascii_case(name))?;
    }
    None
}
