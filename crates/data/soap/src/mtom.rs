//! MTOM: messages with binary values beside the envelope, as parts of a MIME package (XOP).
//!
//! [`Package`] is the content type of such a message. [`Package::message`] separates the parts and puts each
//! value into the envelope as base64. The later steps then read it like any other message. [`pack`] does the
//! opposite: it takes values out of an envelope and writes the package.
//!
//! W3C: "SOAP Message Transmission Optimization Mechanism" and "XML-binary Optimized Packaging", both of
//! 2005; RFC 2387 and 2046 for the packages, RFC 2392 for `cid:`. Deliberately absent: attachments without a
//! reference in the envelope, and parts in other places.

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

/// The domain of content ids, if the pipeline file names none.
const CONTENT_ID_DOMAIN: &str = "cicsts";

/// The MTOM settings of a web service or a requester: `cics_mtom_handler` of a pipeline file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mtom {
    /// When messages are sent as packages.
    pub send: SendMtom,
    /// True if a message without parts is a package, too.
    pub send_without_parts: bool,
    /// The text behind the `@` of content ids.
    pub content_id_domain: String,
}

impl Default for Mtom {
    fn default() -> Self {
        let content_id_domain = CONTENT_ID_DOMAIN.to_owned();
        Self { send: SendMtom::default(), send_without_parts: true, content_id_domain }
    }
}

/// When messages are sent as MTOM packages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SendMtom {
    /// Never.
    No,
    /// Always.
    Yes,
    /// For an answer, if its request was a package; for requests, always.
    #[default]
    Same,
}

impl Mtom {
    /// True if the answer is sent as a package. `asked_so` says that the request was one.
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
