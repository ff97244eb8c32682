//! Exports functions to the programs. Only the example needs this, because it runs as a worker.

fn main() {
    println!("cargo:rerun-if-changed=../worker/exports.txt");
    for name in include_str!("../worker/exports.txt").lines() {
        println!("cargo:rustc-link-arg-examples=-Wl,--export-dynamic-symbol={name}");
    }
}
