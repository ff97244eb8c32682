//! Vector kernels for the conversions: the one place of the crate with `unsafe`.
//!
//! The rules that make them safe, with their numbers for later comments:
//!
//! 1. **The instructions exist.** A [`Cpu`] that names a level can only be had from [`Cpu::best`] and
//!    [`Cpu::all`], which ask the CPU, the first time, and remember. Kernels are only called by the methods
//!    of a [`Cpu`] of their level.
//! 2. **Memory.** Kernels touch memory only through arrays of the vector's own size, which they take from
//!    slices with bounds checks, or under a mask with the length of a slice. There is no other arithmetic of
//!    pointers.
//! 3. **Initialised output.** [`append`] is the one function that lengthens a `Vec`, by the number of bytes
//!    that a kernel reports. Kernels count only what they have stored, from the first byte on without gaps;
//!    the tests run them under Miri, which finds a byte that was not stored.
//!
//! A kernel converts a prefix: whole steps of text of its kind. It returns the number of bytes that it has
//! read. Plain code goes on there, with the tail, with rare characters and with faults. A level without
//! kernels behaves like a kernel that never reads anything.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod shuffles;
#[cfg(test)]
mod tests;

use crate::translate::{JsonRows, plain, plain_json, plain_json_rows, plain_until};
use crate::unicode::ByteOrder;
#[cfg(target_arch = "x86_64")]
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU8, Ordering};

/// The kernels that may run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cpu(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Portable,
    /// AVX2 and POPCNT.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX2 and POPCNT, and AVX-512 F, BW and VBMI.
    #[cfg(target_arch = "x86_64")]
    Vbmi,
}

/// Two bytes for each byte, looked up together.
#[derive(Debug)]
pub(crate) struct PairTable {
    pub(crate) low: [u8; 256],
    pub(crate) high: [u8; 256],
}

impl PairTable {
    /// The bytes of UTF-16 units.
    pub(crate) fn new(units: &[u16; 256]) -> PairTable {
        PairTable { low: units.map(|unit| unit as u8), high: units.map(|unit| (unit >> 8) as u8) }
    }
}

/// The characters of a single-byte page, for UTF-8.
#[derive(Debug)]
pub(crate) enum Utf8Pairs {
    /// As units, all below U+0100. Their UTF-8 is cheaper to compute than to look up.
    Latin1(PairTable),
    /// As UTF-8: `low` has the first bytes, `high` the second ones, 00 for none. Characters of three bytes,
    /// and bytes without a character, have [`BEYOND`] there.
    Bytes(PairTable),
}

/// Stands for characters that a table of pairs cannot hold. It has a bit that no continuation byte of UTF-8
/// has.
pub(crate) const BEYOND: u8 = 0x40;

impl Utf8Pairs {
    pub(crate) fn new(units: &[u16; 256]) -> Utf8Pairs {
        if units.iter().all(|unit| *unit < 0x100) {
            return Utf8Pairs::Latin1(PairTable::new(units));
        }
        let pairs = units.map(|unit| match unit {
            0..0x80 => [unit as u8, 0],
            0x80..0x800 => [0xC0 | (unit >> 6) as u8, 0x80 | (unit & 0x3F) as u8],
            _ => [0, BEYOND],
        });
        Utf8Pairs::Bytes(PairTable {
            low: pairs.map(|[first, _]| first),
            high: pairs.map(|[_, second]| second),
        })
    }
}

/// The room that kernels need behind their output, so that they do not stop before the end.
pub(crate) const SLACK_BYTES: usize = 64;

/// The shortest data for which AVX2's tables are set up.
#[cfg(target_arch = "x86_64")]
const AVX2_MIN_BYTES: usize = 64;

impl Cpu {
    /// The highest level of this CPU.
    #[inline]
    pub(crate) fn best() -> Cpu {
        /// Its number, above zero once it is known.
        static BEST: AtomicU8 = AtomicU8::new(0);
        match BEST.load(Ordering::Relaxed) {
            1 => Cpu::portable(),
            #[cfg(target_arch = "x86_64")]
            2 => Cpu(Level::Avx2),
            #[cfg(target_arch = "x86_64")]
            3 => Cpu(Level::Vbmi),
            _ => {
                let found = Cpu::detect();
                BEST.store(found.0 as u8 + 1, Ordering::Relaxed);
                found
            }
        }
    }

