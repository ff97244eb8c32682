//! The groups of a user, and the groups that these are in.

use std::collections::HashSet;

use ldap3::{Ldap, Scope, SearchEntry, SearchOptions};

use crate::error::{Error, described};
use crate::name::{first_value, is_below, normal};
use crate::settings::{GROUPS_MAX, GroupLookup, Settings};

/// A filter that every entry passes (RFC 4512, 4.3).
pub(crate) const ANY: &str = "(objectClass=*)";
const SIZE_LIMIT_EXCEEDED: u32 = 4;
const NO_SUCH_OBJECT: u32 = 32;

/// The names of the groups of an entry.
pub(crate) async fn groups(
    ldap: &mut Ldap,
    settings: &Settings,
    entry: &SearchEntry,
) -> Result<Vec<Box<str>>, Error> {
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    let mut level = direct(ldap, &settings.groups, entry).await?;
    for depth in 0.. {
        let mut next = Vec::new();
        for name in level {
            if !counts(&settings.groups, &name) || !seen.insert(normal(&name)) {
                continue;
            }
            if seen.len() > GROUPS_MAX {
                return Err(Error::unavailable(format!("a user is in more than {GROUPS_MAX} groups")));
            }
            if depth < settings.nested_groups_max_depth {
                next.extend(above(ldap, &settings.groups, &name).await?);
            }
            let shown = if settings.whole_group_names { Some(name) } else { first_value(&name) };
            names.extend(shown.map(Box::from));
        }
        if next.is_empty() {
            return Ok(names);
        }
        level = next;
    }
    Ok(names)
}

fn counts(lookup: &GroupLookup, name: &str) -> bool {
    match lookup {
        GroupLookup::Attribute { base: Some(base), .. } => is_below(name, base),
        _ => true,
    }
}

/// The distinguished names of the groups that an entry itself is in.
async fn direct(ldap: &mut Ldap, lookup: &GroupLookup, entry: &SearchEntry) -> Result<Vec<String>, Error> {
    match lookup {
        GroupLookup::None => Ok(Vec::new()),
        GroupLookup::Attribute { attribute, .. } => Ok(values(entry, attribute).to_vec()),
        GroupLookup::Search { .. } => above(ldap, lookup, &entry.dn).await,
    }
}

/// The groups that the entry of this name is in.
async fn above(ldap: &mut Ldap, lookup: &GroupLookup, name: &str) -> Result<Vec<String>, Error> {
    let found = match lookup {
        GroupLookup::None => return Ok(Vec::new()),
        GroupLookup::Attribute { attribute, .. } => {
            let found = search(ldap, (name, Scope::Base, ANY), &[attribute]).await?;
            return Ok(found.iter().flat_map(|group| values(group, attribute)).cloned().collect());
        }
        // 1.1 asks for no attribute (RFC 4511, 4.5.1.8): the names are enough.
        GroupLookup::Search { base, filter } => {
            search(ldap, (base, Scope::Subtree, &filter.fill(name)), &["1.1"]).await?
        }
    };
    Ok(found.into_iter().map(|group| group.dn).collect())
}

/// Entries that a search finds; nothing where nothing is.
pub(crate) async fn search(
    ldap: &mut Ldap,
    (base, scope, filter): (&str, Scope, &str),
    attributes: &[&str],
) -> Result<Vec<SearchEntry>, Error> {
    let most = i32::try_from(GROUPS_MAX + 1).unwrap_or(i32::MAX);
    ldap.with_search_options(SearchOptions::new().sizelimit(most));
    let found = ldap.search(base, scope, filter, attributes.to_vec()).await?;
    match found.1.rc {
        0 | SIZE_LIMIT_EXCEEDED => Ok(found.0.into_iter().map(SearchEntry::construct).collect()),
        NO_SUCH_OBJECT => Ok(Vec::new()),
        _ => Err(Error::unavailable(described(&found.1))),
    }
}

/// The values of an attribute, whose name has no case.
pub(crate) fn values<'e>(entry: &'e SearchEntry, attribute: &str) -> &'e [String] {
    let found = entry.attrs.iter().find(|(name, _)| name.eq_ignore_ascii_case(attribute));
    found.map_or(&[], |(_, values)| values)
}
