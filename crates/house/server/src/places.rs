//! Places of connections: limits in all and for one address, and who must leave when all are taken.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use settings::Network;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::activity::Activity;

/// The places of some listeners.
pub(crate) struct Places {
    all: Arc<Semaphore>,
    per_address: Option<PerAddress>,
    /// Connections that may be asked to leave, in the order of their arrival; none if nobody may be
    /// asked.
    guests: Option<Arc<Guests>>,
}

/// Limits the places of one address.
pub(crate) struct PerAddress {
    pub(crate) max: usize,
    /// Proxies, which connect for many clients.
    pub(crate) trusted: Vec<Network>,
    pub(crate) refused: Counter,
    pub(crate) taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// A place. Its drop frees it.
pub(crate) struct Place {
    // The guest comes first, so that a leaving connection is not asked to leave for the next one.
    pub(crate) guest: Option<Guest>,
    _address: Option<AddressPlace>,
    _permit: Option<OwnedSemaphorePermit>,
}

pub(crate) struct AddressPlace {
    address: IpAddr,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

#[derive(Default)]
struct Guests {
    next: AtomicU64,
    here: Mutex<BTreeMap<u64, Arc<Stay>>>,
}

struct Stay {
    activity: Arc<Activity>,
    leave: Notify,
    begun: Instant,
}

/// A connection may keep its place this long, even if others wait. Some clients come back as soon
/// as they were asked to leave. Without this time they would use a whole core.
const STAY_MIN: Duration = Duration::from_millis(100);

/// A connection that may be asked to leave.
pub(crate) struct Guest {
    number: u64,
    guests: Arc<Guests>,
    stay: Arc<Stay>,
}

impl Places {
    pub(crate) fn new(count: usize, per_address: Option<PerAddress>) -> Self {
        let all = Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        Self { all, per_address, guests: None }
    }

    /// Places where a new connection replaces another one without a running request.
    pub(crate) fn with_guests(count: usize) -> Self {
        Self { guests: Some(Arc::default()), ..Self::new(count, None) }
    }

    /// Counts a connection for its address. None if the address has too many.
    pub(crate) fn of_address(&self, address: IpAddr) -> Option<Option<AddressPlace>> {
        let Some(rule) = &self.per_address else { return Some(None) };
        let address = address.to_canonical();
        if rule.trusted.iter().any(|network| network.has(address)) {
            return Some(None);
        }
        let address = key(address);
        let mut taken = lock(&rule.taken);
        let count = taken.entry(address).or_default();
        if *count >= rule.max {
            rule.refused.inc();
            return None;
        }
        *count += 1;
        Some(Some(AddressPlace { address, taken: Arc::clone(&rule.taken) }))
    }

    /// Waits for a place, until the process stops. Then the connection gets in beyond the limit: it is the last one of its listener.
    pub(crate) async fn enter_until(
        &self,
        address: Option<AddressPlace>,
        stops: impl Future<Output = ()>,
    ) -> Place {
        let permit = match Arc::clone(&self.all).try_acquire_owned() {
            Ok(permit) => Some(permit),
            Err(_) => tokio::select! {
                biased;
                permit = self.wait() => permit,
                () = stops => None,
            },
        };
        let guest = self.guests.as_ref().map(Guests::come);
        Place { _permit: permit, _address: address, guest }
    }
}

impl Places {
    /// Waits for a free place. If there are guests, asks one to leave, and another if that one has
    /// begun a request meanwhile.
    async fn wait(&self) -> Option<OwnedSemaphorePermit> {
        let mut left = pin!(Arc::clone(&self.all).acquire_owned());
        let Some(guests) = &self.guests else { return left.await.ok() };
        loop {
            let pause = guests.ask_one_to_leave().err().unwrap_or(STAY_MIN);
            if let Ok(permit) = tokio::time::timeout(pause, left.as_mut()).await {
                return permit.ok();
            }
        }
    }
}

impl Drop for AddressPlace {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        if let Some(count) = taken.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

impl Guests {
    fn come(self: &Arc<Self>) -> Guest {
        let stay = Arc::new(Stay { activity: Arc::default(), leave: Notify::new(), begun: Instant::now() });
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.here).insert(number, Arc::clone(&stay));
        Guest { number, guests: Arc::clone(self), stay }
    }

