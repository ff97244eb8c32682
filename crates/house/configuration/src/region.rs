//! The region of a configuration: `[region]` with the programs of the folder `programs/`. The
//! programs are translated and compiled.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;

use program::FOLDER;
use region::RegionPlan;
use region_config::{CheckedRegion, FoundFile, InstalledPrograms, RegionSection, RegionUse};
use settings::{Files, GANTRY_FILE, Loader};
use toml::Spanned;
use wire::WorkerUser;

use super::written::GantryFile;
use compiling::{Built, Cache, Checks, Sources, any_waits, first_queue_call, user};

/// The region, if it has anything to run. All faults of the section and of its programs are
/// reported together.
pub(super) fn region(
    loader: &mut Loader<'_>,
    section: &RegionSection,
    uses: &RegionUse,
) -> Option<RegionPlan> {
    if !section.is_needed(uses) {
        return None;
    }
    let checked = section.check(loader);
    let (built, user) = built(loader, section, &checked)?;
    let Ok(worker) = std::env::current_exe().map(|_| OsString::from("/proc/self/exe")) else {
        loader.at_file(FOLDER, "cannot start workers: the path of the gantry binary is unknown");
        return None;
    };
    let Built { folder, faulty, commareas } = built;
    let command = vec![worker, "worker".into()];
    let installed = InstalledPrograms { folder, faulty, commareas, command, user };
    let (files, page) = (loader.files, loader.source_page);
    checked.plan(loader, (uses, installed), || any_waits(files, page))
}

/// The compiled programs, and the user under whom they run. None if there is a fault, except a
/// fault of a single program.
fn built(
    loader: &mut Loader<'_>,
    section: &RegionSection,
    checked: &CheckedRegion<'_>,
) -> Option<(Built, Option<WorkerUser>)> {
    let user = worker_user(loader, section);
    let cache = Cache::open(section.cache.as_deref())
        .map_err(|message| loader.at_file(GANTRY_FILE, format!("[region] {message}")));
    let (page, user, cache) = (checked.page?, user?, cache.ok()?);
    let built = Sources {
        files: loader.files,
        source_page: loader.source_page,
        problems: &mut loader.problems,
        page,
        checks: Checks { numcheck: section.numcheck, ssrange: section.ssrange },
        callable: checked.callable.clone(),
        compiles: Some(tell_of_compiling),
    }
    .build(&cache, user)?;
    Some((built, user))
}

/// Reports progress, because the first start compiles all programs and takes a while: in the log, or before there is one, to
/// people and to the journal of a service manager.
fn tell_of_compiling(program: &str, number: usize, all: usize) {
    match () {
        () if tracing::enabled!(tracing::Level::INFO) => {
            tracing::info!("compiling {program} ({number} of {all})");
        }
        () if std::io::stderr().is_terminal() || std::env::var_os("NOTIFY_SOCKET").is_some() => {
            eprintln!("compiling {program} ({number} of {all})");
        }
        () => {}
    }
}

/// Warns of programs that call a queue manager, if none is configured.
pub(super) fn warn_of_queue_calls(loader: &mut Loader<'_>) {
    if let Some((path, line, name)) = first_queue_call(loader.files, loader.source_page) {
        let message = format!(
            "the program calls {name}, and gantry.toml has no [queue_manager]: such calls fail with reason 2204 (MQRC_ADAPTER_NOT_AVAILABLE)"
        );
        loader.warn_at_line(&path, line, message);
    }
}

/// The user of the workers. The inner none means the gateway's own user.
#[expect(clippy::option_option, reason = "the outer one is a fault that was reported")]
fn worker_user(loader: &mut Loader<'_>, section: &RegionSection) -> Option<Option<WorkerUser>> {
    let written = section.worker_user.as_ref();
    match user::find(written.map(|user| user.get_ref().as_str())) {
        Ok(user) => Some(user),
        Err(message) => {
            loader.at(GANTRY_FILE, written.map_or(0..0, Spanned::span), message);
            None
        }
    }
}

/// Finds a file that a configuration defines.
///
/// # Errors
/// The configuration cannot be read, is faulty there, or does not define the file. The text gives
/// the reason.
pub fn file_of(folder: &Path, wanted: &str) -> Result<FoundFile, String> {
    let files = Files::at(folder.to_owned());
    let shown = files.display(GANTRY_FILE);
    let text = files.read(GANTRY_FILE).map_err(|error| format!("{shown}: {error}"))?;
    let mut gantry: GantryFile =
        toml::from_str(&text).map_err(|error| format!("{shown}: {}", error.message()))?;
    gantry.region.take_store(gantry.store.written_path());
    gantry.region.file(&files, wanted).map_err(|(span, message)| match span {
        Some(span) => format!("{shown}:{}: {message}", settings::line_at(&text, span.start)),
        None => format!("{shown}: {message}"),
    })
}
