//! What a CALL may reach: programs of the region, what the worker and COBOL's runtime provide, and names that the configuration lists.
//!
//! libcob would find any function of the process by its name, those of the C library too. So its ways to look up a name go through here.

use std::ffi::c_int;
use std::ptr::null;

use program::reachable::is_provided;

use crate::cobol::libcob::{Called, Libcob};
use crate::task;

/// The abend of a CALL that reaches nothing (Language Environment: CEE3501S ends with it).
const NOT_THERE: [u8; 4] = *b"4038";

/// libcob, for a CALL that is let through.
///
/// # Errors
/// The process is no worker: what the CALL gets.
pub(crate) fn libcob() -> Result<&'static Libcob, Called> {
    task::with(|runtime| runtime.libcob).ok_or(null())
}

/// Lets the CALL of a name through. Else it gets nothing, so that its exception phrase runs; without such a phrase the task abends, and it gets a
/// function that can be called.
pub(crate) fn admit(name: &[u8], ends: bool) -> Result<&'static Libcob, Called> {
    let name = name.trim_ascii_end();
    let libcob = libcob()?;
    if is_provided(name) || task::with(|runtime| runtime.programs.may_be_called(name)) == Some(true) {
        return Ok(libcob);
    }
    if !ends {
        return Err(null());
    }
    let shown = String::from_utf8_lossy(name).into_owned();
    task::abend_in_call(
        NOT_THERE,
        format!("CALL of {shown:?}: the region has no such program, and region.callable does not list it"),
    );
    Err(refused as *const () as Called)
}

/// What a program calls instead. When the name was looked up, the task abended, and the program learns of it when it asks after its CALL.
/// A program keeps what a literal reached, so a later task comes here without looking it up.
extern "C-unwind" fn refused() -> c_int {
    let has_abended = task::with(|runtime| runtime.level().leaving).unwrap_or(true);
    if !has_abended {
        task::abend_in_call(NOT_THERE, "CALL of a name that an earlier task was refused".to_owned());
    }
    0
}
