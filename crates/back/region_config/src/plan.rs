//! From `[region]` to a region that can be started.
//!
//! It is made in two stages, because programs are translated and compiled between them.
//! [`RegionSection::check`] finds all faults of the section. [`CheckedRegion::plan`] makes the plan when the
//! programs are known.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::ops::{Deref, DerefMut, Range};
use std::path::PathBuf;

use codepage::CodePage;
use program::CommareaBytes;
use program::FOLDER;
use region::link::definition::Links;
use region::{
    Definitions, DumpSettings, ProgramLimits, RULES_MAX, RegionPlan, Rights, Rule, Settings, Transaction,
};
use settings::{GANTRY_FILE, Loader};
use toml::Spanned;
use wire::{Name, WorkerUser, name};

use crate::durable::dumps_path;
use crate::names::check_length;
use crate::programs::{ProgramDefinitions, WrittenPrograms};
use crate::provider::{CommareaUse, RegionUse};
use crate::section::{RegionSection, RightSection, limits_of, page_of};
use crate::transactions::rights_of;

/// Workers for each core, where programs wait for times, other tasks, APIs or other regions.
const WORKERS_BY_CORE_WAITING: usize = 4;

/// The most workers of a region: each is a process.
pub(crate) const WORKERS_MAX: usize = 1_024;

/// The largest transaction work area, as with TWASIZE.
const WORK_AREA_MAX_BYTES: u16 = 32_767;

/// The result of checking the section by itself.
#[derive(Debug)]
pub struct CheckedRegion<'s> {
    section: &'s RegionSection,
    /// Names that programs may CALL besides each other.
    pub callable: Vec<String>,
    /// The code page of text in programs; none if programs cannot have the configured one.
    pub page: Option<&'static CodePage>,
    /// None if there are faults, which are reported.
    parts: Option<RegionParts>,
}

/// The programs of a region, and who runs them.
#[derive(Debug)]
pub struct InstalledPrograms {
    /// The folder that has the shared objects of the usable programs.
    pub folder: PathBuf,
    /// The names of the unusable ones.
    pub faulty: BTreeSet<String>,
    /// The DFHCOMMAREA of each that declares one.
    pub commareas: BTreeMap<String, CommareaBytes>,
    /// The command that starts a worker.
    pub command: Vec<OsString>,
    /// The user that workers run as; none for the gateway's own user.
    pub user: Option<WorkerUser>,
}

impl RegionSection {
    /// True if there is something to run: a program of a service or a listener, one that runs first, one that another region
    /// calls, or a transaction that messages or operators start.
    #[must_use]
    pub fn is_needed(&self, uses: &RegionUse) -> bool {
        let mut transactions = self.transaction.iter().map(Spanned::get_ref);
        !uses.programs.is_empty()
            || uses.has_triggers
            || !self.link.is_empty()
            || !self.pltpi.is_empty()
            || transactions.any(|transaction| transaction.program.is_some())
    }

    /// True if a transaction of this name can be started here.
    #[must_use]
    pub fn has_transaction(&self, name: &str) -> bool {
        let mut all = self.transaction.iter().map(Spanned::get_ref);
        all.any(|transaction| transaction.name == name && transaction.program.is_some())
    }

    /// Checks the section by itself. All faults are reported.
    pub fn check(&self, loader: &mut Loader<'_>) -> CheckedRegion<'_> {
        let mut reader = Reader(loader);
        let callable = reader.callable(self);
        let parts = reader.parts(self);
        reader.check_work_area(self);
        let page = reader.region_page(self);
        if let Some(workers) = self.workers.as_ref().filter(|workers| *workers.get_ref() > WORKERS_MAX) {
            let message = format!("expected at most {WORKERS_MAX} workers, found {}", workers.get_ref());
            reader.at(GANTRY_FILE, workers.span(), message);
        }
        CheckedRegion { section: self, callable, page, parts }
    }

    /// The number of workers: the number of cores, or more if programs wait while others could run.
    /// `any_waits` says whether a program does.
    fn workers(&self, any_waits: impl FnOnce() -> bool) -> usize {
        let cores = || std::thread::available_parallelism().map_or(2, usize::from);
        let waits = || !self.link.is_empty() || any_waits();
        let written = self.workers.as_ref().map(|workers| *workers.get_ref());
        written.unwrap_or_else(|| if waits() { cores() * WORKERS_BY_CORE_WAITING } else { cores() }).max(1)
    }
}

impl CheckedRegion<'_> {
    /// The region with its programs; none if one has a fault, which is reported. `any_waits` says whether a
    /// program waits while it holds a worker; it is asked only if the section leaves the number of workers
    /// open.
    pub fn plan(
        self,
        loader: &mut Loader<'_>,
        (uses, installed): (&RegionUse, InstalledPrograms),
        any_waits: impl FnOnce() -> bool,
    ) -> Option<RegionPlan> {
        let (section, parts) = (self.section, self.parts?);
        let InstalledPrograms { folder: programs, faulty, commareas, command, user } = installed;
        let mut reader = Reader(loader);
        reader.warn_of_short_commareas(uses, &commareas);
        let ProgramDefinitions { rules, limits: programs_limits, remote } =
            reader.program_definitions(&parts.written, &programs)?;
        let named = named_programs(section, &parts.written);
        let mut definitions = parts.definitions;
        definitions.remote_programs = remote;
        definitions.faulty_programs = faulty.iter().map(|program| name(program)).collect();
        let workers = section.workers(any_waits);
        reader.check_kept(&parts.written, &programs_limits, workers);
        let settings = Settings {
            sysid: name(&parts.sysid),
            default_user: name(&parts.default_user),
            ccsid: *section.ccsid.get_ref(),
            work_area_bytes: *section.twa_bytes.get_ref(),
            rights: Rights { programs: rules, transactions: parts.transaction_rules },
            programs,
            command,
            transactions: parts.transactions,
            start_users: parts.start_users.iter().map(|user| name(user)).collect(),
            limits: limits_of(section, workers),
            store: section.store_path(reader.files),
            applid: name(&parts.applid),
            keeps_counters: section.store.is_some(),
            definitions,
            user,
            programs_limits,
            links: parts.links,
            dumps: DumpSettings {
                folder: dumps_path(reader.files, section.dumps.as_deref()),
                most: section.dumps_max,
                data_max_bytes: section.dump_max_bytes,
            },
            callable: self.callable,
        };
        let pltpi = reader.pltpi(section, &settings)?;
        reader.warn_of_missing_programs(uses, &settings);
        reader.warn_of_unknown_programs(&named, &settings);
        Some(RegionPlan::new(settings, uses.slot.clone(), pltpi))
    }
}

