//! The registration of a back end: kinds of service providers, each with its section of a configuration.
//!
//! A service names its provider in `[provider]`, with `kind = "WORD"` and the keys of that kind. A back end is a crate with
//! a [`Kind`]. It says its word, reads its keys into a [`Section`], and the section makes the provider. The binary has one
//! list of all kinds. Nothing else there knows them.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use codepage::Encoding;
use interface::{Interface, InterfaceSection};
use service::ServiceProvider;
use settings::Loader;
use toml::Table;

/// A kind of provider.
pub trait Kind: fmt::Debug + Send + Sync {
    /// The word of `kind`.
    fn word(&self) -> &'static str;

    /// Reads the keys of `[provider]`, without `kind`.
    ///
    /// # Errors
    /// A key is unknown or missing, or its value has the wrong type.
    fn read(&self, keys: Table) -> Result<Box<dyn Section>, toml::de::Error>;
}

/// The provider section of a service.
pub trait Section: Send + Sync {
    /// Makes the provider of a service. If there are faults, it tells all of them to the place, and gives none.
    fn provider(&self, place: Place<'_, '_>) -> Option<Arc<dyn ServiceProvider>>;

    /// True if programs of this gateway's region get the payloads. Their text is then in the region's code page, and records are
    /// laid out as programs have them.
    fn runs_here(&self) -> bool {
        false
    }

    /// True if the provider may say the status of the answer (`service::Stated`).
    fn states_status(&self) -> bool {
        false
    }

    /// The section of a service's file that sends records to the back end, as `http` for `[http]`; none if
    /// there is no such section.
    fn way(&self) -> Option<&'static str> {
        None
    }
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn Section + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Section")
    }
}

/// The form of a service's payloads.
#[derive(Clone, Copy, Debug)]
pub enum Payloads<'a> {
    /// One record each way.
    Records {
        /// The request.
        request: RecordSide<'a>,
        /// The response.
        response: RecordSide<'a>,
    },
    /// One record each way. A WSDL describes both, and limits their length; there is no copybook.
    Messages {
        /// The most bytes of the request.
        request_bytes: usize,
        /// The most bytes of the response.
        response_bytes: usize,
    },
    /// Channels of containers.
    Channels,
}

/// The record of one way.
#[derive(Clone, Copy, Debug)]
pub struct RecordSide<'a> {
    /// The section in the service's file; none if the service does not have this side.
    pub section: Option<&'a InterfaceSection>,
    /// Its layout; none if it has a fault, which is reported elsewhere.
    pub interface: Option<&'a Interface>,
}

/// The description of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file in `services/`.
    File,
    /// An asset of an API project of z/OS Connect.
    Asset,
}

/// Results of earlier stages of loading, such as connections, or uses of the region by services. A back end
/// finds its own by the type.
#[derive(Debug)]
pub struct Given<'a>(pub &'a mut [&'a mut dyn Any]);

impl Given<'_> {
    /// The value of this type; none if no stage made it.
    pub fn get<T: Any>(&mut self) -> Option<&mut T> {
        self.0.iter_mut().find_map(|made| made.downcast_mut())
    }
}

/// The service that gets a provider, and the loader that gathers faults.
#[derive(Debug)]
pub struct Place<'a, 'f> {
    /// The files of the configuration, and their problems.
    pub loader: &'a mut Loader<'f>,
    /// The file of the service.
    pub path: &'a str,
    /// The file that has the section: that of the service, or `gantry.toml`.
    pub section_path: &'a str,
    /// The bytes of the section in its file.
    pub span: Range<usize>,
    /// The service's name.
    pub service: &'a str,
    /// The code page of text in its records; none if it has a fault, which is reported elsewhere.
    pub encoding: Option<Encoding>,
    /// The payloads of the provider.
    pub payloads: Payloads<'a>,
    /// The description of the service.
    pub origin: Origin,
    /// Results of earlier stages.
    pub given: Given<'a>,
}

impl Place<'_, '_> {
    /// Tells a fault of the section.
    pub fn fault(&mut self, message: impl Into<String>) {
        self.loader.at(self.section_path, self.span.clone(), message);
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
