//! Lets what is built here to run as a worker, the example and nothing else, export functions to the programs.

fn main() {
    println!("cargo:rerun-if-changed=../worker/exports.txt");
    for name in include_str!("../worker/exports.txt").lines() {
        println!("cargo:rustc-link-arg-examples=-Wl,--export-dynamic-symbol={name}");
    }
}
