//! `gantry new`: makes the first files of a configuration folder from a copybook or a program.
//!
//! The data path:
//!
//! 1. `sources` reads the copybook, and the program if there is one, with the members that they copy.
//! 2. Without a copybook, `of_program` takes what the program takes and gives: its records by `entries`, and its channel by
//!    `containers`. `ways` has it, one way for requests and one for answers.
//! 3. `sample` makes a request that fits a record, and `soap_request` makes a message of it.
//! 4. `views` names the views of REDEFINES that JSON hides. `used` tells which files and programs the program needs.
//! 5. `texts` writes the service, the API and `gantry.toml`. `backs` writes what stands behind the service.
//!
//! `openapi` makes an API of a document instead, with values of `example`. `wsdl` makes services of the operations of a WSDL. `service`
//! makes only the service of a program. The result is a set of files in memory. The binary checks them as it checks a folder, and only
//! then writes them.
//!
//! - A **back** answers for a service: a simulated provider, a program, a queue, a group of TCP
//!   servers, or a server over HTTP.
//! - The **key** is the field whose value is the last part of the API's path.
//!
//! Deliberately absent: loading a configuration, which the binary does.

mod backs;
mod bundle;
mod commands;
mod containers;
mod entries;
mod example;
mod indent;
mod messages;
mod moved;
mod of_program;
mod openapi;
mod sample;
mod service;
mod soap_request;
mod sources;
mod texts;
mod used;
mod views;
mod ways;
mod wsdl;

use std::collections::BTreeMap;
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use codepage::{CodePage, Encoding, Family};
use copybook::{FieldId, Layout};
use record::{Bind, CompileError, Options};
use settings::copybooks::replacing_phrase;

use backs::Back;
pub use service::{NewService, ServiceArgs, service};
use sources::{Found, SourceFile, Wanted};
use used::Used;
use ways::{Way, Ways};

/// The new folder, and its sources.
#[derive(Debug, Default, Args)]
pub struct NewArgs {
    /// The name of the folder, the service and the API: a letter, then letters, digits, - and _.
    name: String,
    /// The copybook of the request. Default: the record of the program's LINKAGE SECTION, or of its containers.
    #[arg(long, value_name = "FILE")]
    copybook: Option<PathBuf>,
    /// An OpenAPI document, YAML or JSON. The API answers with examples of it until calls of services stand in their place.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["copybook", "record", "response", "response_record", "key", "ccsid", "soap", "back", "copybooks", "wsdl"]
    )]
    openapi: Option<PathBuf>,
    /// A WSDL document. The API calls its server; with --soap or --program, it is served here.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["copybook", "record", "response", "response_record", "key", "ccsid", "queue", "group"]
    )]
    wsdl: Option<PathBuf>,
    /// A folder above the WSDL, which has all files that it imports. Default: the folder of the WSDL.
    #[arg(long, value_name = "FOLDER", requires = "wsdl")]
    wsdl_root: Option<PathBuf>,
    /// The binding of the WSDL, if it has several.
    #[arg(long, value_name = "NAME", requires = "wsdl")]
    binding: Option<String>,
    /// The operations of the WSDL that become services, separated by commas. Default: all.
    #[arg(long, value_name = "A,B", requires = "wsdl", value_delimiter = ',')]
    operations: Vec<String>,
    /// Replace text in the copybooks as COPY REPLACING does: ':TAG:=CUST', or a COBOL phrase such as '==:TAG:== BY
    /// ==CUST=='; may be repeated.
    #[arg(long, value_name = "OLD=NEW", requires = "copybook")]
    replacing: Vec<String>,
    /// The 01 level of the request, if the copybook has several.
    #[arg(long)]
    record: Option<String>,
    /// The copybook of the response. Default: that of the request.
    #[arg(long, value_name = "FILE")]
    response: Option<PathBuf>,
    /// The 01 level of the response, if its copybook has several.
    #[arg(long, value_name = "RECORD")]
    response_record: Option<String>,
    /// The field that is the key. It becomes part of the path; a small request becomes a GET.
    #[arg(long, value_name = "FIELD")]
    key: Option<String>,
    /// The code page of the records' text. Default: 819 with a program, else 37.
    #[arg(long)]
    ccsid: Option<u16>,
    /// The folder to make. Default: the name.
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
    /// Also make a SOAP web service. With --wsdl: answer here with examples, in place of the server.
    #[arg(long)]
    soap: bool,
    #[command(flatten)]
    back: BackArgs,
}

