//! EXEC SQL: what a precompiler gets, and what becomes of its answer.

use std::cell::RefCell;
use std::collections::HashMap;

use program::translate::{Settings, SqlBlock, SqlPrecompiler};

use crate::{alone, around, places, shown, with_members};

/// Keeps the given blocks, and refuses DROP.
#[derive(Default)]
struct Recorder(RefCell<Vec<(String, bool)>>);

impl SqlPrecompiler for Recorder {
    fn name(&self) -> &str {
        "recorder"
    }

    fn translate(&self, block: &SqlBlock<'_>) -> Result<String, String> {
        self.0.borrow_mut().push((block.text.trim().to_owned(), block.code));
        match block.text.contains("DROP") {
            true => Err("DROP is not for programs".to_owned()),
            false => Ok("DISPLAY 'ONE'\nDISPLAY 'TWO'".to_owned()),
        }
    }
}

#[test]
fn without_a_precompiler_a_block_is_an_error() {
    let findings = alone(&around("EXEC SQL COMMIT END-EXEC.")).expect_err("no precompiler");
    assert_eq!(places(&findings), "20:12 EXC013");
    assert!(findings[0].help.is_some());
}

#[test]
fn a_precompiler_gets_the_text_and_gives_statements() {
    let recorder = Recorder::default();
    let settings = Settings { sql: Some(&recorder), ..Settings::default() };
    let text = around("EXEC SQL UPDATE T\nSET A = 'END-EXEC' END-EXEC\nEXEC CICS SYNCPOINT END-EXEC.");
    let translation = with_members(&text, &HashMap::new(), &settings).expect("a translation");
    let given = recorder.0.into_inner();
    let [(block, true)] = &given[..] else { panic!("{given:?}") };
    assert!(block.starts_with("UPDATE T\n") && block.ends_with("SET A = 'END-EXEC'"), "{block}");
    assert!(translation.text.contains("\nDISPLAY 'ONE' DISPLAY 'TWO'\n"), "{}", translation.text);
}

#[test]
fn a_refusal_of_the_precompiler_is_shown_with_its_name() {
    let recorder = Recorder::default();
    let settings = Settings { sql: Some(&recorder), ..Settings::default() };
    let findings = with_members(&around("EXEC SQL DROP TABLE T END-EXEC."), &HashMap::new(), &settings)
        .expect_err("a refusal");
    assert_eq!(places(&findings), "20:12 EXC013");
    assert!(findings[0].message.contains("recorder says: DROP is not for programs"), "{}", shown(&findings));
}

/// Has nothing to say about declarations.
struct Silent;

impl SqlPrecompiler for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    fn translate(&self, block: &SqlBlock<'_>) -> Result<String, String> {
        Ok(if block.code { "CONTINUE" } else { "" }.to_owned())
    }
}

#[test]
fn a_block_without_a_period_between_entries_leaves_none() {
    let blocks = "       EXEC SQL INCLUDE SQLDA END-EXEC\n       EXEC SQL BEGIN DECLARE SECTION END-EXEC\n       01  HOST PIC X.\n       EXEC SQL END DECLARE SECTION END-EXEC\n       LINKAGE";
    let text = around("CONTINUE.").replace("       LINKAGE", blocks);
    let settings = Settings { sql: Some(&Silent), ..Settings::default() };
    let translation = with_members(&text, &HashMap::new(), &settings)
        .unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    assert!(translation.text.lines().all(|line| line.trim() != "."), "{}", translation.text);
    assert!(translation.warnings.iter().all(|warning| warning.code != "EXC023"));
}
