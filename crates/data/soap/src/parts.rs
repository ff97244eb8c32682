//! A message in parts, for programs that see header blocks and the body as text.

use std::ops::Range;

use failure::Code;
use xml::{Cursor, Open};

use crate::HEADER_BLOCKS_MAX;
use crate::addressing::{self, Blocks, Reply};
use crate::envelope::{Heard, demanded, version_of};
use crate::token::{self, Token};
use crate::trouble::Trouble;
use crate::version::{ENVELOPE_END, Version, Versions};

/// A message in parts. Its text stays with the caller, who passes it in again where it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The version.
    pub version: Version,
    /// The declarations of prefixes in scope in the body: `xmlns:a='…' xmlns:b='…'`.
    pub namespaces: String,
    /// The header blocks, in their order.
    pub blocks: Vec<Block>,
    /// Where the element `Body` stands in the text, with all its content.
    body_at: Range<usize>,
}

/// A header block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The namespace of its element.
    pub namespace: String,
    /// The local name of its element.
    pub local_name: String,
    /// True if it is for this node.
    pub is_ours: bool,
    /// True if its target must understand it.
    pub must_understand: bool,
    /// The element, with the declarations of the prefixes that it uses.
    pub text: String,
    at: Range<usize>,
}

/// A message up to its body: the version, the header blocks and the open element `Body`.
struct Head<'a> {
    version: Version,
    blocks: Vec<Block>,
    body: Open<'a>,
}

impl<'a> Head<'a> {
    fn of(cursor: &mut Cursor<'a>, (versions, heard): (Versions, &mut Heard)) -> Result<Self, Trouble> {
        let root = cursor.root()?;
        let version = version_of(cursor, &root, versions, heard)?;
        let missing = || Trouble::new(Code::BadEnvelope, "the envelope has no body");
        let mut child = cursor.child()?.ok_or_else(missing)?;
        let mut blocks = Vec::new();
        if child.name == "Header" && cursor.is_in(&child, version.namespace()) {
            while let Some(open) = cursor.child()? {
                if blocks.len() == HEADER_BLOCKS_MAX {
                    let message = format!("the header has more than {HEADER_BLOCKS_MAX} blocks");
                    return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(open.at)));
                }
                blocks.push(block(cursor, &open, version)?);
            }
            child = cursor.child()?.ok_or_else(missing)?;
        }
        if child.name != "Body" || !cursor.is_in(&child, version.namespace()) {
            return Err(missing().at(cursor.position(child.at)));
        }
        Ok(Self { version, blocks, body: child })
    }

    fn parts(self, cursor: &Cursor<'a>, body_bytes: usize) -> Parts {
        let Self { version, blocks, body } = self;
        let namespaces = written(&outer(cursor, &body));
        Parts { version, namespaces, blocks, body_at: body.at..body.at + body_bytes }
    }
}

impl Parts {
    /// Separates a message of one of these versions into its parts.
    ///
    /// # Errors
    /// The text is not a message of these versions, or is not XML.
    pub fn of(mut cursor: Cursor<'_>, heard: (Versions, &mut Heard)) -> Result<Self, Trouble> {
        let head = Head::of(&mut cursor, heard)?;
        // The prefixes in scope are known as long as the body is open.
        let mut parts = head.parts(&cursor, 0);
        cursor.skip()?;
        parts.body_at.end = cursor.at();
        while cursor.child()?.is_some() {
            cursor.skip()?;
        }
        cursor.end()?;
        Ok(parts)
    }

    /// Separates an answer that [`crate::Operation::answer`] has written. The body is not read again.
    ///
    /// # Errors
    /// The text is not such an answer.
    pub fn of_answer(text: &str, version: Version) -> Result<Self, Trouble> {
        let mut cursor = crate::cursor(text, xml::Encoding::Utf8)?;
        let head = Head::of(&mut cursor, (Versions::Only(version), &mut Heard::default()))?;
        let end = text.strip_suffix(ENVELOPE_END).filter(|rest| rest.len() > head.body.at);
        let end = end.ok_or_else(|| Trouble::new(Code::BadEnvelope, "the answer has no end"))?.len();
        let bytes = end - head.body.at;
        Ok(head.parts(&cursor, bytes))
    }

