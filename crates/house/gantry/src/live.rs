//! The running gateway. A changed configuration replaces it as a whole, or not at all.
//!
//! A request keeps its gateway to the end, so a change loses no request. A configuration with
//! faults changes nothing. Its faults are in the log, in the metrics and at the admin address until
//! a later one is right.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use configuration::{Fixed, Load, Loaded, RegionPlan, Source};
use connector::{Groups, Plans};
use region::Surroundings;

use crate::endpoint_groups::Marked;
use crate::surroundings;
use crate::watching::{fingerprint, settled};
use admission::{CertificateFiles, Watched};
use gateway::{Gateway, GatewaySettings, Kept};
use listeners::{Listeners, LoadedListener};
use metrics::Metrics;
use queue_config::Running;
use recording::Journals;
use recording::chains::Administration;
use server::Listening;
use settings::{Files, PartNames, Problems};
use soap_commands::{Candidate, Outcome, Scanned};
use storage::Storage;
use switches::Switches;

/// The gateway, its source, and the result of the last change.
#[derive(Debug)]
pub(crate) struct Live {
    current: ArcSwap<Gateway>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) switches: Switches,
    /// The endpoint groups, over all configurations.
    pub(crate) groups: Groups,
    /// The services of this process for programs of regions; none until they are set.
    surroundings: OnceLock<Surroundings>,
    /// The files of interceptors, over all configurations.
    pub(crate) journals: Journals,
    /// The store of everything durable, over all configurations.
    storage: Arc<Storage>,
    /// The queue manager, over all configurations.
    pub(crate) queues: Running,
    /// The targets that messages of queues start, over all configurations.
    pub(crate) listeners: Listeners,
    /// The files of certificates of the running configuration.
    pub(crate) certificates: ArcSwap<CertificateFiles>,
    pub(crate) begun: SystemTime,
    /// Set when the gateway begins to stop.
    pub(crate) stopping: AtomicBool,
    /// The addresses of APIs; none until they are known.
    listening: OnceLock<Vec<Listening>>,
    files: Files,
    /// The fingerprint of the files at the start of the process; none if they changed meanwhile.
    loaded: Option<u64>,
    fixed: Fixed,
    is_strict: bool,
    load: Load,
    /// Held while a package is deployed.
    deploying: Mutex<()>,
    /// Held while a configuration is loaded, so that only one change runs at a time. This may take
    /// minutes, if programs must be compiled.
    loading: Mutex<()>,
    /// Never held for long, because workers ask for it.
    state: Mutex<State>,
}

/// The running configuration, and the faults of a newer one.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The number of configurations that have served.
    pub(crate) generation: u64,
    pub(crate) since: SystemTime,
    /// The faults of the present files, if they cannot serve, in the form of `gantry check`.
    pub(crate) faults: Option<String>,
    /// The files with faults.
    pub(crate) faulty_files: Vec<String>,
    /// The programs and packages of the running configuration.
    pub(crate) parts: PartNames,
}

impl State {
    /// Notes the faults of a changed configuration. The same faults are logged only once.
    fn refuse(&mut self, faults: &str, files: Vec<String>) {
        if self.faults.as_deref() != Some(faults) {
            tracing::error!("the changed configuration has faults; the previous one still serves\n{faults}");
        }
        self.faults = Some(faults.to_owned());
        self.faulty_files = files;
    }
}

/// Takes over unchanged parts of the running gateway. Call it before serving.
fn inherit(loaded: &mut Loaded, before: &Gateway) {
    loaded.gateway.inherit(before);
    if let (Some(plan), Some(region)) = (&mut loaded.region, &before.region) {
        plan.inherit(region);
    }
}

fn start(gateway: GatewaySettings, region: Option<RegionPlan>, kept: &Kept<'_>) -> io::Result<Gateway> {
    Gateway::new(gateway, kept, || region.map(|plan| plan.start()).transpose().map_err(io::Error::other))
}

