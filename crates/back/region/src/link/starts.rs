//! START and CANCEL in another region: sending them, and carrying them out there.

use program::conditions::{NOTAUTH, SYSIDERR, TERMERR};
use wire::{self, Answer, Ask, Interface, Name, StartAsk};

use super::border;
use super::caller::{Caller, RESP2_RESOURCE, raised};
use super::definition::{Peer, begins};
use super::message::{self, Answer as Said, Request};
use super::mirror::out_of_turn;
use super::partners::{Partners, told};
use super::shared::{RESP2_NOT_IN_SERVICE, RESP2_UNKNOWN};
use crate::region::Region;
use crate::resources::trouble::refused;
use crate::starts::{RESP2_NOT_ALLOWED, RESP2_SURROGATE, Reach, Whose};
use crate::work::Work;

impl Work {
    /// A command on started tasks. It is carried out here, unless the transaction is defined to be another
    /// region's.
    ///
    /// # Errors
    /// The resulting condition.
    pub(crate) async fn start(&mut self, ask: StartAsk) -> Result<Answer, Answer> {
        let StartAsk::Start(mut start) = ask else { return Ok(self.own_start(ask).await) };
        let Some(defined) = self.definitions.remote_transaction(start.transaction) else {
            return Ok(self.own_start(StartAsk::Start(start)).await);
        };
        let whose = Whose::of(start.user.unwrap_or(self.task.user), &self.task);
        if !whose.may_run(start.transaction, &self.task.settings) {
            return Err(refused(&NOTAUTH, RESP2_NOT_ALLOWED));
        }
        let (sysid, text) = (defined.sysid, defined.text.clone());
        start.transaction = defined.remote_name;
        if let Some(data) = &mut start.data.data {
            self.partners.convert_to(sysid, data, &text)?;
        }
        self.remote_start(sysid, StartAsk::Start(start)).await
    }

    async fn own_start(&mut self, ask: StartAsk) -> Answer {
        let reach = Reach { resources: &self.resources, unit: &mut self.unit, task: &self.task };
        self.starts.carry_out(ask, reach).await
    }

    /// START or CANCEL in another region.
    ///
    /// # Errors
    /// The resulting condition.
    pub(crate) async fn remote_start(&mut self, sysid: Name<4>, ask: StartAsk) -> Result<Answer, Answer> {
        let mut user = self.task.user;
        if let StartAsk::Start(start) = &ask {
            user = start.user.unwrap_or(user);
            if user != self.task.user && !self.task.settings.start_users.contains(&user) {
                return Err(refused(&NOTAUTH, RESP2_SURROGATE));
            }
        }
        let whole = Whose::of(user, &self.task).name(user);
        self.partners.start(sysid, whole, ask).await
    }
}

impl Partners {
    /// START or CANCEL in another region. With PROTECT it is a part of the unit of work. So is a CANCEL if
    /// the unit is already there, because it may cancel a START of the unit.
    async fn start(&mut self, sysid: Name<4>, user: Box<str>, ask: StartAsk) -> Result<Answer, Answer> {
        let way = self.way(sysid)?;
        let is_protected = match &ask {
            StartAsk::Start(start) => start.protect,
            _ => self.is_partner(&way),
        };
        let unit = if is_protected { self.in_unit(&way) } else { None };
        if is_protected && unit.is_none() {
            return Err(refused(&SYSIDERR, RESP2_UNKNOWN));
        }
        let request = message::Start { unit, user: Some(user), ask };
        let said = self.ask(&way, Request::Start(Box::new(request)), is_protected).await;
        match said {
            Ok(Said::Start { answer, .. }) => Ok(Answer::Start(answer)),
            Ok(other) => Err(told(other)),
            // START knows no TERMERR. Whether the task begins is not known then.
            Err(Answer::Condition { resp, .. }) if resp == TERMERR.number => {
                Err(refused(&SYSIDERR, RESP2_NOT_IN_SERVICE))
            }
            Err(refused) => Err(refused),
        }
    }
}

impl Caller {
    /// START or CANCEL for another region.
    pub(super) async fn start(&self, request: message::Start) -> Said {
        let Some(region) = self.shared.region() else { return raised(&SYSIDERR, RESP2_NOT_IN_SERVICE) };
        let message::Start { unit, user, mut ask } = request;
        let Some(peer) = self.rights(unit.as_ref().map(|unit| &unit.id)) else {
            return raised(&SYSIDERR, RESP2_NOT_IN_SERVICE);
        };
        match self.is_allowed(&mut ask, &peer, &region) {
            Err(()) => return out_of_turn(),
            Ok(false) => return raised(&NOTAUTH, RESP2_RESOURCE),
            Ok(true) => {}
        }
        let user = peer.user_of(user);
        let Some(unit) = unit else {
            let mut work = region.work(None);
            work.is_for_user(user.as_deref());
            return said(work.carry_out(Ask::Start(ask)).await, false);
        };
        let mirror = match self.mirror(&region, &unit) {
            Ok(mirror) => mirror,
            Err(refused) => return refused,
        };
        let mut mirror = mirror.work.lock().await;
        let answer = mirror.start(ask, user.as_deref()).await;
        if !mirror.is_held() {
            self.forget_mirror(&unit.id);
        }
        answer
    }

    /// True if the other region may do this; an error if the request makes no sense. A started task gets its
    /// own user and code page.
    fn is_allowed(&self, ask: &mut StartAsk, peer: &Peer, region: &Region) -> Result<bool, ()> {
        let allowed = |transaction: &Name<4>| begins(transaction, &peer.allowed.transactions);
        match ask {
            StartAsk::Start(start) => {
                start.user = None;
                if let Interface::Channel { containers, .. } = &mut start.interface
                    && peer.converts_containers
                {
                    border::receive_containers(containers, self.shared.own.ccsid);
                }
                Ok(allowed(&start.transaction))
            }
            // A START that does not exist yet may be one of the unit of work itself. CANCEL reports NOTFND if
            // it does not exist at all.
            StartAsk::Cancel { request } => match region.resources().starts.transaction_of(*request) {
                Some(transaction) => Ok(transaction.is_some_and(|transaction| allowed(&transaction))),
                None => Ok(true),
            },
            StartAsk::Retrieve(_) | StartAsk::Delay { .. } => Err(()),
        }
    }
}

/// The answer for the other region.
pub(super) fn said(answer: Answer, held: bool) -> Said {
    match answer {
        wire::Answer::Start(answer) => Said::Start { answer, held },
        wire::Answer::Condition { resp, resp2 } => Said::Condition { resp, resp2, held },
        _ => out_of_turn(),
    }
}
