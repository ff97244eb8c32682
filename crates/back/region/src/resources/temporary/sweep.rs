//! The sweep of auxiliary temporary storage. It deletes unused queues as their models say, and forgets
//! cursors of deleted queues.
//!
//! A thread of the region begins it about once a minute. It looks at few queues at a time, where blocking is allowed, with a
//! pause after each time.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use store::{ErrorKind, Locking, Logs, Mode, Recovery, Unit};

use crate::definitions::{Definitions, Keeping};
use crate::region::Region;
use crate::resources::Resources;
use crate::resources::durable::Opened;
use crate::resources::temporary::cursors::Cursors;
use crate::resources::trouble::Trouble;

/// How long the sweep rests.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// How many queues are looked at without a pause.
const SWEPT_AT_ONCE: usize = 256;

/// The pause after those.
const PAUSE: Duration = Duration::from_millis(20);

/// A slice of a sweep, which begins after this name. Gives the last name, or none at the end.
type Slice = fn(&Sweeping<'_>, Option<&[u8]>) -> Result<Option<Vec<u8>>, Trouble>;

/// The values that a slice needs.
struct Sweeping<'s> {
    opened: &'s Opened,
    cursors: &'s Mutex<Cursors>,
    definitions: &'s Definitions,
    now: Instant,
}

/// Begins to sweep, if a model keeps queues in the store, and nobody has begun before.
pub(crate) fn begin(region: &Region) {
    let models = &region.settings().definitions.queue_models;
    let resources = region.resources();
    let is_needed = models.iter().any(|model| matches!(model.keeping, Keeping::Auxiliary { .. }));
    if !is_needed || resources.sweeps.swap(true, Ordering::AcqRel) {
        return;
    }
    if let Err(error) = resources.starts.unattended.run(run(Arc::downgrade(resources))) {
        resources.sweeps.store(false, Ordering::Release);
        tracing::error!("auxiliary queues do not expire: {error}");
    }
}

