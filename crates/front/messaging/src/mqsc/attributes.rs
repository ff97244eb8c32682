//! Attributes that are shown, and which of them MQSC has.

use super::command::What;
use crate::queue::{Change, Kind, Manager, Process, Queue, Subscription, Topic, TriggerType};
use mqsc::{FIXED, KEPT};

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Number(u64),
    Word(&'static str),
    /// A keyword; if not, with NO before it.
    Flag(bool),
}

/// The attributes that say when a queue was made and changed are not kept.
const STATE: [&str; 3] = ["CURDEPTH", "IPPROCS", "OPPROCS"];
const STATUS: [&str; 5] = ["CURDEPTH", "IPPROCS", "MSGAGE", "OPPROCS", "UNCOM"];
/// Attributes of queue managers on all systems, and the words for groups of them. Few of them are shown.
const MANAGER: [&str; 146] = [
    "ACCTCONO", "ACCTINT", "ACCTMQI", "ACCTQ", "ACTCHL", "ACTIVREC", "ACTVCONO", "ACTVTRC", "ADOPTCHK",
    "ADOPTMCA", "ADVCAP", "ALTDATE", "ALTTIME", "AMQPCAP", "AUTHEVSC", "AUTHOREV", "BRIDGEEV", "CCSID",
    "CERTLABL", "CERTQSGL", "CERTVPOL", "CFCONLOS", "CHAD", "CHADEV", "CHADEXIT", "CHIADAPS", "CHIDISPS",
    "CHINIT", "CHISERVP", "CHLAUTH", "CHLEV", "CLUSTER", "CLWLDATA", "CLWLEXIT", "CLWLLEN", "CLWLMRUC",
    "CLWLUSEQ", "CMDEV", "CMDLEVEL", "COMMANDQ", "CONFIGEV", "CONNAUTH", "CPILEVEL", "CRDATE", "CRTIME",
    "CUSTOM", "DEADQ", "DEFCLXQ", "DEFXMITQ", "DESCR", "DISTL", "DNSGROUP", "DNSWLM", "EVENT", "EXPRYINT",
    "GROUPUR", "IGQ", "IGQAUT", "IGQUSER", "IMGINTVL", "IMGLOGLN", "IMGRCOVO", "IMGRCOVQ", "IMGSCHED",
    "INHIBTEV", "INITKEY", "IPADDRV", "KEYRPWD", "LOCALEV", "LOGGEREV", "LSTRTMR", "LU62ARM", "LU62CHL",
    "LUGROUP", "LUNAME", "MARKINT", "MAXCHL", "MAXHANDS", "MAXMSGL", "MAXPROPL", "MAXPRTY", "MAXUMSGS",
    "MONACLS", "MONCHL", "MONQ", "MULCCAPT", "OPORTMAX", "OPORTMIN", "OTELPCTL", "OTELTRAC", "PARENT",
    "PERFMEV", "PLATFORM", "PSCLUS", "PSMODE", "PSNPMSG", "PSNPRES", "PSRTYCNT", "PSSYNCPT", "PUBSUB",
    "QMID", "QMNAME", "QSGCERT", "QSGNAME", "RCVTIME", "RCVTMIN", "RCVTTYPE", "REMOTEEV", "REPOS", "REPOSNL",
    "REVDNS", "ROUTEREC", "SCHINIT", "SCMDSERV", "SCYCASE", "SPLCAP", "SQQMNAME", "SSLCERTI", "SSLCRLNL",
    "SSLCRYP", "SSLEV", "SSLFIPS", "SSLKEYP", "SSLKEYR", "SSLRKEYC", "SSLTASKS", "STATACLS", "STATCHL",
    "STATINT", "STATMQI", "STATQ", "STRMQOS", "STRSTPEV", "SUITEB", "SYNCPT", "SYSTEM", "TCPCHL", "TCPKEEP",
    "TCPNAME", "TCPSTACK", "TRAXSTR", "TRAXTBL", "TREELIFE", "TRIGINT", "VERSION", "XRCAP",
];

/// The same of the status of a queue manager. `LOG` stands for those of its log.
const MANAGER_STATUS: [&str; 56] = [
    "ARCHLOG", "ARCHSZ", "AUTOCLUS", "CHINIT", "CHKPTCNT", "CHKPTOPS", "CHKPTSZ", "CMDSERV", "CONNS",
    "CURRLOG", "DATFSSZ", "DATFSUSE", "DATPATH", "DISKLSN", "GRPLSN", "GRPNAME", "GRPROLE", "HOSTNAME",
    "INSTANCE", "INSTDESC", "INSTNAME", "INSTPATH", "LDAPCONN", "LOG", "LOGEXTSZ", "LOGFSSZ", "LOGFSUSE",
    "LOGINUSE", "LOGPATH", "LOGPRIM", "LOGSEC", "LOGSTRDA", "LOGSTRL", "LOGSTRTI", "LOGTYPE", "LOGUTIL",
    "MEDIALOG", "MEDIASZ", "MONITOR", "PERMIT", "QMFSENC", "QMFSSZ", "QMFSUSE", "QMNAME", "QUORUM", "RECLOG",
    "RECSZ", "REUSESZ", "ROLE", "STANDBY", "STARTDA", "STARTTI", "STATUS", "TYPE", "UNICLUS", "VERSION",
];

