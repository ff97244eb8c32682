//! The engine with a log in front: a batch is one record that is appended and forced to disk; redb follows
//! behind.
//!
//! Readers see the changes of the log in memory (`Overlay`), over those of redb. The log has two
//! **segments**, which take turns. When one is full, its changes are frozen, and the next record goes to the
//! beginning of the other one. A thread then writes the frozen changes to redb, in one commit, together with
//! the number of the last record: a **checkpoint**. After it the segment is free again. Data that was put and
//! deleted in between never reaches redb.
//!
//! Changes that are not forced wait in memory for the next record. Each record is written when all before it
//! are on disk, so a loss of power can tear only the last one.

mod overlay;
mod record;
mod replay;
mod rest;
mod segment;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::{Bound, ControlFlow};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::JoinHandle;

use super::disk::{Medium, Parts};
use super::{Change, Direction, Each, Engine, Force, Pairs, RedbEngine, Span};
use crate::error::{Error, ErrorKind, Result};
use crate::fields::{Reader, Writer};
use crate::keys;
use crate::options::{AfterCrash, Drive, Options};
use crate::writes::is_empty;

use overlay::Overlay;
use record::Gathering;
use replay::{Position, replay};
pub(crate) use rest::{PART_BYTES_MIN, Rest};
use segment::{Failure, GROWTH_BYTES, Segment};

/// The most bytes of changes that are not forced and wait for a record. More become a record of their own.
const GATHERED_BYTES_MAX: usize = 4 << 20;

/// The changes that redb does not have yet.
#[derive(Default)]
struct Layers {
    active: Overlay,
    frozen: Option<Arc<Overlay>>,
    /// The disk has failed.
    stopped: bool,
}

impl Layers {
    /// The layers, from the newest on.
    fn stack(&self) -> impl Iterator<Item = &Overlay> {
        [Some(&self.active), self.frozen.as_deref()].into_iter().flatten().filter(|layer| !layer.is_empty())
    }
}

/// The end of the log.
struct End {
    segments: [Segment; 2],
    active: usize,
    /// The number of the last record.
    number: u64,
    draw: u64,
    /// Changes that wait for a record.
    gathering: Gathering,
}

/// The state of the thread that follows.
#[derive(Default)]
struct Following {
    /// The number of the last record in the frozen changes, while they wait to be written.
    due: Option<u64>,
    /// The failure of the last try, if redb had no room.
    refused: Option<Error>,
    ended: bool,
}

struct Shared {
    base: RedbEngine,
    options: Options,
    layers: RwLock<Layers>,
    end: Mutex<Option<End>>,
    following: Mutex<Following>,
    turned: Condvar,
    draw: u64,
}

/// The engine.
pub(crate) struct LogEngine {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl LogEngine {
    /// Puts a log in front of a store's file. The file first gets the changes behind the last checkpoint of
    /// an earlier log.
    ///
    /// # Errors
    /// `Corrupt` if the log has lost a record; the errors of the disk.
    pub(crate) fn open(base: RedbEngine, medium: &Medium, options: &Options, format: Change) -> Result<Self> {
        let parts = medium.log_parts(true)?.ok_or_else(|| lost("the store has no place for a log"))?;
        let mut segments = recover(&base, &parts)?;
        let (number, draw) = (segments.number, RandomState::new().build_hasher().finish());
        let draws = with_draw(&base, draw)?;
        for segment in &mut segments.segments {
            segment.allocate(GROWTH_BYTES).map_err(|error| io_fault(&error))?;
        }
        parts.settle()?;
        let mark = mark(Some(Position { number, draw }));
        let apply = || {
            let first = [format.edit(), mark.edit(), draws.edit()];
            base.apply(segments.overlay.edits().chain(first), Force::Disk)
        };
        match apply() {
            // Without this, nobody could empty a store on a full disk after a crash.
            Err(error) if error.kind() == ErrorKind::NoSpace && base.free_reserve() => apply()?,
            outcome => outcome?,
        }
        // Records of an earlier life are not needed any more. After their removal, a record at the start of a
        // segment is of this life.
        for segment in &segments.segments {
            segment.erase().map_err(|error| io_fault(&error))?;
        }
        let end =
            End { segments: segments.segments, active: 0, number, draw, gathering: Gathering::default() };
        let shared = Arc::new(Shared {
            base,
            options: options.clone(),
            layers: RwLock::default(),
            end: Mutex::new(Some(end)),
            following: Mutex::default(),
            turned: Condvar::new(),
            draw,
        });
        let thread = (options.drive == Drive::Thread).then(|| follow(&shared)).transpose()?;
        Ok(Self { shared, thread: Mutex::new(thread) })
    }

