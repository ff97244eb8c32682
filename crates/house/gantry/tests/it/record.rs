//! Tests `gantry record` as users run it: files in, files out, exit codes, and messages about
//! faulty files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use crate::process::{run, run_unread, text};

const COPYBOOK: &str = "       01  ACCOUNT.
           05  ID-NO       PIC 9(4).
           05  OWNER       PIC X(6).
           05  OWNER-PARTS REDEFINES OWNER.
               10  FIRST-HALF  PIC X(3).
               10  SECOND-HALF PIC 9(3).
           05  BALANCE     PIC S9(5)V99 COMP-3.
           05  ROWS        PIC 9.
           05  ITEM        OCCURS 0 TO 3 DEPENDING ON ROWS.
               10  CODE-X  PIC X(2).
               10  PIECES  PIC 9.
";

const LINES: &str = "{\"id_no\":1,\"owner\":\"ANNA\",\"balance\":-12.5,\"item\":[{\"code_x\":\"A1\",\"pieces\":2}]}\n\
                     {\"id_no\":2,\"owner\":\"B,ERT\",\"balance\":99999.99}\n\
                     {\"id_no\":3,\"owner\":\"C\",\"balance\":0,\"item\":[{\"code_x\":\"\",\"pieces\":0},{\"code_x\":\"B2\",\"pieces\":9}]}\n";

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let folder = Self(TempDir::new().expect("a folder"));
        folder.write("ACCOUNT.cpy", COPYBOOK.as_bytes());
        folder.write("accounts.jsonl", LINES.as_bytes());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("a file");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("the file is there")
    }

    /// Runs a subcommand on the copybook and a file.
    fn record(&self, command: &str, file: &str, options: &[&str]) -> Output {
        let (copybook, file) = (self.path("ACCOUNT.cpy"), self.path(file));
        run(&[&["record", command, text(&copybook), text(&file)], options].concat())
    }

    /// Does the same, into a file.
    #[track_caller]
    fn convert(&self, command: &str, from: &str, to: &str, options: &[&str]) {
        let target = self.path(to);
        let output = self.record(command, from, &[&["-o", text(&target)], options].concat());
        assert!(output.status.success(), "{}", said(&output));
    }

    /// Makes a file of the three records. Their counters give the lengths.
    fn accounts(&self) -> Vec<u8> {
        self.convert("encode", "accounts.jsonl", "accounts.dat", &["--recfm", "odo"]);
        self.read("accounts.dat")
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn shown(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_form_and_format_comes_back() {
    let folder = Files::new();
    let accounts = folder.accounts();
    for (name, format) in [
        ("vb", ["--recfm", "vb"].as_slice()),
        ("vb-blocks", &["--recfm", "vb", "--bdw", "--blksize", "64"]),
        ("vbs", &["--recfm", "vbs", "--bdw", "--blksize", "24"]),
        ("gnucobol", &["--recfm", "gnucobol"]),
        ("rdw-le", &["--recfm", "rdw-le"]),
    ] {
        folder.convert("encode", "accounts.jsonl", name, format);
        folder.convert("decode", name, "back.jsonl", format);
        assert_eq!(folder.read("back.jsonl"), LINES.as_bytes(), "{name}");
    }
    let odo = ["--recfm", "odo"];
    for name in ["accounts.json", "accounts.csv", "accounts.xml"] {
        folder.convert("decode", "accounts.dat", name, &odo);
        folder.convert("encode", name, "again.dat", &odo);
        assert_eq!(folder.read("again.dat"), accounts, "{name}");
    }
    let csv = String::from_utf8(folder.read("accounts.csv")).expect("UTF-8");
    assert!(csv.starts_with("id_no,owner,balance,item[],item[0].code_x,"), "{csv}");
    assert!(csv.contains("\r\n2,\"B,ERT\",99999.99,,,,,,,\r\n"), "{csv}");
    let threads =
        folder.record("decode", "accounts.dat", &["--recfm", "odo", "--threads", "2", "--to", "jsonl"]);
    assert_eq!(shown(&threads), LINES);
}

#[test]
fn layout_shows_offsets_views_tables_and_condition_names() {
    let folder = Files::new();
    let text_of = COPYBOOK.replace(
        "ROWS        PIC 9.",
        "ROWS        PIC 9.\n               88 NO-ROWS VALUE 0.\n               88 SOME-ROWS VALUE 1 THRU 3.",
    );
    folder.write("WITH88.cpy", text_of.as_bytes());
    let output = run(&["record", "layout", text(&folder.path("WITH88.cpy"))]);
    let words: Vec<String> =
        shown(&output).lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "offset start end bytes field type",
        "0 1 24 24 01 ACCOUNT group",
        "0 1 4 4 05 ID-NO zoned, 4 digits",
        "4 5 10 6 05 OWNER text",
        "4 5 10 6 05 OWNER-PARTS group, redefines OWNER",
        "4 5 7 3 10 FIRST-HALF text",
        "7 8 10 3 10 SECOND-HALF zoned, 3 digits",
        "10 11 14 4 05 BALANCE signed packed, 7 digits, scale 2",
        "14 15 15 1 05 ROWS zoned, 1 digit",
        "88 NO-ROWS 0",
        "88 SOME-ROWS 1 to 3",
        "15 16 18 3 05 ITEM group, 0 to 3 times depending on ROWS",
        "15 16 17 2 10 CODE-X text",
        "17 18 18 1 10 PIECES zoned, 1 digit",
    ];
    assert_eq!(words, expected);
}

#[test]
fn an_xml_document_with_a_record_that_does_not_fit() {
    let folder = Files::new();
    folder.accounts();
    folder.convert("decode", "accounts.dat", "accounts.xml", &["--recfm", "odo"]);
    let document = String::from_utf8(folder.read("accounts.xml")).expect("UTF-8");
    let faulty = document.replace("<id_no>2</id_no>", "<id_no>two</id_no>");
    assert_ne!(faulty, document);
    folder.write("faulty.xml", faulty.as_bytes());
    let target = folder.path("some.dat");
    let options = ["--recfm", "odo", "--on-error", "report", "-o", text(&target)];
    let output = folder.record("encode", "faulty.xml", &options);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("id_no"), "{}", said(&output));
    folder.convert("decode", "some.dat", "some.jsonl", &["--recfm", "odo"]);
    assert_eq!(String::from_utf8(folder.read("some.jsonl")).expect("UTF-8").lines().count(), 2);
    folder.write("cut.xml", &faulty.as_bytes()[..faulty.len() / 2]);
    assert_eq!(folder.record("encode", "cut.xml", &options).status.code(), Some(1));
}

