//! Points in time become the texts that standards ask for.

use std::time::Duration;

use calendar::{Date, Utc};
use proptest::prelude::*;

/// Microseconds to the end of the year 9999.
const LAST: u64 = 253_402_300_799_999_999;

#[test]
fn known_texts() {
    let time = Utc(784_111_777_250_001);
    assert_eq!(time.to_string(), "1994-11-06T08:49:37.250001Z");
    assert_eq!(time.in_seconds(), "1994-11-06T08:49:37Z");
    assert_eq!(time.plain(), "1994-11-06 08:49:37");
    // The example of RFC 9110.
    assert_eq!(time.http(), "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(Utc::of_seconds(0).to_string(), "1970-01-01T00:00:00.000000Z");
    assert_eq!(Utc::of_seconds(951_782_400).http(), "Tue, 29 Feb 2000 00:00:00 GMT");
    assert_eq!(Utc(951_868_800_000_000).to_string(), "2000-03-01T00:00:00.000000Z");
    assert_eq!(Utc(4_107_542_399_999_999).to_string(), "2100-02-28T23:59:59.999999Z");
    assert_eq!(Utc(4_107_542_400_000_000).to_string(), "2100-03-01T00:00:00.000000Z");
    assert_eq!(Utc(LAST).to_string(), "9999-12-31T23:59:59.999999Z");
    assert_eq!(
        Utc::from(Duration::from_millis(1_472_203_800_001)).to_string(),
        "2016-08-26T09:30:00.001000Z"
    );
}

#[test]
fn what_no_text_can_show_is_shown_as_the_last_year() {
    assert_eq!(&Utc(LAST + 1).to_string()[..10], "9999-01-01");
    assert_eq!(&Utc::of_seconds(u64::MAX).to_string()[..4], "9999");
    assert_eq!(Utc::from(Duration::MAX), Utc(u64::MAX));
}

/// Reads a text back by the places of its digits.
fn read(text: &str) -> u64 {
    let part = |from: usize, to: usize| text[from..to].parse::<u64>().expect("digits");
    let date = Date { year: part(0, 4) as i64, month: part(5, 7) as i64, day: part(8, 10) as i64 };
    let seconds = date.days() as u64 * 86_400 + part(11, 13) * 3_600 + part(14, 16) * 60 + part(17, 19);
    seconds * 1_000_000 + part(20, 26)
}

proptest! {
    #[test]
    fn texts_say_the_time(micros in 0..=LAST) {
        let time = Utc(micros);
        let text = time.to_string();
        prop_assert_eq!(read(&text), micros);
        // Later is later as text too.
        prop_assert!(micros == 0 || Utc(micros - 1).to_string() < text);
        prop_assert_eq!(time.in_seconds(), format!("{}Z", &text[..19]));
        prop_assert_eq!(time.plain(), text[..19].replace('T', " "));
        let http = time.http();
        prop_assert_eq!((&http[5..7], &http[12..16], &http[17..25]), (&text[8..10], &text[..4], &text[11..19]));
    }
}
