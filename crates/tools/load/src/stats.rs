//! Median and range over the rounds of one step.

use serde::{Deserialize, Serialize};

/// Minimum, median and maximum of a figure over the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The smallest value of any round.
    pub min: f64,
    /// The median over the rounds.
    pub median: f64,
    /// The largest value of any round.
    pub max: f64,
}

impl Spread {
    /// The spread of the values; values that are not finite count as not measured. `None` when nothing is left.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut sorted: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        Some(Spread { min, median: median_of_sorted(&sorted), max })
    }

    /// As [`Spread::of`], for figures that some rounds do not have.
    pub fn of_known(values: impl IntoIterator<Item = Option<f64>>) -> Option<Spread> {
        Spread::of(values.into_iter().flatten())
    }
}

/// The middle value, or the mean of the two middle ones. The slice is sorted and not empty.
fn median_of_sorted(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        // Half of each, so that two huge values do not overflow.
        sorted[middle - 1] / 2.0 + sorted[middle] / 2.0
    }
}
