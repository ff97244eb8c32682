//! Reads the files of the configuration, and gathers their faults.

use std::cell::RefCell;
use std::ops::Range;
use std::path::PathBuf;

use codepage::CodePage;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::copybooks::{self, Library, SOURCE_CCSID};
use crate::files::Files;
use crate::problem::{Problem, Problems, Severity};
use crate::retired::{self, KeysOf};
use crate::toml_faults::{self, Fault, Faulty};

/// The file that every configuration folder has.
pub const GANTRY_FILE: &str = "gantry.toml";

/// Names the file that a key at the top of another file belongs in; none if the key is not known. The path is that of the file
/// with the key.
pub type PlaceOf = fn(path: &str, key: &str) -> Option<&'static str>;

/// The use of a file of certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificatesOf {
    /// It proves the identity of one side: a certificate with its chain.
    Own,
    /// The authorities that vouch for other certificates.
    Authorities,
}

/// A file of certificates that the configuration names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFile {
    /// Its path.
    pub path: PathBuf,
    /// Its use.
    pub of: CertificatesOf,
    /// The file of the configuration that names it, and the place there.
    pub named_in: (String, Option<Range<usize>>),
}

/// Reads files and gathers their faults.
#[derive(Debug)]
pub struct Loader<'f> {
    /// The files.
    pub files: &'f Files,
    /// The faults so far.
    pub problems: Problems,
    /// The code page of COBOL sources that are not UTF-8.
    pub source_page: &'static CodePage,
    /// Gives the retired keys of a file.
    retired: KeysOf,
    /// Says which files have keys that stand in a wrong one.
    elsewhere: PlaceOf,
    /// `gantry.toml` has wrong keys or values.
    gantry_is_faulty: bool,
    /// The files of certificates so far.
    certificates: RefCell<Vec<CertificateFile>>,
}

impl<'f> Loader<'f> {
    /// A loader of these files.
    ///
    /// # Panics
    /// Never: the code page of [`SOURCE_CCSID`] is known.
    pub fn new(files: &'f Files, problems: Problems, retired: KeysOf) -> Self {
        let source_page = copybooks::source_page(SOURCE_CCSID).expect("the table has it");
        Self {
            files,
            problems,
            source_page,
            retired,
            elsewhere: |_, _| None,
            gantry_is_faulty: false,
            certificates: RefCell::default(),
        }
    }

    /// The same, and it helps with keys that stand in a wrong file.
    #[must_use]
    pub fn helped(self, elsewhere: PlaceOf) -> Self {
        Self { elsewhere, ..self }
    }

    /// Adds a file of certificates, with the place in the configuration that names it.
    pub fn note_certificates(
        &self,
        path: impl Into<PathBuf>,
        of: CertificatesOf,
        (file, span): (&str, Option<Range<usize>>),
    ) {
        let noted = CertificateFile { path: path.into(), of, named_in: (file.to_owned(), span) };
        self.certificates.borrow_mut().push(noted);
    }

    /// The files of certificates so far.
    pub fn take_certificates(&mut self) -> Vec<CertificateFile> {
        self.certificates.take()
    }

