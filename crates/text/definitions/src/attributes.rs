//! The attributes that have an effect here, those that need no counterpart, and those that deserve a note.

use crate::csd::Definition;

/// Attributes of every resource without an effect.
const OF_ALL: &[&str] = &[
    "DESCRIPTION",
    "DEFINETIME",
    "CHANGETIME",
    "CHANGEUSRID",
    "CHANGEAGENT",
    "CHANGEAGREL",
    "DEFSOURCE",
    "USERDATA1",
    "USERDATA2",
    "USERDATA3",
    "CREATETIME",
    "DEFVER",
    "STATUS",
    "XMLNS:XSI",
    "XSI:SCHEMALOCATION",
];

/// Values for the behaviour that Gantry has anyway.
const USUAL: &[&str] = &["NO", "NONE", "0", "SYSTEM", "NOTAPPLIC", "N_A", "LOCAL"];

/// Attributes that are read, by the kind of resource.
const READ: &[(&str, &[&str])] = &[
    ("TRANSACTION", &["PROGRAM", "REMOTESYSTEM", "REMOTENAME", "TRANCLASS"]),
    ("PROGRAM", &["REMOTESYSTEM", "REMOTENAME", "TRANSID", "LANGUAGE", "JVM"]),
    (
        "FILE",
        &[
            "DSNAME",
            "DSNNAME",
            "RECORDSIZE",
            "KEYLENGTH",
            "ADD",
            "BROWSE",
            "DELETE",
            "READ",
            "UPDATE",
            "RECORDFORMAT",
            "RECOVERY",
            "REMOTESYSTEM",
            "REMOTENAME",
        ],
    ),
    (
        "TDQUEUE",
        &[
            "TYPE",
            "RECOVSTATUS",
            "ATIFACILITY",
            "TRANSID",
            "TRIGGERLEVEL",
            "USERID",
            "FACILITYID",
            "TYPEFILE",
            "DDNAME",
            "DSNAME",
            "INDIRECTNAME",
            "REMOTESYSTEM",
            "REMOTENAME",
        ],
    ),
    (
        "TSMODEL",
        &[
            "PREFIX",
            "XPREFIX",
            "LOCATION",
            "RECOVERY",
            "EXPIRYINT",
            "POOLNAME",
            "REMOTESYSTEM",
            "REMOTEPREFIX",
            "XREMOTEPFX",
        ],
    ),
    ("ENQMODEL", &["ENQSCOPE", "ENQNAME"]),
    ("CONNECTION", &["NETNAME", "ACCESSMETHOD", "PROTOCOL", "ATTACHSEC", "INSERVICE"]),
    ("IPCONN", &["HOST", "PORT", "APPLID", "NETWORKID", "TCPIPSERVICE", "IPADDRESS"]),
    ("TCPIPSERVICE", &["PORTNUMBER", "PROTOCOL", "HOST", "IPADDRESS", "SSL", "AUTHENTICATE", "CERTIFICATE"]),
    (
        "URIMAP",
        &[
            "USAGE",
            "SCHEME",
            "HOST",
            "PATH",
            "PORT",
            "PIPELINE",
            "WEBSERVICE",
            "PROGRAM",
            "TRANSACTION",
            "ANALYZER",
            "CONVERTER",
        ],
    ),
    ("PIPELINE", &["CONFIGFILE", "RESPWAIT"]),
    ("WEBSERVICE", &["PIPELINE", "WSBIND", "WSDLFILE"]),
    ("TRANCLASS", &["MAXACTIVE"]),
];

