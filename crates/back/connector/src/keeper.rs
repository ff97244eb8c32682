//! What keeps a group in order beside its calls: connections of the start, servers that are tried again, connections that are
//! no longer needed.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::group::Group;
use crate::lending::Chore;
use crate::transport::Connection;

/// How often idle connections are looked at, whether their servers have closed them.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Keeps a group as long as somebody has it. Without a runtime nothing is kept: connections are opened when they are needed.
pub(crate) fn keep(group: &Arc<Group>) {
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(run(Arc::downgrade(group)));
    }
}

async fn run(group: Weak<Group>) {
    loop {
        let Some(kept) = group.upgrade() else { return };
        let now = Instant::now();
        let dead = kept.lending().dead(Connection::is_alive);
        let (chores, closed, due) = kept.lending().chores(now);
        drop((dead, closed));
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

/// Opens connections for an endpoint, until there are enough or one does not come up.
async fn open(group: Arc<Group>, chore: Chore) {
    let settings = Arc::clone(&group.lending().settings);
    let mut fault = None;
    for _ in 0..chore.open {
        match Connection::open((&chore.destination, &chore.totals), &settings).await {
            Ok(connection) => {
                let when = (thread::current().id(), Instant::now());
                let spare = group.lending().opened(chore.endpoint, connection, when);
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
    group.lending().kept(chore.endpoint, fault.as_deref(), Instant::now());
    group.woken.notify_one();
}
