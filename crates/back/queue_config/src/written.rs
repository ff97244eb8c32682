//! The definition of a queue as text and JSON, with the keys of `[[queue_manager.queue]]`, as commands write
//! it.

use message::{Persistence, Priority, QueueName};
use queue::{Attributes, Definition, LENGTH_BYTES_MAX, Origin, QueueKind, Trigger};
use serde::{Deserialize, Serialize};

use crate::trigger::{TRIGGER_DATA_MAX, TriggerWord};

/// The definition of a queue. Missing parts have their defaults.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenQueue {
    /// The name.
    #[serde(default)]
    pub name: String,
    /// `local`, `alias` or `model`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permanent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth_max: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length_bytes_max: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disk_bytes_max: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes_max: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    persistent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u8>,
    /// `priority` or `fifo`.
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    put_enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    get_enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backout_threshold: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backout_queue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<TriggerWord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger_depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger_priority: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger_data: Option<String>,
}

impl WrittenQueue {
    /// A definition, without parts that have their defaults.
    #[must_use]
    pub fn of(definition: &Definition) -> Self {
        let (own, usual) = (&definition.attributes, Attributes::default());
        fn other<T: PartialEq + Clone>(own: &T, usual: &T) -> Option<T> {
            (own != usual).then(|| own.clone())
        }
        let trigger = Some(&own.trigger).filter(|trigger| trigger.enabled);
        let (kind, alias_of, permanent) = match &definition.kind {
            QueueKind::Local => (None, None, None),
            QueueKind::Alias(target) => (None, Some(target.to_string()), None),
            QueueKind::Model { permanent } => (Some("model".to_owned()), None, permanent.then_some(true)),
        };
        Self {
            name: definition.name.to_string(),
            kind,
            alias_of,
            permanent,
            description: other(&own.description, &usual.description),
            depth_max: other(&own.depth_max, &usual.depth_max),
            length_bytes_max: other(&own.length_bytes_max, &usual.length_bytes_max),
            disk_bytes_max: own.disk_bytes_max,
            memory_bytes_max: own.memory_bytes_max,
            persistent: (own.persistence == Persistence::Persistent).then_some(true),
            priority: other(&own.priority, &usual.priority).map(Priority::number),
            delivery: (!own.by_priority).then(|| "fifo".to_owned()),
            put_enabled: other(&own.put_enabled, &usual.put_enabled),
            get_enabled: other(&own.get_enabled, &usual.get_enabled),
            backout_threshold: other(&own.backout_threshold, &usual.backout_threshold),
            backout_queue: own.backout_queue.as_ref().map(ToString::to_string),
            trigger: trigger.map(|trigger| TriggerWord::of(trigger.kind)),
            process: trigger.map(|trigger| trigger.process.clone()),
            trigger_depth: trigger.map(|trigger| trigger.depth).filter(|depth| *depth != 1),
            trigger_priority: trigger
                .map(|trigger| trigger.priority.number())
                .filter(|priority| *priority != 0),
            trigger_data: trigger.map(|trigger| trigger.data.clone()).filter(|data| !data.is_empty()),
        }
    }

    /// The text of `[[queue_manager.queue]]`.
    #[must_use]
    pub fn text(&self) -> String {
        // All values are plain.
        format!("[[queue_manager.queue]]\n{}", toml::to_string(self).unwrap_or_default())
    }

    /// The definition of a command. Missing parts stay as in `base`.
    ///
    /// # Errors
    /// The wrong key, and the expected value.
    pub fn definition(&self, base: Option<&Definition>) -> Result<Definition, String> {
        let usual = base.map_or_else(Attributes::default, |base| base.attributes.clone());
        let priority = match self.priority {
            None => usual.priority,
            Some(number) => {
                Priority::new(number).ok_or_else(|| format!("priority: expected 0 to 9, found {number}"))?
            }
        };
        let length_bytes_max = self.length_bytes_max.unwrap_or(usual.length_bytes_max);
        if length_bytes_max > LENGTH_BYTES_MAX {
            return Err(format!(
                "length_bytes_max: expected at most {LENGTH_BYTES_MAX}, found {length_bytes_max}"
            ));
        }
        let by_priority = match self.delivery.as_deref() {
            None => usual.by_priority,
            Some("priority") => true,
            Some("fifo") => false,
            Some(other) => return Err(format!("delivery: expected priority or fifo, found {other:?}")),
        };
        let attributes = Attributes {
            description: self.description.clone().unwrap_or_else(|| usual.description.clone()),
            depth_max: self.depth_max.unwrap_or(usual.depth_max),
            length_bytes_max,
            disk_bytes_max: self.disk_bytes_max.or(usual.disk_bytes_max),
            memory_bytes_max: self.memory_bytes_max.or(usual.memory_bytes_max),
            persistence: match self.persistent {
                None => usual.persistence,
                Some(true) => Persistence::Persistent,
                Some(false) => Persistence::NonPersistent,
            },
            priority,
            by_priority,
            put_enabled: self.put_enabled.unwrap_or(usual.put_enabled),
            get_enabled: self.get_enabled.unwrap_or(usual.get_enabled),
            backout_threshold: self.backout_threshold.unwrap_or(usual.backout_threshold),
            backout_queue: match &self.backout_queue {
                Some(name) => Some(queue_name("backout_queue", name)?),
                None => usual.backout_queue,
            },
            trigger: self.trigger(usual.trigger)?,
            kept: usual.kept,
        };
        let kind = self.queue_kind(base.map(|base| &base.kind))?;
        Ok(Definition { name: queue_name("name", &self.name)?, kind, attributes, origin: Origin::Command })
    }