#[test]
fn options_for_the_view() {
    let folder = Files::new();
    let accounts = folder.accounts();
    let views = ["--when", "OWNER=ID-NO:1,2", "--when", "OWNER-PARTS=ID-NO:9", "--recfm", "odo"];
    let unmatched = folder.record("decode", "accounts.dat", &views);
    assert!(said(&unmatched).contains("record 3: owner: no view matches the value"), "{}", said(&unmatched));
    folder.convert("decode", "accounts.dat", "views.jsonl", &[views.as_slice(), &["--lenient"]].concat());
    let lines = String::from_utf8(folder.read("views.jsonl")).expect("UTF-8");
    assert!(lines.lines().nth(1).is_some_and(|line| line.contains("B,ERT")), "{lines}");
    assert!(lines.lines().nth(2).is_some_and(|line| !line.contains("owner")), "{lines}");
    let mut bad = accounts;
    bad[..4].copy_from_slice(&[0x40; 4]);
    folder.write("bad.dat", &bad);
    assert_eq!(folder.record("decode", "bad.dat", &["--recfm", "odo"]).status.code(), Some(1));
    let lenient = folder.record("decode", "bad.dat", &["--recfm", "odo", "--lenient"]);
    assert!(shown(&lenient).starts_with("{\"id_no\":null,"), "{}", shown(&lenient));
    for (options, said_so) in [
        (["--when", "OWNER"], "--when is VIEW=FIELD:VALUE"),
        (["--date", "OWNER=YYYY"], "needs a year, month and day"),
        (["--include", "NONE"], "the copybook has no field 'NONE'"),
        (["--ccsid", "9"], "CCSID 9 is not known"),
    ] {
        let output = folder.record("decode", "accounts.dat", &options);
        assert!(said(&output).contains(said_so), "{}", said(&output));
    }
    let xsd = run(&["record", "schema", text(&folder.path("ACCOUNT.cpy")), "--xsd"]);
    assert!(shown(&xsd).contains("<xs:element name=\"balance\""), "{}", shown(&xsd));
}

