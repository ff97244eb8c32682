//! Days become dates and days again, over the whole range.

use calendar::{Date, days_in, is_leap, thursday, weekday};
use proptest::prelude::*;

/// As many days as stay far from the ends of the number: some 2.7 million million years.
const FAR: i64 = 1 << 50;

fn date(year: i64, month: i64, day: i64) -> Date {
    Date { year, month, day }
}

#[test]
fn known_days() {
    for (known, days) in [
        (date(1970, 1, 1), 0),
        (date(1969, 12, 31), -1),
        (date(2000, 2, 29), 11_016),
        (date(1582, 10, 15), -141_427),
        (date(1900, 1, 1), -25_567),
        (date(9999, 12, 31), 2_932_896),
        (date(0, 3, 1), -719_468),
        (date(-1, 12, 31), -719_529),
    ] {
        assert_eq!((known.days(), Date::of(days)), (days, known));
    }
}

/// Each day from the year -400 to the year 10000 follows the one before it, as the calendar has it.
#[test]
fn every_day_is_the_next_of_the_one_before() {
    let (mut expected, mut of_year) = (date(-400, 1, 1), 1);
    let mut of_week = weekday(expected.days());
    for days in expected.days()..=date(10_000, 12, 31).days() {
        assert_eq!(Date::of(days), expected);
        assert_eq!((expected.days(), expected.day_of_year(), weekday(days)), (days, of_year, of_week));
        assert!(expected.is_valid());
        (of_year, of_week) = (of_year + 1, of_week % 7 + 1);
        expected.day += 1;
        if expected.day > days_in(expected.year, expected.month) {
            assert!(!expected.is_valid());
            expected = date(expected.year, expected.month + 1, 1);
        }
        if expected.month > 12 {
            assert!(!expected.is_valid());
            assert_eq!(of_year - 1, 365 + i64::from(is_leap(expected.year)));
            (expected, of_year) = (date(expected.year + 1, 1, 1), 1);
        }
    }
}

#[test]
fn weeks_belong_to_the_year_of_their_thursday() {
    // 1 January 2021 was a Friday: the 53rd week of 2020.
    assert_eq!(weekday(date(2021, 1, 1).days()), 5);
    assert_eq!(thursday(date(2021, 1, 1).days()), date(2020, 12, 31));
    assert_eq!(thursday(date(2026, 11, 22).days()), date(2026, 11, 19));
}

#[test]
fn months_and_days_count_on() {
    assert_eq!(date(2026, 14, 1).days(), date(2027, 2, 1).days());
    assert_eq!(date(2026, 0, 1).days(), date(2025, 12, 1).days());
    assert_eq!(date(2026, 2, 30).days(), date(2026, 3, 2).days());
    assert_eq!(date(2026, 3, 0).days(), date(2026, 2, 28).days());
    for wrong in [date(2026, 13, 1), date(2026, 0, 1), date(2026, 2, 29), date(2026, 4, 31), date(2026, 1, 0)]
    {
        assert!(!wrong.is_valid(), "{wrong:?}");
    }
}

proptest! {
    #[test]
    fn days_come_back(days in -FAR..FAR) {
        let date = Date::of(days);
        prop_assert!(date.is_valid());
        prop_assert_eq!(date.days(), days);
        prop_assert_eq!(Date { year: date.year, month: 1, day: date.day_of_year() }.days(), days);
    }

    #[test]
    fn dates_come_back(year in -FAR / 366..FAR / 366, month in 1i64..=12, day in 1i64..=31) {
        prop_assume!(day <= days_in(year, month));
        prop_assert_eq!(Date::of(date(year, month, day).days()), date(year, month, day));
    }
}
