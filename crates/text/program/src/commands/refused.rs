//! Known commands that cannot be translated, with the reasons.

/// The reason why a command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It needs a terminal. A program behind an API does not have one.
    Terminal,
    /// It belongs to CICS, and is not supported.
    NotSupported,
}

/// Commands of terminal control, basic mapping support and conversations with other systems, by their first words.
const TERMINAL: &[&str] = &[
    "SEND",
    "RECEIVE",
    "CONVERSE",
    "ISSUE",
    "ROUTE",
    "PURGE MESSAGE",
    "HANDLE AID",
    "ALLOCATE",
    "CONNECT PROCESS",
    "BUILD ATTACH",
    "EXTRACT ATTACH",
    "EXTRACT ATTRIBUTES",
    "EXTRACT LOGONMSG",
    "EXTRACT PROCESS",
    "EXTRACT TCT",
    "FREE",
    "POINT",
    "SIGNON",
    "SIGNOFF",
    "WAIT CONVID",
    "WAIT SIGNAL",
    "WAIT TERMINAL",
    "GDS",
    "START BREXIT",
    "ACQUIRE TERMINAL",
    "INQUIRE TERMINAL",
    "INQUIRE NETNAME",
    "SET TERMINAL",
    "SET NETNAME",
];

/// The other commands of the application and the system programming interface, by their first words.
const NOT_SUPPORTED: &[&str] = &[
    "ACQUIRE",
    "ADD",
    "BIF DIGEST",
    "CANCEL ACQACTIVITY",
    "CANCEL ACQPROCESS",
    "CANCEL ACTIVITY",
    "CHANGE",
    "CHECK",
    "COLLECT",
    "CREATE",
    "CSD",
    "DEFINE",
    "DELETE ACTIVITY",
    "DELETE EVENT",
    "DELETE TIMER",
    "DISABLE",
    "DISCARD",
    "DOCUMENT",
    "ENABLE",
    "ENDBROWSE",
    "ENTER",
    "EXTRACT",
    "FEPI",
    "FETCH",
    "FORCE",
    "FREEMAIN64",
    "GET",
    "GET64",
    "GETMAIN64",
    "GETNEXT",
    "HANDLE",
    "IGNORE",
    "INQUIRE",
    "INVOKE",
    "LINK ACQACTIVITY",
    "LINK ACQPROCESS",
    "LINK ACTIVITY",
    "MONITOR",
    "MOVE",
    "PERFORM",
    "POP",
    "POST",
    "PUSH",
    "PUT",
    "PUT64",
    "QUERY",
    "REMOVE",
    "REQUEST",
    "RESET",
    "RESUME",
    "RESYNC",
    "RETRIEVE REATTACH",
    "RETRIEVE SUBEVENT",
    "REWIND",
    "RUN",
    "SET",
    "SOAPFAULT",
    "START ATTACH",
    "STARTBROWSE",
    "TEST",
    "TRACE",
    "TRANSFORM",
    "UPDATE",
    "VERIFY",
    "WAIT",
    "WAITCICS",
    "WEB",
    "WSACONTEXT",
    "WSAEPR",
];

/// The alternatives to commands that are not supported, by their first word.
const INSTEAD: &[(&str, &str)] = &[
    (
        "WEB",
        "the reference of regions lists the commands of web support, in 'Programs that answer HTTP' and 'Programs that call HTTP servers'",
    ),
    (
        "INQUIRE",
        "INQUIRE PROGRAM, TRANSACTION, FILE, TASK and URIMAP are supported; operators see the rest with `gantry region`",
    ),
    ("SET", "SET FILE is supported; operators do the rest with `gantry region` and the configuration"),
    ("QUERY", "QUERY SECURITY and QUERY of counters are supported"),
    (
        "VERIFY",
        "programs do not get at passwords and tokens: the gateway checks who calls before a program runs, and ASSIGN USERID gives the user",
    ),
    ("CHANGE", "programs do not get at passwords: `gantry user` and the directory change them"),
];

