//! From definitions to sections: each kind of resource has its module.

mod data;
mod files;
mod queues;
mod remote;
mod system;
mod tasks;
mod web;

use std::collections::BTreeMap;

use crate::attributes::noted;
use crate::csd::Definition;
use crate::idcams::Catalog;
use crate::place::{Note, Place};
use crate::read::{Copies, Import, NewFile, OwnProgram, WantedData};
use crate::section::{Section, Table, folded};
use crate::sit::Override;

/// The definitions that are imported.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) catalog: Catalog,
    pub(crate) overrides: Vec<Override>,
    pub(crate) copies: Vec<Copies>,
}

/// Makes sections.
#[derive(Debug, Default)]
struct Maker {
    /// The SYSID of this region, if it is known.
    own_sysid: Option<String>,
    sections: Vec<Section>,
    notes: Vec<Note>,
    programs: Vec<OwnProgram>,
    new_files: Vec<NewFile>,
    wanted: Vec<WantedData>,
    /// The file with the records of a cluster, by the cluster's name.
    file_of: BTreeMap<String, String>,
}

/// The reason why resources of a kind are not imported.
fn without_counterpart(kind: &str) -> &'static str {
    match kind {
        "MAPSET" | "PARTITIONSET" | "TERMINAL" | "TYPETERM" | "PROFILE" | "PARTNER" => {
            "belongs to terminals, which programs behind an API do not have"
        }
        "DB2CONN" | "DB2ENTRY" | "DB2TRAN" => {
            "belongs to Db2: programs with EXEC SQL need a precompiler (docs/guides/programs.md)"
        }
        "MQCONN" | "MQINI" | "MQMONITOR" => {
            "belongs to MQ: [queue_manager] defines queues, and a queue with trigger starts a transaction"
        }
        "SESSIONS" => "belongs to a connection, and [region.links] has the limits of all",
        "LSRPOOL" | "JOURNALMODEL" | "DUMPCODE" => {
            "has no counterpart: [store], [[interceptor]] and region.dumps take its place"
        }
        "LIBRARY" => "has no counterpart: programs are in programs/",
        "DOCTEMPLATE" => "is a file here: put the template into templates/, under this name",
        "BUNDLE" => "is a folder of files: import that folder too",
        "JVMSERVER" | "DJAR" | "CORBASERVER" | "ATOMSERVICE" | "EVENTBINDING" | "REQUESTMODEL"
        | "PROCESSTYPE" => "has no counterpart here",
        _ => "is a kind of resource that is not known, and is not imported",
    }
}

pub(crate) fn make(given: Given) -> Import {
    let mut maker = Maker::default();
    maker.system(&given.overrides);
    let own_sysid = maker.own_sysid.clone();
    maker.files(&given.definitions, &given.catalog);
    for definition in &given.definitions {
        match definition.kind.as_str() {
            "TRANSACTION" => maker.transaction(definition),
            "PROGRAM" => maker.program(definition),
            "TDQUEUE" => maker.transient_queue(definition, &given.definitions),
            "TSMODEL" => maker.storage_model(definition),
            "ENQMODEL" => maker.enqueue_model(definition),
            "CONNECTION" | "IPCONN" => maker.connection(definition),
            "TCPIPSERVICE" => maker.tcpip_service(definition),
            "URIMAP" => maker.uri_map(definition),
            "PIPELINE" => maker.pipeline(definition),
            "WEBSERVICE" => maker.web_service(definition),
            "FILE" | "TRANCLASS" => {}
            kind => {
                maker.note(definition, without_counterpart(kind));
                continue;
            }
        }
        maker.note_attributes(definition);
    }
    maker.programs_of_transactions(&given.definitions);
    maker.classes(&given.definitions);
    maker.triggers();
    maker.links(own_sysid.as_deref());
    maker.data(&given);
    maker.once();
    let Maker { mut sections, notes, programs, new_files, wanted, .. } = maker;
    sections.sort_by_key(|section| rank(section.table));
    Import { sections, new_files, programs, notes, wanted, ..Import::default() }
}

/// The order of sections in the file.
fn rank(table: Table) -> usize {
    const ORDER: &[&str] = &["transaction", "program", "file", "tdqueue", "tsmodel", "link"];
    match table {
        Table::Keys(_) => 0,
        Table::Entry(_, name, _) | Table::Unnamed(_, name, _) => {
            1 + ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len())
        }
        Table::List(..) => 10,
        Table::Map(_) => 11,
    }
}

impl Maker {
    /// A section occurs once. Of several overrides the last counts, of several other definitions the first.
    fn once(&mut self) {
        let mut kept: Vec<Section> = Vec::new();
        let mut places: BTreeMap<(Table, String), usize> = BTreeMap::new();
        for section in std::mem::take(&mut self.sections) {
            let next = kept.len();
            let place = *places.entry((section.table, folded(section.table, &section.name))).or_insert(next);
            match kept.get_mut(place) {
                None => kept.push(section),
                Some(known) if section.table == Table::Keys("region") => *known = section,
                Some(known) if known.pairs == section.pairs => known.places.extend(section.places),
                Some(known) => {
                    let reason =
                        format!("{} defines {} already; it is not imported", known.subject, section.name);
                    if let Some(place) = section.places.first() {
                        self.notes.push(Note { place: place.clone(), subject: section.subject, reason });
                    }
                }
            }
        }
        self.sections = kept;
    }

    fn note(&mut self, definition: &Definition, reason: impl Into<String>) {
        self.note_at(&definition.place, definition.shown(), reason);
    }

    fn note_at(&mut self, place: &Place, subject: impl Into<String>, reason: impl Into<String>) {
        self.notes.push(Note { place: place.clone(), subject: subject.into(), reason: reason.into() });
    }

    /// Notes the attributes without a counterpart.
    fn note_attributes(&mut self, definition: &Definition) {
        let noted = noted(definition);
        if !noted.is_empty() {
            self.note(definition, format!("has no counterpart for {}", noted.join(", ")));
        }
    }

    /// A section for a definition.
    fn section(table: Table, name: &str, definition: &Definition) -> Section {
        let subject = match definition.group.as_str() {
            "" => definition.shown(),
            group => format!("{} of {group}", definition.shown()),
        };
        Section::new(table, name, subject, &definition.place)
    }

    /// The system of a resource, if it is another system than this one.
    fn remote_system(&self, definition: &Definition) -> Option<String> {
        let system = definition.word("REMOTESYSTEM")?;
        Some(system).filter(|system| self.own_sysid.as_ref() != Some(system))
    }
}

/// True for the name of a resource: it has at most this many characters.
fn is_name(name: &str, most: usize) -> bool {
    (1..=most).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
}
