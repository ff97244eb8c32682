//! The structures of symbolic maps. The expected texts have the form of those that IBM's macros write.

use crate::{made, source};

#[track_caller]
fn check(source: &str, expected: &str) {
    assert_eq!(made(source).expect("the source is right"), expected);
}

const INOUT: &str = "TYPE=&&SYSPARM,MODE=INOUT,TIOAPFX=YES,STORAGE=AUTO";

#[test]
fn a_field_for_input_and_output() {
    check(
        &source(
            INOUT,
            "SIZE=(24,80)",
            &["         DFHMDF POS=(1,1),LENGTH=5,INITIAL='Name:'", "NAME     DFHMDF POS=(1,8),LENGTH=20"],
        ),
        "       01  MAPI.
           02  FILLER PIC X(12).
           02  NAMEL    COMP  PIC  S9(4).
           02  NAMEF    PICTURE X.
           02  FILLER REDEFINES NAMEF.
             03 NAMEA    PICTURE X.
           02  NAMEI  PIC X(20).
       01  MAPO REDEFINES MAPI.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  NAMEO  PIC X(20).
",
    );
}

#[test]
fn extended_attributes_have_their_own_order() {
    let all = "DSATTS=(TRANSP,SOSI,OUTLINE,VALIDN,HILIGHT,PS,COLOR)";
    check(
        &source(INOUT, all, &["F        DFHMDF POS=(1,1),LENGTH=1"]),
        "       01  MAPI.
           02  FILLER PIC X(12).
           02  FL    COMP  PIC  S9(4).
           02  FF    PICTURE X.
           02  FILLER REDEFINES FF.
             03 FA    PICTURE X.
           02  FILLER   PICTURE X(7).
           02  FI  PIC X(1).
       01  MAPO REDEFINES MAPI.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  FC    PICTURE X.
           02  FP    PICTURE X.
           02  FH    PICTURE X.
           02  FV    PICTURE X.
           02  FU    PICTURE X.
           02  FM    PICTURE X.
           02  FT    PICTURE X.
           02  FO  PIC X(1).
",
    );
}

#[test]
fn extatt_asks_for_four_attributes_or_none() {
    let fields = ["F        DFHMDF POS=(1,1),LENGTH=1"];
    let lines = |mapset: &str, map: &str| {
        let text = made(&source(mapset, map, &fields)).expect("the source is right");
        ["FC ", "FP ", "FH ", "FV "].iter().filter(|name| text.contains(**name)).count()
    };
    assert_eq!(lines("MODE=INOUT,EXTATT=YES", "SIZE=(24,80)"), 4);
    assert_eq!(lines("MODE=INOUT,EXTATT=MAPONLY", "SIZE=(24,80)"), 0);
    assert_eq!(lines("MODE=INOUT,EXTATT=NO,MAPATTS=(COLOR)", "SIZE=(24,80)"), 0);
    assert_eq!(lines("MODE=INOUT,EXTATT=YES", "EXTATT=NO"), 0, "the map decides for itself");
    assert_eq!(lines("MODE=INOUT,DSATTS=(COLOR,PS)", "DSATTS=HILIGHT"), 1, "the map decides for itself");
    assert_eq!(lines("MODE=INOUT,DSATTS=(COLOR,PS)", "SIZE=(24,80)"), 2);
}

#[test]
fn repeated_fields_are_tables() {
    check(
        &source(
            "MODE=INOUT,LANG=COBOL,TIOAPFX=YES,DSATTS=COLOR",
            "SIZE=(24,80)",
            &["LINE1    DFHMDF POS=(1,1),LENGTH=79,OCCURS=4", "LINE2    DFHMDF POS=(6,1),LENGTH=9,OCCURS=2"],
        ),
        "       01  MAPI.
           02  FILLER PIC X(12).
           02  LINE1D OCCURS 4 TIMES.
             03 LINE1L    COMP  PIC  S9(4).
             03 LINE1F    PICTURE X.
             03 FILLER   PICTURE X(1).
             03 LINE1I  PIC X(79).
           02  LINE2D OCCURS 2 TIMES.
             03 LINE2L    COMP  PIC  S9(4).
             03 LINE2F    PICTURE X.
             03 FILLER   PICTURE X(1).
             03 LINE2I  PIC X(9).
       01  MAPO REDEFINES MAPI.
           02  FILLER PIC X(12).
           02  DFHMS1 OCCURS 4 TIMES.
             03 FILLER PICTURE X(2).
             03 LINE1A    PICTURE X.
             03 LINE1C    PICTURE X.
             03 LINE1O  PIC X(79).
           02  DFHMS2 OCCURS 2 TIMES.
             03 FILLER PICTURE X(2).
             03 LINE2A    PICTURE X.
             03 LINE2C    PICTURE X.
             03 LINE2O  PIC X(9).
",
    );
}

