//! A segment: one preallocated file, or a disk of the caller. Records are appended to it from its start.

use std::io;
use std::sync::Arc;

use super::super::disk::Disk;
use super::super::redb::is_full;
use super::record::{HEADER_BYTES, MARK_BYTES};

/// The least bytes of a segment, and the least bytes by which it grows.
pub(super) const GROWTH_BYTES: u64 = 1 << 18;
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// A segment, and the length of its used part.
#[derive(Debug)]
pub(super) struct Segment {
    disk: Arc<dyn Disk>,
    /// Bytes that exist on disk. Writing there changes no length and takes no room.
    allocated: u64,
    pub(super) used: u64,
}

/// The reason why a record is not on disk.
#[derive(Debug)]
pub(super) enum Failure {
    /// No part of it can be found there.
    NotWritten(io::Error),
    /// It may be found there or not.
    Unknown(io::Error),
}

impl Segment {
    pub(super) fn new(disk: Arc<dyn Disk>) -> io::Result<Self> {
        let allocated = disk.len()?;
        Ok(Self { disk, allocated, used: 0 })
    }

    pub(super) fn len(&self) -> u64 {
        self.allocated
    }

    /// All its bytes.
    pub(super) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.allocated).map_err(io::Error::other)?];
        self.disk.read(0, &mut bytes)?;
        Ok(bytes)
    }

    /// The first record with its header, as far as it exists.
    pub(super) fn first(&self) -> io::Result<Vec<u8>> {
        let bytes = |count: u64| usize::try_from(count.min(self.allocated)).map_err(io::Error::other);
        let mut first = vec![0; bytes(HEADER_BYTES as u64)?];
        self.disk.read(0, &mut first)?;
        let length = super::record::length(&first).unwrap_or_default();
        first.resize(bytes(length.saturating_add(HEADER_BYTES as u64))?, 0);
        self.disk.read(0, &mut first)?;
        Ok(first)
    }

    /// Overwrites only the mark of the first record. A crash then leaves a whole record, or none.
    pub(super) fn erase(&self) -> io::Result<()> {
        if self.allocated < MARK_BYTES as u64 {
            return Ok(());
        }
        self.disk.write(0, &ZEROS[..MARK_BYTES])?;
        self.disk.sync()
    }

    /// Makes sure that `bytes` exist, and more, so that calls seldom have work to do. It writes zeros, not
    /// only a length. Else each wait for the disk would also wait for the file system's own data.
    pub(super) fn allocate(&mut self, bytes: u64) -> io::Result<()> {
        if bytes <= self.allocated {
            return Ok(());
        }
        let to = bytes.max(GROWTH_BYTES).max((self.allocated * 2).min(bytes + 32 * GROWTH_BYTES));
        let mut at = self.allocated;
        while at < to {
            let step = (to - at).min(ZEROS.len() as u64);
            match self.disk.write(at, &ZEROS[..usize::try_from(step).unwrap_or(ZEROS.len())]) {
                Ok(()) => at += step,
                // What is needed is there.
                Err(error) if is_full(error.kind()) && at >= bytes => break,
                Err(error) => {
                    // Others need the room, if it is too little for this. The length matters to nobody here.
                    if at > self.allocated {
                        let _ = self.disk.set_len(self.allocated);
                    }
                    return Err(error);
                }
            }
        }
        self.disk.sync()?;
        self.allocated = at;
        Ok(())
    }

    /// Gives room beyond `bytes` back.
    pub(super) fn shrink(&mut self, bytes: u64) -> io::Result<()> {
        if self.allocated > bytes {
            self.disk.set_len(bytes)?;
            self.allocated = bytes;
        }
        Ok(())
    }

    /// Writes a record behind the existing ones, and waits for the disk.
    pub(super) fn append(&mut self, record: &[u8]) -> Result<(), Failure> {
        let end = self.used + record.len() as u64;
        self.allocate(end).map_err(Failure::NotWritten)?;
        if let Err(error) = self.disk.write(self.used, record) {
            // The written part of it must not be found later.
            let gone = self.disk.write(self.used, &ZEROS[..HEADER_BYTES]);
            return match gone.and_then(|()| self.disk.sync()) {
                Ok(()) => Err(Failure::NotWritten(error)),
                Err(_) => Err(Failure::Unknown(error)),
            };
        }
        self.disk.sync().map_err(Failure::Unknown)?;
        self.used = end;
        Ok(())
    }
}
