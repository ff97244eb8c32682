//! The memory that a region and one worker share: a sealed file without a name, of fixed size.
//!
//! A message lies in it as its length and its bytes; two words before it are bells ([`Bell`]). Between them
//! are the worker's last [`NOTES`](crate::notes), which outlive it. The other side may write at any time, and
//! may be hostile: lengths are read once and checked, bytes are copied out before anybody looks at them, and
//! a bell is waited for once and never longer than a given time. Nobody can shrink the file (F_SEAL_SHRINK),
//! so that touching it never faults.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::fs::{FallocateFlags, MemfdFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};
use rustix::thread::futex;

/// Bytes before the notes: the message's length, the two bells, the number of notes, the task's processor
/// time, and the turns of a batch.
const HEADER_BYTES: usize = 32;

/// The bytes of a note.
pub const NOTE_BYTES: usize = 64;

/// How many notes are kept; the next one takes the place of the oldest.
pub const NOTES_MAX: usize = 32;

/// Where the message begins.
const MESSAGE: usize = HEADER_BYTES + NOTES_MAX * NOTE_BYTES;

/// The bytes that a message's length would take, which the size of an area counts besides its message.
const OVERHEAD_BYTES: usize = 16;

/// The word of the header that counts the notes, and the first of the two with the processor time.
const NOTES_WORD: usize = 3;
const CPU_WORD: usize = 4;

/// The word of the header with the turns of a batch ([`Turns`]).
const TURNS_WORD: usize = 6;

/// The first bytes, which are never given back, because they hold the bells: the largest page of any system
/// (64 KiB).
const KEPT_BYTES: usize = 64 * 1024;

/// After this many messages in a row that fit into [`KEPT_BYTES`], the pages of larger messages are given
/// back. Giving them back after each message would cost more than the message, because both sides touch every
/// page anew.
const SMALL_IN_A_ROW: u32 = 64;

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
    /// How many bytes have pages, as far as this side knows.
    touched: usize,
    /// How many small messages there were since the last large one.
    small: u32,
}

// SAFETY: the mapping belongs to the `Area` alone and is not bound to a thread; all access needs `&mut self`.
unsafe impl Send for Area {}

