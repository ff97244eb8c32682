//! `gantry backup`: copies the store of a running gateway.

use std::io::Write;
use std::process::ExitCode;

use administration::paths;
use clap::Args;
use http::Method;

use crate::asked::{Gateway, WORK_MAX, escaped};
use crate::shown::cell;
use crate::table::visible;
use crate::{Place, Trouble};

/// Which gateway, and the name of the copy.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The name of the file; default: the time.
    name: Option<String>,
    #[command(flatten)]
    place: Place,
}

/// Lets the gateway copy its store, and prints the place of the copy.
///
/// # Errors
/// The gateway was not reached, or it made no copy.
pub fn run(args: &BackupArgs) -> Result<ExitCode, Trouble> {
    let query = args.name.as_ref().map(|name| format!("?name={}", escaped(name)));
    let target = format!("{}{}", paths::BACKUP, query.unwrap_or_default());
    let answer = Gateway::at(&args.place, WORK_MAX)?.ask(Method::POST, target, None)?;
    let line = format!("the store is copied to {}\n", visible(&cell(&answer.value["path"])));
    let _ = std::io::stdout().write_all(line.as_bytes()).and_then(|()| std::io::stdout().flush());
    Ok(ExitCode::SUCCESS)
}
