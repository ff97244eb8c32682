//! `gantry record`: what a copybook and a data file hold, without a gateway.

mod files;
mod from_schema;
mod layout;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use ::record::{Bind, DataTruncation, Filler, Naming, Options, UnknownFields};
use clap::{Args, Subcommand, ValueEnum};
use codepage::CodePage;
use copybook::Layout;

use files::{Framing, Reader, Writer};

use crate::config::{Files, Problems};

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
    /// Show the JSON Schema of the record.
    Schema {
        #[command(flatten)]
        view: ViewArgs,
    },
    /// Turn a file of records into JSON, one line a record.
    Decode {
        #[command(flatten)]
        view: ViewArgs,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Turn JSON, one line a record, into a file of records.
    Encode {
        #[command(flatten)]
        view: ViewArgs,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Make the copybook of a JSON Schema or of a schema in an OpenAPI document.
    Copybook {
        #[command(flatten)]
        schema: Box<from_schema::SchemaArgs>,
    },
    /// Say what is wrong with a copybook, or with every record of a file.
    Check {
        #[command(flatten)]
        view: ViewArgs,
        #[command(flatten)]
        data: OptionalDataArgs,
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
}

/// A copybook and how JSON sees it.
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    copybook: CopybookArgs,
    /// The code page of the text.
    #[arg(long, default_value_t = 37)]
    ccsid: u16,
    /// How COBOL names become JSON names.
    #[arg(long, value_enum, default_value_t)]
    naming: NamingWord,
    /// The object around the fields; none if it is left out.
    #[arg(long)]
    wrapper: Option<String>,
    /// Show fields without a name too.
    #[arg(long)]
    filler: bool,
    /// Pass over JSON fields that the copybook does not have.
    #[arg(long)]
    ignore_unknown: bool,
    /// Accept records that end early.
    #[arg(long)]
    accept_truncation: bool,
}

/// Which data.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// The file to read; standard input if it is left out or `-`.
    input: Option<PathBuf>,
    /// The file to write; standard output if it is left out.
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// How records are told apart.
    #[arg(long, value_enum, default_value_t)]
    framing: Framing,
}

/// Which data, if any.
#[derive(Debug, Args)]
pub(crate) struct OptionalDataArgs {
    /// The file with records.
    input: Option<PathBuf>,
    /// How records are told apart.
    #[arg(long, value_enum, default_value_t)]
    framing: Framing,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum FormatWord {
    #[default]
    Auto,
    Fixed,
    Free,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum NamingWord {
    #[default]
    Ls2js,
    Toolkit,
    Cobol,
}

/// Faulty records that `check` shows before it only counts them.
const SHOWN_MAX: u64 = 20;

/// Runs a subcommand; the error is for standard error.
pub(crate) fn run(command: RecordCommand) -> Result<(), String> {
    match command {
        RecordCommand::Layout { copybook, json } => {
            let layout = load(&copybook)?;
            print(&if json { layout::json(&layout) } else { layout::table(&layout) })
        }
        RecordCommand::Schema { view } => {
            let schema = bind(&view)?.1.request_schema();
            let text = serde_json::to_string_pretty(&schema).map_err(|error| error.to_string())?;
            print(&(text + "\n"))
        }
        RecordCommand::Copybook { schema } => from_schema::run(&schema),
        RecordCommand::Decode { view, data } => decode(&view, &data),
        RecordCommand::Encode { view, data } => encode(&view, &data),
        RecordCommand::Check { view, data } => check(&view, &data),
    }
}

fn print(text: &str) -> Result<(), String> {
    io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string())
}

fn load(args: &CopybookArgs) -> Result<Layout, String> {
    let format = match args.format {
        FormatWord::Auto => copybook::Format::Auto,
        FormatWord::Fixed => copybook::Format::Fixed,
        FormatWord::Free => copybook::Format::Free,
    };
    let options = copybook::Options { format, record: args.record.clone(), ..copybook::Options::default() };
    let name = args.copybook.file_name().unwrap_or_default().to_string_lossy();
    let folder = args.copybook.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = Files::Folder(folder.unwrap_or(Path::new(".")).to_owned());
    let mut problems = Problems::default();
    let layouts = crate::copybooks::read(&files, "", &name, &options, &mut problems)
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

fn bind(args: &ViewArgs) -> Result<(Layout, Bind), String> {
    let layout = load(&args.copybook)?;
    let page = CodePage::by_ccsid(args.ccsid).ok_or_else(|| format!("CCSID {} is not known", args.ccsid))?;
    let options = Options {
        naming: match args.naming {
            NamingWord::Ls2js => Naming::Ls2js,
            NamingWord::Toolkit => Naming::Toolkit,
            NamingWord::Cobol => Naming::Cobol,
        },
        wrapper: args.wrapper.clone().filter(|name| !name.is_empty()),
        filler: if args.filler { Filler::Expose } else { Filler::Hide },
        unknown_fields: if args.ignore_unknown { UnknownFields::Ignore } else { UnknownFields::Refuse },
        data_truncation: if args.accept_truncation { DataTruncation::Accept } else { DataTruncation::Refuse },
        ..Options::new(page)
    };
    let bind = Bind::compile(&layout, &options).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(|error| format!("line {}: {error}", error.line)).collect();
        lines.join("\n")
    })?;
    Ok((layout, bind))
}

fn decode(view: &ViewArgs, data: &DataArgs) -> Result<(), String> {
    let (_, bind) = bind(view)?;
    let mut reader = Reader::open(data.input.as_deref(), data.framing, &bind)?;
    let mut out = output(data)?;
    let mut json = Vec::new();
    let mut number = 0u64;
    while let Some(record) = reader.next()? {
        number += 1;
        json.clear();
        bind.decode(record, &mut json).map_err(|error| format!("record {number}: {error}"))?;
        json.push(b'\n');
        out.write_all(&json).map_err(|error| error.to_string())?;
    }
    out.flush().map_err(|error| error.to_string())
}

fn encode(view: &ViewArgs, data: &DataArgs) -> Result<(), String> {
    let (_, bind) = bind(view)?;
    let mut lines = Reader::lines(data.input.as_deref())?;
    let mut writer = Writer::new(output(data)?, data.framing);
    let mut record = Vec::new();
    let mut number = 0u64;
    while let Some(line) = lines.next()? {
        number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        bind.encode(line, &mut record).map_err(|error| format!("line {number}: {error}"))?;
        writer.write(&record)?;
    }
    writer.finish()
}

fn output(data: &DataArgs) -> Result<Box<dyn Write>, String> {
    Ok(match &data.output {
        Some(path) => {
            let file = std::fs::File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(io::stdout().lock())),
    })
}

/// Decodes every record and shows the first faults.
fn check(view: &ViewArgs, data: &OptionalDataArgs) -> Result<(), String> {
    let (layout, bind) = bind(view)?;
    let Some(input) = &data.input else {
        return print(&format!(
            "fine: {} of {}\n",
            layout.name(),
            crate::cli::count(layout.max_bytes(), "byte")
        ));
    };
    let mut reader = Reader::open(Some(input), data.framing, &bind)?;
    let mut json = Vec::new();
    let (mut number, mut faulty) = (0u64, 0u64);
    while let Some(record) = reader.next()? {
        number += 1;
        json.clear();
        if let Err(error) = bind.decode(record, &mut json) {
            faulty += 1;
            if faulty <= SHOWN_MAX {
                eprintln!("record {number}: {error}");
            }
        }
    }
    match faulty {
        0 => print(&format!("fine: {number} records\n")),
        _ => Err(format!("{faulty} of {number} records do not fit the copybook")),
    }
}
