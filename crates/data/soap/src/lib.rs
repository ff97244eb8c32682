//! SOAP 1.1 and 1.2: envelopes in and out, header blocks, faults, WS-Addressing, and the operations of a web
//! service.
//!
//! The crate does no IO and knows no clock. Its front cares for HTTP, callers and service providers.
//!
//! # The data path
//!
//! [`text`] decodes a message by the charset of its content type ([`ContentType`]). [`read`] reads the
//! envelope with a cursor of the crate `xml`, up to the element in the body: version, header blocks,
//! WS-Addressing, a UsernameToken. [`WebService::operation`] finds the operation of that element.
//! [`Operation::payload`] goes on with the same cursor: `record::Bind::fill_element` writes the values to
//! their places, and [`finish`] reads the rest of the envelope. A message is therefore read only once.
//! [`Operation::answer`] writes the envelope of an answer around the element that `Bind` writes.
//!
//! Programs of a pipeline see a message as its [`Parts`]. [`close`] writes a message from the parts that they
//! have left. [`program_fault`] writes the fault of EXEC CICS SOAPFAULT.
//!
//! Messages also go the other way, to other servers. [`RemoteOperation`] writes the envelope of a request,
//! and reads the answer in one pass into its record. [`RemoteFault`] is a fault of such a server.
//!
//! A message may be a MIME package with binary values as parts (MTOM). [`Package`] turns it into one text,
//! and [`pack`] writes one.
//!
//! # Faults
//!
//! A [`Trouble`] is a failure with its place in the message. [`Trouble::fault`] writes it as a fault of the
//! request's version, if [`Heard`] knows that version. Its table:
//!
//! | trouble | SOAP 1.1 | SOAP 1.2 |
//! | --- | --- | --- |
//! | the message is wrong | Client, 500 | Sender, 400 |
//! | another envelope | VersionMismatch, 500, with `Upgrade` | the same |
//! | a block that must be understood | MustUnderstand, 500 | the same, with `NotUnderstood` |
//! | an encoding style | Client, 500 | DataEncodingUnknown, 500 |
//! | the service failed | Server, 500 | Receiver, 500 |
//! | what HTTP refuses: 401, 403, 404, 405, 408, 413, 415, 429 | Client, the same status | Sender, the same status |
//!
//! Deliberately absent: RPC encoded messages, attachments without a reference in the envelope, signatures and
//! encryption of XML.

mod addressing;
mod charset;
mod content_type;
mod envelope;
mod fault;
mod mtom;
mod parts;
mod program_fault;
mod remote;
mod side;
mod token;
mod trouble;
mod version;
mod web_service;
mod wsdl;

pub use addressing::{ADDRESS_BYTES_MAX, NAMESPACE as ADDRESSING, Reply, Target, default_action};
pub use charset::text;
pub use content_type::{ContentType, soap_action};
pub use envelope::{Expected, HEADER_BLOCKS_MAX, Heard, Message, finish, read};
pub use fault::{FAULT_BLOCKS_BYTES_MAX, FAULT_DETAIL_BYTES_MAX, FAULT_NAMESPACE, FaultContext, FaultStyle};
pub use mtom::{
    MTOM_PART_BYTES_MAX, MTOM_PART_HEADER_BYTES_MAX, MTOM_PART_HEADERS_MAX, MTOM_PARTS_MAX, Mtom, Package,
    Packed, Packing, SendMtom, XOP_LEAST_BYTES, pack,
};
pub use parts::{Block, Parts, close, close_around, fault_status, header_names, is_fault};
pub use program_fault::program_fault;
pub use remote::{FAULT_WORDS_BYTES_MAX, RemoteFault, RemoteOperation, Unanswered};
pub use side::{Given, Side};
pub use token::{TOKEN_BYTES_MAX, Token};
pub use trouble::{AddressingFault, FaultCode, Name, Place, TokenFault, Trouble};
pub use version::{Version, Versions};
pub use web_service::{Operation, WebService, cursor};
pub use wsdl::{ADDRESS, Wsdl};
pub use xml::Encoding as TextEncoding;
