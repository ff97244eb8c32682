//! Integers as English words, and back.

const FEW: [(&str, &str); 20] = [
    ("Zero", "Zeroth"),
    ("One", "First"),
    ("Two", "Second"),
    ("Three", "Third"),
    ("Four", "Fourth"),
    ("Five", "Fifth"),
    ("Six", "Sixth"),
    ("Seven", "Seventh"),
    ("Eight", "Eighth"),
    ("Nine", "Ninth"),
    ("Ten", "Tenth"),
    ("Eleven", "Eleventh"),
    ("Twelve", "Twelfth"),
    ("Thirteen", "Thirteenth"),
    ("Fourteen", "Fourteenth"),
    ("Fifteen", "Fifteenth"),
    ("Sixteen", "Sixteenth"),
    ("Seventeen", "Seventeenth"),
    ("Eighteen", "Eighteenth"),
    ("Nineteen", "Nineteenth"),
];

const TENS: [(&str, &str); 8] = [
    ("Twenty", "Twentieth"),
    ("Thirty", "Thirtieth"),
    ("Forty", "Fortieth"),
    ("Fifty", "Fiftieth"),
    ("Sixty", "Sixtieth"),
    ("Seventy", "Seventieth"),
    ("Eighty", "Eightieth"),
    ("Ninety", "Ninetieth"),
];

const MAGNITUDES: [(i128, &str); 5] = [
    (1_000_000_000_000, "Trillion"),
    (1_000_000_000, "Billion"),
    (1_000_000, "Million"),
    (1_000, "Thousand"),
    (100, "Hundred"),
];

/// A number that is not negative, in words, or as an ordinal.
pub(super) fn of(size: i128, ordinal: bool) -> String {
    let mut out = String::new();
    say(size, ordinal, &mut out);
    out
}

fn say(size: i128, ordinal: bool, out: &mut String) {
    let pick = |words: (&'static str, &'static str), ordinal| if ordinal { words.1 } else { words.0 };
    if size < 20 {
        return out.push_str(pick(FEW[size as usize], ordinal));
    }
    if size < 100 {
        let rest = size % 10;
        out.push_str(pick(TENS[(size / 10 - 2) as usize], ordinal && rest == 0));
        if rest > 0 {
            out.push('-');
            say(rest, ordinal, out);
        }
        return;
    }
    for (magnitude, name) in MAGNITUDES {
        if size < magnitude {
            continue;
        }
        say(size / magnitude, false, out);
        out.push(' ');
        out.push_str(name);
        let rest = size % magnitude;
        match rest {
            0 if ordinal => return out.push_str("th"),
            0 => return,
            1..100 => out.push_str(" and "),
            _ => out.push_str(", "),
        }
        return say(rest, ordinal, out);
    }
}

/// The value of words in lower case.
pub(super) fn read(text: &str) -> Option<i128> {
    let words = text.split([' ', '-', ',']).filter(|word| !word.is_empty() && *word != "and");
    let mut parts = vec![0_i128];
    let mut any = false;
    for word in words {
        any = true;
        let value = value_of(word)?;
        let top = parts.pop()?;
        if value >= 100 {
            parts.push(top.checked_mul(value)?);
        } else if top >= 1_000 {
            parts.extend([top, value]);
        } else {
            parts.push(top + value);
        }
    }
    any.then(|| parts.iter().try_fold(0_i128, |sum, part| sum.checked_add(*part))).flatten()
}

fn value_of(word: &str) -> Option<i128> {
    let is = |words: &(&str, &str)| words.0.eq_ignore_ascii_case(word) || words.1.eq_ignore_ascii_case(word);
    if let Some(value) = FEW.iter().position(is) {
        return Some(value as i128);
    }
    if let Some(tens) = TENS.iter().position(is) {
        return Some((tens as i128 + 2) * 10);
    }
    let bare = word.strip_suffix("th").unwrap_or(word);
    MAGNITUDES.iter().find(|(_, name)| name.eq_ignore_ascii_case(bare)).map(|(value, _)| *value)
}
