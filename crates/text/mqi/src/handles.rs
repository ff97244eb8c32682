//! The structures of message handles and of the properties that they hold.

use crate::structures::{Field, Kind, Structure, address, id, number, text, varying};

/// MQENC-NATIVE.
const NATIVE: i32 = 785;
/// MQCCSI-APPL: the code page of the program.
const OF_PROGRAM: i32 = -3;

/// MQCMHO: the options of MQCRTMH.
pub const CREATE_HANDLE: Structure = Structure {
    name: "MQCMHO",
    member: "CMHO",
    id: *b"CMHO",
    versions: &[&[id("CMHO"), number("VERSION", 1), number("OPTIONS", 0)]],
};

/// MQDMHO: the options of MQDLTMH.
pub const DELETE_HANDLE: Structure = Structure {
    name: "MQDMHO",
    member: "DMHO",
    id: *b"DMHO",
    versions: &[&[id("DMHO"), number("VERSION", 1), number("OPTIONS", 0)]],
};

/// MQSMPO: the options of MQSETMP.
pub const SET_PROPERTY: Structure = Structure {
    name: "MQSMPO",
    member: "SMPO",
    id: *b"SMPO",
    versions: &[&[
        id("SMPO"),
        number("VERSION", 1),
        number("OPTIONS", 0),
        number("VALUEENCODING", NATIVE),
        number("VALUECCSID", OF_PROGRAM),
    ]],
};

/// MQIMPO: the options of MQINQMP.
pub const INQUIRE_PROPERTY: Structure = Structure {
    name: "MQIMPO",
    member: "IMPO",
    id: *b"IMPO",
    versions: &[&[
        id("IMPO"),
        number("VERSION", 1),
        number("OPTIONS", 0),
        number("REQUESTEDENCODING", NATIVE),
        number("REQUESTEDCCSID", OF_PROGRAM),
        number("RETURNEDENCODING", NATIVE),
        number("RETURNEDCCSID", 0),
        number("RESERVED1", 0),
        varying("RETURNEDNAME"),
        text("TYPESTRING", 8),
    ]],
};

/// MQDMPO: the options of MQDLTMP.
pub const DELETE_PROPERTY: Structure = Structure {
    name: "MQDMPO",
    member: "DMPO",
    id: *b"DMPO",
    versions: &[&[id("DMPO"), number("VERSION", 1), number("OPTIONS", 0)]],
};

/// MQPD: the descriptor of a property.
pub const PROPERTY: Structure = Structure {
    name: "MQPD",
    member: "PD",
    id: *b"PD  ",
    versions: &[&[
        id("PD"),
        number("VERSION", 1),
        number("OPTIONS", 0),
        number("SUPPORT", 1),
        number("CONTEXT", 0),
        number("COPYOPTIONS", 22),
    ]],
};

/// MQCHARV: a text of varying length that stands alone, such as the name of a property. It has no identifier.
pub const VARYING_TEXT: Structure = Structure {
    name: "MQCHARV",
    member: "CHRV",
    id: [0; 4],
    versions: &[&[
        address("VSPTR"),
        number("VSOFFSET", 0),
        number("VSBUFSIZE", 0),
        number("VSLENGTH", 0),
        Field { name: "VSCCSID", kind: Kind::Number(OF_PROGRAM) },
    ]],
};

/// MQRFH2: a header with properties. Version 1 is MQRFH.
pub const RULES_HEADER_2: Structure = Structure {
    name: "MQRFH2",
    member: "RFH2",
    id: *b"RFH ",
    versions: &[
        &[
            id("RFH"),
            number("VERSION", 2),
            number("STRUCLENGTH", 36),
            number("ENCODING", NATIVE),
            number("CODEDCHARSETID", -2),
            text("FORMAT", 8),
            number("FLAGS", 0),
        ],
        &[number("NAMEVALUECCSID", 1208)],
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_documented_lengths() {
        let lengths = [
            (&CREATE_HANDLE, 12),
            (&DELETE_HANDLE, 12),
            (&SET_PROPERTY, 20),
            (&INQUIRE_PROPERTY, 64),
            (&DELETE_PROPERTY, 12),
            (&PROPERTY, 24),
            (&VARYING_TEXT, 24),
        ];
        for (structure, bytes) in lengths {
            assert_eq!(structure.bytes(1), Some(bytes), "{}", structure.name);
        }
        assert_eq!(INQUIRE_PROPERTY.field("RETURNEDNAME").map(|(offset, _)| offset), Some(32));
    }
}