    #[cold]
    fn detect() -> Cpu {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            let has_vbmi = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vbmi");
            return Cpu(if has_vbmi { Level::Vbmi } else { Level::Avx2 });
        }
        Cpu::portable()
    }

    /// None.
    pub(crate) fn portable() -> Cpu {
        Cpu(Level::Portable)
    }

    /// True if there are no kernels.
    pub(crate) fn is_portable(self) -> bool {
        self.0 == Level::Portable
    }

    /// Every level up to [`Cpu::best`].
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Cpu> {
        let mut levels = vec![Cpu::portable()];
        #[cfg(target_arch = "x86_64")]
        {
            let best = Cpu::best();
            levels.extend((best != Cpu::portable()).then_some(Cpu(Level::Avx2)));
            levels.extend((best.0 == Level::Vbmi).then_some(best));
        }
        levels
    }

    /// As [`crate::translate`]. If one slice is longer, its rest is left alone.
    #[inline]
    pub(crate) fn translate(self, table: &[u8; 256], from: &[u8], to: &mut [u8]) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); kernels only initialise (3).
            Level::Vbmi => unsafe {
                avx512::translate(table, from, as_uninit(to));
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 if from.len() >= AVX2_MIN_BYTES => unsafe {
                avx2::translate(table, from, as_uninit(to));
            },
            _ => plain(table, from, to),
        }
    }

    /// As [`crate::translate_until`].
    #[inline]
    pub(crate) fn translate_until(self, table: &[u8; 256], special: u8, from: &[u8], to: &mut [u8]) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); kernels only initialise (3).
            Level::Vbmi => unsafe { avx512::translate_until(table, special, from, as_uninit(to)) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 if from.len() >= AVX2_MIN_BYTES => unsafe {
                avx2::translate_until(table, special, from, as_uninit(to))
            },
            _ => plain_until(table, special, from, to),
        }
    }

    /// As [`crate::translate_json`], for slices of the same length.
    #[inline]
    pub(crate) fn translate_json(self, table: &[u8; 256], from: &[u8], to: &mut [u8]) -> usize {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); kernels only initialise (3).
            Level::Vbmi => unsafe { avx512::translate_json(table, from, as_uninit(to)) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 if from.len() >= AVX2_MIN_BYTES => unsafe {
                avx2::translate_json(table, from, as_uninit(to))
            },
            _ => plain_json(table, from, to),
        }
    }

    /// As [`crate::translate_json_rows`].
    #[inline]
    pub(crate) fn translate_json_rows(
        self,
        table: &[u8; 256],
        blank: u8,
        row_bytes: usize,
        from: &[u8],
        to: &mut [u8],
    ) -> JsonRows {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); kernels only initialise (3).
            Level::Vbmi if row_bytes < avx512::STEP => unsafe {
                avx512::translate_json_rows(table, blank, row_bytes, from, as_uninit(to))
            },
            _ => plain_json_rows(blank, row_bytes, from, to, |from, to| self.translate_json(table, from, to)),
        }
    }

    /// As [`Cpu::translate_until`], or, without a special byte, [`Cpu::translate`]; appends the bytes before
    /// the special byte to `out`. Returns their number, which may be 0.
    pub(crate) fn append_until(
        self,
        table: &[u8; 256],
        special: Option<u8>,
        from: &[u8],
        out: &mut Vec<u8>,
    ) -> usize {
        out.reserve(from.len());
        #[cfg(target_arch = "x86_64")]
        let done = |read| Done { read, written: read };
        match (self.0, special) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); the kernel stores as much as it reads (3).
            (Level::Vbmi, None) => unsafe {
                append(out, |spare| done(avx512::translate(table, from, spare)))
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            (Level::Vbmi, Some(special)) => unsafe {
                append(out, |spare| done(avx512::translate_until(table, special, from, spare)))
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            (Level::Avx2, None) if from.len() >= AVX2_MIN_BYTES => unsafe {
                append(out, |spare| done(avx2::translate(table, from, spare)))
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            (Level::Avx2, Some(special)) if from.len() >= AVX2_MIN_BYTES => unsafe {
                append(out, |spare| done(avx2::translate_until(table, special, from, spare)))
            },
            _ => 0,
        }
    }

    /// Bytes of a page as UTF-16. Appends to the reserved room of `out`, and returns the number of converted
    /// bytes. Stops before U+FFFD.
    pub(crate) fn bytes_to_utf16(
        self,
        table: &PairTable,
        order: ByteOrder,
        from: &[u8],
        out: &mut Vec<u8>,
    ) -> usize {
        match self.0 {
            Level::Portable => 0,
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); the kernel counts what it stores (3).
            _ => unsafe { append(out, |spare| avx2::bytes_to_utf16(table, order, from, spare)) },
        }
    }

    /// Bytes of a page as UTF-8. Appends to the reserved room of `out`, and returns the number of converted
    /// bytes. Stops before characters beyond U+07FF.
    pub(crate) fn bytes_to_utf8(self, table: &Utf8Pairs, from: &[u8], out: &mut Vec<u8>) -> usize {
        match self.0 {
            Level::Portable => 0,
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); the kernel counts what it stores (3).
            _ => unsafe { append(out, |spare| avx2::bytes_to_utf8(table, from, spare)) },
        }
    }

    /// UTF-16 as UTF-8. Appends to the reserved room of `out`, and returns the number of bytes that were
    /// read, a multiple of two. Stops before characters beyond U+07FF.
    pub(crate) fn utf16_to_utf8(self, order: ByteOrder, from: &[u8], out: &mut Vec<u8>) -> usize {
        match self.0 {
            Level::Portable => 0,
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); the kernel counts what it stores (3).
            _ => unsafe { append(out, |spare| avx2::utf16_to_utf8(order, from, spare)) },
        }
    }

    /// UTF-16 as bytes of a page. `latin1` has the bytes of U+0000 to U+00FF, with 00 for none. Appends to
    /// the reserved room of `out`, and returns the number of bytes that were read, a multiple of two. Stops
    /// before any other character.
    pub(crate) fn utf16_to_bytes(
        self,
        latin1: &[u8; 256],
        order: ByteOrder,
        from: &[u8],
        out: &mut Vec<u8>,
    ) -> usize {
        match self.0 {
            Level::Portable => 0,
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); the kernel counts what it stores (3).
            _ => unsafe { append(out, |spare| avx2::utf16_to_bytes(latin1, order, from, spare)) },
        }
    }

    /// UTF-8 as UTF-16. Appends to the reserved room of `out`, and returns the number of bytes that were
    /// read, in whole characters. Stops before characters beyond U+07FF and before bytes that are not UTF-8.
    pub(crate) fn utf8_to_utf16(self, order: ByteOrder, from: &[u8], out: &mut Vec<u8>) -> usize {
        match self.0 {
            Level::Portable => 0,
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); the kernel counts what it stores (3).
            _ => unsafe { append(out, |spare| avx2::utf8_to_utf16(order, from, spare)) },
        }
    }

    /// UTF-8 as bytes of a page. `latin1` has the bytes of U+0000 to U+00FF, with 00 for none. Appends to the
    /// reserved room of `out`, and returns the number of bytes that were read, in whole characters. Stops
    /// before any other character and before bytes that are not UTF-8.
    pub(crate) fn utf8_to_bytes(self, latin1: &[u8; 256], from: &[u8], out: &mut Vec<u8>) -> usize {
        match self.0 {
            Level::Portable => 0,
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level says that the CPU has the features (1); the kernel counts what it stores (3).
            _ => unsafe { append(out, |spare| avx2::utf8_to_bytes(latin1, from, spare)) },
        }
    }
}

/// The same bytes, only for writing.
///
/// # Safety
///
/// The caller writes only initialised bytes.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn as_uninit(bytes: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: the types have the same layout, and the caller vouches that the bytes remain initialised.
    unsafe { &mut *(std::ptr::from_mut(bytes) as *mut [MaybeUninit<u8>]) }
}

/// The numbers of bytes that a kernel has read, and has written from the first spare byte on.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Default)]
struct Done {
    read: usize,
    written: usize,
}

/// Lengthens `out` by the bytes that the kernel has written into its spare capacity, and returns the number
/// of bytes that it has read.
///
/// # Safety
///
/// The kernel has stored a value into each of the first `written` bytes.
#[cfg(target_arch = "x86_64")]
unsafe fn append(out: &mut Vec<u8>, kernel: impl FnOnce(&mut [MaybeUninit<u8>]) -> Done) -> usize {
    let length = out.len();
    let spare = out.spare_capacity_mut();
    let capacity = spare.len();
    let done = kernel(spare);
    assert!(done.written <= capacity, "a kernel writes into the spare capacity");
    // SAFETY: the new length is within the capacity, and the caller vouches that the bytes are initialised.
    unsafe { out.set_len(length + done.written) };
    done.read
}
