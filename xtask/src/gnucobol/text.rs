//! Source text as the compiler wants it: lines that break between words, in the bytes of page 1252.

/// The last column of COBOL text in fixed format.
const COLUMN_MAX: usize = 72;

/// Writes words from column `indent` + 1 on, breaking lines between them.
pub(crate) fn wrap(indent: usize, words: &[String], out: &mut String) {
    let mut column = 0;
    for word in words {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > COLUMN_MAX {
            out.push('\n');
            column = 0;
        }
        if column == 0 {
            // The continuation of an entry stands further right.
            let indent = if std::ptr::eq(word, &raw const words[0]) { indent } else { indent + 4 };
            let indent = indent.min(COLUMN_MAX.saturating_sub(width)).max(7);
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}

/// The text in page 1252, as far as it is page 819 too, which all characters of the tests are.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(u32::from(character)).unwrap_or(b'?')).collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// A COBOL literal of text.
pub(crate) fn literal(text: &str) -> String {
    if text.is_empty() { "SPACES".to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// A number of units of its last place, as JSON has it: no zeros at the end of its fraction.
pub(crate) fn decimal(mantissa: i128, scale: i32) -> String {
    let (mut mantissa, mut scale) = (mantissa, scale);
    while scale > 0 && mantissa % 10 == 0 {
        (mantissa, scale) = (mantissa / 10, scale - 1);
    }
    let sign = if mantissa < 0 { "-" } else { "" };
    let digits = mantissa.unsigned_abs().to_string();
    let places = scale.unsigned_abs() as usize;
    if scale <= 0 {
        return format!("{sign}{digits}{}", "0".repeat(if mantissa == 0 { 0 } else { places }));
    }
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::{bytes, decimal, hex, literal, wrap};

    #[test]
    fn lines_break_between_words_before_column_73() {
        let mut out = String::new();
        let words = ["05".to_owned(), "A".repeat(40), "B".repeat(40), "C.".to_owned()];
        wrap(11, &words, &mut out);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines, [format!("           05 {}", words[1]), format!("               {} C.", words[2])]);
    }

    #[test]
    fn values_as_text() {
        assert_eq!(decimal(-5, 2), "-0.05");
        assert_eq!(decimal(12_300, 2), "123");
        assert_eq!(decimal(7, -2), "700");
        assert_eq!(decimal(0, -2), "0");
        assert_eq!(decimal(7, 0), "7");
        assert_eq!(decimal(-1_230, 2), "-12.3");
        assert_eq!(literal("a\"b"), "\"a\"\"b\"");
        assert_eq!(literal(""), "SPACES");
        assert_eq!(hex(&bytes("aé")), "61E9");
    }
}
