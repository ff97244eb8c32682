//! One user: the entry, the password, the groups.

use std::fmt;
use std::sync::Arc;

use ldap3::{Scope, SearchEntry};
use security::{Asking, DirectoryFault, DirectorySource, DirectoryUser, Secret};

use crate::connection::{Connections, Pool};
use crate::error::Error;
use crate::groups::{ANY, groups, search, values};
use crate::settings::{GroupLookup, Settings, UserLookup};

/// A directory that can be asked for users.
#[derive(Clone)]
pub struct Directory {
    settings: Arc<Settings>,
    pool: Arc<Pool>,
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { servers, service, users, name_attribute, groups, .. } = &*self.settings;
        f.debug_struct("Directory")
            .field("servers", servers)
            .field("service", &service.as_ref().map(|(name, _)| name))
            .field("users", users)
            .field("name_attribute", name_attribute)
            .field("groups", groups)
            .field("nested", &self.settings.nested_groups_max_depth)
            .field("whole_group_names", &self.settings.whole_group_names)
            .finish_non_exhaustive()
    }
}

impl Directory {
    /// A directory by its settings; nobody is asked yet.
    ///
    /// # Errors
    /// Settings that cannot work or would not be safe.
    pub fn new(settings: Settings) -> Result<Self, String> {
        settings.check()?;
        Ok(Self { pool: Arc::new(Pool::new(&settings)), settings: Arc::new(settings) })
    }

    /// Asks within the time. Connections that were kept may be dead: then new ones are asked, once.
    async fn user(&self, user: &str, password: &str) -> Result<DirectoryUser, DirectoryFault> {
        let asked = async {
            loop {
                let mut lent = self.pool.lend(&self.settings).await?;
                match self.ask_over(&mut lent.connections, user, password).await {
                    Err(Error::Connection(reason)) => {
                        self.pool.forget();
                        if !lent.used {
                            return Err(Error::Connection(reason));
                        }
                    }
                    answer => {
                        self.pool.take_back(lent);
                        return answer;
                    }
                }
            }
        };
        match tokio::time::timeout(self.settings.timeout, asked).await {
            Ok(Ok(user)) => Ok(user),
            Ok(Err(Error::Fault(fault))) => Err(fault),
            Ok(Err(Error::Connection(reason))) => Err(DirectoryFault::Unavailable(reason)),
            Err(_) => Err(DirectoryFault::Unavailable("the directory did not answer in time".to_owned())),
        }
    }

    async fn ask_over(
        &self,
        connections: &mut Connections,
        user: &str,
        password: &str,
    ) -> Result<DirectoryUser, Error> {
        let entry = match &self.settings.users {
            UserLookup::Search { base, filter } => {
                let found = self.entry(connections, (base, Scope::Subtree, &filter.fill(user))).await;
                // A password is verified for an unknown user too, so that both cases take the same steps.
                let name =
                    found.as_ref().map_or_else(|_| format!("cn=nobody,{base}"), |entry| entry.dn.clone());
                let bound = bind(connections, &name, password).await;
                let entry = found?;
                bound?;
                entry
            }
            UserLookup::Name(pattern) => {
                let name = pattern.fill(user);
                bind(connections, &name, password).await?;
                self.entry(connections, (&name, Scope::Base, ANY)).await?
            }
        };
        let name = values(&entry, &self.settings.name_attribute).first();
        let name = name.ok_or_else(|| {
            Error::unavailable(format!("{} has no {}", entry.dn, self.settings.name_attribute))
        })?;
        let groups = groups(connections.reader(), &self.settings, &entry).await?;
        Ok(DirectoryUser { name: name.as_str().into(), groups })
    }

    /// The one entry that a search finds.
    async fn entry(
        &self,
        connections: &mut Connections,
        place: (&str, Scope, &str),
    ) -> Result<SearchEntry, Error> {
        let mut attributes = vec![self.settings.name_attribute.as_str()];
        if let GroupLookup::Attribute { attribute, .. } = &self.settings.groups {
            attributes.push(attribute);
        }
        let mut found = search(connections.reader(), place, &attributes).await?;
        match (found.pop(), found.len()) {
            (Some(entry), 0) => Ok(entry),
            (None, _) => Err(Error::refused("no such user")),
            (Some(_), _) => Err(Error::refused("several users have this name")),
        }
    }
}

async fn bind(connections: &mut Connections, name: &str, password: &str) -> Result<(), Error> {
    let bound = connections.binder.simple_bind(name, password).await?;
    if bound.rc == 0 { Ok(()) } else { Err(Error::of_bind(&bound)) }
}

impl DirectorySource for Directory {
    fn ask(&self, user: &str, password: &Secret) -> Asking {
        let (this, user, password) = (self.clone(), user.to_owned(), password.clone());
        Box::pin(async move {
            // A bind with a name and no password succeeds without being one (RFC 4513, 5.1.2).
            match std::str::from_utf8(password.expose()) {
                Ok("") => Err(DirectoryFault::Refused("no password".to_owned())),
                Ok(password) => this.user(&user, password).await,
                Err(_) => Err(DirectoryFault::Refused("the password is not UTF-8".to_owned())),
            }
        })
    }
}
