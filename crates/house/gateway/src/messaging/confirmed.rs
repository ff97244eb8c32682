//! Confirmed reservations: a repeated confirmation gets the answer of the first.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use message::{MessageId, Refusal};
use tokio::sync::watch;

/// The most confirmations that are remembered.
const CONFIRMED_MAX: usize = 10_000;

/// The outcome of a commit; none while it runs.
type Outcome = Option<Result<(), Refusal>>;

/// Recently confirmed reservations, and those whose commit still runs.
#[derive(Debug, Default)]
pub struct Confirmed(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    all: HashSet<MessageId>,
    /// The same, the oldest first.
    order: VecDeque<MessageId>,
    /// Confirmations that run, with those who wait for their outcome.
    running: HashMap<MessageId, watch::Sender<Outcome>>,
}

/// A confirmation that runs. If it is dropped without an outcome, nothing was confirmed.
#[derive(Debug)]
pub(super) struct Confirming {
    confirmed: Arc<Confirmed>,
    id: MessageId,
    has_ended: bool,
}

enum Begun {
    /// It was confirmed before.
    Before,
    /// Another request confirms it now.
    Elsewhere(watch::Receiver<Outcome>),
    /// This request confirms it.
    Here(Confirming, watch::Receiver<Outcome>),
}

impl Confirmed {
    /// Confirms a reservation; false if it does not exist. If another request confirms it now, waits for the same outcome.
    /// `begin` begins the commit; false if there is no reservation. The commit goes on if the caller leaves.
    ///
    /// # Errors
    /// The commit has failed.
    pub(super) async fn confirm(
        self: &Arc<Self>,
        id: MessageId,
        begin: impl Fn(Confirming) -> bool,
    ) -> Result<bool, Refusal> {
        loop {
            let (mut outcome, is_here) = match self.begin(id) {
                Begun::Before => return Ok(true),
                Begun::Elsewhere(outcome) => (outcome, false),
                Begun::Here(confirming, outcome) => {
                    if !begin(confirming) {
                        return Ok(false);
                    }
                    (outcome, true)
                }
            };
            let ended = outcome.wait_for(Option::is_some).await.ok().and_then(|ended| ended.clone());
            match ended {
                Some(ended) => return ended.map(|()| true),
                None if is_here => return Err(Refusal::unknown("the store has stopped")),
                // The other request has found nothing. It may have named another queue.
                None => {}
            }
        }
    }

    fn begin(self: &Arc<Self>, id: MessageId) -> Begun {
        let mut state = self.state();
        if state.all.contains(&id) {
            return Begun::Before;
        }
        if let Some(running) = state.running.get(&id) {
            return Begun::Elsewhere(running.subscribe());
        }
        let (sender, outcome) = watch::channel(None);
        state.running.insert(id, sender);
        Begun::Here(Confirming { confirmed: Arc::clone(self), id, has_ended: false }, outcome)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Confirming {
    /// Notes the outcome of the commit, and tells it to all who wait.
    pub(super) fn end(mut self, outcome: Result<(), Refusal>) {
        self.has_ended = true;
        let mut state = self.confirmed.state();
        if outcome.is_ok() {
            state.add(self.id);
        }
        if let Some(running) = state.running.remove(&self.id) {
            running.send_replace(Some(outcome));
        }
    }
}

impl Drop for Confirming {
    fn drop(&mut self) {
        // After its end, another one may run.
        if !self.has_ended {
            self.confirmed.state().running.remove(&self.id);
        }
    }
}

impl State {
    fn add(&mut self, id: MessageId) {
        if self.all.insert(id) {
            self.order.push_back(id);
        }
        if self.order.len() > CONFIRMED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.all.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    const ID: MessageId = MessageId([7; 24]);

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    /// A reservation that is there once. Its commit ends when the test says so.
    #[derive(Default)]
    struct Reserved {
        is_taken: Cell<bool>,
        running: Cell<Option<Confirming>>,
    }

    impl Reserved {
        fn begin(&self, confirming: Confirming) -> bool {
            let found = !self.is_taken.replace(true);
            if found {
                self.running.set(Some(confirming));
            }
            found
        }

        fn ends(&self, outcome: Result<(), Refusal>) {
            self.running.take().expect("a running commit").end(outcome);
        }
    }

    #[test]
    fn a_confirmation_goes_on_without_its_client() {
        let (confirmed, reserved) = (Arc::new(Confirmed::default()), Reserved::default());
        {
            let first = pin!(confirmed.confirm(ID, |confirming| reserved.begin(confirming)));
            assert!(poll(first).is_pending(), "the commit runs");
        }
        let mut second = pin!(confirmed.confirm(ID, |confirming| reserved.begin(confirming)));
        assert!(poll(second.as_mut()).is_pending(), "the repeat waits for the same commit");
        reserved.ends(Ok(()));
        assert_eq!(poll(second), Poll::Ready(Ok(true)));
        let third = pin!(confirmed.confirm(ID, |confirming| reserved.begin(confirming)));
        assert_eq!(poll(third), Poll::Ready(Ok(true)), "the confirmation is remembered");
    }

    #[test]
    fn a_failed_commit_confirms_nothing() {
        let (confirmed, reserved) = (Arc::new(Confirmed::default()), Reserved::default());
        let mut first = pin!(confirmed.confirm(ID, |confirming| reserved.begin(confirming)));
        let mut second = pin!(confirmed.confirm(ID, |confirming| reserved.begin(confirming)));
        assert!(poll(first.as_mut()).is_pending() && poll(second.as_mut()).is_pending());
        let refusal = Refusal::unknown("the disk failed");
        reserved.ends(Err(refusal.clone()));
        assert_eq!(poll(first), Poll::Ready(Err(refusal.clone())));
        assert_eq!(poll(second), Poll::Ready(Err(refusal)));
        let third = pin!(confirmed.confirm(ID, |confirming| reserved.begin(confirming)));
        assert_eq!(poll(third), Poll::Ready(Ok(false)), "nothing is remembered");
        assert!(confirmed.state().running.is_empty());
    }

    #[test]
    fn a_repeat_looks_itself_if_the_first_found_nothing() {
        let (confirmed, reserved) = (Arc::new(Confirmed::default()), Reserved::default());
        let elsewhere = Cell::new(None);
        let mut wrong = pin!(confirmed.confirm(ID, |confirming| {
            elsewhere.set(Some(confirming));
            true
        }));
        assert!(poll(wrong.as_mut()).is_pending());
        let mut right = pin!(confirmed.confirm(ID, |confirming| reserved.begin(confirming)));
        assert!(poll(right.as_mut()).is_pending());
        elsewhere.take();
        assert!(poll(right.as_mut()).is_pending(), "its own commit runs");
        reserved.ends(Ok(()));
        assert_eq!(poll(right), Poll::Ready(Ok(true)));
    }
}
