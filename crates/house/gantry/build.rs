//! Exports the functions of the binary that programs call when it runs as a worker, and links a release small.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// Flags that make a release smaller. Not every linker knows them.
const SMALLER: [&str; 2] = [
    // Functions with the same code become one.
    "-Wl,--icf=all",
    // The table of relocations gets a tenth of its size. glibc reads it since 2.36.
    "-Wl,-z,pack-relative-relocs",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../back/worker/exports.txt");
    for name in include_str!("../../back/worker/exports.txt").lines() {
        println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={name}");
    }
    if env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        for flag in SMALLER.into_iter().filter(|flag| works(flag).unwrap_or(false)) {
            println!("cargo:rustc-link-arg-bins={flag}");
        }
    }
}

/// True if a small program can be linked with the flag, and starts. If the release is for another kind of machine, only linking
/// is tried.
fn works(flag: &str) -> Option<bool> {
    let variable = |name| env::var_os(name);
    let folder = PathBuf::from(variable("OUT_DIR")?);
    let (source, program) = (folder.join("linked.rs"), folder.join("linked"));
    fs::write(&source, "fn main() {}\n").ok()?;
    let target = env::var("TARGET").ok()?;
    let starts_here = machine(&env::var("HOST").ok()?) == machine(&target);
    let mut compiler = Command::new(variable("RUSTC")?);
    compiler.arg("--target").arg(target).arg("-o").arg(&program).arg(format!("-Clink-arg={flag}"));
    compiler
        .args(variable("CARGO_ENCODED_RUSTFLAGS")?.to_str()?.split('\u{1f}').filter(|word| !word.is_empty()));
    if let Some(linker) = variable("RUSTC_LINKER") {
        compiler.arg(format!("-Clinker={}", linker.to_str()?));
    }
    Some(succeeds(compiler.arg(&source)) && (!starts_here || succeeds(&mut Command::new(&program))))
}

/// The processor and the operating system of a target. Programs for musl and for glibc start on the same machines.
fn machine(target: &str) -> (&str, bool) {
    (target.split('-').next().unwrap_or_default(), target.contains("-linux-"))
}

/// True if the command ends well. Its output goes nowhere: cargo would read it as instructions.
fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}