/// Attributes that need no counterpart: buffers, storage, terminals, times of opening, and similar ones.
const WITHOUT_EFFECT: &[(&str, &[&str])] = &[
    (
        "TRANSACTION",
        &[
            "TASKDATALOC",
            "TASKDATAKEY",
            "PROFILE",
            "STORAGECLEAR",
            "SHUTDOWN",
            "ISOLATE",
            "ROUTABLE",
            "PRIORITY",
            "SPURGE",
            "TPURGE",
            "DUMP",
            "TRACE",
            "WAIT",
            "WAITTIME",
            "INDOUBT",
            "PARTITIONSET",
            "LOCALQ",
            "ALIAS",
            "TASKREQ",
            "XTRANID",
            "TPNAME",
            "XTPNAME",
            "EXTSEC",
            "FAILACTION",
            "CONFDATA",
            "RESTART",
            "TRPROF",
        ],
    ),
    (
        "PROGRAM",
        &[
            "RELOAD",
            "RESIDENT",
            "USAGE",
            "USELPACOPY",
            "CEDF",
            "DATALOCATION",
            "EXECKEY",
            "CONCURRENCY",
            "API",
            "EXECUTIONSET",
            "JVMCLASS",
            "JVMSERVER",
            "JVMPROFILE",
            "RSL",
        ],
    ),
    (
        "FILE",
        &[
            "RLSACCESS",
            "LSRPOOLID",
            "LSRPOOLNUM",
            "READINTEG",
            "DSNSHARING",
            "STRINGS",
            "DISPOSITION",
            "DATABUFFERS",
            "INDEXBUFFERS",
            "MAXNUMRECS",
            "NSRGROUP",
            "UPDATEMODEL",
            "LOAD",
            "JNLREAD",
            "JNLSYNCREAD",
            "JNLUPDATE",
            "JNLADD",
            "JNLSYNCWRITE",
            "BACKUPTYPE",
            "OPENTIME",
            "PASSWORD",
            "CATNAME",
        ],
    ),
    (
        "TDQUEUE",
        &[
            "DATABUFFERS",
            "ERROROPTION",
            "DISPOSITION",
            "WAIT",
            "WAITACTION",
            "BLOCKFORMAT",
            "BLOCKSIZE",
            "RECORDSIZE",
            "RECORDFORMAT",
            "PRINTCONTROL",
            "OPENTIME",
            "SYSOUTCLASS",
            "REMOTELENGTH",
            "REWIND",
        ],
    ),
    (
        "CONNECTION",
        &[
            "SINGLESESS",
            "DATASTREAM",
            "RECORDFORMAT",
            "QUEUELIMIT",
            "MAXQTIME",
            "AUTOCONNECT",
            "SECURITYNAME",
            "BINDSECURITY",
            "USEDFLTUSER",
            "PSRECOVERY",
            "XLNACTION",
            "INDSYS",
            "REMOTESYSTEM",
            "REMOTENAME",
            "REMOTESYSNET",
        ],
    ),
    (
        "IPCONN",
        &[
            "RECEIVECOUNT",
            "SENDCOUNT",
            "QUEUELIMIT",
            "MAXQTIME",
            "AUTOCONNECT",
            "INSERVICE",
            "SSL",
            "LINKAUTH",
            "SECURITYNAME",
            "USERAUTH",
            "XLNACTION",
            "MIRRORLIFE",
            "IDPROP",
            "HA",
            "CERTIFICATE",
            "CIPHERS",
        ],
    ),
    (
        "TCPIPSERVICE",
        &[
            "URM",
            "TRANSACTION",
            "SOCKETCLOSE",
            "MAXPERSIST",
            "BACKLOG",
            "TSQPREFIX",
            "MAXDATALEN",
            "GRPCRITICAL",
            "ATTACHSEC",
            "REALM",
            "SPECIFTCPS",
            "CIPHERS",
            "PRIVACY",
        ],
    ),
    (
        "URIMAP",
        &[
            "MEDIATYPE",
            "CHARACTERSET",
            "HOSTCODEPAGE",
            "TCPIPSERVICE",
            "SOCKETCLOSE",
            "USERID",
            "CERTIFICATE",
            "CIPHERS",
            "AUTHENTICATE",
            "LOCATION",
            "TEMPLATENAME",
            "HFSFILE",
            "ATOMSERVICE",
        ],
    ),
    ("PIPELINE", &["SHELF", "WSDIR"]),
    ("WEBSERVICE", &["VALIDATION", "ARCHIVEFILE"]),
    ("TRANCLASS", &["PURGETHRESH"]),
];

