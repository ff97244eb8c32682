//! Tests each row of the page of exit codes.

use std::collections::BTreeSet;

use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::security::{BASIC, user};

const PAGE: &str = include_str!("../../../../../docs/reference/exit-codes.md");
const REMOTE: &str = "`gantry region`, `connector`, `queue`, `backup`, `soap scan`";
const REMOTES: [&str; 5] = ["region programs", "connector display", "queue list", "backup", "soap scan"];

/// Reads the rows of the page: the command and its code.
fn rows() -> BTreeSet<(String, i32)> {
    let cells = PAGE.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        Some((cells.next()?.to_owned(), cells.next()?.trim().parse().ok()?))
    });
    cells.collect()
}

/// Runs a command given as words; words with an @ are files in the folder.
fn code(folder: &Folder, command: &str) -> i32 {
    let root = text(folder.path());
    let words: Vec<String> = command
        .split(' ')
        .map(|word| word.strip_prefix('@').map_or(word.to_owned(), |name| format!("{root}/{name}")))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = run(&words);
    output.status.code().unwrap_or_else(|| panic!("{command}: {output:?}"))
}

/// Makes files for the commands. Most of them have a fault.
fn folder() -> Folder {
    let program = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       PROCEDURE DIVISION.\n           \
        EXEC CICS RETRN END-EXEC.\n";
    let document = r#"{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{"/free":{"post":{"operationId":"free",
        "requestBody":{"content":{"application/json":{"schema":{"type":"object"}}}},"responses":{"204":{"description":"d"}}}}}}"#;
    Folder::echo("")
        .with("R.cpy", "       01  R.\n           05  N  PIC 9(3).\n")
        .with("bad.dat", "12x")
        .with("P.cbl", program)
        .with("free.json", document)
        .with("faulty/gantry.toml", "unknown = 1\n")
        .with("broken/gantry.toml", "")
        .with("broken/packages/broken.sar", "not an archive")
}

#[test]
fn every_row_of_the_page_is_as_it_says() {
    let folder = folder();
    let mut tried = BTreeSet::new();
    let mut is = |row: &str, expected: i32, command: &str| {
        assert_eq!(code(&folder, command), expected, "{command}");
        tried.insert((row.to_owned(), expected));
    };
    is("every command", 0, "example");
    is("every command", 1, "check /no/such/folder");
    is("every command", 2, "check --no-such-option");
    is("`gantry serve --strict`", 1, "serve @broken --strict --listen 127.0.0.1:0");
    is("`gantry check`", 1, "check @faulty");
    is("`gantry record check`", 1, "record check @R.cpy @bad.dat --ccsid 819");
    is(
        "`gantry record decode`, `encode`",
        3,
        "record decode @R.cpy @bad.dat --ccsid 819 --on-error skip -o @out.jsonl",
    );
    is("`gantry program translate`", 1, "program translate @P.cbl");
    is("`gantry import requester`", 1, "import requester @free.json --into @conf --connection c");
    is("`gantry load`", 1, "load --target http://127.0.0.1:1/ --clients 1 --duration-s 0.1 --rounds 1");

    for command in REMOTES {
        is(REMOTE, 3, &format!("{command} --admin http://127.0.0.1:1"));
    }
    let nothing = Gantry::folder(folder.path());
    for command in ["region programs", "connector display NONE", "queue browse NONE"] {
        is(REMOTE, 1, &format!("{command} --admin http://{}", nothing.admin));
    }
    nothing.stop();
    is("`gantry health`", 3, "health --admin http://127.0.0.1:1");
    tried.insert(("`gantry serve`".to_owned(), 0));
    // The module `shutdown` tests requests that are cut, and asks a gateway that stops.
    tried.insert(("`gantry serve`".to_owned(), 1));
    tried.insert(("`gantry health`".to_owned(), 1));

    // The module `queues` retries messages that stay.
    tried.insert(("`gantry queue retry`".to_owned(), 1));
    // The module `queue_commands` salvages a store that has lost data.
    tried.insert(("`gantry store salvage`".to_owned(), 3));
    // The module `lab` and the tests of `load` stop runs, and test one that measures nothing.
    tried.insert(("`gantry lab run`".to_owned(), 1));
    tried.insert(("`gantry load`, `lab run`".to_owned(), 130));
    tried.extend(refused_users());
    assert_eq!(rows(), tried);
}

/// Runs commands without credentials. The gateway refuses each.
fn refused_users() -> Option<(String, i32)> {
    let folder = Folder::echo(BASIC).with("users.txt", &user("mary", "staff", "secret"));
    let gantry = Gantry::folder(folder.path());
    for command in REMOTES {
        assert_eq!(code(&folder, &format!("{command} --admin http://{}", gantry.admin)), 4, "{command}");
    }
    Some((REMOTE.to_owned(), 4))
}
