//! Storage that commands give to programs: GETMAIN, and data for SET. It is freed with its task at the
//! latest.

use std::collections::HashMap;

/// The largest piece.
const PIECE_MAX_BYTES: usize = 256 * 1024 * 1024;

/// The storage of a task.
#[derive(Debug, Default)]
pub(crate) struct Storage {
    /// In units that are aligned for every type.
    pieces: Vec<Vec<u128>>,
    /// Pieces that are only there until the next one of the same name.
    named: HashMap<[u8; 8], Vec<u128>>,
    /// The transaction work area, once a program has asked for it.
    work_area: Option<Vec<u128>>,
}

impl Storage {
    /// New storage of this many bytes, all with this value; none if the memory is not there.
    pub(crate) fn get(&mut self, bytes: usize, fill: u8) -> Option<*mut u8> {
        let mut piece = piece(bytes, fill)?;
        let address = piece.as_mut_ptr().cast();
        self.pieces.push(piece);
        Some(address)
    }

    /// Storage for data of SET. The last storage under this name is freed.
    pub(crate) fn get_for(&mut self, name: [u8; 8], bytes: usize) -> Option<*mut u8> {
        let mut piece = piece(bytes, 0)?;
        let address = piece.as_mut_ptr().cast();
        self.named.insert(name, piece);
        Some(address)
    }

    /// The work area of the task, which begins with zeros and is the same for all of its programs.
    pub(crate) fn work_area(&mut self, bytes: usize) -> Option<*mut u8> {
        if self.work_area.is_none() {
            self.work_area = piece(bytes, 0);
        }
        self.work_area.as_mut().map(|area| area.as_mut_ptr().cast())
    }

    /// Frees storage by its address; false if there is none.
    pub(crate) fn free(&mut self, address: *mut u8) -> bool {
        let place = self.pieces.iter().position(|piece| piece.as_ptr().cast() == address.cast_const());
        place.map(|place| self.pieces.swap_remove(place)).is_some()
    }

    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
        self.named.clear();
        self.work_area = None;
    }
}

fn piece(bytes: usize, fill: u8) -> Option<Vec<u128>> {
    if bytes > PIECE_MAX_BYTES {
        return None;
    }
    let units = bytes.div_ceil(size_of::<u128>()).max(1);
    let mut piece = Vec::new();
    piece.try_reserve_exact(units).ok()?;
    piece.resize(units, u128::from_ne_bytes([fill; 16]));
    Some(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_is_given_and_freed_once() {
        let mut storage = Storage::default();
        let address = storage.get(5, b'*').expect("storage");
        assert_eq!(address.addr() % 16, 0);
        assert!(!storage.free(address.wrapping_add(1)));
        assert!(storage.free(address));
        assert!(!storage.free(address));
        assert_eq!(storage.get(PIECE_MAX_BYTES + 1, 0), None);
        let area = storage.work_area(100).expect("an area");
        assert_eq!(storage.work_area(100), Some(area));
        assert!(!storage.free(area));
    }
}
