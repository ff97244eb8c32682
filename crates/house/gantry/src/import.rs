//! `gantry import`: turns foreign packages into text files of a configuration folder; all of them,
//! or none.

mod cics;
mod connections;
mod mqsc;
mod sections;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use codepage::{Encoding, Family};
use packages::{
    Fault, Given, GivenCopybook, HostApiChoices, Limits, Package, PackageKind, ProgramInterface,
    RequesterChoices,
};

use serde_json::{Value, json};
use settings::{Readers, replace};
use terminal::count;

/// The kind of import.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    command: Option<ImportCommand>,
    #[command(flatten)]
    packages: Option<PackageArgs>,
}

#[derive(Debug, Subcommand)]
enum ImportCommand {
    /// Make an API requester and copybooks from an OpenAPI 3 or Swagger 2.0 document.
    Requester(RequesterArgs),
    /// Make the region of gantry.toml from definitions of CICS: CSD, IDCAMS, SIT, bundles.
    Cics(cics::CicsArgs),
    /// Make the queue manager of gantry.toml from scripts of MQSC: queues, subscriptions, processes, grants.
    Mqsc(mqsc::MqscArgs),
}

/// An OpenAPI document, and where it goes.
#[derive(Debug, Args)]
struct RequesterArgs {
    /// The document, in JSON or YAML.
    document: PathBuf,
    /// The configuration folder; created if it does not exist.
    #[arg(long, short = 'o', value_name = "FOLDER")]
    into: PathBuf,
    /// The requester's name; default: the name of the file.
    #[arg(long)]
    name: Option<String>,
    /// The name of its connection; default: the requester's name.
    #[arg(long)]
    connection: Option<String>,
    /// The code page of its records; with --host-api one of the ASCII family.
    #[arg(long, default_value_t = PROGRAMS_CCSID)]
    ccsid: u16,
    #[command(flatten)]
    host_api: HostApiArgs,
    /// Overwrite existing files.
    #[arg(long)]
    force: bool,
    /// Print JSON, for use by programs.
    #[arg(long)]
    json: bool,
}

/// The structures of z/OS Connect's Host API.
#[derive(Debug, Args)]
struct HostApiArgs {
    /// Make structures with data areas instead of records, for programs that call the Host API.
    #[arg(long)]
    host_api: bool,
    /// The prefix of copybook names: 1 to 3 characters.
    #[arg(long, requires = "host_api", default_value = "API")]
    prefix: String,
    /// The length of text without maxLength.
    #[arg(long, requires = "host_api", default_value_t = 255, value_name = "CHARACTERS")]
    default_character_max_length: u64,
    /// The decimal places of decimal numbers without multipleOf.
    #[arg(long, requires = "host_api", default_value_t = 2, value_name = "DIGITS")]
    default_fraction_digits: u8,
    /// Arrays of at most this many elements are tables; longer ones are in data areas.
    #[arg(long, requires = "host_api", default_value_t = 1, value_name = "ELEMENTS")]
    inline_max_occurs: u64,
}

/// The code page of records and structures for programs that run here.
const PROGRAMS_CCSID: u16 = 819;

impl RequesterArgs {
    /// Checks the code page.
    ///
    /// # Errors
    ///
    /// Structures with data areas cannot have this code page.
    fn check_ccsid(&self) -> Result<(), String> {
        let family = Encoding::by_ccsid(self.ccsid).and_then(|encoding| encoding.family());
        match !self.host_api.host_api || family == Some(Family::Ascii) {
            true => Ok(()),
            false => Err(format!(
                "expected a code page of the ASCII family with --host-api, such as {PROGRAMS_CCSID}, found {}",
                self.ccsid
            )),
        }
    }
}

impl HostApiArgs {
    fn interface(&self) -> ProgramInterface {
        if !self.host_api {
            return ProgramInterface::Records;
        }
        ProgramInterface::HostApi(HostApiChoices {
            prefix: self.prefix.clone(),
            default_character_max_length: self.default_character_max_length,
            default_fraction_digits: self.default_fraction_digits,
            inline_max_occurs: self.inline_max_occurs,
        })
    }
}

