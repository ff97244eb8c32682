//! Commands on facilities around a region: dumps, events, the spool of JES, journals, and loaded programs.
//!
//! A region here has no spool, no journals and no event bindings. The commands do what they do in a region of CICS without these.

use super::Way::{In, Out};
use super::names::*;
use super::{Command, CommandOption, Rule, characters, data, flag, full, half, pointer, text};
use crate::conditions::*;

const TOKEN_NEEDED: Rule = Rule::Need(&[TOKEN]);
const SPOOLING: &[&Condition] =
    &[&ALLOCERR, &INVREQ, &LENGERR, &NODEIDERR, &NOSPOOL, &NOSTG, &OPENERR, &SPOLBUSY, &SPOLERR, &STRELERR];

const fn token(way: super::Way) -> CommandOption {
    data(TOKEN, way)
}

/// Those of DUMP, behind the word that DUMP TRANSACTION has more.
const DUMP_OPTIONS: &[CommandOption] = &[
    flag(TRANSACTION),
    text(DUMPCODE, 4),
    data(FROM, In),
    half(LENGTH, In),
    full(FLENGTH, In),
    characters(DUMPID, 9),
    flag(COMPLETE),
    flag(TRT),
    flag(TASK),
    flag(STORAGE),
    flag(PROGRAM),
    flag(TERMINAL),
    flag(TABLES),
    flag(FCT),
    flag(PCT),
    flag(PPT),
    flag(SIT),
    flag(TCT),
];
const DUMP_RULES: &[Rule] = &[
    Rule::Need(&[DUMPCODE]),
    Rule::With(LENGTH, &[FROM]),
    Rule::With(FLENGTH, &[FROM]),
    Rule::Exclusive(&[LENGTH, FLENGTH]),
];
const DUMPING: &[&Condition] = &[&INVREQ, &IOERR, &NOSPACE, &NOSTG, &NOTOPEN, &OPENERR, &SUPPRESSED];

const JOURNAL_OPTIONS: [CommandOption; 8] = [
    text(JTYPEID, 2),
    data(FROM, In),
    full(FLENGTH, In),
    data(PREFIX, In),
    half(PFXLENG, In),
    full(REQID, Out),
    flag(WAIT),
    flag(NOSUSPEND),
];
const JOURNALING: &[&Condition] = &[&INVREQ, &IOERR, &JIDERR, &LENGERR, &NOJBUFSP, &NOTAUTH, &NOTOPEN];

const fn journal(name: CommandOption) -> [CommandOption; 9] {
    let [jtypeid, from, flength, prefix, pfxleng, reqid, wait, nosuspend] = JOURNAL_OPTIONS;
    [name, jtypeid, from, flength, prefix, pfxleng, reqid, wait, nosuspend]
}

/// The message about a command that fails here, and its help; none for all other commands.
pub fn absent(command: &Command) -> Option<(String, &'static str)> {
    let (reason, help) = match command.function {
        0x5602..=0x5610 => ("NOSPOOL: a region has no spool", "write to a transient data queue"),
        0x1402..=0x1408 | 0xF095 | 0xF096 => {
            ("JIDERR: a region has no journals", "write to a transient data queue or to a file")
        }
        0x0E06 | 0x0E0A => (
            "PGMIDERR: a program is a library of this machine, whose entry point leads to no table",
            "read tables from a file, or link to the program",
        ),
        _ => return None,
    };
    Some((format!("{} raises {reason}", command.name()), help))
}

