//! `gantry store`: works on a store that no gateway has open.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::Trouble;
use crate::table::visible;

/// The exit code if something is lost.
const LOST: u8 = 3;

/// A command for a store that no gateway has open.
#[derive(Debug, Args)]
pub struct StoreArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Copy what can be read of a damaged store into a new one, and list what is lost. The damaged store stays as it is.
    Salvage {
        /// The damaged store. Its `.log1` and `.log2` stand beside it.
        from: PathBuf,
        /// The file of the new store.
        to: PathBuf,
    },
}

/// Salvages a store. Prints the saved and the lost parts. The exit code is 3 if something is lost.
///
/// # Errors
/// There is no store, another process has it open, no part of it is readable, or the new store
/// cannot be written.
pub fn run(args: &StoreArgs) -> Result<ExitCode, Trouble> {
    let Command::Salvage { from, to } = &args.command;
    let done = store::salvage(from, to).map_err(|error| Trouble::refused(error.to_string()))?;
    let mut text = format!(
        "{} records of files and {} items of queues are in {}\n",
        done.records,
        done.items,
        visible(&to.display().to_string())
    );
    for loss in &done.losses {
        text.push_str(&format!("lost: {}\n", visible(&loss.to_string())));
    }
    let _ = std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().flush());
    Ok(if done.losses.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(LOST) })
}