#[test]
fn fields_of_a_group_share_what_stands_before_their_data() {
    check(
        &source(
            INOUT,
            "SIZE=(24,80)",
            &[
                "MO       DFHMDF POS=(10,1),LENGTH=2,ATTRB=BRT,GRPNAME=DATE,PICIN='99'",
                "SEP      DFHMDF POS=(10,3),LENGTH=1,GRPNAME=DATE,INITIAL='-'",
                "DAY      DFHMDF POS=(10,4),LENGTH=2,GRPNAME=DATE,PICIN='99'",
                "NEXT     DFHMDF POS=(11,1),LENGTH=1",
            ],
        ),
        "       01  MAPI.
           02  FILLER PIC X(12).
           02  DATEL    COMP  PIC  S9(4).
           02  DATEF    PICTURE X.
           02  FILLER REDEFINES DATEF.
             03 DATEA    PICTURE X.
           02  DATEI.
             03 MOI  PIC 99.
             03 SEPI  PIC X(1).
             03 DAYI  PIC 99.
           02  NEXTL    COMP  PIC  S9(4).
           02  NEXTF    PICTURE X.
           02  FILLER REDEFINES NEXTF.
             03 NEXTA    PICTURE X.
           02  NEXTI  PIC X(1).
       01  MAPO REDEFINES MAPI.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(3).
           02  DATEO.
             03 MOO  PIC X(2).
             03 SEPO  PIC X(1).
             03 DAYO  PIC X(2).
           02  FILLER PICTURE X(3).
           02  NEXTO  PIC X(1).
",
    );
}

#[test]
fn maps_for_one_direction_have_one_structure() {
    let fields = ["F        DFHMDF POS=(1,1),LENGTH=1", "T        DFHMDF POS=(2,1),LENGTH=1,OCCURS=2"];
    check(
        &source("LANG=COBOL,TIOAPFX=YES", "SIZE=(24,80)", &fields),
        "       01  MAPO.
           02  FILLER PIC X(12).
           02  FILLER PICTURE X(2).
           02  FA    PICTURE X.
           02  FO  PIC X(1).
           02  TG OCCURS 2 TIMES.
             03 FILLER PICTURE X(2).
             03 TA    PICTURE X.
             03 TO  PIC X(1).
",
    );
    check(
        &source("LANG=COBOL,MODE=IN", "SIZE=(24,80)", &fields),
        "       01  MAPI.
           02  FL    COMP  PIC  S9(4).
           02  FF    PICTURE X.
           02  FILLER REDEFINES FF.
             03 FA    PICTURE X.
           02  FI  PIC X(1).
           02  TD OCCURS 2 TIMES.
             03 TL    COMP  PIC  S9(4).
             03 TF    PICTURE X.
             03 FILLER REDEFINES TF.
               04 TA    PICTURE X.
             03 TI  PIC X(1).
",
    );
}

#[test]
fn pictures_come_before_the_length() {
    let fields = [
        "AMT      DFHMDF POS=(1,1),LENGTH=15,PICOUT='+ZZZ,ZZZ,ZZZ.99'",
        "KEY      DFHMDF POS=(2,1),PICIN='9(11)'",
        "A-NAME-OF-TWENTY-NINE-LETTERS DFHMDF POS=(3,1),\n               PICOUT='$$$,$$$,$$$,$$9.99CR'",
    ];
    let text = made(&source(INOUT, "SIZE=(24,80)", &fields)).expect("the source is right");
    assert!(text.contains("02  AMTI  PIC X(15).\n"), "{text}");
    assert!(text.contains("02  AMTO  PIC +ZZZ,ZZZ,ZZZ.99.\n"), "{text}");
    assert!(text.contains("02  KEYI  PIC 9(11).\n"), "{text}");
    assert!(text.contains("02  KEYO  PIC X(11).\n"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 72), "{text}");
}

/// Two maps with one field each.
fn two_maps(mapset: &str) -> String {
    format!(
        "SET      DFHMSD LANG=COBOL,MODE=INOUT,{mapset}\n\
         ONE      DFHMDI SIZE=(24,80)\n\
         A        DFHMDF POS=(1,1),LENGTH=1\n\
         TWO      DFHMDI SIZE=(24,80)\n\
         B        DFHMDF POS=(1,1),LENGTH=1\n\
         \x20        DFHMSD TYPE=FINAL\n"
    )
}

#[test]
fn maps_share_storage_unless_they_have_their_own() {
    let levels = |mapset: &str| {
        let text = made(&two_maps(mapset)).expect("the source is right");
        text.lines()
            .filter(|line| line.starts_with("       01"))
            .map(|line| line[11..].to_owned())
            .collect::<Vec<_>>()
    };
    let separate = ["ONEI.", "ONEO REDEFINES ONEI.", "TWOI.", "TWOO REDEFINES TWOI."];
    assert_eq!(levels("STORAGE=AUTO"), separate);
    let shared = ["ONEI.", "ONEO REDEFINES ONEI.", "TWOI REDEFINES ONEI.", "TWOO REDEFINES TWOI."];
    assert_eq!(levels("CTRL=FREEKB"), shared);
    let based = [
        "ONEI REDEFINES MAPAREA.",
        "ONEO REDEFINES ONEI.",
        "TWOI REDEFINES MAPAREA.",
        "TWOO REDEFINES TWOI.",
    ];
    assert_eq!(levels("BASE=MAPAREA"), based);
}

#[test]
fn the_same_map_for_another_device_is_written_once() {
    let once = two_maps("TERM=3270-2,SUFFIX=M");
    let twice = format!("{once}{}", two_maps("TERM=3270-1,SUFFIX=L"));
    assert_eq!(made(&twice), made(&once));
}

#[test]
fn every_symbolic_map_is_a_copybook() {
    for mapset in ["STORAGE=AUTO,TIOAPFX=YES", "CTRL=FREEKB", "EXTATT=YES"] {
        let text = made(&two_maps(mapset)).expect("the source is right");
        let options = copybook::Options::default();
        if let Err(findings) = copybook::parse("SET", &text, &options) {
            panic!("{findings:?}\n{text}");
        }
    }
}
