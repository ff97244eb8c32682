//! Queues and connection factories of a `server.xml`: `[queue_manager]`, its queues, and aliases with their JNDI names. MQ
//! services of older servers as lines to write.

use std::fmt::Write;

use super::Reader;
use crate::queues::{self, is_queue_name};
use crate::toml;
use crate::xml::Element;

const FACTORIES: &[&str] = &["connectionFactory", "jmsConnectionFactory", "jmsQueueConnectionFactory"];
const QUEUE: &str = "jmsQueue";
/// Elements inside with the properties of MQ: `properties.wmqJms`, `properties.mqJmsRa`.
const PROPERTIES: &str = "properties";

/// The properties of a connection factory for IMS.
const IMS: &str = "properties.gmoa";

/// True for the elements that are read here.
pub(super) fn knows(name: &str) -> bool {
    name == QUEUE || FACTORIES.contains(&name) || is_service(name)
}

/// `mqzosconnect_mqzOSConnectService`, and its older names.
fn is_service(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("mqzosconnectservice")
}

/// The sections, and comment lines about services.
pub(super) fn sections(reader: &mut Reader<'_>, root: &Element) -> (String, String) {
    let (mut queues, mut services) = (String::new(), String::new());
    let mut managers: Vec<String> = Vec::new();
    let (mut locals, mut aliases) = (Vec::new(), Vec::new());
    for element in &root.children {
        if FACTORIES.contains(&element.name.as_str()) {
            managers.extend(factory(reader, element));
        } else if element.name == QUEUE {
            queue(reader, element, &mut locals, &mut aliases, &mut queues);
        } else if is_service(&element.name) {
            service(reader, element, &mut services);
        }
    }
    if queues.is_empty() && managers.is_empty() {
        return (queues, services);
    }
    managers.dedup();
    let name = managers.first().map_or("QM1", String::as_str);
    let head = format!(
        "\n# Queues are Gantry's own: messages that wait there are not brought here.\n[queue_manager]\nname = {}\n",
        toml::string(name)
    );
    (head + &queues, services)
}

fn property(reader: &Reader<'_>, element: &Element, name: &str) -> Option<String> {
    let inner = element.children.iter().filter(|inner| inner.name.starts_with(PROPERTIES));
    let found = inner.chain([element]).find_map(|inner| inner.filled(name));
    found.map(|value| reader.value(value))
}

/// The queue manager of a connection factory.
fn factory(reader: &mut Reader<'_>, element: &Element) -> Option<String> {
    if element.children.iter().any(|inner| inner.name == IMS) {
        reader.note(element, "it led to IMS; in Gantry a connection is part of [provider] in a service file");
        return None;
    }
    let manager = property(reader, element, "queueManager");
    let place = match (property(reader, element, "hostName"), property(reader, element, "port")) {
        (Some(host), Some(port)) => format!(" at {host}:{port}"),
        _ => String::new(),
    };
    let told = manager.as_deref().unwrap_or("a queue manager");
    reader.note(element, &format!("it led to {told}{place}; in Gantry services use its own queue manager"));
    manager.filter(|name| is_queue_name(name))
}

fn queue(
    reader: &mut Reader<'_>,
    element: &Element,
    locals: &mut Vec<String>,
    aliases: &mut Vec<String>,
    out: &mut String,
) {
    let Some(name) = property(reader, element, "baseQueueName") else {
        reader.note(element, "expected 'baseQueueName'; the queue is not imported");
        return;
    };
    if !is_queue_name(&name) {
        reader.note(element, &format!("'{name}' cannot be the name of a queue; it is not imported"));
        return;
    }
    if !locals.contains(&name) {
        let _ = write!(out, "\n[[queue_manager.queue]]\nname = {}\n", toml::string(&name));
        locals.push(name.clone());
    }
    if let Some(manager) = property(reader, element, "baseQueueManagerName") {
        reader.note(element, &format!("it was a queue of {manager}; here it is one of Gantry's own"));
    }
    let Some(jndi) = element.filled("jndiName").map(|jndi| reader.value(jndi)) else { return };
    if jndi == name || aliases.contains(&jndi) {
        return;
    }
    if !is_queue_name(&jndi) {
        let reason =
            format!("'{jndi}' cannot be the name of a queue: services that use it need {name} instead");
        reader.note(element, &reason);
        return;
    }
    let _ = write!(
        out,
        "\n[[queue_manager.queue]]\nname = {}\ntype = \"alias\"\nalias_of = {}\n",
        toml::string(&jndi),
        toml::string(&name)
    );
    aliases.push(jndi);
}

/// A service whose file is elsewhere: the lines that its file needs.
fn service(reader: &mut Reader<'_>, element: &Element, told: &mut String) {
    let id = element.filled("id").or_else(|| element.filled("serviceName")).unwrap_or("(without id)");
    let made = {
        let reader = &*reader;
        queues::provider(&|name: &str| element.filled(name).map(|value| reader.value(value)))
    };
    toml::comment(told, &super::clean(&format!("The service {id} needs this in services/{id}.toml:")));
    toml::comment(told, &made.text);
    let reason = "its [provider] is in gantry.toml as a comment: the file of a service also needs a copybook";
    reader.note(element, reason);
    made.notes.iter().for_each(|note| reader.note(element, note));
}
