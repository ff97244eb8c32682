//! A structure in the memory of a program: its fields by name.

use std::fmt;

use calendar::Utc;

use crate::structures::{Kind, Structure};

/// The bytes of a structure. They name its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    structure: &'static Structure,
    bytes: Vec<u8>,
}

/// The reason why bytes are not a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadStructure {
    /// The first four bytes are not the structure's.
    Id,
    /// The version does not exist.
    Version(i32),
    /// There are fewer bytes than the version has.
    Short,
}

impl fmt::Display for BadStructure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadStructure::Id => to.write_str("the structure has another identifier"),
            BadStructure::Version(version) => write!(to, "the structure has no version {version}"),
            BadStructure::Short => to.write_str("the structure is shorter than its version"),
        }
    }
}

impl std::error::Error for BadStructure {}

impl Fields {
    /// The bytes from which the length of a structure follows: its identifier and its version.
    pub const HEAD_BYTES: usize = 8;

    /// The length in bytes of a structure that begins with these bytes.
    ///
    /// # Errors
    /// The head is not one of this structure.
    pub fn length(structure: &Structure, head: &[u8]) -> Result<usize, BadStructure> {
        let (Some(found), Some(version)) = (head.first_chunk::<4>(), head.get(4..8)) else {
            return Err(BadStructure::Short);
        };
        if *found != structure.id {
            return Err(BadStructure::Id);
        }
        let version = i32::from_be_bytes([version[0], version[1], version[2], version[3]]);
        structure.bytes(version).ok_or(BadStructure::Version(version))
    }

    /// Takes the bytes of a structure; bytes behind its version's end are left out.
    ///
    /// # Errors
    /// The bytes are not this structure.
    pub fn read(structure: &'static Structure, bytes: &[u8]) -> Result<Self, BadStructure> {
        let length = Fields::length(structure, bytes)?;
        let bytes = bytes.get(..length).ok_or(BadStructure::Short)?;
        Ok(Self { structure, bytes: bytes.to_vec() })
    }

    /// A structure of a version with its initial values, texts through `encode`; none if the version does not
    /// exist.
    pub fn initial(
        structure: &'static Structure,
        version: i32,
        encode: impl Fn(&str, &mut [u8]),
    ) -> Option<Self> {
        let length = structure.bytes(version)?;
        let mut fields = Self { structure, bytes: vec![0; length] };
        for (_, part) in structure.parts() {
            let Some(place) = fields.bytes.get_mut(part.offset..part.offset + part.kind.bytes()) else {
                break;
            };
            match part.kind {
                Kind::Text(_, initial) => encode(initial, place),
                Kind::Number(initial) => place.copy_from_slice(&initial.to_be_bytes()),
                Kind::Long(initial) => place.copy_from_slice(&initial.to_be_bytes()),
                Kind::Bytes(_) | Kind::Address | Kind::Varying => {}
            }
        }
        fields.set_number("VERSION", version);
        Some(fields)
    }

    pub(crate) fn structure(&self) -> &'static Structure {
        self.structure
    }

    /// All bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, taken out of the structure.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bytes of a field; none if the structure's version does not have it.
    #[must_use]
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        let (offset, field) = self.structure.field(name)?;
        self.bytes.get(offset..offset + field.kind.bytes())
    }

    /// A number. It is 0 if the structure's version does not have the field, because 0 would mean the same.
    #[must_use]
    pub fn number(&self, name: &str) -> i32 {
        let Some((offset, field)) = self.structure.field(name) else { return 0 };
        match (field.kind, self.bytes.get(offset..)) {
            (Kind::Number(_), Some([a, b, c, d, ..])) => i32::from_be_bytes([*a, *b, *c, *d]),
            _ => 0,
        }
    }

    /// A number of eight bytes. It is 0 if the structure's version does not have the field, because 0 would mean the same.
    #[must_use]
    pub fn long(&self, name: &str) -> i64 {
        let Some((offset, field)) = self.structure.field(name) else { return 0 };
        match (field.kind, self.bytes.get(offset..).and_then(|bytes| bytes.first_chunk())) {
            (Kind::Long(_), Some(bytes)) => i64::from_be_bytes(*bytes),
            _ => 0,
        }
    }

    /// Sets the bytes of a field. A shorter value leaves the rest unchanged. False if the structure's version
    /// does not have the field.
    pub fn set_bytes(&mut self, name: &str, value: &[u8]) -> bool {
        let Some((offset, field)) = self.structure.field(name) else { return false };
        let Some(place) = self.bytes.get_mut(offset..offset + field.kind.bytes()) else { return false };
        for (to, from) in place.iter_mut().zip(value) {
            *to = *from;
        }
        true
    }

    /// A text without the blanks at its end, or up to the first null. None if it is not UTF-8, or if the
    /// structure's version does not have the field.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        let bytes = self.bytes(name)?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        str::from_utf8(&bytes[..end]).ok().map(|text| text.trim_end_matches(' '))
    }

    /// Sets a text with blanks behind it. Characters that do not fit are left out.
    pub fn set_text(&mut self, name: &str, text: &str) {
        let Some(bytes) = self.bytes(name).map(<[u8]>::len) else { return };
        let mut padded = vec![b' '; bytes];
        for (to, from) in padded.iter_mut().zip(text.bytes()) {
            *to = from;
        }
        self.set_bytes(name, &padded);
    }

    /// Sets PUTDATE and PUTTIME, in UTC. `put_ms` is the time in milliseconds since 1970.
    pub fn set_put(&mut self, put_ms: u64) {
        Utc(put_ms.saturating_mul(1000)).with_text(|text| {
            // 2026-11-21T17:30:05.250000Z
            let digits = |places: &[std::ops::Range<usize>]| -> String {
                places.iter().map(|place| &text[place.clone()]).collect()
            };
            self.set_text("PUTDATE", &digits(&[0..4, 5..7, 8..10]));
            self.set_text("PUTTIME", &digits(&[11..13, 14..16, 17..19, 20..22]));
        });
    }

    /// Passes each text through `change`, such as a conversion to another code page. False if a text cannot be changed or
    /// would have another length; nothing is changed then.
    pub fn change_texts(&mut self, change: impl Fn(&[u8]) -> Option<Vec<u8>>) -> bool {
        let mut changed = self.bytes.clone();
        for (_, part) in self.structure.parts() {
            let Kind::Text(bytes, _) = part.kind else { continue };
            // Fields of later versions do not exist.
            let Some(place) = changed.get_mut(part.offset..part.offset + bytes) else { break };
            match change(place) {
                Some(text) if text.len() == bytes => place.copy_from_slice(&text),
                _ => return false,
            }
        }
        self.bytes = changed;
        true
    }

    /// Sets a number. False if the structure's version does not have the field.
    pub fn set_number(&mut self, name: &str, value: i32) -> bool {
        self.set_bytes(name, &value.to_be_bytes())
    }
}

