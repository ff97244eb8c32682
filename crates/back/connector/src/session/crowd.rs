//! Whether many send on a session at the same time, although none of them waits for a reply.
//!
//! A request that is under way tells that others may join it in one write. A message without a reply is over as soon as it is
//! written, so each would be written by itself, however many senders are ready. From time to time one is held back until all that
//! are ready have put theirs; as long as that brings more than one together, all are.

/// So many messages in a row go at once, each by itself; then it is looked whether others are ready.
const LOOK_EVERY: u32 = 16;

/// What is known of the senders.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    is_there: bool,
    /// Messages since it was looked.
    alone: u32,
}

impl Crowd {
    /// Whether the next message waits for those that are ready. Only on the session's own thread is it looked: there nobody has to
    /// be woken for it.
    pub(super) fn gathers(&mut self, is_own: bool) -> bool {
        if self.is_there || !is_own {
            return self.is_there;
        }
        self.alone = (self.alone + 1) % LOOK_EVERY;
        self.alone == 0
    }

    /// So many messages came together when one was held back.
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