    /// Brings the changes of a log into a store's file, for an engine without a log.
    ///
    /// # Errors
    /// As [`LogEngine::open`].
    pub(crate) fn retire(base: &RedbEngine, medium: &Medium) -> Result<()> {
        let Some(position) = read_mark(base)? else { return Ok(()) };
        let parts = medium.log_parts(false)?.ok_or_else(|| lost("the log is missing"))?;
        let found = recover(base, &parts)?;
        let end = [mark(None), with_draw(base, position.draw)?];
        base.apply(found.overlay.edits().chain(end.iter().map(Change::edit)), Force::Disk)?;
        erase(&found.segments);
        Ok(())
    }
}

impl LogEngine {
    /// True if a log with records lies beside a store's file, and belongs to another file. `is_without` says
    /// that the file never had a log.
    ///
    /// # Errors
    /// Those of the disk.
    pub(crate) fn is_stray(base: &RedbEngine, medium: &Medium, is_without: bool) -> Result<bool> {
        if read_mark(base)?.is_some() {
            return Ok(false);
        }
        let draws = read_draws(base)?;
        if draws.is_empty() && !is_without {
            // A version that did not store its draws closed the file, and left the log behind.
            return Ok(false);
        }
        for disk in medium.log_parts_there()? {
            let first =
                Segment::new(disk).and_then(|segment| segment.first()).map_err(|error| io_fault(&error))?;
            let is_own = draws.iter().any(|draw| record::read(&first, *draw).is_some());
            if record::begins(&first) && !is_own {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

struct Recovered {
    segments: [Segment; 2],
    overlay: Overlay,
    number: u64,
}

fn recover(base: &RedbEngine, parts: &Parts) -> Result<Recovered> {
    let open = |part| Segment::new(part).map_err(|error| io_fault(&error));
    let [first, second] = parts.disks();
    let segments = [open(first)?, open(second)?];
    let Some(position) = read_mark(base)? else {
        return Ok(Recovered { segments, overlay: Overlay::default(), number: 0 });
    };
    if segments.iter().any(|segment| segment.len() < GROWTH_BYTES) {
        return Err(lost("the log is missing, or shorter than it was"));
    }
    let bytes = |segment: &Segment| segment.read().map_err(|error| io_fault(&error));
    let bytes = [bytes(&segments[0])?, bytes(&segments[1])?];
    let replayed = replay(&bytes, position)?;
    Ok(Recovered { segments, overlay: replayed.overlay, number: replayed.number })
}

/// The record of a checkpoint. Without a position, it says that there is no log.
fn mark(position: Option<Position>) -> Change {
    let Some(position) = position else { return Change::Delete { key: keys::log_position() } };
    let mut writer = Writer::default();
    writer.u64(position.number);
    writer.u64(position.draw);
    Change::Put { key: keys::log_position(), value: writer.finish() }
}

/// The most draws that a store keeps. Each life of a log removes the records of earlier lives. An older
/// record would have outlived this many crashes right after an opening.
const DRAWS_MAX: usize = 16;

/// The draws of a file's own log, with one more. They tell its records from those of another file.
fn with_draw(base: &RedbEngine, draw: u64) -> Result<Change> {
    let mut draws = read_draws(base)?;
    draws.retain(|known| *known != draw);
    draws.insert(0, draw);
    draws.truncate(DRAWS_MAX);
    let mut writer = Writer::default();
    draws.into_iter().for_each(|draw| writer.u64(draw));
    Ok(Change::Put { key: keys::log_draws(), value: writer.finish() })
}

fn read_draws(base: &RedbEngine) -> Result<Vec<u64>> {
    let bytes = base.get(&keys::log_draws())?.unwrap_or_default();
    let mut reader = Reader::new("draws of the log", &bytes);
    let mut draws = Vec::new();
    while !reader.is_at_end() {
        draws.push(reader.u64()?);
    }
    Ok(draws)
}

/// Takes the records out of a log, if the file has all of them. If this fails, their draw still tells them
/// apart.
fn erase(segments: &[Segment; 2]) {
    for segment in segments {
        let _ = segment.erase();
    }
}

fn read_mark(base: &RedbEngine) -> Result<Option<Position>> {
    base.get(&keys::log_position())?.map(|bytes| read_position(&bytes)).transpose()
}

fn read_position(mark: &[u8]) -> Result<Position> {
    let mut reader = Reader::new("position of the log", mark);
    let position = Position { number: reader.u64()?, draw: reader.u64()? };
    reader.end()?;
    Ok(position)
}

fn follow(shared: &Arc<Shared>) -> Result<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    let thread = std::thread::Builder::new().name("store-follow".to_string()).spawn(move || shared.follow());
    thread.map_err(|error| Error::new(ErrorKind::Io, format!("store: no thread: {error}")).caused(error))
}

impl Shared {
    fn layers(&self) -> Result<RwLockReadGuard<'_, Layers>> {
        let layers = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        if layers.stopped { Err(stopped()) } else { Ok(layers) }
    }

    fn layers_mut(&self) -> RwLockWriteGuard<'_, Layers> {
        self.layers.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn following(&self) -> MutexGuard<'_, Following> {
        self.following.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.layers_mut().stopped = true;
        // A thread that has just looked starts to wait first, so that it gets the notification.
        drop(self.following());
        self.turned.notify_all();
    }

    fn commit(&self, batch: Vec<Change>, force: Force) -> Result<()> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let end = end.as_mut().ok_or_else(stopped)?;
        drop(self.layers()?);
        let bytes: usize = batch.iter().map(|change| change.bytes() + 17).sum();
        self.make_room(end, bytes)?;
        let before = end.gathering.bytes();
        batch.iter().for_each(|change| end.gathering.add(change));
        let forced = force == Force::Disk || end.gathering.bytes() > GATHERED_BYTES_MAX;
        if forced && !end.gathering.is_empty() {
            self.write(end, before)?;
        }
        let mut layers = self.layers_mut();
        batch.into_iter().for_each(|change| layers.active.apply(change));
        let full = end.segments[end.active].used >= self.options.log_bytes_max / 4
            || layers.active.bytes() as u64 > self.options.log_bytes_max;
        drop(layers);
        if full && end.gathering.is_empty() && self.is_free() {
            self.freeze(end);
        }
        Ok(())
    }

