//! Loads a folder of text files into running parts, or finds all its faults.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ::api::Api;

use super::apis::Apis;
use super::loader::Loader;
use super::mcp::McpReader;
use super::own_programs::OwnPrograms;
use super::region::{region as region_of, warn_of_queue_calls};
use super::services::{Backs, has_queue_manager};
use super::written::GantryFile;
use crate::loaded::{Fixed, Loaded, Source};
use admission::config::SecurityReader;
use admission::{CertificateFiles, Security};
use connector::Plans;
use gateway::{GatewaySettings, Limits, LoadedApi};
use listeners::LoadedListener;
use metrics::MetricsSettings;
use packaged::{LeftOut, Other};
use queue_config::{QueueManagerPlan, QueueSlot};
use recording::config::Interceptors;
use region::RegionPlan;
use region_config::{RegionUse, check_user_ids, transforms};
use server::Listener;
use settings::{Files, GANTRY_FILE, Network, Problems};
use storage::{Storage, StoreSection};
use web_service::pipeline;

/// The parts to run: a gateway, and its listeners.
#[derive(Debug)]
pub struct Settings {
    /// The listeners for callers.
    pub listeners: Vec<Listener>,
    /// The listener of administration.
    pub admin: Option<Listener>,
    /// Proxies. Their connections are not counted by address.
    pub trusted_proxies: Vec<Network>,
    /// The number of worker threads.
    pub workers: usize,
    /// The time for requests to end when the process stops.
    pub shutdown_timeout: Duration,
    /// The pause between checks of the files for changes; none without checks.
    pub reload_poll: Option<Duration>,
    /// The gateway.
    pub gateway: GatewaySettings,
    /// The region for programs; none if no service needs it.
    pub region: Option<RegionPlan>,
    /// The endpoint groups.
    pub groups: Plans,
    /// The store of everything durable.
    pub store: StorePlan,
    /// The queue manager, if there is one.
    pub queue_manager: Option<QueueManagerPlan>,
    /// The targets that messages of queues start.
    pub queue_listeners: Vec<LoadedListener>,
    /// The place where providers of this configuration find the queues.
    pub queue_slot: Arc<QueueSlot>,
    /// The files of certificates.
    pub certificates: CertificateFiles,
    /// Problems that do not prevent serving.
    pub warnings: Problems,
}

/// The store of everything durable, and its limits.
#[derive(Debug)]
pub struct StorePlan {
    path: PathBuf,
    section: StoreSection,
}

impl StorePlan {
    /// The path of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Another path, with the same options.
    pub fn move_to(&mut self, path: PathBuf) {
        self.path = path;
    }

    /// Makes the storage, with its options.
    pub fn storage(&self) -> Arc<Storage> {
        let storage = Storage::at(&self.path);
        storage.set_options(self.section.options());
        storage
    }
}

impl Settings {
    /// The settings that only count when the process starts.
    fn fixed(&self) -> Fixed {
        let Self {
            listeners, admin, trusted_proxies, workers, shutdown_timeout, reload_poll, gateway, ..
        } = self;
        let Limits {
            // These count for each request.
            request_body_max_bytes: _,
            body_read_timeout_ms: _,
            record_max_bytes: _,
            connections_max,
            connections_per_address_max,
            header_count_max,
            header_max_bytes,
            header_read_timeout_ms,
            response_write_timeout_ms,
            response_waiting_max_bytes,
            tls_handshake_timeout_ms,
            http2_streams_max,
            http2_stalled_streams_max,
        } = &gateway.limits;
        Fixed::of(&[
            ("[[listener]]", listeners),
            ("[admin]", admin),
            ("server.trusted_proxies", trusted_proxies),
            ("server.workers", workers),
            ("server.shutdown_timeout_ms", shutdown_timeout),
            ("server.reload_poll_ms", reload_poll),
            ("security.reload_check_s", &gateway.security.reload_check()),
            ("[metrics]", &gateway.metrics),
            ("log.format", &gateway.log.format),
            ("[store]", &self.store.section),
            ("limits.connections_max", connections_max),
            ("limits.connections_per_address_max", connections_per_address_max),
            ("limits.header_count_max", header_count_max),
            ("limits.header_max_bytes", header_max_bytes),
            ("limits.header_read_timeout_ms", header_read_timeout_ms),
            ("limits.response_write_timeout_ms", response_write_timeout_ms),
            ("limits.response_waiting_max_bytes", response_waiting_max_bytes),
            ("limits.tls_handshake_timeout_ms", tls_handshake_timeout_ms),
            ("limits.http2_streams_max", http2_streams_max),
            ("limits.http2_stalled_streams_max", http2_stalled_streams_max),
        ])
    }

