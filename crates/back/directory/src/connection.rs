//! Connections to the servers of a directory. They are made on demand and kept for a while; the next server
//! takes the place of one that does not answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ldap3::{Ldap, LdapConnAsync, LdapConnSettings};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::{Error, described};
use crate::settings::Settings;

/// How long a connection is kept that nobody uses. Servers close them sooner or later.
const IDLE: Duration = Duration::from_secs(60);

/// Two connections to one server, because a bind as a user changes the rights of a connection.
pub(crate) struct Connections {
    /// Bound as the service, if there is one.
    reader: Option<Ldap>,
    /// Bound as the user of the last check.
    pub(crate) binder: Ldap,
}

impl Connections {
    /// The connection for lookups: the service's, or that of the user who is bound.
    pub(crate) fn reader(&mut self) -> &mut Ldap {
        self.reader.as_mut().unwrap_or(&mut self.binder)
    }

    fn is_closed(&mut self) -> bool {
        self.binder.is_closed() || self.reader.as_mut().is_some_and(Ldap::is_closed)
    }
}

/// The connections that are there.
pub(crate) struct Pool {
    idle: Mutex<Vec<(Connections, Instant)>>,
    permits: Semaphore,
    /// The server that answered last, by its place.
    server: AtomicUsize,
}

/// Connections for one user, and the right to have them.
pub(crate) struct Lent<'p> {
    pub(crate) connections: Connections,
    /// Whether they were used before: the server may have closed such connections.
    pub(crate) used: bool,
    _permit: SemaphorePermit<'p>,
}

impl Pool {
    pub(crate) fn new(settings: &Settings) -> Self {
        let permits = Semaphore::new(settings.connections_max.min(Semaphore::MAX_PERMITS));
        Self { idle: Mutex::default(), permits, server: AtomicUsize::new(0) }
    }

    /// Connections that are there, or new ones.
    pub(crate) async fn lend(&self, settings: &Settings) -> Result<Lent<'_>, Error> {
        let permit = self.permits.acquire().await.map_err(|error| Error::unavailable(error.to_string()))?;
        let (connections, used) = match self.idle() {
            Some(connections) => (connections, true),
            None => (self.connect(settings).await?, false),
        };
        Ok(Lent { connections, used, _permit: permit })
    }

    fn idle(&self) -> Option<Connections> {
        let mut idle = self.idle.lock().expect("no holder panics");
        idle.retain(|(_, since)| since.elapsed() < IDLE);
        while let Some((mut connections, _)) = idle.pop() {
            if !connections.is_closed() {
                return Some(connections);
            }
        }
        None
    }

    /// Takes connections back that still work.
    pub(crate) fn take_back(&self, lent: Lent<'_>) {
        self.idle.lock().expect("no holder panics").push((lent.connections, Instant::now()));
    }

    /// Forgets all kept connections: if one failed, the others may have failed too.
    pub(crate) fn forget(&self) {
        self.idle.lock().expect("no holder panics").clear();
    }

    /// Asks the servers in turn, beginning with the one that answered last.
    async fn connect(&self, settings: &Settings) -> Result<Connections, Error> {
        let count = settings.servers.len();
        let first = self.server.load(Ordering::Relaxed);
        let mut reasons = Vec::new();
        for at in (first..first + count).map(|at| at % count) {
            // So that the last of them still has its time.
            let time = settings.timeout / u32::try_from(count + 1).unwrap_or(u32::MAX);
            let url = &settings.servers[at];
            let reason = match tokio::time::timeout(time, both(settings, url)).await {
                Ok(Ok(connections)) => {
                    self.server.store(at, Ordering::Relaxed);
                    return Ok(connections);
                }
                Ok(Err(reason)) => reason,
                Err(_) => "no answer in time".to_owned(),
            };
            tracing::warn!(url, reason, "a server of the directory cannot be used");
            reasons.push(format!("{url}: {reason}"));
        }
        Err(Error::unavailable(reasons.join("; ")))
    }
}

async fn both(settings: &Settings, url: &str) -> Result<Connections, String> {
    let reader = match &settings.service {
        None => None,
        Some((name, password)) => {
            let password =
                std::str::from_utf8(password.expose()).map_err(|_| "bind_password is not UTF-8")?;
            let mut reader = one(settings, url).await?;
            let bound = reader.simple_bind(name, password).await.map_err(|error| error.to_string())?;
            if bound.rc != 0 {
                return Err(format!("bind_dn: {}", described(&bound)));
            }
            Some(reader)
        }
    };
    Ok(Connections { reader, binder: one(settings, url).await? })
}

async fn one(settings: &Settings, url: &str) -> Result<Ldap, String> {
    let mut how = LdapConnSettings::new().set_starttls(settings.start_tls);
    if let Some(tls) = &settings.tls {
        how = how.set_config(Arc::clone(tls));
    }
    let (connection, ldap) =
        LdapConnAsync::with_settings(how, url).await.map_err(|error| error.to_string())?;
    tokio::spawn(async move {
        if let Err(error) = connection.drive().await {
            tracing::debug!("a connection to the directory ended: {error}");
        }
    });
    Ok(ldap)
}
