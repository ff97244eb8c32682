//! What a definition says of a queue.

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

    /// The kind of an object of MQSC, also by its short name; none if the object is no queue, or a queue of any kind.
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

    /// The word for it outside of MQSC: `local`.
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
