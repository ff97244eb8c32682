//! Compares a model of queues with the manager, over lives that end in crashes. No message is lost,
//! none comes twice, and all keep their order. A report exists exactly if its event has happened.
//!
//! `QUEUE_CRASH_SEEDS=from..to` runs other seeds than the usual ones.

use std::collections::HashSet;
use std::sync::Arc;

use message::{
    CorrelationId, Expiry, MessageId, Moment, NewMessage, Persistence, Priority, QueueName, Reason, ReplyTo,
    Report, Selection, feedback,
};
use queue::{Attributes, Definitions, Limits, Manager, Session, Work};
use store::Store;

use crate::disk::{Fault, FaultyDisk, Random};
use crate::setup::{NOW, definitions, local, name, open_store, persistent};

const SEEDS: std::ops::Range<u64> = 0..80;
const STEPS: usize = 80;
const GENERATIONS: usize = 3;
/// The queues of the messages, and last the queue of the reports.
const QUEUES: [&str; 4] = ["ONE", "TWO", "BACK", "REPORTS"];
const REPORTS: usize = 3;
/// Report options: of arrival, delivery and expiry, with 100 bytes of the body and with the message's id.
const COA: u32 = 0x300;
const COD: u32 = 0x1800;
const EXPIRATION: u32 = 0x0060_0000;
const PASS_ID: u32 = 0x80;
const THRESHOLD: u32 = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    id: MessageId,
    correlation: u8,
    body: Vec<u8>,
    priority: u8,
    persistent: bool,
    expires: Option<Moment>,
    order: u64,
    backouts: u32,
    /// The backouts that a restart knows: those before the message was moved.
    stored_backouts: u32,
    report: u32,
    feedback: u32,
}

impl Held {
    /// The report that this message wants; none if it wants none.
    fn report(&self, kind: u32, feedback: u32) -> Option<Held> {
        if self.report & kind != kind {
            return None;
        }
        let body = self.body[..self.body.len().min(100)].to_vec();
        Some(Held {
            body,
            expires: None,
            backouts: 0,
            stored_backouts: 0,
            report: 0,
            feedback,
            ..self.clone()
        })
    }
}

/// A message as a browse shows it.
type Shown = (MessageId, u32, Vec<u8>);

impl From<&Held> for Shown {
    fn from(held: &Held) -> Shown {
        (held.id, held.feedback, held.body.clone())
    }
}

/// The messages of each queue that can be got.
type State = Vec<Vec<Held>>;

/// An open unit, and its changes by queue.
struct Open {
    work: Work,
    puts: Vec<(usize, Held)>,
    gets: Vec<(usize, Held)>,
}

struct World {
    store: Arc<Store>,
    manager: Manager,
    session: Session,
    state: State,
    open: Vec<Open>,
    now: Moment,
    orders: u64,
    ids: HashSet<MessageId>,
}

/// The possible contents of the disk after a crash.
type Candidates = Vec<State>;

fn queues() -> Definitions {
    let careful = Attributes {
        backout_threshold: THRESHOLD,
        backout_queue: Some(name("BACK")),
        ..Attributes::default()
    };
    definitions(vec![
        local("ONE", careful),
        local("TWO", Attributes { by_priority: false, ..Attributes::default() }),
        local("BACK", Attributes::default()),
        local("REPORTS", Attributes::default()),
    ])
}

fn sort(queue: usize, messages: &mut [Held]) {
    if queue == REPORTS {
        // Reports have no fixed order if messages expire at the same moment. So only the set of
        // reports counts.
        return messages.sort_by_key(|held| (held.id, held.feedback));
    }
    let by_priority = queue != 1;
    messages.sort_by_key(|held| (if by_priority { 9 - held.priority } else { 0 }, held.order));
}

impl World {
    fn queue(&self, queue: usize) -> QueueName {
        name(QUEUES[queue])
    }

    fn unit(&mut self, random: &mut Random) -> usize {
        if self.open.is_empty() || (self.open.len() < 3 && random.below(4) == 0) {
            let work = self.session.begin().unwrap();
            self.open.push(Open { work, puts: Vec::new(), gets: Vec::new() });
        }
        random.below(self.open.len())
    }

