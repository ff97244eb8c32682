//! The names that a CALL may reach: programs of the region, functions of the worker and of COBOL's runtime,
//! and names that the configuration lists.
//!
//! libcob would find any function of the process by its name, those of the C library too. So its look-ups of
//! names go through here.

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
/// The result of the CALL if the process is not a worker.
pub(crate) fn libcob() -> Result<&'static Libcob, Called> {
    task::with(|runtime| runtime.libcob).ok_or(null())
}

/// Lets the CALL of a name through. A name that is refused gives null, so that the CALL's exception phrase
/// runs. Without such a phrase the task abends, and the CALL gets a function that can be called.
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

/// The function that a program calls in place of a refused one. The task abended at the look-up, and the
/// program learns of it after its CALL. A program keeps the function of a literal,
/// so that a later task comes here without a look-up.
extern "C-unwind" fn refused() -> c_int {
    let has_abended = task::with(|runtime| runtime.level().leaving).unwrap_or(true);
    if !has_abended {
        task::abend_in_call(NOT_THERE, "CALL of a name that an earlier task was refused".to_owned());
    }
    0
}
