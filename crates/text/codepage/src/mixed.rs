//! Mixed and pure double-byte EBCDIC.
//!
//! In a mixed page, each byte is one character until a shift-out (0E). Then each two bytes are one character
//! until a shift-in (0F).

use crate::double_byte::{Characters, DoubleByte};
use crate::encoding::Unmappable;
use crate::reverse::UNDEFINED;
use crate::{CodePage, Error, ErrorKind};

pub(crate) const SHIFT_OUT: u8 = 0x0E;
pub(crate) const SHIFT_IN: u8 = 0x0F;

/// Single bytes between shifts are mostly fewer than this.
const SHORT_RUN_BYTES: usize = 32;

/// The code that replaces characters that a double-byte part lacks.
const SUBSTITUTE: u16 = 0xFEFE;

/// The bytes that a double-byte code can have. 40 is only used for the blank, 4040.
const CODE_BYTES: std::ops::RangeInclusive<u8> = 0x40..=0xFE;

/// A mixed page. `single` does not have 0E and 0F.
#[derive(Debug)]
pub(crate) struct Mixed {
    pub(crate) single: CodePage,
    pub(crate) double: &'static DoubleByte,
}

impl Mixed {
    pub(crate) const fn new(single: CodePage, double: &'static DoubleByte) -> Mixed {
        Mixed { single, double }
    }

    pub(crate) fn decode(
        &self,
        bytes: &[u8],
        unmappable: Unmappable,
        out: &mut String,
    ) -> Result<usize, Error> {
        let ccsid = self.single.ccsid();
        let (mut at, mut replaced) = (0, 0);
        out.reserve(bytes.len() + bytes.len() / 2);
        loop {
            let rest = &bytes[at..];
            let run =
                rest.iter().position(|byte| matches!(*byte, SHIFT_OUT | SHIFT_IN)).unwrap_or(rest.len());
            let decoded = match run {
                0..SHORT_RUN_BYTES => self.decode_short_run(&rest[..run], unmappable, out),
                _ => decode_single(&self.single, &rest[..run], unmappable, out),
            };
            replaced += decoded.map_err(|error| Error { at: at + error.at, ..error })?;
            at += run;
            let shift_out = at;
            match bytes.get(at) {
                None => return Ok(replaced),
                Some(&SHIFT_IN) => return Err(Error { ccsid, at, kind: ErrorKind::UnexpectedShiftIn }),
                Some(_) => at += 1,
            }
            let double = Double { ccsid, part: self.double, start: at };
            at += double.decode(&bytes[at..], unmappable, out, &mut replaced)?;
            let (at_error, kind) = match bytes.get(at) {
                Some(&SHIFT_IN) => {
                    at += 1;
                    continue;
                }
                Some(_) => (at, ErrorKind::UnexpectedShiftOut),
                None => (shift_out, ErrorKind::MissingShiftIn),
            };
            return Err(Error { ccsid, at: at_error, kind });
        }
    }

    /// [`decode_single`] without the parts that are only worth it for long runs.
    fn decode_short_run(
        &self,
        bytes: &[u8],
        unmappable: Unmappable,
        out: &mut String,
    ) -> Result<usize, Error> {
        let mut replaced = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let unit = self.single.to_unicode()[usize::from(*byte)];
            let character = char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER);
            if unit == UNDEFINED {
                replaced += 1;
                if unmappable == Unmappable::Error {
                    let kind = ErrorKind::UnknownByte(*byte);
                    return Err(Error { ccsid: self.single.ccsid(), at, kind });
                }
            }
            out.push(character);
        }
        Ok(replaced)
    }

    pub(crate) fn encode(
        &self,
        text: &str,
        unmappable: Unmappable,
        out: &mut Vec<u8>,
    ) -> Result<usize, Error> {
        let (mut rest, mut index, mut replaced, mut shifted) = (text, 0, 0, false);
        let ascii = self.single.ascii_to_page();
        out.reserve(text.len());
        loop {
            let is_run = |byte: &u8| ascii.get(usize::from(*byte)).is_some_and(|byte| *byte != 0);
            let run = rest.bytes().take_while(is_run).count();
            if run > 0 {
                shift(out, &mut shifted, false);
                out.extend(rest.bytes().take(run).map(|byte| ascii[usize::from(byte & 0x7F)]));
                (rest, index) = (&rest[run..], index + run);
            }
            let mut characters = rest.chars();
            let Some(character) = characters.next() else { break };
            let after = characters.as_str();
            let pair = characters.next().and_then(|next| self.double.encode_pair(character, next));
            if let Some(code) = pair {
                shift(out, &mut shifted, true);
                out.extend(code.to_be_bytes());
                (rest, index) = (characters.as_str(), index + 2);
                continue;
            }
            match (self.single.encode_char(character), self.double.encode(character), unmappable) {
                (Some(byte), ..) => {
                    shift(out, &mut shifted, false);
                    out.push(byte);
                }
                (None, Some(code), _) => {
                    shift(out, &mut shifted, true);
                    out.extend(code.to_be_bytes());
                }
                (None, None, Unmappable::Substitute) => {
                    replaced += 1;
                    let is_wide = is_wide(character);
                    shift(out, &mut shifted, is_wide);
                    match is_wide {
                        true => out.extend(SUBSTITUTE.to_be_bytes()),
                        false => out.push(self.single.substitute()),
                    }
                }
                (None, None, Unmappable::Error) => {
                    let kind = ErrorKind::UnknownCharacter(character);
                    return Err(Error { ccsid: self.single.ccsid(), at: index, kind });
                }
            }
            (rest, index) = (after, index + 1);
        }
        shift(out, &mut shifted, false);
        Ok(replaced)
    }
}

