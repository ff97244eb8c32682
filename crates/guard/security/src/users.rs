//! Users with passwords: a text file with one line `name:groups:hash` for each user. The hashes are
//! argon2id.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, RwLock};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Argon2, Params};
use zeroize::Zeroizing;

use crate::basic::Basic;
use crate::denied::{Denied, DeniedKind, Scheme};
use crate::digest::Digest;
use crate::identity::{Identity, Method, is_name};
use crate::memory::{Memory, MemoryPlace};

/// The most users of one file.
pub const USERS_MAX: usize = 100_000;
/// The most KiB of memory for a hash. With more, a file could stop the process.
const MEMORY_KIB_MAX: u32 = 256 * 1024;
/// The most rounds and lanes of a hash.
const ROUNDS_MAX: u32 = 64;

/// A faulty line in a file of users or keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The line, from 1.
    pub line: usize,
    /// The fault. It holds nothing of the line but the name.
    pub message: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for LineError {}

/// A file of users, and the memory of verified passwords.
#[derive(Debug)]
pub struct Users {
    table: RwLock<Arc<Table>>,
    verified: MemoryPlace<()>,
    cache_ms: u64,
}

#[derive(Debug)]
struct Table {
    users: HashMap<Box<str>, Arc<User>>,
    /// Verified in place of a missing user, at the cost of a real one.
    nobody: Arc<User>,
}

struct User {
    phc: Box<str>,
    identity: Arc<Identity>,
    /// The same user, authenticated by a token. It is made at its first use.
    by_token: OnceLock<Arc<Identity>>,
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl Users {
    /// Reads a file. It remembers `cached_max` verified passwords for `cache_s` seconds each, under
    /// a keyed digest.
    ///
    /// # Errors
    /// The first line that is not a user.
    pub fn parse(text: &str, cached_max: usize, cache_s: u64) -> Result<Self, LineError> {
        Ok(Self {
            table: RwLock::new(Arc::new(Table::parse(text)?)),
            verified: MemoryPlace::new(cached_max),
            cache_ms: cache_s.saturating_mul(1_000),
        })
    }

    /// Takes a new version of the file. A version with a fault changes nothing.
    ///
    /// # Errors
    /// The first line that is not a user.
    pub fn replace(&self, text: &str) -> Result<(), LineError> {
        let table = Arc::new(Table::parse(text)?);
        *self.table.write().expect("no holder panics") = table;
        self.verified.get().verified.clear();
        Ok(())
    }

    /// Takes over the memory of another file's users, if both remember for the same time. Call it
    /// before the first check. A memory says that a password fits a hash. This stays true for any
    /// file.
    pub fn adopt(&self, before: &Self) -> bool {
        self.cache_ms == before.cache_ms && self.verified.adopt(&before.verified)
    }

    /// Whether there is a user of this name.
    #[must_use]
    pub fn knows(&self, user: &str) -> bool {
        self.table().users.contains_key(user)
    }

    /// The hash of a user's password.
    pub(crate) fn phc(&self, user: &str) -> Option<Box<str>> {
        self.table().users.get(user).map(|user| user.phc.clone())
    }

    /// The mark of the password with which a user was authenticated. None if the file was read again
    /// since then.
    pub(crate) fn mark(&self, identity: &Arc<Identity>) -> Option<PasswordMark> {
        let table = self.table();
        let user = table.users.get(&identity.name)?;
        Arc::ptr_eq(&user.identity, identity).then(|| PasswordMark(Arc::clone(user)))
    }

    /// The user of a token, if the user still has the password with which the token was given.
    pub(crate) fn of_token(&self, name: &str, is_of: impl FnOnce(&str) -> bool) -> Option<Arc<Identity>> {
        let table = self.table();
        let user = table.users.get(name).filter(|user| is_of(&user.phc))?;
        let made = || Arc::new(Identity { method: Method::Token, ..Identity::clone(&user.identity) });
        Some(Arc::clone(user.by_token.get_or_init(made)))
    }

    /// The number of users.
    #[must_use]
    pub fn count(&self) -> usize {
        self.table().users.len()
    }

    /// Verifies a password at once, on this thread, and remembers nothing. It is for tools.
    ///
    /// # Errors
    /// The user does not exist, or the password is wrong.
    pub fn verify(&self, user: &str, password: &[u8]) -> Result<Arc<Identity>, Denied> {
        let table = self.table();
        let known = table.users.get(user);
        if !verify(&known.unwrap_or(&table.nobody).phc, password) || known.is_none() {
            return Err(Denied::new(DeniedKind::Invalid, Scheme::Basic, "no such user, or another password"));
        }
        Ok(Arc::clone(&known.unwrap_or(&table.nobody).identity))
    }

    fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read().expect("no holder panics"))
    }

    /// Looks for the password in the memory. If it is not there, gives the check to run.
    pub(crate) fn check(&self, basic: Basic, now_ms: u64) -> Result<Arc<Identity>, PasswordCheck> {
        let memory = self.verified.get();
        let epoch = memory.verified.epoch();
        let table = self.table();
        let known = table.users.get(basic.user());
        let user = known.unwrap_or(&table.nobody);
        let digest = memory.digest(&[basic.user().as_bytes(), user.phc.as_bytes(), basic.password()]);
        if known.is_some() && memory.verified.get(&digest, now_ms).is_some() {
            return Ok(Arc::clone(&user.identity));
        }
        let password = Zeroizing::new(basic.password().to_vec());
        Err(PasswordCheck {
            memory: Arc::clone(memory),
            cache_ms: self.cache_ms,
            user: Arc::clone(user),
            known: known.is_some(),
            password,
            digest,
            epoch,
        })
    }
}

