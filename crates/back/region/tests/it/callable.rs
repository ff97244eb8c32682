//! Services of Language Environment, called by a program in a real worker.

use region::{Limits, Region, Settings};
use wire::Interface;

use crate::region::{request, settings, text};

/// The fields that come back: days, result, message number, code.
type Answer = (i64, String, u32, String);

fn region() -> std::sync::Arc<Region> {
    Region::start(Settings { limits: Limits { workers: 1, ..Limits::default() }, ..settings() })
        .expect("a region")
}

async fn call(region: &Region, service: &str, given: (&str, &str), days: i64) -> Answer {
    let (value, picture) = given;
    let commarea = format!("{service:8}{value:30}{picture:30}{days:+010}{:80}0000{:4}", "", "");
    let answer = region.run(request("CALLABLE", Interface::Commarea(commarea.into_bytes()))).await;
    let answer = text(answer.expect("an answer"));
    let field = |from: usize, to: usize| answer[from..to].trim_end().to_owned();
    let days = field(68, 78).parse().expect("a number");
    (days, field(78, 158), field(158, 162).parse().expect("a number"), field(162, 166))
}

fn answer(days: i64, result: &str, message: u32, code: &str) -> Answer {
    (days, result.to_owned(), message, code.to_owned())
}

#[tokio::test]
async fn dates_are_read_and_written() {
    let region = region();
    let cases = [
        ("CEEDAYS", ("6/2/88", "MM/DD/YY"), 0, answer(148_155, "", 0, "GOOD")),
        ("CEEDAYS", ("6/2/88", ""), 0, answer(148_155, "", 0, "GOOD")),
        ("CEEDAYS", ("2023-02-29", "YYYY-MM-DD"), 5, answer(0, "", 2508, "2EC")),
        ("CEEDAYS", ("<1>", "<JJJJ> YY"), 5, answer(0, "", 2518, "")),
        ("CEECBLDY", ("16010101", "YYYYMMDD"), 0, answer(1, "", 0, "GOOD")),
        ("CEECBLDY", ("16001231", "YYYYMMDD"), 0, answer(0, "", 2513, "")),
        (
            "CEEDATE",
            ("", "Wwwwwwwwz, Mmmmmmmmmz ZD, YYYY"),
            148_138,
            answer(148_138, "Monday, May 16, 1988", 0, "GOOD"),
        ),
        ("CEEDATE", ("", "YYYYMMDD"), 0, answer(0, "", 2512, "")),
        ("CEEDYWK", ("", ""), 148_138, answer(2, "", 0, "GOOD")),
        ("CEEDYWK", ("", ""), -1, answer(0, "", 2512, "")),
        (
            "CEESECS",
            ("1988-05-16 19:00:01.078", "YYYY-MM-DD HH:MI:SS.999"),
            0,
            answer(0, "1988-05-16 19:00:01.078", 0, "GOOD"),
        ),
        ("CEESECS", ("1988-05-16 19:61:01.078", "YYYY-MM-DD HH:MI:SS.999"), 0, answer(0, "", 2516, "")),
        ("CEEISEC", ("", ""), 5, answer(19_880_597, "", 0, "GOOD")),
        ("CEEISEC", ("", ""), 13, answer(13, "", 2517, "")),
        ("CEEISEC", ("29", ""), 2, answer(19_880_297, "", 0, "GOOD")),
        // No month has the first, February has not the second: both are wrong days, and no wrong dates.
        ("CEEISEC", ("32", ""), 5, answer(5, "", 2511, "")),
        ("CEEISEC", ("30", ""), 2, answer(2, "", 2511, "")),
        ("CEESCEN", ("", ""), 100, answer(100, "", 0, "GOOD")),
        ("CEESCEN", ("", ""), 101, answer(80, "", 2533, "")),
        ("CEEGMTO", ("", ""), 7, answer(0, "", 0, "GOOD")),
    ];
    for (service, given, days, expected) in cases {
        assert_eq!(call(&region, service, given, days).await, expected, "{service} {given:?} {days}");
    }
}

#[tokio::test]
async fn now_is_told_in_three_ways() {
    let (days, text, message, code) = call(&region(), "CEELOCT", ("", ""), 0).await;
    assert!(days > 162_000, "{days}");
    assert_eq!((text.len(), message, code.as_str()), (17, 0, "GOOD"), "{text}");
    assert!(text.bytes().all(|byte| byte.is_ascii_digit()), "{text}");
}

#[tokio::test]
async fn storage_is_given_once_and_freed_once() {
    let region = region();
    let found = call(&region, "CEEGTST", ("", ""), 40).await;
    assert_eq!(found, answer(40, &"*".repeat(40), 810, ""));
    assert_eq!(call(&region, "CEEGTST", ("", ""), 0).await, answer(0, "", 808, ""));
}

#[tokio::test]
async fn messages_go_to_the_log() {
    let region = region();
    assert_eq!(call(&region, "CEEMOUT", ("A MESSAGE", ""), 2).await, answer(2, "", 0, "GOOD"));
    assert_eq!(call(&region, "CEEMOUT", ("A MESSAGE", ""), 1).await, answer(1, "", 451, ""));
    assert_eq!(call(&region, "CEE3DMP", ("TITLE", ""), 1).await, answer(1, "", 0, "GOOD"));
}

#[tokio::test]
async fn abends_reach_the_program_that_handles_them() {
    let region = region();
    assert_eq!(call(&region, "CEE3ABD", ("", ""), 999).await, answer(999, "", 0, "0999"));
    // An error that the program does not take by a feedback code.
    assert_eq!(call(&region, "OMITTED", ("2023-02-29", "YYYY-MM-DD"), 5).await, answer(5, "", 0, "4038"));
    assert_eq!(call(&region, "OMITTED", ("2024-02-29", "YYYY-MM-DD"), 5).await.0, 161_210);
}
