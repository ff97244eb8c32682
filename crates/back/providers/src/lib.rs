//! What a back end registers: kinds of service providers, each with its section of a configuration.
//!
//! A service names its provider in `[provider]`, with `kind = "WORD"` and the keys of that kind. A back end is a crate with
//! a [`Kind`]. It says its word, reads its keys into a [`Section`], and the section makes the provider. The binary has one
//! list of all kinds. Nothing else there knows them.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use codepage::Encoding;
use service::ServiceProvider;
use settings::Loader;
use toml::Table;

/// A kind of provider.
pub trait Kind: Debug + Send + Sync {
    /// The word of `kind`.
    fn word(&self) -> &'static str;

    /// Reads the keys of `[provider]`, without `kind`.
    ///
    /// # Errors
    /// A key is unknown or missing, or its value has the wrong type.
    fn read(&self, keys: Table) -> Result<Box<dyn Section>, toml::de::Error>;
}

/// What a service says of its provider.
pub trait Section: Debug + Send + Sync {
    /// Makes the provider of a service. If there are faults, it tells all of them to the place, and gives none.
    fn provider(&self, place: Place<'_, '_>) -> Option<Arc<dyn ServiceProvider>>;
}

/// The service for which a provider is made, and where faults are told.
#[derive(Debug)]
pub struct Place<'a, 'f> {
    /// The files of the configuration, and their problems.
    pub loader: &'a mut Loader<'f>,
    /// The file that has the section.
    pub path: &'a str,
    /// The bytes of the section in the file.
    pub span: Range<usize>,
    /// The service's name.
    pub service: &'a str,
    /// The code page of text in its records; none if it has a fault, which is told elsewhere.
    pub encoding: Option<Encoding>,
}

impl Place<'_, '_> {
    /// Tells a fault of the section.
    pub fn fault(&mut self, message: impl Into<String>) {
        self.loader.at(self.path, self.span.clone(), message);
    }
}

/// The kinds that a program knows.
#[derive(Clone, Copy, Debug)]
pub struct Kinds(pub &'static [&'static dyn Kind]);

impl Kinds {
    /// The kind of a word.
    #[must_use]
    pub fn of(self, word: &str) -> Option<&'static dyn Kind> {
        self.0.iter().copied().find(|kind| kind.word() == word)
    }

    /// The words of all kinds.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|kind| kind.word())
    }
}
