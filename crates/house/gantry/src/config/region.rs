//! The region of a configuration: `[region]`, the programs behind services, and the folder `programs/`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use codepage::{CodePage, Family};
use http::HeaderName;
use program::CommareaBytes;
use region::link::definition::Links;
use region::{
    CONTEXT_CONTAINERS, ContainerPart, ContextContainers, Definitions, DumpSettings, Interchange, Limits,
    ProgramLimits, ProgramProvider, RULES_MAX, Region, Rights, Rule, Settings, Slot, Transaction, UriForm,
};
use serde::Deserialize;
use settings::GANTRY_FILE;
use toml::Spanned;
use wire::{COMMAREA_MAX_BYTES, Name, name};

use super::durable::{FileSection, LocationWord, TdQueueSection, TsModelSection, TsPoolSection};
use super::links::{LinkSection, LinksSection};
use super::loader::Loader;
use super::own_programs::DEFAULT_CHANNEL;
use super::programs::{ProgramDefinitionSection, ProgramDefinitions, WrittenPrograms};
use super::transactions::{TransactionSection, TransformSection, rights_of};
use crate::programs::{Built, Cache, FOLDER, Sources, any_waits, user};

/// Workers for each core, where programs wait for times, other tasks, APIs or other regions.
const WORKERS_BY_CORE_WAITING: usize = 4;

/// `[region]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RegionSection {
    /// ASSIGN APPLID.
    pub(crate) applid: Spanned<String>,
    /// ASSIGN SYSID.
    pub(crate) sysid: Spanned<String>,
    /// ASSIGN USERID of calls by nobody in particular.
    pub(crate) default_user: Spanned<String>,
    /// The code page of text in programs.
    pub(crate) ccsid: Spanned<u16>,
    pub(crate) workers: Option<usize>,
    pub(crate) waiting_max: usize,
    pub(crate) worker_memory_max_bytes: u64,
    pub(crate) worker_tasks_max: u32,
    pub(crate) batch_tasks_max: usize,
    pub(crate) task_cpu_max_ms: u64,
    pub(crate) task_wall_max_ms: u64,
    pub(crate) queues_max_bytes: usize,
    /// How long a task waits for what another task has.
    pub(crate) lock_wait_max_ms: u64,
    /// The file of everything durable; one of the user's state if it is left out.
    pub(crate) store: Option<PathBuf>,
    /// Where temporary storage queues are that no model covers.
    pub(crate) ts_location: LocationWord,
    #[serde(rename = "tsmodel")]
    pub(crate) ts_models: Vec<TsModelSection>,
    #[serde(rename = "tspool")]
    pub(crate) ts_pools: Vec<TsPoolSection>,
    #[serde(rename = "file")]
    pub(crate) files: Vec<Spanned<FileSection>>,
    #[serde(rename = "tdqueue")]
    pub(crate) td_queues: Vec<Spanned<TdQueueSection>>,
    /// What holds for single programs.
    pub(crate) program: Vec<Spanned<ProgramDefinitionSection>>,
    pub(crate) starts_max: usize,
    /// Half of the workers if it is left out.
    pub(crate) starts_running_max: Option<usize>,
    /// The users that START may name.
    pub(crate) start_users: Vec<Spanned<String>>,
    /// Programs that run once when the gateway starts, before anybody can call, as those of CICS's PLTPI.
    pub(crate) pltpi: Vec<Spanned<String>>,
    /// What programs may start, and who may have something run under transactions.
    pub(crate) transaction: Vec<Spanned<TransactionSection>>,
    /// `[[region.transform]]`.
    pub(crate) transform: Vec<TransformSection>,
    /// Where dumps of abends are written; `.gantry/dumps` in the configuration's folder if it is left out.
    pub(crate) dumps: Option<PathBuf>,
    /// How many are kept; 0 for none at all.
    pub(crate) dumps_max: usize,
    /// Bytes of commarea and containers in each.
    pub(crate) dump_max_bytes: usize,
    /// Where compiled programs are kept; a folder of the user's cache if it is left out.
    pub(crate) cache: Option<PathBuf>,
    /// Who workers and the compiler run as if the gateway is root: a name or a number.
    pub(crate) worker_user: Option<Spanned<String>>,
    /// Names that a CALL may reach besides programs.
    pub(crate) callable: Vec<Spanned<String>>,
    /// Lines that all programs together may display in a second.
    pub(crate) display_lines_per_second_max: u32,
    /// What links to other regions may take, and where they reach this one.
    pub(crate) links: LinksSection,
    /// The other regions.
    pub(crate) link: Vec<Spanned<LinkSection>>,
}

