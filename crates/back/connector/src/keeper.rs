//! The keeper cares for a group beside its calls. It opens the first connections, tries failed
//! servers again, and closes connections that nobody needs.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::group::Group;
use crate::lending::Chore;
use crate::link::Link;
use crate::transport::{Connection, Fault, NotOpened};

/// How often the keeper checks whether servers have closed idle connections.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Keeps a group until it is dropped. Without a runtime there is no keeper; calls then open their
/// connections.
pub(crate) fn keep(group: &Arc<Group>) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(run(Arc::downgrade(group)));
    }
}

async fn run(group: Weak<Group>) {
    loop {
        let Some(kept) = group.upgrade() else { return };
        let now = Instant::now();
        let dead = kept.lending().dead(Link::is_alive);
        let (chores, closed, due) = kept.lending().chores(now);
        drop((dead, closed));
        ask_silent(&kept, now);
        for chore in chores {
            tokio::spawn(open(Arc::clone(&kept), chore));
        }
        let until = due.unwrap_or(now + LOOK_EVERY).min(now + LOOK_EVERY);
        tokio::select! {
            () = tokio::time::sleep_until(until.into()) => {}
            () = kept.woken.notified() => {}
        }
    }
}

/// Opens connections for an endpoint, until there are enough or one fails.
async fn open(group: Arc<Group>, chore: Chore) {
    let settings = Arc::clone(&group.lending().settings);
    let mut fault = None;
    for _ in 0..chore.open {
        let most = if settings.shares() { chore.max_sockets } else { usize::MAX };
        let Some(place) = chore.totals.place(most) else { break };
        match Connection::open(&chore.destination, &chore.totals, place, &settings).await {
            Ok(connection) => {
                let link = Link::new(connection, &settings);
                let spare = group.lending().opened(chore.kept, link, thread::current().id(), Instant::now());
                chore.totals.changed.notify_waiters();
                if spare.is_some() {
                    break;
                }
            }
            Err(reason) => {
                fault = Some(reason);
                break;
            }
        }
    }
    group.lending().kept(chore.kept, fault.as_ref(), Instant::now());
    group.woken.notify_one();
}

/// Sends heartbeats on connections that nobody uses.
fn ask_silent(group: &Arc<Group>, now: Instant) {
    let settings = Arc::clone(&group.lending().settings);
    let Some(interval) = settings.heartbeats() else { return };
    let silent = group.lending().silent(interval, now);
    for (kept, link) in silent {
        let (group, settings) = (Arc::clone(group), Arc::clone(&settings));
        tokio::spawn(async move {
            let asked = tokio::time::timeout(interval, link.asked(&settings)).await;
            let asked = asked.unwrap_or_else(|_| Err(Fault::Broken("no answer to a heartbeat".to_owned())));
            let now = Instant::now();
            let closed = match asked {
                Ok(link) => group.lending().opened(kept, link, thread::current().id(), now),
                Err(fault) => {
                    let failed = NotOpened::Failed(fault.text().to_owned());
                    group.lending().kept(kept, Some(&failed), now);
                    group.woken.notify_one();
                    None
                }
            };
            drop(closed);
        });
    }
}
