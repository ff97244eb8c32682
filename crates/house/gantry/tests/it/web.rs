//! Tests programs that answer requests over HTTP themselves: `[[urimap]]` and EXEC CICS WEB. They need GnuCOBOL 3.

use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::security::{BASIC, JOHN, MARY, user};

const PROGRAM: &str = include_str!("web/WEBCASE.cbl");

/// A configuration with the program at `/web/*`. `more` goes to the end of gantry.toml.
fn folder(more: &str) -> Folder {
    let folder = Folder::empty();
    let cache = format!("{}/.cache", text(folder.path()));
    let gantry = format!(
        "[server]\nreload_poll_ms = 0\n[region]\ncache = \"{cache}\"\n[[urimap]]\nname = \"CASES\"\npath = \"/web/*\"\nprogram = \"WEBCASE\"\ntransaction = \"WEBT\"\n{more}"
    );
    folder.with("gantry.toml", &gantry).with("programs/WEBCASE.cbl", PROGRAM)
}

const TEXT: &str = "content-type: text/plain; charset=utf-8\r\n";

#[test]
fn a_program_sees_its_request_and_answers_it() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.request(b"GET /web/extract?a=1%20b&c HTTP/1.1\r\nhost: localhost:81\r\n\r\n");
    assert_eq!(
        (answer.status, answer.text()),
        (200, "GET HTTP/1.1 a=1%20b&c localhost CASES    127.0.0.1 YES 81 [22/5]/we")
    );
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=iso-8859-1"));
    let answer = gantry.get("/web/none");
    assert_eq!((answer.status, answer.text()), (404, "/web/none"));
    // A method that programs do not get, and a path that nobody has.
    gantry.send("TRACE", "/web/none", "", "").fails(405, "GTY0405W");
    gantry.get("/web").fails(404, "GTY0404W");
    assert!(
        gantry.metric("gantry_requests_total{api=\"CASES\",operation=\"request\",status=\"200\"}") >= 1.0
    );
}

#[test]
fn bodies_are_received_and_sent_in_their_character_sets() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let echo = |headers: &str, body: &str| gantry.send("POST", "/web/echo", headers, body);
    let answer = echo(TEXT, "caf\u{e9}");
    assert_eq!((answer.status, answer.text()), (201, "caf\u{e9}"));
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    let answer = echo("content-type: application/json\r\n", "{\"a\":\"\u{e9}\"}");
    assert_eq!(
        (answer.text(), answer.header("content-type")),
        ("{\"a\":\"\u{e9}\"}", Some("application/json"))
    );
    // Without a character set it is that of the URIMAP: each byte is a character.
    let answer = echo("content-type: text/plain\r\n", "\u{e9}");
    assert_eq!((answer.status, &*answer.body), (201, "\u{e9}".as_bytes()));
    let answer = echo("content-type: text/plain; charset=nonsense\r\n", "a");
    assert_eq!(answer.text(), "[16/45]");
    let answer = gantry.get("/web/json");
    assert_eq!((answer.text(), answer.header("content-type")), ("\"\u{e9}\"", Some("application/json")));
    // Bytes are not converted, whatever their type.
    let answer = gantry.send("POST", "/web/bytes", "content-type: image/png\r\n", "\u{20ac}\u{0}x");
    assert_eq!((&*answer.body, answer.header("connection")), ("\u{20ac}\u{0}x".as_bytes(), Some("close")));
    assert_eq!(gantry.send("POST", "/web/pieces", TEXT, "abcdefgh").text(), "abcd|efgh||");
    assert_eq!(gantry.send("POST", "/web/pieces", TEXT, "abcdef").text(), "abcd|ef|");
    assert_eq!(gantry.send("POST", "/web/cut", TEXT, "abcdef").text(), "[22/57] 6 [22/1]");
    let answer = gantry.send("POST", "/web/container", "content-type: text/plain\r\n", "\u{e9}");
    assert_eq!(answer.text(), "\u{c3}\u{a9}");
}

#[test]
fn headers_and_forms_are_read_and_headers_are_written() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let request = "GET /web/headers HTTP/1.1\r\nhost: localhost\r\nx-mine: a b\r\nx-other: \u{e9}\r\n\r\n";
    let answer = gantry.request(request.as_bytes());
    let expected = b"{a b}[13/1][22/2][16/4][21/10] host=localhost x-mine=a b x-other=\xe9[20/0]";
    assert_eq!(String::from_utf8_lossy(&answer.body), String::from_utf8_lossy(expected));
    let yours: Vec<&str> =
        answer.headers.iter().filter(|(name, _)| name == "x-yours").map(|(_, value)| &**value).collect();
    assert_eq!(yours, ["one two", "three"]);
    assert_eq!(
        gantry.get("/web/form?city=New+York&b=2%26").text(),
        "{New York}[0/0] city=New York b=2&[0/0] b=2&"
    );
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    assert_eq!(
        gantry.send("POST", "/web/form?b=3", form, "city=%C9&a=1").body,
        b"{\xc9}[0/0] city=\xc9 a=1[0/0] b=3"
    );
    let parts = "content-type: multipart/form-data; boundary=xx\r\n";
    let body = "--xx\r\ncontent-disposition: form-data; name=\"city\"\r\n\r\nRome\r\n--xx--\r\n";
    assert_eq!(gantry.send("POST", "/web/form", parts, body).text(), "{Rome}[0/0] city=Rome[13/1]");
    assert_eq!(gantry.send("POST", "/web/form", TEXT, "city=1").text(), "[16/153][16/153][13/1]");
}