#[test]
fn portions() {
    let folder = Files::new();
    folder.accounts();
    let options = ["--recfm", "odo", "--skip", "1", "--skip-last", "1"];
    let output = folder.record("decode", "accounts.dat", &options);
    assert_eq!(shown(&output), LINES.lines().nth(1).expect("a line").to_owned() + "\n");
    let output = folder.record("decode", "accounts.dat", &["--recfm", "odo", "--limit", "1"]);
    assert_eq!(shown(&output).lines().count(), 1);
}

/// Makes three records. The second has no number in its first field.
fn faulty(folder: &Files) {
    folder.convert("encode", "accounts.jsonl", "faulty.dat", &["--recfm", "vb"]);
    let mut bytes = folder.read("faulty.dat");
    let second = usize::from(bytes[1]);
    bytes[second + 4..second + 8].copy_from_slice(b"\x40\x40\x40\x40");
    folder.write("faulty.dat", &bytes);
}

#[test]
fn a_record_that_does_not_fit() {
    let folder = Files::new();
    faulty(&folder);
    let stopped = folder.record("decode", "faulty.dat", &["--recfm", "vb"]);
    assert_eq!((stopped.status.code(), shown(&stopped).lines().count()), (Some(1), 1));
    assert!(
        said(&stopped).contains("record 2: id_no: the bytes 40 40 40 40 are not a number"),
        "{}",
        said(&stopped)
    );

    let rejects = folder.path("rejects.dat");
    let options = ["--recfm", "vb", "--on-error", "skip", "--rejects", text(&rejects)];
    let skipped = folder.record("decode", "faulty.dat", &options);
    assert_eq!((skipped.status.code(), shown(&skipped).lines().count()), (Some(3), 2));
    assert!(
        said(&skipped).starts_with("gantry: 1 of 3 records left out; they are in "),
        "{}",
        said(&skipped)
    );
    // The file of rejects has the same format.
    let explained = folder.record("explain", "rejects.dat", &["--recfm", "vb"]);
    assert!(shown(&explained).contains("\"B,ERT\""), "{}", shown(&explained));

    let reported =
        folder.record("decode", "faulty.dat", &["--recfm", "vb", "--on-error", "report", "--quiet"]);
    assert_eq!(reported.status.code(), Some(3));
    assert!(said(&reported).starts_with("record 2: id_no: "), "{}", said(&reported));

    let refused = folder.record("decode", "faulty.dat", &["--recfm", "vb", "--rejects", text(&rejects)]);
    assert!(said(&refused).contains("--rejects needs --on-error skip or report"), "{}", said(&refused));
}

