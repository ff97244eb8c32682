//! Reads a damaged store. The readable part goes to a new store, and the losses are listed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::ops::{Bound, ControlFlow};
use std::path::Path;

use crate::commit::State;
use crate::copy::Copy;
use crate::engine::{
    Change, Direction, Engine, Force, Met, PART_BYTES_MIN, Pages, Place, Rest, Span, unsealed,
};
use crate::error::{Error, ErrorKind, Result};
use crate::keys::{self, SpaceId};
use crate::space::{Organization, Positions, Space};
use crate::store::{FORMAT_VERSION, format};
use crate::writes::{LogHeader, weight};

/// The result of [`salvage`].
#[derive(Clone, Debug, Default)]
pub struct Salvaged {
    /// Records of files that are in the new store.
    pub records: u64,
    /// Items of queues that are in the new store.
    pub items: u64,
    /// Data that is not in the new store, or may not be.
    pub losses: Vec<Loss>,
}

/// Data that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// A page of the file. Its readable part is in the new store.
    Page {
        /// Its place in the file.
        offset: u64,
        /// The keys that it should have, in words.
        keys: String,
    },
    /// A pair with a wrong checksum: a record, an item, or a record of the store itself.
    Pair(String),
    /// Items of a queue that are missing, though the store has counted them.
    Items {
        /// The queue, with its space.
        queue: String,
        /// How many.
        count: u64,
    },
    /// Items behind a gap of a queue that cannot have gaps.
    BehindGap {
        /// The queue, with its space.
        queue: String,
        /// How many.
        count: u64,
    },
    /// Records and items of a space whose definition is lost.
    Undefined {
        /// The number of the space.
        space: SpaceId,
        /// How many.
        count: u64,
    },
    /// Records of the log: each is a batch of units of work.
    Log {
        /// The number of missing records before a found one.
        records: u64,
    },
    /// Another loss, in words.
    Other(String),
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Page { offset, keys } => write!(f, "the page at offset {offset} is damaged; it has {keys}"),
            Loss::Pair(what) => write!(f, "{what} is damaged"),
            Loss::Items { queue, count } => write!(f, "{count} items of {queue} are missing"),
            Loss::BehindGap { queue, count } => {
                write!(f, "{count} items of {queue} stand behind one that is missing, so they are left out")
            }
            Loss::Undefined { space, count } => {
                write!(f, "{count} records or items of space {space} are left out: its definition is lost")
            }
            Loss::Log { records } => write!(f, "{records} records of the log are missing"),
            Loss::Other(what) => f.write_str(what),
        }
    }
}

/// Copies the readable part of a closed store into a new store. The damaged one stays as it is. A record or
/// item is copied if its checksum is right.
///
/// # Errors
/// `Format` if the file is not a store; `InUse`; `Misuse` if the new file is there; `Corrupt` if nothing can
/// be read; the errors of both disks.
pub fn salvage(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<Salvaged> {
    let (from, to) = (from.as_ref(), to.as_ref());
    let pages = Pages::open(from).map_err(|error| error.at(from.display()))?;
    let copy = Copy::begin(to).map_err(|error| error.at(to.display()))?;
    let mut salvage =
        Salvage { copy, names: BTreeMap::new(), found: Found::default(), done: Salvaged::default() };
    let rest = salvage.rest(&pages, from)?;
    salvage.take_pairs(&pages, &rest)?;
    salvage.settle()?;
    let Salvage { copy, done, .. } = salvage;
    copy.finish().map_err(|error| error.at(to.display()))?;
    Ok(done)
}

struct Salvage<'p> {
    copy: Copy<'p>,
    /// The spaces whose definitions were found.
    names: BTreeMap<SpaceId, Space>,
    found: Found,
    done: Salvaged,
}

/// The data that is written after everything is read.
#[derive(Default)]
struct Found {
    headers: BTreeMap<Vec<u8>, LogHeader>,
    state: State,
    prepared: BTreeSet<Vec<u8>>,
    undefined: BTreeMap<SpaceId, u64>,
}

