//! Requests of programs to the queue manager by calls of the MQI.
//!
//! Structures travel as the program has them in its storage; the region reads and changes their fields (crate `mqi`).

use super::bytes::{Reader, put_bytes};
use super::{BadMessage, Name};

/// The most selectors of one MQINQ or MQSET (IBM MQ, "MQINQ").
pub const SELECTORS_MAX: usize = 256;

/// The most bytes of one message, so that a call fits into the memory that a worker shares with its region.
pub const MESSAGE_MAX_BYTES: usize = 15 << 20;

/// A call of the MQI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageAsk {
    /// MQCONN, MQCONNX.
    Connect {
        /// The queue manager; blanks for the region's.
        manager: Name<48>,
    },
    /// MQDISC.
    Disconnect,
    /// MQOPEN.
    Open {
        /// The object.
        object: ObjectAsk,
        /// MQOO.
        options: i32,
    },
    /// MQCLOSE.
    Close {
        /// The object.
        handle: i32,
        /// MQCO.
        options: i32,
    },
    /// MQPUT.
    Put {
        /// The queue.
        handle: i32,
        /// MQMD, MQPMO and the data.
        message: Outgoing,
    },
    /// MQPUT1.
    PutOne {
        /// The queue or the topic.
        object: ObjectAsk,
        /// MQMD, MQPMO and the data.
        message: Outgoing,
    },
    /// MQGET.
    Get {
        /// The queue.
        handle: i32,
        /// MQMD.
        descriptor: Vec<u8>,
        /// MQGMO.
        options: Vec<u8>,
        /// The bytes of the program's buffer.
        room: u32,
    },
    /// MQINQ.
    Inquire {
        /// The object.
        handle: i32,
        /// The selectors of the wanted attributes.
        selectors: Vec<i32>,
        /// How many numbers there is room for.
        numbers: u32,
        /// How many bytes of text there is room for.
        text_bytes: u32,
    },
    /// MQSET.
    Set {
        /// The object.
        handle: i32,
        /// The selectors of the new attributes.
        selectors: Vec<i32>,
        /// The numbers.
        numbers: Vec<i32>,
        /// The texts.
        text: Vec<u8>,
    },
    /// MQSUB.
    Subscribe {
        /// The subscription.
        subscription: Box<SubscribeAsk>,
        /// The open queue for its messages.
        queue: i32,
    },
    /// MQSUBRQ.
    Request {
        /// The subscription.
        handle: i32,
        /// The action.
        action: i32,
        /// MQSRO.
        options: Vec<u8>,
    },
    /// MQCRTMH.
    CreateHandle {
        /// MQCMHO.
        options: Vec<u8>,
    },
    /// MQDLTMH.
    DeleteHandle {
        /// The message handle.
        handle: i64,
        /// MQDMHO.
        options: Vec<u8>,
    },
    /// MQSETMP.
    SetProperty {
        /// The message handle.
        handle: i64,
        /// The property.
        property: Box<PropertyAsk>,
        /// MQTYPE.
        kind: i32,
        /// The value.
        value: Vec<u8>,
    },
    /// MQINQMP.
    InquireProperty {
        /// The message handle.
        handle: i64,
        /// The property.
        property: Box<PropertyAsk>,
        /// MQTYPE.
        kind: i32,
        /// The bytes of the program's area for the value.
        room: u32,
    },
    /// MQDLTMP.
    DeleteProperty {
        /// The message handle.
        handle: i64,
        /// The property.
        property: Box<PropertyAsk>,
    },
    /// MQCMIT.
    Commit,
    /// MQBACK.
    BackOut,
}

/// The object of MQOPEN and MQPUT1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectAsk {
    /// MQOD.
    pub descriptor: Vec<u8>,
    /// The text of its ObjectString.
    pub string: Vec<u8>,
}

/// The subscription of MQSUB.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscribeAsk {
    /// MQSD.
    pub descriptor: Vec<u8>,
    /// The text of its ObjectString.
    pub string: Vec<u8>,
    /// The text of its SubName.
    pub name: Vec<u8>,
    /// The text of its SubUserData.
    pub user_data: Vec<u8>,
}

/// The property of MQSETMP, MQINQMP and MQDLTMP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropertyAsk {
    /// MQSMPO, MQIMPO or MQDMPO.
    pub options: Vec<u8>,
    /// The name.
    pub name: Vec<u8>,
    /// The code page of the name (MQCCSI).
    pub name_ccsid: i32,
    /// MQPD; empty for MQDLTMP.
    pub descriptor: Vec<u8>,
}

/// A message to put.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outgoing {
    /// MQMD.
    pub descriptor: Vec<u8>,
    /// MQPMO.
    pub options: Vec<u8>,
    /// The data.
    pub data: Vec<u8>,
}

