//! Definitions from outside: written sections are read back, any order of attributes and any line breaks give
//! the same result, and no text makes a reader panic.

mod mqsc;

use definitions::{Choices, Import, Limits, Outcome, Source, merge, read};
use proptest::prelude::*;

fn import(text: &str) -> Import {
    read(&[Source { name: "a.csd", text }], &Choices::default(), &Limits::default()).expect("definitions")
}

/// The sections of an import, without the places that they name.
fn written(import: &Import) -> Vec<(String, Vec<(String, String)>)> {
    let pairs = |section: &definitions::Section| {
        section.pairs.iter().map(|(key, value)| ((*key).to_owned(), format!("{value:?}"))).collect()
    };
    import.sections.iter().map(|section| (section.path(), pairs(section))).collect()
}

prop_compose! {
    fn attributes()(
        length in 8_u32..32_768,
        key in 1_u32..8,
        flags in prop::collection::vec(prop::bool::ANY, 5),
        recovery in prop::sample::select(vec!["NONE", "ALL", "BACKOUTONLY"]),
        format in prop::sample::select(vec!["F", "V"]),
    ) -> Vec<(String, String)> {
        let flag = |at: usize| if flags[at] { "YES" } else { "NO" }.to_owned();
        vec![
            ("RECORDSIZE".to_owned(), length.to_string()),
            ("KEYLENGTH".to_owned(), key.to_string()),
            ("ADD".to_owned(), flag(0)),
            ("BROWSE".to_owned(), flag(1)),
            ("DELETE".to_owned(), flag(2)),
            ("READ".to_owned(), flag(3)),
            ("UPDATE".to_owned(), flag(4)),
            ("RECOVERY".to_owned(), recovery.to_owned()),
            ("RECORDFORMAT".to_owned(), format.to_owned()),
            ("DESCRIPTION".to_owned(), "It's a (file)".to_owned()),
        ]
    }
}

fn in_one_line(attributes: &[(String, String)]) -> String {
    let words: Vec<String> = attributes.iter().map(|(name, value)| format!("{name}({value})")).collect();
    format!("DEFINE FILE(ACCT) GROUP(BANK) {}\n", words.join(" "))
}

proptest! {
    #[test]
    fn order_case_and_line_breaks_do_not_matter(
        attributes in attributes(),
        seed in prop::collection::vec((0_usize..100, prop::bool::ANY, prop::bool::ANY), 10),
    ) {
        let plain = import(&in_one_line(&attributes));
        let mut order: Vec<usize> = (0..attributes.len()).collect();
        order.sort_by_key(|at| seed[*at].0);
        let mut text = String::from("* comment\ndefine File(ACCT)");
        for at in order {
            let ((name, value), (_, breaks, lower)) = (&attributes[at], seed[at]);
            text.push_str(if breaks { "\n   " } else { " " });
            let name = if lower { name.to_lowercase() } else { name.clone() };
            text.push_str(&format!("{name} ({value})"));
        }
        text.push_str("\n GROUP(BANK)\n");
        let same = import(&text);
        prop_assert_eq!(written(&plain), written(&same), "{}", text);
    }

    #[test]
    fn what_is_written_is_read_back_as_unchanged(attributes in attributes()) {
        let import = import(&in_one_line(&attributes));
        let first = merge("# mine\n", &import.sections, "a.csd").expect("merged");
        let again = merge(&first.text, &import.sections, "a.csd").expect("merged");
        prop_assert_eq!(&again.text, &first.text);
        let is_same = again.outcomes.iter().all(|outcome| matches!(outcome, Outcome::Same { .. }));
        prop_assert!(is_same, "{:?}", again.outcomes);
    }

    #[test]
    fn no_text_is_a_trap(text in "[A-Z(),'*/= \\n-]{0,300}", head in prop::sample::select(vec![
        "DEFINE FILE(A) GROUP(B) ", "//J JOB\n//S EXEC PGM=IDCAMS\n//SYSIN DD *\n DEFINE CLUSTER(NAME(A.B) ",
        "APPLID=A\nSYSIDNT=B\nSIT=6$\n", "<cicsdefinitionfile ", " FILE(A) GROUP(B) ADD(", "//S EXEC PGM=DFHCSDUP\n//SYSIN DD DATA,DLM=XX\n",
    ])) {
        let text = format!("{head}{text}");
        let sources = [Source { name: "t", text: &text }];
        if let Ok(import) = read(&sources, &Choices::default(), &Limits::default()) {
            let merged = merge("", &import.sections, &text);
            prop_assert!(merged.is_ok(), "{merged:?}");
        }
    }
}

