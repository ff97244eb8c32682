//! `traceparent`, incoming and outgoing.

use http::{HeaderMap, HeaderValue};
use interceptor::trace::{TRACEPARENT, TRACESTATE, TRACESTATE_MAX_BYTES, TraceContext, is_chosen, state};
use proptest::prelude::*;

const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[test]
fn well_formed_or_not() {
    for (text, taken) in [
        (GOOD.to_owned(), true),
        (GOOD.replace("-01", "-00"), true),
        (format!("{GOOD}-more"), false),
        (format!("01{}-more", &GOOD[2..]), true),
        (format!("01{}more", &GOOD[2..]), false),
        (format!("ff{}", &GOOD[2..]), false),
        (GOOD.to_uppercase(), false),
        (GOOD.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0".repeat(32)), false),
        (GOOD.replace("00f067aa0ba902b7", &"0".repeat(16)), false),
        (GOOD[..54].to_owned(), false),
        (GOOD.replace('-', "_"), false),
        (String::new(), false),
    ] {
        assert_eq!(TraceContext::parse(text.as_bytes()).is_some(), taken, "{text}");
    }
    let context = TraceContext::parse(GOOD.as_bytes()).expect("it is well formed");
    assert!(context.sampled);
    assert_eq!(context.to_string(), GOOD);
    assert_eq!(context.trace_hex().to_string(), "4bf92f3577b34da6a3ce929d0e0e4736");
}

#[test]
fn a_header_that_stands_twice_is_none() {
    let mut headers = HeaderMap::new();
    headers.append(TRACEPARENT, HeaderValue::from_static(GOOD));
    headers.append(TRACESTATE, HeaderValue::from_static("a=1"));
    assert!(TraceContext::of(&headers).is_some());
    assert_eq!(state(&headers), Some("a=1"));
    headers.append(TRACEPARENT, HeaderValue::from_static(GOOD));
    headers.append(TRACESTATE, HeaderValue::from_static("b=1"));
    assert_eq!((TraceContext::of(&headers), state(&headers)), (None, None));
    let long = "x".repeat(TRACESTATE_MAX_BYTES + 1);
    headers.insert(TRACESTATE, HeaderValue::from_str(&long).expect("a value"));
    assert_eq!(state(&headers), None);
}

#[test]
fn ratios_choose_none_all_and_about_as_many() {
    let ids = |n: u64| {
        let mut id = [7; 16];
        // Spread like random ids.
        id[8..].copy_from_slice(&n.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes());
        id
    };
    let chosen = |ratio: f64| (0..10_000).filter(|n| is_chosen(ids(*n), ratio)).count();
    assert_eq!((chosen(0.0), chosen(1.0)), (0, 10_000));
    assert!((900..1100).contains(&chosen(0.1)), "{}", chosen(0.1));
    assert!(is_chosen([0xFF; 16], 1.0) && !is_chosen([0; 16], 0.0));
}

proptest! {
    #[test]
    fn what_is_written_is_read(trace_id: [u8; 16], span_id: [u8; 8], sampled: bool) {
        prop_assume!(trace_id != [0; 16] && span_id != [0; 8]);
        let context = TraceContext { trace_id, span_id, sampled };
        prop_assert_eq!(TraceContext::parse(context.to_string().as_bytes()), Some(context));
    }

    #[test]
    fn any_bytes_are_read_or_not(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = TraceContext::parse(&bytes);
    }
}
