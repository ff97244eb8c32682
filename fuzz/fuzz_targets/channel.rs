//! JSON in, containers and data areas in: whatever comes is taken or refused, and what was taken comes back.
#![no_main]

use std::sync::OnceLock;

use channel::{CharVarying, Interface, Options, Side};
use libfuzzer_sys::fuzz_target;
use service::{Channel, Container, Content, DataArea};

const SCHEMA: &str = r#"{"type":"object","properties":{"channel":{"type":"object","properties":{
    "DFHHTTPMETHOD":{"type":"string"},
    "data":{"description":"json-schema","type":"object","required":["a"],"properties":{
        "a":{"type":"string","maxLength":4},
        "b":{"type":"number","format":"decimal"},
        "c":{"type":["integer","null"]},
        "d":{"type":"array","items":{"type":"object","required":["e"],"properties":{
            "e":{"type":"array","maxItems":3,"items":{"type":"string","enum":["X","YY"]}},
            "f":{"type":"string","format":"byte","maxLength":8}}}},
        "g":{"type":"array","maxItems":2,"items":{"type":"boolean"}},
        "h":{"type":"string","maxLength":40000},
        "i":{"type":"number"}}}}}}}"#;

/// The same schema with the ways in which text may end.
fn interfaces() -> &'static [Interface; 2] {
    static INTERFACES: OnceLock<[Interface; 2]> = OnceLock::new();
    INTERFACES.get_or_init(|| {
        let encoding = codepage::Encoding::by_ccsid(37).expect("CCSID 37");
        [CharVarying::Yes, CharVarying::Null].map(|char_varying| {
            let options = Options { char_varying, inline_max_occurs: 2, ..Options::zos_connect(encoding) };
            Interface::compile(SCHEMA, Side::Request, &options).expect("a schema")
        })
    })
}

/// Containers from bytes: for each a letter that chooses its name, two bytes of length, its bytes.
fn containers(mut data: &[u8]) -> Channel {
    const NAMES: [&str; 5] =
        ["BAQBASE", "DFHHTTPMETHOD", "DFHPICC-00000001", "DFHPICC-00000002", "DFHPICC-00000003"];
    let mut found = Vec::new();
    while let [name, high, low, rest @ ..] = data {
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
        let (bytes, more) = rest.split_at(length);
        let name = NAMES[usize::from(*name) % NAMES.len()].to_owned();
        found.push(Container { name, content: Content::Bit(bytes.to_vec()) });
        data = more;
    }
    Channel::of(found)
}

/// A record with data areas, one in the elements of another.
const RECORD: &str = r#"{"type":"object","required":["a"],"properties":{
    "a":{"type":"array","items":{"type":"object","required":["b"],"properties":{
        "b":{"type":"array","items":{"type":"string","maxLength":4}},
        "c":{"type":"integer"}}}},
    "d":{"type":"object","required":["e"],"properties":{"e":{"type":"boolean"}}}}}"#;

fn records() -> &'static [Interface; 2] {
    static RECORDS: OnceLock<[Interface; 2]> = OnceLock::new();
    RECORDS.get_or_init(|| {
        let encoding = codepage::Encoding::by_ccsid(37).expect("CCSID 37");
        [Side::Request, Side::Response].map(|side| {
            Interface::compile_record(RECORD, side, &Options::host_api(encoding)).expect("a schema")
        })
    })
}

/// A record and data areas from bytes: for each a letter that chooses its name, the bytes of an element, two bytes of
/// length, its bytes.
fn areas(mut data: &[u8]) -> (Vec<u8>, Vec<DataArea>) {
    let mut record = Vec::new();
    let mut found = Vec::new();
    while let [name, element_bytes, high, low, rest @ ..] = data {
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
        let (bytes, more) = rest.split_at(length);
        match name % 4 {
            0 => record = bytes.to_vec(),
            number => {
                let element_bytes = usize::from(*element_bytes).max(1);
                let whole = bytes.len() - bytes.len() % element_bytes;
                let name = format!("DATAAREA0000000{number}");
                found.push(DataArea { name, element_bytes, bytes: bytes[..whole].to_vec() });
            }
        }
        data = more;
    }
    (record, found)
}

fn check_record(interface: &Interface, data: &[u8]) {
    let mut json = Vec::new();
    if let Ok((record, areas)) = interface.to_record(data) {
        interface.record_to_json(record, areas, &mut json).expect("what was written can be read");
    } else {
        let (record, areas) = areas(data);
        if interface.record_to_json(record, areas, &mut json).is_err() {
            assert!(json.is_empty());
            return;
        }
    }
    serde_json::from_slice::<serde_json::Value>(&json).expect("JSON");
}

fuzz_target!(|data: &[u8]| {
    for interface in records() {
        check_record(interface, data);
    }
    for interface in interfaces() {
        let mut json = Vec::new();
        if let Ok(channel) = interface.to_channel(data) {
            interface.to_json(&channel, &mut json).expect("what was written can be read");
        } else if interface.to_json(&containers(data), &mut json).is_err() {
            assert!(json.is_empty());
            continue;
        }
        serde_json::from_slice::<serde_json::Value>(&json).expect("JSON");
        // What was read from a program may be beyond what a request may give; what is taken is stable.
        if let Ok(channel) = interface.to_channel(&json) {
            let mut again = Vec::new();
            interface.to_json(&channel, &mut again).expect("what was written can be read");
            assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&json));
        }
    }
});