/// The alternative to a command that is not supported, if there is one.
pub fn instead(verb: &str) -> Option<&'static str> {
    INSTEAD.iter().find(|(known, _)| known.eq_ignore_ascii_case(verb)).map(|(_, help)| *help)
}

/// The reason why a command is refused, by its first two words; none if it is not a command of CICS. Ask this
/// if no command of the table fits, or if the second word makes it another command than the table's.
pub fn refusal(verb: &str, second: Option<&str>) -> Option<Refusal> {
    let begins = |names: &[&str], verb_alone: bool| {
        names.iter().any(|name| match name.split_once(' ') {
            Some((first, next)) => {
                first.eq_ignore_ascii_case(verb)
                    && second.is_some_and(|second| next.eq_ignore_ascii_case(second))
            }
            None => verb_alone && name.eq_ignore_ascii_case(verb),
        })
    };
    match () {
        () if begins(TERMINAL, false) => Some(Refusal::Terminal),
        () if begins(NOT_SUPPORTED, false) => Some(Refusal::NotSupported),
        () if begins(TERMINAL, true) => Some(Refusal::Terminal),
        () if begins(NOT_SUPPORTED, true) => Some(Refusal::NotSupported),
        () => None,
    }
}

/// True if the two words together name a refused command, although the verb alone is one that can be translated.
pub(crate) fn is_refused_pair(verb: &str, second: &str) -> bool {
    TERMINAL.iter().chain(NOT_SUPPORTED).any(|name| {
        name.split_once(' ').is_some_and(|(first, next)| {
            first.eq_ignore_ascii_case(verb) && next.eq_ignore_ascii_case(second)
        })
    })
}

/// All verbs that are refused, for suggestions.
pub(crate) fn verbs() -> impl Iterator<Item = &'static str> {
    TERMINAL.iter().chain(NOT_SUPPORTED).map(|name| name.split(' ').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_lists_them_all() {
        let page = include_str!("../../../../../docs/reference/exec-cics-interface.md");
        let section = page.split("## Commands that are not translated").nth(1).expect("the section");
        let section = section.split("\n## ").next().expect("the section");
        let listed: Vec<&str> = section.split('`').skip(1).step_by(2).collect();
        for name in TERMINAL.iter().chain(NOT_SUPPORTED) {
            assert!(listed.contains(name), "{name} is not on the page");
        }
        let known = |name: &&str| TERMINAL.contains(name) || NOT_SUPPORTED.contains(name);
        let others: Vec<&str> = listed.into_iter().filter(|name| !known(name)).collect();
        assert_eq!(others, ["program::commands", "--allow-terminal-commands", "programs/"]);
    }

    #[test]
    fn help_is_for_commands_that_are_refused() {
        let verbs: Vec<&str> = verbs().collect();
        assert!(INSTEAD.iter().all(|(verb, _)| verbs.contains(verb)));
        assert!(instead("web").is_some_and(|help| help.contains("Programs that call HTTP servers")));
        assert_eq!(instead("COLLECT"), None);
    }

    #[test]
    fn terminals_are_told_from_the_rest() {
        assert_eq!(refusal("send", Some("MAP")), Some(Refusal::Terminal));
        assert_eq!(refusal("HANDLE", Some("AID")), Some(Refusal::Terminal));
        assert_eq!(refusal("WAIT", Some("EVENT")), Some(Refusal::NotSupported));
        assert_eq!(refusal("WAIT", Some("TERMINAL")), Some(Refusal::Terminal));
        assert_eq!(refusal("FREE", None), Some(Refusal::Terminal));
        assert_eq!(refusal("INQUIRE", Some("TERMINAL")), Some(Refusal::Terminal));
        assert_eq!(refusal("INQUIRE", Some("SYSTEM")), Some(Refusal::NotSupported));
        assert_eq!(refusal("FROBNICATE", None), None);
    }
}
