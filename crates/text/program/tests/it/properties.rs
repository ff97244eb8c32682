//! Properties of every program: text that is not a command stays unchanged, and no text makes the translator
//! panic.

use program::date_text;
use program::moment::{ABSTIME_MAX, Moment};
use proptest::prelude::*;

use crate::{alone, around};

/// Pieces of code that a translator may stumble over, none of them a command.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Z(): .=-]{0,20}".prop_map(|text| format!("DISPLAY '{text}'.")),
        Just("DISPLAY 'EXEC CICS RETURN END-EXEC'.".to_owned()),
        Just("DISPLAY \"DFHRESP(NORMAL) 'END-EXEC\".".to_owned()),
        Just("DISPLAY 'IT''S EXEC SQL COMMIT END-EXEC' X.".to_owned()),
        Just("MOVE N TO H.".to_owned()),
        Just("IF N = 1 CONTINUE ELSE DISPLAY X END-IF.".to_owned()),
    ]
}

proptest! {
    #[test]
    fn text_without_commands_stays(pieces in proptest::collection::vec(piece(), 0..12)) {
        let translation = alone(&around(&pieces.join("\n"))).expect("a translation");
        let (_, code) = translation.text.split_once("L2.\n").expect("the code");
        let expected: Vec<&str> = pieces.iter().map(String::as_str).chain(["GOBACK."]).collect();
        let found: Vec<&str> = code.lines().map(str::trim).filter(|line| !line.starts_with("#line")).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn dates_come_back_from_their_texts(abstime in 0..=ABSTIME_MAX) {
        let m = Moment::of(abstime);
        let day = format!("{:04}-{:02}-{:02}", m.year, m.month, m.day);
        let time = format!("{:02}:{:02}:{:02}.{:03}", m.hour, m.minute, m.second, m.millisecond);
        prop_assert_eq!(date_text::abstime(&format!("{day}T{time}Z")), Some(abstime));
    }

    #[test]
    fn other_texts_are_no_dates_or_within_the_years(text in "([A-Z][a-z]{2,5},? ?)?[0-9+:TZ. é-]{0,24}( [A-Z0-9+é]{0,5})?") {
        prop_assert!(date_text::abstime(&text).is_none_or(|abstime| (0..=ABSTIME_MAX).contains(&abstime)));
    }

    #[test]
    fn commands_leave_what_is_around_them(before in piece(), after in piece()) {
        let code = format!("{before}\nEXEC CICS SYNCPOINT END-EXEC.\n{after}");
        let translation = alone(&around(&code)).expect("a translation");
        prop_assert!(translation.text.contains(&before) && translation.text.contains(&after));
        prop_assert!(!translation.text.contains("SYNCPOINT"));
    }

    #[test]
    fn every_line_says_where_it_came_from(pieces in proptest::collection::vec(piece(), 1..12), at in 0..12_usize) {
        let at = at % pieces.len();
        let mut pieces = pieces;
        pieces[at] = "DISPLAY 'THE ONE'.".to_owned();
        pieces.insert(at, "EXEC CICS LINK\nPROGRAM('P')\nCOMMAREA(X)\nEND-EXEC.".to_owned());
        let translation = alone(&around(&pieces.join("\n"))).expect("a translation");
        let mut line = 0_u32;
        for text in translation.text.lines() {
            match text.strip_prefix("#line ") {
                Some(rest) => line = rest.split(' ').next().expect("a number").parse::<u32>().expect("a number") - 1,
                None => line += 1,
            }
            if text.contains("'THE ONE'") {
                // Code begins in line 20; the command takes four lines.
                let lines: usize = pieces[..=at].iter().map(|piece| piece.lines().count()).sum();
                prop_assert_eq!(line as usize, 20 + lines);
            }
        }
    }

    #[test]
    fn any_text_ends_in_findings_or_a_translation(text in "[ -~\n]{0,400}") {
        let _ = alone(&text);
        let _ = alone(&around(&text));
    }

    #[test]
    fn any_words_of_cics_end_in_findings_or_a_translation(words in proptest::collection::vec(word(), 0..30)) {
        let _ = alone(&around(&words.join(" ")));
        let _ = alone(&around(&format!("EXEC CICS {} END-EXEC.", words.join(" "))));
    }
}

fn word() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "EXEC",
        "CICS",
        "SQL",
        "END-EXEC",
        ".",
        "(",
        ")",
        "LINK",
        "PROGRAM",
        "'X'",
        "COMMAREA",
        "X",
        "N",
        "DFHRESP",
        "DFHVALUE",
        "NORMAL",
        "HANDLE",
        "CONDITION",
        "ABEND",
        "LABEL",
        "L1",
        "RESP",
        "RETURN",
        "READQ",
        "TS",
        "SET",
        "ADDRESS OF",
        "LENGTH",
        "END PROGRAM P.",
        "ID DIVISION.",
        "PROGRAM-ID. Q.",
        "PROCEDURE DIVISION.",
        "\n",
        "LINKAGE SECTION.",
        "01 DFHCOMMAREA.",
        "COPY DFHAID.",
        "USING",
        "1",
        "+",
        "SEND",
        "ASSIGN",
    ])
}