/// A gateway that was made of a changed configuration, and what belongs to it.
struct Begun {
    gateway: Gateway,
    plans: Plans,
    listeners: Vec<LoadedListener>,
    certificates: CertificateFiles,
    fixed: Fixed,
}

/// The result of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reload {
    /// The new configuration serves.
    Applied,
    /// It has faults. The previous one still serves.
    Refused(String),
}

impl Live {
    /// Makes the gateway from settings and their source.
    ///
    /// # Errors
    /// The stopped objects cannot be read, or a thread cannot be made.
    pub(crate) fn new(mut settings: Loaded, source: Source) -> io::Result<Self> {
        let Source { files, loaded, fixed, is_strict, load } = source;
        let parts = settings.warnings.part_names();
        let switches = Switches::read(files.folder())?;
        let metrics = Arc::new(Metrics::new(settings.gateway.metrics));
        let journals = Journals::default();
        let (storage, queues) = (settings.store.storage(), Running::default());
        let manager = queues.apply(settings.queue_manager.as_ref(), &storage).map_err(io::Error::other)?;
        if let Some(manager) = &manager {
            settings.queue_slot.fill(manager, &queues);
        }
        let kept = Kept {
            metrics: Arc::clone(&metrics),
            switches: &switches,
            journals: &journals,
            queue_manager: manager,
        };
        let plans = std::mem::take(&mut settings.groups);
        let certificates = std::mem::take(&mut settings.certificates);
        let listeners = Listeners::default();
        listeners.apply(std::mem::take(&mut settings.queue_listeners))?;
        let gateway = start(settings.gateway, settings.region, &kept)?;
        let groups = Groups::default();
        groups.apply(&plans, &Marked(&switches));
        let state =
            State { generation: 1, since: SystemTime::now(), faults: None, faulty_files: Vec::new(), parts };
        let gateway = Arc::new(gateway);
        gateway.serves();
        let current = ArcSwap::new(gateway);
        Ok(Self {
            current,
            metrics,
            switches,
            groups,
            surroundings: OnceLock::new(),
            journals,
            storage,
            queues,
            listeners,
            certificates: ArcSwap::from_pointee(certificates),
            begun: SystemTime::now(),
            stopping: AtomicBool::new(false),
            listening: OnceLock::new(),
            files,
            loaded,
            fixed,
            is_strict,
            load,
            deploying: Mutex::new(()),
            loading: Mutex::new(()),
            state: Mutex::new(state),
        })
    }