    /// Writes the gathered changes as one record. If this fails, the gathered changes are cut to `before`
    /// bytes.
    fn write(&self, end: &mut End, before: usize) -> Result<()> {
        let record = end.gathering.seal(end.number + 1, end.draw);
        match end.segments[end.active].append(record) {
            Ok(()) => {
                end.number += 1;
                end.gathering = Gathering::default();
                Ok(())
            }
            Err(Failure::NotWritten(error)) if super::redb::is_full(error.kind()) => {
                end.gathering.truncate(before);
                let message = format!("store: the disk is full: {error}");
                Err(Error::new(ErrorKind::NoSpace, message).caused(error))
            }
            Err(Failure::NotWritten(error) | Failure::Unknown(error)) => {
                self.stop();
                let message = format!("store: the disk failed, the store stops: {error}");
                Err(Error::new(ErrorKind::Unknown, message).caused(error))
            }
        }
    }

    /// True if the other segment can be used.
    fn is_free(&self) -> bool {
        self.following().due.is_none()
    }

    /// Makes room for `bytes` bytes in the segment. A batch that is larger than a segment goes into an empty
    /// one, which then becomes longer.
    fn make_room(&self, end: &mut End, bytes: usize) -> Result<()> {
        let used = end.segments[end.active].used;
        let fits = |more: usize| used + more as u64 <= self.options.log_bytes_max / 2;
        if used == 0 || fits(end.gathering.bytes() + bytes) {
            return Ok(());
        }
        self.wait_until_free()?;
        if !end.gathering.is_empty() {
            let before = end.gathering.bytes();
            self.write(end, before)?;
        }
        self.freeze(end);
        Ok(())
    }

