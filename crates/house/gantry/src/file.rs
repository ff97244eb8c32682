//! `gantry file`: loads records into the files of a region and unloads them. No gateway may have
//! the region's store open.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use codepage::readable::{hex, plain};
use region::Access;
use region_config::{HINT_BYTES, page_hint};
use settings::{Readers, Replacement};

use crate::trial::store_in;
use configuration::{FormatOfRecords, file_of};

/// An act on a file.
#[derive(Debug, Subcommand)]
pub(crate) enum FileCommand {
    /// Add the records of a flat file.
    Load(FlatArgs),
    /// Write all records to a flat file.
    Unload(FlatArgs),
    /// List the keys of all records, and the text of each record.
    List {
        #[command(flatten)]
        file: WhichArgs,
    },
}

/// Which file.
#[derive(Debug, Args)]
pub(crate) struct WhichArgs {
    /// The name of the file in [[region.file]].
    name: String,
    /// The configuration folder; it has a gantry.toml.
    #[arg(long = "in", alias = "config", value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// Use the store in this folder, as `gantry call --store` does, instead of the gateway's.
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
}

/// A file and a flat one.
#[derive(Debug, Args)]
pub(crate) struct FlatArgs {
    #[command(flatten)]
    file: WhichArgs,
    /// The flat file.
    path: PathBuf,
    /// The record format of the flat file.
    #[arg(long, alias = "format", value_name = "FORMAT", default_value = "fixed")]
    recfm: FormatOfRecords,
}

/// The most shown bytes of a record.
const SHOWN_MAX_BYTES: usize = 60;

/// Runs a command on a file.
///
/// # Errors
/// The command failed. The text gives the reason.
pub(crate) fn run(command: &FileCommand) -> Result<(), String> {
    match command {
        FileCommand::Load(args) => {
            let from = File::open(&args.path).map_err(|error| at(&args.path, &error))?;
            let mut from = BufReader::with_capacity(HINT_BYTES, from);
            let shown = args.path.display().to_string();
            let hint = from.fill_buf().ok().and_then(|first| page_hint(&shown, first));
            let count = open(&args.file)?.load(from, args.recfm.format());
            if let Some(hint) = hint.filter(|_| !terminal::is_quiet()) {
                eprintln!("gantry: warning: {hint}");
            }
            let count = count.map_err(|message| format!("{shown}: {message}"))?;
            let added = if count == 1 { "record was" } else { "records were" };
            aside!("{count} {added} added to {}", args.file.name.to_uppercase());
        }
        FileCommand::Unload(args) => {
            let access = open(&args.file)?;
            let failed = |error: io::Error| at(&args.path, &error);
            let new = Replacement::begin(&args.path, Readers::Usual).map_err(failed)?;
            let mut to = BufWriter::new(new);
            let count = access.unload(&mut to, args.recfm.format())?;
            let new = to.into_inner().map_err(io::IntoInnerError::into_error).map_err(failed)?;
            new.finish().map_err(failed)?;
            aside!("{count} records are in {}", args.path.display());
        }
        FileCommand::List { file } => {
            let mut to = io::stdout().lock();
            open(file)?.each(|key, record| {
                let shown = &record[..record.len().min(SHOWN_MAX_BYTES)];
                writeln!(to, "{}  {:>5} bytes  {}", text(key), record.len(), text(shown))
            })?;
        }
    }
    Ok(())
}

fn open(file: &WhichArgs) -> Result<Access, String> {
    let found = file_of(&file.folder, &file.name)?;
    let store = match &file.store {
        Some(folder) => store_in(folder, &found.store)?,
        None => found.store,
    };
    Access::open(&store, &found.definition, &found.paths)
}

fn at(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Text unchanged, or other bytes in hexadecimal.
fn text(bytes: &[u8]) -> String {
    plain(bytes).map_or_else(|| hex(bytes), str::to_owned)
}
