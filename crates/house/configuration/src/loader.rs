//! The loader of settings. The stages of loading in this crate are its functions. It holds no
//! results: each stage takes its inputs and returns its result.

use std::ops::{Deref, DerefMut};

use settings::{Files, Problems};

use super::{elsewhere, retired};

/// Reads files and gathers their faults.
pub(super) struct Loader<'f> {
    pub(super) reading: settings::Loader<'f>,
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
    pub(super) fn new(files: &'f Files, problems: Problems) -> Self {
        Self { reading: settings::Loader::new(files, problems, retired::keys_of).helped(elsewhere::place_of) }
    }
}
