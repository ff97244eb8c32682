//! Tables of byte shuffles that close gaps, computed when compiling.

/// A shuffle leaves a zero for this value.
const ZERO: u8 = 0x80;

/// For a mask of eight bytes: the bytes whose bit is not set, side by side.
pub(super) static DROP_BYTES: [[u8; 8]; 256] = {
    let mut table = [[ZERO; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 8 {
            if mask >> from & 1 == 0 {
                table[mask][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        mask += 1;
    }
    table
};

/// For a mask of eight units of two bytes: the units whose bit is not set, side by side.
pub(super) static DROP_UNITS: [[u8; 16]; 256] = {
    let mut table = [[ZERO; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 8 {
            if mask >> from & 1 == 0 {
                table[mask][to] = 2 * from;
                table[mask][to + 1] = 2 * from + 1;
                to += 2;
            }
            from += 1;
        }
        mask += 1;
    }
    table
};

/// For a mask of eight units of two bytes: both bytes of the units whose bit is set, the first byte of the
/// others.
pub(super) static ONE_OR_TWO: [[u8; 16]; 256] = {
    let mut table = [[ZERO; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut from, mut to) = (0, 0);
        while from < 8 {
            table[mask][to] = 2 * from;
            to += 1;
            if mask >> from & 1 == 1 {
                table[mask][to] = 2 * from + 1;
                to += 1;
            }
            from += 1;
        }
        mask += 1;
    }
    table
};
