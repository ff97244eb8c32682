//! Exports the functions of the binary that programs call when it runs as a worker, and links a release small.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// Functions with the same code become one. Not every linker knows the flag.
///
/// Packed relocations (`-z pack-relative-relocs`) would save another 4%. But systems with a glibc before 2.36, such as Ubuntu 22.04, could
/// not start the binary.
const SMALLER: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../back/worker/exports.txt");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    for name in include_str!("../../back/worker/exports.txt").lines() {
        println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={name}");
    }
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_release && works(SMALLER).unwrap_or(false) {
        println!("cargo:rustc-link-arg-bins={SMALLER}");
    }
}

/// True if a small program can be linked with the flag.
fn works(flag: &str) -> Option<bool> {
    let folder = PathBuf::from(env::var_os("OUT_DIR")?);
    let (source, program) = (folder.join("linked.rs"), folder.join("linked"));
    fs::write(&source, "fn main() {}\n").ok()?;
    let mut compiler = Command::new(env::var_os("RUSTC")?);
    compiler.arg("--target").arg(env::var_os("TARGET")?).arg("-o").arg(program);
    compiler.arg(format!("-Clink-arg={flag}"));
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").ok()?;
    compiler.args(flags.split('\u{1f}').filter(|word| !word.is_empty()));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        compiler.arg(format!("-Clinker={linker}"));
    }
    // Its output goes nowhere, because cargo would read it as instructions.
    Some(compiler.arg(source).output().ok()?.status.success())
}
