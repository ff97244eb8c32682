//! A worker and nothing else, for the tests of this crate; the product is its own worker.

use std::ffi::OsString;
use std::process::ExitCode;

use wire::WorkerOptions;
use worker::run;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match WorkerOptions::from_arguments(&arguments) {
        Some(options) => run(&options),
        None => {
            eprintln!("expected the folder of the programs, a number of bytes, and a user");
            ExitCode::FAILURE
        }
    }
}