    fn wait_until_free(&self) -> Result<()> {
        self.following().refused = None;
        self.turned.notify_all();
        if self.options.drive == Drive::Caller {
            self.checkpoint();
        }
        let mut following = self.following();
        while following.due.is_some() {
            if let Some(error) = following.refused.take() {
                return Err(error);
            }
            drop(self.layers()?);
            following = self.turned.wait(following).unwrap_or_else(PoisonError::into_inner);
        }
        drop(following);
        self.layers().map(drop)
    }

    /// The changes of the segment go to redb; the next record goes to the other segment.
    fn freeze(&self, end: &mut End) {
        debug_assert!(end.gathering.is_empty(), "what is frozen is in the log");
        let mut layers = self.layers_mut();
        layers.frozen = Some(Arc::new(std::mem::take(&mut layers.active)));
        drop(layers);
        end.active = 1 - end.active;
        let segment = &mut end.segments[end.active];
        segment.used = 0;
        // It grew for a batch that was larger than a segment. If this fails, it stays long.
        let _ = segment.shrink((self.options.log_bytes_max / 2).max(GROWTH_BYTES));
        self.following().due = Some(end.number);
        self.turned.notify_all();
        if self.options.drive == Drive::Caller {
            self.checkpoint();
        }
    }

    /// Writes the frozen changes to redb.
    fn checkpoint(&self) {
        let Some(number) = self.following().due else { return };
        let Some(frozen) = self.layers.read().unwrap_or_else(PoisonError::into_inner).frozen.clone() else {
            return;
        };
        let mark = mark(Some(Position { number, draw: self.draw }));
        let written = self.base.apply(frozen.edits().chain([mark.edit()]), Force::Disk);
        match written {
            Ok(()) => {
                // Redb has the changes now, so dropping the frozen layer changes nothing for readers.
                self.layers_mut().frozen = None;
                self.following().due = None;
            }
            Err(error) if error.kind() == ErrorKind::NoSpace => self.following().refused = Some(error),
            Err(_) => self.stop(),
        }
        self.turned.notify_all();
        drop(frozen);
    }

    /// The thread that follows.
    fn follow(&self) {
        let _guard = Guard(self);
        loop {
            let mut following = self.following();
            while !following.ended && (following.due.is_none() || following.refused.is_some()) {
                following = self.turned.wait(following).unwrap_or_else(PoisonError::into_inner);
            }
            let ended = following.ended;
            drop(following);
            let stopped = self.layers.read().unwrap_or_else(PoisonError::into_inner).stopped;
            if ended || stopped {
                return;
            }
            self.checkpoint();
        }
    }

    /// Brings all committed changes into redb, and waits for it.
    fn bring_all(&self, end: &mut End) -> Result<()> {
        self.wait_until_free()?;
        if !end.gathering.is_empty() {
            let before = end.gathering.bytes();
            self.write(end, before)?;
        }
        self.freeze(end);
        self.wait_until_free()
    }

