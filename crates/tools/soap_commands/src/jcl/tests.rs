//! Jobs and files of parameters.

use super::*;

const JOB: &str = "//GENASOAP  JOB  ,SMITH,CLASS=A,NOTIFY=&SYSUID,
//         MSGCLASS=A,REGION=900M
//* a comment
//JOBPROC JCLLIB ORDER=CICS.SDFHINST
//         SET HOME='/u/smith',APP=GENAPP
//ONE       EXEC DFHLS2WS,                                              00010001
//    JAVADIR='java601',  the Java
//    USSDIR='cics660',
//    TMPFILE='LS2WS'
//INPUT.SYSUT1 DD *,SYMBOLS=JCLONLY
 PGMNAME=LGIPVS01                                                       00020001
 LOGFILE=&HOME./&APP..LOG
# not this
 URI=GENAPP/ *
    LGIPVS01
 WSDL=&&A&UNKNOWN.
/*
//TWO      EXEC PROC=DFHWS2LS
//INPUT.SYSUT1 DD DATA,DLM='@@'
//PGMNAME=A&APP
@@
//
";

fn found(procedure: &str, step: Option<&str>) -> Result<Vec<String>, String> {
    lines(JOB, procedure, step).map(|lines| lines.into_iter().map(|(_, line)| line).collect())
}

#[test]
fn the_data_of_a_step_is_read_with_its_symbols() {
    let lines = found("DFHLS2WS", None).expect("lines");
    let expected =
        ["PGMNAME=LGIPVS01", "LOGFILE=/u/smith/GENAPP.LOG", "URI=GENAPP/LGIPVS01", "WSDL=&A&UNKNOWN."];
    assert_eq!(lines, expected);
}

#[test]
fn a_step_is_found_by_its_procedure_or_name() {
    let expected = vec!["//PGMNAME=A&APP".to_owned()];
    assert_eq!(found("DFHWS2LS", None), Ok(expected.clone()));
    assert_eq!(found("DFHWS2LS", Some("two")), Ok(expected));
    let message = "no step of the job runs DFHLS2XX; its steps are ONE, TWO; ONE runs DFHLS2WS: use gantry soap ls2ws; \
                   TWO runs DFHWS2LS: use gantry soap ws2ls";
    assert_eq!(found("DFHLS2XX", None), Err(message.to_owned()));
    let message = "the step TWO runs DFHWS2LS: use gantry soap ws2ls";
    assert_eq!(found("DFHLS2WS", Some("two")), Err(message.to_owned()));
    assert_eq!(found("X", Some("THREE")), Err("there is no step THREE; the job has ONE, TWO".to_owned()));
}

#[test]
fn a_step_without_data_and_two_steps_alike_are_refused() {
    let none = "//A EXEC DFHLS2WS\n//INPUT.SYSPRINT DD SYSOUT=*\n";
    assert_eq!(lines(none, "DFHLS2WS", None), Err("the step A has no data in SYSUT1".to_owned()));
    let two = "//A EXEC DFHLS2WS\n//B EXEC DFHLS2WS\n";
    let message = "several steps run DFHLS2WS; choose one with --step, by its name or number: 1 A, 2 B";
    assert_eq!(lines(two, "DFHLS2WS", None), Err(message.to_owned()));
}

#[test]
fn strange_jobs_do_no_harm() {
    for text in [
        "//",
        "// ",
        "//A",
        "//A EXEC",
        "//A DD *",
        "//INPUT.SYSUT1 DD",
        "//é DD *\nA=B",
        "//A SET ',(",
        "//A EXEC X,\n//",
    ] {
        let _ = lines(text, "X", None);
    }
    assert_eq!(lines("", "X", None), Ok(Vec::new()));
}

fn texts(text: &str, procedure: &str) -> Result<Vec<String>, String> {
    lines(text, procedure, None).map(|lines| lines.into_iter().map(|(_, line)| line).collect())
}

#[test]
fn data_of_several_dd_statements_are_joined() {
    let job = "//A EXEC DFHLS2WS\n//INPUT.SYSPRINT DD SYSOUT=*\n//INPUT.SYSUT1 DD *\n PGMNAME=A\n/*\n//* more\n// DD *,SYMBOLS=EXECSYS\n\
               REQMEM=B\n//OTHER DD DUMMY\n// DD *\nRESPMEM=NOT\n";
    assert_eq!(texts(job, "DFHLS2WS"), Ok(vec!["PGMNAME=A".to_owned(), "REQMEM=B".to_owned()]));
}

#[test]
fn lines_that_are_not_in_the_job_are_missed() {
    let elsewhere = "the lines of SYSUT1 are not in the job; put them into a file for --parameters";
    for (job, line) in [
        ("//A EXEC DFHLS2WS\n//INPUT.SYSUT1 DD DSN=MY.PARMS(LS2WS),DISP=SHR\n", 2),
        ("//A EXEC DFHLS2WS\n//INPUT.SYSUT1 DD *\n PGMNAME=A\n/*\n// DD DSN=MY.PARMS,\n//   DISP=SHR\n", 5),
        ("//A EXEC DFHLS2WS\n//INPUT.SYSUT1 DD DSN=MY.PARMS\n// DD *\n PGMNAME=A\n", 2),
    ] {
        assert_eq!(texts(job, "DFHLS2WS"), Err(format!("line {line}: {elsewhere}")), "{job}");
    }
    // A step that does not run the assistant may have any SYSUT1.
    let job =
        "//COPY EXEC PGM=IEBGENER\n//SYSUT1 DD DSN=A\n//A EXEC DFHLS2WS\n//INPUT.SYSUT1 DD *\n PGMNAME=A\n";
    assert_eq!(texts(job, "DFHLS2WS"), Ok(vec!["PGMNAME=A".to_owned()]));
    let twice = "//A EXEC DFHLS2WS\n//INPUT.SYSUT1 DD *\nA=1\n//INPUT.SYSUT1 DD *\nA=2\n";
    assert_eq!(texts(twice, "DFHLS2WS"), Err("line 4: the step A has SYSUT1 twice".to_owned()));
}

#[test]
fn assistants_of_other_commands_are_told_with_the_command() {
    let job = "//L2JB02 JOB (SYS,USER)\n//WSBIND EXEC DFHLS2JS,\n//  TMPFILE='l'\n//INPUT.SYSUT1 DD *\nREQMEM=TRANSFER\n/*\n\
               //BACK EXEC DFHJS2LS\n//LAST EXEC PGM=IEFBR14\n";
    let error = texts(job, "DFHLS2WS").expect_err("another assistant");
    for part in [
        "no step of the job runs DFHLS2WS; its steps are WSBIND, BACK, LAST; WSBIND runs DFHLS2JS: use gantry new",
        "BACK runs DFHJS2LS: use gantry record copybook",
    ] {
        assert!(error.contains(part), "{error}");
    }
    // Steps that run other procedures are no choice.
    let two = "// EXEC DFHLS2WS\n//B EXEC DFHWS2LS\n//C EXEC DFHLS2WS\n";
    let message =
        "several steps run DFHLS2WS; choose one with --step, by its name or number: 1 without a name, 2 C";
    assert_eq!(texts(two, "DFHLS2WS"), Err(message.to_owned()));
}

#[test]
fn statements_are_continued_as_in_jcl() {
    let long = format!("//A EXEC DFHLS2WS,TMPDIR='{}", "x".repeat(45));
    assert_eq!(long.len(), 71);
    let job = format!(
        "{long}X00010000\n//             y z',HOME='/u/a'  a comment\n//INPUT.SYSUT1 DD *,SYMBOLS=(JCLONLY)\nLOGFILE=&HOME./&TMPDIR\n"
    );
    assert_eq!(texts(&job, "DFHLS2WS"), Ok(vec![format!("LOGFILE=/u/a/{}y z", "x".repeat(45))]));
    // A quote alone, as in a name, does not take the next statements.
    let job = "//A JOB 1,O'NEILL\n//S EXEC DFHLS2WS\n//SYSUT1 DD *\nPGMNAME=A\n";
    assert_eq!(texts(job, "DFHLS2WS"), Ok(vec!["PGMNAME=A".to_owned()]));
}

#[test]
fn jobs_in_lower_case_and_procedures_in_the_job_are_read() {
    let job = "\u{feff}//p proc home='/u/p',app=x\n//s exec proc=dfhls2ws,app=y\n//input.sysut1 dd data,dlm='@@',symbols=jclonly\n\
               logfile=&home./&app\n@@\n// pend\n//run exec p\n";
    assert_eq!(texts(job, "DFHLS2WS"), Ok(vec!["logfile=/u/p/y".to_owned()]));
}

#[test]
fn a_value_that_a_card_cuts_is_refused() {
    let job = |line: &str| format!("//A EXEC DFHLS2WS\n//INPUT.SYSUT1 DD *\n{line}\n/*\n");
    let path = format!("WSDL=/u/{}", "x".repeat(64));
    assert_eq!(path.len(), 72);
    let error = texts(&job(&format!("{path}.wsdl")), "DFHLS2WS").expect_err("cut");
    assert!(error.starts_with("line 3: it goes on behind column 72"), "{error}");
    for good in [
        format!("{path}        "),
        format!("{}*00010000\nx", &path[..71]),
        format!("{}00010000", &format!("{:72}", "PGMNAME=A")),
        format!("{path}.wsdl.longer.than.a.card"),
        format!("#{}", "-".repeat(77)),
    ] {
        assert!(texts(&job(&good), "DFHLS2WS").is_ok(), "{good}");
    }
}

#[test]
fn steps_of_the_same_name_have_numbers() {
    let step = |program: &str| format!("//LS2WS EXEC DFHLS2WS\n//INPUT.SYSUT1 DD *\nPGMNAME={program}\n/*\n");
    let job = format!("//OTHER EXEC PGM=IEFBR14\n{}{}", step("A"), step("B"));
    let found = |chosen| lines(&job, "DFHLS2WS", chosen).map(|lines| lines[0].1.clone());
    assert_eq!(
        (found(Some("1")), found(Some("2"))),
        (Ok("PGMNAME=A".to_owned()), Ok("PGMNAME=B".to_owned()))
    );
    let choose = "choose one with --step, by its name or number: 1 LS2WS, 2 LS2WS";
    assert_eq!(found(None), Err(format!("several steps run DFHLS2WS; {choose}")));
    assert_eq!(found(Some("ls2ws")), Err(format!("the job has 2 steps ls2ws; {choose}")));
    for number in ["0", "3", "99999999999999999999"] {
        assert_eq!(
            found(Some(number)),
            Err(format!("there is no step {number}; the job has OTHER, LS2WS, LS2WS"))
        );
    }
}
