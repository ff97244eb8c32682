//! Files: use and recovery from FILE, keys and lengths from the cluster.

use std::collections::BTreeSet;

use super::{Maker, is_name};
use crate::catalog::Found;
use crate::csd::Definition;
use crate::idcams::{AlternateIndex, Catalog, Cluster, Organization};
use crate::section::{Section, Table, Value};

/// `[[region.file]]`.
pub(super) const FILE: Table = Table::Entry("region", "file", "name");

/// The longest record of a file here, and the longest keys.
const RECORD_MAX_BYTES: u64 = 32_767;
const KEY_MAX_BYTES: u64 = 255;
const ALTERNATE_KEY_MAX_BYTES: u64 = 235;

/// The reason why a cluster is left out.
const UNUSED: &str = "no FILE that was read has it as its data set: import the commands that define the file, or write [[region.file]]";

/// The operations of programs on a file: the attribute, its word here, and whether CICS allows it by default.
const OPERATIONS: &[(&str, &str, bool)] = &[
    ("READ", "read", true),
    ("ADD", "add", false),
    ("UPDATE", "update", false),
    ("DELETE", "delete", false),
    ("BROWSE", "browse", false),
];

impl Maker {
    pub(super) fn files(&mut self, definitions: &[Definition], catalog: &Catalog) {
        let files: Vec<&Definition> = definitions.iter().filter(|one| one.kind == "FILE").collect();
        let mut used = BTreeSet::new();
        let mut later = Vec::new();
        for definition in files {
            self.note_attributes(definition);
            if !self.is_here(definition) {
                continue;
            }
            let found = definition.value("DSNAME").or_else(|| definition.value("DSNNAME"));
            match found.map_or(Found::Nothing, |data_set| catalog.find(data_set)) {
                Found::Cluster(cluster) if used.insert(cluster.name.clone()) => self.file(definition, Some(cluster)),
                Found::Cluster(cluster) => later.push((definition, None, cluster)),
                Found::Index(index, cluster) => later.push((definition, Some(index), cluster)),
                Found::Nothing => self.file(definition, None),
                Found::Several => self.note(
                    definition,
                    "several clusters could be its data set: import the one that is meant; it is not imported",
                ),
            }
        }
        let in_use: BTreeSet<&str> = used
            .iter()
            .map(String::as_str)
            .chain(later.iter().map(|(.., cluster)| cluster.name.as_str()))
            .collect();
        for cluster in catalog.clusters.iter().filter(|cluster| !in_use.contains(cluster.name.as_str())) {
            self.note_at(&cluster.place, format!("CLUSTER {}", cluster.name), UNUSED);
        }
        for (definition, index, cluster) in later {
            self.path(definition, index, cluster);
        }
    }

    /// True if a region here can have the file.
    fn is_here(&mut self, definition: &Definition) -> bool {
        if !is_name(&definition.name, 8) {
            self.note(definition, "a file has a name of 1 to 8 characters; it is not imported");
            return false;
        }
        if let Some(system) = self.remote_system(definition) {
            let reason = format!("is in the region {system}: files cannot be remote; it is not imported");
            self.note(definition, reason);
            return false;
        }
        true
    }

    fn file(&mut self, definition: &Definition, cluster: Option<&Cluster>) {
        let number = |name: &str| definition.value(name).and_then(|value| value.parse::<u64>().ok());
        let organization = cluster.map_or(Organization::Indexed, |cluster| cluster.organization);
        let of_cluster = cluster.and_then(|cluster| cluster.record_bytes);
        let Some(record_bytes) = of_cluster.or_else(|| number("RECORDSIZE")).filter(|bytes| *bytes > 0)
        else {
            let reason = "its data set is not defined in what was read: import the IDCAMS job that defines it; it is not imported";
            return self.note(definition, reason);
        };
        let key = cluster.and_then(|cluster| cluster.key);
        let key = key.or_else(|| number("KEYLENGTH").filter(|bytes| *bytes > 0).map(|bytes| (bytes, 0)));
        let mut section = Self::section(FILE, &definition.name.to_uppercase(), definition);
        section.places.extend(cluster.map(|cluster| cluster.place.clone()));
        section.set(
            "organization",
            match organization {
                Organization::Indexed => "ksds",
                Organization::NonIndexed => "esds",
                Organization::Numbered => "rrds",
                Organization::Linear => {
                    return self.note(definition, "a linear data set has no records; it is not imported");
                }
            },
        );
        if record_bytes > RECORD_MAX_BYTES {
            let reason = format!(
                "records of {record_bytes} bytes are longer than {RECORD_MAX_BYTES}; it is not imported"
            );
            return self.note(definition, reason);
        }
        section.set("record_bytes", record_bytes);
        if organization == Organization::Indexed {
            let Some((bytes, offset)) = key.filter(|(bytes, _)| (1..=KEY_MAX_BYTES).contains(bytes)) else {
                return self.note(definition, "the length of its key is not known; it is not imported");
            };
            if bytes.saturating_add(offset) > record_bytes {
                let reason = format!(
                    "its key, {bytes} bytes at {offset}, is not within {record_bytes} bytes; it is not imported"
                );
                return self.note(definition, reason);
            }
            if offset > 0 {
                section.set("key_offset", offset);
            }
            section.set("key_bytes", bytes);
        }
        if definition.is("RECORDFORMAT", "F") && organization != Organization::Numbered {
            section.set("record_format", "fixed");
        }
        self.uses(definition, &mut section);
        if !recoverable(definition, cluster) {
            section.set("recoverable", false);
        }
        match cluster {
            Some(cluster) => drop(self.file_of.insert(cluster.name.clone(), section.name.clone())),
            None if organization == Organization::Indexed => {
                self.note(definition, "its data set is not defined in what was read: a ksds with its key at offset 0 is assumed");
            }
            None => {}
        }
        self.sections.push(section);
    }

