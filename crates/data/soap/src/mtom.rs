//! MTOM: messages whose binary values stand beside the envelope, as parts of a MIME package (XOP).
//!
//! [`Package`] is the content type of such a message. [`Package::message`] takes the parts apart and puts each value into the envelope
//! as base64, so all that follows reads a message as it reads others. [`pack`] is the way out: it takes values out of an
//! envelope and writes the package.
//!
//! W3C: "SOAP Message Transmission Optimization Mechanism" and "XML-binary Optimized Packaging", both of 2005; RFC 2387 and 2046 for the
//! packages, RFC 2392 for `cid:`. Deliberately absent: attachments that the envelope does not refer to, and parts elsewhere.

mod include;
mod pack;
mod package;
mod parameters;
mod parts;

pub use pack::{Packed, Packing, XOP_LEAST_BYTES, pack};
pub use package::Package;
pub use parts::{MTOM_PART_BYTES_MAX, MTOM_PART_HEADER_BYTES_MAX, MTOM_PART_HEADERS_MAX, MTOM_PARTS_MAX};

/// The namespace of `xop:Include`.
const XOP: &str = "http://www.w3.org/2004/08/xop/include";

/// The media type of the envelope in a package.
const XOP_TYPE: &str = "application/xop+xml";

/// The domain of content ids where the pipeline file does not name one.
const CONTENT_ID_DOMAIN: &str = "cicsts";

/// What a web service or a requester says of MTOM: `cics_mtom_handler` of a pipeline file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mtom {
    /// When messages are sent as packages.
    pub send: SendMtom,
    /// A message without parts is sent as a package too.
    pub send_without_parts: bool,
    /// What stands behind the `@` of content ids.
    pub content_id_domain: String,
}

impl Default for Mtom {
    fn default() -> Self {
        let content_id_domain = CONTENT_ID_DOMAIN.to_owned();
        Self { send: SendMtom::default(), send_without_parts: true, content_id_domain }
    }
}

/// When a message is sent as an MTOM message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SendMtom {
    /// Never.
    No,
    /// Always.
    Yes,
    /// An answer if its request was one; every request.
    #[default]
    Same,
}

impl Mtom {
    /// True if the answer to a message is sent as a package.
    #[must_use]
    pub fn answers(&self, asked_so: bool) -> bool {
        match self.send {
            SendMtom::No => false,
            SendMtom::Yes => true,
            SendMtom::Same => asked_so,
        }
    }

    /// True if requests are sent as packages.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.send != SendMtom::No
    }
}
