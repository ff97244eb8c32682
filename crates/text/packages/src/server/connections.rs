//! Connections to remote APIs of a `server.xml` as `[connections.ID]`; other ways to back ends as comments.

use std::fmt::Write;

use super::Reader;
use crate::toml;
use crate::xml::Element;

/// Elements for connections to back ends other than remote APIs.
const OTHERS: &[&str] = &[
    "zosconnect_cicsIpicConnection",
    "zosconnect_cicsConnectionGroup",
    "zosconnect_imsConnection",
    "zosconnect_db2Connection",
    "imsmobile_imsConnection",
    "imsmobile_interaction",
    "jndiEntry",
    "mq_connection",
    "zosLocalAdapters",
    "usr_wolaConnection",
];

/// Elements that describe a remote API.
const REMOTE: &[&str] =
    &["zosconnect_endpointConnection", "zosconnect_zosConnectServiceRestClientConnection"];

/// Elements that connections refer to. They are read together with them.
const CREDENTIALS: &[&str] = &[
    "authData",
    "zosconnect_authData",
    "zosconnect_zosConnectServiceRestClientBasicAuth",
    "zosconnect_oAuthConfig",
    "zosconnect_authorizationServer",
];

/// True for the elements that are read here.
pub(super) fn knows(name: &str) -> bool {
    OTHERS.contains(&name) || REMOTE.contains(&name) || CREDENTIALS.contains(&name)
}

/// The sections of connections, and comment lines about the others.
pub(super) fn sections(reader: &mut Reader<'_>, root: &Element) -> (String, String) {
    let (mut out, mut told) = (String::new(), String::new());
    let mut seen = Vec::new();
    for element in &root.children {
        if REMOTE.contains(&element.name.as_str()) {
            let id = element.filled("id").unwrap_or_default();
            if reader.is_new(&mut seen, element, id) {
                remote(reader, root, element, &mut out);
            }
        } else if OTHERS.contains(&element.name.as_str()) {
            other(reader, element, &mut told);
        }
    }
    (out, told)
}

fn other(reader: &mut Reader<'_>, element: &Element, told: &mut String) {
    let id = element.filled("id").unwrap_or("(without id)");
    let place = match (element.filled("host"), element.filled("port")) {
        (Some(host), Some(port)) => format!(" at {}:{}", reader.value(host), reader.value(port)),
        _ => String::new(),
    };
    let kind = element.name.trim_start_matches("zosconnect_");
    toml::comment(told, &super::clean(&format!("  {id}: {kind}{place}")));
    let reason =
        "in Gantry a connection is part of [provider] in a service file; gantry.toml has it as a comment";
    reader.note(element, reason);
}

fn remote(reader: &mut Reader<'_>, root: &Element, element: &Element, out: &mut String) {
    let (Some(id), Some(host)) = (element.filled("id"), reader.first(element, &["host"])) else {
        reader.note(element, "expected 'id' and 'host'; the connection is not imported");
        return;
    };
    let address = match host.contains("://") {
        true => host,
        false if element.filled("sslCertsRef").is_some() => format!("https://{host}"),
        false => format!("http://{host}"),
    };
    let mut url = address.trim_end_matches('/').to_owned();
    if url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        reader.note(element, &format!("'{url}' is not an address; the connection is not imported"));
        return;
    }
    if let Some(port) = reader.first(element, &["port"]) {
        // A variable without a known value must be filled in by the user.
        if !port.contains("${") && port.parse::<u16>().is_err() {
            let reason = format!("'{port}' is not a port (1 to 65535); the connection is not imported");
            reader.note(element, &reason);
            return;
        }
        let _ = write!(url, ":{port}");
    }
    if let Some(path) = reader.first(element, &["domainBasePath", "basePath"]) {
        let _ = write!(url, "/{}", path.trim_matches('/'));
    }
    if url.contains("${") {
        reader.note(
            element,
            &format!("the url {url} has variables that are not known here: write their values"),
        );
    }
    let _ = write!(out, "\n[connections.{}]\nurl = {}\n", toml::key(id), toml::string(&url));
    if url.starts_with("http://") && !url.split(['/', ':']).nth(3).is_some_and(super::is_local) {
        out.push_str("# allow_plaintext = true   # without it, http reaches this machine alone\n");
        reader
            .note(element, "it goes out without TLS: make it https, or consent with allow_plaintext = true");
    }
    for (attribute, key) in
        [("connectionTimeout", "connect_timeout_ms"), ("receiveTimeout", "response_timeout_ms")]
    {
        let Some(given) = reader.first(element, &[attribute]) else { continue };
        match milliseconds(&given) {
            Some(ms) if ms > 0 => {
                let _ = writeln!(out, "{key} = {ms}");
            }
            _ => reader
                .note(element, &format!("{attribute} = '{given}' is not imported: expected a time above 0")),
        }
    }
    credentials(reader, root, element, out);
    for (name, reason) in [
        (
            "sslCertsRef",
            "certificates are PEM files here: name them as 'ca', 'client_certificate', 'client_private_key'",
        ),
        ("proxyConfigRef", "proxies are not known"),
    ] {
        if let Some(value) = element.filled(name) {
            reader.note(element, &format!("{name} = '{value}': {reason}"));
        }
    }
}

