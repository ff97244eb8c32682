//! Names of attributes in MQSC, and their values.
//!
//! Some attributes have only one value for queues here. A definition may have this value. Another value is
//! refused, because the queue would not have it.

use crate::queue::{Change, Kind, TriggerType};

/// The meaning of one parameter of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// An attribute changes.
    Change(Change),
    /// The attribute always has this value.
    AsItIs,
    /// MQSC has the value, but queues here have only this one.
    Never(String),
}

/// The most messages of a queue.
const DEPTH_MAX: u32 = 999_999_999;
/// The most bytes of a message.
const LENGTH_MAX: u32 = 104_857_600;
/// The most bytes of a name.
const NAME_MAX: usize = 48;
/// The most bytes of a description, and of the data for a started program.
const TEXT_MAX: usize = 64;

/// Attributes with only one value, and that value; a blank stands for none.
pub const FIXED: [(&str, &str); 12] = [
    ("CLCHNAME", " "),
    ("CLUSNL", " "),
    ("CLUSTER", " "),
    ("CUSTOM", " "),
    ("DEFSOPT", "SHARED"),
    ("MAXFSIZE", "DEFAULT"),
    ("NPMCLASS", "NORMAL"),
    ("PROPCTL", "COMPAT"),
    ("SCOPE", "QMGR"),
    ("STREAMQ", " "),
    ("TARGTYPE", "QUEUE"),
    ("USAGE", "NORMAL"),
];

/// Attributes that have no effect here: they are about events, statistics, clusters, or the actions of
/// clients. They are kept and shown, with MQ's default values.
pub const KEPT: [(&str, &str, Domain); 19] = [
    ("ACCTQ", "QMGR", Domain::Words(&["QMGR", "ON", "OFF"])),
    ("CLWLPRTY", "0", Domain::Most(9)),
    ("CLWLRANK", "0", Domain::Most(9)),
    ("CLWLUSEQ", "QMGR", Domain::Words(&["QMGR", "ANY", "LOCAL"])),
    ("DEFBIND", "OPEN", Domain::Words(&["OPEN", "NOTFIXED", "GROUP"])),
    ("DEFPRESP", "SYNC", Domain::Words(&["SYNC", "ASYNC"])),
    ("DEFREADA", "NO", Domain::Words(&["NO", "YES", "DISABLED"])),
    ("DISTL", "NO", Domain::Words(&["NO", "YES"])),
    ("IMGRCOVQ", "QMGR", Domain::Words(&["QMGR", "YES", "NO"])),
    ("MONQ", "QMGR", Domain::Words(&["QMGR", "OFF", "LOW", "MEDIUM", "HIGH"])),
    ("QDEPTHHI", "80", Domain::Most(100)),
    ("QDEPTHLO", "20", Domain::Most(100)),
    ("QDPHIEV", "DISABLED", Domain::Words(&["DISABLED", "ENABLED"])),
    ("QDPLOEV", "DISABLED", Domain::Words(&["DISABLED", "ENABLED"])),
    ("QDPMAXEV", "ENABLED", Domain::Words(&["ENABLED", "DISABLED"])),
    ("QSVCIEV", "NONE", Domain::Words(&["NONE", "HIGH", "OK"])),
    ("QSVCINT", "999999999", Domain::Most(999_999_999)),
    ("RETINTVL", "999999999", Domain::Most(999_999_999)),
    ("STATQ", "QMGR", Domain::Words(&["QMGR", "ON", "OFF"])),
];

/// The ones that aliases and remote queues have too.
const KEPT_OF_NAMES: [&str; 5] = ["CLWLPRTY", "CLWLRANK", "DEFBIND", "DEFPRESP", "DEFREADA"];

/// An attribute that has no effect here, with its value; none if MQSC does not have the attribute or the value.
#[must_use]
pub fn kept(name: &str, value: &str) -> Option<Change> {
    let (name, _, domain) = KEPT.iter().find(|(known, ..)| *known == name)?;
    domain.read(value).map(|value| Change::Kept(name, value))
}

/// The default value of an attribute that has no effect here.
#[must_use]
pub fn usual(name: &str) -> Option<&'static str> {
    KEPT.iter().find(|(known, ..)| *known == name).map(|(_, value, _)| *value)
}

/// The values of an attribute that is kept.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A number that is at most this one.
    Most(u32),
}

impl Domain {
    fn read(&self, value: &str) -> Option<String> {
        match self {
            Self::Words(words) => {
                let word = words.iter().find(|word| word.eq_ignore_ascii_case(value.trim()));
                word.map(|word| (*word).to_owned())
            }
            Self::Most(most) => number(value, *most).map(|number| number.to_string()),
        }
    }
}

/// Attributes without a value.
const KEYWORDS: [&str; 6] = ["SHARE", "NOSHARE", "TRIGGER", "NOTRIGGER", "HARDENBO", "NOHARDENBO"];

