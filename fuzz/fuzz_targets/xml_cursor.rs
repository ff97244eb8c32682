//! Any text through the cursor of XML: names, namespaces, attributes and texts are those that roxmltree finds, and what
//! roxmltree refuses is refused. Any bytes: text, or an error.
#![no_main]

#[path = "../../crates/text/xml/tests/it/oracle.rs"]
mod oracle;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = xml::declared_charset(bytes);
    if let Ok((text, _)) = xml::decode(bytes) {
        // A mark in the middle of the text is one of its characters.
        if !text.starts_with('\u{feff}') {
            oracle::compare(&text);
        }
    }
});
