//! `gantry soap ws2ls`: from a WSDL to copybooks and a bind file, as DFHWS2LS does it.
//!
//! `table` has the parameters, `request` reads them, and `make` does the work without files. This module reads the WSDL with
//! what it imports from its folder, and writes the files.

#[cfg(test)]
mod any_order_tests;
#[cfg(test)]
mod default_tests;
#[cfg(test)]
mod given_tests;
#[cfg(test)]
mod library_tests;
mod make;
pub(crate) mod operations;
pub(crate) mod provider;
pub(crate) mod request;
pub(crate) mod table;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::parameters::ToolArgs;
use crate::wsdl_file::{OUTSIDE, rooted, wsdl_bytes};
use make::{Made, make};
use request::Request;
use table::Ws2ls;

/// The parameters, and where files are.
#[derive(Debug, Args)]
pub struct Ws2lsArgs {
    #[command(flatten)]
    tool: ToolArgs<Ws2ls>,
    /// A folder for the copybooks, in place of PDSLIB, and for the bind file. Default: the current folder.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// A folder above the WSDL, which has all files that it imports. Default: the folder of the WSDL.
    #[arg(long, value_name = "FOLDER")]
    wsdl_root: Option<PathBuf>,
    /// Lay each message out in one record, without containers: arrays have room for their greatest number of rows, and
    /// choices a counter for each member.
    #[arg(long)]
    one_record: bool,
    /// The rows of an array without a greatest number, with --one-record.
    #[arg(long, value_name = "N", requires = "one_record", value_parser = clap::value_parser!(u64).range(1..))]
    array_max: Option<u64>,
}

/// Makes the files.
pub(crate) fn run(args: &Ws2lsArgs) -> Result<(), String> {
    let (request, mut log) = read(args)?;
    let path = Path::new(&request.wsdl);
    let bytes = wsdl_bytes(path).map_err(|message| format!("{}: {message}", path.display()))?;
    let (from_root, root) = rooted(path, args.wsdl_root.as_deref())?;
    let mut files = |name: &str| wsdl_bytes(&root.join(name));
    let result = wsdl::read::below_root((&from_root, OUTSIDE), &mut files, |name, files| {
        make(&request, name, bytes.clone(), files)
    });
    let problems = match &result {
        Ok(made) => [made.warnings.as_slice(), &made.obstacles].concat(),
        Err(problems) => problems.clone(),
    };
    log.extend(problems.iter().map(ToString::to_string));
    let told = crate::tell(&problems, "the WSDL");
    let outcome = match (result, told) {
        (Ok(made), Ok(())) => write(args, &request, &made),
        (_, Err(message)) => Err(message),
        (Err(_), Ok(())) => Err("nothing was made".to_owned()),
    };
    if let Ok(lines) = &outcome {
        log.extend(lines.iter().cloned());
    }
    if let Some(path) = &request.log {
        crate::write_file(Path::new(path), (log.join("\n") + "\n").as_bytes())?;
    }
    for line in outcome? {
        print!("{line}\n");
    }
    Ok(())
}

/// The request that the parameters make, with what there is to say of them.
fn read(args: &Ws2lsArgs) -> Result<(Request, Vec<String>), String> {
    let wrong = |errors: Vec<String>| {
        errors.iter().for_each(|error| eprintln!("error: {error}"));
        format!("{} in the parameters", terminal::count(errors.len(), "error"))
    };
    let parameters = args.tool.parameters().map_err(wrong)?;
    let mut request = Request::read(&parameters).map_err(wrong)?;
    if args.one_record {
        request.take_one_record(args.array_max);
    }
    parameters.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    Ok((request, parameters.warnings))
}

/// True for a folder, also one that does not exist yet. A data set of a mainframe (`//'HLQ.COPYLIB'`, `HLQ.COPYLIB`) is none.
fn is_folder(library: &str) -> bool {
    Path::new(library).is_dir() || (library.contains('/') && !library.starts_with("//"))
}

fn write(args: &Ws2lsArgs, request: &Request, made: &Made) -> Result<Vec<String>, String> {
    let text = made.file.as_ref().map(web_service::BindFile::write).transpose();
    let text = text.map_err(|problems| crate::tell(&problems, "the bind file").err().unwrap_or_default())?;
    crate::make_folder("--out", args.out.as_deref())?;
    let mut lines = Vec::new();
    let library = request.library.as_deref().filter(|_| args.out.is_none());
    let folder = match library {
        Some(library) if is_folder(library) => {
            let folder = PathBuf::from(library);
            crate::make_folder("PDSLIB", Some(&folder))?;
            folder
        }
        Some(library) => {
            eprintln!("warning: PDSLIB: {library} is not a folder: the copybooks are in the current folder");
            PathBuf::from(".")
        }
        None => args.out.clone().unwrap_or_else(|| PathBuf::from(".")),
    };
    for copybook in &made.copybooks {
        let path = folder.join(format!("{}.cpy", copybook.member));
        crate::write_file(&path, copybook.text.as_bytes())?;
        lines.push(format!("wrote {}: {}", path.display(), copybook.about));
    }
    let (Some(file), Some(text)) = (&made.file, text) else { return Ok(lines) };
    let path = match &args.out {
        Some(folder) => folder.join(request.wsbind.rsplit('/').next().unwrap_or_default()),
        None => PathBuf::from(&request.wsbind),
    };
    crate::write_file(&path, text.as_bytes())?;
    lines.push(format!("wrote {}: {}", path.display(), terminal::count(file.operation.len(), "operation")));
    Ok(lines)
}
