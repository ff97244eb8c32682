//! Any bytes as what a worker says to its region, which does not trust it: refused, or the same message again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use region::wire::{FromWorker, SoapFault, ToWorker};

fuzz_target!(|bytes: &[u8]| {
    let mut again = Vec::new();
    if let Ok(message) = FromWorker::decode(bytes) {
        message.encode(&mut again);
        assert_eq!(FromWorker::decode(&again), Ok(message));
    }
    if let Ok(fault) = SoapFault::decode(bytes) {
        assert_eq!(fault.encode(), bytes);
    }
    again.clear();
    if let Ok(message) = ToWorker::decode(bytes) {
        // Texts that are no UTF-8 become texts that are.
        message.encode(&mut again);
        assert_eq!(ToWorker::decode(&again), Ok(message));
    }
});
