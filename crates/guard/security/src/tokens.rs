//! Tokens of this gateway. After a login with user and password, a cookie identifies the caller.
//!
//! A token holds its user, its end, and a signature by a configured key. So every instance with the
//! same key accepts it, also after a restart. Its content is not secret, but nobody else can make
//! one.
//!
//! A token can end early in two ways. A logout notes its number until its regular end. And a token
//! ends with its user: it is invalid if the file of users no longer has the user, or has another
//! password for it.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aws_lc_rs::{hmac, rand};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use http::header::COOKIE;

use crate::denied::{Denied, DeniedKind, Scheme};
use crate::identity::{Identity, Method, is_name};
use crate::secret::Secret;

/// The name of the cookie that clients of IBM MQ look for.
pub const COOKIE_NAME_DEFAULT: &str = "LtpaToken2";
/// Minutes after which a token ends.
pub const TOKEN_EXPIRY_MIN_DEFAULT: u32 = 120;
/// Bytes of a key, at least.
pub const TOKEN_KEY_BYTES_MIN: usize = 32;
/// The most bytes of a token in a cookie.
const TOKEN_BYTES_MAX: usize = 4_096;
/// The most cookies of one request that are read.
const TOKENS_MAX: usize = 4;
/// The most tokens that are noted as ended by a logout.
const ENDED_MAX: usize = 100_000;

const FORM: u8 = 1;
const NUMBER_BYTES: usize = 16;
const STAMP_BYTES: usize = 16;
const SIGNATURE_BYTES: usize = 32;
/// Form, source of the user, number, begin, end, stamp.
const HEAD_BYTES: usize = 2 + NUMBER_BYTES + 8 + 8 + STAMP_BYTES;

/// The number of a token.
type Number = [u8; NUMBER_BYTES];

/// Makes and checks tokens.
pub struct Tokens {
    cookie: Box<str>,
    expiry_ms: u64,
    /// The first key signs. The others only verify, so that a key can be changed.
    keys: Vec<hmac::Key>,
    /// A digest of the keys. It tells one configuration from another.
    mark: [u8; SIGNATURE_BYTES],
    /// Tokens ended by logouts. The first use makes it, unless an earlier one was taken over.
    ended: OnceLock<Arc<Ended>>,
    /// Keeps ended tokens over restarts; none if nobody does.
    keeper: Option<Arc<dyn EndedKeeper>>,
}

/// Keeps the ended tokens over restarts.
pub trait EndedKeeper: Send + Sync + fmt::Debug {
    /// Adds a line to the kept ones, durably.
    ///
    /// # Errors
    /// The line cannot be kept. The text says why.
    fn keep(&self, line: &str) -> Result<(), String>;
}

/// Tokens that a logout has ended, with their regular ends.
#[derive(Debug, Default)]
struct Ended {
    /// True if there are any, so most requests need no search.
    some: AtomicBool,
    tokens: Mutex<EndedTokens>,
}

#[derive(Debug, Default)]
struct EndedTokens {
    ends_ms: HashMap<Number, u64>,
    /// All tokens that began before this time have ended. It is set when there is no room for one
    /// more.
    all_before_ms: u64,
}

/// The source of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A file, which gives the groups.
    File,
    /// A directory. The token has the groups.
    Directory,
}

/// The content of a token.
pub(crate) struct Claims {
    source: Source,
    number: Number,
    begin_ms: u64,
    ends_ms: u64,
    stamp: [u8; STAMP_BYTES],
    pub(crate) name: Box<str>,
    groups: Vec<Box<str>>,
    key: usize,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens")
            .field("cookie", &self.cookie)
            .field("expiry_ms", &self.expiry_ms)
            .finish_non_exhaustive()
    }
}

