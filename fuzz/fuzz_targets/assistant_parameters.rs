//! Any text as a stream of parameters of the assistants, or as a job that has it: errors, or a document that is XML.
#![no_main]

use libfuzzer_sys::fuzz_target;

/// What every member is.
const MEMBER: &str = "       01  NOTE.
           05  NUMBER-OF   PIC 9(4).
           05  ROWS        OCCURS 1 TO 3 DEPENDING ON NUMBER-OF.
               10  WORDS   PIC X(8).
";

fuzz_target!(|text: &str| {
    let errors_are_told = |errors: Vec<String>| assert!(!errors.is_empty());
    match soap_commands::ls2ws_document(text, &|_| Some(MEMBER.to_owned())) {
        Ok(document) => {
            roxmltree::Document::parse(&document).expect("what is written is XML");
        }
        Err(errors) => errors_are_told(errors),
    }
    let _ = soap_commands::check_ws2ls(text).map_err(errors_are_told);
});
