//! Queues as administration sees them: what is shown of a queue.

pub use mqsc::{Change, Kind, TriggerType};

/// A queue as clients see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// The kind of the queue.
    pub kind: Kind,
    /// Its attributes, as they would be set.
    pub attributes: Vec<Change>,
    /// Its messages and users; none for queues that hold no messages.
    pub state: Option<State>,
}

/// The messages and users of a local queue.
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

/// A queue manager as clients see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manager {
    /// Its name.
    pub name: String,
    /// A description for people.
    pub description: String,
    /// Its dead-letter queue; empty is none.
    pub dead_letter_queue: String,
    /// Bytes of a message.
    pub maximum_length: u32,
    /// Messages of one unit of work.
    pub maximum_uncommitted: u32,
}

/// The attributes of a subscription that DISPLAY SUB shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// Its name.
    pub name: String,
    /// Its topics.
    pub topics: String,
    /// The queue that gets the messages.
    pub queue: String,
    /// The queue manager of the queue.
    pub manager: String,
    /// Its id in hexadecimal.
    pub id: String,
    /// True if it outlives the program that uses it.
    pub durable: bool,
    /// True if its queue was made for it.
    pub managed: bool,
    /// The user whose program made it; none if an administrator did.
    pub user: Option<String>,
}

/// The attributes of a process that DISPLAY PROCESS shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// The transaction that it starts.
    pub transaction: String,
    /// Data about the environment.
    pub environment_data: String,
    /// Further data.
    pub user_data: String,
}

/// The attributes of a topic object that DISPLAY TOPIC shows. Those without a value are as above it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// The topic.
    pub topic: String,
    /// Whether messages can be published.
    pub publish_enabled: Option<bool>,
    /// Whether messages are persistent if the publisher does not say.
    pub persistent: Option<bool>,
    /// The priority of messages if the publisher does not say.
    pub priority: Option<u8>,
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
