//! The conditions that commands raise: names, RESP numbers, and the default action if a program does not
//! handle one.
//!
//! Numbers and abend codes are those of "Response codes of EXEC CICS commands" in IBM's reference. Some codes
//! we have not read there. They lie between two known ones, with the same number of conditions and letters
//! between them: AEIA is 1 and AEI9 is 36, AEYA 37 and AEY7 70, AEZE 105 and AEZZ 126. ironwork has the same
//! where it raises one.

/// A condition.
#[derive(Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its name.
    pub name: &'static str,
    /// Its number: the value of RESP and EIBRESP.
    pub number: u16,
    /// The default action if the program does not handle it.
    pub default: Default,
}

/// The default actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Default {
    /// The task ends with this abend code.
    Abend(&'static str),
    /// The task ends. The code of CICS is not known, so the runtime chooses one.
    AbendUnknown,
    /// The program goes on.
    Ignore,
    /// The task waits until the command can be carried out.
    Wait,
}

macro_rules! conditions {
    ($($number:literal $name:ident $($code:literal)? $($other:ident)?;)*) => {
        $(
            #[doc = concat!("The condition ", stringify!($name), ".")]
            pub const $name: Condition =
                Condition { name: stringify!($name), number: $number, default: conditions!(@ $($code)? $($other)?) };
        )*

        /// All conditions, by number.
        pub const ALL: &[&Condition] = &[$(&$name),*];
    };
    (@ $code:literal) => { Default::Abend($code) };
    (@ Ignore) => { Default::Ignore };
    (@ Wait) => { Default::Wait };
    (@) => { Default::AbendUnknown };
}

conditions! {
    0 NORMAL Ignore;
    1 ERROR "AEIA";
    2 RDATT "AEIB";
    3 WRBRK "AEIC";
    4 EOF "AEID";
    5 EODS "AEIE";
    6 EOC Ignore;
    7 INBFMH "AEIG";
    8 ENDINPT "AEIH";
    9 NONVAL "AEII";
    10 NOSTART "AEIJ";
    11 TERMIDERR "AEIK";
    12 FILENOTFOUND "AEIL";
    13 NOTFND "AEIM";
    14 DUPREC "AEIN";
    15 DUPKEY "AEIO";
    16 INVREQ "AEIP";
    17 IOERR "AEIQ";
    18 NOSPACE "AEIR";
    19 NOTOPEN "AEIS";
    20 ENDFILE "AEIT";
    21 ILLOGIC "AEIU";
    22 LENGERR "AEIV";
    23 QZERO "AEIW";
    24 SIGNAL Ignore;
    25 QBUSY Wait;
    26 ITEMERR "AEIZ";
    27 PGMIDERR "AEI0";
    28 TRANSIDERR "AEI1";
    29 ENDDATA "AEI2";
    30 INVTSREQ "AEI3";
    31 EXPIRED "AEI4";
    32 RETPAGE Ignore;
    33 RTEFAIL Ignore;
    34 RTESOME Ignore;
    35 TSIOERR "AEI8";
    36 MAPFAIL "AEI9";
    37 INVERRTERM "AEYA";
    38 INVMPSZ "AEYB";
    39 IGREQID "AEYC";
    40 OVERFLOW Ignore;
    41 INVLDC "AEYE";
    42 NOSTG Wait;
    43 JIDERR "AEYG";
    44 QIDERR "AEYH";
    45 NOJBUFSP Wait;
    46 DSSTAT "AEYJ";
    47 SELNERR "AEYK";
    48 FUNCERR "AEYL";
    49 UNEXPIN "AEYM";
    50 NOPASSBKRD "AEYN";
    51 NOPASSBKWR "AEYO";
    52 SEGIDERR "AEYP";
    53 SYSIDERR "AEYQ";
    54 ISCINVREQ "AEYR";
    55 ENQBUSY Wait;
    56 ENVDEFERR "AEYT";
    57 IGREQCD "AEYU";
    58 SESSIONERR "AEYV";
    59 SYSBUSY Wait;
    60 SESSBUSY Wait;
    61 NOTALLOC "AEYY";
    62 CBIDERR "AEYZ";
    63 INVEXITREQ "AEY0";
    64 INVPARTNSET "AEY1";
    65 INVPARTN "AEY2";
    66 PARTNFAIL "AEY3";
    69 USERIDERR "AEYX";
    70 NOTAUTH "AEY7";
    71 VOLIDERR "AEXV";
    72 SUPPRESSED;
    75 RESIDERR "AEXC";
    80 NOSPOOL;
    81 TERMERR "AEXI";
    82 ROLLEDBACK "AEXJ";
    83 END "AEXK";
    84 DISABLED "AEXL";
    85 ALLOCERR;
    86 STRELERR;
    87 OPENERR;
    88 SPOLBUSY;
    89 SPOLERR;
    90 NODEIDERR;
    91 TASKIDERR "AEXX";
    92 TCIDERR "AEX0";
    93 DSNNOTFOUND "AEX1";
    94 LOADING "AEX2";
    95 MODELIDERR "AEX3";
    96 OUTDESCRERR;
    97 PARTNERIDERR "AEX5";
    98 PROFILEIDERR "AEX6";
    99 NETNAMEIDERR "AEX7";
    100 LOCKED "AEX8";
    101 RECORDBUSY "AEX9";
    102 UOWNOTFOUND;
    103 UOWLNOTFOUND;
    104 LINKABEND;
    105 CHANGED "AEZE";
    106 PROCESSBUSY "AEZF";
    107 ACTIVITYBUSY "AEZG";
    108 PROCESSERR "AEZH";
    109 ACTIVITYERR "AEZI";
    110 CONTAINERERR "AEZJ";
    111 EVENTERR "AEZK";
    112 TOKENERR "AEZL";
    113 NOTFINISHED "AEZM";
    114 POOLERR "AEZN";
    115 TIMERERR "AEZO";
    116 SYMBOLERR "AEZP";
    117 TEMPLATERR "AEZQ";
    118 NOTSUPERUSER "AEZR";
    119 CSDERR "AEZS";
    120 DUPRES "AEZT";
    121 RESUNAVAIL "AEZU";
    122 CHANNELERR "AEZV";
    123 CCSIDERR "AEZW";
    124 TIMEDOUT "AEZX";
    125 CODEPAGEERR "AEZY";
    126 INCOMPLETE "AEZZ";
    127 APPNOTFOUND;
    128 BUSY "AEZ2";
}