/// The back end; without any, a simulated provider answers.
#[derive(Debug, Default, Args)]
struct BackArgs {
    /// The source of the COBOL program that answers.
    #[arg(long, value_name = "FILE", group = "back")]
    program: Option<PathBuf>,
    /// A folder with the members that the program or the copybook copies; may be repeated.
    #[arg(long, value_name = "FOLDER")]
    copybooks: Vec<PathBuf>,
    /// The queue that requests are put on. Replies come from the queue of this name with .REPLY.
    #[arg(long, value_name = "QUEUE", group = "back")]
    queue: Option<String>,
    /// The endpoint group that answers: 1 to 8 letters and digits.
    #[arg(long, value_name = "GROUP", group = "back", requires = "server")]
    group: Option<String>,
    /// A server of the group, as HOST:PORT; may be repeated.
    #[arg(long, value_name = "HOST:PORT", requires = "group")]
    server: Vec<String>,
    /// The URL of an HTTP server that takes the JSON by POST and answers with JSON; with --wsdl, of the SOAP server.
    #[arg(long, value_name = "URL", group = "back")]
    http: Option<String>,
    /// Call a server of another machine without TLS.
    #[arg(long)]
    allow_plaintext: bool,
}

/// The files of a new configuration folder.
#[derive(Debug)]
pub struct Scaffold {
    /// The target folder.
    pub folder: PathBuf,
    /// The bytes of each file, by its path in the folder.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Files that the gateway moves to other places when it starts, by both paths.
    pub picked_up: Vec<(String, String)>,
    /// The missing parts of the folder, one a line, with a title.
    pub lacks: (&'static str, Vec<String>),
    /// The next commands to type, one a line.
    pub next: Vec<String>,
}

/// Limits that a new folder has.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most bytes of a service's record: `limits.record_max_bytes`.
    pub record_max_bytes: usize,
}

/// How records are compiled.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) encoding: Encoding,
    pub(crate) limits: Limits,
}

/// One record of a copybook, and its view in JSON.
pub(crate) struct Side {
    /// True if the copybook has other records, too.
    pub(crate) is_one_of_several: bool,
    pub(crate) found: Found,
    pub(crate) layout: Layout,
    pub(crate) bind: Bind,
}

/// The code page of records that come from a mainframe.
const MAINFRAME_CCSID: u16 = 37;
/// The code page of programs that run here.
const PROGRAM_CCSID: u16 = 819;

