//! The state that all links of a region share, and their thread.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use store::{Collation, GlobalId, Organization, Recovery};
use tokio::runtime::Handle;
use tokio::sync::{Notify, OnceCell, Semaphore};
use tokio::task::AbortHandle;
use wire::{Name, shown};

use super::caller::Caller;
use super::definition::{Address, LinkLimits, Links as Definition};
use super::message::{Hello, Message, Token, VERSION};
use super::peers::{LinkState, Route, check};
use super::quiet::Quiet;
use super::session_thread;
use super::stream::{ACCEPT_PAUSE, Arrival, Listener, Stream, Tls};
use crate::quick::processors;
use crate::region::Region;
use crate::resources::Resources;
use crate::resources::durable::Opened;
use crate::resources::trouble::Trouble;
use crate::settings::Settings;

/// What SYSIDERR says in RESP2: bytes 1 and 2 of EIBRCODE, as IBM's "EXCI return codes" describes it for the link that is not
/// available. The system is not known; it is not in service; it has no session.
pub(crate) const RESP2_UNKNOWN: u32 = 0x0C00;
pub(crate) const RESP2_NOT_IN_SERVICE: u32 = 0x0800;
pub(crate) const RESP2_NO_SESSION: u32 = 0x0404;

/// RESP2 of TERMERR: the conversation with the mirror failed (CICS TS, LINK).
pub(crate) const RESP2_CONVERSATION: u32 = 17;

/// Random bytes in the ids of units and in the name of a store.
const RANDOM_BYTES: usize = 16;

/// How often is looked whether all threads of sessions have ended.
const SESSION_END_POLL: Duration = Duration::from_millis(1);

/// The state that all links of a region share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) own: Hello,
    /// The current configuration.
    definition: RwLock<Arc<Definition>>,
    tls: RwLock<Option<Tls>>,
    pub(crate) resources: Arc<Resources>,
    routes: RwLock<Vec<Arc<Route>>>,
    connections: RwLock<Arc<Semaphore>>,
    region: RwLock<Weak<Region>>,
    /// The welcomed regions by the tokens that open their sessions.
    callers: Mutex<HashMap<Token, Weak<Caller>>>,
    /// The units of work of other regions that are here.
    present: Mutex<HashSet<GlobalId>>,
    /// Random bytes that make this process's ids of units unlike those of any other.
    incarnation: [u8; RANDOM_BYTES],
    next_unit: AtomicU64,
    coordinator: OnceCell<String>,
}

