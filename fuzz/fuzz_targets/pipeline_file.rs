//! Any text as a pipeline file: a pipeline, or findings with their lines.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match pipeline::file::parse(text) {
        Ok(pipeline) => assert!(pipeline.programs().count() <= pipeline::file::PIPELINE_PROGRAMS_MAX),
        Err(findings) => {
            let lines = text.lines().count().max(1);
            assert!(!findings.is_empty());
            assert!(findings.iter().all(|finding| finding.line >= 1 && finding.line <= lines + 1));
        }
    }
});