    /// The allowed operations of programs, and whether the file can be used.
    fn uses(&mut self, definition: &Definition, section: &mut Section) {
        let is_allowed = |name: &str, usual: bool| match definition.value(name) {
            Some(value) => value.eq_ignore_ascii_case("YES"),
            None => usual,
        };
        let allowed = OPERATIONS.iter().filter(|(name, _, usual)| is_allowed(name, *usual));
        let allowed: Vec<String> = allowed.map(|(_, word, _)| (*word).to_owned()).collect();
        if allowed.len() < OPERATIONS.len() {
            section.set("allow", Value::List(allowed));
        }
        match definition.word("STATUS").as_deref() {
            Some("DISABLED") => section.set("status", "disabled"),
            Some("UNENABLED") => section.set("status", "closed"),
            _ => {}
        }
    }

    /// A file that shows the records of another file, by an alternate key or by the same key.
    fn path(&mut self, definition: &Definition, index: Option<&AlternateIndex>, cluster: &Cluster) {
        let Some(base) = self.file_of.get(&cluster.name).cloned() else {
            let reason =
                format!("no file that is imported has the records of {}; it is not imported", cluster.name);
            return self.note(definition, reason);
        };
        let (key, unique) = match index {
            Some(index) => (index.key, index.unique),
            // Another name for the same data set uses the same key.
            None => (cluster.key, true),
        };
        if index.is_none() && cluster.organization != Organization::Indexed {
            return self.note(
                definition,
                format!("{base} has its data set: one file has the records here; it is not imported"),
            );
        }
        let most = if unique { KEY_MAX_BYTES } else { ALTERNATE_KEY_MAX_BYTES };
        let Some((bytes, offset)) = key.filter(|(bytes, _)| (1..=most).contains(bytes)) else {
            return self.note(
                definition,
                format!("expected an alternate key of 1 to {most} bytes; it is not imported"),
            );
        };
        let mut section =
            Self::section(FILE, &definition.name.to_uppercase(), definition).with("path_of", base.clone());
        section.places.extend(index.map(|index| index.place.clone()));
        if offset > 0 {
            section.set("key_offset", offset);
        }
        section.set("key_bytes", bytes);
        if unique {
            section.set("unique", true);
        }
        self.uses(definition, &mut section);
        self.sections.push(section);
        self.recover(definition, &base);
    }

    /// A file with paths is recoverable, because its indexes change with its records.
    fn recover(&mut self, definition: &Definition, base: &str) {
        let is_base = |section: &&mut Section| section.table == FILE && section.name == base;
        let Some(section) = self.sections.iter_mut().find(is_base) else { return };
        let before = section.pairs.len();
        section.pairs.retain(|(key, _)| *key != "recoverable");
        if section.pairs.len() < before {
            let reason = format!(
                "is a path of {base}: {base} is recoverable here, because its indexes change with its records"
            );
            self.note(definition, reason);
        }
    }
}

/// Whether changes are backed out. As in CICS, the catalog's LOG overrides the definition.
fn recoverable(definition: &Definition, cluster: Option<&Cluster>) -> bool {
    let defined = matches!(definition.word("RECOVERY").as_deref(), Some("BACKOUTONLY" | "ALL"));
    cluster.and_then(|cluster| cluster.recoverable).unwrap_or(defined)
}
