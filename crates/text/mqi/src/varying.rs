//! Texts of varying length (MQCHARV) in structures: where a program has one, and how long it is.
//!
//! Source: IBM MQ, "MQCHARV - Variable Length String". Nothing here reads the text, which is elsewhere in the program.

use crate::structures::{Kind, Structure};

/// A text of varying length, as a structure describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Varying {
    /// VSPtr, an address in the program.
    address: u64,
    /// VSOffset, from the beginning of the structure on.
    offset: i32,
    /// VSBufSize.
    room: i32,
    /// VSLength.
    length: i32,
    /// VSCCSID: the code page of the text.
    pub ccsid: i32,
}

/// Where a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At an address.
    Address(u64),
    /// This number of bytes from the beginning of the structure on, or before it if negative.
    Offset(i32),
}

/// A text that a structure does not describe as it must.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadVarying;

/// MQVS-NULL-TERMINATED: X'00' ends the text.
const NULL_TERMINATED: i32 = -1;
/// The bytes of MQCHARV, and where its parts are.
const ROOM_AT: usize = 12;
const LENGTH_AT: usize = 16;
const CCSID_AT: usize = 20;

impl Varying {
    /// The text of a field; none if the structure's version does not have the field.
    #[must_use]
    pub fn of(structure: &Structure, name: &str, bytes: &[u8]) -> Option<Self> {
        let (_, field) = structure.field(name)?;
        if field.kind != Kind::Varying {
            return None;
        }
        Self::read(structure.bytes_of(name, bytes)?)
    }

    /// The text that 24 bytes describe; none if there are fewer.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| bytes.get(at..)?.first_chunk().copied().map(i32::from_be_bytes);
        Some(Self {
            // COBOL's pointers have the order of bytes of the machine.
            address: u64::from_ne_bytes(*bytes.first_chunk()?),
            offset: number(8)?,
            room: number(ROOM_AT)?,
            length: number(LENGTH_AT)?,
            ccsid: number(CCSID_AT)?,
        })
    }

    /// VSLength as the program has it: not checked.
    #[must_use]
    pub fn length(&self) -> i32 {
        self.length
    }

    /// True if there is neither a text nor a place for one.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        (self.address, self.offset, self.length) == (0, 0, 0)
    }

    fn place(&self) -> Result<Option<Place>, BadVarying> {
        match (self.address, self.offset) {
            (0, 0) => Ok(None),
            (address, 0) => Ok(Some(Place::Address(address))),
            (0, offset) => Ok(Some(Place::Offset(offset))),
            _ => Err(BadVarying),
        }
    }

    /// Where the text is that a program gives, and its length; none if it gives none. A text without a length ends at its
    /// first X'00', which is within `most` bytes.
    ///
    /// # Errors
    /// The text has two places, or a length and no place, or is longer than `most`.
    pub fn given(&self, most: usize) -> Result<Option<(Place, Option<usize>)>, BadVarying> {
        let place = self.place()?;
        let length = match self.length {
            0 => return Ok(None),
            NULL_TERMINATED => None,
            length => Some(usize::try_from(length).ok().filter(|length| *length <= most).ok_or(BadVarying)?),
        };
        place.map(|place| Some((place, length))).ok_or(BadVarying)
    }

    /// Where a program wants a text, and its room in bytes; none if it does not want it.
    ///
    /// # Errors
    /// The room has two places, or a place without a size.
    pub fn wanted(&self) -> Result<Option<(Place, usize)>, BadVarying> {
        let Some(place) = self.place()? else { return Ok(None) };
        match usize::try_from(self.room) {
            Ok(room) if room > 0 => Ok(Some((place, room))),
            _ => Err(BadVarying),
        }
    }
}

impl crate::Fields {
    /// A text of varying length; none if the structure's version does not have the field.
    #[must_use]
    pub fn varying(&self, name: &str) -> Option<Varying> {
        Varying::of(self.structure(), name, self.as_bytes())
    }