impl Tokens {
    /// Tokens in a cookie of this name. The first key signs them. Without keys, a random key is
    /// made, which lives as long as the process.
    ///
    /// # Errors
    /// The name is not valid for a cookie, the time is zero, or a key is too short.
    pub fn new(cookie: &str, expiry_min: u32, keys: &[Secret]) -> Result<Self, String> {
        let good = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if cookie.is_empty() || cookie.len() > 64 || !cookie.bytes().all(good) {
            return Err(format!("'{cookie}' cannot be the name of a cookie"));
        }
        if expiry_min == 0 {
            return Err("expiry_min must not be 0".to_owned());
        }
        if keys.iter().any(|key| key.expose().len() < TOKEN_KEY_BYTES_MIN) {
            return Err(format!("a key of tokens has at least {TOKEN_KEY_BYTES_MIN} bytes"));
        }
        let mut made = [0; TOKEN_KEY_BYTES_MIN];
        let keys: Vec<hmac::Key> = if keys.is_empty() {
            rand::fill(&mut made).map_err(|_| "the system has no random bytes".to_owned())?;
            vec![hmac::Key::new(hmac::HMAC_SHA256, &made)]
        } else {
            keys.iter().map(|key| hmac::Key::new(hmac::HMAC_SHA256, key.expose())).collect()
        };
        let mut mark = [0; SIGNATURE_BYTES];
        for key in &keys {
            let signed = hmac::sign(key, b"mark");
            mark.iter_mut().zip(signed.as_ref()).for_each(|(one, other)| *one ^= other);
        }
        // When configurations are compared, all random keys count as the same key.
        if made != [0; TOKEN_KEY_BYTES_MIN] {
            mark = [0; SIGNATURE_BYTES];
        }
        let expiry_ms = u64::from(expiry_min) * 60_000;
        Ok(Self { cookie: cookie.into(), expiry_ms, keys, mark, ended: OnceLock::new(), keeper: None })
    }

    /// Keeps ended tokens with `keeper`, and reads the kept ones from `text`. If `text` has more of them than there is room for, all
    /// tokens that began before now have ended.
    #[must_use]
    pub fn kept_by(mut self, keeper: Arc<dyn EndedKeeper>, text: &str, now_ms: u64) -> Self {
        self.keeper = Some(keeper);
        self.ended().read(text, now_ms);
        self
    }

    /// The name of the cookie. Every cookie whose name begins with it is read.
    #[must_use]
    pub fn cookie(&self) -> &str {
        &self.cookie
    }

    /// If the keys and the cookie are the same, takes over the key and the ended tokens. So a
    /// changed configuration ends no token, even with a random key.
    #[must_use]
    pub fn following(self: &Arc<Self>, before: &Arc<Self>) -> Option<Arc<Self>> {
        let same = self.mark == before.mark && self.cookie == before.cookie;
        if !same {
            return None;
        }
        let ended = OnceLock::new();
        let _ = ended.set(Arc::clone(before.ended()));
        Some(Arc::new(Self {
            cookie: self.cookie.clone(),
            expiry_ms: self.expiry_ms,
            keys: before.keys.clone(),
            mark: self.mark,
            ended,
            keeper: self.keeper.clone(),
        }))
    }

    fn ended(&self) -> &Arc<Ended> {
        self.ended.get_or_init(Arc::default)
    }

    /// Makes a token for a user whose password was right. `phc` is the hash of the password, for a
    /// user of a file.
    pub(crate) fn issue(
        &self,
        identity: &Identity,
        phc: Option<&str>,
        now_ms: u64,
    ) -> Result<String, String> {
        let key = self.keys.first().ok_or("there is no key")?;
        let mut bytes = Vec::with_capacity(HEAD_BYTES + 64 + SIGNATURE_BYTES);
        bytes.extend([FORM, if phc.is_some() { 0 } else { 1 }]);
        let mut number = Number::default();
        rand::fill(&mut number).map_err(|_| "the system has no random bytes")?;
        bytes.extend(number);
        bytes.extend(now_ms.to_be_bytes());
        bytes.extend(now_ms.saturating_add(self.expiry_ms).to_be_bytes());
        bytes.extend(stamp(key, phc.unwrap_or_default()));
        put_text(&mut bytes, &identity.name)?;
        if phc.is_none() {
            for group in &identity.groups {
                put_text(&mut bytes, group)?;
            }
        }
        let signature = hmac::sign(key, &bytes);
        bytes.extend(signature.as_ref());
        let token = URL_SAFE_NO_PAD.encode(&bytes);
        if token.len() > TOKEN_BYTES_MAX {
            return Err("the groups of the user are too long for a token".to_owned());
        }
        Ok(token)
    }

