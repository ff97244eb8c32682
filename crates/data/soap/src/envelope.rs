//! Reads the envelope in one pass. First it reads to the element in the body, and later from that
//! element's end to the end of the envelope.
//!
//! In between, the cursor stands in the body's element. The code that knows the operation reads
//! that element.

use failure::Code;
use xml::{Attribute, Cursor, Open, shown};

use crate::addressing::{self, Blocks, Reply};
use crate::token::{self, Token};
use crate::trouble::{Name, Trouble};
use crate::version::{Version, Versions};

/// The most header blocks of a message.
pub const HEADER_BLOCKS_MAX: usize = 64;

/// The demands on a message.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'e> {
    /// The accepted versions.
    pub versions: Versions,
    /// The action in the HTTP request; empty if there is none.
    pub action: &'e str,
    /// True if tokens of WS-Security are accepted.
    pub tokens: bool,
    /// True if the message is an answer. Its addresses lead nowhere from here, so faults in them do not count.
    pub is_answer: bool,
}

/// The known facts of a message. A fault needs them, wherever reading ends.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// The version of the answer.
    pub version: Option<Version>,
    /// The addressing of the request, if it has one.
    pub reply: Option<Reply>,
}

/// A message after its header blocks.
#[derive(Debug)]
pub struct Message<'a> {
    /// The version.
    pub version: Version,
    /// The user and the password in the message.
    pub token: Option<Token>,
    /// The open element in the body.
    pub open: Open<'a>,
}

/// Reads a message up to the element in its body.
///
/// # Errors
/// The message is refused, with the reason.
pub fn read<'a>(
    cursor: &mut Cursor<'a>,
    expected: &Expected<'_>,
    heard: &mut Heard,
) -> Result<Message<'a>, Trouble> {
    let root = cursor.root()?;
    let version = version_of(cursor, &root, expected.versions, heard)?;
    check_style(cursor, &root, version)?;
    let missing = |cursor: &Cursor<'_>| {
        Trouble::new(Code::BadEnvelope, "the envelope has no body").at(cursor.position(root.at))
    };
    let mut child = cursor.child()?.ok_or_else(|| missing(cursor))?;
    let mut token = None;
    if child.name == "Header" && cursor.is_in(&child, version.namespace()) {
        check_style(cursor, &child, version)?;
        token = Headers::new(version, *expected).read(cursor, heard)?;
        child = cursor.child()?.ok_or_else(|| missing(cursor))?;
    }
    if child.name != "Body" || !cursor.is_in(&child, version.namespace()) {
        let message = format!("expected the body of the envelope, found {}", described(cursor, &child));
        return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(child.at)));
    }
    check_style(cursor, &child, version)?;
    let Some(open) = cursor.child()? else {
        let message = "the body has no element";
        return Err(Trouble::new(Code::UnknownSoapOperation, message).at(cursor.position(child.at)));
    };
    Ok(Message { version, token, open: encoding(cursor, open, version)? })
}

/// Reads the rest of a message after the element in its body.
///
/// # Errors
/// A forbidden element or text follows.
pub fn finish(cursor: &mut Cursor<'_>, version: Version) -> Result<(), Trouble> {
    if let Some(open) = cursor.child()? {
        let message = "the body has more than one element";
        return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(open.at)));
    }
    while let Some(open) = cursor.child()? {
        let namespace = cursor.namespace(&open);
        // SOAP 1.1, section 4: other elements may follow the body, in their own namespaces.
        if version == Version::Soap12 || namespace.is_empty() || namespace == version.namespace() {
            let message = format!("expected the end of the envelope, found {}", described(cursor, &open));
            return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(open.at)));
        }
        cursor.skip()?;
    }
    Ok(cursor.end()?)
}

/// Describes an element: its name and its namespace.
pub(crate) fn described(cursor: &Cursor<'_>, open: &Open<'_>) -> String {
    match cursor.namespace(open) {
        "" => format!("{} without a namespace", shown(open.name)),
        namespace => format!("{} of the namespace {}", shown(open.name), shown(namespace)),
    }
}

