//! Commands that are understood.

use mqsc::{Change, Kind, OTHER_OBJECTS, Parameter, Syntax, Taken, VERBS, Words};

use super::attributes;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Shows objects.
    Display(Display),
    /// Makes a queue.
    Define {
        /// Its kind.
        kind: Kind,
        /// Its name.
        name: String,
        /// A queue that is there is changed instead.
        replace: bool,
        /// The queue that gives the other attributes.
        like: Option<String>,
        /// Its attributes.
        changes: Vec<Change>,
    },
    /// Changes a queue.
    Alter {
        /// Its kind.
        kind: Kind,
        /// Its name.
        name: String,
        /// The changes.
        changes: Vec<Change>,
    },
    /// Deletes a queue.
    Delete {
        /// Its kind; none is any.
        kind: Option<Kind>,
        /// Its name.
        name: String,
        /// With its messages.
        purge: bool,
        /// A missing queue is not a failure.
        ignore_missing: bool,
    },
    /// Removes all messages of a local queue.
    Clear(String),
    /// Asks whether the queue manager is there.
    Ping,
    /// A command of MQSC about something that Gantry does not have: the part of the command, and why.
    Unsupported(String),
}

/// The act of a command, by which rights are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// It only looks.
    Look,
    /// It changes something.
    Change,
}

/// The displayed objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Display {
    /// The kind of the objects.
    pub what: What,
    /// The name, which may be generic.
    pub name: String,
    /// Of queues, which kind; none is all.
    pub kind: Option<Kind>,
    /// Which attributes.
    pub wanted: Wanted,
    /// Which of them: those that pass all filters.
    pub filters: Vec<Filter>,
}

/// Kinds of objects that are displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Queues.
    Queue,
    /// Queues, as far as they are used.
    QueueStatus,
    /// The queue manager.
    Manager,
    /// The queue manager, as far as it runs.
    ManagerStatus,
    /// Channels, listeners and other objects that do not exist here.
    Channel,
    /// Channels that run: there are none.
    ChannelStatus,
    /// Connections: those of HTTP are none of the queue manager.
    Connection,
    /// Subscriptions.
    Subscription,
    /// Processes, which messages start.
    Process,
    /// Topic objects.
    Topic,
}

/// Which attributes are displayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All of them.
    All,
    /// Those with these names, in upper case.
    Names(Vec<String>),
}

/// `WHERE(CURDEPTH GT 0)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The attribute, in upper case.
    pub attribute: String,
    /// How it is compared.
    pub operator: Operator,
    /// With what.
    pub value: String,
}

/// How an attribute is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// LT
    Less,
    /// GT
    Greater,
    /// EQ
    Equal,
    /// NE
    NotEqual,
    /// LE
    LessOrEqual,
    /// GE
    GreaterOrEqual,
    /// LK: fits a generic text.
    Like,
    /// NL: does not.
    NotLike,
}

/// Objects that commands name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Queue(Option<Kind>),
    Status,
    Manager,
    ManagerStatus,
    Channel,
    ChannelStatus,
    Connection,
    Subscription,
    Process,
    Topic,
}

/// Objects that the configuration has, and no command: what they are there.
const CONFIGURED: &[(&str, &str)] = &[
    ("AUTHREC", "rights, [[messaging.grant]]"),
    ("PRO", "processes"),
    ("PROCESS", "processes"),
    ("QMGR", "queue manager"),
    ("SBSTATUS", "subscriptions"),
    ("SUB", "subscriptions"),
    ("TOPIC", "topic objects, [[queue_manager.topic]]"),
    ("TOPICSTR", "subscriptions to topics"),
    ("TPSTATUS", "subscriptions to topics"),
];

fn object(word: &str) -> Option<Object> {
    Some(match word {
        "QUEUE" | "Q" => Object::Queue(None),
        "QSTATUS" | "QS" => Object::Status,
        "QMGR" => Object::Manager,
        "QMSTATUS" => Object::ManagerStatus,
        "CHANNEL" | "CHL" | "LISTENER" | "LSTR" | "NAMELIST" | "NL" | "SERVICE" | "AUTHINFO" | "COMMINFO" => {
            Object::Channel
        }
        "CHSTATUS" | "CHS" => Object::ChannelStatus,
        "CONN" => Object::Connection,
        "SUB" => Object::Subscription,
        "PROCESS" | "PRO" => Object::Process,
        "TOPIC" => Object::Topic,
        word => Object::Queue(Some(Kind::of_mqsc(word)?)),
    })
}

