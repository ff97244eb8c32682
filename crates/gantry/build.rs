//! Lets the binary export to programs what they call when it runs as a worker.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in region_exports() {
        println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={name}");
    }
}

/// As `region::worker::EXPORTS`, which a test compares.
fn region_exports() -> [&'static str; 34] {
    [
        "gantry_exec",
        "gantry_after_call",
        "cob_set_cancel",
        "cob_stop_run",
        "cob_check_version",
        "BAQCSTUB",
        "BAQCTERM",
        "BAQINIT",
        "BAQEXEC",
        "BAQGETN",
        "BAQPUTN",
        "BAQFREE",
        "BAQTERM",
        "CEEDAYS",
        "CEECBLDY",
        "CEEDATE",
        "CEEDATM",
        "CEESECS",
        "CEEDYWK",
        "CEEISEC",
        "CEESECI",
        "CEELOCT",
        "CEEGMT",
        "CEEUTC",
        "CEEGMTO",
        "CEEQCEN",
        "CEESCEN",
        "CEE3ABD",
        "CEE3AB2",
        "CEE3DMP",
        "CEEMOUT",
        "CEEGTST",
        "CEEFRST",
        "ILBOABN0",
    ]
}
