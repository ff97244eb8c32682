//! Rates and concurrency, with a clock that the tests set.

use std::net::IpAddr;

use security::{Caller, Limited, Limiter, LimiterSettings, Rate};

const SECOND: u64 = 1_000_000_000;

fn limiter(settings: LimiterSettings) -> Limiter {
    Limiter::new(LimiterSettings { callers_max: 1_000, ..settings }).expect("limits")
}

fn rate(requests: u32, per_ms: u64, burst: u32) -> Option<Rate> {
    Some(Rate::new(requests, per_ms, burst).expect("a rate"))
}

fn address(text: &str) -> Caller<'static> {
    Caller::Address(text.parse::<IpAddr>().expect("an address"))
}

const MARY: Caller<'static> = Caller::User("mary");
const JOHN: Caller<'static> = Caller::User("john");

#[test]
fn a_bucket_empties_and_fills() {
    let limiter = limiter(LimiterSettings { rate: rate(2, 1_000, 3), ..LimiterSettings::default() });
    let now = 5 * SECOND;
    for _ in 0..3 {
        limiter.admit(MARY, now).expect("within the burst");
    }
    let limited = Limited::Rate { retry_after_s: 1, caller: false };
    assert_eq!(limiter.admit(JOHN, now).expect_err("empty"), limited);
    assert!(limiter.admit(JOHN, now + SECOND / 2 - 1).is_err());
    limiter.admit(JOHN, now + SECOND / 2).expect("one more");
    assert!(limiter.admit(JOHN, now + SECOND / 2).is_err());
    for _ in 0..3 {
        limiter.admit(JOHN, now + 60 * SECOND).expect("full again, and no fuller");
    }
    assert!(limiter.admit(JOHN, now + 60 * SECOND).is_err());
}

#[test]
fn the_time_to_wait_is_told() {
    let limiter = limiter(LimiterSettings { rate: rate(1, 60_000, 1), ..LimiterSettings::default() });
    limiter.admit(MARY, 0).expect("the first");
    for (now, retry_after_s) in [(0, 60), (SECOND, 59), (SECOND + 1, 59), (59 * SECOND + SECOND / 2, 1)] {
        assert_eq!(
            limiter.admit(MARY, now).expect_err("empty"),
            Limited::Rate { retry_after_s, caller: false }
        );
    }
    limiter.admit(MARY, 60 * SECOND).expect("the second");
}

#[test]
fn each_caller_has_a_bucket_and_one_who_is_refused_takes_nothing_from_all() {
    let settings =
        LimiterSettings { caller_rate: rate(1, 1_000, 1), rate: rate(1, 1_000, 2), ..Default::default() };
    let limiter = limiter(settings);
    limiter.admit(MARY, 0).expect("mary's first");
    for _ in 0..10 {
        assert_eq!(
            limiter.admit(MARY, 0).expect_err("hers"),
            Limited::Rate { retry_after_s: 1, caller: true }
        );
    }
    limiter.admit(JOHN, 0).expect("john's first");
    let ann = Caller::User("ann");
    assert_eq!(
        limiter.admit(ann, 0).expect_err("everybody's"),
        Limited::Rate { retry_after_s: 1, caller: false }
    );
}

#[test]
fn addresses_are_callers_too() {
    let limiter = limiter(LimiterSettings { caller_rate: rate(1, 1_000, 1), ..LimiterSettings::default() });
    let cases = [
        ("192.0.2.1", true),
        ("192.0.2.1", false),
        ("::ffff:192.0.2.1", false),
        ("192.0.2.2", true),
        ("2001:db8::1", true),
        ("2001:db8::2", false),
        ("2001:db8:0:1::1", true),
    ];
    for (text, expected) in cases {
        assert_eq!(limiter.admit(address(text), 0).is_ok(), expected, "{text}");
    }
    assert!(limiter.admit(Caller::User("192.0.2.1"), 0).is_ok(), "a user is no address");
}

