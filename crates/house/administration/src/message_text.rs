//! A message as JSON, for display, export and import.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use message::{
    Ccsid, CorrelationId, Descriptor, Encoding, Format, Kind, ManagerName, Message, MessageId, Moment,
    Persistence, Priority, Property, PropertyValue, QueueName, ReplyTo, Report,
};
use serde::{Deserialize, Serialize};

/// A message. An export has one a line. Only messages that were put before have `put`, `messageId`
/// and `user`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WrittenMessage {
    /// The position from which a browse can go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<String>,
    /// 48 hexadecimal digits; the default is a new id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    correlation_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    persistent: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    priority: Option<u8>,
    /// Milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
    /// Of a message that is put: after how many milliseconds it expires, in place of `expires`.
    #[serde(default, skip_serializing)]
    expiry_ms: Option<u64>,
    /// `request`, `reply`, `datagram` or `report`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ccsid: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply_to_queue: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply_to_manager: Option<String>,
    /// The put time, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    put: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    backout_count: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    feedback: u32,
    /// The report options of its sender: `MQRO_`.
    #[serde(default, skip_serializing_if = "is_zero")]
    report: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    properties: Vec<WrittenProperty>,
    /// The bytes of the body.
    #[serde(default)]
    body_base64: String,
}

/// A property. `type` is a type of JMS: `null`, `boolean`, `i1`, `i2`, `i4`, `i8`, `r4`, `r8`,
/// `string` or `bytes`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct WrittenProperty {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    value: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A word; the number for a kind that programs agreed on.
fn kind_text(kind: Kind) -> String {
    match kind {
        Kind::Request => "request".to_owned(),
        Kind::Reply => "reply".to_owned(),
        Kind::Datagram => "datagram".to_owned(),
        Kind::Report => "report".to_owned(),
        Kind::Application(kind) => kind.number().to_string(),
    }
}

/// The kind that [`kind_text`] wrote.
fn kind_of(text: &str) -> Option<Kind> {
    match text {
        "request" => Some(Kind::Request),
        "reply" => Some(Kind::Reply),
        "datagram" => Some(Kind::Datagram),
        "report" => Some(Kind::Report),
        number => number.parse().ok().and_then(Kind::of_number),
    }
}

impl WrittenMessage {
    /// Writes all parts of a message.
    pub(crate) fn of(message: &Message) -> Self {
        let own = &message.descriptor;
        Self {
            position: None,
            message_id: Some(own.message_id.to_string()),
            correlation_id: (!own.correlation_id.is_none()).then(|| own.correlation_id.to_string()),
            persistent: Some(own.persistence == Persistence::Persistent),
            priority: Some(own.priority.number()),
            expires: own.expires.map(|expires| expires.0),
            expiry_ms: None,
            kind: Some(kind_text(own.kind)),
            format: Some(own.format.name()),
            ccsid: Some(own.ccsid.0),
            encoding: Some(own.encoding.0),
            reply_to_queue: own.reply_to.as_ref().map(|to| to.queue.to_string()),
            reply_to_manager: own
                .reply_to
                .as_ref()
                .and_then(|to| to.manager.as_ref())
                .map(ToString::to_string),
            put: Some(own.put.0),
            user: (!own.user.is_empty()).then(|| own.user.clone()),
            backout_count: own.backout_count,
            feedback: own.feedback,
            report: own.report.0,
            properties: message.properties.iter().map(WrittenProperty::of).collect(),
            body_base64: STANDARD.encode(&message.body),
        }
    }

