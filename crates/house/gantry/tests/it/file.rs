//! Tests `gantry file` as users run it: it loads records into a file of a region, unloads and shows
//! them.

use std::fs;

use crate::folder::Folder;
use crate::process::{run, text};

const GANTRY: &str = "[region]
applid = \"FILETEST\"
store = \".state/file.store\"

[[region.file]]
name = \"ACCT\"
organization = \"ksds\"
record_bytes = 12
record_format = \"fixed\"
key_bytes = 4

[[region.file]]
name = \"LOG\"
organization = \"esds\"
record_format = \"variable\"
record_bytes = 100
";

/// Runs a command on a file. Gives whether it succeeded, and standard output or else standard
/// error.
fn file(folder: &Folder, arguments: &[&str]) -> (bool, String) {
    let all = [&["file"], arguments, &["--in", text(folder.path())]].concat();
    let output = run(&all);
    let said = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.success(), String::from_utf8(said).expect("text"))
}

#[test]
fn records_are_loaded_listed_and_unloaded() {
    let folder = Folder::empty().with("gantry.toml", GANTRY).with("in.txt", "B001one\nA001two\n1001three\n");
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (input, output) = (path("in.txt"), path("out.dat"));
    let loaded = file(&folder, &["load", "acct", &input, "--recfm", "lines"]);
    assert_eq!(loaded, (true, "3 records were added to ACCT\n".to_owned()));
    let listed = file(&folder, &["list", "ACCT"]);
    let expected =
        "A001     12 bytes  A001two     \nB001     12 bytes  B001one     \n1001     12 bytes  1001three   \n";
    assert_eq!(listed, (true, expected.to_owned()));
    assert!(file(&folder, &["unload", "ACCT", &output]).0);
    assert_eq!(fs::read_to_string(&output).expect("a file"), "A001two     B001one     1001three   ");
    // The third format, `variable`, keeps records of any length.
    assert!(file(&folder, &["load", "LOG", &input, "--recfm", "lines"]).0);
    assert!(file(&folder, &["unload", "LOG", &output, "--recfm", "variable"]).0);
    assert_eq!(
        fs::read(&output).expect("a file"),
        b"\0\x0B\0\0B001one\0\x0B\0\0A001two\0\x0D\0\x001001three"
    );
    assert!(file(&folder, &["load", "LOG", &output, "--recfm", "variable"]).0);
    let (_, listed) = file(&folder, &["list", "LOG"]);
    assert_eq!(listed.lines().count(), 6);
}

#[test]
fn records_stay_when_their_definition_changes() {
    let folder = Folder::empty().with("gantry.toml", GANTRY).with("in.txt", "B001one\nA001two\n1001three\n");
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let output = path("out.dat");
    assert!(file(&folder, &["load", "ACCT", &path("in.txt"), "--format", "lines"]).0);
    let change = |from: &str, to: &str| {
        std::fs::write(folder.path().join("gantry.toml"), GANTRY.replacen(from, to, 1)).expect("a file");
    };
    let fixed = "record_bytes = 12\nrecord_format = \"fixed\"\n";
    change(fixed, "record_bytes = 20\n");
    std::fs::write(&output, "old").expect("a file");
    let (good, listed) = file(&folder, &["list", "ACCT"]);
    assert!(good && listed.lines().count() == 3 && listed.contains("A001     12 bytes"), "{listed}");
    let (good, said) = file(&folder, &["unload", "ACCT", &output, "--recfm", "fb"]);
    assert!(
        !good && said.contains("expected records of 20 bytes for this format, found one of 12"),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(&output).expect("a file"), "old");
    for (to, expected) in [
        (fixed.replace("12", "20"), "the file is defined with records of 20 bytes, but record 1 has 12"),
        ("record_bytes = 11\n".to_owned(), "records of at most 11 bytes, but record 1 has 12"),
    ] {
        change(fixed, &to);
        let (good, said) = file(&folder, &["list", "ACCT"]);
        assert!(!good && said.contains(expected), "{said}");
    }
    change(fixed, fixed);
    assert!(file(&folder, &["unload", "ACCT", &output]).0);
    assert_eq!(fs::read_to_string(&output).expect("a file"), "A001two     B001one     1001three   ");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let folder = Folder::empty().with("gantry.toml", GANTRY).with("twice.txt", "A001x\nA001yy\n");
    let twice = text(&folder.path().join("twice.txt")).to_owned();
    for (arguments, expected) in [
        (vec!["list", "NONE"], "there is no [[region.file]] named NONE"),
        (
            vec!["load", "ACCT", &twice, "--recfm", "lines"],
            "twice.txt: record 2: file.ACCT: a record with this key is there: 'A001'; 0 records were added",
        ),
        (vec!["load", "ACCT", &twice, "--recfm", "fixed"], "expected 12 bytes, found"),
        (vec!["load", "ACCT", "no-such-file"], "no-such-file: No such file"),
    ] {
        let (good, said) = file(&folder, &arguments);
        assert!(!good && said.contains(expected), "{arguments:?}: {said}");
    }
    let bad = Folder::empty().with("gantry.toml", &GANTRY.replace("key_bytes = 4", "key_bytes = 13"));
    let (_, said) = file(&bad, &["list", "ACCT"]);
    assert!(said.contains("gantry.toml:5: expected the key within 12 bytes"), "{said}");
}

