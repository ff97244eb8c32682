//! The address of a queue in SOAP over queues.
//!
//! IBM MQ and CICS write `jms:/queue?destination=NAME`, and the W3C writes `jms:queue:NAME`. Options follow,
//! as in the query of a URL, but nothing in them is escaped. Names of options are taken in any case, and the
//! last of several counts. Options that are unknown here are ignored.
//!
//! Source: CICS, "The URI for the MQ transport"; W3C, "SOAP over Java Message Service 1.0" with the URI scheme of its RFC 6167.

use std::fmt::Display;

use message::{ManagerName, Persistence, Priority, QueueName};

/// The prefix before the options in IBM MQ's form.
const OF_MQ: &str = "jms:/queue?";
/// The prefix before the name of the queue in the W3C's form.
const OF_W3C: &str = "jms:queue:";

/// The address of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JmsUri {
    /// As it was written.
    pub text: String,
    /// Who wrote it so.
    pub form: JmsForm,
    /// The queue of requests.
    pub destination: QueueName,
    /// The queue manager that has it; none for that of the process.
    pub manager: Option<ManagerName>,
    /// The queue of replies.
    pub reply_destination: Option<QueueName>,
    /// Whether requests are persistent; none if the queue says so.
    pub persistence: Option<Persistence>,
    /// The priority of requests; none if the queue says so.
    pub priority: Option<Priority>,
    /// The longest wait for a reply, in milliseconds; none for the caller's own wait.
    pub timeout_ms: Option<u64>,
    /// The time until a request expires, in milliseconds; none for never.
    pub time_to_live_ms: Option<u64>,
    /// The web service that is meant.
    pub target_service: Option<String>,
}

/// Who describes a form of addresses, and with it the properties of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JmsForm {
    /// IBM MQ, its transport for SOAP.
    Mq,
    /// The W3C, SOAP over Java Message Service.
    W3c,
}

impl JmsUri {
    /// True if the text is meant as the address of a queue.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        text.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("jms:"))
    }

    /// Reads an address.
    ///
    /// # Errors
    /// The fault of the address.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (form, destination, options) = match (text.strip_prefix(OF_MQ), text.strip_prefix(OF_W3C)) {
            (Some(options), _) => (JmsForm::Mq, None, options),
            (None, Some(rest)) => {
                let (name, options) = rest.split_once('?').unwrap_or((rest, ""));
                (JmsForm::W3c, Some(name), options)
            }
            (None, None) => return Err(format!("expected {OF_MQ}destination=NAME or {OF_W3C}NAME")),
        };
        let mut options = Options::read(options)?;
        let (destination, manager) = match destination.or(options.destination) {
            None => return Err("expected the option destination, which names a queue".to_owned()),
            Some(written) => match written.split_once('@') {
                None => (written, None),
                Some((queue, manager)) => (queue, Some(named("destination", ManagerName::new(manager))?)),
            },
        };
        Ok(Self {
            text: text.to_owned(),
            form,
            destination: named("destination", QueueName::new(destination))?,
            manager,
            reply_destination: options
                .reply
                .map(|name| named("replyDestination", QueueName::new(name)))
                .transpose()?,
            persistence: options.persistence.take().map(persistence).transpose()?.flatten(),
            priority: options.priority.map(priority).transpose()?,
            timeout_ms: options.timeout.map(|ms| milliseconds("timeout", ms)).transpose()?.flatten(),
            time_to_live_ms: options
                .time_to_live
                .map(|ms| milliseconds("timeToLive", ms))
                .transpose()?
                .flatten(),
            target_service: options.target_service.filter(|name| !name.is_empty()).map(str::to_owned),
        })
    }
}

/// The options that count here.
#[derive(Default)]
struct Options<'t> {
    destination: Option<&'t str>,
    reply: Option<&'t str>,
    persistence: Option<&'t str>,
    priority: Option<&'t str>,
    timeout: Option<&'t str>,
    time_to_live: Option<&'t str>,
    target_service: Option<&'t str>,
}