fn of<'t>(table: &'t [(&str, &[&'static str])], kind: &str) -> &'t [&'static str] {
    table.iter().find(|(known, _)| *known == kind).map_or(&[], |(_, names)| names)
}

/// The whole name of an attribute. It may be cut, as long as it is unambiguous.
pub(crate) fn whole_name(kind: &str, name: &str) -> String {
    let all = [OF_ALL, of(READ, kind), of(WITHOUT_EFFECT, kind)];
    let mut fitting = all.iter().flat_map(|list| list.iter()).filter(|known| known.starts_with(name));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => (*only).to_owned(),
        _ => name.to_owned(),
    }
}

/// The attributes that have no counterpart and an unusual value.
pub(crate) fn noted(definition: &Definition) -> Vec<String> {
    let lists = [OF_ALL, of(READ, &definition.kind), of(WITHOUT_EFFECT, &definition.kind)];
    let quiet = |name: &str| lists.iter().any(|list| list.contains(&name));
    let usual = |value: &str| value.is_empty() || USUAL.contains(&value.to_uppercase().as_str());
    let attributes = definition.attributes.iter();
    let noted = attributes
        .filter(|one| !quiet(&one.name) && !usual(&one.value) && !is_default(&one.name, &one.value));
    noted.map(|one| format!("{}({})", one.name, one.value)).collect()
}

/// The attributes of a definition that have an effect here, in a fixed order. Two definitions with the same
/// ones are the same.
pub(crate) fn relevant(definition: &Definition) -> Vec<(&str, String)> {
    let read = of(READ, &definition.kind);
    let is_remote = definition.value("REMOTESYSTEM").is_some();
    let counts = |name: &str, value: &str| match (definition.kind.as_str(), name) {
        (_, "STATUS") => !read.is_empty() && value != "ENABLED",
        ("PROGRAM", "TRANSID" | "REMOTENAME") => is_remote,
        ("PROGRAM", "LANGUAGE") => !matches!(value, "COBOL" | "LE370"),
        ("FILE", "READ") => value == "NO",
        _ => read.contains(&name) && !USUAL.contains(&value),
    };
    let attributes = definition.attributes.iter().map(|one| (one.name.as_str(), one.value.to_uppercase()));
    let mut relevant: Vec<_> =
        attributes.filter(|(name, value)| !value.is_empty() && counts(name, value)).collect();
    relevant.sort();
    relevant
}

/// True for values that CICS itself gives an attribute.
fn is_default(name: &str, value: &str) -> bool {
    let value = value.to_uppercase();
    matches!(
        (name, value.as_str()),
        ("ACTION", "BACKOUT") | ("TRANCLASS", "DFHTCL00") | ("RUNAWAY", "SYSTEM")
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::csd::Attribute;
    use crate::place::Place;

    #[test]
    fn definitions_that_differ_without_effect_are_the_same() {
        let definition = |kind: &str, pairs: &[(&str, &str)]| {
            let attribute = |(name, value): &(&str, &str)| Attribute {
                name: (*name).to_owned(),
                value: (*value).to_owned(),
            };
            let attributes = pairs.iter().map(attribute).collect();
            let place = Place { file: Arc::from("x"), line: 1 };
            Definition {
                kind: kind.to_owned(),
                name: "N".to_owned(),
                group: String::new(),
                attributes,
                place,
            }
        };
        for (kind, one, other, expected) in [
            (
                "PROGRAM",
                &[("LANGUAGE", "COBOL"), ("TRANSID", "T1"), ("JVM", "NO")][..],
                &[("STATUS", "ENABLED")][..],
                true,
            ),
            (
                "PROGRAM",
                &[("TRANSID", "T1"), ("REMOTESYSTEM", "A")],
                &[("TRANSID", "T2"), ("REMOTESYSTEM", "A")],
                false,
            ),
            ("PROGRAM", &[("STATUS", "DISABLED")], &[], false),
            ("LIBRARY", &[("DSNAME01", "A"), ("STATUS", "DISABLED")], &[], true),
            ("FILE", &[("ADD", "YES")], &[("ADD", "NO")], false),
        ] {
            let (one, other) = (definition(kind, one), definition(kind, other));
            assert_eq!(relevant(&one) == relevant(&other), expected, "{one:?} {other:?}");
        }
    }

    #[test]
    fn names_may_be_cut() {
        for (kind, name, expected) in [
            ("FILE", "KEYL", "KEYLENGTH"),
            ("FILE", "RECORD", "RECORD"),
            ("FILE", "ADD", "ADD"),
            ("FILE", "DELETE", "DELETE"),
            ("PROGRAM", "DA", "DATALOCATION"),
            ("TRANSACTION", "TASKDATAL", "TASKDATALOC"),
            ("TRANSACTION", "WAIT", "WAIT"),
            ("OTHER", "X", "X"),
        ] {
            assert_eq!(whole_name(kind, name), expected, "{kind} {name}");
        }
    }

    #[test]
    fn only_what_would_have_an_effect_is_noted() {
        let pairs = [
            ("DYNAMIC", "NO"),
            ("TWASIZE", "100"),
            ("PROGRAM", "P"),
            ("TRACE", "YES"),
            ("RESSEC", "YES"),
            ("NEW", "1"),
        ];
        let attributes =
            pairs.map(|(name, value)| Attribute { name: name.to_owned(), value: value.to_owned() });
        let place = Place { file: Arc::from("x"), line: 1 };
        let (kind, name, group) = ("TRANSACTION".to_owned(), "T".to_owned(), String::new());
        let definition = Definition { kind, name, group, attributes: attributes.to_vec(), place };
        assert_eq!(noted(&definition), ["TWASIZE(100)", "RESSEC(YES)", "NEW(1)"]);
    }
}