    /// Reads the message. Missing members get the values of a new message. `new_id` makes its id.
    ///
    /// # Errors
    /// A member is wrong. The text names it and the expected value.
    pub(crate) fn message(
        &self,
        now: Moment,
        new_id: impl FnOnce() -> Result<MessageId, String>,
    ) -> Result<Message, String> {
        let usual = Descriptor::default();
        let message_id = match &self.message_id {
            Some(id) => MessageId::from_hex(id).map_err(|error| format!("messageId: {error}"))?,
            None => new_id()?,
        };
        let correlation_id = match &self.correlation_id {
            Some(id) => CorrelationId::from_hex(id).map_err(|error| format!("correlationId: {error}"))?,
            None => CorrelationId::NONE,
        };
        let kind = match self.kind.as_deref() {
            None => Kind::Datagram,
            Some(written) => kind_of(written).ok_or_else(|| {
                let words = "request, reply, datagram, report or a number of 65536 and more";
                format!("kind: expected {words}, found {written:?}")
            })?,
        };
        let format = match &self.format {
            None => Format::NONE,
            Some(name) => Format::new(name)
                .ok_or_else(|| format!("format: expected at most 8 visible characters, found {name:?}"))?,
        };
        let priority = match self.priority {
            None => usual.priority,
            Some(number) => {
                Priority::new(number).ok_or_else(|| format!("priority: expected 0 to 9, found {number}"))?
            }
        };
        let body = STANDARD.decode(&self.body_base64).map_err(|error| format!("bodyBase64: {error}"))?;
        let properties: Result<Vec<Property>, String> =
            self.properties.iter().map(WrittenProperty::property).collect();
        let descriptor = Descriptor {
            message_id,
            correlation_id,
            persistence: match self.persistent {
                Some(true) => Persistence::Persistent,
                _ => Persistence::NonPersistent,
            },
            priority,
            expires: self.expires(now)?,
            kind,
            format,
            ccsid: self.ccsid.map_or(usual.ccsid, Ccsid),
            encoding: self.encoding.map_or(usual.encoding, Encoding),
            reply_to: self.reply_to()?,
            put: self.put.map_or(now, Moment),
            user: self.user.clone().unwrap_or_default(),
            backout_count: self.backout_count,
            feedback: self.feedback,
            report: Report(self.report),
        };
        Ok(Message { descriptor, properties: properties?, body })
    }

    fn expires(&self, now: Moment) -> Result<Option<Moment>, String> {
        match (self.expires, self.expiry_ms) {
            (Some(_), Some(_)) => Err("expires and expiryMs exclude each other".to_owned()),
            (None, Some(0)) => Err("expiryMs: expected 1 or more, found 0".to_owned()),
            (None, Some(ms)) => Ok(Some(Moment(now.0.saturating_add(ms)))),
            (expires, None) => Ok(expires.map(Moment)),
        }
    }

    fn reply_to(&self) -> Result<Option<ReplyTo>, String> {
        let manager = self.reply_to_manager.as_deref().map(ManagerName::new).transpose();
        let manager = manager.map_err(|error| format!("replyToManager: {error}"))?;
        match &self.reply_to_queue {
            Some(queue) => {
                let queue = QueueName::new(queue).map_err(|error| format!("replyToQueue: {error}"))?;
                Ok(Some(ReplyTo { queue, manager }))
            }
            None if manager.is_some() => Err("replyToManager needs replyToQueue".to_owned()),
            None => Ok(None),
        }
    }

    /// True if the queue's defaults fill the gaps, because the message was on no queue before.
    pub(crate) fn is_new(&self) -> bool {
        self.put.is_none()
    }

    /// Its given persistence and priority.
    pub(crate) fn choices(&self) -> (Option<bool>, Option<u8>) {
        (self.persistent, self.priority)
    }
}

impl WrittenProperty {
    fn of(property: &Property) -> Self {
        let (kind, value) = match property.value() {
            PropertyValue::Null => ("null", String::new()),
            PropertyValue::Boolean(value) => ("boolean", value.to_string()),
            PropertyValue::Int8(value) => ("i1", value.to_string()),
            PropertyValue::Int16(value) => ("i2", value.to_string()),
            PropertyValue::Int32(value) => ("i4", value.to_string()),
            PropertyValue::Int64(value) => ("i8", value.to_string()),
            PropertyValue::Float32(value) => ("r4", value.to_string()),
            PropertyValue::Float64(value) => ("r8", value.to_string()),
            PropertyValue::Text(value) => ("string", value.clone()),
            PropertyValue::Bytes(value) => ("bytes", STANDARD.encode(value)),
        };
        Self { name: property.name().to_owned(), kind: kind.to_owned(), value }
    }

