//! EIBRCODE: the outcome of a command as programs from before RESP test it.
//!
//! Byte 0 depends on the first byte of EIBFN. The codes of files, programs, queues and intervals are those that programs and
//! public test tools use; a few of them are confirmed by no page of IBM. All other commands repeat RESP in the first fullword,
//! as IBM's "Response codes of EXEC CICS commands" describes it for the system programming interface.

use crate::conditions::*;

/// The bytes of EIBRCODE.
pub const RESPONSE_CODE_BYTES: usize = 6;

type Codes = &'static [(&'static Condition, u8)];

const FILES: Codes = &[
    (&FILENOTFOUND, 0x01),
    (&ILLOGIC, 0x02),
    (&LOCKED, 0x03),
    (&RECORDBUSY, 0x05),
    (&INVREQ, 0x08),
    (&NOTOPEN, 0x0C),
    (&DISABLED, 0x0D),
    (&ENDFILE, 0x0F),
    (&IOERR, 0x80),
    (&NOTFND, 0x81),
    (&DUPREC, 0x82),
    (&NOSPACE, 0x83),
    (&DUPKEY, 0x84),
    (&SUPPRESSED, 0x85),
    (&LOADING, 0x86),
    (&ISCINVREQ, 0xD1),
    (&NOTAUTH, 0xD6),
    (&LENGERR, 0xE1),
];

const TRANSIENT_DATA: Codes = &[
    (&QZERO, 0x01),
    (&QIDERR, 0x02),
    (&IOERR, 0x04),
    (&NOTOPEN, 0x08),
    (&NOSPACE, 0x10),
    (&QBUSY, 0xC0),
    (&ISCINVREQ, 0xD1),
    (&NOTAUTH, 0xD6),
    (&DISABLED, 0xD7),
    (&INVREQ, 0xE0),
    (&LENGERR, 0xE1),
];

const TEMPORARY_STORAGE: Codes = &[
    (&ITEMERR, 0x01),
    (&QIDERR, 0x02),
    (&IOERR, 0x04),
    (&NOSPACE, 0x08),
    (&INVREQ, 0x20),
    (&ISCINVREQ, 0xD1),
    (&NOTAUTH, 0xD6),
    (&LENGERR, 0xE1),
];

const PROGRAMS: Codes = &[
    (&PGMIDERR, 0x01),
    (&NOTAUTH, 0xD6),
    (&RESUNAVAIL, 0xD9),
    (&CHANNELERR, 0xDA),
    (&INVREQ, 0xE0),
    (&LENGERR, 0xE1),
    (&TERMERR, 0xF1),
];

const INTERVALS: Codes = &[
    (&ENDDATA, 0x01),
    (&IOERR, 0x04),
    (&TRANSIDERR, 0x11),
    (&TERMIDERR, 0x12),
    (&INVTSREQ, 0x14),
    (&EXPIRED, 0x20),
    (&NOTFND, 0x81),
    (&ISCINVREQ, 0xD1),
    (&NOTAUTH, 0xD6),
    (&USERIDERR, 0xD8),
    (&LENGERR, 0xE1),
    (&ENVDEFERR, 0xE9),
    (&INVREQ, 0xFF),
];

/// The codes of the commands with this first byte of EIBFN.
fn codes(group: u8) -> Codes {
    match group {
        0x02 => &[(&INVREQ, 0xE0)],
        0x06 => FILES,
        0x08 => TRANSIENT_DATA,
        0x0A => TEMPORARY_STORAGE,
        0x0C => &[(&LENGERR, 0xE1), (&NOSTG, 0xE2)],
        0x0E => PROGRAMS,
        0x10 => INTERVALS,
        0x12 => &[(&ENQBUSY, 0x32), (&INVREQ, 0xE0), (&LENGERR, 0xE1)],
        0x16 => &[(&ROLLEDBACK, 0x01)],
        0x4A => &[(&INVREQ, 0x01)],
        _ => &[],
    }
}

/// Groups in which SYSIDERR has a code of its own. Its reason stands behind it.
const REMOTE_GROUPS: &[u8] = &[0x06, 0x08, 0x0A, 0x0E, 0x10];
const SYSIDERR_CODE: u8 = 0xD0;

/// EIBRCODE after a command, of the number of its condition and of RESP2.
pub fn response_code(function: u16, resp: u16, resp2: u32) -> [u8; RESPONSE_CODE_BYTES] {
    let mut bytes = [0; RESPONSE_CODE_BYTES];
    if resp == NORMAL.number {
        return bytes;
    }
    let group = function.to_be_bytes()[0];
    if resp == SYSIDERR.number && REMOTE_GROUPS.contains(&group) {
        let [.., high, low] = resp2.to_be_bytes();
        bytes[..3].copy_from_slice(&[SYSIDERR_CODE, high, low]);
        return bytes;
    }
    match codes(group).iter().find(|(condition, _)| condition.number == resp) {
        Some((_, code)) => bytes[0] = *code,
        None => bytes[..4].copy_from_slice(&u32::from(resp).to_be_bytes()),
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_depends_on_the_command() {
        let code = |function, condition: &Condition| response_code(function, condition.number, 7);
        assert_eq!(code(0x0602, &NORMAL), [0; 6]);
        assert_eq!(code(0x0602, &NOTFND), [0x81, 0, 0, 0, 0, 0]);
        assert_eq!(code(0x060E, &ENDFILE), [0x0F, 0, 0, 0, 0, 0]);
        assert_eq!(code(0x0604, &DUPREC)[0], 0x82);
        assert_eq!((code(0x0A04, &QIDERR)[0], code(0x0804, &QZERO)[0]), (2, 1));
        assert_eq!((code(0x0602, &INVREQ)[0], code(0x100A, &INVREQ)[0]), (8, 0xFF));
        // A command without a table repeats RESP.
        assert_eq!(code(0x5002, &TRANSIDERR), [0, 0, 0, 28, 0, 0]);
        assert_eq!(code(0xF002, &CONTAINERERR), [0, 0, 0, 110, 0, 0]);
    }

    #[test]
    fn the_reason_of_a_missing_system_follows_its_code() {
        assert_eq!(response_code(0x0E02, SYSIDERR.number, 0x0C00), [0xD0, 0x0C, 0, 0, 0, 0]);
        assert_eq!(response_code(0x0602, SYSIDERR.number, 130), [0xD0, 0, 130, 0, 0, 0]);
    }
}