    /// Writes waiting data to the disk. Blocks.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn flush_store(&self) -> Result<(), store::Error> {
        self.storage.get().map_or(Ok(()), |store| store.flush())
    }

    /// Copies the store into a new file of this name, in the folder `backups` beside it. Blocks.
    ///
    /// # Errors
    /// There is no copy, with the reason.
    pub(crate) fn backup(&self, name: &str) -> Result<PathBuf, String> {
        // A store that nobody needs now may have records, too.
        let store = match self.storage.exists() {
            true => self.storage.open().map_err(|(_, message)| message)?,
            false => return Err("there is no store: nothing was ever kept".into()),
        };
        let folder = self.storage.path().parent().unwrap_or(Path::new(".")).join("backups");
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let path = folder.join(name);
        store.backup(&path).map_err(|error| error.to_string())?;
        Ok(std::path::absolute(&path).unwrap_or(path))
    }

    /// The file of the store, if it is open.
    pub(crate) fn store_file(&self) -> Option<PathBuf> {
        self.storage.get()?;
        let path = self.storage.path();
        Some(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
    }

    /// The files of the configuration.
    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// Sets the addresses of APIs, when they are known.
    pub(crate) fn set_listening(&self, listening: &[Listening]) {
        self.listening.get_or_init(|| listening.to_vec());
    }

    /// The addresses of APIs, in the order of the configuration.
    pub(crate) fn listening(&self) -> &[Listening] {
        self.listening.get().map(Vec::as_slice).unwrap_or_default()
    }

    /// Gives the programs of the region their services, now and after each change. Starts the
    /// listeners of queues.
    ///
    /// # Errors
    /// The listeners' thread cannot be made.
    pub(crate) fn surround(self: &Arc<Self>) -> io::Result<()> {
        self.surroundings.get_or_init(|| surroundings::surroundings(self));
        self.surround_region(&self.gateway());
        let around: Weak<dyn listeners::Around> = Arc::downgrade(self) as _;
        self.listeners.serve(around)
    }

    fn surround_region(&self, gateway: &Gateway) {
        if let (Some(region), Some(surroundings)) = (&gateway.region, self.surroundings.get()) {
            region.surround(surroundings.clone());
            region.begin_serving();
            region.recall();
        }
    }

    /// The running gateway.
    pub(crate) fn gateway(&self) -> Arc<Gateway> {
        self.current.load_full()
    }

    /// Locks deployment, so that only one package is deployed at a time.
    pub(crate) fn deploying(&self) -> MutexGuard<'_, ()> {
        self.deploying.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The configuration's folder, if it is on disk.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.files.folder()
    }

    /// The state of the running configuration.
    pub(crate) fn state(&self) -> State {
        self.locked_state().clone()
    }

    fn locked_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads the files. They serve if they are right.
    pub(crate) fn reload(&self) -> Reload {
        self.reload_with(None)
    }

    /// The same, but this package must be right.
    ///
    /// A change must not lose parts that serve. So a program or package that has become faulty
    /// stops the change. A part that did not serve before does not stop it.
    pub(crate) fn reload_with(&self, package: Option<&str>) -> Reload {
        let _one_at_a_time = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.state();
        let faulty = |problems: Problems| (problems.render(false), problems.faulty_files());
        let whole = |settings: Loaded| {
            let now = settings.warnings.part_names();
            let is_lost = |name: &String| before.parts.used.contains(name) || package == Some(name);
            let is_refused = now.faulty.iter().any(is_lost) || (self.is_strict && !now.faulty.is_empty());
            if is_refused { Err(settings.warnings.into_errors()) } else { Ok((settings, now)) }
        };
        let refused = |message: String| (message, Vec::new());
        let loaded = (self.load)(&self.files).and_then(whole).map_err(faulty);
        let loaded = loaded.and_then(|(settings, parts)| Ok((self.begin(settings).map_err(refused)?, parts)));
        match loaded {
            Ok((begun, parts)) => {
                self.take_over(begun);
                let generation = before.generation + 1;
                *self.locked_state() = State {
                    generation,
                    since: SystemTime::now(),
                    faults: None,
                    faulty_files: Vec::new(),
                    parts,
                };
                self.metrics.reloaded(true);
                tracing::info!(generation, "the changed configuration serves");
                Reload::Applied
            }
            Err((faults, files)) => {
                self.locked_state().refuse(&faults, files);
                self.metrics.reloaded(false);
                Reload::Refused(faults)
            }
        }
    }

    /// Makes a gateway of settings. It does not serve yet.
    ///
    /// # Errors
    /// It cannot begin: the reason for people.
    fn begin(&self, mut settings: Loaded) -> Result<Begun, String> {
        let fixed = settings.fixed.clone();
        if !settings.warnings.is_empty() {
            tracing::warn!("the changed configuration has problems\n{}", settings.warnings.told());
        }
        inherit(&mut settings, &self.gateway());
        let (storage, queues) = (settings.store.storage(), settings.queue_manager.take());
        self.queues.prepare(queues.as_ref(), &storage)?;
        let kept = Kept {
            metrics: Arc::clone(&self.metrics),
            switches: &self.switches,
            journals: &self.journals,
            queue_manager: queues.as_ref().and_then(|_| self.queues.manager()),
        };
        let plans = std::mem::take(&mut settings.groups);
        let listeners = std::mem::take(&mut settings.queue_listeners);
        let certificates = std::mem::take(&mut settings.certificates);
        let slot = Arc::clone(&settings.queue_slot);
        let gateway = start(settings.gateway, settings.region, &kept).map_err(|error| error.to_string())?;
        if let Some(manager) = self.queues.apply(queues.as_ref(), &storage)? {
            slot.fill(&manager, &self.queues);
        }
        Ok(Begun { gateway, plans, listeners, certificates, fixed })
    }

    /// Lets a new gateway serve in place of the one before.
    fn take_over(&self, begun: Begun) {
        let Begun { gateway, plans, listeners, certificates, fixed } = begun;
        let changed = self.fixed.changed(&fixed);
        if !changed.is_empty() {
            tracing::warn!("changes of these settings need a restart: {}", changed.join(", "));
        }
        gateway.security.keep_fresh();
        self.surround_region(&gateway);
        // Do this before the first request looks for its group.
        self.groups.apply(&plans, &Marked(&self.switches));
        let gateway = Arc::new(gateway);
        self.current.store(Arc::clone(&gateway));
        gateway.serves();
        self.certificates.store(Arc::new(certificates));
        self.listen(listeners);
    }

    fn listen(&self, listeners: Vec<LoadedListener>) {
        if let Err(error) = self.listeners.apply(listeners) {
            tracing::error!("listeners of queues: {error}");
        }
    }

    /// The same after a changed file or a signal, which gets no answer. The change is recorded.
    pub(crate) fn reload_unasked(&self) {
        let before = self.gateway();
        // A pickup fault is reported, and does not stop the rest.
        let _ = self.pick_up();
        let outcome = self.reload();
        self.record(&before, &Administration::reload(outcome == Reload::Applied));
    }

    /// Takes new bind files from the pickup folders of pipelines to their shelves, and lets them
    /// serve. Gives the result for each file, and whether the taken files serve.
    ///
    /// # Errors
    /// No pickup is possible.
    pub(crate) fn scan(&self) -> Result<(Vec<Scanned>, bool), String> {
        let _one = self.deploying();
        let scanned = self.pick_up()?;
        let is_taken = |file: &Scanned| matches!(file.outcome, Outcome::Installed | Outcome::Replaced);
        let serves = !scanned.iter().any(is_taken) || self.reload() == Reload::Applied;
        Ok((scanned, serves))
    }

    fn pick_up(&self) -> Result<Vec<Scanned>, String> {
        let scanned = pick_up(&self.files, |files| match (self.load)(files) {
            Ok(loaded) => loaded.warnings,
            Err(problems) => problems,
        })?;
        tell_scanned(&scanned);
        Ok(scanned)
    }

    /// Records an act of administration with the interceptors from before the act. So an act cannot
    /// remove its own record. If there were none, the present ones record it.
    pub(crate) fn record(&self, before: &Gateway, act: &Administration<'_>) {
        let now = self.gateway();
        if let Some(chain) = before.early().or(now.early()) {
            chain.administration(act);
        }
    }

    /// Checks files of certificates, users and keys again and again. They are read again without
    /// loading the whole configuration, because they may be anywhere. Does not end.
    pub(crate) async fn watch_secrets(self: Arc<Self>, certificates: Vec<Watched>, every: Duration) {
        let certificates = Arc::new(certificates);
        loop {
            tokio::time::sleep(every).await;
            // Reading many users would keep a worker from its connections for too long.
            let (live, certificates) = (Arc::clone(&self), Arc::clone(&certificates));
            let looked = tokio::task::spawn_blocking(move || {
                live.gateway().security.look();
                for certificate in certificates.iter() {
                    certificate.look();
                }
                live.certificates.load().tell_changed(SystemTime::now());
            });
            if let Err(error) = looked.await {
                tracing::error!("files cannot be looked at for changes: {error}");
            }
        }
    }

    /// Looks again and again whether certificates end, and logs it. Does not end.
    pub(crate) async fn watch_certificates(self: Arc<Self>, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            let files = self.certificates.load_full();
            let looked = tokio::task::spawn_blocking(move || files.tell(SystemTime::now()));
            if let Err(error) = looked.await {
                tracing::error!("certificates cannot be looked at: {error}");
            }
        }
    }

    /// Checks the files again and again. It reloads when they have changed and then stayed the same
    /// for one check. So files that are saved together are loaded together. Does not end.
    pub(crate) async fn watch(self: Arc<Self>, every: Duration) {
        if self.files.folder().is_none() {
            return;
        }
        let mut served = self.loaded;
        let mut seen = None;
        loop {
            tokio::time::sleep(every).await;
            let (files, storage) = (self.files.clone(), Arc::clone(&self.storage));
            let now = tokio::task::spawn_blocking(move || fingerprint(&files, storage.path())).await.ok();
            if now == seen && now != served {
                let live = Arc::clone(&self);
                let reload = move || settled(&live.files, live.storage.path(), || live.reload_unasked());
                // Later changes are loaded after a later check.
                served = tokio::task::spawn_blocking(reload).await.ok().flatten();
            }
            seen = now;
        }
    }
}

