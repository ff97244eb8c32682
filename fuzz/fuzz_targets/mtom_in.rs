//! Any bytes as a MIME package: a message or a fault. A message that is XML can be packed, and comes back as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use soap::{Mtom, Package, Packing, Version, pack};

fuzz_target!(|input: &[u8]| {
    // The content type stands before the first line end.
    let at = input.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (first, package) = input.split_at(at);
    let written = std::str::from_utf8(first).ok().and_then(Package::parse);
    let usual = || {
        Package::parse("multipart/related; boundary=b; type=\"application/xop+xml\"").expect("a content type")
    };
    let Ok((text, _)) = written.unwrap_or_else(usual).message(package) else { return };
    let (mtom, elements) = (Mtom::default(), ["a".to_owned()]);
    let packing =
        Packing { mtom: &mtom, elements: &elements, id: "f", version: Version::Soap12, action: "urn:f" };
    let packed = pack(&text, &packing).expect("a package");
    let again = Package::parse(&packed.content_type).expect("a content type");
    // What refers to parts that are not there is left as it stands. A text need not come back if its first characters
    // cannot be those of XML: without the byte order mark that it came with, they tell another encoding, or none.
    let starts_as_xml = xml::decode(text.as_bytes()).is_ok_and(|(read, _)| read == text);
    if text.contains("http://www.w3.org/2004/08/xop/include") || !starts_as_xml {
        return;
    }
    let back = again.message(&packed.body).map(|(text, _)| text.into_owned());
    assert_eq!(back.ok().as_deref(), Some(&*text));
});
