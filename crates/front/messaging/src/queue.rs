//! Queues as administration sees them: what a definition changes, and what is shown of a queue.

/// A kind of queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It holds messages.
    Local,
    /// Another name for a queue.
    Alias,
    /// A queue of another queue manager.
    Remote,
    /// What queues are made of when they are opened.
    Model,
}

impl Kind {
    /// The word of MQSC.
    #[must_use]
    pub fn mqsc(self) -> &'static str {
        match self {
            Self::Local => "QLOCAL",
            Self::Alias => "QALIAS",
            Self::Remote => "QREMOTE",
            Self::Model => "QMODEL",
        }
    }

    /// The word of the resource for queues.
    #[must_use]
    pub fn rest(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Alias => "alias",
            Self::Remote => "remote",
            Self::Model => "model",
        }
    }

    /// The kind with this word of the resource for queues.
    #[must_use]
    pub fn of_rest(word: &str) -> Option<Self> {
        [Self::Local, Self::Alias, Self::Remote, Self::Model].into_iter().find(|kind| kind.rest() == word)
    }
}

/// When a queue starts somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerType {
    /// Never.
    None,
    /// When it is no longer empty.
    First,
    /// For every message.
    Every,
    /// When it has so many messages.
    Depth,
}

/// One attribute of a queue, and its new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// What people call it.
    Description(String),
    /// Messages.
    MaximumDepth(u32),
    /// Bytes of a message.
    MaximumLength(u32),
    /// Messages are persistent where the putter does not say.
    DefaultPersistent(bool),
    /// The priority where the putter does not say.
    DefaultPriority(u8),
    /// By priority, else first in, first out.
    ByPriority(bool),
    /// Messages can be put.
    PutEnabled(bool),
    /// Messages can be got.
    GetEnabled(bool),
    /// After how many backouts a message is requeued; 0 is never.
    BackoutThreshold(u32),
    /// Where it goes then; empty is nowhere.
    BackoutQueue(String),
    /// The queue that an alias stands for.
    Target(String),
    /// The queue's name where it is.
    RemoteQueue(String),
    /// The queue manager that has it.
    RemoteManager(String),
    /// The queue on which messages wait for their way; empty is the default.
    TransmissionQueue(String),
    /// The queue starts somebody.
    Trigger(bool),
    /// When.
    TriggerType(TriggerType),
    /// At which depth.
    TriggerDepth(u32),
    /// From which priority on.
    TriggerPriority(u8),
    /// What the started one is told.
    TriggerData(String),
    /// Who is started.
    Process(String),
    /// Where trigger messages go.
    InitiationQueue(String),
    /// Queues made of a model outlive a restart.
    Permanent(bool),
    /// An attribute that has no effect here, under its name in MQSC: it is kept and shown.
    Kept(&'static str, String),
}

/// What is shown of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its attributes, as they would be set.
    pub attributes: Vec<Change>,
    /// What it holds; none of queues that hold nothing.
    pub state: Option<State>,
}

/// What a local queue holds, and who uses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Messages, with those that are put and not yet committed.
    pub depth: u64,
    /// Messages of units that are not committed.
    pub uncommitted: u64,
    /// Seconds since the oldest message was put; none if it is empty.
    pub oldest_age_s: Option<u64>,
    /// Those who get from it now, or wait.
    pub open_input: u32,
    /// Those who have it open to put.
    pub open_output: u32,
}

/// What is shown of a queue manager.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manager {
    /// Its name.
    pub name: String,
    /// What people call it.
    pub description: String,
    /// Its dead-letter queue; empty is none.
    pub dead_letter_queue: String,
    /// Bytes of a message.
    pub maximum_length: u32,
    /// Messages of one unit of work.
    pub maximum_uncommitted: u32,
}

/// Whether a name fits a generic one, where an asterisk at the end stands for anything: `DEV.*`.
#[must_use]
pub fn fits(generic: &str, name: &str) -> bool {
    match generic.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => generic == name,
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn an_asterisk_at_the_end_stands_for_anything() {
        assert!(fits("*", "A") && fits("DEV.*", "DEV.QUEUE.1") && fits("A", "A") && fits("A*", "A"));
        assert!(!fits("DEV.*", "DEV") && !fits("A", "AB") && !fits("", "A") && !fits("*A", "BA"));
    }
}