    /// The element `Body` with all its content, in the text of the message.
    #[must_use]
    pub fn body<'a>(&self, text: &'a str) -> &'a str {
        &text[self.body_at.clone()]
    }

    /// The credentials of the message, and the message without them. A header block with more
    /// content stays where it is. The next reader of the message then judges it.
    ///
    /// # Errors
    /// The token is not acceptable.
    pub fn token(&self, text: &str) -> Result<(Option<Token>, Option<String>), Trouble> {
        let (mut presented, mut known) = (None, Vec::new());
        let security = |block: &&Block| {
            block.is_ours && block.local_name == "Security" && block.namespace == token::NAMESPACE
        };
        for block in self.blocks.iter().filter(security) {
            let mut cursor = crate::cursor(&block.text, xml::Encoding::Utf8)?;
            cursor.root()?;
            let (found, is_all) = token::read(&mut cursor)?;
            presented = token::only(presented, found)?;
            known.extend(is_all.then(|| block.at.clone()));
        }
        let is_known = |block: &Block| known.contains(&block.at);
        let rebuilt =
            (!known.is_empty()).then(|| self.rebuilt(text, is_known, (self.body(text), &self.namespaces)));
        Ok((presented, rebuilt))
    }

    /// The addressing of the message, without the header blocks that programs have taken. Faults of its blocks are left to
    /// the reader of the message.
    #[must_use]
    pub fn reply(&self, is_taken: impl Fn(&Block) -> bool) -> Option<Reply> {
        let mut found = Blocks::default();
        let is_meant = |block: &&Block| block.is_ours && block.namespace == addressing::NAMESPACE;
        for block in self.blocks.iter().filter(is_meant).filter(|block| !is_taken(block)) {
            let mut cursor = crate::cursor(&block.text, xml::Encoding::Utf8).ok()?;
            let open = cursor.root().ok()?;
            found.read(&mut cursor, &open).ok()?;
        }
        found.finish("").0
    }

    /// The message without the header blocks that programs have taken, and with another body. Lines
    /// keep their numbers as far as the body is the same. `namespaces` has the declarations that
    /// programs have left for the body.
    #[must_use]
    pub fn rebuilt(
        &self,
        text: &str,
        is_taken: impl Fn(&Block) -> bool,
        (body, namespaces): (&str, &str),
    ) -> String {
        let mut message = String::with_capacity(text.len() + namespaces.len());
        let mut at = 0;
        for block in self.blocks.iter().filter(|block| is_taken(block)) {
            message.push_str(&text[at..block.at.start]);
            message.extend(text[block.at.clone()].chars().filter(|character| *character == '\n'));
            at = block.at.end;
        }
        message.push_str(&text[at..self.body_at.start]);
        let known = declarations(&self.namespaces);
        let own = declarations(start_tag(body));
        let added = declarations(namespaces).into_iter();
        let added: Vec<(&str, &str)> = added
            .filter(|pair| !known.contains(pair) && own.iter().all(|(name, _)| *name != pair.0))
            .collect();
        message.push_str(&with_declarations(body, &added));
        message.push_str(&text[self.body_at.end..]);
        message
    }
}

/// Writes a message from its parts: header blocks, declarations of prefixes, and the element
/// `Body`. It checks the text, because programs may have written any part.
///
/// # Errors
/// The result is not a message.
pub fn close(version: Version, parts: (&str, &str), body: &str) -> Result<String, Trouble> {
    checked(envelope(version, parts, body), |cursor| {
        let parts = Parts::of(cursor, (Versions::Only(version), &mut Heard::default()))?;
        Ok(parts.body_at.start)
    })
}

/// The same with an element `Body` that is known to be well-formed within these declarations of prefixes.
/// Only the text before it is checked.
///
/// # Errors
/// The result is not a message.
pub fn close_around(version: Version, parts: (&str, &str), body: &str) -> Result<String, Trouble> {
    checked(envelope(version, parts, body), |mut cursor| {
        let head = Head::of(&mut cursor, (Versions::Only(version), &mut Heard::default()))?;
        Ok(head.body.at)
    })
}