/// Makes the files of a new configuration folder. Asks for missing facts if a person is at the
/// terminal.
///
/// # Errors
/// A name, a copybook or a program cannot be used, with the reason.
pub fn run(args: &NewArgs, limits: Limits) -> Result<Scaffold, String> {
    check_name(&args.name)?;
    check_is_no_url(args)?;
    let folder = args.into.clone().unwrap_or_else(|| PathBuf::from(&args.name));
    if let Some(path) = &args.openapi {
        let made = openapi::make(&args.name, path)?;
        let next =
            [format!("gantry serve {}", terminal::word(&folder))].into_iter().chain(made.requests).collect();
        let files = made.files.into_iter().collect();
        return Ok(Scaffold {
            folder,
            files,
            picked_up: Vec::new(),
            lacks: ("not served", made.lacks),
            next,
        });
    }
    if let Some(path) = &args.wsdl {
        return wsdl::make(args, path, folder);
    }
    let mut back = Back::new(&args.back)?;
    let ccsid = args.ccsid.unwrap_or(if back.is_program() { PROGRAM_CCSID } else { MAINFRAME_CCSID });
    let encoding = Encoding::by_ccsid(ccsid).ok_or_else(|| format!("CCSID {ccsid} is not known"))?;
    if back.is_program() {
        check_program_page(ccsid)?;
    }
    let rules = Rules { encoding, limits };
    let (request, response) = match (&args.copybook, &mut back) {
        (None, Back::Program(file, channel)) => of_program::ways(args, file, channel, rules)?,
        _ => sides(args, rules)?,
    };
    let (mut used, mut linked) = (Used::default(), Vec::new());
    if let Back::Program(file, _) = &back {
        used = Used::by(file)?;
        linked = used.with_linked(file)?;
    }
    let key = match (&args.key, &request) {
        (Some(name), Way::Record(request)) => Some(key(request, name)?),
        (Some(_), Way::Nothing) => return Err("--key: the program takes no record".to_owned()),
        (Some(_), Way::Containers(_)) => return Err("--key: the program takes containers".to_owned()),
        (None, _) => None,
    };
    if args.soap && [&request, &response].iter().any(|way| matches!(way, Way::Containers(_))) {
        let reason = "the program takes or gives several containers or text";
        return Err(format!("--soap: {reason}: gantry soap ls2ws makes web services of channels"));
    }
    let plan =
        texts::Plan { name: &args.name, ccsid, request: &request, response: &response, key, used: &used };
    let mut files = BTreeMap::new();
    for copybooks in [&request, &response].into_iter().flat_map(Way::files) {
        add(&mut files, copybooks)?;
    }
    add(&mut files, &back.files(&plan)?)?;
    add(&mut files, &linked)?;
    add(&mut files, &plan.files(&back, args.soap)?)?;
    let next = plan.next(&folder, args.soap)?;
    views::tell(&response, &args.name);
    let lacks = match back.lack() {
        Some(lack) => ("the service also needs", vec![lack]),
        None => ("the program also needs", used.lacks(&args.name)),
    };
    Ok(Scaffold { folder, files, picked_up: Vec::new(), lacks, next })
}

/// Programs that run here read text in a page of the ASCII family. The check of the folder warns of others.
fn check_program_page(ccsid: u16) -> Result<(), String> {
    match CodePage::by_ccsid(ccsid).is_some_and(|page| page.family() == Family::Ebcdic) {
        false => Ok(()),
        true => Err(format!(
            "--ccsid: expected a code page of the ASCII family for a program, such as {PROGRAM_CCSID}, found {ccsid}"
        )),
    }
}

/// The records of the copybooks.
fn sides(args: &NewArgs, rules: Rules) -> Result<Ways, String> {
    let path = match &args.copybook {
        Some(path) => path.clone(),
        None => PathBuf::from(ask(
            "The copybook of the request",
            "--copybook FILE, --program FILE, --openapi FILE or --wsdl FILE",
        )?),
    };
    let replacing = args.replacing.iter().map(|text| replacing_phrase(text));
    let replacing = replacing.collect::<Result<Vec<String>, String>>()?;
    let file = |path: &Path| SourceFile {
        path: path.to_owned(),
        copybooks: args.back.copybooks.clone(),
        replacing: replacing.clone(),
        ..SourceFile::default()
    };
    let request = side(&file(&path), args.record.as_deref(), "--record", rules)?;
    let response = match (&args.response, &args.response_record) {
        (None, None) => {
            let record = request.is_one_of_several.then(|| request.layout.name());
            side(&file(&path), record, "--record", rules)?
        }
        (path_of, record) => {
            let path = path_of.as_ref().unwrap_or(&path);
            side(&file(path), record.as_deref(), "--response-record", rules)?
        }
    };
    Ok((Some(request).into(), Some(response).into()))
}

/// Adds files. Two files with the same path must have the same bytes.
fn add(files: &mut BTreeMap<String, Vec<u8>>, more: &[(String, Vec<u8>)]) -> Result<(), String> {
    for (path, bytes) in more {
        if let Some(known) = files.insert(path.clone(), bytes.clone())
            && known != *bytes
        {
            return Err(format!("two different files would become {path}"));
        }
    }
    Ok(())
}

