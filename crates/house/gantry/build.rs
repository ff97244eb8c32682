//! Exports the functions of the binary that programs call when it runs as a worker.

fn main() {
    println!("cargo:rerun-if-changed=../../back/worker/exports.txt");
    for name in include_str!("../../back/worker/exports.txt").lines() {
        println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={name}");
    }
}
