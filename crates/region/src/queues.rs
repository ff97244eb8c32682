//! The temporary storage queues of a region, in memory: what WRITEQ, READQ and DELETEQ TS do in MAIN.
//!
//! Rules are those of CICS TS, "Temporary storage": items of 1 to 32,763 bytes, numbered from 1; NEXT is one place for the
//! whole queue, which every READQ moves.

use std::collections::HashMap;

use program::conditions::{Condition, INVREQ, ITEMERR, LENGERR, NOSPACE, QIDERR};

use crate::wire::{Answer, QueueAnswer, QueueAsk};

/// The most bytes of an item (CICS TS, WRITEQ TS).
pub const ITEM_MAX_BYTES: usize = 32_763;

/// The most items of a queue (CICS TS, WRITEQ TS).
pub const ITEMS_MAX: usize = 32_767;

/// The longest name of a queue, in bytes.
pub const QUEUE_NAME_MAX_BYTES: usize = 16;

/// What an item and a queue cost beside their bytes, towards the limit.
const ENTRY_BYTES: usize = 64;

/// All queues of a region.
#[derive(Debug)]
pub struct Queues {
    queues: HashMap<Vec<u8>, Queue>,
    max_bytes: usize,
    bytes: usize,
}

#[derive(Debug, Default)]
struct Queue {
    items: Vec<Box<[u8]>>,
    /// How many items NEXT has passed.
    read: usize,
}

impl Queues {
    /// Queues that together have at most that many bytes.
    pub fn new(max_bytes: usize) -> Self {
        Self { queues: HashMap::new(), max_bytes, bytes: 0 }
    }

    /// Another limit; what is there stays, even if it is more.
    pub(crate) fn set_max_bytes(&mut self, max_bytes: usize) {
        self.max_bytes = max_bytes;
    }

    /// Carries out what a worker asks.
    pub fn carry_out(&mut self, ask: QueueAsk) -> Answer {
        let done = match ask {
            QueueAsk::Write { queue, item, data } => self.write(queue, item, data),
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
    ) -> Result<Answer, &'static Condition> {
        if name.is_empty() || name.len() > QUEUE_NAME_MAX_BYTES || name.iter().all(|byte| *byte == 0) {
            return Err(&INVREQ);
        }
        if data.is_empty() || data.len() > ITEM_MAX_BYTES {
            return Err(&LENGERR);
        }
        match item {
            Some(item) => self.rewrite(&name, item, data),
            None => self.append(name, data),
        }
    }

    fn append(&mut self, name: Vec<u8>, data: Vec<u8>) -> Result<Answer, &'static Condition> {
        let entry = if self.queues.contains_key(&name) { 0 } else { ENTRY_BYTES };
        let needed = data.len() + ENTRY_BYTES + entry;
        if self.bytes + needed > self.max_bytes {
            return Err(&NOSPACE);
        }
        let queue = self.queues.entry(name).or_default();
        if queue.items.len() == ITEMS_MAX {
            return Err(&ITEMERR);
        }
        self.bytes += needed;
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
        self.bytes -= ENTRY_BYTES + queue.items.iter().map(|item| item.len() + ENTRY_BYTES).sum::<usize>();
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
        queues.carry_out(QueueAsk::Write { queue: b"Q".to_vec(), item, data: data.to_vec() })
    }

    fn read(queues: &mut Queues, item: Option<i64>) -> Answer {
        queues.carry_out(QueueAsk::Read { queue: b"Q".to_vec(), item })
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
        assert_eq!(queues.carry_out(QueueAsk::Delete { queue: b"Q".to_vec() }), done(0, 0, b""));
        assert_eq!(queues.bytes, 0);
        assert_eq!(queues.carry_out(QueueAsk::Delete { queue: b"Q".to_vec() }), raised(&QIDERR));
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
        let named = |queue: &[u8]| QueueAsk::Write { queue: queue.to_vec(), item: None, data: vec![1] };
        for name in [&b""[..], b"12345678901234567", b"\0\0"] {
            assert_eq!(queues.carry_out(named(name)), raised(&INVREQ));
        }
    }
}
