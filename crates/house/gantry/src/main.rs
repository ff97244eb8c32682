//! The binary: command line and wiring.

// It comes first, so that all modules below have its macros.
#[macro_use]
extern crate terminal;

mod administration;
mod call;
mod check;
mod cli;
mod endpoint_groups;
mod examples;
mod file;
mod group_door;
mod help;
mod import;
mod live;
mod load_door;
mod new;
mod sample_server;
mod sandbox;
mod serve;
mod surroundings;
mod trial;
mod users;
mod watching;

use std::process::ExitCode;

/// The allocator. A request allocates its record and its answer on the thread that frees them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
