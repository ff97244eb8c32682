//! The process and its running gateway, in the form that administration needs.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use administration::{
    ApiPort, ApiView, Deployment, Process, Refusal, RequesterView, Scan, ScannedFile, ServiceView, State,
};
use api::SecurityScheme;
use metrics::ProgramCounts;
use region::{ProgramView, Region};
use security::{Action, Identity, Kind};
use settings::Files;

use super::deploy;
use crate::live::{Live, Reload};
use gateway::{ApiEntry, Gateway, RequesterEntry, ServiceEntry};
use program::FOLDER;
use server::Listening;
use soap_commands::Scanned;

/// The process.
#[derive(Debug)]
pub(super) struct Running(pub(super) Arc<Live>);

/// The running gateway.
#[derive(Debug)]
pub(super) struct Serving(pub(super) Arc<Gateway>);

impl Process for Running {
    fn gateway(&self) -> Arc<dyn administration::Gateway> {
        Arc::new(Serving(self.0.gateway()))
    }

    fn begun(&self) -> SystemTime {
        self.0.begun
    }

    fn is_stopping(&self) -> bool {
        self.0.stopping.load(Ordering::Relaxed)
    }

    fn figures(&self) -> String {
        // Set the region's gauges to its present state.
        if let Some(region) = &self.0.gateway().region {
            let (waiting, busy) = region.load();
            self.0.metrics.region_tasks_waiting.set(i64::try_from(waiting).unwrap_or(i64::MAX));
            self.0.metrics.region_workers_busy.set(i64::try_from(busy).unwrap_or(i64::MAX));
            self.0.metrics.programs.show(region.programs().into_iter().map(counts_of));
        }
        self.0.metrics.groups.show(&self.0.groups.view());
        let queues = self.0.queues.manager().map(|manager| manager.inquire_all());
        self.0.metrics.queues.show(&queues.unwrap_or_default(), queue_config::now());
        self.0.metrics.certificates.show(&self.0.certificates.load().seconds_left(SystemTime::now()));
        self.0.metrics.text()
    }

    fn state(&self) -> State {
        let state = self.0.state();
        State {
            generation: state.generation,
            since: state.since,
            faults: state.faults,
            faulty_programs: state.faulty_files.iter().filter_map(|file| program_of(file)).collect(),
            faulty_parts: state.parts.faulty.into_iter().collect(),
        }
    }

    fn api_ports(&self) -> Vec<ApiPort> {
        let port = |listening: &Listening| ApiPort { port: listening.address.port(), tls: listening.tls };
        self.0.listening().iter().map(port).collect()
    }

    fn reload(&self) -> bool {
        self.0.reload() == Reload::Applied
    }

    fn scan(&self) -> Result<Scan, String> {
        let (scanned, serves) = self.0.scan()?;
        let file = |scanned: Scanned| ScannedFile {
            outcome: scanned.outcome.word(),
            faults: scanned.outcome.faults().to_vec(),
            pipeline: scanned.pipeline,
            file: scanned.file,
        };
        Ok(Scan { files: scanned.into_iter().map(file).collect(), serves })
    }

    fn apis_in_files(&self) -> Vec<String> {
        apis_in_files(self.0.files()).unwrap_or_default()
    }

    fn switch(&self, kind: Kind, name: &str, started: bool) -> io::Result<()> {
        self.0.switches.set(kind, name, started)
    }

    fn backup(&self, name: &str) -> Result<PathBuf, String> {
        self.0.backup(name)
    }

    fn queue_manager(&self) -> Option<queue::Manager> {
        self.0.queues.manager()
    }

    fn groups(&self) -> &connector::Groups {
        &self.0.groups
    }

    fn act_on_group(&self, act: connector::Act, name: &str) -> io::Result<bool> {
        crate::endpoint_groups::act(&self.0, act, name)
    }

    fn deploy(&self, deployment: &Deployment<'_>) -> Result<String, Refusal> {
        deploy::deploy(&self.0, deployment)
    }

    fn undeploy(&self, kind: Kind, name: &str) -> Result<(), Refusal> {
        deploy::undeploy(&self.0, kind, name)
    }
}

/// The figures of a program for metrics. The programs beyond the region's limit are counted together.
fn counts_of(program: ProgramView) -> ProgramCounts {
    let name = program.name.map(|name| String::from_utf8_lossy(&name).trim_end().to_owned());
    ProgramCounts {
        program: name.unwrap_or_else(|| OTHER_PROGRAMS.to_owned()),
        tasks: program.tasks,
        abends: program.abends,
        cpu_nanoseconds: program.cpu_nanoseconds,
    }
}

/// The label of the programs that the region counts together, as `gantry region programs` shows it.
const OTHER_PROGRAMS: &str = "(others)";

/// The names of the APIs in the files, even if they could not be loaded: folders of text files and
/// packages.
fn apis_in_files(files: &Files) -> io::Result<Vec<String>> {
    let mut names = files.list("apis")?;
    let packages = files.list(packaged::FOLDER)?;
    names.extend(packages.iter().filter_map(|file| file.strip_suffix(".aar")).map(str::to_owned));
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// The program of a source file; none for other files.
fn program_of(file: &str) -> Option<String> {
    let path = Path::new(file);
    let is_program = path.parent()?.file_name()? == FOLDER;
    let name = path.file_stem().filter(|_| is_program)?;
    Some(name.to_string_lossy().into_owned())
}

impl administration::Gateway for Serving {
    fn apis(&self) -> Vec<ApiView<'_>> {
        self.0.apis.iter().map(of_api).collect()
    }

    fn services(&self) -> Vec<ServiceView<'_>> {
        self.0.services.values().map(of_service).collect()
    }

    fn service(&self, name: &str) -> Option<ServiceView<'_>> {
        self.0.services.get(name).map(of_service)
    }

    fn requesters(&self) -> Vec<RequesterView<'_>> {
        self.0.requesters.values().map(of_requester).collect()
    }

    fn region(&self) -> Option<&Arc<Region>> {
        self.0.region.as_ref()
    }

    fn may(&self, identity: Option<&Identity>, of: (Kind, &str), action: Action) -> bool {
        self.0.security.may(identity, of, action)
    }

    fn schemes(&self) -> Vec<SecurityScheme> {
        self.0.security.schemes()
    }
}

fn of_api(entry: &ApiEntry) -> ApiView<'_> {
    ApiView { api: &entry.api, is_started: entry.switch.is_started() }
}

fn of_service(entry: &ServiceEntry) -> ServiceView<'_> {
    ServiceView {
        service: &entry.running.service,
        conversion: &entry.running.conversion,
        zos_provider: entry.running.zos_provider.as_deref(),
        is_started: entry.switch.is_started(),
        metrics: &entry.metrics,
    }
}

fn of_requester(entry: &RequesterEntry) -> RequesterView<'_> {
    let requester = &entry.requester;
    RequesterView {
        name: &requester.name,
        version: &requester.version,
        description: &requester.description,
        connection: &requester.connection_name,
        is_started: entry.switch.is_started(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_their_sources() {
        assert_eq!(program_of("/srv/shop/programs/PAY.cbl").as_deref(), Some("PAY"));
        assert_eq!(program_of("programs/pay.cob").as_deref(), Some("pay"));
        assert_eq!(program_of("copybooks/PAY.cpy"), None);
        assert_eq!(program_of("PAY.cbl"), None);
    }
}