/// Writes a text in ASCII into its place, filled with blanks or cut.
pub fn padded(text: &str, place: &mut [u8]) {
    place.fill(b' ');
    place.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::{GET_OPTIONS, MESSAGE, OBJECT, PUT_OPTIONS, TRIGGER};

    fn ascii(text: &str, place: &mut [u8]) {
        place.fill(b' ');
        place[..text.len()].copy_from_slice(text.as_bytes());
    }

    #[test]
    fn structures_have_the_documented_lengths() {
        // Version 1 has no addresses, so these are the lengths of a mainframe too.
        assert_eq!(OBJECT.bytes(1), Some(168));
        assert_eq!((MESSAGE.bytes(1), MESSAGE.bytes(2)), (Some(324), Some(364)));
        let lengths: Vec<_> = (1..=4).filter_map(|version| GET_OPTIONS.bytes(version)).collect();
        assert_eq!(lengths, [72, 80, 100, 112]);
        assert_eq!(PUT_OPTIONS.bytes(1), Some(128));
        assert_eq!(TRIGGER.bytes(1), Some(684));
        assert_eq!((MESSAGE.bytes(0), MESSAGE.bytes(3), MESSAGE.bytes(-1)), (None, None, None));
    }

    #[test]
    fn an_initial_structure_is_read_back() {
        let made = Fields::initial(&MESSAGE, 1, ascii).unwrap();
        let read = Fields::read(&MESSAGE, made.as_bytes()).unwrap();
        assert_eq!(read, made);
        assert_eq!(
            (read.number("EXPIRY"), read.number("PERSISTENCE"), read.number("ENCODING")),
            (-1, 2, 785)
        );
        assert_eq!(read.bytes("MSGID"), Some(&[0; 24][..]));
        assert_eq!(read.bytes("FORMAT"), Some(&b"        "[..]));
        // A field of a later version does not exist.
        assert_eq!((read.bytes("GROUPID"), read.number("MSGSEQNUMBER")), (None, 0));
    }

    #[test]
    fn bad_structures_are_told_apart() {
        let made = Fields::initial(&OBJECT, 1, ascii).unwrap();
        let mut bytes = made.as_bytes().to_vec();
        assert_eq!(Fields::read(&OBJECT, &bytes[..100]), Err(BadStructure::Short));
        assert_eq!(Fields::read(&OBJECT, &bytes[..5]), Err(BadStructure::Short));
        assert_eq!(Fields::read(&MESSAGE, &bytes), Err(BadStructure::Id));
        bytes[7] = 9;
        assert_eq!(Fields::read(&OBJECT, &bytes), Err(BadStructure::Version(9)));
    }

    proptest::proptest! {
        #[test]
        fn what_is_set_is_what_is_read(value: i32, id: [u8; 24]) {
            let mut fields = Fields::initial(&MESSAGE, 2, ascii).unwrap();
            assert!(fields.set_number("OFFSET", value) && fields.set_bytes("CORRELID", &id));
            assert_eq!((fields.number("OFFSET"), fields.bytes("CORRELID")), (value, Some(&id[..])));
            assert!(!fields.set_number("NOSUCH", value));
            let mut options = Fields::initial(&GET_OPTIONS, 4, ascii).unwrap();
            assert_eq!((options.long("MSGHANDLE"), options.long("OPTIONS")), (0, 0));
            options.set_bytes("MSGHANDLE", &i64::from(value).to_be_bytes());
            assert_eq!(options.long("MSGHANDLE"), i64::from(value));
        }

        #[test]
        fn any_bytes_are_a_structure_or_refused(bytes: Vec<u8>) {
            let _ = Fields::read(&GET_OPTIONS, &bytes);
        }
    }
}
