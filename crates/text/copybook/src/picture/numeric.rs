//! Pictures of numbers without editing: S, 9, V and P.

use super::{Category, MAX_DIGITS, Problem, Run};
use crate::codes;

/// Digits and scaling positions on both sides of the decimal point.
#[derive(Default)]
struct Parts {
    digits_before: u32,
    digits_after: u32,
    /// P before the first 9, left and right of V.
    leading: [u32; 2],
    /// P after the last 9, left and right of V.
    trailing: [u32; 2],
    point: bool,
}

/// Checks the order of the symbols. Gives the category, and a warning for a lenient reading.
pub(super) fn check(runs: &[Run]) -> Result<(Category, Option<&'static str>), Problem> {
    let parts = parts(runs)?;
    let last = &runs[runs.len() - 1];
    let digits = parts.digits_before.saturating_add(parts.digits_after);
    if digits == 0 {
        return Err(Problem::at(last, "expected at least one 9"));
    }
    let scaled =
        parts.leading.iter().chain(&parts.trailing).fold(0_u32, |sum, count| sum.saturating_add(*count));
    let total = digits.saturating_add(scaled);
    if total > MAX_DIGITS {
        let message = format!("expected at most {MAX_DIGITS} digits, found {total}");
        return Err(Problem { code: codes::TOO_MANY_DIGITS, at: runs[0].at, message });
    }
    let (scale, warning) = scale(&parts, digits, last)?;
    let category = Category::Numeric { digits: digits as u8, scale, signed: runs[0].symbol == 'S' };
    Ok((category, warning))
}

fn parts(runs: &[Run]) -> Result<Parts, Problem> {
    let mut parts = Parts::default();
    for (index, run) in runs.iter().enumerate() {
        let after = usize::from(parts.point);
        let digits = parts.digits_before > 0 || parts.digits_after > 0;
        match run.symbol {
            'S' if index > 0 || run.count > 1 => {
                return Err(Problem::at(run, "S may occur only once, at the start"));
            }
            'S' => {}
            'V' if parts.point || run.count > 1 => return Err(Problem::at(run, "V may occur only once")),
            'V' => parts.point = true,
            'P' if digits => parts.trailing[after] += run.count,
            'P' => parts.leading[after] += run.count,
            _ if parts.trailing != [0, 0] => {
                return Err(Problem::at(run, "P is allowed only at one end of the digits, not among them"));
            }
            _ if parts.point => parts.digits_after += run.count,
            _ => parts.digits_before += run.count,
        }
    }
    Ok(parts)
}

/// Digits right of the decimal point. With P the point is at the far end of P, and V is optional there
/// (Enterprise COBOL Language Reference, "Symbols used in the PICTURE clause").
fn scale(parts: &Parts, digits: u32, last: &Run) -> Result<(i8, Option<&'static str>), Problem> {
    const ASTRIDE: &str = "V is allowed only at the far end of the P's; the P's beyond it are ignored";
    let both = |sides: [u32; 2]| (sides[0] > 0 && sides[1] > 0).then_some(ASTRIDE);
    // All counts are at most MAX_DIGITS, so they fit.
    let narrow = |count: u32| count as i8;
    match (parts.leading, parts.trailing) {
        ([0, 0], [0, 0]) => Ok((narrow(parts.digits_after), None)),
        ([0, 0], [0, _]) if parts.point => {
            Err(Problem::at(last, "V is not allowed before a P that follows digits"))
        }
        ([0, 0], sides) => Ok((-narrow(sides[0]), both(sides))),
        ([_, 0], [0, 0]) if parts.point => {
            Err(Problem::at(last, "V is not allowed after a P that leads digits"))
        }
        ([count, 0] | [0, count], [0, 0]) => Ok((narrow(count + digits), None)),
        (sides, [0, 0]) => Ok((narrow(sides[1] + digits), both(sides))),
        _ => Err(Problem::at(last, "P is allowed only at one end of the digits")),
    }
}
