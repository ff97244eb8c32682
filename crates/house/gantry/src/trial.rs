//! A configuration that runs for one call: as a gateway runs it, but without addresses and on a store of its own.
//!
//! The gateway's store is never opened, so a trial can run beside the gateway. Nothing is recorded by interceptors. What
//! lies outside of the store is the real thing: other servers and regions, files of transient data queues, dumps.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use codepage::readable::{hex, plain};
use message::QueueName;
use region::{Contents, PendingStart, QueuePlace, Region};
use server::Signals;
use settings::Files;
use terminal::{count, remark};
use wire::shown;

use crate::live::Live;
use configuration::Settings;
use gateway::Gateway;

/// The file of the store in the folder of a trial.
const STORE_FILE: &str = "call.store";

/// How long started tasks and messages for listeners may take after the call.
const SETTLE_MAX: Duration = Duration::from_secs(60);
/// How often to check whether they have ended.
const SETTLE_POLL: Duration = Duration::from_millis(5);
/// How long messages may lie on a queue with a listener before nobody is expected to take them, while no task runs.
const SETTLE_STILL_MAX: Duration = Duration::from_secs(5);
/// After so long a line says what the command waits for.
const SETTLE_TOLD_AFTER: Duration = Duration::from_secs(1);

/// How many things that are left over are named.
const LEFT_SHOWN_MAX: usize = 20;

/// How many folders are tried until one has a new name.
const FOLDERS_TRIED_MAX: u32 = 1_000;

/// How often the folder of the store is deleted, with a pause in between, until it stays empty: the threads of listeners close the
/// store a moment after the order to stop.
const DELETIONS_MAX: u32 = 200;
const DELETION_PAUSE: Duration = Duration::from_millis(10);

/// A configuration that runs for one call.
pub(crate) struct Trial {
    live: Arc<Live>,
    /// The queues whose messages listeners of this configuration take.
    listened: Vec<QueueName>,
    /// The content of files and queues before the call.
    before: Contents,
    /// After the rest: it is deleted when nobody uses the store any more.
    place: Place,
}

/// Where the store of a trial is.
enum Place {
    /// It stays.
    Kept(PathBuf),
    /// It goes with the trial.
    Temporary(#[expect(dead_code, reason = "its end deletes the folder")] TemporaryFolder),
}

/// The things that a trial leaves.
#[derive(Debug, Default, PartialEq, Eq)]
struct Left {
    /// Those that the store has.
    kept: Vec<String>,
    /// Those that are gone after the trial.
    gone: Vec<String>,
}

impl Trial {
    /// Runs a configuration. Its store is in this folder, or else in one that is deleted at the end.
    ///
    /// # Errors
    /// The store cannot be opened, or programs cannot run here: the reason for people.
    pub(crate) async fn start(
        mut settings: Settings,
        files: &Files,
        kept: Option<&Path>,
    ) -> Result<Self, String> {
        let (place, path) = match kept {
            Some(folder) => {
                let path = store_in(folder, settings.store.path())?;
                (Place::Kept(folder.to_owned()), path)
            }
            None => {
                let folder = TemporaryFolder::new()?;
                let path = folder.0.join(STORE_FILE);
                (Place::Temporary(folder), path)
            }
        };
        settings.store.move_to(path.clone());
        if let Some(region) = &mut settings.region {
            let region = region.settings();
            region.store = path;
            // The gateway has these addresses.
            region.links.listen.clear();
        }
        settings.gateway.interceptors.clear();
        settings.gateway.traces = None;
        let listened = settings.queue_listeners.iter().map(|listener| listener.plan.queue.clone()).collect();
        let source = settings.source(files.clone(), None);
        let live = Arc::new(Live::new(settings.into_loaded(), source).map_err(|error| error.to_string())?);
        let before = match (&place, live.gateway().region.as_ref()) {
            // Nothing is lost there, so nobody needs to know it.
            (Place::Kept(_), _) | (_, None) => Contents::default(),
            (Place::Temporary(_), Some(region)) => region.contents().await?,
        };
        live.surround().map_err(|error| format!("no thread for listeners of queues: {error}"))?;
        Ok(Self { live, listened, before, place })
    }

    /// The gateway that runs.
    pub(crate) fn gateway(&self) -> Arc<Gateway> {
        self.live.gateway()
    }

