//! The tally: what counts as a transaction, and from when time counts.

use load::tally::{Exchange, Failure, Tally, Window};

const MS: u64 = 1_000_000;
const WINDOW: Window = Window { start_ns: 1_000 * MS, end_ns: 2_000 * MS };

fn exchange(intended_ms: u64, sent_ms: u64, done_ms: u64) -> Exchange {
    Exchange { intended_ns: intended_ms * MS, sent_ns: sent_ms * MS, done_ns: done_ms * MS }
}

#[test]
fn times_count_from_the_intended_start() {
    let mut tally = Tally::new(WINDOW);
    // The driver was 30 ms late, and the server took 10 ms: the client waited 40 ms.
    tally.answered(exchange(1_100, 1_130, 1_140));
    assert_eq!(tally.response().max_us, 40_000.0);
    assert_eq!(tally.service().max_us, 10_000.0);
    assert_eq!(tally.lateness().max_us, 30_000.0);
}

#[test]
fn a_stall_is_seen_by_every_client_that_meant_to_send() {
    let mut tally = Tally::new(WINDOW);
    for client in 0..50 {
        tally.answered(exchange(1_000 + client, 1_000 + client, 1_001 + client));
    }
    // The server stands still from 1,200 to 1,500 ms; all 50 clients were due within its first 50 ms.
    for client in 0..50 {
        tally.answered(exchange(1_200 + client, 1_500, 1_501));
    }
    let response = tally.response();
    assert_eq!(response.count, 100);
    assert_eq!(response.max_us, 301_000.0);
    assert!(response.p90_us > 250_000.0, "{response:?}");
    assert_eq!(tally.service().max_us, 1_000.0, "from the actual start, the stall is invisible");
}

#[test]
fn the_window_divides_transactions_by_their_end_and_times_by_their_start() {
    let mut tally = Tally::new(WINDOW);
    tally.answered(exchange(990, 990, 1_010)); // a transaction of the window; its time began before
    tally.answered(exchange(1_990, 1_990, 2_400)); // a time of the window; complete after its end
    tally.answered(exchange(500, 500, 510)); // warm-up
    tally.answered(exchange(2_000, 2_000, 2_010)); // after the end
    assert_eq!(tally.transactions, 1);
    assert_eq!(tally.response().count, 1);
    assert_eq!(tally.response().max_us, 410_000.0);
}

#[test]
fn failures_are_counted_by_kind_and_only_time_outs_have_a_time() {
    let mut tally = Tally::new(WINDOW);
    let early = exchange(900, 900, 910);
    let within = exchange(1_100, 1_100, 1_600);
    tally.failed(early, Failure::Connect);
    for failure in [Failure::Connect, Failure::Timeout, Failure::Status(404), Failure::BodyLength] {
        tally.failed(within, failure);
    }
    tally.failed(within, Failure::BrokenAnswer);
    assert_eq!(tally.transactions, 0);
    assert_eq!(tally.failures.total(), 5);
    assert_eq!(tally.failures.connect, 1, "failures of the warm-up do not count");
    assert_eq!(tally.unexpected_status, Some(404));
    assert_eq!(tally.response().count, 1);
    assert_eq!(tally.response().max_us, 500_000.0);
}

#[test]
fn tallies_of_threads_add_up() {
    let (mut one, mut other) = (Tally::new(WINDOW), Tally::new(WINDOW));
    one.answered(exchange(1_100, 1_100, 1_110));
    other.answered(exchange(1_100, 1_100, 1_130));
    other.reconnected(1_500 * MS);
    other.reconnected(500 * MS);
    other.failed(exchange(1_100, 1_100, 1_130), Failure::Status(503));
    one.add(&other);
    assert_eq!((one.transactions, one.reconnects, one.failures.status), (2, 1, 1));
    assert_eq!(one.response().mean_us, 20_000.0);
    assert_eq!(one.unexpected_status, Some(503));
}

#[test]
fn an_empty_tally_has_no_times() {
    let tally = Tally::new(WINDOW);
    assert_eq!(tally.response().count, 0);
    assert_eq!(tally.response().max_us, 0.0);
}