pub(crate) fn version_of(
    cursor: &Cursor<'_>,
    root: &Open<'_>,
    versions: Versions,
    heard: &mut Heard,
) -> Result<Version, Trouble> {
    if root.name != "Envelope" {
        cursor.check_name(root)?;
        let message = format!("expected an envelope, found {}", described(cursor, root));
        return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(root.at)));
    }
    let found = Version::of_namespace(cursor.namespace(root));
    if let Some(version) = found.filter(|version| versions.has(*version)) {
        heard.version = Some(version);
        return Ok(version);
    }
    // A client of one of the two versions gets its fault in SOAP 1.1, as appendix A of SOAP 1.2
    // says.
    if found.is_some() {
        heard.version = Some(Version::Soap11);
    }
    let message = format!("the envelope is {}", described(cursor, root));
    Err(Trouble::new(Code::SoapVersion, message).at(cursor.position(root.at)))
}

/// The attributes of an element that has some.
fn attributes<'a>(cursor: &Cursor<'a>, open: &Open<'a>) -> Result<Vec<Attribute<'a>>, Trouble> {
    if open.attribute().is_none() { Ok(Vec::new()) } else { Ok(cursor.attributes(open)?) }
}

/// Checks the elements of SOAP 1.2 itself. They may have no encoding style, and no attributes
/// without a namespace (part 1, sections 5.1 to 5.3).
fn check_style<'a>(cursor: &Cursor<'a>, open: &Open<'a>, version: Version) -> Result<(), Trouble> {
    if version == Version::Soap11 {
        return Ok(());
    }
    for Attribute { at, namespace, name, .. } in attributes(cursor, open)? {
        let wrong = if namespace.is_empty() {
            format!("may not have the attribute {}, which has no namespace", shown(name))
        } else if name == STYLE && namespace == version.namespace() {
            format!("may not have the attribute {STYLE}")
        } else {
            continue;
        };
        let message = format!("{} {wrong}", open.name);
        return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(at)));
    }
    Ok(())
}

const STYLE: &str = "encodingStyle";

/// Checks that the values in the body's element are literal. The element has no encoding style, or
/// one that says so.
fn encoding<'a>(cursor: &Cursor<'a>, open: Open<'a>, version: Version) -> Result<Open<'a>, Trouble> {
    let given = attributes(cursor, &open)?;
    let is_style = |given: &Attribute<'_>| given.name == STYLE && given.namespace == version.namespace();
    let Some(style) = given.iter().find(|given| is_style(given)) else { return Ok(open) };
    let literal = match version {
        Version::Soap11 => style.value.is_empty(),
        Version::Soap12 => style.value == "http://www.w3.org/2003/05/soap-envelope/encoding/none",
    };
    if !literal {
        let message = format!("the encoding style is {}", shown(&style.value));
        return Err(Trouble::new(Code::EncodingStyle, message).at(cursor.position(style.at)));
    }
    // The reader of the record does not know this attribute. It checks all others.
    let only = given.len() == 1;
    Ok(if only { open.without_attributes() } else { open })
}

/// The header blocks, while they are read.
struct Headers<'e> {
    version: Version,
    expected: Expected<'e>,
    blocks: Blocks,
    token: Option<Token>,
    not_understood: Vec<Name>,
}

/// The target of a block, and whether that target must understand it.
struct Demand {
    ours: bool,
    must_understand: bool,
}

impl<'e> Headers<'e> {
    fn new(version: Version, expected: Expected<'e>) -> Self {
        Self { version, expected, blocks: Blocks::default(), token: None, not_understood: Vec::new() }
    }

