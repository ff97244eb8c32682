//! Limits the memory of incoming replies, for all connections of a group together.
//!
//! A reader asks for room before it takes memory. If there is none it does not read. Then the
//! kernel's buffer fills, and TCP stops the server. The first 64 KiB of a connection are always
//! free and do not count. So small replies never wait: for them [`Account::hold`] only compares two
//! numbers.
//!
//! # Why readers cannot wait for each other for ever
//!
//! A reply in parts, or a frame without a length, asks for room several times. While it waits it
//! holds the room of its first bytes. Without rules, each reader could wait for the room that the
//! others hold. Three rules prevent this:
//!
//! 1. **One reader is privileged.** It gets room up to the most that one connection may hold. The
//!    first in line becomes privileged as soon as nobody else is. So while readers wait, either one
//!    reader reads on, or the first in line has a notice to look again. The privilege belongs to a
//!    connection, not to a reply: the reader of a shared connection cannot choose its next reply. It
//!    must take all that comes until one reply is whole.
//! 2. **The privilege ends.** The privileged reader gives it up when a reply has left and its other
//!    bytes fit below the limit of the others. An unshared connection holds nothing after its reply,
//!    so it always fits. If the rest of a shared connection does not fit, the connection is overdue:
//!    it keeps the privilege and takes no new request. It holds less after each reply, until the
//!    rest fits, at the latest when it holds nothing. A call that times out, or a connection that
//!    breaks, gives back its bytes and the privilege. So a server that stops amid its reply delays
//!    others no longer than its caller waits.
//! 3. **The line is in order.** Nobody passes a reader that waits, so each reaches the front.
//!
//! Rules 1 and 2 say that each privilege ends after a finite time and the next one follows. With
//! rule 3, every reader gets its room. No task holds a lock while it waits. Only readers wait for
//! room; writers do not.
//!
//! # Why the limit holds
//!
//! The privileged reader has a reserve: the most that one connection may hold. The others share the
//! limit without the reserve. A privilege ends only when the bytes of its reader fit into the
//! shared part. So both parts together stay within the limit. If one connection may hold more than
//! half of the limit, the reserve is only half. Then such a connection can pass the limit.
//!
//! The count has the bytes that have come and the bytes of the next read. A growing buffer may have
//! more capacity, but the system gives memory only when it is written.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::figures::Highest;

/// Bytes that the replies of each connection may hold without being counted.
pub(crate) const FREE_BYTES: usize = 64 * 1024;

/// The room of a group.
#[derive(Debug)]
pub(crate) struct Room {
    inside: Mutex<Inside>,
    next: AtomicU64,
}

/// The state of the room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RoomView {
    /// Bytes that are held now.
    pub(crate) receiving: usize,
    pub(crate) highest: Highest,
    pub(crate) most: usize,
    /// Readers that wait for room.
    pub(crate) waiting: usize,
}

#[derive(Debug)]
struct Inside {
    most: usize,
    /// The reserve of the privileged reader.
    set_aside: usize,
    /// Bytes that all others hold.
    ordinary: usize,
    privileged: Option<Privileged>,
    /// The waiting readers, in order.
    line: VecDeque<(u64, Arc<Notify>)>,
    highest: Highest,
}

#[derive(Clone, Copy, Debug)]
struct Privileged {
    account: u64,
    bytes: usize,
}

/// The bytes that the replies of one connection hold. Its drop frees them.
#[derive(Debug)]
pub(crate) struct Account {
    room: Arc<Room>,
    number: u64,
    /// The bytes that the room counts for it.
    counted: usize,
    /// Set while it stands in the line.
    waits: Option<Arc<Notify>>,
    is_overdue: bool,
}

/// The counted part of the bytes that a connection holds.
fn counted(bytes: usize) -> usize {
    if bytes > FREE_BYTES { bytes } else { 0 }
}