    /// The folder of copybooks.
    pub fn copybooks(&self) -> Library<'f> {
        Library { files: self.files, folder: "copybooks", page: self.source_page }
    }

    /// Takes the code page of sources from `gantry.toml`.
    pub fn take_source_page(&mut self, ccsid: &Spanned<u16>) {
        match copybooks::source_page(*ccsid.get_ref()) {
            Ok(page) => self.source_page = page,
            Err(message) => self.at(GANTRY_FILE, ccsid.span(), message),
        }
    }

    /// Reads and parses one TOML file, and adds its faults.
    pub fn parse<T: DeserializeOwned>(&mut self, path: &str) -> Option<(T, String)> {
        self.parse_or(path, |_| None)
    }

    /// The same. If the file has faults, `rest` uses the part without faults.
    fn parse_or<T: DeserializeOwned>(
        &mut self,
        path: &str,
        rest: impl FnOnce(T) -> Option<T>,
    ) -> Option<(T, String)> {
        let shown = self.files.display(path);
        let text = match self.files.read(path) {
            Ok(text) => text,
            Err(error) => {
                self.problems.add(&shown, None, format!("cannot be read: {error}"));
                return None;
            }
        };
        self.problems.text(&shown, &text);
        let faulty = match self.without_retired(path, &text) {
            Ok(value) => return Some((value, text)),
            Err(faulty) => faulty,
        };
        for Fault { span, message, help } in faulty.faults {
            let (severity, file) = (Severity::Error, shown.clone());
            self.problems.push(Problem { severity, file, span, message, help });
        }
        Some((faulty.rest.and_then(rest)?, text))
    }

    /// The content of a file. Keys that became constants give warnings, and are left out.
    fn without_retired<T: DeserializeOwned>(&mut self, path: &str, text: &str) -> Result<T, Faulty<T>> {
        let mut root =
            DeTable::parse(text).map_err(|error| Faulty { faults: vec![Fault::of(&error)], rest: None })?;
        for (span, message) in retired::take(&(self.retired)(path), root.get_mut()) {
            self.warn_at(path, span, message);
        }
        toml_faults::read(root).map_err(|mut faulty| {
            // Only a file with faults is parsed again, for its keys.
            let Ok(root) = DeTable::parse(text) else { return faulty };
            for fault in faulty.faults.iter_mut().filter(|fault| fault.help.is_none()) {
                let key = root.get_ref().keys().find(|key| fault.span.as_ref() == Some(&key.span()));
                let place = key.and_then(|key| Some((key.get_ref(), (self.elsewhere)(path, key.get_ref())?)));
                fault.help = place.map(|(key, place)| format!("'{key}' belongs in {place}"));
            }
            faulty
        })
    }

    /// The content of `gantry.toml`. Its faults are noted, and the content is used without them, because
    /// other files refer to it. If it cannot be read at all, it counts as empty.
    pub fn gantry<T: DeserializeOwned + Default>(&mut self) -> T {
        if self.files.read(GANTRY_FILE).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            let shown = self.files.display(GANTRY_FILE);
            self.problems.add(
                &shown,
                None,
                "the file does not exist; every configuration folder needs one, even an empty one. Is this the right folder?",
            );
            return T::default();
        }
        let known = self.problems.error_count();
        let file = self.parse_or(GANTRY_FILE, Some).map(|(file, _)| file).unwrap_or_default();
        self.gantry_is_faulty = self.problems.error_count() > known;
        file
    }

    /// The names of all sections `[[key]]` that `gantry.toml` has, if it has wrong keys or values: then some of the sections
    /// may be left out. A section without a name counts as well. `None` if the file is no TOML.
    pub fn names_of_faulty(&self, key: &str) -> Option<Vec<Option<String>>> {
        if !self.gantry_is_faulty {
            return Some(Vec::new());
        }
        let text = self.files.read(GANTRY_FILE).ok()?;
        let root = DeTable::parse(&text).ok()?;
        let Some(DeValue::Array(sections)) = root.get_ref().get(key).map(Spanned::get_ref) else {
            return Some(Vec::new());
        };
        let name = |section: &Spanned<DeValue<'_>>| match section.get_ref().get("name")?.get_ref() {
            DeValue::String(name) => Some(name.clone().into_owned()),
            _ => None,
        };
        Some(sections.iter().map(name).collect())
    }

    /// True if `gantry.toml` has this section, or may have it, and its faults keep it from being read. Then nothing is said about
    /// its absence.
    #[must_use]
    pub fn has_faulty(&self, key: &str) -> bool {
        let Some(text) = self.files.read(GANTRY_FILE).ok().filter(|_| self.gantry_is_faulty) else {
            return false;
        };
        DeTable::parse(&text).map_or(true, |root| root.get_ref().get(key).is_some())
    }

    /// Adds no more problems of a faulty `gantry.toml`. They could be consequences of the faults that were
    /// left out.
    pub fn close_gantry(&mut self) {
        if self.gantry_is_faulty {
            let shown = self.files.display(GANTRY_FILE);
            self.problems.close(&shown);
        }
    }

    /// Adds a fault at a place in a file.
    pub fn at(&mut self, path: &str, span: Range<usize>, message: impl Into<String>) {
        let shown = self.files.display(path);
        self.problems.add(&shown, Some(span), message);
    }

    /// Adds a fault of a line of a file, or of the whole file if the line is 0.
    pub fn at_line(&mut self, path: &str, line: usize, message: impl Into<String>) {
        let shown = self.files.display(path);
        if let Ok(text) = self.files.read(path) {
            self.problems.text(&shown, &text);
        }
        self.problems.add_line(&shown, line, message);
    }

    /// Adds a warning about a line of a file.
    pub fn warn_at_line(&mut self, path: &str, line: usize, message: impl Into<String>) {
        let file = self.files.display(path);
        if let Ok(text) = self.files.read(path) {
            self.problems.text(&file, &text);
        }
        let (severity, span) = (Severity::Warning, self.problems.span_of_line(&file, line));
        self.problems.push(Problem { severity, file, span, message: message.into(), help: None });
    }

    /// Adds a warning about a place in a file.
    pub fn warn_at(&mut self, path: &str, span: Range<usize>, message: impl Into<String>) {
        let file = self.files.display(path);
        let (severity, span) = (Severity::Warning, Some(span));
        self.problems.push(Problem { severity, file, span, message: message.into(), help: None });
    }

    /// Adds a warning about a file.
    pub fn warn(&mut self, path: &str, message: impl Into<String>) {
        let file = self.files.display(path);
        let severity = Severity::Warning;
        self.problems.push(Problem { severity, file, span: None, message: message.into(), help: None });
    }

    /// Adds a fault of a file as a whole.
    pub fn at_file(&mut self, path: &str, message: impl Into<String>) {
        let shown = self.files.display(path);
        self.problems.add(&shown, None, message);
    }

    /// The entries of a folder; none if it cannot be read, which adds a fault.
    pub fn entries(&mut self, folder: &str) -> Vec<String> {
        self.files.list(folder).unwrap_or_else(|error| {
            let shown = self.files.display(folder);
            self.problems.add(&shown, None, format!("cannot be read: {error}"));
            Vec::new()
        })
    }
}
