//! A task's commarea, and zeros behind it. A program whose DFHCOMMAREA is longer than its data then reads
//! zeros, and not the worker's memory.

use wire::COMMAREA_MAX_BYTES;

use crate::cobol::arguments::Area;

/// The commarea of a task.
#[derive(Debug, Default)]
pub(crate) struct TaskCommarea {
    /// As it came.
    given: Vec<u8>,
    /// In place of these bytes where some program's DFHCOMMAREA is longer; made once, and never moved.
    room: Vec<u8>,
    is_in_room: bool,
}

impl TaskCommarea {
    /// Takes the task's data; gives the area for its programs. `longest` is the longest DFHCOMMAREA of all
    /// programs.
    pub(crate) fn take_in(&mut self, given: Vec<u8>, longest: usize) -> Area {
        self.given = given;
        self.is_in_room = self.given.len() < longest;
        let bytes = self.given.len();
        match bytes {
            0 => Area::NONE,
            _ if !self.is_in_room => Area::new(self.given.as_mut_ptr(), bytes),
            _ => {
                if self.room.is_empty() {
                    // LINK may hand on a part that begins anywhere.
                    self.room = vec![0; COMMAREA_MAX_BYTES + longest];
                }
                self.room[..bytes].copy_from_slice(&self.given);
                Area::new(self.room.as_mut_ptr(), bytes)
            }
        }
    }

    /// Sets the bytes behind the task's commarea to zero, before a program whose DFHCOMMAREA has `wanted`
    /// bytes gets the area.
    pub(crate) fn clear_behind(&mut self, area: Area, wanted: usize) {
        if area.bytes >= wanted || !self.is_in_room {
            return;
        }
        let Some(start) = area.address().addr().checked_sub(self.room.as_ptr().addr()) else { return };
        let end = start.saturating_add(wanted);
        if start < self.given.len() && end <= self.room.len() && end > self.given.len() {
            self.room[self.given.len()..end].fill(0);
        }
    }

    /// The bytes as the programs have left them.
    pub(crate) fn give_back(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.given);
        if self.is_in_room {
            let count = bytes.len();
            bytes.copy_from_slice(&self.room[..count]);
        }
        bytes
    }
}

/// A copy of the bytes as the commarea of a program whose DFHCOMMAREA has `wanted` bytes: zeros fill it up.
pub(crate) fn with_room(bytes: &mut Vec<u8>, wanted: usize) -> Area {
    let count = bytes.len();
    bytes.resize(count.max(wanted), 0);
    Area::new(bytes.as_mut_ptr(), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_a_short_area_there_are_zeros_and_only_its_bytes_come_back() {
        let mut commarea = TaskCommarea::default();
        for fill in [b'A', b'B'] {
            let area = commarea.take_in(vec![fill; 4], 6);
            commarea.clear_behind(area, 6);
            let whole = Area::new(area.address(), 6);
            assert_eq!((area.bytes, whole.copy()), (4, vec![fill, fill, fill, fill, 0, 0]));
            whole.write(b"ZZZZZZ");
            assert_eq!(commarea.give_back(), b"ZZZZ");
        }
        // A commarea that is long enough stays where it is.
        let area = commarea.take_in(vec![b'C'; 6], 6);
        assert_eq!(area.address().cast_const(), commarea.given.as_ptr());
        assert_eq!(commarea.give_back(), b"CCCCCC");
        let mut own = b"XY".to_vec();
        let area = with_room(&mut own, 3);
        assert_eq!((area.bytes, own.as_slice()), (2, &b"XY\0"[..]));
    }
}