impl Room {
    /// Makes room for `most` bytes. One connection holds at most `connection_max` of them.
    pub(crate) fn new(most: usize, connection_max: usize) -> Arc<Self> {
        let inside = Inside {
            most,
            set_aside: connection_max.min(most / 2),
            ordinary: 0,
            privileged: None,
            line: VecDeque::new(),
            highest: Highest::NONE,
        };
        Arc::new(Self { inside: Mutex::new(inside), next: AtomicU64::new(0) })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over new limits.
    pub(crate) fn resize(&self, most: usize, connection_max: usize) {
        let mut inside = self.inside();
        (inside.most, inside.set_aside) = (most, connection_max.min(most / 2));
        inside.wake_first();
    }

    /// Makes an account for a connection.
    pub(crate) fn account(self: &Arc<Self>) -> Account {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Account { room: Arc::clone(self), number, counted: 0, waits: None, is_overdue: false }
    }

    pub(crate) fn view(&self) -> RoomView {
        let inside = self.inside();
        let (receiving, waiting) = (inside.all(), inside.line.len());
        RoomView { receiving, highest: inside.highest, most: inside.most, waiting }
    }

    /// Resets the highest value.
    pub(crate) fn clear(&self) {
        self.inside().highest = Highest::NONE;
    }
}

impl Inside {
    fn all(&self) -> usize {
        self.ordinary + self.privileged.map_or(0, |privileged| privileged.bytes)
    }

    /// Whether readers without the privilege may hold this many bytes more.
    fn fits(&self, more: usize) -> bool {
        self.ordinary + more <= self.most - self.set_aside
    }

    /// Wakes the first in line, so that it looks again.
    fn wake_first(&self) {
        if let Some((_, told)) = self.line.front() {
            told.notify_one();
        }
    }

    fn is_privileged(&self, account: u64) -> bool {
        self.privileged.is_some_and(|privileged| privileged.account == account)
    }

    /// Counts more bytes for an account, if there is room.
    fn grow(&mut self, account: u64, before: usize, wanted: usize) -> bool {
        let more = wanted - before;
        if let Some(privileged) = self.privileged.as_mut().filter(|one| one.account == account) {
            privileged.bytes = wanted;
            return true;
        }
        let is_first = self.line.front().is_none_or(|(first, _)| *first == account);
        if is_first && self.fits(more) {
            self.ordinary += more;
            return true;
        }
        if is_first && self.privileged.is_none() {
            self.ordinary -= before;
            self.privileged = Some(Privileged { account, bytes: wanted });
            return true;
        }
        false
    }

    /// Counts fewer bytes for an account. True if it keeps the privilege because its rest does not
    /// fit while others wait.
    fn lower(&mut self, account: u64, before: usize, wanted: usize) -> bool {
        if !self.is_privileged(account) {
            self.ordinary -= before - wanted;
            return false;
        }
        // An account without bytes always fits, even if the limit was lowered.
        if wanted == 0 || self.fits(wanted) {
            self.privileged = None;
            self.ordinary += wanted;
            return false;
        }
        self.privileged = Some(Privileged { account, bytes: wanted });
        !self.line.is_empty()
    }
}

impl Account {
    /// Changes the bytes that it holds, to more or fewer.
    ///
    /// # Errors
    /// There is no room yet. The account stands in the line, and must try again after the notice.
    pub(crate) fn try_hold(&mut self, bytes: usize) -> Result<(), Arc<Notify>> {
        let wanted = counted(bytes);
        if wanted == self.counted && self.waits.is_none() {
            return Ok(());
        }
        if wanted <= self.counted {
            self.lower(wanted, true);
            return Ok(());
        }
        let room = Arc::clone(&self.room);
        let mut inside = room.inside();
        if !inside.grow(self.number, self.counted, wanted) {
            let told = self.waits.get_or_insert_with(|| {
                let told = Arc::new(Notify::new());
                inside.line.push_back((self.number, Arc::clone(&told)));
                told
            });
            return Err(Arc::clone(told));
        }
        self.counted = wanted;
        let all = inside.all();
        inside.highest.see(all as f64);
        self.leave_line(&mut inside);
        Ok(())
    }

