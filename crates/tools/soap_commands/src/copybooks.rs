//! Copybooks from folders, with the members that they copy, as a bind file holds them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use codepage::CodePage;
use copybook::{Member, Options};
use settings::copybooks::{Library, find_file};
use settings::{Files, MapIndex};

/// Where copybooks are looked for, and how their text is read.
pub(crate) struct Folders {
    folders: Vec<Files>,
    page: &'static CodePage,
}

impl Folders {
    /// Folders in their order. `page` is that of sources that are not UTF-8.
    pub(crate) fn new(folders: &[PathBuf], page: &'static CodePage) -> Result<Self, String> {
        if let Some(folder) = folders.iter().find(|folder| !folder.is_dir()) {
            return Err(format!("{} is not a folder", folder.display()));
        }
        Ok(Self { folders: folders.iter().map(|folder| Files::at(folder.clone())).collect(), page })
    }

    /// Adds a member and all that it copies to the copybooks of a bind file.
    ///
    /// # Errors
    /// The member does not exist.
    pub(crate) fn add(&self, member: &str, copybooks: &mut BTreeMap<String, String>) -> Result<(), String> {
        let libraries: Vec<Library<'_>> =
            self.folders.iter().map(|files| Library { files, folder: "", page: self.page }).collect();
        let maps = MapIndex::default();
        let find = |name: &str, library: Option<&str>| {
            find_file(&libraries, &maps, name, library).map(|found| found.member)
        };
        let text = find(member, None).map_err(|message| format!("{member}: {message}"))?.text;
        let found = RefCell::new(Vec::new());
        let library = |name: &str, library: Option<&str>| {
            let Member { text, .. } = find(name, library)?;
            found.borrow_mut().push((name.to_owned(), text.clone()));
            Ok(Member { name: name.to_owned(), text })
        };
        // The reader of the bind file reports faults of the text.
        let _ = copybook::parse_with(member, &text, &Options::default(), &library);
        copybooks.insert(member.to_owned(), text);
        copybooks.extend(found.into_inner());
        Ok(())
    }
}
