//! Runs the workload driver by itself, without the rest of the gateway.

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    load: load::LoadArgs,
}

fn main() -> ExitCode {
    match load::run(Command::parse().load) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
