//! A queue manager with a few queues, and tasks that call it.

use std::sync::Arc;

use message::{ManagerName, Moment, QueueName};
use message_calls::{Apart, Opens, QueueRights, Step, Surroundings, TaskCalls, Waiting, after_commit};
use mqi::{Fields, GET_OPTIONS, MESSAGE, OBJECT, PUT_OPTIONS, Structure, constant};
use queue::{Attributes, Definition, Definitions, Limits, Manager, Origin, QueueKind, Subscription, Topic};
use store::{Options, Store, Unit};
use tempfile::TempDir;
use wire::{MessageAnswer, MessageAsk, Outgoing};

pub(crate) const NOW: Moment = Moment(1_700_000_000_000);

pub(crate) struct Region {
    pub(crate) manager: Manager,
    store: Arc<Store>,
    opens: Opens,
    pub(crate) rights: QueueRights,
    _folder: TempDir,
}

/// A task, with its unit of work.
pub(crate) struct Task<'r> {
    region: &'r Region,
    calls: TaskCalls,
    unit: Unit,
    pub(crate) now: Moment,
}

pub(crate) fn name(text: &str) -> QueueName {
    QueueName::new(text).expect("a name")
}

fn queue(text: &str, kind: QueueKind, origin: Origin) -> Definition {
    Definition { name: name(text), kind, attributes: Attributes::default(), origin }
}

impl Region {
    /// `Q` and `SECOND` are defined by commands, `FILED` by a file; `ALIAS` stands for `Q`, queues are made of `MODEL` and `KEPT`.
    /// `Q` gets all messages of topics below `news`, which is the topic of `NEWS`, and `SECOND` those of `news/sport`.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Arc::new(Store::open(folder.path().join("store"), Options::default()).expect("a store"));
        let filed =
            queue("FILED", QueueKind::Local, Origin::File { path: "gantry.toml".to_owned(), line: 7 });
        let topic = |name: &str, topic: &str, publish_enabled| Topic {
            name: name.to_owned(),
            topic: topic.to_owned(),
            publish_enabled,
            ..Topic::default()
        };
        let definitions = Definitions {
            queues: vec![filed],
            topics: vec![topic("NEWS", "news", None), topic("OLD", "news/old", Some(false))],
            ..Definitions::new(ManagerName::new("QM1").expect("a name"))
        };
        let (manager, _) =
            Manager::open(Arc::clone(&store), &definitions, Limits::default(), NOW).expect("a manager");
        for (text, kind) in [
            ("Q", QueueKind::Local),
            ("SECOND", QueueKind::Local),
            ("ALIAS", QueueKind::Alias(name("Q"))),
            ("MODEL", QueueKind::Model { permanent: false }),
            ("KEPT", QueueKind::Model { permanent: true }),
        ] {
            manager.define(queue(text, kind, Origin::Command), false).expect("a definition");
        }
        for (subscription, topics, queue) in [("all", "news/#", "Q"), ("sport", "news/sport", "SECOND")] {
            manager.subscribe(Subscription::new(subscription, topics, name(queue))).expect("a subscription");
        }
        Self { manager, store, opens: Opens::default(), rights: QueueRights::default(), _folder: folder }
    }

    pub(crate) fn task(&self) -> Task<'_> {
        let unit = self.store.unit().expect("a unit");
        Task { region: self, calls: TaskCalls::default(), unit, now: NOW }
    }

    pub(crate) fn depth(&self, queue: &str) -> usize {
        self.manager.inquire(&name(queue)).expect("the queue").depth
    }
}

/// What came of a call: completion and reason.
pub(crate) type Codes = (i32, i32);

pub(crate) fn reason(text: &str) -> Codes {
    (2, constant(&format!("MQRC-{text}")).expect("a reason"))
}

pub(crate) fn warning(text: &str) -> Codes {
    (1, reason(text).1)
}

pub(crate) const DONE: Codes = (0, 0);

pub(crate) fn codes(answer: &MessageAnswer) -> Codes {
    (answer.completion, answer.reason)
}

/// The sum of options.
pub(crate) fn sum(names: &[&str]) -> i32 {
    names.iter().map(|name| constant(name).unwrap_or_else(|| panic!("{name}"))).sum()
}

pub(crate) fn initial(structure: &'static Structure, version: i32) -> Fields {
    Fields::initial(structure, version, padded).expect("a version")
}

fn padded(text: &str, place: &mut [u8]) {
    place.fill(b' ');
    place[..text.len()].copy_from_slice(text.as_bytes());
}

pub(crate) fn set_text(fields: &mut Fields, name: &str, text: &str) {
    let mut place = vec![b' '; fields.bytes(name).expect("a field").len()];
    padded(text, &mut place);
    fields.set_bytes(name, &place);
}

pub(crate) fn object(name: &str) -> Fields {
    let mut object = initial(&OBJECT, 3);
    set_text(&mut object, "OBJECTNAME", name);
    object
}

