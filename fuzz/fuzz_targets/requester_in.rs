//! Any bytes as an OpenAPI document: faults, or an API requester, of records or of structures for the Host API.
#![no_main]

use libfuzzer_sys::fuzz_target;
use packages::{HostApiChoices, Limits, ProgramInterface, RequesterChoices, read_openapi};

fuzz_target!(|bytes: &[u8]| {
    for programs in [ProgramInterface::Records, ProgramInterface::HostApi(HostApiChoices::default())] {
        let choices =
            RequesterChoices { name: "fuzz".to_owned(), connection: "fuzz".to_owned(), ccsid: 37, programs };
        let _ = read_openapi("fuzz", bytes, &Limits::default(), &choices);
    }
});
