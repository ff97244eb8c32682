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