/// The packages to read, and the folder to write to.
#[derive(Debug, Args)]
struct PackageArgs {
    /// Archives (.aar, .sar, .ara), their unpacked folders, OpenAPI 3 API projects, or a server.xml.
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<PathBuf>,
    /// The configuration folder; created if it does not exist.
    #[arg(long, short = 'o', value_name = "FOLDER")]
    into: PathBuf,
    /// A copybook for a service with a bind file: REQUEST=FILE and RESPONSE=FILE, or SERVICE.REQUEST=FILE.
    #[arg(long, value_name = "NAME=FILE", value_parser = named_file)]
    copybook: Vec<(String, PathBuf)>,
    /// The code page of the services' records, in place of the packages': 819 for programs that Gantry runs.
    #[arg(long)]
    ccsid: Option<u16>,
    /// Overwrite existing files.
    #[arg(long)]
    force: bool,
    /// Print JSON, for use by programs.
    #[arg(long)]
    json: bool,
}

/// The file that every configuration folder has.
const GANTRY_FILE: &str = "gantry.toml";

fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if is_side(name) && !file.is_empty() => Ok((name.to_owned(), file.into())),
        _ => Err("expected REQUEST=FILE, RESPONSE=FILE or SERVICE.REQUEST=FILE".to_owned()),
    }
}

fn is_side(name: &str) -> bool {
    let side = name.rsplit('.').next().unwrap_or(name);
    matches!(side, "REQUEST" | "RESPONSE")
}

/// Reads all packages, then writes all their files.
///
/// # Errors
/// A package cannot be read, a file already exists, or a file cannot be written.
pub(crate) fn run(args: &ImportArgs) -> Result<(), String> {
    match (&args.command, &args.packages) {
        (Some(ImportCommand::Requester(args)), _) => run_requester(args),
        (Some(ImportCommand::Cics(args)), _) => cics::run(args),
        (Some(ImportCommand::Mqsc(args)), _) => mqsc::run(args),
        (None, Some(args)) => run_packages(args),
        (None, None) => Err("name a package".to_owned()),
    }
}

/// Makes an API requester from an OpenAPI document.
///
/// # Errors
/// Nothing was written, or some operations of the document were left out.
fn run_requester(args: &RequesterArgs) -> Result<(), String> {
    let limits = Limits::default();
    let bytes = read_file(&args.document, limits.entry_max_bytes)?;
    let stem = args.document.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = args.name.clone().unwrap_or(stem);
    let connection = args.connection.clone().unwrap_or_else(|| name.clone());
    args.check_ccsid()?;
    let programs = args.host_api.interface();
    let choices = RequesterChoices { name, connection, ccsid: args.ccsid, programs };
    let file = args.document.file_name().unwrap_or_default().to_string_lossy();
    let package = packages::read_openapi(&file, &bytes, &limits, &choices).map_err(|faults| {
        faults.iter().for_each(|fault| eprintln!("error: {fault}"));
        "cannot make an API requester from the document; nothing was written".to_owned()
    })?;
    if !args.json {
        told(&args.document, &package);
    }
    let texts = package.files().iter().map(|file| (file.path.clone(), file.text.clone()));
    let mut files: BTreeMap<String, String> = texts.collect();
    if !args.into.join(GANTRY_FILE).exists() {
        files.entry(GANTRY_FILE.to_owned()).or_default();
    }
    let missing = connections::missing(&files, &args.into);
    files.extend(missing.iter().map(|name| connections::file_of_document(name, &bytes)));
    let written = write(&files, &args.into, args.force)?;
    if args.json {
        let packages = [described_as_json(&args.document, &package)];
        println!("{}", json!({"packages": packages, "files": written, "leftOut": package.left_out()}));
    } else {
        tell_written(&args.into, &written);
        for name in &missing {
            let file = args.into.join(connections::path(name));
            aside!("next: see that {} has the URL of the API", file.display());
        }
    }
    match package.left_out() {
        [] => Ok(()),
        left_out => Err(format!(
            "{} left out, as the notes say ({}); all else is imported",
            count(left_out.len(), "operation"),
            left_out.join(", ")
        )),
    }
}

