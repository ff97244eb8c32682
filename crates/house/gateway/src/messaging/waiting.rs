//! Gets that wait: whether their callers may still get.

use std::sync::Arc;
use std::time::Duration;

use ::messaging::Trouble;
use tokio::sync::watch;
use tokio::time::Instant;

use super::rights::Right;
use super::{Asking, Stopped, Task};
use crate::gateway::Gateway;

/// The shortest time between two checks of a wait. Each logout and each changed file makes all waits
/// check, and there may be thousands.
const PAUSE: Duration = Duration::from_secs(1);

/// The right of a caller that waits at a queue.
pub(super) struct Watch<'a> {
    asking: Asking<'a>,
    manager: &'a str,
    queue: &'a str,
    changes: watch::Receiver<u64>,
    /// No check comes before this time; none before the first check.
    pause_ends: Option<Instant>,
}

impl<'a> Watch<'a> {
    /// Begins with a caller whose right was checked when it was admitted. Since then, its request was
    /// read, and something may have changed. So the first check is due at once. The request names the
    /// queue manager and the queue.
    pub(super) fn begin(asking: Asking<'a>, manager: &'a str, queue: &'a str) -> Self {
        let mut changes = asking.security.changes();
        changes.mark_changed();
        Self { asking, manager, queue, changes, pause_ends: None }
    }

    /// Ends when something may have changed, and a check is due.
    pub(super) async fn changed(&mut self) {
        if let Some(end) = self.pause_ends {
            tokio::time::sleep_until(end).await;
        }
        if self.changes.changed().await.is_err() {
            // Nobody is left who could change anything.
            std::future::pending().await
        }
    }

    /// True if something has changed since the last check.
    pub(super) fn has_changed(&self) -> bool {
        self.changes.has_changed().unwrap_or(false)
    }

    /// Checks the caller's right by the gateway that serves now.
    ///
    /// # Errors
    /// The caller may not get messages any more.
    pub(super) async fn check(&mut self) -> Result<(), Stopped> {
        self.changes.mark_unchanged();
        self.pause_ends = Some(Instant::now() + PAUSE);
        let serving = self.asking.gateway.that_serves();
        self.check_by(serving.as_deref().unwrap_or(self.asking.gateway)).await
    }

    async fn check_by(&self, gateway: &Gateway) -> Result<(), Stopped> {
        let Some(desk) = gateway.desk.as_ref().filter(|desk| desk.manager_name() == self.manager) else {
            return Err(Trouble::unknown_manager(self.manager).into());
        };
        let Asking { peer, headers, standing, .. } = self.asking;
        let guard = gateway.operation(desk.api, Task::Message.index()).guard;
        let security = &gateway.security;
        let identity = security.identify_again(peer, (headers, standing)).await?;
        security.would_admit(guard, peer, identity.as_ref())?;
        let identity: Option<&Arc<_>> = identity.as_ref();
        let asking = Asking { gateway, security, access: &guard.access, identity, ..self.asking };
        desk.rights.check(asking, Right::Get, self.queue)
    }
}
