//! `--watch`: shows an answer again and again.

use std::io::{IsTerminal, Write};
use std::thread;
use std::time::Duration;

use clap::Args;

/// Whether it is shown again.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Show it again every so many seconds, until Ctrl-C.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    watch: Option<u64>,
}

/// An answer to show.
#[derive(Clone, Copy)]
pub(crate) struct Look<'t> {
    pub(crate) text: &'t str,
    /// True if the request changes nothing, so it may be repeated.
    pub(crate) may_repeat: bool,
    /// True if the answer is for a program.
    pub(crate) is_json: bool,
}

impl Watch {
    /// Prints it, and waits. False if it must not be shown again: it is not wanted, or nobody reads
    /// it.
    pub(crate) fn show(&self, look: Look<'_>) -> bool {
        let mut stdout = std::io::stdout();
        let repeats = self.watch.filter(|_| look.may_repeat);
        // Clear a terminal, so that the table stays in its place.
        let clear = match repeats.is_some() && !look.is_json && stdout.is_terminal() {
            true => "\x1b[2J\x1b[H",
            false => "",
        };
        let written =
            stdout.write_all(format!("{clear}{}", look.text).as_bytes()).and_then(|()| stdout.flush());
        match repeats {
            Some(seconds) if written.is_ok() => {
                thread::sleep(Duration::from_secs(seconds));
                true
            }
            _ => false,
        }
    }
}
