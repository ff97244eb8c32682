//! A command in words, whatever form it came in.

/// A command: `DEFINE QLOCAL(A) MAXDEPTH(5) REPLACE`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// In upper case.
    pub verb: String,
    /// The kind of object, in upper case.
    pub object: String,
    /// The name of the object.
    pub name: Option<String>,
    /// The other words.
    pub parameters: Vec<Parameter>,
    /// The attributes that a display shows, if the form has a place of its own for them.
    pub wanted: Vec<String>,
}

/// A parameter: a name in upper case, with a value or without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Option<String>,
}

/// A command that cannot be understood, up to the piece with the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Syntax(pub String);

/// The verbs of MQSC.
pub const VERBS: &[&str] = &[
    "ALT", "ALTER", "ARCHIVE", "BACKUP", "CLEAR", "DEF", "DEFINE", "DEL", "DELETE", "DIS", "DISPLAY", "MOVE",
    "PING", "PURGE", "RECOVER", "REFRESH", "RESET", "RESOLVE", "RESUME", "REVERIFY", "RVERIFY", "SET",
    "START", "STOP", "SUSPEND",
];

/// The objects of MQSC beside queues, channels, connections, topics, subscriptions, processes and the queue manager.
pub const OTHER_OBJECTS: &[&str] = &[
    "APSTATUS", "ARCHIVE", "AUTHINFO", "AUTHREC", "AUTHSERV", "BSDS", "BUFFPOOL", "CFSTATUS", "CFSTRUCT",
    "CHINIT", "CHLAUTH", "CLUSQMGR", "CLUSTER", "CMDSERV", "COMMINFO", "ENTAUTH", "GROUP", "INDOUBT",
    "LISTENER", "LOG", "LSSTATUS", "LSTR", "MAXSMSGS", "NAMELIST", "NL", "POLICY", "PSID", "PUBSUB", "QC",
    "QCLUSTER", "QSTATS", "SECURITY", "SERVICE", "SMDS", "SMDSCONN", "STC", "STGCLASS", "SVSTATUS", "SYSTEM",
    "TCLUSTER", "THREAD", "TPIPE", "TRACE", "USAGE",
];