/// The check of a password. It takes about 30 ms of CPU time and 19 MiB. So run it on a thread that
/// serves no other requests.
pub struct PasswordCheck {
    memory: Arc<Memory<()>>,
    cache_ms: u64,
    user: Arc<User>,
    known: bool,
    password: Zeroizing<Vec<u8>>,
    digest: Digest,
    epoch: u64,
}

impl fmt::Debug for PasswordCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordCheck")
    }
}

/// The password that a user had at some time, to learn later whether it is still the same.
#[derive(Clone)]
pub struct PasswordMark(Arc<User>);

impl fmt::Debug for PasswordMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordMark")
    }
}

impl PasswordCheck {
    /// The user, if the file still has the password of this mark for it. So a password that was right
    /// then is right now.
    ///
    /// # Errors
    /// The user does not exist any more, or has another password.
    pub fn unchanged(&self, mark: Option<&PasswordMark>) -> Result<Arc<Identity>, Denied> {
        if self.known && mark.is_some_and(|mark| self.user.phc == mark.0.phc) {
            return Ok(Arc::clone(&self.user.identity));
        }
        let reason = "the user is gone, or has another password";
        Err(Denied::new(DeniedKind::Invalid, Scheme::Basic, reason))
    }

    /// Verifies it. An unknown user costs the same work and gets the same answer.
    ///
    /// # Errors
    /// The user does not exist, or the password is wrong.
    pub fn run(self, now_ms: u64) -> Result<Arc<Identity>, Denied> {
        let right = verify(&self.user.phc, &self.password);
        if !(right && self.known) {
            let reason = if self.known { "wrong password" } else { "no such user" };
            return Err(Denied::new(DeniedKind::Invalid, Scheme::Basic, reason));
        }
        let ends_ms = now_ms.saturating_add(self.cache_ms);
        self.memory.verified.insert(self.digest, self.epoch, ends_ms, ());
        Ok(Arc::clone(&self.user.identity))
    }
}

fn verify(phc: &str, password: &[u8]) -> bool {
    PasswordHash::new(phc).is_ok_and(|hash| Argon2::default().verify_password(password, &hash).is_ok())
}

impl Table {
    fn parse(text: &str) -> Result<Self, LineError> {
        let mut users = HashMap::new();
        let mut costliest: Option<(u64, Box<str>)> = None;
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fail = |message: String| LineError { line: index + 1, message };
            let (user, cost) = parse_user(line).map_err(fail)?;
            if costliest.as_ref().is_none_or(|(most, _)| cost > *most) {
                costliest = Some((cost, user.phc.clone()));
            }
            let name = user.identity.name.clone();
            if users.insert(name.clone(), Arc::new(user)).is_some() {
                return Err(fail(format!("user '{name}' occurs twice")));
            }
            if users.len() > USERS_MAX {
                return Err(fail(format!("more than {USERS_MAX} users")));
            }
        }
        Ok(Self { users, nobody: Arc::new(nobody(costliest.map(|(_, phc)| phc))) })
    }
}

