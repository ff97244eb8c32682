//! Any bytes as what a worker says to its region, which does not trust it: refused, or the same message again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wire::batch::{next_said, next_task, put_said, put_task};
use wire::{FromWorker, ToWorker, soap_fault};

fuzz_target!(|bytes: &[u8]| {
    let mut again = Vec::new();
    if let Ok(message) = FromWorker::decode(bytes) {
        message.encode(&mut again);
        assert_eq!(FromWorker::decode(&again), Ok(message));
    }
    if let Ok(fault) = soap_fault::decode(bytes) {
        assert_eq!(soap_fault::encode(&fault), bytes);
    }
    again.clear();
    if let Ok(message) = ToWorker::decode(bytes) {
        // Texts that are no UTF-8 become texts that are.
        message.encode(&mut again);
        assert_eq!(ToWorker::decode(&again), Ok(message));
    }
    // What a worker says of a batch, and the tasks of one.
    let mut left = bytes;
    while let Ok(Some((cpu_nanoseconds, message))) = next_said(&mut left) {
        again.clear();
        put_said(&mut again, cpu_nanoseconds, &message);
        assert_eq!(next_said(&mut again.as_slice()), Ok(Some((cpu_nanoseconds, message))));
    }
    let mut left = bytes;
    while let Ok(Some(task)) = next_task(&mut left) {
        again.clear();
        put_task(&mut again, &task);
        assert_eq!(next_task(&mut again.as_slice()), Ok(Some(task)));
    }
});
