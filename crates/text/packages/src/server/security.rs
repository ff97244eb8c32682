//! The callers in a `server.xml`: registries, tokens and groups as `[security]`. No password is imported.

use std::fmt::Write;

use super::Reader;
use crate::xml::Element;
use crate::{File, toml};

/// The path for the users of a registry.
const USERS_FILE: &str = "users.txt";

/// The attributes that give a role to groups, and our names of the roles.
const ROLES: [(&str, &str); 4] = [
    ("globalAdminGroup", "admin"),
    ("globalOperationsGroup", "operations"),
    ("globalInvokeGroup", "invoke"),
    ("globalReaderGroup", "reader"),
];

/// The elements that are read here.
pub(super) const ELEMENTS: &[&str] =
    &["basicRegistry", "quickStartSecurity", "ldapRegistry", "openidConnectClient", "mpJwt", "jwtConsumer"];

/// `[security]`, and the file of users if there is one.
pub(super) fn section(reader: &mut Reader<'_>, root: &Element) -> (String, Option<File>) {
    let mut authenticators = String::new();
    let mut users = Users::default();
    for element in &root.children {
        match element.name.as_str() {
            "basicRegistry" => basic(reader, element, &mut users),
            "quickStartSecurity" => quick_start(reader, element, &mut users),
            "ldapRegistry" => ldap(reader, element, &mut authenticators),
            "openidConnectClient" | "mpJwt" | "jwtConsumer" => token(reader, element, &mut authenticators),
            _ => {}
        }
    }
    let users = users.commands;
    if !users.is_empty() {
        let basic = format!("\n[[security.authenticator]]\nkind = \"basic\"\nusers = \"{USERS_FILE}\"\n");
        authenticators.insert_str(0, &basic);
    }
    let demands = demands(reader, root, !authenticators.is_empty());
    let mut out = String::new();
    if !demands.is_empty() || !authenticators.is_empty() {
        let _ = write!(out, "\n[security]\n{demands}{}{authenticators}", roles(reader, root));
    }
    let file = (!users.is_empty()).then(|| File {
        path: USERS_FILE.to_owned(),
        text: format!(
            "# Users as they were; each needs a new password, which these commands ask for:\n{users}"
        ),
    });
    (out, file)
}

/// Whether callers must be authenticated, and must use TLS.
fn demands(reader: &mut Reader<'_>, root: &Element, known: bool) -> String {
    let mut out = String::new();
    for manager in root.all("zosconnect_zosConnectManager") {
        // Both are true there by default.
        let says_no = |reader: &Reader<'_>, name| {
            manager.filled(name).is_some_and(|value| reader.value(value) == "false")
        };
        if known && says_no(reader, "requireAuth") {
            out.push_str("require_auth = false\n");
        } else if !known && !says_no(reader, "requireAuth") {
            let reason = "callers had to be known, by a registry that is not imported: add a \
                          [[security.authenticator]], or everybody on this machine may call";
            reader.note(manager, reason);
        }
        if !says_no(reader, "requireSecure") {
            out.push_str(
                "# TLS was asked for; it needs a listener with a certificate:\n# require_secure = true\n",
            );
            let reason = "requireSecure is a comment in gantry.toml, until a listener has TLS";
            reader.note(manager, reason);
        }
    }
    out
}

/// The groups with roles for everything.
fn roles(reader: &Reader<'_>, root: &Element) -> String {
    let mut out = String::new();
    for manager in root.all("zosconnect_zosConnectManager") {
        for (attribute, role) in ROLES {
            let Some(groups) = manager.filled(attribute) else { continue };
            let groups = reader.value(groups);
            let groups = groups.split(',').map(str::trim).filter(|group| !group.is_empty());
            let _ = writeln!(out, "roles.{role} = {}", toml::list(groups));
        }
    }
    out
}

/// The users of all registries, without repetitions.
#[derive(Default)]
struct Users {
    names: Vec<String>,
    /// The commands that make them, as comments.
    commands: String,
}

fn basic(reader: &mut Reader<'_>, element: &Element, users: &mut Users) {
    for user in element.all("user") {
        let Some(name) = user.filled("name").map(|name| reader.value(name)) else {
            reader.note(user, "expected 'name'; the user is not imported");
            continue;
        };
        if !reader.is_new(&mut users.names, user, &name) {
            continue;
        }
        let is_in = |group: &&Element| {
            group.all("member").any(|member| member.filled("name").is_some_and(|m| reader.value(m) == name))
        };
        let groups: Vec<String> = element
            .all("group")
            .filter(is_in)
            .filter_map(|group| group.filled("name").map(|group| reader.value(group)))
            .collect();
        command(&name, &groups, &mut users.commands);
    }
    if element.child("user").is_some() {
        let reason = format!("its users are named in {USERS_FILE}, without passwords: give each a new one");
        reader.note(element, &reason);
    }
}

fn quick_start(reader: &mut Reader<'_>, element: &Element, users: &mut Users) {
    let Some(name) = element.filled("userName").map(|name| reader.value(name)) else { return };
    if !reader.is_new(&mut users.names, element, &name) {
        return;
    }
    command(&name, &[], &mut users.commands);
    reader.note(
        element,
        &format!("its user is named in {USERS_FILE}; give it a password, and a group with a role"),
    );
}

