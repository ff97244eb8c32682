//! The structures of the MQI: their fields in their order, with the initial values of the copybooks.

/// A structure.
#[derive(Debug, PartialEq, Eq)]
pub struct Structure {
    /// Its name, which begins the names of its fields: `MQMD`.
    pub name: &'static str,
    /// The middle of the names of its copybooks: `MD` in CMQMDV and CMQMDL.
    pub member: &'static str,
    /// The first four bytes, in ASCII. All programs here have an ASCII code page.
    pub id: [u8; 4],
    /// The fields that each version adds, from version 1 on.
    pub versions: &'static [&'static [Field]],
}

/// A field of a structure.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// The name behind the structure's: `MSGID` of MQMD-MSGID.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
}

/// The kind of a field, and its initial value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text of this number of bytes. The initial value has blanks behind it.
    Text(usize, &'static str),
    /// This number of bytes, X'00' at first.
    Bytes(usize),
    /// A number of four bytes, the highest first.
    Number(i32),
    /// A number of eight bytes, the highest first.
    Long(i64),
    /// An address of eight bytes, null at first.
    Address,
    /// A text of varying length (MQCHARV): address, offset, size of the buffer, length, CCSID.
    Varying,
}

/// A part of a field as the copybooks declare it. A field of varying length has five parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its offset in its structure, in bytes.
    pub offset: usize,
    /// The suffix of the field's name: none, or `-VSPTR` and similar ones.
    pub suffix: &'static str,
    /// Its kind.
    pub kind: Kind,
}

/// The parts of [`Kind::Varying`].
pub(crate) const VARYING: [(&str, Kind); 5] = [
    ("-VSPTR", Kind::Address),
    ("-VSOFFSET", Kind::Number(0)),
    ("-VSBUFSIZE", Kind::Number(0)),
    ("-VSLENGTH", Kind::Number(0)),
    ("-VSCCSID", Kind::Number(-3)),
];

impl Kind {
    /// Its bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Kind::Text(bytes, _) | Kind::Bytes(bytes) => bytes,
            Kind::Number(_) => 4,
            Kind::Long(_) | Kind::Address => 8,
            Kind::Varying => 24,
        }
    }
}

impl Structure {
    /// The bytes of a version; none if the version does not exist.
    #[must_use]
    pub fn bytes(&self, version: i32) -> Option<usize> {
        let versions =
            usize::try_from(version).ok().filter(|count| (1..=self.versions.len()).contains(count))?;
        Some(
            self.versions[..versions]
                .iter()
                .flat_map(|fields| fields.iter())
                .map(|field| field.kind.bytes())
                .sum(),
        )
    }

