//! `gantry health`: checks whether a gateway takes requests. It is for containers and scripts
//! without another HTTP client.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use http::Method;

use crate::asked::{Gateway, HEALTH_MAX};
use crate::{Place, Trouble};

const READY: &str = "/health/ready";
const LIVE: &str = "/health/live";

/// Which gateway, and what about it.
#[derive(Debug, Args)]
pub struct HealthArgs {
    /// Ask only whether the process answers, not whether it takes requests.
    #[arg(long)]
    live: bool,
    #[command(flatten)]
    place: Place,
}

/// Prints the gateway's answer: `ready`, or `up`.
///
/// # Errors
/// The gateway was not reached. Or it takes no requests, because it stops or its store has stopped.
pub fn run(args: &HealthArgs) -> Result<ExitCode, Trouble> {
    let path = if args.live { LIVE } else { READY };
    let word = Gateway::at(&args.place, HEALTH_MAX)?.word(Method::GET, path.to_owned())?;
    let _ = std::io::stdout().write_all(word.as_bytes()).and_then(|()| std::io::stdout().flush());
    Ok(ExitCode::SUCCESS)
}
