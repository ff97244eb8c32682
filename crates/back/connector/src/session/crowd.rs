//! Finds out whether many one-way senders use a session at the same time.
//!
//! A request under way shows that others may join it in one write. A one-way message ends as soon
//! as it is written. So each message would go alone, even with many ready senders. Therefore one
//! message of several is held back until all ready senders have put theirs. If that brings more
//! than one together, every message is held back, as long as this is so.

/// One message of this many is held back to see whether others are ready. The rest go at once.
const LOOK_EVERY: u32 = 16;

/// The session's knowledge about its senders.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    is_there: bool,
    /// Messages since one was held back.
    alone: u32,
}

impl Crowd {
    /// Whether the next message waits for those that are ready. Only the session's own thread tries
    /// this, because no other thread has to be woken there.
    pub(super) fn gathers(&mut self, is_own: bool) -> bool {
        if self.is_there || !is_own {
            return self.is_there;
        }
        self.alone = (self.alone + 1) % LOOK_EVERY;
        self.alone == 0
    }

    /// Notes how many messages came together when one was held back.
    pub(super) fn came(&mut self, messages: usize) {
        self.is_there = messages > 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_held_back_while_that_brings_others() {
        let mut crowd = Crowd::default();
        let held = |crowd: &mut Crowd| (0..2 * LOOK_EVERY).filter(|_| crowd.gathers(true)).count();
        assert_eq!(held(&mut crowd), 2, "it is only looked");
        assert!(!crowd.gathers(false), "another thread does not look");
        crowd.came(1);
        assert_eq!(held(&mut crowd), 2);
        crowd.came(5);
        assert_eq!(held(&mut crowd), 2 * LOOK_EVERY as usize);
        assert!(crowd.gathers(false));
        crowd.came(1);
        assert_eq!(held(&mut crowd), 2);
    }
}