    /// The gateway's part of the settings.
    pub fn into_loaded(self) -> Loaded {
        let fixed = self.fixed();
        let Self {
            gateway,
            region,
            groups,
            store,
            queue_manager,
            queue_listeners,
            queue_slot,
            certificates,
            warnings,
            ..
        } = self;
        Loaded {
            gateway,
            region,
            groups,
            store,
            queue_manager,
            queue_listeners,
            queue_slot,
            certificates,
            warnings,
            fixed,
        }
    }

    /// The source of these settings, for loading again. `fingerprint` is that of their files; none
    /// if they changed meanwhile.
    pub fn source(&self, files: Files, fingerprint: Option<u64>) -> Source {
        let load = |files: &Files| load(files).map(Self::into_loaded);
        Source { files, loaded: fingerprint, fixed: self.fixed(), is_strict: false, load }
    }
}

/// Loads everything. A faulty package or bind file is left out with its whole content.
///
/// # Errors
/// The files have faults.
pub fn load(files: &Files) -> Result<Settings, Problems> {
    let mut left_out = LeftOut::default();
    let on_shelves = web_services::on_shelves(files);
    loop {
        match load_without(files, &on_shelves, &left_out) {
            Err(problems) if left_out.find(files, &on_shelves, &problems) => {}
            loaded => return loaded,
        }
    }
}

/// Makes a loader that has read `gantry.toml`.
fn begun(files: &Files, problems: Problems) -> (Loader<'_>, GantryFile) {
    let mut loader = Loader::new(files, problems);
    let mut gantry: GantryFile = loader.gantry();
    gantry.own_programs = OwnPrograms::of(files);
    if let Some(ccsid) = &gantry.source_ccsid {
        loader.take_source_page(ccsid);
    }
    let own = gantry.region.take_store(gantry.store.written_path());
    if let Some(span) = own {
        let message =
            "the store is that of the region and of the queue manager: its path belongs to [store] now";
        match gantry.store.path {
            Some(_) => {
                loader.at(GANTRY_FILE, span, "[store] has the path of the store, too: leave this one out")
            }
            None => loader.warn_at(GANTRY_FILE, span, message),
        }
    }
    for fault in pipeline::configuration_faults(&files.read(GANTRY_FILE).unwrap_or_default()) {
        loader.at_file(GANTRY_FILE, fault);
    }
    loader.close_gantry();
    (loader, gantry)
}

fn load_without(files: &Files, on_shelves: &[Other], left_out: &LeftOut) -> Result<Settings, Problems> {
    let mut problems = Problems::default();
    let (files, mut projects) = packaged::with_packages(files, on_shelves, left_out, &mut problems);
    let (mut loader, gantry) = begun(&files, problems);
    let mut security = security_of(&mut loader, &gantry);
    let mut backs = Backs::read(&mut loader, &gantry);
    let mut given = backs.given(&gantry);
    let mut services = loader.services(&mut given);
    let requesters = loader.requesters(&mut given, &mut security);
    let transforms = transforms(&mut loader, &gantry.region.transform, |name| services.converted(name));
    security.set_services(services.access(&security));
    let mut interceptors = interceptors_of(&mut loader, &gantry, &security);
    let traces = gantry.traces.as_ref().and_then(|section| section.read(&mut loader));
    let mut read = loader.apis(&mut given, &mut projects, &mut services, &security, &mut interceptors);
    let web_services = loader.web_services(&mut read, &services, &security, &mut interceptors, &mut given);
    let messaging = loader.messaging(&mut read, &gantry, &security, &mut interceptors);
    let uri_maps =
        loader.uri_maps(&gantry.urimap, &mut read, &mut backs.region, &security, &mut interceptors);
    let web_client = loader.web_client(&gantry.urimap, backs.connections.reachable());
    security.set_apis(read.access());
    let Apis { apis, guards, offers } = read;
    loader.check_providers(&gantry, &services);
    let router = loader.router(&apis);
    let (queue_manager, queue_listeners) =
        loader.queues(&gantry, &router, &web_services, &services, &mut backs.region);
    let region = region_with_users(&mut loader, &gantry, &backs.region);
    let mcp = McpReader::of(&mut loader, &security, &router).mcp(&gantry.mcp, &apis, &offers);
    let (listeners, admin, trusted_proxies) = entrances(&mut loader, &gantry, &security, &apis);
    let others = !requesters.is_empty() || region.is_some() || queue_manager.is_some();
    loader.warn_of_unserved(&services, !apis.is_empty() || others);
    let certificates = loader.certificates(&gantry.security);
    without_errors(&mut loader)?;
    let (interceptors, policies) = interceptors.finish();
    Ok(Settings {
        listeners,
        admin,
        trusted_proxies,
        workers: workers(&gantry),
        shutdown_timeout: Duration::from_millis(gantry.server.shutdown_timeout_ms),
        reload_poll: Some(gantry.server.reload_poll_ms).filter(|ms| *ms > 0).map(Duration::from_millis),
        gateway: GatewaySettings {
            metrics: metrics(&gantry),
            log: gantry.log,
            limits: gantry.limits,
            apis: LoadedApi::all(apis, guards, policies),
            web_services,
            uri_maps,
            router,
            services: services.running,
            connections: backs.connections.into_all(),
            requesters,
            web_client: Arc::new(web_client),
            security,
            interceptors,
            traces,
            mcp,
            messaging,
            transforms,
            serving: Arc::default(),
        },
        region,
        groups: backs.groups.into_plans(),
        store: StorePlan { path: gantry.region.store_path(loader.files), section: gantry.store },
        queue_manager,
        queue_listeners,
        queue_slot: backs.queues.slot,
        certificates,
        warnings: loader.reading.problems,
    })
}