/// Sweeps until the region is gone.
async fn run(resources: Weak<Resources>) {
    loop {
        tokio::time::sleep(SWEEP_EVERY).await;
        for slice in [expire_some as Slice, forget_some] {
            let mut after = None;
            while let Some(resources) = resources.upgrade() {
                let swept = tokio::task::spawn_blocking(move || sweep(&resources, slice, after)).await;
                after = swept.unwrap_or_default();
                if after.is_none() {
                    break;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
        if resources.strong_count() == 0 {
            return;
        }
    }
}

/// Runs a slice; gives the last name that it has looked at, if there may be more.
fn sweep(resources: &Resources, slice: Slice, after: Option<Vec<u8>>) -> Option<Vec<u8>> {
    let (region, opened) = (resources.starts.region()?, resources.durable.get()?);
    let definitions = &region.settings().definitions;
    let sweeping = Sweeping { opened, cursors: &resources.cursors, definitions, now: Instant::now() };
    match slice(&sweeping, after.as_deref()) {
        Ok(last) => last,
        Err(trouble) => {
            tracing::error!("auxiliary queues cannot be swept: {}", trouble.message);
            None
        }
    }
}

/// Deletes some of the queues that nobody has used for as long as their models say.
fn expire_some(sweeping: &Sweeping<'_>, after: Option<&[u8]>) -> Result<Option<Vec<u8>>, Trouble> {
    if !sweeping.definitions.some_expire() {
        return Ok(None);
    }
    let (unit, logs) = (sweeping.opened.store.unit()?, &sweeping.opened.auxiliary_queues);
    let mut last = after.map(<[u8]>::to_vec);
    for _ in 0..SWEPT_AT_ONCE {
        let Some(name) = unit.next_log(logs, last.as_deref())? else { return Ok(None) };
        if let Some(expiry) = sweeping.expiry_of(&name) {
            sweeping.expire(&name, expiry)?;
        }
        last = Some(name);
    }
    Ok(last)
}

/// Forgets the cursors of some queues that a task has made and read, and that were backed out.
fn forget_some(sweeping: &Sweeping<'_>, after: Option<&[u8]>) -> Result<Option<Vec<u8>>, Trouble> {
    let (opened, now) = (sweeping.opened, sweeping.now);
    let mut after = after.map(<[u8]>::to_vec);
    let mut left = SWEPT_AT_ONCE;
    while left > 0 {
        let (unused, last) = sweeping.cursors().next_unused(after.as_deref(), now, SWEEP_EVERY, left);
        let Some(last) = last else { return Ok(None) };
        after = Some(last);
        // Those that were passed over are few and cheap, and the number of the others has a limit.
        left = if unused.is_some() { left - 1 } else { 0 };
        let Some(name) = unused else { continue };
        let mut unit = opened.store.unit()?;
        // Whoever has made it and not committed has it locked.
        if is_locked(&mut unit, &opened.recoverable_queues, &name)?
            && unit.extent(&opened.recoverable_queues, &name)?.count == 0
            && unit.extent(&opened.auxiliary_queues, &name)?.count == 0
        {
            sweeping.cursors().take_expired(&name, now, SWEEP_EVERY);
        }
    }
    Ok(after)
}

impl Sweeping<'_> {
    fn cursors(&self) -> MutexGuard<'_, Cursors> {
        self.cursors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn expiry_of(&self, name: &[u8]) -> Option<Duration> {
        let model = self.definitions.queue_model(name)?;
        model.expiry.filter(|_| model.keeping == Keeping::Auxiliary { recoverable: false })
    }

    /// Deletes a queue if nobody has used it for as long as `expiry`, and nobody uses it now.
    fn expire(&self, name: &[u8], expiry: Duration) -> Result<(), Trouble> {
        let logs = &self.opened.auxiliary_queues;
        // After a restart its time begins with the first sweep.
        let is_new = self.cursors().add(name, self.now, Recovery::NotRecoverable);
        if is_new && self.opened.store.unit()?.extent(logs, name)?.count == 0 {
            // A task has deleted it since the sweep saw its name, and no sweep sees it again.
            self.cursors().take_back(name, self.now);
            return Ok(());
        }
        if !self.cursors().is_expired(name, self.now, expiry) {
            return Ok(());
        }
        let mut unit = self.opened.store.unit()?;
        // Whoever finds it unused waits for its lock, and others have said that they use it.
        if !is_locked(&mut unit, logs, name)? || !self.cursors().is_expired(name, self.now, expiry) {
            return Ok(());
        }
        match unit.clear(logs, name) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => {
                self.cursors().take_expired(name, self.now, expiry);
                Ok(())
            }
        }
    }
}

/// True if the unit has the queue now. It does not wait.
fn is_locked(unit: &mut Unit, logs: &Logs, name: &[u8]) -> Result<bool, Trouble> {
    match unit.lock_log(logs, name, Mode::Exclusive) {
        Ok(Locking::Granted) => Ok(true),
        Ok(Locking::Waiting(ticket)) => {
            // If it was granted in this moment, the end of the unit gives it back.
            let _ = ticket.cancel();
            Ok(false)
        }
        Err(error) if matches!(error.kind(), ErrorKind::Locked | ErrorKind::Busy) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::QueueModel;
    use crate::resources::durable::Durable;

    const HOUR: Duration = Duration::from_secs(3_600);

    fn definitions() -> Definitions {
        let model = |prefix: &[u8], recoverable, expiry| QueueModel {
            prefix: prefix.to_vec(),
            keeping: Keeping::Auxiliary { recoverable },
            expiry,
        };
        let queue_models =
            vec![model(b"OLD", false, Some(HOUR)), model(b"KEEP", false, None), model(b"REC", true, None)];
        Definitions { queue_models, ..Definitions::default() }
    }

    struct Store {
        durable: Durable,
        cursors: Mutex<Cursors>,
        definitions: Definitions,
        begun: Instant,
        _folder: tempfile::TempDir,
    }

    impl Store {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let durable = Durable::new(folder.path().join("region.store"));
            durable.open().expect("a store");
            let begun = Instant::now();
            Self { durable, cursors: Mutex::default(), definitions: definitions(), begun, _folder: folder }
        }

        fn opened(&self) -> &Arc<Opened> {
            self.durable.get().expect("it is open")
        }

        fn write(&self, name: &str) {
            let mut unit = self.opened().store.unit().expect("a unit");
            unit.append(&self.opened().auxiliary_queues, name.as_bytes(), b"item".to_vec()).expect("an item");
        }

        fn has(&self, name: &str) -> bool {
            let unit = self.opened().store.unit().expect("a unit");
            unit.extent(&self.opened().auxiliary_queues, name.as_bytes()).expect("a log").count > 0
        }

        fn cursors(&self) -> MutexGuard<'_, Cursors> {
            self.cursors.lock().expect("the cursors")
        }

        /// Sweeps to the end, at this time after the begin; gives the number of slices.
        fn sweep(&self, slice: Slice, after_begin: Duration) -> usize {
            let (opened, now) = (self.opened(), self.begun + after_begin);
            let sweeping = Sweeping { opened, cursors: &self.cursors, definitions: &self.definitions, now };
            let (mut slices, mut after) = (1, None);
            while let Some(last) = slice(&sweeping, after.as_deref()).expect("a sweep") {
                (slices, after) = (slices + 1, Some(last));
            }
            slices
        }
    }

    #[test]
    fn queues_that_nobody_touches_any_more_are_deleted() {
        let store = Store::new();
        let names: Vec<String> = (0..SWEPT_AT_ONCE * 2).map(|number| format!("OLD{number:05}")).collect();
        names.iter().for_each(|name| store.write(name));
        store.write("KEEPQ");
        // As after a restart, nothing is known of them: the time begins now.
        assert_eq!(store.sweep(expire_some, Duration::ZERO), 3);
        assert_eq!(store.cursors().count(), names.len());
        assert!(!store.cursors().touch(names[7].as_bytes(), store.begun + HOUR / 2, Some(HOUR)));
        store.sweep(expire_some, HOUR - Duration::from_secs(1));
        assert!(names.iter().all(|name| store.has(name)));
        store.sweep(expire_some, HOUR);
        let left: Vec<&String> = names.iter().filter(|name| store.has(name)).collect();
        assert_eq!((left, store.cursors().count()), (vec![&names[7]], 1));
        store.sweep(expire_some, HOUR * 2);
        assert!(!store.has(&names[7]) && store.has("KEEPQ"));
        assert_eq!(store.cursors().count(), 0);
    }

    #[test]
    fn a_queue_that_is_deleted_while_the_sweep_looks_at_it_leaves_no_cursor() {
        let store = Store::new();
        store.write("OLDKEPT");
        let (opened, now) = (store.opened(), store.begun);
        let sweeping = Sweeping { opened, cursors: &store.cursors, definitions: &store.definitions, now };
        // The sweep has seen both names, and one of the queues is gone.
        for name in [&b"OLDGONE"[..], b"OLDKEPT"] {
            sweeping.expire(name, HOUR).expect("a sweep");
        }
        assert_eq!(store.cursors().count(), 1);
        // A task that has made the queue again meanwhile keeps its place in it.
        store.cursors().set_read(b"OLDKEPT", 2, now, Recovery::NotRecoverable);
        store.cursors().take_back(b"OLDKEPT", now);
        assert_eq!(store.cursors().read(b"OLDKEPT"), 2);
    }

    #[test]
    fn a_queue_that_somebody_has_locked_stays() {
        let store = Store::new();
        store.write("OLDQ");
        store.sweep(expire_some, Duration::ZERO);
        let mut writer = store.opened().store.unit().expect("a unit");
        assert!(is_locked(&mut writer, &store.opened().auxiliary_queues, b"OLDQ").expect("a lock"));
        store.sweep(expire_some, HOUR);
        assert!(store.has("OLDQ"));
        drop(writer);
        store.sweep(expire_some, HOUR);
        assert!(!store.has("OLDQ"));
    }

    #[test]
    fn cursors_of_queues_that_were_backed_out_are_forgotten() {
        let store = Store::new();
        let opened = store.opened().clone();
        let read = |name: &[u8]| store.cursors().set_read(name, 1, store.begun, Recovery::Recoverable);
        let mut lost = opened.store.unit().expect("a unit");
        for name in [&b"RECLOST"[..], b"RECKEPT"] {
            let mut unit = opened.store.unit().expect("a unit");
            let unit = if name == b"RECLOST" { &mut lost } else { &mut unit };
            unit.append(&opened.recoverable_queues, name, b"item".to_vec()).expect("an item");
            read(name);
        }
        let mut kept = opened.store.unit().expect("a unit");
        kept.append(&opened.recoverable_queues, b"RECKEPT", b"item".to_vec()).expect("an item");
        kept.syncpoint().expect("it is committed");
        store.sweep(forget_some, SWEEP_EVERY);
        assert_eq!(store.cursors().count(), 2, "one is committed, the other may be");
        drop(lost);
        store.sweep(forget_some, SWEEP_EVERY / 2);
        assert_eq!(store.cursors().count(), 2, "it was used just now");
        store.sweep(forget_some, SWEEP_EVERY);
        assert_eq!(store.cursors().count(), 1);
        assert_eq!(store.cursors().read(b"RECKEPT"), 1);
    }
}