fn run_packages(args: &PackageArgs) -> Result<(), String> {
    let limits = Limits::default();
    let given = given(&args.copybook, &limits)?;
    if let Some(unknown) = args.ccsid.filter(|ccsid| Encoding::by_ccsid(*ccsid).is_none()) {
        return Err(format!("--ccsid: there is no code page {unknown}"));
    }
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let (mut faulty, mut described) = (0, Vec::new());
    for path in &args.packages {
        match read(path, &limits, &given)? {
            Ok(package) => {
                match args.json {
                    true => described.push(described_as_json(path, &package)),
                    false => told(path, &package),
                }
                for file in package.files() {
                    let text = with_ccsid(&file.path, &file.text, args.ccsid);
                    let before = files.insert(file.path.clone(), text.clone());
                    if before.is_some_and(|known| known != text) {
                        return Err(format!("{}: another package has {} too", path.display(), file.path));
                    }
                }
            }
            Err(faults) => {
                faulty += 1;
                for fault in faults {
                    let shown = path.display().to_string();
                    // A fault of the package itself has the name of the package.
                    match path.file_name().is_some_and(|name| name == fault.file.as_str()) {
                        true => eprintln!("error: {}", Fault { file: shown, ..fault }),
                        false => eprintln!("error: {shown}: {fault}"),
                    }
                }
            }
        }
    }
    if faulty > 0 {
        return Err(format!("{} cannot be read; nothing was written", count(faulty, "package")));
    }
    if !files.is_empty() && !args.into.join(GANTRY_FILE).exists() {
        files.entry(GANTRY_FILE.to_owned()).or_default();
    }
    let connections = connections::missing(&files, &args.into);
    files.extend(connections.iter().map(|name| connections::file(name)));
    let written = write(&files, &args.into, args.force)?;
    if args.json {
        println!(
            "{}",
            json!({"packages": described, "files": written, "connectionsToComplete": connections})
        );
        return Ok(());
    }
    tell_written(&args.into, &written);
    for name in &connections {
        println!(
            "connection: {name}: put the URL of the API into {}",
            args.into.join(connections::path(name)).display()
        );
    }
    if !files.is_empty() {
        let check = format!("gantry check {}", terminal::word(&args.into));
        aside!("next: {}", terminal::to_paste(&check));
    }
    Ok(())
}