/// Documents are files: nothing is fetched.
fn check_is_no_url(args: &NewArgs) -> Result<(), String> {
    let files = [
        ("--copybook", &args.copybook),
        ("--openapi", &args.openapi),
        ("--wsdl", &args.wsdl),
        ("--response", &args.response),
        ("--program", &args.back.program),
    ];
    let url = files
        .iter()
        .find(|(_, path)| path.as_ref().is_some_and(|path| path.to_string_lossy().contains("://")));
    match url {
        Some((option, Some(path))) => {
            Err(format!("{option}: expected a file, found the URL {}: download it first", path.display()))
        }
        _ => Ok(()),
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_plain) {
        true => Ok(()),
        false => Err(format!("'{name}': a name is a letter, then letters, digits, - and _")),
    }
}

/// Reads a copybook and compiles the chosen record.
fn side(file: &SourceFile, record: Option<&str>, flag: &str, rules: Rules) -> Result<Side, String> {
    let path = &file.path;
    let found = sources::copybook(&Wanted { file, record: None })?;
    let chosen = match (record, found.records.as_slice()) {
        (Some(record), _) => record.to_owned(),
        (None, [only]) => only.clone(),
        (None, []) => return Err(format!("{} has no record", path.display())),
        (None, records) => {
            let list = records.join(", ");
            ask(&format!("The record, one of {list}"), &format!("{flag} one of {list}"))?
        }
    };
    let is_one_of_several = found.records.len() > 1;
    let found = sources::copybook(&Wanted { file, record: Some(&chosen) })?;
    compiled(path, found, is_one_of_several, rules)
}

/// Compiles the first record found in a text.
fn compiled(path: &Path, found: Found, is_one_of_several: bool, rules: Rules) -> Result<Side, String> {
    let Some(layout) = found.layouts.first().cloned() else {
        return Err(format!("{} has no such record", path.display()));
    };
    // The check of the folder would find it, too, after minutes for a very long record.
    let (bytes, most) = (layout.max_bytes(), rules.limits.record_max_bytes);
    if bytes > most {
        return Err(format!(
            "{}: the records of {} have up to {bytes} bytes, more than limits.record_max_bytes, {most}",
            path.display(),
            layout.name()
        ));
    }
    let options = Options::new(rules.encoding);
    let bind = Bind::compile(&layout, &options).map_err(|errors| refusal(path, &errors))?;
    if !bind.has_members() {
        return Err(format!("{}: {} has no field with a name", path.display(), layout.name()));
    }
    Ok(Side { is_one_of_several, found, layout, bind })
}

/// The most faults that are shown of one copybook. The others are only counted.
const FAULTS_MAX: usize = 20;

fn refusal(path: &Path, errors: &[CompileError]) -> String {
    let shown = errors.iter().take(FAULTS_MAX);
    let mut lines: Vec<String> =
        shown.map(|error| format!("{}:{}: {error}", path.display(), error.line)).collect();
    if errors.len() > FAULTS_MAX {
        lines.push(format!("and {} more", errors.len() - FAULTS_MAX));
    }
    lines.join("\n        ")
}

/// The field of the key.
fn key(request: &Side, name: &str) -> Result<FieldId, String> {
    let id = request.layout.resolve(name).map_err(|error| format!("--key: {}", error.explain(name)))?;
    let field = request.layout.field(id);
    let in_table = field.occurs.is_some()
        || request.layout.around(id).any(|id| request.layout.field(id).occurs.is_some());
    match field.children.is_empty() && !in_table {
        true => Ok(id),
        false => Err(format!("--key: expected one value, found {name}, which is a group or in a table")),
    }
}

/// Asks a person.
///
/// # Errors
/// Nobody is at the terminal, or the answer is empty. The text names the argument to use.
fn ask(question: &str, argument: &str) -> Result<String, String> {
    let missing = || format!("say {argument}");
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(missing());
    }
    terminal::eprint!("{question}: ");
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| error.to_string())?;
    match line.trim() {
        "" => Err(missing()),
        answer => Ok(answer.to_owned()),
    }
}
