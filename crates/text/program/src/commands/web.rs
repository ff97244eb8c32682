//! Commands of a program that answers a request over HTTP: the server side of CICS web support.

use super::Way::{Both, In, Out};
use super::names::*;
use super::{
    Argument, Command, CommandOption, Rule, characters, cvda, data, flag, full, half, pointer, text,
};
use crate::conditions::{CHANNELERR, CONTAINERERR, ENDFILE, ILLOGIC, INVREQ, IOERR, LENGERR, NOTFND};

/// Data that the program gives, which it may leave out with its brackets.
const fn optional(name: OptionName) -> CommandOption {
    CommandOption { name, argument: Argument::Optional }
}

/// The options of WEB EXTRACT.
const EXTRACTED: &[CommandOption] = &[
    flag(EXTRACT),
    flag(WEB),
    cvda(SCHEME, Out),
    data(HOST, Out),
    full(HOSTLENGTH, Both),
    cvda(HOSTTYPE, Out),
    data(HTTPMETHOD, Out),
    full(METHODLENGTH, Both),
    data(HTTPVERSION, Out),
    full(VERSIONLEN, Both),
    data(PATH, Out),
    full(PATHLENGTH, Both),
    full(PORTNUMBER, Out),
    data(QUERYSTRING, Out),
    full(QUERYSTRLEN, Both),
    cvda(REQUESTTYPE, Out),
    characters(URIMAP, 8),
];

/// The options of a command that reads one value by its name.
macro_rules! read {
    ($name:expr, $($more:expr),*) => {
        &[
            flag(READ),
            data($name, In),
            full(NAMELENGTH, In),
            data(VALUE, Out),
            full(VALUELENGTH, Both),
            $($more),*
        ]
    };
}

/// The options of a command that reads the next name with its value.
macro_rules! next {
    ($name:expr) => {
        &[flag(READNEXT), data($name, Out), full(NAMELENGTH, Both), data(VALUE, Out), full(VALUELENGTH, Both)]
    };
}

/// The options of a command that begins a browse of fields.
macro_rules! start {
    ($name:expr) => {
        &[
            flag(STARTBROWSE),
            optional($name),
            full(NAMELENGTH, In),
            text(CHARACTERSET, 40),
            text(CLNTCODEPAGE, 40),
            text(HOSTCODEPAGE, 40),
        ]
    };
}