    /// Sets length and code page of a text of varying length. False if the structure's version does not have the field.
    pub fn set_varying(&mut self, name: &str, length: i32, ccsid: i32) -> bool {
        let Some(mut bytes) = self.bytes(name).map(<[u8]>::to_vec) else { return false };
        for (at, number) in [(LENGTH_AT, length), (CCSID_AT, ccsid)] {
            let Some(place) = bytes.get_mut(at..at + 4) else { return false };
            place.copy_from_slice(&number.to_be_bytes());
        }
        self.set_bytes(name, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;
    use crate::structures::OBJECT;

    fn varying(address: u64, offset: i32, room: i32, length: i32) -> Varying {
        Varying { address, offset, room, length, ccsid: -3 }
    }

    #[test]
    fn a_text_has_one_place_and_a_length() {
        let address = Place::Address(0x1234);
        for (text, expected) in [
            (varying(0, 0, 0, 0), Ok(None)),
            (varying(0x1234, 0, 0, 0), Ok(None)),
            (varying(0x1234, 0, 0, 10), Ok(Some((address, Some(10))))),
            (varying(0x1234, 0, 0, -1), Ok(Some((address, None)))),
            (varying(0, -8, 0, 9), Ok(Some((Place::Offset(-8), Some(9))))),
            (varying(0, 0, 0, 5), Err(BadVarying)),
            (varying(0, 0, 0, -1), Err(BadVarying)),
            (varying(0x1234, 8, 0, 5), Err(BadVarying)),
            (varying(0x1234, 8, 0, 0), Err(BadVarying)),
            (varying(0x1234, 0, 0, 11), Err(BadVarying)),
            (varying(0x1234, 0, 0, -2), Err(BadVarying)),
            (varying(0x1234, 0, 0, i32::MIN), Err(BadVarying)),
        ] {
            assert_eq!(text.given(10), expected, "{text:?}");
        }
        assert_eq!(varying(0, 0, 50, 0).wanted(), Ok(None));
        assert_eq!(varying(0, 8, 50, 0).wanted(), Ok(Some((Place::Offset(8), 50))));
        for bad in [varying(1, 0, 0, 9), varying(1, 0, -1, 9), varying(1, 8, 50, 0)] {
            assert_eq!(bad.wanted(), Err(BadVarying), "{bad:?}");
        }
    }

    #[test]
    fn a_text_of_a_structure_is_found_and_set() {
        let mut object = Fields::initial(&OBJECT, 4, |_, _| {}).unwrap();
        let absent = object.varying("OBJECTSTRING").unwrap();
        assert!(absent.is_absent());
        assert!(object.set_varying("RESOBJECTSTRING", 7, 1208));
        let set = object.varying("RESOBJECTSTRING").unwrap();
        assert_eq!((set.length, set.ccsid, set.is_absent()), (7, 1208, false));
        assert_eq!(object.varying("OBJECTSTRING"), Some(absent));
        assert_eq!((object.varying("OBJECTNAME"), object.varying("NOSUCH")), (None, None));
        let mut older = Fields::initial(&OBJECT, 3, |_, _| {}).unwrap();
        assert_eq!((older.varying("OBJECTSTRING"), older.set_varying("OBJECTSTRING", 1, 1)), (None, false));
    }

    proptest::proptest! {
        #[test]
        fn no_length_goes_beyond_the_limit(bytes: [u8; 24], most in 0_usize..20_000) {
            let mut object = Fields::initial(&OBJECT, 4, |_, _| {}).unwrap();
            object.set_bytes("OBJECTSTRING", &bytes);
            let text = object.varying("OBJECTSTRING").unwrap();
            if let Ok(Some((_, Some(length)))) = text.given(most) {
                assert!(length <= most && length > 0);
            }
            if let Ok(Some((_, room))) = text.wanted() {
                assert!(room > 0);
            }
        }

        #[test]
        fn any_bytes_have_a_text_or_none(bytes: Vec<u8>) {
            let _ = Varying::of(&OBJECT, "OBJECTSTRING", &bytes);
        }
    }
}
