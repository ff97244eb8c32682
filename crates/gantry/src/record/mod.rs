//! `gantry record`: what a copybook and a data file hold, without a gateway.

mod check;
mod convert;
mod explain;
mod files;
mod from_schema;
mod layout;
mod view;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use copybook::Layout;

use check::CheckArgs;
use convert::{DecodeArgs, EncodeArgs};
use explain::ExplainArgs;
use view::{View, ViewArgs};

use crate::config::{Files, Problems};
use crate::copybooks::{FormatWord, Library, SOURCE_CCSID, source_page};

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordCommand {
    /// Show offset, length and type of every field.
    Layout {
        #[command(flatten)]
        copybook: CopybookArgs,
        /// As JSON, one object a field.
        #[arg(long)]
        json: bool,
    },
    /// Show the JSON Schema of the record, or its XML Schema.
    Schema {
        #[command(flatten)]
        view: ViewArgs,
        /// An XML Schema (XSD) instead.
        #[arg(long)]
        xsd: bool,
        /// That of answers, in which values may be null and arrays missing, instead of that of requests.
        #[arg(long)]
        response: bool,
    },
    /// Turn a file of records into JSON lines, a JSON array, CSV or Parquet.
    Decode {
        #[command(flatten)]
        view: ViewArgs,
        #[command(flatten)]
        data: Box<DecodeArgs>,
    },
    /// Turn JSON, CSV or Parquet into a file of records.
    Encode {
        #[command(flatten)]
        view: ViewArgs,
        #[command(flatten)]
        data: Box<EncodeArgs>,
    },
    /// Make the copybook of a JSON Schema or of a schema in an OpenAPI document.
    Copybook {
        #[command(flatten)]
        schema: Box<from_schema::SchemaArgs>,
    },
    /// Say what is wrong with a copybook, or with every record of a file, by field.
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

/// Which copybook.
#[derive(Debug, Args)]
pub(crate) struct CopybookArgs {
    /// The file with the copybook.
    copybook: PathBuf,
    /// The 01 level, if there are several.
    #[arg(long)]
    record: Option<String>,
    /// The columns of the text.
    #[arg(long, value_enum, default_value_t)]
    format: FormatWord,
    /// The code page of texts that are not UTF-8.
    #[arg(long, value_name = "CCSID", default_value_t = SOURCE_CCSID)]
    source_ccsid: u16,
}

/// Runs a subcommand; the error is for standard error.
pub(crate) fn run(command: RecordCommand) -> Result<ExitCode, String> {
    let done = match command {
        RecordCommand::Layout { copybook, json } => {
            let layout = load(&copybook)?;
            print(&if json { layout::json(&layout) } else { layout::table(&layout) })
        }
        RecordCommand::Schema { view, xsd, response } => {
            let bind = View::new(&view)?.bind;
            if xsd {
                let text = if response { bind.response_xsd() } else { bind.request_xsd() };
                return print(&format!("{}{text}\n", ::record::XML_DECLARATION)).map(|()| ExitCode::SUCCESS);
            }
            let schema = if response { bind.response_schema() } else { bind.request_schema() };
            let text = serde_json::to_string_pretty(&schema).map_err(|error| error.to_string())?;
            print(&(text + "\n"))
        }
        RecordCommand::Copybook { schema } => from_schema::run(&schema),
        RecordCommand::Decode { view, data } => return convert::decode(&view, &data),
        RecordCommand::Encode { view, data } => return convert::encode(&view, &data),
        RecordCommand::Check { view, data } => check::check(&view, &data),
        RecordCommand::Explain { view, data } => explain::explain(&view, &data),
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

fn load(args: &CopybookArgs) -> Result<Layout, String> {
    let (format, record) = (args.format.into(), args.record.clone());
    let options = copybook::Options { format, record, ..copybook::Options::default() };
    let name = args.copybook.file_name().unwrap_or_default().to_string_lossy();
    let folder = args.copybook.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = Files::Folder(folder.unwrap_or(Path::new(".")).to_owned());
    let mut problems = Problems::default();
    let place = Library { files: &files, folder: "", page: source_page(args.source_ccsid)? };
    let layouts = crate::copybooks::read(place, &name, &options, &mut problems)
        .map_err(|error| format!("{}: {error}", args.copybook.display()))?;
    crate::cli::show(&problems);
    match layouts {
        Some(layouts) => one(layouts),
        None => Err(format!("{} in the copybook", crate::cli::count(problems.error_count(), "error"))),
    }
}

fn one(mut layouts: Vec<Layout>) -> Result<Layout, String> {
    if layouts.len() > 1 {
        let names: Vec<&str> = layouts.iter().map(Layout::name).collect();
        return Err(format!(
            "the copybook has several records; say which: --record one of {}",
            names.join(", ")
        ));
    }
    layouts.pop().ok_or_else(|| "the copybook has no record".to_owned())
}
