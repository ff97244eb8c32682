//! A disk in memory that loses, tears and refuses writes as real ones do.

use std::io;
use std::sync::{Arc, Mutex};

use store::Disk;

/// Numbers that a seed repeats (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// What goes wrong. Steps are writes, changes of length and syncs, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Nothing,
    /// From this step on there is no power.
    PowerAt(u64),
    /// This sync fails, and what was written before it is partly lost.
    SyncAt(u64),
    /// The disk has no more bytes than these.
    Full(u64),
}

/// The room that the disk keeps for changes that only delete.
const RESERVE_BYTES: u64 = 2 << 20;

#[derive(Clone, Debug)]
enum Step {
    Write(u64, Vec<u8>),
    Length(u64),
}

#[derive(Clone, Debug, Default)]
struct Content {
    synced: Vec<u8>,
    current: Vec<u8>,
    pending: Vec<Step>,
}

#[derive(Debug)]
struct Inner {
    /// The store's file, and the two of its log.
    files: [Content; 3],
    fault: Fault,
    steps: u64,
    syncs: u64,
    /// Bytes that are kept for changes that only delete.
    reserve: u64,
}

/// The disk, with three files that lose power together. As a [`Disk`] it is the first of them.
#[derive(Debug)]
pub(crate) struct FaultyDisk(Mutex<Inner>);

/// One of the other files.
#[derive(Debug)]
struct Part(Arc<FaultyDisk>, usize);

impl FaultyDisk {
    /// A disk on which the store's file has these bytes, and its log has none.
    pub(crate) fn new(bytes: Vec<u8>) -> Arc<Self> {
        Self::of([bytes, Vec::new(), Vec::new()])
    }

    fn of(files: [Vec<u8>; 3]) -> Arc<Self> {
        let content = |bytes: Vec<u8>| Content { synced: bytes.clone(), current: bytes, pending: Vec::new() };
        let files = files.map(content);
        Arc::new(Self(Mutex::new(Inner { files, fault: Fault::Nothing, steps: 0, syncs: 0, reserve: 0 })))
    }

    /// The files of the log.
    pub(crate) fn log(self: &Arc<Self>) -> [Arc<dyn Disk>; 2] {
        [1, 2].map(|file| Arc::new(Part(Arc::clone(self), file)) as Arc<dyn Disk>)
    }

    /// Lets something go wrong, counted from now.
    pub(crate) fn set(&self, fault: Fault) {
        let mut inner = self.0.lock().unwrap();
        (inner.fault, inner.steps, inner.syncs) = (fault, 0, 0);
    }

    /// The content of the store's file for the system, as after the end of a process.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.all()[0].clone()
    }

    /// The content of all files for the system.
    pub(crate) fn all(&self) -> [Vec<u8>; 3] {
        self.0.lock().unwrap().files.clone().map(|file| file.current)
    }

    /// The disk as the system sees it, without faults.
    pub(crate) fn after_process_end(&self) -> Arc<Self> {
        Self::of(self.all())
    }

    /// The disk with one file changed.
    pub(crate) fn with(&self, file: usize, change: impl FnOnce(&mut Vec<u8>)) -> Arc<Self> {
        let mut all = self.all();
        change(&mut all[file]);
        Self::of(all)
    }

    /// How often something was forced to the disk.
    pub(crate) fn syncs(&self) -> u64 {
        self.0.lock().unwrap().syncs
    }

    /// The store's file after a loss of power.
    #[allow(dead_code, reason = "tests of the queue manager use it")]
    pub(crate) fn after_power_loss(&self, random: &mut Random) -> Vec<u8> {
        let [file, _, _] = self.left(random);
        file
    }

    /// The disk after a loss of power.
    pub(crate) fn survivor(&self, random: &mut Random) -> Arc<Self> {
        Self::of(self.left(random))
    }

    /// The files after a loss of power: all synced data, and some of the rest, whole or torn.
    fn left(&self, random: &mut Random) -> [Vec<u8>; 3] {
        let inner = self.0.lock().unwrap();
        inner.files.clone().map(|file| {
            let mut bytes = file.synced;
            let mercy = random.below(3);
            for step in &file.pending {
                match (mercy, random.below(4)) {
                    (0, _) | (1, 0 | 1) => {}
                    (1, 2) => apply(&mut bytes, &torn(step, random)),
                    _ => apply(&mut bytes, step),
                }
            }
            bytes
        })
    }

    fn read(&self, file: usize, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let inner = self.0.lock().unwrap();
        let from = usize::try_from(offset).unwrap();
        let found = inner.files[file].current.get(from..from + out.len());
        out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn sync(&self, file: usize) -> io::Result<()> {
        let mut inner = self.0.lock().unwrap();
        inner.power()?;
        inner.syncs += 1;
        if inner.fault == Fault::SyncAt(inner.syncs) {
            // The disk is as unsure as after a loss of power, and works again: so fsync behaves.
            return Err(io::Error::other("sync failed"));
        }
        let content = &mut inner.files[file];
        for step in std::mem::take(&mut content.pending) {
            apply(&mut content.synced, &step);
        }
        Ok(())
    }
}