    /// Reads all blocks, to the end of the header. It acts on them only after all are known.
    fn read<'a>(mut self, cursor: &mut Cursor<'a>, heard: &mut Heard) -> Result<Option<Token>, Trouble> {
        let mut count = 0;
        while let Some(open) = cursor.child()? {
            count += 1;
            if count > HEADER_BLOCKS_MAX {
                let message = format!("the header has more than {HEADER_BLOCKS_MAX} blocks");
                return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(open.at)));
            }
            self.block(cursor, &open)?;
        }
        let (reply, addressed) = self.blocks.finish(self.expected.action);
        heard.reply = reply;
        if !self.not_understood.is_empty() {
            let named =
                |name: &Name| format!("{} of the namespace {}", shown(&name.local), shown(&name.namespace));
            let names: Vec<String> = self.not_understood.iter().map(named).collect();
            let message = format!("The web service does not know {}", names.join(", "));
            let trouble = Trouble::new(Code::NotUnderstood, message);
            return Err(Trouble { not_understood: self.not_understood, ..trouble });
        }
        if !self.expected.is_answer {
            addressed?;
        }
        Ok(self.token)
    }

    fn block<'a>(&mut self, cursor: &mut Cursor<'a>, open: &Open<'a>) -> Result<(), Trouble> {
        let namespace = cursor.namespace(open);
        if namespace.is_empty() {
            let message = format!("the header block {} has no namespace", shown(open.name));
            return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(open.at)));
        }
        let (of_addressing, of_security) =
            (namespace == addressing::NAMESPACE, namespace == token::NAMESPACE);
        let demand = self.demand(cursor, open)?;
        if demand.ours && of_addressing && self.blocks.read(cursor, open)? {
            return Ok(());
        }
        if demand.ours && of_security && open.name == "Security" && self.expected.tokens {
            let (found, all) = token::read(cursor)?;
            if !all && demand.must_understand {
                self.refuse(token::NAMESPACE, open.name);
            }
            self.token = token::only(self.token.take(), found)?;
            return Ok(());
        }
        if demand.ours && demand.must_understand {
            let namespace = cursor.namespace(open).to_owned();
            self.refuse(&namespace, open.name);
        }
        cursor.check_name(open)?;
        Ok(cursor.skip()?)
    }

    fn refuse(&mut self, namespace: &str, local: &str) {
        self.not_understood.push(Name { namespace: namespace.to_owned(), local: local.to_owned() });
    }

    fn demand<'a>(&self, cursor: &Cursor<'a>, open: &Open<'a>) -> Result<Demand, Trouble> {
        let mut demand = Demand { ours: true, must_understand: false };
        for Attribute { at, namespace, name, value } in attributes(cursor, open)? {
            if namespace != self.version.namespace() {
                continue;
            }
            let (name, value) = (name, xml::trim(&value));
            let place = |message: String| Trouble::new(Code::BadEnvelope, message).at(cursor.position(at));
            if name == self.version.role_attribute() {
                demand.ours = self.version.is_role_of_ours(value);
            } else if name == "mustUnderstand" {
                demand.must_understand = boolean(value, self.version)
                    .ok_or_else(|| place(format!("{name} cannot be {}", shown(value))))?;
            } else if name == "relay" && self.version == Version::Soap12 {
                // No node follows this one, so a block cannot be relayed.
                boolean(value, self.version)
                    .ok_or_else(|| place(format!("{name} cannot be {}", shown(value))))?;
            }
        }
        Ok(demand)
    }
}

/// Whether a header block is for this node, and whether this node must understand it.
///
/// # Errors
/// Its attributes are wrong.
pub(crate) fn demanded<'a>(
    cursor: &Cursor<'a>,
    open: &Open<'a>,
    version: Version,
) -> Result<(bool, bool), Trouble> {
    let expected =
        Expected { versions: Versions::Only(version), action: "", tokens: false, is_answer: false };
    let demand = Headers::new(version, expected).demand(cursor, open)?;
    Ok((demand.ours, demand.must_understand))
}

/// A truth value. SOAP 1.1 has only digits.
fn boolean(value: &str, version: Version) -> Option<bool> {
    match (value, version) {
        ("1", _) | ("true", Version::Soap12) => Some(true),
        ("0", _) | ("false", Version::Soap12) => Some(false),
        _ => None,
    }
}
