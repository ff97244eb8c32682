//! Tests `gantry record` with its options for copybooks and views, and its messages about data with
//! small faults.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use tempfile::TempDir;

use crate::process::{run, text};

struct Folder(TempDir);

impl Folder {
    fn new(copybook: &str) -> Self {
        let folder = Self(TempDir::new().expect("a folder"));
        folder.write("R.cpy", copybook.as_bytes());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        if let Some(folder) = self.path(name).parent() {
            fs::create_dir_all(folder).expect("a folder");
        }
        fs::write(self.path(name), bytes).expect("a file");
    }

    fn run(&self, command: &str, options: &[&str]) -> Output {
        run(&[&["record", command, text(&self.path("R.cpy"))], options].concat())
    }

    #[track_caller]
    fn shown(&self, command: &str, options: &[&str]) -> String {
        let output = self.run(command, options);
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Gives the fields of `layout --json`.
    #[track_caller]
    fn fields(&self, options: &[&str]) -> Vec<serde_json::Value> {
        serde_json::from_str(&self.shown("layout", &[&["--json"], options].concat())).expect("JSON")
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn placeholders_are_replaced() {
    let folder = Folder::new(
        "       01  :TAG:-REC.\n           05  :TAG:-ID PIC 9(4).\n           05  OLD-NAME PIC X(3).\n",
    );
    let options = ["--replacing", ":TAG:=CUST", "--replacing", "LEADING ==OLD== BY ==NEW=="];
    let names: Vec<String> = folder
        .fields(&options)
        .iter()
        .map(|field| field["path"].as_str().expect("a path").to_owned())
        .collect();
    assert_eq!(names, ["CUST-REC", "CUST-ID", "NEW-NAME"]);
    let wrong = folder.run("layout", &["--replacing", "TAG"]);
    assert!(said(&wrong).contains("'TAG': expected OLD=NEW"), "{}", said(&wrong));
    // A fault has its place in the copybook itself.
    folder.write("R.cpy", b"       01  :TAG:-REC.\n           05  A PIC Q.\n");
    let faulty = folder.run("layout", &["--replacing", ":TAG:=CUST"]);
    assert!(said(&faulty).contains("R.cpy:2: [CPY040]"), "{}", said(&faulty));
}

#[test]
fn placeholders_are_replaced_in_a_copybook_of_the_working_folder() {
    let folder = Folder::new("       01  :TAG:-REC.\n           05  :TAG:-ID PIC 9(4).\n");
    let layout = |options: &[&str]| {
        let working = folder.path("R.cpy");
        std::process::Command::new(env!("CARGO_BIN_EXE_gantry"))
            .current_dir(working.parent().expect("a folder"))
            .args([&["record", "layout", "R.cpy"], options].concat())
            .output()
            .expect("it runs")
    };
    let replaced = layout(&["--replacing", ":TAG:=CUST"]);
    assert!(replaced.status.success(), "{}", said(&replaced));
    assert!(String::from_utf8_lossy(&replaced.stdout).contains("CUST-ID"));
    assert!(said(&layout(&[])).contains("hint: give the placeholders a text: --replacing ':TAG:=NAME'"));
}

#[test]
fn members_lie_in_further_folders() {
    let folder = Folder::new("       01  R.\n           COPY FIELDS.\n");
    folder.write("members/FIELDS.cpy", b"           05  A PIC X(3).\n");
    let members = folder.path("members");
    assert_eq!(folder.run("layout", &[]).status.code(), Some(1));
    assert_eq!(folder.fields(&["--copybooks", text(&members)]).len(), 2);
    let missing = folder.run("layout", &["--copybooks", text(&folder.path("none"))]);
    assert!(said(&missing).contains("none is not a folder"), "{}", said(&missing));
}

#[test]
fn sources_in_ebcdic() {
    let page = codepage::CodePage::by_ccsid(37).expect("CCSID 37");
    let encode = |text: &str| {
        let mut bytes = Vec::new();
        page.encode(text, &mut bytes).expect("EBCDIC");
        bytes
    };
    let lines = ["       01  R.", "           05  A PIC X(3).", "           05  B PIC 9(2)."];
    let folder = Folder::new("");
    for end in [b"\x15".as_slice(), b"\x25", b""] {
        let line = |line: &&str| [encode(&format!("{line:<80}")), end.to_vec()].concat();
        folder.write("R.cpy", &lines.iter().flat_map(line).collect::<Vec<u8>>());
        assert_eq!(folder.fields(&["--source-ccsid", "37"]).len(), 3);
    }
}

#[test]
fn all_records_are_shown() {
    let folder = Folder::new(
        "       01  A.\n           05  A1 PIC X(3).\n       01  B.\n           05  B1 PIC 9(3) COMP-3.\n",
    );
    let table = folder.shown("layout", &[]);
    assert!(table.starts_with("A\noffset") && table.contains("\n\nB\noffset"), "{table}");
    let records: Vec<_> = folder.fields(&[]).iter().map(|field| field["record"].clone()).collect();
    assert_eq!(records, ["A", "A", "B", "B"]);
    assert_eq!(folder.fields(&["--record", "B"]).len(), 2);
}

#[test]
fn layout_as_json_has_members_for_what_programs_ask() {
    let folder = Folder::new(
        "       01  R.
           05  N PIC 9(2).
           05  T OCCURS 0 TO 5 DEPENDING ON N.
               10  P PIC S9(5)V99 COMP-3.
               10  Z PIC S9(3) SIGN LEADING SEPARATE.
           05  E PIC 000.
           05  U PIC U(3).
           05  V PIC U BYTE-LENGTH 5.
",
    );
    let fields = folder.fields(&[]);
    let of = |name: &str| fields.iter().find(|field| field["name"] == name).expect(name);
    let (counter, packed, zoned) = (of("N"), of("P"), of("Z"));
    assert_eq!(counter["counter"], serde_json::json!(["T"]));
    assert_eq!(packed["counter"], serde_json::json!([]));
    assert_eq!(
        [&packed["digits"], &packed["scale"], &packed["sign"], &packed["usage"]],
        [
            &serde_json::json!(7),
            &serde_json::json!(2),
            &serde_json::json!("signed"),
            &serde_json::json!("COMP-3")
        ]
    );
    assert_eq!((&zoned["sign"], &zoned["usage"]), (&"leading separate".into(), &"DISPLAY".into()));
    assert_eq!((&of("R")["usage"], &of("R")["digits"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    assert_eq!([&of("U")["usage"], &of("U")["type"]], ["UTF-8", "UTF-8, 3 characters"]);
    assert_eq!((&of("U")["bytes"], &of("V")["bytes"]), (&12.into(), &5.into()));
    assert_eq!((&of("E")["picture"], &of("E")["bytes"]), (&"000".into(), &3.into()));
}

#[test]
fn views_of_programs_with_other_compiler_options() {
    let folder = Folder::new("       01  R.\n           05  A PIC 9 COMP.\n           05  P POINTER.\n");
    folder.write("r.dat", &[0x12, 0x34, 0, 0, 0, 0, 0, 0, 0, 0]);
    let data = folder.path("r.dat");
    let options = [text(&data), "--pointer-bytes", "8", "--binary-range", "bytes"];
    assert_eq!(folder.shown("decode", &options), "{\"a\":4660}\n");
    let refused = folder.run("decode", &[text(&data), "--pointer-bytes", "8"]);
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    let wrong = folder.run("layout", &["--pointer-bytes", "5"]);
    assert!(said(&wrong).contains("--pointer-bytes is 4 or 8"), "{}", said(&wrong));
    folder.write("R.cpy", b"       01  R PIC 9V9 VALUE 1,5.\n");
    assert_eq!(folder.fields(&["--decimal-comma"])[0]["scale"], 1);
}

#[test]
fn nulls_are_counted_and_views_are_not_lost() {
    let folder = Folder::new(
        "       01  R.
           05  KIND PIC X.
           05  B PIC X(2).
           05  BA REDEFINES B PIC 9(2).
",
    );
    folder.write("r.dat", b"A12AxxZzz");
    let data = folder.path("r.dat");
    let options = [text(&data), "--ccsid", "819", "--when", "BA=KIND:A", "--lenient"];
    let output = folder.run("decode", &options);
    let lines = "{\"kind\":\"A\",\"ba\":12}\n{\"kind\":\"A\",\"ba\":null}\n{\"kind\":\"Z\",\"b\":\"zz\"}\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), lines);
    assert!(said(&output).contains("1 value became null"), "{}", said(&output));
    assert!(said(&folder.run("check", &options)).contains("1 value became null"));
    let unknown = ["--ccsid", "819", "--when", "BA=KIND:A", "--when", "B=KIND:B", "--on-error", "skip"];
    let output = folder.run("decode", &[&[text(&data)], unknown.as_slice()].concat());
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let csv = folder.path("r.csv");
    folder.write("ok.dat", b"A12Zzz");
    let view = ["--ccsid", "819", "--when", "BA=KIND:A"];
    let ok = folder.path("ok.dat");
    folder.shown("decode", &[&[text(&ok), "-o", text(&csv)], view.as_slice()].concat());
    assert_eq!(folder.shown("encode", &[&[text(&csv)], view.as_slice()].concat()), "A12Zzz");
}

#[test]
fn faults_name_the_option_that_they_ask_for() {
    let folder = Folder::new(
        "       01  R.\n           05  N PIC 9.\n           05  T PIC X OCCURS 0 TO 5 DEPENDING ON N.\n",
    );
    folder.write("r.dat", b"0");
    let data = folder.path("r.dat");
    let varying = said(&folder.run("decode", &[text(&data)]));
    assert!(varying.contains("--recfm vb") && varying.contains("(--lrecl), which is 6"), "{varying}");
    let pointless = said(&folder.run("decode", &[text(&data), "--recfm", "vb", "--lrecl", "6"]));
    assert!(pointless.contains("(--lrecl)"), "{pointless}");
    folder.write("R.cpy", b"abcdefX 01 R.\n");
    let columns = said(&folder.run("layout", &["--format", "fixed"]));
    assert!(columns.contains("hint: for text in free format, say --format free"), "{columns}");
    let help = String::from_utf8(run(&["record", "--help"]).stdout).expect("UTF-8");
    assert!(help.contains("Parquet"), "{help}");
}
