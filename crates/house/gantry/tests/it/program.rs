//! Tests `gantry program translate` and `gantry program map`: files in, text and findings out.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::process::{run, text};

const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. P.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY REC.
       PROCEDURE DIVISION.
           EXEC CICS LINK PROGRAM('Q') COMMAREA(REC) END-EXEC.
           EXEC CICS RETURN END-EXEC.
";
const MEMBER: &str = "       01  REC PIC X(10).\n";

/// Makes a folder with a program, and a folder below with its copybook.
fn folder(program: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("p.cbl");
    fs::write(&file, program).expect("a file");
    fs::create_dir(folder.path().join("copy")).expect("a folder");
    fs::write(folder.path().join("copy/rec.cpy"), MEMBER).expect("a file");
    fs::write(folder.path().join("secret.cpy"), MEMBER).expect("a file");
    (folder, file)
}

fn shown(output: &Output) -> (String, String) {
    let utf8 = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (utf8(&output.stdout), utf8(&output.stderr))
}

#[test]
fn a_program_is_translated_to_standard_output_or_a_file() {
    let (folder, file) = folder(PROGRAM);
    let copy = folder.path().join("copy");
    let output = run(&["program", "translate", text(&file), "-I", text(&copy)]);
    let (translated, said) = shown(&output);
    assert!(output.status.success(), "{said}");
    assert!(translated.contains("CALL \"gantry_exec\" USING GANTRY-FRAME X\"01000E02"), "{translated}");
    assert!(translated.contains("copy/rec.cpy\"\n01  REC PIC X(10)."), "{translated}");
    let to = folder.path().join("p.i");
    let output = run(&["program", "translate", text(&file), "-I", text(&copy), "-o", text(&to)]);
    assert_eq!(shown(&output), (String::new(), String::new()));
    assert_eq!(fs::read_to_string(to).expect("the file"), translated);
}

#[test]
fn findings_have_file_and_line_and_nothing_is_written() {
    let (folder, file) = folder(&PROGRAM.replace("COMMAREA(REC)", "COMAREA(REC)"));
    let to = folder.path().join("p.i");
    let copy = folder.path().join("copy");
    let output = run(&["program", "translate", text(&file), "-I", text(&copy), "-o", text(&to)]);
    let (_, said) = shown(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("p.cbl:7: [EXC006] Gantry does not know the option COMAREA of LINK"), "{said}");
    assert!(said.contains("did you mean COMMAREA?"), "{said}");
    assert!(!to.exists());
}

#[test]
fn copy_stays_within_its_folders() {
    for member in ["'../secret'", "'../secret.cpy'", "SECRET OF '..'", "'/etc/passwd'"] {
        let (folder, file) = folder(&PROGRAM.replace("COPY REC", &format!("COPY {member}")));
        let copy = folder.path().join("copy");
        let output = run(&["program", "translate", text(&file), "-I", text(&copy)]);
        let (_, said) = shown(&output);
        assert_eq!(output.status.code(), Some(1), "{member}");
        assert!(said.contains("p.cbl:5: [CPY026]"), "{member}: {said}");
    }
}

#[test]
fn sql_goes_through_a_precompiler() {
    let sql = PROGRAM.replace("EXEC CICS RETURN END-EXEC", "EXEC SQL DISPLAY 'code' END-EXEC");
    // As a precompiler, grep gives the lines that contain its argument.
    let translate = |sql: &str| {
        let (folder, file) = folder(sql);
        let copy = folder.path().join("copy");
        let arguments = ["program", "translate", text(&file), "-I", text(&copy), "--sql-precompiler", "grep"];
        shown(&run(&arguments))
    };
    let (translated, said) = translate(&sql);
    assert!(translated.contains("\n DISPLAY 'code' \n"), "{translated}{said}");
    let (_, said) = translate(&sql.replace("code", "data"));
    assert!(said.contains("p.cbl:8: [EXC013] the precompiler grep says:"), "{said}");
}

