//! The temporary storage queues of a region in memory: WRITEQ, READQ and DELETEQ TS in MAIN.
//!
//! Rules are those of CICS TS, "Temporary storage". Items have 1 to 32,763 bytes and are numbered from 1. NEXT is one
//! place for the whole queue, and every READQ moves it.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use program::conditions::{Condition, INVREQ, ITEMERR, LENGERR, NOSPACE, QIDERR};
use wire::{Answer, ITEM_MAX_BYTES, QueueAnswer, QueueAsk};

/// The most items of a queue (CICS TS, WRITEQ TS).
pub(crate) const ITEMS_MAX: usize = 32_767;

/// The longest name of a queue, in bytes.
pub(crate) const QUEUE_NAME_MAX_BYTES: usize = 16;

/// The cost of an item and of a queue besides their bytes, for the limit.
const ENTRY_BYTES: usize = 64;

/// The pause between two searches for unused queues.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// Checks the operands of WRITEQ TS for any queue.
///
/// # Errors
/// The condition that it raises.
pub(crate) fn check(name: &[u8], data: &[u8]) -> Result<(), &'static Condition> {
    if name.is_empty() || name.len() > QUEUE_NAME_MAX_BYTES || name.iter().all(|byte| *byte == 0) {
        return Err(&INVREQ);
    }
    if data.is_empty() || data.len() > ITEM_MAX_BYTES {
        return Err(&LENGERR);
    }
    Ok(())
}

/// All queues of a region.
#[derive(Debug)]
pub(crate) struct Queues {
    queues: HashMap<Vec<u8>, Queue>,
    max_bytes: usize,
    bytes: usize,
    swept: Option<Instant>,
}

#[derive(Debug)]
struct Queue {
    items: Vec<Box<[u8]>>,
    /// Its bytes as the limit counts them.
    bytes: usize,
    /// How many items NEXT has passed.
    read: usize,
    used: Instant,
}