    /// Waits for the tasks that the call has started and for listeners, and ends. Tells in one line what is left over; none if
    /// nothing is.
    pub(crate) async fn end(self, signals: &mut Signals) -> Option<String> {
        let cut = tokio::select! {
            running = self.settled() => running,
            () = interrupted(signals) => self.running(),
        };
        self.live.stopping.store(true, Ordering::Relaxed);
        self.live.listeners.stop();
        self.live.queues.stop();
        let mut left = self.left_over().await.unwrap_or_else(|message| Left {
            gone: vec![format!("what cannot be read: {message}")],
            ..Left::default()
        });
        let is_kept = matches!(self.place, Place::Kept(_));
        if cut > 0 {
            let again =
                if is_kept { " (those of STARTs with PROTECT begin again with the next call)" } else { "" };
            left.gone.push(format!("{}, cut before the end{again}", count(cut, "started task")));
        }
        if is_kept && let Err(message) = self.flush() {
            left.gone.push(format!("changes that cannot be written: {message}"));
        }
        self.told(&left)
    }

    /// Waits until nothing runs any more, and nobody takes messages any more. Gives the number of tasks that still run when the
    /// time is up.
    async fn settled(&self) -> usize {
        let begun = Instant::now();
        let (mut was_quiet, mut is_told) = (false, false);
        let (mut waiting_before, mut still_since) = (0, begun);
        while begun.elapsed() < SETTLE_MAX {
            let (running, waiting) = (self.running(), self.waiting_for_listeners());
            // A listener's message may be gone a moment before the task counts that its end starts. So one look is not enough.
            let is_quiet = running == 0 && waiting == 0;
            if is_quiet && was_quiet {
                return 0;
            }
            was_quiet = is_quiet;
            if running > 0 || waiting != waiting_before {
                (waiting_before, still_since) = (waiting, Instant::now());
            }
            if waiting > 0 && still_since.elapsed() > SETTLE_STILL_MAX {
                return 0;
            }
            if !is_told && begun.elapsed() > SETTLE_TOLD_AFTER {
                is_told = true;
                let (running, waiting) = (count(running, "started task"), count(waiting, "message"));
                remark!("waiting for {running}, and for listeners to take {waiting}; Ctrl-C ends it");
            }
            tokio::time::sleep(SETTLE_POLL).await;
        }
        self.running()
    }

    fn running(&self) -> usize {
        self.live.gateway().region.as_ref().map_or(0, |region| region.unattended_tasks())
    }

    fn waiting_for_listeners(&self) -> usize {
        let Some(manager) = self.live.queues.manager() else { return 0 };
        let depth = |queue: &QueueName| manager.inquire(queue).map_or(0, |inquiry| inquiry.depth);
        self.listened.iter().map(depth).sum()
    }

    /// Writes what waits for the disk.
    fn flush(&self) -> Result<(), String> {
        if let Some(region) = &self.live.gateway().region {
            region.settle_counters()?;
        }
        self.live.flush_store().map_err(|error| error.to_string())
    }

    async fn left_over(&self) -> Result<Left, String> {
        let mut left = Left::default();
        for queue in self.live.queues.manager().iter().flat_map(queue::Manager::inquire_all) {
            left.add_messages(&queue);
        }
        if let Some(region) = self.live.gateway().region.clone() {
            left.add_starts(&region.pending_starts());
            left.add_queues(&region).await?;
            if matches!(self.place, Place::Temporary(_)) {
                left.add_changes(&self.before, &region.contents().await?);
            }
        }
        Ok(left)
    }

    fn told(&self, left: &Left) -> Option<String> {
        let gone = |all: &[String]| format!("left over, and gone now: {}", listed(all));
        match &self.place {
            Place::Temporary(_) if left.is_empty() => None,
            Place::Temporary(_) => {
                let all: Vec<String> = left.kept.iter().chain(&left.gone).cloned().collect();
                Some(format!("{}; --store FOLDER keeps files, queues and messages", gone(&all)))
            }
            Place::Kept(_) if left.is_empty() => None,
            Place::Kept(folder) => {
                let kept = (!left.kept.is_empty())
                    .then(|| format!("kept in {}: {}", folder.display(), listed(&left.kept)));
                let gone = (!left.gone.is_empty()).then(|| gone(&left.gone));
                Some([kept, gone].into_iter().flatten().collect::<Vec<_>>().join("; "))
            }
        }
    }
}

impl Left {
    fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.gone.is_empty()
    }

    fn add_messages(&mut self, queue: &queue::Inquiry) {
        let name = &queue.name;
        if queue.depth == 0 {
            return;
        }
        let all = format!("{} on {name}", count(queue.depth, "message"));
        // Only persistent messages are in the store.
        match (queue.disk_bytes > 0, queue.memory_bytes > 0) {
            (true, false) => self.kept.push(all),
            (true, true) => {
                self.kept.push(format!("persistent messages on {name}"));
                self.gone.push(format!("messages on {name} that are not persistent"));
            }
            (false, _) => self.gone.push(format!("{all} (not persistent)")),
        }
    }

    fn add_starts(&mut self, starts: &[PendingStart]) {
        for start in starts.iter().filter(|start| !start.is_due) {
            let line = format!("a START of {}, whose time has not come", shown(&start.transaction));
            if start.protected { self.kept.push(line) } else { self.gone.push(line) }
        }
    }

