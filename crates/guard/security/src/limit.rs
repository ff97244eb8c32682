//! Limits of rates and of concurrency, for all callers together and for each caller.
//!
//! A rate is a token bucket in its shortest form, the generic cell rate algorithm. It needs one
//! number: the time at which the bucket will be full again. The limiter tracks a limited number of
//! callers. Further callers share one bucket, so inventing callers gains nothing.

use core::net::IpAddr;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The default number of tracked callers.
pub const CALLERS_MAX_DEFAULT: usize = 10_000;
const SHARDS: usize = 16;
/// Nanoseconds between two searches of a full shard. A search removes callers that need no tracking
/// any more.
const SWEEP_PAUSE_NS: u64 = 1_000_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// A number of requests in a time, and a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    interval_ns: u64,
    tolerance_ns: u64,
}

impl Rate {
    /// `requests` in `per_ms` milliseconds; `burst` of them may come at once. None if this is not a
    /// rate: a number is zero, or requests are less than a nanosecond apart.
    #[must_use]
    pub fn new(requests: u32, per_ms: u64, burst: u32) -> Option<Self> {
        let interval_ns = per_ms.checked_mul(1_000_000)?.checked_div(u64::from(requests))?;
        let tolerance_ns = interval_ns.checked_mul(u64::from(burst))?;
        (interval_ns > 0 && tolerance_ns > 0).then_some(Self { interval_ns, tolerance_ns })
    }

    /// Gives back a token that was taken.
    fn give_back(&self, full_at_ns: &AtomicU64) {
        full_at_ns.fetch_sub(self.interval_ns, Ordering::Relaxed);
    }

    /// Takes one token, or gives the nanoseconds until there is one.
    fn take(&self, full_at_ns: &AtomicU64, now_ns: u64) -> Result<(), u64> {
        let mut seen = full_at_ns.load(Ordering::Relaxed);
        loop {
            let after = seen.max(now_ns) + self.interval_ns;
            if let wait @ 1.. = after.saturating_sub(now_ns).saturating_sub(self.tolerance_ns) {
                return Err(wait);
            }
            match full_at_ns.compare_exchange_weak(seen, after, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Ok(()),
                Err(other) => seen = other,
            }
        }
    }
}

/// A caller to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Caller<'a> {
    /// A known user, by name.
    User(&'a str),
    /// An address. IPv6 callers count by their network of 64 bits, because one customer has it.
    Address(IpAddr),
}

/// The limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimiterSettings {
    /// The rate of all callers together.
    pub rate: Option<Rate>,
    /// The rate of each caller.
    pub caller_rate: Option<Rate>,
    /// The most requests at one time of all callers.
    pub concurrent_max: Option<u32>,
    /// The most requests at one time of each caller.
    pub caller_concurrent_max: Option<u32>,
    /// The most callers to track.
    pub callers_max: usize,
}

/// A request that is over a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// Too often (429).
    Rate {
        /// Seconds until another request may come, at least 1.
        retry_after_s: u64,
        /// True if it is the caller's own limit.
        caller: bool,
    },
    /// Too many at a time (503).
    Concurrency {
        /// True if it is the caller's own limit.
        caller: bool,
    },
}

/// Counts requests against the limits of one API or operation.
#[derive(Debug)]
pub struct Limiter {
    settings: LimiterSettings,
    all: State,
    /// Callers beyond the tracked ones.
    others: Arc<State>,
    shards: [Mutex<Shard>; SHARDS],
    random: [RandomState; 2],
}

#[derive(Debug, Default)]
struct State {
    full_at_ns: AtomicU64,
    running: AtomicU32,
}

#[derive(Debug, Default)]
struct Shard {
    /// Callers by a digest under random keys. Two callers get the same key as rarely as two random
    /// numbers of 128 bits are equal.
    callers: HashMap<u128, Arc<State>>,
    sweep_at_ns: u64,
}

/// A running request. Drop it when the request has ended.
#[derive(Debug)]
pub struct Permit<'l> {
    all: Option<Running<&'l State>>,
    caller: Option<Running<Arc<State>>>,
}

impl Permit<'_> {
    /// Whether the request counts as running.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.all.is_some() || self.caller.is_some()
    }
}

#[derive(Debug)]
struct Running<S: std::ops::Deref<Target = State>>(S);

impl<S: std::ops::Deref<Target = State>> Running<S> {
    fn begin(state: S, max: u32) -> Option<Self> {
        let more = |running| (running < max).then_some(running + 1);
        state.running.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self(state))
    }
}

impl<S: std::ops::Deref<Target = State>> Drop for Running<S> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Limiter {
    /// A limiter; none if the settings limit nothing.
    #[must_use]
    pub fn new(settings: LimiterSettings) -> Option<Self> {
        let LimiterSettings { rate, caller_rate, concurrent_max, caller_concurrent_max, .. } = settings;
        if rate.is_none()
            && caller_rate.is_none()
            && concurrent_max.is_none()
            && caller_concurrent_max.is_none()
        {
            return None;
        }
        Some(Self {
            settings,
            all: State::default(),
            others: Arc::default(),
            shards: Default::default(),
            random: Default::default(),
        })
    }

