//! Pictures with editing symbols: the allowed combinations and orders.

use super::{MAX_DIGITS, Problem, Run, shown};
use crate::codes;

/// Checks a numeric edited picture by the rules that decide its meaning. The full precedence table of the
/// language reference also forbids some harmless orders, which are accepted here.
pub(super) fn check(runs: &[Run]) -> Result<(), Problem> {
    let significant: Vec<&Run> =
        runs.iter().filter(|run| !matches!(run.symbol, 'B' | '0' | '/' | ',')).collect();
    check_symbols(&significant)?;
    let signs = group(&significant, |symbol| matches!(symbol, '+' | '-'));
    let currency = group(&significant, |symbol| symbol == '$');
    check_insertion(&significant, &signs)?;
    check_insertion(&significant, &currency)?;
    let floating = [&signs, &currency].into_iter().find(|found| found.total > 1);
    check_digits(&significant, floating, runs)
}

/// External floating point: `+9.9(5)E+99`.
pub(super) fn check_float(runs: &[Run]) -> Result<(), Problem> {
    if let Some(run) = runs.iter().find(|run| !matches!(run.symbol, '+' | '-' | '9' | '.' | 'V' | 'E')) {
        return Err(Problem::at(run, format!("{} is not allowed beside E", shown(run.symbol))));
    }
    let mut parts = runs.split(|run| run.symbol == 'E');
    let (mantissa, exponent) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_sign = |run: &Run| matches!(run.symbol, '+' | '-') && run.count == 1;
    let good_mantissa = mantissa.first().is_some_and(is_sign) && mantissa.iter().any(|run| run.symbol == '9');
    let good_exponent = matches!(exponent, [sign, digits] if is_sign(sign) && digits.symbol == '9');
    if parts.next().is_some() || !good_mantissa || !good_exponent {
        let message = "expected a sign, digits, E, a sign and digits, as in +9.99E+99";
        return Err(Problem::at(&runs[0], message));
    }
    Ok(())
}

/// Checks symbols that may occur once, and those that exclude each other.
fn check_symbols(significant: &[&Run]) -> Result<(), Problem> {
    let mut point = false;
    let mut suppression: Option<char> = None;
    let mut nines = false;
    for (index, run) in significant.iter().enumerate() {
        match run.symbol {
            'S' => return Err(Problem::at(run, "S is not allowed in an edited picture; use + or -")),
            '.' | 'V' if point || run.count > 1 => {
                let message = "the decimal point may occur only once";
                return Err(Problem { code: codes::SECOND_POINT, ..Problem::at(run, message) });
            }
            '.' | 'V' => point = true,
            'C' | 'D' if index + 1 < significant.len() || run.count > 1 => {
                return Err(Problem::at(
                    run,
                    format!("{} may occur only once, at the end", shown(run.symbol)),
                ));
            }
            'Z' | '*' if suppression.is_some_and(|other| other != run.symbol) => {
                return Err(Problem::at(run, "Z and * are not allowed together"));
            }
            'Z' | '*' if nines => {
                return Err(Problem::at(run, format!("{} is not allowed after a 9", run.symbol)));
            }
            'Z' | '*' => suppression = Some(run.symbol),
            '9' => nines = true,
            _ => {}
        }
    }
    Ok(())
}

/// The runs of a sign or of the currency symbol.
struct Insertion {
    /// Their positions among the significant runs.
    at: Vec<usize>,
    total: u32,
}

fn group(significant: &[&Run], wanted: fn(char) -> bool) -> Insertion {
    let at: Vec<usize> =
        significant.iter().enumerate().filter(|(_, run)| wanted(run.symbol)).map(|(at, _)| at).collect();
    let total = at.iter().fold(0_u32, |sum, index| sum.saturating_add(significant[*index].count));
    Insertion { at, total }
}

/// A sign or currency symbol occurs once at either end, or several times in a row at the start.
fn check_insertion(significant: &[&Run], found: &Insertion) -> Result<(), Problem> {
    let (Some(&first), Some(&last)) = (found.at.first(), found.at.last()) else { return Ok(()) };
    let symbol = significant[first].symbol;
    if let Some(other) = found.at.iter().find(|index| significant[**index].symbol != symbol) {
        return Err(Problem::at(significant[*other], "+ and - are not allowed together"));
    }
    // A fixed sign and a fixed currency symbol may precede each other, and may precede a floating string.
    let leads =
        significant[..first].iter().all(|run| matches!(run.symbol, '+' | '-' | '$') && run.count == 1);
    let trails =
        found.total == 1 && significant[first + 1..].iter().all(|run| matches!(run.symbol, '+' | '-' | '$'));
    if found.total == 1 {
        let fits = leads || trails;
        let message = format!("{symbol} is allowed only at the start or the end");
        return if fits { Ok(()) } else { Err(Problem::at(significant[first], message)) };
    }
    let gap = (first..=last).find(|index| {
        let between = significant[*index].symbol;
        between != symbol && !matches!(between, '.' | 'V')
    });
    if let Some(gap) = gap {
        let again = found.at.iter().find(|index| **index > gap).copied().unwrap_or(last);
        return Err(Problem::at(
            significant[again],
            format!("{symbol} stands a second time, after other digits"),
        ));
    }
    if leads {
        Ok(())
    } else {
        Err(Problem::at(significant[first], format!("a row of {symbol} is allowed only first")))
    }
}

/// Digit positions: 9, Z, *, and all but the first of a floating string.
fn check_digits(significant: &[&Run], floating: Option<&Insertion>, runs: &[Run]) -> Result<(), Problem> {
    if let Some(float) = floating
        && let Some(run) = significant.iter().find(|run| matches!(run.symbol, 'Z' | '*'))
    {
        let symbol = significant[float.at[0]].symbol;
        return Err(Problem::at(run, format!("{} is not allowed beside a row of {symbol}", run.symbol)));
    }
    let trailing_sign = significant.last().is_some_and(|run| matches!(run.symbol, 'C' | 'D'));
    let sign = significant.iter().find(|run| matches!(run.symbol, '+' | '-'));
    if let (true, Some(sign)) = (trailing_sign, sign) {
        return Err(Problem::at(sign, "CR and DB are not allowed beside + or -"));
    }
    let plain = significant.iter().filter(|run| matches!(run.symbol, '9' | 'Z' | '*'));
    let digits = plain.fold(0_u32, |sum, run| sum.saturating_add(run.count));
    let digits = digits.saturating_add(floating.map_or(0, |float| float.total - 1));
    match digits {
        0 => Err(Problem::at(&runs[0], "expected at least one digit position: 9, Z, * or a row of + - $")),
        digits if digits > MAX_DIGITS => Err(Problem {
            code: codes::TOO_MANY_DIGITS,
            at: runs[0].at,
            message: format!("expected at most {MAX_DIGITS} digits, found {digits}"),
        }),
        _ => Ok(()),
    }
}
