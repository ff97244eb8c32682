//! Any text as a distinguished name of a directory, and as a caller's word in a filter and in a name.
#![no_main]

use directory::{Escape, Pattern, first_value, is_below};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = (first_value(text), is_below(text, "ou=groups,dc=test"), is_below(text, text));
    let filter = Pattern::parse("(uid={user})", "user", Escape::Filter).expect("a filter");
    let filled = filter.fill(text);
    let word =
        filled.strip_prefix("(uid=").and_then(|rest| rest.strip_suffix(')')).expect("the filter's own");
    assert!(!word.contains(['(', ')', '*', '\0']), "{filled}");
    let name = Pattern::parse("uid={user},dc=test", "user", Escape::Name).expect("a name");
    if !text.is_empty() {
        assert_eq!(first_value(&name.fill(text)).as_deref(), Some(text));
    }
    let _ = Pattern::parse(text, "user", Escape::Filter);
});