    /// Brings the deletions into redb first, because redb needs the room until then.
    fn tidy(&self, used_bytes: u64) -> Result<()> {
        if !self.base.is_tidy(used_bytes)? {
            let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
            self.bring_all(end.as_mut().ok_or_else(stopped)?)?;
        }
        let tidied = self.base.tidy(used_bytes);
        if matches!(&tidied, Err(error) if error.kind() != ErrorKind::NoSpace) {
            self.stop();
        }
        tidied
    }

    /// Brings all changes into redb, which then says that there is no log.
    fn settle(&self, mut end: End) -> Result<()> {
        drop(self.layers()?);
        if !end.gathering.is_empty() {
            let before = end.gathering.bytes();
            self.write(&mut end, before)?;
        }
        self.checkpoint();
        let layers = self.layers()?;
        if layers.frozen.is_some() {
            return Err(stopped());
        }
        self.base.apply(layers.active.edits().chain([mark(None).edit()]), Force::Disk)?;
        erase(&end.segments);
        Ok(())
    }
}

/// Runs at the end of the thread that follows, however it ends, so that nobody waits for it in vain.
struct Guard<'a>(&'a Shared);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        let ended = self.0.following().ended;
        if !ended {
            self.0.stop();
        }
    }
}

/// A pair of a map.
type Pair = (Vec<u8>, Vec<u8>);

/// The first pair of a span in the layers, the newest first, and in the base.
fn visible(layers: &[&Overlay], base: &RedbEngine, span: Span<'_>) -> Result<Option<Pair>> {
    let Some((top, rest)) = layers.split_first() else {
        return if is_empty(span) { Ok(None) } else { base.first(span) };
    };
    let forward = span.direction == Direction::Forward;
    let (mut from, mut to) = (span.from.map(<[u8]>::to_vec), span.to.map(<[u8]>::to_vec));
    let mut beneath: Option<Option<Pair>> = None;
    loop {
        let here = Span { from: slice(&from), to: slice(&to), direction: span.direction };
        let below = match beneath.take() {
            Some(known) => known,
            None => uncovered(top, rest, base, here)?,
        };
        let Some((own, entry)) = top.first(here) else { return Ok(below) };
        let (ahead, same) = below
            .as_ref()
            .map_or((true, false), |(key, _)| (if forward { own <= key } else { own >= key }, own == key));
        if !ahead {
            return Ok(below);
        }
        if let Some(value) = &entry.value {
            return Ok(Some((own.clone(), value.clone())));
        }
        // The key is deleted: go on behind it.
        let behind = Bound::Excluded(own.clone());
        if forward {
            from = behind;
        } else {
            to = behind;
        }
        beneath = (!same).then_some(below);
    }
}

/// The first pair beneath a layer that the layer has not cleared.
fn uncovered(top: &Overlay, rest: &[&Overlay], base: &RedbEngine, span: Span<'_>) -> Result<Option<Pair>> {
    let (mut from, mut to) = (span.from.map(<[u8]>::to_vec), span.to.map(<[u8]>::to_vec));
    loop {
        let here = Span { from: slice(&from), to: slice(&to), direction: span.direction };
        if is_empty(here) {
            return Ok(None);
        }
        let Some((key, value)) = visible(rest, base, here)? else { return Ok(None) };
        let Some((first, end)) = top.cleared(&key) else { return Ok(Some((key, value))) };
        match span.direction {
            Direction::Forward => from = Bound::Included(end.to_vec()),
            Direction::Backward => to = Bound::Excluded(first.to_vec()),
        }
    }
}

fn slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

