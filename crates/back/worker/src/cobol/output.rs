//! The programs' output by DISPLAY: gathered in the worker, and sent to the region as text of the task.
//!
//! libcob writes to the C library's `stdout` and `stderr`. Both are streams of ours, whose bytes come to [`take`]. Nothing else of the
//! runtime is borrowed there, since libcob also writes while the runtime calls it.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void};

/// The number of gathered bytes at which the region gets them, when it next can.
pub(crate) const TELL_AT_BYTES: usize = 2048;

/// The most bytes that are kept while the region cannot get them. Further bytes are left out.
const KEPT_MAX_BYTES: usize = 64 * 1024;

thread_local! {
    static GATHERED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The last bytes that the region got, for [`fault`].
    static TOLD: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// `cookie_io_functions_t` of the GNU C library.
#[repr(C)]
pub(crate) struct StreamFunctions {
    read: Option<unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> isize>,
    write: Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> isize>,
    seek: Option<unsafe extern "C" fn(*mut c_void, *mut i64, c_int) -> c_int>,
    close: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
}

impl StreamFunctions {
    /// A stream's functions that gather its bytes.
    pub(crate) const GATHER: Self = Self { read: None, write: Some(gather), seek: None, close: None };
}

/// Takes the bytes that a stream has written.
///
/// # Safety
/// `bytes` has `count` bytes.
unsafe extern "C" fn gather(_cookie: *mut c_void, bytes: *const c_char, count: usize) -> isize {
    if !bytes.is_null() {
        // SAFETY: the caller says so.
        add(unsafe { std::slice::from_raw_parts(bytes.cast(), count) });
    }
    isize::try_from(count).unwrap_or(isize::MAX)
}

/// Adds text as if it had been displayed.
pub(crate) fn add(text: &[u8]) {
    GATHERED.with_borrow_mut(|gathered| {
        let room = KEPT_MAX_BYTES.saturating_sub(gathered.len());
        gathered.extend_from_slice(&text[..text.len().min(room)]);
    });
    if is_much() {
        crate::task::tell_output();
    }
}

/// True if there are enough bytes for the region.
fn is_much() -> bool {
    GATHERED.with_borrow(|gathered| gathered.len() >= TELL_AT_BYTES)
}

/// Writes the gathered bytes to the worker's pipe, because the process is about to die.
pub(crate) fn save() {
    GATHERED.with(|gathered| {
        if let Ok(gathered) = gathered.try_borrow() {
            let _ = rustix::io::write(rustix::stdio::stdout(), &gathered);
        }
    });
}

/// The beginning of libcob's messages.
const LIBCOB: &str = "libcob: ";
/// The word in front of a fault that ends the program.
const ERROR: &str = "error: ";

/// Lines that libcob writes for one fault, at most.
const FAULT_LINES_MAX: usize = 8;
/// The longest end of the text that is kept for them.
const FAULT_BYTES_MAX: usize = 2048;

/// The last fault that libcob has reported: `TAKER.cbl:20: subscript of 'E' out of bounds: 4`.
pub(crate) fn fault() -> Option<String> {
    let mut text = TOLD.with_borrow(Clone::clone);
    GATHERED.with_borrow(|gathered| text.extend_from_slice(gathered));
    last_fault(&String::from_utf8_lossy(&text))
}

fn last_fault(text: &str) -> Option<String> {
    let mut lines = text.lines().rev().take(FAULT_LINES_MAX);
    let line = lines.find_map(|line| line.strip_prefix(LIBCOB).filter(|said| said.contains(ERROR)))?;
    Some(line.replacen(ERROR, "", 1))
}

/// Takes the gathered bytes; none if there are none.
pub(crate) fn take() -> Option<Vec<u8>> {
    GATHERED.with_borrow_mut(|gathered| {
        if gathered.is_empty() {
            return None;
        }
        TOLD.with_borrow_mut(|told| {
            told.extend_from_slice(&gathered[gathered.len().saturating_sub(FAULT_BYTES_MAX)..]);
            let old = told.len().saturating_sub(FAULT_BYTES_MAX);
            told.drain(..old);
        });
        Some(std::mem::take(gathered))
    })
}

#[cfg(test)]
mod tests {
    use super::{add, fault, last_fault, take};

    #[test]
    fn the_last_fault_of_libcob_is_found_among_what_programs_display() {
        let text = "libcob: A.cbl:1: warning: w\nlibcob: A.cbl:7: error: subscript of 'E' out of bounds: 4\nnote: maximum 3\n";
        assert_eq!(last_fault(text).as_deref(), Some("A.cbl:7: subscript of 'E' out of bounds: 4"));
        assert_eq!(last_fault("libcob: error: file does not exist"), Some("file does not exist".to_owned()));
        assert_eq!(last_fault("an error: of mine\n"), None);
        let old = format!("libcob: A.cbl:7: error: of before\n{}", "a line\n".repeat(8));
        assert_eq!(last_fault(&old), None);
    }

    #[test]
    fn a_fault_may_be_told_in_pieces() {
        add(b"libcob: A.cbl:7: ");
        assert!(take().is_some());
        add(b"error: 'Z' not numeric: '  '\n");
        assert_eq!(fault().as_deref(), Some("A.cbl:7: 'Z' not numeric: '  '"));
    }
}