#[test]
fn every_limit_is_told_by_its_name() {
    let limits = Limits {
        file_max_bytes: 100,
        files_max_bytes: 150,
        file_count_max: 1,
        definition_count_max: 1,
        attribute_count_max: 2,
        value_max_bytes: 20,
        depth_max: 2,
    };
    let told = |sources: &[Source<'_>]| {
        let faults = read(sources, &Choices::default(), &limits).expect_err("beyond a limit");
        faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let one = |text: &str| told(&[Source { name: "t", text }]);
    let long = "x".repeat(101);
    assert!(one(&long).contains("file_max_bytes"));
    let half = "x".repeat(80);
    let both = told(&[Source { name: "a", text: &half }, Source { name: "b", text: &half }]);
    assert!(both.contains("files_max_bytes") && both.contains("file_count_max"), "{both}");
    assert!(one("DEFINE FILE(A) GROUP(B)\nDEFINE FILE(C) GROUP(B)").contains("definition_count_max"));
    assert!(one("DEFINE FILE(A) GROUP(B) ADD(YES)").contains("attribute_count_max"));
    assert!(one("DEFINE FILE(A23456789012345678901234567)").contains("value_max_bytes"));
    assert!(one("DEFINE CLUSTER(NAME(A(B(C))))").contains("depth_max"));
    assert!(one("<cicsdefinitionfile name='A23456789012345678901234567'/>").contains("value_max_bytes"));
}

/// What would stand twice in the file stands once.
#[test]
fn a_section_stands_once() {
    let text = "APPLID=ONE\nAPPLID=TWO\nSYSIDNT=S1\nSIT=6$\n";
    let csd = "DEFINE TSMODEL(A) GROUP(G) PREFIX(Q) LOCATION(MAIN)\nDEFINE TSMODEL(B) GROUP(G) PREFIX(Q+)\n\
               DEFINE FILE(f) GROUP(G) RECORDSIZE(9) KEYLENGTH(18446744073709551615)\n";
    let sources = [Source { name: "sit", text }, Source { name: "csd", text: csd }];
    let import = read(&sources, &Choices::default(), &Limits::default()).expect("definitions");
    let merged = merge("", &import.sections, "both").expect("merged").text;
    assert!(merged.contains("applid = \"TWO\"") && !merged.contains("ONE"), "{merged}");
    assert_eq!(merged.matches("prefix = \"Q\"").count(), 1, "{merged}");
    let notes: Vec<String> = import.notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|note| note.contains("TSMODEL(A) of G defines Q already")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("the length of its key is not known")), "{notes:?}");
}

/// Lines of a job are records of 80 bytes, or of the file's length if that is less.
#[test]
fn lines_of_a_job_are_whole_records() {
    let job = "//J JOB\n//S EXEC PGM=IDCAMS\n//IN DD *\nAB\n/*\n//SYSIN DD *\n DEFINE CLUSTER (NAME(X.Y) KEYS(1 0) RECORDSIZE(90 90))\n \
               REPRO INFILE(IN) OUTDATASET(X.Y)\n/*\n";
    let csd = "DEFINE FILE(F) GROUP(G) DSNAME(X.Y)\n";
    let sources = [Source { name: "job", text: job }, Source { name: "csd", text: csd }];
    let import = read(&sources, &Choices::default(), &Limits::default()).expect("definitions");
    assert_eq!(import.new_files[0].text, format!("{:<80}\n", "AB"));
}

#[test]
fn servers_of_uri_maps_become_connections() {
    for (attributes, url, host, port) in [
        ("HOST(bank.example) PATH(api/v1)", "http://bank.example/api/v1", "bank.example", None),
        ("HOST(bank.example:81) PATH(/api/*)", "http://bank.example:81/api", "bank.example", Some(81_u16)),
        ("HOST([::1]:8080) PATH(/a)", "http://[::1]:8080/a", "[::1]", Some(8080)),
        ("HOST([::1]) PORT(99) PATH(/a) SCHEME(HTTPS)", "https://[::1]:99/a", "[::1]", Some(99)),
    ] {
        let made = import(&format!("DEFINE URIMAP(BANK) GROUP(G) USAGE(CLIENT) {attributes}\n"));
        let text = format!("{:?}", written(&made));
        for expected in [url, host] {
            assert!(text.contains(&format!("{expected:?}").replace('"', "\\\"")), "{expected}: {text}");
        }
        if let Some(port) = port {
            assert!(text.contains(&format!("({port})")), "{port}: {text}");
        }
    }
}