impl Queues {
    /// Queues that together have at most that many bytes.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { queues: HashMap::new(), max_bytes, bytes: 0, swept: None }
    }

    /// Sets another limit. Existing items stay, even if they exceed it.
    pub(crate) fn set_max_bytes(&mut self, max_bytes: usize) {
        self.max_bytes = max_bytes;
    }

    /// True if there is a queue of this name.
    pub(crate) fn contains(&self, name: &[u8]) -> bool {
        self.queues.contains_key(name)
    }

    /// The first `most` names of queues in their order, each with its number of items and of bytes.
    pub(crate) fn sizes(&self, most: usize) -> BTreeMap<Vec<u8>, (usize, usize)> {
        let sizes = self.queues.iter().map(|(name, queue)| (name.clone(), (queue.items.len(), queue.bytes)));
        sizes.take(most).collect()
    }

    /// How many items and bytes a queue has.
    pub(crate) fn size(&self, name: &[u8]) -> Option<(usize, usize)> {
        self.queues.get(name).map(|queue| (queue.items.len(), queue.bytes))
    }

    /// An item by its index, without moving NEXT.
    pub(crate) fn peek(&self, name: &[u8], place: usize) -> Option<Vec<u8>> {
        self.queues.get(name)?.items.get(place).map(|item| item.to_vec())
    }

    /// Deletes a queue if nobody has used it for that long.
    pub(crate) fn expire(&mut self, name: &[u8], expiry: Duration, now: Instant) {
        let unused = |queue: &Queue| now.duration_since(queue.used) >= expiry;
        if self.queues.get(name).is_some_and(unused)
            && let Some(queue) = self.queues.remove(name)
        {
            self.bytes -= queue.bytes;
        }
    }

    /// From time to time, deletes all queues that nobody has used for as long as `expiry_of` says of them.
    pub(crate) fn sweep(&mut self, now: Instant, expiry_of: impl Fn(&[u8]) -> Option<Duration>) {
        if now.duration_since(*self.swept.get_or_insert(now)) < SWEEP_EVERY {
            return;
        }
        self.swept = Some(now);
        let names: Vec<Vec<u8>> = self.queues.keys().cloned().collect();
        for name in names {
            if let Some(expiry) = expiry_of(&name) {
                self.expire(&name, expiry, now);
            }
        }
    }

    /// Carries out a request of a worker.
    pub(crate) fn carry_out(&mut self, ask: QueueAsk, now: Instant) -> Answer {
        if let QueueAsk::Write { queue, .. } | QueueAsk::Read { queue, .. } = &ask
            && let Some(queue) = self.queues.get_mut(queue)
        {
            queue.used = now;
        }
        let done = match ask {
            QueueAsk::Write { queue, item, data, .. } => self.write(queue, item, data, now),
            QueueAsk::Read { queue, item } => self.read(&queue, item),
            QueueAsk::Delete { queue } => self.delete(&queue),
        };
        done.unwrap_or_else(|condition| Answer::Condition { resp: condition.number, resp2: 0 })
    }

    fn write(
        &mut self,
        name: Vec<u8>,
        item: Option<i64>,
        data: Vec<u8>,
        now: Instant,
    ) -> Result<Answer, &'static Condition> {
        check(&name, &data)?;
        match item {
            Some(item) => self.rewrite(&name, item, data),
            None => self.append(name, data, now),
        }
    }

    fn append(&mut self, name: Vec<u8>, data: Vec<u8>, now: Instant) -> Result<Answer, &'static Condition> {
        let entry = if self.queues.contains_key(&name) { 0 } else { ENTRY_BYTES };
        let needed = data.len() + ENTRY_BYTES + entry;
        if self.bytes + needed > self.max_bytes {
            return Err(&NOSPACE);
        }
        let new = || Queue { items: Vec::new(), bytes: ENTRY_BYTES, read: 0, used: now };
        let queue = self.queues.entry(name).or_insert_with(new);
        if queue.items.len() == ITEMS_MAX {
            return Err(&ITEMERR);
        }
        self.bytes += needed;
        queue.bytes += data.len() + ENTRY_BYTES;
        queue.items.push(data.into());
        let items = queue.items.len() as u32;
        Ok(Answer::Queue(QueueAnswer { items, item: items, data: Vec::new() }))
    }

    fn rewrite(&mut self, name: &[u8], item: i64, data: Vec<u8>) -> Result<Answer, &'static Condition> {
        let queue = self.queues.get_mut(name).ok_or(&QIDERR)?;
        let items = queue.items.len() as u32;
        let place = queue.items.get_mut(index(item)?).ok_or(&ITEMERR)?;
        if self.bytes - place.len() + data.len() > self.max_bytes {
            return Err(&NOSPACE);
        }
        self.bytes = self.bytes - place.len() + data.len();
        queue.bytes = queue.bytes - place.len() + data.len();
        *place = data.into();
        Ok(Answer::Queue(QueueAnswer { items, item: item as u32, data: Vec::new() }))
    }

    fn read(&mut self, name: &[u8], item: Option<i64>) -> Result<Answer, &'static Condition> {
        let queue = self.queues.get_mut(name).ok_or(&QIDERR)?;
        let place = match item {
            Some(item) => index(item)?,
            None => queue.read,
        };
        let data = queue.items.get(place).ok_or(&ITEMERR)?.to_vec();
        queue.read = place + 1;
        Ok(Answer::Queue(QueueAnswer { items: queue.items.len() as u32, item: place as u32 + 1, data }))
    }

    fn delete(&mut self, name: &[u8]) -> Result<Answer, &'static Condition> {
        let queue = self.queues.remove(name).ok_or(&QIDERR)?;
        self.bytes -= queue.bytes;
        Ok(Answer::Queue(QueueAnswer { items: 0, item: 0, data: Vec::new() }))
    }
}

