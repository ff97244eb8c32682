//! The provider's share of the server's CPU time, read from its Prometheus page.

use std::time::Duration;

use http::Method;

use crate::error::{Error, ErrorKind};
use crate::plan::{Endpoint, build_request};
use crate::response::ResponseReader;
use crate::wire;

/// The counter of CPU seconds that were spent in service providers.
pub const PROVIDER_CPU_METRIC: &str = "gantry_provider_cpu_seconds_total";

const METRICS_TIMEOUT_MS: u64 = 5_000;

/// Fetches the page and sums [`PROVIDER_CPU_METRIC`]; `None` when the page does not have it.
pub(crate) fn provider_cpu_s(endpoint: &Endpoint) -> Result<Option<f64>, Error> {
    let request = build_request(&Method::GET, endpoint, &[], None, true)?;
    let timeout = Duration::from_millis(METRICS_TIMEOUT_MS);
    let (answer, page) = wire::exchange(endpoint, &request, ResponseReader::keeping_content(), timeout)?;
    if answer.status != 200 {
        let message = format!("the metrics page of {} answered {}", endpoint.authority, answer.status);
        return Err(Error::new(ErrorKind::Server, message));
    }
    Ok(sum(&String::from_utf8_lossy(&page), PROVIDER_CPU_METRIC))
}

/// The sum of a metric over all its labels in a page of the Prometheus text format (version 0.0.4).
pub fn sum(page: &str, metric: &str) -> Option<f64> {
    let values = page.lines().filter_map(|line| value_of(line.trim_start(), metric));
    values.fold(None, |sum, value| Some(sum.unwrap_or(0.0) + value))
}

/// The value on a line `metric{labels} value timestamp`; labels and timestamp may be missing.
fn value_of(line: &str, metric: &str) -> Option<f64> {
    let rest = line.strip_prefix(metric)?;
    let value = match rest.strip_prefix('{') {
        Some(labels) => &labels[end_of_labels(labels)?..],
        // Without labels a blank must follow, or it is another metric whose name begins the same.
        None => rest.strip_prefix([' ', '\t'])?,
    };
    value.split_ascii_whitespace().next()?.parse().ok()
}

/// Where the labels end: after the first `}` that is not within a quoted value.
fn end_of_labels(labels: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (index, byte) in labels.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'}' if !quoted => return Some(index + 1),
            _ => {}
        }
    }
    None
}
