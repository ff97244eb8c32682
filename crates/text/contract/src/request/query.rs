//! The texts of a request's URL and cookies: pairs of names and values, with percent escapes resolved.

use std::borrow::Cow;

use percent::BadText;

/// The pairs of a query, names and values still encoded.
pub(super) fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// The pairs of a Cookie header.
pub(super) fn cookies(header: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = header.split(';').map(str::trim).filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// Resolves percent escapes and, in queries, plus signs.
///
/// # Errors
/// The text that was expected instead.
pub(super) fn decoded(text: &str, plus_is_blank: bool) -> Result<Cow<'_, str>, &'static str> {
    let decoded = if plus_is_blank { percent::form_decoded(text) } else { percent::decoded(text) };
    decoded.map_err(|fault| match fault {
        BadText::Escape => "two hexadecimal digits behind each '%'",
        BadText::NotUtf8 => "UTF-8",
    })
}

/// The elements of an array in one text, still encoded. Blanks, tabs and bars may be encoded themselves.
pub(super) fn elements(text: &str, separator: u8) -> Vec<Cow<'_, str>> {
    if text.is_empty() {
        return Vec::new();
    }
    let escapes: &[&str] = match separator {
        b' ' => &["%20", "+"],
        b'\t' => &["%09"],
        b'|' => &["%7C", "%7c"],
        _ => &[],
    };
    let plain = escapes.iter().fold(Cow::Borrowed(text), |text, escape| {
        if text.contains(escape) {
            Cow::Owned(text.replace(escape, &char::from(separator).to_string()))
        } else {
            text
        }
    });
    match plain {
        Cow::Borrowed(text) => text.split(char::from(separator)).map(Cow::Borrowed).collect(),
        Cow::Owned(text) => text.split(char::from(separator)).map(|one| Cow::Owned(one.to_owned())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded() {
        assert_eq!(decoded("a+b%20c", true), Ok("a b c".into()));
        assert_eq!(decoded("a+b%2B", false), Ok("a+b+".into()));
        for wrong in ["%", "%4", "%zz", "a%4"] {
            assert_eq!(decoded(wrong, true), Err("two hexadecimal digits behind each '%'"), "{wrong}");
        }
        assert_eq!(decoded("%ff", true), Err("UTF-8"));
    }

    #[test]
    fn pairs_and_elements_are_split() {
        assert_eq!(pairs("a=1&&b&c=x=y").collect::<Vec<_>>(), [("a", "1"), ("b", ""), ("c", "x=y")]);
        assert_eq!(cookies("a=1; b=2;").collect::<Vec<_>>(), [("a", "1"), ("b", "2")]);
        assert_eq!(elements("a,b%2C,", b','), ["a", "b%2C", ""]);
        assert_eq!(elements("a%20b+c", b' '), ["a", "b", "c"]);
        assert_eq!(elements("a|b%7cc%7C", b'|'), ["a", "b", "c", ""]);
        assert!(elements("", b',').is_empty());
    }
}
