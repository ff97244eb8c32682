//! `server.xml`: what of a server's configuration our `gantry.toml` can say, and a note for all the rest.

mod interceptors;

use std::collections::HashMap;
use std::fmt::Write;

use crate::fault::{Fault, Notes};
use crate::limits::Limits;
use crate::xml::{self, Element};
use crate::{File, toml};

/// The port of an endpoint that names none.
const HTTP_PORT: &str = "9080";

/// Attributes whose values are nobody's business.
const SECRETS: [&str; 4] = ["password", "secret", "key", "token"];

/// Elements that have a counterpart under another form, or a reason of their own to be left out.
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
    ("basicRegistry", "users and groups are not carried over; passwords of that form are not ours to keep"),
    ("ldapRegistry", "the LDAP registry is not carried over"),
    ("safRegistry", "there is no SAF here; users must be kept elsewhere"),
    ("safAuthorization", "there is no SAF here"),
    ("safCredentials", "there is no SAF here"),
    ("authorization-roles", "roles of users and groups are not carried over"),
    ("openidConnectClient", "tokens of an identity provider are not carried over"),
    ("jwtBuilder", "tokens are not carried over"),
    ("authFilter", "filters of authentication are not carried over"),
    ("webAppSecurity", "authentication is not carried over"),
    ("cors", "CORS is not carried over"),
    (
        "zosconnect_authorizationInterceptor",
        "authorization is always there: roles and groups are under [security.roles]",
    ),
    (
        "zosconnect_policy",
        "copy its rule sets into policies/ as they are, and name one with policy = \"NAME\", here or in an API",
    ),
    (
        "zosconnect_zosConnectDataXform",
        "bind files are not read: read the service archives with their copybooks",
    ),
    ("zosconnect_zosConnectAPIs", "APIs are read from their archives: gantry import FILE.aar"),
    ("zosconnect_services", "services are read from their archives: gantry import FILE.sar"),
    ("zosconnect_apiRequesters", "API requesters are still to come"),
    ("zosconnect_authData", "credentials for back ends are not carried over"),
    ("zosconnect_authToken", "tokens for API requesters are not carried over"),
    ("zosconnect_authorizationServer", "tokens for API requesters are not carried over"),
    ("zosconnect_oAuthConfig", "tokens for API requesters are not carried over"),
    ("include", "included files are not followed: read each by itself"),
    ("config", "changes are seen in another way here"),
    ("applicationMonitor", "there are no applications to watch"),
    ("logging", "logs go to standard error; RUST_LOG chooses what"),
    ("executor", "the threads that serve are server.workers"),
    ("httpOptions", "times and limits of connections are under [limits]"),
];

/// Elements that describe a way to a back end.
const CONNECTIONS: &[&str] = &[
    "zosconnect_cicsIpicConnection",
    "zosconnect_cicsConnectionGroup",
    "zosconnect_endpointConnection",
    "zosconnect_zosConnectServiceRestClientConnection",
    "imsmobile_imsConnection",
    "imsmobile_interaction",
    "connectionFactory",
    "jmsConnectionFactory",
    "jmsQueueConnectionFactory",
    "jmsQueue",
    "jndiEntry",
    "mq_connection",
    "zosLocalAdapters",
    "usr_wolaConnection",
];

/// True if the bytes are XML whose first element is a server's configuration.
pub(crate) fn is_server(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(bytes.len());
    let text = &bytes[start..];
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    text.starts_with(b"<")
}

/// Reads the configuration of a server; gives its description and the files.
pub(crate) fn read(
    file: &str,
    text: &str,
    limits: &Limits,
    notes: &mut Notes,
) -> Result<(String, Vec<File>), Fault> {
    let root = xml::parse(file, text, limits)?;
    if root.name != "server" {
        let message = format!("expected the configuration of a server, found <{}>", root.name);
        return Err(Fault::at(crate::FaultKind::Unknown, file, root.line, message));
    }
    let variables = root
        .all("variable")
        .filter_map(|element| {
            let value = element.get("value").or_else(|| element.get("defaultValue"))?;
            Some((element.get("name")?, value))
        })
        .collect();
    let mut reader = Reader { file, notes, variables, listeners: String::new(), told: String::new() };
    for element in &root.children {
        reader.element(element);
    }
    let interceptors = interceptors::sections(file, &root, reader.notes);
    let Reader { listeners, told, .. } = reader;
    let description = root.get("description").unwrap_or_default().to_owned();
    let mut out = String::new();
    toml::comment(&mut out, &format!("Made of {file}: {description}"));
    if !told.is_empty() {
        out.push_str("#\n# Connections there, for the providers of the services:\n");
        out.push_str(&told);
    }
    out.push_str(&listeners);
    out.push_str(&interceptors);
    Ok((description, vec![File { path: "gantry.toml".to_owned(), text: out }]))
}

struct Reader<'a> {
    file: &'a str,
    notes: &'a mut Notes,
    variables: HashMap<&'a str, &'a str>,
    listeners: String,
    /// Comments about connections.
    told: String,
}