impl Command {
    pub(super) fn of(words: Words) -> Result<Self, Syntax> {
        let Some(object) = object(&words.object) else { return elsewhere(&words) };
        match (&*words.verb, object) {
            ("DISPLAY" | "DIS", Object::Status) if asks_for_handles(&words) => {
                let written = format!("{} {} TYPE(HANDLE)", words.verb, words.object);
                Ok(Self::Unsupported(format!(
                    "{written} is not supported: only the numbers of handles are known"
                )))
            }
            ("DISPLAY" | "DIS", object) => display(words, object).map(Self::Display),
            ("DEFINE" | "DEF", Object::Queue(Some(kind))) => define(words, kind),
            ("ALTER" | "ALT", Object::Queue(Some(kind))) => {
                let name = name(&words)?;
                with_changes(words.parameters, kind, |changes| Self::Alter { kind, name, changes })
            }
            ("DELETE" | "DEL", Object::Queue(kind)) => delete(&words, kind),
            ("CLEAR", Object::Queue(Some(Kind::Local))) => match &*words.parameters {
                [] => name(&words).map(Self::Clear),
                [first, ..] => Err(Syntax(first.name.clone())),
            },
            ("PING", Object::Manager) => Ok(Self::Ping),
            ("MOVE" | "RESET", Object::Queue(_)) => elsewhere(&words),
            // The other acts on queues are above.
            (_, Object::Queue(_) | Object::Status) => Err(Syntax(format!("{} {}", words.verb, words.object))),
            _ => elsewhere(&words),
        }
    }

    /// Whether it only looks.
    #[must_use]
    pub fn verb(&self) -> Verb {
        match self {
            Self::Display(_) | Self::Ping | Self::Unsupported(_) => Verb::Look,
            _ => Verb::Change,
        }
    }

    /// The queue that it changes.
    #[must_use]
    pub fn queue(&self) -> Option<&str> {
        match self {
            Self::Define { name, .. }
            | Self::Alter { name, .. }
            | Self::Delete { name, .. }
            | Self::Clear(name) => Some(name),
            Self::Display(_) | Self::Ping | Self::Unsupported(_) => None,
        }
    }
}

/// A command of MQSC, but about what is not here.
fn elsewhere(words: &Words) -> Result<Command, Syntax> {
    let written = format!("{} {}", words.verb, words.object);
    let is_one = |known: &[&str], word: &str| known.contains(&word);
    let configured = CONFIGURED.iter().find(|(known, _)| *known == words.object);
    let is_object =
        is_one(OTHER_OBJECTS, &words.object) || configured.is_some() || object(&words.object).is_some();
    if !(is_one(VERBS, &words.verb) && is_object) {
        return Err(Syntax(written));
    }
    let why = match configured {
        Some((_, what)) => format!("gantry.toml defines the {what}"),
        None => "this queue manager has queues, topics and processes only".to_owned(),
    };
    Ok(Command::Unsupported(format!("{written} is not supported: {why}")))
}

/// A status of the handles of a queue, which are not kept one by one.
fn asks_for_handles(words: &Words) -> bool {
    let is_handle = |value: &String| value.eq_ignore_ascii_case("HANDLE");
    words
        .parameters
        .iter()
        .any(|Parameter { name, value }| name == "TYPE" && value.as_ref().is_some_and(is_handle))
}

/// The name of one object.
fn name(words: &Words) -> Result<String, Syntax> {
    let name = words.name.clone().filter(|name| !name.trim().is_empty());
    name.ok_or_else(|| Syntax(format!("{} {}", words.verb, words.object)))
}

