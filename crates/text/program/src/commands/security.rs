//! QUERY SECURITY: which access a user has to a resource.

use super::Way::{In, Out};
use super::names::*;
use super::{Command, Rule, cvda, full, text};
use crate::conditions::{INVREQ, LENGERR, NOTAUTH, NOTFND, QIDERR, USERIDERR};

/// The most bytes of RESID.
pub const RESID_MAX_BYTES: u16 = 246;

pub(super) const COMMANDS: &[Command] = &[Command {
    words: &["QUERY", "SECURITY"],
    function: 0x6A02,
    options: &[
        text(RESTYPE, 12),
        text(RESCLASS, 8),
        full(RESIDLENGTH, In),
        text(RESID, RESID_MAX_BYTES),
        text(USERID, 8),
        cvda(LOGMESSAGE, In),
        cvda(READ, Out),
        cvda(UPDATE, Out),
        cvda(CONTROL, Out),
        cvda(ALTER, Out),
    ],
    rules: &[
        Rule::Need(&[RESTYPE, RESCLASS]),
        Rule::Exclusive(&[RESTYPE, RESCLASS]),
        Rule::Need(&[RESID]),
        Rule::With(RESCLASS, &[RESIDLENGTH]),
        Rule::With(RESIDLENGTH, &[RESCLASS]),
    ],
    conditions: &[&INVREQ, &LENGERR, &NOTAUTH, &NOTFND, &QIDERR, &USERIDERR],
}];
