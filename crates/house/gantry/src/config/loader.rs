//! The loader of settings, with what the stages of loading hand to each other.

use std::ops::{Deref, DerefMut};

use codepage::{CodePage, Encoding, Family};
use settings::{Files, Problems};
use toml::Spanned;

use super::outbound::Connections;
use super::project::Projects;
use super::region::RegionUse;
use super::retired;

/// Reads files and gathers what is wrong with them.
pub(super) struct Loader<'f> {
    pub(super) reading: settings::Loader<'f>,
    /// The API projects that no API has been made of yet.
    pub(super) projects: Projects,
    /// Empty until they are read.
    pub(super) connections: Connections,
    /// What services need of the region.
    pub(super) region: RegionUse,
}

impl<'f> Deref for Loader<'f> {
    type Target = settings::Loader<'f>;

    fn deref(&self) -> &Self::Target {
        &self.reading
    }
}

impl DerefMut for Loader<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.reading
    }
}

impl<'f> Loader<'f> {
    pub(super) fn new(files: &'f Files, problems: Problems, projects: Projects) -> Self {
        Self {
            reading: settings::Loader::new(files, problems, retired::keys_of),
            projects,
            connections: Connections::default(),
            region: RegionUse::default(),
        }
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
}
