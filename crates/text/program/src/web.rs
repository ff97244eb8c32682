//! The rules of web support: forms and queries, media types, and the headers and statuses that a program may give.
//!
//! Deliberately absent: code pages, and the request itself.

use core::net::Ipv6Addr;

/// The most fields of a form or a query. With more of them, a program sees none.
pub const FIELDS_MAX: usize = 10_000;

/// The most bytes of a status text, of a header's name, and of its value.
pub const REASON_MAX_BYTES: usize = 256;
/// The most bytes of the name of a header.
pub const HEADER_NAME_MAX_BYTES: usize = 256;
/// The most bytes of the value of a header.
pub const HEADER_VALUE_MAX_BYTES: usize = 16 * 1024;
/// The most headers of an answer.
pub const ANSWER_HEADERS_MAX: usize = 100;

/// The most sessions with servers that a task may have open at one time.
pub const SESSIONS_MAX: usize = 100;
/// The most bytes of a host.
pub const HOST_MAX_BYTES: usize = 255;

/// A field of a form or a parameter of a query, without its escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: Vec<u8>,
    /// Its value.
    pub value: Vec<u8>,
    /// The value is the content of a file, which is not converted.
    pub is_file: bool,
}

/// Why fields cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoForm {
    /// The body is no form: it has another type.
    Type,
    /// Its type names no boundary, or the body does not have it.
    Boundary,
    /// There are more than [`FIELDS_MAX`].
    TooMany,
}

/// The fields of a query, or of a form that is written like one.
///
/// # Errors
/// `TooMany`.
pub fn query_fields(query: &[u8]) -> Result<Vec<Field>, NoForm> {
    let pairs = query.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    if pairs.clone().nth(FIELDS_MAX).is_some() {
        return Err(NoForm::TooMany);
    }
    let field = |pair: &[u8]| {
        let (name, value) = match pair.iter().position(|byte| *byte == b'=') {
            Some(at) => (&pair[..at], &pair[at + 1..]),
            None => (pair, &pair[pair.len()..]),
        };
        Field { name: unescaped(name), value: unescaped(value), is_file: false }
    };
    Ok(pairs.map(field).collect())
}

/// The fields of the body of a form.
///
/// # Errors
/// It is not a form, or has too many fields.
pub fn form_fields(content_type: &str, body: &[u8]) -> Result<Vec<Field>, NoForm> {
    match media_type(content_type).to_ascii_lowercase().as_str() {
        "application/x-www-form-urlencoded" => {
            let end = body.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |at| at + 1);
            query_fields(&body[..end])
        }
        "multipart/form-data" => parts(content_type, body),
        _ => Err(NoForm::Type),
    }
}

/// Text without `+` for blanks and `%hh` for bytes. An escape that is none stays.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match (text[at], digit(text.get(at + 1)), digit(text.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 2;
            }
            (b'+', ..) => out.push(b' '),
            (byte, ..) => out.push(byte),
        }
        at += 1;
    }
    out
}

/// The parts of a body of `multipart/form-data` (RFC 7578).
fn parts(content_type: &str, body: &[u8]) -> Result<Vec<Field>, NoForm> {
    let boundary = parameter(content_type, "boundary").filter(|text| !text.is_empty());
    let boundary = boundary.ok_or(NoForm::Boundary)?;
    let mark = [b"\r\n--", boundary.as_bytes()].concat();
    // The first boundary may stand at the very beginning, without the line end before it.
    let first = find(body, &mark[2..]).filter(|at| *at == 0 || body[..*at].ends_with(b"\r\n"));
    let mut rest = &body[first.ok_or(NoForm::Boundary)? + mark.len() - 2..];
    let mut fields = Vec::new();
    while !rest.starts_with(b"--") {
        if fields.len() == FIELDS_MAX {
            return Err(NoForm::TooMany);
        }
        let end = find(rest, &mark).ok_or(NoForm::Boundary)?;
        fields.extend(part(&rest[..end]));
        rest = &rest[end + mark.len()..];
    }
    Ok(fields)
}

/// Reads a part, from the end of its boundary's line to the next boundary. A part without a name is left out.
fn part(part: &[u8]) -> Option<Field> {
    let head_end = find(part, b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&part[..head_end]);
    let disposition = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-disposition").then_some(value)
    })?;
    let name = parameter(disposition, "name")?;
    let is_file = parameter(disposition, "filename").is_some();
    Some(Field { name: name.into_bytes(), value: part[head_end + 4..].to_vec(), is_file })
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// The media type of a Content-Type header, without its parameters.
#[must_use]
pub fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

/// A parameter of a header, without its quotes.
#[must_use]
pub fn parameter(header: &str, wanted: &str) -> Option<String> {
    let mut rest = header.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        // A parameter without a value ends before the next one.
        let name = name.rsplit(';').next().unwrap_or(name).trim();
        let (value, next) = value_of(after.trim_start());
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = next.split_once(';')?.1;
    }
}

/// A value, and what follows it.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        return (text[..end].trim().to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

