//! Routes requests among a number of APIs, for `perf/routing.py`, which counts the instructions between two signals.
//!
//! `routing APIS`: each API has three operations and two documents; the requests go to an operation and a document of the
//! API in the middle, and to a path that nobody has. SIGUSR1 stands before and behind [`ROUNDS`] times these three.

#[path = "../tests/it/setting.rs"]
#[allow(dead_code, reason = "the tests need more of it")]
mod setting;

use std::hint::black_box;

use api::{Api, Router};
use http::Method;
use rustix::process::{Signal, getpid, kill_process};

/// How often each request is routed.
const ROUNDS: usize = 20;

/// APIs without an argument, as when all benchmarks run.
const DEFAULT_APIS: usize = 1_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let count: usize = given.unwrap_or(DEFAULT_APIS);
    let operations =
        [(Method::GET, "/orders/{id}"), (Method::PUT, "/orders/{id}/items"), (Method::GET, "/orders")];
    let one = |number| {
        let name = format!("api-{number:04}");
        setting::api(&name, &format!("/company/{name}"), &operations)
    };
    // The middle one has the same path in every run.
    let middle = 500;
    let first = middle - count / 2;
    let apis: Vec<Api> = (first..first + count).map(one).collect();
    let router = Router::new(&apis).map_err(|errors| errors[0].message.clone())?;
    let paths = [
        (Method::PUT, format!("/company/api-{middle:04}/orders/17/items")),
        (Method::GET, format!("/company/api-{middle:04}/api-docs")),
        (Method::GET, format!("/company/none-{middle:04}/orders/17")),
    ];
    let round = || paths.iter().for_each(|(method, path)| drop(black_box(router.route(method, path))));
    round();
    if given.is_some() {
        kill_process(getpid(), Signal::USR1)?;
    }
    (0..ROUNDS).for_each(|_| round());
    if given.is_some() {
        kill_process(getpid(), Signal::USR1)?;
    }
    Ok(())
}
