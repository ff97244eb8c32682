//! The ways to authenticate, in the order of the configuration.

use std::borrow::Cow;
use std::sync::Arc;

use http::header::{AUTHORIZATION, HeaderMap};

use crate::api_keys::ApiKeys;
use crate::basic::Basic;
use crate::certificate::{CertificateNames, CertificateRule};
use crate::denied::{Denied, DeniedKind, Scheme, quoted};
use crate::directory::{DirectoryCheck, DirectoryUsers};
use crate::identity::{Identity, Method};
use crate::jwt::{Bearer, TokenCheck, invalid};
use crate::tokens::{Claims, Tokens};
use crate::users::{PasswordCheck, PasswordMark, Users};

/// One way to authenticate.
#[derive(Clone, Debug)]
pub enum Authenticator {
    /// HTTP Basic against users with passwords.
    Basic(Arc<Users>),
    /// HTTP Basic against a directory.
    Directory(Arc<DirectoryUsers>),
    /// API keys.
    ApiKey(Arc<ApiKeys>),
    /// Bearer tokens of one issuer.
    Bearer(Arc<Bearer>),
    /// Client certificates.
    Certificate(Arc<CertificateRule>),
    /// Tokens of this gateway, in a cookie.
    Token(Arc<Tokens>),
}

/// The credentials of a request.
#[derive(Clone, Copy, Debug)]
pub struct Presented<'r> {
    /// The request's headers.
    pub headers: &'r HeaderMap,
    /// The names in the client certificate of the connection.
    pub certificate: Option<&'r CertificateNames>,
}

/// The result of a check.
#[derive(Debug)]
pub enum Check {
    /// The request has no credentials for any of the ways.
    Anonymous,
    /// The caller is known.
    Known(Arc<Identity>),
    /// The credentials are refused.
    Denied(Denied),
    /// A password must be verified, on a thread that serves no other requests.
    Password(Box<PasswordCheck>),
    /// A directory must be asked about a password.
    Directory(Box<DirectoryCheck>),
    /// A token names an unknown key. The caller may fetch its issuer's keys, and then call
    /// [`Authenticators::check_again`].
    Keys(Arc<Bearer>),
}

/// All ways, in order. The first that finds credentials of its kind decides. A later way cannot
/// accept what it refuses. There are three exceptions. A token goes to the way of its issuer. A
/// certificate that no rule knows is ignored. A user who is not in a file goes to a directory
/// behind it.
#[derive(Debug)]
pub struct Authenticators {
    ways: Vec<Authenticator>,
    /// True if a way uses Basic in the Authorization header; then the same for Bearer.
    basic: bool,
    bearer: bool,
    realm: String,
}