    /// The offset of a field, and the field; none if the structure does not have it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<(usize, &'static Field)> {
        let mut offset = 0;
        for field in self.versions.iter().flat_map(|fields| fields.iter()) {
            if field.name == name {
                return Some((offset, field));
            }
            offset += field.kind.bytes();
        }
        None
    }

    /// The bytes of a field in a structure; none if no field has the name, or if the structure is too short.
    #[must_use]
    pub fn bytes_of<'b>(&self, name: &str, structure: &'b [u8]) -> Option<&'b [u8]> {
        let (offset, field) = self.field(name)?;
        structure.get(offset..offset + field.kind.bytes())
    }

    /// All fields of all versions, each with its parts in the order of the copybook.
    pub fn parts(&self) -> impl Iterator<Item = (&'static Field, Part)> {
        let mut offset = 0;
        self.versions.iter().flat_map(|fields| fields.iter()).flat_map(move |field| {
            let whole = [("", field.kind)];
            let parts: &[(&'static str, Kind)] = if field.kind == Kind::Varying { &VARYING } else { &whole };
            let mut placed = Vec::with_capacity(parts.len());
            for &(suffix, kind) in parts {
                placed.push((field, Part { offset, suffix, kind }));
                offset += kind.bytes();
            }
            placed
        })
    }
}

pub(crate) const fn text(name: &'static str, bytes: usize) -> Field {
    Field { name, kind: Kind::Text(bytes, "") }
}

pub(crate) const fn number(name: &'static str, value: i32) -> Field {
    Field { name, kind: Kind::Number(value) }
}

const fn bytes(name: &'static str, bytes: usize) -> Field {
    Field { name, kind: Kind::Bytes(bytes) }
}

pub(crate) const fn address(name: &'static str) -> Field {
    Field { name, kind: Kind::Address }
}

pub(crate) const fn varying(name: &'static str) -> Field {
    Field { name, kind: Kind::Varying }
}

pub(crate) const fn id(text: &'static str) -> Field {
    Field { name: "STRUCID", kind: Kind::Text(4, text) }
}

/// MQOD: the object that MQOPEN opens, or that MQPUT1 puts to.
pub const OBJECT: Structure = Structure {
    name: "MQOD",
    member: "OD",
    id: *b"OD  ",
    versions: &[
        &[
            id("OD"),
            number("VERSION", 1),
            number("OBJECTTYPE", 1),
            text("OBJECTNAME", 48),
            text("OBJECTQMGRNAME", 48),
            Field { name: "DYNAMICQNAME", kind: Kind::Text(48, "CSQ.*") },
            text("ALTERNATEUSERID", 12),
        ],
        &[
            number("RECSPRESENT", 0),
            number("KNOWNDESTCOUNT", 0),
            number("UNKNOWNDESTCOUNT", 0),
            number("INVALIDDESTCOUNT", 0),
            number("OBJECTRECOFFSET", 0),
            number("RESPONSERECOFFSET", 0),
            address("OBJECTRECPTR"),
            address("RESPONSERECPTR"),
        ],
        &[bytes("ALTERNATESECURITYID", 40), text("RESOLVEDQNAME", 48), text("RESOLVEDQMGRNAME", 48)],
        &[
            varying("OBJECTSTRING"),
            varying("SELECTIONSTRING"),
            varying("RESOBJECTSTRING"),
            number("RESOLVEDTYPE", 0),
        ],
    ],
};

/// MQMD: a message's descriptor.
pub const MESSAGE: Structure = Structure {
    name: "MQMD",
    member: "MD",
    id: *b"MD  ",
    versions: &[
        &[
            id("MD"),
            number("VERSION", 1),
            number("REPORT", 0),
            number("MSGTYPE", 8),
            number("EXPIRY", -1),
            number("FEEDBACK", 0),
            number("ENCODING", 785),
            number("CODEDCHARSETID", 0),
            text("FORMAT", 8),
            number("PRIORITY", -1),
            number("PERSISTENCE", 2),
            bytes("MSGID", 24),
            bytes("CORRELID", 24),
            number("BACKOUTCOUNT", 0),
            text("REPLYTOQ", 48),
            text("REPLYTOQMGR", 48),
            text("USERIDENTIFIER", 12),
            bytes("ACCOUNTINGTOKEN", 32),
            text("APPLIDENTITYDATA", 32),
            number("PUTAPPLTYPE", 0),
            text("PUTAPPLNAME", 28),
            text("PUTDATE", 8),
            text("PUTTIME", 8),
            text("APPLORIGINDATA", 4),
        ],
        &[
            bytes("GROUPID", 24),
            number("MSGSEQNUMBER", 1),
            number("OFFSET", 0),
            number("MSGFLAGS", 0),
            number("ORIGINALLENGTH", -1),
        ],
    ],
};

/// MQGMO: the options of MQGET.
pub const GET_OPTIONS: Structure = Structure {
    name: "MQGMO",
    member: "GMO",
    id: *b"GMO ",
    versions: &[
        &[
            id("GMO"),
            number("VERSION", 1),
            number("OPTIONS", 0),
            number("WAITINTERVAL", 0),
            number("SIGNAL1", 0),
            number("SIGNAL2", 0),
            text("RESOLVEDQNAME", 48),
        ],
        &[
            number("MATCHOPTIONS", 3),
            text("GROUPSTATUS", 1),
            text("SEGMENTSTATUS", 1),
            text("SEGMENTATION", 1),
            text("RESERVED1", 1),
        ],
        &[bytes("MSGTOKEN", 16), number("RETURNEDLENGTH", -1)],
        &[number("RESERVED2", 0), Field { name: "MSGHANDLE", kind: Kind::Long(0) }],
    ],
};

/// MQPMO: the options of MQPUT and MQPUT1.
pub const PUT_OPTIONS: Structure = Structure {
    name: "MQPMO",
    member: "PMO",
    id: *b"PMO ",
    versions: &[
        &[
            id("PMO"),
            number("VERSION", 1),
            number("OPTIONS", 0),
            number("TIMEOUT", -1),
            number("CONTEXT", 0),
            number("KNOWNDESTCOUNT", 0),
            number("UNKNOWNDESTCOUNT", 0),
            number("INVALIDDESTCOUNT", 0),
            text("RESOLVEDQNAME", 48),
            text("RESOLVEDQMGRNAME", 48),
        ],
        &[
            number("RECSPRESENT", 0),
            number("PUTMSGRECFIELDS", 0),
            number("PUTMSGRECOFFSET", 0),
            number("RESPONSERECOFFSET", 0),
            address("PUTMSGRECPTR"),
            address("RESPONSERECPTR"),
        ],
        &[
            Field { name: "ORIGINALMSGHANDLE", kind: Kind::Long(0) },
            Field { name: "NEWMSGHANDLE", kind: Kind::Long(0) },
            number("ACTION", 0),
            number("PUBLEVEL", 9),
        ],
    ],
};

/// MQSD: the subscription that MQSUB makes, changes or resumes.
pub const SUBSCRIPTION: Structure = Structure {
    name: "MQSD",
    member: "SD",
    id: *b"SD  ",
    versions: &[&[
        id("SD"),
        number("VERSION", 1),
        number("OPTIONS", 0),
        text("OBJECTNAME", 48),
        text("ALTERNATEUSERID", 12),
        bytes("ALTERNATESECURITYID", 40),
        number("SUBEXPIRY", -1),
        varying("OBJECTSTRING"),
        varying("SUBNAME"),
        varying("SUBUSERDATA"),
        bytes("SUBCORRELID", 24),
        number("PUBPRIORITY", -3),
        bytes("PUBACCOUNTINGTOKEN", 32),
        text("PUBAPPLIDENTITYDATA", 32),
        varying("SELECTIONSTRING"),
        number("SUBLEVEL", 1),
        varying("RESOBJECTSTRING"),
    ]],
};

/// MQSRO: the options of MQSUBRQ.
pub const SUBSCRIPTION_REQUEST: Structure = Structure {
    name: "MQSRO",
    member: "SRO",
    id: *b"SRO ",
    versions: &[&[id("SRO"), number("VERSION", 1), number("OPTIONS", 0), number("NUMPUBS", 0)]],
};

/// MQTM: the data for RETRIEVE in a transaction that a trigger has started.
pub const TRIGGER: Structure = Structure {
    name: "MQTM",
    member: "TM",
    id: *b"TM  ",
    versions: &[&[
        id("TM"),
        number("VERSION", 1),
        text("QNAME", 48),
        text("PROCESSNAME", 48),
        text("TRIGGERDATA", 64),
        number("APPLTYPE", 0),
        text("APPLID", 256),
        text("ENVDATA", 128),
        text("USERDATA", 128),
    ]],
};

/// The fields of MQTMC: MQTM with numbers as text, as a program gets it in its parameters.
const fn trigger_texts(version: &'static str) -> [Field; 9] {
    [
        id("TMC"),
        Field { name: "VERSION", kind: Kind::Text(4, version) },
        text("QNAME", 48),
        text("PROCESSNAME", 48),
        text("TRIGGERDATA", 64),
        text("APPLTYPE", 4),
        text("APPLID", 256),
        text("ENVDATA", 128),
        text("USERDATA", 128),
    ]
}

/// MQTMC: a trigger message for programs that are started with a parameter.
pub(crate) const TRIGGER_TEXT: Structure =
    Structure { name: "MQTMC", member: "TMC", id: *b"TMC ", versions: &[&trigger_texts("   1")] };

/// MQTMC2: the same with the queue manager. Its fields have the names of MQTMC, as in IBM's CMQTMC2V.
pub(crate) const TRIGGER_TEXT_2: Structure = Structure {
    name: "MQTMC",
    member: "TMC2",
    id: *b"TMC ",
    versions: &[&trigger_texts("   2"), &[text("QMGRNAME", 48)]],
};

/// MQCNO: the options of MQCONNX.
pub(crate) const CONNECT_OPTIONS: Structure = Structure {
    name: "MQCNO",
    member: "CNO",
    id: *b"CNO ",
    versions: &[
        &[id("CNO"), number("VERSION", 1), number("OPTIONS", 0)],
        &[number("CLIENTCONNOFFSET", 0), address("CLIENTCONNPTR")],
        &[bytes("CONNTAG", 128)],
    ],
};

/// MQDLH: the header of a message on the dead-letter queue.
pub const DEAD_LETTER: Structure = Structure {
    name: "MQDLH",
    member: "DLH",
    id: *b"DLH ",
    versions: &[&[
        id("DLH"),
        number("VERSION", 1),
        number("REASON", 0),
        text("DESTQNAME", 48),
        text("DESTQMGRNAME", 48),
        number("ENCODING", 0),
        number("CODEDCHARSETID", 0),
        text("FORMAT", 8),
        number("PUTAPPLTYPE", 0),
        text("PUTAPPLNAME", 28),
        text("PUTDATE", 8),
        text("PUTTIME", 8),
    ]],
};

/// MQIIH: the header of a message for IMS.
pub(crate) const IMS: Structure = Structure {
    name: "MQIIH",
    member: "IIH",
    id: *b"IIH ",
    versions: &[&[
        id("IIH"),
        number("VERSION", 1),
        number("STRUCLENGTH", 84),
        number("ENCODING", 0),
        number("CODEDCHARSETID", 0),
        text("FORMAT", 8),
        number("FLAGS", 0),
        text("LTERMOVERRIDE", 8),
        text("MFSMAPNAME", 8),
        text("REPLYTOFORMAT", 8),
        text("AUTHENTICATOR", 8),
        bytes("TRANINSTANCEID", 16),
        text("TRANSTATE", 1),
        Field { name: "COMMITMODE", kind: Kind::Text(1, "0") },
        Field { name: "SECURITYSCOPE", kind: Kind::Text(1, "C") },
        text("RESERVED", 1),
    ]],
};
