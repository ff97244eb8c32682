//! One side of an operation: turns a payload into an element, and back.

use std::sync::Arc;

use channel::Interface;
use record::Bind;
use service::{Channel, Payload};
use xml::{Cursor, Open};

use crate::envelope;
use crate::trouble::Trouble;
use crate::version::Version;

/// A record with its bind, or the layout of a message of a WSDL.
#[derive(Clone, Debug)]
pub enum Side {
    /// A record.
    Record(Arc<Bind>),
    /// A record whose message a WSDL describes.
    Message(Arc<Interface>),
    /// A record, and the further containers that it names.
    Channel(Arc<Interface>),
}

/// The payload of a message.
#[derive(Clone, Copy, Debug)]
pub enum Given<'p> {
    /// A record.
    Record(&'p [u8]),
    /// Containers.
    Channel(&'p Channel),
}

impl<'p> Given<'p> {
    /// Takes a payload.
    ///
    /// # Errors
    /// The payload is neither a record nor a channel.
    pub fn of(payload: &'p Payload) -> Result<Self, Trouble> {
        match payload {
            Payload::Record(record) => Ok(Given::Record(record)),
            Payload::Channel(channel) => Ok(Given::Channel(channel)),
            _ => Err(Trouble::unexpected("a record or a channel", "another payload")),
        }
    }
}

impl From<Arc<Bind>> for Side {
    fn from(bind: Arc<Bind>) -> Self {
        Side::Record(bind)
    }
}

impl Side {
    /// The payload of the open element. It reads the message to its end.
    ///
    /// # Errors
    /// The fault in the rest of the message.
    pub fn payload<'a>(
        &self,
        cursor: &mut Cursor<'a>,
        open: &Open<'a>,
        version: Version,
    ) -> Result<Payload, Trouble> {
        match self {
            Side::Record(bind) => {
                let mut record = Vec::with_capacity(bind.max_bytes());
                bind.start(&mut record);
                let filled = bind.fill_element(cursor, open, &mut record);
                filled.map_err(|error| Trouble::of_request(&error))?;
                envelope::finish(cursor, version)?;
                bind.finish(&mut record).map_err(|error| Trouble::of_request(&error))?;
                Ok(Payload::Record(record))
            }
            Side::Message(interface) => {
                let record = interface.record_of_element(cursor, open);
                let record = record.map_err(|error| Trouble::of_request_channel(&error))?;
                envelope::finish(cursor, version)?;
                Ok(Payload::Record(record))
            }
            Side::Channel(interface) => {
                let channel = interface.channel_of_element(cursor, open);
                let channel = channel.map_err(|error| Trouble::of_request_channel(&error))?;
                envelope::finish(cursor, version)?;
                Ok(Payload::Channel(channel))
            }
        }
    }

    /// Appends the element of a payload.
    ///
    /// # Errors
    /// The payload does not fit its description.
    pub fn write(&self, given: Given<'_>, out: &mut Vec<u8>) -> Result<(), Trouble> {
        match (self, given) {
            (Side::Record(bind), Given::Record(record)) => {
                bind.decode_xml(record, out).map_err(|error| Trouble::of_response(&error))
            }
            (Side::Message(interface), Given::Record(record)) => {
                interface.record_to_element(record, out).map_err(|error| Trouble::of_response_channel(&error))
            }
            (Side::Channel(interface), Given::Channel(channel)) => {
                interface.to_element(channel, out).map_err(|error| Trouble::of_response_channel(&error))
            }
            (Side::Record(_) | Side::Message(_), Given::Channel(_)) => {
                Err(Trouble::unexpected("a record", "a channel"))
            }
            (Side::Channel(_), Given::Record(_)) => Err(Trouble::unexpected("a channel", "a record")),
        }
    }

    /// The elements whose values may be parts of a package: their local names.
    #[must_use]
    pub fn base64_elements(&self) -> Vec<String> {
        match self {
            Side::Record(bind) => bind.base64_elements(),
            Side::Message(_) | Side::Channel(_) => Vec::new(),
        }
    }
}
