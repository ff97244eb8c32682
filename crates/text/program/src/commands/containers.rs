//! Commands on channels and containers.

use super::Way::{Both, In, Out};
use super::names::*;
use super::{Command, Rule, characters, cvda, data, flag, full, pointer, text};
use crate::conditions::*;

pub(super) const COMMANDS: &[Command] = &[
    Command {
        words: &["PUT", "CONTAINER"],
        function: 0x3414,
        options: &[
            text(CONTAINER, 16),
            text(CHANNEL, 16),
            data(FROM, In),
            full(FLENGTH, In),
            flag(BIT),
            flag(CHAR),
            cvda(DATATYPE, In),
            full(FROMCCSID, In),
            text(FROMCODEPAGE, 40),
            flag(APPEND),
            flag(PREPEND),
        ],
        rules: &[
            Rule::Need(&[CONTAINER]),
            Rule::Need(&[FROM]),
            Rule::Exclusive(&[BIT, CHAR, DATATYPE]),
            Rule::Exclusive(&[BIT, FROMCCSID, FROMCODEPAGE]),
            Rule::Exclusive(&[APPEND, PREPEND]),
        ],
        conditions: &[&CCSIDERR, &CHANNELERR, &CODEPAGEERR, &CONTAINERERR, &INVREQ, &LENGERR],
    },
    Command {
        words: &["GET", "CONTAINER"],
        function: 0x3416,
        options: &[
            text(CONTAINER, 16),
            text(CHANNEL, 16),
            data(INTO, Out),
            pointer(SET, Out),
            flag(NODATA),
            full(FLENGTH, Both),
            full(BYTEOFFSET, In),
            full(INTOCCSID, In),
            text(INTOCODEPAGE, 40),
            cvda(CONVERTST, In),
            flag(NOCONVERT),
            full(CCSID, Out),
        ],
        rules: &[
            Rule::Need(&[CONTAINER]),
            Rule::Need(&[INTO, SET, NODATA]),
            Rule::Exclusive(&[INTO, SET, NODATA]),
            Rule::With(SET, &[FLENGTH]),
            Rule::With(NODATA, &[FLENGTH]),
            Rule::Exclusive(&[INTOCCSID, INTOCODEPAGE, CONVERTST, NOCONVERT]),
            Rule::With(CCSID, &[CONVERTST, NOCONVERT]),
        ],
        conditions: &[&CCSIDERR, &CHANNELERR, &CODEPAGEERR, &CONTAINERERR, &INVREQ, &LENGERR],
    },
    Command {
        words: &["MOVE", "CONTAINER"],
        function: 0xF001,
        options: &[text(CONTAINER, 16), text(AS, 16), text(CHANNEL, 16), text(TOCHANNEL, 16)],
        rules: &[Rule::Need(&[CONTAINER]), Rule::Need(&[AS])],
        conditions: &[&CHANNELERR, &CONTAINERERR, &INVREQ],
    },
    Command {
        words: &["DELETE", "CONTAINER"],
        function: 0xF002,
        options: &[text(CONTAINER, 16), text(CHANNEL, 16)],
        rules: &[Rule::Need(&[CONTAINER])],
        conditions: &[&CHANNELERR, &CONTAINERERR, &INVREQ],
    },
    Command {
        words: &["DELETE", "CHANNEL"],
        function: 0xF003,
        options: &[text(CHANNEL, 16)],
        rules: &[Rule::Need(&[CHANNEL])],
        conditions: &[&CHANNELERR],
    },
    Command {
        words: &["QUERY", "CHANNEL"],
        function: 0xF004,
        options: &[text(CHANNEL, 16), full(CONTAINERCNT, Out)],
        rules: &[Rule::Need(&[CONTAINERCNT])],
        conditions: &[&CHANNELERR, &INVREQ],
    },
    Command {
        words: &["STARTBROWSE", "CONTAINER"],
        function: 0xF005,
        options: &[flag(CONTAINER), text(CHANNEL, 16), full(BROWSETOKEN, Out)],
        rules: &[Rule::Need(&[BROWSETOKEN])],
        conditions: &[&CHANNELERR, &INVREQ],
    },
    Command {
        words: &["GETNEXT", "CONTAINER"],
        function: 0xF006,
        options: &[characters(CONTAINER, 16), full(BROWSETOKEN, In)],
        rules: &[Rule::Need(&[CONTAINER]), Rule::Need(&[BROWSETOKEN])],
        conditions: &[&END, &INVREQ, &TOKENERR],
    },
    Command {
        words: &["ENDBROWSE", "CONTAINER"],
        function: 0xF007,
        options: &[flag(CONTAINER), full(BROWSETOKEN, In)],
        rules: &[Rule::Need(&[BROWSETOKEN])],
        conditions: &[&INVREQ, &TOKENERR],
    },
];
