//! What stands around values in URLs: percent escapes, and the brackets of IPv6 addresses.

use std::borrow::Cow;

use percent_encoding::{
    AsciiSet, CONTROLS, NON_ALPHANUMERIC, PercentEncode, percent_decode, percent_encode, utf8_percent_encode,
};

/// All but the unreserved characters of RFC 3986, section 2.3. So no value can leave its place.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The characters that no request line has. Clients escape these, and all that are not ASCII.
const NOT_IN_PATHS: &AsciiSet = &CONTROLS.add(b' ').add(b'<').add(b'>').add(b'`');

/// The reason why a text cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadText {
    /// A percent sign without two hexadecimal digits behind it.
    Escape,
    /// The bytes are not UTF-8.
    NotUtf8,
}

/// A value in the form of a path or a query: a text that can be collected or shown.
#[must_use]
pub fn escaped(value: &(impl AsRef<[u8]> + ?Sized)) -> PercentEncode<'_> {
    percent_encode(value.as_ref(), ESCAPED)
}

/// A path as people write it, or a template of paths, in the form in which clients send it. Escapes in it stay.
#[must_use]
pub fn path_escaped(path: &str) -> String {
    utf8_percent_encode(path, NOT_IN_PATHS).to_string()
}

/// Resolves percent escapes.
///
/// # Errors
/// An escape is broken, or the result is not UTF-8.
pub fn decoded(text: &str) -> Result<Cow<'_, str>, BadText> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    if !escapes_are_whole(text.as_bytes()) {
        return Err(BadText::Escape);
    }
    percent_decode(text.as_bytes()).decode_utf8().map_err(|_| BadText::NotUtf8)
}

/// Resolves percent escapes and plus signs, as in queries of forms.
///
/// # Errors
/// Those of [`decoded`].
pub fn form_decoded(text: &str) -> Result<Cow<'_, str>, BadText> {
    if !text.contains('+') {
        return decoded(text);
    }
    let spaced = text.replace('+', " ");
    decoded(&spaced).map(|text| Cow::Owned(text.into_owned()))
}

/// The host of a URL or of `HOST:PORT`, an IPv6 address without its brackets (RFC 3986, section 3.2.2).
#[must_use]
pub fn bare_host(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

/// A text behind the host of a URL that is not a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadPort;

/// The port of the server in a URL, such as `user@host:8443`. None if it has no port. `host` is its host, with the brackets of an
/// IPv6 address.
///
/// # Errors
/// The text behind the host is not a port from 1 to 65535. Parsers of URLs pass such a text.
pub fn port_of(server: &str, host: &str) -> Result<Option<u16>, BadPort> {
    let server = server.rsplit('@').next().unwrap_or(server);
    match server.strip_prefix(host).ok_or(BadPort)? {
        "" | ":" => Ok(None),
        text => text[1..].parse().ok().filter(|port| *port > 0).map(Some).ok_or(BadPort),
    }
}

/// True if every percent sign begins an escape. The decoder would pass others unchanged.
fn escapes_are_whole(text: &[u8]) -> bool {
    let mut pieces = text.split(|byte| *byte == b'%');
    pieces.next();
    pieces.all(|piece| piece.len() >= 2 && piece[..2].iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    #[test]
    fn a_wrong_port_is_not_the_usual_one() {
        for (server, host, expected) in [
            ("h", "h", Ok(None)),
            ("h:", "h", Ok(None)),
            ("1:1", "1", Ok(Some(1))),
            ("h@h:8443", "h", Ok(Some(8443))),
            ("[::1]:8443", "[::1]", Ok(Some(8443))),
            ("h:99999", "h", Err(super::BadPort)),
            ("h:0", "h", Err(super::BadPort)),
        ] {
            assert_eq!(super::port_of(server, host), expected, "{server}");
        }
    }

    #[test]
    fn paths_are_escaped_where_they_must_be() {
        for (path, expected) in [
            ("/shop/{größe}/a", "/shop/{gr%C3%B6%C3%9Fe}/a"),
            ("/a b", "/a%20b"),
            ("/a%20b/(x)'y|~", "/a%20b/(x)'y|~"),
        ] {
            assert_eq!(super::path_escaped(path), expected);
        }
    }

    use super::*;

    #[test]
    fn escapes_and_plus_signs_are_resolved() {
        assert_eq!(decoded("/a%20b+c"), Ok("/a b+c".into()));
        assert_eq!(decoded("/%C3%a9"), Ok("/\u{e9}".into()));
        assert_eq!(form_decoded("a+b%20c%2B"), Ok("a b c+".into()));
        assert!(matches!(form_decoded("abc"), Ok(Cow::Borrowed("abc"))));
    }

    #[test]
    fn hosts_lose_their_brackets() {
        let hosts = [("[::1]", "::1"), ("::1", "::1"), ("a.example", "a.example"), ("[]", ""), ("", "")];
        for (host, bare) in
            hosts.into_iter().chain([("[::1", "[::1"), ("::1]", "::1]"), ("[[::1]]", "[::1]")])
        {
            assert_eq!(bare_host(host), bare);
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in ["%", "%4", "a%4", "%zz", "%+4", "%%41"] {
            assert_eq!(
                (decoded(text), form_decoded(text)),
                (Err(BadText::Escape), Err(BadText::Escape)),
                "{text}"
            );
        }
        assert_eq!(decoded("%ff"), Err(BadText::NotUtf8));
    }

    proptest! {
        #[test]
        fn what_is_escaped_is_plain_and_comes_back(text in any::<String>()) {
            let escaped = escaped(&text).to_string();
            prop_assert!(escaped.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)));
            prop_assert_eq!(decoded(&escaped), Ok(Cow::Borrowed(&*text)));
            prop_assert_eq!(form_decoded(&escaped), Ok(Cow::Borrowed(&*text)));
        }
    }
}
