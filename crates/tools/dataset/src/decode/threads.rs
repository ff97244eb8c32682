//! Several threads decode batches of records; this one reads and writes, in order.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::{Decode, Rejected, Scratch, Sink, misfit};
use crate::error::{Error, ErrorKind};
use crate::outcome::Counts;
use crate::reader::{Record, RecordReader};

/// The most threads.
pub const THREADS_MAX: usize = 256;
/// Bytes of records in a batch: enough that handing it over costs little, few enough to stay in the caches.
const BATCH_BYTES: usize = 128 << 10;
/// The most records in a batch; some may have no bytes.
const BATCH_RECORDS: usize = 8 << 10;
/// Batches that a thread may have before it: the next is there when it has done one.
const BATCHES_EACH: usize = 2;

/// Records, copied out of the file's buffer, and what they became.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    records: Vec<Place>,
    out: Vec<u8>,
    faults: Vec<Fault>,
    /// Values that became null.
    nulls: u64,
}

/// A record in a batch.
#[derive(Clone, Copy)]
struct Place {
    number: u64,
    offset: u64,
    start: usize,
    /// The end of what the layout describes.
    end: usize,
    whole_end: usize,
}

struct Fault {
    place: Place,
    /// Bytes of text before the record.
    out_bytes: usize,
    error: record::Error,
}

/// A thread, and the ways to it and back.
struct Lane {
    to: SyncSender<Batch>,
    from: Receiver<Batch>,
}

impl Batch {
    fn clear(&mut self) {
        self.bytes.clear();
        self.records.clear();
        self.out.clear();
        self.faults.clear();
        self.nulls = 0;
    }

    fn push(&mut self, record: &Record<'_>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(record.whole);
        let Record { number, offset, .. } = *record;
        let (end, whole_end) = (start + record.bytes.len(), self.bytes.len());
        self.records.push(Place { number, offset, start, end, whole_end });
    }

    fn decode(&mut self, decode: &Decode<'_>, scratch: &mut Scratch) {
        for place in &self.records {
            let record = &self.bytes[place.start..place.end];
            match decode.output.render(decode.bind, record, scratch, &mut self.out) {
                Ok(nulls) => self.nulls += nulls as u64,
                Err(error) => self.faults.push(Fault { place: *place, out_bytes: self.out.len(), error }),
            }
        }
    }

    /// Gives the text to the sink; up to the first fault that ends the run.
    fn deliver(
        &mut self,
        sink: &mut dyn Sink,
        on_reject: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        counts.read += self.records.len() as u64;
        counts.nulls += self.nulls;
        for Fault { place, out_bytes, error } in self.faults.drain(..) {
            counts.rejected += 1;
            let error = misfit(error, place.number, place.offset);
            let bytes = &self.bytes[place.start..place.whole_end];
            let (number, offset) = (place.number, Some(place.offset));
            if let Err(error) = on_reject(&Rejected { number, offset, bytes, around: None, error: &error }) {
                sink.write(&self.out[..out_bytes])?;
                return Err(error);
            }
        }
        sink.write(&self.out)
    }
}

impl Decode<'_> {
    pub(super) fn run_threads<R: Read>(
        &self,
        reader: &mut RecordReader<R>,
        sink: &mut dyn Sink,
        on_reject: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
    ) -> Result<Counts, Error> {
        if self.threads > THREADS_MAX {
            return Err(Error::setting(format!("at most {THREADS_MAX} threads can decode")));
        }
        std::thread::scope(|scope| {
            let lanes: Vec<Lane> = (0..self.threads)
                .map(|_| {
                    let (to, work) = sync_channel::<Batch>(BATCHES_EACH);
                    let (done, from) = sync_channel(BATCHES_EACH);
                    scope.spawn(move || {
                        let mut scratch = Scratch::default();
                        for mut batch in work {
                            batch.decode(self, &mut scratch);
                            if done.send(batch).is_err() {
                                break;
                            }
                        }
                    });
                    Lane { to, from }
                })
                .collect();
            deal(&lanes, reader, sink, on_reject)
        })
    }
}

/// Deals batches out to the lanes in turn, and takes them back in the same order.
fn deal<R: Read>(
    lanes: &[Lane],
    reader: &mut RecordReader<R>,
    sink: &mut dyn Sink,
    on_reject: &mut dyn FnMut(&Rejected<'_>) -> Result<(), Error>,
) -> Result<Counts, Error> {
    let gone = || Error::new(ErrorKind::Io, "a thread that decodes has ended");
    let mut counts = Counts::default();
    let mut ended = None;
    let mut next = 0;
    let mut outstanding: VecDeque<&Lane> = VecDeque::new();
    let mut spare: Vec<Batch> = Vec::new();
    loop {
        while ended.is_none() && outstanding.len() < lanes.len() * BATCHES_EACH {
            let mut batch = spare.pop().unwrap_or_default();
            batch.clear();
            ended = fill(&mut batch, reader);
            let lane = &lanes[next % lanes.len()];
            next += 1;
            lane.to.send(batch).map_err(|_| gone())?;
            outstanding.push_back(lane);
        }
        let Some(lane) = outstanding.pop_front() else { break };
        let mut batch = lane.from.recv().map_err(|_| gone())?;
        batch.deliver(sink, on_reject, &mut counts)?;
        spare.push(batch);
    }
    ended.unwrap_or(Ok(())).map(|()| counts)
}

/// Fills a batch with records; says how the file ended, if it has.
fn fill<R: Read>(batch: &mut Batch, reader: &mut RecordReader<R>) -> Option<Result<(), Error>> {
    while batch.bytes.len() < BATCH_BYTES && batch.records.len() < BATCH_RECORDS {
        match reader.next_record() {
            Ok(Some(record)) => batch.push(&record),
            Ok(None) => return Some(Ok(())),
            Err(error) => return Some(Err(error)),
        }
    }
    None
}