    /// Asks a guest without a running request to leave: the oldest that never had an answer, else
    /// the oldest. If none can be asked yet, the error is the time until the next try.
    fn ask_one_to_leave(&self) -> Result<(), Duration> {
        let here = lock(&self.here);
        let idle = || here.values().filter(|stay| stay.activity.is_idle());
        let new = idle().find(|stay| stay.activity.has_no_answer());
        let Some(next) = new.or_else(|| idle().next()) else { return Err(STAY_MIN) };
        let stays_for = STAY_MIN.saturating_sub(next.begun.elapsed());
        if !stays_for.is_zero() {
            return Err(stays_for);
        }
        next.leave.notify_one();
        Ok(())
    }
}

impl Guest {
    pub(crate) fn activity(&self) -> Arc<Activity> {
        Arc::clone(&self.stay.activity)
    }

    /// Ends when the connection must leave. A request that has begun since it was asked goes on.
    pub(crate) async fn asked_to_leave(&self) {
        loop {
            self.stay.leave.notified().await;
            if self.stay.activity.is_idle() {
                return;
            }
        }
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        lock(&self.guests.here).remove(&self.number);
    }
}

/// The part of an address that counts as one client: with IPv6 a network of 64 bits.
fn key(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use super::*;

    impl Places {
        async fn enter(&self, address: Option<AddressPlace>) -> Place {
            self.enter_until(address, std::future::pending()).await
        }
    }

    #[tokio::test]
    async fn a_connection_that_waits_when_the_process_stops_gets_in() {
        let places = Places::new(1, None);
        let _first = places.enter(None).await;
        let (stop, stops) = tokio::sync::oneshot::channel::<()>();
        let mut waits = pin!(places.enter_until(None, async { drop(stops.await) }));
        let mut context = Context::from_waker(Waker::noop());
        assert!(waits.as_mut().poll(&mut context).is_pending(), "the place is taken");
        drop(stop);
        waits.await;
    }

    #[test]
    fn an_address_has_so_many_places() {
        let trusted = vec![Network::parse("10.0.0.0/8").expect("a network")];
        let rule = PerAddress { max: 2, trusted, refused: Counter::default(), taken: Arc::default() };
        let places = Places::new(100, Some(rule));
        let enter = |text: &str| places.of_address(text.parse().expect("an address"));
        let first = enter("192.0.2.1");
        let second = enter("::ffff:192.0.2.1");
        assert!(first.is_some() && second.is_some() && enter("192.0.2.1").is_none());
        assert!(enter("192.0.2.2").is_some());
        drop(first);
        assert!(enter("192.0.2.1").is_some());
        let _network = (enter("2001:db8::1"), enter("2001:db8::2"));
        assert!(enter("2001:db8::3").is_none() && enter("2001:db8:0:1::1").is_some());
        let _proxies: Vec<_> = (0..5).map(|_| enter("10.1.2.3").expect("exempt")).collect();
    }

    #[tokio::test]
    async fn a_guest_stays_for_a_while_before_another_takes_its_place() {
        let places = Places::with_guests(1);
        let first = places.enter(None).await;
        let guest = first.guest.as_ref().expect("a guest");
        let next = places.enter(None);
        let leave = async {
            guest.asked_to_leave().await;
            guest.stay.begun.elapsed()
        };
        let mut next = pin!(next);
        let stayed = tokio::select! {
            _ = next.as_mut() => panic!("the place is taken"),
            stayed = leave => stayed,
        };
        assert!(stayed >= STAY_MIN, "{stayed:?}");
        drop(first);
        next.await;
    }

    #[tokio::test]
    async fn a_request_that_has_just_begun_is_not_cut() {
        let places = Places::with_guests(1);
        let first = places.enter(None).await;
        let guest = first.guest.as_ref().expect("a guest");
        tokio::time::sleep(STAY_MIN).await;
        let mut next = pin!(places.enter(None));
        let mut context = Context::from_waker(Waker::noop());
        assert!(next.as_mut().poll(&mut context).is_pending(), "the guest is asked");
        let running = guest.activity().begin();
        let mut leaves = pin!(guest.asked_to_leave());
        assert!(leaves.as_mut().poll(&mut context).is_pending(), "a request runs");
        drop(running);
        tokio::select! {
            _ = next => panic!("the place is taken"),
            () = leaves => {}
        }
    }

    #[tokio::test]
    async fn another_guest_leaves_if_the_first_is_busy() {
        let places = Places::with_guests(2);
        let (first, second) = (places.enter(None).await, places.enter(None).await);
        let [busy, idle] = [&first, &second].map(|place| place.guest.as_ref().expect("a guest"));
        tokio::time::sleep(STAY_MIN).await;
        let mut next = pin!(places.enter(None));
        let mut context = Context::from_waker(Waker::noop());
        assert!(next.as_mut().poll(&mut context).is_pending(), "the first is asked");
        let _running = busy.activity().begin();
        tokio::select! {
            _ = next => panic!("the places are taken"),
            () = busy.asked_to_leave() => panic!("its request runs"),
            () = idle.asked_to_leave() => {}
        }
    }
}
