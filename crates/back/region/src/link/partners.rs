//! A task's work in other regions: LINK, queues, and the units of work there that end with its own.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use program::conditions::{INVREQ, LENGERR, PGMIDERR, SYSIDERR, TERMERR};
use store::GlobalId;
use wire::{Answer, Cargo, LinkAsk, Name, QueueAsk, shown};

use super::border;
use super::connection::{Connection, Unanswered};
use super::definition::RemoteProgram;
use super::message::{self, InUnit, Request};
use super::peers::Route;
use super::shared::{RESP2_CONVERSATION, RESP2_NO_SESSION, RESP2_NOT_IN_SERVICE, RESP2_UNKNOWN, Shared};
use crate::resources::trouble::refused;
use crate::rights::{TaskCaller, whole_name};
use crate::running::ending::for_people;
use crate::work::Work;

/// RESP2 of PGMIDERR: no definition of the program.
const RESP2_NOT_DEFINED: u32 = 1;

/// RESP2 of INVREQ for SYNCONRETURN: the task's unit of work is already in that region (CICS TS, LINK).
const RESP2_ALREADY_JOINED: u32 = 14;

/// RESP2 of LENGERR if a request is longer than a link carries: a number of our own.
const RESP2_TOO_LONG: u32 = 215;

/// The abend of a task whose commarea cannot be converted between the code pages of two regions.
const NOT_CONVERTED: [u8; 4] = *b"GCNV";

/// The other regions of a task.
#[derive(Debug, Default)]
pub(crate) struct Partners {
    links: Option<Arc<Shared>>,
    user: Option<Box<str>>,
    deadline: Option<Instant>,
    /// The task works for a unit of another region, which decides how it ends.
    joined: bool,
    /// The id of the unit of work, once it is in another region.
    pub(super) unit: Option<GlobalId>,
    /// The regions that must hear how the unit ends.
    pub(super) with: Vec<Partner>,
    /// The unit can only be backed out: why.
    pub(super) doomed: Option<String>,
    /// The store is about to decide: only it knows how the unit ends.
    pub(super) deciding: bool,
    /// A region could not be reached before a unit of the task was decided, so that the unit is backed out.
    pub(super) lost: bool,
    /// A LINK waits for the units in doubt there: a refusal by their locks would be the end of the task.
    waits_for_doubts: bool,
}

/// A region that has a part of the unit of work.
#[derive(Clone, Debug)]
pub(super) struct Partner {
    pub(super) route: Arc<Route>,
    pub(super) connection: Arc<Connection>,
}

/// A request's way.
pub(super) struct Way {
    route: Arc<Route>,
    connection: Arc<Connection>,
}

impl Drop for Partners {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Partners {
    /// The task may reach other regions.
    pub(crate) fn attach(&mut self, links: &Arc<Shared>) {
        self.links = Some(links.clone());
    }

    /// The task, or a further program of it, begins: for whom, and how long it may take.
    pub(crate) fn begin(&mut self, caller: Option<&TaskCaller>, user: Name<8>, most: Duration) {
        if self.links.is_some() {
            self.user = Some(whole_name(caller, user));
            self.deadline = Instant::now().checked_add(most);
        }
    }

    /// The program has ended, and with it its deadline. Later requests of the same unit have the time of any
    /// request.
    pub(super) fn end_program(&mut self) {
        self.deadline = None;
    }

    /// The task works for a unit of another region, which stays one in all regions that the task takes it on to.
    pub(crate) fn join(&mut self, unit: &GlobalId) {
        self.joined = true;
        self.unit = Some(unit.clone());
    }

    /// True if no other region must hear how the unit of work ends.
    pub(crate) fn is_alone(&self) -> bool {
        self.with.is_empty()
    }

    /// True if the unit can only be backed out.
    pub(crate) fn is_doomed(&self) -> bool {
        self.doomed.is_some()
    }

