//! One pool on its server: a list for the items of a queue, and a number for NEXT.

use std::sync::LazyLock;
use std::time::Duration;

use program::conditions::{Condition, INVREQ, ITEMERR, NOSPACE, QIDERR, SYSIDERR};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, ConnectionAddr, ErrorKind, IntoConnectionInfo, RedisError, Script, ServerErrorKind};
use tokio::sync::OnceCell;
use wire::{Answer, QueueAnswer, QueueAsk};

use super::{PoolAddress, PoolDefinition};
use crate::resources::temporary::main::ITEMS_MAX;
use crate::resources::trouble::refused;

// Replies of scripts in place of a number of items.
const NO_QUEUE: i64 = -1;
const NO_ITEM: i64 = -2;

/// Adds an item; KEYS: items, NEXT; ARGV: the item, the most items, milliseconds until it expires or 0.
static WRITE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('LLEN', KEYS[1]) >= tonumber(ARGV[2]) then return -2 end \
         local items = redis.call('RPUSH', KEYS[1], ARGV[1]) \
         if ARGV[3] ~= '0' then redis.call('PEXPIRE', KEYS[1], ARGV[3]); redis.call('PEXPIRE', KEYS[2], ARGV[3]) end \
         return items",
    )
});

/// Gives an item another value; ARGV: the item, its number, milliseconds until it expires or 0.
static REWRITE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local items = redis.call('LLEN', KEYS[1]) \
         if items == 0 then return -1 end \
         local item = tonumber(ARGV[2]) \
         if item < 1 or item > items then return -2 end \
         redis.call('LSET', KEYS[1], item - 1, ARGV[1]) \
         if ARGV[3] ~= '0' then redis.call('PEXPIRE', KEYS[1], ARGV[3]); redis.call('PEXPIRE', KEYS[2], ARGV[3]) end \
         return items",
    )
});

/// Reads an item and moves NEXT; ARGV: its number or nothing, milliseconds until it expires or 0.
static READ: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local items = redis.call('LLEN', KEYS[1]) \
         if items == 0 then return {-1, 0, ''} end \
         local item = tonumber(ARGV[1]) or (tonumber(redis.call('GET', KEYS[2]) or '0') + 1) \
         if item < 1 or item > items then return {-2, 0, ''} end \
         redis.call('SET', KEYS[2], item) \
         if ARGV[2] ~= '0' then redis.call('PEXPIRE', KEYS[1], ARGV[2]); redis.call('PEXPIRE', KEYS[2], ARGV[2]) end \
         return {items, item, redis.call('LINDEX', KEYS[1], item - 1)}",
    )
});

/// Deletes a queue.
static DELETE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local there = redis.call('DEL', KEYS[1]) \
         redis.call('DEL', KEYS[2]) \
         return there == 1 and 0 or -1",
    )
});

/// A pool's server.
pub(super) struct Server {
    pool: String,
    client: Client,
    timeout: Duration,
    /// Made with the first command; it connects again by itself.
    connection: OnceCell<ConnectionManager>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("pool", &self.pool).finish_non_exhaustive()
    }
}

impl Server {
    pub(super) fn new(pool: &PoolDefinition) -> Result<Self, RedisError> {
        let address = match &pool.address {
            PoolAddress::Tcp(host, port) => ConnectionAddr::Tcp(host.clone(), *port),
            PoolAddress::Unix(path) => ConnectionAddr::Unix(path.clone()),
        };
        let info = address.into_connection_info()?;
        let mut settings = info.redis_settings().clone().set_db(pool.database.into());
        if let Some(user) = &pool.user {
            settings = settings.set_username(user);
        }
        if let Some(password) = &pool.password {
            settings = settings.set_password(&password.0);
        }
        let client = Client::open(info.set_redis_settings(settings))?;
        let (pool, timeout) = (pool.name.clone(), pool.timeout);
        Ok(Self { pool, client, timeout, connection: OnceCell::new() })
    }

