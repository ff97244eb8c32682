//! Commands on documents.

use super::Way::{In, Out};
use super::names::*;
use super::{Argument, Command, CommandOption, Rule, characters, data, flag, full, text};
use crate::conditions::*;

const fn separator(name: OptionName) -> CommandOption {
    CommandOption { name, argument: Argument::Text { max_bytes: 1 } }
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        words: &["DOCUMENT", "CREATE"],
        function: 0xF050,
        options: &[
            flag(CREATE),
            characters(DOCTOKEN, 16),
            data(FROM, In),
            data(TEXT, In),
            data(BINARY, In),
            full(LENGTH, In),
            data(FROMDOC, In),
            text(TEMPLATE, 48),
            data(SYMBOLLIST, In),
            full(LISTLENGTH, In),
            separator(DELIMITER),
            flag(UNESCAPED),
            full(DOCSIZE, Out),
            text(HOSTCODEPAGE, 40),
        ],
        rules: &[
            Rule::Need(&[DOCTOKEN]),
            Rule::Exclusive(&[FROM, TEXT, BINARY, FROMDOC, TEMPLATE]),
            Rule::With(LENGTH, &[FROM, TEXT, BINARY]),
            Rule::With(LISTLENGTH, &[SYMBOLLIST]),
            Rule::With(DELIMITER, &[SYMBOLLIST]),
            Rule::With(UNESCAPED, &[SYMBOLLIST]),
        ],
        conditions: &[&INVREQ, &LENGERR, &NOTAUTH, &NOTFND, &SYMBOLERR, &TEMPLATERR],
    },
    Command {
        words: &["DOCUMENT", "INSERT"],
        function: 0xF051,
        options: &[
            flag(INSERT),
            data(DOCTOKEN, In),
            data(FROM, In),
            data(TEXT, In),
            data(BINARY, In),
            full(LENGTH, In),
            text(SYMBOL, 32),
            data(FROMDOC, In),
            text(TEMPLATE, 48),
            text(BOOKMARK, 16),
            full(DOCSIZE, Out),
            text(HOSTCODEPAGE, 40),
            text(AT, 16),
            text(TO, 16),
        ],
        rules: &[
            Rule::Need(&[DOCTOKEN]),
            Rule::Need(&[FROM, TEXT, BINARY, SYMBOL, FROMDOC, TEMPLATE, BOOKMARK]),
            Rule::Exclusive(&[FROM, TEXT, BINARY, SYMBOL, FROMDOC, TEMPLATE, BOOKMARK]),
            Rule::With(LENGTH, &[FROM, TEXT, BINARY]),
            Rule::With(TO, &[AT]),
        ],
        conditions: &[&DUPREC, &INVREQ, &LENGERR, &NOTAUTH, &NOTFND, &TEMPLATERR],
    },
    Command {
        words: &["DOCUMENT", "RETRIEVE"],
        function: 0xF052,
        options: &[
            flag(RETRIEVE),
            data(DOCTOKEN, In),
            data(INTO, Out),
            full(LENGTH, Out),
            full(MAXLENGTH, In),
            text(CHARACTERSET, 40),
            flag(DATAONLY),
        ],
        rules: &[Rule::Need(&[DOCTOKEN]), Rule::Need(&[INTO])],
        conditions: &[&INVREQ, &LENGERR, &NOTFND],
    },
    Command {
        words: &["DOCUMENT", "SET"],
        function: 0xF053,
        options: &[
            flag(SET),
            data(DOCTOKEN, In),
            text(SYMBOL, 32),
            data(VALUE, In),
            data(SYMBOLLIST, In),
            separator(DELIMITER),
            full(LENGTH, In),
            flag(UNESCAPED),
        ],
        rules: &[
            Rule::Need(&[DOCTOKEN]),
            Rule::Need(&[SYMBOL, SYMBOLLIST]),
            Rule::Exclusive(&[SYMBOL, SYMBOLLIST]),
            Rule::With(SYMBOL, &[VALUE]),
            Rule::With(VALUE, &[SYMBOL]),
            Rule::With(DELIMITER, &[SYMBOLLIST]),
        ],
        conditions: &[&INVREQ, &LENGERR, &NOTFND, &SYMBOLERR],
    },
    Command {
        words: &["DOCUMENT", "DELETE"],
        function: 0xF054,
        options: &[flag(DELETE), data(DOCTOKEN, In)],
        rules: &[Rule::Need(&[DOCTOKEN])],
        conditions: &[&NOTFND],
    },
];