impl Engine for LogEngine {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let layers = self.shared.layers()?;
        for layer in layers.stack() {
            if let Some(entry) = layer.get(key) {
                return Ok(entry.value.clone());
            }
            if layer.cleared(key).is_some() {
                return Ok(None);
            }
        }
        self.shared.base.get(key)
    }

    fn length(&self, key: &[u8]) -> Result<Option<u64>> {
        let layers = self.shared.layers()?;
        for layer in layers.stack() {
            if let Some(entry) = layer.get(key) {
                return Ok(entry.value.as_ref().map(|value| value.len() as u64));
            }
            if layer.cleared(key).is_some() {
                return Ok(None);
            }
        }
        self.shared.base.length(key)
    }

    fn first(&self, span: Span<'_>) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let layers = self.shared.layers()?;
        let stack: Vec<&Overlay> = layers.stack().collect();
        visible(&stack, &self.shared.base, span)
    }

    fn scan(&self, span: Span<'_>, each: &mut Each<'_>) -> Result<()> {
        let layers = self.shared.layers()?;
        let stack: Vec<&Overlay> = layers.stack().collect();
        if stack.is_empty() {
            return self.shared.base.scan(span, each);
        }
        // The pairs of the layers, which are in memory anyway. The newest layer wins.
        let mut own: BTreeMap<&[u8], Option<&[u8]>> = BTreeMap::new();
        for (number, layer) in stack.iter().enumerate() {
            for (key, value) in layer.pairs(span) {
                if !stack[..number].iter().any(|newer| newer.hides(key)) {
                    own.insert(key, value);
                }
            }
        }
        let mut own = own.into_iter().filter_map(|(key, value)| value.map(|value| (key, value))).peekable();
        let mut ended = false;
        self.shared.base.scan(span, &mut |key, value| {
            while let Some((own, value)) = own.next_if(|(own, _)| *own < key) {
                ended = each(own, Some(value)).is_break();
                if ended {
                    return ControlFlow::Break(());
                }
            }
            if stack.iter().any(|layer| layer.hides(key)) {
                return ControlFlow::Continue(());
            }
            ended = each(key, value).is_break();
            if ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        for (key, value) in own {
            if ended || each(key, Some(value)).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn commit(&self, batch: Vec<Change>, force: Force) -> Result<()> {
        self.shared.commit(batch, force)
    }

    fn snapshot(&self) -> Result<Box<Pairs>> {
        let mut end = self.shared.end.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.bring_all(end.as_mut().ok_or_else(stopped)?)?;
        self.shared.base.snapshot()
    }

    fn tidy(&self, used_bytes: u64) -> Result<()> {
        self.shared.tidy(used_bytes)
    }

    fn free_reserve(&self) -> bool {
        self.shared.base.free_reserve()
    }

    fn keep_reserve(&self) -> bool {
        self.shared.base.keep_reserve()
    }

    fn close(&self) {
        let end = self.shared.end.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.shared.following().ended = true;
        self.shared.turned.notify_all();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // A panic of the thread does not matter here: the log has all changes.
            drop(thread.join());
        }
        if let Some(end) = end {
            // Changes that cannot be written now stay in the log. The next opening finds them.
            let _ = self.shared.settle(end);
        }
        self.shared.stop();
        self.shared.base.close();
    }
}

fn stopped() -> Error {
    Error::new(ErrorKind::Stopped, "store: it is closed, or has stopped after a failure of its disk")
}

fn lost(message: &str) -> Error {
    Error::new(ErrorKind::Corrupt, format!("store: {message}"))
}

fn io_fault(error: &std::io::Error) -> Error {
    let kind = if super::redb::is_full(error.kind()) { ErrorKind::NoSpace } else { ErrorKind::Io };
    Error::new(kind, format!("store: the log: {error}"))
}

/// Redb under a log: a checkpoint can wait for the disk twice, so that opening does not read the whole file.
pub(crate) fn options_beneath(options: &Options) -> Options {
    Options { after_crash: AfterCrash::Resume, ..options.clone() }
}
