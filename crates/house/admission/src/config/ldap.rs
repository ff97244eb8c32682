//! Turns an `ldap` section into a directory that can be asked.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use directory::{Directory, Escape, GroupLookup, Pattern, Settings, UserLookup};
use security::{DirectorySource, Secret};

use super::written::LdapSection;
use remote::trust::client_config;

/// Parts that the section names but does not hold.
pub(super) struct Parts {
    pub(super) password: Option<Secret>,
    /// The authorities that sign the servers' certificates.
    pub(super) ca: Option<PathBuf>,
}

/// Makes the directory of a section.
///
/// # Errors
/// A key is missing, contradicts another, or is not safe.
pub(super) fn directory(section: &LdapSection, parts: Parts) -> Result<Arc<dyn DirectorySource>, String> {
    let service = match (&section.bind_dn, parts.password) {
        (None, None) => None,
        (Some(name), Some(password)) => Some((name.clone(), password)),
        _ => return Err("bind_dn and bind_password go together".to_owned()),
    };
    let has_tls = section.start_tls || section.servers.iter().any(|url| url.starts_with("ldaps://"));
    let settings = Settings {
        servers: section.servers.clone(),
        start_tls: section.start_tls,
        tls: if has_tls { Some(Arc::new(client_config(parts.ca.as_deref(), None)?)) } else { None },
        service,
        users: users(section)?,
        name_attribute: section.name_attribute.clone(),
        groups: groups(section)?,
        nested_groups_max_depth: section.nested_groups_max_depth,
        whole_group_names: section.whole_group_names,
        connections_max: section.connections_max,
        timeout: Duration::from_millis(section.timeout_ms),
    };
    Ok(Arc::new(Directory::new(settings)?))
}

fn users(section: &LdapSection) -> Result<UserLookup, String> {
    match (&section.user_dn, &section.user_base, &section.user_filter) {
        (Some(name), None, None) => Ok(UserLookup::Name(Pattern::parse(name, "user", Escape::Name)?)),
        (None, Some(base), filter) => {
            let filter = filter.as_deref().unwrap_or("(uid={user})");
            let filter = Pattern::parse(filter, "user", Escape::Filter)?;
            Ok(UserLookup::Search { base: base.clone(), filter })
        }
        _ => Err("expected user_dn, or user_base with user_filter".to_owned()),
    }
}

fn groups(section: &LdapSection) -> Result<GroupLookup, String> {
    match (&section.groups_attribute, &section.group_base, &section.group_filter) {
        (None, None, None) => Ok(GroupLookup::None),
        (Some(attribute), base, None) => {
            Ok(GroupLookup::Attribute { attribute: attribute.clone(), base: base.clone() })
        }
        (None, Some(base), Some(filter)) => {
            let filter = Pattern::parse(filter, "dn", Escape::Filter)?;
            Ok(GroupLookup::Search { base: base.clone(), filter })
        }
        _ => Err("expected groups_attribute, or group_base with group_filter".to_owned()),
    }
}