    /// Counts a request. `now_ns` is nanoseconds of a clock that never goes back. A caller's own
    /// limits come first, so a refused caller costs the others nothing.
    ///
    /// # Errors
    /// The exceeded limit.
    pub fn admit(&self, caller: Caller<'_>, now_ns: u64) -> Result<Permit<'_>, Limited> {
        let mut permit = self.admit_caller(caller, now_ns)?;
        self.begin_for_all(&mut permit)?;
        self.take_of_all(now_ns)?;
        Ok(permit)
    }

    /// Counts a request against several limiters, as [`Limiter::admit`] does for one. The caller's own
    /// limits of all of them come first. A refused request takes nothing of the shared rates.
    ///
    /// # Errors
    /// The exceeded limit.
    pub fn admit_by<'l, const N: usize>(
        limiters: [Option<&'l Limiter>; N],
        caller: Caller<'_>,
        now_ns: u64,
    ) -> Result<[Option<Permit<'l>>; N], Limited> {
        let mut permits = [const { None }; N];
        for (permit, limiter) in permits.iter_mut().zip(limiters) {
            *permit = limiter.map(|limiter| limiter.admit_caller(caller, now_ns)).transpose()?;
        }
        for (permit, limiter) in permits.iter_mut().zip(limiters) {
            if let (Some(permit), Some(limiter)) = (permit, limiter) {
                limiter.begin_for_all(permit)?;
            }
        }
        for (at, limiter) in limiters.iter().enumerate() {
            if let Some(limiter) = limiter {
                limiter.take_of_all(now_ns).inspect_err(|_| {
                    limiters[..at].iter().flatten().for_each(|earlier| earlier.give_back_to_all());
                })?;
            }
        }
        Ok(permits)
    }

    /// Counts a request against the caller's own limits.
    fn admit_caller(&self, caller: Caller<'_>, now_ns: u64) -> Result<Permit<'_>, Limited> {
        let mut permit = Permit { all: None, caller: None };
        if self.settings.caller_rate.is_some() || self.settings.caller_concurrent_max.is_some() {
            let state = self.state(caller, now_ns);
            if let Some(max) = self.settings.caller_concurrent_max {
                let running = Running::begin(Arc::clone(&state), max);
                permit.caller = Some(running.ok_or(Limited::Concurrency { caller: true })?);
            }
            if let Some(rate) = self.settings.caller_rate {
                rate.take(&state.full_at_ns, now_ns).map_err(|wait| too_often(wait, true))?;
            }
        }
        Ok(permit)
    }

    /// Counts a request among those of all callers that run.
    fn begin_for_all<'l>(&'l self, permit: &mut Permit<'l>) -> Result<(), Limited> {
        if let Some(max) = self.settings.concurrent_max {
            permit.all = Some(Running::begin(&self.all, max).ok_or(Limited::Concurrency { caller: false })?);
        }
        Ok(())
    }

    /// Takes a token of the rate of all callers.
    fn take_of_all(&self, now_ns: u64) -> Result<(), Limited> {
        let taken = self.settings.rate.map_or(Ok(()), |rate| rate.take(&self.all.full_at_ns, now_ns));
        taken.map_err(|wait| too_often(wait, false))
    }

    fn give_back_to_all(&self) {
        if let Some(rate) = self.settings.rate {
            rate.give_back(&self.all.full_at_ns);
        }
    }

    /// The limits.
    #[must_use]
    pub fn settings(&self) -> &LimiterSettings {
        &self.settings
    }

    /// The number of tracked callers.
    #[must_use]
    pub fn tracked(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().expect("no holder panics").callers.len()).sum()
    }

    fn state(&self, caller: Caller<'_>, now_ns: u64) -> Arc<State> {
        let key = self.key(caller);
        let mut shard = self.shards[(key % SHARDS as u128) as usize].lock().expect("no holder panics");
        if let Some(state) = shard.callers.get(&key) {
            return Arc::clone(state);
        }
        let most = self.settings.callers_max.div_ceil(SHARDS);
        if shard.callers.len() >= most && now_ns >= shard.sweep_at_ns {
            shard.sweep_at_ns = now_ns + SWEEP_PAUSE_NS;
            // A caller with a full bucket and no running request is like a new one. While the shard
            // is locked, only running or starting requests can reach a state, and they hold a
            // reference.
            shard.callers.retain(|_, state| {
                Arc::strong_count(state) > 1 || state.full_at_ns.load(Ordering::Relaxed) > now_ns
            });
        }
        if shard.callers.len() >= most {
            return Arc::clone(&self.others);
        }
        Arc::clone(shard.callers.entry(key).or_default())
    }

    fn key(&self, caller: Caller<'_>) -> u128 {
        let caller = match caller {
            Caller::Address(IpAddr::V6(address)) => match address.to_ipv4_mapped() {
                Some(address) => Caller::Address(address.into()),
                None => Caller::Address(IpAddr::V6((u128::from(address) >> 64 << 64).into())),
            },
            other => other,
        };
        let [high, low] = &self.random;
        u128::from(hash(high, caller)) << 64 | u128::from(hash(low, caller))
    }
}

fn hash(random: &RandomState, caller: impl Hash) -> u64 {
    random.hash_one(caller)
}

fn too_often(wait_ns: u64, caller: bool) -> Limited {
    Limited::Rate { retry_after_s: wait_ns.div_ceil(SECOND_NS).max(1), caller }
}
