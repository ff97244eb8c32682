//! The first records of files: the data that REPRO copies into their clusters.

use super::files::FILE;
use super::{Given, Maker};
use crate::catalog::{Found, fits};
use crate::read::{Copies, NewFile, WantedData};
use crate::section::{Section, Value};

impl Maker {
    /// Data in a job becomes a file. For other data, a note gives its place.
    pub(super) fn data(&mut self, given: &Given) {
        for copy in &given.copies {
            let Found::Cluster(cluster) = given.catalog.find(&copy.to) else { continue };
            let Some(file) = self.file_of.get(&cluster.name).cloned() else { continue };
            let is_file = |section: &&mut Section| section.table == FILE && section.name == file;
            let Some(section) = self.sections.iter_mut().find(is_file) else { continue };
            if section.pairs.iter().any(|(key, _)| *key == "load") {
                continue;
            }
            match data_of(copy, &given.copies) {
                Some(lines) => {
                    let path = format!("data/{file}.txt");
                    section.set("load", path.clone());
                    section.set("load_format", "lines");
                    section.places.push(copy.place.clone());
                    let width = record_bytes(section).min(CARD_BYTES);
                    let text = lines.iter().map(|line| format!("{:<width$}\n", line.trim_end())).collect();
                    self.new_files.push(NewFile { path, text });
                }
                None => {
                    let (data_set, place) = (copy.from.clone(), copy.place.clone());
                    if !self.wanted.iter().any(|known| known.file == file) {
                        self.wanted.push(WantedData { file, data_set, place });
                    }
                }
            }
        }
    }
}

/// The length of a job's lines, which is the length of their records.
const CARD_BYTES: usize = 80;

/// The bytes of the longest record of a file.
fn record_bytes(section: &Section) -> usize {
    let bytes = section.pairs.iter().find_map(|(key, value)| match value {
        Value::Number(bytes) if *key == "record_bytes" => usize::try_from(*bytes).ok(),
        _ => None,
    });
    bytes.unwrap_or(CARD_BYTES)
}

/// The lines that are copied. They stand in the job, or another step of it puts them into the data set.
fn data_of<'c>(copy: &'c Copies, all: &'c [Copies]) -> Option<&'c [String]> {
    if !copy.lines.is_empty() {
        return Some(&copy.lines);
    }
    let is_source =
        |one: &&Copies| !one.lines.is_empty() && !copy.from.is_empty() && fits(&one.to, &copy.from);
    all.iter().find(is_source).map(|one| one.lines.as_slice())
}
