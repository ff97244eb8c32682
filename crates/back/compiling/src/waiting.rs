//! Whether programs wait while they hold a worker: then more workers than cores keep the cores busy.

use codepage::CodePage;
use settings::Files;

use program::FOLDER;
use program::reachable::MESSAGE_QUEUES;

/// Commands that wait for a time, for another task, or for something outside of the region.
const WAITING: [&str; 5] = ["DELAY", "FETCH", "INVOKE", "RUN", "WAIT"];

/// The beginning of the names of programs that call APIs (BAQCSTUB and those of the Host API).
const API_CALLS: &str = "BAQC";

/// True if the source of a program has something to wait for. Members that it copies are not read: this is about a default.
#[must_use]
pub fn any_waits(files: &Files, page: &'static CodePage) -> bool {
    sources(files, page).any(|(_, text)| waits(&text))
}

/// The first call of a queue manager in a source: the path of the source, the line, and the name that is called. Members that
/// it copies are not read.
#[must_use]
pub fn first_queue_call(files: &Files, page: &'static CodePage) -> Option<(String, usize, &'static str)> {
    sources(files, page).find_map(|(path, text)| {
        let (line, name) = queue_call(&text)?;
        Some((path, line, name))
    })
}

/// The sources of programs with their paths.
fn sources<'f>(files: &'f Files, page: &'static CodePage) -> impl Iterator<Item = (String, String)> + 'f {
    let is_source = |name: &String| {
        let name = name.to_ascii_lowercase();
        name.ends_with(".cbl") || name.ends_with(".cob")
    };
    let names = files.list(FOLDER).unwrap_or_default().into_iter().filter(is_source);
    names.filter_map(move |name| {
        let path = format!("{FOLDER}/{name}");
        files.read_source(&path, page).ok().map(|text| (path, text))
    })
}

/// The line and the name of the first CALL of the Message Queue Interface.
fn queue_call(text: &str) -> Option<(usize, &'static str)> {
    let mut before = String::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !is_comment(line)) {
        for word in line.to_ascii_uppercase().split_whitespace() {
            let called = word.trim_matches(['\'', '"', '.', ',']);
            let known = MESSAGE_QUEUES.iter().find(|name| **name == called);
            if let Some(name) = known.filter(|_| before == "CALL" && word.starts_with(['\'', '"'])) {
                return Some((number + 1, name));
            }
            before = word.to_owned();
        }
    }
    None
}

/// The seventh column of a comment has a star or a slash.
fn is_comment(line: &str) -> bool {
    matches!(line.as_bytes().get(6), Some(b'*' | b'/'))
}

fn waits(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    let code = upper.lines().filter(|line| !is_comment(line));
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
    fn calls_of_queues_are_found_with_their_lines() {
        let text = "      *    CALL 'MQGET'.\n           MOVE 'MQPUT' TO A.\n           CALL\n             'mqput' USING A.\n";
        assert_eq!(queue_call(text), Some((4, "MQPUT")));
        assert_eq!(queue_call("           CALL \"MQOPEN\".\n"), Some((1, "MQOPEN")));
        assert_eq!(queue_call("           CALL 'MQFILE' USING A. CALL MQPUT.\n"), None);
    }

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