/// The links of a region; dropped, they end.
#[derive(Debug)]
pub(crate) struct Links {
    pub(crate) shared: Arc<Shared>,
    /// The addresses where it listens, and the tasks that listen there.
    listeners: Mutex<Vec<(Address, AbortHandle)>>,
    runtime: Handle,
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl Links {
    /// Opens the links: from now on other regions reach this one, and it them.
    ///
    /// # Errors
    /// The reason for people.
    pub(crate) fn open(settings: &Settings, resources: Arc<Resources>) -> Result<Self, String> {
        // Locks of units in doubt are held from the start.
        if resources.durable.exists() {
            resources.durable.open().map_err(|trouble| trouble.of_store())?;
        }
        let shared = Arc::new(Shared::new(settings, resources)?);
        // Its threads for what blocks are started by threads of sessions, which may stay on one processor.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .on_thread_start(processors::free_this_thread)
            .build();
        let runtime = runtime.map_err(|error| format!("a thread for the links: {error}"))?;
        let handle = runtime.handle().clone();
        let stop = Arc::new(Notify::new());
        let (told, running) = (stop.clone(), shared.clone());
        let thread = std::thread::Builder::new().name("links".to_owned()).spawn(move || {
            runtime.block_on(async {
                told.notified().await;
                running.end_sessions().await;
            });
        });
        let thread = thread.map_err(|error| format!("a thread for the links: {error}"))?;
        let listeners = Mutex::default();
        let links = Self { shared, listeners, runtime: handle, stop, thread: Some(thread) };
        links.configure(&settings.links)?;
        Ok(links)
    }

    /// Gives the links another configuration, as a whole or not at all. Running requests keep their links.
    ///
    /// # Errors
    /// The reason for people: an address where it cannot listen, a certificate that cannot be read.
    pub(crate) fn configure(&self, definition: &Definition) -> Result<(), String> {
        let own = self.shared.own.sysid;
        if definition.peers.iter().any(|peer| peer.sysid == own) {
            return Err(format!("a link leads to another region: {} is this region", shown(&own)));
        }
        let tls = definition.identity.as_ref().map(Tls::read).transpose()?;
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bound = Vec::new();
        for address in &definition.listen {
            if !listeners.iter().any(|(known, _)| known == address) {
                // Whoever configures has a runtime of its own; the socket belongs to that of the links.
                let _context = self.runtime.enter();
                bound.push((address.clone(), Listener::bind(address, tls.is_some())?));
            }
        }
        listeners.retain(|(address, task)| {
            let stays = definition.listen.contains(address);
            if !stays {
                task.abort();
            }
            stays
        });
        for route in self.shared.configure(definition, tls) {
            self.runtime.spawn(route.keep(self.shared.clone()));
        }
        for (address, listener) in bound {
            let task = self.runtime.spawn(listen(self.shared.clone(), listener));
            listeners.push((address, task.abort_handle()));
        }
        Ok(())
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
            // Whoever ends the links while they wait for it would wait for itself.
            && !session_thread::is_this_thread()
        {
            let _ = thread.join();
        }
    }
}

async fn listen(shared: Arc<Shared>, listener: Listener) {
    let refused = Arc::new(Quiet::default());
    loop {
        let Ok(arrival) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let connections = shared.connections.read().unwrap_or_else(PoisonError::into_inner).clone();
        let Ok(permit) = connections.try_acquire_owned() else {
            let most = shared.definition().limits.connections_max;
            refused.warn(&format!("there are {most} already"));
            continue;
        };
        let (shared, refused) = (shared.clone(), refused.clone());
        tokio::spawn(async move {
            if let Err(reason) = serve(&shared, arrival).await {
                refused.warn(&reason);
            }
            drop(permit);
        });
    }
}

/// Serves a connection to its end.
async fn serve(shared: &Arc<Shared>, arrival: Arrival) -> Result<(), String> {
    let LinkLimits { hello_max, stalled_max, .. } = shared.definition().limits;
    let late = |_| format!("no hello in {} ms", hello_max.as_millis());
    let greeted = tokio::time::timeout(hello_max, greet(shared, arrival)).await.map_err(late)?;
    let Greeted::Caller(caller, mut stream) = greeted? else { return Ok(()) };
    let write = caller.outbox.write(stream.1.take(), stalled_max);
    let ends = Ends(&caller);
    let reason = tokio::select! {
        reason = caller.read(&mut stream.0) => reason,
        () = write => "it takes nothing".to_owned(),
    };
    drop(ends);
    tracing::info!("link from {}: {reason}", shown(&caller.hello.sysid));
    Ok(())
}

/// However a connection is left, nothing of it stays.
struct Ends<'c>(&'c Arc<Caller>);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        let gone = Arc::downgrade(self.0);
        self.0.shared.callers().retain(|_, known| !known.ptr_eq(&gone));
        self.0.end();
    }
}

/// The kind of a new connection.
enum Greeted {
    Caller(Arc<Caller>, Ways),
    /// A session, which has a thread of its own.
    Session,
}

type Ways = (super::stream::Reading, Option<Box<dyn tokio::io::AsyncWrite + Send + Unpin>>);

