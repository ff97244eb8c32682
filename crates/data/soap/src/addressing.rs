//! WS-Addressing 1.0: replies go back on the connection of the request, or nowhere.

use failure::Code;
use xml::{Cursor, Open};

use crate::fault;
use crate::trouble::{AddressingFault, Trouble};

/// The most bytes of a message id, an action or an address.
pub const ADDRESS_BYTES_MAX: usize = 2_048;

/// The namespace of WS-Addressing 1.0.
pub const NAMESPACE: &str = "http://www.w3.org/2005/08/addressing";
/// The address of the client on the connection.
const ANONYMOUS: &str = "http://www.w3.org/2005/08/addressing/anonymous";
/// The address to which nothing is sent.
const NONE: &str = "http://www.w3.org/2005/08/addressing/none";
/// The action of faults of WS-Addressing.
pub(crate) const FAULT_ACTION: &str = "http://www.w3.org/2005/08/addressing/fault";
/// The action of all other faults.
pub(crate) const SOAP_FAULT_ACTION: &str = "http://www.w3.org/2005/08/addressing/soap/fault";
/// The related message in an answer, if the request has no id.
const UNSPECIFIED: &str = "http://www.w3.org/2005/08/addressing/unspecified";

/// The target of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// Back on the connection.
    #[default]
    Anonymous,
    /// Nowhere.
    None,
}

impl Target {
    /// The target of an address; none for any other address.
    pub(crate) fn of(address: &str) -> Option<Self> {
        match address {
            ANONYMOUS => Some(Target::Anonymous),
            NONE => Some(Target::None),
            _ => None,
        }
    }
}

/// The addressing of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The id of the request's message.
    pub(crate) message_id: Option<String>,
    /// The target of answers.
    pub(crate) reply_to: Target,
    /// The target of faults.
    pub(crate) fault_to: Option<Target>,
}

impl Reply {
    /// The target of an answer.
    #[must_use]
    pub fn target(&self) -> Target {
        self.reply_to
    }

    /// The target of a fault. Without its own address, it is the target of answers.
    #[must_use]
    pub fn fault_target(&self) -> Target {
        self.fault_to.unwrap_or(self.reply_to)
    }

    /// The header blocks of a fault that a program has made.
    #[must_use]
    pub fn fault_blocks(&self) -> String {
        let mut blocks = String::new();
        self.write(SOAP_FAULT_ACTION, &mut blocks);
        blocks
    }

    /// Writes the header blocks of an answer with this action.
    pub(crate) fn write(&self, action: &str, out: &mut String) {
        out.push_str("<wsa:Action xmlns:wsa=\"");
        out.push_str(NAMESPACE);
        out.push_str("\">");
        fault::text(action, usize::MAX, out);
        out.push_str("</wsa:Action><wsa:RelatesTo xmlns:wsa=\"");
        out.push_str(NAMESPACE);
        out.push_str("\">");
        fault::text(self.message_id.as_deref().unwrap_or(UNSPECIFIED), usize::MAX, out);
        out.push_str("</wsa:RelatesTo>");
    }
}

/// The action of a message whose service gives none: the namespace, the port type, and the message
/// (Metadata, section 4.4.4).
#[must_use]
pub fn default_action(namespace: &str, port_type: &str, message: &str) -> String {
    let namespace = namespace.strip_suffix(['/', ':']).unwrap_or(namespace);
    let separator = if namespace.starts_with("urn:") { ':' } else { '/' };
    format!("{namespace}{separator}{port_type}{separator}{message}")
}

/// The header blocks of WS-Addressing, while they are read.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    action: Option<String>,
    to: bool,
    from: bool,
    reply: Reply,
    reply_to: bool,
    /// The first fault. It is reported after all blocks are read.
    fault: Option<(AddressingFault, String)>,
    any: bool,
}