/// The outcome of a call. Empty parts do not change in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageAnswer {
    /// MQCC.
    pub completion: i32,
    /// MQRC.
    pub reason: i32,
    /// The handle that MQOPEN, MQSUB and MQCRTMH give.
    pub handle: i32,
    /// The handle of the queue that MQSUB gives.
    pub queue: i32,
    /// The type of the property that MQINQMP gives.
    pub kind: i32,
    /// The bytes of the whole message that MQGET has found, or of the whole value of MQINQMP.
    pub length: u32,
    /// MQOD or MQSD.
    pub object: Vec<u8>,
    /// The text of its ResObjectString, or the name of the property of MQINQMP.
    pub string: Vec<u8>,
    /// MQMD or MQPD.
    pub descriptor: Vec<u8>,
    /// MQPMO, MQGMO or MQIMPO.
    pub options: Vec<u8>,
    /// The numbers of MQINQ.
    pub numbers: Vec<i32>,
    /// The data that MQGET gives, the texts of MQINQ, the user data of MQSUB, or the value of MQINQMP.
    pub data: Vec<u8>,
}

impl MessageAnswer {
    /// A call that has failed (MQCC-FAILED).
    #[must_use]
    pub fn failed(reason: i32) -> Self {
        Self { completion: 2, reason, ..Self::default() }
    }
}

impl MessageAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            MessageAsk::Connect { manager } => {
                to.push(b'N');
                to.extend(manager);
            }
            MessageAsk::Disconnect => to.push(b'D'),
            MessageAsk::Open { object, options } => {
                to.push(b'O');
                object.encode(to);
                to.extend(options.to_le_bytes());
            }
            MessageAsk::Close { handle, options } => {
                to.push(b'C');
                to.extend(handle.to_le_bytes());
                to.extend(options.to_le_bytes());
            }
            MessageAsk::Put { handle, message } => {
                to.push(b'P');
                to.extend(handle.to_le_bytes());
                message.encode(to);
            }
            MessageAsk::PutOne { object, message } => {
                to.push(b'1');
                object.encode(to);
                message.encode(to);
            }
            MessageAsk::Get { handle, descriptor, options, room } => {
                to.push(b'G');
                to.extend(handle.to_le_bytes());
                put_bytes(to, descriptor);
                put_bytes(to, options);
                to.extend(room.to_le_bytes());
            }
            MessageAsk::Inquire { handle, selectors, numbers, text_bytes } => {
                to.push(b'I');
                to.extend(handle.to_le_bytes());
                put_numbers(to, selectors);
                to.extend(numbers.to_le_bytes());
                to.extend(text_bytes.to_le_bytes());
            }
            MessageAsk::Set { handle, selectors, numbers, text } => {
                to.push(b'S');
                to.extend(handle.to_le_bytes());
                put_numbers(to, selectors);
                put_numbers(to, numbers);
                put_bytes(to, text);
            }
            MessageAsk::Subscribe { subscription, queue } => {
                to.push(b'U');
                subscription.encode(to);
                to.extend(queue.to_le_bytes());
            }
            MessageAsk::Request { handle, action, options } => {
                to.push(b'Q');
                to.extend(handle.to_le_bytes());
                to.extend(action.to_le_bytes());
                put_bytes(to, options);
            }
            MessageAsk::Commit => to.push(b'M'),
            MessageAsk::BackOut => to.push(b'B'),
            of_handle => of_handle.encode_of_handle(to),
        }
    }

    /// Writes a call for a message handle; nothing for other calls.
    fn encode_of_handle(&self, to: &mut Vec<u8>) {
        match self {
            MessageAsk::CreateHandle { options } => {
                to.push(b'H');
                put_bytes(to, options);
            }
            MessageAsk::DeleteHandle { handle, options } => {
                to.push(b'h');
                to.extend(handle.to_le_bytes());
                put_bytes(to, options);
            }
            MessageAsk::SetProperty { handle, property, kind, value } => {
                to.push(b's');
                to.extend(handle.to_le_bytes());
                property.encode(to);
                to.extend(kind.to_le_bytes());
                put_bytes(to, value);
            }
            MessageAsk::InquireProperty { handle, property, kind, room } => {
                to.push(b'i');
                to.extend(handle.to_le_bytes());
                property.encode(to);
                to.extend(kind.to_le_bytes());
                to.extend(room.to_le_bytes());
            }
            MessageAsk::DeleteProperty { handle, property } => {
                to.push(b'd');
                to.extend(handle.to_le_bytes());
                property.encode(to);
            }
            _ => {}
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'N' => Ok(MessageAsk::Connect { manager: from.array()? }),
            b'D' => Ok(MessageAsk::Disconnect),
            b'O' => Ok(MessageAsk::Open { object: ObjectAsk::decode(from)?, options: number(from)? }),
            b'C' => Ok(MessageAsk::Close { handle: number(from)?, options: number(from)? }),
            b'P' => Ok(MessageAsk::Put { handle: number(from)?, message: Outgoing::decode(from)? }),
            b'1' => {
                Ok(MessageAsk::PutOne { object: ObjectAsk::decode(from)?, message: Outgoing::decode(from)? })
            }
            b'G' => Ok(MessageAsk::Get {
                handle: number(from)?,
                descriptor: from.bytes()?,
                options: from.bytes()?,
                room: from.u32()?,
            }),
            b'I' => Ok(MessageAsk::Inquire {
                handle: number(from)?,
                selectors: take_numbers(from)?,
                numbers: from.u32()?,
                text_bytes: from.u32()?,
            }),
            b'S' => Ok(MessageAsk::Set {
                handle: number(from)?,
                selectors: take_numbers(from)?,
                numbers: take_numbers(from)?,
                text: from.bytes()?,
            }),
            b'U' => Ok(MessageAsk::Subscribe {
                subscription: Box::new(SubscribeAsk::decode(from)?),
                queue: number(from)?,
            }),
            b'Q' => Ok(MessageAsk::Request {
                handle: number(from)?,
                action: number(from)?,
                options: from.bytes()?,
            }),
            b'H' => Ok(MessageAsk::CreateHandle { options: from.bytes()? }),
            b'h' => Ok(MessageAsk::DeleteHandle { handle: long(from)?, options: from.bytes()? }),
            b's' => Ok(MessageAsk::SetProperty {
                handle: long(from)?,
                property: Box::new(PropertyAsk::decode(from)?),
                kind: number(from)?,
                value: from.bytes()?,
            }),
            b'i' => Ok(MessageAsk::InquireProperty {
                handle: long(from)?,
                property: Box::new(PropertyAsk::decode(from)?),
                kind: number(from)?,
                room: from.u32()?,
            }),
            b'd' => Ok(MessageAsk::DeleteProperty {
                handle: long(from)?,
                property: Box::new(PropertyAsk::decode(from)?),
            }),
            b'M' => Ok(MessageAsk::Commit),
            b'B' => Ok(MessageAsk::BackOut),
            _ => Err(BadMessage("expected a call of the MQI")),
        }
    }
}