#[test]
fn what_the_copybook_does_not_describe_is_kept_with_rejected_records() {
    let folder = Files::new();
    let file = b"\x40\x40\x40\x40\xc1\xc2\xf0\xf0\xf0\xf1\xc3\xc4";
    folder.write("fixed.dat", file);
    folder.write("ID.cpy", b"       01 R. 05 ID-NO PIC 9(4).\n");
    let rejects = folder.path("rejects.dat");
    let (copybook, data) = (folder.path("ID.cpy"), folder.path("fixed.dat"));
    for threads in ["1", "2"] {
        let output = run(&[
            &["record", "decode", text(&copybook), text(&data), "--lrecl", "6", "--threads", threads],
            ["--on-error", "skip", "--rejects", text(&rejects)].as_slice(),
        ]
        .concat());
        assert_eq!((output.status.code(), shown(&output).as_str()), (Some(3), "{\"id_no\":1}\n"));
        assert!(said(&output).contains("the copybook does not describe the last 2 bytes of each record"));
        assert_eq!(folder.read("rejects.dat"), &file[..6]);
    }
    let output = run(&["record", "explain", text(&copybook), text(&data), "--lrecl", "6", "-n", "2"]);
    assert!(shown(&output).contains("(beyond)"), "{}", shown(&output));
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn a_text_that_does_not_fit() {
    let folder = Files::new();
    folder.write("wrong.jsonl", b"{\"id_no\":1}\n{\"id_no\":12345}\n{\"id_no\":3}\n");
    let (rejects, target) = (folder.path("rejects.jsonl"), folder.path("out.dat"));
    let stopped = folder.record("encode", "wrong.jsonl", &["--recfm", "vb", "-o", text(&target)]);
    assert_eq!(stopped.status.code(), Some(1));
    assert!(said(&stopped).contains("line 2: id_no: "), "{}", said(&stopped));
    let options = ["--recfm", "vb", "-o", text(&target), "--on-error", "skip", "--rejects", text(&rejects)];
    let skipped = folder.record("encode", "wrong.jsonl", &options);
    assert_eq!(skipped.status.code(), Some(3));
    assert_eq!(folder.read("rejects.jsonl"), b"{\"id_no\":12345}\n");
    assert_eq!(folder.read("out.dat").len(), 2 * (4 + 4 + 6 + 4 + 1));
}

/// The file of rejects can be read again, as the input was read.
#[test]
fn texts_that_do_not_fit_keep_their_form() {
    let folder = Files::new();
    folder.write("ID.cpy", b"       01 R. 05 ID-NO PIC 9(4). 05 NAME-X PIC X(3).\n");
    let (copybook, rejects, target) = (folder.path("ID.cpy"), folder.path("rejects"), folder.path("out.dat"));
    let json =
        b"\xEF\xBB\xBF[ {\"id_no\":1,\"name_x\":\"a\"},\n  {\n \"id_no\": 12345,\n \"name_x\": \"b\" }\n]";
    let csv = b"name_x,id_no\r\n a,1\r\n\" b,\n\",12345 \r\nc,3\r\n";
    let xml = b"<list><r><id_no>1</id_no></r>\n<!-- --><r>\n<id_no>12345</id_no> </r><!-- --><r><id_no>3</id_no></r></list>";
    let utf_16: Vec<u8> =
        "\u{feff}<l><r><id_no>12345</id_no></r></l>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    // A broken string must not become a whole one.
    let broken = b"[{\"id_no\":1,\"name_x\":\"a\nb\"}]";
    for (form, input, kept) in [
        ("json", broken.as_slice(), b"{\"id_no\":1,\"name_x\":\"a\nb\"}\n".as_slice()),
        ("xml", &utf_16, b"<records>\n<r><id_no>12345</id_no></r>\n</records>"),
        ("json", json.as_slice(), b"{  \"id_no\": 12345,  \"name_x\": \"b\" }\n".as_slice()),
        ("csv", csv, b"name_x,id_no\n\" b,\n\",12345 \n"),
        ("xml", xml, b"<list>\n<r>\n<id_no>12345</id_no> </r>\n</list>"),
    ] {
        folder.write("input", input);
        let encode = |input: &str, more: &[&str]| {
            let input = folder.path(input);
            let own =
                ["record", "encode", text(&copybook), text(&input), "-o", text(&target), "--from", form];
            run(&[own.as_slice(), &["--on-error", "skip"], more].concat())
        };
        let skipped = encode("input", &["--rejects", text(&rejects)]);
        assert_eq!(skipped.status.code(), Some(3), "{form}: {}", said(&skipped));
        let found = folder.read("rejects");
        assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(kept), "{form}");
        let again = encode("rejects", &[]);
        assert!(said(&again).contains("left out"), "{form}: {}", said(&again));
    }
}

