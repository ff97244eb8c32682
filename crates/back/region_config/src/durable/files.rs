//! `[[region.file]]`: files of records.

use std::path::Path;

use region::{
    ALTERNATE_KEY_MAX_BYTES, Allowed, Collation, FileDefinition, FileOrganization, FileStatus, Initial,
    PathDefinition, RECORD_MAX_BYTES, RecordFormat,
};
use serde::Deserialize;
use toml::Spanned;
use wire::name;

use crate::names::check_length;

/// `[[region.file]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileSection {
    pub(crate) name: String,
    /// How it finds its records; needed, unless it is a path.
    pub(crate) organization: Option<OrganizationWord>,
    /// The length of each record, or of the longest; needed, unless it is a path.
    pub(crate) record_bytes: Option<usize>,
    pub(crate) record_format: Option<LengthWord>,
    /// The file whose records it finds by another key.
    pub(crate) path_of: Option<String>,
    /// Of a path: no two records have the same key.
    pub(crate) unique: Option<bool>,
    pub(crate) key_offset: Option<usize>,
    pub(crate) key_bytes: Option<usize>,
    pub(crate) collation: Option<CollationWord>,
    /// The EBCDIC page in whose order the keys are.
    pub(crate) order_ccsid: Option<u16>,
    pub(crate) recoverable: Option<bool>,
    pub(crate) allow: Option<Vec<OperationWord>>,
    #[serde(default)]
    pub(crate) status: StatusWord,
    /// The flat file with the records that it has when it is made.
    pub(crate) load: Option<String>,
    pub(crate) load_format: Option<FormatOfRecords>,
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
    Fixed,
    /// RECORDFORMAT of CICS's FILE definitions is V if it is not said.
    #[default]
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
    pub(crate) fn status(self) -> FileStatus {
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
pub enum FormatOfRecords {
    /// One after the other, all of one length.
    #[value(aliases = ["f", "fb"])]
    Fixed,
    /// Each in a line.
    Lines,
    /// Each after a record descriptor word of four bytes.
    #[value(alias = "v")]
    Variable,
}

impl FormatOfRecords {
    /// As the region knows it.
    #[must_use]
    pub fn format(self) -> RecordFormat {
        match self {
            FormatOfRecords::Fixed => RecordFormat::Fixed,
            FormatOfRecords::Lines => RecordFormat::Lines,
            FormatOfRecords::Variable => RecordFormat::Variable,
        }
    }
}

/// The page that gives EBCDIC order if none is named.
const ORDER_CCSID: u16 = 37;

/// The longest key (VSAM).
const KEY_MAX_BYTES: usize = 255;

impl FileSection {
    /// The file, for programs whose text is in `ccsid`; paths of the system begin at `folder`. `all` has the
    /// file that this may be a path of.
    pub(crate) fn definition(
        &self,
        ccsid: u16,
        folder: Option<&Path>,
        all: &[Spanned<FileSection>],
    ) -> Result<FileDefinition, String> {
        check_length("file", &self.name, 8)?;
        let Some(base) = &self.path_of else {
            return self.own_definition(ccsid, folder);
        };
        let own = |key: &str| Err(format!("a path has the {key} of its file: '{key}' goes without path_of"));
        match () {
            () if self.organization.is_some() => own("organization"),
            () if self.record_bytes.is_some() => own("record_bytes"),
            () if self.record_format.is_some() => own("record_format"),
            () if self.recoverable.is_some() => own("recoverable"),
            () if self.load.is_some() || self.load_format.is_some() => own("load"),
            () => Ok(()),
        }?;
        let is_base = |file: &&Spanned<FileSection>| file.get_ref().name.eq_ignore_ascii_case(base);
        let found = all.iter().find(is_base).map(Spanned::get_ref);
        let found = found.ok_or_else(|| format!("there is no [[region.file]] named {base}"))?;
        if found.path_of.is_some() {
            return Err(format!("{base} is a path itself: name the file that has the records"));
        }
        let base =
            found.own_definition(ccsid, folder).map_err(|_| format!("the definition of {base} is wrong"))?;
        Ok(FileDefinition {
            name: name(&self.name.to_uppercase()),
            allowed: self.allowed(),
            status: self.status.status(),
            initial: None,
            path: Some(self.path_of(&base, ccsid)?),
            ..base
        })
    }

    fn own_definition(&self, ccsid: u16, folder: Option<&Path>) -> Result<FileDefinition, String> {
        if self.unique.is_some() {
            return Err("'unique' goes with path_of: the key of a ksds always is".to_owned());
        }
        let record_bytes = self.record_bytes.ok_or("a file needs record_bytes, the length of its records")?;
        if !(1..=RECORD_MAX_BYTES).contains(&record_bytes) {
            return Err(format!("expected record_bytes from 1 to {RECORD_MAX_BYTES}, found {record_bytes}"));
        }
        let organization = self.organization(ccsid, record_bytes)?;
        // Slots of an RRDS have one length.
        let length = match organization {
            FileOrganization::Relative => LengthWord::Fixed,
            _ => LengthWord::default(),
        };
        let initial = match (&self.load, self.load_format) {
            (Some(path), format) => {
                let path = folder.map_or_else(|| path.into(), |folder| folder.join(path));
                Some(Initial { path, format: format.unwrap_or(FormatOfRecords::Fixed).format() })
            }
            (None, Some(_)) => return Err("load_format goes with load".to_owned()),
            (None, None) => None,
        };
        Ok(FileDefinition {
            name: name(&self.name.to_uppercase()),
            organization,
            record_bytes,
            fixed: self.record_format.unwrap_or(length) == LengthWord::Fixed,
            recoverable: self.recoverable.unwrap_or(true),
            allowed: self.allowed(),
            status: self.status.status(),
            initial,
            path: None,
        })
    }

    fn organization(&self, ccsid: u16, record_bytes: usize) -> Result<FileOrganization, String> {
        let word = self.organization.ok_or("a file needs organization: \"ksds\", \"esds\" or \"rrds\"")?;
        if word != OrganizationWord::Ksds {
            let keys = self.key_offset.is_some() || self.key_bytes.is_some();
            if keys || self.collation.is_some() || self.order_ccsid.is_some() {
                return Err(
                    "key_offset, key_bytes, collation and order_ccsid go with organization = \"ksds\""
                        .to_owned(),
                );
            }
            return Ok(match word {
                OrganizationWord::Esds => FileOrganization::EntrySequenced,
                _ => FileOrganization::Relative,
            });
        }
        let key_bytes = self.key_bytes.ok_or("a ksds needs key_bytes, the length of its key")?;
        let key_offset = self.key(record_bytes, (key_bytes, KEY_MAX_BYTES))?;
        Ok(FileOrganization::KeySequenced { key_offset, key_bytes, collation: self.collation(ccsid)? })
    }

    /// Where a key is that is at most so long.
    fn key(&self, record_bytes: usize, (key_bytes, most): (usize, usize)) -> Result<usize, String> {
        let key_offset = self.key_offset.unwrap_or(0);
        if !(1..=most).contains(&key_bytes) {
            return Err(format!("expected key_bytes from 1 to {most}, found {key_bytes}"));
        }
        if key_offset.saturating_add(key_bytes) > record_bytes {
            return Err(format!(
                "expected the key within {record_bytes} bytes of a record, found it at offset {key_offset} with {key_bytes} bytes"
            ));
        }
        Ok(key_offset)
    }

    fn collation(&self, ccsid: u16) -> Result<Collation, String> {
        match (self.collation, self.order_ccsid) {
            (Some(CollationWord::Binary), Some(_)) => {
                Err("order_ccsid goes with collation = \"ebcdic\"".to_owned())
            }
            (Some(CollationWord::Binary), None) => Ok(Collation::Binary),
            (_, order) => {
                Ok(Collation::Page { data_ccsid: ccsid, order_ccsid: order.unwrap_or(ORDER_CCSID) })
            }
        }
    }

    /// The path to a file with records like this.
    fn path_of(&self, base: &FileDefinition, ccsid: u16) -> Result<PathDefinition, String> {
        if !base.recoverable {
            return Err(
                "a path needs a file with recoverable = true: its index changes with the records".to_owned()
            );
        }
        if base.organization == FileOrganization::Relative {
            return Err("a path needs a ksds or an esds".to_owned());
        }
        let unique = self.unique.unwrap_or(false);
        let most = if unique { KEY_MAX_BYTES } else { ALTERNATE_KEY_MAX_BYTES };
        let key_bytes = self.key_bytes.ok_or("a path needs key_bytes, the length of its key")?;
        let key_offset = self.key(base.record_bytes, (key_bytes, most))?;
        let collation = self.collation(ccsid)?;
        Ok(PathDefinition { base: base.name, key_offset, key_bytes, collation, unique })
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
        toml::from_str::<FileSection>(&text).expect("a section").definition(
            819,
            Some(Path::new("/conf")),
            &[],
        )
    }

    #[test]
    fn files_are_what_their_keys_say() {
        let made = file("organization = 'ksds'\nkey_bytes = 10\nload = 'a.dat'").expect("a file");
        let collation = Collation::Page { data_ccsid: 819, order_ccsid: 37 };
        let organization = FileOrganization::KeySequenced { key_offset: 0, key_bytes: 10, collation };
        assert_eq!((made.name, made.organization), (*b"ACCT    ", organization));
        assert_eq!(made.initial, Some(Initial { path: "/conf/a.dat".into(), format: RecordFormat::Fixed }));
        assert!(!made.fixed && made.recoverable && made.allowed == Allowed::ALL);
        assert!(file("organization = 'esds'\nrecord_format = 'fixed'").expect("a file").fixed);
        let made = file("organization = 'rrds'\nallow = ['read']\nstatus = 'closed'").expect("a file");
        assert_eq!((made.organization, made.status), (FileOrganization::Relative, FileStatus::Closed));
        assert!(made.fixed);
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

    fn path(base: &str, text: &str) -> Result<FileDefinition, String> {
        let section = |text: String| toml::from_str::<FileSection>(&text).expect("a section");
        let base = section(format!("name = 'ACCT'\nrecord_bytes = 80\nstatus = 'closed'\n{base}"));
        let path = section(format!("name = 'byname'\n{text}"));
        path.definition(819, None, &[Spanned::new(0..0, base)])
    }

    #[test]
    fn a_path_has_the_records_of_its_file() {
        let text = "path_of = 'acct'\nkey_bytes = 20\nkey_offset = 10\nallow = ['read']";
        let made = path("organization = 'ksds'\nkey_bytes = 10", text).expect("a path");
        let collation = Collation::Page { data_ccsid: 819, order_ccsid: 37 };
        let expected =
            PathDefinition { base: *b"ACCT    ", key_offset: 10, key_bytes: 20, collation, unique: false };
        assert_eq!((made.name, made.record_bytes, made.path), (*b"BYNAME  ", 80, Some(expected)));
        assert_eq!((made.status, made.allowed.add), (FileStatus::Open, false));
    }

    #[test]
    fn paths_that_cannot_be_are_refused() {
        let ksds = "organization = 'ksds'\nkey_bytes = 10";
        for (base, text, expected) in [
            (ksds, "path_of = 'OTHER'\nkey_bytes = 1", "no [[region.file]] named OTHER"),
            (ksds, "path_of = 'ACCT'", "a path needs key_bytes"),
            (ksds, "path_of = 'ACCT'\nkey_bytes = 81", "within 80 bytes"),
            (ksds, "path_of = 'ACCT'\nkey_bytes = 236", "from 1 to 235"),
            (ksds, "path_of = 'ACCT'\nkey_bytes = 1\nrecord_bytes = 80", "goes without path_of"),
            (ksds, "path_of = 'ACCT'\nkey_bytes = 1\nload = 'x'", "goes without path_of"),
            (ksds, "organization = 'rrds'\nrecord_bytes = 9\nunique = true", "goes with path_of"),
            (ksds, "organization = 'rrds'", "needs record_bytes"),
            (ksds, "record_bytes = 9", "needs organization"),
            ("organization = 'rrds'", "path_of = 'ACCT'\nkey_bytes = 1", "a ksds or an esds"),
            (
                "organization = 'esds'\nrecoverable = false",
                "path_of = 'ACCT'\nkey_bytes = 1",
                "recoverable = true",
            ),
            ("organization = 'ksds'", "path_of = 'ACCT'\nkey_bytes = 1", "definition of ACCT is wrong"),
            ("path_of = 'X'", "path_of = 'ACCT'\nkey_bytes = 1", "is a path itself"),
        ] {
            let message = path(base, text).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
