//! The listener addresses, their protection, and the limits of requests.

use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use administration::paths;
use api::Api;
use settings::{CertificatesOf, Files, GANTRY_FILE, Network};
use toml::Spanned;

use super::loader::Loader;
use super::written::{AdminSection, GantryFile, ListenerSection, TlsSection};
use admission::Hosts;
use admission::Security;
use admission::config::{ClientAuthorities, ClientCertificates, TlsFiles};
use gateway::Limits;
use server::{Listener, SocketOptions};

/// The default address.
const DEFAULT_ADDRESS: &str = "127.0.0.1:2222";

/// The most worker threads.
pub const WORKERS_MAX: usize = 1_024;

/// The longest name of a listener.
const NAME_BYTES_MAX: usize = 32;

/// True if two sockets cannot have these addresses at the same time. Port 0 is any free port.
fn overlap(one: SocketAddr, other: SocketAddr) -> bool {
    let is_all = one.ip().is_unspecified() || other.ip().is_unspecified();
    let is_same = one.ip() == other.ip() || is_all && one.is_ipv4() == other.is_ipv4();
    is_same && one.port() == other.port() && one.port() != 0
}

/// An address in its written form, with its protection.
struct Entrance<'s> {
    address: &'s Spanned<String>,
    tls: Option<&'s TlsSection>,
    /// True if nothing there is open to unknown callers.
    authenticated: bool,
    allow_unprotected: bool,
    hosts: Option<&'s [Spanned<String>]>,
}

/// The addresses for callers, and that of administration, as far as `gantry.toml` can be read. The
/// loader reports faults.
pub fn addresses(files: &Files) -> (Vec<SocketAddr>, Option<SocketAddr>) {
    let text = files.read(GANTRY_FILE).unwrap_or_default();
    let Ok(gantry) = toml::from_str::<GantryFile>(&text) else { return (Vec::new(), None) };
    let found = |written: &str| written.to_socket_addrs().ok()?.next();
    let admin = gantry.admin.as_ref().and_then(|section| found(section.address.get_ref()));
    if gantry.listener.is_empty() {
        return (found(DEFAULT_ADDRESS).into_iter().collect(), admin);
    }
    (gantry.listener.iter().filter_map(|section| found(section.address.get_ref())).collect(), admin)
}

