//! A worker's note of each command in the shared memory, so that the last commands are known however the
//! worker ends.
//!
//! A note has a fixed place and size; it is made when the command begins and once more when it has ended. The
//! region reads notes only of tasks that failed, and checks them: notes without sense are left out.

use crate::Name;
use crate::area::{Area, NOTE_BYTES, NOTES_MAX};

/// How many bytes of a name are noted.
pub const NOTED_NAME_MAX_BYTES: usize = 32;

/// A command that a task has given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Counts the task's commands, from 1.
    pub number: u32,
    /// The link level, from 1.
    pub level: u8,
    /// The program that gave it.
    pub program: Name<8>,
    /// Its function code.
    pub function: u16,
    /// Its line in the program's file.
    pub line: u32,
    /// The name that it begins with (a queue, a file, a program, a container), as the program gave it; empty if it has none.
    pub name: Vec<u8>,
    /// How it ended.
    pub end: CommandEnd,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// It has not.
    Running,
    /// With a condition, NORMAL among them: RESP and RESP2.
    Condition {
        /// RESP.
        resp: u16,
        /// RESP2.
        resp2: u32,
    },
    /// With an abend.
    Abend(Name<4>),
}

impl CommandEnd {
    /// RESP 0.
    pub const NORMAL: Self = CommandEnd::Condition { resp: 0, resp2: 0 };
}

impl Note {
    /// The note's bytes.
    #[cfg(test)]
    fn encode(&self) -> [u8; NOTE_BYTES] {
        let mut bytes = begun_note((self.number, self.level), self.program, (self.function, self.line));
        set_end(&mut bytes, self.end);
        let count = self.name.len().min(NOTED_NAME_MAX_BYTES);
        set_name(&mut bytes, &self.name[..count]);
        bytes
    }

    /// The note in these bytes; none if the bytes are not a note.
    pub fn decode(bytes: &[u8; NOTE_BYTES]) -> Option<Self> {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let half = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes"));
        let end = match bytes[20] {
            0 => CommandEnd::Running,
            1 => CommandEnd::Condition { resp: half(22), resp2: word(24) },
            2 => CommandEnd::Abend(bytes[24..28].try_into().expect("four bytes")),
            _ => return None,
        };
        let name = bytes.get(NAME..NAME + usize::from(bytes[21]))?.to_vec();
        let program = bytes[12..20].try_into().expect("eight bytes");
        let note =
            Note { number: word(0), level: bytes[10], program, function: half(8), line: word(4), name, end };
        (note.number > 0).then_some(note)
    }
}

/// Where the name is; its length is before.
const NAME: usize = NOTE_BYTES - NOTED_NAME_MAX_BYTES;

/// The note of a command that begins: its number and level, its program, its function and line.
pub fn begun_note(
    (number, level): (u32, u8),
    program: Name<8>,
    (function, line): (u16, u32),
) -> [u8; NOTE_BYTES] {
    let mut bytes = [0; NOTE_BYTES];
    bytes[0..4].copy_from_slice(&number.to_le_bytes());
    bytes[4..8].copy_from_slice(&line.to_le_bytes());
    bytes[8..10].copy_from_slice(&function.to_le_bytes());
    bytes[10] = level;
    bytes[12..20].copy_from_slice(&program);
    bytes
}

/// Writes a name of at most [`NOTED_NAME_MAX_BYTES`] into a note.
pub fn set_name(bytes: &mut [u8; NOTE_BYTES], name: &[u8]) {
    bytes[21] = name.len() as u8;
    bytes[NAME..NAME + name.len()].copy_from_slice(name);
}

/// Writes into a note how its command has ended.
pub fn set_end(bytes: &mut [u8; NOTE_BYTES], end: CommandEnd) {
    match end {
        CommandEnd::Running => bytes[20] = 0,
        CommandEnd::Condition { resp, resp2 } => {
            bytes[20] = 1;
            bytes[22..24].copy_from_slice(&resp.to_le_bytes());
            bytes[24..28].copy_from_slice(&resp2.to_le_bytes());
        }
        CommandEnd::Abend(code) => {
            bytes[20] = 2;
            bytes[24..28].copy_from_slice(&code);
        }
    }
}

/// The last commands of the task whose worker has this area, oldest first. Gives only notes that follow each
/// other without a gap.
pub fn last_commands(area: &Area) -> Vec<Note> {
    let made = area.notes_made();
    let first = made.saturating_sub(NOTES_MAX as u32);
    let at = |number: u32| Note::decode(&area.note(number)).filter(|note| note.number == number + 1);
    (first..made).filter_map(at).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::name;

    fn note(number: u32) -> Note {
        let (program, queue) = (name("PROG"), b"QUEUE".to_vec());
        Note { number, level: 1, program, function: 0x0A02, line: 12, name: queue, end: CommandEnd::Running }
    }

    proptest! {
        #[test]
        fn notes_come_back_as_they_were(
            (number, line) in (1_u32.., any::<u32>()),
            (level, function) in (any::<u8>(), any::<u16>()),
            program in any::<[u8; 8]>(),
            queue in proptest::collection::vec(any::<u8>(), 0..=NOTED_NAME_MAX_BYTES),
            end in prop_oneof![
                Just(CommandEnd::Running),
                (any::<u16>(), any::<u32>()).prop_map(|(resp, resp2)| CommandEnd::Condition { resp, resp2 }),
                any::<[u8; 4]>().prop_map(CommandEnd::Abend),
            ],
        ) {
            let note = Note { number, level, program, function, line, name: queue, end };
            prop_assert_eq!(Note::decode(&note.encode()), Some(note));
        }

        #[test]
        fn no_bytes_are_too_odd(bytes in any::<[u8; 32]>(), more in any::<[u8; 32]>()) {
            let mut all = [0; NOTE_BYTES];
            all[..32].copy_from_slice(&bytes);
            all[32..].copy_from_slice(&more);
            if let Some(note) = Note::decode(&all) {
                prop_assert_eq!(Note::decode(&note.encode()), Some(note));
            }
        }
    }

    #[test]
    fn the_last_commands_are_in_their_order() {
        let mut area = Area::create(4096).expect("an area");
        assert_eq!(last_commands(&area), []);
        for number in 1..=NOTES_MAX as u32 + 8 {
            area.make_note(number - 1, &note(number).encode());
        }
        let numbers: Vec<u32> = last_commands(&area).iter().map(|note| note.number).collect();
        assert_eq!(numbers, (9..=40).collect::<Vec<u32>>());
        // A note that was overwritten with bytes that are not a note is left out.
        area.make_note(20, &[255; NOTE_BYTES]);
        assert_eq!(last_commands(&area).len(), NOTES_MAX - 1);
        // Nor is a number of notes believed that nobody can have made.
        area.make_note(u32::MAX, &[255; NOTE_BYTES]);
        assert_eq!(last_commands(&area), []);
    }
}