impl Blocks {
    /// Reads one block, to its end. False if the block is not known; then nothing is read.
    pub(crate) fn read<'a>(&mut self, cursor: &mut Cursor<'a>, open: &Open<'a>) -> Result<bool, Trouble> {
        let twice = match open.name {
            "Action" => {
                let action = short(cursor, open)?;
                self.action.replace(action).is_some()
            }
            "MessageID" => {
                let id = short(cursor, open)?;
                self.reply.message_id.replace(id).is_some()
            }
            "To" => {
                cursor.skip()?;
                std::mem::replace(&mut self.to, true)
            }
            "From" => {
                self.address(cursor, open)?;
                std::mem::replace(&mut self.from, true)
            }
            "ReplyTo" => {
                let target = self.address(cursor, open)?;
                self.reply.reply_to = self.target(target, "ReplyTo");
                std::mem::replace(&mut self.reply_to, true)
            }
            "FaultTo" => {
                let target = self.address(cursor, open)?;
                let target = self.target(target, "FaultTo");
                self.reply.fault_to.replace(target).is_some()
            }
            "RelatesTo" => {
                cursor.skip()?;
                false
            }
            _ => return Ok(false),
        };
        self.any = true;
        if twice {
            self.wrong(AddressingFault::InvalidCardinality, format!("wsa:{} occurs twice", open.name));
        }
        Ok(true)
    }

    /// The addressing of the request; none if it has none. A faulty block gives its fault, together
    /// with the reply.
    pub(crate) fn finish(mut self, soap_action: &str) -> (Option<Reply>, Result<(), Trouble>) {
        if !self.any {
            return (None, Ok(()));
        }
        match &self.action {
            None => self.wrong(AddressingFault::HeaderRequired, "wsa:Action is missing".to_owned()),
            Some(action) if !soap_action.is_empty() && action != soap_action => {
                let message = "wsa:Action differs from the SOAP action of the HTTP header".to_owned();
                self.wrong(AddressingFault::ActionMismatch, message);
            }
            Some(_) => {}
        }
        match self.fault {
            Some((fault, message)) => {
                // The addresses are not reliable.
                let reply = Reply { message_id: self.reply.message_id, ..Reply::default() };
                (Some(reply), Err(trouble(fault, message)))
            }
            None => (Some(self.reply), Ok(())),
        }
    }

    fn wrong(&mut self, fault: AddressingFault, message: String) {
        self.fault.get_or_insert((fault, message));
    }

    fn target(&mut self, address: Option<String>, name: &str) -> Target {
        let Some(address) = address else { return Target::Anonymous };
        Target::of(xml::trim(&address)).unwrap_or_else(|| {
            let message = format!("answers are sent on the same connection: wsa:{name} must be {ANONYMOUS}");
            self.wrong(AddressingFault::OnlyAnonymous, message);
            Target::Anonymous
        })
    }

    /// The address in an endpoint reference.
    fn address<'a>(&mut self, cursor: &mut Cursor<'a>, open: &Open<'a>) -> Result<Option<String>, Trouble> {
        let mut address = None;
        while let Some(child) = cursor.child()? {
            if child.name == "Address" && cursor.is_in(&child, NAMESPACE) {
                address = Some(short(cursor, &child)?);
            } else {
                cursor.skip()?;
            }
        }
        if address.is_none() {
            self.wrong(AddressingFault::MissingAddress, format!("wsa:{} has no wsa:Address", open.name));
        }
        Ok(address)
    }
}

impl Reply {
    /// Checks that an answer can name the request.
    ///
    /// # Errors
    /// The request has no id, but it gets an answer.
    pub(crate) fn check(&self) -> Result<(), Trouble> {
        if self.message_id.is_some() || self.reply_to == Target::None {
            return Ok(());
        }
        Err(trouble(AddressingFault::HeaderRequired, "wsa:MessageID is missing".to_owned()))
    }
}

fn trouble(fault: AddressingFault, message: String) -> Trouble {
    Trouble { addressing: Some(fault), ..Trouble::new(Code::BadAddressing, message) }
}

/// The text of an element that an answer may repeat.
fn short<'a>(cursor: &mut Cursor<'a>, open: &Open<'a>) -> Result<String, Trouble> {
    let text = cursor.text()?;
    if text.len() > ADDRESS_BYTES_MAX {
        let message = format!("wsa:{} has more than {ADDRESS_BYTES_MAX} bytes", open.name);
        return Err(Trouble::new(Code::BadEnvelope, message).at(cursor.position(open.at)));
    }
    Ok(xml::trim(&text).to_owned())
}
