//! `gantry import mqsc`: turns scripts of MQSC into the queue manager of `gantry.toml`. Text of the user stays.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use definitions::{Limits, Source, Target};

use super::sections::{Begun, Own, ToArgs, before, check_read, tell_faults, texts};

/// The scripts that are read, and where the sections go.
#[derive(Debug, Args)]
pub(super) struct MqscArgs {
    /// Scripts of MQSC, as runmqsc takes them and dmpmqcfg writes them, or folders with scripts.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    from: Vec<PathBuf>,
    #[command(flatten)]
    to: ToArgs,
    /// The name of the queue manager; default: what dmpmqcfg wrote, what gantry.toml has, or QM1.
    #[arg(long, value_parser = manager_name)]
    name: Option<String>,
}

fn manager_name(text: &str) -> Result<String, String> {
    match definitions::is_mq_name(text) {
        true => Ok(text.to_owned()),
        false => Err("expected 1 to 48 letters, digits and ./_%".to_owned()),
    }
}

/// Reads scripts, and writes the new sections.
///
/// # Errors
/// Nothing was written, with the reason.
pub(super) fn run(args: &MqscArgs) -> Result<(), String> {
    let texts = texts(&args.from)?;
    let sources: Vec<Source<'_>> = texts.iter().map(|(name, text)| Source { name, text }).collect();
    let before = before(&args.to.into)?.unwrap_or_default();
    let target = Target { before: &before, name: args.name.as_deref() };
    let import = definitions::read_mqsc(&sources, &target, &Limits::default()).map_err(tell_faults)?;
    check_read(&args.from, &texts, &import, "commands of MQSC")?;
    let begun = Begun { args: &args.to, import: &import, data: BTreeMap::new(), own: Own::QueueManager };
    begun.end(&args.from, "gantry import mqsc")
}