#[test]
fn only_so_many_run_at_a_time() {
    let settings = LimiterSettings {
        concurrent_max: Some(3),
        caller_concurrent_max: Some(2),
        ..LimiterSettings::default()
    };
    let limiter = limiter(settings);
    let one = limiter.admit(MARY, 0).expect("one");
    let _two = limiter.admit(MARY, 0).expect("two");
    assert_eq!(limiter.admit(MARY, 0).expect_err("hers"), Limited::Concurrency { caller: true });
    let three = limiter.admit(JOHN, 0).expect("three");
    assert!(three.is_counted());
    assert_eq!(limiter.admit(JOHN, 0).expect_err("everybody's"), Limited::Concurrency { caller: false });
    drop(one);
    let _again = limiter.admit(JOHN, 0).expect("a place is free");
    drop(three);
    limiter.admit(MARY, 0).expect("what was refused holds no place");
}

#[test]
fn a_request_over_its_rate_holds_no_place() {
    let settings =
        LimiterSettings { concurrent_max: Some(2), rate: rate(1, 1_000, 1), ..LimiterSettings::default() };
    let limiter = limiter(settings);
    let _one = limiter.admit(MARY, 0).expect("one");
    for _ in 0..5 {
        assert!(matches!(limiter.admit(MARY, 0), Err(Limited::Rate { .. })));
    }
    limiter.admit(MARY, 2 * SECOND).expect("a place is free");
}

#[test]
fn invented_callers_share_what_is_left() {
    let settings =
        LimiterSettings { caller_rate: rate(1, 1_000, 1), callers_max: 160, ..LimiterSettings::default() };
    let limiter = Limiter::new(settings).expect("limits");
    let names: Vec<String> = (0..5_000).map(|number| format!("user {number}")).collect();
    let admitted = names.iter().filter(|name| limiter.admit(Caller::User(name), 1).is_ok()).count();
    assert!((100..=161).contains(&admitted), "{admitted}");
    assert!(limiter.tracked() <= 160);
    // Later the places of callers that have gone are free.
    let later = 10 * SECOND;
    let again =
        names[4_000..4_050].iter().filter(|name| limiter.admit(Caller::User(name), later).is_ok()).count();
    assert_eq!(again, 50);
}

#[test]
fn what_is_no_rate_and_no_limit() {
    assert_eq!(Rate::new(0, 1_000, 1), None);
    assert_eq!(Rate::new(1, 0, 1), None);
    assert_eq!(Rate::new(1, 1_000, 0), None);
    assert_eq!(Rate::new(u32::MAX, 1, 1), None);
    assert_eq!(Rate::new(1, u64::MAX, 1), None);
    assert!(Limiter::new(LimiterSettings::default()).is_none());
}

#[test]
fn a_request_refused_by_one_limiter_takes_nothing_from_all_of_another() {
    let shared = LimiterSettings { rate: rate(1, 60_000, 2), ..LimiterSettings::default() };
    for own in [
        LimiterSettings { caller_rate: rate(1, 60_000, 1), ..LimiterSettings::default() },
        LimiterSettings { rate: rate(1, 60_000, 1), ..LimiterSettings::default() },
        LimiterSettings { caller_concurrent_max: Some(1), ..LimiterSettings::default() },
        LimiterSettings { concurrent_max: Some(1), ..LimiterSettings::default() },
    ] {
        let (api, operation) = (limiter(shared), limiter(own));
        let both = [Some(&api), Some(&operation)];
        let running = Limiter::admit_by(both, MARY, 0).expect("the first");
        for _ in 0..5 {
            Limiter::admit_by(both, MARY, 0).expect_err("over the limit of the operation");
        }
        drop(running);
        // Other operations have what is left.
        Limiter::admit_by([Some(&api), None], JOHN, 0).expect("the second of the API");
        let limited = Limited::Rate { retry_after_s: 60, caller: false };
        assert_eq!(Limiter::admit_by([Some(&api), None], JOHN, 0).expect_err("empty"), limited);
    }
}
