//! Reads a package: its content type, and the message in it.

use std::borrow::Cow;

use xml::Encoding;

use super::parameters::MediaType;
use super::parts::{Part, parts, wrong};
use super::{XOP, XOP_TYPE, include};
use crate::content_type::ContentType;
use crate::trouble::Trouble;
use crate::version::Version;

/// The content type of an MTOM message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Package<'h> {
    boundary: &'h str,
    /// The content id of the envelope's part; none for the first one.
    start: Option<&'h str>,
    /// The content type that the message would have without parts.
    pub content_type: ContentType<'h>,
}

/// The most bytes of a boundary (RFC 2046).
const BOUNDARY_BYTES_MAX: usize = 70;

impl<'h> Package<'h> {
    /// Reads the value of the header. None if it is not the content type of an MTOM message.
    #[must_use]
    pub fn parse(value: &'h str) -> Option<Self> {
        let media = MediaType::parse(value).filter(|media| media.is("multipart/related"))?;
        let inner = media.parameter("type").and_then(|inner| MediaType::parse(inner));
        inner.filter(|inner| inner.is(XOP_TYPE))?;
        let boundary = media.plain("boundary").filter(|boundary| is_boundary(boundary))?;
        let start = match media.parameter("start") {
            None => None,
            Some(_) => {
                let written = media.plain("start")?;
                Some(written.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(written))
            }
        };
        // Without it the envelope gives the version.
        let info = media.parameter("start-info").and_then(|info| MediaType::parse(info));
        let version = match info {
            Some(info) if info.is("application/soap+xml") => Version::Soap12,
            Some(info) if !info.is("text/xml") => return None,
            _ => Version::Soap11,
        };
        let action = media.plain("action").or_else(|| {
            let info = ContentType::parse(media.plain("start-info")?)?;
            info.action
        });
        Some(Self { boundary, start, content_type: ContentType { version, charset: None, action } })
    }

    /// The text of the message, with the values of its parts as base64.
    ///
    /// # Errors
    /// The package is broken, its envelope is missing, or the envelope and the parts do not fit
    /// together.
    pub fn message<'b>(&self, package: &'b [u8]) -> Result<(Cow<'b, str>, Encoding), Trouble> {
        let parts = parts(package, self.boundary)?;
        let root = self.root(&parts)?;
        let written = root.header("content-type").unwrap_or(XOP_TYPE);
        let media = MediaType::parse(written).filter(|media| media.is(XOP_TYPE)).ok_or_else(|| {
            let found = xml::shown(written);
            wrong(root.at, format!("expected an envelope of the type {XOP_TYPE}, found {found}"))
        })?;
        let charset = media.parameter("charset").map(|charset| &**charset);
        let (text, encoding) = match root.bytes()? {
            Cow::Borrowed(bytes) => crate::text(bytes, charset)?,
            Cow::Owned(bytes) => {
                let (text, encoding) = crate::text(&bytes, charset)?;
                (Cow::Owned(text.into_owned()), encoding)
            }
        };
        let others: Vec<&Part<'_>> = parts.iter().filter(|part| part.at != root.at).collect();
        if others.is_empty() && !text.contains(XOP) {
            return Ok((text, encoding));
        }
        Ok((Cow::Owned(include::with_values(&text, encoding, &others)?), encoding))
    }

    /// The part with the envelope.
    fn root<'p, 'b>(&self, parts: &'p [Part<'b>]) -> Result<&'p Part<'b>, Trouble> {
        let Some(start) = self.start else { return Ok(&parts[0]) };
        for part in parts {
            if part.id()? == Some(start) {
                return Ok(part);
            }
        }
        Err(wrong(0, format!("no part has the content id {} that start names", xml::shown(start))))
    }
}

/// True for 1 to 70 characters that are allowed in a boundary. The last one is not a blank.
fn is_boundary(text: &str) -> bool {
    let is_character = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
    (1..=BOUNDARY_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_character) && !text.ends_with(' ')
}
