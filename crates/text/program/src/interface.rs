//! The interface between a translated program and the runtime: one function, a frame, and the bytes of a
//! command.
//!
//! Both sides use this file, so that they agree. `docs/reference/exec-cics-interface.md` describes it for
//! people.

pub mod xml;

use std::fmt;

/// The version of this interface, the first byte of every command.
pub const VERSION: u8 = 1;

/// The function that the runtime exports: `int gantry_exec(struct gantry_frame *frame, const unsigned char *command)`.
pub const ENTRY_POINT: &str = "gantry_exec";

/// The function that a program calls after every CALL of COBOL: `int gantry_after_call(struct gantry_frame
/// *frame)`. It answers like [`ENTRY_POINT`].
pub const AFTER_CALL: &str = "gantry_after_call";

/// The answer of [`ENTRY_POINT`] if the program goes on after the command. A positive number is that of a
/// label.
pub const NEXT_GO_ON: i32 = 0;

/// The answer of [`ENTRY_POINT`] if the program must return to its caller at once.
pub const NEXT_LEAVE: i32 = -1;

/// Set in a command's flags if the program does not handle conditions: NOHANDLE, or RESP.
pub const FLAG_NO_HANDLE: u8 = 1;

/// The bytes of a command before its options.
pub const HEADER_BYTES: usize = 12;

/// The bytes of an option in a command.
pub const OPTION_BYTES: usize = 4;

/// The most bytes that a command may have.
pub const COMMAND_MAX_BYTES: usize = u16::MAX as usize;

/// The most slots that a frame may have.
pub const SLOTS_MAX: usize = u8::MAX as usize;

/// One argument of a command in a frame.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The place of the data; for a pointer, the pointer.
    pub address: *mut u8,
    /// The length of the data in bytes; for a number, the number.
    pub value: i64,
    /// Set by the runtime: 1 if it gave a number or a pointer back, else 0.
    pub set: i32,
    /// Nothing.
    pub reserved: i32,
}

/// The content of a slot, and its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The option has no argument, and no slot.
    Keyword,
    /// The argument is a literal in the command, without a slot.
    Literal,
    /// The argument is a label. Its number in the program is in the command, 0 for none. There is no slot.
    Label,
    /// `address` and `value`, the length.
    Data {
        /// The runtime reads it.
        read: bool,
        /// The runtime writes it.
        write: bool,
    },
    /// `value` is a number.
    Number {
        /// The runtime reads it.
        read: bool,
        /// The runtime may write it.
        write: bool,
    },
    /// `address` is an address with a meaning for the program.
    Pointer {
        /// The runtime reads it.
        read: bool,
        /// The runtime may write it.
        write: bool,
    },
}

const READ: u8 = 0x10;
const WRITE: u8 = 0x20;

impl Kind {
    /// The kind as a byte of a command.
    pub fn code(self) -> u8 {
        let ways = |read: bool, write: bool| if read { READ } else { 0 } | if write { WRITE } else { 0 };
        match self {
            Kind::Keyword => 0,
            Kind::Literal => 1,
            Kind::Label => 2,
            Kind::Data { read, write } => 3 | ways(read, write),
            Kind::Number { read, write } => 4 | ways(read, write),
            Kind::Pointer { read, write } => 5 | ways(read, write),
        }
    }

    /// The kind with this code.
    pub fn from_code(code: u8) -> Option<Self> {
        let (read, write) = (code & READ != 0, code & WRITE != 0);
        let kind = match code & !(READ | WRITE) {
            0 => Kind::Keyword,
            1 => Kind::Literal,
            2 => Kind::Label,
            3 => Kind::Data { read, write },
            4 => Kind::Number { read, write },
            5 => Kind::Pointer { read, write },
            _ => return None,
        };
        (kind.code() == code).then_some(kind)
    }
}

/// A command of a program: everything that is known at translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The function code, by which [`commands::by_function`](crate::commands::by_function) finds the command.
    pub function: u16,
    /// True if conditions are not to be handled.
    pub no_handle: bool,
    /// The line of the command in its file, from 1.
    pub line: u32,
    /// The options, in the order of the text.
    pub options: Vec<Given>,
}

/// An option that a command has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The number of its name, or of a condition.
    pub number: u16,
    /// Its argument.
    pub argument: Argument,
}

/// The argument of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Nothing.
    Keyword,
    /// The bytes of a literal.
    Literal(Vec<u8>),
    /// The number of a label in the program, or 0.
    Label(u16),
    /// A slot of the frame, and its kind. Slots count from 0.
    Slot(u8, Kind),
}

