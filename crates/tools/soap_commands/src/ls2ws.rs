//! `gantry soap ls2ws`: from copybooks to a WSDL document and a bind file, as DFHLS2WS does it.
//!
//! `table` has the parameters, `request` reads them, and `make` does the work without files. `converter` writes C for those who
//! convert messages elsewhere. This module finds the copybooks and writes the files.

pub(crate) mod channel;
mod converter;
#[cfg(test)]
mod converter_tests;
pub(crate) mod make;
pub(crate) mod request;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use clap::Args;
use codepage::{Encoding, Unmappable};
use settings::copybooks::{SOURCE_CCSID, record_source_page};

use crate::copybooks::Folders;
use crate::parameters::ToolArgs;
use channel::CHANNEL_BYTES_MAX;
use make::{Made, Sources, make};
use request::{Request, WsdlPage};
use table::Ls2ws;

/// The parameters, and where files are.
#[derive(Debug, Args)]
pub struct Ls2wsArgs {
    #[command(flatten)]
    tool: ToolArgs<Ls2ws>,
    /// A folder with the copybooks, in place of PDSLIB; may be repeated. Default: the folder of the file of parameters, or else the
    /// current one.
    #[arg(long, value_name = "FOLDER")]
    copybooks: Vec<PathBuf>,
    /// The code page of copybooks that are not UTF-8. An EBCDIC page applies to all.
    #[arg(long, value_name = "CCSID", default_value_t = SOURCE_CCSID)]
    source_ccsid: u16,
    /// A folder for the files. They keep only the last part of the names that WSBIND, WSDL and LOGFILE give.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// A file for C source that converts the messages to records and back without Gantry.
    #[arg(long, value_name = "FILE")]
    converter: Option<PathBuf>,
}

/// Makes the files.
pub(crate) fn run(args: &Ls2wsArgs) -> Result<(), String> {
    let (request, mut log) = read(args)?;
    let folders = Folders::new(&folders(args, &request), record_source_page(args.source_ccsid)?)?;
    let copybook = |member: &str, into: &mut _| folders.add(member, into);
    let description = |path: &str| described(args, path);
    let result = make(&request, &Sources { copybook: &copybook, description: &description });
    let problems = match &result {
        Ok(made) => &made.warnings,
        Err(problems) => problems,
    };
    log.extend(problems.iter().map(ToString::to_string));
    let told = crate::tell(problems, "the copybooks");
    let outcome = match (result, told) {
        (Ok(made), Ok(())) => {
            write(args, &request, &made).inspect(|written| log.extend(written.iter().cloned()))
        }
        (_, Err(message)) => Err(message),
        (Err(_), Ok(())) => Err("nothing was made".to_owned()),
    };
    if let Some(path) = &request.log {
        crate::write_file(&placed(args, path), (log.join("\n") + "\n").as_bytes())?;
    }
    for line in outcome? {
        print!("{line}\n");
    }
    Ok(())
}

/// The request that the parameters make, with what there is to say of them.
fn read(args: &Ls2wsArgs) -> Result<(Request, Vec<String>), String> {
    let wrong = |errors: Vec<String>| {
        errors.iter().for_each(|error| eprintln!("error: {error}"));
        format!("{} in the parameters", terminal::count(errors.len(), "error"))
    };
    let parameters = args.tool.parameters().map_err(wrong)?;
    let request = Request::read(&parameters).map_err(wrong)?;
    let warnings: Vec<String> = parameters.warnings.iter().chain(&request.warnings).cloned().collect();
    warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    Ok((request, warnings))
}

/// Where copybooks are. A data set of a mainframe (`//'HLQ.COPYLIB'`) is not a folder here.
fn folders(args: &Ls2wsArgs, request: &Request) -> Vec<PathBuf> {
    if !args.copybooks.is_empty() {
        return args.copybooks.clone();
    }
    let library = request.library.as_ref().filter(|library| Path::new(library).is_dir());
    let beside = args.tool.file().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    vec![library.map_or(beside.unwrap_or(Path::new(".")).to_owned(), PathBuf::from)]
}

/// The description of a channel. One that is not where its path says may be beside the file of parameters.
fn described(args: &Ls2wsArgs, path: &str) -> Result<String, String> {
    let beside = args.tool.file().and_then(Path::parent).map(|folder| folder.join(path));
    let path = beside.filter(|path| path.exists()).unwrap_or_else(|| PathBuf::from(path));
    let bytes = std::fs::metadata(&path).map_err(|error| error.to_string())?.len();
    if bytes > CHANNEL_BYTES_MAX as u64 {
        return Err(format!("expected at most {CHANNEL_BYTES_MAX} bytes, found {bytes}"));
    }
    std::fs::read_to_string(&path).map_err(|error| error.to_string())
}

fn placed(args: &Ls2wsArgs, path: &str) -> PathBuf {
    match &args.out {
        Some(folder) => folder.join(path.rsplit('/').next().unwrap_or(path)),
        None => PathBuf::from(path),
    }
}

fn write(args: &Ls2wsArgs, request: &Request, made: &Made) -> Result<Vec<String>, String> {
    let text = made
        .file
        .write()
        .map_err(|problems| crate::tell(&problems, "the bind file").err().unwrap_or_default())?;
    let converter =
        args.converter.as_ref().map(|path| Ok::<_, String>((path, converter(made)?))).transpose()?;
    crate::make_folder("--out", args.out.as_deref())?;
    let mut lines = Vec::new();
    if let Some(path) = &request.wsdl {
        let path = placed(args, path);
        crate::write_file(&path, &encoded(&made.wsdl, request.wsdl_page)?)?;
        lines.push(format!("wrote {}: {}", path.display(), made.summary));
    }
    let path = placed(args, &request.wsbind);
    crate::write_file(&path, text.as_bytes())?;
    lines.push(format!("wrote {}", path.display()));
    if let Some((path, source)) = converter {
        crate::write_file(path, source.as_bytes())?;
        lines.push(format!("wrote {}", path.display()));
    }
    Ok(lines)
}

/// The source that converts the messages.
fn converter(made: &Made) -> Result<String, String> {
    let program = made.file.program.as_deref().unwrap_or(&made.file.name);
    let directions: Vec<_> = made
        .parts
        .iter()
        .flat_map(|part| {
            let response = part.response.as_ref().map(|response| ("response", response));
            [("request", &part.request)].into_iter().chain(response)
        })
        .collect();
    converter::write(program, &directions).map_err(|errors| {
        errors.iter().for_each(|error| eprintln!("error: {error}"));
        format!("{} for the converter; nothing was written", terminal::count(errors.len(), "error"))
    })
}

/// The document in the page that WSDLCP names.
fn encoded(wsdl: &str, page: WsdlPage) -> Result<Vec<u8>, String> {
    match page {
        WsdlPage::Utf8 => Ok(wsdl.as_bytes().to_vec()),
        WsdlPage::Ebcdic => {
            let encoding = Encoding::by_ccsid(37).ok_or("CCSID 37 is not known")?;
            let wsdl =
                wsdl.replacen("encoding=\"UTF-8\"", "encoding=\"EBCDIC-CP-US\"", 1).replace('\n', "\u{85}");
            let mut bytes = Vec::new();
            encoding.encode(&wsdl, Unmappable::Error, &mut bytes).map_err(|_| {
                "WSDLCP=EBCDIC-CP-US: a character of the document is not in this page".to_owned()
            })?;
            Ok(bytes)
        }
    }
}