/// Takes new bind files from the pickup folders of pipelines to their shelves, and logs the result
/// for each. If a file cannot be taken, the shelf keeps its old one. `load` finds faults of the
/// files.
///
/// # Errors
/// The configuration has no folder, or it cannot be read.
pub(crate) fn pick_up(files: &Files, load: impl Fn(&Files) -> Problems) -> Result<Vec<Scanned>, String> {
    let mut judge = |candidates: &[Candidate]| judged(files, &load, candidates);
    soap_commands::scan(folder_of(files)?, &mut judge).inspect_err(|message| {
        // The loader reports faults of gantry.toml.
        tracing::debug!("pipelines: {message}");
    })
}

/// The outcomes that [`pick_up`] would have. Nothing is written.
///
/// # Errors
/// As [`pick_up`].
pub(crate) fn would_pick_up(
    files: &Files,
    load: impl Fn(&Files) -> Problems,
) -> Result<Vec<Scanned>, String> {
    let mut judge = |candidates: &[Candidate]| judged(files, &load, candidates);
    soap_commands::would_scan(folder_of(files)?, &mut judge)
}

/// The files as they would be after [`pick_up`], and what would become of each bind file. Nothing is written.
pub(crate) fn as_picked_up(files: &Files, load: impl Fn(&Files) -> Problems) -> (Files, Vec<Scanned>) {
    let Ok(folder) = folder_of(files) else { return (files.clone(), Vec::new()) };
    let mut taken = Vec::new();
    let mut judge = |candidates: &[Candidate]| {
        let faults = judged(files, &load, candidates);
        let good = candidates.iter().zip(&faults).filter(|(_, faults)| faults.is_empty());
        taken = good.map(|(candidate, _)| candidate.clone()).collect();
        faults
    };
    // The loader reports faults of gantry.toml.
    let scanned = soap_commands::would_scan(folder, &mut judge).unwrap_or_default();
    let files = if taken.is_empty() { files.clone() } else { with_candidates(files, &taken) };
    (files, scanned)
}

fn folder_of(files: &Files) -> Result<&Path, &'static str> {
    files.folder().ok_or("the configuration is not a folder on disk")
}

/// Logs what became of bind files.
pub(crate) fn tell_scanned(scanned: &[Scanned]) {
    for file in scanned {
        match file.outcome {
            Outcome::Refused(_) | Outcome::Older => tracing::warn!("pipeline {file}"),
            Outcome::Installed | Outcome::Replaced => tracing::info!("pipeline {file}"),
            Outcome::Unchanged => {}
        }
    }
}

/// The faults of bind files together with everything else. The configuration is loaded as if they
/// were on their shelves.
fn judged(files: &Files, load: &impl Fn(&Files) -> Problems, candidates: &[Candidate]) -> Vec<Vec<String>> {
    let trial = with_candidates(files, candidates);
    let problems = load(&trial);
    candidates.iter().map(|one| problems.of_file(&trial.display(&one.path))).collect()
}

/// The files with bind files on their shelves.
fn with_candidates(files: &Files, candidates: &[Candidate]) -> Files {
    let texts = candidates.iter().map(|one| (one.path.clone(), (one.text.clone(), one.path.clone())));
    Files::Packaged { base: Box::new(files.clone()), texts: Arc::new(texts.collect()) }
}