    fn property(&self) -> Result<Property, String> {
        let (name, text) = (&self.name, &self.value);
        fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
            text.parse().ok()
        }
        let value = match &*self.kind {
            "null" => Some(PropertyValue::Null),
            "boolean" => number(text).map(PropertyValue::Boolean),
            "i1" => number(text).map(PropertyValue::Int8),
            "i2" => number(text).map(PropertyValue::Int16),
            "i4" => number(text).map(PropertyValue::Int32),
            "i8" => number(text).map(PropertyValue::Int64),
            "r4" => number(text).map(PropertyValue::Float32),
            "r8" => number(text).map(PropertyValue::Float64),
            "string" => Some(PropertyValue::Text(text.clone())),
            "bytes" => STANDARD.decode(text).ok().map(PropertyValue::Bytes),
            other => return Err(format!("property {name}: the type {other:?} does not exist")),
        };
        let value = value.ok_or_else(|| format!("property {name}: {text:?} is no value of its type"))?;
        Property::new(name, value).map_err(|error| format!("property {name:?}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_back_as_it_was() {
        let message = Message {
            descriptor: Descriptor {
                message_id: MessageId([7; 24]),
                correlation_id: CorrelationId([9; 24]),
                persistence: Persistence::Persistent,
                priority: Priority::MAX,
                expires: Some(Moment(99)),
                kind: Kind::Request,
                format: Format::STRING,
                ccsid: Ccsid(37),
                encoding: Encoding::S390,
                reply_to: Some(ReplyTo {
                    queue: QueueName::new("REPLY").expect("a name"),
                    manager: Some(ManagerName::new("QM1").expect("a name")),
                }),
                put: Moment(5),
                user: "maude".to_owned(),
                backout_count: 2,
                feedback: 2053,
                report: Report(0x300),
            },
            properties: vec![
                Property::new("a", PropertyValue::Int64(i64::MIN)).expect("right"),
                Property::new("b", PropertyValue::Bytes(vec![0, 255])).expect("right"),
                Property::new("c", PropertyValue::Float64(0.1)).expect("right"),
                Property::new("d", PropertyValue::Null).expect("right"),
                Property::new("e", PropertyValue::Text("ü;\"".to_owned())).expect("right"),
            ],
            body: (0..=255).collect(),
        };
        let text = serde_json::to_string(&WrittenMessage::of(&message)).expect("JSON");
        let written: WrittenMessage = serde_json::from_str(&text).expect("a message");
        let no_id = || panic!("it has an id");
        assert_eq!(written.message(Moment(1), no_id).expect("right"), message);
        for kind in [Some(Kind::Reply), Some(Kind::Datagram), Some(Kind::Report), Kind::of_number(70_000)] {
            assert_eq!(kind.and_then(|kind| kind_of(&kind_text(kind))), kind);
        }
    }

    #[test]
    fn an_expiry_counts_from_the_put() {
        let written: WrittenMessage = serde_json::from_str(r#"{"expiryMs":7}"#).expect("a message");
        let message = written.message(Moment(100), || Ok(MessageId([1; 24]))).expect("right");
        assert_eq!(message.descriptor.expires, Some(Moment(107)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (json, expected) in [
            (r#"{"messageId":"00"}"#, "messageId: expected 48"),
            (r#"{"priority":10}"#, "priority: expected 0 to 9, found 10"),
            (r#"{"kind":"x"}"#, "kind: expected request"),
            (r#"{"kind":"65535"}"#, "kind: expected request"),
            (r#"{"bodyBase64":"?"}"#, "bodyBase64:"),
            (r#"{"replyToManager":"QM1"}"#, "replyToManager needs replyToQueue"),
            (r#"{"properties":[{"name":"a","type":"i1","value":"300"}]}"#, "property a:"),
            (r#"{"expiryMs":0}"#, "expiryMs: expected 1 or more, found 0"),
            (r#"{"expires":5,"expiryMs":5}"#, "expires and expiryMs exclude each other"),
        ] {
            let written: WrittenMessage = serde_json::from_str(json).expect("members that are known");
            let wrong = written.message(Moment(1), || Ok(MessageId::NONE)).expect_err("wrong");
            assert!(wrong.starts_with(expected), "{wrong}");
        }
    }
}