/// A run that ends at a fault leaves the file as it was, and no other file.
#[test]
fn a_fault_leaves_the_old_output() {
    let folder = Files::new();
    faulty(&folder);
    folder.write("wrong.jsonl", b"{\"id_no\":1}\n{\"id_no\":12345}\n");
    folder.write("old.out", b"old");
    let (old, new) = (folder.path("old.out"), folder.path("new.out"));
    for (command, input) in [("encode", "wrong.jsonl"), ("decode", "faulty.dat")] {
        for output in [&old, &new] {
            let stopped = folder.record(command, input, &["--recfm", "vb", "-o", text(output)]);
            assert_eq!(stopped.status.code(), Some(1), "{}", said(&stopped));
        }
    }
    assert_eq!(folder.read("old.out"), b"old");
    let entries = fs::read_dir(folder.0.path()).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["ACCOUNT.cpy", "accounts.jsonl", "faulty.dat", "old.out", "wrong.jsonl"]);
}

#[test]
fn rejects_never_go_into_the_input_or_the_output() {
    let folder = Files::new();
    folder.write("wrong.jsonl", b"{\"id_no\":12345}\n");
    let (input, output) = (folder.path("wrong.jsonl"), folder.path("out.dat"));
    for (rejects, expected) in [(&input, "wrong.jsonl is read"), (&output, "out.dat gets the output")] {
        let options =
            ["--recfm", "vb", "--on-error", "skip", "-o", text(&output), "--rejects", text(rejects)];
        let refused = folder.record("encode", "wrong.jsonl", &options);
        assert_eq!(refused.status.code(), Some(1));
        assert!(said(&refused).contains(expected), "{}", said(&refused));
        assert_eq!(folder.read("wrong.jsonl"), b"{\"id_no\":12345}\n");
    }
    let nothing = ["--recfm", "vb", "--on-error", "skip", "-o", "/dev/null", "--rejects", "/dev/null"];
    assert_eq!(folder.record("encode", "wrong.jsonl", &nothing).status.code(), Some(3));
}

#[test]
fn check_counts_by_field() {
    let folder = Files::new();
    faulty(&folder);
    let output = folder.record("check", "faulty.dat", &["--recfm", "vb"]);
    assert_eq!(output.status.code(), Some(1));
    let said = said(&output);
    assert!(said.starts_with("id_no: 1 record\n    record 2: id_no: the bytes 40 40 40 40"), "{said}");
    assert!(said.contains("(record offset 0), 40 40 40 40 '    '\n"), "{said}");
    assert!(said.contains("1 of 3 records do not fit the copybook"), "{said}");
    folder.accounts();
    assert_eq!(shown(&folder.record("check", "accounts.dat", &["--recfm", "odo"])), "fine: 3 records\n");
}

