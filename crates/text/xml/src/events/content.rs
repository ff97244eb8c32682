//! Text of elements: with references, in CDATA sections, and in parts.

use crate::attributes::reference;
use crate::characters::scan;

use super::{Event, EventKind, Events, Failed, Next, Place, XML_EVENT_BYTES_MAX, failed};

/// The longest reference for which the reader waits.
const REFERENCE_BYTES_MAX: usize = 64;

impl Events {
    /// The content of an element.
    pub(super) fn content(&mut self) -> Result<Next, Failed> {
        match self.rest().as_bytes() {
            [] | [b'<'] => Ok(Next::More),
            [b'<', b'/', ..] => self.end_tag(),
            [b'<', b'!' | b'?', ..] => self.special(),
            [b'<', ..] => self.start_tag(),
            _ => self.characters(),
        }
    }

    /// Text up to the next markup, but at most as much as one event holds.
    fn characters(&mut self) -> Result<Next, Failed> {
        let rest = self.rest();
        let most = floor(rest, XML_EVENT_BYTES_MAX);
        let found = memchr::memchr(b'<', &rest.as_bytes()[..most]);
        let raw = match found {
            Some(end) => &rest[..end],
            None => &rest[..self.sure(&rest[..most])],
        };
        if raw.is_empty() {
            return Ok(Next::More);
        }
        if let Some(at) = raw.find("]]>") {
            return failed(at, "']]>' in text must be written as ]]&gt;");
        }
        let (length, text) = (raw.len(), resolved(raw)?);
        self.at += length;
        Ok(Next::Event(Event { whole: found.is_some(), ..Event::new(EventKind::Text, text) }))
    }

    /// The length of the text that is certain although more may follow. The next bytes may change the rest.
    fn sure(&self, text: &str) -> usize {
        if self.is_last && text.len() == self.rest().len() {
            return text.len();
        }
        let end = text.trim_end_matches([']', '\r']).len();
        let tail = end.saturating_sub(REFERENCE_BYTES_MAX);
        let bytes = &text.as_bytes()[..end];
        match bytes[tail..].iter().rposition(|byte| matches!(byte, b'&' | b';')) {
            Some(at) if bytes[tail + at] == b'&' => tail + at,
            _ => end,
        }
    }

    /// The content of a CDATA section.
    pub(super) fn data(&mut self) -> Result<Next, Failed> {
        let rest = self.rest();
        let most = floor(rest, XML_EVENT_BYTES_MAX);
        let found = memchr::memmem::find(&rest.as_bytes()[..most], b"]]>");
        let length = match found {
            Some(0) => {
                self.at += "]]>".len();
                self.place = Place::Content;
                return Ok(Next::Event(Event::new(EventKind::DataEnd, "")));
            }
            Some(length) => length,
            None => rest[..most].trim_end_matches([']', '\r']).len(),
        };
        if length == 0 {
            let is_long = rest.len() > XML_EVENT_BYTES_MAX;
            return if is_long { failed(0, "the CDATA section does not end") } else { Ok(Next::More) };
        }
        let raw = &rest[..length];
        allowed(raw)?;
        let text = lines(raw);
        self.at += length;
        Ok(Next::Event(Event { whole: found.is_some(), ..Event::new(EventKind::Text, text) }))
    }
}

/// At most `most` bytes, in whole characters.
fn floor(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Checks that a text has only characters of XML.
pub(super) fn allowed(text: &str) -> Result<(), Failed> {
    match scan(text).forbidden {
        None => Ok(()),
        Some(at) => {
            let character = text[at..].chars().next().map_or(0, u32::from);
            failed(at, format!("character U+{character:04X} is not allowed in XML"))
        }
    }
}

/// Changes line ends into those of XML (section 2.11).
pub(super) fn lines(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

/// Text with its references resolved.
fn resolved(raw: &str) -> Result<String, Failed> {
    allowed(raw)?;
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(amp) = rest.find('&') {
        let at = raw.len() - rest.len() + amp;
        text.push_str(&lines(&rest[..amp]));
        let end = rest[amp..].find([';', '<']).filter(|end| rest.as_bytes()[amp + end] == b';');
        let Some(end) = end else { return failed(at, "'&' must be written as &amp;") };
        let found = reference(&rest[amp + 1..amp + end], at);
        text.push(found.map_err(|(at, message)| (super::Wrong::Other, at, message))?);
        rest = &rest[amp + end + 1..];
    }
    text.push_str(&lines(rest));
    Ok(text)
}
