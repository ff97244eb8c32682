//! The binary: command line, configuration and wiring.

// First, so that its macros hold in all modules below.
#[macro_use]
extern crate terminal;

mod administration;
mod call;
mod check;
mod cli;
mod config;
mod endpoint_groups;
mod examples;
mod file;
mod group_door;
mod help;
mod import;
mod kinds;
mod live;
mod load_door;
mod new;
mod sample_server;
mod sandbox;
mod serve;
mod surroundings;
mod users;
mod watching;

use std::process::ExitCode;

/// The allocator: requests allocate their record and their answer, on the thread that frees them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
