//! What administration needs of the process that it administers, and of the gateway that serves in it.

use std::fmt::Debug;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use ::region::Region;
use api::{Api, SecurityScheme};
use conversion::Conversion;
use metrics::ServiceMetrics;
use security::{Action, Identity, Kind};
use service::Service;

/// The process, whichever gateway serves in it.
pub trait Process: Debug + Send + Sync {
    /// The gateway that serves now.
    fn gateway(&self) -> Arc<dyn Gateway>;

    /// When the process began.
    fn begun(&self) -> SystemTime;

    /// True if the process stops, and wants no new requests.
    fn is_stopping(&self) -> bool;

    /// All figures as they are now, in the OpenMetrics format.
    fn figures(&self) -> String;

    /// What the running configuration is.
    fn state(&self) -> State;

    /// The ports where APIs are served, in the order of the configuration.
    fn api_ports(&self) -> Vec<ApiPort>;

    /// Loads the files. True if they serve now. Waits for the disk.
    fn reload(&self) -> bool;

    /// Takes new bind files from the pickup folders of pipelines to their shelves, and lets them serve. Waits for the disk.
    ///
    /// # Errors
    /// Why nothing was taken.
    fn scan(&self) -> Result<Scan, String>;

    /// The names of the APIs that the files have now, whether or not they could be loaded. None if the files cannot be read.
    /// Waits for the disk.
    fn apis_in_files(&self) -> Vec<String>;

    /// Starts or stops something, and keeps that.
    ///
    /// # Errors
    /// It cannot be kept; nothing has changed then.
    fn switch(&self, kind: Kind, name: &str, started: bool) -> io::Result<()>;

    /// Copies the store into a new file of this name, in the folder `backups` beside it. Waits for the disk.
    ///
    /// # Errors
    /// Why there is no copy.
    fn backup(&self, name: &str) -> Result<PathBuf, String>;

    /// The queue manager, if there is one.
    fn queue_manager(&self) -> Option<queue::Manager>;

    /// The endpoint groups.
    fn groups(&self) -> &connector::Groups;

    /// Does something to an endpoint group, or to an endpoint as `GROUP/ENDPOINT`, and keeps that. False if it is not there, or
    /// cannot be done to it.
    ///
    /// # Errors
    /// It cannot be kept; nothing has changed then.
    fn act_on_group(&self, act: connector::Act, name: &str) -> io::Result<bool>;

    /// Deploys a package; gives its name. Waits for the disk.
    ///
    /// # Errors
    /// Why it does not serve.
    fn deploy(&self, deployment: &Deployment<'_>) -> Result<String, Refusal>;

    /// Takes a package away. Waits for the disk.
    ///
    /// # Errors
    /// There is none, or others need what it has.
    fn undeploy(&self, kind: Kind, name: &str) -> Result<(), Refusal>;
}

/// A gateway: everything that a configuration serves.
pub trait Gateway: Debug + Send + Sync {
    /// The APIs, in the order of the configuration.
    fn apis(&self) -> Vec<ApiView<'_>>;

    /// An API.
    fn api(&self, name: &str) -> Option<ApiView<'_>> {
        self.apis().into_iter().find(|view| view.api.name() == name)
    }

    /// The services, by name.
    fn services(&self) -> Vec<ServiceView<'_>>;

    /// A service.
    fn service(&self, name: &str) -> Option<ServiceView<'_>>;

    /// The API requesters, by name.
    fn requesters(&self) -> Vec<RequesterView<'_>>;

    /// Where programs run, if there are any.
    fn region(&self) -> Option<&Arc<Region>>;

    /// Whether somebody who was let in may do this with one of many, so that lists show no more than details.
    fn may(&self, identity: Option<&Identity>, of: (Kind, &str), action: Action) -> bool;

    /// The ways to be known.
    fn schemes(&self) -> Vec<SecurityScheme>;
}

/// What the running configuration is, and what keeps a newer one from running.
#[derive(Clone, Debug)]
pub struct State {
    /// Counts the configurations that have served.
    pub generation: u64,
    /// Since when this one serves.
    pub since: SystemTime,
    /// The faults of the files as they are now, if they cannot serve; as `gantry check` shows them.
    pub faults: Option<String>,
    /// The programs whose sources have such faults.
    pub faulty_programs: Vec<String>,
    /// The programs and packages that are left out of what serves.
    pub faulty_parts: Vec<String>,
}

/// What became of the bind files in pickup folders.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Each of them.
    pub files: Vec<ScannedFile>,
    /// What is taken serves.
    pub serves: bool,
}

/// A bind file in a pickup folder.
#[derive(Clone, Debug)]
pub struct ScannedFile {
    /// The pipeline.
    pub pipeline: String,
    /// The file's name.
    pub file: String,
    /// What became of it: `installed`, `replaced`, `unchanged`, `older` or `refused`.
    pub outcome: &'static str,
    /// Why it is refused.
    pub faults: Vec<String>,
}

/// A port where APIs are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiPort {
    /// Its number.
    pub port: u16,
    /// It has TLS.
    pub tls: bool,
}

/// An API as it serves.
#[derive(Clone, Copy, Debug)]
pub struct ApiView<'g> {
    /// The API.
    pub api: &'g Api,
    /// Whether it is started.
    pub is_started: bool,
}

/// A service as it serves.
#[derive(Clone, Copy, Debug)]
pub struct ServiceView<'g> {
    /// The service.
    pub service: &'g Service,
    /// Between its JSON and its records.
    pub conversion: &'g Conversion,
    /// The provider's name that clients know from z/OS Connect.
    pub zos_provider: Option<&'g str>,
    /// Whether it is started.
    pub is_started: bool,
    /// What is counted of its calls.
    pub metrics: &'g ServiceMetrics,
}

/// An API requester as it serves.
#[derive(Clone, Copy, Debug)]
pub struct RequesterView<'g> {
    /// Its name.
    pub name: &'g str,
    /// Its version.
    pub version: &'g str,
    /// A sentence for people.
    pub description: &'g str,
    /// The name of its connection.
    pub connection: &'g str,
    /// Whether it is started.
    pub is_started: bool,
}

/// A package to deploy.
#[derive(Clone, Copy, Debug)]
pub struct Deployment<'a> {
    /// What it must be a package of.
    pub kind: Kind,
    /// The name that it must have: that of a package that is replaced.
    pub replaces: Option<&'a str>,
    /// The package.
    pub bytes: &'a [u8],
    /// It begins started, or stopped.
    pub started: bool,
}

/// Why a package does not serve. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The package cannot be read, or is of another kind.
    Bad(String),
    /// It contradicts what is there: a name or path that is taken, or another name than that of what it replaces.
    Conflict(String),
    /// There is no such package.
    Unknown,
    /// The folder cannot be written, or there is none.
    Io(String),
}
