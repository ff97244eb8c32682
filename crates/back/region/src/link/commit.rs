//! The syncpoint of a unit of work that is in several regions: two-phase commit, decided by this region's store.

use std::sync::Arc;

use program::conditions::ROLLEDBACK;
use store::{Decision, ErrorKind};
use tokio::task::JoinSet;
use wire::{Answer, shown};

use super::connection::Unanswered;
use super::message::{Answer as Said, Request};
use super::partners::{Partner, Partners, is_lost};
use super::recovery::tell;
use crate::resources::trouble::{Trouble, refused};
use crate::work::Work;

/// Who has prepared, or why the unit is backed out.
type Prepared = Result<Vec<Partner>, String>;

impl Work {
    /// Refuses a syncpoint of a unit that can only be backed out, and backs it out.
    ///
    /// # Errors
    /// ROLLEDBACK.
    pub(crate) fn check_not_doomed(&mut self) -> Result<(), Answer> {
        let Some(why) = self.partners.doomed.take() else { return Ok(()) };
        tracing::warn!("a unit of work is backed out: {why}");
        self.back_out();
        Err(refused(&ROLLEDBACK, 0))
    }

    /// Commits here and in all regions that have a part of the unit, or nowhere.
    ///
    /// # Errors
    /// ROLLEDBACK if another region did not prepare; inside it, the trouble of the store.
    pub(crate) async fn commit_with_partners(
        &mut self,
        then: impl FnOnce() + Send + 'static,
    ) -> Result<Result<(), Trouble>, Answer> {
        let prepared = match self.prepare_partners().await {
            Ok(Ok(prepared)) => prepared,
            Ok(Err(why)) => {
                self.partners.doomed = Some(why);
                self.check_not_doomed()?;
                return Ok(Ok(()));
            }
            Err(trouble) => {
                self.unit.back_out();
                self.partners.leave();
                return Ok(Err(trouble));
            }
        };
        let names = prepared.iter().map(|partner| shown(&partner.route.peer.sysid)).collect();
        // From now on only the store knows, whatever becomes of this task.
        self.partners.deciding = true;
        if let Err(trouble) = self.unit.decide_commit(names, then).await {
            self.partners.deciding = trouble.kind == ErrorKind::Unknown;
            self.partners.leave();
            return Ok(Err(trouble));
        }
        self.partners.tell_commit(&prepared).await;
        Ok(Ok(()))
    }

    /// The first phase. All of them prepare at once.
    pub(super) async fn prepare_partners(&mut self) -> Result<Prepared, Trouble> {
        let stopped = || Trouble::broken(ErrorKind::Stopped);
        let (links, id) =
            self.partners.links().cloned().zip(self.partners.unit.clone()).ok_or_else(stopped)?;
        let coordinator = links.coordinator().await?;
        self.unit.with(|_, unit| unit.coordinate(&id)).await?;
        let mut asked = JoinSet::new();
        for partner in self.partners.with.clone() {
            let request = Request::Prepare { unit: id.clone(), coordinator: coordinator.clone() };
            asked.spawn(async move {
                let answer = partner.connection.ask(request, partner.route.limits.answer_max).await;
                (partner, answer)
            });
        }
        let mut prepared = Vec::new();
        while let Some(answered) = asked.join_next().await {
            match answered {
                Ok((partner, Ok(Said::Vote { prepared: true }))) => prepared.push(partner),
                Ok((_, Ok(Said::Vote { prepared: false }))) => {}
                // The other answers are not waited for: every region that has prepared, or will, hears that
                // the unit is backed out.
                Ok((partner, other)) => {
                    self.partners.lost |= is_lost(&other) || matches!(other, Err(Unanswered::TimedOut));
                    let sysid = shown(&partner.route.peer.sysid);
                    return Ok(Err(format!("{sysid} has not prepared: {other:?}")));
                }
                Err(broken) => return Ok(Err(format!("a region was not asked to prepare: {broken}"))),
            }
        }
        self.partners.with.clone_from(&prepared);
        Ok(Ok(prepared))
    }
}

impl Partners {
    /// The second phase. A region that cannot be reached now hears the decision when its link is back.
    pub(super) async fn tell_commit(&mut self, prepared: &[Partner]) {
        let (Some(links), Some(id)) = (self.links().cloned(), self.unit.clone()) else { return };
        if let Some(opened) = links.resources.durable.get() {
            let mut telling = JoinSet::new();
            for partner in prepared {
                let (opened, id, partner) = (opened.clone(), id.clone(), partner.clone());
                telling.spawn(async move {
                    let Partner { route, connection } = &partner;
                    let told = tell(&opened, route, connection, &id, Decision::Commit).await;
                    (partner, told)
                });
            }
            while let Some(told) = telling.join_next().await {
                match told {
                    Ok((partner, Ok(()))) => {
                        self.with.retain(|other| !Arc::ptr_eq(&other.route, &partner.route));
                    }
                    Ok((partner, Err(reason))) => {
                        tracing::warn!("unit {id}: {}: {reason}", shown(&partner.route.peer.sysid));
                    }
                    Err(broken) => {
                        tracing::error!("unit {id}: could not send the decision to a region: {broken}")
                    }
                }
            }
        }
        self.leave();
    }
}