/// All problems so far, if an error is among them.
fn without_errors(loader: &mut Loader<'_>) -> Result<(), Problems> {
    match loader.problems.error_count() {
        0 => Ok(()),
        _ => Err(std::mem::take(&mut loader.reading.problems)),
    }
}

fn interceptors_of(loader: &mut Loader<'_>, gantry: &GantryFile, security: &Security) -> Interceptors {
    let secret = security.secret_headers();
    Interceptors::read(loader, &gantry.interceptor, gantry.policy.as_ref(), &secret)
}

fn security_of(loader: &mut Loader<'_>, gantry: &GantryFile) -> Security {
    SecurityReader { loader: &mut loader.reading, path: GANTRY_FILE }.security(&gantry.security)
}

/// The listeners of callers, that of administration, and the trusted proxies.
fn entrances(
    loader: &mut Loader<'_>,
    gantry: &GantryFile,
    security: &Security,
    apis: &[Api],
) -> (Vec<Listener>, Option<Listener>, Vec<Network>) {
    loader.limits(&gantry.limits);
    loader.server_workers(&gantry.server.workers);
    let listeners = loader.listeners(gantry, security);
    loader.shared_paths(&listeners, apis);
    let admin = gantry.admin.as_ref().and_then(|section| loader.admin(section, security));
    loader.distinct_addresses(gantry);
    (listeners, admin, loader.trusted_proxies(&gantry.server.trusted_proxies))
}

/// The region, with the programs of services and of API projects. Users who may call give it its
/// user ids.
fn region_with_users(loader: &mut Loader<'_>, gantry: &GantryFile, used: &RegionUse) -> Option<RegionPlan> {
    let region = region_of(loader, &gantry.region, used)?;
    let named = gantry.security.named_users(loader.files);
    check_user_ids(loader, &named, region.configured());
    if !has_queue_manager(loader, gantry) {
        warn_of_queue_calls(loader);
    }
    Some(region)
}

fn metrics(gantry: &GantryFile) -> MetricsSettings {
    MetricsSettings { times: gantry.metrics.times, sizes: gantry.metrics.sizes }
}

/// The number of worker threads. The default is the number of cores.
fn workers(gantry: &GantryFile) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    match *gantry.server.workers.get_ref() {
        0 => cores(),
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn fixed(text: &str) -> Fixed {
        let files = BTreeMap::from([(GANTRY_FILE.to_owned(), text.as_bytes().to_vec())]);
        load(&Files::Example("test".to_owned(), Arc::new(files))).expect("right files").fixed()
    }

    #[test]
    fn settings_that_need_a_restart_are_told_from_others() {
        let changed = |text: &str| fixed("").changed(&fixed(text));
        assert_eq!(changed("").len(), 0);
        assert_eq!(changed("[limits]\nrequest_body_max_bytes = 99\nbody_read_timeout_ms = 99\n").len(), 0);
        for (section, key, value) in [
            ("server", "trusted_proxies", "[\"10.0.0.0/8\"]"),
            ("server", "workers", "3"),
            ("server", "shutdown_timeout_ms", "99"),
            ("server", "reload_poll_ms", "99"),
            ("security", "reload_check_s", "0"),
            ("limits", "connections_max", "99"),
            ("limits", "connections_per_address_max", "99"),
            ("limits", "header_count_max", "99"),
            ("limits", "header_max_bytes", "9999"),
            ("limits", "header_read_timeout_ms", "99"),
            ("limits", "response_write_timeout_ms", "99"),
            ("limits", "response_waiting_max_bytes", "9999999"),
            ("limits", "tls_handshake_timeout_ms", "99"),
            ("limits", "http2_streams_max", "99"),
            ("limits", "http2_stalled_streams_max", "9"),
        ] {
            let text = format!("[{section}]\n{key} = {value}\n");
            assert_eq!(changed(&text), [format!("{section}.{key}")], "{text}");
        }
    }
}
