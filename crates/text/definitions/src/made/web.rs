//! The ways in and out over TCP: TCPIPSERVICE, URIMAP, PIPELINE and WEBSERVICE.

use super::Maker;
use crate::csd::Definition;
use crate::section::Table;

/// `[[listener]]`.
const LISTENER: Table = Table::List("listener", "address");
/// `[[pipeline]]`.
const PIPELINE: Table = Table::List("pipeline", "name");
/// `[[urimap]]`.
const URIMAP: Table = Table::List("urimap", "name");
/// `[connections.NAME]`.
const CONNECTIONS: Table = Table::Map("connections");

impl Maker {
    pub(super) fn tcpip_service(&mut self, definition: &Definition) {
        let protocol = definition.word("PROTOCOL").unwrap_or_else(|| "HTTP".to_owned());
        let port =
            definition.value("PORTNUMBER").and_then(|port| port.parse::<u16>().ok()).filter(|port| *port > 0);
        let Some(port) = port else {
            return self.note(definition, "expected a PORTNUMBER from 1 to 65535; it is not imported");
        };
        match protocol.as_str() {
            "HTTP" => {}
            "IPIC" => {
                return self.note(definition, "other regions reach this one by [region.links] (docs/reference/regions.md); z/OS Connect's place is the gateway itself");
            }
            other => {
                return self.note(
                    definition,
                    format!("the protocol {other} has no counterpart; it is not imported"),
                );
            }
        }
        let mut section = Self::section(LISTENER, &format!("127.0.0.1:{port}"), definition);
        let host = definition.value("HOST").or_else(|| definition.value("IPADDRESS")).unwrap_or("ANY");
        section.comments.push(format!("In CICS: {host}, port {port}. It is reached from this machine alone until you change the address."));
        if definition.is("SSL", "YES") || definition.is("SSL", "CLIENTAUTH") {
            section.comments.push(
                "tls = { certificate = \"tls/server.pem\", private_key = \"tls/server.key\" }".to_owned(),
            );
            self.note(definition, "has TLS in CICS: add the certificate as PEM files");
        }
        if let Some(how) = definition.word("AUTHENTICATE").filter(|how| how != "NO") {
            self.note(definition, format!("AUTHENTICATE({how}): who may call is [security] here"));
        }
        self.sections.push(section);
    }

    pub(super) fn uri_map(&mut self, definition: &Definition) {
        let path = definition.value("PATH").unwrap_or("/");
        match definition.word("USAGE").as_deref() {
            Some("CLIENT") => self.client(definition, path),
            Some("PIPELINE") => {
                let service = definition.value("WEBSERVICE").unwrap_or("the web service");
                self.note(definition, format!("{service} has its path in its bind file, or as 'path' of soap/NAME.toml: here it was {path}"));
            }
            Some("SERVER") if definition.value("PROGRAM").is_some() => self.server(definition, path),
            Some("SERVER") => {
                self.note(definition, format!("has no PROGRAM: what it serves at {path} has no counterpart"));
            }
            Some(usage @ ("ATOM" | "JVMSERVER")) => {
                self.note(definition, format!("usage {usage} at {path} has no counterpart"));
            }
            _ => self.note(definition, "its USAGE is not known; it is not imported"),
        }
    }

    /// A path whose requests a program answers itself.
    fn server(&mut self, definition: &Definition, path: &str) {
        let program = definition.value("PROGRAM").unwrap_or_default().to_uppercase();
        if !super::is_name(&definition.name, 8) || !super::is_name(&program, 8) {
            return self.note(definition, "expected names of 1 to 8 characters; it is not imported");
        }
        let mut section = Self::section(URIMAP, &definition.name, definition);
        section.set("path", if path.starts_with('/') { path.to_owned() } else { format!("/{path}") });
        // A port of HOST is that of the listener.
        let host = definition.value("HOST").map(|host| host.split(':').next().unwrap_or(host));
        if let Some(host) = host.filter(|host| *host != "*" && !host.is_empty()) {
            section.set("host", host);
        }
        section.set("program", program);
        if let Some(transaction) = definition.value("TRANSACTION") {
            section.set("transaction", transaction);
        }
        if definition.is("SCHEME", "HTTPS") {
            section.comments.push("security = { require_secure = true }".to_owned());
            self.note(
                definition,
                "wants TLS in CICS: give the listener a certificate, and take the comment at 'security' away",
            );
        }
        if definition.is("ANALYZER", "YES") || definition.value("CONVERTER").is_some() {
            self.note(
                definition,
                "has an analyzer or a converter in CICS: here the program gets the request itself",
            );
        }
        self.sections.push(section);
    }