/// A message whose body is found where it was written. A header block may have another element `Body`.
fn checked(
    (message, body_at): (String, usize),
    read: impl FnOnce(Cursor<'_>) -> Result<usize, Trouble>,
) -> Result<String, Trouble> {
    let why = match crate::cursor(&message, xml::Encoding::Utf8).and_then(read) {
        Ok(at) if at == body_at => return Ok(message),
        Ok(_) => "the header blocks have a body of their own".to_owned(),
        Err(trouble) => trouble.failure.details.unwrap_or_default(),
    };
    let details = format!("programs of the pipeline left a message that cannot be sent: {why}");
    Err(Trouble::new(Code::BadRecord, details))
}

/// A message made of its parts, and the place of its body.
fn envelope(version: Version, (headers, namespaces): (&str, &str), body: &str) -> (String, usize) {
    let mut message = String::with_capacity(headers.len() + namespaces.len() + body.len() + 256);
    message.push_str("<SOAP-ENV:Envelope");
    if declarations(namespaces).iter().all(|(name, _)| *name != "xmlns:SOAP-ENV") {
        message.push_str(" xmlns:SOAP-ENV=\"");
        message.push_str(version.namespace());
        message.push('"');
    }
    if !namespaces.trim().is_empty() {
        message.push(' ');
        message.push_str(namespaces.trim());
    }
    message.push('>');
    if !headers.trim().is_empty() {
        message.push_str("<SOAP-ENV:Header>");
        message.push_str(headers);
        message.push_str("</SOAP-ENV:Header>");
    }
    let body_at = message.len();
    message.push_str(body);
    message.push_str(ENVELOPE_END);
    (message, body_at)
}

/// The namespaces and local names of the header blocks for this node. The body is not read.
///
/// # Errors
/// The text is not a message of these versions, as far as it was read.
pub fn header_names(mut cursor: Cursor<'_>, versions: Versions) -> Result<Vec<(String, String)>, Trouble> {
    let root = cursor.root()?;
    let version = version_of(&cursor, &root, versions, &mut Heard::default())?;
    let mut names = Vec::new();
    let Some(child) = cursor.child()? else { return Ok(names) };
    if child.name != "Header" || !cursor.is_in(&child, version.namespace()) {
        return Ok(names);
    }
    while let Some(open) = cursor.child()? {
        if names.len() == HEADER_BLOCKS_MAX {
            let message = format!("the header has more than {HEADER_BLOCKS_MAX} blocks");
            return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(open.at)));
        }
        if demanded(&cursor, &open, version)?.0 {
            names.push((cursor.namespace(&open).to_owned(), open.name.to_owned()));
        }
        cursor.skip()?;
    }
    Ok(names)
}

/// True if the body of a message has a fault. The text is decoded, so a declaration of its encoding does not count.
#[must_use]
pub fn is_fault(message: &str) -> bool {
    let read = || -> Result<bool, Trouble> {
        let mut cursor = crate::cursor(message, xml::Encoding::Told)?;
        Ok(fault(&mut cursor)?.is_some())
    };
    read().unwrap_or(false)
}

/// The HTTP status of a message with a fault: 400 for the code Sender of SOAP 1.2, else 500. None if it has no fault.
#[must_use]
pub fn fault_status(message: &str) -> Option<u16> {
    let mut cursor = crate::cursor(message, xml::Encoding::Told).ok()?;
    let version = fault(&mut cursor).ok()??;
    let is_sender = version == Version::Soap12 && has_sender(message, &mut cursor).unwrap_or(false);
    Some(if is_sender { 400 } else { 500 })
}

