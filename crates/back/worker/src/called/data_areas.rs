//! The data areas of a task: the elements that BAQPUTN has put for the next request, and the answer's, which BAQGETN
//! gives.
//!
//! The purpose of the areas, the four parameters of both verbs and the completion codes are documented (z/OS
//! Connect, "Understanding the Host API"; the program of its public sample). Reason codes, limits, and the
//! fate of areas after BAQEXEC has sent them are our own.
//!
//! The worker keeps the areas and knows no layout. The gateway finds out whether they fit, because it has all of a
//! request at hand.
//!
//! Deliberately absent: the memory of programs, which `api_calls` reads and writes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use service::{DATA_AREA_NAME_CHARACTERS_MAX, DataArea};
use wire::DATA_AREAS_MAX;

use crate::cobol::storage::Storage;

/// The most bytes of all elements that a program puts for one request.
pub(crate) const DATA_AREAS_MAX_BYTES: usize = 64 << 20;

/// Why a verb did nothing: BAQ-ZCON-REASON-CODE. The numbers are ours; `docs/reference/regions.md` has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// BAQINIT has not come, or BAQTERM has.
    NotBegun = 1,
    /// A parameter has no address.
    NoAddress = 2,
    /// A name that no area can have.
    BadName = 3,
    /// The last answer has no area of this name.
    UnknownArea = 4,
    /// The area's elements have all been given.
    EndOfArea = 5,
    /// The length is not that of the area's elements.
    WrongLength = 6,
    /// The request has more areas, or more bytes, than it may.
    TooLarge = 7,
    /// There is no storage for the answer.
    NoStorage = 8,
}

/// The outcome of a verb that did nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) reason: Reason,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }
}

/// The name of an area as a program gives it: 16 bytes with blanks, or nulls, behind it.
pub(crate) fn area_name(given: &[u8]) -> Result<String, Refusal> {
    let end = given.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
    match str::from_utf8(&given[..end]) {
        Ok(name) if !name.is_empty() && name.bytes().all(|byte| (b' '..=b'~').contains(&byte)) => {
            Ok(name.to_owned())
        }
        _ => {
            let message =
                format!("expected the name of a data area, 1 to {DATA_AREA_NAME_CHARACTERS_MAX} characters");
            Err(Refusal::new(Reason::BadName, message))
        }
    }
}

/// The areas that BAQPUTN has put for the next request.
#[derive(Debug, Default)]
pub(crate) struct RequestAreas {
    areas: Vec<DataArea>,
    by_name: HashMap<String, usize>,
    bytes: usize,
}

impl RequestAreas {
    /// Checks a length before that many bytes are read from the program.
    pub(crate) fn room_for(&self, length: i32) -> Result<usize, Refusal> {
        let bytes = usize::try_from(length).ok().filter(|bytes| *bytes > 0).ok_or_else(|| {
            Refusal::new(
                Reason::WrongLength,
                format!("expected an element of 1 byte or more, found {length}"),
            )
        })?;
        if bytes > DATA_AREAS_MAX_BYTES - self.bytes {
            let message = format!("expected data areas of at most {DATA_AREAS_MAX_BYTES} bytes, found more");
            return Err(Refusal::new(Reason::TooLarge, message));
        }
        Ok(bytes)
    }

    /// Puts an element behind the others of its area, which begins with its first one.
    pub(crate) fn put(&mut self, name: String, element: &[u8]) -> Result<(), Refusal> {
        match self.by_name.entry(name) {
            Entry::Occupied(place) => {
                let area = &mut self.areas[*place.get()];
                if area.element_bytes != element.len() {
                    let (name, expected, found) = (&area.name, area.element_bytes, element.len());
                    let message =
                        format!("data area {name}: expected an element of {expected} bytes, found {found}");
                    return Err(Refusal::new(Reason::WrongLength, message));
                }
                area.bytes.extend_from_slice(element);
            }
            Entry::Vacant(_) if self.areas.len() >= DATA_AREAS_MAX => {
                let message = format!("expected at most {DATA_AREAS_MAX} data areas, found more");
                return Err(Refusal::new(Reason::TooLarge, message));
            }
            Entry::Vacant(place) => {
                let (name, element_bytes) = (place.key().clone(), element.len());
                place.insert(self.areas.len());
                self.areas.push(DataArea { name, element_bytes, bytes: element.to_vec() });
            }
        }
        self.bytes += element.len();
        Ok(())
    }

    /// The areas, for the request; the next one begins without any.
    pub(crate) fn take(&mut self) -> Vec<DataArea> {
        std::mem::take(self).areas
    }
}

/// The elements of one area of an answer, in the task's storage.
#[derive(Debug)]
struct Elements {
    address: *mut u8,
    element_bytes: usize,
    /// Bytes of elements that have been given.
    given: usize,
    bytes: usize,
}

/// The areas of the last answer, for BAQGETN.
#[derive(Debug, Default)]
pub(crate) struct ResponseAreas(HashMap<String, Elements>);

impl ResponseAreas {
    /// Puts the areas of an answer into storage, in place of the last answer's. Elements of the last answer
    /// whose addresses the program has stay where they are.
    pub(crate) fn set(&mut self, areas: Vec<DataArea>, storage: &mut Storage) -> Result<(), Refusal> {
        self.0.clear();
        for DataArea { name, element_bytes, bytes } in areas {
            let address = keep(&bytes, storage)?;
            self.0.insert(name, Elements { address, element_bytes, given: 0, bytes: bytes.len() });
        }
        Ok(())
    }

