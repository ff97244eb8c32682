//! Interceptors of a `server.xml` as sections of `gantry.toml`.

use std::collections::HashSet;
use std::fmt::Write;

use crate::fault::Notes;
use crate::toml;
use crate::xml::Element;

/// The most headers of an audit record, there and here.
const HEADERS_MAX: usize = 4;

/// The highest sequence number, there and here.
const SEQUENCE_MAX: u32 = i32::MAX as u32;

/// The sections for audit records and logs. Those that no global list names are not global.
pub(super) fn sections(file: &str, root: &Element, notes: &mut Notes) -> String {
    let global = global(root);
    let mut out = String::new();
    for element in &root.children {
        let (kind, default_name) = match element.name.as_str() {
            "zosconnect_auditInterceptor" => ("audit", "audit"),
            "fileSystemLogger" => ("log", "fileLogger"),
            _ => continue,
        };
        let name = element.filled("id").unwrap_or(default_name);
        let _ = write!(out, "\n[[interceptor]]\nkind = \"{kind}\"\nname = {}\n", toml::string(name));
        match element.filled("sequence").map(str::parse::<u32>) {
            Some(Ok(sequence)) if sequence <= SEQUENCE_MAX => {
                let _ = writeln!(out, "sequence = {sequence}");
            }
            None => {}
            Some(_) => note(file, element, "its sequence is not a number up to 2147483647", notes),
        }
        if !global.contains(name) {
            out.push_str("global = false\n");
            note(file, element, "no global list names it: name it under [interceptors] of its APIs", notes);
        }
        if kind == "audit" {
            headers(file, element, &mut out, notes);
        }
        let _ = write!(
            out,
            "[interceptor.file]\npath = {}\n",
            toml::string(&format!(".gantry/{kind}-{}.jsonl", super::plain(name)))
        );
        note(file, element, "it writes JSON lines to the file under [interceptor.file]", notes);
    }
    out
}

/// The ids in the manager's global lists.
fn global(root: &Element) -> HashSet<&str> {
    let names = |text: &'_ str| -> Vec<String> {
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let lists: Vec<String> = root
        .all("zosconnect_zosConnectManager")
        .filter_map(|manager| manager.filled("globalInterceptorsRef"))
        .flat_map(names)
        .collect();
    let is_global =
        |list: &&Element| list.filled("id").is_some_and(|id| lists.iter().any(|known| known == id));
    root.all("zosconnect_zosConnectInterceptors")
        .filter(is_global)
        .filter_map(|list| list.filled("interceptorRef"))
        .flat_map(|names| names.split(',').map(str::trim))
        .collect()
}

/// The recorded headers. Headers with credentials are left out, because they are never recorded here.
fn headers(file: &str, element: &Element, out: &mut String, notes: &mut Notes) {
    for (attribute, key) in
        [("apiProviderRequestHeaders", "request_headers"), ("apiProviderResponseHeaders", "response_headers")]
    {
        let Some(names) = element.filled(attribute) else { continue };
        let secret = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
        let is_secret = |name: &&str| secret.contains(&name.to_ascii_lowercase().as_str());
        let is_header = |name: &&str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        let (left_out, kept): (Vec<&str>, Vec<&str>) =
            names.split(',').map(str::trim).partition(|name| is_secret(name) || !is_header(name));
        for name in left_out {
            let reason = format!("{attribute}: the header '{name}' cannot be recorded");
            note(file, element, &reason, notes);
        }
        let kept = kept.into_iter().take(HEADERS_MAX);
        let _ = writeln!(out, "{key} = {}", toml::list(kept));
    }
}

fn note(file: &str, element: &Element, reason: &str, notes: &mut Notes) {
    let id = element.filled("id").map(|id| format!(" {id}")).unwrap_or_default();
    notes.add(file, element.line, format!("{}{id}: {reason}", element.name));
}