/// True if the body of a media type is text, which is converted. A body without a type is text.
#[must_use]
pub fn is_text(media_type: &str) -> bool {
    let lower = media_type.to_ascii_lowercase();
    lower.is_empty()
        || lower.starts_with("text/")
        || lower.ends_with("+xml")
        || lower.ends_with("+json")
        || matches!(
            lower.as_str(),
            "application/xml"
                | "application/json"
                | "application/javascript"
                | "application/x-www-form-urlencoded"
        )
}

/// True if a media type is JSON, whose text is UTF-8 (RFC 8259).
#[must_use]
pub fn is_json(media_type: &str) -> bool {
    let lower = media_type.to_ascii_lowercase();
    lower == "application/json" || lower.ends_with("+json")
}

/// True if a program may give the media type: two words of visible characters, perhaps with parameters.
#[must_use]
pub fn is_media_type(text: &str) -> bool {
    let (kind, rest) = text.split_once('/').unwrap_or_default();
    let visible = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    is_token(kind.as_bytes()) && !media_type(rest).is_empty() && visible
}

/// True for a name of a header (RFC 9110, section 5.6.2).
#[must_use]
pub fn is_token(name: &[u8]) -> bool {
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !name.is_empty() && name.iter().all(fits)
}

/// True for a value of a header, or for a status text: no line end, and nothing else that is invisible.
#[must_use]
pub fn is_field_value(value: &[u8]) -> bool {
    value.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~' | 0x80..))
}

/// True for a status that a program may give.
#[must_use]
pub fn is_status(status: u16) -> bool {
    (200..=599).contains(&status)
}

/// True for a status whose answer has no body (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5).
#[must_use]
pub fn has_no_body(status: u16) -> bool {
    matches!(status, 204 | 205 | 304)
}

/// True for a host as programs name it: a name, or an address without brackets.
#[must_use]
pub fn is_host(host: &str) -> bool {
    let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
    !host.is_empty() && (is_name || host.parse::<Ipv6Addr>().is_ok())
}

/// True for a path or a query that may stand in a request: visible characters of ASCII without `#`, and whole escapes.
#[must_use]
pub fn is_target(text: &str) -> bool {
    let has_whole_escapes = || {
        text.split('%')
            .skip(1)
            .all(|rest| rest.len() >= 2 && rest.as_bytes()[..2].iter().all(u8::is_ascii_hexdigit))
    };
    text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#') && has_whole_escapes()
}

/// The components of a URL of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url<'t> {
    /// True for https.
    pub is_secure: bool,
    /// The host, without the brackets of an address.
    pub host: &'t str,
    /// The port, or the usual one of the scheme.
    pub port: u16,
    /// The path; `/` if there is none.
    pub path: &'t str,
    /// The query; empty if there is none.
    pub query: &'t str,
}

