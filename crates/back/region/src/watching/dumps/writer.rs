//! The thread that writes dumps: tasks that fail do not wait for a disk.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use super::{Material, content, folder};

/// Dumps that wait to be written; more are not written, and the log says so.
const DUMPS_WAITING_MAX: usize = 16;

/// The thread, once there was a dump; dropped, it has written all.
#[derive(Debug, Default)]
pub(crate) struct Writer(Mutex<Option<Running>>);

#[derive(Debug)]
struct Running {
    /// None while it ends.
    jobs: Option<SyncSender<Box<Material>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Has a dump written.
    pub(crate) fn write(&self, material: Material) {
        let task = material.task.number;
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_none() {
            *running = start();
        }
        let jobs = running.as_ref().and_then(|running| running.jobs.as_ref());
        match jobs.map(|jobs| jobs.try_send(Box::new(material))) {
            Some(Ok(())) => {}
            Some(Err(TrySendError::Full(_))) => {
                tracing::warn!(
                    task,
                    "skipped the dump of a task: {DUMPS_WAITING_MAX} others wait to be written"
                );
            }
            _ => tracing::error!(task, "skipped the dump of a task: the writing thread has ended"),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let running = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(running) = running else { return };
        running.jobs = None;
        if let Some(thread) = running.thread.take() {
            let _ = thread.join();
        }
    }
}

fn start() -> Option<Running> {
    let (jobs, received) = sync_channel(DUMPS_WAITING_MAX);
    let thread = std::thread::Builder::new().name("dumps".to_owned()).spawn(move || run(&received));
    Some(Running { jobs: Some(jobs), thread: Some(thread.ok()?) })
}

fn run(jobs: &Receiver<Box<Material>>) {
    while let Ok(mut material) = jobs.recv() {
        let Some(into) = &material.settings.dumps.folder else { continue };
        let (time, id) = folder::free_id(into, material.time, &material.task, &material.code);
        material.time = time;
        let settings = &material.settings.dumps;
        let task = material.task.number;
        match folder::write(into, &id, &content::text(&material), settings.most) {
            Ok(()) => tracing::info!(task, abend = material.code, "dump {id} is in {}", into.display()),
            Err(error) => tracing::error!(task, "dump {id} cannot be written to {}: {error}", into.display()),
        }
    }
}
