//! Lets what is built here to run as a worker, the example and nothing else, export functions to the programs.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for name in [
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
    ] {
        println!("cargo:rustc-link-arg-examples=-Wl,--export-dynamic-symbol={name}");
    }
}