impl Default for RegionSection {
    fn default() -> Self {
        let (limits, dumps) = (Limits::default(), DumpSettings::default());
        let text = |text: &str| Spanned::new(0..0, text.to_owned());
        Self {
            applid: text("GANTRY"),
            sysid: text("GTRY"),
            default_user: text("GANTRY"),
            ccsid: Spanned::new(0..0, 819),
            workers: None,
            waiting_max: limits.waiting_max,
            worker_memory_max_bytes: limits.memory_max_bytes,
            worker_tasks_max: limits.tasks_max,
            batch_tasks_max: limits.batch_tasks_max,
            task_cpu_max_ms: limits.cpu_max.as_millis() as u64,
            task_wall_max_ms: limits.wall_max.as_millis() as u64,
            queues_max_bytes: limits.queues_max_bytes,
            lock_wait_max_ms: limits.lock_wait_max.as_millis() as u64,
            store: None,
            ts_location: LocationWord::Main,
            ts_models: Vec::new(),
            ts_pools: Vec::new(),
            files: Vec::new(),
            td_queues: Vec::new(),
            program: Vec::new(),
            starts_max: limits.starts_max,
            starts_running_max: None,
            callable: Vec::new(),
            display_lines_per_second_max: limits.display_lines_per_second_max,
            start_users: Vec::new(),
            pltpi: Vec::new(),
            transaction: Vec::new(),
            transform: Vec::new(),
            dumps: None,
            dumps_max: dumps.most,
            dump_max_bytes: dumps.data_max_bytes,
            cache: None,
            worker_user: None,
            links: LinksSection::default(),
            link: Vec::new(),
        }
    }
}

/// Who may have something run under a transaction, and nobody else.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RightSection {
    /// The transaction.
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) roles: InvokeSection,
    /// Users who may, whatever their groups.
    #[serde(default)]
    pub(crate) users: Vec<Box<str>>,
}

/// `roles = { invoke = ["clerks"] }`: the groups whose users may.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct InvokeSection {
    pub(crate) invoke: Vec<Box<str>>,
}

/// `[provider]` with `kind = "program"`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProgramSection {
    /// The program's name.
    pub(crate) program: String,
    /// The transaction that it runs under.
    #[serde(default = "default_transaction")]
    pub(crate) transaction: String,
    /// The channel that it gets; without it, it gets a commarea.
    pub(crate) channel: Option<String>,
    /// The container of the request's record.
    pub(crate) request_container: Option<String>,
    /// The container of the answer's record; that of the request if it is left out.
    pub(crate) response_container: Option<String>,
    /// The program gets context containers: what of the request from outside it may know.
    #[serde(default)]
    pub(crate) use_context_containers: bool,
    /// The container `DFHHTTPSTATUS` has the status of the answer.
    #[serde(default)]
    pub(crate) use_http_status: bool,
    /// The headers of the request that go into a context container.
    #[serde(default)]
    pub(crate) http_headers: Vec<String>,
}

impl ProgramSection {
    /// A program of which nothing else is said.
    pub(super) fn of(program: &str, channel: Option<String>) -> Self {
        Self {
            program: program.to_owned(),
            transaction: default_transaction(),
            channel,
            request_container: None,
            response_container: None,
            use_context_containers: false,
            use_http_status: false,
            http_headers: Vec::new(),
        }
    }
}

fn default_transaction() -> String {
    "GTRY".to_owned()
}

/// The container of records if none is named: that of CICS's web services.
const DEFAULT_CONTAINER: &str = "DFHWS-DATA";

/// The code page of programs: one byte a character, as programs have it here.
fn page_of(section: &RegionSection) -> Option<&'static CodePage> {
    CodePage::by_ccsid(*section.ccsid.get_ref()).filter(|page| page.family() == Family::Ascii)
}

/// What services need of the region, gathered while they are read.
#[derive(Debug, Default)]
pub(crate) struct RegionUse {
    slot: Arc<Slot>,
    /// The code page of its programs; none if the configured one cannot be theirs.
    page: Option<&'static CodePage>,
    /// The programs of services.
    programs: BTreeSet<Name<8>>,
    /// The commareas of services.
    commareas: Vec<CommareaUse>,
}

/// The commarea of a service.
#[derive(Debug)]
struct CommareaUse {
    /// The service's file.
    path: String,
    program: String,
    bytes: usize,
}

