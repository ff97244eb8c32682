//! `gantry program service`: makes the service of a program that is already in a configuration
//! folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use codepage::Encoding;
use settings::GANTRY_FILE;
use toml::Table;

use crate::backs::Back;
use crate::sources::{SourceFile, source_in};
use crate::texts::{Plan, quoted};
use crate::used::{Definitions, Used};
use crate::ways::Way;
use crate::{Limits, NewArgs, PROGRAM_CCSID, Rules, Scaffold, add, check_program_page, of_program, views};

/// Whose service is made.
#[derive(Debug, Args)]
pub struct ServiceArgs {
    /// The program: its source is NAME.cbl or NAME.cob in the folder programs/.
    name: String,
    /// The configuration folder.
    #[arg(long = "in", value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// The service. Default: the program's name in lower case.
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    /// The 01 level of the request. Default: DFHCOMMAREA, or the record of the program's container.
    #[arg(long)]
    record: Option<String>,
    /// The 01 level of the response. Default: that of the request, or of the container that the program puts.
    #[arg(long, value_name = "RECORD")]
    response_record: Option<String>,
    /// The code page of the records' text. Default: that of the region.
    #[arg(long)]
    ccsid: Option<u16>,
}

/// The folder of sources.
const PROGRAMS: &str = "programs";

/// A new service of a folder.
#[derive(Debug)]
pub struct NewService {
    /// Its files.
    pub scaffold: Scaffold,
    /// What the program needs and the folder does not have, one a line.
    pub needs: Vec<String>,
    /// The path of the program in the folder.
    pub source: String,
}

/// Makes the files of a service. Files that the folder already has are left out.
///
/// # Errors
/// The program does not exist, its records cannot be found, or the folder has another file in the
/// same place.
pub fn service(args: &ServiceArgs, limits: Limits) -> Result<NewService, String> {
    if !args.folder.is_dir() {
        let wrong = if args.folder.exists() { "is not a folder" } else { "does not exist" };
        return Err(format!("{} {wrong}", args.folder.display()));
    }
    let programs = args.folder.join(PROGRAMS);
    let path = source_in(&programs, &args.name)
        .ok_or_else(|| format!("{} has no source of {}", programs.display(), args.name))?;
    let name = args.service.clone().unwrap_or_else(|| args.name.to_ascii_lowercase());
    crate::check_name(&name)?;
    let settings = settings_of(&args.folder);
    let ccsid = args.ccsid.or_else(|| region_page(&settings)).unwrap_or(PROGRAM_CCSID);
    let encoding = Encoding::by_ccsid(ccsid).ok_or_else(|| format!("CCSID {ccsid} is not known"))?;
    check_program_page(ccsid)?;
    let wanted = NewArgs {
        record: args.record.clone(),
        response_record: args.response_record.clone(),
        ..NewArgs::default()
    };
    let mut channel = None;
    let file = SourceFile { path, copybooks: vec![args.folder.join("copybooks")], ..SourceFile::default() };
    let (request, response) = of_program::ways(&wanted, &file, &mut channel, Rules { encoding, limits })?;
    let mut used = Used::by(&file)?;
    used.with_linked(&file)?;
    used.take_away(&Definitions(&settings), &args.name);
    let needs = needs(&used, &args.name.to_ascii_uppercase(), &name);
    let source = format!("{PROGRAMS}/{}", file.path.file_name().unwrap_or_default().to_string_lossy());
    let plan = Plan { name: &name, ccsid, request: &request, response: &response, key: None, used: &used };
    let mut files = BTreeMap::new();
    for copybooks in [&request, &response].into_iter().flat_map(Way::files) {
        add(&mut files, copybooks)?;
    }
    let text = plan.service(&Back::Program(file, channel));
    files.insert(format!("services/{name}.toml"), text.into_bytes());
    let mut new = BTreeMap::new();
    for (path, bytes) in files {
        match std::fs::read(args.folder.join(&path)) {
            Ok(there) if there == bytes => {}
            Ok(_) => return Err(format!("{} is there already", args.folder.join(&path).display())),
            Err(_) => {
                new.insert(path, bytes);
            }
        }
    }
    if new.is_empty() {
        return Err(format!("services/{name}.toml is there already, and is as it would be made"));
    }
    let next = match used.trigger(&name) {
        Some(trigger) => vec![trigger.put_line()],
        None => vec![plan.call_line(&args.folder)?],
    };
    views::tell(&response, &name);
    let scaffold = Scaffold {
        folder: args.folder.clone(),
        files: new,
        picked_up: Vec::new(),
        lacks: (API_TITLE, api(&name, &request, &response)),
        next,
    };
    Ok(NewService { scaffold, needs, source })
}

/// What a program needs and a folder does not have, with the sections to add.
fn needs(used: &Used, program: &str, name: &str) -> Vec<String> {
    let mut needs = used.lacks(name);
    let sections = used.sections(program, name);
    if !sections.is_empty() {
        needs.push("these sections of gantry.toml:".to_owned());
        needs.extend(sections.trim().lines().map(|line| format!("  {line}").trim_end().to_owned()));
    }
    needs
}

/// The settings of a configuration folder. The check of the folder tells the faults of the file.
fn settings_of(folder: &Path) -> Table {
    let text = std::fs::read_to_string(folder.join(GANTRY_FILE)).unwrap_or_default();
    text.parse().unwrap_or_default()
}

/// The code page of the region, if it has one.
fn region_page(settings: &Table) -> Option<u16> {
    settings.get("region")?.get("ccsid")?.as_integer()?.try_into().ok()
}

/// The title of the lines of an API.
const API_TITLE: &str = "to serve it, write an API, or add the operation to one";

/// The lines of an API with the service as its operation. A service of containers needs a document, which `gantry new` writes.
fn api(name: &str, request: &Way, response: &Way) -> Vec<String> {
    if [request, response].iter().any(|way| matches!(way, Way::Containers(_))) {
        return Vec::new();
    }
    let text = format!(
        "# apis/{name}/api.toml\ntitle = {0}\nbase_path = \"/{name}\"\n\n\
         [[operation]]\nmethod = \"POST\"\npath = \"/\"\nservice = {0}",
        quoted(name)
    );
    text.lines().map(str::to_owned).collect()
}