    /// Changes the bytes that it holds, as soon as there is room.
    pub(crate) async fn hold(&mut self, bytes: usize) {
        while let Err(told) = self.try_hold(bytes) {
            told.notified().await;
        }
    }

    /// Notes that a reply or its caller has left, and `bytes` remain. The place in the line stays.
    pub(crate) fn settle(&mut self, bytes: usize) {
        let wanted = counted(bytes);
        if wanted < self.counted {
            self.lower(wanted, false);
        }
    }

    /// Makes the reader look again, because it needs less than when it was refused.
    pub(crate) fn look_again(&self) {
        if let Some(told) = &self.waits {
            told.notify_one();
        }
    }

    /// Ends the account with its connection.
    pub(crate) fn end(&mut self) {
        if self.counted > 0 || self.waits.is_some() {
            self.lower(0, true);
        }
    }

    /// True if it has kept the privilege after a reply while others wait. It must take no new
    /// request.
    pub(crate) fn is_overdue(&self) -> bool {
        self.is_overdue
    }

    fn lower(&mut self, wanted: usize, leaves_line: bool) {
        let room = Arc::clone(&self.room);
        let mut inside = room.inside();
        self.is_overdue = inside.lower(self.number, self.counted, wanted);
        self.counted = wanted;
        match leaves_line {
            true => self.leave_line(&mut inside),
            false => inside.wake_first(),
        }
    }

    /// Leaves the line. The first in line then looks for room.
    fn leave_line(&mut self, inside: &mut Inside) {
        if self.waits.take().is_some() {
            inside.line.retain(|(account, _)| *account != self.number);
        }
        inside.wake_first();
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet, VecDeque};
    use std::pin::pin;
    use std::task::{Context, Waker};

    use proptest::prelude::*;

    use super::*;

    const KB: usize = 1_000;

