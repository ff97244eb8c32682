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

#[derive(Clone, Debug)]
enum Step {
    Write(u64, Vec<u8>),
    Length(u64),
}

#[derive(Debug)]
struct Inner {
    synced: Vec<u8>,
    current: Vec<u8>,
    pending: Vec<Step>,
    fault: Fault,
    steps: u64,
    syncs: u64,
}

/// The disk.
#[derive(Debug)]
pub(crate) struct FaultyDisk(Mutex<Inner>);

impl FaultyDisk {
    pub(crate) fn new(bytes: Vec<u8>) -> Arc<Self> {
        let inner = Inner {
            synced: bytes.clone(),
            current: bytes,
            pending: Vec::new(),
            fault: Fault::Nothing,
            steps: 0,
            syncs: 0,
        };
        Arc::new(Self(Mutex::new(inner)))
    }

    /// Lets something go wrong, counted from now.
    pub(crate) fn set(&self, fault: Fault) {
        let mut inner = self.0.lock().unwrap();
        (inner.fault, inner.steps, inner.syncs) = (fault, 0, 0);
    }

    /// What the system sees, as after the end of a process.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().current.clone()
    }

    /// How often something was forced to the disk.
    pub(crate) fn syncs(&self) -> u64 {
        self.0.lock().unwrap().syncs
    }

    /// What is left after a loss of power: all that was synced; of the rest some, whole or torn.
    pub(crate) fn after_power_loss(&self, random: &mut Random) -> Vec<u8> {
        let inner = self.0.lock().unwrap();
        let mut bytes = inner.synced.clone();
        let mercy = random.below(3);
        for step in &inner.pending {
            match (mercy, random.below(4)) {
                (0, _) | (1, 0 | 1) => {}
                (1, 2) => apply(&mut bytes, &torn(step, random)),
                _ => apply(&mut bytes, step),
            }
        }
        bytes
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
    fn step(&mut self, step: Step) -> io::Result<()> {
        self.power()?;
        let end = match &step {
            Step::Length(length) => *length,
            Step::Write(offset, data) => offset + data.len() as u64,
        };
        if matches!(self.fault, Fault::Full(bytes) if end > bytes) {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        apply(&mut self.current, &step);
        self.pending.push(step);
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
        Ok(self.0.lock().unwrap().current.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let inner = self.0.lock().unwrap();
        let from = usize::try_from(offset).unwrap();
        let found = inner.current.get(from..from + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().step(Step::Length(len))
    }

    fn sync(&self) -> io::Result<()> {
        let mut inner = self.0.lock().unwrap();
        inner.power()?;
        inner.syncs += 1;
        if inner.fault == Fault::SyncAt(inner.syncs) {
            // The disk is as unsure as after a loss of power, and works again: so fsync behaves.
            return Err(io::Error::other("sync failed"));
        }
        inner.synced = inner.current.clone();
        inner.pending.clear();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().step(Step::Write(offset, data.to_vec()))
    }
}
