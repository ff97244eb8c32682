//! The figures of a window, by the names that experiments and results use.

use std::collections::BTreeMap;

use load::result::Round;
use serde::Deserialize;

use crate::record::rounded;

/// The figures of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "title and unit say it")]
pub enum Figure {
    RequestsPerS,
    ResponseMeanUs,
    ResponseP50Us,
    ResponseP90Us,
    ResponseP99Us,
    #[serde(rename = "response_p99_9_us")]
    ResponseP999Us,
    ResponseMaxUs,
    CpuUsPerRequest,
    CpuPct,
    OffloadablePct,
    MemoryMib,
    ServerCorePct,
    DriverCorePct,
    DriverCpuUsPerRequest,
    RequestBytes,
    AnswerBytes,
}

impl Figure {
    /// All figures.
    pub const ALL: [Figure; 16] = [
        Figure::RequestsPerS,
        Figure::ResponseMeanUs,
        Figure::ResponseP50Us,
        Figure::ResponseP90Us,
        Figure::ResponseP99Us,
        Figure::ResponseP999Us,
        Figure::ResponseMaxUs,
        Figure::CpuUsPerRequest,
        Figure::CpuPct,
        Figure::OffloadablePct,
        Figure::MemoryMib,
        Figure::ServerCorePct,
        Figure::DriverCorePct,
        Figure::DriverCpuUsPerRequest,
        Figure::RequestBytes,
        Figure::AnswerBytes,
    ];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// The head of its column.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.words().1
    }

    /// The figure of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Figure> {
        Figure::ALL.into_iter().find(|figure| figure.name() == name)
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Figure::RequestsPerS => ("requests_per_s", "requests/s"),
            Figure::ResponseMeanUs => ("response_mean_us", "mean µs"),
            Figure::ResponseP50Us => ("response_p50_us", "p50 µs"),
            Figure::ResponseP90Us => ("response_p90_us", "p90 µs"),
            Figure::ResponseP99Us => ("response_p99_us", "p99 µs"),
            Figure::ResponseP999Us => ("response_p99_9_us", "p99.9 µs"),
            Figure::ResponseMaxUs => ("response_max_us", "max µs"),
            Figure::CpuUsPerRequest => ("cpu_us_per_request", "CPU µs/request"),
            Figure::CpuPct => ("cpu_pct", "CPU %"),
            Figure::OffloadablePct => ("offloadable_pct", "offloadable %"),
            Figure::MemoryMib => ("memory_mib", "memory MiB"),
            Figure::ServerCorePct => ("server_core_pct", "server core %"),
            Figure::DriverCorePct => ("driver_core_pct", "driver core %"),
            Figure::DriverCpuUsPerRequest => ("driver_cpu_us_per_request", "driver CPU µs/request"),
            Figure::RequestBytes => ("request_bytes", "request bytes"),
            Figure::AnswerBytes => ("answer_bytes", "answer bytes"),
        }
    }

    fn of(self, round: &Round) -> Option<f64> {
        let times = round.response;
        let time = |us: f64| (times.count > 0).then_some(us);
        match self {
            Figure::RequestsPerS => Some(round.tps()),
            Figure::ResponseMeanUs => time(times.mean_us),
            Figure::ResponseP50Us => time(times.p50_us),
            Figure::ResponseP90Us => time(times.p90_us),
            Figure::ResponseP99Us => time(times.p99_us),
            Figure::ResponseP999Us => time(times.p99_9_us),
            Figure::ResponseMaxUs => time(times.max_us),
            Figure::CpuUsPerRequest => round.cpu_ms_per_tx().map(|ms| ms * 1e3),
            Figure::CpuPct => round.cpu_pct(),
            Figure::OffloadablePct => round.offloadable_pct(),
            Figure::MemoryMib => round.server?.memory_mib,
            Figure::ServerCorePct => round.server?.core_busy_pct,
            Figure::DriverCorePct => round.driver_core_busy_pct,
            Figure::DriverCpuUsPerRequest => round.driver_cpu_ms_per_tx().map(|ms| ms * 1e3),
            // Known of the messages, not of the window.
            Figure::RequestBytes | Figure::AnswerBytes => None,
        }
    }
}

/// All figures of a window that were measured.
pub(crate) fn figures_of(round: &Round, request_bytes: f64, answer_bytes: f64) -> BTreeMap<String, f64> {
    let value = |figure: Figure| match figure {
        Figure::RequestBytes => Some(request_bytes),
        Figure::AnswerBytes => Some(answer_bytes),
        _ => figure.of(round),
    };
    let known = |figure: Figure| Some((figure.name().to_owned(), rounded(value(figure)?)));
    Figure::ALL.into_iter().filter_map(known).filter(|(_, value)| value.is_finite()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_results_use_the_same_names() {
        #[derive(Deserialize)]
        struct One {
            figure: Figure,
        }
        for figure in Figure::ALL {
            let read: One = toml::from_str(&format!("figure = \"{}\"", figure.name())).expect("a figure");
            assert_eq!((read.figure, Figure::named(figure.name())), (figure, Some(figure)));
        }
    }
}
