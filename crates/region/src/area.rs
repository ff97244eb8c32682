//! The memory that a region and one worker share: a sealed file without a name, of fixed size.
//!
//! A message lies in it as its length and its bytes. The other side may write at any time, and may be hostile:
//! lengths are read once and checked, bytes are copied out before anybody looks at them. Nobody can shrink the file
//! (F_SEAL_SHRINK), so that touching it never faults.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{FallocateFlags, MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};

/// Bytes before the message.
const HEADER_BYTES: usize = 16;

/// Above this many bytes the pages are given back instead of being overwritten.
const GIVE_BACK_ABOVE_BYTES: usize = 256 * 1024;

/// The largest area, so that lengths fit into four bytes.
pub const AREA_MAX_BYTES: usize = 1 << 30;

/// Shared memory, mapped.
#[derive(Debug)]
pub struct Area {
    file: OwnedFd,
    start: *mut u8,
    bytes: usize,
    /// How many bytes of the area were used since it was last cleared, as far as this side knows.
    used: usize,
}

// SAFETY: the mapping belongs to the `Area` alone and is not bound to a thread; all access needs `&mut self`.
unsafe impl Send for Area {}

impl Area {
    /// A new area of that many bytes, sealed against any change of size.
    ///
    /// # Errors
    /// The kernel refuses it.
    pub fn create(bytes: usize) -> io::Result<Self> {
        let bytes = bytes.clamp(HEADER_BYTES, AREA_MAX_BYTES);
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = rustix::fs::memfd_create("gantry-area", flags)?;
        rustix::fs::ftruncate(&file, bytes as u64)?;
        rustix::fs::fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Self::map(file, bytes)
    }

    /// The area of a file that the other side sent.
    ///
    /// # Errors
    /// It can still shrink, or cannot be mapped.
    pub fn open(file: OwnedFd) -> io::Result<Self> {
        let seals = rustix::fs::fcntl_get_seals(&file)?;
        if !seals.contains(SealFlags::SHRINK) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "expected memory sealed against shrinking",
            ));
        }
        let bytes = usize::try_from(rustix::fs::fstat(&file)?.st_size).unwrap_or(0);
        if bytes < HEADER_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "expected memory for a message"));
        }
        Self::map(file, bytes)
    }

    fn map(file: OwnedFd, bytes: usize) -> io::Result<Self> {
        // SAFETY: a new mapping at a place that the kernel chooses touches no memory of ours.
        let start = unsafe {
            let protection = ProtFlags::READ | ProtFlags::WRITE;
            rustix::mm::mmap(std::ptr::null_mut(), bytes, protection, MapFlags::SHARED, &file, 0)?
        };
        Ok(Self { file, start: start.cast(), bytes, used: HEADER_BYTES })
    }

    /// The file, to send it to the other side.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// The most bytes that a message may have.
    pub fn message_max_bytes(&self) -> usize {
        self.bytes - HEADER_BYTES
    }

    /// Writes a message.
    ///
    /// # Errors
    /// It is longer than [`message_max_bytes`](Self::message_max_bytes); nothing was written.
    pub fn write(&mut self, message: &[u8]) -> Result<(), TooLong> {
        if message.len() > self.message_max_bytes() {
            return Err(TooLong { bytes: message.len(), max_bytes: self.message_max_bytes() });
        }
        // SAFETY: the mapping has HEADER_BYTES and the message's bytes, as was just checked, and is never in `message`,
        // which no one gets a reference into.
        unsafe {
            std::ptr::copy_nonoverlapping(message.as_ptr(), self.start.add(HEADER_BYTES), message.len());
        }
        self.used = self.used.max(HEADER_BYTES + message.len());
        self.length().store(message.len() as u32, Ordering::Release);
        Ok(())
    }

    /// Copies the message out, in place of what `to` has. None if its length is more than there can be.
    pub fn read(&mut self, to: &mut Vec<u8>) -> Option<()> {
        let length = self.length().load(Ordering::Acquire) as usize;
        if length > self.message_max_bytes() {
            return None;
        }
        to.clear();
        to.reserve(length);
        // SAFETY: the mapping has HEADER_BYTES and `length` bytes, since `length` was read once and checked; `to` has
        // room for them and is ours. If the other side writes meanwhile, the bytes are any bytes, which is allowed.
        unsafe {
            std::ptr::copy_nonoverlapping(self.start.add(HEADER_BYTES), to.as_mut_ptr(), length);
            to.set_len(length);
        }
        self.used = self.used.max(HEADER_BYTES + length);
        Some(())
    }

    /// Overwrites what was used with zeros, so that the next task finds nothing of this one.
    pub fn clear(&mut self) {
        if self.used > GIVE_BACK_ABOVE_BYTES && self.give_back().is_ok() {
            self.used = HEADER_BYTES;
            return;
        }
        // SAFETY: `used` never exceeds the mapping: it only grows by lengths that were checked.
        unsafe { std::ptr::write_bytes(self.start, 0, self.used) };
        self.used = HEADER_BYTES;
    }

    fn give_back(&self) -> io::Result<()> {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(rustix::fs::fallocate(&self.file, flags, 0, self.bytes as u64)?)
    }

    fn length(&self) -> &AtomicU32 {
        // SAFETY: the mapping begins at a page and has at least HEADER_BYTES; both sides only use this place as an
        // atomic number, or overwrite it between tasks when the other side waits.
        unsafe { AtomicU32::from_ptr(self.start.cast()) }
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        // SAFETY: the mapping is this area's own, and nothing refers into it any more.
        let _ = unsafe { rustix::mm::munmap(self.start.cast(), self.bytes) };
    }
}