/// Reads a message into the fault in its body. Gives its version; none if there is no fault.
fn fault(cursor: &mut Cursor<'_>) -> Result<Option<Version>, Trouble> {
    let root = cursor.root()?;
    let version = version_of(cursor, &root, Versions::All, &mut Heard::default())?;
    while let Some(child) = cursor.child()? {
        if child.name == "Body" {
            let found = cursor.child()?.filter(|open| open.name == "Fault");
            return Ok(found.filter(|open| cursor.is_in(open, version.namespace())).map(|_| version));
        }
        cursor.skip()?;
    }
    Ok(None)
}

/// True if the open fault of SOAP 1.2 blames the sender.
fn has_sender(message: &str, cursor: &mut Cursor<'_>) -> Result<bool, Trouble> {
    // The code stands first, and its value too.
    let code = cursor.child()?.is_some_and(|open| open.name == "Code");
    let value = if code { cursor.child()? } else { None };
    let Some(value) = value.filter(|open| open.name == "Value") else { return Ok(false) };
    // Its prefix may be declared in the element itself, so the element stays open.
    let text = message[cursor.at()..].split('<').next().map_or("", xml::trim);
    let (prefix, name) = text.split_once(':').unwrap_or(("", text));
    Ok(name == "Sender" && cursor.namespace_of_prefix(&value, prefix) == Some(Version::Soap12.namespace()))
}

/// Reads an open header block.
fn block<'a>(cursor: &mut Cursor<'a>, open: &Open<'a>, version: Version) -> Result<Block, Trouble> {
    let (namespace, outer) = (cursor.namespace(open).to_owned(), outer(cursor, open));
    let (is_ours, must_understand) = demanded(cursor, open, version)?;
    let raw = cursor.raw(open)?;
    let own = declarations(start_tag(raw));
    let is_used = |name: &str| match name.strip_prefix("xmlns:") {
        Some(prefix) => raw.contains(&format!("{prefix}:")),
        None => true,
    };
    let needed: Vec<(&str, &str)> = outer
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .filter(|(name, _)| is_used(name) && own.iter().all(|(known, _)| known != name))
        .collect();
    let at = open.at..open.at + raw.len();
    Ok(Block {
        namespace,
        local_name: open.name.to_owned(),
        is_ours,
        must_understand,
        text: with_declarations(raw, &needed),
        at,
    })
}

/// The declarations that are in force at an element: `xmlns:p` and the namespace, escaped. Inner
/// declarations of a prefix hide outer ones.
fn outer<'a>(cursor: &Cursor<'a>, open: &Open<'a>) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for (prefix, namespace) in cursor.declarations(open) {
        if prefix == "xml" || prefix == "xmlns" {
            continue;
        }
        let name = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        let mut value = String::new();
        xml::write_attribute(namespace, &mut value);
        all.retain(|(known, _)| *known != name);
        all.push((name, value));
    }
    all
}

/// Declarations as a text of attributes.
fn written(declarations: &[(String, String)]) -> String {
    let pairs = declarations.iter().map(|(name, value)| attribute(name, value));
    pairs.collect::<Vec<_>>().join(" ")
}

/// An attribute with an escaped value.
fn attribute(name: &str, value: &str) -> String {
    let quote = if value.contains('\'') { '"' } else { '\'' };
    format!("{name}={quote}{value}{quote}")
}

/// An element with more declarations in its start tag.
fn with_declarations(element: &str, declarations: &[(&str, &str)]) -> String {
    let name = element.find([' ', '\t', '\r', '\n', '/', '>']).unwrap_or(element.len());
    let (start, rest) = element.split_at(name);
    let mut text = start.to_owned();
    for (name, value) in declarations {
        text.push(' ');
        text.push_str(&attribute(name, value));
    }
    text.push_str(rest);
    text
}

/// The attributes in the start tag of an element.
fn start_tag(element: &str) -> &str {
    let name = element.find([' ', '\t', '\r', '\n', '/', '>']).unwrap_or(element.len());
    &element[name..]
}