/// Programs that the section names: the name, its place, and its use.
type Named = Vec<(String, Range<usize>, &'static str)>;

fn named_programs(section: &RegionSection, written: &WrittenPrograms) -> Named {
    let own = written.own_names().map(|(name, span)| (name, span, "this section changes nothing"));
    let started = section.transaction.iter().filter_map(|transaction| {
        let program = transaction.get_ref().program.as_ref()?;
        let what = "tasks of this transaction end with abend APCT";
        Some((program.get_ref().clone(), program.span(), what))
    });
    own.chain(started).collect()
}

/// Reads the section, which stands in `gantry.toml`.
pub(crate) struct Reader<'a, 'f>(&'a mut Loader<'f>);

impl<'f> Deref for Reader<'_, 'f> {
    type Target = Loader<'f>;

    fn deref(&self) -> &Self::Target {
        self.0
    }
}

impl DerefMut for Reader<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0
    }
}

/// The values of `[region]` that do not need its programs' sources.
#[derive(Debug)]
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

impl Reader<'_, '_> {
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

    /// The values of the section; none if one has a fault.
    fn parts(&mut self, section: &RegionSection) -> Option<RegionParts> {
        let applid = self.region_name(("applid", &section.applid), 8);
        let sysid = self.region_name(("sysid", &section.sysid), 4);
        let default_user = self.region_name(("default_user", &section.default_user), 8);
        let users = section.start_users.iter();
        let start_users: Vec<_> = users.map(|user| self.region_name(("start_users", user), 8)).collect();
        let links = self.links(section);
        // Without the links, uses of them would be reported as faults, too.
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

    /// Checks the size of work areas.
    fn check_work_area(&mut self, section: &RegionSection) {
        let bytes = *section.twa_bytes.get_ref();
        if bytes > WORK_AREA_MAX_BYTES {
            let message =
                format!("expected at most {WORK_AREA_MAX_BYTES} bytes, as with CICS, found {bytes}");
            self.at(GANTRY_FILE, section.twa_bytes.span(), message);
        }
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

    /// Tells of programs of services that are nowhere.
    fn warn_of_missing_programs(&mut self, uses: &RegionUse, settings: &Settings) {
        let faulty = &settings.definitions.faulty_programs;
        let is_missing = |program: &&Name<8>| !settings.has_program(**program) && !faulty.contains(*program);
        let missing: Vec<_> = uses.programs.iter().filter(is_missing).collect();
        for name in missing {
            let program = String::from_utf8_lossy(name);
            if let Some(span) = uses.web_places.get(name) {
                let program = program.trim_end();
                let message =
                    format!("program {program} does not exist in programs/: requests for it get 503");
                self.warn_at(GANTRY_FILE, span.clone(), message);
                continue;
            }
            let message = format!(
                "the program {} of a service does not exist; its calls end with abend APCT",
                program.trim_end()
            );
            match uses.places.get(name) {
                Some((path, span)) => self.warn_at(path, span.clone(), message),
                None => self.warn(FOLDER, message),
            }
        }
    }

    /// Tells of programs that `[[region.program]]` and `[[region.transaction]]` name, and that are nowhere.
    fn warn_of_unknown_programs(&mut self, parts: &Named, settings: &Settings) {
        let faulty = &settings.definitions.faulty_programs;
        for (program, span, what) in parts {
            let program = name::<8>(program);
            if settings.has_program(program) || faulty.contains(&program) {
                continue;
            }
            let program = String::from_utf8_lossy(&program);
            let message = format!("program {} does not exist in programs/: {what}", program.trim_end());
            self.warn_at(GANTRY_FILE, span.clone(), message);
        }
    }

    /// Warns of services whose records are shorter than their programs declare.
    fn warn_of_short_commareas(&mut self, uses: &RegionUse, commareas: &BTreeMap<String, CommareaBytes>) {
        for CommareaUse { path, program, bytes } in &uses.commareas {
            let Some(own) = commareas.get(program.trim_end()) else { continue };
            if *bytes < own.least {
                let message = format!(
                    "the commarea has {bytes} bytes, but the DFHCOMMAREA of {} has {}: the program finds zeros behind the commarea, and loses data that it writes there",
                    program.trim_end(),
                    own.least
                );
                self.warn(path, message);
            }
        }
    }

    /// The rules of one kind; none if there is a fault.
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