#[test]
fn records_go_into_their_new_order_when_the_key_changes() {
    let folder = Folder::empty().with("gantry.toml", GANTRY).with("in.dat", "AAAA    9999BBBB    1111");
    assert!(file(&folder, &["load", "ACCT", &format!("{}/in.dat", text(folder.path()))]).0);
    let by = |key: &str| folder_with(&folder, &GANTRY.replace("key_bytes = 4", key));
    let keys = |(is_fine, said): (bool, String)| {
        assert!(is_fine, "{said}");
        said.lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    by("key_offset = 8\nkey_bytes = 4");
    assert_eq!(keys(file(&folder, &["list", "ACCT"])), ["1111", "9999"]);
    by("key_offset = 4\nkey_bytes = 4");
    let (is_fine, said) = file(&folder, &["list", "ACCT"]);
    let told =
        "the record with the key '1111' and the record with the key '9999' would both have the key '    '";
    assert!(!is_fine && said.contains(told), "{said}");
    by("key_bytes = 4");
    assert_eq!(keys(file(&folder, &["list", "ACCT"])), ["AAAA", "BBBB"]);
}

fn folder_with(folder: &Folder, gantry: &str) {
    fs::write(folder.path().join("gantry.toml"), gantry).expect("a file");
}

/// Three records in code page 37.
fn ebcdic() -> Vec<u8> {
    let mut bytes = Vec::new();
    let page = codepage::Encoding::by_ccsid(37).expect("a page");
    let text = "A001Miller  A002Smith   A003Jones   ";
    page.encode(text, codepage::Unmappable::Error, &mut bytes).expect("its characters");
    bytes
}

#[test]
fn records_that_look_like_ebcdic_are_loaded_with_a_warning() {
    let load = GANTRY.replacen("key_bytes = 4\n", "key_bytes = 4\nload = \"in.dat\"\n", 1);
    let folder = Folder::empty().with("gantry.toml", GANTRY);
    let input = folder.path().join("in.dat");
    fs::write(&input, ebcdic()).expect("a file");
    let command = ["file", "load", "ACCT", text(&input), "--in", text(folder.path())];
    let output = run(&command);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("in.dat looks like EBCDIC") && told.contains("gantry record decode --ccsid 37"),
        "{told}"
    );
    let quiet = run(&["file", "load", "LOG", text(&input), "-q", "--in", text(folder.path())]);
    assert!(quiet.stderr.is_empty() || !quiet.status.success(), "{quiet:?}");

    // The option has had another name.
    assert!(run(&["file", "list", "ACCT", "--config", text(folder.path())]).status.success());

    // Only a region that runs something is checked.
    let transaction = "[[region.transaction]]\nname = \"TRAN\"\nprogram = \"NONE\"\n";
    let folder = folder.with("gantry.toml", &format!("{load}{transaction}"));
    let checked = run(&["check", text(folder.path())]);
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success(), "{told}");
    assert!(told.contains("gantry.toml:5: ") && told.contains("looks like EBCDIC"), "{told}");
    // The first start needs the file, a later one does not.
    fs::remove_file(folder.path().join("in.dat")).expect("a file");
    let checked = run(&["check", text(folder.path())]);
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success(), "{told}");
    assert!(told.contains("gantry.toml:5: ") && told.contains("in.dat of 'load' does not exist"), "{told}");
    // Records as programs have them bring no warning.
    let folder = folder.with("in.dat", "A001Miller  A002Smith   A003Jones   ");
    let checked = run(&["check", text(folder.path())]);
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(!told.contains("EBCDIC") && !told.contains("'load'"), "{told}");
}