impl Area {
    /// A new area for messages of this many bytes, sealed against any change of size.
    ///
    /// # Errors
    /// The kernel refuses it.
    pub fn create(bytes: usize) -> io::Result<Self> {
        let bytes = bytes.clamp(OVERHEAD_BYTES, AREA_MAX_BYTES) - OVERHEAD_BYTES + MESSAGE;
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
        if bytes < MESSAGE {
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
        Ok(Self { file, start: start.cast(), bytes, used: MESSAGE, touched: MESSAGE, small: 0 })
    }

    /// The file, to send it to the other side.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// The most bytes that a message may have.
    pub fn message_max_bytes(&self) -> usize {
        self.bytes - MESSAGE
    }

    /// Writes a message.
    ///
    /// # Errors
    /// It is longer than [`message_max_bytes`](Self::message_max_bytes); nothing was written.
    pub fn write(&mut self, message: &[u8]) -> Result<(), TooLong> {
        if message.len() > self.message_max_bytes() {
            return Err(TooLong { bytes: message.len(), max_bytes: self.message_max_bytes() });
        }
        // SAFETY: the mapping has MESSAGE bytes and the message's, as was just checked, and is never in `message`,
        // which no one gets a reference into.
        unsafe {
            std::ptr::copy_nonoverlapping(message.as_ptr(), self.start.add(MESSAGE), message.len());
        }
        self.used = self.used.max(MESSAGE + message.len());
        self.length().store(message.len() as u32, Ordering::Release);
        Ok(())
    }

    /// Adds bytes to the message, which already has `there` bytes.
    ///
    /// # Errors
    /// It would be longer than [`message_max_bytes`](Self::message_max_bytes); nothing was added.
    pub fn append(&mut self, there: usize, more: &[u8]) -> Result<(), TooLong> {
        let length = there.saturating_add(more.len());
        if length > self.message_max_bytes() {
            return Err(TooLong { bytes: length, max_bytes: self.message_max_bytes() });
        }
        // SAFETY: the mapping has MESSAGE bytes and `length`, as was just checked, and is never in `more`.
        unsafe {
            std::ptr::copy_nonoverlapping(more.as_ptr(), self.start.add(MESSAGE + there), more.len());
        }
        self.used = self.used.max(MESSAGE + length);
        self.length().store(length as u32, Ordering::Release);
        Ok(())
    }

    /// Copies the message out, and replaces the contents of `to`. None if its length is more than the area
    /// can have.
    pub fn read(&mut self, to: &mut Vec<u8>) -> Option<()> {
        self.read_after(0, to)
    }

    /// Copies the message out without its first `from` bytes. None if its length is less than `from`, or more
    /// than the area can have.
    pub fn read_after(&mut self, from: usize, to: &mut Vec<u8>) -> Option<()> {
        let length = self.length().load(Ordering::Acquire) as usize;
        if length > self.message_max_bytes() {
            return None;
        }
        let bytes = length.checked_sub(from)?;
        to.clear();
        to.reserve(bytes);
        // SAFETY: the mapping has MESSAGE and `length` bytes, since `length` was read once and checked, and `from` is no more than
        // that; `to` has room for them and is ours. If the other side writes meanwhile, the bytes are any bytes, which is
        // allowed.
        unsafe {
            std::ptr::copy_nonoverlapping(self.start.add(MESSAGE + from), to.as_mut_ptr(), bytes);
            to.set_len(bytes);
        }
        self.used = self.used.max(MESSAGE + length);
        Some(())
    }

    /// Overwrites the message and the notes with zeros, so that the next task finds nothing of this one. The
    /// bells stay as they are. True if memory went back to the system, because it is no longer needed.
    pub fn clear(&mut self) -> bool {
        self.length().store(0, Ordering::Relaxed);
        let were_batched = self.turns().end();
        // Of a batch only the last task's notes are counted.
        let notes =
            if were_batched { NOTES_MAX } else { (self.notes_made() as usize).min(NOTES_MAX) } * NOTE_BYTES;
        // SAFETY: `used` never exceeds the mapping: it only grows by lengths that were checked. The notes lie between the
        // header and the message.
        unsafe {
            std::ptr::write_bytes(self.start.add(HEADER_BYTES), 0, notes);
            std::ptr::write_bytes(self.start.add(MESSAGE), 0, self.used - MESSAGE);
        }
        self.word(NOTES_WORD).store(0, Ordering::Relaxed);
        self.set_cpu_nanoseconds(0);
        self.touched = self.touched.max(self.used);
        self.small = if self.used > KEPT_BYTES { 0 } else { self.small.saturating_add(1) };
        self.used = MESSAGE;
        if self.touched > KEPT_BYTES && self.small >= SMALL_IN_A_ROW {
            // Without this the memory is kept, and is as empty.
            let _ = self.give_back();
            self.touched = KEPT_BYTES;
            return true;
        }
        false
    }

    fn give_back(&self) -> io::Result<()> {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let (from, bytes) = (KEPT_BYTES as u64, self.bytes - KEPT_BYTES);
        Ok(rustix::fs::fallocate(&self.file, flags, from, bytes as u64)?)
    }

    /// Makes a note, in place of the oldest one if there are [`NOTES_MAX`]. Notes count from 0.
    pub fn make_note(&mut self, number: u32, note: &[u8; NOTE_BYTES]) {
        // SAFETY: the place lies between the header and the message, and `note` outside of the mapping.
        unsafe { std::ptr::copy_nonoverlapping(note.as_ptr(), self.place_of(number), NOTE_BYTES) };
        let made = self.notes_made().max(number.saturating_add(1));
        self.word(NOTES_WORD).store(made, Ordering::Release);
    }

    /// A copy of a note, whatever it is by now.
    pub fn note(&self, number: u32) -> [u8; NOTE_BYTES] {
        let mut note = [0; NOTE_BYTES];
        // SAFETY: as in `make_note`; if the other side writes meanwhile, the bytes are any bytes, which is allowed.
        unsafe { std::ptr::copy_nonoverlapping(self.place_of(number), note.as_mut_ptr(), NOTE_BYTES) };
        note
    }

    /// Another task begins: the notes so far are not its own.
    pub fn forget_notes(&self) {
        self.word(NOTES_WORD).store(0, Ordering::Relaxed);
    }

    /// How many notes were made, as the worker says.
    pub fn notes_made(&self) -> u32 {
        self.word(NOTES_WORD).load(Ordering::Acquire)
    }

    fn place_of(&self, number: u32) -> *mut u8 {
        let place = number as usize % NOTES_MAX;
        // SAFETY: there are NOTES_MAX places behind the header, which every mapping has.
        unsafe { self.start.add(HEADER_BYTES + place * NOTE_BYTES) }
    }

    /// The processor time of the task, as the worker says; 0 if it was not measured.
    pub fn cpu_nanoseconds(&self) -> u64 {
        let word = |at| u64::from(self.word(at).load(Ordering::Relaxed));
        word(CPU_WORD) | word(CPU_WORD + 1) << 32
    }

    /// Sets the task's processor time.
    pub fn set_cpu_nanoseconds(&self, nanoseconds: u64) {
        self.word(CPU_WORD).store(nanoseconds as u32, Ordering::Relaxed);
        self.word(CPU_WORD + 1).store((nanoseconds >> 32) as u32, Ordering::Relaxed);
    }

    /// The bell that the region rings when there is something for the worker.
    pub fn to_worker(&self) -> Bell<'_> {
        Bell(self.word(1))
    }

