//! The attributes of a queue in a definition.

/// A kind of queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It holds messages.
    Local,
    /// Another name for a queue.
    Alias,
    /// A queue of another queue manager.
    Remote,
    /// The model for queues that are made when they are opened.
    Model,
}

impl Kind {
    /// Its word in MQSC.
    #[must_use]
    pub fn mqsc(self) -> &'static str {
        match self {
            Self::Local => "QLOCAL",
            Self::Alias => "QALIAS",
            Self::Remote => "QREMOTE",
            Self::Model => "QMODEL",
        }
    }

    /// The kind of an object of MQSC, also by its short name; none if the object is not a queue, or a queue
    /// of any kind.
    #[must_use]
    pub fn of_mqsc(word: &str) -> Option<Self> {
        Some(match word {
            "QLOCAL" | "QL" => Self::Local,
            "QALIAS" | "QA" => Self::Alias,
            "QREMOTE" | "QR" => Self::Remote,
            "QMODEL" | "QM" => Self::Model,
            _ => return None,
        })
    }

    /// Its word outside of MQSC: `local`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Alias => "alias",
            Self::Remote => "remote",
            Self::Model => "model",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Local, Self::Alias, Self::Remote, Self::Model].into_iter().find(|kind| kind.word() == word)
    }
}

/// The condition for a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerType {
    /// Never.
    None,
    /// When it is no longer empty.
    First,
    /// For every message.
    Every,
    /// When it has this number of messages.
    Depth,
}

/// One attribute of a queue, and its new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The text for people.
    Description(String),
    /// Messages.
    MaximumDepth(u32),
    /// Bytes of a message.
    MaximumLength(u32),
    /// Messages are persistent if the putter does not say otherwise.
    DefaultPersistent(bool),
    /// The priority if the putter does not give one.
    DefaultPriority(u8),
    /// By priority, else first in, first out.
    ByPriority(bool),
    /// Messages can be put.
    PutEnabled(bool),
    /// Messages can be got.
    GetEnabled(bool),
    /// The number of backouts after which a message is requeued; 0 for never.
    BackoutThreshold(u32),
    /// The queue for requeued messages; empty for none.
    BackoutQueue(String),
    /// The queue that an alias stands for.
    Target(String),
    /// The queue's name on its own queue manager.
    RemoteQueue(String),
    /// The queue manager that has the queue.
    RemoteManager(String),
    /// The queue on which messages wait for transmission; empty for the default.
    TransmissionQueue(String),
    /// The queue has a trigger.
    Trigger(bool),
    /// When.
    TriggerType(TriggerType),
    /// The depth for the trigger.
    TriggerDepth(u32),
    /// The least priority for the trigger.
    TriggerPriority(u8),
    /// The data for the started program.
    TriggerData(String),
    /// The process to start.
    Process(String),
    /// The queue for trigger messages.
    InitiationQueue(String),
    /// Queues that are made from a model outlive a restart.
    Permanent(bool),
    /// An attribute that has no effect here, by its name in MQSC. It is kept and shown.
    Kept(&'static str, String),
}