/// The credentials of a connection for the remote API.
fn credentials(reader: &mut Reader<'_>, root: &Element, element: &Element, out: &mut String) {
    let reference = ["authenticationConfigRef", "basicAuthRef", "authDataRef"];
    let Some(reference) = reference.iter().find_map(|name| element.filled(name)) else { return };
    let named = |id: &str| root.children.iter().find(|known| known.filled("id") == Some(id));
    let Some(target) = named(reference) else {
        reader.note(element, &format!("the element '{reference}' for its credentials does not exist"));
        return;
    };
    let secret = secret_file(reference);
    let user = |of: &Element| {
        let name = of.filled("user").or_else(|| of.filled("userName")).unwrap_or_default();
        toml::string(&reader.value(name))
    };
    match target.name.as_str() {
        "authData" | "zosconnect_authData" | "zosconnect_zosConnectServiceRestClientBasicAuth" => {
            let user = user(target);
            let _ = writeln!(
                out,
                "auth = {{ kind = \"basic\", user = {user}, password = {{ file = {secret} }} }}"
            );
        }
        "zosconnect_oAuthConfig" => {
            let server = target.filled("authServerRef").and_then(named);
            let client = server.and_then(|server| server.filled("basicAuthRef")).and_then(named);
            let endpoint = server.and_then(|server| server.filled("tokenEndpoint"));
            let (Some(endpoint), Some(client)) = (endpoint, client) else {
                reader
                    .note(target, "expected an authorization server with its token endpoint and credentials");
                return;
            };
            let (endpoint, client) = (toml::string(&reader.value(endpoint)), user(client));
            let _ = write!(
                out,
                "[connections.{}.auth]\nkind = \"oauth2\"\n",
                toml::key(element.filled("id").unwrap_or_default())
            );
            let _ = write!(
                out,
                "token_url = {endpoint}\nclient_id = {client}\nclient_secret = {{ file = {secret} }}\n"
            );
            if target.filled("grantType").is_some_and(|grant| grant == "password") {
                out.push_str("grant = \"password\"\n");
                reader.note(target, "the user and the password of the grant came with each call; here they are 'user' and 'password'");
            }
        }
        other => {
            let reason =
                format!("its credentials, a {other}, are not imported: write 'auth' of the connection");
            reader.note(element, &reason);
            return;
        }
    }
    reader
        .note(element, &format!("its secret is to be in the file {secret}, which the import does not write"));
}

/// The file for a secret, as a string of TOML.
fn secret_file(id: &str) -> String {
    toml::string(&format!("secrets/{}", super::plain(id)))
}

/// A time in the format of Liberty: `30s`, `1m30s`, `500ms`, or a bare number of milliseconds.
fn milliseconds(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut sum = 0_u64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: u64 = rest[..digits].parse().ok()?;
        let (unit, next) = rest[digits..]
            .split_at(rest[digits..].find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len() - digits));
        let ms = match unit.trim() {
            "" | "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return None,
        };
        sum = sum.checked_add(number.checked_mul(ms)?)?;
        rest = next;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let times = [("30s", 30_000), ("1m30s", 90_000), ("500ms", 500), ("250", 250), ("2h", 7_200_000)];
        for (text, ms) in times {
            assert_eq!(milliseconds(text), Some(ms), "{text}");
        }
        for text in ["", "s", "1x", "-1", "99999999999999999999s", "18446744073709551615h"] {
            assert_eq!(milliseconds(text), None, "{text}");
        }
    }
}
