//! Tags, comments, instructions and the XML declaration.

use std::borrow::Cow;

use memchr::memmem;

use crate::attributes::{RawAttribute, attributes, check_name};
use crate::characters::{is_space, trim};
use crate::cursor::{check_declared_order, shown};
use crate::{XML_DEPTH_MAX, XML_NAME_BYTES_MAX};

use super::content::{allowed, lines};
use super::{Element, Event, EventKind, Events, Failed, Next, Place, Wrong, XML_EVENT_BYTES_MAX, failed};

/// A failure of functions that the crate's other readers use too.
fn other((at, message): (usize, String)) -> Failed {
    (Wrong::Other, at, message)
}

impl Events {
    /// The XML declaration, if there is one.
    pub(super) fn declaration(&mut self) -> Result<Next, Failed> {
        let rest = self.rest();
        let Some(after) = rest.strip_prefix("<?xml") else {
            if "<?xml".starts_with(rest) && !self.is_last {
                return Ok(Next::More);
            }
            self.place = Place::Prolog;
            return Ok(Next::Passed);
        };
        match after.bytes().next() {
            None if !self.is_last => return Ok(Next::More),
            Some(byte) if is_space(byte) || byte == b'?' => {}
            _ => {
                self.place = Place::Prolog;
                return Ok(Next::Passed);
            }
        }
        let Some(end) = self.until("<?".len(), b"?>", "the XML declaration that starts here does not end")?
        else {
            return Ok(Next::More);
        };
        let rest = self.rest();
        allowed(&rest[..end])?;
        let given = attributes(rest, "<?xml".len(), end).map_err(other)?;
        check_declaration(&given)?;
        let told = given.into_iter().map(|RawAttribute { name, value, .. }| {
            let kind = match name {
                "version" => EventKind::Version,
                "encoding" => EventKind::Encoding,
                _ => EventKind::Standalone,
            };
            Ok(Event::new(kind, value))
        });
        let told: Vec<_> = told.collect();
        self.queue.extend(told);
        self.at += end + "?>".len();
        self.place = Place::Prolog;
        Ok(Next::Passed)
    }

    /// The first of these bytes in the remaining text, from a place on; none if more text is needed.
    fn until(&self, start: usize, bytes: &[u8], unfinished: &str) -> Result<Option<usize>, Failed> {
        let rest = self.rest().as_bytes();
        let most = rest.len().min(XML_EVENT_BYTES_MAX);
        match memmem::find(rest.get(start..most).unwrap_or_default(), bytes) {
            Some(found) => Ok(Some(start + found)),
            None if rest.len() > XML_EVENT_BYTES_MAX => Err(too_long()),
            None if self.is_last => failed(0, unfinished),
            None => Ok(None),
        }
    }

    /// A comment, a CDATA section, a processing instruction or a document type.
    pub(super) fn special(&mut self) -> Result<Next, Failed> {
        const COMMENT: &str = "<!--";
        const DATA: &str = "<![CDATA[";
        const TYPE: &str = "<!DOCTYPE";
        let rest = self.rest();
        if rest.starts_with("<?") {
            return self.instruction();
        }
        if rest.starts_with(COMMENT) {
            return self.comment();
        }
        if rest.starts_with(DATA) && self.place == Place::Content {
            self.at += DATA.len();
            self.place = Place::Data;
            return Ok(Next::Event(Event::new(EventKind::DataStart, "")));
        }
        if rest.get(..TYPE.len()).is_some_and(|word| word.eq_ignore_ascii_case(TYPE)) {
            return Err((Wrong::NotTaken, 0, "document type declarations are not taken".to_owned()));
        }
        let begins_type = TYPE.get(..rest.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(rest));
        let may_be = begins_type || COMMENT.starts_with(rest) || DATA.starts_with(rest);
        if may_be && !self.is_last { Ok(Next::More) } else { failed(0, "this is not markup of XML") }
    }

    fn comment(&mut self) -> Result<Next, Failed> {
        let start = "<!--".len();
        let Some(end) = self.until_comment_end()? else { return Ok(Next::More) };
        let content = &self.rest()[start..end];
        allowed(content)?;
        let text = lines(content);
        self.at += end + "-->".len();
        Ok(Next::Event(Event::new(EventKind::Comment, text)))
    }