    /// The address of the next element of an area, which has the length that the program expects.
    pub(crate) fn next(&mut self, name: &str, length: i32) -> Result<*mut u8, Refusal> {
        let Some(elements) = self.0.get_mut(name) else {
            let message = format!("the answer has no data area {name}");
            return Err(Refusal::new(Reason::UnknownArea, message));
        };
        if usize::try_from(length) != Ok(elements.element_bytes) {
            let expected = elements.element_bytes;
            let message =
                format!("data area {name}: expected the length of its elements, {expected}, found {length}");
            return Err(Refusal::new(Reason::WrongLength, message));
        }
        if elements.given >= elements.bytes {
            let count = elements.bytes / elements.element_bytes;
            let message = format!("data area {name}: all of its {count} elements have been given");
            return Err(Refusal::new(Reason::EndOfArea, message));
        }
        let address = elements.address.wrapping_add(elements.given);
        elements.given += elements.element_bytes;
        Ok(address)
    }
}

/// Puts bytes into storage of the task, and gives their address.
pub(crate) fn keep(bytes: &[u8], storage: &mut Storage) -> Result<*mut u8, Refusal> {
    let address = storage
        .get(bytes.len(), 0)
        .ok_or_else(|| Refusal::new(Reason::NoStorage, "there is no storage for the response"))?;
    crate::cobol::arguments::Area::new(address, bytes.len()).write(bytes);
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason<T>(outcome: Result<T, Refusal>) -> Option<Reason> {
        outcome.err().map(|refusal| refusal.reason)
    }

    #[test]
    fn names_are_text_with_blanks_or_nulls_behind() {
        assert_eq!(area_name(b"LINES           ").as_deref(), Ok("LINES"));
        assert_eq!(area_name(b"ALL 16 BYTES LNG").as_deref(), Ok("ALL 16 BYTES LNG"));
        assert_eq!(area_name(b"NULLS\0\0\0\0\0\0\0\0\0\0\0").as_deref(), Ok("NULLS"));
        for wrong in [&b"                "[..], &[0; 16], &[0xFF; 16], b"\x01INES           "] {
            assert_eq!(reason(area_name(wrong)), Some(Reason::BadName), "{wrong:?}");
        }
    }

    #[test]
    fn elements_follow_each_other_and_have_one_length() {
        let mut areas = RequestAreas::default();
        for (name, element) in [("A", b"one"), ("B", b"two"), ("A", b"six")] {
            areas.put(name.to_owned(), element).expect("room");
        }
        assert_eq!(reason(areas.put("A".to_owned(), b"four")), Some(Reason::WrongLength));
        let area = |name: &str, bytes: &[u8]| DataArea {
            name: name.to_owned(),
            element_bytes: 3,
            bytes: bytes.to_vec(),
        };
        assert_eq!(areas.take(), [area("A", b"onesix"), area("B", b"two")]);
        assert_eq!(areas.take(), [], "they go with one request");
        areas.put("A".to_owned(), b"four").expect("a new area");
    }

    #[test]
    fn lengths_and_limits_are_checked_before_memory_is_read() {
        let mut areas = RequestAreas::default();
        let most = i32::try_from(DATA_AREAS_MAX_BYTES).expect("it fits");
        assert_eq!(areas.room_for(most), Ok(DATA_AREAS_MAX_BYTES));
        areas.put("A".to_owned(), b"12").expect("room");
        assert_eq!(areas.room_for(most - 2), Ok(DATA_AREAS_MAX_BYTES - 2));
        for (length, expected) in [
            (most - 1, Reason::TooLarge),
            (i32::MAX, Reason::TooLarge),
            (0, Reason::WrongLength),
            (-1, Reason::WrongLength),
            (i32::MIN, Reason::WrongLength),
        ] {
            assert_eq!(reason(areas.room_for(length)), Some(expected), "{length}");
        }
        for number in 1..DATA_AREAS_MAX {
            areas.put(number.to_string(), b"x").expect("room");
        }
        assert_eq!(reason(areas.put("ONE MORE".to_owned(), b"x")), Some(Reason::TooLarge));
        assert_eq!(reason(areas.put("A".to_owned(), b"34")), None, "areas that are there may grow");
    }

    #[test]
    fn elements_are_given_in_their_order_up_to_the_end() {
        let mut storage = Storage::default();
        let mut areas = ResponseAreas::default();
        let lines = DataArea { name: "LINES".to_owned(), element_bytes: 4, bytes: b"onceupon".to_vec() };
        areas.set(vec![lines], &mut storage).expect("storage");
        let read = |address: *mut u8| crate::cobol::arguments::Area::new(address, 4).copy();
        assert_eq!(reason(areas.next("LINES", 3)), Some(Reason::WrongLength));
        assert_eq!(reason(areas.next("LINES", -4)), Some(Reason::WrongLength));
        let first = areas.next("LINES", 4).expect("an element");
        let second = areas.next("LINES", 4).expect("another");
        assert_eq!((read(first), read(second)), (b"once".to_vec(), b"upon".to_vec()));
        assert_eq!(reason(areas.next("LINES", 4)), Some(Reason::EndOfArea));
        assert_eq!(reason(areas.next("OTHER", 4)), Some(Reason::UnknownArea));
        areas.set(Vec::new(), &mut storage).expect("nothing to keep");
        assert_eq!(reason(areas.next("LINES", 4)), Some(Reason::UnknownArea), "another answer");
        assert_eq!(read(first), b"once", "until BAQFREE");
    }
}
