//! Any bytes as a stream of frames whose messages come in parts, beside a model that keeps all parts in a list.
#![no_main]

use std::collections::BTreeMap;

use connector::framing::{Framing, Scan};
use connector::parts::Parts;
use libfuzzer_sys::fuzz_target;

const FRAME_MAX_BYTES: usize = 256;
const MESSAGE_MAX_BYTES: usize = 512;

/// Callers that leave: their correlation id is the byte that says so.
const LEAVES: u8 = 0xff;

fuzz_target!(|bytes: &[u8]| {
    let mut parts = Parts::new(MESSAGE_MAX_BYTES);
    let mut model: BTreeMap<u64, Vec<&[u8]>> = BTreeMap::new();
    let mut stream = bytes;
    loop {
        if let [LEAVES, id, rest @ ..] = stream {
            parts.forget(u64::from(*id));
            model.remove(&u64::from(*id));
            stream = rest;
            continue;
        }
        let Ok(Scan::Frame { message, end, label }) = Framing::Gantry.scan(stream, FRAME_MAX_BYTES) else {
            return;
        };
        let part = &stream[message];
        let begun = model.entry(label.correlation).or_default();
        begun.push(part);
        let whole = begun.concat();
        match parts.take(label, part) {
            Ok(Some(came)) => {
                assert!(!label.goes_on && came.len() <= MESSAGE_MAX_BYTES);
                assert_eq!(came, whole);
                model.remove(&label.correlation);
            }
            Ok(None) => assert!(label.goes_on && whole.len() <= MESSAGE_MAX_BYTES),
            Err(_) => {
                assert!(whole.len() > MESSAGE_MAX_BYTES);
                model.remove(&label.correlation);
            }
        }
        let held: usize = model.values().flatten().map(|part| part.len()).sum();
        assert_eq!(parts.held_bytes(), held);
        stream = &stream[end..];
    }
});
