//! MQGMO-CONVERT: the text of a message in the code page that the program asked for.

use codepage::{Converter, Encoding, Unmappable};
use message::{Ccsid, Format, Message, Reason};
use mqi::{DEAD_LETTER, DeadLetterHeader, Fields};

/// Converts a message to a code page. A message that cannot be converted stays as it is, with a reason for a
/// warning.
///
/// Source: IBM MQ, "MQGMO_CONVERT": text is converted, a body without a format is not.
#[must_use]
pub fn convert(message: &mut Message, to: Ccsid) -> Reason {
    let of = &mut message.descriptor;
    if of.format == Format::DEAD_LETTER {
        return convert_dead_letter((&mut of.ccsid, &mut message.body), to);
    }
    match converted(of.format, (&message.body, of.ccsid), to) {
        Ok(None) => Reason::None,
        Ok(Some(body)) => {
            (message.body, of.ccsid) = (body, to);
            Reason::None
        }
        Err(reason) => reason,
    }
}

/// A body in another code page; none if it stays as it is.
fn converted(format: Format, (body, from): (&[u8], Ccsid), to: Ccsid) -> Result<Option<Vec<u8>>, Reason> {
    if from == to {
        return Ok(None);
    }
    match format {
        Format::STRING => {}
        _ if body.is_empty() => return Ok(None),
        _ => return Err(Reason::Format),
    }
    let converter = converter(from, to)?;
    let mut converted = Vec::with_capacity(body.len());
    match converter.convert(body, Unmappable::Error, &mut converted) {
        Ok(_) => Ok(Some(converted)),
        Err(_) => Err(Reason::NotConverted),
    }
}

fn converter(from: Ccsid, to: Ccsid) -> Result<Converter, Reason> {
    let encoding = |ccsid: Ccsid| u16::try_from(ccsid.0).ok().and_then(Encoding::by_ccsid);
    let source = encoding(from).ok_or(Reason::SourceCcsid)?;
    let target = encoding(to).ok_or(Reason::TargetCcsid)?;
    Ok(Converter::new(source, target))
}

/// Converts MQDLH, and then the body that it describes. If only the body cannot be converted, it stays, and MQDLH goes on to
/// describe it.
fn convert_dead_letter((ccsid, whole): (&mut Ccsid, &mut Vec<u8>), to: Ccsid) -> Reason {
    let Some((own, body)) = whole.split_at_checked(DeadLetterHeader::BYTES) else { return Reason::Format };
    let (Ok(mut fields), Some(header)) = (Fields::read(&DEAD_LETTER, own), DeadLetterHeader::read(own))
    else {
        return Reason::Format;
    };
    if *ccsid != to {
        let converter = match converter(*ccsid, to) {
            Ok(converter) => converter,
            Err(reason) => return reason,
        };
        let text = |text: &[u8]| {
            let mut converted = Vec::with_capacity(text.len());
            converter.convert(text, Unmappable::Error, &mut converted).ok().map(|_| converted)
        };
        if !fields.change_texts(text) {
            return Reason::NotConverted;
        }
    }
    let from = Ccsid(header.ccsid.cast_unsigned());
    let (body, reason) = match converted(Format(header.format), (body, from), to) {
        Ok(None) => (body.to_vec(), Reason::None),
        Ok(Some(body)) => {
            fields.set_number("CODEDCHARSETID", i32::try_from(to.0).unwrap_or(header.ccsid));
            (body, Reason::None)
        }
        Err(reason) => (body.to_vec(), reason),
    };
    *ccsid = to;
    *whole = fields.into_bytes();
    whole.extend(body);
    reason
}

/// Makes the text of a SOAP message UTF-8, from the code page of the message, whatever charset its content
/// type names. Queue managers convert text on its way without changing properties. True if it is UTF-8 text
/// now. Bytes that are not text by their format, and MIME packages, stay as they are.
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
    let media_type = content_type.trim_start();
    media_type.split_once('/').is_some_and(|(kind, _)| kind.eq_ignore_ascii_case("multipart"))
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
    fn packages_are_left_as_they_are_whatever_their_case() {
        for (content_type, expected) in [
            ("multipart/related", true),
            (" Multipart/Related; a=b", true),
            ("text/xml", false),
            ("multipart", false),
        ] {
            assert_eq!(is_package(content_type), expected, "{content_type}");
        }
        let mut package = message(Format::STRING, b"\x4c");
        package.descriptor.ccsid = Ccsid(37);
        assert_eq!(soap_to_utf8(&mut package, Some("Multipart/Related; boundary=b")), Ok(false));
        assert_eq!(package.body, b"\x4c");
    }

    #[test]
    fn a_dead_letter_is_converted_with_its_header() {
        let header = DeadLetterHeader {
            reason: 2053,
            queue: "ORDERS".to_owned(),
            manager: "QM1".to_owned(),
            encoding: 785,
            ccsid: 37,
            format: Format::STRING.0,
        };
        let dead = |header: &DeadLetterHeader, body: &[u8]| {
            message(Format::DEAD_LETTER, &[&header.written("QM1", 0)[..], body].concat())
        };
        let hello = [0xC8, 0x85, 0x93, 0x93, 0x96];
        let mut text = dead(&header, &hello);
        assert_eq!(convert(&mut text, Ccsid(1252)), Reason::None);
        assert_eq!(
            (&text.body[DeadLetterHeader::BYTES..], text.descriptor.ccsid),
            (&b"Hello"[..], Ccsid(1252))
        );
        let converted = DeadLetterHeader { ccsid: 1252, ..header.clone() };
        assert_eq!(DeadLetterHeader::read(&text.body), Some(converted));

        // The header has the code page of MQMD already, and the body has another one.
        let mut text = dead(&header, &hello);
        assert_eq!(convert(&mut text, Ccsid::UTF_8), Reason::None);
        assert_eq!(&text.body[DeadLetterHeader::BYTES..], b"Hello");

        let mut ebcdic = dead(&header, &hello);
        assert_eq!(convert(&mut ebcdic, Ccsid(37)), Reason::None);
        assert_eq!(
            (&ebcdic.body[..4], &ebcdic.body[DeadLetterHeader::BYTES..]),
            (&[0xC4, 0xD3, 0xC8, 0x40][..], &hello[..])
        );

        let bytes = DeadLetterHeader { format: Format::NONE.0, ..header };
        let mut kept = dead(&bytes, b"\x00\x01");
        assert_eq!(convert(&mut kept, Ccsid(1252)), Reason::Format);
        assert_eq!((DeadLetterHeader::read(&kept.body), kept.descriptor.ccsid), (Some(bytes), Ccsid(1252)));
        assert_eq!(&kept.body[DeadLetterHeader::BYTES..], b"\x00\x01");
        let mut short = message(Format::DEAD_LETTER, b"DLH ");
        assert_eq!(convert(&mut short, Ccsid(1252)), Reason::Format);
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
