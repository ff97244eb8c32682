//! The options of a call, with the defaults of z/OS: a put and a get belong to the unit of work unless they
//! say otherwise.
//!
//! Source: IBM MQ, "MQOPEN options", "MQGMO - Get-message options", "MQPMO - Put-message options".

use message::{CorrelationId, MessageId, Reason, Selection};
use mqi::Fields;

use crate::handles::NO_HANDLE;
use crate::put::Target;

/// MQOO: the uses for which an object is opened.
mod open {
    pub(super) const INPUT_AS_Q_DEF: i32 = 0x1;
    pub(super) const INPUT_SHARED: i32 = 0x2;
    pub(super) const INPUT_EXCLUSIVE: i32 = 0x4;
    pub(super) const BROWSE: i32 = 0x8;
    pub(super) const OUTPUT: i32 = 0x10;
    pub(super) const INQUIRE: i32 = 0x20;
    pub(super) const SET: i32 = 0x40;
    pub(super) const SAVE_ALL_CONTEXT: i32 = 0x80;
    pub(super) const PASS_IDENTITY_CONTEXT: i32 = 0x100;
    pub(super) const PASS_ALL_CONTEXT: i32 = 0x200;
    pub(super) const SET_IDENTITY_CONTEXT: i32 = 0x400;
    pub(super) const SET_ALL_CONTEXT: i32 = 0x800;
    pub(super) const FAIL_IF_QUIESCING: i32 = 0x2000;
    pub(super) const BIND_ON_OPEN: i32 = 0x4000;
    pub(super) const BIND_NOT_FIXED: i32 = 0x8000;
    pub(super) const RESOLVE_LOCAL: i32 = 0x4_0000;
    pub(super) const NO_READ_AHEAD: i32 = 0x8_0000;
    pub(super) const READ_AHEAD: i32 = 0x10_0000;
    pub(super) const INPUT: i32 = INPUT_AS_Q_DEF | INPUT_SHARED | INPUT_EXCLUSIVE;
    pub(super) const USES: i32 = INPUT | BROWSE | OUTPUT | INQUIRE | SET;
    pub(super) const KNOWN: i32 = USES
        | SAVE_ALL_CONTEXT
        | PASS_IDENTITY_CONTEXT
        | PASS_ALL_CONTEXT
        | SET_IDENTITY_CONTEXT
        | SET_ALL_CONTEXT
        | FAIL_IF_QUIESCING
        | BIND_ON_OPEN
        | BIND_NOT_FIXED
        | RESOLVE_LOCAL
        | NO_READ_AHEAD
        | READ_AHEAD;
}

/// MQGMO.
mod get {
    pub(super) const WAIT: i32 = 0x1;
    pub(super) const SYNCPOINT: i32 = 0x2;
    pub(super) const NO_SYNCPOINT: i32 = 0x4;
    pub(super) const BROWSE_FIRST: i32 = 0x10;
    pub(super) const BROWSE_NEXT: i32 = 0x20;
    pub(super) const ACCEPT_TRUNCATED_MSG: i32 = 0x40;
    pub(super) const MSG_UNDER_CURSOR: i32 = 0x100;
    pub(super) const BROWSE_MSG_UNDER_CURSOR: i32 = 0x800;
    pub(super) const SYNCPOINT_IF_PERSISTENT: i32 = 0x1000;
    pub(super) const FAIL_IF_QUIESCING: i32 = 0x2000;
    pub(super) const CONVERT: i32 = 0x4000;
    pub(super) const COMPLETE_MSG: i32 = 0x1_0000;
    pub(super) const ALL_MSGS_AVAILABLE: i32 = 0x2_0000;
    pub(super) const PROPERTIES_FORCE_MQRFH2: i32 = 0x200_0000;
    pub(super) const NO_PROPERTIES: i32 = 0x400_0000;
    pub(super) const PROPERTIES_IN_HANDLE: i32 = 0x800_0000;
    pub(super) const PROPERTIES_COMPATIBILITY: i32 = 0x1000_0000;
    pub(super) const KNOWN: i32 = WAIT
        | SYNCPOINT
        | NO_SYNCPOINT
        | BROWSE_FIRST
        | BROWSE_NEXT
        | ACCEPT_TRUNCATED_MSG
        | MSG_UNDER_CURSOR
        | BROWSE_MSG_UNDER_CURSOR
        | SYNCPOINT_IF_PERSISTENT
        | FAIL_IF_QUIESCING
        | CONVERT
        | COMPLETE_MSG
        | ALL_MSGS_AVAILABLE
        | PROPERTIES_FORCE_MQRFH2
        | NO_PROPERTIES
        | PROPERTIES_IN_HANDLE
        | PROPERTIES_COMPATIBILITY;
    /// MQMO: by message id, by correlation id.
    pub(super) const MATCH_MSG_ID: i32 = 1;
    pub(super) const MATCH_CORREL_ID: i32 = 2;
}