impl<'t> Options<'t> {
    fn read(text: &'t str) -> Result<Self, String> {
        let mut options = Self::default();
        for option in text.split('&').filter(|option| !option.is_empty()) {
            let (name, value) =
                option.split_once('=').ok_or_else(|| format!("expected NAME=VALUE, found '{option}'"))?;
            let place = match name.to_ascii_lowercase().as_str() {
                "destination" => &mut options.destination,
                "replydestination" | "replytoname" => &mut options.reply,
                "persistence" | "deliverymode" => &mut options.persistence,
                "priority" => &mut options.priority,
                "timeout" => &mut options.timeout,
                "timetolive" => &mut options.time_to_live,
                "targetservice" => &mut options.target_service,
                _ => continue,
            };
            *place = Some(value);
        }
        Ok(options)
    }
}

fn named<T>(option: &str, name: Result<T, impl Display>) -> Result<T, String> {
    name.map_err(|error| format!("{option}: {error}"))
}

fn persistence(text: &str) -> Result<Option<Persistence>, String> {
    match text {
        "0" | "NON_PERSISTENT" => Ok(Some(Persistence::NonPersistent)),
        "1" | "PERSISTENT" => Ok(Some(Persistence::Persistent)),
        "2" => Ok(None),
        _ => Err(format!("persistence: expected 0, 1 or 2, found '{text}'")),
    }
}

/// The priority; one above the highest is the highest.
fn priority(text: &str) -> Result<Priority, String> {
    let number: u32 =
        text.parse().map_err(|_| format!("priority: expected a number from 0, found '{text}'"))?;
    Ok(u8::try_from(number).ok().and_then(Priority::new).unwrap_or(Priority::MAX))
}

/// A number of milliseconds; 0 is no limit.
fn milliseconds(option: &str, text: &str) -> Result<Option<u64>, String> {
    match text.parse() {
        Ok(0) => Ok(None),
        Ok(ms) => Ok(Some(ms)),
        Err(_) => Err(format!("{option}: expected a number of milliseconds, found '{text}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_cics_have_all_their_options() {
        let text = "jms:/queue?destination=ASKED@QM1&Persistence=1&priority=12&replyDestination=TOLD&timeout=500\
                    &timeToLive=0&connectionFactory=()&targetService=/cics/services/x=y&timeout=700";
        let uri = JmsUri::parse(text).expect("an address");
        let expected = JmsUri {
            text: text.to_owned(),
            form: JmsForm::Mq,
            destination: QueueName::new("ASKED").expect("a name"),
            manager: Some(ManagerName::new("QM1").expect("a name")),
            reply_destination: Some(QueueName::new("TOLD").expect("a name")),
            persistence: Some(Persistence::Persistent),
            priority: Some(Priority::MAX),
            timeout_ms: Some(700),
            time_to_live_ms: None,
            target_service: Some("/cics/services/x=y".to_owned()),
        };
        assert_eq!(uri, expected);
    }

    #[test]
    fn addresses_of_the_w3c_have_the_name_in_front() {
        let text = "jms:queue:ASKED?replyToName=TOLD&deliveryMode=NON_PERSISTENT&timeToLive=1000";
        let uri = JmsUri::parse(text).expect("an address");
        assert_eq!((uri.form, uri.destination.as_str()), (JmsForm::W3c, "ASKED"));
        assert_eq!(uri.reply_destination.as_ref().map(QueueName::as_str), Some("TOLD"));
        assert_eq!((uri.persistence, uri.time_to_live_ms), (Some(Persistence::NonPersistent), Some(1000)));
        assert!(JmsUri::parse("jms:queue:ASKED").is_ok());
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, expected) in [
            ("jms:/topic?destination=A", "expected jms:/queue?destination=NAME"),
            ("jms:/queue?priority=1", "expected the option destination"),
            ("jms:/queue?destination=A B", "destination: "),
            ("jms:/queue?destination=", "destination: "),
            ("jms:queue:", "destination: "),
            ("jms:/queue?destination=A@", "destination: "),
            ("jms:/queue?destination=A&replyDestination=*", "replyDestination: "),
            ("jms:/queue?destination=A&persistence=3", "persistence: expected 0, 1 or 2, found '3'"),
            ("jms:/queue?destination=A&priority=-1", "priority: expected a number from 0, found '-1'"),
            ("jms:/queue?destination=A&timeout=soon", "timeout: expected a number of milliseconds"),
            ("jms:/queue?destination=A&timeToLive=-5", "timeToLive: expected a number of milliseconds"),
            ("jms:/queue?destination=A&timeout", "expected NAME=VALUE, found 'timeout'"),
        ] {
            let told = JmsUri::parse(text).expect_err(text);
            assert!(told.contains(expected), "{text}: {told}");
        }
    }
}
