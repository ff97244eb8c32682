//! The names that a CALL may reach besides programs: services that the worker provides, and routines of COBOL's runtime.
//!
//! The C library's functions are in the same process, and a CALL would find them too. They are not here.

/// The Host API and the communication stub. Programs call remote APIs with them.
const HOST_API: &[&str] =
    &["BAQCSTUB", "BAQCTERM", "BAQINIT", "BAQEXEC", "BAQGETN", "BAQPUTN", "BAQFREE", "BAQTERM"];

/// The services of Language Environment that the worker provides.
const LANGUAGE_ENVIRONMENT: &[&str] = &[
    "CEEDAYS", "CEECBLDY", "CEEDATE", "CEEDATM", "CEESECS", "CEEDYWK", "CEEISEC", "CEESECI", "CEELOCT",
    "CEEGMT", "CEEUTC", "CEEGMTO", "CEEQCEN", "CEESCEN", "CEE3ABD", "CEE3AB2", "CEE3DMP", "CEEMOUT",
    "CEEGTST", "CEEFRST", "ILBOABN0",
];

/// The calls of the Message Queue Interface that the worker provides.
pub const MESSAGE_QUEUES: &[&str] = &[
    "MQBACK", "MQCLOSE", "MQCMIT", "MQCONN", "MQCONNX", "MQCRTMH", "MQDISC", "MQDLTMH", "MQDLTMP", "MQGET",
    "MQINQ", "MQINQMP", "MQOPEN", "MQPUT", "MQPUT1", "MQSET", "MQSETMP", "MQSUB", "MQSUBRQ",
];

/// The names that a translated program calls for each command, after each CALL, and for each event of XML
/// PARSE.
const INTERFACE: &[&str] =
    &[crate::interface::ENTRY_POINT, crate::interface::AFTER_CALL, crate::interface::xml::NEXT_EVENT];

/// The prefixes of routines of COBOL's runtime (GnuCOBOL Programmer's Guide, "Built-in system subroutines").
const RUNTIME_BEGINS: &[&str] = &["CBL_", "C$"];

/// Routines of COBOL's runtime whose name is one byte (X"91" and similar ones).
const RUNTIME_BYTES: &[u8] = &[0x91, 0xE4, 0xE5, 0xF4, 0xF5];

/// True if a CALL of that name works without a program of that name. Blanks at its end do not count.
#[must_use]
pub fn is_provided(name: &[u8]) -> bool {
    let name = name.trim_ascii_end();
    let is_one = |list: &[&str]| list.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name));
    let begins = |begin: &&str| {
        name.get(..begin.len()).is_some_and(|first| first.eq_ignore_ascii_case(begin.as_bytes()))
    };
    is_one(HOST_API)
        || is_one(LANGUAGE_ENVIRONMENT)
        || is_one(MESSAGE_QUEUES)
        || INTERFACE.iter().any(|known| known.as_bytes() == name)
        || RUNTIME_BEGINS.iter().any(begins)
        || matches!(name, [byte] if RUNTIME_BYTES.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_and_the_runtime_are_provided_and_the_c_library_is_not() {
        for name in ["BAQINIT", "CEEDAYS  ", "MQGET", "CBL_TOUPPER", "C$SLEEP", "gantry_exec"] {
            assert!(is_provided(name.as_bytes()), "{name}");
        }
        assert!(is_provided(&[0x91]));
        for name in
            ["system", "SYSTEM", "pipe", "fcntl", "write", "cob_stop_run", "", " ", "C", "GANTRY_EXEC"]
        {
            assert!(!is_provided(name.as_bytes()), "{name}");
        }
    }
}
