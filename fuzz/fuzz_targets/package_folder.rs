//! Any texts as the documents of an unpacked package or API project, so that the fuzzer need not learn to pack. The parts
//! of the input are separated by bytes 00; the first byte tells which documents they are.
#![no_main]

use libfuzzer_sys::fuzz_target;
use packages::{Given, GivenCopybook, Limits, read_folder};

const DOCUMENTS: [&[&str]; 3] = [
    &["manifest.yml", "f.si", "s.xml", "schemas/q.json"],
    &["package.xml", "api/m.xml", "api/r.map", "api-docs/swagger.json"],
    &[
        "api/openapi.yaml",
        "operations/%2Fa/get/operation.yaml",
        "operations/%2Fa/get/request.yaml",
        "operations/%2Fa/get/response_mapping.yaml",
        "zosAssets/a/zosAsset.yaml",
    ],
];

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let names = DOCUMENTS[usize::from(*kind) % DOCUMENTS.len()];
    let parts = names.iter().zip(rest.split(|byte| *byte == 0));
    let files: Vec<_> = parts.map(|(name, part)| ((*name).to_owned(), part.to_vec())).collect();
    let copybook = |name: &str| GivenCopybook {
        name: name.to_owned(),
        file: "a.cpy".to_owned(),
        text: "       01  A.\n           03  B PIC X.\n".to_owned(),
    };
    let given = Given { copybooks: vec![copybook("REQUEST"), copybook("RESPONSE")] };
    let _ = read_folder(&files, &Limits::default(), &given);
});
