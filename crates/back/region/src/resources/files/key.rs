//! Turns RIDFLD and its options into keys of a file, and back.

use program::conditions::INVREQ;
use wire::{Addressing, Answer, RecordAt};

use super::records::{address_key, number_key};
use super::{FileDefinition, FileOrganization};
use crate::resources::trouble::refused;

/// RESP2 of INVREQ: KEYLENGTH of a generic key is not less than that of the file's keys.
const GENERIC_TOO_LONG: u32 = 25;
/// KEYLENGTH is not that of the file's keys.
const NOT_THE_LENGTH: u32 = 26;
/// KEYLENGTH is less than 0.
const NEGATIVE: u32 = 42;
/// The option does not go with the organization of the file.
const NOT_THIS_FILE: u32 = 44;

/// Which record is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// A key, or the beginning of one.
    pub(crate) key: Vec<u8>,
    /// The key is a beginning.
    pub(crate) generic: bool,
    /// If there is none, the next one will do.
    pub(crate) or_after: bool,
}

impl Wanted {
    /// True if only the record of this key will do.
    pub(crate) fn is_exact(&self) -> bool {
        !self.generic && !self.or_after
    }

    /// True if this is a complete key of X'FF', which stands for the end of the file.
    pub(crate) fn is_end(&self) -> bool {
        !self.generic && self.key.iter().all(|byte| *byte == u8::MAX)
    }

    /// True if a record found at or after the key is a wanted one.
    pub(crate) fn accepts(&self, found: &[u8]) -> bool {
        match (self.or_after, self.generic) {
            (true, _) => true,
            (false, true) => found.starts_with(&self.key),
            (false, false) => found == self.key,
        }
    }
}

/// The record that a command looks for in a file.
///
/// # Errors
/// INVREQ, with the reason in RESP2. `LongerKey` if RIDFLD is shorter than the key.
pub(crate) fn wanted(definition: &FileDefinition, at: &RecordAt) -> Result<Wanted, Answer> {
    let invalid = |resp2| Err(refused(&INVREQ, resp2));
    let (generic, or_after) = (at.generic, at.or_after);
    let key_bytes = match (definition.organization, &definition.path) {
        (_, Some(path)) => Some(path.key_bytes),
        (FileOrganization::KeySequenced { key_bytes, .. }, None) => Some(key_bytes),
        _ => None,
    };
    let key = match (definition.organization, at.addressing) {
        (_, Addressing::Key) if let Some(key_bytes) = key_bytes => {
            let length = match at.key_length {
                Some(length) if length < 0 => return invalid(NEGATIVE),
                Some(length) if generic && length >= key_bytes as i64 => return invalid(GENERIC_TOO_LONG),
                Some(length) if generic => length as usize,
                Some(length) if length != key_bytes as i64 => return invalid(NOT_THE_LENGTH),
                _ => key_bytes,
            };
            match at.id.get(..length) {
                Some(key) => key.to_vec(),
                // RIDFLD is shorter than the key: the rest stands behind it.
                None => return Err(Answer::LongerKey { bytes: length as u32 }),
            }
        }
        _ if generic || definition.path.is_some() => return invalid(NOT_THIS_FILE),
        (FileOrganization::EntrySequenced, Addressing::Rba) => match at.id.first_chunk::<4>() {
            // The highest address of four bytes is the end, however long the file.
            Some([u8::MAX, u8::MAX, u8::MAX, u8::MAX]) => address_key(u64::MAX),
            Some(bytes) => address_key(u32::from_be_bytes(*bytes).into()),
            None => return invalid(NOT_THE_LENGTH),
        },
        (FileOrganization::EntrySequenced, Addressing::Xrba) => match at.id.first_chunk::<8>() {
            Some(bytes) => bytes.to_vec(),
            None => return invalid(NOT_THE_LENGTH),
        },
        (FileOrganization::Relative, Addressing::Rrn) => match at.id.first_chunk::<4>() {
            Some(bytes) => number_key(u32::from_be_bytes(*bytes)),
            None => return invalid(NOT_THE_LENGTH),
        },
        _ => return invalid(NOT_THIS_FILE),
    };
    Ok(Wanted { key, generic, or_after })
}