/// Reads a parameter of a definition; none if queues of the kind do not have it, or not with this value.
#[must_use]
pub fn change(kind: Kind, name: &str, value: Option<&str>) -> Option<Taken> {
    let Some(value) = value else { return keyword(kind, name, true) };
    if KEYWORDS.contains(&name) {
        return keyword(kind, name, value.is_empty() || value.eq_ignore_ascii_case("yes"));
    }
    let holds = matches!(kind, Kind::Local | Kind::Model);
    if KEPT.iter().any(|(known, ..)| *known == name) {
        let is_had = holds || KEPT_OF_NAMES.contains(&name);
        return kept(name, value).filter(|_| is_had).map(Taken::Change);
    }
    if let Some((_, only)) = FIXED.iter().find(|(fixed, _)| *fixed == name) {
        let is_so = value.trim_end().eq_ignore_ascii_case(only.trim_end());
        let told = if *only == " " { format!("no {name}") } else { format!("{name}({only})") };
        return Some(if is_so { Taken::AsItIs } else { Taken::Never(told) });
    }
    if name == "DEFTYPE" && kind == Kind::Model {
        return match value.trim().to_ascii_uppercase().as_str() {
            "PERMDYN" => Some(Taken::Change(Change::Permanent(true))),
            "TEMPDYN" => Some(Taken::Change(Change::Permanent(false))),
            "SHAREDYN" => Some(Taken::Never("DEFTYPE(PERMDYN) or DEFTYPE(TEMPDYN)".to_owned())),
            _ => None,
        };
    }
    if name == "TYPE" || name == "QTYPE" {
        return value.eq_ignore_ascii_case(kind.mqsc()).then_some(Taken::AsItIs);
    }
    let change = match name {
        "DESCR" => Change::Description(text(value, TEXT_MAX)?),
        "PUT" => Change::PutEnabled(one_of(value, "ENABLED", "DISABLED")?),
        "DEFPRTY" => Change::DefaultPriority(number(value, 9)? as u8),
        "DEFPSIST" => Change::DefaultPersistent(one_of(value, "YES", "NO")?),
        "GET" if kind != Kind::Remote => Change::GetEnabled(one_of(value, "ENABLED", "DISABLED")?),
        "TARGET" | "TARGQ" if kind == Kind::Alias => Change::Target(text(value, NAME_MAX)?),
        "RNAME" if kind == Kind::Remote => Change::RemoteQueue(text(value, NAME_MAX)?),
        "RQMNAME" if kind == Kind::Remote => Change::RemoteManager(text(value, NAME_MAX)?),
        "XMITQ" if kind == Kind::Remote => Change::TransmissionQueue(text(value, NAME_MAX)?),
        _ if holds => of_messages(name, value)?,
        _ => return None,
    };
    Some(Taken::Change(change))
}

/// Attributes of queues that hold messages.
fn of_messages(name: &str, value: &str) -> Option<Change> {
    Some(match name {
        "MAXDEPTH" => Change::MaximumDepth(number(value, DEPTH_MAX)?),
        "MAXMSGL" => Change::MaximumLength(number(value, LENGTH_MAX)?),
        "MSGDLVSQ" => Change::ByPriority(one_of(value, "PRIORITY", "FIFO")?),
        "BOTHRESH" => Change::BackoutThreshold(number(value, DEPTH_MAX)?),
        "BOQNAME" => Change::BackoutQueue(text(value, NAME_MAX)?),
        "TRIGTYPE" => Change::TriggerType(match value.to_ascii_uppercase().as_str() {
            "NONE" => TriggerType::None,
            "FIRST" => TriggerType::First,
            "EVERY" => TriggerType::Every,
            "DEPTH" => TriggerType::Depth,
            _ => return None,
        }),
        "TRIGDPTH" => Change::TriggerDepth(number(value, DEPTH_MAX).filter(|depth| *depth > 0)?),
        "TRIGMPRI" => Change::TriggerPriority(number(value, 9)? as u8),
        "TRIGDATA" => Change::TriggerData(text(value, TEXT_MAX)?),
        "PROCESS" => Change::Process(text(value, NAME_MAX)?),
        "INITQ" => Change::InitiationQueue(text(value, NAME_MAX)?),
        _ => return None,
    })
}

fn keyword(kind: Kind, name: &str, yes: bool) -> Option<Taken> {
    let holds = matches!(kind, Kind::Local | Kind::Model);
    match (name, yes) {
        _ if !holds => None,
        ("SHARE", true) | ("NOSHARE", false) => Some(Taken::AsItIs),
        ("SHARE" | "NOSHARE", _) => Some(Taken::Never("SHARE".to_owned())),
        // The count of backouts begins again with a restart, whatever the definition says.
        ("HARDENBO" | "NOHARDENBO", _) => Some(Taken::AsItIs),
        ("TRIGGER", yes) => Some(Taken::Change(Change::Trigger(yes))),
        ("NOTRIGGER", yes) => Some(Taken::Change(Change::Trigger(!yes))),
        _ => None,
    }
}

fn number(value: &str, most: u32) -> Option<u32> {
    let value = value.trim();
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { value.parse::<u32>().ok() } else { None };
    number.filter(|number| *number <= most)
}

fn one_of(value: &str, yes: &str, no: &str) -> Option<bool> {
    let value = value.trim();
    if value.eq_ignore_ascii_case(yes) { Some(true) } else { value.eq_ignore_ascii_case(no).then_some(false) }
}

fn text(value: &str, most: usize) -> Option<String> {
    let value = value.trim_end();
    let fits = value.len() <= most && !value.chars().any(char::is_control);
    fits.then(|| value.to_owned())
}