fn define(words: Words, kind: Kind) -> Result<Command, Syntax> {
    let name = name(&words)?;
    if let Some(again) = repeated(&words.parameters) {
        return Err(Syntax(again.to_owned()));
    }
    let (mut replace, mut like, mut rest) = (false, None, Vec::new());
    for parameter in words.parameters {
        match (&*parameter.name, &parameter.value) {
            ("REPLACE", value) => replace = is_yes(value.as_deref()),
            ("NOREPLACE", value) => replace = !is_yes(value.as_deref()),
            ("LIKE", Some(other)) => like = Some(other.clone()),
            _ => rest.push(parameter),
        }
    }
    with_changes(rest, kind, |changes| Command::Define { kind, name, replace, like, changes })
}

fn delete(words: &Words, kind: Option<Kind>) -> Result<Command, Syntax> {
    let name = name(words)?;
    let (mut purge, mut ignore_missing) = (false, false);
    if let Some(again) = repeated(&words.parameters) {
        return Err(Syntax(again.to_owned()));
    }
    for Parameter { name, value } in &words.parameters {
        match &**name {
            "PURGE" => purge = is_yes(value.as_deref()),
            "NOPURGE" => purge = !is_yes(value.as_deref()),
            "IGNSTATE" => ignore_missing = is_yes(value.as_deref()),
            // There are no authority records.
            "AUTHREC" => {}
            _ => return Err(Syntax(name.clone())),
        }
    }
    Ok(Command::Delete { kind, name, purge, ignore_missing })
}

/// A keyword stands alone in text, and has a value in JSON.
fn is_yes(value: Option<&str>) -> bool {
    value.is_none_or(|value| value.is_empty() || value.eq_ignore_ascii_case("yes"))
}

/// A command with the attributes that its parameters say.
fn with_changes(
    parameters: Vec<Parameter>,
    kind: Kind,
    make: impl FnOnce(Vec<Change>) -> Command,
) -> Result<Command, Syntax> {
    let mut changes = Vec::new();
    if let Some(again) = repeated(&parameters) {
        return Err(Syntax(again.to_owned()));
    }
    for Parameter { name, value } in parameters {
        let shown =
            || format!("{name}{}", value.as_ref().map(|value| format!("({value})")).unwrap_or_default());
        match mqsc::change(kind, &name, value.as_deref()) {
            Some(Taken::Change(change)) => changes.push(change),
            Some(Taken::AsItIs) => {}
            Some(Taken::Never(only)) => {
                let told = format!("{} is not supported: queues here have {only}", shown());
                return Ok(Command::Unsupported(told));
            }
            None => return Err(Syntax(shown())),
        }
    }
    Ok(make(changes))
}

/// The parameter that is there twice, also as a keyword and with NO before it.
fn repeated(parameters: &[Parameter]) -> Option<&str> {
    let plain = |name: &str| match name {
        "NOSHARE" | "NOTRIGGER" | "NOHARDENBO" | "NOREPLACE" | "NOPURGE" => name[2..].to_owned(),
        "TARGET" => "TARGQ".to_owned(),
        name => name.to_owned(),
    };
    let twice = |(at, one): &(usize, &Parameter)| {
        parameters[..*at].iter().any(|other| plain(&other.name) == plain(&one.name))
    };
    parameters.iter().enumerate().find(twice).map(|(_, parameter)| parameter.name.as_str())
}