impl RegionUse {
    /// What services can know of a region before it is there.
    pub(super) fn of(section: &RegionSection) -> Self {
        Self { page: page_of(section), ..Self::default() }
    }

    /// The code page of text in programs that run here.
    pub(super) fn ccsid(&self) -> Option<u16> {
        self.page.map(CodePage::ccsid)
    }

    /// The provider of a service of records of at most so many bytes, out and back.
    pub(crate) fn record_provider(
        &mut self,
        section: &ProgramSection,
        (request, response): (usize, usize),
        parts: Option<[Vec<ContainerPart>; 2]>,
    ) -> Result<ProgramProvider, String> {
        if let Some([request, response]) = parts {
            if section.request_container.is_some() || section.response_container.is_some() {
                return Err("the service's records name their containers, so the provider must not name any"
                    .to_owned());
            }
            let channel = container_name(section.channel.as_deref().unwrap_or(DEFAULT_CHANNEL))?;
            return self.provider(section, Interchange::Parts { channel, request, response }, UriForm::Url);
        }
        let interchange = match &section.channel {
            Some(channel) => {
                let named = section.request_container.as_deref().unwrap_or(DEFAULT_CONTAINER);
                let answer = section.response_container.as_deref().unwrap_or(named);
                Interchange::Containers {
                    channel: container_name(channel)?,
                    request: container_name(named)?,
                    response: container_name(answer)?,
                }
            }
            None if section.request_container.is_some() || section.response_container.is_some() => {
                return Err("containers go with 'channel'".to_owned());
            }
            None => {
                let bytes = request.max(response);
                if bytes > COMMAREA_MAX_BYTES {
                    return Err(format!(
                        "expected records of at most {COMMAREA_MAX_BYTES} bytes for a commarea, found {bytes}: use a channel"
                    ));
                }
                Interchange::Commarea { bytes, answer_bytes: response }
            }
        };
        self.provider(section, interchange, UriForm::Url)
    }

    /// Notes the commarea of a service, to be compared with the program's own.
    pub(super) fn note_commarea(&mut self, path: &str, provider: &ProgramProvider) {
        if let Interchange::Commarea { bytes, .. } = provider.interchange {
            let program = String::from_utf8_lossy(&provider.program).into_owned();
            self.commareas.push(CommareaUse { path: path.to_owned(), program, bytes });
        }
    }

    /// The provider of a service of containers, whose URI it gets in one of two forms.
    pub(crate) fn channel_provider(
        &mut self,
        section: &ProgramSection,
        uri: UriForm,
    ) -> Result<ProgramProvider, String> {
        let Some(channel) = &section.channel else {
            return Err("a service of containers needs a program with 'channel'".to_owned());
        };
        let channel = container_name(channel)?;
        self.provider(section, Interchange::Channel { channel }, uri)
    }

    fn provider(
        &mut self,
        section: &ProgramSection,
        interchange: Interchange,
        uri: UriForm,
    ) -> Result<ProgramProvider, String> {
        let program = section.program.as_str();
        check_length("program", program, 8)?;
        check_length("transaction", &section.transaction, 4)?;
        let context = context(section, &interchange, uri)?;
        if section.use_http_status && matches!(interchange, Interchange::Commarea { .. }) {
            return Err(
                "'use_http_status' needs 'channel'; for a commarea, use status_field of the API's response"
                    .to_owned(),
            );
        }
        let program = name(program);
        self.programs.insert(program);
        Ok(ProgramProvider {
            region: self.slot.clone(),
            program,
            transaction: name(&section.transaction),
            interchange,
            context,
            states_status: section.use_http_status,
        })
    }
}

/// What the program gets of the request from outside.
fn context(
    section: &ProgramSection,
    interchange: &Interchange,
    uri: UriForm,
) -> Result<Option<ContextContainers>, String> {
    let is_wanted = section.use_context_containers;
    match interchange {
        _ if !is_wanted && !section.http_headers.is_empty() => {
            return Err("'http_headers' goes with use_context_containers = true".to_owned());
        }
        _ if !is_wanted => return Ok(None),
        Interchange::Commarea { .. } => {
            return Err("context containers need 'channel'; a program with a commarea gets none".to_owned());
        }
        Interchange::Containers { request, response, .. } => {
            let of_context = |own: &&[u8; 16]| CONTEXT_CONTAINERS.iter().any(|known| name(known) == **own);
            if let Some(own) = [request, response].into_iter().find(of_context) {
                let own = String::from_utf8_lossy(own);
                return Err(format!(
                    "{} is a context container: name another for the record",
                    own.trim_end()
                ));
            }
        }
        Interchange::Parts { .. } | Interchange::Channel { .. } => {}
    }
    for header in &section.http_headers {
        if HeaderName::from_bytes(header.as_bytes()).is_err() {
            return Err(format!("expected names of headers in 'http_headers', found '{header}'"));
        }
    }
    Ok(Some(ContextContainers { uri, headers: section.http_headers.clone() }))
}

