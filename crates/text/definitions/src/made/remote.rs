//! Other regions: CONNECTION, IPCONN, and the systems that resources name.

use std::collections::BTreeMap;

use super::Maker;
use crate::csd::Definition;
use crate::section::{Section, Table, Value};

/// `[[region.link]]`.
const LINK: Table = Table::Entry("region", "link", "sysid");

impl Maker {
    pub(super) fn connection(&mut self, definition: &Definition) {
        let name = definition.name.to_uppercase();
        if !super::is_name(&name, 4) {
            return self.note(
                definition,
                "a link has the SYSID of the other region, 1 to 4 characters; it is not imported",
            );
        }
        if self.own_sysid.as_ref() == Some(&name) {
            return self.note(definition, "leads to this region itself; it is not imported");
        }
        let mut section = Self::section(LINK, &name, definition).with("address", address(&name));
        let there = match definition.kind.as_str() {
            "IPCONN" => {
                [definition.value("HOST"), definition.value("PORT")].map(|part| part.unwrap_or("?")).join(":")
            }
            _ => definition.value("NETNAME").unwrap_or("?").to_owned(),
        };
        section.comments.push(format!("In CICS: {there}"));
        self.note(definition, format!("{name} must be a gateway too: set the address of its link (it was {there} in CICS), and add a [[region.link]] there"));
        if !self.sections.iter().any(|known| known.is_same_thing(&section)) {
            self.sections.push(section);
        }
    }

    /// A link for each system that resources name without a definition.
    pub(super) fn links(&mut self, own: Option<&str>) {
        let mut missing: BTreeMap<String, Section> = BTreeMap::new();
        for section in &self.sections {
            let system = section.pairs.iter().find(|(key, _)| *key == "sysid" && section.table != LINK);
            if let Some((_, Value::Text(system))) = system {
                missing.entry(system.clone()).or_insert_with(|| section.clone());
            }
        }
        for (system, of) in missing {
            let is_there =
                self.sections.iter().any(|section| section.table == LINK && section.name == system);
            let Some(place) = of.places.first().filter(|_| !is_there && own != Some(system.as_str())) else {
                continue;
            };
            self.notes.push(crate::place::Note {
                place: place.clone(),
                subject: of.subject.clone(),
                reason: format!("no CONNECTION or IPCONN for {system} was read: set the address of its link"),
            });
            let link = Section::new(LINK, &system, format!("the system of {}", of.subject), place);
            self.sections.push(link.with("address", address(&system)));
        }
    }
}

/// The placeholder for the address of the other region.
fn address(system: &str) -> String {
    format!("unix:/run/gantry/{}.socket", system.to_lowercase())
}
