//! Interceptors of WebAssembly: reads the section and the module's file, and makes the module
//! ready.

use std::time::Duration;

use wasm::{Limits, Sandbox};

use settings::is_safe;

use super::interceptors::{ANSWER_MAX_BYTES, SectionReader};
use super::written::WasmSection;
use crate::chains::{Kind, Terms};

impl SectionReader<'_, '_> {
    /// Reads and compiles the module. It must be in the configuration's own folder, because
    /// packages may come from users who may not deploy code.
    pub(super) fn wasm(&mut self, section: &WasmSection) -> Option<Kind> {
        let terms = Terms {
            on_failure: section.on_failure.into(),
            send_headers: self.headers(&section.send_headers),
            may_set_headers: self.headers(&section.may_set_headers),
            send_body: section.send_body,
        };
        let (path, files) = (section.file.as_str(), self.loader.files);
        if section.timeout_ms == 0 {
            self.wrong("timeout_ms is 0; it must be 1 at least");
            return None;
        }
        if !is_safe(path) || files.is_packaged(path) {
            self.wrong(format!("'{path}': expected the path of a file below the configuration's folder"));
            return None;
        }
        let source = match files.read_bytes(path) {
            Ok(source) => source,
            Err(error) => {
                self.wrong(format!("{} cannot be read: {error}", files.display(path)));
                return None;
            }
        };
        let limits = Limits {
            fuel_per_call: section.fuel_per_call,
            memory_max_bytes: section.memory_max_bytes,
            answer_max_bytes: ANSWER_MAX_BYTES,
            timeout: Duration::from_millis(section.timeout_ms),
        };
        match Sandbox::compile(&source, limits) {
            Ok(sandbox) => Some(Kind::Module(Box::new((sandbox, terms)))),
            Err(error) => {
                self.faulty_module(path, &source, &error);
                None
            }
        }
    }

    /// Reports a fault in a text module at its line. For a binary module the message has the
    /// offset.
    fn faulty_module(&mut self, path: &str, source: &[u8], error: &wasm::Error) {
        let shown = self.loader.files.display(path);
        let place = error.offset().zip(std::str::from_utf8(source).ok());
        let span = place.and_then(|(offset, text)| {
            self.loader.problems.text(&shown, text);
            let width = text.get(offset..)?.chars().next().map_or(0, char::len_utf8);
            Some(offset..offset + width)
        });
        self.loader.problems.add(&shown, span, error.to_string());
    }
}
