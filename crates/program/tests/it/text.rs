//! What is said about a translated text: its programs and files; and that large texts take no more than linear time.

use crate::{alone, around, shown};

#[test]
fn programs_and_files_are_listed() {
    let text = around("COPY DFHAID.").replace("GOBACK.\n", "GOBACK.\n       END PROGRAM P.\n")
        + "       ID DIVISION.\n       PROGRAM-ID. 'second'.\n       PROCEDURE DIVISION.\n           GOBACK.\n";
    let translation = alone(
        &text.replace("COPY DFHAID.", "CONTINUE.").replace("01  P   ", "COPY DFHAID.\n       01  P   "),
    )
    .unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    assert_eq!(translation.programs, ["P", "SECOND"]);
    let files: Vec<&str> = translation.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(files, ["PROGRAM.cbl", "<DFHAID>"]);
}

#[test]
fn a_program_without_commands_gets_its_parameters_all_the_same() {
    let translation = alone(&around("CONTINUE.")).expect("a translation");
    assert!(translation.text.contains("PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA."));
    assert!(!translation.text.contains("GANTRY-"));
}

#[test]
fn hostile_texts_end() {
    let many = |text: &str, count: usize| text.repeat(count);
    let texts = [
        many("EXEC CICS ", 40_000),
        many("ID DIVISION. ", 30_000),
        around(&many("EXEC CICS RETURN END-EXEC\n", 4_000)),
        around(&many("EXEC CICS LINK PROGRAM(((((((((((((( END-EXEC\n", 4_000)),
        many("PROCEDURE DIVISION USING\n", 12_000),
        many("       AUTHOR\n", 40_000),
        around(&many("MOVE DFHRESP(X) TO N\n", 10_000)),
        many("       01 DFHEIBLK\n", 20_000),
    ];
    for text in texts {
        let _ = alone(&text);
    }
}