impl Salvage<'_> {
    /// Reads the log from its start, which the file has, and the definitions of spaces, which all other steps
    /// need.
    fn rest(&mut self, pages: &Pages, from: &Path) -> Result<Rest> {
        let (mut mark, mut damaged, mut definitions) = (None, false, Vec::new());
        let note = pages.walk(|met| {
            match met {
                Met::Damaged(_) => damaged = true,
                Met::Pair(key, sealed) => match unsealed(key, sealed) {
                    Some(value) if key == keys::log_position() => mark = Some(value.to_vec()),
                    Some(value) if keys::is_definition(key) => {
                        definitions.push((key.to_vec(), value.to_vec()))
                    }
                    _ => {}
                },
            }
            Ok(())
        })?;
        self.done.losses.extend(note.map(Loss::Other));
        let rest = match mark {
            Some(mark) => self.read_log(from, &mark)?,
            None if damaged && has_log(from) => {
                let what = "the log is left out: the file does not say where it begins";
                self.done.losses.push(Loss::Other(what.to_owned()));
                Rest::default()
            }
            None => Rest::default(),
        };
        definitions.retain(|(key, _)| !rest.hides(key));
        let of_log = rest.pairs().filter(|(key, _)| keys::is_definition(key));
        definitions.extend(of_log.map(|(key, value)| (key.to_vec(), value.to_vec())));
        for (key, value) in definitions {
            let space = Space::decode(keys::rest(&key), &value)?;
            self.names.insert(space.id, space);
        }
        Ok(rest)
    }

    fn read_log(&mut self, from: &Path, mark: &[u8]) -> Result<Rest> {
        let mut parts = Vec::new();
        for name in log_names(from) {
            match std::fs::read(&name) {
                Ok(bytes) => {
                    if (bytes.len() as u64) < PART_BYTES_MIN {
                        let what = format!(
                            "{} is shorter than it was: records of its end may be lost",
                            name.display()
                        );
                        self.done.losses.push(Loss::Other(what));
                    }
                    parts.push(bytes);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let what = format!("{} does not exist: what was in it is lost", name.display());
                    self.done.losses.push(Loss::Other(what));
                }
                Err(error) => return Err(Error::new(ErrorKind::Io, error.to_string()).at(name.display())),
            }
        }
        let rest = Rest::read(&parts, mark)?;
        if rest.missing > 0 {
            self.done.losses.push(Loss::Log { records: rest.missing });
        }
        Ok(rest)
    }

    /// Takes all pairs: those of the file that the log does not hide, then those of the log.
    fn take_pairs(&mut self, pages: &Pages, rest: &Rest) -> Result<()> {
        pages.walk(|met| match met {
            Met::Damaged(Place { offset, keys: (after, upto) }) => {
                let keys = self.between(after.as_deref(), upto.as_deref());
                self.done.losses.push(Loss::Page { offset, keys });
                Ok(())
            }
            Met::Pair(key, _) if rest.hides(key) => Ok(()),
            Met::Pair(key, sealed) => match unsealed(key, sealed) {
                Some(value) => self.take(key, value),
                None => {
                    let what = self.name(key);
                    self.done.losses.push(Loss::Pair(what));
                    Ok(())
                }
            },
        })?;
        rest.pairs().try_for_each(|(key, value)| self.take(key, value))
    }

    fn take(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        if key == keys::format() || keys::is_of_log(key) {
            return Ok(());
        }
        if key == keys::state() {
            self.found.state = State::decode(value)?;
            return Ok(());
        }
        if let Some(space) = keys::space_of(key) {
            if !self.names.contains_key(&space) {
                *self.found.undefined.entry(space).or_default() += 1;
                return Ok(());
            }
            if keys::is_log(key) {
                self.found.headers.insert(key.to_vec(), LogHeader::decode(value)?);
                return Ok(());
            }
        }
        if keys::is_prepared(key) {
            self.found.prepared.insert(keys::rest(key).to_vec());
        }
        self.copy.take(Change::Put { key: key.to_vec(), value: value.to_vec() })
    }

    /// Writes the records that depend on all other data: headers of logs, participants of units in doubt,
    /// counts, the version.
    fn settle(&mut self) -> Result<()> {
        self.copy.write(Force::Lazy)?;
        let undefined = std::mem::take(&mut self.found.undefined);
        self.done.losses.extend(undefined.into_iter().map(|(space, count)| Loss::Undefined { space, count }));
        let counted = self.count()?;
        let mut logs = std::mem::take(&mut self.found.headers);
        for log in counted.logs.keys() {
            logs.entry(log.clone()).or_default();
        }
        for (log, found) in logs {
            let there = counted.logs.get(&log).copied().unwrap_or_default();
            self.settle_log(&log, found, there)?;
        }
        for key in counted.below {
            if !self.found.prepared.contains(keys::rest(&key)) {
                self.copy.take(Change::Delete { key })?;
            }
        }
        self.done.records = counted.records;
        self.done.items = counted.logs.values().map(|log| log.header.count).sum();
        let state = State { used_bytes: counted.bytes, ..self.found.state };
        self.copy.take(state.put())?;
        self.copy.take(format(FORMAT_VERSION))
    }

    fn settle_log(&mut self, log: &[u8], found: LogHeader, there: Counted) -> Result<()> {
        let queue = self.name(log);
        let missing = found.count.saturating_sub(there.header.count + there.behind);
        if missing > 0 {
            self.done.losses.push(Loss::Items { queue: queue.clone(), count: missing });
        }
        if there.behind > 0 {
            self.done.losses.push(Loss::BehindGap { queue, count: there.behind });
            let (from, to) = keys::items_from(log, there.header.next);
            self.copy.take(Change::Clear { from, to })?;
        }
        if there.header.count == 0 && self.is_dense(log) {
            return Ok(());
        }
        let next = match self.is_dense(log) {
            true => there.header.next,
            false => there.header.next.max(found.next),
        };
        let header = LogHeader { next, ..there.header };
        self.copy.take(Change::Put { key: log.to_vec(), value: header.encode() })
    }

    fn organization(&self, key: &[u8]) -> Option<Organization> {
        self.names.get(&keys::space_of(key)?).map(|space| space.definition.organization)
    }

    fn is_dense(&self, key: &[u8]) -> bool {
        self.organization(key) == Some(Organization::Logs(Positions::Dense))
    }

    /// Counts the content of the new store.
    fn count(&self) -> Result<Counts> {
        let mut counts = Counts::default();
        let span = Span { from: Bound::Unbounded, to: Bound::Unbounded, direction: Direction::Forward };
        self.copy.engine.scan(span, &mut |key, value| {
            let value = value.unwrap_or_default();
            if keys::is_below(key) {
                counts.below.push(key.to_vec());
            }
            match keys::log_of(key).filter(|_| keys::is_data(key)) {
                Some(log) => {
                    let step = match self.organization(key) {
                        Some(Organization::EntrySequenced) => (value.len() as u64).max(1),
                        _ => 1,
                    };
                    let dense = self.is_dense(key);
                    let counted = counts.logs.entry(log).or_default();
                    if dense && keys::position(key) != counted.header.next.max(1) {
                        counted.behind += 1;
                    } else {
                        counted.header.count += 1;
                        counted.header.bytes += weight(key, value);
                        counted.header.next = keys::position(key).saturating_add(step);
                        counts.bytes += weight(key, value);
                    }
                }
                None if keys::is_data(key) => {
                    counts.records += 1;
                    counts.bytes += weight(key, value);
                }
                None => {}
            }
            ControlFlow::Continue(())
        })?;
        Ok(counts)
    }

    /// The meaning of a key, in words.
    fn name(&self, key: &[u8]) -> String {
        let space = |key: &[u8]| match keys::space_of(key).and_then(|space| self.names.get(&space)) {
            Some(space) => space.definition.name.clone(),
            None => "a space that is not known".to_owned(),
        };
        if keys::log_of(key).is_some() && keys::is_data(key) {
            let log = shown(keys::item_log_name(key));
            return format!("item {} of {log} in {}", keys::position(key), space(key));
        }
        if keys::is_data(key) {
            return format!("record {} of {}", shown(keys::record_key(key)), space(key));
        }
        if keys::is_log(key) {
            return format!("{} in {}", shown(keys::log_name(key)), space(key));
        }
        if keys::is_definition(key) {
            return format!("the definition of {}", shown(keys::rest(key)));
        }
        format!("an entry of the store's own ({})", shown(key))
    }

    fn between(&self, after: Option<&[u8]>, upto: Option<&[u8]>) -> String {
        match (after, upto) {
            (None, None) => "all keys, or any".to_owned(),
            (Some(after), None) => format!("what stands behind {}", self.name(after)),
            (None, Some(upto)) => format!("what stands up to {}", self.name(upto)),
            (Some(after), Some(upto)) => {
                format!("what stands behind {}, up to {}", self.name(after), self.name(upto))
            }
        }
    }
}

/// The counts of the new store.
#[derive(Default)]
struct Counts {
    logs: BTreeMap<Vec<u8>, Counted>,
    below: Vec<Vec<u8>>,
    records: u64,
    bytes: u64,
}

/// The state of a log.
#[derive(Clone, Copy, Default)]
struct Counted {
    header: LogHeader,
    /// Items behind a gap, in a log that cannot have gaps.
    behind: u64,
}

/// Text as text, other bytes in hexadecimal.
fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(|each| each.is_ascii_graphic() || each == ' ') => {
            format!("'{text}'")
        }
        _ => format!("X'{}'", bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>()),
    }
}

fn log_names(store: &Path) -> [std::path::PathBuf; 2] {
    [".log1", ".log2"].map(|end| {
        let mut name = store.as_os_str().to_os_string();
        name.push(end);
        name.into()
    })
}

fn has_log(store: &Path) -> bool {
    log_names(store).iter().any(|name| name.exists())
}