/// The credentials of the Authorization header.
enum Authorization<'r> {
    None,
    Basic(&'r [u8]),
    Bearer(&'r [u8]),
}

impl Authenticators {
    /// Whether callers may use a name and a password.
    #[must_use]
    pub fn takes_passwords(&self) -> bool {
        self.basic
    }

    /// Whether callers may use a token in the Authorization header.
    #[must_use]
    pub fn takes_tokens(&self) -> bool {
        self.bearer
    }

    /// The headers that hold API keys.
    pub fn key_headers(&self) -> impl Iterator<Item = &http::HeaderName> {
        self.ways.iter().filter_map(|way| match way {
            Authenticator::ApiKey(keys) => Some(keys.header()),
            _ => None,
        })
    }

    /// Makes the ways in their order. Challenges name the realm.
    #[must_use]
    pub fn new(ways: Vec<Authenticator>, realm: impl Into<String>) -> Self {
        let basic =
            ways.iter().any(|way| matches!(way, Authenticator::Basic(_) | Authenticator::Directory(_)));
        let bearer = ways.iter().any(|way| matches!(way, Authenticator::Bearer(_)));
        Self { ways, basic, bearer, realm: realm.into() }
    }

    /// The ways.
    #[must_use]
    pub fn ways(&self) -> &[Authenticator] {
        &self.ways
    }

    /// True if there is no way to authenticate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// Authenticates a caller. `now_ms` is milliseconds since 1970.
    #[must_use]
    pub fn check(&self, presented: Presented<'_>, now_ms: u64) -> Check {
        self.look(presented, now_ms).unwrap_or_else(Check::Denied)
    }

    /// The same after keys were fetched. A key that is still unknown is a denial.
    #[must_use]
    pub fn check_again(&self, presented: Presented<'_>, now_ms: u64) -> Check {
        match self.check(presented, now_ms) {
            Check::Keys(_) => Check::Denied(invalid("signed with a key that the issuer does not have")),
            other => other,
        }
    }

    fn look(&self, presented: Presented<'_>, now_ms: u64) -> Result<Check, Denied> {
        let authorization = self.authorization(presented.headers)?;
        let mut strange_token = false;
        for (at, way) in self.ways.iter().enumerate() {
            match (way, &authorization) {
                (Authenticator::Basic(users), Authorization::Basic(encoded)) => {
                    let basic = Basic::parse(encoded)?;
                    let directory = |way: &Authenticator| matches!(way, Authenticator::Directory(_));
                    if !users.knows(basic.user()) && self.ways[at..].iter().any(directory) {
                        continue;
                    }
                    return Ok(match users.check(basic, now_ms) {
                        Ok(identity) => Check::Known(identity),
                        Err(work) => Check::Password(Box::new(work)),
                    });
                }
                (Authenticator::Directory(users), Authorization::Basic(encoded)) => {
                    return Ok(match users.check(&Basic::parse(encoded)?, now_ms) {
                        Ok(identity) => Check::Known(identity),
                        Err(question) => Check::Directory(Box::new(question)),
                    });
                }
                (Authenticator::Bearer(bearer), Authorization::Bearer(token)) => {
                    match bearer.check(token, now_ms) {
                        TokenCheck::Known(identity) => return Ok(Check::Known(identity)),
                        TokenCheck::Denied(denied) => return Err(denied),
                        TokenCheck::UnknownKey => return Ok(Check::Keys(Arc::clone(bearer))),
                        TokenCheck::NotOurs => strange_token = true,
                    }
                }
                (Authenticator::ApiKey(keys), _) => {
                    if let Some(key) = only(presented.headers, keys.header(), Scheme::Other)? {
                        return keys.check(key).map(Check::Known);
                    }
                }
                (Authenticator::Certificate(rule), _) => {
                    if let Some(identity) = presented.certificate.and_then(|names| rule.identity(names)) {
                        return Ok(Check::Known(identity));
                    }
                }
                (Authenticator::Token(tokens), _) => {
                    if let Some(claims) = tokens.presented(presented.headers, now_ms) {
                        return self.user_of(tokens, claims?).map(Check::Known);
                    }
                }
                _ => {}
            }
        }
        if strange_token { Err(invalid("the token of another issuer")) } else { Ok(Check::Anonymous) }
    }

    /// The user of a token, with the present data of the file of users.
    fn user_of(&self, tokens: &Tokens, claims: Claims) -> Result<Arc<Identity>, Denied> {
        let gone = |reason: &str| Denied::new(DeniedKind::Invalid, Scheme::Other, reason);
        match claims.of_directory() {
            Ok(identity) => {
                let has_directory = self.ways.iter().any(|way| matches!(way, Authenticator::Directory(_)));
                let identity = has_directory.then(|| Arc::new(identity));
                identity.ok_or_else(|| gone("the token is of a directory, and there is none any more"))
            }
            Err(claims) => {
                let files = self.ways.iter().filter_map(|way| match way {
                    Authenticator::Basic(users) => Some(users),
                    _ => None,
                });
                let mut found =
                    files.filter_map(|users| users.of_token(&claims.name, |phc| tokens.is_of(&claims, phc)));
                found.next().ok_or_else(|| gone("the user of the token is gone, or has another password"))
            }
        }
    }

    /// The tokens of this gateway.
    #[must_use]
    pub fn tokens(&self) -> Option<&Arc<Tokens>> {
        self.ways.iter().find_map(|way| match way {
            Authenticator::Token(tokens) => Some(tokens),
            _ => None,
        })
    }

    /// The cookie for a caller whose password was right: its name and its value. None if this
    /// gateway gives no tokens.
    ///
    /// # Errors
    /// No token can be made for this user; the text says why.
    pub fn log_in(&self, identity: &Identity, now_ms: u64) -> Result<Option<(&str, String)>, String> {
        let Some(tokens) = self.tokens() else { return Ok(None) };
        let phc = match identity.method {
            Method::Basic => self.ways.iter().find_map(|way| match way {
                Authenticator::Basic(users) => users.phc(&identity.name),
                _ => None,
            }),
            _ => None,
        };
        if phc.is_none() && identity.method != Method::Ldap {
            return Err("only users with passwords can log in".to_owned());
        }
        let token = tokens.issue(identity, phc.as_deref(), now_ms)?;
        Ok(Some((tokens.cookie(), token)))
    }

    /// The mark of the password with which a caller was authenticated. None if it was another way, or
    /// if the file of users was read again since then.
    #[must_use]
    pub fn password_mark(&self, identity: &Arc<Identity>) -> Option<PasswordMark> {
        if identity.method != Method::Basic {
            return None;
        }
        self.ways.iter().find_map(|way| match way {
            Authenticator::Basic(users) => users.mark(identity),
            _ => None,
        })
    }

    /// Continues the tokens of the previous configuration.
    pub fn follow(&mut self, before: &Self) {
        for way in &mut self.ways {
            if let (Authenticator::Token(tokens), Some(before)) = (&*way, before.tokens())
                && let Some(following) = tokens.following(before)
            {
                *way = Authenticator::Token(following);
            }
        }
    }

    fn authorization<'r>(&self, headers: &'r HeaderMap) -> Result<Authorization<'r>, Denied> {
        if !self.basic && !self.bearer {
            return Ok(Authorization::None);
        }
        let scheme = if self.bearer { Scheme::Bearer } else { Scheme::Basic };
        let Some(value) = only(headers, &AUTHORIZATION, scheme)? else { return Ok(Authorization::None) };
        let end = value.iter().position(|byte| *byte == b' ').unwrap_or(value.len());
        let (word, rest) = value.split_at(end);
        if self.basic && word.eq_ignore_ascii_case(b"basic") {
            return Ok(Authorization::Basic(rest.trim_ascii()));
        }
        if self.bearer && word.eq_ignore_ascii_case(b"bearer") {
            return Ok(Authorization::Bearer(rest.trim_ascii()));
        }
        Ok(Authorization::None)
    }

    /// The values of the WWW-Authenticate headers of a 401 answer: one challenge for each scheme in
    /// use.
    #[must_use]
    pub fn challenges(&self, denied: &Denied) -> Vec<String> {
        let realm = quoted(&self.realm);
        let mut challenges = Vec::new();
        if self.bearer {
            let error = match (denied.scheme, denied.kind) {
                (Scheme::Bearer, DeniedKind::Malformed) => ", error=\"invalid_request\"",
                (Scheme::Bearer, DeniedKind::Expired) => {
                    ", error=\"invalid_token\", error_description=\"The token has expired\""
                }
                (Scheme::Bearer, DeniedKind::Invalid) => ", error=\"invalid_token\"",
                _ => "",
            };
            challenges.push(format!("Bearer realm={realm}{error}"));
        }
        if self.basic {
            challenges.push(format!("Basic realm={realm}, charset=\"UTF-8\""));
        }
        // A 401 answer must have a challenge (RFC 9110, 15.5.2). These ways have no registered
        // scheme.
        if challenges.is_empty() {
            let keys = self.ways.iter().any(|way| matches!(way, Authenticator::ApiKey(_)));
            challenges.push(format!("{} realm={realm}", if keys { "ApiKey" } else { "Certificate" }));
        }
        challenges
    }

    /// The value of the WWW-Authenticate header of a 403 answer to a token that lacks scopes.
    #[must_use]
    pub fn scope_challenge(&self, scopes: &[Box<str>]) -> String {
        let scopes: Vec<Cow<'_, str>> = scopes.iter().map(|scope| Cow::Borrowed(&**scope)).collect();
        let (realm, scopes) = (quoted(&self.realm), quoted(&scopes.join(" ")));
        format!("Bearer realm={realm}, error=\"insufficient_scope\", scope={scopes}")
    }
}

/// The value of a header that may occur only once. Of two values, nobody can say which is meant.
fn only<'r>(
    headers: &'r HeaderMap,
    name: &http::HeaderName,
    scheme: Scheme,
) -> Result<Option<&'r [u8]>, Denied> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Denied::new(DeniedKind::Malformed, scheme, format!("the header {name} occurs twice")));
    }
    Ok(first.map(|value| value.as_bytes()))
}
