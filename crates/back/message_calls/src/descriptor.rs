//! MQMD in the storage of a program: the values for a new message, and the values from a message.
//!
//! Texts are in an ASCII code page, because queue names have no other characters. Fields of MQMD that
//! messages do not have (the application's identity and origin, groups) are not kept, and come back as their
//! initial values.

use message::{
    Ccsid, CorrelationId, Descriptor, Encoding, Expiry, Format, Kind, ManagerName, Message, MessageId,
    Moment, NewMessage, Persistence, Priority, QueueName, Reason, ReplyTo, Report, feedback,
};
use mqi::Fields;

/// MQEI-UNLIMITED.
const UNLIMITED: i32 = -1;
/// MQPRI-PRIORITY-AS-Q-DEF.
const PRIORITY_OF_QUEUE: i32 = -1;
/// MQPER-PERSISTENCE-AS-Q-DEF.
const PERSISTENCE_OF_QUEUE: i32 = 2;
/// Expiry is in tenths of a second.
const EXPIRY_MS: u64 = 100;
/// MQAT-CICS: a transaction puts the message.
const APPLICATION_CICS: i32 = 1;

/// Values of a task for fields that MQMD may leave out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Defaults<'d> {
    /// The code page of the region: MQCCSI-Q-MGR.
    pub(crate) ccsid: u16,
    /// The user of the task.
    pub(crate) user: &'d str,
}

/// The message that MQPUT puts, without its data.
///
/// # Errors
/// A field has a value that no message can have.
pub(crate) fn new_message(descriptor: &Fields, defaults: Defaults<'_>) -> Result<NewMessage, Reason> {
    let report = report(descriptor);
    if report.is_unsupported() {
        return Err(Reason::ReportOptions);
    }
    let kind = u32::try_from(descriptor.number("MSGTYPE")).ok().and_then(Kind::of_number);
    let kind = kind.ok_or(Reason::MessageType)?;
    let reply_to = reply_to(descriptor)?;
    if (kind == Kind::Request || report.wants_any()) && reply_to.is_none() {
        return Err(Reason::MissingReplyToQueue);
    }
    let message_id = MessageId(id(descriptor, "MSGID"));
    Ok(NewMessage {
        message_id: (!message_id.is_none()).then_some(message_id),
        correlation_id: CorrelationId(id(descriptor, "CORRELID")),
        persistence: persistence(descriptor.number("PERSISTENCE"))?,
        priority: priority(descriptor.number("PRIORITY"))?,
        expiry: expiry(descriptor.number("EXPIRY"))?,
        kind,
        format: Format(
            descriptor.bytes("FORMAT").and_then(|name| name.first_chunk().copied()).unwrap_or(Format::NONE.0),
        ),
        ccsid: match descriptor.number("CODEDCHARSETID") {
            0 => Ccsid(defaults.ccsid.into()),
            other => Ccsid(u32::try_from(other).map_err(|_| Reason::SourceCcsid)?),
        },
        encoding: Encoding(u32::try_from(descriptor.number("ENCODING")).unwrap_or_default()),
        reply_to,
        user: defaults.user.to_owned(),
        feedback: match u32::try_from(descriptor.number("FEEDBACK")) {
            Ok(number) if number <= feedback::MAX => number,
            _ => return Err(Reason::Feedback),
        },
        report,
        ..NewMessage::default()
    })
}

/// Fills MQMD with a message that was got or browsed.
pub(crate) fn fill(descriptor: &mut Fields, message: &Message, now: Moment) {
    let of = &message.descriptor;
    descriptor.set_number("REPORT", of.report.0.cast_signed());
    descriptor.set_number("MSGTYPE", number(of.kind.number()));
    descriptor.set_number("EXPIRY", remaining(of, now));
    descriptor.set_number("FEEDBACK", number(of.feedback));
    descriptor.set_number("ENCODING", number(of.encoding.0));
    descriptor.set_number("CODEDCHARSETID", number(of.ccsid.0));
    descriptor.set_bytes("FORMAT", &of.format.0);
    descriptor.set_number("PRIORITY", of.priority.number().into());
    descriptor.set_number("PERSISTENCE", (of.persistence == Persistence::Persistent).into());
    descriptor.set_bytes("MSGID", &of.message_id.0);
    descriptor.set_bytes("CORRELID", &of.correlation_id.0);
    descriptor.set_number("BACKOUTCOUNT", number(of.backout_count));
    let queue = of.reply_to.as_ref().map_or("", |reply| reply.queue.as_str());
    let manager =
        of.reply_to.as_ref().and_then(|reply| reply.manager.as_ref()).map_or("", ManagerName::as_str);
    descriptor.set_text("REPLYTOQ", queue);
    descriptor.set_text("REPLYTOQMGR", manager);
    was_put(descriptor, &of.user, of.put);
    for (name, value) in [("MSGSEQNUMBER", 1), ("OFFSET", 0), ("MSGFLAGS", 0), ("ORIGINALLENGTH", -1)] {
        descriptor.set_number(name, value);
    }
    descriptor.set_bytes("GROUPID", &[0; 24]);
}