impl Loader<'_> {
    /// The listeners for callers.
    pub(super) fn listeners(&mut self, gantry: &GantryFile, security: &Security) -> Vec<Listener> {
        if gantry.listener.is_empty() {
            let address = DEFAULT_ADDRESS.parse().expect("the default address is one");
            return vec![Listener::plain(address)];
        }
        self.listener_names(&gantry.listener);
        gantry.listener.iter().filter_map(|section| self.listener(section, security)).collect()
    }

    fn listener(&mut self, section: &ListenerSection, security: &Security) -> Option<Listener> {
        if *section.administration.get_ref() && security.knows_nobody() {
            let message =
                "administration on the address of APIs needs authentication: [security] has no authenticator";
            self.at(GANTRY_FILE, section.administration.span(), message);
        }
        let listener = self.entrance(Entrance {
            address: &section.address,
            tls: section.tls.as_ref(),
            authenticated: security.access().requires_auth(),
            allow_unprotected: section.allow_unprotected,
            hosts: section.hosts.as_deref(),
        })?;
        let name = section.name.as_ref().map(|name| name.get_ref().as_str().into());
        let sockets = self.sockets(section);
        Some(Listener { name, administration: *section.administration.get_ref(), sockets, ..listener })
    }

    /// The options of connections' sockets; 0 keeps the kernel's values.
    fn sockets(&mut self, section: &ListenerSection) -> SocketOptions {
        let mut time = |key: &str, written: Option<&Spanned<u64>>, range: RangeInclusive<u64>| {
            let written = written.filter(|written| *written.get_ref() != 0)?;
            if !range.contains(written.get_ref()) {
                let (least, most) = (range.start(), range.end());
                self.at(GANTRY_FILE, written.span(), format!("'{key}' must be 0 or from {least} to {most}"));
            }
            Some(Duration::from_millis(*written.get_ref()))
        };
        SocketOptions {
            rto_min: time("rto_min_ms", section.rto_min_ms.as_ref(), 8..=200),
            rto_max: time("rto_max_ms", section.rto_max_ms.as_ref(), 1_000..=120_000),
            user_timeout: time("user_timeout_ms", section.user_timeout_ms.as_ref(), 1_000..=3_600_000),
        }
    }

    /// Checks that no two addresses are the same. An address of all interfaces also overlaps others
    /// with its port.
    pub(super) fn distinct_addresses(&mut self, gantry: &GantryFile) {
        let default = Spanned::new(0..0, DEFAULT_ADDRESS.to_owned());
        let listeners = gantry.listener.iter().map(|section| &section.address);
        let default = gantry.listener.is_empty().then_some(&default);
        let admin = gantry.admin.iter().map(|section| &section.address);
        let mut known: Vec<SocketAddr> = Vec::new();
        for written in default.into_iter().chain(listeners).chain(admin) {
            // A faulty address is already reported.
            let Ok(Some(address)) = written.get_ref().to_socket_addrs().map(|mut found| found.next()) else {
                continue;
            };
            if let Some(other) = known.iter().find(|other| overlap(**other, address)) {
                let message = format!("{address} is taken by another listener: {other}");
                self.at(GANTRY_FILE, written.span(), message);
            }
            known.push(address);
        }
    }

    /// Checks that the number of workers is reasonable.
    pub(super) fn server_workers(&mut self, written: &Spanned<usize>) {
        let workers = *written.get_ref();
        if workers > WORKERS_MAX {
            let message = format!("expected at most {WORKERS_MAX} workers, found {workers}");
            self.at(GANTRY_FILE, written.span(), message);
        }
    }

    /// Checks that names of listeners are short and unique.
    fn listener_names(&mut self, sections: &[ListenerSection]) {
        let mut known: Vec<&str> = Vec::new();
        for written in sections.iter().filter_map(|section| section.name.as_ref()) {
            let name = written.get_ref().as_str();
            let is_name = (1..=NAME_BYTES_MAX).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_graphic());
            if !is_name {
                let message =
                    format!("name: expected 1 to {NAME_BYTES_MAX} characters without blanks, found {name:?}");
                self.at(GANTRY_FILE, written.span(), message);
            } else if known.contains(&name) {
                self.at(GANTRY_FILE, written.span(), format!("another [[listener]] has the name {name}"));
            }
            known.push(name);
        }
    }

    /// The admin address. If there is a way to authenticate, callers must be known there.
    pub(super) fn admin(&mut self, section: &AdminSection, security: &Security) -> Option<Listener> {
        self.entrance(Entrance {
            address: &section.address,
            tls: section.tls.as_ref(),
            authenticated: !security.knows_nobody(),
            allow_unprotected: section.allow_unprotected,
            hosts: section.hosts.as_deref(),
        })
    }

    fn entrance(&mut self, entrance: Entrance<'_>) -> Option<Listener> {
        let address = self.address(entrance.address)?;
        let missing = match (entrance.tls, entrance.authenticated) {
            (None, false) => Some(("TLS and authentication", "set tls, and a [[security.authenticator]]")),
            (Some(_), false) => Some(("authentication", "set a [[security.authenticator]]")),
            (None, true) => Some(("TLS", "set tls = { certificate, private_key }")),
            (Some(_), true) => None,
        };
        if let Some((missing, help)) =
            missing.filter(|_| !address.ip().is_loopback() && !entrance.allow_unprotected)
        {
            self.at(
                GANTRY_FILE,
                entrance.address.span(),
                format!(
                    "{address} can be reached from other machines, without {missing}: {help}, or allow_unprotected = true if that is meant"
                ),
            );
        }
        let tls = match entrance.tls {
            Some(tls) => Some(self.tls(tls)?),
            None => None,
        };
        let hosts = Hosts::of(address.ip(), self.hosts(entrance.hosts).as_deref());
        Some(Listener { tls, hosts, ..Listener::plain(address) })
    }

    /// Checks the host names.
    fn hosts(&mut self, written: Option<&[Spanned<String>]>) -> Option<Vec<String>> {
        for name in written? {
            if let Some(fault) = Hosts::fault(name.get_ref()) {
                self.at(GANTRY_FILE, name.span(), fault);
            }
        }
        Some(written?.iter().map(|name| name.get_ref().clone()).collect())
    }

    fn tls(&mut self, section: &TlsSection) -> Option<TlsFiles> {
        let mut certificates =
            vec![(self.on_disk(&section.certificate)?, self.on_disk(&section.private_key)?)];
        for other in &section.sni {
            certificates.push((self.on_disk(&other.certificate)?, self.on_disk(&other.private_key)?));
        }
        let asked = section.client_certificates;
        let clients = match (&section.client_ca, asked) {
            (None, ClientCertificates::None) => None,
            (Some(file), ClientCertificates::Optional | ClientCertificates::Required) => {
                let required = asked == ClientCertificates::Required;
                Some(ClientAuthorities { file: self.on_disk(file)?, required })
            }
            _ => {
                let message = "client_ca goes with client_certificates = \"optional\" or \"required\"";
                self.at(GANTRY_FILE, section.certificate.span(), message);
                None
            }
        };
        let files = TlsFiles { certificates, clients };
        let written =
            [&section.certificate].into_iter().chain(section.sni.iter().map(|other| &other.certificate));
        for ((path, _), written) in files.certificates.iter().zip(written) {
            self.note_certificates(path, CertificatesOf::Own, (GANTRY_FILE, Some(written.span())));
        }
        if let (Some(clients), Some(written)) = (&files.clients, &section.client_ca) {
            self.note_certificates(
                &clients.file,
                CertificatesOf::Authorities,
                (GANTRY_FILE, Some(written.span())),
            );
        }
        if let Err(message) = server::server_config(&files) {
            self.at(GANTRY_FILE, section.certificate.span(), message);
        }
        Some(files)
    }

    fn on_disk(&mut self, path: &Spanned<String>) -> Option<PathBuf> {
        let found = self.files.on_disk(path.get_ref());
        if found.is_none() {
            self.at(
                GANTRY_FILE,
                path.span(),
                "certificates are read from disk; an example in the binary has none",
            );
        }
        found
    }

    /// The proxies, which connect for many clients.
    pub(super) fn trusted_proxies(&mut self, written: &[Spanned<String>]) -> Vec<Network> {
        let mut networks = Vec::new();
        for text in written {
            match Network::parse(text.get_ref()) {
                Some(network) => networks.push(network),
                None => {
                    let message =
                        format!("'{}' is not an address or a network, such as 10.0.0.0/8", text.get_ref());
                    self.at(GANTRY_FILE, text.span(), message);
                }
            }
        }
        networks
    }

    fn address(&mut self, text: &Spanned<String>) -> Option<SocketAddr> {
        match text.get_ref().to_socket_addrs().map(|mut found| found.next()) {
            Ok(Some(address)) => Some(address),
            _ => {
                let message =
                    format!("'{}' is not an address with a port, such as 127.0.0.1:2222", text.get_ref());
                self.at(GANTRY_FILE, text.span(), message);
                None
            }
        }
    }

    /// Checks that no API has the paths of administration, if both have one address.
    pub(super) fn shared_paths(&mut self, listeners: &[Listener], apis: &[Api]) {
        let is_shared = listeners.iter().any(|listener| listener.administration);
        for api in apis.iter().filter(|api| is_shared && paths::is_shared(api.base_path())) {
            let message = format!(
                "the base path {} is that of administration, which a listener has too (administration = true)",
                api.base_path()
            );
            let file = self.files.display(&format!("apis/{}/api.toml", api.name()));
            self.problems.add(&file, None, message);
        }
    }

    /// Checks that no limit is too small for any request.
    pub(super) fn limits(&mut self, limits: &Limits) {
        let shown = self.files.display(GANTRY_FILE);
        let least: [(&str, u64, u64); 12] = [
            ("request_body_max_bytes", limits.request_body_max_bytes as u64, 1),
            ("record_max_bytes", limits.record_max_bytes as u64, 1),
            ("connections_max", limits.connections_max as u64, 1),
            ("connections_per_address_max", limits.connections_per_address_max as u64, 1),
            ("header_count_max", limits.header_count_max as u64, 8),
            ("header_max_bytes", limits.header_max_bytes as u64, 8192),
            ("header_read_timeout_ms", limits.header_read_timeout_ms, 1),
            ("body_read_timeout_ms", limits.body_read_timeout_ms, 1),
            ("response_write_timeout_ms", limits.response_write_timeout_ms, 1),
            ("response_waiting_max_bytes", limits.response_waiting_max_bytes as u64, 65_536),
            ("tls_handshake_timeout_ms", limits.tls_handshake_timeout_ms, 1),
            ("http2_streams_max", limits.http2_streams_max.into(), 1),
        ];
        for (name, value, least) in least {
            if value < least {
                self.problems.add(
                    &shown,
                    None,
                    format!("limits.{name} is {value}; it must be {least} at least"),
                );
            }
        }
    }
}