#[test]
fn documents_chunks_and_several_answers_are_sent() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.get("/web/document");
    assert_eq!(
        (answer.text(), answer.header("content-type")),
        ("<p>\u{e9}</p>", Some("text/html; charset=UTF-8"))
    );
    let answer = gantry.get("/web/chunks");
    assert_eq!((answer.status, answer.text()), (203, "[16/75\u{e9}"));
    let answer = gantry.get("/web/twice");
    assert_eq!((answer.status, answer.text(), answer.header("x-first")), (200, "second", None));
    assert_eq!(gantry.get("/web/again").text(), "first");
    let answer = gantry.get("/web/empty");
    assert_eq!((answer.status, answer.text()), (204, ""));
    let mut client = gantry.connect();
    client.send(b"HEAD /web/nowhere HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let head = client.rest();
    assert!(
        head.starts_with("HTTP/1.1 404 Not here\r\n") && head.contains("content-length: 12\r\n"),
        "{head}"
    );
    assert!(head.ends_with("\r\n\r\n"), "{head}");
}

#[test]
fn what_cannot_be_sent_is_refused_and_faults_show_nothing() {
    let folder = folder("timeout_ms = 3000\n[limits]\nrequest_body_max_bytes = 2000\n");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(
        gantry.get("/web/wrong").text(),
        "[16/103][16/103][16/103][16/74][16/72][16/73][16/32][16/45][22/1][13/1]"
    );
    for path in ["/web/abend", "/web/late"] {
        let answer = gantry.get(path);
        assert!(!answer.text().to_lowercase().contains("secr"), "{}", answer.text());
        answer.fails(500, "GTY0509E");
    }
    gantry.get("/web/nothing").fails(500, "GTY0519E");
    gantry.get("/web/sleep").fails(504, "BAQR0405I");
    // What is sent stands, though the task fails.
    let answer = gantry.get("/web/sent");
    assert_eq!((answer.status, answer.text()), (200, "sent"));
    gantry.send("POST", "/web/echo", TEXT, &"x".repeat(2001)).fails(413, "GTY0413W");
    let log = gantry.stop();
    assert!(log.contains("abend SECR in program WEBCASE"), "{log}");
}

#[test]
fn apis_come_first_and_the_most_specific_path_wins() {
    let folder = folder(
        "[[urimap]]\nname = \"EXACT\"\npath = \"/web/extract\"\nhost = \"other.example\"\nprogram = \"WEBCASE\"\n[[urimap]]\nname = \"ALL\"\npath = \"/*\"\nprogram = \"WEBCASE\"\n[[urimap]]\nname = \"GONE\"\npath = \"/gone\"\nprogram = \"MISSING\"\n",
    )
    .with("copybooks/NOTE.cpy", crate::folder::NOTE)
    .with("services/echo.toml", &crate::folder::service("echo", ""))
    .with("apis/echo/api.toml", crate::folder::ECHO_API);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    gantry.get("/echo/7").fails(405, "GTY0405W");
    let map = |path: &str| gantry.get(path).text().split(' ').nth(4).unwrap_or_default().to_owned();
    assert_eq!(map("/web/extract?q"), "CASES");
    let answer = gantry.get("/elsewhere");
    assert_eq!((answer.status, answer.text()), (404, "/elsewhere"));
    gantry.get("/gone").fails(503, "GTY0513E");
}

#[test]
fn callers_are_admitted_as_those_of_apis_are() {
    let folder = folder(&format!("security = {{ roles = {{ invoke = [\"staff\"] }} }}\n{BASIC}"))
        .with("users.txt", &format!("{}{}", user("mary", "staff", "secret"), user("john", "", "word")));
    let gantry = Gantry::folder(folder.path());
    let ask = |headers: &str| gantry.send("GET", "/web/headers", headers, "");
    ask("").fails(401, "GTY0432W");
    ask(JOHN).fails(403, "BAQR0406W");
    let answer = ask(&format!("{MARY}x-mine: a\r\n"));
    // The program does not see what the gateway has checked.
    assert!(answer.status == 200 && !answer.text().contains("Basic"), "{}", answer.text());
    assert!(answer.text().starts_with("{a}"), "{}", answer.text());
}

#[test]
fn wrong_sections_are_told_at_their_lines() {
    for (more, expected) in [
        (
            "[[urimap]]\nname = \"CASES\"\npath = \"/x\"\nprogram = \"WEBCASE\"\n",
            "'CASES' is already the name",
        ),
        (
            "[[urimap]]\nname = \"B\"\npath = \"/web/*\"\nprogram = \"WEBCASE\"\n",
            "another [[urimap]] has the path /web/*",
        ),
        ("[[urimap]]\nname = \"TOOLONGNAME\"\npath = \"/x\"\nprogram = \"WEBCASE\"\n", "1 to 8 letters"),
        ("[[urimap]]\nname = \"B\"\npath = \"x*y\"\nprogram = \"WEBCASE\"\n", "path is 'x*y'"),
        (
            "[[urimap]]\nname = \"B\"\npath = \"/x\"\nprogram = \"TOOLONGNAME\"\n",
            "program of 1 to 8 characters",
        ),
        ("[[urimap]]\nname = \"B\"\npath = \"/x\"\nhost = \"a:1\"\nprogram = \"WEBCASE\"\n", "host is 'a:1'"),
        ("charset = \"klingon\"\n", "'klingon' is not a character set"),
        ("usage = \"SERVER\"\n", "'SERVER' is not known here: expected 'server' or 'client'"),
    ] {
        let folder = folder(more);
        let output = run(&["check", text(folder.path())]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains(expected) && said.contains("gantry.toml:"),
            "{expected}: {said}"
        );
    }
}
