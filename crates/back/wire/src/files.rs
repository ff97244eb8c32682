//! Requests of programs about files: records by key, by address and in order.

use super::bytes::{Reader, put_bytes, put_optional};
use super::{BadMessage, Name};

/// A command on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileAsk {
    /// The file.
    pub file: Name<8>,
    /// The action on the file.
    pub request: FileRequest,
    /// The task waits for a record that another one has.
    pub waits: bool,
}

/// The action of a command on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileRequest {
    /// READ.
    Read {
        /// Which record.
        at: RecordAt,
        /// How it is held.
        hold: Hold,
    },
    /// WRITE.
    Write {
        /// Where.
        at: RecordAt,
        /// The record.
        data: Vec<u8>,
    },
    /// REWRITE.
    Rewrite {
        /// The token of its READ UPDATE; none for the one without a token.
        token: Option<i64>,
        /// The record.
        data: Vec<u8>,
    },
    /// DELETE.
    Delete {
        /// The record; none for the one that was read for update.
        at: Option<RecordAt>,
        /// Which READ UPDATE it belongs to.
        token: Option<i64>,
    },
    /// UNLOCK.
    Unlock {
        /// The token of the READ UPDATE that it ends; none for the one without a token.
        token: Option<i64>,
    },
    /// STARTBR, or RESETBR of a browse that there is.
    Browse {
        /// REQID.
        browse: i64,
        /// Where it begins.
        at: RecordAt,
        /// RESETBR.
        reset: bool,
    },
    /// READNEXT or READPREV.
    ReadOn {
        /// REQID.
        browse: i64,
        /// The program's RIDFLD, which may move the browse.
        at: RecordAt,
        /// READPREV.
        back: bool,
        /// How the record is held.
        hold: Hold,
    },
    /// ENDBR.
    EndBrowse {
        /// REQID.
        browse: i64,
    },
}

/// How a record that is read is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Not at all.
    No,
    /// Until it has been read: CONSISTENT.
    Consistent,
    /// Until the unit of work ends, shared with other readers: REPEATABLE.
    Repeatable,
    /// For UPDATE without TOKEN.
    Update,
    /// For UPDATE with TOKEN.
    UpdateWithToken,
}

/// The meaning of RIDFLD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// A key.
    Key,
    /// A relative byte address of four bytes.
    Rba,
    /// One of eight bytes.
    Xrba,
    /// A relative record number.
    Rrn,
}

/// Which record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordAt {
    /// The bytes of RIDFLD.
    pub id: Vec<u8>,
    /// The meaning of the bytes.
    pub addressing: Addressing,
    /// KEYLENGTH.
    pub key_length: Option<i64>,
    /// GENERIC.
    pub generic: bool,
    /// GTEQ, given or by default.
    pub or_after: bool,
}

/// The answer to a [`FileAsk`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileAnswer {
    /// The record's key or address.
    pub id: Vec<u8>,
    /// The record.
    pub data: Vec<u8>,
    /// The length of all records, if they are alike.
    pub fixed_bytes: Option<u32>,
    /// The token by which REWRITE, DELETE and UNLOCK name the record.
    pub token: i64,
    /// How many records were deleted.
    pub count: u32,
    /// Another record with the same alternate key follows: DUPKEY.
    pub more_follow: bool,
}

impl FileAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.file);
        to.push(u8::from(self.waits));
        match &self.request {
            FileRequest::Read { at, hold } => {
                to.push(b'R');
                at.encode(to);
                to.push(*hold as u8);
            }
            FileRequest::Write { at, data } => {
                to.push(b'W');
                at.encode(to);
                put_bytes(to, data);
            }
            FileRequest::Rewrite { token, data } => {
                to.push(b'U');
                put_optional(to, *token);
                put_bytes(to, data);
            }
            FileRequest::Delete { at, token } => {
                to.push(b'D');
                to.push(u8::from(at.is_some()));
                if let Some(at) = at {
                    at.encode(to);
                }
                put_optional(to, *token);
            }
            FileRequest::Unlock { token } => {
                to.push(b'L');
                put_optional(to, *token);
            }
            FileRequest::Browse { browse, at, reset } => {
                to.push(b'B');
                to.extend(browse.to_le_bytes());
                at.encode(to);
                to.push(u8::from(*reset));
            }
            FileRequest::ReadOn { browse, at, back, hold } => {
                to.push(b'N');
                to.extend(browse.to_le_bytes());
                at.encode(to);
                to.push(u8::from(*back));
                to.push(*hold as u8);
            }
            FileRequest::EndBrowse { browse } => {
                to.push(b'E');
                to.extend(browse.to_le_bytes());
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let (file, waits) = (from.array()?, from.flag()?);
        let request = match from.byte()? {
            b'R' => FileRequest::Read { at: RecordAt::decode(from)?, hold: Hold::decode(from)? },
            b'W' => FileRequest::Write { at: RecordAt::decode(from)?, data: from.bytes()? },
            b'U' => FileRequest::Rewrite { token: from.optional()?, data: from.bytes()? },
            b'D' => {
                let at = if from.flag()? { Some(RecordAt::decode(from)?) } else { None };
                FileRequest::Delete { at, token: from.optional()? }
            }
            b'L' => FileRequest::Unlock { token: from.optional()? },
            b'B' => {
                FileRequest::Browse { browse: from.i64()?, at: RecordAt::decode(from)?, reset: from.flag()? }
            }
            b'N' => FileRequest::ReadOn {
                browse: from.i64()?,
                at: RecordAt::decode(from)?,
                back: from.flag()?,
                hold: Hold::decode(from)?,
            },
            b'E' => FileRequest::EndBrowse { browse: from.i64()? },
            _ => return Err(BadMessage("expected a command on a file")),
        };
        Ok(FileAsk { file, request, waits })
    }
}

impl Hold {
    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let all = [Hold::No, Hold::Consistent, Hold::Repeatable, Hold::Update, Hold::UpdateWithToken];
        all.get(usize::from(from.byte()?)).copied().ok_or(BadMessage("expected how a record is held"))
    }
}

impl RecordAt {
    fn encode(&self, to: &mut Vec<u8>) {
        put_bytes(to, &self.id);
        to.push(self.addressing as u8);
        put_optional(to, self.key_length);
        to.push(u8::from(self.generic));
        to.push(u8::from(self.or_after));
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let id = from.bytes()?;
        let all = [Addressing::Key, Addressing::Rba, Addressing::Xrba, Addressing::Rrn];
        let addressing = all.get(usize::from(from.byte()?)).copied();
        let addressing = addressing.ok_or(BadMessage("expected what RIDFLD is"))?;
        let (key_length, generic, or_after) = (from.optional()?, from.flag()?, from.flag()?);
        Ok(RecordAt { id, addressing, key_length, generic, or_after })
    }
}

impl FileAnswer {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        put_bytes(to, &self.id);
        put_bytes(to, &self.data);
        put_optional(to, self.fixed_bytes.map(i64::from));
        to.extend(self.token.to_le_bytes());
        to.extend(self.count.to_le_bytes());
        to.push(u8::from(self.more_follow));
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let (id, data) = (from.bytes()?, from.bytes()?);
        let fixed_bytes = from.optional()?.map(u32::try_from).transpose();
        let fixed_bytes = fixed_bytes.map_err(|_| BadMessage("expected the length of records"))?;
        let (token, count, more_follow) = (from.i64()?, from.u32()?, from.flag()?);
        Ok(FileAnswer { id, data, fixed_bytes, token, count, more_follow })
    }
}