/// The index of an item by its number.
fn index(item: i64) -> Result<usize, &'static Condition> {
    usize::try_from(item).ok().and_then(|item| item.checked_sub(1)).ok_or(&ITEMERR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(queues: &mut Queues, item: Option<i64>, data: &[u8]) -> Answer {
        queues.carry_out(
            QueueAsk::Write { queue: b"Q".to_vec(), item, data: data.to_vec(), location: None },
            Instant::now(),
        )
    }

    fn read(queues: &mut Queues, item: Option<i64>) -> Answer {
        queues.carry_out(QueueAsk::Read { queue: b"Q".to_vec(), item }, Instant::now())
    }

    fn done(items: u32, item: u32, data: &[u8]) -> Answer {
        Answer::Queue(QueueAnswer { items, item, data: data.to_vec() })
    }

    fn raised(condition: &Condition) -> Answer {
        Answer::Condition { resp: condition.number, resp2: 0 }
    }

    #[test]
    fn items_are_written_read_and_replaced() {
        let mut queues = Queues::new(10_000);
        assert_eq!(read(&mut queues, None), raised(&QIDERR));
        assert_eq!(write(&mut queues, None, b"one"), done(1, 1, b""));
        assert_eq!(write(&mut queues, None, b"two"), done(2, 2, b""));
        assert_eq!(write(&mut queues, Some(1), b"first"), done(2, 1, b""));
        assert_eq!(read(&mut queues, None), done(2, 1, b"first"));
        assert_eq!(read(&mut queues, None), done(2, 2, b"two"));
        assert_eq!(read(&mut queues, None), raised(&ITEMERR));
        // An item by its number moves the place of NEXT.
        assert_eq!(read(&mut queues, Some(1)), done(2, 1, b"first"));
        assert_eq!(read(&mut queues, None), done(2, 2, b"two"));
        assert_eq!(
            queues.carry_out(QueueAsk::Delete { queue: b"Q".to_vec() }, Instant::now()),
            done(0, 0, b"")
        );
        assert_eq!(queues.bytes, 0);
        assert_eq!(
            queues.carry_out(QueueAsk::Delete { queue: b"Q".to_vec() }, Instant::now()),
            raised(&QIDERR)
        );
    }

    #[test]
    fn what_cannot_be_raises_a_condition() {
        let mut queues = Queues::new(10_000);
        assert_eq!(write(&mut queues, Some(1), b"x"), raised(&QIDERR));
        assert_eq!(write(&mut queues, None, b""), raised(&LENGERR));
        assert_eq!(write(&mut queues, None, &[0; ITEM_MAX_BYTES + 1]), raised(&LENGERR));
        assert_eq!(write(&mut queues, None, &[0; 9_900]), raised(&NOSPACE));
        assert_eq!(write(&mut queues, None, b"x"), done(1, 1, b""));
        assert_eq!(write(&mut queues, Some(1), &[0; 9_900]), raised(&NOSPACE));
        for item in [0, -1, 2, i64::MAX, i64::MIN] {
            assert_eq!(write(&mut queues, Some(item), b"x"), raised(&ITEMERR), "{item}");
            assert_eq!(read(&mut queues, Some(item)), raised(&ITEMERR), "{item}");
        }
        let named = |queue: &[u8]| QueueAsk::Write {
            queue: queue.to_vec(),
            item: None,
            data: vec![1],
            location: None,
        };
        for name in [&b""[..], b"12345678901234567", b"\0\0"] {
            assert_eq!(queues.carry_out(named(name), Instant::now()), raised(&INVREQ));
        }
    }

    #[test]
    fn queues_that_nobody_uses_expire() {
        let (mut queues, begun) = (Queues::new(10_000), Instant::now());
        let at = |seconds| begun + Duration::from_secs(seconds);
        let write = |queues: &mut Queues, queue: &[u8], seconds| {
            let ask = QueueAsk::Write { queue: queue.to_vec(), item: None, data: vec![1], location: None };
            queues.carry_out(ask, at(seconds))
        };
        write(&mut queues, b"SHORT", 0);
        write(&mut queues, b"LONG", 0);
        queues.expire(b"SHORT", Duration::from_secs(5), at(4));
        assert!(queues.contains(b"SHORT"));
        queues.expire(b"SHORT", Duration::from_secs(5), at(5));
        assert!(!queues.contains(b"SHORT"));
        queues.sweep(at(5), |_| Some(Duration::from_secs(5)));
        // Not again so soon.
        queues.sweep(at(6), |_| Some(Duration::from_secs(5)));
        assert!(queues.contains(b"LONG"));
        queues.sweep(at(66), |name| (name == b"LONG").then_some(Duration::from_secs(60)));
        assert!(!queues.contains(b"LONG"));
        assert_eq!(queues.bytes, 0);
    }
}