/// Finds out who is at the other end.
async fn greet(shared: &Arc<Shared>, arrival: Arrival) -> Result<Greeted, String> {
    let tls = shared.tls.read().unwrap_or_else(PoisonError::into_inner).clone();
    let mut stream = arrival.greet(tls, shared.definition().limits.frame_max_bytes).await?;
    let hello = match stream.reading.message().await? {
        Message::Hello(hello) => hello,
        Message::Session { token } => return shared.begin_session(token, stream).map(|()| Greeted::Session),
        _ => return Err("the other region sent an unexpected message".to_owned()),
    };
    let peer = match shared.admit(&hello, &stream) {
        Ok(peer) => peer,
        Err(reason) => {
            // Strangers learn no more than that.
            let _ =
                stream.outbox.send(&Message::Refused { reason: "this region does not know you".to_owned() });
            stream.outbox.write_once(&mut stream.writing).await;
            return Err(reason);
        }
    };
    let token = random()?;
    let Stream { outbox, reading, writing, .. } = stream;
    let caller = Arc::new(Caller::new(shared.clone(), peer, hello, outbox));
    // It may open sessions as soon as it has heard this.
    shared.callers().insert(token, Arc::downgrade(&caller));
    let _ = caller.outbox.send(&Message::Welcome { hello: shared.own.clone(), token });
    Ok(Greeted::Caller(caller, (reading, writing)))
}

impl Shared {
    fn new(settings: &Settings, resources: Arc<Resources>) -> Result<Self, String> {
        let (sysid, applid, ccsid) = (settings.sysid, settings.applid, settings.ccsid);
        Ok(Self {
            own: Hello { version: VERSION, sysid, applid, ccsid },
            definition: RwLock::default(),
            tls: RwLock::default(),
            routes: RwLock::default(),
            connections: RwLock::new(Arc::new(Semaphore::new(0))),
            resources,
            region: RwLock::new(Weak::new()),
            callers: Mutex::default(),
            present: Mutex::default(),
            incarnation: random()?,
            next_unit: AtomicU64::new(0),
            coordinator: OnceCell::new(),
        })
    }

