//! Commands on temporary storage and transient data queues.

use super::Way::{Both, In, Out};
use super::names::*;
use super::{Command, CommandOption, Rule, data, flag, half, pointer, text};
use crate::conditions::*;

const TS_NAMES: Rule = Rule::Need(&[QUEUE, QNAME]);
const TS_NAME: Rule = Rule::Exclusive(&[QUEUE, QNAME]);
const MAIN_OR_AUXILIARY: Rule = Rule::Exclusive(&[MAIN, AUXILIARY]);
const INTO_OR_SET: Rule = Rule::Need(&[INTO, SET]);
const NOT_INTO_AND_SET: Rule = Rule::Exclusive(&[INTO, SET]);

const WRITEQ_TS: &[CommandOption] = &[
    flag(TS),
    text(QUEUE, 8),
    text(QNAME, 16),
    data(FROM, In),
    half(LENGTH, In),
    half(NUMITEMS, Out),
    half(ITEM, Both),
    flag(REWRITE),
    text(SYSID, 4),
    flag(MAIN),
    flag(AUXILIARY),
    flag(NOSUSPEND),
];
const WRITEQ_TS_RULES: &[Rule] = &[
    TS_NAMES,
    TS_NAME,
    Rule::Need(&[FROM]),
    MAIN_OR_AUXILIARY,
    Rule::With(REWRITE, &[ITEM]),
    Rule::Exclusive(&[NUMITEMS, ITEM]),
];
const WRITEQ_TS_CONDITIONS: &[&Condition] =
    &[&INVREQ, &IOERR, &ISCINVREQ, &ITEMERR, &LENGERR, &LOCKED, &NOSPACE, &NOTAUTH, &QIDERR, &SYSIDERR];

const READQ_TS: &[CommandOption] = &[
    flag(TS),
    text(QUEUE, 8),
    text(QNAME, 16),
    data(INTO, Out),
    pointer(SET, Out),
    half(LENGTH, Both),
    half(NUMITEMS, Out),
    half(ITEM, In),
    flag(NEXT),
    text(SYSID, 4),
];
const READQ_TS_RULES: &[Rule] = &[
    TS_NAMES,
    TS_NAME,
    INTO_OR_SET,
    NOT_INTO_AND_SET,
    Rule::With(SET, &[LENGTH]),
    Rule::Exclusive(&[ITEM, NEXT]),
];
const READQ_TS_CONDITIONS: &[&Condition] =
    &[&INVREQ, &IOERR, &ISCINVREQ, &ITEMERR, &LENGERR, &NOTAUTH, &QIDERR, &SYSIDERR];

const DELETEQ_TS: &[CommandOption] = &[flag(TS), text(QUEUE, 8), text(QNAME, 16), text(SYSID, 4)];
const DELETEQ_TS_CONDITIONS: &[&Condition] = &[&INVREQ, &ISCINVREQ, &LOCKED, &NOTAUTH, &QIDERR, &SYSIDERR];

// Without TD or TS, the queue is a temporary storage queue.
pub(super) const COMMANDS: &[Command] = &[
    Command {
        words: &["WRITEQ"],
        function: 0x0A02,
        options: WRITEQ_TS,
        rules: WRITEQ_TS_RULES,
        conditions: WRITEQ_TS_CONDITIONS,
    },
    Command {
        words: &["READQ"],
        function: 0x0A04,
        options: READQ_TS,
        rules: READQ_TS_RULES,
        conditions: READQ_TS_CONDITIONS,
    },
    Command {
        words: &["DELETEQ"],
        function: 0x0A06,
        options: DELETEQ_TS,
        rules: &[TS_NAMES, TS_NAME],
        conditions: DELETEQ_TS_CONDITIONS,
    },
    Command {
        words: &["WRITEQ", "TD"],
        function: 0x0802,
        options: &[flag(TD), text(QUEUE, 4), data(FROM, In), half(LENGTH, In), text(SYSID, 4)],
        rules: &[Rule::Need(&[QUEUE]), Rule::Need(&[FROM])],
        conditions: &[
            &DISABLED, &INVREQ, &IOERR, &ISCINVREQ, &LENGERR, &LOCKED, &NOSPACE, &NOTAUTH, &NOTOPEN, &QIDERR,
            &SYSIDERR,
        ],
    },
    Command {
        words: &["READQ", "TD"],
        function: 0x0804,
        options: &[
            flag(TD),
            text(QUEUE, 4),
            data(INTO, Out),
            pointer(SET, Out),
            half(LENGTH, Both),
            text(SYSID, 4),
            flag(NOSUSPEND),
        ],
        rules: &[Rule::Need(&[QUEUE]), INTO_OR_SET, NOT_INTO_AND_SET, Rule::With(SET, &[LENGTH])],
        conditions: &[
            &DISABLED, &INVREQ, &IOERR, &ISCINVREQ, &LENGERR, &LOCKED, &NOTAUTH, &NOTOPEN, &QBUSY, &QIDERR,
            &QZERO, &SYSIDERR,
        ],
    },
    Command {
        words: &["DELETEQ", "TD"],
        function: 0x0806,
        options: &[flag(TD), text(QUEUE, 4), text(SYSID, 4)],
        rules: &[Rule::Need(&[QUEUE])],
        conditions: &[&DISABLED, &INVREQ, &ISCINVREQ, &LOCKED, &NOTAUTH, &QIDERR, &SYSIDERR],
    },
];
