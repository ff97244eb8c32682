//! Text in any encoding, by the policies for blanks, low-values, control characters and lengths.

use std::borrow::Cow;

use codepage::{Encoding, Form};

use crate::error::{Error, ErrorKind, hex};
use crate::policies::{ControlCharacters, LongText, LowValueText, Policies, TrimText};
use crate::text::unmappable;

/// The blank of an encoding as a character.
fn blank(encoding: Encoding) -> char {
    if encoding.form() == Form::DoubleByte { '\u{3000}' } else { ' ' }
}

fn is_control(character: char) -> bool {
    character.is_control()
}

/// Fills bytes with an encoding's blanks.
pub(crate) fn fill_blanks(encoding: Encoding, bytes: &mut [u8]) {
    for (to, from) in bytes.iter_mut().zip(encoding.blank().iter().cycle()) {
        *to = *from;
    }
}

/// UTF-8.
pub(crate) fn utf8() -> Encoding {
    Encoding::by_ccsid(1208).expect("codepage has UTF-8")
}

/// The bytes of the first `most` characters of a field in UTF-8. The rest must be blanks, or the whole field
/// 00. Bytes that are not UTF-8 stay as they are; a later step reports them.
///
/// # Errors
/// The rest has other bytes.
pub(crate) fn first_utf8(field: &[u8], most: usize) -> Result<&[u8], Error> {
    let Some((end, _)) = std::str::from_utf8(field).ok().and_then(|text| text.char_indices().nth(most))
    else {
        return Ok(field);
    };
    let (first, rest) = field.split_at(end);
    if !is_low(field) && rest.iter().any(|byte| *byte != b' ') {
        let message =
            format!("expected blanks behind the {most} characters of the picture, in bytes {}", hex(field));
        return Err(Error::new(ErrorKind::BadData, message));
    }
    Ok(first)
}

/// A text of at most `most` characters.
///
/// # Errors
/// The text has more, and must not be cut.
pub(crate) fn at_most(text: &str, most: usize, policies: Policies) -> Result<&str, Error> {
    let Some((end, _)) = text.char_indices().nth(most) else { return Ok(text) };
    if policies.long_text == LongText::Refuse {
        let count = text.chars().count();
        let message = format!("text of {count} characters is longer than the field's {most}");
        return Err(Error::new(ErrorKind::TooLong, message));
    }
    Ok(&text[..end])
}

/// True if every byte is 00.
pub(crate) fn is_low(field: &[u8]) -> bool {
    !field.is_empty() && field.iter().all(|byte| *byte == 0)
}

/// True if the bytes are only the encoding's blanks.
pub(crate) fn is_blank(encoding: Encoding, field: &[u8]) -> bool {
    let blank = encoding.blank();
    !field.is_empty() && field.chunks(blank.len()).all(|unit| unit == blank)
}

/// Appends a field's text; false if it is null.
///
/// # Errors
/// Bytes without a character, or control characters where they are refused.
pub(crate) fn decode(
    encoding: Encoding,
    justified: bool,
    policies: Policies,
    field: &[u8],
    out: &mut String,
) -> Result<bool, Error> {
    if policies.low_value_text == LowValueText::Null && is_low(field) {
        return Ok(false);
    }
    let ends = policies.low_value_text == LowValueText::End;
    let end = field.iter().position(|byte| ends && *byte == 0).unwrap_or(field.len());
    let (field, justified) = (&field[..end], justified && !ends);
    let start = out.len();
    encoding
        .decode(field, policies.unmappable.into(), out)
        .map_err(|error| Error::new(ErrorKind::BadData, format!("{error}; the bytes are {}", hex(field))))?;
    let text = out.split_off(start);
    out.push_str(&cleaned(text, justified, blank(encoding), policies)?);
    Ok(true)
}

/// A text without the blanks, low-values and control characters that the policies leave out.
///
/// # Errors
/// Control characters where they are refused.
pub(crate) fn cleaned(
    text: String,
    justified: bool,
    blank: char,
    policies: Policies,
) -> Result<String, Error> {
    let low = policies.low_value_text == LowValueText::Trim;
    let padding = |character: char| {
        (character == blank && policies.trim_text != TrimText::Keep) || (character == '\0' && low)
    };
    let both = policies.trim_text == TrimText::Both;
    let mut kept = text.as_str();
    if !justified || both {
        kept = kept.trim_end_matches(padding);
    }
    if justified || both {
        kept = kept.trim_start_matches(padding);
    }
    if policies.control_characters == ControlCharacters::Escape || !kept.contains(is_control) {
        return Ok(if kept.len() == text.len() { text } else { kept.to_owned() });
    }
    without_controls(kept, policies.control_characters, ErrorKind::BadData)
}

