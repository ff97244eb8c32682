//! The path of an operation: its parameters, and a check for `requester.toml`.

/// The characters that may stand in a path besides parameters (`pchar` of RFC 3986, section 3.3, and the
/// slash).
const PATH_MARKS: &[u8] = b"-._~!$&'()*+,;=:@/%";

/// The parameters of a path, `/items/{itemID}`, in their order.
///
/// # Errors
/// The gateway cannot call such a path: its loader would refuse it.
pub(super) fn parameters(path: &str) -> Result<Vec<&str>, String> {
    if !path.starts_with('/') {
        return Err("expected a path that begins with a slash".to_owned());
    }
    if path.split('/').any(|part| matches!(part, "." | "..")) {
        return Err("expected a path without the parts '.' and '..'".to_owned());
    }
    let mut names = Vec::new();
    let mut rest = path;
    while let Some((literal, behind)) = rest.split_once('{') {
        check_literal(literal)?;
        let (name, behind) = behind.split_once('}').ok_or("expected '}' behind each '{' of the path")?;
        if name.is_empty() || name.contains(['{', '/']) || names.contains(&name) {
            return Err(format!("expected names of parameters in the path, each once, found '{name}'"));
        }
        names.push(name);
        rest = behind;
    }
    check_literal(rest)?;
    Ok(names)
}

fn check_literal(literal: &str) -> Result<(), String> {
    let bytes = literal.as_bytes();
    let is_escape =
        |at: usize| bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let odd = literal.char_indices().find(|(at, character)| match u8::try_from(*character) {
        Ok(b'%') => !is_escape(*at),
        Ok(byte) => !(byte.is_ascii_alphanumeric() || PATH_MARKS.contains(&byte)),
        Err(_) => true,
    });
    match odd {
        Some((_, odd)) => Err(format!("the path has '{}', which a path cannot have", odd.escape_default())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_stand_in_braces() {
        assert_eq!(parameters("/a/{b}/c-{d}.json"), Ok(vec!["b", "d"]));
        assert_eq!(parameters("/%7Eme/x;y=1"), Ok(vec![]));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        let none = [
            "", "a", "/a/../b", "/.", "/{", "/{}", "/{a/b}", "/{a}/{a}", "/a?b=c", "/a b", "/%4", "/é", "/}",
        ];
        for path in none {
            assert!(parameters(path).is_err(), "{path}");
        }
    }
}