/// A page of LIST OBJECTS: attributes stand under headings, in lines longer than a card.
const LISTING: &str = "\
1CSD UTILITY PROGRAM   LIST GROUP(*) OBJECTS                                                                PAGE 1
 GROUP NAME: BANK         (IBM PROTECTED)
 ----------

 FILE(ACCTS)            GROUP(BANK)       DESCRIPTION()
                        VSAM-PARAMETERS

                                        DSNAME(PROD.BANK.ACCOUNTS)
                                        RLSACCESS(NO)          LSRPOOLNUM(1)          READINTEG(UNCOMMITTED)
                        REMOTE-ATTRIBUTES
                                        REMOTESYSTEM()         REMOTENAME()
                        REMOTE-AND-CFDATATABLE-PARAMETERS
                                        RECORDSIZE(120)        KEYLENGTH(9)
                        DATA-FORMAT
                                        RECORDFORMAT(F)
                        OPERATIONS
                                        ADD(YES)               BROWSE(NO)             DELETE(NO)
-                                       READ(YES)              UPDATE(NO)
                        RECOVERY-PARAMETERS
                                        RECOVERY(ALL)          FWDRECOVLOG(NO)        BACKUPTYPE(STATIC)
                        DEFINITION-SIGNATURE
                                        DEFINETIME(16/06/23 11:44:41)

 ************************************************************************************************************************
0TRANSACTION(Pay1)      GROUP(BANK)       DESCRIPTION(Pays (all)) PROGRAM(PAYS)         TWASIZE(0)
                                        PROFILE(DFHCICST)      PARTITIONSET()         STATUS(ENABLED)
                        RECOVERY
                                        DTIMOUT(NO)            RESTART(NO)            SPURGE(NO)

 LIST NAME: START(1)
 GROUP NAME: DFHBMS       (IBM PROTECTED)
 PROGRAM(DFHTPQ)        GROUP(DFHBMS)
                                        LANGUAGE(ASSEMBLER)    RELOAD(NO)             RESIDENT(NO)
 TRANSACTION(CSPG)      GROUP(DFHBMS)     DESCRIPTION()          PROGRAM(DFHTPR)        TWASIZE(1124)
";

#[test]
fn a_printed_listing_of_the_csd_is_read_like_its_commands() {
    let listed = import(LISTING);
    let commands = import(
        "DEFINE FILE(ACCTS) GROUP(BANK) DSNAME(PROD.BANK.ACCOUNTS) RECORDSIZE(120) KEYLENGTH(9)\n\
         RECORDFORMAT(F) ADD(YES) BROWSE(NO) DELETE(NO) READ(YES) UPDATE(NO) RECOVERY(ALL)\n\
         DEFINE TRANSACTION(Pay1) GROUP(BANK) DESCRIPTION(Pays (all)) PROGRAM(PAYS) STATUS(ENABLED)\n",
    );
    assert_eq!(written(&listed), written(&commands));
    assert_eq!(listed.unread, Vec::<String>::new());
    let notes = |import: &Import| import.notes.iter().map(ToString::to_string).collect::<Vec<_>>();
    let own = "group DFHBMS: left out 2 definitions in groups of CICS itself: --group takes the definitions of a group";
    assert!(notes(&listed).iter().any(|note| note.ends_with(own)), "{:?}", notes(&listed));
    assert_eq!(notes(&listed).len(), notes(&commands).len() + 1, "{:?}", notes(&listed));
}

#[test]
fn groups_of_cics_are_imported_if_they_are_named() {
    let choices = Choices { groups: vec!["dfhbms".to_owned()], lists: Vec::new() };
    let sources = [Source { name: "list.txt", text: LISTING }];
    let import = read(&sources, &choices, &Limits::default()).expect("definitions");
    let paths: Vec<String> = import.sections.iter().map(definitions::Section::path).collect();
    assert_eq!(paths, ["region.transaction"]);
}
