//! The Simulated Service Provider: it answers like a program, from the bytes of the request alone, and fails
//! on demand.
//!
//! In measurements it replaces a CICS program, so that the gateway's own cost shows (z/OS Connect's report of
//! 2016, section 3.5.5). In tests it replaces a failing one.

mod playback;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

pub use playback::{Playback, Reply, Vector};

use crate::{CallContext, Error, Outcome, Payload, ServiceProvider};

/// Bytes of a block in a CABASIC answer: one for the five fields, one for each row.
pub const BLOCK_BYTES: usize = 32;
/// The most blocks in an answer of CABASIC.
pub const BLOCKS_MAX: usize = 128;

/// The offset of the row count in the header block, if the program writes one.
const ROW_COUNT_OFFSET: usize = 16;

/// The answers of the simulation.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The program of the report: the request is COUNT-IN and COUNT-OUT, four bytes each; the answer has COUNT-OUT
    /// blocks of 32 bytes, the first for five fields, the others for rows of 32 letters.
    Cabasic {
        /// The number of rows stands in the first two bytes of the spare field.
        row_count: bool,
    },
    /// The request's bytes, or its containers.
    Echo,
    /// Always these bytes.
    Constant(Vec<u8>),
    /// The answers of vectors.
    Playback(Playback),
}

/// The faults of the simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The answer comes this much later.
    pub delay: Duration,
    /// Only the first bytes of the answer are sent, if it is a record.
    pub cut_to_bytes: Option<usize>,
    /// Bytes of the answer that are overwritten, if it is a record: an offset, and the new bytes.
    pub patch: Option<(usize, Vec<u8>)>,
    /// Every request is refused.
    pub refuse: bool,
}

/// The function for waiting. The crate knows no clock, so the code that makes a simulation brings it.
pub type Sleep = fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// The provider.
#[derive(Debug)]
pub struct Simulated {
    answer: Answer,
    faults: Faults,
    sleep: Sleep,
    /// The longest CABASIC answer. Each call sends the start of it.
    blocks: Vec<u8>,
    task_number: AtomicU32,
}

impl Simulated {
    /// A simulation with these answers and faults.
    #[must_use]
    pub fn new(answer: Answer, faults: Faults, sleep: Sleep) -> Self {
        Self { answer, faults, sleep, blocks: cabasic_blocks(), task_number: AtomicU32::new(0) }
    }

    fn answer(&self, request: Payload) -> Result<Payload, Error> {
        if self.faults.refuse {
            return Err(Error::refused("the simulated provider refuses every request"));
        }
        let answer = match (&self.answer, request) {
            (Answer::Playback(playback), request) => playback.answer(&request)?,
            (Answer::Echo, request) => request,
            (Answer::Cabasic { row_count }, Payload::Record(mut record)) => {
                self.cabasic(&mut record, *row_count)?;
                Payload::Record(record)
            }
            (Answer::Constant(bytes), Payload::Record(mut record)) => {
                record.clone_from(bytes);
                Payload::Record(record)
            }
            (Answer::Cabasic { .. } | Answer::Constant(_), _) => {
                return Err(Error::failed("the simulated provider takes records here, not channels"));
            }
        };
        Ok(match answer {
            Payload::Record(record) => Payload::Record(self.spoil(record)),
            other => other,
        })
    }

    /// Patches and cuts a record.
    fn spoil(&self, mut record: Vec<u8>) -> Vec<u8> {
        if let Some((offset, bytes)) = &self.faults.patch
            && let Some(place) = record.get_mut(*offset..offset.saturating_add(bytes.len()))
        {
            place.copy_from_slice(bytes);
        }
        record.truncate(self.faults.cut_to_bytes.unwrap_or(usize::MAX));
        record
    }

    /// Turns the request's record into the answer's.
    fn cabasic(&self, record: &mut Vec<u8>, row_count: bool) -> Result<(), Error> {
        let received = record.len();
        let count =
            record.get(4..8).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok()).map(u32::from_be_bytes);
        let count = match count.map(|count| count as usize) {
            Some(count @ 1..=BLOCKS_MAX) => count,
            Some(count) => return Err(Error::failed(format!("count_out is {count}, not 1 to {BLOCKS_MAX}"))),
            None => return Err(Error::failed(format!("the request has {received} bytes, not 8"))),
        };
        let sent = count * BLOCK_BYTES;
        record.clear();
        record.extend_from_slice(&self.blocks[..sent]);
        let task = self.task_number.fetch_add(1, Ordering::Relaxed) % 99_999_999 + 1;
        record[0..4].copy_from_slice(&(received as u32).to_be_bytes());
        record[4..8].copy_from_slice(&(sent as u32).to_be_bytes());
        record[8..12].copy_from_slice(&task.to_be_bytes());
        if row_count {
            record[ROW_COUNT_OFFSET..ROW_COUNT_OFFSET + 2].copy_from_slice(&(count as u16 - 1).to_be_bytes());
        }
        Ok(())
    }
}

impl ServiceProvider for Simulated {
    fn call(&self, _context: CallContext<'_>, request: Payload) -> Outcome {
        let answer = self.answer(request);
        if self.faults.delay.is_zero() {
            return Outcome::Ready(answer);
        }
        let delayed = (self.sleep)(self.faults.delay);
        Outcome::Pending(Box::pin(async move {
            delayed.await;
            answer
        }))
    }

    fn kind(&self) -> &'static str {
        "simulated"
    }
}

/// The header block with blanks and a transaction id, and rows of letters, in EBCDIC. Each row starts one
/// letter later.
fn cabasic_blocks() -> Vec<u8> {
    const BLANK: u8 = 0x40;
    // In EBCDIC there are gaps between A to I, J to R and S to Z.
    let letters: Vec<u8> = (0xC1..=0xC9).chain(0xD1..=0xD9).chain(0xE2..=0xE9).collect();
    let mut blocks = vec![BLANK; BLOCK_BYTES];
    blocks[12..16].copy_from_slice(&[0xC3, 0xC2, 0xC1, 0xE2]); // CBAS
    for row in 0..BLOCKS_MAX - 1 {
        blocks.extend((0..BLOCK_BYTES).map(|column| letters[(row + column) % letters.len()]));
    }
    blocks
}
