//! `gantry record`: what copybooks and files of records hold, without a gateway.
//!
//! The data path: `copybook` reads the copybook to layouts, with `settings` for members and problems. `view` makes the bind
//! and the names by the arguments. `files` opens the data, finds its record format and cuts out a portion. `convert`, `check`
//! and `explain` give records to the crate `dataset`, which does the work, and write what it returns. `layout` and `from_schema`
//! need no data: they show the fields of a copybook, and make a copybook of a schema.
//!
//! - A **view** is a layout with the choices that a caller of a service would have: names, code page, options.
//! - A **portion** is the part of a file that is read: from which record, and how many.

#[macro_use]
extern crate terminal;

mod check;
mod convert;
mod copybook;
mod explain;
mod files;
mod from_schema;
mod layout;
mod view;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use check::CheckArgs;
use convert::{DecodeArgs, EncodeArgs};
use copybook::{CopybookArgs, load, load_all};
use explain::ExplainArgs;
use view::{View, ViewArgs};

/// One copybook with the usual view of its record, for other commands that show records.
#[derive(Debug)]
pub struct RecordView(View);

impl RecordView {
    /// The record of a copybook, with text in a code page.
    ///
    /// # Errors
    /// The copybook cannot be read, or has several records.
    pub fn new(copybook: &Path, ccsid: u16) -> Result<Self, String> {
        /// The view alone.
        #[derive(clap::Parser)]
        struct Only {
            #[command(flatten)]
            view: ViewArgs,
        }
        let words = [OsStr::new("view"), OsStr::new("--lenient")];
        let ccsid = format!("--ccsid={ccsid}");
        let words = words.into_iter().chain([OsStr::new(&ccsid), OsStr::new("--"), copybook.as_os_str()]);
        let only = <Only as clap::Parser>::try_parse_from(words).map_err(|error| error.to_string())?;
        View::new(&only.view).map(Self)
    }

    /// A record as JSON, on several lines.
    ///
    /// # Errors
    /// The record does not have the layout.
    pub fn json(&self, record: &[u8]) -> Result<String, String> {
        let mut json = Vec::new();
        self.0.bind.decode(record, &mut json).map_err(|error| error.to_string())?;
        let value: serde_json::Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        serde_json::to_string_pretty(&value).map_err(|error| error.to_string())
    }
}

/// Read and convert copybooks and data files.
#[derive(Debug, Args)]
pub struct RecordArgs {
    #[command(subcommand)]
    command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
enum Command {
    /// Show offset, length and type of every field of all records.
    Layout {
        #[command(flatten)]
        copybook: CopybookArgs,
        /// Print JSON, one object per field.
        #[arg(long)]
        json: bool,
    },
    /// Show the JSON Schema of the record, or its XML Schema.
    Schema {
        #[command(flatten)]
        view: ViewArgs,
        /// Print an XML Schema (XSD) instead.
        #[arg(long)]
        xsd: bool,
        /// Print the schema of responses, in which values may be null and arrays missing. Default: the schema of
        /// requests.
        #[arg(long)]
        response: bool,
    },
    /// Convert a file of records to JSON lines, a JSON array, CSV or XML (or Parquet, in a build with that feature).
    Decode {
        #[command(flatten)]
        view: ViewArgs,
        #[command(flatten)]
        data: Box<DecodeArgs>,
    },
    /// Convert JSON, CSV or XML (or Parquet, in a build with that feature) to a file of records.
    Encode {
        #[command(flatten)]
        view: ViewArgs,
        #[command(flatten)]
        data: Box<EncodeArgs>,
    },
    /// Make a copybook from a JSON Schema, or from a schema in an OpenAPI document.
    Copybook {
        #[command(flatten)]
        schema: Box<from_schema::SchemaArgs>,
    },
    /// Check a copybook, or every record of a file, and list the faults by field.
    Check {
        #[command(flatten)]
        view: ViewArgs,
        #[command(flatten)]
        data: CheckArgs,
    },
    /// Show one record: a dump beside the names, types and values of its fields.
    Explain {
        #[command(flatten)]
        view: ViewArgs,
        #[command(flatten)]
        data: ExplainArgs,
    },
}

/// Runs the subcommand that the arguments name.
///
/// # Errors
/// The message for standard error.
pub fn run(args: RecordArgs) -> Result<ExitCode, String> {
    let done = match args.command {
        Command::Layout { copybook, json } => {
            let layouts = load_all(&copybook)?;
            print(&if json { layout::json(&layouts) } else { layout::tables(&layouts) })
        }
        Command::Schema { view, xsd, response } => {
            let bind = View::new(&view)?.bind;
            if xsd {
                let text = if response { bind.response_xsd() } else { bind.request_xsd() };
                return print(&format!("{}{text}\n", record::XML_DECLARATION)).map(|()| ExitCode::SUCCESS);
            }
            let schema = if response { bind.response_schema() } else { bind.request_schema() };
            let text = serde_json::to_string_pretty(&schema).map_err(|error| error.to_string())?;
            print(&(text + "\n"))
        }
        Command::Copybook { schema } => from_schema::run(&schema),
        Command::Decode { view, data } => return convert::decode(&view, &data),
        Command::Encode { view, data } => return convert::encode(&view, &data),
        Command::Check { view, data } => check::check(&view, &data),
        Command::Explain { view, data } => explain::explain(&view, &data),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// Writes to standard output; whoever reads it may have seen enough.
fn print(text: &str) -> Result<(), String> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|error| error.to_string()),
    }
}