/// A user for unknown names. The result of its check is ignored.
fn nobody(costliest: Option<Box<str>>) -> User {
    let phc = costliest.unwrap_or_else(|| {
        // Salt and hash of the usual lengths, and the parameters of `user_line`.
        format!(
            "$argon2id$v=19$m={},t={},p={}${}${}",
            Params::DEFAULT_M_COST,
            Params::DEFAULT_T_COST,
            Params::DEFAULT_P_COST,
            "A".repeat(22),
            "A".repeat(43)
        )
        .into()
    });
    User {
        phc,
        identity: Arc::new(Identity::new("nobody", Vec::new(), Method::Basic)),
        by_token: OnceLock::new(),
    }
}

fn parse_user(line: &str) -> Result<(User, u64), String> {
    let mut pieces = line.splitn(3, ':');
    let (Some(name), Some(groups), Some(phc)) = (pieces.next(), pieces.next(), pieces.next()) else {
        return Err("expected name:groups:hash".to_owned());
    };
    if !is_name(name) {
        return Err("the name is empty, too long, or has control characters".to_owned());
    }
    let hash =
        PasswordHash::new(phc).map_err(|error| format!("user '{name}': the hash cannot be read: {error}"))?;
    if hash.algorithm.as_str() != "argon2id" {
        return Err(format!("user '{name}': the hash is '{}', expected argon2id", hash.algorithm.as_str()));
    }
    let params = Params::try_from(&hash).map_err(|error| format!("user '{name}': {error}"))?;
    if params.m_cost() > MEMORY_KIB_MAX || params.t_cost() > ROUNDS_MAX || params.p_cost() > ROUNDS_MAX {
        return Err(format!(
            "user '{name}': the hash asks for more than m={MEMORY_KIB_MAX}, t={ROUNDS_MAX} or p={ROUNDS_MAX}"
        ));
    }
    if hash.hash.is_none() || hash.salt.is_none() {
        return Err(format!("user '{name}': salt or hash is missing"));
    }
    let cost = u64::from(params.m_cost()) * u64::from(params.t_cost());
    let identity = Arc::new(Identity::new(name, parse_groups(groups)?, Method::Basic));
    Ok((User { phc: phc.into(), identity, by_token: OnceLock::new() }, cost))
}

/// Reads groups between commas. Blanks around them do not count.
pub(crate) fn parse_groups(text: &str) -> Result<Vec<Box<str>>, String> {
    let groups = text.split(',').map(str::trim).filter(|group| !group.is_empty());
    let groups: Vec<Box<str>> = groups.map(Box::from).collect();
    match groups.iter().find(|group| !is_name(group)) {
        Some(_) => Err("a group is too long or has control characters".to_owned()),
        None => Ok(groups),
    }
}

/// The line of a user, without line end. The password becomes an argon2id hash with a new salt.
///
/// # Errors
/// A name or group is not valid in a line, or the password is empty.
pub fn user_line(name: &str, groups: &[String], password: &[u8]) -> Result<String, String> {
    if !is_name(name) || name.contains(':') || name.starts_with('#') || name != name.trim() {
        return Err(format!(
            "'{name}' cannot be a user: 1 to 256 bytes, no colon or control character, no '#' first, no blanks around it"
        ));
    }
    check_groups(groups)?;
    if password.is_empty() {
        return Err("the password is empty".to_owned());
    }
    let hash = Argon2::default().hash_password(password).map_err(|error| error.to_string())?;
    with_groups(name, groups, &hash.to_string())
}

/// The line of a user with an existing hash and these groups.
///
/// # Errors
/// A group is not valid in a line.
pub fn with_groups(name: &str, groups: &[String], hash: &str) -> Result<String, String> {
    check_groups(groups)?;
    Ok(format!("{name}:{}:{hash}", groups.join(",")))
}

pub(crate) fn check_groups(groups: &[String]) -> Result<(), String> {
    match groups
        .iter()
        .find(|group| !is_name(group) || group.contains([':', ',']) || **group != *group.trim())
    {
        Some(group) => Err(format!("'{group}' cannot be a group")),
        None => Ok(()),
    }
}
