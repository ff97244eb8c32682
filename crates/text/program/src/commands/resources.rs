//! Commands of the system programming interface, about the definitions in a region and their state.

use super::Way::{In, Out};
use super::names::*;
use super::{Command, CommandOption, Rule, characters, cvda, flag, full, text};
use crate::conditions::{
    END as NO_MORE, FILENOTFOUND, ILLOGIC, INVREQ, NOTAUTH, PGMIDERR, TASKIDERR, TRANSIDERR,
};

const fn out(name: OptionName, bytes: u16) -> CommandOption {
    characters(name, bytes)
}

/// The options of INQUIRE TRANSACTION, besides the name.
macro_rules! transaction {
    ($name:expr) => {
        &[
            $name,
            out(PROGRAM, 8),
            cvda(STATUS, Out),
            out(REMOTESYSTEM, 4),
            out(REMOTENAME, 8),
            out(TRANCLASS, 8),
            out(PROFILE, 8),
            full(PRIORITY, Out),
            out(INSTALLUSRID, 8),
            out(CHANGEUSRID, 8),
        ]
    };
}

/// The options of INQUIRE FILE, besides the name.
macro_rules! file {
    ($name:expr) => {
        &[
            $name,
            cvda(OPENSTATUS, Out),
            cvda(ENABLESTATUS, Out),
            cvda(READ, Out),
            cvda(UPDATE, Out),
            cvda(BROWSE, Out),
            cvda(ADD, Out),
            cvda(DELETE, Out),
            out(DSNAME, 44),
            full(RECORDSIZE, Out),
            full(KEYLENGTH, Out),
            full(KEYPOSITION, Out),
            cvda(RECORDFORMAT, Out),
            cvda(ACCESSMETHOD, Out),
            cvda(TYPE, Out),
            cvda(OBJECT, Out),
            cvda(RECOVSTATUS, Out),
            out(REMOTESYSTEM, 4),
            out(REMOTENAME, 8),
        ]
    };
}

/// The options of INQUIRE PROGRAM, besides the name.
macro_rules! program {
    ($name:expr) => {
        &[
            $name,
            cvda(STATUS, Out),
            cvda(PROGTYPE, Out),
            cvda(LANGUAGE, Out),
            full(LENGTH, Out),
            full(USECOUNT, Out),
            out(REMOTESYSTEM, 4),
            out(REMOTENAME, 8),
            out(INSTALLUSRID, 8),
            out(CHANGEUSRID, 8),
        ]
    };
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        words: &["INQUIRE", "PROGRAM"],
        function: 0x4E02,
        options: program!(text(PROGRAM, 8)),
        rules: &[],
        conditions: &[&NOTAUTH, &PGMIDERR],
    },
    Command {
        words: &["INQUIRE", "PROGRAM", "START"],
        function: 0xF068,
        options: &[text(AT, 8)],
        rules: &[],
        conditions: &[&ILLOGIC],
    },
    Command {
        words: &["INQUIRE", "PROGRAM", "NEXT"],
        function: 0xF069,
        options: program!(out(PROGRAM, 8)),
        rules: &[],
        conditions: &[&NO_MORE, &ILLOGIC],
    },
    Command {
        words: &["INQUIRE", "PROGRAM", "END"],
        function: 0xF06A,
        options: &[],
        rules: &[],
        conditions: &[&ILLOGIC],
    },
    Command {
        words: &["INQUIRE", "TRANSACTION"],
        function: 0x5002,
        options: transaction!(text(TRANSACTION, 4)),
        rules: &[],
        conditions: &[&NOTAUTH, &TRANSIDERR],
    },
    Command {
        words: &["INQUIRE", "TRANSACTION", "START"],
        function: 0xF060,
        options: &[text(AT, 4)],
        rules: &[],
        conditions: &[&ILLOGIC],
    },
    Command {
        words: &["INQUIRE", "TRANSACTION", "NEXT"],
        function: 0xF061,
        options: transaction!(out(TRANSACTION, 4)),
        rules: &[],
        conditions: &[&NO_MORE, &ILLOGIC],
    },
    Command {
        words: &["INQUIRE", "TRANSACTION", "END"],
        function: 0xF062,
        options: &[],
        rules: &[],
        conditions: &[&ILLOGIC],
    },
    Command {
        words: &["INQUIRE", "FILE"],
        function: 0x4C02,
        options: file!(text(FILE, 8)),
        rules: &[],
        conditions: &[&FILENOTFOUND],
    },
    Command {
        words: &["INQUIRE", "FILE", "START"],
        function: 0xF064,
        options: &[text(AT, 8)],
        rules: &[],
        conditions: &[&ILLOGIC],
    },
    Command {
        words: &["INQUIRE", "FILE", "NEXT"],
        function: 0xF065,
        options: file!(out(FILE, 8)),
        rules: &[],
        conditions: &[&NO_MORE, &ILLOGIC],
    },
    Command {
        words: &["INQUIRE", "FILE", "END"],
        function: 0xF066,
        options: &[],
        rules: &[],
        conditions: &[&ILLOGIC],
    },
    Command {
        words: &["SET", "FILE"],
        function: 0x4C04,
        options: &[
            text(FILE, 8),
            flag(OPEN),
            flag(CLOSED),
            cvda(OPENSTATUS, In),
            flag(ENABLED),
            flag(MAKE_DISABLED),
            cvda(ENABLESTATUS, In),
            flag(WAIT),
            flag(NOWAIT),
        ],
        rules: &[
            Rule::Need(&[FILE]),
            Rule::Exclusive(&[OPEN, CLOSED, OPENSTATUS]),
            Rule::Exclusive(&[ENABLED, MAKE_DISABLED, ENABLESTATUS]),
            Rule::Exclusive(&[WAIT, NOWAIT]),
        ],
        conditions: &[&FILENOTFOUND, &INVREQ],
    },
    Command {
        words: &["INQUIRE", "TASK"],
        function: 0x5E02,
        options: &[
            full(TASK, In),
            out(TRANSACTION, 4),
            out(PROGRAM, 8),
            out(USERID, 8),
            out(STARTCODE, 2),
            cvda(RUNSTATUS, Out),
        ],
        rules: &[Rule::Need(&[TASK])],
        conditions: &[&TASKIDERR],
    },
];
