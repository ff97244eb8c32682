//! Any bytes as a request in XML: an error, or a record that gives XML which gives the record again. What roxmltree
//! refuses is refused.
#![no_main]

mod bind;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|xml: &[u8]| {
    let bind = bind::bind();
    let (mut record, mut again, mut document) = (Vec::new(), Vec::new(), Vec::new());
    if bind.encode_xml(xml, &mut record).is_ok() {
        if let Ok(text) = std::str::from_utf8(xml) {
            roxmltree::Document::parse(text).expect("what is taken is XML");
        }
        bind.decode_xml(&record, &mut document).expect("what was encoded is decoded");
        bind.encode_xml(&document, &mut again).expect("and encoded");
        assert_eq!(record, again);
    }
});
