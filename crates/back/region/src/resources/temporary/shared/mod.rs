//! Temporary storage queues that regions share: pools on servers of Valkey or Redis.
//!
//! They are never recoverable. Each command is one script, which the server carries out alone.

#[cfg(feature = "shared-queues")]
mod server;

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use wire::{Answer, QueueAsk};

/// A pool of shared queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolDefinition {
    /// Its name, which is a part of its keys on the server.
    pub name: String,
    /// Where the server is.
    pub address: PoolAddress,
    /// The number of the database on it.
    pub database: u32,
    /// Who we are there.
    pub user: Option<String>,
    /// And how it knows.
    pub password: Option<PoolPassword>,
    /// How long a command may take; then the pool counts as gone.
    pub timeout: Duration,
}

/// Where the server of a pool is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PoolAddress {
    /// A host and its port.
    Tcp(String, u16),
    /// A socket on this machine.
    Unix(PathBuf),
}

/// A password that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct PoolPassword(String);

impl PoolPassword {
    /// A password.
    #[must_use]
    pub fn new(password: String) -> Self {
        Self(password)
    }
}

impl fmt::Debug for PoolPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PoolPassword")
    }
}

/// The pools of a region that runs.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    #[cfg(feature = "shared-queues")]
    servers: HashMap<String, Arc<server::Server>>,
    #[cfg(not(feature = "shared-queues"))]
    servers: HashMap<String, Arc<()>>,
}

#[cfg(feature = "shared-queues")]
impl Pools {
    /// Pools, which are connected when they are first used.
    ///
    /// # Errors
    /// A definition that cannot be: the reason for people.
    pub(crate) fn open(definitions: &[PoolDefinition]) -> Result<Self, String> {
        let open = |pool: &PoolDefinition| {
            let server = server::Server::new(pool).map_err(|error| format!("pool {}: {error}", pool.name))?;
            Ok((pool.name.clone(), Arc::new(server)))
        };
        Ok(Self { servers: definitions.iter().map(open).collect::<Result<_, String>>()? })
    }

    /// Carries out a command on a queue of a pool.
    ///
    /// # Errors
    /// The resulting condition; SYSIDERR if the pool cannot be reached.
    pub(crate) async fn carry_out(
        &self,
        pool: &str,
        ask: QueueAsk,
        expiry: Option<Duration>,
    ) -> Result<Answer, Answer> {
        match self.servers.get(pool) {
            Some(server) => server.carry_out(ask, expiry).await,
            None => Err(crate::resources::trouble::refused(&program::conditions::SYSIDERR, 0)),
        }
    }
}

#[cfg(not(feature = "shared-queues"))]
impl Pools {
    pub(crate) fn open(definitions: &[PoolDefinition]) -> Result<Self, String> {
        match definitions {
            [] => Ok(Self::default()),
            [pool, ..] => {
                Err(format!("pool {}: this was built without the feature shared-queues", pool.name))
            }
        }
    }

    pub(crate) async fn carry_out(
        &self,
        pool: &str,
        _ask: QueueAsk,
        _expiry: Option<Duration>,
    ) -> Result<Answer, Answer> {
        let _none: Option<&Arc<()>> = self.servers.get(pool);
        Err(crate::resources::trouble::refused(&program::conditions::SYSIDERR, 0))
    }
}