    /// From now on the unit can only be backed out.
    pub(crate) fn doom(&mut self, why: &str) {
        self.doomed.get_or_insert_with(|| why.to_owned());
    }

    /// From now on LINK goes to a region only when its units in doubt are resolved.
    pub(super) fn wait_for_doubts(&mut self) {
        self.waits_for_doubts = true;
    }

    /// True if a region could not be reached before a unit of the task was decided. No program has failed then.
    pub(crate) fn have_lost_one(&self) -> bool {
        self.lost
    }

    /// True if another region decides how the unit of work ends.
    pub(crate) fn is_joined(&self) -> bool {
        self.joined
    }

    /// Leaves the unit of work. It is backed out in all other regions, unless the store is deciding.
    pub(crate) fn leave(&mut self) {
        let unit = self.unit.take();
        for partner in self.with.drain(..) {
            match &unit {
                Some(unit) if !self.deciding && !partner.connection.is_broken() => {
                    partner.connection.forget(unit);
                }
                // It hears of the end by another connection. The link may be another one by now.
                _ => {
                    if let Some(route) =
                        self.links.as_ref().and_then(|links| links.route(partner.route.peer.sysid))
                    {
                        route.wake.notify_one();
                    }
                }
            }
        }
        self.doomed = None;
        self.deciding = false;
    }

    pub(super) fn links(&self) -> Option<&Arc<Shared>> {
        self.links.as_ref()
    }

    fn remaining(&self, way: &Way) -> Duration {
        let most = way.route.limits.answer_max;
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(most, |left| left.min(most))
    }

    /// The way to another region: that of the unit, if it is there.
    pub(super) fn way(&self, sysid: Name<4>) -> Result<Way, Answer> {
        let links = self.links.as_ref().ok_or_else(|| refused(&SYSIDERR, RESP2_UNKNOWN))?;
        if let Some(partner) = self.with.iter().find(|partner| partner.route.peer.sysid == sysid) {
            // Another connection would lead to another mirror.
            return Ok(Way { route: partner.route.clone(), connection: partner.connection.clone() });
        }
        let route = links.route(sysid).ok_or_else(|| refused(&SYSIDERR, RESP2_UNKNOWN))?;
        let connection = route.connection().ok_or_else(|| refused(&SYSIDERR, RESP2_NOT_IN_SERVICE))?;
        Ok(Way { route, connection })
    }

    /// Sends a request and waits for its answer. If the request was for the unit of work, that is doomed without one.
    pub(super) async fn ask(
        &mut self,
        way: &Way,
        request: Request,
        in_unit: bool,
    ) -> Result<message::Answer, Answer> {
        let most = self.remaining(way);
        let Some(_session) = way.route.session(most).await else {
            return Err(refused(&SYSIDERR, RESP2_NO_SESSION));
        };
        // From here on the other region may have a part of the unit, even if this task never gets the answer.
        let known = self.is_partner(way);
        if in_unit && !known {
            let (route, connection) = (way.route.clone(), way.connection.clone());
            self.with.push(Partner { route, connection });
        }
        let answer = way.connection.ask(request, most).await.map(for_us);
        let held = match &answer {
            Ok(
                message::Answer::Linked { held, .. }
                | message::Answer::Queue { held, .. }
                | message::Answer::Start { held, .. }
                | message::Answer::Condition { held, .. },
            ) => *held,
            _ => false,
        };
        // The other region has nothing left of the unit, for example after a CANCEL of the unit's own START.
        let is_released = matches!(
            &answer,
            Ok(message::Answer::Linked { held: false, .. }
                | message::Answer::Queue { held: false, .. }
                | message::Answer::Start { held: false, .. })
        );
        if in_unit && (is_released || !held && !known) {
            // Nothing is held there: there is nothing to tell at the end.
            self.with.retain(|partner| !Arc::ptr_eq(&partner.connection, &way.connection));
        }
        self.lost |= in_unit && is_lost(&answer);
        let there = shown(&way.route.peer.sysid);
        let why = match &answer {
            Ok(message::Answer::Abend { code, message }) => {
                Some(format!("abend {} in {there}: {message}", shown(code)))
            }
            Ok(message::Answer::UnitUnknown) => Some(format!("{there} has backed its part out")),
            Ok(_) => None,
            Err(Unanswered::NotSent) if !known => return Err(refused(&SYSIDERR, RESP2_NOT_IN_SERVICE)),
            Err(Unanswered::TooLong { bytes, most }) => {
                tracing::warn!("a request to {there} has {bytes} bytes; a link carries at most {most}");
                return Err(refused(&LENGERR, RESP2_TOO_LONG));
            }
            Err(Unanswered::TimedOut) => Some(format!("{there} has not answered in {} ms", most.as_millis())),
            Err(_) => Some(format!("the link to {there} broke")),
        };
        if let Some(why) = why {
            tracing::warn!("{why}");
            if in_unit {
                way.connection.forget(self.unit.as_ref().expect("it was sent in the unit"));
                self.doomed.get_or_insert(why);
            }
        }
        match answer {
            // Same as a broken link: the other region has lost the unit's changes.
            Ok(message::Answer::UnitUnknown) | Err(_) => Err(refused(&TERMERR, RESP2_CONVERSATION)),
            Ok(answer) => Ok(answer),
        }
    }