/// Fills the fields of MQMD that say who put a message, and when.
pub(crate) fn was_put(descriptor: &mut Fields, user: &str, put: Moment) {
    descriptor.set_text("USERIDENTIFIER", user);
    descriptor.set_bytes("ACCOUNTINGTOKEN", &[0; 32]);
    descriptor.set_text("APPLIDENTITYDATA", "");
    descriptor.set_number("PUTAPPLTYPE", APPLICATION_CICS);
    descriptor.set_text("PUTAPPLNAME", "");
    descriptor.set_text("APPLORIGINDATA", "");
    descriptor.set_put(put.0);
}

fn reply_to(descriptor: &Fields) -> Result<Option<ReplyTo>, Reason> {
    let queue = descriptor.text("REPLYTOQ").ok_or(Reason::UnknownObjectName)?;
    let manager = descriptor.text("REPLYTOQMGR").ok_or(Reason::UnknownObjectManager)?;
    if queue.is_empty() {
        return Ok(None);
    }
    let manager = match manager {
        "" => None,
        name => Some(ManagerName::new(name).map_err(|_| Reason::UnknownObjectManager)?),
    };
    Ok(Some(ReplyTo { queue: QueueName::new(queue).map_err(|_| Reason::UnknownObjectName)?, manager }))
}

/// The report options, bit by bit: the sum may be negative.
fn report(descriptor: &Fields) -> Report {
    Report(descriptor.number("REPORT").cast_unsigned())
}

fn persistence(number: i32) -> Result<Option<Persistence>, Reason> {
    match number {
        0 => Ok(Some(Persistence::NonPersistent)),
        1 => Ok(Some(Persistence::Persistent)),
        PERSISTENCE_OF_QUEUE => Ok(None),
        _ => Err(Reason::Persistence),
    }
}

fn priority(number: i32) -> Result<Option<Priority>, Reason> {
    match number {
        PRIORITY_OF_QUEUE => Ok(None),
        _ => u8::try_from(number).ok().and_then(Priority::new).map(Some).ok_or(Reason::Priority),
    }
}

fn expiry(tenths: i32) -> Result<Expiry, Reason> {
    match u64::try_from(tenths) {
        Ok(tenths) if tenths > 0 => Ok(Expiry::AfterMs(tenths * EXPIRY_MS)),
        _ if tenths == UNLIMITED => Ok(Expiry::Unlimited),
        _ => Err(Reason::Expiry),
    }
}

/// The time until a message expires, at least a tenth of a second.
fn remaining(of: &Descriptor, now: Moment) -> i32 {
    match of.remaining_ms(now) {
        None => UNLIMITED,
        Some(ms) => i32::try_from(ms.div_ceil(EXPIRY_MS)).unwrap_or(i32::MAX).max(1),
    }
}

fn id(descriptor: &Fields, name: &str) -> [u8; 24] {
    descriptor.bytes(name).and_then(|bytes| bytes.first_chunk().copied()).unwrap_or_default()
}

