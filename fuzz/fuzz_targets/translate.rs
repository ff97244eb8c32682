//! Any text as a program with any member: findings, or a translation.
#![no_main]

use std::collections::HashMap;

use copybook::Member;
use libfuzzer_sys::fuzz_target;
use program::translate::{Settings, TerminalCommands, translate};

fuzz_target!(|texts: (&str, &str, bool)| {
    let (text, member, lenient) = texts;
    let members = HashMap::from([("M", member)]);
    let library = |name: &str, _library: Option<&str>| match members.get(name) {
        Some(text) => Ok(Member { name: name.to_owned(), text: (*text).to_owned() }),
        None => Err("it is in no folder".to_owned()),
    };
    let terminal = if lenient { TerminalCommands::FailAtRunTime } else { TerminalCommands::Refuse };
    let settings = Settings { terminal, ..Settings::default() };
    let _ = translate("FUZZ.cbl", text, &settings, &library);
});