/// Attributes of queues beside those of [`FIXED`] and [`STATE`].
const QUEUE: [&str; 30] = [
    "BOQNAME", "BOTHRESH", "CRDATE", "CRTIME", "ALTDATE", "ALTTIME", "DEFPRTY", "DEFPSIST", "DEFTYPE",
    "DESCR", "GET", "HARDENBO", "INITQ", "MAXDEPTH", "MAXMSGL", "MSGDLVSQ", "PROCESS", "PUT", "QTYPE",
    "RNAME", "RQMNAME", "SHARE", "TARGET", "TRIGDATA", "TRIGDPTH", "TRIGGER", "TRIGMPRI", "TRIGTYPE", "TYPE",
    "XMITQ",
];

/// Attributes that queues have in clusters, in queue-sharing groups and on z/OS. No queue shows them.
const QUEUE_ELSEWHERE: [&str; 16] = [
    "CAPEXPRY", "CFSTRUCT", "CLUSDATE", "CLUSINFO", "CLUSQMGR", "CLUSQT", "CLUSTIME", "INDXTYPE", "OTELPCTL",
    "OTELTRAC", "PSID", "QMID", "QSGDISP", "STGCLASS", "STRMQOS", "TPIPE",
];

/// Attributes of subscriptions and of processes. Those that are not kept are shown by none.
const SUBSCRIPTION: [&str; 29] = [
    "ALTDATE", "ALTTIME", "CRDATE", "CRTIME", "DEST", "DESTCLAS", "DESTCORL", "DESTQMGR", "DURABLE",
    "EXPIRY", "PSPROP", "PUBACCT", "PUBAPPID", "PUBPRTY", "REQONLY", "SELECTOR", "SELTYPE", "SUB", "SUBID",
    "SUBLEVEL", "SUBSCOPE", "SUBTYPE", "SUBUSER", "SUMMARY", "TOPICOBJ", "TOPICSTR", "USERDATA", "VARUSER",
    "WSCHEMA",
];
const PROCESS: [&str; 9] =
    ["ALTDATE", "ALTTIME", "APPLICID", "APPLTYPE", "DESCR", "ENVRDATA", "PROCESS", "QSGDISP", "USERDATA"];

/// Attributes of topic objects.
const TOPIC: [&str; 32] = [
    "ALTDATE", "ALTTIME", "CAPEXPRY", "CLROUTE", "CLSTATE", "CLUSDATE", "CLUSQMGR", "CLUSTER", "CLUSTIME",
    "COMMINFO", "CUSTOM", "DEFPRESP", "DEFPRTY", "DEFPSIST", "DESCR", "DURSUB", "MCAST", "MDURMDL",
    "MNDURMDL", "NPMSGDLV", "PMSGDLV", "PROXYSUB", "PUB", "PUBSCOPE", "QMID", "SUB", "SUBSCOPE", "TOPIC",
    "TOPICSTR", "TYPE", "USEDLQ", "WILDCARD",
];

/// Whether a display may ask for the attribute. No object shows an attribute that is known and not kept.
pub(super) fn is_known(what: What, name: &str) -> bool {
    match what {
        What::Queue => {
            QUEUE.contains(&name)
                || QUEUE_ELSEWHERE.contains(&name)
                || STATE.contains(&name)
                || FIXED.iter().any(|(fixed, _)| *fixed == name)
                || KEPT.iter().any(|(kept, ..)| *kept == name)
        }
        What::QueueStatus => {
            STATUS.contains(&name)
                || matches!(
                    name,
                    "LGETDATE"
                        | "LGETTIME"
                        | "LPUTDATE"
                        | "LPUTTIME"
                        | "MONQ"
                        | "QTIME"
                        | "MEDIALOG"
                        | "CURFSIZE"
                        | "CURMAXFS"
                        | "MONITOR"
                )
        }
        What::Manager => MANAGER.contains(&name),
        What::ManagerStatus => MANAGER_STATUS.contains(&name),
        What::Subscription => SUBSCRIPTION.contains(&name),
        What::Process => PROCESS.contains(&name),
        What::Topic => TOPIC.contains(&name),
        // There are no objects that could lack one.
        What::Channel | What::ChannelStatus | What::Connection => true,
    }
}

