//! Lets the binary export to programs what they call when it runs as a worker.

fn main() {
    println!("cargo:rerun-if-changed=../region/exports.txt");
    for name in include_str!("../region/exports.txt").lines() {
        println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={name}");
    }
}