/// MQPMO.
mod put {
    pub(super) const SYNCPOINT: i32 = 0x2;
    pub(super) const NO_SYNCPOINT: i32 = 0x4;
    pub(super) const NEW_MSG_ID: i32 = 0x40;
    pub(super) const NEW_CORREL_ID: i32 = 0x80;
    /// Contexts, FAIL_IF_QUIESCING, responses and RESOLVE_LOCAL_Q change nothing here.
    pub(super) const KNOWN: i32 = SYNCPOINT | NO_SYNCPOINT | NEW_MSG_ID | NEW_CORREL_ID | 0x7_7F20;
    pub(super) const WARN_IF_NO_SUBS_MATCHED: i32 = 0x8_0000;
    pub(super) const SUPPRESS_REPLYTO: i32 = 0x800_0000;
    /// Further options of topics. SCOPE_QMGR and NOT_OWN_SUBS change nothing here: there are no other queue managers,
    /// and a handle for output has no subscriptions.
    pub(super) const OF_TOPICS: i32 = WARN_IF_NO_SUBS_MATCHED | SUPPRESS_REPLYTO | 0x1400_0000;
}

/// How an object is opened for input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// By any number of tasks.
    Shared,
    /// By one alone.
    Exclusive,
}

/// The uses for which an object was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    pub(crate) input: Option<Input>,
    pub(crate) browse: bool,
    pub(crate) output: bool,
    pub(crate) inquire: bool,
    pub(crate) set: bool,
}

impl Uses {
    /// The uses in MQOO. A queue's default is to be shared.
    ///
    /// # Errors
    /// The options contradict each other, ask for nothing, or are not known here.
    pub(crate) fn of(options: i32) -> Result<Self, Reason> {
        let has = |bit: i32| options & bit != 0;
        if options & !open::KNOWN != 0 || options & open::USES == 0 {
            return Err(Reason::Options);
        }
        let input = match options & open::INPUT {
            0 => None,
            open::INPUT_AS_Q_DEF | open::INPUT_SHARED => Some(Input::Shared),
            open::INPUT_EXCLUSIVE => Some(Input::Exclusive),
            _ => return Err(Reason::Options),
        };
        let context_of_input = has(open::SAVE_ALL_CONTEXT) && input.is_none();
        let contexts = open::PASS_IDENTITY_CONTEXT
            | open::PASS_ALL_CONTEXT
            | open::SET_IDENTITY_CONTEXT
            | open::SET_ALL_CONTEXT;
        if context_of_input || (options & contexts != 0 && !has(open::OUTPUT)) {
            return Err(Reason::Options);
        }
        Ok(Self {
            input,
            browse: has(open::BROWSE),
            output: has(open::OUTPUT),
            inquire: has(open::INQUIRE),
            set: has(open::SET),
        })
    }
}

/// Whether a get or put belongs to the task's unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InUnit {
    /// It does.
    Yes,
    /// It is done at once, whatever becomes of the task.
    No,
    /// It does if the message is persistent.
    IfPersistent,
}

/// Which message a get is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taking {
    /// The first that fits is taken.
    Get,
    /// The message under the cursor is taken.
    GetUnderCursor,
    /// The first that fits is shown, and the cursor is there.
    BrowseFirst,
    /// The next one behind the cursor that fits.
    BrowseNext,
    /// The one under the cursor again.
    BrowseUnderCursor,
}

impl Taking {
    /// True if the message stays on its queue.
    pub(crate) fn is_browse(self) -> bool {
        !matches!(self, Taking::Get | Taking::GetUnderCursor)
    }
}

/// The options in MQGMO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GetOptions {
    pub(crate) taking: Taking,
    pub(crate) in_unit: InUnit,
    /// Milliseconds to wait at most; `u64::MAX` for as long as the task may run, 0 for not at all.
    pub(crate) wait_ms: u64,
    pub(crate) selection: Selection,
    pub(crate) accepts_truncated: bool,
    pub(crate) converts: bool,
    /// The message handle that gets the properties.
    pub(crate) message_handle: Option<i64>,
    /// The properties stand in an MQRFH2 before the body.
    pub(crate) wants_header: bool,
}