    /// For INVOKE SERVICE, URIMAP names a connection. For WEB OPEN it has an entry of its own, with the path of requests.
    fn client(&mut self, definition: &Definition, path: &str) {
        let Some(host) = definition.value("HOST").filter(|host| *host != "*") else {
            return self.note(definition, "has no HOST; it is not imported");
        };
        if !host.bytes().all(|byte| byte.is_ascii_graphic() && !b"/\\\"?#@".contains(&byte)) {
            return self.note(definition, format!("'{host}' is not a host; it is not imported"));
        }
        let scheme = if definition.is("SCHEME", "HTTPS") { "https" } else { "http" };
        let port = definition.value("PORT").filter(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
        let (name, port_of_host) = name_and_port(host);
        let port = port.filter(|_| port_of_host.is_none()).map(|port| format!(":{port}")).unwrap_or_default();
        let path = path.trim_end_matches(['*', '/']);
        let slash = if path.is_empty() || path.starts_with('/') { "" } else { "/" };
        let path = &*format!("{slash}{path}");
        let url = format!("{scheme}://{host}{port}{path}");
        let mut section = Self::section(CONNECTIONS, &definition.name, definition);
        section.set("url", url);
        if scheme == "http" && !matches!(name, "localhost" | "127.0.0.1") {
            section.set("allow_plaintext", true);
            self.note(
                definition,
                "goes out without TLS, as in CICS (allow_plaintext): make it https if the server can",
            );
        }
        self.sections.push(section);
        self.client_map(definition, (scheme, host), path);
    }

    /// The URIMAP of a server, for programs with WEB OPEN and INQUIRE URIMAP. Its connection is there.
    fn client_map(&mut self, definition: &Definition, (scheme, host): (&str, &str), path: &str) {
        // Without a path, the connection of the name does.
        if path.is_empty() || !super::is_name(&definition.name, 8) {
            return;
        }
        let (name, of_host) = name_and_port(host);
        let of_host = of_host.and_then(|port| port.parse::<u16>().ok());
        let port = definition.value("PORT").and_then(|port| port.parse::<u16>().ok());
        let mut section = Self::section(URIMAP, &definition.name, definition);
        section.set("usage", "client");
        section.set("host", name);
        if let Some(port) = of_host.or(port).filter(|port| *port > 0) {
            section.set("port", u64::from(port));
        }
        section.set("scheme", scheme);
        section.set("path", path);
        section.comments.push("Programs may use paths below that of the connection of this name.".to_owned());
        self.sections.push(section);
    }

    pub(super) fn pipeline(&mut self, definition: &Definition) {
        if !super::is_name(&definition.name, 8) {
            return self.note(definition, "a pipeline has a name of 1 to 8 characters; it is not imported");
        }
        let name = definition.name.to_uppercase();
        let mut section = Self::section(PIPELINE, &name, definition);
        let wait =
            definition.value("RESPWAIT").and_then(|wait| wait.parse::<u64>().ok()).filter(|wait| *wait > 0);
        if let Some(seconds) = wait {
            section.set("response_wait_ms", seconds.saturating_mul(1_000));
        }
        let file = definition.value("CONFIGFILE").unwrap_or("its pipeline file");
        self.note(definition, format!("put bind files (WSDIR) into pipelines/{name}/pickup; if {file} has handlers, put it into pipelines/{name}.xml and add file = \"pipelines/{name}.xml\""));
        self.sections.push(section);
    }

    pub(super) fn web_service(&mut self, definition: &Definition) {
        let pipeline = definition.value("PIPELINE").unwrap_or("its pipeline").to_uppercase();
        let file = definition.value("WSBIND").unwrap_or("its bind file");
        self.note(
            definition,
            format!("put {file} into pipelines/{pipeline}/pickup, or make it anew with gantry soap ls2ws"),
        );
    }
}

/// The name and the port of a host. An address of IPv6 stands in brackets.
fn name_and_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':').filter(|(name, _)| !name.starts_with('[') || name.ends_with(']')) {
        Some((name, port)) => (name, Some(port)),
        None => (host, None),
    }
}