/// The command that makes a user, as a comment.
fn command(name: &str, groups: &[String], users: &mut String) {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let mut line = format!("  gantry user add {USERS_FILE} {}", quoted(name));
    if !groups.is_empty() {
        let _ = write!(line, " --groups {}", quoted(&groups.join(",")));
    }
    toml::comment(users, &super::clean(&line));
}

fn ldap(reader: &mut Reader<'_>, element: &Element, out: &mut String) {
    let (Some(host), Some(base)) = (reader.first(element, &["host"]), reader.first(element, &["baseDN"]))
    else {
        reader.note(element, "expected 'host' and 'baseDN'; the registry is not imported");
        return;
    };
    let secure = reader.first(element, &["sslEnabled"]).is_some_and(|enabled| enabled == "true");
    let (scheme, default_port) = if secure { ("ldaps", "636") } else { ("ldap", "389") };
    let port = reader.first(element, &["port"]).unwrap_or_else(|| default_port.to_owned());
    let server = format!("{scheme}://{host}:{port}");
    let _ = writeln!(out, "\n[[security.authenticator]]\nkind = \"ldap\"");
    let _ = writeln!(out, "servers = {}", toml::list([server.as_str()]));
    if let Some(name) = reader.first(element, &["bindDN"]) {
        let _ = writeln!(out, "bind_dn = {}", toml::string(&name));
        out.push_str("bind_password = { file = \"secrets/ldap\" }\n");
    }
    let _ = writeln!(out, "user_base = {}", toml::string(&base));
    // Filters are in the element of the directory's kind: idsFilters, activedFilters, customFilters.
    let filters = element.children.iter().find(|child| child.name.to_ascii_lowercase().ends_with("filters"));
    let filter = |name: &str| filters?.filled(name).map(|filter| reader.value(filter));
    if let Some(filter) = filter("userFilter") {
        let _ = writeln!(out, "user_filter = {}", toml::string(&filter.replace("%v", "{user}")));
    }
    if let Some((_, attribute)) = filter("userIdMap").as_deref().and_then(|map| map.split_once(':')) {
        let _ = writeln!(out, "name_attribute = {}", toml::string(attribute));
    }
    if let Some((_, member)) = filter("groupMemberIdMap").as_deref().and_then(first_pair) {
        let _ = writeln!(out, "group_base = {}", toml::string(&base));
        let _ = writeln!(out, "group_filter = {}", toml::string(&format!("({member}={{dn}})")));
    }
    let reason = "it is an authenticator in gantry.toml; its password, if it needs one, is to be in secrets/ldap, \
                  and groups are worth a look";
    reader.note(element, reason);
    if !secure && !super::is_local(&host) {
        reader.note(element, "passwords go to a directory on another machine over TLS alone: make it ldaps, or start_tls = true");
    }
}

/// The first pair of a map such as `groupOfNames:member;groupOfUniqueNames:uniqueMember`.
fn first_pair(map: &str) -> Option<(&str, &str)> {
    map.split(';').next()?.split_once(':').map(|(class, member)| (class.trim(), member.trim()))
}

/// An issuer of tokens. Its attributes have other names in each of the three elements.
fn token(reader: &mut Reader<'_>, element: &Element, out: &mut String) {
    let Some(issuer) = reader.first(element, &["issuerIdentifier", "issuer"]) else {
        reader.note(element, "expected an issuer; its tokens are not imported");
        return;
    };
    let Some(keys) = reader.first(element, &["jwkEndpointUrl", "jwksUri"]) else {
        let reason =
            "its keys are in a key store, which is not read: give the authenticator jwks_file or jwks_url";
        reader.note(element, reason);
        return;
    };
    let audiences = reader.first(element, &["audiences"]).unwrap_or_default();
    if audiences.is_empty() {
        reader.note(element, "it took tokens for any audience; write the one that is yours into 'audiences'");
    }
    let algorithm = reader.first(element, &["signatureAlgorithm"]).unwrap_or_else(|| "RS256".to_owned());
    let _ = writeln!(out, "\n[[security.authenticator]]\nkind = \"jwt\"\nissuer = {}", toml::string(&issuer));
    let audiences = audiences.split(',').map(str::trim).filter(|audience| !audience.is_empty());
    let _ = writeln!(out, "audiences = {}", toml::list(audiences));
    let _ = writeln!(out, "algorithms = {}", toml::list([algorithm.as_str()]));
    let _ = writeln!(out, "jwks_url = {}", toml::string(&keys));
    let user = reader
        .first(element, &["userIdentityToCreateSubject", "userIdentifier", "userNameAttribute", "userClaim"]);
    if let Some(claim) = user {
        let _ = writeln!(out, "user_claim = {}", toml::string(&claim));
    }
    if let Some(claim) = reader.first(element, &["groupIdentifier", "groupNameAttribute"]) {
        let _ = writeln!(out, "groups_claims = {}", toml::list([claim.as_str()]));
    }
    for name in ["authFilterRef", "mapIdentityToRegistryUser"] {
        if let Some(value) = element.filled(name).filter(|value| *value != "false") {
            reader
                .note(element, &format!("{name} = '{value}' is not imported: it is asked for every request"));
        }
    }
}