    /// The claims of the first good token among the cookies; none if there is no cookie of this
    /// name.
    pub(crate) fn presented(&self, headers: &HeaderMap, now_ms: u64) -> Option<Result<Claims, Denied>> {
        let mut last = None;
        for token in self.cookies(headers).take(TOKENS_MAX) {
            match self.claims(token, now_ms) {
                Ok(claims) => return Some(Ok(claims)),
                Err(denied) => last = Some(Err(denied)),
            }
        }
        last
    }

    fn cookies<'r>(&'r self, headers: &'r HeaderMap) -> impl Iterator<Item = &'r [u8]> {
        let pairs =
            headers.get_all(COOKIE).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
        pairs.filter_map(|pair| {
            let pair = pair.trim_ascii();
            let equals = pair.iter().position(|byte| *byte == b'=')?;
            let value = pair[equals + 1..].trim_ascii();
            let value = value.strip_prefix(b"\"").and_then(|v| v.strip_suffix(b"\"")).unwrap_or(value);
            pair[..equals].trim_ascii().starts_with(self.cookie.as_bytes()).then_some(value)
        })
    }

    fn claims(&self, token: &[u8], now_ms: u64) -> Result<Claims, Denied> {
        let invalid = |reason: &str| Denied::new(DeniedKind::Invalid, Scheme::Other, reason);
        if token.len() > TOKEN_BYTES_MAX {
            return Err(invalid("the token is too long"));
        }
        let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| invalid("the token is not base64"))?;
        let split = bytes.len().checked_sub(SIGNATURE_BYTES).filter(|split| *split >= HEAD_BYTES);
        let (said, signature) = bytes.split_at(split.ok_or_else(|| invalid("the token is too short"))?);
        let is_signed = |key: &hmac::Key| hmac::verify(key, said, signature).is_ok();
        let key = self.keys.iter().position(is_signed);
        let key = key.ok_or_else(|| invalid("the token has another signature"))?;
        let claims = Claims::parse(said, key).ok_or_else(|| invalid("the token cannot be read"))?;
        if now_ms >= claims.ends_ms {
            return Err(Denied::new(DeniedKind::Expired, Scheme::Other, "the token has expired"));
        }
        // A token is good even if its issuer's clock is ahead. But it must not last longer than
        // tokens last here.
        if claims.ends_ms - claims.begin_ms.min(claims.ends_ms) > self.expiry_ms {
            return Err(invalid("the token would last longer than tokens last here"));
        }
        if self.ended().has(&claims) {
            return Err(invalid("a logout has ended the token"));
        }
        Ok(claims)
    }

    /// Whether the user still has the password with which the token was given.
    pub(crate) fn is_of(&self, claims: &Claims, phc: &str) -> bool {
        self.keys.get(claims.key).is_some_and(|key| stamp(key, phc) == claims.stamp)
    }

    /// Ends the tokens among the cookies.
    ///
    /// # Errors
    /// The end of a token cannot be kept. It still counts until the process ends.
    pub fn end(&self, headers: &HeaderMap, now_ms: u64) -> Result<(), String> {
        for token in self.cookies(headers).take(TOKENS_MAX) {
            let Ok(claims) = self.claims(token, now_ms) else { continue };
            self.ended().add(&claims, now_ms);
            if let Some(keeper) = &self.keeper {
                keeper.keep(&line(&claims))?;
            }
        }
        Ok(())
    }
}

/// The line for an ended token in the kept text.
fn line(claims: &Claims) -> String {
    let mut line = String::with_capacity(2 * NUMBER_BYTES + 16);
    for byte in claims.number {
        // Writing to a string does not fail.
        let _ = write!(line, "{byte:02x}");
    }
    let _ = writeln!(line, " {}", claims.ends_ms);
    line
}