/// A message of text as a program puts it.
pub(crate) fn outgoing(options: &[&str], data: &str, change: impl FnOnce(&mut Fields)) -> Outgoing {
    let mut fields = initial(&PUT_OPTIONS, 1);
    fields.set_number("OPTIONS", sum(options));
    let mut descriptor = initial(&MESSAGE, 1);
    set_text(&mut descriptor, "FORMAT", "MQSTR");
    change(&mut descriptor);
    Outgoing {
        descriptor: descriptor.as_bytes().to_vec(),
        options: fields.as_bytes().to_vec(),
        data: data.as_bytes().to_vec(),
    }
}

impl Task<'_> {
    fn around(&self) -> Surroundings<'_> {
        let Region { manager, opens, rights, .. } = self.region;
        Surroundings { manager, opens, ccsid: 1252, user: "ANNE", rights, now: self.now }
    }

    pub(crate) fn step(&mut self, ask: MessageAsk) -> Step {
        let Region { manager, opens, rights, .. } = self.region;
        let around = Surroundings { manager, opens, ccsid: 1252, user: "ANNE", rights, now: self.now };
        self.calls.call(ask, around, &mut self.unit)
    }

    /// The answer of a call that does not wait.
    pub(crate) fn call(&mut self, ask: MessageAsk) -> MessageAnswer {
        let step = match self.step(ask) {
            Step::Apart(apart) => self.changed(*apart),
            step => step,
        };
        done(step)
    }

    /// Goes on with a call that changes definitions.
    pub(crate) fn changed(&mut self, apart: Apart) -> Step {
        let Region { manager, opens, rights, .. } = self.region;
        let around = Surroundings { manager, opens, ccsid: 1252, user: "ANNE", rights, now: self.now };
        self.calls.after_change(apart.run(manager), around, &mut self.unit)
    }

    pub(crate) fn open_answer(&mut self, queue: &str, options: &[&str]) -> MessageAnswer {
        self.call(MessageAsk::Open { object: object(queue).into_bytes().into(), options: sum(options) })
    }

    pub(crate) fn open(&mut self, queue: &str, options: &[&str]) -> i32 {
        let answer = self.open_answer(queue, options);
        assert_eq!(codes(&answer), DONE, "{queue}");
        answer.handle
    }

    pub(crate) fn put(&mut self, handle: i32, options: &[&str], data: &str) -> MessageAnswer {
        self.call(MessageAsk::Put { handle, message: outgoing(options, data, |_| {}) })
    }

    pub(crate) fn get_ask(handle: i32, options: &[&str], room: u32) -> MessageAsk {
        let mut fields = initial(&GET_OPTIONS, 1);
        fields.set_number("OPTIONS", sum(options));
        fields.set_number("WAITINTERVAL", 5000);
        let descriptor = initial(&MESSAGE, 1).as_bytes().to_vec();
        MessageAsk::Get { handle, descriptor, options: fields.as_bytes().to_vec(), room }
    }

    pub(crate) fn get(&mut self, handle: i32, options: &[&str], room: u32) -> (Codes, String) {
        let answer = self.call(Self::get_ask(handle, options, room));
        (codes(&answer), String::from_utf8_lossy(&answer.data).into_owned())
    }

    /// The codes of a get from a queue.
    pub(crate) fn get_codes(&mut self, queue: &str) -> Codes {
        let input = self.open(queue, &["MQOO-INPUT-SHARED"]);
        self.get(input, &[], 100).0
    }

    /// Goes on with a get that waited for a message.
    pub(crate) fn go_on(&mut self, waiting: Box<Waiting>) -> Step {
        let around = self.around();
        let session = around.manager.session();
        let waiter = session.wait(&waiting.queue, &waiting.selection, || {}, self.now).expect("a wait");
        let waiter = waiter.is_over().then_some(waiter);
        let Region { manager, opens, rights, .. } = self.region;
        let around = Surroundings { manager, opens, ccsid: 1252, user: "ANNE", rights, now: self.now };
        self.calls.after_wait(waiting, waiter, around, &mut self.unit)
    }

    /// SYNCPOINT.
    pub(crate) fn commit(&mut self) {
        let fresh = self.region.store.unit().expect("a unit");
        let outcome = std::mem::replace(&mut self.unit, fresh).syncpoint();
        self.calls.take_changes().ended(&outcome);
    }

    /// SYNCPOINT ROLLBACK, or an abend.
    pub(crate) fn back_out(&mut self) {
        self.unit = self.region.store.unit().expect("a unit");
        drop(self.calls.take_changes());
    }
}

pub(crate) fn done(step: Step) -> MessageAnswer {
    match step {
        Step::Answer(answer) => *answer,
        Step::Commit(work, answer) => *after_commit(work.commit(), answer),
        Step::Wait(waiting) => panic!("{waiting:?}"),
        Step::Apart(apart) => panic!("{apart:?}"),
    }
}
