//! MQGMO-CONVERT: the text of a message in the code page that the program asked for.

use codepage::{Converter, Encoding, Unmappable};
use message::{Ccsid, Format, Message, Reason};

/// Converts a message to a code page. What cannot be converted stays as it is, with a reason for a warning.
///
/// Source: IBM MQ, "MQGMO_CONVERT": text is converted, a body without a format is not.
#[must_use]
pub fn convert(message: &mut Message, to: Ccsid) -> Reason {
    let from = message.descriptor.ccsid;
    if from == to {
        return Reason::None;
    }
    match message.descriptor.format {
        Format::STRING => {}
        _ if message.body.is_empty() => return Reason::None,
        _ => return Reason::Format,
    }
    let encoding = |ccsid: Ccsid| u16::try_from(ccsid.0).ok().and_then(Encoding::by_ccsid);
    let Some(source) = encoding(from) else { return Reason::SourceCcsid };
    let Some(target) = encoding(to) else { return Reason::TargetCcsid };
    let mut converted = Vec::with_capacity(message.body.len());
    let done = Converter::new(source, target).convert(&message.body, Unmappable::Error, &mut converted);
    match done {
        Ok(_) => {
            message.body = converted;
            message.descriptor.ccsid = to;
            Reason::None
        }
        Err(_) => Reason::NotConverted,
    }
}

/// Makes the text of a SOAP message UTF-8, from the code page of the message and whatever charset its content type names: queue
/// managers convert text on its way and leave properties alone. True if it is text now. Bytes that are not said to be text, and
/// MIME packages, stay as they are.
///
/// # Errors
/// The text cannot be converted.
pub fn soap_to_utf8(message: &mut Message, content_type: Option<&str>) -> Result<bool, Reason> {
    if message.descriptor.format != Format::STRING || content_type.is_some_and(is_package) {
        return Ok(false);
    }
    match convert(message, Ccsid::UTF_8) {
        Reason::None => Ok(true),
        reason => Err(reason),
    }
}

/// True if a content type is that of a MIME package, whose parts may not be converted.
#[must_use]
pub fn is_package(content_type: &str) -> bool {
    content_type.starts_with("multipart/")
}

#[cfg(test)]
mod tests {
    use message::Descriptor;

    use super::*;

    fn message(format: Format, body: &[u8]) -> Message {
        let descriptor = Descriptor { format, ccsid: Ccsid::UTF_8, ..Descriptor::default() };
        Message { descriptor, body: body.to_vec(), ..Message::default() }
    }

    #[test]
    fn text_is_converted_and_the_rest_is_left_as_it_is() {
        let mut text = message(Format::STRING, "Zürich".as_bytes());
        assert_eq!(convert(&mut text, Ccsid(1252)), Reason::None);
        assert_eq!((text.body.as_slice(), text.descriptor.ccsid), (&b"Z\xfcrich"[..], Ccsid(1252)));

        let mut bytes = message(Format::NONE, b"\x00\x01");
        assert_eq!(convert(&mut bytes, Ccsid(1252)), Reason::Format);
        assert_eq!((bytes.body.as_slice(), bytes.descriptor.ccsid), (&b"\x00\x01"[..], Ccsid::UTF_8));
    }

    #[test]
    fn what_cannot_be_converted_has_a_reason() {
        let mut text = message(Format::STRING, "日本".as_bytes());
        assert_eq!(convert(&mut text, Ccsid(1252)), Reason::NotConverted);
        assert_eq!(text.body, "日本".as_bytes());
        assert_eq!(convert(&mut text, Ccsid(99_999)), Reason::TargetCcsid);
        text.descriptor.ccsid = Ccsid(99_999);
        assert_eq!(convert(&mut text, Ccsid(1252)), Reason::SourceCcsid);
    }
}