/// The text of a file. In a service file, the code page replaces the package's.
fn with_ccsid(path: &str, text: &str, ccsid: Option<u16>) -> String {
    let Some(ccsid) = ccsid.filter(|_| path.starts_with("services/")) else { return text.to_owned() };
    let line = |line: &str| match line.starts_with("ccsid = ") {
        true => format!("ccsid = {ccsid}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The kind of a package in one word.
fn kind_of(package: &Package) -> &'static str {
    match package.kind {
        PackageKind::Api => "API",
        PackageKind::Service => "service",
        PackageKind::Requester => "API requester",
        PackageKind::Project => "API project",
        PackageKind::Server => "configuration",
        PackageKind::Policy => "rule set",
    }
}

/// A package, and the parts of it that are not imported.
fn described_as_json(path: &Path, package: &Package) -> Value {
    let notes = package.notes().iter().map(ToString::to_string);
    json!({
        "path": path.display().to_string(),
        "kind": kind_of(package),
        "name": package.name,
        "version": package.version,
        "notes": notes.collect::<Vec<_>>(),
    })
}

fn tell_written(into: &Path, written: &[String]) {
    for name in written {
        aside!("wrote {}", into.join(name).display());
    }
}

/// The same for people.
fn told(path: &Path, package: &Package) {
    let kind = kind_of(package);
    let version = if package.version.is_empty() { "" } else { " " };
    aside!("{}: {kind} {}{version}{}", path.display(), package.name, package.version);
    for note in package.notes() {
        aside!("  note: {note}");
    }
}

fn given(copybooks: &[(String, PathBuf)], limits: &Limits) -> Result<Given, String> {
    let copybooks = copybooks.iter().map(|(name, path)| {
        let bytes = read_file(path, limits.entry_max_bytes)?;
        // Comments in old code pages are no fault, because a copybook's data is ASCII.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(GivenCopybook { name: name.clone(), file: path.display().to_string(), text })
    });
    Ok(Given { copybooks: copybooks.collect::<Result<_, String>>()? })
}

fn read(path: &Path, limits: &Limits, given: &Given) -> Result<Result<Package, Vec<Fault>>, String> {
    if path.is_dir() {
        let mut found = Found { files: Vec::new(), bytes: 0, limits };
        found.folder(path, "")?;
        return Ok(packages::read_folder(&found.files, limits, given));
    }
    let bytes = read_file(path, limits.package_max_bytes)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(packages::read_with(&name, &bytes, limits, given))
}

fn described(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// The bytes of a file, at most one more than the limit. The later check refuses that one.
fn read_file(path: &Path, max_bytes: usize) -> Result<Vec<u8>, String> {
    let describe = |error: io::Error| format!("{}: {error}", path.display());
    let mut bytes = Vec::new();
    File::open(path)
        .map_err(describe)?
        .take(max_bytes as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(describe)?;
    Ok(bytes)
}

/// The files below a folder.
struct Found<'l> {
    files: Vec<(String, Vec<u8>)>,
    bytes: usize,
    limits: &'l Limits,
}

impl Found<'_> {
    /// Reads a folder, without hidden files and links. The reader of the files refuses what exceeds
    /// a limit.
    fn folder(&mut self, path: &Path, relative: &str) -> Result<(), String> {
        let describe = |error: io::Error| format!("{}: {error}", path.display());
        let mut entries: Vec<_> =
            fs::read_dir(path).map_err(describe)?.collect::<Result<_, _>>().map_err(describe)?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(describe)?;
            let inner = if relative.is_empty() { name.clone() } else { format!("{relative}/{name}") };
            if name.starts_with('.') || inner.len() > self.limits.entry_name_max_bytes {
                continue;
            }
            if kind.is_dir() {
                self.folder(&entry.path(), &inner)?;
            } else if kind.is_file()
                && self.bytes <= self.limits.package_max_bytes
                && self.files.len() <= self.limits.entry_count_max
            {
                let bytes = read_file(&entry.path(), self.limits.entry_max_bytes)?;
                self.bytes += bytes.len();
                self.files.push((inner, bytes));
            }
        }
        Ok(())
    }
}

/// Writes files below a folder. Gives the written ones. Without `force`, nothing is written if a
/// file exists with another text.
fn write(files: &BTreeMap<String, String>, into: &Path, force: bool) -> Result<Vec<String>, String> {
    let mut pending = Vec::new();
    let mut there = Vec::new();
    for (name, text) in files {
        let path = into.join(name);
        match fs::read(&path) {
            Ok(known) if known == text.as_bytes() => {}
            // One that cannot be read is there, too, and so is a link that leads nowhere.
            _ if !force && path.symlink_metadata().is_ok() => there.push(path.display().to_string()),
            _ => pending.push((path, name, text)),
        }
    }
    if !there.is_empty() {
        return Err(format!(
            "these files exist with another text (--force overwrites them): {}",
            there.join(", ")
        ));
    }
    let mut written = Vec::new();
    for (path, name, text) in pending {
        let describe = |error: io::Error| format!("{}: {error}", path.display());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(describe)?;
        }
        replace(&path, text.as_bytes(), Readers::Usual).map_err(describe)?;
        written.push(name.clone());
    }
    Ok(written)
}
