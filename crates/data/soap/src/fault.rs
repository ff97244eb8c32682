//! Writes a fault: an envelope of the request's version.

use std::fmt::Write;

use failure::Code;

use crate::addressing::{self, Reply};
use crate::trouble::{FaultCode, Name, Subcodes, Trouble};
use crate::version::{NAMESPACE_12, TAIL, Version, Versions};

/// The most bytes of text in the detail of a fault, without tags and escapes.
pub const FAULT_DETAIL_BYTES_MAX: usize = 4_096;

/// The most bytes of the header blocks `NotUnderstood` in a fault. Further blocks are left out, and the reason
/// names them all.
pub const FAULT_BLOCKS_BYTES_MAX: usize = 16_384;

/// The namespace of the element in `detail`.
pub const FAULT_NAMESPACE: &str = "urn:gantry:fault";

/// The namespace of CICS's element in `detail`.
const CICS_FAULT_NAMESPACE: &str = "http://www.ibm.com/software/htp/cics/WSFault";

/// The style of faults for values that could not be converted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultStyle {
    /// The sender gets the blame for a wrong value.
    #[default]
    Gantry,
    /// The style of CICS: the server failed, and `detail` has a `CICSFault` with the message
    /// DFHPI1008 or DFHPI1009.
    Cics,
}

/// The circumstances of a fault.
#[derive(Clone, Copy, Debug)]
pub struct FaultContext<'f> {
    /// The version of the answer.
    pub version: Version,
    /// The versions of the web service, for the header block `Upgrade`.
    pub versions: Versions,
    /// The style of its words.
    pub style: FaultStyle,
    /// The name of the web service.
    pub service: &'f str,
    /// The id of the request, which leads to the log.
    pub id: &'f str,
    /// The addressing of the request, if it has one.
    pub reply: Option<&'f Reply>,
}

impl Trouble {
    /// The code in the fault. In the style of CICS, the server takes the blame for values that it
    /// cannot convert.
    fn code(&self, style: FaultStyle) -> FaultCode {
        if style == FaultStyle::Cics && self.is_conversion() { FaultCode::Receiver } else { self.fault }
    }

    /// The HTTP status and the envelope of the fault.
    #[must_use]
    pub fn fault(&self, context: &FaultContext<'_>) -> (u16, Vec<u8>) {
        let FaultContext { version, style, .. } = *context;
        let code = self.code(style);
        let status = if code == self.fault { self.status(version) } else { 500 };
        let mut out = String::with_capacity(1024);
        let _ = write!(out, "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{}\">", version.namespace());
        self.header(context, &mut out);
        out.push_str("<SOAP-ENV:Body>");
        match version {
            Version::Soap11 => self.fault_11(code, context, &mut out),
            Version::Soap12 => self.fault_12(code, context, &mut out),
        }
        out.push_str(TAIL);
        (status, out.into_bytes())
    }

    fn header(&self, context: &FaultContext<'_>, out: &mut String) {
        let start = out.len();
        out.push_str("<SOAP-ENV:Header>");
        let empty = out.len();
        if self.fault == FaultCode::VersionMismatch {
            // Appendix A of SOAP 1.2 requires this block for clients of both versions.
            let _ = write!(out, "<upg:Upgrade xmlns:upg=\"{NAMESPACE_12}\">");
            for version in context.versions.iter() {
                let namespace = version.namespace();
                let _ =
                    write!(out, "<upg:SupportedEnvelope qname=\"env:Envelope\" xmlns:env=\"{namespace}\"/>");
            }
            out.push_str("</upg:Upgrade>");
        }
        if context.version == Version::Soap12 {
            self.not_understood_blocks(out);
        }
        if let Some(reply) = context.reply {
            let action = match self.addressing {
                Some(_) => addressing::FAULT_ACTION,
                None => addressing::SOAP_FAULT_ACTION,
            };
            reply.write(action, out);
        }
        if out.len() == empty {
            out.truncate(start);
        } else {
            out.push_str("</SOAP-ENV:Header>");
        }
    }

    /// The header blocks that are not understood, as far as they have room.
    fn not_understood_blocks(&self, out: &mut String) {
        let start = out.len();
        for Name { namespace, local } in &self.not_understood {
            let before = out.len();
            out.push_str("<SOAP-ENV:NotUnderstood qname=\"");
            out.push_str(if namespace.is_empty() { "" } else { "nu:" });
            attribute(local, out);
            if !namespace.is_empty() {
                out.push_str("\" xmlns:nu=\"");
                attribute(namespace, out);
            }
            out.push_str("\"/>");
            // A message has a long namespace once, and here each block has it.
            if out.len() - start > FAULT_BLOCKS_BYTES_MAX {
                return out.truncate(before);
            }
        }
    }

    fn fault_11(&self, code: FaultCode, context: &FaultContext<'_>, out: &mut String) {
        // The children of the fault are in no namespace.
        match self.subcodes() {
            Some(Subcodes { prefix, namespace, outer, .. }) => {
                let _ = write!(
                    out,
                    "<SOAP-ENV:Fault xmlns:{prefix}=\"{namespace}\"><faultcode>{prefix}:{outer}</faultcode>"
                );
            }
            None => {
                let word = code.word(Version::Soap11);
                let _ = write!(out, "<SOAP-ENV:Fault><faultcode>SOAP-ENV:{word}</faultcode>");
            }
        }
        out.push_str("<faultstring>");
        text(&self.reason(), usize::MAX, out);
        out.push_str("</faultstring>");
        // Faults about header blocks have no detail (section 4.4).
        if self.has_detail() {
            out.push_str("<detail>");
            self.detail(context, out);
            out.push_str("</detail>");
        }
        out.push_str("</SOAP-ENV:Fault>");
    }