    /// The hyphens at the end of a comment.
    fn until_comment_end(&self) -> Result<Option<usize>, Failed> {
        const UNFINISHED: &str = "the comment that starts here does not end";
        let rest = self.rest().as_bytes();
        let most = rest.len().min(XML_EVENT_BYTES_MAX);
        let found = memmem::find(&rest["<!--".len()..most], b"--").map(|found| found + "<!--".len());
        match found.map(|found| (found, rest.get(found + 2))) {
            Some((end, Some(b'>'))) => Ok(Some(end)),
            Some((at, Some(_))) => failed(at, "a comment must not have '--'"),
            _ if rest.len() > XML_EVENT_BYTES_MAX => Err(too_long()),
            _ if self.is_last => failed(0, UNFINISHED),
            _ => Ok(None),
        }
    }

    fn instruction(&mut self) -> Result<Next, Failed> {
        let end =
            self.until("<?".len(), b"?>", "the processing instruction that starts here does not end")?;
        let Some(end) = end else { return Ok(Next::More) };
        let content = &self.rest()["<?".len()..end];
        allowed(content)?;
        let length = content.bytes().position(is_space).unwrap_or(content.len());
        let (target, data) = content.split_at(length);
        check_name(target, "<?".len()).map_err(other)?;
        if target.eq_ignore_ascii_case("xml") {
            return failed(0, "the XML declaration must be the first in the text");
        }
        let target = Event::new(EventKind::InstructionTarget, target);
        let data = lines(data.trim_start_matches([' ', '\t', '\n', '\r']));
        self.at += end + "?>".len();
        self.queue.push_back(Ok(Event::new(EventKind::InstructionData, data)));
        Ok(Next::Event(target))
    }

    /// The `>` of a start tag, outside of quotes.
    fn tag_end(&self) -> Result<Option<usize>, Failed> {
        let mut quote = None;
        let rest = self.rest().as_bytes();
        for (at, byte) in rest.iter().enumerate().take(XML_EVENT_BYTES_MAX) {
            match (quote, byte) {
                (None, b'>') => return Ok(Some(at)),
                (None, b'"' | b'\'') => quote = Some(byte),
                (Some(open), byte) if open == byte => quote = None,
                _ => {}
            }
        }
        match () {
            () if rest.len() > XML_EVENT_BYTES_MAX => Err(too_long()),
            () if self.is_last => failed(0, "the tag that starts here does not end"),
            () => Ok(None),
        }
    }

    pub(super) fn start_tag(&mut self) -> Result<Next, Failed> {
        let Some(close) = self.tag_end()? else { return Ok(Next::More) };
        let tag = self.rest()[..=close].to_owned();
        allowed(&tag)?;
        let is_empty = tag.as_bytes()[close - 1] == b'/' && close > 1;
        let end = close - usize::from(is_empty);
        let name_end = tag.bytes().take(end).position(is_space).unwrap_or(end);
        let name = &tag[1..name_end];
        check_name(name, 1).map_err(other)?;
        let depth = self.elements.len() + 1;
        if depth > XML_DEPTH_MAX {
            return Err((Wrong::NotTaken, 0, format!("elements nest deeper than {XML_DEPTH_MAX}")));
        }
        let given = attributes(&tag, name_end, end).map_err(other)?;
        let declarations = self.declare(depth, &given)?;
        let start = self.named(EventKind::ElementStart, name, Wrong::ElementPrefix, 1);
        let element = Element { name: name.to_owned(), namespace: start.namespace.clone() };
        self.queue.push_back(Ok(start));
        self.queue.extend(declarations.into_iter().map(Ok));
        self.attributes(&given)?;
        self.at += close + 1;
        self.place = Place::Content;
        match is_empty {
            true => self.end_element(element),
            false => self.elements.push(element),
        }
        Ok(Next::Passed)
    }