/// A request's text without the control characters that the policies leave out.
///
/// # Errors
/// Control characters where they are refused.
pub(crate) fn allowed(text: &str, policies: Policies) -> Result<Cow<'_, str>, Error> {
    if policies.control_characters == ControlCharacters::Escape || !text.contains(is_control) {
        return Ok(Cow::Borrowed(text));
    }
    without_controls(text, policies.control_characters, ErrorKind::OutOfRange).map(Cow::Owned)
}

fn without_controls(text: &str, choice: ControlCharacters, kind: ErrorKind) -> Result<String, Error> {
    match choice {
        ControlCharacters::Escape => Ok(text.to_owned()),
        ControlCharacters::Blank => Ok(text.replace(is_control, " ")),
        ControlCharacters::Remove => Ok(text.replace(is_control, "")),
        ControlCharacters::Refuse => {
            let (at, found) = text.char_indices().find(|(_, c)| is_control(*c)).unwrap_or((0, '\0'));
            let index = text[..at].chars().count();
            let message = format!("control character U+{:04X} at character {index}", u32::from(found));
            Err(Error::new(kind, message))
        }
    }
}

/// Fills a field with text and blanks.
///
/// # Errors
/// The text is too long, has characters that the encoding lacks, or control characters where they are refused.
pub(crate) fn encode(
    encoding: Encoding,
    justified: bool,
    policies: Policies,
    text: &str,
    field: &mut [u8],
) -> Result<(), Error> {
    let text = &*allowed(text, policies)?;
    let ends = policies.low_value_text == LowValueText::End;
    if ends && text.contains('\0') {
        let message = "U+0000 in a text that it would end".to_owned();
        return Err(Error::new(ErrorKind::OutOfRange, message));
    }
    let (text_room, justified) = (field.len() - usize::from(ends), justified && !ends);
    let mut bytes = Vec::with_capacity(field.len());
    let mut encoded = encode_text(encoding, policies, text, &mut bytes);
    if encoded.is_ok() && bytes.len() > text_room {
        if policies.long_text == LongText::Refuse {
            let (needed, room) = (bytes.len(), text_room);
            let message = format!(
                "text of {needed} bytes in CCSID {} is longer than the field's {room}",
                encoding.ccsid()
            );
            return Err(Error::new(ErrorKind::TooLong, message));
        }
        let cut = longest_part(encoding, policies, text, text_room, justified);
        bytes.clear();
        encoded = encode_text(encoding, policies, cut, &mut bytes);
    }
    encoded?;
    let start = if justified { field.len() - bytes.len() } else { 0 };
    let end = start + bytes.len();
    field[start..end].copy_from_slice(&bytes);
    fill_blanks(encoding, &mut field[..start]);
    if ends {
        field[end..].fill(0);
    } else {
        fill_blanks(encoding, &mut field[end..]);
    }
    Ok(())
}

fn encode_text(encoding: Encoding, policies: Policies, text: &str, bytes: &mut Vec<u8>) -> Result<(), Error> {
    encoding.encode(text, policies.unmappable.into(), bytes).map(drop).map_err(|error| match error.kind {
        codepage::ErrorKind::UnknownCharacter(character) => unmappable(character, encoding.ccsid()),
        _ => Error::new(ErrorKind::Unmappable, error.to_string()),
    })
}

/// The longest start of a text, or the longest end, that fits. It is found by bisection, because a longer
/// text never needs fewer bytes.
fn longest_part(encoding: Encoding, policies: Policies, text: &str, room: usize, end: bool) -> &str {
    let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let part = |border: usize| if end { &text[border..] } else { &text[..border] };
    let mut bytes = Vec::new();
    let mut fits = |border: usize| {
        bytes.clear();
        encode_text(encoding, policies, part(border), &mut bytes).is_ok() && bytes.len() <= room
    };
    if end {
        let first = borders.partition_point(|border| !fits(*border));
        part(borders.get(first).copied().unwrap_or(text.len()))
    } else {
        let count = borders.partition_point(|border| fits(*border));
        part(borders[count.saturating_sub(1)])
    }
}
