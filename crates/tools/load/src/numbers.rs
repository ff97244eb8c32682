//! Figures as text: few digits, thousands separated, the same in the table and in the report.

/// The text in place of a figure that was not measured.
pub const NOT_MEASURED: &str = "n/a";

/// A figure with about three significant digits: `4,985`, `12.3`, `0.0843`; huge ones as `1.2e15`.
pub fn figure(value: f64) -> String {
    if !value.is_finite() {
        return NOT_MEASURED.to_owned();
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-6..1e12).contains(&size) {
        return format!("{value:.1e}");
    }
    // Digits after the point so that three significant ones remain; none from 100 on.
    let magnitude = size.log10().floor();
    let decimals = if size >= 100.0 { 0 } else { (2.0 - magnitude) as usize };
    thousands(&format!("{value:.decimals$}"))
}

/// A figure that may be missing.
pub fn figure_or_na(value: Option<f64>) -> String {
    value.map_or_else(|| NOT_MEASURED.to_owned(), figure)
}

/// A whole number with separated thousands.
pub fn count(value: u64) -> String {
    thousands(&value.to_string())
}

/// The label of an axis tick: a round number that needs no more digits than its step.
pub fn tick(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let (scaled, step, suffix) = match value.abs().max(step) {
        size if size >= 1e15 || step < 1e-5 => return format!("{value:.1e}"),
        size if size >= 1e12 => (value / 1e12, step / 1e12, "T"),
        size if size >= 1e9 => (value / 1e9, step / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, step / 1e6, "M"),
        _ => (value, step, ""),
    };
    let decimals = if step >= 1.0 { 0 } else { (-step.log10()).ceil().min(9.0) as usize };
    let text = format!("{scaled:.decimals$}");
    // A step of 0.5 M has one decimal, yet its even ticks need none.
    let text = if suffix.is_empty() { text.as_str() } else { text.trim_end_matches(".0") };
    format!("{}{suffix}", thousands(text))
}

/// Puts a comma between each three digits before the point.
fn thousands(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
    let mut out = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.084_31, "0.0843"),
            (0.999_9, "1.000"),
            (12.34, "12.3"),
            (99.96, "100.0"),
            (4_985.2, "4,985"),
            (1_234_567.0, "1,234,567"),
            (3.2e15, "3.2e15"),
            (f64::NAN, "n/a"),
            (-1_500.0, "-1,500"),
        ] {
            assert_eq!(figure(value), text);
        }
        assert_eq!(figure_or_na(None), "n/a");
    }

    #[test]
    fn ticks_are_short() {
        for (value, step, text) in [
            (0.0, 0.05, "0"),
            (0.15, 0.05, "0.15"),
            (2_000.0, 1_000.0, "2,000"),
            (1_500_000.0, 500_000.0, "1.5M"),
            (2_000_000.0, 500_000.0, "2M"),
            (4e18, 1e18, "4.0e18"),
            (6e-7, 2e-7, "6.0e-7"),
        ] {
            assert_eq!(tick(value, step), text);
        }
    }
}
