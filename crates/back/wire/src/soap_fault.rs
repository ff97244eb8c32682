//! The fault with which a program answers a SOAP request (EXEC CICS SOAPFAULT). It is a container that goes
//! back with the channel, to the code that writes the answer.

use service::{SoapFault, SoapFaultCode};

use super::bytes::{Reader, put_bytes};
use super::{BadMessage, Container, Name, name};

/// The container's name, which no program of a mainframe uses: names that begin with DFH are IBM's.
const CONTAINER: &str = "DFH-SOAPFAULT";

/// The name of the container.
#[must_use]
pub fn container_name() -> Name<16> {
    name(CONTAINER)
}

/// Takes the fault out of a task's answer; none if the answer has none.
///
/// # Errors
/// The container is not as a worker writes it.
pub fn take(containers: &mut Vec<Container>) -> Result<Option<SoapFault>, BadMessage> {
    let found = containers.iter().position(|container| container.name == container_name());
    found.map(|at| decode(&containers.remove(at).bytes)).transpose()
}

/// The container of a fault.
#[must_use]
pub fn container(fault: &SoapFault) -> Container {
    Container { name: container_name(), ccsid: None, bytes: encode(fault) }
}

/// The fault as the content of its container.
#[must_use]
pub fn encode(fault: &SoapFault) -> Vec<u8> {
    let (number, own) = match &fault.code {
        SoapFaultCode::Client => (0, ""),
        SoapFaultCode::Server => (1, ""),
        SoapFaultCode::Other(own) => (2, own.as_str()),
    };
    let mut to = vec![number];
    put_bytes(&mut to, own.as_bytes());
    to.extend((fault.reasons.len() as u32).to_le_bytes());
    for (language, text) in &fault.reasons {
        put_bytes(&mut to, language.as_bytes());
        put_bytes(&mut to, text.as_bytes());
    }
    for optional in [&fault.role, &fault.detail] {
        to.push(u8::from(optional.is_some()));
        put_bytes(&mut to, optional.as_deref().unwrap_or_default().as_bytes());
    }
    to.extend((fault.subcodes.len() as u32).to_le_bytes());
    for subcode in &fault.subcodes {
        put_bytes(&mut to, subcode.as_bytes());
    }
    to
}

/// The fault in the content of a container.
///
/// # Errors
/// The bytes are none.
pub fn decode(bytes: &[u8]) -> Result<SoapFault, BadMessage> {
    let mut from = Reader(bytes);
    let number = from.byte()?;
    let own = text(&mut from)?;
    let code = match (number, own.is_empty()) {
        (0, true) => SoapFaultCode::Client,
        (1, true) => SoapFaultCode::Server,
        (2, _) => SoapFaultCode::Other(own),
        _ => return Err(BadMessage("expected the code of a SOAP fault")),
    };
    let count = from.u32()?;
    // Not made in advance: a count is believed as far as there are bytes.
    let reasons = (0..count).map(|_| Ok((text(&mut from)?, text(&mut from)?)));
    let reasons = reasons.collect::<Result<_, _>>()?;
    let role = optional(&mut from)?;
    let detail = optional(&mut from)?;
    let count = from.u32()?;
    let subcodes = (0..count).map(|_| text(&mut from)).collect::<Result<_, _>>()?;
    from.end(SoapFault { code, reasons, role, detail, subcodes })
}

fn text(from: &mut Reader<'_>) -> Result<String, BadMessage> {
    String::from_utf8(from.bytes()?).map_err(|_| BadMessage("expected text in UTF-8"))
}

fn optional(from: &mut Reader<'_>) -> Result<Option<String>, BadMessage> {
    match (from.flag()?, text(from)?) {
        (true, text) => Ok(Some(text)),
        (false, text) if text.is_empty() => Ok(None),
        _ => Err(BadMessage("expected nothing in place of what is missing")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(
            (number, own) in (0_u8..3, ".{0,9}"),
            reasons in vec(("[a-z]{2}", ".{0,9}"), 0..3),
            (role, detail) in (option::of(".{0,9}"), option::of(".{0,9}")),
            subcodes in vec(".{0,9}", 0..3),
        ) {
            let code = match number {
                0 => SoapFaultCode::Client,
                1 => SoapFaultCode::Server,
                _ => SoapFaultCode::Other(own),
            };
            let fault = SoapFault { code, reasons, role, detail, subcodes };
            let bytes = encode(&fault);
            prop_assert_eq!(decode(&bytes), Ok(fault));
            prop_assert!(decode(&bytes[..bytes.len() - 1]).is_err());
        }

        #[test]
        fn any_bytes_are_a_fault_or_none(bytes in vec(any::<u8>(), 0..60)) {
            if let Ok(fault) = decode(&bytes) {
                prop_assert_eq!(encode(&fault), bytes);
            }
        }
    }
}
