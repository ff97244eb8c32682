//! `[[region.file]]`: files of records.

use std::path::Path;

use region::wire::name;
use region::{
    Allowed, Collation, FileDefinition, FileOrganization, FileStatus, Initial, RECORD_MAX_BYTES, RecordFormat,
};
use serde::Deserialize;

use super::super::region::check_length;

/// `[[region.file]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileSection {
    pub(crate) name: String,
    pub(crate) organization: OrganizationWord,
    /// The length of each record, or the most that one may have.
    pub(crate) record_bytes: usize,
    #[serde(default)]
    pub(crate) record_format: LengthWord,
    #[serde(default)]
    pub(crate) key_offset: Option<usize>,
    pub(crate) key_bytes: Option<usize>,
    pub(crate) collation: Option<CollationWord>,
    /// The EBCDIC page whose order keys have.
    pub(crate) order_ccsid: Option<u16>,
    #[serde(default = "default_recoverable")]
    pub(crate) recoverable: bool,
    pub(crate) allow: Option<Vec<OperationWord>>,
    #[serde(default)]
    pub(crate) status: StatusWord,
    /// The flat file with the records that it has when it is made.
    pub(crate) load: Option<String>,
    pub(crate) load_format: Option<FormatOfRecords>,
}

fn default_recoverable() -> bool {
    true
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OrganizationWord {
    Ksds,
    Esds,
    Rrds,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LengthWord {
    #[default]
    Fixed,
    Variable,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CollationWord {
    Ebcdic,
    Binary,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OperationWord {
    Read,
    Add,
    Update,
    Delete,
    Browse,
}

/// Whether a file or queue can be used.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StatusWord {
    #[default]
    Open,
    Closed,
    Disabled,
}

impl StatusWord {
    pub(super) fn status(self) -> FileStatus {
        match self {
            StatusWord::Open => FileStatus::Open,
            StatusWord::Closed => FileStatus::Closed,
            StatusWord::Disabled => FileStatus::Disabled,
        }
    }
}

/// How a flat file has records.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FormatOfRecords {
    /// One after the other, all of one length.
    Fixed,
    /// Each in a line.
    Lines,
    /// Each after a record descriptor word of four bytes.
    Variable,
}

impl FormatOfRecords {
    pub(crate) fn format(self) -> RecordFormat {
        match self {
            FormatOfRecords::Fixed => RecordFormat::Fixed,
            FormatOfRecords::Lines => RecordFormat::Lines,
            FormatOfRecords::Variable => RecordFormat::Variable,
        }
    }
}

/// The page whose order is EBCDIC order if none is named.
const ORDER_CCSID: u16 = 37;

/// The longest key (VSAM).
const KEY_MAX_BYTES: usize = 255;

impl FileSection {
    /// The file, for programs whose text is in `ccsid`; paths begin at `folder`.
    pub(super) fn definition(&self, ccsid: u16, folder: Option<&Path>) -> Result<FileDefinition, String> {
        let shown = &self.name;
        check_length("file", shown, 8)?;
        if !(1..=RECORD_MAX_BYTES).contains(&self.record_bytes) {
            return Err(format!(
                "expected record_bytes from 1 to {RECORD_MAX_BYTES}, found {}",
                self.record_bytes
            ));
        }
        let organization = self.organization(ccsid)?;
        let initial = match (&self.load, self.load_format) {
            (Some(path), format) => {
                let path = folder.map_or_else(|| path.into(), |folder| folder.join(path));
                Some(Initial { path, format: format.unwrap_or(FormatOfRecords::Fixed).format() })
            }
            (None, Some(_)) => return Err("load_format goes with load".to_owned()),
            (None, None) => None,
        };
        Ok(FileDefinition {
            name: name(&shown.to_uppercase()),
            organization,
            record_bytes: self.record_bytes,
            fixed: self.record_format == LengthWord::Fixed,
            recoverable: self.recoverable,
            allowed: self.allowed(),
            status: self.status.status(),
            initial,
        })
    }

    fn organization(&self, ccsid: u16) -> Result<FileOrganization, String> {
        if self.organization != OrganizationWord::Ksds {
            let keys = self.key_offset.is_some() || self.key_bytes.is_some();
            if keys || self.collation.is_some() || self.order_ccsid.is_some() {
                return Err(
                    "key_offset, key_bytes, collation and order_ccsid go with organization = \"ksds\""
                        .to_owned(),
                );
            }
            return Ok(match self.organization {
                OrganizationWord::Esds => FileOrganization::EntrySequenced,
                _ => FileOrganization::Relative,
            });
        }
        let key_bytes = self.key_bytes.ok_or("a ksds needs key_bytes, the length of its key")?;
        let key_offset = self.key_offset.unwrap_or(0);
        if !(1..=KEY_MAX_BYTES).contains(&key_bytes) {
            return Err(format!("expected key_bytes from 1 to {KEY_MAX_BYTES}, found {key_bytes}"));
        }
        if key_offset.saturating_add(key_bytes) > self.record_bytes {
            return Err(format!(
                "expected the key within {} bytes of a record, found it at offset {key_offset} with {key_bytes} bytes",
                self.record_bytes
            ));
        }
        let collation = match (self.collation, self.order_ccsid) {
            (Some(CollationWord::Binary), Some(_)) => {
                return Err("order_ccsid goes with collation = \"ebcdic\"".to_owned());
            }
            (Some(CollationWord::Binary), None) => Collation::Binary,
            (_, order) => Collation::Page { data_ccsid: ccsid, order_ccsid: order.unwrap_or(ORDER_CCSID) },
        };
        Ok(FileOrganization::KeySequenced { key_offset, key_bytes, collation })
    }

    fn allowed(&self) -> Allowed {
        let Some(words) = &self.allow else { return Allowed::ALL };
        let has = |word| words.contains(&word);
        Allowed {
            read: has(OperationWord::Read),
            add: has(OperationWord::Add),
            update: has(OperationWord::Update),
            delete: has(OperationWord::Delete),
            browse: has(OperationWord::Browse),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Result<FileDefinition, String> {
        let text = format!("name = 'acct'\nrecord_bytes = 80\n{text}");
        toml::from_str::<FileSection>(&text).expect("a section").definition(819, Some(Path::new("/conf")))
    }

    #[test]
    fn files_are_what_their_keys_say() {
        let made = file("organization = 'ksds'\nkey_bytes = 10\nload = 'a.dat'").expect("a file");
        let collation = Collation::Page { data_ccsid: 819, order_ccsid: 37 };
        let organization = FileOrganization::KeySequenced { key_offset: 0, key_bytes: 10, collation };
        assert_eq!((made.name, made.organization), (*b"ACCT    ", organization));
        assert_eq!(made.initial, Some(Initial { path: "/conf/a.dat".into(), format: RecordFormat::Fixed }));
        assert!(made.fixed && made.recoverable && made.allowed == Allowed::ALL);
        let made = file("organization = 'rrds'\nallow = ['read']\nstatus = 'closed'").expect("a file");
        assert_eq!((made.organization, made.status), (FileOrganization::Relative, FileStatus::Closed));
        assert!(made.allowed.read && !made.allowed.add);
    }

    #[test]
    fn files_that_cannot_be_are_refused() {
        for (text, expected) in [
            ("organization = 'ksds'", "needs key_bytes"),
            ("organization = 'ksds'\nkey_bytes = 256", "from 1 to 255"),
            ("organization = 'ksds'\nkey_bytes = 10\nkey_offset = 71", "within 80 bytes"),
            ("organization = 'esds'\nkey_bytes = 10", "go with organization"),
            (
                "organization = 'ksds'\nkey_bytes = 1\ncollation = 'binary'\norder_ccsid = 37",
                "order_ccsid goes",
            ),
            ("organization = 'rrds'\nload_format = 'lines'", "goes with load"),
        ] {
            let message = file(text).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