impl Argument {
    fn kind(&self) -> Kind {
        match self {
            Argument::Keyword => Kind::Keyword,
            Argument::Literal(_) => Kind::Literal,
            Argument::Label(_) => Kind::Label,
            Argument::Slot(_, kind) => *kind,
        }
    }
}

/// Bytes that are not a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadCommand(pub String);

impl fmt::Display for BadCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadCommand {}

impl Invocation {
    /// The command as bytes.
    ///
    /// # Errors
    /// It has more options than 65,535, or more bytes than [`COMMAND_MAX_BYTES`].
    pub fn encode(&self) -> Result<Vec<u8>, BadCommand> {
        let mut bytes = vec![VERSION, if self.no_handle { FLAG_NO_HANDLE } else { 0 }];
        bytes.extend(self.function.to_be_bytes());
        bytes.extend(self.line.to_be_bytes());
        let too_long = || BadCommand(format!("expected a command of at most {COMMAND_MAX_BYTES} bytes"));
        bytes.extend([0; 2]);
        bytes.extend(u16::try_from(self.options.len()).map_err(|_| too_long())?.to_be_bytes());
        for given in &self.options {
            bytes.extend(given.number.to_be_bytes());
            let slot = if let Argument::Slot(slot, _) = given.argument { slot } else { 0 };
            bytes.extend([given.argument.kind().code(), slot]);
        }
        for given in &self.options {
            match &given.argument {
                Argument::Literal(literal) => {
                    let length = u16::try_from(literal.len()).map_err(|_| too_long())?;
                    bytes.extend(length.to_be_bytes());
                    bytes.extend(literal);
                }
                Argument::Label(label) => bytes.extend(label.to_be_bytes()),
                Argument::Keyword | Argument::Slot(..) => {}
            }
        }
        let length = u16::try_from(bytes.len()).map_err(|_| too_long())?;
        bytes[8..10].copy_from_slice(&length.to_be_bytes());
        Ok(bytes)
    }

    /// The number of bytes of a command, from its header, which the runtime reads first.
    ///
    /// # Errors
    /// The version is not [`VERSION`], or the length is too small.
    pub fn bytes(header: [u8; HEADER_BYTES]) -> Result<usize, BadCommand> {
        if header[0] != VERSION {
            return Err(BadCommand(format!(
                "expected interface version {VERSION}, found {}: the program must be translated again",
                header[0]
            )));
        }
        let options = usize::from(u16::from_be_bytes([header[10], header[11]]));
        let bytes = usize::from(u16::from_be_bytes([header[8], header[9]]));
        let least = HEADER_BYTES + options * OPTION_BYTES;
        if bytes < least {
            return Err(BadCommand(format!(
                "expected at least {least} bytes for {options} options, found {bytes}"
            )));
        }
        Ok(bytes)
    }

    /// Reads a command.
    ///
    /// # Errors
    /// The bytes differ from those of [`encode`](Self::encode).
    pub fn decode(bytes: &[u8]) -> Result<Self, BadCommand> {
        let short = || BadCommand(format!("the command ends after {} bytes", bytes.len()));
        let header: [u8; HEADER_BYTES] =
            bytes.get(..HEADER_BYTES).and_then(|header| header.try_into().ok()).ok_or_else(short)?;
        let bytes = bytes.get(..Self::bytes(header)?).ok_or_else(short)?;
        let count = usize::from(u16::from_be_bytes([header[10], header[11]]));
        let (entries, mut rest) = bytes[HEADER_BYTES..].split_at(count * OPTION_BYTES);
        let mut take = |count: usize| {
            let taken = rest.split_at_checked(count).ok_or_else(short)?;
            rest = taken.1;
            Ok::<&[u8], BadCommand>(taken.0)
        };
        let mut options = Vec::with_capacity(count);
        for entry in entries.chunks_exact(OPTION_BYTES) {
            let kind = Kind::from_code(entry[2])
                .ok_or_else(|| BadCommand(format!("{:#04x} is not a kind of argument", entry[2])))?;
            let argument = match kind {
                Kind::Keyword => Argument::Keyword,
                Kind::Label => Argument::Label(number(take(2)?)),
                Kind::Literal => {
                    let length = number(take(2)?);
                    Argument::Literal(take(length.into())?.to_vec())
                }
                kind => Argument::Slot(entry[3], kind),
            };
            options.push(Given { number: number(entry), argument });
        }
        if !rest.is_empty() {
            return Err(BadCommand(format!("{} bytes follow after the last option", rest.len())));
        }
        let no_handle = header[1] & FLAG_NO_HANDLE != 0;
        let line = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
        Ok(Invocation { function: number(&header[2..]), no_handle, line, options })
    }
}

/// The number in the first two bytes.
fn number(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[0], bytes[1]])
}