    /// Adds the declarations of a tag. Gives their events.
    fn declare(&mut self, depth: usize, given: &[RawAttribute<'_>]) -> Result<Vec<Event>, Failed> {
        let mut events = Vec::new();
        for attribute in given {
            let Some(prefix) = attribute.declared() else { continue };
            self.prefixes.declare(depth, (prefix, &attribute.value), attribute.at)?;
            let (namespace, prefix) = (attribute.value.clone().into_owned(), prefix.to_owned());
            events.push(Event { namespace, prefix, ..Event::new(EventKind::Namespace, "") });
        }
        Ok(events)
    }

    /// Puts the attributes of a tag into the queue.
    fn attributes(&mut self, given: &[RawAttribute<'_>]) -> Result<(), Failed> {
        let mut expanded: Vec<(String, &str)> = Vec::new();
        for attribute in given.iter().filter(|attribute| attribute.declared().is_none()) {
            let RawAttribute { at, name, value } = attribute;
            let event = match name.contains(':') {
                true => self.named(EventKind::AttributeName, name, Wrong::AttributePrefix, *at),
                // An attribute without a prefix has no namespace.
                false => Event::new(EventKind::AttributeName, *name),
            };
            let local = name.split_once(':').map_or(*name, |(_, local)| local);
            let known = (event.namespace.clone(), local);
            if !known.0.is_empty() && expanded.contains(&known) {
                return failed(*at, format!("the attribute {name} occurs twice in one tag"));
            }
            expanded.push(known);
            self.queue.push_back(Ok(event));
            let value: &Cow<'_, str> = value;
            self.queue.push_back(Ok(Event::new(EventKind::AttributeText, value.as_ref())));
        }
        Ok(())
    }

    /// The event of a name. If its prefix is not declared, the queue gets the fault before it.
    fn named(&mut self, kind: EventKind, name: &str, wrong: Wrong, at: usize) -> Event {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let namespace = self.prefixes.namespace(prefix).map(str::to_owned);
        if namespace.is_none() {
            let message = format!("the prefix {} is not declared", shown(prefix));
            let exception = self.exception((wrong, at, message));
            self.queue.push_back(Err(exception));
        }
        let namespace = namespace.unwrap_or_default();
        Event { namespace, prefix: prefix.to_owned(), ..Event::new(kind, local) }
    }

    pub(super) fn end_tag(&mut self) -> Result<Next, Failed> {
        let Some(close) = self.until("</".len(), b">", "the tag that starts here does not end")? else {
            return Ok(Next::More);
        };
        let name = self.rest()["</".len()..close].trim_end_matches([' ', '\t', '\n', '\r']).to_owned();
        let Some(element) = self.elements.pop() else {
            return failed(0, "an end tag ends no element that is open");
        };
        if element.name != name {
            let message = format!("expected </{}>, found </{}>", shown(&element.name), shown(&name));
            return Err((Wrong::EndTag, 0, message));
        }
        self.at += close + 1;
        self.end_element(element);
        Ok(Next::Passed)
    }

    /// Puts the end of an element into the queue. Its start tag, or its end tag, has been passed.
    fn end_element(&mut self, element: Element) {
        let (prefix, local) = element.name.split_once(':').unwrap_or(("", &element.name));
        let (prefix, namespace) = (prefix.to_owned(), element.namespace);
        let event = Event { prefix, namespace, ..Event::new(EventKind::ElementEnd, local) };
        self.queue.push_back(Ok(event));
        self.prefixes.leave(self.elements.len());
        if self.elements.is_empty() {
            self.place = Place::Epilog;
        }
    }
}

fn too_long() -> Failed {
    let message = format!("a tag, a comment or an instruction has more than {XML_EVENT_BYTES_MAX} bytes");
    (Wrong::NotTaken, 0, message)
}

/// Checks the content of an XML declaration.
fn check_declaration(given: &[RawAttribute<'_>]) -> Result<(), Failed> {
    if let Err(message) = check_declared_order(given) {
        return failed(0, message);
    }
    for RawAttribute { at, name, value } in given {
        let is_valid = match *name {
            "version" => value == "1.0",
            "encoding" => is_encoding(value),
            _ => value == "yes" || value == "no",
        };
        if !is_valid {
            return failed(*at, format!("{name} of the XML declaration cannot be '{}'", shown(trim(value))));
        }
    }
    Ok(())
}

/// True for a valid name of an encoding (section 4.3.3).
fn is_encoding(value: &str) -> bool {
    value.len() <= XML_NAME_BYTES_MAX
        && value.starts_with(|first: char| first.is_ascii_alphabetic())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}