/// The declarations of prefixes at the start of a text of attributes, with their values as written.
/// It stops at the first text that is not an attribute.
fn declarations(mut text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    loop {
        text = text.trim_start();
        if text.starts_with(['>', '/', '<']) {
            return found;
        }
        let Some((name, rest)) = text.split_once('=') else { return found };
        let (name, rest) = (name.trim_end(), rest.trim_start());
        let Some(quote) = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
            return found;
        };
        if name.contains(['<', '>', '/', ' ']) {
            return found;
        }
        let Some((value, rest)) = rest[1..].split_once(quote) else { return found };
        if name == "xmlns" || name.starts_with("xmlns:") {
            found.push((name, value));
        }
        text = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addressing::Target;

    const MESSAGE: &str = "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" xmlns:h='urn:h' xmlns:b='urn:b'>\n\
         <s:Header>\n<h:Order s:mustUnderstand=\"1\">\n<h:n>1</h:n></h:Order><o:Else xmlns:o='urn:o' s:actor='urn:far'/></s:Header>\n\
         <s:Body><b:op/></s:Body>\n</s:Envelope>";

    fn parts(text: &str) -> Result<Parts, Trouble> {
        Parts::of(crate::cursor(text, xml::Encoding::Utf8)?, (Versions::All, &mut Heard::default()))
    }

    #[test]
    fn a_token_leaves_the_message() {
        let security = |more: &str| {
            let namespace = token::NAMESPACE;
            format!(
                "<w:Security xmlns:w='{namespace}'><w:UsernameToken><w:Username>ada</w:Username><w:Password>b</w:Password>\n\
                 </w:UsernameToken>{more}</w:Security>"
            )
        };
        let message = |block: &str| MESSAGE.replace("<s:Header>", &format!("<s:Header>{block}"));
        let presented = message(&security(""));
        let (token, rest) = parts(&presented).expect("a message").token(&presented).expect("a token");
        assert_eq!(token.map(|token| token.user).as_deref(), Some("ada"));
        // Lines keep their numbers.
        assert_eq!(rest.as_deref(), Some(&*message("\n")));
        let more = message(&security("<w:BinarySecurityToken/>"));
        let (token, rest) = parts(&more).expect("a message").token(&more).expect("a token");
        assert!(token.is_some() && rest.is_none(), "whoever reads it next refuses the rest");
        let none = parts(MESSAGE).expect("a message").token(MESSAGE).expect("no token");
        assert_eq!(none, (None, None));
    }

    #[test]
    fn the_addressing_of_a_message_is_known_before_its_body_is_read() {
        let namespace = addressing::NAMESPACE;
        let block =
            |name: &str, content: &str| format!("<a:{name} xmlns:a='{namespace}'>{content}</a:{name}>");
        let address = format!("<a:Address>{namespace}/none</a:Address>");
        let blocks =
            [block("MessageID", "urn:7"), block("Action", "urn:x"), block("FaultTo", &address)].concat();
        let message = MESSAGE.replace("<s:Header>", &format!("<s:Header>{blocks}"));
        let parts = parts(&message).expect("a message");
        let reply = parts.reply(|_| false).expect("an addressing");
        assert_eq!((reply.target(), reply.fault_target()), (Target::Anonymous, Target::None));
        assert!(reply.fault_blocks().contains(">urn:7</wsa:RelatesTo>"), "{}", reply.fault_blocks());
        let untaken = parts.reply(|block| block.local_name == "FaultTo").expect("an addressing");
        assert_eq!(untaken.fault_target(), Target::Anonymous);
        assert_eq!(parts.reply(|block| block.namespace == namespace), None);
        assert_eq!(super::tests::parts(MESSAGE).expect("a message").reply(|_| false), None);
    }

    #[test]
    fn blocks_and_body_are_given_as_they_stand() {
        let parts = parts(MESSAGE).expect("a message");
        assert_eq!(parts.version, Version::Soap11);
        assert_eq!(parts.body(MESSAGE), "<s:Body><b:op/></s:Body>");
        assert!(parts.namespaces.contains("xmlns:b='urn:b'"), "{}", parts.namespaces);
        let [order, other] = &parts.blocks[..] else { panic!("{:?}", parts.blocks) };
        assert_eq!((&*order.namespace, &*order.local_name, order.is_ours), ("urn:h", "Order", true));
        assert!(order.must_understand && !other.must_understand);
        assert_eq!((&*other.namespace, &*other.local_name, other.is_ours), ("urn:o", "Else", false));
        assert!(order.text.starts_with("<h:Order xmlns:s="), "{}", order.text);
        assert!(order.text.contains("xmlns:h='urn:h'") && !order.text.contains("xmlns:b"), "{}", order.text);
        roxmltree_reads(&order.text);
        roxmltree_reads(&other.text);
    }

    /// Checks that the element is a document by itself.
    fn roxmltree_reads(text: &str) {
        let mut cursor = crate::cursor(text, xml::Encoding::Utf8).expect("text");
        cursor.root().and_then(|_| cursor.skip()).and_then(|()| cursor.end()).expect("an element");
    }

    #[test]
    fn names_of_blocks_are_found_without_the_body() {
        let names =
            |text: &str| header_names(crate::cursor(text, xml::Encoding::Utf8).expect("text"), Versions::All);
        let order = ("urn:h".to_owned(), "Order".to_owned());
        assert_eq!(names(MESSAGE), Ok(vec![order.clone()]));
        let cut = &MESSAGE[..MESSAGE.find("<b:op/>").expect("a body")];
        assert_eq!(names(cut), Ok(vec![order]));
        assert_eq!(names(&MESSAGE.replace("s:Header", "s:Other")), Ok(Vec::new()));
        names("<a/>").expect_err("no envelope");
        names(&MESSAGE[..200]).expect_err("cut in the header");
        let many = format!("<s:Header>{}</s:Header>", "<h:a/>".repeat(HEADER_BLOCKS_MAX + 1));
        let start = MESSAGE.find("<s:Header>").expect("a header");
        names(&format!("{}{many}", &MESSAGE[..start])).expect_err("too many");
    }

    #[test]
    fn a_taken_block_is_gone_and_lines_stay() {
        let parts = parts(MESSAGE).expect("a message");
        let same = parts.rebuilt(MESSAGE, |_| false, (parts.body(MESSAGE), &parts.namespaces));
        assert_eq!(same, MESSAGE);
        let taken = parts.rebuilt(
            MESSAGE,
            |block| block.namespace == "urn:h",
            (parts.body(MESSAGE), &parts.namespaces),
        );
        assert!(!taken.contains("Order") && taken.contains("Else"), "{taken}");
        assert_eq!(taken.matches('\n').count(), MESSAGE.matches('\n').count());
        let namespaces = format!("{} xmlns:x='urn:x'", parts.namespaces);
        let other = parts.rebuilt(MESSAGE, |_| true, ("<s:Body><x:op/></s:Body>", &namespaces));
        assert!(other.contains("<s:Body xmlns:x='urn:x'><x:op/></s:Body>"), "{other}");
        super::tests::parts(&other).expect("a message");
    }

    #[test]
    fn faults_have_the_status_of_their_code() {
        let message = |version: Version, fault: &str| {
            let namespace = version.namespace();
            format!(
                "<e:Envelope xmlns:e='{namespace}'><e:Header><x:a xmlns:x='urn:x'/></e:Header><e:Body>{fault}</e:Body></e:Envelope>"
            )
        };
        let coded = |value: &str| format!("<e:Fault><e:Code><e:Value>{value}</e:Value></e:Code></e:Fault>");
        for (version, body, status) in [
            (Version::Soap12, coded(" e:Sender\n"), Some(400)),
            (
                Version::Soap12,
                coded("o:Sender")
                    .replace("<e:Value>", "<e:Value xmlns:o='http://www.w3.org/2003/05/soap-envelope'>"),
                Some(400),
            ),
            (Version::Soap12, coded("e:Receiver"), Some(500)),
            (Version::Soap12, coded("x:Sender"), Some(500)),
            (Version::Soap12, "<e:Fault/>".to_owned(), Some(500)),
            (Version::Soap12, "<e:Fault><e:Code>".to_owned(), Some(500)),
            (Version::Soap11, coded("e:Sender"), Some(500)),
            (Version::Soap11, "<e:Fault><faultcode>e:Client</faultcode></e:Fault>".to_owned(), Some(500)),
            (Version::Soap11, "<Fault/>".to_owned(), None),
            (Version::Soap11, String::new(), None),
        ] {
            let message = message(version, &body);
            assert_eq!(fault_status(&message), status, "{message}");
            let declared = format!("<?xml version='1.0' encoding='iso-8859-1'?>{message}");
            assert_eq!(fault_status(&declared), status, "{message}");
            assert_eq!(is_fault(&message), status.is_some(), "{message}");
        }
        assert_eq!(fault_status("<closed/>"), None);
    }

    #[test]
    fn what_programs_write_is_checked() {
        let body = "<SOAP-ENV:Body><a/></SOAP-ENV:Body>";
        for version in [Version::Soap11, Version::Soap12] {
            let message = close(version, ("<h:x/>", "xmlns:h='urn:h'"), body).expect("a message");
            assert!(!is_fault(&message));
            let fault = "<SOAP-ENV:Body><SOAP-ENV:Fault/></SOAP-ENV:Body>";
            assert!(is_fault(&close(version, ("<h:x/>", "xmlns:h='urn:h'"), fault).expect("a message")));
            assert_eq!(parts(&message).expect("a message").blocks.len(), 1);
        }
        for (headers, namespaces, body) in [
            ("<h:x/>", "", body),
            ("<x>", "", body),
            ("", "xmlns:a='b' onclick", body),
            ("", "", "<SOAP-ENV:Body>"),
            ("", "", ""),
            ("", "xmlns:SOAP-ENV='urn:other'", body),
            ("", "", "<SOAP-ENV:Body/><SOAP-ENV:Fault>"),
        ] {
            let refused = close(Version::Soap11, (headers, namespaces), body).expect_err(body);
            assert_eq!(refused.failure.code, Code::BadRecord);
        }
    }

    #[test]
    fn an_answer_of_ours_is_separated_by_its_ends() {
        for version in [Version::Soap11, Version::Soap12] {
            let (envelope, body) = version.parts();
            let header = "<SOAP-ENV:Header><a:To xmlns:a='urn:a'>x</a:To></SOAP-ENV:Header>";
            for header in ["", header] {
                let text = format!("{envelope}{header}{body}<r xmlns='urn:r'/>{}", crate::version::TAIL);
                let parts = Parts::of_answer(&text, version).expect("an answer");
                assert_eq!(parts, super::tests::parts(&text).expect("a message"));
                assert_eq!(parts.body(&text), format!("{body}<r xmlns='urn:r'/></SOAP-ENV:Body>"));
                Parts::of_answer(&text[..text.len() - 1], version).expect_err("no end");
            }
        }
        Parts::of_answer(MESSAGE, Version::Soap12).expect_err("another version");
    }

    #[test]
    fn a_known_body_is_not_read_again_and_all_before_it_is() {
        let body = "<SOAP-ENV:Body><a/></SOAP-ENV:Body>";
        let around = |headers, namespaces| close_around(Version::Soap11, (headers, namespaces), body);
        let declared = "xmlns:h='urn:h'";
        for (headers, namespaces) in [("", ""), ("", declared), ("<h:x/>", declared)] {
            let all = close(Version::Soap11, (headers, namespaces), body);
            assert_eq!(around(headers, namespaces), all);
            all.expect("a message");
        }
        let own = "</SOAP-ENV:Header><SOAP-ENV:Body/><SOAP-ENV:Header>";
        for headers in ["<h:x/>", "<x>", "<!--", "</SOAP-ENV:Header>", own, "text"] {
            let refused = close(Version::Soap11, (headers, ""), body).is_err();
            assert_eq!(around(headers, "").is_err(), refused, "{headers}");
        }
        around(own, "").expect_err("two bodies");
        around("", "xmlns:SOAP-ENV='urn:other'").expect_err("no envelope");
        close_around(Version::Soap11, ("", ""), "<SOAP-ENV:Else/>").expect_err("no body");
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for text in
            ["", "<a/>", "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'/>", &MESSAGE[..200]]
        {
            parts(text).expect_err(text);
        }
    }
}