    fn fault_12(&self, code: FaultCode, context: &FaultContext<'_>, out: &mut String) {
        let word = code.word(Version::Soap12);
        let _ =
            write!(out, "<SOAP-ENV:Fault><SOAP-ENV:Code><SOAP-ENV:Value>SOAP-ENV:{word}</SOAP-ENV:Value>");
        if let Some(Subcodes { prefix, namespace, outer, inner }) = self.subcodes() {
            let value = |name: &str| {
                format!("<SOAP-ENV:Value xmlns:{prefix}=\"{namespace}\">{prefix}:{name}</SOAP-ENV:Value>")
            };
            let _ = write!(out, "<SOAP-ENV:Subcode>{}", value(outer));
            if let Some(inner) = inner {
                let _ = write!(out, "<SOAP-ENV:Subcode>{}</SOAP-ENV:Subcode>", value(inner));
            }
            out.push_str("</SOAP-ENV:Subcode>");
        }
        out.push_str("</SOAP-ENV:Code><SOAP-ENV:Reason><SOAP-ENV:Text xml:lang=\"en\">");
        text(&self.reason(), usize::MAX, out);
        out.push_str("</SOAP-ENV:Text></SOAP-ENV:Reason>");
        if self.has_detail() {
            out.push_str("<SOAP-ENV:Detail>");
            self.detail(context, out);
            out.push_str("</SOAP-ENV:Detail>");
        }
        out.push_str("</SOAP-ENV:Fault>");
    }

    /// The sentence for people. For values and operations it has the words of CICS, because clients
    /// look for them.
    fn reason(&self) -> String {
        let code = self.failure.code;
        match code {
            Code::BadRecord => "Conversion to SOAP failed".to_owned(),
            _ if self.is_conversion() => "Conversion from SOAP failed".to_owned(),
            Code::UnknownSoapOperation => "Operation not part of web service".to_owned(),
            _ if self.has_detail() => code.text().to_owned(),
            // Without a detail, this sentence must say everything.
            _ => match &self.failure.details {
                Some(details) => format!("{}: {} {details}", code.as_str(), code.text()),
                None => format!("{}: {}", code.as_str(), code.text()),
            },
        }
    }

    fn has_detail(&self) -> bool {
        let of_header = matches!(self.fault, FaultCode::VersionMismatch | FaultCode::MustUnderstand);
        !of_header && self.addressing.is_none()
    }

    fn detail(&self, context: &FaultContext<'_>, out: &mut String) {
        if context.style == FaultStyle::Cics && self.is_conversion() {
            return self.cics_detail(context.service, out);
        }
        let (code, place) = (self.failure.code, &self.place);
        let mut left = FAULT_DETAIL_BYTES_MAX;
        let _ = write!(out, "<fault xmlns=\"{FAULT_NAMESPACE}\">");
        let mut element = |name: &str, value: &str| {
            if !value.is_empty() {
                let _ = write!(out, "<{name}>");
                left -= text(value, left, out);
                let _ = write!(out, "</{name}>");
            }
        };
        element("code", code.as_str());
        element("text", code.text());
        element("requestId", context.id);
        element("field", &place.field);
        if let Some((line, column)) = place.position {
            element("line", &line.to_string());
            element("column", &column.to_string());
        }
        element("condition", place.condition.unwrap_or_default());
        element("details", self.failure.details.as_deref().unwrap_or_default());
        out.push_str("</fault>");
    }

    /// The message in the form of CICS, without date, region and transaction.
    fn cics_detail(&self, service: &str, out: &mut String) {
        let (message, way) = match self.failure.code {
            Code::BadRecord => ("DFHPI1008", "Data to XML"),
            _ => ("DFHPI1009", "XML to data"),
        };
        let field = self.place.field.rsplit('.').next().unwrap_or_default();
        let line = format!(
            "{message} {way} transformation failed. A conversion error ({}) occurred when converting field {field} for \
             WEBSERVICE {service}.",
            self.place.condition.unwrap_or_default()
        );
        let _ = write!(out, "<CICSFault xmlns=\"{CICS_FAULT_NAMESPACE}\">");
        text(&line, FAULT_DETAIL_BYTES_MAX, out);
        out.push_str("</CICSFault>");
    }
}

/// Writes at most `max` bytes of a text, and gives their number. A question mark replaces
/// characters that XML does not allow.
pub(crate) fn text(written: &str, max: usize, out: &mut String) -> usize {
    let end = written.floor_char_boundary(max.min(written.len()));
    for character in written[..end].chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\r' => out.push_str("&#13;"),
            other => out.push(if xml::is_allowed(other) { other } else { '?' }),
        }
    }
    end
}

/// Writes a value in double quotes.
pub(crate) fn attribute(value: &str, out: &mut String) {
    let is_clean = value.chars().all(xml::is_allowed);
    if is_clean {
        xml::write_attribute(value, out);
    } else {
        let clean: String = value.chars().filter(|character| xml::is_allowed(*character)).collect();
        xml::write_attribute(&clean, out);
    }
}