    pub(super) async fn carry_out(&self, ask: QueueAsk, expiry: Option<Duration>) -> Result<Answer, Answer> {
        let expiry = expiry.map_or(0, |expiry| expiry.as_millis() as u64);
        // A connection that never answers counts as broken.
        match tokio::time::timeout(self.timeout, self.ask(ask, expiry)).await {
            Ok(Ok((NO_QUEUE, ..))) => raise(&QIDERR),
            Ok(Ok((NO_ITEM, ..))) => raise(&ITEMERR),
            Ok(Ok((items, item, data))) => {
                let number = |number: i64| u32::try_from(number).map_err(|_| refused(&INVREQ, 0));
                Ok(Answer::Queue(QueueAnswer { items: number(items)?, item: number(item)?, data }))
            }
            Ok(Err(error)) => Err(self.told(&error)),
            Err(_) => {
                tracing::error!("pool {}: no answer within {} ms", self.pool, self.timeout.as_millis());
                raise(&SYSIDERR)
            }
        }
    }

    /// How many items there are, the item, and its bytes.
    async fn ask(&self, ask: QueueAsk, expiry: u64) -> Result<(i64, i64, Vec<u8>), RedisError> {
        let mut connection = self.connection().await?;
        let keys = |queue: &[u8]| {
            let key = |what: &str| {
                [b"gantry:ts:", self.pool.as_bytes(), b":{", queue, b"}:", what.as_bytes()].concat()
            };
            (key("items"), key("next"))
        };
        Ok(match ask {
            QueueAsk::Write { queue, item: None, data, .. } => {
                let (items, next) = keys(&queue);
                let mut call = WRITE.prepare_invoke();
                call.key(items).key(next).arg(data).arg(ITEMS_MAX).arg(expiry);
                let items = call.invoke_async(&mut connection).await?;
                (items, items, Vec::new())
            }
            QueueAsk::Write { queue, item: Some(item), data, .. } => {
                let (items, next) = keys(&queue);
                let mut call = REWRITE.prepare_invoke();
                call.key(items).key(next).arg(data).arg(item).arg(expiry);
                (call.invoke_async(&mut connection).await?, item, Vec::new())
            }
            QueueAsk::Read { queue, item } => {
                let (items, next) = keys(&queue);
                let item = item.map_or_else(String::new, |item| item.to_string());
                let mut call = READ.prepare_invoke();
                call.key(items).key(next).arg(item).arg(expiry);
                call.invoke_async(&mut connection).await?
            }
            QueueAsk::Delete { queue } => {
                let (items, next) = keys(&queue);
                let mut call = DELETE.prepare_invoke();
                call.key(items).key(next);
                (call.invoke_async(&mut connection).await?, 0, Vec::new())
            }
        })
    }

    async fn connection(&self) -> Result<ConnectionManager, RedisError> {
        let connect = || async {
            let config = ConnectionManagerConfig::new()
                .set_number_of_retries(1)
                .set_connection_timeout(Some(self.timeout))
                .set_response_timeout(Some(self.timeout));
            ConnectionManager::new_with_config(self.client.clone(), config).await
        };
        self.connection.get_or_try_init(connect).await.cloned()
    }

    fn told(&self, error: &RedisError) -> Answer {
        tracing::error!("pool {}: {error}", self.pool);
        let out_of_memory = error.code() == Some("OOM");
        match error.kind() {
            _ if out_of_memory => refused(&NOSPACE, 0),
            // Something else is there under the queue's name.
            ErrorKind::UnexpectedReturnType | ErrorKind::Server(ServerErrorKind::ResponseError) => {
                refused(&INVREQ, 0)
            }
            _ => refused(&SYSIDERR, 0),
        }
    }
}

fn raise<T>(condition: &Condition) -> Result<T, Answer> {
    Err(refused(condition, 0))
}