impl GetOptions {
    /// Reads MQGMO, and the ids of MQMD by which messages match.
    ///
    /// # Errors
    /// The options contradict each other, or are not known here.
    pub(crate) fn of(fields: &Fields, descriptor: &Fields) -> Result<Self, Reason> {
        let options = fields.number("OPTIONS");
        let has = |bit: i32| options & bit != 0;
        if options & !get::KNOWN != 0 {
            return Err(Reason::Options);
        }
        let takings = [
            (get::MSG_UNDER_CURSOR, Taking::GetUnderCursor),
            (get::BROWSE_FIRST, Taking::BrowseFirst),
            (get::BROWSE_NEXT, Taking::BrowseNext),
            (get::BROWSE_MSG_UNDER_CURSOR, Taking::BrowseUnderCursor),
        ];
        let taking = one_of(options, &takings)?.unwrap_or(Taking::Get);
        let units = [
            (get::SYNCPOINT, InUnit::Yes),
            (get::NO_SYNCPOINT, InUnit::No),
            (get::SYNCPOINT_IF_PERSISTENT, InUnit::IfPersistent),
        ];
        let in_unit = one_of(options, &units)?;
        if taking.is_browse() && matches!(in_unit, Some(InUnit::Yes | InUnit::IfPersistent)) {
            return Err(Reason::Options);
        }
        let wait_ms = match (has(get::WAIT), fields.number("WAITINTERVAL")) {
            (false, _) => 0,
            (true, -1) => u64::MAX,
            (true, interval) => u64::try_from(interval).map_err(|_| Reason::WaitInterval)?,
        };
        Ok(Self {
            taking,
            in_unit: in_unit.unwrap_or(InUnit::Yes),
            wait_ms,
            selection: selection(fields, descriptor)?,
            accepts_truncated: has(get::ACCEPT_TRUNCATED_MSG),
            converts: has(get::CONVERT),
            message_handle: message_handle(fields)?,
            wants_header: has(get::PROPERTIES_FORCE_MQRFH2),
        })
    }
}

/// Where the properties of the message go. A handle is ignored by options that ask for no properties, or for MQRFH2.
fn message_handle(fields: &Fields) -> Result<Option<i64>, Reason> {
    let handle = Some(fields.long("MSGHANDLE")).filter(|handle| *handle != NO_HANDLE);
    let choices = [
        (get::PROPERTIES_IN_HANDLE, true),
        (get::NO_PROPERTIES, false),
        (get::PROPERTIES_FORCE_MQRFH2, false),
        (get::PROPERTIES_COMPATIBILITY, false),
    ];
    match one_of(fields.number("OPTIONS"), &choices)? {
        Some(true) => handle.map(Some).ok_or(Reason::MessageHandle),
        Some(false) => Ok(None),
        None => Ok(handle),
    }
}

/// The criteria by which messages match. A program with version 1 of MQGMO has no match options, and both ids
/// match.
fn selection(fields: &Fields, descriptor: &Fields) -> Result<Selection, Reason> {
    let matches = match fields.bytes("MATCHOPTIONS") {
        Some(_) => fields.number("MATCHOPTIONS"),
        None => get::MATCH_MSG_ID | get::MATCH_CORREL_ID,
    };
    // Groups and tokens are not kept, so nothing can match by them.
    if matches & !(get::MATCH_MSG_ID | get::MATCH_CORREL_ID) != 0 {
        return Err(Reason::MatchOptions);
    }
    let id = |bit: i32, name: &str| -> [u8; 24] {
        let bytes = descriptor.bytes(name).filter(|_| matches & bit != 0);
        bytes.and_then(|bytes| bytes.first_chunk().copied()).unwrap_or_default()
    };
    let (message, correlation) = (id(get::MATCH_MSG_ID, "MSGID"), id(get::MATCH_CORREL_ID, "CORRELID"));
    Ok(Selection::new(MessageId(message), CorrelationId(correlation)))
}

/// The options in MQPMO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PutOptions {
    pub(crate) in_unit: InUnit,
    pub(crate) new_message_id: bool,
    pub(crate) new_correlation_id: bool,
    /// A publication that no subscription gets has a warning.
    pub(crate) warns_of_no_subscription: bool,
    /// Subscriptions do not hear of the queue for replies.
    pub(crate) suppresses_reply_to: bool,
}