impl Reader<'_> {
    fn element(&mut self, element: &Element) {
        let name = element.name.as_str();
        match name {
            "httpEndpoint" => self.endpoint(element),
            "variable" => {}
            // Read together, when all are known.
            "zosconnect_auditInterceptor" | "fileSystemLogger" | "zosconnect_zosConnectInterceptors" => {}
            "zosconnect_zosConnectManager" => self.manager(element),
            "zosConnectAPI"
            | "zosconnect_zosConnectAPI"
            | "service"
            | "zosconnect_zosConnectService"
            | "apiRequester" => self.object(element),
            _ if CONNECTIONS.contains(&name) => self.connection(element),
            _ => {
                let reason = KNOWN.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason);
                let reason = reason.unwrap_or("not known and not carried over");
                self.note(element, reason);
            }
        }
        for inner in element.children.iter().filter(|inner| {
            element.name.starts_with("zosconnect_zosConnectAPIs")
                || (element.name == "zosconnect_services" && inner.name == "service")
        }) {
            self.object(inner);
        }
    }

    fn note(&mut self, element: &Element, reason: &str) {
        let id = element.filled("id").or_else(|| element.filled("name")).map(|id| format!(" {id}"));
        let line = format!("{}{}: {reason}", element.name, id.unwrap_or_default());
        self.notes.add(self.file, element.line, line);
    }

    /// A text with the values of the variables in it, where they are known here.
    fn value(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, next)) = after.split_once('}') else { break };
            out.push_str(before);
            match self.variables.get(name) {
                Some(value) => out.push_str(value),
                None => {
                    let _ = write!(out, "${{{name}}}");
                }
            }
            rest = next;
        }
        out + rest
    }

    fn endpoint(&mut self, element: &Element) {
        let host = self.value(element.filled("host").unwrap_or("localhost"));
        let port = |name: &str, default: &str| self.value(element.filled(name).unwrap_or(default));
        let (http, https) = (port("httpPort", HTTP_PORT), port("httpsPort", ""));
        let local = matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1");
        if !local {
            let reason = format!(
                "it listened on {host}; here only on this machine, until listener.address says otherwise, with TLS \
                 or with the consent that goes with it"
            );
            self.note(element, &reason);
        }
        match http.parse::<u16>() {
            Ok(port) => {
                let _ =
                    write!(self.listeners, "\n# There: {}\n[[listener]]\n", clean(&format!("{host}:{port}")));
                let _ = writeln!(self.listeners, "address = \"127.0.0.1:{port}\"");
            }
            Err(_) if http == "-1" => {}
            Err(_) => self.note(element, &format!("the port '{http}' is not known here")),
        }
        match https.parse::<u16>() {
            Ok(port) => {
                let _ = write!(
                    self.listeners,
                    "\n# There with TLS: {}. It needs PEM files:\n# [[listener]]\n# address = \"127.0.0.1:{port}\"\n\
                     # tls = {{ certificate = \"server.pem\", private_key = \"server.key\" }}\n",
                    clean(&format!("{host}:{port}"))
                );
                self.note(
                    element,
                    "its HTTPS port stands in gantry.toml as a comment: certificates are PEM files here",
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
                // What they mean for interceptors is written in their sections.
                "id" | "globalInterceptorsRef" => continue,
                "globalPolicyRef" => "name the rule set with policy = \"NAME\" in gantry.toml".to_owned(),
                "requireSecure" if value == "false" => continue,
                "requireSecure" => {
                    "it is kept by listeners with TLS alone, for all APIs of the process".to_owned()
                }
                "requireAuth" if value == "false" => continue,
                "requireAuth" => {
                    "authentication is not carried over: no caller is asked who it is".to_owned()
                }
                "asyncRequestTimeout" | "asyncRequestTimeoutValue" => {
                    "it is timeout_ms in the file of each service".to_owned()
                }
                "globalAdminGroup" | "globalOperationsGroup" | "globalInvokeGroup" | "globalReaderGroup" => {
                    "groups and their roles are not carried over".to_owned()
                }
                "setUTF8ResponseEncoding" | "preserveJsonPayloadCharFormat" if value == "true" => continue,
                "useJsonErrorResponses" if value == "true" => continue,
                _ => "not carried over".to_owned(),
            };
            let reason = format!("{name} = '{}': {reason}", shown(name, &value));
            self.note(element, &reason);
        }
        for child in &element.children {
            self.note(child, "not carried over");
        }
    }

    fn connection(&mut self, element: &Element) {
        let id = element.filled("id").unwrap_or("(without id)");
        let place = match (element.filled("host"), element.filled("port")) {
            (Some(host), Some(port)) => format!(" at {}:{}", self.value(host), self.value(port)),
            _ => String::new(),
        };
        let kind = element.name.trim_start_matches("zosconnect_");
        toml::comment(&mut self.told, &clean(&format!("  {id}: {kind}{place}")));
        let reason = "a connection is part of a [provider] in a service file here; it is told in gantry.toml as a comment";
        self.note(element, reason);
    }

    /// An API, service or requester with choices of its own.
    fn object(&mut self, element: &Element) {
        for (name, value) in &element.attributes {
            if matches!(name.as_str(), "id" | "name" | "serviceName" | "serviceRef" | "fileName") {
                continue;
            }
            let reason = format!("{name} = '{}' is not carried over", shown(name, &self.value(value)));
            self.note(element, &reason);
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