    /// The bell that the worker rings when there is something for the region.
    pub fn to_region(&self) -> Bell<'_> {
        Bell(self.word(2))
    }

    /// The turns of the tasks of a batch.
    pub fn turns(&self) -> Turns<'_> {
        Turns(self.word(TURNS_WORD))
    }

    fn length(&self) -> &AtomicU32 {
        self.word(0)
    }

    /// A word of the header.
    fn word(&self, at: usize) -> &AtomicU32 {
        debug_assert!(at < HEADER_BYTES / size_of::<AtomicU32>());
        // SAFETY: the mapping begins at a page and has at least HEADER_BYTES; both sides only use these places as
        // atomic numbers.
        unsafe { AtomicU32::from_ptr(self.start.cast::<u32>().add(at)) }
    }
}

/// A word of the shared memory that one side waits for and the other one changes: a futex. Its value is whatever the other
/// side wrote last, and is never believed.
#[derive(Clone, Copy, Debug)]
pub struct Bell<'a>(&'a AtomicU32);

impl Bell<'_> {
    /// The value now.
    #[must_use]
    pub fn value(self) -> u32 {
        self.0.load(Ordering::Acquire)
    }

    /// Sets the value, and wakes nobody.
    pub fn set(self, value: u32) {
        self.0.store(value, Ordering::Release);
    }

    /// Sets the value; gives the one before.
    #[must_use]
    pub fn replace(self, value: u32) -> u32 {
        self.0.swap(value, Ordering::AcqRel)
    }

    /// Sets the value if it is the expected one.
    ///
    /// # Errors
    /// The value that it is instead.
    pub fn exchange(self, expected: u32, value: u32) -> Result<(), u32> {
        self.0.compare_exchange(expected, value, Ordering::AcqRel, Ordering::Acquire).map(drop)
    }

    /// Wakes the waiting side. False if it did not wait.
    pub fn wake(self) -> bool {
        futex::wake(self.0, futex::Flags::empty(), 1).is_ok_and(|woken| woken > 0)
    }

    /// Waits until the other side wakes this one, for at most this time, and not at all if the value is not
    /// the given one. It may return without a reason, so that the caller must look at the value again.
    pub fn wait(self, while_it_is: u32, most: Option<Duration>) {
        let most = most.and_then(|most| most.try_into().ok());
        let _ = futex::wait(self.0, futex::Flags::empty(), while_it_is, most.as_ref());
    }
}

