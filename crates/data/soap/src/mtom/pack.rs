//! Writes a package: takes values out of an envelope, and puts the parts together.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem;

use super::parts::MTOM_PARTS_MAX;
use super::{Mtom, XOP, XOP_TYPE};
use crate::version::Version;

/// A longer value is sent as a part, as in CICS.
pub const XOP_LEAST_BYTES: usize = 1_500;

/// The most characters of an id in boundaries and content ids.
const ID_BYTES_MAX: usize = 32;

/// The settings for packing a message.
#[derive(Clone, Copy, Debug)]
pub struct Packing<'p> {
    /// The settings of the pipeline.
    pub mtom: &'p Mtom,
    /// The local names of elements whose values are base64.
    pub elements: &'p [String],
    /// An id that differs from those of other messages.
    pub id: &'p str,
    /// The version of the message.
    pub version: Version,
    /// The SOAP action; empty for none.
    pub action: &'p str,
}

/// A package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Its content type.
    pub content_type: String,
    /// Its bytes.
    pub body: Vec<u8>,
}

/// Packs an envelope. None if it needs no package because it has no parts.
#[must_use]
pub fn pack(envelope: &str, packing: &Packing<'_>) -> Option<Packed> {
    let id: String = packing.id.chars().filter(char::is_ascii_alphanumeric).take(ID_BYTES_MAX).collect();
    let domain = &packing.mtom.content_id_domain;
    let (text, values) =
        without_values(envelope, packing.elements, |number| format!("{number}.{id}@{domain}"));
    if values.is_empty() && !packing.mtom.send_without_parts {
        return None;
    }
    let boundary = boundary(&id, &text, &values);
    let (start, media) = match packing.version {
        Version::Soap11 => ("text/xml", String::new()),
        Version::Soap12 if packing.action.is_empty() => ("application/soap+xml", String::new()),
        Version::Soap12 => ("application/soap+xml", format!("; action=\"{}\"", packing.action)),
    };
    let root = format!("0.{id}@{domain}");
    let room = text.len() + values.iter().map(|value| value.len() + 256).sum::<usize>() + 512;
    let mut body = Vec::with_capacity(room);
    let mut part = |id: &str, content_type: &str, content: &[u8]| {
        let head = format!(
            "--{boundary}\r\nContent-Type: {content_type}\r\nContent-Transfer-Encoding: binary\r\n\
             Content-ID: <{id}>\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    };
    part(&root, &format!("{XOP_TYPE}; charset=UTF-8; type=\"{start}\"{media}"), text.as_bytes());
    for (number, value) in (1..).zip(&values) {
        part(&format!("{number}.{id}@{domain}"), "application/octet-stream", value);
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    let content_type = format!(
        "multipart/related; boundary=\"{boundary}\"; type=\"{XOP_TYPE}\"; start=\"<{root}>\"; \
         start-info=\"{start}\"{media}"
    );
    Some(Packed { content_type, body })
}

/// The envelope with an `xop:Include` in place of each long value, and these values.
fn without_values(
    envelope: &str,
    elements: &[String],
    id_of: impl Fn(usize) -> String,
) -> (String, Vec<Vec<u8>>) {
    let (mut text, mut values, mut taken) = (String::with_capacity(envelope.len()), Vec::new(), 0);
    // A text that is not XML is sent unchanged. Its writer is responsible for it.
    let as_it_stands = || (envelope.to_owned(), Vec::new());
    let Ok(mut cursor) = crate::cursor(envelope, xml::Encoding::Utf8) else { return as_it_stands() };
    loop {
        let open = match cursor.next_open() {
            Ok(Some(open)) => open,
            Ok(None) => break,
            Err(_) => return as_it_stands(),
        };
        if elements.iter().all(|known| known != open.name) || values.len() + 1 == MTOM_PARTS_MAX {
            continue;
        }
        let Some(written) = cursor.plain_text() else { continue };
        let Ok(value) = STANDARD.decode(written) else { continue };
        if value.len() <= XOP_LEAST_BYTES {
            continue;
        }
        let start = written.as_ptr() as usize - envelope.as_ptr() as usize;
        values.push(value);
        text.push_str(&envelope[taken..start]);
        let id = id_of(values.len());
        let _ = write!(text, "<xop:Include xmlns:xop=\"{XOP}\" href=\"cid:{id}\"/>");
        taken = start + written.len();
    }
    text.push_str(&envelope[taken..]);
    (text, values)
}

/// A boundary that occurs nowhere in the package.
fn boundary(id: &str, text: &str, values: &[Vec<u8>]) -> String {
    let mut number = 0usize;
    loop {
        let boundary = format!("gantry-{id}-{number}");
        let stands = |content: &[u8]| memmem::find(content, boundary.as_bytes()).is_some();
        if !stands(text.as_bytes()) && !values.iter().any(|value| stands(value)) {
            return boundary;
        }
        number += 1;
    }
}