pub(super) const COMMANDS: &[Command] = &[
    Command {
        words: &["WEB", "EXTRACT"],
        function: 0xF070,
        options: EXTRACTED,
        rules: &[],
        conditions: &[&INVREQ, &LENGERR],
    },
    Command {
        words: &["EXTRACT", "WEB"],
        function: 0xF071,
        options: EXTRACTED,
        rules: &[],
        conditions: &[&INVREQ, &LENGERR],
    },
    Command {
        words: &["WEB", "RECEIVE"],
        function: 0xF072,
        options: &[
            flag(RECEIVE),
            data(INTO, Out),
            pointer(SET, Out),
            text(TOCONTAINER, 16),
            text(TOCHANNEL, 16),
            full(LENGTH, Both),
            full(MAXLENGTH, In),
            flag(NOTRUNCATE),
            cvda(TYPE, Out),
            flag(SRVCONVERT),
            flag(NOSRVCONVERT),
            cvda(SERVERCONV, In),
            text(CHARACTERSET, 40),
            text(CLNTCODEPAGE, 40),
            text(HOSTCODEPAGE, 40),
            characters(BODYCHARSET, 40),
            characters(MEDIATYPE, 56),
        ],
        rules: &[
            Rule::Need(&[INTO, SET, TOCONTAINER]),
            Rule::Exclusive(&[INTO, SET, TOCONTAINER]),
            Rule::Exclusive(&[SRVCONVERT, NOSRVCONVERT, SERVERCONV]),
            Rule::Exclusive(&[CHARACTERSET, CLNTCODEPAGE]),
            Rule::With(TOCHANNEL, &[TOCONTAINER]),
            Rule::With(MAXLENGTH, &[INTO, SET]),
            Rule::With(NOTRUNCATE, &[INTO, SET]),
        ],
        conditions: &[&CHANNELERR, &CONTAINERERR, &INVREQ, &LENGERR, &NOTFND],
    },
    Command {
        words: &["WEB", "SEND"],
        function: 0xF073,
        options: &[
            flag(SEND),
            data(FROM, In),
            full(FROMLENGTH, In),
            flag(CHUNKNO),
            flag(CHUNKYES),
            flag(CHUNKEND),
            cvda(CHUNKING, In),
            data(DOCTOKEN, In),
            flag(NODOCDELETE),
            flag(DOCDELETE),
            cvda(DOCSTATUS, In),
            text(CONTAINER, 16),
            text(CHANNEL, 16),
            text(HOSTCODEPAGE, 40),
            text(MEDIATYPE, 56),
            flag(SRVCONVERT),
            flag(NOSRVCONVERT),
            cvda(SERVERCONV, In),
            text(CHARACTERSET, 40),
            text(CLNTCODEPAGE, 40),
            half(STATUSCODE, In),
            data(STATUSTEXT, In),
            full(STATUSLEN, In),
            full(LENGTH, In),
            flag(IMMEDIATE),
            flag(EVENTUAL),
            cvda(ACTION, In),
            flag(NOCLOSE),
            flag(CLOSE),
            cvda(CLOSESTATUS, In),
        ],
        rules: &[
            Rule::Need(&[FROM, DOCTOKEN, CONTAINER, CHUNKEND, CHUNKING]),
            Rule::Exclusive(&[FROM, DOCTOKEN, CONTAINER]),
            Rule::Exclusive(&[CHUNKNO, CHUNKYES, CHUNKEND, CHUNKING]),
            Rule::Exclusive(&[NODOCDELETE, DOCDELETE, DOCSTATUS]),
            Rule::Exclusive(&[SRVCONVERT, NOSRVCONVERT, SERVERCONV]),
            Rule::Exclusive(&[CHARACTERSET, CLNTCODEPAGE]),
            Rule::Exclusive(&[STATUSLEN, LENGTH]),
            Rule::Exclusive(&[IMMEDIATE, EVENTUAL, ACTION]),
            Rule::Exclusive(&[NOCLOSE, CLOSE, CLOSESTATUS]),
            Rule::With(FROMLENGTH, &[FROM]),
            Rule::With(CHANNEL, &[CONTAINER]),
            Rule::With(NODOCDELETE, &[DOCTOKEN]),
            Rule::With(DOCDELETE, &[DOCTOKEN]),
            Rule::With(DOCSTATUS, &[DOCTOKEN]),
            Rule::With(STATUSLEN, &[STATUSTEXT]),
            Rule::With(LENGTH, &[STATUSTEXT]),
        ],
        conditions: &[&CHANNELERR, &CONTAINERERR, &IOERR, &INVREQ, &LENGERR, &NOTFND],
    },
    Command {
        words: &["WEB", "RETRIEVE"],
        function: 0xF074,
        options: &[flag(RETRIEVE), characters(DOCTOKEN, 16)],
        rules: &[Rule::Need(&[DOCTOKEN])],
        conditions: &[&INVREQ, &NOTFND],
    },
    Command {
        words: &["WEB", "READ", "HTTPHEADER"],
        function: 0xF075,
        options: read!(HTTPHEADER,),
        rules: &[Rule::Need(&[VALUE])],
        conditions: &[&INVREQ, &LENGERR, &NOTFND],
    },
    Command {
        words: &["WEB", "STARTBROWSE", "HTTPHEADER"],
        function: 0xF076,
        options: &[flag(STARTBROWSE), flag(HTTPHEADER)],
        rules: &[],
        conditions: &[&ILLOGIC, &INVREQ, &NOTFND],
    },
    Command {
        words: &["WEB", "READNEXT", "HTTPHEADER"],
        function: 0xF077,
        options: next!(HTTPHEADER),
        rules: &[Rule::Need(&[VALUE])],
        conditions: &[&ENDFILE, &INVREQ, &LENGERR],
    },
    Command {
        words: &["WEB", "ENDBROWSE", "HTTPHEADER"],
        function: 0xF078,
        options: &[flag(ENDBROWSE), flag(HTTPHEADER)],
        rules: &[],
        conditions: &[&INVREQ],
    },
    Command {
        words: &["WEB", "WRITE", "HTTPHEADER"],
        function: 0xF079,
        options: &[
            flag(WRITE),
            data(HTTPHEADER, In),
            full(NAMELENGTH, In),
            data(VALUE, In),
            full(VALUELENGTH, In),
        ],
        rules: &[Rule::Need(&[VALUE])],
        conditions: &[&INVREQ, &LENGERR],
    },
    Command {
        words: &["WEB", "READ", "FORMFIELD"],
        function: 0xF07A,
        options: read!(
            FORMFIELD,
            pointer(SET, Out),
            text(CHARACTERSET, 40),
            text(CLNTCODEPAGE, 40),
            text(HOSTCODEPAGE, 40)
        ),
        rules: &[Rule::Need(&[VALUE, SET]), Rule::Exclusive(&[VALUE, SET])],
        conditions: &[&INVREQ, &LENGERR, &NOTFND],
    },
    Command {
        words: &["WEB", "STARTBROWSE", "FORMFIELD"],
        function: 0xF07B,
        options: start!(FORMFIELD),
        rules: &[],
        conditions: &[&INVREQ, &LENGERR, &NOTFND],
    },
    Command {
        words: &["WEB", "READNEXT", "FORMFIELD"],
        function: 0xF07C,
        options: next!(FORMFIELD),
        rules: &[Rule::Need(&[VALUE])],
        conditions: &[&ENDFILE, &INVREQ, &LENGERR],
    },
    Command {
        words: &["WEB", "ENDBROWSE", "FORMFIELD"],
        function: 0xF07D,
        options: &[flag(ENDBROWSE), flag(FORMFIELD)],
        rules: &[],
        conditions: &[&INVREQ],
    },
    Command {
        words: &["WEB", "READ", "QUERYPARM"],
        function: 0xF07E,
        options: read!(
            QUERYPARM,
            pointer(SET, Out),
            text(CHARACTERSET, 40),
            text(CLNTCODEPAGE, 40),
            text(HOSTCODEPAGE, 40)
        ),
        rules: &[Rule::Need(&[VALUE, SET]), Rule::Exclusive(&[VALUE, SET])],
        conditions: &[&INVREQ, &LENGERR, &NOTFND],
    },
    Command {
        words: &["WEB", "STARTBROWSE", "QUERYPARM"],
        function: 0xF07F,
        options: start!(QUERYPARM),
        rules: &[],
        conditions: &[&INVREQ, &LENGERR, &NOTFND],
    },
    Command {
        words: &["WEB", "READNEXT", "QUERYPARM"],
        function: 0xF080,
        options: next!(QUERYPARM),
        rules: &[Rule::Need(&[VALUE])],
        conditions: &[&ENDFILE, &INVREQ, &LENGERR],
    },
    Command {
        words: &["WEB", "ENDBROWSE", "QUERYPARM"],
        function: 0xF081,
        options: &[flag(ENDBROWSE), flag(QUERYPARM)],
        rules: &[],
        conditions: &[&INVREQ],
    },
    Command {
        words: &["EXTRACT", "TCPIP"],
        function: 0xF082,
        options: &[
            flag(TCPIP),
            data(CLIENTNAME, Out),
            full(CNAMELENGTH, Both),
            data(CLIENTADDR, Out),
            full(CADDRLENGTH, Both),
            cvda(CLNTIPFAMILY, Out),
            data(SERVERNAME, Out),
            full(SNAMELENGTH, Both),
            cvda(SSLTYPE, Out),
            full(PORTNUMNU, Out),
            data(PORTNUMBER, Out),
        ],
        rules: &[],
        conditions: &[&INVREQ, &LENGERR],
    },
];