    /// True if the unit of work is there.
    pub(super) fn is_partner(&self, way: &Way) -> bool {
        self.with.iter().any(|partner| Arc::ptr_eq(&partner.connection, &way.connection))
    }

    fn unit(&mut self) -> Option<GlobalId> {
        if self.unit.is_none() && !self.joined {
            self.unit = self.links.as_ref().map(|links| links.new_unit());
        }
        self.unit.clone()
    }

    /// The unit of work, as a request on this way says it.
    pub(super) fn in_unit(&mut self, way: &Way) -> Option<InUnit> {
        let is_there = self.is_partner(way);
        self.unit().map(|id| InUnit { id, is_there })
    }

    /// LINK to a program of another region.
    async fn link(&mut self, ask: LinkAsk, defined: Option<RemoteProgram>) -> Result<Answer, Answer> {
        let sysid = ask.sysid.or(defined.as_ref().map(|program| program.sysid));
        let way = self.way(sysid.ok_or_else(|| refused(&PGMIDERR, RESP2_NOT_DEFINED))?)?;
        if self.waits_for_doubts && !way.connection.is_resolved() {
            return Err(refused(&SYSIDERR, RESP2_NOT_IN_SERVICE));
        }
        if ask.sync_on_return && self.is_partner(&way) {
            return Err(refused(&INVREQ, RESP2_ALREADY_JOINED));
        }
        let pages = (self.links.as_ref().map_or(0, |links| links.own.ccsid), way.connection.hello.ccsid);
        let text = defined.as_ref().map_or(&[][..], |program| &program.text);
        let mut cargo = ask.cargo;
        convert(&mut cargo, text, pages)?;
        let unit = if ask.sync_on_return { None } else { self.in_unit(&way) };
        let in_unit = unit.is_some();
        let link = message::Link {
            unit,
            program: defined.as_ref().map_or(ask.program, |program| program.remote_name),
            transaction: ask.transaction.or(defined.as_ref().and_then(|program| program.transaction)),
            user: self.user.clone(),
            remaining_ms: u32::try_from(self.remaining(&way).as_millis()).unwrap_or(u32::MAX),
            cargo,
        };
        match self.ask(&way, Request::Link(Box::new(link)), in_unit).await? {
            message::Answer::Linked { mut cargo, .. } => {
                if way.route.peer.converts_containers {
                    border::receive(&mut cargo, pages.0);
                }
                convert(&mut cargo, text, (pages.1, pages.0))?;
                Ok(Answer::Linked(cargo))
            }
            other => Err(told(other)),
        }
    }

