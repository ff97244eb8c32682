//! `server.xml`: the part of a server's configuration that our `gantry.toml` can have, and a note for each
//! other part.

mod connections;
mod interceptors;
mod merge;
mod objects;
mod queues;
mod security;

use std::collections::HashMap;
use std::fmt::Write;

use crate::fault::{Fault, Notes};
use crate::xml::Element;
use crate::{File, toml};

/// How often variables in the values of variables are replaced: the variables may name one another.
const VARIABLE_DEPTH_MAX: usize = 16;
/// The most bytes that this makes of all values, and about that of one.
const VARIABLES_BYTES_MAX: usize = 4 << 20;
const VALUE_BYTES_MAX: usize = 64 << 10;

/// The default port of an endpoint.
const HTTP_PORT: &str = "9080";

/// Attributes whose values must not be shown.
const SECRETS: [&str; 4] = ["password", "secret", "key", "token"];

/// Elements that have a counterpart in another form, or a special reason to be left out.
const KNOWN: &[(&str, &str)] = &[
    ("featureManager", "features are not needed: all that Gantry has is in the binary"),
    (
        "keyStore",
        "key stores are not read: export the certificate chain and the key as PEM files, and name them in \
                  listener.tls",
    ),
    (
        "ssl",
        "protocols and ciphers are those of TLS 1.2 and 1.3; only the certificate is chosen, in listener.tls",
    ),
    ("safRegistry", "Gantry has no SAF; use another registry for users"),
    ("safAuthorization", "Gantry has no SAF"),
    ("safCredentials", "Gantry has no SAF"),
    (
        "authorization-roles",
        "all who are known may call here, unless groups have the role Invoke in [security.roles]",
    ),
    ("jwtBuilder", "tokens for APIs are made by [connections.NAME.auth] with kind = \"jwt\""),
    ("authFilter", "every authenticator is asked for every request; APIs choose with require_auth and roles"),
    ("webAppSecurity", "only [[security.authenticator]] configures authentication"),
    ("cors", "CORS is not imported"),
    (
        "zosconnect_authorizationInterceptor",
        "authorization is always there: roles and groups are under [security.roles]",
    ),
    (
        "zosconnect_zosConnectDataXform",
        "bind files are not read: read the service archives with their copybooks",
    ),
    ("zosconnect_zosConnectAPIs", "APIs are read from their archives: gantry import FILE.aar"),
    ("zosconnect_services", "services are read from their archives: gantry import FILE.sar"),
    ("zosconnect_apiRequesters", "API requesters are read from their archives: gantry import FILE.ara"),
    ("zosconnect_authToken", "write it as 'auth' of the connection: kind = \"jwt\" or \"oauth2\""),
    ("include", "the import does not follow included files: import each one"),
    ("config", "changes are seen in another way here"),
    ("applicationMonitor", "Gantry has no applications to watch"),
    ("logging", "logs go to standard error; RUST_LOG chooses what"),
    ("executor", "the threads that serve are server.workers"),
    ("httpOptions", "times and limits of connections are under [limits]"),
];

/// Reads the configuration of a server. Gives its description and the files.
pub(crate) fn read(file: &str, root: &Element, notes: &mut Notes) -> Result<(String, Vec<File>), Fault> {
    if root.name != "server" {
        let message = format!("expected the configuration of a server or a rule set, found <{}>", root.name);
        return Err(Fault::at(crate::FaultKind::Unknown, file, root.line, message));
    }
    let root = &merge::merged(root);
    let mut reader = Reader { file, notes, variables: variables(root) };
    let mut listeners = String::new();
    for element in &root.children {
        reader.element(element, &mut listeners);
    }
    let policy = objects::global_policy(&mut reader, root);
    let interceptors = interceptors::sections(file, root, reader.notes);
    let (security, users) = security::section(&mut reader, root);
    let (connections, told) = connections::sections(&mut reader, root);
    let (queues, services) = queues::sections(&mut reader, root);
    let description = root.get("description").unwrap_or_default().to_owned();
    let mut out = String::new();
    toml::comment(&mut out, &format!("Made of {file}: {description}"));
    if !told.is_empty() {
        out.push_str("#\n# Connections there, for the providers of the services:\n");
        out.push_str(&told);
    }
    if !services.is_empty() {
        out.push_str("#\n");
        out.push_str(&services);
    }
    for part in [policy, listeners, interceptors, security, connections, queues] {
        out.push_str(&part);
    }
    let files = [File { path: "gantry.toml".to_owned(), text: out }].into_iter().chain(users);
    Ok((description, files.collect()))
}

/// The variables of the file, with the variables in their values replaced.
fn variables(root: &Element) -> HashMap<&str, String> {
    let written = root.all("variable").filter_map(|element| {
        let value = element.get("value").or_else(|| element.get("defaultValue"))?;
        Some((element.get("name")?, value.to_owned()))
    });
    let mut variables: HashMap<&str, String> = written.collect();
    let mut room = VARIABLES_BYTES_MAX;
    for _ in 0..VARIABLE_DEPTH_MAX {
        let mut changed = Vec::new();
        for (name, value) in &variables {
            let Some(new) = resolved(value, &variables).filter(|new| new != value) else { continue };
            let Some(left) = room.checked_sub(new.len()) else { return variables };
            room = left;
            changed.push((*name, new));
        }
        if changed.is_empty() {
            break;
        }
        variables.extend(changed);
    }
    variables
}

