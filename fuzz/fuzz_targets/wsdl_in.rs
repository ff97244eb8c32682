//! Any text as a WSDL: faults, or copybooks that our own parser takes.
#![no_main]

use assistant::{MappingLevel, Options};
use libfuzzer_sys::fuzz_target;
use wsdl::read::{read, serve, shape};

fuzz_target!(|text: &str| {
    // Imports lead back to the text itself: circles end, too.
    let mut files = |_: &str| Ok(text.as_bytes().to_vec());
    let Ok(wsdl) = read("fuzz.wsdl", text.as_bytes().to_vec(), &mut files) else { return };
    // What can be read can be served, and what is served is the same document again.
    let served = serve("fuzz.wsdl", text.as_bytes().to_vec(), &mut files, "http://a/b").expect("documents");
    let again =
        serve("fuzz.wsdl", served.wsdl.clone().into_bytes(), &mut |_| Err(String::new()), "http://a/b");
    assert_eq!(again.expect("a document").wsdl, served.wsdl);
    let levels = [MappingLevel::V1_0, MappingLevel::V4_3];
    let rules = levels.map(|mapping_level| Options { mapping_level, ..Options::web_service("FUZZ") });
    let operations = wsdl.bindings.iter().flat_map(|binding| binding.operations.iter().flatten());
    for operation in operations {
        let elements = [operation.request.as_ref(), operation.response.as_ref().and_then(Option::as_ref)];
        for (element, options) in
            elements.into_iter().flatten().flat_map(|element| rules.iter().map(move |rule| (element, rule)))
        {
            if let Ok(made) = shape(element, options)
                .map_err(drop)
                .and_then(|shape| assistant::write(&shape, options).map_err(drop))
            {
                copybook::parse("FUZZ.cpy", &made.text, &copybook::Options::default())
                    .expect("a valid copybook");
            }
        }
    }
});