    fn put(&mut self, random: &mut Random) {
        let (unit, queue) = (self.unit(random), random.below(3));
        let (priority, correlation) = (random.below(3) as u8, random.below(3) as u8);
        let persistent = random.below(4) > 0;
        let expiry =
            if random.below(6) == 0 { Expiry::AfterMs(random.below(40) as u64) } else { Expiry::Unlimited };
        let bytes_max = if random.below(20) == 0 { 20_000 } else { 60 };
        let body: Vec<u8> = (0..random.below(bytes_max)).map(|at| at as u8).collect();
        let kinds = [COA, COD, EXPIRATION].into_iter().filter(|_| random.below(4) == 0);
        let report = kinds.fold(0, |sum, kind| sum | kind | PASS_ID);
        let message = NewMessage {
            correlation_id: CorrelationId([correlation; 24]),
            priority: Priority::new(priority),
            persistence: Some(if persistent { Persistence::Persistent } else { Persistence::NonPersistent }),
            expiry,
            report: Report(report),
            reply_to: (report != 0).then(|| ReplyTo { queue: name(QUEUES[REPORTS]), manager: None }),
            ..NewMessage::bytes(body.clone())
        };
        let name = self.queue(queue);
        let put = self.session.put(&mut self.open[unit].work.scope(), &name, message, self.now);
        // A read from a disk without power may fail. The unit goes on without the message.
        let Ok(put) = put else { return };
        assert!(self.ids.insert(put.message_id), "{} was made twice", put.message_id);
        self.orders += 1;
        let expires = match expiry {
            Expiry::AfterMs(ms) => Some(self.now.plus_ms(ms)),
            Expiry::Unlimited => None,
        };
        let (id, order) = (put.message_id, self.orders);
        let held = Held {
            id,
            correlation,
            body,
            priority,
            persistent,
            expires,
            order,
            backouts: 0,
            stored_backouts: 0,
            report,
            feedback: 0,
        };
        let arrival = held.report(COA, feedback::ARRIVAL).map(|report| (REPORTS, report));
        self.open[unit].puts.push((queue, held));
        self.open[unit].puts.extend(arrival);
    }

    fn get(&mut self, random: &mut Random) {
        let (unit, queue) = (self.unit(random), random.below(3));
        let selection = match random.below(4) {
            0 => Selection::by_correlation_id(CorrelationId([1 + random.below(2) as u8; 24])),
            1 if !self.state[queue].is_empty() => {
                Selection::by_message_id(self.state[queue][random.below(self.state[queue].len())].id)
            }
            _ => Selection::ANY,
        };
        let now = self.now;
        let fits = |held: &Held| {
            held.expires.is_none_or(|expires| expires > now)
                && selection.fits_ids(held.id, CorrelationId([held.correlation; 24]))
        };
        let expected = self.state[queue].iter().position(fits);
        let name = self.queue(queue);
        let got = self.session.get(&mut self.open[unit].work.scope(), &name, &selection, now);
        let Ok(got) = got else { return };
        let Some(got) = got else {
            assert_eq!(expected, None, "nothing was found");
            return;
        };
        let expected = self.state[queue].remove(expected.expect("nothing is there to be found"));
        let descriptor = &got.descriptor;
        assert_eq!((descriptor.message_id, descriptor.backout_count), (expected.id, expected.backouts));
        assert_eq!((&got.body, descriptor.priority.number()), (&expected.body, expected.priority));
        let delivery = expected.report(COD, feedback::DELIVERY).map(|report| (REPORTS, report));
        self.open[unit].puts.extend(delivery);
        self.open[unit].gets.push((queue, expected));
    }

    fn browse(&self, queue: usize) -> Option<Vec<Shown>> {
        browse(&self.session, queue, self.now)
    }

    fn check(&self, random: &mut Random) {
        let queue = random.below(QUEUES.len());
        let Some(found) = self.browse(queue) else { return };
        let live = |held: &&Held| held.expires.is_none_or(|expires| expires > self.now);
        let expected: Vec<Shown> = self.state[queue].iter().filter(live).map(Shown::from).collect();
        assert_eq!(found, expected, "{}", QUEUES[queue]);
    }