/// The condition with a name. DSIDERR is the old name of FILENOTFOUND.
pub fn by_name(name: &str) -> Option<&'static Condition> {
    let name = if name.eq_ignore_ascii_case("DSIDERR") { FILENOTFOUND.name } else { name };
    ALL.iter().find(|condition| condition.name.eq_ignore_ascii_case(name)).copied()
}

/// The condition of a RESP number.
pub fn by_number(number: u16) -> Option<&'static Condition> {
    ALL.binary_search_by_key(&number, |condition| condition.number).ok().map(|at| ALL[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_to_the_same_condition() {
        for condition in ALL {
            assert_eq!(by_name(&condition.name.to_ascii_lowercase()), Some(*condition));
            assert_eq!(by_number(condition.number), Some(*condition));
        }
        assert_eq!(by_name("DSIDERR").map(|condition| condition.number), Some(12));
        assert_eq!(by_name("OUTDESCRERR").map(|condition| condition.number), Some(96));
        assert_eq!((by_name("NOSUCH"), by_number(999)), (None, None));
    }

    #[test]
    fn codes_go_with_the_numbers() {
        // The codes of a row are in the order of the letters, then of the digits.
        let rows = [("AEI", 1, 1, 36), ("AEY", 37, 37, 66), ("AEZ", 101, 105, 126)];
        for (row, letter_a, first, last) in rows {
            for condition in ALL.iter().filter(|condition| (first..=last).contains(&condition.number)) {
                let Default::Abend(code) = condition.default else { continue };
                let place = usize::from(condition.number - letter_a);
                let letter = char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[place]);
                assert_eq!(code, format!("{row}{letter}"), "{}", condition.name);
            }
        }
        // Codes that are not in a row of letters, and that the region raises.
        for (condition, code) in [
            (TERMERR, "AEXI"),
            (ROLLEDBACK, "AEXJ"),
            (END, "AEXK"),
            (DISABLED, "AEXL"),
            (TASKIDERR, "AEXX"),
            (LOCKED, "AEX8"),
            (RECORDBUSY, "AEX9"),
        ] {
            assert_eq!(condition.default, Default::Abend(code), "{}", condition.name);
        }
    }
}