    /// A command on a temporary storage queue of another region.
    async fn queue(&mut self, sysid: Name<4>, ask: QueueAsk) -> Result<Answer, Answer> {
        let way = self.way(sysid)?;
        let Some(unit) = self.in_unit(&way) else { return Err(refused(&SYSIDERR, RESP2_UNKNOWN)) };
        match self.ask(&way, Request::Queue { unit, ask }, true).await? {
            message::Answer::Queue { answer, .. } => Ok(Answer::Queue(answer)),
            other => Err(told(other)),
        }
    }
}

impl Work {
    /// LINK to a program of another region.
    ///
    /// # Errors
    /// The resulting condition or abend.
    pub(crate) async fn link(&mut self, ask: LinkAsk) -> Result<Answer, Answer> {
        let defined = match ask.sysid {
            Some(_) => None,
            None => self.definitions.remote_program(ask.program).map(Cow::into_owned),
        };
        self.partners.link(ask, defined).await
    }

    /// A command on a temporary storage queue of another region.
    ///
    /// # Errors
    /// The resulting condition or abend.
    pub(crate) async fn remote_queue(&mut self, sysid: Name<4>, ask: QueueAsk) -> Result<Answer, Answer> {
        self.partners.queue(sysid, ask).await
    }
}

impl Partners {
    /// Converts the text of data for a region to its code page.
    ///
    /// # Errors
    /// A condition or abend: the region cannot be reached, or its code page lacks a character of the text.
    pub(super) fn convert_to(
        &self,
        sysid: Name<4>,
        data: &mut [u8],
        text: &[(usize, usize)],
    ) -> Result<(), Answer> {
        if text.is_empty() {
            return Ok(());
        }
        let own = self.links.as_ref().map_or(0, |links| links.own.ccsid);
        let pages = (own, self.way(sysid)?.connection.hello.ccsid);
        match border::convert_parts(data, text, pages) {
            true => Ok(()),
            false => Err(not_converted("data", pages)),
        }
    }
}

/// An answer whose texts people may read.
fn for_us(answer: message::Answer) -> message::Answer {
    match answer {
        message::Answer::Abend { code, message } => {
            message::Answer::Abend { code, message: for_people(message) }
        }
        other => other,
    }
}

/// True if the other region has backed its part of a unit out because the connection is gone.
pub(super) fn is_lost(answer: &Result<message::Answer, Unanswered>) -> bool {
    matches!(answer, Err(Unanswered::NotSent | Unanswered::Broken) | Ok(message::Answer::UnitUnknown))
}

fn not_converted(what: &str, pages: (u16, u16)) -> Answer {
    let message = format!("the {what} cannot be converted from CCSID {} to {}", pages.0, pages.1);
    Answer::Abend { code: NOT_CONVERTED, message }
}

/// Converts the text of a commarea.
fn convert(cargo: &mut Cargo, text: &[(usize, usize)], pages: (u16, u16)) -> Result<(), Answer> {
    let Cargo::Commarea { length, data } = cargo else { return Ok(()) };
    if text.is_empty() || pages.0 == pages.1 {
        return Ok(());
    }
    // Zeros are no text in any page, but blanks are not zeros in all.
    data.resize(*length as usize, 0);
    match border::convert_parts(data, text, pages) {
        true => Ok(()),
        false => Err(not_converted("commarea", pages)),
    }
}

/// The condition or abend for an answer that the request did not expect.
pub(super) fn told(answer: message::Answer) -> Answer {
    match answer {
        message::Answer::Condition { resp, resp2, .. } => Answer::Condition { resp, resp2 },
        message::Answer::Abend { code, message } => Answer::Abend { code, message },
        // The other region answered something else than it was asked.
        _ => refused(&TERMERR, RESP2_CONVERSATION),
    }
}
