//! The conditions that commands raise: names, RESP numbers, and what happens to a program that does not handle one.
//!
//! Numbers and abend codes are those of "Response codes of EXEC CICS commands" in IBM's reference.

/// A condition.
#[derive(Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its name.
    pub name: &'static str,
    /// Its number: the value of RESP and EIBRESP.
    pub number: u16,
    /// What happens if the program does not handle it.
    pub default: Default,
}

/// What happens to a program that does not handle a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Default {
    /// The task ends with this abend code.
    Abend(&'static str),
    /// The task ends; we do not know with which code CICS does it, so that the runtime chooses.
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
    1 ERROR;
    2 RDATT;
    3 WRBRK;
    4 EOF;
    5 EODS;
    6 EOC Ignore;
    7 INBFMH;
    8 ENDINPT;
    9 NONVAL;
    10 NOSTART;
    11 TERMIDERR "AEIK";
    12 FILENOTFOUND "AEIL";
    13 NOTFND "AEIM";
    14 DUPREC "AEIN";
    15 DUPKEY "AEIO";
    16 INVREQ "AEIP";
    17 IOERR "AEIQ";
    18 NOSPACE "AEIR";
    19 NOTOPEN "AEIS";
    20 ENDFILE "AEID";
    21 ILLOGIC "AEIU";
    22 LENGERR "AEIV";
    23 QZERO;
    24 SIGNAL Ignore;
    25 QBUSY Wait;
    26 ITEMERR "AEIZ";
    27 PGMIDERR "AEI0";
    28 TRANSIDERR "AEI1";
    29 ENDDATA;
    30 INVTSREQ;
    31 EXPIRED;
    32 RETPAGE Ignore;
    33 RTEFAIL Ignore;
    34 RTESOME Ignore;
    35 TSIOERR;
    36 MAPFAIL "AEI9";
    37 INVERRTERM;
    38 INVMPSZ;
    39 IGREQID;
    40 OVERFLOW Ignore;
    41 INVLDC;
    42 NOSTG Wait;
    43 JIDERR "AEYG";
    44 QIDERR "AEYH";
    45 NOJBUFSP Wait;
    46 DSSTAT;
    47 SELNERR;
    48 FUNCERR;
    49 UNEXPIN;
    50 NOPASSBKRD;
    51 NOPASSBKWR;
    53 SYSIDERR "AEYQ";
    54 ISCINVREQ;
    55 ENQBUSY Wait;
    56 ENVDEFERR;
    57 IGREQCD;
    58 SESSIONERR;
    59 SYSBUSY Wait;
    60 SESSBUSY Wait;
    61 NOTALLOC;
    62 CBIDERR;
    63 INVEXITREQ "AEY0";
    64 INVPARTNSET;
    65 INVPARTN;
    66 PARTNFAIL;
    69 USERIDERR "AEYX";
    70 NOTAUTH "AEY7";
    71 VOLIDERR "AEXV";
    72 SUPPRESSED;
    75 RESIDERR;
    80 NOSPOOL;
    81 TERMERR;
    82 ROLLEDBACK;
    83 END "AEXK";
    84 DISABLED;
    85 ALLOCERR;
    86 STRELERR;
    87 OPENERR;
    88 SPOLBUSY;
    89 SPOLERR;
    90 NODEIDERR;
    91 TASKIDERR "AEXX";
    92 TCIDERR "AEX0";
    93 DSNNOTFOUND "AEX1";
    94 LOADING;
    95 MODELIDERR "AEX3";
    96 OUTDESCERR;
    97 PARTNERIDERR "AEX5";
    98 PROFILEIDERR "AEX6";
    99 NETNAMEIDERR;
    100 LOCKED "AEX8";
    101 RECORDBUSY;
    102 UOWNOTFOUND;
    103 UOWLNOTFOUND;
    104 LINKABEND;
    105 CHANGED;
    106 PROCESSBUSY;
    107 ACTIVITYBUSY;
    108 PROCESSERR;
    109 ACTIVITYERR;
    110 CONTAINERERR;
    111 EVENTERR;
    112 TOKENERR;
    113 NOTFINISHED;
    114 POOLERR;
    115 TIMERERR;
    116 SYMBOLERR;
    117 TEMPLATERR;
    118 NOTSUPERUSER;
    119 CSDERR "AEZS";
    120 DUPRES "AEZT";
    121 RESUNAVAIL;
    122 CHANNELERR;
    123 CCSIDERR;
    124 TIMEDOUT;
    125 CODEPAGEERR;
    126 INCOMPLETE "AEZZ";
    127 APPNOTFOUND;
    128 BUSY "AEZ2";
}

/// The condition of a name; DSIDERR is the old name of FILENOTFOUND.
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
        assert_eq!((by_name("NOSUCH"), by_number(52)), (None, None));
    }
}
