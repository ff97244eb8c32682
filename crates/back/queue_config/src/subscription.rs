//! `[[queue_manager.subscription]]`: durable subscriptions of queues to topics.

use message::QueueName;
use queue::{QueueKind, SUBSCRIPTION_NAME_BYTES_MAX as NAME_BYTES_MAX, Subscription, is_topic};
use serde::Deserialize;
use settings::{GANTRY_FILE, Loader};
use toml::Spanned;

use crate::listener::Queues;

/// `[[queue_manager.subscription]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubscriptionSection {
    name: Spanned<String>,
    topics: Spanned<String>,
    queue: Spanned<String>,
}

/// Checks the subscriptions of a configuration. All faults are reported.
pub(crate) fn read(
    sections: &[SubscriptionSection],
    queues: &Queues,
    loader: &mut Loader<'_>,
) -> Vec<Subscription> {
    let mut subscriptions: Vec<Subscription> = Vec::new();
    for section in sections {
        let name = section.name.get_ref();
        let mut at = |place: &Spanned<String>, message: String| loader.at(GANTRY_FILE, place.span(), message);
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            at(&section.name, format!("expected 1 to {NAME_BYTES_MAX} bytes"));
        }
        if subscriptions.iter().any(|known| known.name == *name) {
            at(&section.name, format!("there are two subscriptions named {name}"));
        }
        if !is_topic(section.topics.get_ref()) {
            at(&section.topics, "expected topics, as in \"orders/+/new\" or \"orders/#\"".to_owned());
        }
        let queue = match QueueName::new(section.queue.get_ref()) {
            Ok(queue) => queue,
            Err(error) => {
                at(&section.queue, format!("name of a queue: {error}"));
                continue;
            }
        };
        match queues.get(&queue).map(|(definition, _)| &definition.kind) {
            Some(QueueKind::Model { .. }) => {
                at(&section.queue, format!("{queue} is a model, which holds no messages"));
            }
            Some(_) => {}
            None => at(&section.queue, format!("no section defines {queue}")),
        }
        subscriptions.push(Subscription::new(name, section.topics.get_ref(), queue));
    }
    subscriptions
}
