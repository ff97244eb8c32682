//! The border to redb. It may panic on a page that it did not write. Such a panic becomes an error of the
//! store, and prints nothing.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::error::{Error, ErrorKind, Result};

thread_local! {
    /// The number of calls of redb that this thread is in.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
}

static PREPARED: Once = Once::new();

/// Silences panics inside the border. All others print as before.
pub(super) fn prepare() {
    // A thread that panics must not change the hook.
    if std::thread::panicking() {
        return;
    }
    PREPARED.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |told| {
            if INSIDE.try_with(Cell::get).unwrap_or_default() == 0 {
                before(told);
            }
        }));
    });
}

/// Calls redb.
///
/// # Errors
/// Those of the call; `Corrupt` if it panics.
pub(super) fn within<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    INSIDE.set(INSIDE.get() + 1);
    let answer = catch_unwind(AssertUnwindSafe(call));
    INSIDE.set(INSIDE.get() - 1);
    answer.unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::Corrupt, "store: the file is damaged: its structure contradicts itself"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_inside_is_an_error_and_the_count_is_right_after_it() {
        prepare();
        let outer = within(|| {
            let inner = within(|| -> Result<()> { panic!("this must not be printed") });
            assert_eq!(inner.expect_err("it panicked").kind(), ErrorKind::Corrupt);
            assert_eq!(INSIDE.get(), 1);
            Ok(7)
        });
        assert_eq!((outer.expect("no panic"), INSIDE.get()), (7, 0));
    }
}