impl From<Vec<u8>> for ObjectAsk {
    /// An object without an ObjectString.
    fn from(descriptor: Vec<u8>) -> Self {
        Self { descriptor, string: Vec::new() }
    }
}

impl ObjectAsk {
    fn encode(&self, to: &mut Vec<u8>) {
        put_bytes(to, &self.descriptor);
        put_bytes(to, &self.string);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Self { descriptor: from.bytes()?, string: from.bytes()? })
    }
}

impl SubscribeAsk {
    fn encode(&self, to: &mut Vec<u8>) {
        for part in [&self.descriptor, &self.string, &self.name, &self.user_data] {
            put_bytes(to, part);
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Self {
            descriptor: from.bytes()?,
            string: from.bytes()?,
            name: from.bytes()?,
            user_data: from.bytes()?,
        })
    }
}

impl PropertyAsk {
    fn encode(&self, to: &mut Vec<u8>) {
        put_bytes(to, &self.options);
        put_bytes(to, &self.name);
        to.extend(self.name_ccsid.to_le_bytes());
        put_bytes(to, &self.descriptor);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Self {
            options: from.bytes()?,
            name: from.bytes()?,
            name_ccsid: number(from)?,
            descriptor: from.bytes()?,
        })
    }
}

impl Outgoing {
    fn encode(&self, to: &mut Vec<u8>) {
        for part in [&self.descriptor, &self.options, &self.data] {
            put_bytes(to, part);
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Outgoing { descriptor: from.bytes()?, options: from.bytes()?, data: from.bytes()? })
    }
}

impl MessageAnswer {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        for number in [self.completion, self.reason, self.handle, self.queue, self.kind] {
            to.extend(number.to_le_bytes());
        }
        to.extend(self.length.to_le_bytes());
        for part in [&self.object, &self.string, &self.descriptor, &self.options, &self.data] {
            put_bytes(to, part);
        }
        put_numbers(to, &self.numbers);
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(MessageAnswer {
            completion: number(from)?,
            reason: number(from)?,
            handle: number(from)?,
            queue: number(from)?,
            kind: number(from)?,
            length: from.u32()?,
            object: from.bytes()?,
            string: from.bytes()?,
            descriptor: from.bytes()?,
            options: from.bytes()?,
            data: from.bytes()?,
            numbers: take_numbers(from)?,
        })
    }
}

fn number(from: &mut Reader<'_>) -> Result<i32, BadMessage> {
    Ok(i32::from_le_bytes(from.array()?))
}

fn long(from: &mut Reader<'_>) -> Result<i64, BadMessage> {
    Ok(i64::from_le_bytes(from.array()?))
}

fn put_numbers(to: &mut Vec<u8>, numbers: &[i32]) {
    to.extend((numbers.len() as u32).to_le_bytes());
    numbers.iter().for_each(|number| to.extend(number.to_le_bytes()));
}

fn take_numbers(from: &mut Reader<'_>) -> Result<Vec<i32>, BadMessage> {
    // A number that is not there ends it, so that the count alone makes nothing grow.
    (0..from.u32()?).map(|_| number(from)).collect()
}