/// The message about an option that gives nothing here, and its help; none for all other options.
pub fn absent_option(command: &Command, option: OptionName) -> Option<(String, &'static str)> {
    let is_common_area = command.words == ["ADDRESS"] && option == CWA;
    is_common_area.then(|| {
        let message = "ADDRESS CWA gives X'FF000000': a region has no common work area, because programs run in processes without common memory";
        (message.to_owned(), "keep data that tasks share in a TS queue, a file or a counter")
    })
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        words: &["DUMP", "TRANSACTION"],
        function: 0x7E02,
        options: DUMP_OPTIONS,
        rules: DUMP_RULES,
        conditions: DUMPING,
    },
    // The older form of the same.
    Command {
        words: &["DUMP"],
        function: 0x1C02,
        options: DUMP_OPTIONS.split_at(1).1,
        rules: DUMP_RULES,
        conditions: DUMPING,
    },
    Command {
        words: &["SIGNAL", "EVENT"],
        function: 0xF083,
        options: &[text(EVENT, 32), text(FROMCHANNEL, 16), data(FROM, In), full(FROMLENGTH, In)],
        rules: &[
            Rule::Need(&[EVENT]),
            Rule::Exclusive(&[FROM, FROMCHANNEL]),
            Rule::With(FROMLENGTH, &[FROM]),
        ],
        conditions: &[&CHANNELERR, &EVENTERR, &INVREQ, &LENGERR],
    },
    Command {
        words: &["SPOOLOPEN"],
        function: 0x5602,
        options: &[
            flag(INPUT),
            flag(OUTPUT),
            token(Out),
            text(USERID, 8),
            text(NODE, 8),
            text(CLASS, 1),
            data(OUTDESCR, In),
            flag(NOCC),
            flag(ASA),
            flag(MCC),
            flag(PRINT),
            flag(PUNCH),
            full(RECORDLENGTH, In),
            flag(NOSUSPEND),
        ],
        rules: &[
            TOKEN_NEEDED,
            Rule::Need(&[INPUT, OUTPUT]),
            Rule::Exclusive(&[INPUT, OUTPUT]),
            Rule::Exclusive(&[NOCC, ASA, MCC]),
            Rule::Exclusive(&[PRINT, PUNCH]),
        ],
        conditions: SPOOLING,
    },
    Command {
        words: &["SPOOLREAD"],
        function: 0x5604,
        options: &[token(In), data(INTO, Out), full(MAXFLENGTH, In), full(TOFLENGTH, Out)],
        rules: &[TOKEN_NEEDED, Rule::Need(&[INTO])],
        conditions: SPOOLING,
    },
    Command {
        words: &["SPOOLWRITE"],
        function: 0x5606,
        options: &[token(In), data(FROM, In), full(FLENGTH, In), flag(LINE), flag(PAGE)],
        rules: &[TOKEN_NEEDED, Rule::Need(&[FROM]), Rule::Exclusive(&[LINE, PAGE])],
        conditions: SPOOLING,
    },
    Command {
        words: &["SPOOLCLOSE"],
        function: 0x5610,
        options: &[token(In), flag(KEEP), flag(DELETE)],
        rules: &[TOKEN_NEEDED, Rule::Exclusive(&[KEEP, DELETE])],
        conditions: SPOOLING,
    },
    Command {
        words: &["WRITE", "JOURNALNUM"],
        function: 0x1402,
        options: &journal(half(JOURNALNUM, In)),
        rules: &[Rule::Need(&[FROM]), Rule::Need(&[JTYPEID]), Rule::With(PFXLENG, &[PREFIX])],
        conditions: JOURNALING,
    },
    Command {
        words: &["WRITE", "JOURNALNAME"],
        function: 0x1406,
        options: &journal(text(JOURNALNAME, 8)),
        rules: &[Rule::Need(&[FROM]), Rule::Need(&[JTYPEID]), Rule::With(PFXLENG, &[PREFIX])],
        conditions: JOURNALING,
    },
    Command {
        words: &["WAIT", "JOURNALNUM"],
        function: 0x1404,
        options: &[half(JOURNALNUM, In), full(REQID, In)],
        rules: &[],
        conditions: JOURNALING,
    },
    Command {
        words: &["WAIT", "JOURNALNAME"],
        function: 0x1408,
        options: &[text(JOURNALNAME, 8), full(REQID, In)],
        rules: &[],
        conditions: JOURNALING,
    },
    // The older forms of the same.
    Command {
        words: &["JOURNAL"],
        function: 0xF095,
        options: &[
            half(JFILEID, In),
            text(JTYPEID, 2),
            data(FROM, In),
            half(LENGTH, In),
            data(PREFIX, In),
            half(PFXLENG, In),
            full(REQID, Out),
            flag(STARTIO),
            flag(WAIT),
            flag(NOSUSPEND),
        ],
        rules: &[
            Rule::Need(&[JFILEID]),
            Rule::Need(&[FROM]),
            Rule::Need(&[JTYPEID]),
            Rule::With(PFXLENG, &[PREFIX]),
        ],
        conditions: JOURNALING,
    },
    Command {
        words: &["WAIT", "JOURNAL"],
        function: 0xF096,
        options: &[half(JFILEID, In), full(REQID, In), flag(STARTIO)],
        rules: &[Rule::Need(&[JFILEID])],
        conditions: JOURNALING,
    },
    Command {
        words: &["LOAD", "PROGRAM"],
        function: 0x0E06,
        options: &[
            text(PROGRAM, 8),
            pointer(SET, Out),
            half(LENGTH, Out),
            full(FLENGTH, Out),
            pointer(ENTRY, Out),
            flag(HOLD),
        ],
        rules: &[Rule::Exclusive(&[LENGTH, FLENGTH])],
        conditions: &[&INVREQ, &LENGERR, &NOTAUTH, &PGMIDERR],
    },
    Command {
        words: &["RELEASE", "PROGRAM"],
        function: 0x0E0A,
        options: &[text(PROGRAM, 8)],
        rules: &[],
        conditions: &[&INVREQ, &NOTAUTH, &PGMIDERR],
    },
];