    /// The current configuration.
    pub(crate) fn definition(&self) -> Arc<Definition> {
        self.definition.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes another configuration; gives the routes that are new.
    fn configure(&self, definition: &Definition, tls: Option<Tls>) -> Vec<Arc<Route>> {
        let before = std::mem::replace(
            &mut *self.definition.write().unwrap_or_else(PoisonError::into_inner),
            Arc::new(definition.clone()),
        );
        let limits = &definition.limits;
        if before.limits.connections_max != limits.connections_max || before.peers.is_empty() {
            let places = Arc::new(Semaphore::new(limits.connections_max));
            *self.connections.write().unwrap_or_else(PoisonError::into_inner) = places;
        }
        *self.tls.write().unwrap_or_else(PoisonError::into_inner) = tls.clone();
        for caller in self.callers().values().filter_map(Weak::upgrade) {
            let peer = definition.peers.iter().find(|peer| peer.is_same_region(&caller.peer()));
            caller.set_peer(peer);
        }
        let keeps = before.limits == *limits && before.identity == definition.identity;
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        let (mut now, mut new) = (Vec::new(), Vec::new());
        for peer in definition.peers.iter().filter(|peer| peer.address.is_some()) {
            let known = routes.iter().position(|route| keeps && route.peer == *peer);
            let route = known.map(|place| routes.swap_remove(place)).unwrap_or_else(|| {
                let route = Arc::new(Route::new(peer.clone(), limits, tls.clone()));
                new.push(route.clone());
                route
            });
            now.push(route);
        }
        routes.drain(..).for_each(|route| route.retire());
        *routes = now;
        new
    }

    /// The region that serves now.
    pub(super) fn region(&self) -> Option<Arc<Region>> {
        self.region.read().unwrap_or_else(PoisonError::into_inner).upgrade()
    }

    /// Another region serves from now on.
    pub(crate) fn set_region(&self, region: &Arc<Region>) {
        *self.region.write().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(region);
    }

    /// The way to another region; none if the region is unknown.
    pub(crate) fn route(&self, sysid: Name<4>) -> Option<Arc<Route>> {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        routes.iter().find(|route| route.peer.sysid == sysid).cloned()
    }

    pub(super) fn all_routes(&self) -> Vec<Arc<Route>> {
        self.routes.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn present(&self) -> MutexGuard<'_, HashSet<GlobalId>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn states(&self) -> Vec<LinkState> {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        routes.iter().map(|route| route.state()).collect()
    }

    fn callers(&self) -> MutexGuard<'_, HashMap<Token, Weak<Caller>>> {
        self.callers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the running requests of other regions, and waits until their sessions have noticed.
    async fn end_sessions(&self) {
        let callers: Vec<_> = self.callers().drain().filter_map(|(_, caller)| caller.upgrade()).collect();
        callers.iter().for_each(|caller| caller.end());
        while callers.iter().any(|caller| caller.session_threads.are_running()) {
            tokio::time::sleep(SESSION_END_POLL).await;
        }
    }

    /// A further connection of a region that was welcomed.
    fn begin_session(&self, token: Token, stream: Stream) -> Result<(), String> {
        let caller = self.callers().get(&token).and_then(Weak::upgrade);
        let caller = caller.ok_or("the other region opened a session with unknown data")?;
        if !stream.origin.is(&caller.peer()) {
            return Err("a session comes from somebody else than its region".to_owned());
        }
        let way = stream.into_socket().ok_or("sessions are for sockets of this machine")?;
        session_thread::serve(caller, way)
    }

    fn admit(&self, hello: &Hello, stream: &Stream) -> Result<super::definition::Peer, String> {
        let sysid = shown(&hello.sysid);
        let definition = self.definition();
        let known = definition.peers.iter().find(|peer| peer.sysid == hello.sysid);
        let peer = known.ok_or_else(|| format!("a region {sysid} is not known"))?;
        if !stream.origin.is(peer) {
            return Err(format!("it says that it is {sysid}, and cannot prove it: {:?}", stream.origin));
        }
        check(hello, peer)?;
        Ok(peer.clone())
    }

    /// An id that no unit of work anywhere has or had.
    pub(crate) fn new_unit(&self) -> GlobalId {
        let mut bytes = self.incarnation.to_vec();
        bytes.extend(self.next_unit.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        GlobalId::new(&bytes).expect("of a length that ids may have")
    }

    /// True if the unit of work began here.
    pub(super) fn is_own(&self, unit: &GlobalId) -> bool {
        unit.bytes().starts_with(&self.incarnation)
    }

    /// The name of this region's store, by which other regions ask for decisions. No other store ever has it.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn coordinator(self: &Arc<Self>) -> Result<String, Trouble> {
        let name = self.coordinator.get_or_try_init(async || {
            let opened = crate::resources::unit::opened(&self.resources).await?;
            let named = tokio::task::spawn_blocking(move || store_name(&opened)).await;
            let name = named.map_err(|_| Trouble::broken(store::ErrorKind::Stopped))??;
            Ok(format!("{}/{name}", shown(&self.own.sysid)))
        });
        name.await.cloned()
    }
}

/// The random name that a store keeps; it gets one if it has none.
fn store_name(opened: &Opened) -> Result<String, Trouble> {
    const KEY: &[u8] = b"name";
    let names = opened.store.keyed(&store::Definition {
        name: "links".to_owned(),
        organization: Organization::KeySequenced(Collation::Binary),
        recovery: Recovery::Recoverable,
    })?;
    let mut unit = opened.store.unit()?;
    let name = match unit.read(&names, KEY)? {
        Some(name) => name,
        None => {
            let name = random().map_err(Trouble::disk)?.to_vec();
            unit.insert(&names, KEY, name.clone())?;
            unit.syncpoint()?;
            name
        }
    };
    Ok(name.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn random() -> Result<[u8; RANDOM_BYTES], String> {
    let mut bytes = [0; RANDOM_BYTES];
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(RANDOM_BYTES) => Ok(bytes),
        other => Err(format!("random bytes: {other:?}")),
    }
}