/// A message that does not fit into the area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// How many bytes it has.
    pub bytes: usize,
    /// How many it may have.
    pub max_bytes: usize,
}

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "expected at most {} bytes of commarea or containers, found {}", self.max_bytes, self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_goes_through_and_is_cleared() {
        let mut ours = Area::create(4096).expect("an area");
        let mut theirs =
            Area::open(ours.file().try_clone_to_owned().expect("a file")).expect("the same area");
        ours.write(b"hello").expect("room");
        let mut found = Vec::new();
        assert_eq!((theirs.read(&mut found), found.as_slice()), (Some(()), b"hello".as_slice()));
        ours.clear();
        assert_eq!((theirs.read(&mut found), found.len()), (Some(()), 0));
        // The length is gone, and so are the bytes.
        theirs.length().store(5, Ordering::Relaxed);
        assert_eq!((theirs.read(&mut found), found.as_slice()), (Some(()), [0; 5].as_slice()));
    }

    #[test]
    fn large_messages_are_given_back() {
        let mut area = Area::create(1 << 20).expect("an area");
        area.write(&vec![7; GIVE_BACK_ABOVE_BYTES * 2]).expect("room");
        area.clear();
        area.length().store(GIVE_BACK_ABOVE_BYTES as u32, Ordering::Relaxed);
        let mut found = Vec::new();
        area.read(&mut found).expect("a length that can be");
        assert!(found.iter().all(|byte| *byte == 0));
    }

    #[test]
    fn lengths_are_not_believed() {
        let mut area = Area::create(4096).expect("an area");
        assert_eq!(area.write(&[0; 4081]), Err(TooLong { bytes: 4081, max_bytes: 4080 }));
        for length in [4081, u32::MAX] {
            area.length().store(length, Ordering::Relaxed);
            assert_eq!(area.read(&mut Vec::new()), None);
        }
    }

    #[test]
    fn nobody_can_shrink_it() {
        let area = Area::create(4096).expect("an area");
        assert_eq!(rustix::fs::ftruncate(area.file(), 0), Err(rustix::io::Errno::PERM));
        assert!(rustix::fs::fcntl_add_seals(area.file(), SealFlags::WRITE).is_err());
        let loose = rustix::fs::memfd_create("loose", MemfdFlags::ALLOW_SEALING).expect("memory");
        rustix::fs::ftruncate(&loose, 4096).expect("a size");
        assert!(Area::open(loose).is_err());
    }
}
