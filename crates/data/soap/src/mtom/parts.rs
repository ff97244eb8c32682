//! The parts of a MIME package: their ranges and their headers (RFC 2046, section 5.1).

use std::borrow::Cow;

use failure::Code;
use memchr::memmem;

use crate::trouble::Trouble;

/// The most parts of a package, with the envelope.
pub const MTOM_PARTS_MAX: usize = 100;

/// The most bytes of a part.
pub const MTOM_PART_BYTES_MAX: usize = 16 << 20;

/// The most headers of a part.
pub const MTOM_PART_HEADERS_MAX: usize = 16;

/// The most bytes of all headers of a part.
pub const MTOM_PART_HEADER_BYTES_MAX: usize = 8 << 10;

/// A part.
#[derive(Debug)]
pub(super) struct Part<'b> {
    /// The byte of the package where it starts.
    pub(super) at: usize,
    headers: Vec<(&'b str, Cow<'b, str>)>,
    /// Its content, still encoded.
    pub(super) content: &'b [u8],
}

/// A fault of a package at one of its bytes.
pub(super) fn wrong(at: usize, message: impl std::fmt::Display) -> Trouble {
    Trouble::new(Code::BadEnvelope, format!("the MIME package: {message} (byte {at})"))
}

/// The parts of a package, in their order. There is at least one.
pub(super) fn parts<'b>(package: &'b [u8], boundary: &str) -> Result<Vec<Part<'b>>, Trouble> {
    let mut delimiters = Delimiters::new(package, boundary);
    let first = delimiters.next().ok_or_else(|| wrong(0, "expected the boundary, found none"))?;
    let mut parts = Vec::new();
    let mut before = first;
    while !before.is_last {
        if parts.len() == MTOM_PARTS_MAX {
            return Err(wrong(before.end, format!("expected at most {MTOM_PARTS_MAX} parts, found more")));
        }
        let message = "expected the boundary that ends the package, found its end";
        let next = delimiters.next().ok_or_else(|| wrong(package.len(), message))?;
        parts.push(part(package, before.end, next.start)?);
        before = next;
    }
    if parts.is_empty() { Err(wrong(first.start, "expected a part, found none")) } else { Ok(parts) }
}

/// A line that separates parts.
#[derive(Clone, Copy)]
struct Delimiter {
    /// Its start, with the line end before it.
    start: usize,
    /// Its end, with its own line end.
    end: usize,
    is_last: bool,
}

struct Delimiters<'b> {
    package: &'b [u8],
    finder: memmem::Finder<'static>,
    at: usize,
}

impl<'b> Delimiters<'b> {
    fn new(package: &'b [u8], boundary: &str) -> Self {
        let finder = memmem::Finder::new(format!("--{boundary}").as_bytes()).into_owned();
        Self { package, finder, at: 0 }
    }

    /// The next delimiter from here on. A line that only begins like one is content.
    fn next(&mut self) -> Option<Delimiter> {
        loop {
            let found = self.at + self.finder.find(&self.package[self.at..])?;
            self.at = found + self.finder.needle().len();
            let start = match self.package[..found].strip_suffix(b"\r\n") {
                Some(before) => before.len(),
                None if found == 0 => 0,
                None => continue,
            };
            let rest = &self.package[self.at..];
            if rest.starts_with(b"--") {
                return Some(Delimiter { start, end: self.at + 2, is_last: true });
            }
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            if rest[blanks..].starts_with(b"\r\n") {
                // The line end may also belong to the next delimiter, before an empty part.
                self.at += blanks;
                return Some(Delimiter { start, end: self.at + 2, is_last: false });
            }
        }
    }
}

/// The part between two delimiters.
fn part(package: &[u8], start: usize, end: usize) -> Result<Part<'_>, Trouble> {
    let unended = || wrong(start, "expected an empty line behind the headers of a part, found none");
    let whole = package.get(start..end).ok_or_else(unended)?;
    let (head, content) = match whole.strip_prefix(b"\r\n") {
        Some(content) => (&whole[..0], content),
        None => {
            let head = memmem::find(whole, b"\r\n\r\n").ok_or_else(unended)?;
            (&whole[..head], &whole[head + 4..])
        }
    };
    if head.len() > MTOM_PART_HEADER_BYTES_MAX {
        let message = format!("expected headers of at most {MTOM_PART_HEADER_BYTES_MAX} bytes, found more");
        return Err(wrong(start, message));
    }
    if content.len() > MTOM_PART_BYTES_MAX {
        let (most, found) = (MTOM_PART_BYTES_MAX, content.len());
        return Err(wrong(start, format!("expected at most {most} bytes in a part, found {found}")));
    }
    Ok(Part { at: start, headers: headers(head, start)?, content })
}

/// The headers of a part. A line that begins with a blank continues the line before.
fn headers(head: &[u8], at: usize) -> Result<Vec<(&str, Cow<'_, str>)>, Trouble> {
    let mut headers: Vec<(&str, Cow<'_, str>)> = Vec::new();
    let text = std::str::from_utf8(head).map_err(|_| wrong(at, "the headers of a part are not text"))?;
    for line in text.split("\r\n").filter(|_| !head.is_empty()) {
        if line.starts_with([' ', '\t']) {
            let (_, value) =
                headers.last_mut().ok_or_else(|| wrong(at, "expected a header, found a blank"))?;
            value.to_mut().push(' ');
            value.to_mut().push_str(line.trim_matches([' ', '\t']));
            continue;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(wrong(at, "expected the name of a header and a colon"));
        };
        let name = name.trim_end_matches([' ', '\t']);
        if headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            return Err(wrong(at, format!("expected one header {}, found two", xml::shown(name))));
        }
        if headers.len() == MTOM_PART_HEADERS_MAX {
            return Err(wrong(at, format!("expected at most {MTOM_PART_HEADERS_MAX} headers, found more")));
        }
        headers.push((name, Cow::Borrowed(value.trim_matches([' ', '\t']))));
    }
    Ok(headers)
}

impl<'b> Part<'b> {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| &**value)
    }

    /// The content id without its angle brackets.
    pub(super) fn id(&self) -> Result<Option<&str>, Trouble> {
        let Some(written) = self.header("content-id") else { return Ok(None) };
        let id = written.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        match id.filter(|id| !id.is_empty()) {
            Some(id) => Ok(Some(id)),
            None => Err(wrong(
                self.at,
                format!("expected a content id such as <a@b>, found {}", xml::shown(written)),
            )),
        }
    }

    /// The decoded bytes of the content.
    pub(super) fn bytes(&self) -> Result<Cow<'b, [u8]>, Trouble> {
        use base64::Engine;
        let written = self.header("content-transfer-encoding").unwrap_or("binary");
        if ["binary", "8bit", "7bit"].iter().any(|plain| written.eq_ignore_ascii_case(plain)) {
            return Ok(Cow::Borrowed(self.content));
        }
        if written.eq_ignore_ascii_case("base64") {
            let digits: Vec<u8> =
                self.content.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
            let decoded = base64::engine::general_purpose::STANDARD.decode(digits);
            return decoded.map(Cow::Owned).map_err(|_| wrong(self.at, "the content is not base64"));
        }
        let message = format!(
            "expected the content transfer encoding binary, 8bit, 7bit or base64, found {}",
            xml::shown(written)
        );
        Err(wrong(self.at, message))
    }
}
