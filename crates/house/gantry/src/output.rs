//! What commands say on standard output and standard error. Those of the standard library panic if the reader has gone
//! (`| head -1`); these have its names, so that no place in this crate can take the others.

use std::fmt::Arguments;
use std::io::{self, Write};

// Nobody needs it now; it is here so that nobody takes the other.
#[allow(unused_macros)]
macro_rules! print {
    ($($text:tt)*) => { $crate::output::to_reader(format_args!($($text)*)) };
}

macro_rules! println {
    ($($text:tt)*) => { $crate::output::to_reader(format_args!("{}\n", format_args!($($text)*))) };
}

macro_rules! eprint {
    ($($text:tt)*) => { $crate::output::to_watcher(format_args!($($text)*)) };
}

macro_rules! eprintln {
    () => { $crate::output::to_watcher(format_args!("\n")) };
    ($($text:tt)*) => { $crate::output::to_watcher(format_args!("{}\n", format_args!($($text)*))) };
}

/// Writes to standard output. A reader who has gone has seen enough.
pub(crate) fn to_reader(text: Arguments<'_>) {
    let _ = io::stdout().lock().write_fmt(text);
}

/// Writes to standard error, in one piece. The work goes on if nobody reads it.
pub(crate) fn to_watcher(text: Arguments<'_>) {
    let _ = io::stderr().lock().write_all(text.to_string().as_bytes());
}
