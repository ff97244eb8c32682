//! Who calls, what they may do, how often, and from which web pages.
//!
//! Bytes in, decisions out. A request's headers and the names in a client certificate become an
//! [`Identity`] or a [`Denied`]. An [`Access`] decides what an identity may do, a [`Limiter`] how
//! often, and [`Cors`] for which pages. Callers pass the texts of files and the time.
//!
//! Deliberately absent: IO, clocks, sockets, configuration.

mod access;
mod api_keys;
mod authenticators;
mod basic;
mod cache;
mod certificate;
mod cors;
mod denied;
mod der;
mod digest;
mod directory;
mod identity;
pub mod jwt;
mod limit;
mod memory;
mod secret;
mod tokens;
mod users;
mod validity;

pub use access::{Access, Action, Kind, Refused, Role, RoleGroups};
pub use api_keys::{ApiKeys, KEY_BYTES_MAX, key_line};
pub use authenticators::{Authenticator, Authenticators, Check, Presented};
pub use basic::{BASIC_BYTES_MAX, Basic};
pub use certificate::{CertificateNames, CertificateRule, NameSource, UserRule};
pub use cors::{Cors, CorsSettings, Preflight};
pub use denied::{Denied, DeniedKind, Scheme};
pub use directory::{Asking, DirectoryCheck, DirectoryFault, DirectorySource, DirectoryUser, DirectoryUsers};
pub use identity::{Identity, Method};
pub use limit::{CALLERS_MAX_DEFAULT, Caller, Limited, Limiter, LimiterSettings, Permit, Rate};
pub use secret::Secret;
pub use tokens::{COOKIE_NAME_DEFAULT, EndedKeeper, TOKEN_EXPIRY_MIN_DEFAULT, TOKEN_KEY_BYTES_MIN, Tokens};
pub use users::{LineError, PasswordCheck, PasswordMark, USERS_MAX, Users, user_line, with_groups};
pub use validity::Validity;