/// A key as the program gets it in RIDFLD. None for an address that has no place in four bytes.
pub(crate) fn id(key: &[u8], addressing: Addressing) -> Option<Vec<u8>> {
    match addressing {
        Addressing::Rba => match key.split_at_checked(4)? {
            ([0, 0, 0, 0], low) => Some(low.to_vec()),
            _ => None,
        },
        Addressing::Key | Addressing::Xrba | Addressing::Rrn => Some(key.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use store::Collation;

    use super::super::{Allowed, FileStatus};
    use super::*;

    fn file(organization: FileOrganization) -> FileDefinition {
        FileDefinition {
            name: *b"TEST    ",
            organization,
            record_bytes: 80,
            fixed: true,
            recoverable: true,
            allowed: Allowed::ALL,
            status: FileStatus::Open,
            initial: None,
            path: None,
        }
    }

    fn keyed() -> FileDefinition {
        file(FileOrganization::KeySequenced { key_offset: 0, key_bytes: 4, collation: Collation::Binary })
    }

    fn at(id: &[u8], addressing: Addressing, key_length: Option<i64>, generic: bool) -> RecordAt {
        RecordAt { id: id.to_vec(), addressing, key_length, generic, or_after: false }
    }

    fn key(definition: &FileDefinition, at: &RecordAt) -> Result<Vec<u8>, u32> {
        wanted(definition, at).map(|wanted| wanted.key).map_err(|answer| match answer {
            Answer::Condition { resp, resp2 } if resp == INVREQ.number => resp2,
            Answer::LongerKey { bytes } => 1_000 + bytes,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn keys_have_the_length_of_the_file_or_less_if_they_are_generic() {
        let key = |id: &[u8], length, generic| key(&keyed(), &at(id, Addressing::Key, length, generic));
        assert_eq!(key(b"ABCDEF", None, false), Ok(b"ABCD".to_vec()));
        assert_eq!(key(b"ABCD", Some(4), false), Ok(b"ABCD".to_vec()));
        assert_eq!(key(b"ABCD", Some(2), true), Ok(b"AB".to_vec()));
        assert_eq!(key(b"ABCD", Some(0), true), Ok(Vec::new()));
        assert_eq!(key(b"ABCD", Some(3), false), Err(NOT_THE_LENGTH));
        assert_eq!(key(b"ABC", None, false), Err(1_004));
        assert_eq!(key(b"A", Some(2), true), Err(1_002));
        assert_eq!(key(b"ABCD", Some(4), true), Err(GENERIC_TOO_LONG));
        assert_eq!(key(b"ABCD", Some(-1), true), Err(NEGATIVE));
    }

    #[test]
    fn addresses_go_with_the_files_that_have_them() {
        let (entries, relative) = (file(FileOrganization::EntrySequenced), file(FileOrganization::Relative));
        let rba = at(&[0, 0, 1, 0], Addressing::Rba, None, false);
        assert_eq!(key(&entries, &rba), Ok(vec![0, 0, 0, 0, 0, 0, 1, 0]));
        assert_eq!(key(&entries, &at(&[255; 4], Addressing::Rba, None, false)), Ok(vec![255; 8]));
        assert_eq!(key(&entries, &at(&[7; 8], Addressing::Xrba, None, false)), Ok(vec![7; 8]));
        assert_eq!(key(&relative, &at(&[0, 0, 0, 9], Addressing::Rrn, None, false)), Ok(vec![0, 0, 0, 9]));
        for (file, addressing) in [
            (&entries, Addressing::Key),
            (&entries, Addressing::Rrn),
            (&relative, Addressing::Rba),
            (&keyed(), Addressing::Rba),
        ] {
            assert_eq!(key(file, &at(&[0; 8], addressing, None, false)), Err(NOT_THIS_FILE));
        }
        assert_eq!(key(&relative, &at(&[0; 4], Addressing::Rrn, Some(2), true)), Err(NOT_THIS_FILE));
        assert_eq!(key(&relative, &at(&[0; 3], Addressing::Rrn, None, false)), Err(NOT_THE_LENGTH));
        assert_eq!(id(&[0, 0, 0, 0, 0, 0, 1, 0], Addressing::Rba), Some(vec![0, 0, 1, 0]));
        assert_eq!(id(&[0, 0, 0, 1, 0, 0, 0, 0], Addressing::Rba), None);
    }
}