/// Takes a URL apart. None if it is not one of HTTP, or has a user.
#[must_use]
pub fn url(text: &str) -> Option<Url<'_>> {
    let (scheme, rest) = text.split_once("://")?;
    let is_secure = match () {
        () if scheme.eq_ignore_ascii_case("https") => true,
        () if scheme.eq_ignore_ascii_case("http") => false,
        () => return None,
    };
    // A fragment does not go to the server.
    let rest = rest.split('#').next().unwrap_or_default();
    let (authority, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (host, port) = match authority.strip_prefix('[') {
        Some(address) => address.split_once(']').filter(|(host, _)| host.contains(':'))?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let port = match port.strip_prefix(':') {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty() => {
            digits.parse().ok().filter(|port| *port > 0)?
        }
        None if port.is_empty() => {
            if is_secure {
                443
            } else {
                80
            }
        }
        _ => return None,
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let fits = is_host(host) && is_target(path) && is_target(query);
    fits.then_some(Url { is_secure, host, port, path: if path.is_empty() { "/" } else { path }, query })
}

/// The realm of a challenge, as `WWW-Authenticate` has it (RFC 9110, section 11.5).
#[must_use]
pub fn realm(challenge: &[u8]) -> Option<Vec<u8>> {
    let lower = challenge.to_ascii_lowercase();
    let at = find(&lower, b"realm=\"")? + b"realm=\"".len();
    let mut realm = Vec::new();
    let mut rest = challenge[at..].iter();
    loop {
        match rest.next()? {
            b'"' => return Some(realm),
            b'\\' => realm.push(*rest.next()?),
            other => realm.push(*other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(fields: &[Field]) -> Vec<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        fields.iter().map(|field| format!("{}={}", text(&field.name), text(&field.value))).collect()
    }

    #[test]
    fn a_query_has_fields_without_escapes() {
        let fields = query_fields(b"a=1&b=x+y%21&&c&d=%zz%4").expect("fields");
        assert_eq!(shown(&fields), ["a=1", "b=x y!", "c=", "d=%zz%4"]);
        assert_eq!(query_fields(b""), Ok(Vec::new()));
        assert_eq!(
            form_fields("application/x-www-form-urlencoded; charset=utf-8", b"a=1\r\n").map(|f| shown(&f)),
            Ok(vec!["a=1".to_owned()])
        );
        assert_eq!(form_fields("text/plain", b"a=1"), Err(NoForm::Type));
    }

    #[test]
    fn parts_of_a_form_are_fields() {
        let body = b"--xy\r\nContent-Disposition: form-data; name=\"a b\"\r\n\r\n1\r\n2\r\n--xy\r\n\
            content-disposition: form-data; name=f; filename=\"n\"\r\nContent-Type: image/png\r\n\r\n\x00\xff\r\n--xy--\r\n";
        let fields = form_fields("multipart/form-data; boundary=\"xy\"", body).expect("a form");
        assert_eq!((shown(&fields)[0].as_str(), fields[0].is_file), ("a b=1\r\n2", false));
        assert_eq!((&*fields[1].value, fields[1].is_file, fields.len()), (&[0, 0xFF][..], true, 2));
        for (kind, body) in [
            ("multipart/form-data", &b"--xy--"[..]),
            ("multipart/form-data; boundary=xy", b"nothing"),
            ("multipart/form-data; boundary=xy", b"--xy\r\nno end"),
        ] {
            assert_eq!(form_fields(kind, body), Err(NoForm::Boundary), "{kind}");
        }
    }

    #[test]
    fn too_many_fields_are_none() {
        let query = "a&".repeat(FIELDS_MAX);
        assert_eq!(query_fields(query.as_bytes()).map(|fields| fields.len()), Ok(FIELDS_MAX));
        assert_eq!(query_fields(format!("{query}b").as_bytes()), Err(NoForm::TooMany));
        let parts = "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n".repeat(FIELDS_MAX);
        let form = |body: String| form_fields("multipart/form-data; boundary=x", body.as_bytes());
        assert_eq!(form(format!("{parts}--x--\r\n")).map(|fields| fields.len()), Ok(FIELDS_MAX));
        assert_eq!(form(format!("{parts}{}--x--", &parts[..60])), Err(NoForm::TooMany));
    }

    #[test]
    fn parameters_are_found_behind_others() {
        let header = "text/html; a=\"x;y\\\"z\"; Charset = utf-8 ; b";
        assert_eq!(media_type(header), "text/html");
        assert_eq!(parameter(header, "a").as_deref(), Some("x;y\"z"));
        assert_eq!(parameter(header, "charset").as_deref(), Some("utf-8"));
        assert_eq!((parameter(header, "b"), parameter("text/html", "a")), (None, None));
    }

    #[test]
    fn urls_have_components() {
        let parts = |text| url(text).map(|url| (url.is_secure, url.host, url.port, url.path, url.query));
        for (text, expected) in [
            ("http://h", (false, "h", 80, "/", "")),
            ("HTTPS://h.example:8443/a/b?c=d%20#e", (true, "h.example", 8443, "/a/b", "c=d%20")),
            ("https://[::1]:81?x", (true, "::1", 81, "/", "x")),
            ("http://10.0.0.1/", (false, "10.0.0.1", 80, "/", "")),
        ] {
            assert_eq!(parts(text), Some(expected), "{text}");
        }
        for text in [
            "",
            "h/a",
            "ftp://h/",
            "http://",
            "http://h:0/",
            "http://h:x/",
            "http://h:/",
            "http://u@h/",
            "http://h/%4",
            "http://h/%zz",
            "http://h/a b",
            "http://[::1/",
            "http://[h]/",
            "http://h:65536/",
            "http://h:+1/",
            "http://h/\u{e9}",
            "http://h/%\u{e9}",
        ] {
            assert_eq!(parts(text), None, "{text}");
        }
    }

    #[test]
    fn challenges_have_realms() {
        assert_eq!(realm(b"Basic realm=\"a \\\"b\"").as_deref(), Some(&b"a \"b"[..]));
        assert_eq!((realm(b"Basic"), realm(b"Basic realm=\"a")), (None, None));
        assert_eq!(realm(b"Bearer x=\"y\", REALM=\"z\"").as_deref(), Some(&b"z"[..]));
    }

    #[test]
    fn only_what_may_be_sent_is_taken() {
        assert!(is_token(b"X-Mine") && !is_token(b"") && !is_token(b"a b") && !is_token(b"a:"));
        assert!(is_field_value(b"a\tb\xe9") && !is_field_value(b"a\r\nb: c") && !is_field_value(b"\0"));
        assert!(
            is_media_type("text/html; charset=utf-8") && !is_media_type("text") && !is_media_type("a/\r\nb")
        );
        assert!(is_status(200) && is_status(599) && !is_status(199) && !is_status(600));
        assert!(is_text("") && is_text("application/vnd.x+json") && !is_text("image/png"));
    }

    proptest::proptest! {
        #[test]
        fn no_form_is_too_odd(body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), kind in "[ -~]{0,40}") {
            let _ = form_fields(&kind, &body);
            let _ = form_fields("multipart/form-data; boundary=-", &body);
            let _ = query_fields(&body);
        }
    }
}
