//! Distinguished names as directories write them (RFC 4514): their first value, and the names below which
//! they lie.

/// The first value of a name: `staff` of `cn=staff,ou=groups,dc=example`. None if the text does not have this
/// form, or if the value is not text.
#[must_use]
pub fn first_value(name: &str) -> Option<String> {
    let (kind, rest) = name.split_once('=')?;
    if kind.trim().is_empty() || kind.contains([',', '+', '\\', '"']) {
        return None;
    }
    let rest = rest.trim_start_matches(' ');
    // A value in hexadecimal BER is of a type that has no text.
    if rest.starts_with('#') {
        return None;
    }
    let mut value = Vec::new();
    // How much of it blanks at the end may be taken from: escaped ones stay.
    let mut kept = 0;
    let mut bytes = rest.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b',' | b'+' | b';' => break,
            b'\\' => {
                let next = bytes.next()?;
                value.push(match char::from(next).to_digit(16) {
                    Some(high) => (high * 16 + char::from(bytes.next()?).to_digit(16)?) as u8,
                    None => next,
                });
                kept = value.len();
            }
            b' ' => value.push(b' '),
            byte => {
                value.push(byte);
                kept = value.len();
            }
        }
    }
    value.truncate(kept);
    String::from_utf8(value).ok().filter(|value| !value.is_empty())
}

/// Whether a name lies below another one. Case does not count, nor do blanks around commas and equals signs.
#[must_use]
pub fn is_below(name: &str, base: &str) -> bool {
    let (name, base) = (normal(name), normal(base));
    name.strip_suffix(&base).is_some_and(|rest| rest.ends_with(',') && !rest.ends_with("\\,"))
}

/// A form of a name to compare names with, good enough to look no group up twice.
pub(crate) fn normal(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            ' ' if normal.ends_with([',', '=']) && !normal.ends_with("\\,") => {}
            ',' | '=' => {
                normal.truncate(normal.trim_end_matches(' ').len());
                normal.push(c);
            }
            c => normal.extend(c.to_lowercase()),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_value_of_a_name() {
        for (name, expected) in [
            ("cn=staff,ou=groups,dc=test", Some("staff")),
            ("CN = Domain Users , OU=x", Some("Domain Users")),
            (r"cn=a\, b\2c c,ou=x", Some("a, b, c")),
            (r"cn=M\c3\bcller,ou=x", Some("Müller")),
            (r"cn=two+ou=x,dc=y", Some("two")),
            (r"cn=end\ ,ou=x", Some("end ")),
            ("cn=#0401,ou=x", None),
            ("cn=,ou=x", None),
            ("staff", None),
            ("=staff", None),
            (r"cn=a\", None),
            (r"cn=\ff,ou=x", None),
            ("", None),
        ] {
            assert_eq!(first_value(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn what_lies_below() {
        assert!(is_below("CN=staff, OU=Groups,dc=test", "ou=groups,DC=test"));
        assert!(!is_below("ou=groups,dc=test", "ou=groups,dc=test"));
        assert!(!is_below("cn=xou=groups,dc=test", "ou=groups,dc=test"));
        assert!(!is_below(r"cn=x\,ou=groups,dc=test", "ou=groups,dc=test"));
        assert!(!is_below("cn=staff,ou=other,dc=test", "ou=groups,dc=test"));
    }

    proptest! {
        #[test]
        fn an_escaped_value_is_read_back(value in "[^\u{0}]{1,20}") {
            let name = format!("cn={},ou=x", ldap3::dn_escape(&*value));
            prop_assert_eq!(first_value(&name), Some(value));
        }

        #[test]
        fn any_text_is_read_without_harm(name in "\\PC{0,40}") {
            let _ = (first_value(&name), is_below(&name, &name));
        }
    }
}