    async fn add_queues(&mut self, region: &Region) -> Result<(), String> {
        for queue in region.queues().await?.queues {
            let name = plain(&queue.name).map_or_else(|| hex(&queue.name), |name| name.trim_end().to_owned());
            let items = count(usize::try_from(queue.items).unwrap_or(usize::MAX), "item");
            match queue.place {
                QueuePlace::Main => self.gone.push(format!("{items} in the TS queue {name} (MAIN)")),
                QueuePlace::Auxiliary | QueuePlace::Recoverable => {
                    self.kept.push(format!("{items} in the TS queue {name}"));
                }
            }
        }
        Ok(())
    }

    fn add_changes(&mut self, before: &Contents, after: &Contents) {
        for (name, _) in after.files.iter().filter(|(name, now)| before.files.get(*name) != Some(now)) {
            self.kept.push(format!("changed records in the file {}", shown(name)));
        }
        for (name, records) in after.transients.iter().filter(|(_, records)| **records > 0) {
            let records = count(usize::try_from(*records).unwrap_or(usize::MAX), "record");
            self.kept.push(format!("{records} in the TD queue {}", shown(name)));
        }
    }
}

/// The first of them, and how many more there are.
fn listed(all: &[String]) -> String {
    let first = all[..all.len().min(LEFT_SHOWN_MAX)].join(", ");
    match all.len().checked_sub(LEFT_SHOWN_MAX) {
        None | Some(0) => first,
        Some(more) => format!("{first}, and {more} more"),
    }
}

/// Waits for a signal. There is nothing to read again, so SIGHUP ends the process as others do.
pub(crate) async fn interrupted(signals: &mut Signals) {
    signals.next().await;
}

/// The file of a trial's store in a folder, which is made. `real` is the gateway's.
///
/// # Errors
/// The folder cannot be made, or has the gateway's store: the reason for people.
pub(crate) fn store_in(folder: &Path, real: &Path) -> Result<PathBuf, String> {
    let at = |error: io::Error| format!("--store: {}: {error}", folder.display());
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(at)?;
    let own = folder.canonicalize().map_err(at)?;
    let of_gateway = real.parent().and_then(|parent| parent.canonicalize().ok());
    if of_gateway.as_ref() == Some(&own) {
        return Err(format!(
            "--store: {} has the store of the gateway ({}); name another folder",
            folder.display(),
            real.display()
        ));
    }
    Ok(own.join(STORE_FILE))
}

/// A folder that only this user may read, and that is deleted with this value.
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn new() -> Result<Self, String> {
        let parent = std::env::temp_dir();
        for number in 0..FOLDERS_TRIED_MAX {
            let path = parent.join(format!("gantry-call-{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("no temporary folder: {}: {error}", path.display())),
            }
        }
        Err(format!("no temporary folder: {} has {FOLDERS_TRIED_MAX} of this process", parent.display()))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        for attempt in 1.. {
            match std::fs::remove_dir_all(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && attempt < DELETIONS_MAX => {
                    std::thread::sleep(DELETION_PAUSE);
                }
                Err(error) => {
                    remark!("gantry: warning: {} cannot be deleted: {error}", self.0.display());
                    return;
                }
                Ok(()) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_store_of_the_gateway_is_refused_however_its_folder_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        std::fs::create_dir(&state).expect("a folder");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&state, &link).expect("a link");
        for named in [state.clone(), link, state.join("../state")] {
            let refused = store_in(&named, &state.join("all.store")).expect_err("the gateway's");
            assert!(refused.contains("has the store of the gateway"), "{refused}");
        }
        let own = store_in(&folder.path().join("new/trial"), &state.join("all.store")).expect("another");
        assert!(own.ends_with("new/trial/call.store") && own.parent().is_some_and(Path::is_dir));
    }

    #[test]
    fn a_temporary_folder_is_private_and_goes_with_its_content() {
        use std::os::unix::fs::PermissionsExt;
        let (one, other) =
            (TemporaryFolder::new().expect("a folder"), TemporaryFolder::new().expect("another"));
        assert_ne!(one.0, other.0);
        assert_eq!(one.0.metadata().expect("there").permissions().mode() & 0o777, 0o700);
        std::fs::write(one.0.join(STORE_FILE), b"x").expect("written");
        let path = one.0.clone();
        drop(one);
        assert!(!path.exists());
    }

    #[test]
    fn what_is_left_is_named_up_to_a_number() {
        let some = |number: usize| (1..=number).map(|one| one.to_string()).collect::<Vec<_>>();
        assert_eq!(listed(&some(2)), "1, 2");
        assert!(listed(&some(20)).ends_with("19, 20"));
        assert!(listed(&some(22)).ends_with("19, 20, and 2 more"));
    }
}