/// Ties a token to a password: a digest that reveals nothing of the hash.
fn stamp(key: &hmac::Key, phc: &str) -> [u8; STAMP_BYTES] {
    let mut context = hmac::Context::with_key(key);
    context.update(b"password ");
    context.update(phc.as_bytes());
    let signed = context.sign();
    let mut stamp = [0; STAMP_BYTES];
    stamp.iter_mut().zip(signed.as_ref()).for_each(|(one, other)| *one = *other);
    stamp
}

fn put_text(bytes: &mut Vec<u8>, text: &str) -> Result<(), String> {
    let length = u16::try_from(text.len()).map_err(|_| "a name is too long for a token")?;
    bytes.extend(length.to_be_bytes());
    bytes.extend(text.as_bytes());
    Ok(())
}

fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(take(bytes, 8)?.try_into().ok()?))
}

fn take_text(bytes: &mut &[u8]) -> Option<Box<str>> {
    let length = u16::from_be_bytes(take(bytes, 2)?.try_into().ok()?);
    let text = std::str::from_utf8(take(bytes, usize::from(length))?).ok()?;
    is_name(text).then(|| text.into())
}

impl Claims {
    fn parse(mut bytes: &[u8], key: usize) -> Option<Self> {
        let source = match take(&mut bytes, 2)? {
            [FORM, 0] => Source::File,
            [FORM, 1] => Source::Directory,
            _ => return None,
        };
        let number = take(&mut bytes, NUMBER_BYTES)?.try_into().ok()?;
        let (begin_ms, ends_ms) = (take_number(&mut bytes)?, take_number(&mut bytes)?);
        let stamp = take(&mut bytes, STAMP_BYTES)?.try_into().ok()?;
        let name = take_text(&mut bytes)?;
        let mut groups = Vec::new();
        while !bytes.is_empty() {
            groups.push(take_text(&mut bytes)?);
        }
        Some(Self { source, number, begin_ms, ends_ms, stamp, name, groups, key })
    }

    /// The identity, if the user is one of a directory.
    pub(crate) fn of_directory(self) -> Result<Identity, Self> {
        match self.source {
            Source::Directory => Ok(Identity::new(self.name, self.groups, Method::Token)),
            Source::File => Err(self),
        }
    }
}

impl Ended {
    fn lock(&self) -> std::sync::MutexGuard<'_, EndedTokens> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has(&self, claims: &Claims) -> bool {
        if !self.some.load(Ordering::Acquire) {
            return false;
        }
        let tokens = self.lock();
        claims.begin_ms < tokens.all_before_ms || tokens.ends_ms.contains_key(&claims.number)
    }

    fn add(&self, claims: &Claims, now_ms: u64) {
        self.lock().insert(claims.number, claims.ends_ms, now_ms);
        self.some.store(true, Ordering::Release);
    }

    /// Reads kept lines. It skips other lines, because the last one may be cut.
    fn read(&self, text: &str, now_ms: u64) {
        let mut tokens = self.lock();
        for line in text.lines() {
            let Some((number, ends_ms)) = line.split_once(' ') else { continue };
            let (Some(number), Ok(ends_ms)) = (hex_number(number), ends_ms.trim().parse()) else { continue };
            tokens.insert(number, ends_ms, now_ms);
        }
        self.some.store(!tokens.ends_ms.is_empty(), Ordering::Release);
    }
}

impl EndedTokens {
    fn insert(&mut self, number: Number, ends_ms: u64, now_ms: u64) {
        if self.ends_ms.len() >= ENDED_MAX {
            self.ends_ms.retain(|_, ends_ms| *ends_ms > now_ms);
        }
        if self.ends_ms.len() >= ENDED_MAX {
            self.all_before_ms = now_ms;
            self.ends_ms.clear();
        }
        self.ends_ms.insert(number, ends_ms);
    }
}

fn hex_number(text: &str) -> Option<Number> {
    let mut number = Number::default();
    if text.len() != 2 * NUMBER_BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, at) in number.iter_mut().zip((0..2 * NUMBER_BYTES).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(number)
}
