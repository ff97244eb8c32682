//! Reads the files of the configuration, and gathers what is wrong with them.

use std::ops::Range;

use codepage::{CodePage, Encoding, Family};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::DeTable;

use super::files::Files;
use super::outbound::Connections;
use super::problem::{Problem, Problems, Severity};
use super::project::Projects;
use super::region::RegionUse;
use super::retired;
use super::written::GantryFile;
use crate::copybooks::{self, Library};

pub(super) const GANTRY_FILE: &str = "gantry.toml";

/// Reads files and gathers what is wrong with them.
pub(super) struct Loader<'f> {
    pub(super) files: &'f Files,
    pub(super) problems: Problems,
    /// The API projects that no API has been made of yet.
    pub(super) projects: Projects,
    /// Empty until they are read.
    pub(super) connections: Connections,
    /// What services need of the region.
    pub(super) region: RegionUse,
    /// The code page of COBOL sources that are not UTF-8.
    pub(super) source_page: &'static CodePage,
}

impl<'f> Loader<'f> {
    /// The folder of copybooks.
    pub(super) fn copybooks(&self) -> Library<'f> {
        Library { files: self.files, folder: "copybooks", page: self.source_page }
    }

    /// Takes the code page of sources from the configuration.
    pub(super) fn source_page(&mut self, gantry: &GantryFile) {
        let Some(ccsid) = &gantry.source_ccsid else { return };
        match copybooks::source_page(*ccsid.get_ref()) {
            Ok(page) => self.source_page = page,
            Err(message) => self.at(GANTRY_FILE, ccsid.span(), message),
        }
    }

    /// Reads and parses one TOML file; what is wrong with it is noted.
    pub(super) fn parse<T: DeserializeOwned>(&mut self, path: &str) -> Option<(T, String)> {
        let shown = self.files.display(path);
        let text = match self.files.read(path) {
            Ok(text) => text,
            Err(error) => {
                self.problems.add(&shown, None, format!("cannot be read: {error}"));
                return None;
            }
        };
        self.problems.text(&shown, &text);
        match self.without_retired(path, &text) {
            Ok(value) => Some((value, text)),
            Err(error) => {
                let message = in_plain_words(error.message().lines().next().unwrap_or_default());
                let help = nearest_key(error.message());
                let severity = Severity::Error;
                self.problems.push(Problem { severity, file: shown, span: error.span(), message, help });
                None
            }
        }
    }

    /// What a file says; keys that became constants are warned of, and left out.
    fn without_retired<T: DeserializeOwned>(&mut self, path: &str, text: &str) -> Result<T, toml::de::Error> {
        let mut root = DeTable::parse(text)?;
        for (span, message) in retired::take(path, root.get_mut()) {
            self.warn_at(path, span, message);
        }
        T::deserialize(toml::Deserializer::from(root))
    }

    /// What `gantry.toml` says; a fault in it is noted, and it is taken as empty.
    pub(super) fn gantry(&mut self) -> GantryFile {
        if self.files.read(GANTRY_FILE).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            let shown = self.files.display(GANTRY_FILE);
            self.problems.add(
                &shown,
                None,
                "there is no such file; a configuration folder has one, even if it is empty",
            );
            return GantryFile::default();
        }
        self.parse(GANTRY_FILE).map(|(file, _)| file).unwrap_or_default()
    }

    /// The code page of data for programs that run here. A package means the program on the mainframe: here, text is in the
    /// region's page. What somebody wrote counts, and is warned of if programs could not read it.
    pub(super) fn ccsid_of_programs(&mut self, path: &str, written: &Spanned<u16>) -> Spanned<u16> {
        let Some(ccsid) = self.region.ccsid() else { return written.clone() };
        if self.files.is_packaged(path) {
            self.warn_of_double_bytes(path, written, ccsid);
            return Spanned::new(written.span(), ccsid);
        }
        let is_ebcdic =
            CodePage::by_ccsid(*written.get_ref()).is_some_and(|page| page.family() == Family::Ebcdic);
        if is_ebcdic {
            let message = format!(
                "CCSID {} is EBCDIC, but a program that runs here reads and writes text in the region's code page: expected ccsid = {ccsid}",
                written.get_ref()
            );
            self.warn_at(path, written.span(), message);
        }
        written.clone()
    }

    /// Warns of a package whose text has double-byte characters, which programs that run here cannot have: the pages of regions
    /// are single-byte, and GnuCOBOL has no PIC G.
    fn warn_of_double_bytes(&mut self, path: &str, written: &Spanned<u16>, ccsid: u16) {
        let encoding = Encoding::by_ccsid(*written.get_ref());
        if encoding.is_none_or(|encoding| encoding.double_byte().is_none()) {
            return;
        }
        let message = format!(
            "the package's text is in CCSID {}, which has double-byte characters; a program that runs here has its text in the region's \
             code page, CCSID {ccsid}, which has none. Text with such characters is refused, and so are fields of PIC G: the service needs \
             its program on the mainframe",
            written.get_ref()
        );
        self.warn_at(path, written.span(), message);
    }

    /// A fault of a place in a file.
    pub(super) fn at(&mut self, path: &str, span: Range<usize>, message: impl Into<String>) {
        let shown = self.files.display(path);
        self.problems.add(&shown, Some(span), message);
    }

    /// A fault of a line of a file, or of the whole file if the line is 0.
    pub(super) fn at_line(&mut self, path: &str, line: usize, message: impl Into<String>) {
        let shown = self.files.display(path);
        if let Ok(text) = self.files.read(path) {
            self.problems.text(&shown, &text);
        }
        self.problems.add_line(&shown, line, message);
    }

    /// Something about a line of a file that does not prevent serving.
    pub(super) fn warn_at_line(&mut self, path: &str, line: usize, message: impl Into<String>) {
        let file = self.files.display(path);
        if let Ok(text) = self.files.read(path) {
            self.problems.text(&file, &text);
        }
        let (severity, span) = (Severity::Warning, self.problems.span_of_line(&file, line));
        self.problems.push(Problem { severity, file, span, message: message.into(), help: None });
    }

    /// Something about a place in a file that does not prevent serving.
    pub(super) fn warn_at(&mut self, path: &str, span: Range<usize>, message: impl Into<String>) {
        let file = self.files.display(path);
        let (severity, span) = (Severity::Warning, Some(span));
        self.problems.push(Problem { severity, file, span, message: message.into(), help: None });
    }

    /// Something about a file that does not prevent serving.
    pub(super) fn warn(&mut self, path: &str, message: impl Into<String>) {
        let file = self.files.display(path);
        let severity = Severity::Warning;
        self.problems.push(Problem { severity, file, span: None, message: message.into(), help: None });
    }

    /// A fault of a file as a whole.
    pub(super) fn at_file(&mut self, path: &str, message: impl Into<String>) {
        let shown = self.files.display(path);
        self.problems.add(&shown, None, message);
    }

    /// What is in a folder; none if it cannot be read, which is noted.
    pub(super) fn entries(&mut self, folder: &str) -> Vec<String> {
        self.files.list(folder).unwrap_or_else(|error| {
            let shown = self.files.display(folder);
            self.problems.add(&shown, None, format!("cannot be read: {error}"));
            Vec::new()
        })
    }
}

/// A message with what people call a number in place of what Rust calls it.
fn in_plain_words(message: &str) -> String {
    let Some((found, expected)) = message.rsplit_once("expected ") else { return message.to_owned() };
    let numbers = match expected {
        "u8" => format!("from 0 to {}", u8::MAX),
        "u16" => format!("from 0 to {}", u16::MAX),
        "u32" => format!("from 0 to {}", u32::MAX),
        "u64" | "usize" => "from 0".to_owned(),
        _ => return message.to_owned(),
    };
    format!("{found}expected a whole number {numbers}")
}

/// For a message that lists the known keys, the one that was probably meant.
fn nearest_key(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let found = quoted
        .next()
        .filter(|_| message.starts_with("unknown field") || message.starts_with("unknown variant"))?;
    let close = |known: &&str| {
        let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
        plain(known) == plain(found) || copybook::edit_distance(known, found) <= 1 + found.len() / 4
    };
    quoted.find(close).map(|known| format!("did you mean '{known}'?"))
}