#[test]
fn check_counts_every_fault_of_a_record() {
    let folder = Files::new();
    let copybook = "       01 R.\n          05 A PIC 9(3).\n          05 B PIC X(2).\n          05 N PIC 9.\n          \
                    05 T OCCURS 1 TO 3 DEPENDING ON N.\n             10 P PIC 9(2).\n          05 Z PIC S9(3) COMP-3.\n";
    folder.write("R.cpy", copybook.as_bytes());
    // Two rows are faulty in the first record, and the counter in the second: what follows it is not known.
    let records = [&b"0x1AB307x8y9\x12\x00"[..], b"x01AB?0x\x12\x0C", b"001AB112\x12\x0D"];
    let mut bytes = Vec::new();
    for record in records {
        bytes.extend_from_slice(&[0, u8::try_from(record.len() + 4).expect("short"), 0, 0]);
        bytes.extend_from_slice(record);
    }
    folder.write("r.vb", &bytes);
    let (copybook, data) = (folder.path("R.cpy"), folder.path("r.vb"));
    let output = run(&["record", "check", text(&copybook), text(&data), "--recfm", "vb", "--ccsid", "819"]);
    let said = said(&output);
    for line in [
        "a: 2 records\n    record 1: a: ",
        "N: 1 record\n    record 2: N: ",
        "t[].p: 1 record\n    record 1: t[1].p: ",
        "z: 1 record\n",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    assert!(!said.contains("record 2: t") && !said.contains("record 2: z"), "{said}");
    assert!(said.contains("2 of 3 records do not fit the copybook"), "{said}");
}

#[test]
fn check_looks_no_longer_for_all_faults_in_a_file_full_of_them() {
    let folder = Files::new();
    folder.write("R.cpy", b"       01 R.\n          05 A PIC 9.\n          05 B PIC 9.\n");
    folder.write("r.dat", &b"xx".repeat(1_002));
    let (copybook, data) = (folder.path("R.cpy"), folder.path("r.dat"));
    let said = said(&run(&["record", "check", text(&copybook), text(&data), "--ccsid", "819"]));
    assert!(said.contains("a: 1002 records\n") && said.contains("b: 1000 records\n"), "{said}");
    assert!(
        said.contains("after 1000 faulty records, only the first fault of each record counts\n"),
        "{said}"
    );
}

#[test]
fn a_faulty_field_that_tells_the_view_ends_the_search() {
    let folder = Files::new();
    let copybook = "       01 R.\n          05 K PIC 9.\n          05 P PIC 9(2).\n          05 Q REDEFINES P PIC X(2).\n";
    folder.write("R.cpy", copybook.as_bytes());
    folder.write("r.dat", b"?zz1zz");
    let (copybook, data) = (folder.path("R.cpy"), folder.path("r.dat"));
    let when = ["--when", "P=K:0,1", "--when", "Q=K:2"];
    let check = ["record", "check", text(&copybook), text(&data), "--ccsid", "819"];
    let said = said(&run(&[&check[..], &when].concat()));
    assert!(
        said.contains("k: 1 record\n    record 1: ") && said.contains("p: 1 record\n    record 2: "),
        "{said}"
    );
}

#[test]
fn explain_shows_every_view_and_row() {
    let folder = Files::new();
    faulty(&folder);
    let output = folder.record("explain", "faulty.dat", &["--recfm", "vb", "-n", "3"]);
    assert!(output.status.success(), "{}", said(&output));
    let words: Vec<String> = shown(&output).split_whitespace().map(str::to_owned).collect();
    let text = words.join(" ");
    for line in [
        "record 3 of ",
        "0 F0 F0 F0 F3 0003 05 ID-NO zoned, 4 digits 3 ",
        "10 SECOND-HALF zoned, 3 digits !! the bytes 40 40 40 are not a number of the field's type",
        "05 ITEM table, 2 rows",
        "05 ITEM[1] group",
        "10 PIECES zoned, 1 digit 9",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let faulty = folder.record("explain", "faulty.dat", &["--recfm", "vb", "-n", "2"]);
    assert_eq!(faulty.status.code(), Some(1));
    assert!(shown(&faulty).contains("\"B,ERT\""), "the rest is shown: {}", shown(&faulty));
    assert!(said(&faulty).contains("the record does not fit the copybook: id_no"), "{}", said(&faulty));
    let none = folder.record("explain", "faulty.dat", &["--recfm", "vb", "-n", "4"]);
    assert!(said(&none).contains("has no record 4"), "{}", said(&none));
}

#[test]
fn hints_for_files_that_are_something_else() {
    let folder = Files::new();
    folder.accounts();
    folder.convert("encode", "accounts.jsonl", "accounts.vb", &["--recfm", "vb"]);
    let output = folder.record("check", "accounts.vb", &["--recfm", "odo"]);
    assert!(
        said(&output)
            .contains("hint: the file looks like records with descriptor words (RDW); try --recfm vb")
    );
    let fixed = folder.record("check", "accounts.dat", &[]);
    assert!(said(&fixed).contains("which is 24 if they are as long as"), "{}", said(&fixed));
    folder.write("text.txt", b"0001Anna Smith and some more text\n0002Bob\n");
    let output = folder.record("check", "text.txt", &["--recfm", "lines"]);
    assert!(said(&output).contains("hint: the text looks like ASCII"), "{}", said(&output));
}

#[test]
fn files_that_cannot_be_opened() {
    let folder = Files::new();
    for (name, expected) in [("missing.dat", "missing.dat: "), (".", "is a folder")] {
        let output = folder.record("decode", name, &["--recfm", "vb"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
    let same = folder.path("accounts.jsonl");
    let output = folder.record("encode", "accounts.jsonl", &["--recfm", "vb", "-o", text(&same)]);
    assert!(said(&output).contains("is both read and written"), "{}", said(&output));
    assert_eq!(folder.read("accounts.jsonl"), LINES.as_bytes());
    let nowhere = Path::new("/nowhere/at/all");
    let output = folder.record("decode", "accounts.jsonl", &["--recfm", "vb", "-o", text(nowhere)]);
    assert!(said(&output).contains("/nowhere/at/all: "), "{}", said(&output));
}

#[test]
fn a_full_device_is_no_silence() {
    let folder = Files::new();
    folder.accounts();
    let output = folder.record("decode", "accounts.dat", &["--recfm", "odo", "-o", "/dev/full"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("No space left"), "{}", said(&output));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_is_refused_where_it_was_not_built_in() {
    let folder = Files::new();
    folder.accounts();
    for (command, options) in [
        ("decode", ["--recfm", "odo", "--to", "parquet"]),
        ("encode", ["--recfm", "odo", "--from", "parquet"]),
    ] {
        let output = folder.record(command, "accounts.dat", &options);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains("this build has no Parquet support"), "{}", said(&output));
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_comes_back() {
    let folder = Files::new();
    let accounts = folder.accounts();
    let odo = ["--recfm", "odo"];
    folder.convert("decode", "accounts.dat", "accounts.parquet", &odo);
    folder.convert("encode", "accounts.parquet", "again.dat", &odo);
    assert_eq!(folder.read("again.dat"), accounts);
}

#[test]
fn a_finding_at_a_character_beyond_ascii_is_shown() {
    let folder = Files::new();
    folder.write("LATIN.cpy", b"3 PIC \xc8");
    let output = run(&["record", "layout", text(&folder.path("LATIN.cpy"))]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("LATIN.cpy:1: [CPY"), "{}", said(&output));
}

#[test]
fn a_command_whose_output_nobody_reads_does_its_work() {
    let folder = Files::new();
    folder.accounts();
    folder.write("faulty.dat", b"no record at all");
    let (copybook, accounts) = (folder.path("ACCOUNT.cpy"), folder.path("accounts.dat"));
    let faulty = folder.path("faulty.dat");
    assert_eq!(run_unread(&["check", "--example", "performance"]).code(), Some(0));
    assert_eq!(run_unread(&["example"]).code(), Some(0));
    let record = |command: &str, data: &Path| {
        run_unread(&["record", command, text(&copybook), text(data), "--recfm", "odo"]).code()
    };
    assert_eq!(record("decode", &accounts), Some(0));
    assert_eq!(record("explain", &accounts), Some(0));
    assert_eq!(record("check", &accounts), Some(0));
    assert_eq!(record("check", &faulty), Some(1));
}

#[test]
fn each_record_of_a_copybook_is_checked() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("TWO.cpy");
    let copybook = "       01  A.\n           05  N  PIC 9.\n       01  B.\n           05  T  PIC X(4).\n";
    fs::write(&path, copybook).expect("written");
    let output = run(&["record", "check", text(&path)]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "fine: A of 1 byte\nfine: B of 4 bytes\n",
        "{output:?}"
    );
    let output = run(&["record", "check", text(&path), "--date", "T=YYMM"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.contains("A: "), "{told}");
}