fn display(words: Words, object: Object) -> Result<Display, Syntax> {
    let (what, mut kind) = match object {
        Object::Queue(kind) => (What::Queue, kind),
        Object::Status => (What::QueueStatus, Some(Kind::Local)),
        Object::Manager => (What::Manager, None),
        Object::ManagerStatus => (What::ManagerStatus, None),
        Object::Channel => (What::Channel, None),
        Object::ChannelStatus => (What::ChannelStatus, None),
        Object::Connection => (What::Connection, None),
        Object::Subscription => (What::Subscription, None),
        Object::Process => (What::Process, None),
        Object::Topic => (What::Topic, None),
    };
    let (mut filters, mut names, mut all) = (Vec::new(), words.wanted.clone(), false);
    let chooses = |parameter: &&Parameter| parameter.value.is_some();
    let choosing: Vec<Parameter> = words.parameters.iter().filter(chooses).cloned().collect();
    if let Some(again) = repeated(&choosing) {
        return Err(Syntax(again.to_owned()));
    }
    for Parameter { name, value } in words.parameters.iter().cloned() {
        match (&*name, value) {
            ("WHERE", Some(text)) => filters.push(where_of(what, &text)?),
            ("TYPE" | "QTYPE", Some(word)) if what == What::Queue => kind = kind_of(&word, kind)?,
            // The type of a status: of handles there is none.
            ("TYPE", Some(word)) if what == What::QueueStatus && word.eq_ignore_ascii_case("QUEUE") => {}
            ("TYPE", Some(word)) if what == What::ManagerStatus && word.eq_ignore_ascii_case("QMGR") => {}
            ("TYPE", Some(word))
                if what == What::Topic && matches!(&*word.to_ascii_uppercase(), "ALL" | "LOCAL") => {}
            // It chooses among them as WHERE does.
            ("DURABLE" | "SUBTYPE", Some(word))
                if what == What::Subscription
                    && matches!(
                        &*word.to_ascii_uppercase(),
                        "ALL" | "YES" | "NO" | "ADMIN" | "API" | "USER"
                    ) =>
            {
                if !matches!(&*word.to_ascii_uppercase(), "ALL" | "USER") {
                    filters.push(where_of(what, &format!("{name} EQ {word}"))?);
                }
            }
            // Nothing of what there is none of could differ from it.
            (_, Some(_)) if matches!(what, What::Channel | What::ChannelStatus | What::Connection) => {}
            (_, Some(value)) => return Err(Syntax(format!("{name}({value})"))),
            (_, None) => names.push(name),
        }
    }
    names.retain(|name| {
        all |= name == "ALL";
        name != "ALL"
    });
    if let Some(unknown) = names.iter().find(|name| !attributes::is_known(what, name)) {
        return Err(Syntax(unknown.clone()));
    }
    let name = match what {
        What::Manager | What::ManagerStatus => String::new(),
        _ => name(&words)?,
    };
    // A generic name alone shows names.
    let wanted =
        if all || (names.is_empty() && !name.ends_with('*')) { Wanted::All } else { Wanted::Names(names) };
    Ok(Display { what, name, kind, wanted, filters })
}

fn kind_of(word: &str, kind: Option<Kind>) -> Result<Option<Kind>, Syntax> {
    match word.to_ascii_uppercase().as_str() {
        "ALL" | "QUEUE" => Ok(kind),
        word => match object(word) {
            Some(Object::Queue(found @ Some(_))) if kind.is_none() || kind == found => Ok(found),
            _ => Err(Syntax(format!("TYPE({word})"))),
        },
    }
}

fn where_of(what: What, text: &str) -> Result<Filter, Syntax> {
    let syntax = || Syntax(format!("WHERE({text})"));
    let (attribute, rest) = text.trim().split_once(' ').ok_or_else(syntax)?;
    let (operator, value) = rest.trim_start().split_once(' ').ok_or_else(syntax)?;
    // In JSON, keywords are in lower case.
    let attribute = attribute.to_ascii_uppercase();
    if !attributes::is_known(what, &attribute) {
        return Err(syntax());
    }
    let operator = match &*operator.to_ascii_uppercase() {
        "LT" => Operator::Less,
        "GT" => Operator::Greater,
        "EQ" => Operator::Equal,
        "NE" => Operator::NotEqual,
        "LE" => Operator::LessOrEqual,
        "GE" => Operator::GreaterOrEqual,
        "LK" => Operator::Like,
        "NL" => Operator::NotLike,
        _ => return Err(syntax()),
    };
    Ok(Filter { attribute, operator, value: value.trim().to_owned() })
}

impl Filter {
    /// Whether a value passes.
    pub(super) fn passes(&self, value: &str) -> bool {
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let ordering = match (number(value), number(&self.value)) {
            (Some(value), Some(other)) => value.cmp(&other),
            _ => value.trim_end().cmp(self.value.trim_end()),
        };
        match self.operator {
            Operator::Less => ordering.is_lt(),
            Operator::Greater => ordering.is_gt(),
            Operator::Equal => ordering.is_eq(),
            Operator::NotEqual => ordering.is_ne(),
            Operator::LessOrEqual => ordering.is_le(),
            Operator::GreaterOrEqual => ordering.is_ge(),
            Operator::Like => crate::queue::fits(&self.value, value),
            Operator::NotLike => !crate::queue::fits(&self.value, value),
        }
    }
}