    fn trigger(&self, usual: Trigger) -> Result<Trigger, String> {
        let kind = self.trigger.map_or(usual.kind, TriggerWord::kind);
        let enabled = self.trigger.map_or(usual.enabled, |word| word != TriggerWord::None);
        let process = self.process.clone().unwrap_or(usual.process);
        if enabled && process.is_empty() {
            return Err("a trigger needs 'process': a process, or a transaction".to_owned());
        }
        let priority = match self.trigger_priority {
            None => usual.priority,
            Some(number) => Priority::new(number)
                .ok_or_else(|| format!("trigger_priority: expected 0 to 9, found {number}"))?,
        };
        let depth = self.trigger_depth.unwrap_or(usual.depth.max(1));
        if depth == 0 {
            return Err("trigger_depth: expected at least 1, found 0".to_owned());
        }
        let data = self.trigger_data.clone().unwrap_or(usual.data);
        if data.len() > TRIGGER_DATA_MAX || !data.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
        {
            return Err(format!(
                "trigger_data: expected at most {TRIGGER_DATA_MAX} printable ASCII characters"
            ));
        }
        Ok(Trigger { enabled, kind, depth, priority, data, process, ..usual })
    }

    fn queue_kind(&self, base: Option<&QueueKind>) -> Result<QueueKind, String> {
        match (self.kind.as_deref(), &self.alias_of) {
            (None | Some("alias"), Some(target)) => queue_name("alias_of", target).map(QueueKind::Alias),
            (Some("local" | "model"), Some(_)) => Err("alias_of goes with the type alias".to_owned()),
            (Some("alias"), None) => {
                Err("an alias needs the queue that it stands for as alias_of".to_owned())
            }
            (Some("model"), None) => Ok(QueueKind::Model { permanent: self.permanent.unwrap_or(false) }),
            (Some("local"), None) => Ok(QueueKind::Local),
            (None, None) => Ok(base.cloned().unwrap_or(QueueKind::Local)),
            (Some(other), _) => Err(format!("type: expected local, alias or model, found {other:?}")),
        }
    }
}

fn queue_name(key: &str, name: &str) -> Result<QueueName, String> {
    QueueName::new(name).map_err(|error| format!("{key}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> WrittenQueue {
        serde_json::from_str(json).expect("a definition")
    }

    #[test]
    fn a_definition_comes_back_as_it_was() {
        let all = r#"{"name":"ORDERS","description":"Of the shop","depth_max":7,"length_bytes_max":9,"disk_bytes_max":8,
            "memory_bytes_max":6,"persistent":true,"priority":3,"delivery":"fifo","put_enabled":false,"get_enabled":false,
            "backout_threshold":2,"backout_queue":"BAD","trigger":"depth","process":"ORDR","trigger_depth":3,
            "trigger_priority":1,"trigger_data":"x"}"#;
        for json in [all, r#"{"name":"A","alias_of":"B"}"#, r#"{"name":"M","type":"model","permanent":true}"#]
        {
            let written = read(json);
            let definition = written.definition(None).expect("right");
            assert_eq!(WrittenQueue::of(&definition), written);
            let text = written.text();
            let body = text.strip_prefix("[[queue_manager.queue]]\n").expect("a section");
            assert_eq!(toml::from_str::<WrittenQueue>(body).expect("the same keys"), written);
        }
    }

    #[test]
    fn what_is_not_said_stays() {
        let base = read(r#"{"name":"ORDERS","depth_max":7}"#).definition(None).expect("right");
        let changed =
            read(r#"{"name":"ORDERS","get_enabled":false}"#).definition(Some(&base)).expect("right");
        assert_eq!((changed.attributes.depth_max, changed.attributes.get_enabled), (7, false));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (json, expected) in [
            (r#"{"name":""}"#, "name:"),
            (r#"{"name":"A","priority":10}"#, "priority: expected 0 to 9, found 10"),
            (r#"{"name":"A","type":"remote"}"#, "type: expected local, alias or model"),
            (r#"{"name":"A","type":"alias"}"#, "alias_of"),
            (r#"{"name":"A","delivery":"x"}"#, "delivery: expected"),
            (r#"{"name":"A","trigger":"first"}"#, "a trigger needs 'process'"),
        ] {
            let wrong = read(json).definition(None).expect_err("wrong");
            assert!(wrong.starts_with(expected) || wrong.contains(expected), "{wrong}");
        }
    }
}
