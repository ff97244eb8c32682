//! The EXEC interface block of one link level: 85 bytes, numbers with their highest byte first.

use program::{RESPONSE_CODE_BYTES, response_code};

/// The bytes of the block.
pub(super) const EIB_BYTES: usize = 85;

// Offsets as in `copybooks/DFHEIBLK.cpy` of the crate `program`.
const TIME: usize = 0;
const DATE: usize = 4;
const TRANSACTION: usize = 8;
const TASK_NUMBER: usize = 12;
const TERMINAL: usize = 16;
const COMMAREA_LENGTH: usize = 24;
const FUNCTION: usize = 27;
const RESPONSE_CODE: usize = 29;
const FILE: usize = 35;
const REQUEST: usize = 43;
const RESOURCE: usize = 51;
const HEADERS: usize = 65;
const RESP: usize = 76;
const RESP2: usize = 80;

/// A block. It is in memory of its own, which the program sees.
#[derive(Debug)]
pub(super) struct Eib(Box<[u8; EIB_BYTES]>);

impl Eib {
    /// The block of a new task.
    pub(super) fn new(transaction: [u8; 4], task_number: u32) -> Self {
        let mut bytes = Box::new([0; EIB_BYTES]);
        bytes[TRANSACTION..TRANSACTION + 4].copy_from_slice(&transaction);
        bytes[TASK_NUMBER..TASK_NUMBER + 4].copy_from_slice(&packed(u64::from(task_number)));
        for (at, count) in [(TERMINAL, 4), (FILE, 8), (REQUEST, 8), (RESOURCE, 8)] {
            bytes[at..at + count].fill(b' ');
        }
        Self(bytes)
    }

    /// The block of a program that this one's program links to.
    pub(super) fn linked(&self) -> Self {
        Self(self.0.clone())
    }

    pub(super) fn address(&mut self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// EIBTIME `0HHMMSS` and EIBDATE `0CYYDDD`.
    pub(super) fn set_time(&mut self, time: u32, date: u32) {
        self.0[TIME..TIME + 4].copy_from_slice(&packed(u64::from(time)));
        self.0[DATE..DATE + 4].copy_from_slice(&packed(u64::from(date)));
    }

    pub(super) fn set_commarea_length(&mut self, bytes: usize) {
        let length = i16::try_from(bytes).unwrap_or(i16::MAX);
        self.0[COMMAREA_LENGTH..COMMAREA_LENGTH + 2].copy_from_slice(&length.to_be_bytes());
    }

    pub(super) fn set_function(&mut self, function: u16) {
        self.0[FUNCTION..FUNCTION + 2].copy_from_slice(&function.to_be_bytes());
    }

    pub(super) fn set_resource(&mut self, name: &[u8]) {
        let count = name.len().min(8);
        self.0[RESOURCE..RESOURCE + 8].fill(b' ');
        self.0[RESOURCE..RESOURCE + count].copy_from_slice(&name[..count]);
    }

    /// EIBDS: the file that was used last.
    pub(super) fn set_file(&mut self, name: &[u8; 8]) {
        self.0[FILE..FILE + 8].copy_from_slice(name);
    }

    /// EIBREQID.
    pub(super) fn set_request(&mut self, name: [u8; 8]) {
        self.0[REQUEST..REQUEST + 8].copy_from_slice(&name);
    }

    /// EIBFMH: data begin with function management headers.
    pub(super) fn set_headers(&mut self, has_headers: bool) {
        self.0[HEADERS] = if has_headers { 0xFF } else { 0 };
    }

    /// EIBRESP, EIBRESP2 and EIBRCODE, which depends on the command.
    pub(super) fn respond(&mut self, resp: u16, resp2: u32) {
        let function = u16::from_be_bytes([self.0[FUNCTION], self.0[FUNCTION + 1]]);
        self.0[RESPONSE_CODE..RESPONSE_CODE + RESPONSE_CODE_BYTES]
            .copy_from_slice(&response_code(function, resp, resp2));
        self.0[RESP..RESP + 4].copy_from_slice(&u32::from(resp).to_be_bytes());
        self.0[RESP2..RESP2 + 4].copy_from_slice(&resp2.to_be_bytes());
    }
}

/// A number of up to 7 digits as S9(7) COMP-3.
fn packed(number: u64) -> [u8; 4] {
    let mut rest = number % 10_000_000;
    let mut bytes = [0; 4];
    bytes[3] = (rest % 10) as u8 * 16 + 0x0C;
    rest /= 10;
    for byte in bytes[..3].iter_mut().rev() {
        *byte = ((rest / 10 % 10) * 16 + rest % 10) as u8;
        rest /= 100;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_copybook_has_them() {
        let mut eib = Eib::new(*b"CB01", 1_234_567);
        eib.set_time(101_502, 126_325);
        eib.set_commarea_length(32_763);
        eib.set_function(0x0E02);
        eib.respond(27, 3);
        eib.set_resource(b"BACKEND");
        let bytes = &eib.0;
        assert_eq!(bytes[..8], [0x01, 0x01, 0x50, 0x2C, 0x01, 0x26, 0x32, 0x5C]);
        assert_eq!((&bytes[8..12], &bytes[12..16]), (&b"CB01"[..], &[0x12, 0x34, 0x56, 0x7C][..]));
        assert_eq!((&bytes[24..26], &bytes[27..29]), (&[0x7F, 0xFB][..], &[0x0E, 0x02][..]));
        assert_eq!((&bytes[51..59], &bytes[76..84]), (&b"BACKEND "[..], &[0, 0, 0, 27, 0, 0, 0, 3][..]));
        assert_eq!(bytes[29..35], [1, 0, 0, 0, 0, 0]);
        assert_eq!(packed(9_999_999), [0x99, 0x99, 0x99, 0x9C]);
    }
}