pub(super) fn container_name(text: &str) -> Result<[u8; 16], String> {
    check_length("name of a channel or container", text, 16)?;
    Ok(name(text))
}

pub(super) fn check_length(what: &str, text: &str, most: usize) -> Result<(), String> {
    let fits = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    match fits {
        true => Ok(()),
        false => Err(format!("expected a {what} of 1 to {most} characters without blanks, found '{text}'")),
    }
}

/// A region to be started, or taken over.
#[derive(Debug)]
pub(crate) struct RegionPlan {
    pub(super) settings: Settings,
    slot: Arc<Slot>,
    before: Option<Arc<Region>>,
    /// The programs that run first.
    pltpi: Vec<Name<8>>,
}

/// What `[region]` says without its programs' sources.
struct RegionParts {
    applid: String,
    sysid: String,
    default_user: String,
    start_users: Vec<String>,
    links: Links,
    written: WrittenPrograms,
    transaction_rules: Vec<Rule<4>>,
    transactions: BTreeMap<[u8; 4], Transaction>,
    definitions: Definitions,
}

impl RegionPlan {
    /// What it will be, to be changed by who does not take it as it is configured.
    pub(crate) fn settings(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// The region that runs: if nothing has changed, it serves on; else its queues go to the next one.
    pub(crate) fn inherit(&mut self, before: &Arc<Region>) {
        self.before = Some(before.clone());
    }

    /// Starts what must be started.
    ///
    /// # Errors
    /// Programs cannot run here: the reason for people.
    pub(crate) fn start(self) -> Result<Arc<Region>, String> {
        let is_first = self.before.is_none();
        let region = match self.before {
            Some(before) if *before.settings() == self.settings => before,
            Some(before) => before.successor(self.settings)?,
            None => Region::start(self.settings)?,
        };
        for note in region.notes() {
            tracing::warn!("{note}");
        }
        if !region.keeps_counters() {
            tracing::info!(
                "named counters are in memory and are lost at a restart, because [region] has no store"
            );
        }
        region.open_links()?;
        self.slot.fill(region.clone());
        if is_first && !self.pltpi.is_empty() {
            super::pltpi::run(&region, self.pltpi)?;
        }
        Ok(region)
    }
}

fn limits_of(section: &RegionSection, workers: usize) -> Limits {
    Limits {
        workers,
        waiting_max: section.waiting_max,
        memory_max_bytes: section.worker_memory_max_bytes,
        cpu_max: Duration::from_millis(section.task_cpu_max_ms),
        wall_max: Duration::from_millis(section.task_wall_max_ms),
        tasks_max: section.worker_tasks_max.max(1),
        batch_tasks_max: section.batch_tasks_max,
        queues_max_bytes: section.queues_max_bytes,
        lock_wait_max: Duration::from_millis(section.lock_wait_max_ms),
        starts_max: section.starts_max,
        starts_running_max: section.starts_running_max.unwrap_or(workers / 2).max(1),
        display_lines_per_second_max: section.display_lines_per_second_max,
        ..Limits::default()
    }
}

impl Loader<'_> {
    /// The workers that are kept for single programs leave at least one for all others.
    fn check_kept(
        &mut self,
        written: &WrittenPrograms,
        limits: &BTreeMap<Name<8>, ProgramLimits>,
        workers: usize,
    ) {
        let kept: usize = limits.values().filter_map(|limits| limits.workers_kept).sum();
        if kept >= workers.max(1) && kept > 0 {
            let message = format!(
                "workers_kept: expected fewer than the {workers} workers of [region] for all programs together, found {kept}"
            );
            self.at(GANTRY_FILE, written.place_of_kept(), message);
        }
    }

