//! Report options: the reports that the sender of a message wants, and their content.
//!
//! Source of numbers and rules: IBM MQ, "Report (MQLONG)" and "Feedback (MQLONG)".

use crate::descriptor::{Descriptor, Expiry, Kind, Message, Moment, NewMessage, ReplyTo};
use crate::id::CorrelationId;

/// Bytes of the message's body that a report "with data" has.
pub const REPORT_DATA_BYTES: usize = 100;

/// The subjects of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// The message cannot go where it should.
    Exception,
    /// The message is discarded because its time is over.
    Expiration,
    /// The message is on its queue: confirmation of arrival, COA.
    Arrival,
    /// The message was got: confirmation of delivery, COD.
    Delivery,
}

impl ReportKind {
    /// The bits of its options: the report, 100 bytes of the body, all of the body.
    fn bits(self) -> [u32; 3] {
        match self {
            Self::Exception => [0x0100_0000, 0x0200_0000, 0x0400_0000],
            Self::Expiration => [0x0020_0000, 0x0040_0000, 0x0080_0000],
            Self::Arrival => [0x100, 0x200, 0x400],
            Self::Delivery => [0x800, 0x1000, 0x2000],
        }
    }
}

/// Numbers of the feedback of reports: `MQFB_`. An exception has the number of its [`Reason`](crate::Reason) instead.
pub mod feedback {
    /// `MQFB_EXPIRATION`.
    pub const EXPIRATION: u32 = 258;
    /// `MQFB_COA`.
    pub const ARRIVAL: u32 = 259;
    /// `MQFB_COD`.
    pub const DELIVERY: u32 = 260;
    /// `MQFB_APPL_LAST`: the highest number that a program may give.
    pub const MAX: u32 = 999_999_999;
}

/// The part of the body in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Data {
    None,
    Beginning,
    All,
}

/// The report options of a message: the sum that IBM MQ calls `MQRO_`. Unknown bits are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Report(pub u32);

impl Report {
    /// `MQRO_NONE`.
    pub const NONE: Self = Self(0);
    const PASS_CORRELATION_ID: u32 = 0x40;
    const PASS_MESSAGE_ID: u32 = 0x80;
    const PASS_DISCARD_AND_EXPIRY: u32 = 0x4000;
    const DISCARD: u32 = 0x0800_0000;
    /// `MQRO_REJECT_UNSUP_MASK`: the bits that a queue manager must refuse if it does not know them.
    const MUST_BE_KNOWN: u32 = 0x101C_0000;

    /// True if there are options that a queue manager must refuse unless it knows them.
    #[must_use]
    pub fn is_unsupported(self) -> bool {
        self.0 & Self::MUST_BE_KNOWN != 0
    }

    /// True if a report of this kind is wanted.
    #[must_use]
    pub fn wants(self, kind: ReportKind) -> bool {
        self.0 & kind.bits()[0] != 0
    }

    /// True if the queue manager may have to send a report, which needs a reply-to queue.
    #[must_use]
    pub fn wants_any(self) -> bool {
        [ReportKind::Exception, ReportKind::Expiration, ReportKind::Arrival, ReportKind::Delivery]
            .into_iter()
            .any(|kind| self.wants(kind))
    }

    /// `MQRO_DISCARD_MSG`: a message that cannot reach its target is discarded, and does not go to the
    /// dead-letter queue.
    #[must_use]
    pub fn discards(self) -> bool {
        self.0 & Self::DISCARD != 0
    }

    fn data(self, kind: ReportKind) -> Data {
        let [_, beginning, all] = kind.bits();
        match (self.0 & all != 0, self.0 & beginning != 0) {
            (true, true) => Data::All,
            (_, true) => Data::Beginning,
            (_, false) => Data::None,
        }
    }
}

impl Message {
    /// The report of a kind, and its target; none if the sender does not want it. Its text, numbers,
    /// persistence and priority are those of the message.
    #[must_use]
    pub fn report(&self, kind: ReportKind, feedback: u32, now: Moment) -> Option<(ReplyTo, NewMessage)> {
        let of = &self.descriptor;
        let options = of.report;
        let to = of.reply_to.clone().filter(|_| options.wants(kind))?;
        let body = match options.data(kind) {
            Data::None => &[],
            Data::Beginning => &self.body[..self.body.len().min(REPORT_DATA_BYTES)],
            Data::All => &self.body[..],
        };
        let has = |bit: u32| options.0 & bit != 0;
        let passes = has(Report::PASS_DISCARD_AND_EXPIRY);
        let report = NewMessage {
            message_id: has(Report::PASS_MESSAGE_ID).then_some(of.message_id),
            correlation_id: match has(Report::PASS_CORRELATION_ID) {
                true => of.correlation_id,
                false => CorrelationId::from(of.message_id),
            },
            persistence: Some(of.persistence),
            priority: Some(of.priority),
            expiry: left(of, passes, now),
            kind: Kind::Report,
            format: of.format,
            ccsid: of.ccsid,
            encoding: of.encoding,
            reply_to: None,
            user: of.user.clone(),
            feedback,
            report: Report(if passes { options.0 & Report::DISCARD } else { 0 }),
            properties: Vec::new(),
            body: body.to_vec(),
        };
        Some((to, report))
    }
}

