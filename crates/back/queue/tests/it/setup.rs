//! A manager with a few queues.

use std::sync::Arc;

use message::{
    CorrelationId, ManagerName, Message, Moment, NewMessage, Persistence, QueueName, Reason, Refusal,
    Selection,
};
use queue::{Attributes, Definition, Definitions, Limits, Manager, Origin, QueueKind, Session};
use store::{Disk, Drive, Options, Store};

use crate::disk::FaultyDisk;

pub(crate) const NOW: Moment = Moment(1_700_000_000_000);

pub(crate) fn name(text: &str) -> QueueName {
    QueueName::new(text).unwrap()
}

pub(crate) fn local(queue: &str, attributes: Attributes) -> Definition {
    let origin = Origin::File { path: "gantry.toml".to_owned(), line: 7 };
    Definition { name: name(queue), kind: QueueKind::Local, attributes, origin }
}

pub(crate) fn definitions(queues: Vec<Definition>) -> Definitions {
    Definitions { queues, ..Definitions::new(ManagerName::new("QM1").unwrap()) }
}

pub(crate) fn open_store(disk: &Arc<FaultyDisk>) -> store::Result<Arc<Store>> {
    let options = Options { drive: Drive::Caller, ..Options::default() };
    Store::open_on(Arc::clone(disk) as Arc<dyn Disk>, options).map(Arc::new)
}

/// A manager with the queues of `definitions` on an empty disk.
pub(crate) fn manager(definitions: &Definitions, limits: Limits) -> (Manager, Arc<Store>, Arc<FaultyDisk>) {
    let disk = FaultyDisk::new(Vec::new());
    let store = open_store(&disk).unwrap();
    let (manager, notices) = Manager::open(Arc::clone(&store), definitions, limits, NOW).unwrap();
    assert_eq!(notices, []);
    (manager, store, disk)
}

/// A manager with one queue, `Q`.
pub(crate) fn one(attributes: Attributes) -> (Manager, Arc<Store>) {
    let (manager, store, _) = manager(&definitions(vec![local("Q", attributes)]), Limits::default());
    (manager, store)
}

pub(crate) fn persistent(body: &str) -> NewMessage {
    NewMessage { persistence: Some(Persistence::Persistent), ..NewMessage::text(body) }
}

pub(crate) fn put(
    session: &Session,
    queue: &str,
    message: NewMessage,
) -> Result<message::MessageId, Refusal> {
    let mut work = session.begin()?;
    let put = session.put(&mut work.scope(), &name(queue), message, NOW)?;
    work.commit().map(|()| put.message_id)
}

pub(crate) fn get_at(
    session: &Session,
    queue: &str,
    selection: &Selection,
    now: Moment,
) -> Result<Option<Message>, Refusal> {
    let mut work = session.begin()?;
    let message = session.get(&mut work.scope(), &name(queue), selection, now)?;
    work.commit().map(|()| message)
}

pub(crate) fn get(session: &Session, queue: &str) -> Option<String> {
    let message = get_at(session, queue, &Selection::ANY, NOW).unwrap()?;
    Some(String::from_utf8(message.body).unwrap())
}

pub(crate) fn reason<T: std::fmt::Debug>(result: Result<T, Refusal>) -> Reason {
    result.unwrap_err().reason
}

pub(crate) fn correlated(body: &str, id: u8) -> NewMessage {
    NewMessage { correlation_id: CorrelationId([id; 24]), ..persistent(body) }
}