    /// `callable`: names that a worker can look up.
    fn callable(&mut self, section: &RegionSection) -> Vec<String> {
        let is_name = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_@#$".contains(&byte))
        };
        let mut names = Vec::new();
        for name in &section.callable {
            match is_name(name.get_ref()) {
                true => names.push(name.get_ref().clone()),
                false => {
                    let message =
                        format!("callable: expected the name of a function, found {:?}", name.get_ref());
                    self.at(GANTRY_FILE, name.span(), message);
                }
            }
        }
        names
    }

    /// The region, if a service has a program; its programs are translated and compiled.
    pub(super) fn region(&mut self, section: &RegionSection) -> Option<RegionPlan> {
        // Other regions may have programs run here, too.
        if self.region.programs.is_empty() && section.link.is_empty() && section.pltpi.is_empty() {
            return None;
        }
        // All faults of the section and of its programs are found before the first one counts.
        let callable = self.callable(section);
        let parts = self.parts(section);
        let built = self.built(section, &callable);
        let (parts, (built, user)) = (parts?, built?);
        let Ok(worker) = std::env::current_exe().map(|_| OsString::from("/proc/self/exe")) else {
            self.at_file(FOLDER, "cannot start workers: the path of the gantry binary is unknown");
            return None;
        };
        let Built { folder: programs, faulty, commareas } = built;
        self.warn_of_short_commareas(&commareas);
        let ProgramDefinitions { rules, limits: programs_limits, remote } =
            self.program_definitions(&parts.written, &programs)?;
        let mut definitions = parts.definitions;
        definitions.remote_programs = remote;
        definitions.faulty_programs = faulty.iter().map(|program| name(program)).collect();
        let workers = self.workers(section);
        self.check_kept(&parts.written, &programs_limits, workers);
        let settings = Settings {
            sysid: name(&parts.sysid),
            default_user: name(&parts.default_user),
            ccsid: *section.ccsid.get_ref(),
            rights: Rights { programs: rules, transactions: parts.transaction_rules },
            programs,
            command: vec![worker, "worker".into()],
            transactions: parts.transactions,
            start_users: parts.start_users.iter().map(|user| name(user)).collect(),
            limits: limits_of(section, workers),
            store: super::durable::store_path(self.files, section.store.as_deref(), &parts.applid),
            applid: name(&parts.applid),
            keeps_counters: section.store.is_some(),
            definitions,
            user,
            programs_limits,
            links: parts.links,
            dumps: DumpSettings {
                folder: super::durable::dumps_path(self.files, section.dumps.as_deref()),
                most: section.dumps_max,
                data_max_bytes: section.dump_max_bytes,
            },
            callable,
        };
        let pltpi = self.pltpi(section, &settings)?;
        self.warn_of_missing_programs(&settings);
        Some(RegionPlan { settings, slot: self.region.slot.clone(), before: None, pltpi })
    }

    /// What the section says by itself; none if any of it has a fault.
    fn parts(&mut self, section: &RegionSection) -> Option<RegionParts> {
        let applid = self.region_name(("applid", &section.applid), 8);
        let sysid = self.region_name(("sysid", &section.sysid), 4);
        let default_user = self.region_name(("default_user", &section.default_user), 8);
        let users = section.start_users.iter();
        let start_users: Vec<_> = users.map(|user| self.region_name(("start_users", user), 8)).collect();
        let links = self.links(section);
        // Without the links, what leads to them would be told as wrong, too.
        let of_links = links.and_then(|links| {
            let written = self.written_programs(&section.program, &links.peers);
            let remote = self.remote_transactions(&section.transaction, &links.peers);
            Some((written?, remote?, links))
        });
        let transaction_rules = self.rules(("transaction", 4), &rights_of(&section.transaction));
        let transactions = self.transactions(&section.transaction);
        let definitions = self.definitions(section);
        let (written, remote_transactions, links) = of_links?;
        Some(RegionParts {
            applid: applid?,
            sysid: sysid?,
            default_user: default_user?,
            start_users: start_users.into_iter().collect::<Option<_>>()?,
            links,
            written,
            transaction_rules: transaction_rules?,
            transactions: transactions?,
            definitions: Definitions { remote_transactions, ..definitions? },
        })
    }

    /// The programs, translated and compiled, and the user for whom they run; none if there is a fault, unless it is a
    /// program's alone.
    fn built(
        &mut self,
        section: &RegionSection,
        callable: &[String],
    ) -> Option<(Built, Option<wire::WorkerUser>)> {
        let page = self.region_page(section);
        let user = self.worker_user(section);
        let cache = Cache::open(section.cache.as_deref())
            .map_err(|message| self.at_file(GANTRY_FILE, format!("[region] {message}")));
        let (page, user, cache) = (page?, user?, cache.ok()?);
        let built = Sources {
            files: self.reading.files,
            source_page: self.reading.source_page,
            problems: &mut self.reading.problems,
            page,
            callable: callable.to_vec(),
        }
        .build(&cache, user)?;
        Some((built, user))
    }

    /// The code page of text in programs.
    fn region_page(&mut self, section: &RegionSection) -> Option<&'static CodePage> {
        let page = page_of(section);
        if page.is_none() {
            let message = format!(
                "expected a single-byte code page of the ASCII family, as programs have it here, found CCSID {}",
                section.ccsid.get_ref()
            );
            self.at(GANTRY_FILE, section.ccsid.span(), message);
        }
        page
    }

    /// Who workers run as; None in it stands for the gateway's own user.
    fn worker_user(&mut self, section: &RegionSection) -> Option<Option<wire::WorkerUser>> {
        let written = section.worker_user.as_ref();
        match user::find(written.map(|user| user.get_ref().as_str())) {
            Ok(user) => Some(user),
            Err(message) => {
                self.at(GANTRY_FILE, written.map_or(0..0, Spanned::span), message);
                None
            }
        }
    }

    /// Tells of programs of services that are nowhere.
    fn warn_of_missing_programs(&mut self, settings: &Settings) {
        let faulty = &settings.definitions.faulty_programs;
        let is_missing = |program: &&Name<8>| !settings.has_program(**program) && !faulty.contains(*program);
        let missing: Vec<_> = self.region.programs.iter().filter(is_missing).copied().collect();
        for program in missing {
            let program = String::from_utf8_lossy(&program);
            let message = format!(
                "the program {} of a service does not exist; its calls end with abend APCT",
                program.trim_end()
            );
            self.warn(FOLDER, message);
        }
    }

    /// Tells of services whose records are shorter than what their programs declare.
    fn warn_of_short_commareas(&mut self, commareas: &BTreeMap<String, CommareaBytes>) {
        for CommareaUse { path, program, bytes } in std::mem::take(&mut self.region.commareas) {
            let Some(own) = commareas.get(program.trim_end()) else { continue };
            if bytes < own.least {
                let message = format!(
                    "the commarea has {bytes} bytes, but the DFHCOMMAREA of {} has {}: the program finds zeros behind the commarea, and loses data that it writes there",
                    program.trim_end(),
                    own.least
                );
                self.warn(&path, message);
            }
        }
    }

    /// How many workers there are: as many as cores, or more if programs wait while others could run.
    fn workers(&self, section: &RegionSection) -> usize {
        let cores = || std::thread::available_parallelism().map_or(2, usize::from);
        let waits = || !section.link.is_empty() || any_waits(self.files, self.source_page);
        section
            .workers
            .unwrap_or_else(|| if waits() { cores() * WORKERS_BY_CORE_WAITING } else { cores() })
            .max(1)
    }

    /// The rules of one kind of thing; none if there is a fault.
    fn rules<const N: usize>(
        &mut self,
        (what, most): (&str, usize),
        sections: &[Spanned<RightSection>],
    ) -> Option<Vec<Rule<N>>> {
        let mut rules: Vec<Rule<N>> = Vec::with_capacity(sections.len());
        let mut complete = true;
        for section in sections {
            let RightSection { name: text, roles, users } = section.get_ref();
            let rule = Rule { name: name(text), groups: roles.invoke.clone(), users: users.clone() };
            let fault = match check_length(what, text, most) {
                Err(message) => Some(message),
                Ok(()) if rules.iter().any(|known| known.name == rule.name) => {
                    Some(format!("the {what} {text} has a rule already; one says who may run it"))
                }
                Ok(()) if rules.len() == RULES_MAX => Some(format!("expected at most {RULES_MAX} rules")),
                Ok(()) => None,
            };
            if let Some(message) = fault {
                self.at(GANTRY_FILE, section.span(), message);
                complete = false;
            }
            rules.push(rule);
        }
        complete.then_some(rules)
    }

    fn region_name(&mut self, (key, text): (&str, &Spanned<String>), most: usize) -> Option<String> {
        match check_length(key, text.get_ref(), most) {
            Ok(()) => Some(text.get_ref().to_uppercase()),
            Err(message) => {
                self.at(GANTRY_FILE, text.span(), message);
                None
            }
        }
    }
}