/// The attributes of a queue, its name and type first.
pub(super) fn of_queue(queue: &Queue) -> Vec<(&'static str, Value)> {
    let mut found =
        vec![("QUEUE", Value::Text(queue.name.clone())), ("TYPE", Value::Word(queue.kind.mqsc()))];
    let mut more: Vec<(&'static str, Value)> = queue.attributes.iter().map(value).collect();
    if let Some(state) = &queue.state {
        more.push(("CURDEPTH", Value::Number(state.depth)));
        more.push(("IPPROCS", Value::Number(state.open_input.into())));
        more.push(("OPPROCS", Value::Number(state.open_output.into())));
    }
    if matches!(queue.kind, Kind::Local | Kind::Model) {
        more.extend([("SHARE", Value::Flag(true)), ("HARDENBO", Value::Flag(true))]);
        let of_local = |(name, _): &&(&str, &str)| *name != "TARGTYPE";
        more.extend(FIXED.iter().filter(of_local).map(|(name, value)| (*name, fixed(value))));
        let is_told = |name: &str| more.iter().any(|(told, _)| *told == name);
        let rest = KEPT.iter().filter(|(name, ..)| !is_told(name));
        let rest: Vec<_> = rest.map(|(name, value, _)| (*name, fixed(value))).collect();
        more.extend(rest);
    }
    match queue.kind {
        Kind::Local => more.push(("DEFTYPE", Value::Word("PREDEFINED"))),
        Kind::Alias => more.push(("TARGTYPE", Value::Word("QUEUE"))),
        Kind::Model | Kind::Remote => {}
    }
    more.sort_unstable_by_key(|(name, _)| *name);
    found.extend(more);
    found
}

fn fixed(value: &'static str) -> Value {
    match value.parse() {
        Ok(number) => Value::Number(number),
        Err(_) if value == " " => Value::Text(String::new()),
        Err(_) => Value::Word(value),
    }
}

/// The name and the value of an attribute.
fn value(change: &Change) -> (&'static str, Value) {
    let word = |yes: bool, one: &'static str, other: &'static str| Value::Word(if yes { one } else { other });
    let text = |text: &String| Value::Text(text.clone());
    match change {
        Change::Description(value) => ("DESCR", text(value)),
        Change::MaximumDepth(value) => ("MAXDEPTH", Value::Number((*value).into())),
        Change::MaximumLength(value) => ("MAXMSGL", Value::Number((*value).into())),
        Change::DefaultPersistent(value) => ("DEFPSIST", word(*value, "YES", "NO")),
        Change::DefaultPriority(value) => ("DEFPRTY", Value::Number((*value).into())),
        Change::ByPriority(value) => ("MSGDLVSQ", word(*value, "PRIORITY", "FIFO")),
        Change::PutEnabled(value) => ("PUT", word(*value, "ENABLED", "DISABLED")),
        Change::GetEnabled(value) => ("GET", word(*value, "ENABLED", "DISABLED")),
        Change::BackoutThreshold(value) => ("BOTHRESH", Value::Number((*value).into())),
        Change::BackoutQueue(value) => ("BOQNAME", text(value)),
        Change::Target(value) => ("TARGET", text(value)),
        Change::RemoteQueue(value) => ("RNAME", text(value)),
        Change::RemoteManager(value) => ("RQMNAME", text(value)),
        Change::TransmissionQueue(value) => ("XMITQ", text(value)),
        Change::Trigger(value) => ("TRIGGER", Value::Flag(*value)),
        Change::TriggerType(value) => ("TRIGTYPE", Value::Word(trigger_type(*value))),
        Change::TriggerDepth(value) => ("TRIGDPTH", Value::Number((*value).into())),
        Change::TriggerPriority(value) => ("TRIGMPRI", Value::Number((*value).into())),
        Change::TriggerData(value) => ("TRIGDATA", text(value)),
        Change::Process(value) => ("PROCESS", text(value)),
        Change::InitiationQueue(value) => ("INITQ", text(value)),
        Change::Permanent(value) => ("DEFTYPE", word(*value, "PERMDYN", "TEMPDYN")),
        Change::Kept(name, value) => {
            let shown = value.parse().map_or_else(|_| text(value), Value::Number);
            (name, shown)
        }
    }
}

fn trigger_type(kind: TriggerType) -> &'static str {
    match kind {
        TriggerType::None => "NONE",
        TriggerType::First => "FIRST",
        TriggerType::Every => "EVERY",
        TriggerType::Depth => "DEPTH",
    }
}

