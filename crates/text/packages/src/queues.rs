//! MQ services and queues of z/OS Connect: `[provider]` of the kind `queue`, and the queues for its names.
//!
//! A service has JNDI names for its queues, and the server maps them to queues of the queue manager. Here an
//! alias has the JNDI name, so that both can be imported on their own.

use std::fmt::Write;

use crate::toml;

/// The longest name of a queue, in bytes.
const NAME_BYTES_MAX: usize = 48;

/// The default wait of a two-way service.
const WAIT_MS: &str = "60000";

/// Lines of TOML, and notes for parts without a counterpart.
#[derive(Debug, Default)]
pub(crate) struct Provider {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
}

/// True if these properties are those of an MQ service.
pub(crate) fn is_queue_service(provider: &str, destination: Option<&str>) -> bool {
    destination.is_some() && (provider.is_empty() || provider.to_ascii_uppercase().starts_with("MQ"))
}

/// `[provider]` of a service, from its properties.
pub(crate) fn provider(property: &impl Fn(&str) -> Option<String>) -> Provider {
    let mut made = Provider { text: "[provider]\nkind = \"queue\"\n".to_owned(), notes: Vec::new() };
    let receives = ["messagingAction", "operation"].iter().any(|name| {
        property(name)
            .is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "mqget" | "receive" | "get"))
    });
    let reply = property("replyDestination");
    made.name("destination", property("destination"));
    made.name("reply_destination", reply.clone());
    if receives && reply.is_none() {
        made.line("operation", &toml::string("receive"));
    }
    let is_two_way = reply.is_some();
    match property("waitInterval").map(|value| (value.parse::<i64>(), value)) {
        Some((Ok(ms), _)) if ms >= 0 => made.line("wait_ms", &ms.to_string()),
        None if !is_two_way => {}
        told => {
            let told = told.map_or("is missing".to_owned(), |(_, value)| format!("= '{value}'"));
            made.line("wait_ms", WAIT_MS);
            made.notes.push(format!("waitInterval {told}: a wait has an end here; it is {WAIT_MS} ms"));
        }
    }
    if let Some(selection) = property("replySelection") {
        match selection.as_str() {
            "msgIDToCorrelID" | "correlIDToCorrelID" | "none" => {
                made.line("reply_selection", &toml::string(&selection));
            }
            _ => made.notes.push(format!("replySelection = '{selection}' is not known")),
        }
    }
    match property("expiry").map(|value| (value.parse::<i64>(), value)) {
        Some((Ok(ms), _)) if ms >= 0 => made.line("expiry_ms", &ms.to_string()),
        None | Some((Ok(-1), _)) => {}
        Some((_, told)) => made.notes.push(format!("expiry = '{told}': expected milliseconds, or -1")),
    }
    for (name, key) in [("persistence", "persistent"), ("useCallerPrincipal", "use_caller")] {
        if property(name).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            made.line(key, "true");
        }
    }
    match property("mqmdFormat") {
        Some(format) if format.len() <= 8 => made.line("format", &toml::string(&format)),
        Some(format) => made.notes.push(format!("mqmdFormat = '{format}' has more than 8 characters")),
        None => {}
    }
    if is_two_way {
        made.line("on_timeout", &toml::string("204"));
    }
    for (name, reason) in [
        ("selector", "messages are found by their ids alone"),
        ("userName", "the service acts with the rights of the gateway"),
        ("password", "the service acts with the rights of the gateway"),
        ("receiveTextCCSID", "messages are read in the code page of the service"),
    ] {
        if property(name).is_some() {
            made.notes.push(format!("{name}: {reason}"));
        }
    }
    made
}

impl Provider {
    fn line(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.text, "{key} = {value}");
    }

    fn name(&mut self, key: &str, name: Option<String>) {
        let Some(name) = name else { return };
        if !is_queue_name(&name) {
            self.notes.push(format!("'{name}' cannot be the name of a queue: write another as {key}"));
        } else if is_jndi(&name) {
            self.notes.push(format!(
                "{key} = '{name}' is a JNDI name: a server.xml with its jmsQueue becomes an alias of that name"
            ));
        }
        self.line(key, &toml::string(&name));
    }
}

/// True for JNDI names: `jms/orders`.
fn is_jndi(name: &str) -> bool {
    name.contains('/')
}

/// True for a valid name of a queue.
pub(crate) fn is_queue_name(name: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"._/%".contains(&byte);
    !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.bytes().all(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Provider {
        provider(&|name: &str| {
            pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn each_property_has_its_key() {
        let made = of(&[
            ("destination", "ORDERS"),
            ("replyDestination", "jms/replies"),
            ("waitInterval", "10000"),
            ("replySelection", "correlIDToCorrelID"),
            ("expiry", "30000"),
            ("persistence", "true"),
            ("useCallerPrincipal", "TRUE"),
            ("mqmdFormat", "CUSTOM"),
            ("selector", "JMSType = 'car'"),
        ]);
        let expected = "[provider]\nkind = \"queue\"\ndestination = \"ORDERS\"\nreply_destination = \"jms/replies\"\n\
                        wait_ms = 10000\nreply_selection = \"correlIDToCorrelID\"\nexpiry_ms = 30000\npersistent = true\n\
                        use_caller = true\nformat = \"CUSTOM\"\non_timeout = \"204\"\n";
        assert_eq!(made.text, expected);
        assert_eq!(made.notes.len(), 2, "{:?}", made.notes);
    }

    #[test]
    fn what_has_no_counterpart_is_told() {
        let made = of(&[
            ("destination", "A QUEUE"),
            ("replyDestination", "R"),
            ("waitInterval", "-1"),
            ("expiry", "soon"),
        ]);
        assert!(made.text.contains("wait_ms = 60000\n") && !made.text.contains("expiry"), "{}", made.text);
        assert_eq!(made.notes.len(), 3, "{:?}", made.notes);
        let made = of(&[("destination", "Q"), ("messagingAction", "mqget"), ("expiry", "-1")]);
        assert_eq!(made.text, "[provider]\nkind = \"queue\"\ndestination = \"Q\"\noperation = \"receive\"\n");
        assert!(made.notes.is_empty());
        assert!(is_queue_service("MQ-1.0", Some("Q")) && !is_queue_service("CICS-1.0", Some("Q")));
        assert!(!is_queue_service("mq", None));
    }
}
