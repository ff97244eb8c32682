//! Users of an LDAP directory (RFC 4511): checks names and passwords, and finds groups.
//!
//! A [`Directory`] finds the entry of a user, binds as that user, and gathers groups, over a few connections that it
//! keeps. Names that callers send are escaped wherever they go. Deliberately absent: plain connections to other
//! machines, anonymous binds with somebody's name, referrals, and any cache. The crate `security` remembers what was
//! verified.

mod connection;
mod error;
mod groups;
mod lookup;
mod name;
mod pattern;
mod settings;

pub use lookup::Directory;
pub use name::{first_value, is_below};
pub use pattern::{Escape, Pattern};
pub use settings::{GROUPS_MAX, GroupLookup, Settings, UserLookup};
