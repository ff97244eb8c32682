//! Checks that clients in any language accept a regular expression, so that no client fails on a whole list
//! of schemas.

/// Escapes with the same meaning everywhere. In JavaScript's Unicode mode all others are errors.
const ESCAPES: &str = r"^$\.*+?()[]{}|/dDwWsSbBnrtvf";
/// Escapes for sets of characters, which cannot end a range.
const SETS: &str = "dDwWsS";

/// True for a pattern that is certainly valid in JavaScript's Unicode mode too, the strictest mode of
/// clients.
pub(super) fn is_portable(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let behind = &rest[first.len_utf8()..];
        let end = match first {
            '\\' => behind.chars().next().filter(|escaped| ESCAPES.contains(*escaped)).map(|_| 1),
            '[' => class(behind),
            '{' => count(behind),
            ']' | '}' => None,
            _ => Some(0),
        };
        let Some(end) = end else { return false };
        rest = &behind[end..];
    }
    true
}

/// The bytes of a class behind its bracket.
fn class(text: &str) -> Option<usize> {
    let mut characters = text.char_indices().peekable();
    // True if the last one was a set, or the end of a range with a set.
    let (mut after_set, mut in_range) = (false, false);
    while let Some((at, character)) = characters.next() {
        match character {
            ']' => return Some(at + 1),
            '\\' => {
                let (_, escaped) = characters.next()?;
                let is_set = SETS.contains(escaped);
                if !(ESCAPES.contains(escaped) || escaped == '-') || (is_set && in_range) {
                    return None;
                }
                (after_set, in_range) = (is_set, false);
            }
            '-' if at > 0 && characters.peek().is_some_and(|(_, next)| *next != ']') => {
                if after_set {
                    return None;
                }
                in_range = true;
            }
            _ => (after_set, in_range) = (false, false),
        }
    }
    None
}

/// The bytes of a count behind its brace: `2}`, `2,}`, `2,3}`.
fn count(text: &str) -> Option<usize> {
    let (inside, _) = text.split_once('}')?;
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && is_number(least) && is_number(most)).then_some(inside.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_every_client_takes() {
        for pattern in [
            "^[A-Z]{3}$",
            r"^\d{1,5}(\.\d{2})?$",
            "^[a-z-]+$",
            r"[\w-]",
            r"[a\-z]",
            "a{2,}",
            r"\[\]",
            "[^-a]",
            "é+",
        ] {
            assert!(is_portable(pattern), "{pattern}");
        }
    }

    #[test]
    fn patterns_that_some_client_may_refuse() {
        for pattern in [
            r"a\-b", r"\@", "a{", "a}", "]", "a{x}", r"[\w-z]", r"[+-\d]", r"[\_]", "[a", r"\p{L}", "\\",
            r"[\",
        ] {
            assert!(!is_portable(pattern), "{pattern}");
        }
    }
}