    /// The messages on the disk, with the changes of one unit.
    fn with(&self, puts: &[(usize, Held)], gets_return: &[(usize, Held)]) -> State {
        let mut state = self.state.clone();
        for (queue, held) in puts.iter().chain(gets_return) {
            state[*queue].push(held.clone());
            sort(*queue, &mut state[*queue]);
        }
        state
    }

    /// The messages after a crash: those that open units have got are there again.
    fn crashed(&self, state: &State, but: &[(usize, Held)]) -> State {
        let mut state = state.clone();
        let open = self.open.iter().flat_map(|open| &open.gets);
        for (queue, held) in open.chain(but) {
            state[*queue].push(held.clone());
            sort(*queue, &mut state[*queue]);
        }
        for queue in &mut state {
            queue.retain(|held| held.persistent);
        }
        state
    }

    fn commit(&mut self, random: &mut Random) -> Option<Candidates> {
        if self.open.is_empty() {
            return None;
        }
        let Open { work, puts, gets } = self.open.swap_remove(random.below(self.open.len()));
        let (done, undone) = (self.with(&puts, &[]), self.with(&[], &gets));
        if work.commit().is_err() {
            return Some(vec![self.crashed(&done, &[]), self.crashed(&undone, &[])]);
        }
        self.state = done;
        None
    }

    fn backout(&mut self, random: &mut Random) -> Option<Candidates> {
        if self.open.is_empty() {
            return None;
        }
        let Open { work, gets, .. } = self.open.swap_remove(random.below(self.open.len()));
        let before = self.with(&[], &gets);
        drop(work);
        let back = |world: &Self| world.manager.inquire(&world.queue(2)).unwrap().counters.puts;
        let puts = back(self);
        while self.store.drive() {}
        let mut moved = 0;
        for (queue, mut held) in gets {
            held.backouts += 1;
            let to = if queue == 0 && held.backouts >= THRESHOLD { 2 } else { queue };
            if to != queue {
                self.orders += 1;
                held.order = self.orders;
                held.stored_backouts = held.backouts;
                held.feedback = Reason::BackoutThresholdReached.code();
                moved += u64::from(held.persistent);
                // Messages in memory move at once, and were counted before.
            }
            self.state[to].push(held);
            sort(to, &mut self.state[to]);
        }
        if moved > 0 && back(self) < puts + moved {
            return Some(vec![self.crashed(&before, &[]), self.crashed(&self.state.clone(), &[])]);
        }
        None
    }

    fn step(&mut self, random: &mut Random) -> Option<Candidates> {
        self.now = self.now.plus_ms(1);
        match random.below(12) {
            0..4 => self.put(random),
            4..7 => self.get(random),
            7..9 => return self.commit(random),
            9 => return self.backout(random),
            10 => self.check(random),
            _ => return self.sweep(),
        }
        None
    }

    /// Whether a unit can be committed. It puts a message that expires at once.
    fn disk_works(&self) -> bool {
        let put = || {
            let mut work = self.session.begin()?;
            let message = NewMessage { expiry: Expiry::AfterMs(0), ..persistent("") };
            self.session.put(&mut work.scope(), &self.queue(1), message, self.now)?;
            work.commit()
        };
        put().is_ok()
    }

    /// Discards expired messages and puts the wanted reports.
    fn sweep(&mut self) -> Option<Candidates> {
        let (now, puts) =
            (self.now, |world: &Self| world.manager.inquire(&world.queue(REPORTS)).unwrap().counters.puts);
        let before = puts(self);
        let _ = self.manager.sweep(now);
        while self.store.drive() {}
        let due = |held: &&Held| {
            held.report & EXPIRATION != 0 && held.expires.is_some_and(|expires| expires <= now)
        };
        let count: usize = self.state.iter().map(|queue| queue.iter().filter(due).count()).sum();
        let swept = |queues: usize| {
            let mut state = self.state.clone();
            for queue in (0..REPORTS).filter(|queue| queues & (1 << queue) != 0) {
                let told: Vec<Held> = state[queue].iter().filter(due).cloned().collect();
                state[queue].retain(|held| !due(&held));
                let reports = told.iter().filter_map(|held| held.report(EXPIRATION, feedback::EXPIRATION));
                state[REPORTS].extend(reports);
            }
            sort(REPORTS, &mut state[REPORTS]);
            state
        };
        let all = (1 << REPORTS) - 1;
        if puts(self) - before == count as u64 {
            self.state = swept(all);
            return None;
        }
        assert!(!self.disk_works(), "reports are missing");
        // The disk has the units of some queues.
        Some((0..=all).map(|queues| self.crashed(&swept(queues), &[])).collect())
    }
}