fn torn(step: &Step, random: &mut Random) -> Step {
    match step {
        Step::Length(length) => Step::Length(*length),
        Step::Write(offset, data) => {
            let from = random.below(data.len().max(1));
            let to = from + random.below(data.len() - from + 1);
            Step::Write(offset + from as u64, data[from..to].to_vec())
        }
    }
}

fn apply(bytes: &mut Vec<u8>, step: &Step) {
    match step {
        Step::Length(length) => bytes.resize(*length as usize, 0),
        Step::Write(offset, data) => {
            let from = *offset as usize;
            if bytes.len() < from + data.len() {
                bytes.resize(from + data.len(), 0);
            }
            bytes[from..from + data.len()].copy_from_slice(data);
        }
    }
}

impl Inner {
    /// Counts a step, and takes it if the disk does.
    fn step(&mut self, file: usize, step: Step) -> io::Result<()> {
        self.power()?;
        let end = match &step {
            Step::Length(length) => *length,
            Step::Write(offset, data) => offset + data.len() as u64,
        };
        let others: usize =
            (0..3).filter(|other| *other != file).map(|other| self.files[other].current.len()).sum();
        let grows = end > self.files[file].current.len() as u64;
        if grows && matches!(self.fault, Fault::Full(bytes) if end + others as u64 + self.reserve > bytes) {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        apply(&mut self.files[file].current, &step);
        self.files[file].pending.push(step);
        Ok(())
    }

    fn power(&mut self) -> io::Result<()> {
        self.steps += 1;
        match self.fault {
            Fault::PowerAt(step) if self.steps >= step => Err(io::Error::other("no power")),
            _ => Ok(()),
        }
    }
}

impl Disk for FaultyDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().files[0].current.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        FaultyDisk::read(self, 0, offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().step(0, Step::Length(len))
    }

    fn sync(&self) -> io::Result<()> {
        FaultyDisk::sync(self, 0)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().step(0, Step::Write(offset, data.to_vec()))
    }

    fn free_reserve(&self) -> bool {
        std::mem::take(&mut self.0.lock().unwrap().reserve) > 0
    }

    fn keep_reserve(&self) -> bool {
        let mut inner = self.0.lock().unwrap();
        let used: usize = inner.files.iter().map(|file| file.current.len()).sum();
        let fits = !matches!(inner.fault, Fault::Full(bytes) if used as u64 + RESERVE_BYTES > bytes);
        if fits {
            inner.reserve = RESERVE_BYTES;
        }
        fits
    }
}

impl Disk for Part {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.0.lock().unwrap().files[self.1].current.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(self.1, offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.0.lock().unwrap().step(self.1, Step::Length(len))
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync(self.1)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.0.lock().unwrap().step(self.1, Step::Write(offset, data.to_vec()))
    }
}
