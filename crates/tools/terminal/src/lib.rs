//! Messages of commands to a person: lines on standard output and standard error, counts with their nouns, problems.
//!
//! The macros of the standard library panic if the reader has gone (`| head -1`). The macros here have the same names, so
//! that a crate which takes them cannot use the others by mistake:
//!
//! ```ignore
//! #[macro_use(print, println, eprint, eprintln)]
//! extern crate terminal;
//! ```

use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use settings::Problems;

/// Writes to standard output. It does not fail.
#[macro_export]
macro_rules! print {
    ($($text:tt)*) => { $crate::to_reader(format_args!($($text)*)) };
}

/// Writes a line to standard output. It does not fail.
#[macro_export]
macro_rules! println {
    ($($text:tt)*) => { $crate::to_reader(format_args!("{}\n", format_args!($($text)*))) };
}

/// Writes to standard error. It does not fail.
#[macro_export]
macro_rules! eprint {
    ($($text:tt)*) => { $crate::to_watcher(format_args!($($text)*)) };
}

/// Writes a line to standard error. It does not fail.
#[macro_export]
macro_rules! eprintln {
    () => { $crate::to_watcher(format_args!("\n")) };
    ($($text:tt)*) => { $crate::to_watcher(format_args!("{}\n", format_args!($($text)*))) };
}

/// Writes a line beside the result to standard output, unless the command is to be quiet: what was written, what comes next.
#[macro_export]
macro_rules! aside {
    () => { if !$crate::is_quiet() { $crate::to_reader(format_args!("\n")) } };
    ($($text:tt)*) => { if !$crate::is_quiet() { $crate::to_reader(format_args!("{}\n", format_args!($($text)*))) } };
}

/// Writes a line of progress, or a hint, to standard error, unless the command is to be quiet.
#[macro_export]
macro_rules! remark {
    ($($text:tt)*) => { if !$crate::is_quiet() { $crate::to_watcher(format_args!("{}\n", format_args!($($text)*))) } };
}

/// Writes to standard output. A reader who has gone has seen enough.
pub fn to_reader(text: Arguments<'_>) {
    let _ = io::stdout().lock().write_fmt(text);
}

/// Writes to standard error, in one piece. The work goes on if nobody reads it.
pub fn to_watcher(text: Arguments<'_>) {
    let _ = io::stderr().lock().write_all(text.to_string().as_bytes());
}

/// A command as a person can paste it. A binary that is not in the search path keeps the path that the person typed.
pub fn to_paste(command: &str) -> Cow<'_, str> {
    pasted(command, std::env::args().next().as_deref())
}

fn pasted<'c>(command: &'c str, typed: Option<&str>) -> Cow<'c, str> {
    match (command.strip_prefix("gantry "), typed) {
        (Some(rest), Some(typed)) if typed.contains('/') => format!("{typed} {rest}").into(),
        _ => command.into(),
    }
}

/// At a terminal at most this many problems are shown; the others are counted.
const SHOWN_MAX: usize = 20;

/// When output has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// At a terminal, unless the environment has NO_COLOR (<https://no-color.org>).
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The choice of this process.
static COLOUR: AtomicU8 = AtomicU8::new(0);

/// Sets when output has colours, for the whole process.
pub fn set_colour(colour: Colour) {
    COLOUR.store(colour as u8, Ordering::Relaxed);
}

/// Whether standard error has colours.
pub fn has_colour() -> bool {
    let no_colour = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match COLOUR.load(Ordering::Relaxed) {
        chosen if chosen == Colour::Always as u8 => true,
        chosen if chosen == Colour::Never as u8 => false,
        _ => io::stderr().is_terminal() && !no_colour(),
    }
}

/// How much commands say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Telling {
    /// The result, and what makes a person's work easier.
    #[default]
    Usual,
    /// The result and errors.
    Quiet,
    /// The usual, and what helps to find faults.
    Verbose,
}

/// The choice of this process.
static TELLING: AtomicU8 = AtomicU8::new(0);

/// Sets how much commands say, for the whole process.
pub fn set_telling(telling: Telling) {
    TELLING.store(telling as u8, Ordering::Relaxed);
}

/// Whether only the result and errors are wanted.
pub fn is_quiet() -> bool {
    TELLING.load(Ordering::Relaxed) == Telling::Quiet as u8
}

/// Whether more is wanted, to find faults.
pub fn is_verbose() -> bool {
    TELLING.load(Ordering::Relaxed) == Telling::Verbose as u8
}

/// A number with its noun: `1 byte`, `2 bytes`.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A path as one word of a command to paste.
#[must_use]
pub fn word(path: &Path) -> String {
    let shown = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,=".contains(c);
    if !shown.is_empty() && shown.chars().all(is_plain) {
        return shown;
    }
    format!("'{}'", shown.replace('\'', "'\\''"))
}

/// Writes problems to standard error: the first of them in full for a person, or all, a line each, for programs that read the output. A
/// quiet command writes no warnings.
pub fn show(problems: &Problems) {
    let without_warnings = is_quiet().then(|| problems.without_warnings());
    let problems = without_warnings.as_ref().unwrap_or(problems);
    if problems.is_empty() {
        return;
    }
    if io::stderr().is_terminal() || has_colour() {
        eprintln!("{}\n", problems.render_first(has_colour(), SHOWN_MAX));
    } else {
        eprintln!("{}\n", problems.lines());
    }
    if let Some(table) = problems.table() {
        eprintln!("{table}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word_each() {
        for (path, shown) in
            [("my-app/x.toml", "my-app/x.toml"), ("my app", "'my app'"), ("it's", "'it'\\''s'")]
        {
            assert_eq!(word(Path::new(path)), shown);
        }
    }

    #[test]
    fn commands_to_paste_name_the_binary_as_it_was_typed() {
        let of = |typed| pasted("gantry check shop", typed);
        assert_eq!(of(Some("./target/release/gantry")), "./target/release/gantry check shop");
        assert_eq!(of(Some("gantry")), "gantry check shop");
        assert_eq!(of(None), "gantry check shop");
        assert_eq!(pasted("curl gantry", Some("./gantry")), "curl gantry");
    }
}