/// A text with its variables replaced, as far as they are known; none if it names no variable, or becomes too long.
fn resolved(text: &str, variables: &HashMap<&str, String>) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, next)) = after.split_once('}') else { break };
        if out.len() > VALUE_BYTES_MAX {
            return None;
        }
        out.push_str(before);
        match variables.get(name) {
            Some(value) => out.push_str(value),
            None => {
                let _ = write!(out, "${{{name}}}");
            }
        }
        rest = next;
    }
    (rest.len() < text.len()).then(|| out + rest)
}

struct Reader<'a> {
    file: &'a str,
    notes: &'a mut Notes,
    variables: HashMap<&'a str, String>,
}

impl Reader<'_> {
    fn element(&mut self, element: &Element, listeners: &mut String) {
        let name = element.name.as_str();
        match name {
            "httpEndpoint" => self.endpoint(element, listeners),
            "variable" => {}
            // These are read together, when all are known.
            "zosconnect_auditInterceptor" | "fileSystemLogger" | "zosconnect_zosConnectInterceptors" => {}
            "zosconnect_policy" => objects::policy(self, element),
            "cors" => objects::cors(self, element),
            "zosconnect_zosConnectManager" => self.manager(element),
            _ if security::ELEMENTS.contains(&name) || connections::knows(name) || queues::knows(name) => {}
            _ if objects::is_one(name) => objects::object(self, element),
            _ => {
                let reason = KNOWN.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason);
                let reason = reason.unwrap_or("unknown and not imported");
                self.note(element, reason);
            }
        }
        for inner in element.children.iter().filter(|inner| objects::is_in_list(&element.name, &inner.name)) {
            objects::object(self, inner);
        }
    }

    fn note(&mut self, element: &Element, reason: &str) {
        let id = element.filled("id").or_else(|| element.filled("name")).map(|id| format!(" {id}"));
        let line = format!("{}{}: {reason}", element.name, id.unwrap_or_default());
        self.notes.add(self.file, element.line, line);
    }

    /// The value of the first of some attributes that has one, with its variables replaced.
    fn first(&self, element: &Element, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| element.filled(name)).map(|value| self.value(value))
    }

    /// A text with its variables replaced, as far as they are known here.
    fn value(&self, text: &str) -> String {
        resolved(text, &self.variables).unwrap_or_else(|| text.to_owned())
    }

    fn endpoint(&mut self, element: &Element, listeners: &mut String) {
        let host = self.value(element.filled("host").unwrap_or("localhost"));
        let port = |name: &str, default: &str| self.value(element.filled(name).unwrap_or(default));
        let (http, https) = (port("httpPort", HTTP_PORT), port("httpsPort", ""));
        if !is_local(&host) {
            let reason = format!(
                "it listened on {host}; here only on this machine, until listener.address says otherwise, with TLS \
                 or with the consent that goes with it"
            );
            self.note(element, &reason);
        }
        match http.parse::<u16>() {
            Ok(port) => {
                let _ = write!(listeners, "\n# There: {}\n[[listener]]\n", clean(&format!("{host}:{port}")));
                let _ = writeln!(listeners, "address = \"127.0.0.1:{port}\"");
            }
            Err(_) if http == "-1" => {}
            Err(_) => self.note(element, &format!("the port '{http}' is not known here")),
        }
        match https.parse::<u16>() {
            Ok(port) => {
                let _ = write!(
                    listeners,
                    "\n# There with TLS: {}. It needs PEM files:\n# [[listener]]\n# address = \"127.0.0.1:{port}\"\n\
                     # tls = {{ certificate = \"server.pem\", private_key = \"server.key\" }}\n",
                    clean(&format!("{host}:{port}"))
                );
                self.note(
                    element,
                    "its HTTPS port is a comment in gantry.toml: Gantry needs certificates in PEM files",
                );
            }
            Err(_) if https.is_empty() || https == "-1" => {}
            Err(_) => self.note(element, &format!("the port '{https}' is not known here")),
        }
    }

    fn manager(&mut self, element: &Element) {
        for (name, value) in &element.attributes {
            let value = self.value(value);
            let reason = match name.as_str() {
                // Their meaning for interceptors is written in the sections of these.
                "id" | "globalInterceptorsRef" => continue,
                "requireSecure" | "requireAuth" if !matches!(value.as_str(), "true" | "false") => {
                    "expected true or false; it is taken as true".to_owned()
                }
                "globalPolicyRef" | "requireSecure" | "requireAuth" => continue,
                "asyncRequestTimeout" | "asyncRequestTimeoutValue" => {
                    "it is timeout_ms in the file of each service".to_owned()
                }
                "globalAdminGroup" | "globalOperationsGroup" | "globalInvokeGroup" | "globalReaderGroup" => {
                    continue;
                }
                "setUTF8ResponseEncoding" | "preserveJsonPayloadCharFormat" if value == "true" => continue,
                "useJsonErrorResponses" if value == "true" => continue,
                _ => "not imported".to_owned(),
            };
            let reason = format!("{name} = '{}': {reason}", shown(name, &value));
            self.note(element, &reason);
        }
        for child in &element.children {
            self.note(child, "not imported");
        }
    }
}

/// A value, unless it is a secret.
fn shown(name: &str, value: &str) -> String {
    let name = name.to_ascii_lowercase();
    if SECRETS.iter().any(|secret| name.contains(secret)) { "***".to_owned() } else { value.to_owned() }
}

/// A text for a comment of one line.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// True for names of this machine.
fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "::1" | "[::1]")
}

/// A name in a form for file names.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' }).collect()
}
