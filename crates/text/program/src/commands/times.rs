//! Commands on time, and the small built-in functions.

use super::Argument;
use super::Way::{Both, In, Out};
use super::names::*;
use super::{Command, CommandOption, Rule, characters, cvda, data, flag, full, half, packed};
use crate::conditions::*;

/// A separator that may be left out: DATESEP alone means `/`, TIMESEP alone means `:`.
const fn separator(name: OptionName) -> CommandOption {
    CommandOption { name, argument: Argument::Separator }
}

pub(super) const COMMANDS: &[Command] = &[
    Command { words: &["ASKTIME"], function: 0x1002, options: &[], rules: &[], conditions: &[] },
    Command {
        words: &["ASKTIME", "ABSTIME"],
        function: 0x4A02,
        options: &[packed(ABSTIME, Out)],
        rules: &[],
        conditions: &[],
    },
    Command {
        words: &["FORMATTIME"],
        function: 0x4A04,
        options: &[
            packed(ABSTIME, In),
            characters(DATE, 10),
            characters(FULLDATE, 10),
            characters(DATEFORM, 6),
            separator(DATESEP),
            characters(DATESTRING, 64),
            cvda(STRINGFORMAT, In),
            flag(RFC1123),
            flag(RFC3339),
            cvda(STRINGZONE, In),
            flag(LOCAL),
            flag(UTC),
            characters(DDMMYY, 8),
            characters(DDMMYYYY, 10),
            characters(MMDDYY, 8),
            characters(MMDDYYYY, 10),
            characters(YYDDD, 6),
            characters(YYDDMM, 8),
            characters(YYMMDD, 8),
            characters(YYYYDDD, 8),
            characters(YYYYDDMM, 10),
            characters(YYYYMMDD, 10),
            characters(TIME, 8),
            separator(TIMESEP),
            full(DAYCOUNT, Out),
            full(DAYOFMONTH, Out),
            full(DAYOFWEEK, Out),
            full(MONTHOFYEAR, Out),
            full(YEAR, Out),
            full(MILLISECONDS, Out),
        ],
        rules: &[
            Rule::Need(&[ABSTIME]),
            Rule::Exclusive(&[STRINGFORMAT, RFC1123, RFC3339]),
            Rule::Exclusive(&[STRINGZONE, LOCAL, UTC]),
        ],
        conditions: &[&INVREQ, &ERROR],
    },
    Command {
        words: &["CONVERTTIME"],
        function: 0x4A06,
        options: &[data(DATESTRING, In), packed(ABSTIME, Out)],
        rules: &[Rule::Need(&[DATESTRING]), Rule::Need(&[ABSTIME])],
        conditions: &[&INVREQ],
    },
    Command {
        words: &["BIF", "DEEDIT"],
        function: 0x2002,
        options: &[flag(DEEDIT), data(FIELD, Both), half(LENGTH, In)],
        rules: &[Rule::Need(&[FIELD])],
        conditions: &[&LENGERR],
    },
];