    /// Whether the reader got a notice to look again since the last check.
    fn is_told(told: &Notify) -> bool {
        pin!(told.notified()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn small_replies_count_nothing_and_wait_for_nothing() {
        let room = Room::new(200 * KB, 100 * KB);
        let (mut large, mut next) = (room.account(), room.account());
        assert!(large.try_hold(200 * KB).is_ok(), "it is privileged");
        let waits = next.try_hold(150 * KB).expect_err("no room");
        let mut small: Vec<Account> = (0..10).map(|_| room.account()).collect();
        assert!(small.iter_mut().all(|one| one.try_hold(FREE_BYTES).is_ok()));
        assert_eq!((room.view().receiving, room.view().waiting), (200 * KB, 1));
        assert!(!is_told(&waits));
        large.settle(0);
        assert!(is_told(&waits) && next.try_hold(150 * KB).is_ok());
        assert_eq!((room.view().receiving, room.view().waiting), (150 * KB, 0));
    }

    #[test]
    fn the_line_is_in_order_and_nobody_passes() {
        let room = Room::new(400 * KB, 200 * KB);
        let [mut a, mut b, mut c, mut d] = [(); 4].map(|()| room.account());
        assert!(a.try_hold(190 * KB).is_ok());
        assert!(b.try_hold(150 * KB).is_ok(), "it is privileged");
        let first = c.try_hold(100 * KB).expect_err("no room");
        let second = d.try_hold(70 * KB).expect_err("behind the first");
        assert_eq!(room.view().waiting, 2);
        assert!(!is_told(&second));
        a.settle(0);
        assert!(is_told(&first) && !is_told(&second));
        assert!(d.try_hold(70 * KB).is_err(), "there is room, but it is not its turn");
        d.settle(0);
        assert!(!is_told(&second), "nothing has changed for it");
        assert!(c.try_hold(100 * KB).is_ok());
        assert!(is_told(&second) && d.try_hold(70 * KB).is_ok());
        assert_eq!((room.view().receiving, room.view().highest.value), (320 * KB, 340_000.0));
        room.clear();
        assert_eq!(room.view().highest, Highest::NONE);
    }

    #[test]
    fn whoever_is_dropped_gives_back_room_privilege_and_place() {
        let room = Room::new(400 * KB, 200 * KB);
        let [mut a, mut b, mut c, mut d] = [(); 4].map(|()| room.account());
        assert!(a.try_hold(200 * KB).is_ok() && b.try_hold(200 * KB).is_ok());
        assert!(c.try_hold(200 * KB).is_err());
        let second = d.try_hold(200 * KB).expect_err("no room");
        drop(c);
        assert!(is_told(&second), "it is the first now");
        assert!(d.try_hold(200 * KB).is_err(), "the privilege is another's");
        drop(b);
        assert!(is_told(&second) && d.try_hold(200 * KB).is_ok());
        drop((a, d));
        assert_eq!((room.view().receiving, room.view().waiting), (0, 0));
    }

    #[test]
    fn the_privileged_one_is_overdue_while_its_rest_does_not_fit() {
        let room = Room::new(400 * KB, 200 * KB);
        let (mut other, mut shared, mut waits) = (room.account(), room.account(), room.account());
        assert!(other.try_hold(150 * KB).is_ok() && shared.try_hold(190 * KB).is_ok());
        shared.settle(180 * KB);
        assert!(!shared.is_overdue(), "nobody waits");
        let told = waits.try_hold(100 * KB).expect_err("no room");
        shared.settle(170 * KB);
        assert!(shared.is_overdue());
        is_told(&told);
        // The caller leaves, so no bytes remain, and the next reader becomes privileged.
        shared.settle(0);
        assert!(!shared.is_overdue() && is_told(&told) && waits.try_hold(100 * KB).is_ok());
    }

    #[test]
    fn who_waits_and_needs_less_keeps_its_place() {
        let room = Room::new(400 * KB, 200 * KB);
        let [mut a, mut b, mut c, mut d] = [(); 4].map(|()| room.account());
        assert!(a.try_hold(100 * KB).is_ok() && c.try_hold(100 * KB).is_ok() && b.try_hold(200 * KB).is_ok());
        let told = c.try_hold(200 * KB).expect_err("no room");
        assert!(d.try_hold(90 * KB).is_err());
        // One of its parts was for a caller that has left.
        c.settle(0);
        c.look_again();
        assert!(is_told(&told) && c.try_hold(100 * KB).is_ok());
        assert_eq!(room.view().waiting, 1);
    }

    #[test]
    fn a_larger_room_wakes_who_waits() {
        let room = Room::new(400 * KB, 200 * KB);
        let [mut a, mut b, mut c] = [(); 3].map(|()| room.account());
        assert!(a.try_hold(200 * KB).is_ok() && b.try_hold(200 * KB).is_ok());
        let told = c.try_hold(200 * KB).expect_err("no room");
        room.resize(800 * KB, 200 * KB);
        assert!(is_told(&told) && c.try_hold(200 * KB).is_ok());
        // A lower limit takes no bytes away.
        room.resize(100 * KB, 50 * KB);
        assert_eq!((room.view().receiving, room.view().most), (600 * KB, 100 * KB));
        drop((a, b, c));
        assert_eq!(room.view().receiving, 0);
    }

    /// A part of a reply in the stream of a connection.
    type Part = (u32, usize, bool);

    /// A connection of the model: the bytes that come, and the bytes that it holds.
    struct Reader {
        account: Account,
        stream: VecDeque<Part>,
        held: HashMap<u32, usize>,
        left: HashSet<u32>,
        waits: Option<Arc<Notify>>,
    }

    const IN_FLIGHT: usize = 3;
    const PART_BYTES: usize = 100 * KB;
    const PARTS_MAX: usize = 4;
    const CONNECTION_MAX: usize = (IN_FLIGHT * PARTS_MAX + 1) * PART_BYTES;

    impl Reader {
        fn held(&self) -> usize {
            self.held.values().sum()
        }

        fn may_go_on(&mut self) -> bool {
            !self.stream.is_empty() && self.waits.as_ref().is_none_or(|told| is_told(told))
        }

        /// Reads the next part if there is room. Gives the id of a reply that is whole.
        fn go_on(&mut self) -> Option<u32> {
            let (id, bytes, is_last) = *self.stream.front()?;
            let kept = if self.left.contains(&id) { 0 } else { bytes };
            self.waits = self.account.try_hold(self.held() + kept).err();
            if self.waits.is_some() {
                return None;
            }
            self.stream.pop_front();
            *self.held.entry(id).or_default() += kept;
            if !is_last {
                return None;
            }
            self.held.remove(&id);
            self.account.settle(self.held());
            Some(id)
        }

        /// The caller of a reply leaves.
        fn leave(&mut self, id: u32) {
            self.left.insert(id);
            self.held.remove(&id);
            self.account.settle(self.held());
            self.account.look_again();
        }
    }

    /// The stream of a connection. `replies` has the number of parts of each reply; the parts are
    /// mixed.
    fn mixed(replies: &[usize], turns: &[usize]) -> VecDeque<Part> {
        let mut waiting: VecDeque<(u32, usize)> = (0..).zip(replies.iter().copied()).collect();
        let (mut open, mut stream) = (Vec::new(), VecDeque::new());
        let mut turns = turns.iter().cycle();
        loop {
            while open.len() < IN_FLIGHT
                && let Some(next) = waiting.pop_front()
            {
                open.push(next);
            }
            if open.is_empty() {
                return stream;
            }
            let at = turns.next().copied().unwrap_or(0) % open.len();
            open[at].1 -= 1;
            stream.push_back((open[at].0, PART_BYTES, open[at].1 == 0));
            if open[at].1 == 0 {
                open.remove(at);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// With mixed replies, callers that leave, and broken connections: some reader can always
        /// go on, all replies come, and the limit holds.
        #[test]
        fn somebody_can_always_go_on_and_the_limit_holds(
            connections in proptest::collection::vec(
                (proptest::collection::vec(1..=PARTS_MAX, 1..12), proptest::collection::vec(0_usize..6, 1..9)),
                1..24,
            ),
            most in 2 * CONNECTION_MAX..2 * CONNECTION_MAX + 3 * PART_BYTES,
            chances in proptest::collection::vec(any::<u32>(), 200),
        ) {
            let room = Room::new(most, CONNECTION_MAX);
            let mut readers: Vec<Reader> = connections
                .iter()
                .map(|(replies, turns)| Reader {
                    account: room.account(),
                    stream: mixed(replies, turns),
                    held: HashMap::new(),
                    left: HashSet::new(),
                    waits: None,
                })
                .collect();
            let expected: usize = connections.iter().map(|(replies, _)| replies.len()).sum();
            let (mut whole, mut lost) = (0, 0);
            let mut chances = chances.iter().cycle().map(|chance| *chance as usize);
            while readers.iter().any(|reader| !reader.stream.is_empty()) {
                let mut chance = || chances.next().unwrap_or(0);
                let from = chance() % readers.len();
                if chance() % 100 == 0 {
                    let broken = readers.remove(from);
                    lost += broken.stream.iter().filter(|part| part.2).count();
                    if readers.is_empty() {
                        break;
                    }
                    continue;
                }
                if chance() % 20 == 0
                    && let Some(id) = readers[from].held.keys().min().copied()
                {
                    readers[from].leave(id);
                }
                let order: Vec<usize> = (from..readers.len()).chain(0..from).collect();
                let next = order.into_iter().find(|at| readers[*at].may_go_on());
                prop_assert!(next.is_some(), "all wait: {:?}", room.view());
                whole += next.map_or(0, |at| usize::from(readers[at].go_on().is_some()));
                prop_assert!(room.view().receiving <= most, "{:?}", room.view());
            }
            prop_assert_eq!(whole + lost, expected);
            drop(readers);
            prop_assert_eq!((room.view().receiving, room.view().waiting), (0, 0));
        }
    }
}