#[test]
fn a_precompiler_that_is_not_there_is_an_error_of_the_block() {
    let (folder, file) = folder(&PROGRAM.replace("EXEC CICS RETURN", "EXEC SQL COMMIT"));
    let (copy, missing) = (folder.path().join("copy"), folder.path().join("missing"));
    let arguments =
        ["program", "translate", text(&file), "-I", text(&copy), "--sql-precompiler", text(&missing)];
    let (_, said) = shown(&run(&arguments));
    assert!(said.contains("p.cbl:8: [EXC013]") && said.contains("it cannot be run"), "{said}");
}

#[test]
fn sources_are_utf_8_or_in_a_code_page() {
    let source =
        PROGRAM.replace("REC) END-EXEC.", "REC) END-EXEC\n           MOVE '\u{1}' TO REC. *> \u{1}\u{2}");
    let source = source.replacen("       DATA", "       AUTHOR. MU\u{1}OZ.\n      * \u{1}\n       DATA", 1);
    let bytes: Vec<u8> = source.bytes().map(|byte| if byte < 3 { byte + 0xA3 } else { byte }).collect();
    let (folder, file) = folder("");
    fs::write(&file, bytes).expect("a file");
    fs::write(folder.path().join("copy/rec.cpy"), b"      * \xA4\n       01  REC PIC X(10).\n")
        .expect("a file");
    let copy = folder.path().join("copy");
    let translate = |more: &[&str]| {
        let arguments = [&["program", "translate", text(&file), "-I", text(&copy)], more].concat();
        shown(&run(&arguments))
    };
    let (translated, said) = translate(&[]);
    assert!(translated.contains("MOVE '¤' TO REC"), "{translated}{said}");
    let (translated, said) = translate(&["--source-ccsid", "923"]);
    assert!(translated.contains("MOVE '€' TO REC"), "{translated}{said}");
    let (_, said) = translate(&["--source-ccsid", "37"]);
    assert!(said.contains("of the ASCII family") && said.contains("CCSID 37"), "{said}");
}

const MAPSET: &str = "REC      DFHMSD TYPE=&SYSPARM,MODE=INOUT,TIOAPFX=YES
SCREEN   DFHMDI SIZE=(24,80)
NAME     DFHMDF POS=(1,1),LENGTH=8
         DFHMSD TYPE=FINAL
";

#[test]
fn a_symbolic_map_is_written_of_its_source() {
    let (folder, _) = folder("");
    let (file, to) = (folder.path().join("rec.bms"), folder.path().join("rec.cpy"));
    fs::write(&file, MAPSET).expect("a file");
    let (map, said) = shown(&run(&["program", "map", text(&file)]));
    assert!(map.starts_with("       01  SCREENI.\n           02  FILLER PIC X(12).\n"), "{map}{said}");
    assert_eq!(
        shown(&run(&["program", "map", text(&file), "-o", text(&to)])),
        (String::new(), String::new())
    );
    assert_eq!(fs::read_to_string(to).expect("the file"), map);
    fs::write(&file, MAPSET.replace(",LENGTH=8", "")).expect("a file");
    let output = run(&["program", "map", text(&file)]);
    let (_, said) = shown(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("rec.bms:3: DFHMDF: expected LENGTH, PICIN or PICOUT"), "{said}");
}

#[test]
fn copy_makes_the_symbolic_map_of_a_source() {
    let program = PROGRAM.replace("COMMAREA(REC)", "COMMAREA(SCREENO)");
    let (folder, file) = folder(&program);
    let copy = folder.path().join("copy");
    fs::remove_file(copy.join("rec.cpy")).expect("the file was there");
    fs::write(copy.join("REC.bms"), MAPSET).expect("a file");
    let (translated, said) = shown(&run(&["program", "translate", text(&file), "-I", text(&copy)]));
    assert!(translated.contains("copy/REC.bms(REC)>\"\n01  SCREENI."), "{translated}{said}");
    fs::write(copy.join("REC.bms"), MAPSET.replace(",LENGTH=8", "")).expect("a file");
    let (_, said) = shown(&run(&["program", "translate", text(&file), "-I", text(&copy)]));
    assert!(said.contains("p.cbl:5: [CPY026] the member REC is missing: its map has a fault: "), "{said}");
    assert!(said.contains("copy/REC.bms:3: DFHMDF: expected LENGTH, PICIN or PICOUT"), "{said}");
}
