//! The interfaces that administration needs: the process, and its running gateway.

use std::fmt;
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

/// The process, over all its gateways.
pub trait Process: Send + Sync {
    /// The running gateway.
    fn gateway(&self) -> Arc<dyn Gateway>;

    /// The start time of the process.
    fn begun(&self) -> SystemTime;

    /// True if the process stops and wants no new requests.
    fn is_stopping(&self) -> bool;

    /// All metrics, in the OpenMetrics format.
    fn figures(&self) -> String;

    /// The state of the configuration.
    fn state(&self) -> State;

    /// The ports of APIs, in the order of the configuration.
    fn api_ports(&self) -> Vec<ApiPort>;

    /// Loads the files. True if they serve now. It waits for the disk.
    fn reload(&self) -> bool;

    /// Takes new bind files from the pickup folders of pipelines to their shelves, and lets them
    /// serve. It waits for the disk.
    ///
    /// # Errors
    /// Nothing was taken, with the reason.
    fn scan(&self) -> Result<Scan, String>;

    /// The names of the APIs in the present files, even if they could not be loaded. None if the
    /// files cannot be read. It waits for the disk.
    fn apis_in_files(&self) -> Vec<String>;

    /// Starts or stops an object, and keeps the state over restarts.
    ///
    /// # Errors
    /// The state cannot be kept. Then nothing has changed.
    fn switch(&self, kind: Kind, name: &str, started: bool) -> io::Result<()>;

    /// Copies the store into a new file of this name, in the folder `backups` beside it. It waits
    /// for the disk.
    ///
    /// # Errors
    /// There is no copy, with the reason.
    fn backup(&self, name: &str) -> Result<PathBuf, String>;

    /// The queue manager, if there is one.
    fn queue_manager(&self) -> Option<queue::Manager>;

    /// The endpoint groups.
    fn groups(&self) -> &connector::Groups;

    /// Carries out a command for an endpoint group, or for an endpoint as `GROUP/ENDPOINT`, and
    /// keeps it over restarts. False if the object does not exist, or if the command does not apply
    /// to it.
    ///
    /// # Errors
    /// The command cannot be kept. Then nothing has changed.
    fn act_on_group(&self, act: connector::Act, name: &str) -> io::Result<bool>;

    /// Deploys a package. Gives its name. It waits for the disk.
    ///
    /// # Errors
    /// The package does not serve, with the reason.
    fn deploy(&self, deployment: &Deployment<'_>) -> Result<String, Refusal>;

    /// Removes a package. It waits for the disk.
    ///
    /// # Errors
    /// The package does not exist, or other objects need its content.
    fn undeploy(&self, kind: Kind, name: &str) -> Result<(), Refusal>;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn Process + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Process")
    }
}

/// A gateway: everything that a configuration serves.
pub trait Gateway: Send + Sync {
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

    /// The region for programs, if there is one.
    fn region(&self) -> Option<&Arc<Region>>;

    /// Whether an admitted caller has a right to one object, so that lists show no more than
    /// details.
    fn may(&self, identity: Option<&Identity>, of: (Kind, &str), action: Action) -> bool;

    /// The ways to authenticate.
    fn schemes(&self) -> Vec<SecurityScheme>;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn Gateway + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Gateway")
    }
}

/// The running configuration, and the faults of a newer one.
#[derive(Clone, Debug)]
pub struct State {
    /// The number of configurations that have served.
    pub generation: u64,
    /// When this one started to serve.
    pub since: SystemTime,
    /// The faults of the present files, if they cannot serve, in the form of `gantry check`.
    pub faults: Option<String>,
    /// The programs with faulty sources.
    pub faulty_programs: Vec<String>,
    /// The programs and packages that do not serve because of faults.
    pub faulty_parts: Vec<String>,
}

/// The result of a scan of pickup folders.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The result for each bind file.
    pub files: Vec<ScannedFile>,
    /// True if the taken files serve.
    pub serves: bool,
}

/// A bind file in a pickup folder.
#[derive(Clone, Debug)]
pub struct ScannedFile {
    /// The pipeline.
    pub pipeline: String,
    /// The file's name.
    pub file: String,
    /// The result: `installed`, `replaced`, `unchanged`, `older` or `refused`.
    pub outcome: &'static str,
    /// The reasons of a refusal.
    pub faults: Vec<String>,
}

/// A port of APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiPort {
    /// Its number.
    pub port: u16,
    /// True if it has TLS.
    pub tls: bool,
}

/// A running API.
#[derive(Clone, Copy, Debug)]
pub struct ApiView<'g> {
    /// The API.
    pub api: &'g Api,
    /// True if it is started.
    pub is_started: bool,
}

/// A running service.
#[derive(Clone, Copy, Debug)]
pub struct ServiceView<'g> {
    /// The service.
    pub service: &'g Service,
    /// The conversion between JSON and its records.
    pub conversion: &'g Conversion,
    /// The name of its provider in z/OS Connect.
    pub zos_provider: Option<&'g str>,
    /// True if it is started.
    pub is_started: bool,
    /// The metrics of its calls.
    pub metrics: &'g ServiceMetrics,
}

/// A running API requester.
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
    /// True if it is started.
    pub is_started: bool,
}

/// A package to deploy.
#[derive(Clone, Copy, Debug)]
pub struct Deployment<'a> {
    /// The required kind of the package.
    pub kind: Kind,
    /// The required name: that of the replaced package.
    pub replaces: Option<&'a str>,
    /// The package.
    pub bytes: &'a [u8],
    /// True if it starts at once.
    pub started: bool,
}

/// Why a package does not serve. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The package cannot be read, or is of another kind.
    Bad(String),
    /// It contradicts existing objects: its name or path is taken, or its name differs from that of
    /// the replaced one.
    Conflict(String),
    /// The package does not exist.
    Unknown,
    /// The folder cannot be written, or does not exist.
    Io(String),
}