fn number(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULTS: Defaults<'static> = Defaults { ccsid: 1252, user: "ANNE" };

    fn initial() -> Fields {
        Fields::initial(&mqi::MESSAGE, 2, |text, place| {
            place.fill(b' ');
            place[..text.len()].copy_from_slice(text.as_bytes());
        })
        .expect("version 2")
    }

    #[test]
    fn an_initial_descriptor_leaves_all_to_the_queue() {
        let message = new_message(&initial(), DEFAULTS).unwrap();
        assert_eq!((message.message_id, message.persistence, message.priority), (None, None, None));
        assert_eq!(
            (message.expiry, message.kind, message.reply_to),
            (Expiry::Unlimited, Kind::Datagram, None)
        );
        assert_eq!(
            (message.ccsid, message.encoding, message.format),
            (Ccsid(1252), Encoding::S390, Format::NONE)
        );
        assert_eq!(message.user, "ANNE");
    }

    #[test]
    fn what_no_message_can_have_has_a_reason() {
        let cases: [(&str, i32, Reason); 12] = [
            ("MSGTYPE", 3, Reason::MessageType),
            ("MSGTYPE", 65_535, Reason::MessageType),
            ("MSGTYPE", -1, Reason::MessageType),
            ("EXPIRY", 0, Reason::Expiry),
            ("EXPIRY", -2, Reason::Expiry),
            ("PRIORITY", 10, Reason::Priority),
            ("PERSISTENCE", 3, Reason::Persistence),
            ("MSGTYPE", 1, Reason::MissingReplyToQueue),
            ("FEEDBACK", -1, Reason::Feedback),
            ("FEEDBACK", 1_000_000_000, Reason::Feedback),
            ("REPORT", 0x0100_0000, Reason::MissingReplyToQueue),
            ("REPORT", 0x1000_0000, Reason::ReportOptions),
        ];
        for (field, value, reason) in cases {
            let mut descriptor = initial();
            descriptor.set_number(field, value);
            assert_eq!(new_message(&descriptor, DEFAULTS).unwrap_err(), reason, "{field} {value}");
        }
        let mut descriptor = initial();
        descriptor.set_text("REPLYTOQ", "NOT A NAME");
        assert_eq!(new_message(&descriptor, DEFAULTS).unwrap_err(), Reason::UnknownObjectName);
    }

    #[test]
    fn date_and_time_of_a_put_are_those_of_greenwich() {
        let mut descriptor = initial();
        was_put(&mut descriptor, "BOB", Moment(1_763_746_205_250));
        assert_eq!(descriptor.text("PUTDATE"), Some("20251121"));
        assert_eq!(descriptor.text("PUTTIME"), Some("17300525"));
        assert_eq!(descriptor.text("USERIDENTIFIER"), Some("BOB"));
    }

    proptest::proptest! {
        #[test]
        fn a_descriptor_comes_back(
            ids: ([u8; 24], [u8; 24]), priority in 0_i32..10, persistence in 0_i32..2, expiry in 1_i32..1_000_000,
            kind in proptest::sample::select(vec![2, 4, 8, 65_536, 999_999_999]), report in proptest::prelude::any::<i32>(),
            feedback in 0_i32..1_000_000_000, queue in "[A-Z][A-Z.]{0,40}", format in "[A-Z]{0,8}",
        ) {
            let mut given = initial();
            for (name, value) in [("PRIORITY", priority), ("PERSISTENCE", persistence), ("EXPIRY", expiry), ("MSGTYPE", kind), ("FEEDBACK", feedback), ("REPORT", report & !0x101C_0000)] {
                given.set_number(name, value);
            }
            given.set_bytes("MSGID", &ids.0);
            given.set_bytes("CORRELID", &ids.1);
            given.set_text("REPLYTOQ", &queue);
            given.set_text("FORMAT", &format);
            let new = new_message(&given, DEFAULTS).unwrap();
            let Expiry::AfterMs(left) = new.expiry else { panic!("{:?}", new.expiry) };
            let put = Moment(1_000_000);
            let message = Message {
                descriptor: Descriptor {
                    message_id: new.message_id.unwrap_or_default(),
                    correlation_id: new.correlation_id,
                    persistence: new.persistence.unwrap(),
                    priority: new.priority.unwrap(),
                    expires: Some(put.plus_ms(left)),
                    kind: new.kind,
                    format: new.format,
                    ccsid: new.ccsid,
                    encoding: new.encoding,
                    reply_to: new.reply_to,
                    put,
                    user: new.user,
                    backout_count: 0,
                    feedback: new.feedback,
                    report: new.report,
                },
                properties: Vec::new(),
                body: Vec::new(),
            };
            let mut got = initial();
            fill(&mut got, &message, put);
            for name in ["REPORT", "FEEDBACK", "MSGTYPE", "EXPIRY", "ENCODING", "PRIORITY", "PERSISTENCE", "BACKOUTCOUNT"] {
                assert_eq!(got.number(name), given.number(name), "{name}");
            }
            for name in ["MSGID", "CORRELID", "REPLYTOQ", "REPLYTOQMGR", "FORMAT", "GROUPID"] {
                assert_eq!(got.bytes(name), given.bytes(name), "{name}");
            }
            assert_eq!(got.number("CODEDCHARSETID"), 1252);
        }
    }
}
