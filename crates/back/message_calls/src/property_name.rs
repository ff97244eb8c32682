//! Names of properties: which ones programs may set, and patterns by which they inquire.
//!
//! Source: IBM MQ, "Property names", "Property name restrictions", and the explanations of the reasons 2442 and 2513.

use codepage::{Encoding, Unmappable};
use message::{Property, Reason};
use wire::PropertyAsk;

use crate::task::Surroundings;
use crate::topic::ccsid_of;

/// MQ-MAX-PROPERTY-NAME-LENGTH.
const NAME_BYTES_MAX: usize = 4095;

/// The prefix of properties that are fields of MQMD.
const DESCRIPTOR: &str = "Root.MQMD.";

/// The fields of MQMD that are properties. The copybook has the same names in capitals.
pub(crate) const FIELDS: [&str; 27] = [
    "Report",
    "MsgType",
    "Expiry",
    "Feedback",
    "Encoding",
    "CodedCharSetId",
    "Format",
    "Priority",
    "Persistence",
    "MsgId",
    "CorrelId",
    "BackoutCount",
    "ReplyToQ",
    "ReplyToQMgr",
    "UserIdentifier",
    "AccountingToken",
    "ApplIdentityData",
    "PutApplType",
    "PutApplName",
    "PutDate",
    "PutTime",
    "ApplOriginData",
    "GroupId",
    "MsgSeqNumber",
    "Offset",
    "MsgFlags",
    "OriginalLength",
];

/// Words of selection strings, which no property may be named.
const KEYWORDS: [&str; 11] =
    ["NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"];

/// The name of a property, or the beginning of names. `usr.` at its beginning is left out: it changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    text: String,
    is_beginning: bool,
}

impl Pattern {
    /// The name of a request. `%` at its end stands for any characters.
    ///
    /// # Errors
    /// `PropertyNameLength`; `PropertyName` if it is not text, or has `%` elsewhere.
    pub(crate) fn of(ask: &PropertyAsk, around: Surroundings<'_>) -> Result<Self, Reason> {
        let text = text(ask, around)?;
        let (text, is_beginning) = match text.strip_suffix('%') {
            Some(beginning) => (beginning, true),
            None => (&*text, false),
        };
        let text = plain(text);
        if text.contains('%') || (text.is_empty() && !is_beginning) {
            return Err(Reason::PropertyName);
        }
        Ok(Self { text: text.to_owned(), is_beginning })
    }

    /// True if it stands for several names.
    pub(crate) fn is_beginning(&self) -> bool {
        self.is_beginning
    }

    /// True for the name of a property of a message.
    pub(crate) fn is_of_property(&self, name: &str) -> bool {
        self.is_of(plain(name))
    }

    /// True for a field of MQMD. `%` alone stands for no field.
    pub(crate) fn is_of_field(&self, field: &str) -> bool {
        self.text.starts_with("Root.") && self.is_of(&field_name(field))
    }

    fn is_of(&self, name: &str) -> bool {
        if self.is_beginning { name.starts_with(&self.text) } else { name == self.text }
    }
}

/// The whole name of a field of MQMD.
pub(crate) fn field_name(field: &str) -> String {
    format!("{DESCRIPTOR}{field}")
}

/// A name without the folder of users.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix("usr.").unwrap_or(name)
}

/// The name that a program sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NewName {
    /// A field of MQMD.
    Field(&'static str),
    /// A property.
    Property(String),
}

impl NewName {
    /// The name of a request, checked.
    ///
    /// # Errors
    /// `PropertyNameLength`, `PropertyName`.
    pub(crate) fn of(ask: &PropertyAsk, around: Surroundings<'_>) -> Result<Self, Reason> {
        let name = text(ask, around)?;
        if let Some(field) = name.strip_prefix(DESCRIPTOR) {
            let known = FIELDS.iter().find(|known| **known == field);
            return known.map(|known| Self::Field(known)).ok_or(Reason::PropertyName);
        }
        let name = plain(&name);
        check(name)?;
        Ok(Self::Property(name.to_owned()))
    }
}

/// Checks the rules that are not those of [`Property`].
fn check(name: &str) -> Result<(), Reason> {
    let begins = |begin: &str| name.get(..begin.len()).is_some_and(|head| head.eq_ignore_ascii_case(begin));
    let is_reserved = ["JMS", "Body", "Root"].iter().any(|begin| name.starts_with(begin))
        || KEYWORDS.iter().any(|word| word.eq_ignore_ascii_case(name))
        || name == Property::ORIGIN_QUEUE;
    let is_of_manager = begins("mq") && !begins("mq_usr");
    let has_bad_dots = name.contains("..")
        || name.ends_with('.')
        || (is_of_manager && name.bytes().filter(|byte| *byte == b'.').count() > 1);
    // Names are of the basic multilingual plane.
    let is_wide = name.chars().any(|character| u32::from(character) > 0xFFFF);
    if is_reserved || has_bad_dots || is_wide { Err(Reason::PropertyName) } else { Ok(()) }
}

fn text(ask: &PropertyAsk, around: Surroundings<'_>) -> Result<String, Reason> {
    if ask.name.is_empty() || ask.name.len() > NAME_BYTES_MAX {
        return Err(Reason::PropertyNameLength);
    }
    let encoding =
        ccsid_of(ask.name_ccsid, around).and_then(Encoding::by_ccsid).ok_or(Reason::SourceCcsid)?;
    let mut text = String::with_capacity(ask.name.len());
    encoding.decode(&ask.name, Unmappable::Error, &mut text).map_err(|_| Reason::PropertyName)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mqi::MESSAGE;

    #[test]
    fn names_of_others_are_refused() {
        for good in ["colour", "mq_usr.a.b", "mq.a", "a.b.c", "Rooster", "NOTE", "jms.Dst", "größe"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let bad = [
            "JMSType",
            "Root.a",
            "Body",
            "not",
            "Escape",
            "mq.a.b",
            "MQ.a.b",
            "a..b",
            "a.",
            "\u{1F600}",
            Property::ORIGIN_QUEUE,
        ];
        for bad in bad {
            assert_eq!(check(bad), Err(Reason::PropertyName), "{bad}");
        }
    }

    #[test]
    fn fields_are_those_of_the_descriptor() {
        for field in FIELDS {
            assert!(MESSAGE.field(&field.to_ascii_uppercase()).is_some(), "{field}");
        }
        let all: usize = MESSAGE.versions.iter().map(|fields| fields.len()).sum();
        assert_eq!(FIELDS.len(), all - 2, "all but the identifier and the version");
    }

    #[test]
    fn patterns_stand_for_names() {
        let of = |text: &str, is_beginning| Pattern { text: text.to_owned(), is_beginning };
        assert!(of("colour", false).is_of_property("colour"));
        assert!(of("colour", false).is_of_property("usr.colour"));
        assert!(!of("colour", false).is_of_property("colours"));
        assert!(of("", true).is_of_property("a.b") && !of("", true).is_of_field("MsgId"));
        assert!(of("Root.MQMD.", true).is_of_field("MsgId"));
        assert!(of("Root.MQMD.MsgId", false).is_of_field("MsgId"));
        assert!(!of("Root.MQMD.MsgId", false).is_of_field("MsgType"));
    }
}
