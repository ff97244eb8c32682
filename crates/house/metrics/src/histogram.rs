//! Distributions with fixed bounds, counted without a lock: two atomic additions for each
//! observation.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::{MetricType, TypedMetric};

/// Upper bounds of times in nanoseconds: 50 µs to 30 s.
pub(crate) const TIME_BOUNDS_NS: &[u64] = &[
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000,
    5_000_000_000,
    10_000_000_000,
    30_000_000_000,
];

/// Upper bounds of sizes in bytes: 64 bytes to 16 MiB.
pub(crate) const SIZE_BOUNDS_BYTES: &[u64] =
    &[64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20];

/// The factor for showing nanoseconds as seconds. Bytes are shown as they are.
const NS_PER_S: f64 = 1e9;

/// A distribution. Clones count together.
#[derive(Clone)]
pub(crate) struct Histogram(Arc<Inner>);

struct Inner {
    bounds: &'static [u64],
    /// One unit of the metric in units of the bounds.
    unit: f64,
    /// Observations between each bound and the one before. The last count is for all above.
    counts: Box<[AtomicU64]>,
    sum: AtomicU64,
}

impl Histogram {
    /// A distribution of times, in seconds.
    pub(crate) fn times() -> Self {
        Self::new(TIME_BOUNDS_NS, NS_PER_S)
    }

    /// A distribution of sizes, in bytes.
    pub(crate) fn sizes() -> Self {
        Self::new(SIZE_BOUNDS_BYTES, 1.0)
    }

    fn new(bounds: &'static [u64], unit: f64) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self(Arc::new(Inner { bounds, unit, counts, sum: AtomicU64::new(0) }))
    }

    /// Counts a time in nanoseconds, or a size in bytes.
    pub(crate) fn observe(&self, value: u64) {
        let bucket = self.0.bounds.partition_point(|bound| *bound < value);
        self.0.counts[bucket].fetch_add(1, Ordering::Relaxed);
        self.0.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// The number of observations, and their sum in seconds or bytes.
    pub(crate) fn totals(&self) -> (u64, f64) {
        let count = self.0.counts.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        (count, self.0.sum.load(Ordering::Relaxed) as f64 / self.0.unit)
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Histogram").field(&self.totals()).finish()
    }
}

impl TypedMetric for Histogram {
    const TYPE: MetricType = MetricType::Histogram;
}

impl EncodeMetric for Histogram {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        let bounds = self.0.bounds.iter().map(|bound| *bound as f64 / self.0.unit).chain([f64::MAX]);
        let counts = self.0.counts.iter().map(|count| count.load(Ordering::Relaxed));
        let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
        let count = buckets.iter().map(|(_, count)| count).sum();
        let sum = self.0.sum.load(Ordering::Relaxed) as f64 / self.0.unit;
        encoder.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_counted_in_the_bucket_that_it_does_not_exceed() {
        let sizes = Histogram::sizes();
        for value in [0, 64, 65, 16 << 20, (16 << 20) + 1] {
            sizes.observe(value);
        }
        let counts: Vec<u64> = sizes.0.counts.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        assert_eq!(counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!(sizes.totals(), (5, (64 + 65 + (32 << 20) + 1) as f64));
        let times = Histogram::times();
        times.observe(1_500_000_000);
        assert_eq!(times.totals(), (1, 1.5));
    }

    #[test]
    fn bounds_rise() {
        for bounds in [TIME_BOUNDS_NS, SIZE_BOUNDS_BYTES] {
            assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
