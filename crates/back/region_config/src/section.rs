//! `[region]` as it is written, with its defaults.

use std::path::PathBuf;
use std::time::Duration;

use codepage::{CodePage, Family};
use region::{DumpSettings, Limits};
use serde::Deserialize;
use toml::Spanned;

use crate::durable::{
    FileSection, LocationWord, QueueGrantSection, TdQueueSection, TsModelSection, TsPoolSection,
};
use crate::links::{LinkSection, LinksSection};
use crate::programs::ProgramDefinitionSection;
use crate::transactions::TransactionSection;
use crate::transforms::TransformSection;

/// `[region]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RegionSection {
    /// ASSIGN APPLID.
    pub(crate) applid: Spanned<String>,
    /// ASSIGN SYSID.
    pub(crate) sysid: Spanned<String>,
    /// ASSIGN USERID of calls by nobody in particular.
    pub(crate) default_user: Spanned<String>,
    /// The code page of text in programs.
    pub(crate) ccsid: Spanned<u16>,
    /// The transaction work area of each task.
    pub(crate) twa_bytes: Spanned<u16>,
    pub(crate) workers: Option<Spanned<usize>>,
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
    pub(crate) store: Option<Spanned<PathBuf>>,
    /// Where temporary storage queues are that no model covers.
    pub(crate) ts_location: LocationWord,
    #[serde(rename = "tsmodel")]
    pub(crate) ts_models: Vec<TsModelSection>,
    #[serde(rename = "tspool")]
    pub(crate) ts_pools: Vec<TsPoolSection>,
    #[serde(rename = "file")]
    pub(crate) files: Vec<Spanned<FileSection>>,
    /// The rights to queues of messages.
    #[serde(rename = "queue_grant")]
    pub(crate) queue_grants: Vec<Spanned<QueueGrantSection>>,
    #[serde(rename = "tdqueue")]
    pub(crate) td_queues: Vec<Spanned<TdQueueSection>>,
    /// Settings of single programs.
    pub(crate) program: Vec<Spanned<ProgramDefinitionSection>>,
    pub(crate) starts_max: usize,
    /// Half of the workers if it is left out.
    pub(crate) starts_running_max: Option<usize>,
    /// The users that START may name.
    pub(crate) start_users: Vec<Spanned<String>>,
    /// Programs that run once when the gateway starts, before anybody can call, as those of CICS's PLTPI.
    pub(crate) pltpi: Vec<Spanned<String>>,
    /// Transactions that programs may start, and the users that may run programs under them.
    pub(crate) transaction: Vec<Spanned<TransactionSection>>,
    /// `[[region.transform]]`.
    pub transform: Vec<TransformSection>,
    /// Where dumps of abends are written; `.gantry/dumps` in the configuration's folder if it is left out.
    pub(crate) dumps: Option<PathBuf>,
    /// How many are kept; 0 for none at all.
    pub(crate) dumps_max: usize,
    /// Bytes of commarea and containers in each.
    pub(crate) dump_max_bytes: usize,
    /// Where compiled programs are kept; a folder of the user's cache if it is left out.
    pub cache: Option<PathBuf>,
    /// Programs check digits and signs of numbers, as with Enterprise COBOL's option NUMCHECK.
    pub numcheck: bool,
    /// Programs check subscripts and parts of fields, as with Enterprise COBOL's option SSRANGE.
    pub ssrange: bool,
    /// Who workers and the compiler run as if the gateway is root: a name or a number.
    pub worker_user: Option<Spanned<String>>,
    /// Names that a CALL may reach besides programs.
    pub(crate) callable: Vec<Spanned<String>>,
    /// Lines that all programs together may display in a second.
    pub(crate) display_lines_per_second_max: u32,
    /// Limits of links to other regions, and the addresses at which they reach this one.
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
            twa_bytes: Spanned::new(0..0, 0),
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
            queue_grants: Vec::new(),
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
            numcheck: false,
            ssrange: false,
            worker_user: None,
            links: LinksSection::default(),
            link: Vec::new(),
        }
    }
}

/// The users that may run programs under a transaction; nobody else may.
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

/// The limits of tasks and workers.
pub(crate) fn limits_of(section: &RegionSection, workers: usize) -> Limits {
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

/// The code page of programs: one byte a character, as programs have it here.
pub(crate) fn page_of(section: &RegionSection) -> Option<&'static CodePage> {
    CodePage::by_ccsid(*section.ccsid.get_ref()).filter(|page| page.family() == Family::Ascii)
}
