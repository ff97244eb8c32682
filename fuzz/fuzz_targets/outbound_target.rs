//! Any text as the URL of a connection, as a path with parameters, and as their values.
#![no_main]

use libfuzzer_sys::fuzz_target;
use remote::{Base, PathTemplate, header_value, push_query};

fuzz_target!(|text: &str| {
    let (template, value) = text.split_once('\n').unwrap_or((text, ""));
    let _ = Base::parse(text);
    if let Ok(value) = header_value(value) {
        assert!(!value.as_bytes().contains(&b'\n') && !value.as_bytes().contains(&b'\r'));
    }
    let Ok(template) = PathTemplate::parse(template) else { return };
    let mut target = String::new();
    let values = vec![value; template.names().count()];
    if template.fill(values, &mut target).is_ok() && push_query(&mut target, "q", value).is_ok() {
        assert!(target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic()));
    }
});