/// The attributes of a subscription, its name first.
pub(super) fn of_subscription(subscription: &Subscription) -> Vec<(&'static str, Value)> {
    let text = |text: &String| Value::Text(text.clone());
    vec![
        ("SUB", text(&subscription.name)),
        ("DEST", text(&subscription.queue)),
        ("DESTCLAS", Value::Word(if subscription.managed { "MANAGED" } else { "PROVIDED" })),
        ("DESTQMGR", text(&subscription.manager)),
        ("DURABLE", Value::Word(if subscription.durable { "YES" } else { "NO" })),
        ("EXPIRY", Value::Word("UNLIMITED")),
        ("SELECTOR", Value::Text(String::new())),
        ("SUBID", text(&subscription.id)),
        ("SUBTYPE", Value::Word(if subscription.user.is_some() { "API" } else { "ADMIN" })),
        ("SUBUSER", Value::Text(subscription.user.clone().unwrap_or_default())),
        ("TOPICOBJ", Value::Text(String::new())),
        ("TOPICSTR", text(&subscription.topics)),
        ("WSCHEMA", Value::Word("TOPIC")),
    ]
}

/// The attributes of a process, its name first.
pub(super) fn of_process(process: &Process) -> Vec<(&'static str, Value)> {
    let text = |text: &String| Value::Text(text.clone());
    vec![
        ("PROCESS", text(&process.name)),
        ("APPLICID", text(&process.transaction)),
        ("APPLTYPE", Value::Word("CICS")),
        ("DESCR", Value::Text(String::new())),
        ("ENVRDATA", text(&process.environment_data)),
        ("USERDATA", text(&process.user_data)),
    ]
}

/// The attributes of a topic object, its name and type first. Those that are not written are as above.
pub(super) fn of_topic(topic: &Topic) -> Vec<(&'static str, Value)> {
    let word = |flag: Option<bool>, yes: &'static str, no: &'static str| {
        Value::Word(flag.map_or("ASPARENT", |flag| if flag { yes } else { no }))
    };
    let priority = topic.priority.map(|priority| Value::Number(priority.into()));
    vec![
        ("TOPIC", Value::Text(topic.name.clone())),
        ("TYPE", Value::Word("LOCAL")),
        ("DEFPRTY", priority.unwrap_or(Value::Word("ASPARENT"))),
        ("DEFPSIST", word(topic.persistent, "YES", "NO")),
        ("DESCR", Value::Text(String::new())),
        ("PUB", word(topic.publish_enabled, "ENABLED", "DISABLED")),
        ("TOPICSTR", Value::Text(topic.topic.clone())),
    ]
}

/// The status of a queue.
pub(super) fn of_status(queue: &Queue) -> Vec<(&'static str, Value)> {
    let state = queue.state.unwrap_or_default();
    vec![
        ("QUEUE", Value::Text(queue.name.clone())),
        ("TYPE", Value::Word("QUEUE")),
        ("CURDEPTH", Value::Number(state.depth)),
        ("IPPROCS", Value::Number(state.open_input.into())),
        ("MSGAGE", Value::Number(state.oldest_age_s.unwrap_or_default())),
        ("OPPROCS", Value::Number(state.open_output.into())),
        ("UNCOM", if state.uncommitted == 0 { Value::Word("NO") } else { Value::Number(state.uncommitted) }),
    ]
}

/// The level of commands that clients see, which is that of MQ 9.3.0.
const COMMAND_LEVEL: u64 = 930;

/// The attributes of a queue manager.
pub(super) fn of_manager(manager: &Manager) -> Vec<(&'static str, Value)> {
    vec![
        ("QMNAME", Value::Text(manager.name.clone())),
        ("CCSID", Value::Number(1208)),
        ("CMDLEVEL", Value::Number(COMMAND_LEVEL)),
        ("DEADQ", Value::Text(manager.dead_letter_queue.clone())),
        ("DESCR", Value::Text(manager.description.clone())),
        ("MAXMSGL", Value::Number(manager.maximum_length.into())),
        ("MAXPRTY", Value::Number(9)),
        ("MAXUMSGS", Value::Number(manager.maximum_uncommitted.into())),
        ("PLATFORM", Value::Word("UNIX")),
        ("SYNCPT", Value::Word("AVAILABLE")),
    ]
}

/// The status of a queue manager: it runs, and it has neither channels nor connections of its own.
pub(super) fn of_manager_status(manager: &Manager) -> Vec<(&'static str, Value)> {
    vec![
        ("QMNAME", Value::Text(manager.name.clone())),
        ("TYPE", Value::Word("QMGR")),
        ("STATUS", Value::Word("RUNNING")),
        ("CHINIT", Value::Word("STOPPED")),
        ("CMDSERV", Value::Word("RUNNING")),
        ("CONNS", Value::Number(0)),
        ("STANDBY", Value::Word("NOPERMIT")),
    ]
}
