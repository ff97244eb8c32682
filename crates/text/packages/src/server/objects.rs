//! Choices for single APIs, services and API requesters in a `server.xml`, and its rule sets: notes on the
//! texts for other files.

use super::{Reader, shown};
use crate::toml;
use crate::xml::Element;

/// The attributes for groups of one object, and our names of the roles.
const ROLES: [(&str, &str); 4] = [
    ("adminGroup", "admin"),
    ("operationsGroup", "operations"),
    ("invokeGroup", "invoke"),
    ("readerGroup", "reader"),
];

/// True for an element that is an API, a service or an API requester.
pub(super) fn is_one(name: &str) -> bool {
    file(name, "").is_some()
}

/// True for elements of the lists of APIs, services and API requesters.
pub(super) fn is_in_list(list: &str, name: &str) -> bool {
    let lists = ["zosconnect_zosConnectAPIs", "zosconnect_services", "zosconnect_apiRequesters"];
    lists.contains(&list) && is_one(name)
}

/// Our file for an object.
fn file(kind: &str, name: &str) -> Option<String> {
    match kind {
        "zosConnectAPI" | "zosconnect_zosConnectAPI" => Some(format!("apis/{name}/api.toml")),
        "service" | "zosconnect_zosConnectService" => Some(format!("services/{name}.toml")),
        "apiRequester" => Some(format!("requesters/{name}/requester.toml")),
        _ => None,
    }
}

/// Notes the text for the object's own file, which comes from its archive.
pub(super) fn object(reader: &mut Reader<'_>, element: &Element) {
    let name = ["name", "serviceName", "id"].iter().find_map(|name| element.filled(name)).unwrap_or("NAME");
    let Some(file) = file(&element.name, name) else { return };
    for (attribute, value) in &element.attributes {
        if matches!(attribute.as_str(), "id" | "name" | "serviceName" | "serviceRef" | "fileName") {
            continue;
        }
        let value = reader.value(value);
        let reason = match ours(attribute, &value) {
            Some(line) => format!("{attribute} = '{value}': write {line} into {file}"),
            None => format!("{attribute} = '{}' is not imported", shown(attribute, &value)),
        };
        reader.note(element, &reason);
    }
}

/// The counterpart of an attribute.
fn ours(attribute: &str, value: &str) -> Option<String> {
    let names = || value.split(',').map(str::trim).filter(|name| !name.is_empty());
    if let Some((_, role)) = ROLES.iter().find(|(known, _)| *known == attribute) {
        return Some(format!("security.roles.{role} = {}", toml::list(names())));
    }
    let is_bool = matches!(value, "true" | "false");
    Some(match attribute {
        "requireAuth" if is_bool => format!("security.require_auth = {value}"),
        "requireSecure" if is_bool => format!("security.require_secure = {value}"),
        "runGlobalInterceptors" | "runGlobalInterceptorsRef" if is_bool => {
            format!("interceptors.run_global = {value}")
        }
        "interceptorsRef" => {
            format!("interceptors.names, with the interceptors of the list {},", toml::string(value))
        }
        "policyRef" => format!("policy = {}", toml::string(value)),
        "connectionRef" => format!("connection = {}", toml::string(value)),
        _ => return None,
    })
}

/// A list of rule sets. Each is a file, which is imported by itself.
pub(super) fn policy(reader: &mut Reader<'_>, element: &Element) {
    let files: Vec<String> =
        element.all("ruleset").filter_map(|set| set.filled("file")).map(|file| reader.value(file)).collect();
    let reason = match files.as_slice() {
        [] => "it names no rule set".to_owned(),
        files => format!("import its rule sets too: gantry import {}", files.join(" ")),
    };
    reader.note(element, &reason);
    if files.len() > 1 {
        let reason = "it has several rule sets, but Gantry takes one: put their rules into one file";
        reader.note(element, reason);
    }
}

/// `policy = "..."` for the rule set of all APIs.
pub(super) fn global_policy(reader: &mut Reader<'_>, root: &Element) -> String {
    let reference =
        root.all("zosconnect_zosConnectManager").find_map(|manager| manager.filled("globalPolicyRef"));
    let Some(reference) = reference else { return String::new() };
    let policy = root.all("zosconnect_policy").find(|policy| policy.filled("id") == Some(reference));
    let file = policy.and_then(|policy| policy.child("ruleset")).and_then(|set| set.filled("file"));
    let name = match file.map(|file| reader.value(file)) {
        Some(file) => crate::policy::name(&file),
        None => reference.to_owned(),
    };
    // It is a comment, because without the file nothing would be served.
    let line = format!("policy = {}", toml::string(&name));
    if let Some(element) = policy {
        let reason = format!(
            "its rule set was for all APIs: take the '#' from {line} when policies/{name}.xml is there"
        );
        reader.note(element, &reason);
    }
    format!("# {line}\n")
}

/// The web pages that may call. Here each API has its own list.
pub(super) fn cors(reader: &mut Reader<'_>, element: &Element) {
    let list = |name: &str| {
        let value = element.filled(name).map(|value| reader.value(value))?;
        Some(toml::list(value.split(',').map(str::trim).filter(|item| !item.is_empty())))
    };
    let mut keys: Vec<String> = Vec::new();
    for (attribute, key) in [
        ("allowedOrigins", "origins"),
        ("allowedMethods", "methods"),
        ("allowedHeaders", "headers"),
        ("exposeHeaders", "expose_headers"),
    ] {
        keys.extend(list(attribute).map(|list| format!("{key} = {list}")));
    }
    if element.filled("allowCredentials") == Some("true") {
        keys.push("credentials = true".to_owned());
    }
    if let Some(seconds) = element.filled("maxAge").and_then(|age| age.parse::<u32>().ok()) {
        keys.push(format!("max_age_s = {seconds}"));
    }
    let domain = element.filled("domain").unwrap_or("/");
    let reason =
        format!("for {domain}: write cors = {{ {} }} into the api.toml of its APIs", keys.join(", "));
    reader.note(element, &reason);
}
