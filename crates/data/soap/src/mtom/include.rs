//! Puts the values of referenced parts into the envelope as base64 (XOP, section 3.2).

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use failure::Code;
use xml::{Cursor, Encoding, Open, shown};

use super::XOP;
use super::parts::{Part, wrong};
use crate::trouble::Trouble;

/// Parts by their content ids.
struct Known<'p, 'b> {
    parts: HashMap<&'p str, &'p Part<'b>>,
}

/// The envelope with the values of all parts.
pub(super) fn with_values(
    envelope: &str,
    encoding: Encoding,
    parts: &[&Part<'_>],
) -> Result<String, Trouble> {
    let mut known = Known { parts: HashMap::with_capacity(parts.len()) };
    for part in parts {
        let Some(id) = part.id()? else {
            return Err(wrong(part.at, "expected a content id of a part, found none"));
        };
        if known.parts.insert(id, part).is_some() {
            return Err(wrong(part.at, format!("two parts have the content id {}", shown(id))));
        }
    }
    let bytes: usize = parts.iter().map(|part| part.content.len()).sum();
    let mut text = String::with_capacity(envelope.len() + bytes.div_ceil(3) * 4);
    let mut cursor = Cursor::new(envelope, encoding)?;
    let mut taken = 0;
    while let Some(open) = cursor.next_open()? {
        if open.name != "Include" || !cursor.is_in(&open, XOP) {
            continue;
        }
        let part = known.take(&cursor, &open)?;
        let end = open.at + cursor.raw(&open)?.len();
        if !is_alone(envelope, (open.at, end)) {
            let message = "xop:Include stands beside other content of its element";
            return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(open.at)));
        }
        text.push_str(&envelope[taken..open.at]);
        STANDARD.encode_string(part.bytes()?, &mut text);
        taken = end;
    }
    if let Some((id, part)) = known.parts.iter().min_by_key(|(_, part)| part.at) {
        return Err(wrong(part.at, format!("no xop:Include refers to the part {}", shown(id))));
    }
    text.push_str(&envelope[taken..]);
    Ok(text)
}

impl<'p, 'b> Known<'p, 'b> {
    /// The part of an `xop:Include`. Each part may have only one reference.
    fn take<'a>(&mut self, cursor: &Cursor<'a>, open: &Open<'a>) -> Result<&'p Part<'b>, Trouble> {
        let fail = |message: String| Trouble::new(Code::BadEnvelope, message).at(cursor.position(open.at));
        let attributes = cursor.attributes(open)?;
        let href = attributes.iter().find(|given| given.name == "href" && given.namespace.is_empty());
        let href = &href.ok_or_else(|| fail("xop:Include has no href".to_owned()))?.value;
        let id = match href.split_at_checked("cid:".len()) {
            Some((scheme, id)) if scheme.eq_ignore_ascii_case("cid:") => percent::decoded(id).ok(),
            _ => None,
        };
        let id = id.ok_or_else(|| fail(format!("expected the href cid:ID, found {}", shown(href))))?;
        self.parts.remove(&*id).ok_or_else(|| {
            fail(format!("{} is not a part of the package, or is referred to twice", shown(href)))
        })
    }
}

/// True if only white space stands between an element and the tags around it.
fn is_alone(text: &str, (start, end): (usize, usize)) -> bool {
    let is_blank = |character| matches!(character, ' ' | '\t' | '\r' | '\n');
    let (before, after) =
        (text[..start].trim_end_matches(is_blank), text[end..].trim_start_matches(is_blank));
    ends_with_tag(before) && !before.ends_with("/>") && !before.ends_with("]]>") && after.starts_with("</")
}

/// True if the text ends with a tag or a comment, and not with a `>` of its own.
fn ends_with_tag(text: &str) -> bool {
    if text.ends_with("-->") {
        return true;
    }
    let Some(tag) = text.rfind('<') else { return false };
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(tag) {
        match (quote, byte) {
            (None, b'>') => return at + 1 == text.len(),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    false
}