fn browse(session: &Session, queue: usize, now: Moment) -> Option<Vec<Shown>> {
    let (mut found, mut after): (Vec<Shown>, _) = (Vec::new(), None);
    while let Some(browsed) = session.browse(&name(QUEUES[queue]), &Selection::ANY, after, now).ok()? {
        let descriptor = &browsed.message.descriptor;
        found.push((descriptor.message_id, descriptor.feedback, browsed.message.body));
        after = Some(browsed.position);
    }
    if queue == REPORTS {
        found.sort();
    }
    Some(found)
}

fn seeds() -> std::ops::Range<u64> {
    let Ok(given) = std::env::var("QUEUE_CRASH_SEEDS") else { return SEEDS };
    let (from, to) = given.split_once("..").expect("QUEUE_CRASH_SEEDS=from..to");
    from.parse().unwrap()..to.parse().unwrap()
}

fn run(seed: u64) {
    let mut random = Random(seed);
    let mut disk = FaultyDisk::new(Vec::new());
    let (mut state, mut ids, mut now): (State, _, _) = (vec![Vec::new(); QUEUES.len()], HashSet::new(), NOW);
    let mut orders = 0;
    for generation in 0..GENERATIONS {
        let store = open_store(&disk).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let opened = Manager::open(Arc::clone(&store), &queues(), Limits::default(), now);
        let (manager, notices) = opened.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(notices, []);
        let session = manager.session();
        let mut world = World { store, manager, session, state, open: Vec::new(), now, orders, ids };
        for seed in 0..QUEUES.len() as u64 {
            world.check(&mut Random(seed));
        }
        let fault = match random.below(3) {
            0 => Fault::SyncAt(1 + random.below(20) as u64),
            _ => Fault::PowerAt(1 + random.below(250) as u64),
        };
        disk.set(fault);
        let ended = (0..STEPS).find_map(|_| world.step(&mut random));
        let candidates = ended.unwrap_or_else(|| vec![world.crashed(&world.state, &[])]);
        (now, orders, ids) = (world.now, world.orders, std::mem::take(&mut world.ids));
        std::mem::forget(world);
        disk = FaultyDisk::new(disk.after_power_loss(&mut random));
        state = found(&disk, now, candidates)
            .unwrap_or_else(|text| panic!("seed {seed}, generation {generation}: {text}"));
    }
}

/// Finds the candidate that the disk holds.
fn found(disk: &Arc<FaultyDisk>, now: Moment, candidates: Candidates) -> Result<State, String> {
    let store = open_store(disk).map_err(|error| error.to_string())?;
    let (manager, _) =
        Manager::open(store, &queues(), Limits::default(), now).map_err(|error| error.to_string())?;
    let session = manager.session();
    let found: Vec<_> =
        (0..QUEUES.len()).map(|queue| browse(&session, queue, now).expect("the disk is well")).collect();
    let live = |held: &Held| held.expires.is_none_or(|expires| expires > now);
    let same = |state: &State| {
        state.iter().zip(&found).all(|(expected, found)| {
            let expected = expected.iter().filter(|held| live(held)).map(Shown::from);
            expected.eq(found.iter().cloned())
        })
    };
    let shown = |state: &State| -> Vec<Vec<String>> {
        state.iter().map(|queue| queue.iter().map(|held| held.id.to_string()).collect()).collect()
    };
    let expected: Vec<_> = candidates.iter().map(&shown).collect();
    let Some(mut state) = candidates.into_iter().find(|state| same(state)) else {
        return Err(format!("lost, twice or out of order\nfound {found:?}\nexpected one of {expected:#?}"));
    };
    for held in state.iter_mut().flatten() {
        // The manager counts backouts only while it runs.
        held.backouts = held.stored_backouts;
    }
    Ok(state)
}

#[test]
fn nothing_acknowledged_is_lost_or_doubled() {
    for seed in seeds() {
        run(seed);
    }
}
