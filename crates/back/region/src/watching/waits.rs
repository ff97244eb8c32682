//! The reason why a task waits in its region, in few bytes without an allocation.

use wire::{Ask, CallAsk, EnqueueAsk, QueueAsk, StartAsk, TransientAsk};

/// How many bytes of a name are shown.
pub const WAIT_NAME_MAX_BYTES: usize = 48;

/// The reason why a task waits: the request of its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitsFor {
    /// The kind of thing.
    pub what: Waited,
    name: [u8; WAIT_NAME_MAX_BYTES],
    bytes: u8,
}

/// The kinds of things that tasks wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// A temporary storage queue.
    TsQueue,
    /// A transient data queue.
    TdQueue,
    /// A record of a file, or the file itself.
    File,
    /// A name of ENQ.
    Enqueue,
    /// A syncpoint: changes are written.
    Syncpoint,
    /// A time (DELAY).
    Interval,
    /// A child task.
    Child,
    /// A named counter.
    Counter,
    /// A call of an API or a service.
    Call,
    /// A call of the MQI: a message that is not there yet.
    Message,
    /// A program of another region.
    Link,
    /// A temporary storage queue of another region.
    RemoteQueue,
    /// START or CANCEL in another region.
    RemoteStart,
}

impl Waited {
    /// A word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Waited::TsQueue => "tsqueue",
            Waited::TdQueue => "tdqueue",
            Waited::File => "file",
            Waited::Enqueue => "enqueue",
            Waited::Syncpoint => "syncpoint",
            Waited::Interval => "interval",
            Waited::Child => "child",
            Waited::Counter => "counter",
            Waited::Call => "call",
            Waited::Message => "message",
            Waited::Link => "link",
            Waited::RemoteQueue => "remote tsqueue",
            Waited::RemoteStart => "remote start",
        }
    }
}

impl WaitsFor {
    pub(crate) fn of(ask: &Ask) -> Self {
        let (what, name): (Waited, &[u8]) = match ask {
            Ask::Queue(
                QueueAsk::Write { queue, .. } | QueueAsk::Read { queue, .. } | QueueAsk::Delete { queue },
            ) => (Waited::TsQueue, queue),
            Ask::Transient(
                TransientAsk::Write { queue, .. }
                | TransientAsk::Read { queue, .. }
                | TransientAsk::Delete { queue },
            ) => (Waited::TdQueue, queue),
            Ask::File(ask) => (Waited::File, &ask.file),
            Ask::Enqueue(EnqueueAsk::Enqueue { resource, .. } | EnqueueAsk::Dequeue { resource }) => {
                (Waited::Enqueue, resource)
            }
            Ask::RemoteQueue {
                ask: QueueAsk::Write { queue, .. } | QueueAsk::Read { queue, .. } | QueueAsk::Delete { queue },
                ..
            } => (Waited::RemoteQueue, queue),
            Ask::RemoteStart { sysid, .. } => (Waited::RemoteStart, sysid),
            Ask::Link(ask) => (Waited::Link, &ask.program),
            Ask::Syncpoint { .. } => (Waited::Syncpoint, b""),
            Ask::Start(StartAsk::Delay { request, .. }) => (Waited::Interval, request),
            Ask::Start(_) => (Waited::Interval, b""),
            Ask::Child(_) => (Waited::Child, b""),
            Ask::Counter(_) => (Waited::Counter, b""),
            Ask::Resource(_) => (Waited::Call, b""),
            Ask::Call(CallAsk::Api { api, .. }) => (Waited::Call, api.as_bytes()),
            Ask::Call(CallAsk::Service { service, .. }) => (Waited::Call, service.as_bytes()),
            Ask::Call(CallAsk::Transform { transformer, .. }) => (Waited::Call, transformer.as_bytes()),
            Ask::Call(_) => (Waited::Call, b""),
            Ask::Message(_) => (Waited::Message, b""),
            // The region takes an answer over HTTP at once.
            Ask::WebSent(_) => (Waited::Call, b""),
        };
        let mut shown = [0; WAIT_NAME_MAX_BYTES];
        let bytes = name.len().min(WAIT_NAME_MAX_BYTES);
        shown[..bytes].copy_from_slice(&name[..bytes]);
        Self { what, name: shown, bytes: bytes as u8 }
    }

    /// The first bytes of its name, as the program gave it; empty if it has none.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name[..usize::from(self.bytes)]
    }

    /// False for a wait that must end by itself, so that the outcome is known, and both sides of a link stay
    /// in step.
    pub(crate) fn may_be_cut(&self) -> bool {
        !matches!(self.what, Waited::Syncpoint | Waited::Link | Waited::RemoteQueue | Waited::RemoteStart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_where_there_is_no_room() {
        let long = vec![b'N'; 255];
        let ask = Ask::Enqueue(EnqueueAsk::Enqueue { resource: long, for_task: false, waits: true });
        let waits = WaitsFor::of(&ask);
        assert_eq!((waits.what, waits.name()), (Waited::Enqueue, &[b'N'; WAIT_NAME_MAX_BYTES][..]));
        let waits = WaitsFor::of(&Ask::Queue(QueueAsk::Delete { queue: b"Q".to_vec() }));
        assert_eq!((waits.what.word(), waits.name(), waits.may_be_cut()), ("tsqueue", &b"Q"[..], true));
        assert!(!WaitsFor::of(&Ask::Syncpoint { rollback: false }).may_be_cut());
    }
}
