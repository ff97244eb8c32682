//! Generators of checked-in tables and checks of the tree, run by hand with `cargo xtask`.

mod bill;
mod codepages;
mod conformance;
mod directions;
mod fuzz;
mod gnucobol;
mod graph;
mod licences;
mod lines;
mod pages;
mod site;

use std::process::ExitCode;

const USAGE: &str = "usage:
  cargo xtask bill <features> <folder>  write what is linked into the binary, and the licences, to a folder
  cargo xtask codepages <icudt*l.dat>   write crates/text/codepage/src/tables/ from ICU's data
  cargo xtask conformance <folder>      compare with the layouts and records of public projects
  cargo xtask directions                check who uses whom, and what source files look like
  cargo xtask fuzz [--seconds N] [--since COMMIT] [TARGET ...]
                                        fuzz what a change touches, 300 seconds in all
  cargo xtask gnucobol [--seed N] [--count N] [--only ID] [--show N]
                                        compare generated records with what GnuCOBOL makes of them
  cargo xtask licences                  check the licences of dependencies, and DEPENDENCIES.md
  cargo xtask lines                     count the source of each crate, and check the length of functions
  cargo xtask pages                     check the links of all pages, and that every page is reached
  cargo xtask site <folder>             write the pages as a book for mdBook";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["bill", features, folder] => bill::run(features, folder.as_ref()),
        ["codepages", icu_data] => codepages::generate(icu_data.as_ref()),
        ["conformance", folder] => conformance::run(folder.as_ref()),
        ["directions"] => directions::run(),
        ["fuzz", ref options @ ..] => fuzz::run(options),
        ["gnucobol", ref options @ ..] => gnucobol::run(options),
        ["licences"] => licences::run(),
        ["lines"] => lines::run(),
        ["pages"] => pages::run(),
        ["site", folder] => site::run(folder.as_ref()),
        _ => Err(USAGE.to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