/// Writes a shift if the state must change.
fn shift(out: &mut Vec<u8>, shifted: &mut bool, wanted: bool) {
    if *shifted != wanted {
        out.push(if wanted { SHIFT_OUT } else { SHIFT_IN });
        *shifted = wanted;
    }
}

/// True if a mixed page uses its double-byte substitute. Latin-1 and half-width letters get the single-byte
/// one.
fn is_wide(character: char) -> bool {
    !matches!(character, '\0'..='\u{FF}' | '\u{FF61}'..='\u{FFDC}' | '\u{FFE8}'..='\u{FFEE}')
}

/// Decodes the bytes of a single-byte page.
pub(crate) fn decode_single(
    page: &CodePage,
    bytes: &[u8],
    unmappable: Unmappable,
    out: &mut String,
) -> Result<usize, Error> {
    let (mut at, mut replaced) = (0, 0);
    loop {
        match (page.decode(&bytes[at..], out), unmappable) {
            (Ok(()), _) => return Ok(replaced),
            (Err(error), Unmappable::Substitute) => {
                out.push(char::REPLACEMENT_CHARACTER);
                (at, replaced) = (at + error.offset + 1, replaced + 1);
            }
            (Err(error), Unmappable::Error) => return Err(error.into()),
        }
    }
}

/// Encodes as the bytes of a single-byte page.
pub(crate) fn encode_single(
    page: &CodePage,
    text: &str,
    unmappable: Unmappable,
    out: &mut Vec<u8>,
) -> Result<usize, Error> {
    if unmappable == Unmappable::Error {
        return Ok(page.encode(text, out).map(|()| 0)?);
    }
    let mut replaced = 0;
    out.extend(text.chars().map(|character| {
        page.encode_char(character).unwrap_or_else(|| {
            replaced += 1;
            page.substitute()
        })
    }));
    Ok(replaced)
}

/// A run of double-byte codes, in a mixed page or alone.
#[derive(Clone, Copy)]
pub(crate) struct Double {
    /// For errors.
    pub(crate) ccsid: u16,
    pub(crate) part: &'static DoubleByte,
    /// The offset of the first byte, for errors.
    pub(crate) start: usize,
}

impl Double {
    /// Decodes up to the end or a shift, and returns the number of decoded bytes.
    pub(crate) fn decode(
        self,
        bytes: &[u8],
        unmappable: Unmappable,
        out: &mut String,
        replaced: &mut usize,
    ) -> Result<usize, Error> {
        for (number, code) in bytes.chunks(2).enumerate() {
            let offset = 2 * number;
            let error = |kind| Error { ccsid: self.ccsid, at: self.start + offset, kind };
            let (lead, trail) = match *code {
                [SHIFT_OUT | SHIFT_IN, ..] => return Ok(offset),
                [lead, trail] => (lead, trail),
                _ => return Err(error(ErrorKind::Incomplete)),
            };
            match self.part.decode(lead, trail) {
                Some(Characters::One(character)) => out.push(character),
                Some(Characters::Two(first, second)) => out.extend([first, second]),
                None if !CODE_BYTES.contains(&lead) || !CODE_BYTES.contains(&trail) => {
                    return Err(error(ErrorKind::Malformed));
                }
                None if unmappable == Unmappable::Error => {
                    return Err(error(ErrorKind::UnknownDoubleByte(u16::from_be_bytes([lead, trail]))));
                }
                None => {
                    out.push(char::REPLACEMENT_CHARACTER);
                    *replaced += 1;
                }
            }
        }
        Ok(bytes.len())
    }

    /// Encodes without shifts.
    pub(crate) fn encode(
        self,
        text: &str,
        unmappable: Unmappable,
        out: &mut Vec<u8>,
    ) -> Result<usize, Error> {
        let (mut characters, mut index, mut replaced) = (text.chars(), 0, 0);
        while let Some(character) = characters.next() {
            let next = characters.clone().next();
            let pair = next.and_then(|next| self.part.encode_pair(character, next));
            let code = match (pair.or_else(|| self.part.encode(character)), unmappable) {
                (Some(code), _) => code,
                (None, Unmappable::Substitute) => {
                    replaced += 1;
                    SUBSTITUTE
                }
                (None, Unmappable::Error) => {
                    let kind = ErrorKind::UnknownCharacter(character);
                    return Err(Error { ccsid: self.ccsid, at: index, kind });
                }
            };
            out.extend(code.to_be_bytes());
            index += 1;
            if pair.is_some() {
                characters.next();
                index += 1;
            }
        }
        Ok(replaced)
    }
}
