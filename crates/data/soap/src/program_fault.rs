//! Writes the fault that a program has made with EXEC CICS SOAPFAULT.

use service::{SoapFault, SoapFaultCode};
use xml::Cursor;

use crate::version::Version;

/// The HTTP status of a program's fault, and the element `Body` with the fault. The element fits
/// into an envelope with the prefix `SOAP-ENV`.
#[must_use]
pub fn program_fault(version: Version, fault: &SoapFault) -> (u16, String) {
    let mut out = String::from("<SOAP-ENV:Body><SOAP-ENV:Fault>");
    match version {
        Version::Soap11 => fault_11(fault, &mut out),
        Version::Soap12 => fault_12(fault, &mut out),
    }
    out.push_str("</SOAP-ENV:Fault></SOAP-ENV:Body>");
    let status = match (version, &fault.code) {
        (Version::Soap12, SoapFaultCode::Client) => 400,
        _ => 500,
    };
    (status, out)
}

fn fault_11(fault: &SoapFault, out: &mut String) {
    match &fault.code {
        SoapFaultCode::Client => element("faultcode", "SOAP-ENV:Client", out),
        SoapFaultCode::Server => element("faultcode", "SOAP-ENV:Server", out),
        SoapFaultCode::Other(code) => element("faultcode", code, out),
    }
    let reason = fault.reasons.first().map_or("", |(_, reason)| reason.as_str());
    element("faultstring", reason, out);
    if let Some(actor) = &fault.role {
        element("faultactor", actor, out);
    }
    detail("detail", fault, out);
}

fn fault_12(fault: &SoapFault, out: &mut String) {
    let (word, own) = match &fault.code {
        SoapFaultCode::Client => ("SOAP-ENV:Sender", None),
        SoapFaultCode::Server => ("SOAP-ENV:Receiver", None),
        // SOAP 1.2 has only its own codes. Other codes become subcodes.
        SoapFaultCode::Other(code) => ("SOAP-ENV:Receiver", Some(code)),
    };
    out.push_str("<SOAP-ENV:Code>");
    element("SOAP-ENV:Value", word, out);
    let subcodes: Vec<&String> = own.into_iter().chain(&fault.subcodes).collect();
    for subcode in &subcodes {
        out.push_str("<SOAP-ENV:Subcode>");
        element("SOAP-ENV:Value", subcode, out);
    }
    subcodes.iter().for_each(|_| out.push_str("</SOAP-ENV:Subcode>"));
    out.push_str("</SOAP-ENV:Code><SOAP-ENV:Reason>");
    for (language, reason) in &fault.reasons {
        out.push_str("<SOAP-ENV:Text xml:lang=\"");
        xml::write_attribute(&allowed(language), out);
        out.push_str("\">");
        text(reason, out);
        out.push_str("</SOAP-ENV:Text>");
    }
    out.push_str("</SOAP-ENV:Reason>");
    if let Some(role) = &fault.role {
        element("SOAP-ENV:Role", role, out);
    }
    detail("SOAP-ENV:Detail", fault, out);
}

/// The detail: elements as the program wrote them, or their text if they cannot be read.
fn detail(name: &str, fault: &SoapFault, out: &mut String) {
    let Some(detail) = &fault.detail else { return };
    let whole = format!("<{name} xmlns:SOAP-ENV=\"urn:x\">{detail}</{name}>");
    let read = |mut cursor: Cursor<'_>| -> Result<(), xml::Error> {
        cursor.root()?;
        cursor.skip()?;
        cursor.end()
    };
    match Cursor::new(&whole, xml::Encoding::Utf8).and_then(read) {
        Ok(()) => out.push_str(&format!("<{name}>{detail}</{name}>")),
        Err(_) => element(name, detail, out),
    }
}

fn element(name: &str, content: &str, out: &mut String) {
    out.push_str(&format!("<{name}>"));
    text(content, out);
    out.push_str(&format!("</{name}>"));
}

fn text(content: &str, out: &mut String) {
    let mut bytes = Vec::with_capacity(content.len());
    if xml::write_text(&allowed(content), &mut bytes).is_ok() {
        out.push_str(&String::from_utf8_lossy(&bytes));
    }
}

/// A text with a question mark for each character that XML does not allow.
fn allowed(content: &str) -> String {
    content.chars().map(|character| if xml::is_allowed(character) { character } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::close;

    fn fault(code: SoapFaultCode, detail: Option<&str>) -> SoapFault {
        SoapFault {
            code,
            reasons: vec![
                ("en".to_owned(), "No <such> item\u{1}".to_owned()),
                ("de".to_owned(), "Nichts".to_owned()),
            ],
            role: Some("urn:r".to_owned()),
            detail: detail.map(str::to_owned),
            subcodes: vec!["a:b".to_owned()],
        }
    }

    #[test]
    fn each_version_has_its_own_words() {
        let (status, body) = program_fault(Version::Soap11, &fault(SoapFaultCode::Client, Some("<x>1</x>")));
        assert_eq!(status, 500);
        assert_eq!(
            body,
            "<SOAP-ENV:Body><SOAP-ENV:Fault><faultcode>SOAP-ENV:Client</faultcode>\
             <faultstring>No &lt;such&gt; item?</faultstring><faultactor>urn:r</faultactor>\
             <detail><x>1</x></detail></SOAP-ENV:Fault></SOAP-ENV:Body>"
        );
        let (status, body) = program_fault(Version::Soap12, &fault(SoapFaultCode::Client, None));
        assert_eq!(status, 400);
        assert!(
            body.contains(
                "<SOAP-ENV:Value>SOAP-ENV:Sender</SOAP-ENV:Value><SOAP-ENV:Subcode><SOAP-ENV:Value>a:b"
            ),
            "{body}"
        );
        assert!(body.contains("<SOAP-ENV:Text xml:lang=\"de\">Nichts</SOAP-ENV:Text>"), "{body}");
        let (status, body) =
            program_fault(Version::Soap12, &fault(SoapFaultCode::Other("x:y".to_owned()), None));
        assert_eq!(status, 500);
        assert!(
            body.contains("SOAP-ENV:Receiver</SOAP-ENV:Value><SOAP-ENV:Subcode><SOAP-ENV:Value>x:y"),
            "{body}"
        );
    }

    #[test]
    fn whatever_a_program_writes_the_envelope_can_be_read() {
        for detail in
            [None, Some(""), Some("<x/>"), Some("<x>"), Some("a & b"), Some("</detail><y/>"), Some("<p:x/>")]
        {
            for version in [Version::Soap11, Version::Soap12] {
                for code in
                    [SoapFaultCode::Client, SoapFaultCode::Server, SoapFaultCode::Other("<".to_owned())]
                {
                    let (_, body) = program_fault(version, &fault(code, detail));
                    close(version, ("", ""), &body).unwrap_or_else(|trouble| panic!("{body}: {trouble:?}"));
                }
            }
        }
    }
}