/// The number of tasks of a batch that may begin, and that have begun, in one word. The worker takes its
/// turns from it, and the region takes back the turns that have not begun.
#[derive(Clone, Copy, Debug)]
pub struct Turns<'a>(&'a AtomicU32);

/// The word is the number of tasks that may begin, times this, plus the number that have begun.
const LIMIT: u32 = 1 << 16;

impl Turns<'_> {
    /// So many tasks may begin, and none has.
    pub fn begin(self, tasks: u16) {
        self.0.store(u32::from(tasks) * LIMIT, Ordering::Release);
    }

    /// Takes the next turn. False if there is none.
    #[must_use]
    pub fn take(self) -> bool {
        let next = |word: u32| (word % LIMIT < word / LIMIT).then(|| word + 1);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).is_ok()
    }

    /// Lets no further task begin, except the first one. Gives the number of tasks that have begun, by the
    /// worker's word.
    #[must_use]
    pub fn withdraw(self) -> usize {
        let last = |word: u32| (word % LIMIT).max(1);
        let kept = |word: u32| Some(last(word) * LIMIT + word % LIMIT);
        let before = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, kept);
        before.map_or(1, |word| last(word) as usize)
    }

    /// Ends the batch. True if there was one.
    fn end(self) -> bool {
        self.0.swap(0, Ordering::Relaxed) != 0
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
    fn the_memory_of_large_messages_is_cleared_and_later_given_back() {
        let mut area = Area::create(1 << 20).expect("an area");
        let in_memory = |area: &Area| rustix::fs::fstat(area.file()).expect("a size").st_blocks * 512;
        area.write(&vec![7; KEPT_BYTES * 8]).expect("room");
        area.clear();
        area.length().store(KEPT_BYTES as u32 * 8, Ordering::Relaxed);
        let mut found = Vec::new();
        area.read(&mut found).expect("a length that can be");
        assert!(found.iter().all(|byte| *byte == 0));
        area.clear();
        for _ in 0..SMALL_IN_A_ROW {
            assert!(in_memory(&area) >= KEPT_BYTES as i64 * 8);
            area.write(b"small").expect("room");
            area.clear();
        }
        assert!(in_memory(&area) <= KEPT_BYTES as i64);
        // It can be used again.
        area.write(&vec![7; KEPT_BYTES * 8]).expect("room");
        area.read(&mut found).expect("a length that can be");
        assert!(found.len() == KEPT_BYTES * 8 && found.iter().all(|byte| *byte == 7));
    }

    #[test]
    fn bells_are_heard_on_the_other_side_and_outlive_messages() {
        let mut ours = Area::create(1 << 20).expect("an area");
        let theirs = Area::open(ours.file().try_clone_to_owned().expect("a file")).expect("the same area");
        ours.to_worker().set(7);
        assert_eq!(theirs.to_worker().value(), 7);
        assert_eq!(theirs.to_region().replace(3), 0);
        assert_eq!(ours.to_region().exchange(2, 1), Err(3));
        for bytes in [10, KEPT_BYTES * 2] {
            ours.write(&vec![7; bytes]).expect("room");
            ours.clear();
            assert_eq!((ours.to_worker().value(), ours.to_region().value()), (7, 3));
        }
        let waiting = std::thread::spawn(move || {
            while theirs.to_worker().value() == 7 {
                theirs.to_worker().wait(7, None);
            }
        });
        // It waits sooner or later, and is woken either way.
        std::thread::sleep(Duration::from_millis(10));
        ours.to_worker().set(8);
        ours.to_worker().wake();
        waiting.join().expect("it is woken");
        assert!(!ours.to_worker().wake());
        // Nobody rings: the wait has an end of its own.
        ours.to_region().wait(3, Some(Duration::from_millis(1)));
    }

    #[test]
    fn notes_outlive_their_writer_until_they_are_cleared() {
        let mut ours = Area::create(4096).expect("an area");
        let mut theirs =
            Area::open(ours.file().try_clone_to_owned().expect("a file")).expect("the same area");
        assert_eq!(theirs.write(&[9; 4080]), Ok(()));
        for number in 0..NOTES_MAX as u32 + 2 {
            theirs.make_note(number, &[number as u8 + 1; NOTE_BYTES]);
        }
        // A note that is made again, for example a completed one, keeps its place.
        theirs.make_note(5, &[77; NOTE_BYTES]);
        theirs.set_cpu_nanoseconds(0x1_2345_6789);
        drop(theirs);
        assert_eq!(ours.notes_made(), NOTES_MAX as u32 + 2);
        assert_eq!((ours.note(1)[0], ours.note(2)[0], ours.note(5)[63]), (34, 3, 77));
        assert_eq!(ours.cpu_nanoseconds(), 0x1_2345_6789);
        let mut message = Vec::new();
        assert_eq!((ours.read(&mut message), message), (Some(()), vec![9; 4080]));
        ours.clear();
        assert_eq!((ours.notes_made(), ours.cpu_nanoseconds(), ours.note(5)), (0, 0, [0; NOTE_BYTES]));
    }

    #[test]
    fn what_is_added_to_a_message_is_read_after_it() {
        let mut ours = Area::create(4096).expect("an area");
        let mut theirs =
            Area::open(ours.file().try_clone_to_owned().expect("a file")).expect("the same area");
        ours.write(b"tasks").expect("room");
        assert_eq!(theirs.append(5, b"one"), Ok(()));
        assert_eq!(theirs.append(8, b"two"), Ok(()));
        let mut found = Vec::new();
        assert_eq!((ours.read_after(5, &mut found), found.as_slice()), (Some(()), b"onetwo".as_slice()));
        assert_eq!((ours.read(&mut found), found.as_slice()), (Some(()), b"tasksonetwo".as_slice()));
        assert_eq!(theirs.append(11, &[0; 4080]), Err(TooLong { bytes: 4091, max_bytes: 4080 }));
        assert!(theirs.append(usize::MAX, b"more").is_err());
        // A worker that shortens the message that it was given.
        ours.length().store(4, Ordering::Relaxed);
        assert_eq!(ours.read_after(5, &mut found), None);
        ours.clear();
        theirs.length().store(11, Ordering::Relaxed);
        assert_eq!((theirs.read(&mut found), found.as_slice()), (Some(()), [0; 11].as_slice()));
    }

    #[test]
    fn a_turn_is_taken_or_taken_back_and_never_both() {
        let area = Area::create(4096).expect("an area");
        let turns = area.turns();
        assert!(!turns.take());
        turns.begin(3);
        assert!(turns.take() && turns.take());
        assert_eq!(turns.withdraw(), 2);
        assert!(!turns.take());
        // The first one stays, so that somebody hears of the worker.
        turns.begin(3);
        assert_eq!(turns.withdraw(), 1);
        assert!(turns.take() && !turns.take());
        for _ in 0..100 {
            turns.begin(8);
            let taken = std::thread::scope(|scope| {
                let worker = scope.spawn(|| std::iter::from_fn(|| turns.take().then_some(())).count());
                let withdrawn = turns.withdraw();
                (worker.join().expect("the turns"), withdrawn)
            });
            assert_eq!(taken.0, taken.1);
        }
        // Any value of the word, which the worker can write, is handled.
        turns.0.store(u32::MAX, Ordering::Relaxed);
        assert_eq!((turns.take(), turns.withdraw()), (false, 65_535));
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
