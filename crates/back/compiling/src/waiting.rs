//! Whether programs wait while they hold a worker: then more workers than cores keep the cores busy.

use codepage::CodePage;
use settings::Files;

use program::FOLDER;

/// Commands that wait for a time, for another task, or for what is outside of the region.
const WAITING: [&str; 5] = ["DELAY", "FETCH", "INVOKE", "RUN", "WAIT"];

/// How the names of the programs begin that call APIs (BAQCSTUB and those of the Host API).
const API_CALLS: &str = "BAQC";

/// True if the source of a program has something to wait for. Members that it copies are not read: this is about a default.
#[must_use]
pub fn any_waits(files: &Files, page: &'static CodePage) -> bool {
    let is_source = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.ends_with(".cbl") || name.ends_with(".cob")
    };
    let names = files.list(FOLDER).unwrap_or_default();
    let sources = names.iter().filter(|name| is_source(name));
    sources
        .filter_map(|name| files.read_source(&format!("{FOLDER}/{name}"), page).ok())
        .any(|text| waits(&text))
}

fn waits(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    // The seventh column of a comment has a star or a slash.
    let code = upper.lines().filter(|line| !matches!(line.as_bytes().get(6), Some(b'*' | b'/')));
    let mut before = ("", "");
    for word in code.flat_map(str::split_whitespace) {
        let command = word.split('(').next().unwrap_or_default();
        if before == ("EXEC", "CICS") && WAITING.contains(&command) {
            return true;
        }
        if before.1 == "CALL" && word.trim_start_matches(['\'', '"']).starts_with(API_CALLS) {
            return true;
        }
        before = (before.1, word);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_wait_are_found() {
        for text in [
            "           EXEC CICS DELAY INTERVAL(1) END-EXEC.",
            "           exec cics\n             fetch child(A) end-exec.",
            "           CALL 'BAQCSTUB' USING A.",
            "           CALL \"BAQCEXEC\" USING A.",
        ] {
            assert!(waits(text), "{text}");
        }
        for text in [
            "           EXEC CICS LINK PROGRAM('DELAY') END-EXEC.",
            "      *    EXEC CICS DELAY END-EXEC.",
            "           MOVE DELAY TO A. CALL 'SUB'.",
        ] {
            assert!(!waits(text), "{text}");
        }
    }
}
