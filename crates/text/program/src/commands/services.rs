//! Commands that leave the region as services, and those that turn records into JSON or XML.

use super::Way::{Both, In};
use super::names::*;
use super::{Command, CommandOption, Rule, cvda, data, flag, full, text};
use crate::conditions::*;

/// INVOKE SERVICE and INVOKE WEBSERVICE are two names of one command.
const fn invoke(named: OptionName) -> [CommandOption; 7] {
    [
        text(named, 32),
        text(CHANNEL, 16),
        text(OPERATION, 255),
        text(URI, 255),
        text(URIMAP, 8),
        text(SCOPE, 2048),
        full(SCOPELEN, In),
    ]
}
const INVOKE_RULES: &[Rule] = &[
    Rule::Need(&[CHANNEL]),
    Rule::Need(&[OPERATION]),
    Rule::Exclusive(&[URI, URIMAP]),
    Rule::With(SCOPELEN, &[SCOPE]),
];
const INVOKE_CONDITIONS: &[&Condition] = &[&INVREQ, &LENGERR, &NOTAUTH, &NOTFND, &TIMEDOUT];

/// The two commands between records and XML have the same options.
const fn xml(way: OptionName) -> [CommandOption; 14] {
    [
        flag(way),
        text(CHANNEL, 16),
        text(DATCONTAINER, 16),
        text(XMLCONTAINER, 16),
        text(NSCONTAINER, 16),
        text(XMLTRANSFORM, 32),
        data(ELEMNAME, Both),
        full(ELEMNAMELEN, Both),
        data(ELEMNS, Both),
        full(ELEMNSLEN, Both),
        data(TYPENAME, Both),
        full(TYPENAMELEN, Both),
        data(TYPENS, Both),
        full(TYPENSLEN, Both),
    ]
}
const TRANSFORM_CONDITIONS: &[&Condition] =
    &[&CHANNELERR, &CONTAINERERR, &INVREQ, &LENGERR, &NOTAUTH, &NOTFND];
const JSON_RULES: &[Rule] = &[
    Rule::Need(&[CHANNEL]),
    Rule::Need(&[INCONTAINER]),
    Rule::Need(&[OUTCONTAINER]),
    Rule::Need(&[TRANSFORMER, JSONTRANSFRM]),
    Rule::Exclusive(&[TRANSFORMER, JSONTRANSFRM]),
];
const XML_RULES: &[Rule] = &[
    Rule::Need(&[CHANNEL]),
    Rule::Need(&[DATCONTAINER]),
    Rule::Need(&[XMLCONTAINER]),
    Rule::Need(&[XMLTRANSFORM]),
];

pub(super) const COMMANDS: &[Command] = &[
    Command {
        words: &["INVOKE", "SERVICE"],
        function: 0xF030,
        options: &invoke(SERVICE),
        rules: INVOKE_RULES,
        conditions: INVOKE_CONDITIONS,
    },
    Command {
        words: &["INVOKE", "WEBSERVICE"],
        function: 0xF031,
        options: &invoke(WEBSERVICE),
        rules: INVOKE_RULES,
        conditions: INVOKE_CONDITIONS,
    },
    Command {
        words: &["SOAPFAULT", "CREATE"],
        function: 0xF038,
        options: &[
            flag(CREATE),
            cvda(FAULTCODE, In),
            flag(CLIENT),
            flag(SERVER),
            flag(SENDER),
            flag(RECEIVER),
            data(FAULTCODESTR, In),
            full(FAULTCODELEN, In),
            data(FAULTSTRING, In),
            full(FAULTSTRLEN, In),
            text(NATLANG, 8),
            data(ROLE, In),
            full(ROLELENGTH, In),
            data(FAULTACTOR, In),
            full(FAULTACTLEN, In),
            data(DETAIL, In),
            full(DETAILLENGTH, In),
            full(FROMCCSID, In),
        ],
        rules: &[
            Rule::Need(&[FAULTCODE, CLIENT, SERVER, SENDER, RECEIVER, FAULTCODESTR]),
            Rule::Exclusive(&[FAULTCODE, CLIENT, SERVER, SENDER, RECEIVER, FAULTCODESTR]),
            Rule::Need(&[FAULTSTRING]),
            Rule::Exclusive(&[ROLE, FAULTACTOR]),
            Rule::With(FAULTCODELEN, &[FAULTCODESTR]),
            Rule::With(ROLELENGTH, &[ROLE]),
            Rule::With(FAULTACTLEN, &[FAULTACTOR]),
            Rule::With(DETAILLENGTH, &[DETAIL]),
        ],
        conditions: &[&CCSIDERR, &CHANNELERR, &INVREQ, &LENGERR],
    },
    Command {
        words: &["SOAPFAULT", "ADD"],
        function: 0xF039,
        options: &[
            flag(ADD),
            data(FAULTSTRING, In),
            full(FAULTSTRLEN, In),
            text(NATLANG, 8),
            data(SUBCODESTR, In),
            full(SUBCODELEN, In),
            full(FROMCCSID, In),
        ],
        rules: &[
            Rule::Need(&[FAULTSTRING, SUBCODESTR]),
            Rule::Exclusive(&[FAULTSTRING, SUBCODESTR]),
            Rule::With(FAULTSTRLEN, &[FAULTSTRING]),
            Rule::With(SUBCODELEN, &[SUBCODESTR]),
        ],
        conditions: &[&CCSIDERR, &CHANNELERR, &INVREQ, &LENGERR],
    },
    Command {
        words: &["SOAPFAULT", "DELETE"],
        function: 0xF03A,
        options: &[flag(DELETE)],
        rules: &[],
        conditions: &[&CHANNELERR, &INVREQ, &NOTFND],
    },
    Command {
        words: &["TRANSFORM", "DATATOJSON"],
        function: 0xF040,
        options: &[
            flag(DATATOJSON),
            text(CHANNEL, 16),
            text(INCONTAINER, 16),
            text(OUTCONTAINER, 16),
            text(TRANSFORMER, 32),
            text(JSONTRANSFRM, 32),
        ],
        rules: JSON_RULES,
        conditions: TRANSFORM_CONDITIONS,
    },
    Command {
        words: &["TRANSFORM", "JSONTODATA"],
        function: 0xF041,
        options: &[
            flag(JSONTODATA),
            text(CHANNEL, 16),
            text(INCONTAINER, 16),
            text(OUTCONTAINER, 16),
            text(TRANSFORMER, 32),
            text(JSONTRANSFRM, 32),
        ],
        rules: JSON_RULES,
        conditions: TRANSFORM_CONDITIONS,
    },
    Command {
        words: &["TRANSFORM", "DATATOXML"],
        function: 0xF042,
        options: &xml(DATATOXML),
        rules: XML_RULES,
        conditions: TRANSFORM_CONDITIONS,
    },
    Command {
        words: &["TRANSFORM", "XMLTODATA"],
        function: 0xF043,
        options: &xml(XMLTODATA),
        rules: &[Rule::Need(&[CHANNEL]), Rule::Need(&[XMLCONTAINER])],
        conditions: TRANSFORM_CONDITIONS,
    },
];