/// The time that a report may wait: for ever, or the rest of the message's time. A report of a message whose
/// time is over waits for ever, too. Otherwise nobody would ever see it.
fn left(of: &Descriptor, passes: bool, now: Moment) -> Expiry {
    match of.remaining_ms(now).filter(|ms| passes && *ms > 0) {
        Some(ms) => Expiry::AfterMs(ms),
        None => Expiry::Unlimited,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MessageId, Persistence, Priority, QueueName};

    const ALL: [ReportKind; 4] =
        [ReportKind::Exception, ReportKind::Expiration, ReportKind::Arrival, ReportKind::Delivery];

    fn message(report: u32) -> Message {
        let descriptor = Descriptor {
            message_id: MessageId([1; 24]),
            correlation_id: CorrelationId([2; 24]),
            persistence: Persistence::Persistent,
            priority: Priority::MAX,
            expires: Some(Moment(500)),
            reply_to: Some(ReplyTo { queue: QueueName::new("REPLY").unwrap(), manager: None }),
            report: Report(report),
            ..Descriptor::default()
        };
        Message { descriptor, properties: Vec::new(), body: (0..150).collect() }
    }

    #[test]
    fn each_kind_has_the_numbers_of_ibm_mq() {
        let numbers = [
            [16_777_216, 50_331_648, 117_440_512],
            [2_097_152, 6_291_456, 14_680_064],
            [256, 768, 1_792],
            [2_048, 6_144, 14_336],
        ];
        for (kind, numbers) in ALL.into_iter().zip(numbers) {
            for (number, bytes) in numbers.into_iter().zip([0, 100, 150]) {
                let others = ALL.into_iter().filter(|other| *other != kind);
                assert!(others.into_iter().all(|other| !Report(number).wants(other)), "{number}");
                let (to, report) = message(number).report(kind, 7, Moment(1)).unwrap();
                assert_eq!((to.queue.as_str(), report.body.len(), report.feedback), ("REPLY", bytes, 7));
                assert!(Report(number).wants_any());
            }
            assert_eq!(message(0).report(kind, 7, Moment(1)), None);
        }
        let mut nowhere = message(256);
        nowhere.descriptor.reply_to = None;
        assert_eq!(nowhere.report(ReportKind::Arrival, 259, Moment(1)), None);
        assert!(Report(270_270_464).is_unsupported() && !Report(!270_270_464).is_unsupported());
        // PAN, NAN and ACTIVITY are for programs.
        assert!(!Report(1 | 2 | 4).wants_any());
    }

    #[test]
    fn ids_are_new_and_copied_unless_they_are_passed() {
        let ids = |options: u32| {
            let (_, report) = message(256 | options).report(ReportKind::Arrival, 259, Moment(1)).unwrap();
            (report.message_id, report.correlation_id)
        };
        let (id, correlation) = (MessageId([1; 24]), CorrelationId([2; 24]));
        assert_eq!(ids(0), (None, id.into()));
        assert_eq!(ids(128), (Some(id), id.into()));
        assert_eq!(ids(64), (None, correlation));
        assert_eq!(ids(64 | 128), (Some(id), correlation));
    }

    #[test]
    fn a_report_is_as_persistent_and_urgent_as_its_message_and_asks_for_no_report() {
        let of = |options: u32| message(options).report(ReportKind::Delivery, 260, Moment(100)).unwrap().1;
        let report = of(2048);
        assert_eq!(
            (report.persistence, report.priority),
            (Some(Persistence::Persistent), Some(Priority::MAX))
        );
        assert_eq!(
            (report.kind, report.expiry, report.report),
            (Kind::Report, Expiry::Unlimited, Report::NONE)
        );
        assert_eq!(of(2048 | 0x0800_0000).report, Report::NONE);
        let passed = of(2048 | 16_384 | 0x0800_0000);
        assert_eq!((passed.expiry, passed.report), (Expiry::AfterMs(400), Report(0x0800_0000)));
        assert!(passed.report.discards() && !passed.report.wants_any());
    }
}
