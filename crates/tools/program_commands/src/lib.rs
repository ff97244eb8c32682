//! `gantry program`: what can be done with COBOL programs, without a gateway.
//!
//! The data path: `settings` finds the members that a program copies, and `program::translate` turns its EXEC CICS commands
//! into calls. `mapset` makes the copybooks of maps. The result goes to a file or to standard output, and findings go to a
//! person.
//!
//! - A **precompiler** is a program of the user that turns EXEC SQL blocks into COBOL.

use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::{Args, Subcommand};
use program::translate::{Settings, SqlBlock, SqlPrecompiler, TerminalCommands, translate};
use settings::copybooks::{FormatWord, Library, SOURCE_CCSID, find_file, source_page};
use settings::{Files, MapIndex, Problems, source_text};

use terminal::show;

/// A command for programs.
#[derive(Debug, Subcommand)]
pub enum ProgramCommand {
    /// Translate EXEC CICS commands into calls, for GnuCOBOL 3.
    Translate(TranslateArgs),
    /// Write the symbolic map of a BMS source, the copybook of its maps.
    Map(MapArgs),
}

/// The arguments of `gantry program translate`.
#[derive(Debug, Args)]
pub struct TranslateArgs {
    /// The program.
    file: PathBuf,
    /// The output file; default standard output. Its name should end in .i, so that cobc treats it as preprocessed.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// A folder of copybooks; may be repeated. Default: the program's own folder. COPY reads no other folder.
    #[arg(short = 'I', long = "copybooks", value_name = "FOLDER")]
    copybooks: Vec<PathBuf>,
    /// The reference format of the program and its copybooks.
    #[arg(long, value_enum, default_value_t)]
    format: FormatWord,
    /// The code page of sources that are not UTF-8.
    #[arg(long, value_name = "CCSID", default_value_t = SOURCE_CCSID)]
    source_ccsid: u16,
    /// A precompiler for EXEC SQL. It runs once per block with the argument `data` or `code`, reads the block from
    /// standard input, and writes COBOL.
    #[arg(long, value_name = "PROGRAM")]
    sql_precompiler: Option<PathBuf>,
    /// Also translate commands that need a terminal; they raise INVREQ at run time.
    #[arg(long)]
    allow_terminal_commands: bool,
}

/// The arguments of `gantry program map`.
#[derive(Debug, Args)]
pub struct MapArgs {
    /// The source with DFHMSD, DFHMDI and DFHMDF.
    file: PathBuf,
    /// The output file; default standard output.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// The code page of sources that are not UTF-8.
    #[arg(long, value_name = "CCSID", default_value_t = SOURCE_CCSID)]
    source_ccsid: u16,
}

/// Runs a command.
///
/// # Errors
/// A file cannot be read or written.
pub fn run(command: ProgramCommand) -> Result<ExitCode, String> {
    match command {
        ProgramCommand::Translate(args) => run_translate(&args),
        ProgramCommand::Map(args) => run_map(&args),
    }
}

fn run_map(args: &MapArgs) -> Result<ExitCode, String> {
    let shown = args.file.display().to_string();
    let page = source_page(args.source_ccsid)?;
    let bytes = std::fs::read(&args.file).map_err(|error| format!("{shown}: {error}"))?;
    let text = source_text(bytes, page);
    match mapset::read(&text, &mapset::Limits::default()) {
        Ok(mapsets) => {
            write(args.output.as_deref(), &mapset::symbolic_map(&mapsets))?;
            Ok(ExitCode::SUCCESS)
        }
        Err(fault) => {
            let mut problems = Problems::default();
            problems.text(&shown, &text);
            problems.add_line(&shown, fault.line, fault.message);
            show(&problems);
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Writes a text to a file, or to standard output.
fn write(output: Option<&Path>, text: &str) -> Result<(), String> {
    match output {
        Some(path) => settings::replace(path, text.as_bytes(), settings::Readers::Usual)
            .map_err(|error| format!("{}: {error}", path.display())),
        None => std::io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string()),
    }
}

fn run_translate(args: &TranslateArgs) -> Result<ExitCode, String> {
    let shown = args.file.display().to_string();
    let page = source_page(args.source_ccsid)?;
    let bytes = std::fs::read(&args.file).map_err(|error| format!("{shown}: {error}"))?;
    let text = source_text(bytes, page);
    let mut problems = Problems::default();
    problems.text(&shown, &text);
    let folders = match args.copybooks.as_slice() {
        [] => vec![parent(&args.file)],
        folders => folders.to_vec(),
    };
    let folders: Vec<Files> = folders.into_iter().map(Files::at).collect();
    let libraries: Vec<Library<'_>> =
        folders.iter().map(|files| Library { files, folder: "", page }).collect();
    let (members, maps) = (RefCell::new(Vec::new()), MapIndex::default());
    let library = |member: &str, library: Option<&str>| {
        let found = find_file(&libraries, &maps, member, library)?.member;
        members.borrow_mut().push((found.name.clone(), found.text.clone()));
        Ok(found)
    };
    let format = args.format.into();
    let terminal = match args.allow_terminal_commands {
        true => TerminalCommands::FailAtRunTime,
        false => TerminalCommands::Refuse,
    };
    let precompiler = args.sql_precompiler.as_ref().map(|program| Precompiler(program.display().to_string()));
    let sql = precompiler.as_ref().map(|precompiler| precompiler as &dyn SqlPrecompiler);
    let settings = Settings { format, sql, terminal, name: None, callable: None };
    let translated = translate(&shown, &text, &settings, &library);
    let (translated, findings) = match translated {
        Ok(translation) => (Some(translation.text), translation.warnings),
        Err(findings) => (None, findings),
    };
    for (name, text) in members.take() {
        problems.text(&name, &text);
    }
    for finding in findings {
        let file = finding.file.clone();
        problems.copybook(&file, finding);
    }
    show(&problems);
    let Some(translated) = translated else {
        return Ok(ExitCode::FAILURE);
    };
    write(args.output.as_deref(), &translated)?;
    Ok(ExitCode::SUCCESS)
}

/// A program that turns EXEC SQL blocks into COBOL.
struct Precompiler(String);

impl SqlPrecompiler for Precompiler {
    fn name(&self) -> &str {
        &self.0
    }

    fn translate(&self, block: &SqlBlock<'_>) -> Result<String, String> {
        let failed = |error: std::io::Error| format!("it cannot be run: {error}");
        let mut child = Command::new(&self.0)
            .arg(if block.code { "code" } else { "data" })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let input = child.stdin.take();
        let text = block.text.to_owned();
        // A precompiler may answer before it has read all, or read nothing.
        let writing = std::thread::spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
        let output = child.wait_with_output().map_err(failed)?;
        drop(writing.join());
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{} ({})", said.trim(), output.status));
        }
        String::from_utf8(output.stdout).map_err(|_| "its answer is not UTF-8".to_owned())
    }
}

fn parent(file: &Path) -> PathBuf {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