impl PutOptions {
    /// Reads MQPMO.
    ///
    /// # Errors
    /// The options contradict each other, or are not known here or for this target.
    pub(crate) fn of(fields: &Fields, target: &Target) -> Result<Self, Reason> {
        let options = fields.number("OPTIONS");
        let known = match target {
            Target::Queue(_) => put::KNOWN,
            Target::Topic(_) => put::KNOWN | put::OF_TOPICS,
        };
        if options & !known != 0 {
            return Err(Reason::Options);
        }
        let units = [(put::SYNCPOINT, InUnit::Yes), (put::NO_SYNCPOINT, InUnit::No)];
        Ok(Self {
            in_unit: one_of(options, &units)?.unwrap_or(InUnit::Yes),
            new_message_id: options & put::NEW_MSG_ID != 0,
            new_correlation_id: options & put::NEW_CORREL_ID != 0,
            warns_of_no_subscription: options & put::WARN_IF_NO_SUBS_MATCHED != 0,
            suppresses_reply_to: options & put::SUPPRESS_REPLYTO != 0,
        })
    }
}

/// The choice whose bit is set; none if no bit is.
///
/// # Errors
/// Several are set.
fn one_of<T: Copy>(options: i32, choices: &[(i32, T)]) -> Result<Option<T>, Reason> {
    let mut chosen = choices.iter().filter(|(bit, _)| options & bit != 0);
    match (chosen.next(), chosen.next()) {
        (_, Some(_)) => Err(Reason::Options),
        (first, None) => Ok(first.map(|(_, choice)| *choice)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use message::QueueName;
    use mqi::{GET_OPTIONS, MESSAGE, PUT_OPTIONS, Structure, constant};

    fn initial(structure: &'static Structure, version: i32) -> Fields {
        Fields::initial(structure, version, |_, _| {}).expect("a version that exists")
    }

    fn options(structure: &'static Structure, names: &[&str]) -> Fields {
        let mut fields = initial(structure, 1);
        fields.set_number("OPTIONS", names.iter().map(|name| constant(name).expect("a constant")).sum());
        fields
    }

    #[test]
    fn objects_are_opened_for_what_the_options_say() {
        let of = |names: &[&str]| Uses::of(names.iter().map(|name| constant(name).unwrap()).sum());
        let uses = of(&["MQOO-INPUT-SHARED", "MQOO-SAVE-ALL-CONTEXT", "MQOO-FAIL-IF-QUIESCING"]).unwrap();
        assert_eq!(uses, Uses { input: Some(Input::Shared), ..Uses::default() });
        let uses = of(&["MQOO-OUTPUT", "MQOO-PASS-ALL-CONTEXT", "MQOO-INQUIRE"]).unwrap();
        assert_eq!(uses, Uses { output: true, inquire: true, ..Uses::default() });
        assert_eq!(of(&["MQOO-INPUT-EXCLUSIVE"]).unwrap().input, Some(Input::Exclusive));
        for wrong in [
            &["MQOO-FAIL-IF-QUIESCING"][..],
            &["MQOO-INPUT-SHARED", "MQOO-INPUT-EXCLUSIVE"],
            &["MQOO-OUTPUT", "MQOO-SAVE-ALL-CONTEXT"],
            &["MQOO-INQUIRE", "MQOO-PASS-ALL-CONTEXT"],
            &["MQOO-OUTPUT", "MQOO-CO-OP"],
        ] {
            assert_eq!(of(wrong), Err(Reason::Options), "{wrong:?}");
        }
    }

    #[test]
    fn a_get_belongs_to_the_unit_unless_it_says_otherwise() {
        let of = |names: &[&str]| GetOptions::of(&options(&GET_OPTIONS, names), &initial(&MESSAGE, 1));
        let plain = of(&[]).unwrap();
        assert_eq!((plain.in_unit, plain.taking, plain.wait_ms), (InUnit::Yes, Taking::Get, 0));
        assert!(plain.selection.is_any());
        assert_eq!(of(&["MQGMO-NO-SYNCPOINT"]).unwrap().in_unit, InUnit::No);
        assert!(of(&["MQGMO-CONVERT", "MQGMO-ACCEPT-TRUNCATED-MSG"]).unwrap().converts);
        assert_eq!(of(&["MQGMO-BROWSE-FIRST"]).unwrap().taking, Taking::BrowseFirst);
        for wrong in [
            &["MQGMO-SYNCPOINT", "MQGMO-NO-SYNCPOINT"][..],
            &["MQGMO-BROWSE-FIRST", "MQGMO-BROWSE-NEXT"],
            &["MQGMO-BROWSE-FIRST", "MQGMO-SYNCPOINT"],
            &["MQGMO-LOCK"],
            &["MQGMO-SET-SIGNAL"],
            &["MQGMO-NO-PROPERTIES", "MQGMO-PROPERTIES-IN-HANDLE"],
        ] {
            assert_eq!(of(wrong).unwrap_err(), Reason::Options, "{wrong:?}");
        }
    }

    #[test]
    fn waits_have_a_length_or_none() {
        for (interval, wait) in
            [(5000, Ok(5000)), (-1, Ok(u64::MAX)), (0, Ok(0)), (-2, Err(Reason::WaitInterval))]
        {
            let mut fields = options(&GET_OPTIONS, &["MQGMO-WAIT"]);
            fields.set_number("WAITINTERVAL", interval);
            let got = GetOptions::of(&fields, &initial(&MESSAGE, 1));
            assert_eq!(got.map(|options| options.wait_ms), wait);
        }
    }

    #[test]
    fn properties_go_where_the_options_say() {
        for (handle, names, expected) in [
            (0, &[][..], Ok(None)),
            (7, &[], Ok(Some(7))),
            (7, &["MQGMO-PROPERTIES-AS-Q-DEF"], Ok(Some(7))),
            (7, &["MQGMO-PROPERTIES-IN-HANDLE"], Ok(Some(7))),
            (0, &["MQGMO-PROPERTIES-IN-HANDLE"], Err(Reason::MessageHandle)),
            (7, &["MQGMO-NO-PROPERTIES"], Ok(None)),
            (7, &["MQGMO-PROPERTIES-FORCE-MQRFH2"], Ok(None)),
            (7, &["MQGMO-PROPERTIES-COMPATIBILITY"], Ok(None)),
        ] {
            let mut fields = initial(&GET_OPTIONS, 4);
            let sum = names.iter().map(|name| constant(name).expect("a constant")).sum();
            fields.set_number("OPTIONS", sum);
            fields.set_bytes("MSGHANDLE", &i64::from(handle).to_be_bytes());
            let got = GetOptions::of(&fields, &initial(&MESSAGE, 1));
            assert_eq!(got.map(|options| options.message_handle), expected, "{handle} {names:?}");
        }
        // Earlier versions have no place for a handle.
        let fields = options(&GET_OPTIONS, &["MQGMO-PROPERTIES-IN-HANDLE"]);
        assert_eq!(GetOptions::of(&fields, &initial(&MESSAGE, 1)), Err(Reason::MessageHandle));
    }

    #[test]
    fn ids_match_as_the_options_say() {
        let mut descriptor = initial(&MESSAGE, 1);
        descriptor.set_bytes("MSGID", &[1; 24]);
        descriptor.set_bytes("CORRELID", &[2; 24]);
        let of = |fields: &Fields| GetOptions::of(fields, &descriptor).map(|options| options.selection);
        let both = Selection::new(MessageId([1; 24]), CorrelationId([2; 24]));
        assert_eq!(of(&initial(&GET_OPTIONS, 1)), Ok(both));
        let mut fields = initial(&GET_OPTIONS, 2);
        for (bits, expected) in [
            (0, Ok(Selection::ANY)),
            (1, Ok(Selection::by_message_id(MessageId([1; 24])))),
            (2, Ok(Selection::by_correlation_id(CorrelationId([2; 24])))),
            (4, Err(Reason::MatchOptions)),
        ] {
            fields.set_number("MATCHOPTIONS", bits);
            assert_eq!(of(&fields), expected);
        }
    }

    #[test]
    fn a_put_belongs_to_the_unit_unless_it_says_otherwise() {
        let target = Target::Queue(QueueName::new("Q").expect("a name"));
        let of = |names: &[&str]| PutOptions::of(&options(&PUT_OPTIONS, names), &target);
        assert_eq!(of(&["MQPMO-DEFAULT-CONTEXT"]).unwrap().in_unit, InUnit::Yes);
        let options = of(&["MQPMO-NO-SYNCPOINT", "MQPMO-NEW-MSG-ID", "MQPMO-NEW-CORREL-ID"]).unwrap();
        assert!(options.new_message_id && options.new_correlation_id && options.in_unit == InUnit::No);
        assert_eq!(of(&["MQPMO-SYNCPOINT", "MQPMO-NO-SYNCPOINT"]), Err(Reason::Options));
        assert_eq!(of(&["MQPMO-RETAIN"]), Err(Reason::Options));
        assert_eq!(of(&["MQPMO-WARN-IF-NO-SUBS-MATCHED"]), Err(Reason::Options));
        let target = Target::Topic("news".to_owned());
        let of = |names: &[&str]| PutOptions::of(&super::tests::options(&PUT_OPTIONS, names), &target);
        let options =
            of(&["MQPMO-WARN-IF-NO-SUBS-MATCHED", "MQPMO-SUPPRESS-REPLYTO", "MQPMO-SCOPE-QMGR"]).unwrap();
        assert!(options.warns_of_no_subscription && options.suppresses_reply_to);
        assert_eq!(of(&["MQPMO-RETAIN"]), Err(Reason::Options));
    }
}
