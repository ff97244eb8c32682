//! `gantry soap`: the assistants of web services, from the command line.
//!
//! The data path: a subcommand reads its arguments. `parameters` reads those of the CICS assistants, `jcl` finds them in a job. `copybooks` reads a member with all that it copies, so that a bind file can
//! hold them. The crate `web_service` gives layouts and options, `record` the binds, and `wsdl` the document. Each subcommand has
//! a module, and prints what it did.
//!
//! Deliberately absent: running a service.

#[macro_use(print, eprintln)]
extern crate terminal;

mod copybooks;
mod import;
mod jcl;
mod ls2ws;
mod parameters;
mod scan;
mod size;
mod stream;
mod ws2ls;
mod wsdl_file;

use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;

pub use scan::{Candidate, Judge, Outcome, Scanned, scan, would_scan};
pub use stream::{check_ws2ls, ls2ws_document};
pub use ws2ls::operations::{operation_name, unknown_operations};
pub use ws2ls::provider::{Elements, Provided, Provider, laying_of_provider, provider};
pub use wsdl_file::{OUTSIDE, rooted, wsdl_bytes};

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a WSDL document and a bind file of copybooks, as DFHLS2WS does.
    ///
    /// Each flag is a parameter of DFHLS2WS. A file, or a job, can have them as lines of NAME=value.
    Ls2ws(Box<ls2ws::Ls2wsArgs>),
    /// Make copybooks and a bind file of a WSDL document, as DFHWS2LS does.
    ///
    /// Each flag is a parameter of DFHWS2LS. A file, or a job, can have them as lines of NAME=value.
    Ws2ls(Box<ws2ls::Ws2lsArgs>),
    /// Make a bind file of a bind file of IBM's assistants and its copybooks.
    Import(Box<import::ImportArgs>),
    /// Show how large the SOAP and JSON messages of a copybook are: the least, a typical one, and the most.
    Size(size::SizeArgs),
}

/// Runs the subcommand that the arguments name.
///
/// # Errors
/// The message for standard error.
pub fn run(command: &Command) -> Result<ExitCode, String> {
    match command {
        Command::Ls2ws(args) => ls2ws::run(args),
        Command::Ws2ls(args) => ws2ls::run(args),
        Command::Import(args) => import::run(args),
        Command::Size(args) => size::run(args),
    }
    .map(|()| ExitCode::SUCCESS)
}

/// Makes the folder for what a subcommand writes.
fn make_folder(what: &str, out: Option<&Path>) -> Result<(), String> {
    let Some(folder) = out else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|error| format!("{what}: {}: {error}", folder.display()))
}

/// Writes a file whole or not at all.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    settings::replace(path, bytes, settings::Readers::Usual)
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// The faults of the binds of operations.
fn faults_of_binds(parts: &[web_service::OperationParts]) -> Vec<web_service::Problem> {
    let sides = parts.iter().flat_map(|parts| [Some(&parts.request), parts.response.as_ref()]).flatten();
    let faults = sides.flat_map(|interface| {
        let errors = record::Bind::compile(&interface.layout, &interface.options).err().unwrap_or_default();
        let record = interface.layout.name();
        let told = errors.into_iter().map(move |error| {
            web_service::Problem::error(format!("{record}, line {}", error.line), error.to_string())
        });
        told.collect::<Vec<_>>()
    });
    faults.collect()
}

/// Shows warnings, or all problems with their count as the error. A problem of two messages that have one copybook is told once.
fn tell(problems: &[web_service::Problem], what: &str) -> Result<(), String> {
    let mut errors = 0;
    for (index, problem) in problems.iter().enumerate() {
        if problems[..index].contains(problem) {
            continue;
        }
        let severity = match problem.severity {
            web_service::Severity::Error => {
                errors += 1;
                "error"
            }
            web_service::Severity::Warning => "warning",
        };
        eprintln!("{severity}: {problem}");
    }
    if errors == 0 { Ok(()) } else { Err(format!("{} in {what}", terminal::count(errors, "error"))) }
}

#[cfg(test)]
mod tests {
    use web_service::Problem;

    use super::tell;

    #[test]
    fn a_problem_is_told_and_counted_once() {
        let error = Problem::error("A, line 1", "a");
        let other = [Problem::warning("A, line 1", "a"), Problem::error("B, line 1", "a")];
        let problems = [error.clone(), other[0].clone(), error.clone(), other[1].clone(), error];
        assert_eq!(tell(&problems, "the copybooks"), Err("2 errors in the copybooks".to_owned()));
        assert_eq!(tell(&problems[1..2], "the copybooks"), Ok(()));
    }
}
