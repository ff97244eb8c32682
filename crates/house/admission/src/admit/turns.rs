//! Requests with the same credentials take turns to have their password verified. Verifying costs much, and all requests but the
//! first find the password remembered.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use http::header::{AUTHORIZATION, HeaderMap};
use tokio::sync::Mutex as Turn;

/// The turns of all credentials whose passwords are being verified. Two credentials with the same hash would wait for each other,
/// which does no harm.
#[derive(Debug, Default)]
pub(super) struct Turns {
    hasher: RandomState,
    taken: Mutex<HashMap<u64, Weak<Turn<()>>>>,
}

impl Turns {
    /// The turn of a request: it holds the lock while its password is verified.
    pub(super) fn of(&self, headers: &HeaderMap) -> Arc<Turn<()>> {
        let credentials = headers.get(AUTHORIZATION).map(|value| value.as_bytes());
        let key = self.hasher.hash_one(credentials);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = taken.get(&key).and_then(Weak::upgrade) {
            return turn;
        }
        // Turns that nobody holds any more would stay for ever.
        taken.retain(|_, turn| turn.strong_count() > 0);
        let turn = Arc::default();
        taken.insert(key, Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_same_credentials_have_one_turn_while_somebody_holds_it() {
        let of = |text: &'static str| HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(text))]);
        let (mary, otto, turns) = (of("Basic bWFyeTp4"), of("Basic b3R0bzp4"), Turns::default());
        let first = turns.of(&mary);
        assert!(Arc::ptr_eq(&first, &turns.of(&mary)));
        assert!(!Arc::ptr_eq(&first, &turns.of(&otto)));
        drop(first);
        let _otto = turns.of(&otto);
        assert_eq!(turns.taken.lock().expect("no panic").len(), 1);
    }
}
