//! The settings of a directory: servers, patterns, limits.

use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use security::Secret;

use crate::pattern::Pattern;

/// The most groups of one user. A user in more groups is an error, so that no group is left out silently.
pub const GROUPS_MAX: usize = 1_000;

/// How a directory is asked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// URLs of servers with the same content: `ldaps://host`, or `ldap://host` with StartTLS or on this machine.
    pub servers: Vec<String>,
    /// Whether plain connections become TLS before anything else is said (RFC 4511, 4.14).
    pub start_tls: bool,
    /// Whom the servers are trusted by; needed where there is TLS.
    pub tls: Option<Arc<ClientConfig>>,
    /// The name and password under which entries are looked up; without them users look up their own.
    pub service: Option<(String, Secret)>,
    /// How the entry of a user is found.
    pub users: UserLookup,
    /// The attribute of the entry that is the user's name here, whatever the caller wrote.
    pub name_attribute: String,
    /// How groups are found.
    pub groups: GroupLookup,
    /// How many groups of groups are followed, one in another; 0 follows none.
    pub nested_groups_max_depth: usize,
    /// Whether groups have their whole distinguished names, rather than the first value of them.
    pub whole_group_names: bool,
    /// The most users that are looked up at one time; more wait.
    pub connections_max: usize,
    /// Time for one user, from waiting for a connection to the last group.
    pub timeout: Duration,
}

/// How the entry of a user is found.
#[derive(Clone, Debug)]
pub enum UserLookup {
    /// By a name that is made of the user's: `uid={user},ou=people,dc=example`.
    Name(Pattern),
    /// By a search below a base, which needs the service's name and password.
    Search {
        /// The name below which it searches.
        base: String,
        /// `(uid={user})`.
        filter: Pattern,
    },
}

/// How groups are found.
#[derive(Clone, Debug)]
pub enum GroupLookup {
    /// There are none.
    None,
    /// An attribute of an entry names the groups that it is in: `memberOf`.
    Attribute {
        /// The attribute.
        attribute: String,
        /// Groups elsewhere do not count.
        base: Option<String>,
    },
    /// A search below a base finds the groups that name an entry.
    Search {
        /// The name below which it searches.
        base: String,
        /// `(member={dn})`.
        filter: Pattern,
    },
}

impl Settings {
    /// Finds settings that cannot work or are not safe.
    ///
    /// # Errors
    /// The first such setting.
    pub fn check(&self) -> Result<(), String> {
        if self.servers.is_empty() {
            return Err("a directory has one server at least".to_owned());
        }
        for url in &self.servers {
            self.check_server(url)?;
        }
        if self.service.is_none() && matches!(self.users, UserLookup::Search { .. }) {
            return Err(
                "users are searched under a name of the gateway: bind_dn and bind_password".to_owned()
            );
        }
        if self
            .service
            .as_ref()
            .is_some_and(|(name, password)| name.is_empty() || password.expose().is_empty())
        {
            return Err(
                "bind_dn and bind_password must not be empty: that would be an anonymous bind".to_owned()
            );
        }
        if self.name_attribute.is_empty() || self.connections_max == 0 || self.timeout.is_zero() {
            return Err("name_attribute, connections_max and timeout_ms must not be empty or 0".to_owned());
        }
        Ok(())
    }

    /// Passwords go over TLS, or to this machine.
    fn check_server(&self, url: &str) -> Result<(), String> {
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        let host = rest.trim_end_matches('/');
        let plain = host.rsplit_once(':').map_or(host, |(host, port)| match port.parse::<u16>() {
            Ok(_) => host,
            Err(_) => rest,
        });
        if plain.is_empty() || plain.contains(['/', '@', '?', '#', ' ']) {
            return Err(format!("'{url}' is not a server URL: expected ldaps://HOST or ldaps://HOST:PORT"));
        }
        let local = matches!(plain, "localhost" | "127.0.0.1" | "[::1]");
        match scheme {
            "ldaps" if self.start_tls => Err(format!("'{url}' has TLS already; start_tls goes with ldap://")),
            "ldaps" | "ldap" if self.tls.is_none() && (scheme == "ldaps" || self.start_tls) => {
                Err(format!("'{url}' needs certificates to be trusted by"))
            }
            "ldaps" => Ok(()),
            "ldap" if self.start_tls || local => Ok(()),
            "ldap" => {
                Err(format!("'{url}' would send passwords in the clear: ldaps://, or start_tls = true"))
            }
            _ => Err(format!("'{url}' is neither ldaps:// nor ldap://")),
        }
    }
}
