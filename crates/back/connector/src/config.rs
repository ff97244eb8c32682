//! Reads `endpoints/NAME.toml` and `endpoints/NAME.xml` into groups that can run.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use remote::trust::ClientIdentity;
use security::Rate;
use serde::Deserialize;
use settings::{CertificatesOf, Loader};
use toml::Spanned;
use waiting::Pauses;

use crate::balance::{Policy, Role};
use crate::descriptor::{self, Descriptor, check_destination, check_name};
use crate::framing::{DELIMITER_MAX_BYTES, Framing, Label, Length, Order, Width};
use crate::groups::{Plans, Slot};
use crate::settings::{EjectionSettings, EndpointSettings, GroupSettings, Heartbeat, SocketSettings};
use crate::tls::Tls;

/// The folder of groups.
const FOLDER: &str = "endpoints";

/// Bytes of a frame, at most.
const FRAME_MAX_BYTES: usize = 16 << 20;

/// Default for the bytes of a frame.
const FRAME_BYTES: usize = 1 << 20;

/// Bytes that replies may hold while they are received: the default, and the maximum.
const RECEIVE_BYTES: usize = 256 << 20;
const RECEIVE_MAX_BYTES: usize = 1 << 40;

/// Default for the requests that wait at one time.
const QUEUE_MAX: usize = 400;

/// Percent of the queue at which the log warns.
const QUEUE_THRESHOLD_PERCENT: u32 = 80;

/// Default for the requests under way on one connection, if the framing has correlation ids.
const IN_FLIGHT: usize = 32;

/// Requests under way on one connection, at most.
const IN_FLIGHT_MAX: usize = 1_024;

/// Default for the seconds of silence before Gantry's framing sends a heartbeat.
const HEARTBEAT_INTERVAL_S: u64 = 10;

/// Bytes of a heartbeat, at most.
const HEARTBEAT_MAX_BYTES: usize = 1_024;

/// Bytes that wait in the kernel if messages go in parts. A short message cannot pass them.
const NOTSENT_LOW_WATER_BYTES: u32 = 128 * 1024;

/// Connections of an endpoint at one time.
const MAX_SOCKETS: usize = 100;

/// Connections that are opened at the start.
const START_SOCKETS: usize = 1;

/// The shortest time before a retransmission, and the longest time between two, in milliseconds.
const RTO_MIN_MS: u64 = 20;
const RTO_MAX_MS: u64 = 1_000;

/// The pause before an unreachable server is tried again: the first pause, and the longest.
const RECONNECT: Pauses = Pauses { first: Duration::from_millis(100), longest: Duration::from_secs(10) };

/// The groups of a configuration.
#[derive(Debug, Default)]
pub struct GroupFiles {
    plans: Plans,
    /// Names of groups with faults that are already reported.
    faulty: HashSet<String>,
}

impl GroupFiles {
    /// Reads all groups.
    pub fn read(loader: &mut Loader<'_>) -> Self {
        let mut found = Self::default();
        for entry in loader.entries(FOLDER) {
            let path = format!("{FOLDER}/{entry}");
            let Some((name, ending)) = entry.rsplit_once('.') else {
                loader.at_file(&path, NOT_A_GROUP);
                continue;
            };
            let group = match ending {
                "toml" => of_toml(loader, &path, name),
                "xml" => of_xml(loader, &path, name),
                _ => {
                    loader.at_file(&path, NOT_A_GROUP);
                    continue;
                }
            };
            if found.plans.slots.contains_key(name) || found.faulty.contains(name) {
                let other = if ending == "toml" { "xml" } else { "toml" };
                let message = format!(
                    "there are two files for the group '{name}': {FOLDER}/{name}.{other} is the other"
                );
                loader.at_file(&path, message);
                continue;
            }
            match group {
                Some(settings) => {
                    found.plans.slots.insert(name.to_owned(), Slot::new(settings));
                }
                None => {
                    found.faulty.insert(name.to_owned());
                }
            }
        }
        found
    }

    /// The group of that name; none if its file has faults.
    pub(crate) fn find(&self, name: &str) -> Result<Option<Arc<Slot>>, String> {
        match self.plans.slots.get(name) {
            Some(slot) => Ok(Some(Arc::clone(slot))),
            None if self.faulty.contains(name) => Ok(None),
            None => {
                let known: Vec<&str> = self.plans.slots.keys().map(String::as_str).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                Err(format!("there is no endpoint group '{name}'; known: {known}"))
            }
        }
    }

    /// Gives all groups.
    #[must_use]
    pub fn into_plans(self) -> Plans {
        self.plans
    }
}

const NOT_A_GROUP: &str = "is not an endpoint group: files in endpoints/ end with .toml or .xml";

fn of_xml(loader: &mut Loader<'_>, path: &str, name: &str) -> Option<GroupSettings> {
    let bytes = match loader.files.read_bytes(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            loader.at_file(path, format!("cannot be read: {error}"));
            return None;
        }
    };
    match descriptor::read_bytes(&bytes) {
        Ok(found) if found.group_name != name => {
            let message = format!("groupName is '{}'; the file must be named {0}.xml", found.group_name);
            loader.at_file(path, message);
            None
        }
        Ok(found) => Some(of_descriptor(found)),
        Err(fault) => {
            loader.at_line(path, fault.line, fault.message);
            None
        }
    }
}

/// Makes settings from a descriptor. Defaults fill the gaps.
fn of_descriptor(found: Descriptor) -> GroupSettings {
    let usual = GroupFile::default();
    let count = |given: Option<u32>, usual: usize| given.map_or(usual, |given| given as usize);
    let endpoints = found.endpoints.into_iter().map(|endpoint| {
        let max_sockets = count(endpoint.max_sockets, MAX_SOCKETS.max(count(endpoint.start_sockets, 0)));
        EndpointSettings {
            name: endpoint.name,
            role: endpoint.role,
            destination: endpoint.destination,
            start_sockets: count(endpoint.start_sockets, START_SOCKETS.min(max_sockets)),
            max_sockets,
            weight: 1.0,
        }
    });
    let endpoints = endpoints.collect();
    GroupSettings {
        queue_max: count(found.queue_max, QUEUE_MAX),
        queue_threshold_percent: found.queue_threshold_percent.unwrap_or(QUEUE_THRESHOLD_PERCENT),
        sync_timeout: found.sync_timeout_ms.map(|ms| Duration::from_millis(ms.into())),
        heartbeat_interval: found.heartbeat_interval_s.and_then(|seconds| interval(seconds.into())),
        ..usual.settings(&found.group_name, Framing::Length(LENGTH), endpoints)
    }
}

/// The framing for descriptors, which do not name one.
const LENGTH: Length = Length { width: Width::Four, inclusive: false, order: Order::Big };

fn interval(seconds: u64) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

fn of_toml(loader: &mut Loader<'_>, path: &str, name: &str) -> Option<GroupSettings> {
    let (file, _) = loader.parse::<GroupFile>(path)?;
    let before = loader.problems.error_count();
    if let Err(message) = check_name(name) {
        loader.at_file(path, message);
    }
    if file.endpoint.is_empty() {
        loader.at_file(path, "expected an [[endpoint]] at least");
    }
    file.check(loader, path);
    let framing = file.framing(loader, path);
    let heartbeat = framing.as_ref().and_then(|framing| file.heartbeat(loader, path, framing));
    let tls = file.tls(loader, path);
    let mut seen: BTreeMap<&str, ()> = BTreeMap::new();
    for section in &file.endpoint {
        section.check(loader, path);
        if seen.insert(section.name.get_ref(), ()).is_some() {
            let message = format!("there are two endpoints '{}'", section.name.get_ref());
            loader.at(path, section.name.span(), message);
        }
    }
    let framing = framing.filter(|_| loader.problems.error_count() == before)?;
    let endpoints = file.endpoint.iter().map(EndpointSection::settings).collect();
    Some(GroupSettings { tls: tls?, heartbeat, ..file.settings(name, framing, endpoints) })
}

/// `endpoints/NAME.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct GroupFile {
    framing: FramingWord,
    /// With `framing = "length"`: 2 or 4.
    length_bytes: Option<Spanned<u8>>,
    /// True if the length counts its own bytes.
    length_inclusive: bool,
    length_order: OrderWord,
    /// With `framing = "fixed"`.
    fixed_bytes: Option<Spanned<usize>>,
    /// With `framing = "delimiter"`: its bytes in hexadecimal.
    delimiter_hex: Option<Spanned<String>>,
    frame_max_bytes: Option<Spanned<usize>>,
    /// Bytes that replies may hold while they are received, over all connections.
    receive_max_bytes: Option<Spanned<usize>>,
    queue_max: usize,
    queue_threshold_percent: Option<Spanned<u32>>,
    sync_timeout_ms: Option<Spanned<u64>>,
    /// Requests under way on one connection.
    in_flight_max: Option<Spanned<usize>>,
    /// 0 for never.
    heartbeat_interval_s: Option<u64>,
    /// A message that asks whether the server is there, and the server's answer. Both are in
    /// hexadecimal, without a frame.
    heartbeat_request_hex: Option<Spanned<String>>,
    heartbeat_reply_hex: Option<Spanned<String>>,
    /// TLS to all servers.
    tls: Option<Spanned<bool>>,
    ca: Option<Spanned<String>>,
    client_certificate: Option<Spanned<String>>,
    client_private_key: Option<Spanned<String>>,
    server_name: Option<Spanned<String>>,
    rate: Option<Spanned<RateSection>>,
    connect_timeout_ms: Option<Spanned<u64>>,
    /// 8 to 200; 0 keeps the kernel's value.
    rto_min_ms: Option<Spanned<u64>>,
    /// 1,000 to 120,000; 0 keeps the kernel's value.
    rto_max_ms: Option<Spanned<u64>>,
    user_timeout_ms: u64,
    congestion: Option<Spanned<String>>,
    notsent_low_water_bytes: Option<u32>,
    idle_timeout_ms: u64,
    balance: BalanceWord,
    slow_start_ms: u64,
    backup_when_full: bool,
    fail_fast: bool,
    ejection_failures: u32,
    ejection_percent_max: Option<Spanned<u32>>,
    ejection_ms: u64,
    retry_percent: Option<Spanned<u32>>,
    endpoint: Vec<EndpointSection>,
}

impl Default for GroupFile {
    fn default() -> Self {
        Self {
            framing: FramingWord::default(),
            length_bytes: None,
            length_inclusive: false,
            length_order: OrderWord::default(),
            fixed_bytes: None,
            delimiter_hex: None,
            frame_max_bytes: None,
            receive_max_bytes: None,
            queue_max: QUEUE_MAX,
            queue_threshold_percent: None,
            sync_timeout_ms: None,
            in_flight_max: None,
            heartbeat_interval_s: None,
            heartbeat_request_hex: None,
            heartbeat_reply_hex: None,
            tls: None,
            ca: None,
            client_certificate: None,
            client_private_key: None,
            server_name: None,
            rate: None,
            connect_timeout_ms: None,
            rto_min_ms: None,
            rto_max_ms: None,
            user_timeout_ms: 0,
            congestion: None,
            notsent_low_water_bytes: None,
            idle_timeout_ms: 60_000,
            balance: BalanceWord::default(),
            slow_start_ms: 10_000,
            backup_when_full: true,
            fail_fast: false,
            ejection_failures: 5,
            ejection_percent_max: None,
            ejection_ms: 10_000,
            retry_percent: None,
            endpoint: Vec::new(),
        }
    }
}

/// `rate`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RateSection {
    requests: u32,
    #[serde(default = "second")]
    per_ms: u64,
    /// Requests that may come at once; the default is `requests`.
    burst: Option<u32>,
}

fn second() -> u64 {
    1_000
}

impl RateSection {
    fn rate(self) -> Option<Rate> {
        Rate::new(self.requests, self.per_ms, self.burst.unwrap_or(self.requests))
    }
}

/// `framing`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum FramingWord {
    #[default]
    Length,
    Llzz,
    Delimiter,
    Fixed,
    Gantry,
}

/// `length_order`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OrderWord {
    #[default]
    Big,
    Little,
}

/// `balance`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BalanceWord {
    #[default]
    LeastLoaded,
    RoundRobin,
    LeastConnections,
}

/// `[[endpoint]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndpointSection {
    name: Spanned<String>,
    #[serde(default)]
    role: RoleWord,
    destination: Spanned<String>,
    start_sockets: Option<Spanned<usize>>,
    max_sockets: Option<Spanned<usize>>,
    weight: Option<Spanned<u32>>,
}

/// `role`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RoleWord {
    #[default]
    Primary,
    Backup,
}

/// Sockets of one endpoint, at most.
const SOCKETS_MAX: usize = 10_000;

impl EndpointSection {
    fn max_sockets(&self) -> usize {
        self.max_sockets.as_ref().map_or(MAX_SOCKETS.max(self.start_sockets()), |given| *given.get_ref())
    }

    fn start_sockets(&self) -> usize {
        let usual =
            || self.max_sockets.as_ref().map_or(START_SOCKETS, |most| START_SOCKETS.min(*most.get_ref()));
        self.start_sockets.as_ref().map_or_else(usual, |given| *given.get_ref())
    }

    fn check(&self, loader: &mut Loader<'_>, path: &str) {
        if let Err(message) = check_name(self.name.get_ref()) {
            loader.at(path, self.name.span(), message);
        }
        if let Err(message) = check_destination(self.destination.get_ref()) {
            loader.at(path, self.destination.span(), message);
        }
        let (start, most) = (self.start_sockets(), self.max_sockets());
        if let Some(given) = &self.max_sockets
            && !(1..=SOCKETS_MAX).contains(&most)
        {
            loader.at(path, given.span(), format!("expected a number from 1 to {SOCKETS_MAX}"));
        }
        if let Some(given) = &self.start_sockets
            && start > most.min(SOCKETS_MAX)
        {
            loader.at(path, given.span(), format!("start_sockets is {start}, more than max_sockets, {most}"));
        }
        if let Some(given) = &self.weight
            && !(1..=1_000).contains(given.get_ref())
        {
            loader.at(path, given.span(), "expected a number from 1 to 1000");
        }
    }

    fn settings(&self) -> EndpointSettings {
        EndpointSettings {
            name: self.name.get_ref().clone(),
            role: match self.role {
                RoleWord::Primary => Role::Primary,
                RoleWord::Backup => Role::Backup,
            },
            destination: self.destination.get_ref().clone(),
            start_sockets: self.start_sockets(),
            max_sockets: self.max_sockets(),
            weight: self.weight.as_ref().map_or(1.0, |weight| f64::from(*weight.get_ref())),
        }
    }
}

impl GroupFile {
    fn check(&self, loader: &mut Loader<'_>, path: &str) {
        for (given, what) in
            [(&self.sync_timeout_ms, "sync_timeout_ms"), (&self.connect_timeout_ms, "connect_timeout_ms")]
        {
            if let Some(given) = given
                && !(1..=3_600_000).contains(given.get_ref())
            {
                loader.at(path, given.span(), format!("{what}: expected a number from 1 to 3600000"));
            }
        }
        for (given, range) in [(&self.rto_min_ms, 8..=200), (&self.rto_max_ms, 1_000..=120_000)] {
            if let Some(given) = given
                && *given.get_ref() > 0
                && !range.contains(given.get_ref())
            {
                let message = format!("expected 0 or a number from {} to {}", range.start(), range.end());
                loader.at(path, given.span(), message);
            }
        }
        if let Some(given) = &self.rate
            && given.get_ref().rate().is_none()
        {
            loader.at(path, given.span(), "a rate has requests, per_ms and burst above 0");
        }
        if let Some(given) = &self.congestion
            && !(1..=15).contains(&given.get_ref().len())
        {
            loader.at(path, given.span(), "expected the name of a congestion control, as \"bbr\"");
        }
        for given in [&self.queue_threshold_percent, &self.ejection_percent_max, &self.retry_percent] {
            if let Some(given) = given
                && *given.get_ref() > 100
            {
                loader.at(path, given.span(), "expected a number from 0 to 100");
            }
        }
        if let Some(given) = &self.in_flight_max
            && !(1..=IN_FLIGHT_MAX).contains(given.get_ref())
        {
            loader.at(path, given.span(), format!("expected a number from 1 to {IN_FLIGHT_MAX}"));
        }
        if let Some(given) = &self.frame_max_bytes
            && !(64..=FRAME_MAX_BYTES).contains(given.get_ref())
        {
            loader.at(path, given.span(), format!("expected a number from 64 to {FRAME_MAX_BYTES}"));
        }
        let frame = self.frame_max_bytes.as_ref().map_or(FRAME_BYTES, |most| *most.get_ref());
        let least = frame.saturating_mul(2);
        if let Some(given) = &self.receive_max_bytes
            && !(least..=RECEIVE_MAX_BYTES).contains(given.get_ref())
        {
            let message =
                format!("expected a number from {least}, twice frame_max_bytes, to {RECEIVE_MAX_BYTES}");
            loader.at(path, given.span(), message);
        }
    }

    /// The message that asks silent servers. None if the file sets none, or if it has a fault,
    /// which is reported.
    fn heartbeat(&self, loader: &mut Loader<'_>, path: &str, framing: &Framing) -> Option<Heartbeat> {
        let mut bytes = |hex: &Spanned<String>| {
            let found = bytes_of(hex.get_ref(), HEARTBEAT_MAX_BYTES);
            if found.is_none() {
                let message = format!("expected 1 to {HEARTBEAT_MAX_BYTES} bytes in hexadecimal");
                loader.at(path, hex.span(), message);
            }
            found
        };
        let request = self.heartbeat_request_hex.as_ref().map(|hex| (hex.span(), bytes(hex)));
        let reply = self.heartbeat_reply_hex.as_ref().map(|hex| (hex.span(), bytes(hex)));
        let Some((span, request)) = request else {
            if let Some((span, _)) = reply {
                loader.at(path, span, "goes with heartbeat_request_hex");
            }
            return None;
        };
        let request = request?;
        if framing.correlates() {
            loader.at(path, span, "framing = \"gantry\" has a heartbeat of its own");
        } else if self.heartbeat_interval_s.is_none_or(|seconds| seconds == 0) {
            loader.at(path, span, "needs heartbeat_interval_s");
        } else if let Err(fault) = framing.write(&request, Label::default()) {
            loader.at(path, span, fault.0);
        }
        Some(Heartbeat { request, reply: reply.and_then(|(_, reply)| reply) })
    }

    /// TLS, if the file wants it. The outer option is none if there is a fault, which is reported.
    #[expect(clippy::option_option, reason = "the outer one is a fault that was told")]
    fn tls(&self, loader: &mut Loader<'_>, path: &str) -> Option<Option<Tls>> {
        let named = [&self.ca, &self.client_certificate, &self.client_private_key];
        let Some(wanted) = self.tls.as_ref().filter(|tls| *tls.get_ref()) else {
            let Some(given) = named.into_iter().flatten().chain(&self.server_name).next() else {
                return Some(None);
            };
            loader.at(path, given.span(), "goes with tls = true");
            return None;
        };
        if named.iter().any(|file| file.is_some()) && loader.files.on_disk(path).is_none() {
            loader.at(
                path,
                wanted.span(),
                "certificates are read from disk; an example in the binary has none",
            );
            return None;
        }
        let on_disk = |file: &Spanned<String>| loader.files.on_disk(file.get_ref());
        let [ca, certificate, private_key] = named.map(|file| file.as_ref().and_then(on_disk));
        let identity = match (certificate, private_key) {
            (Some(certificate), Some(private_key)) => Some(ClientIdentity { certificate, private_key }),
            (None, None) => None,
            _ => {
                loader.at(path, wanted.span(), "client_certificate and client_private_key go together");
                return None;
            }
        };
        for (file, written, of) in [
            (&ca, &self.ca, CertificatesOf::Authorities),
            (
                &identity.as_ref().map(|own| own.certificate.clone()),
                &self.client_certificate,
                CertificatesOf::Own,
            ),
        ] {
            if let (Some(file), Some(written)) = (file, written) {
                loader.note_certificates(file, of, (path, Some(written.span())));
            }
        }
        let name = self.server_name.as_ref().map(|name| name.get_ref().as_str());
        match Tls::new(ca.as_deref(), identity.as_ref(), name) {
            Ok(tls) => Some(Some(tls)),
            Err(message) => {
                loader.at(path, wanted.span(), message);
                None
            }
        }
    }

    /// The framing; none if there is a fault, which is reported.
    fn framing(&self, loader: &mut Loader<'_>, path: &str) -> Option<Framing> {
        let mut fault = |span, message: &str| {
            loader.at(path, span, message);
            None
        };
        let word = self.framing;
        if let Some(given) = self.length_bytes.as_ref().filter(|_| word != FramingWord::Length) {
            return fault(given.span(), "length_bytes goes with framing = \"length\"");
        }
        if let Some(given) = self.fixed_bytes.as_ref().filter(|_| word != FramingWord::Fixed) {
            return fault(given.span(), "fixed_bytes goes with framing = \"fixed\"");
        }
        if let Some(given) = self.delimiter_hex.as_ref().filter(|_| word != FramingWord::Delimiter) {
            return fault(given.span(), "delimiter_hex goes with framing = \"delimiter\"");
        }
        let order = match self.length_order {
            OrderWord::Big => Order::Big,
            OrderWord::Little => Order::Little,
        };
        let width = match &self.length_bytes {
            None => Width::Four,
            Some(bytes) => match bytes.get_ref() {
                2 => Width::Two,
                4 => Width::Four,
                _ => return fault(bytes.span(), "expected 2 or 4"),
            },
        };
        let most = self.frame_max_bytes.as_ref().map_or(FRAME_BYTES, |most| *most.get_ref());
        Some(match (word, &self.fixed_bytes, &self.delimiter_hex) {
            (FramingWord::Length, ..) => {
                Framing::Length(Length { width, inclusive: self.length_inclusive, order })
            }
            (FramingWord::Llzz, ..) => Framing::Llzz,
            (FramingWord::Gantry, ..) => Framing::Gantry,
            (FramingWord::Fixed, Some(bytes), _) if (1..=most).contains(bytes.get_ref()) => {
                Framing::Fixed(*bytes.get_ref())
            }
            (FramingWord::Fixed, Some(bytes), _) => {
                return fault(bytes.span(), "expected a number from 1 to frame_max_bytes");
            }
            (FramingWord::Fixed, None, _) => return fault(0..0, "framing = \"fixed\" needs fixed_bytes"),
            (FramingWord::Delimiter, _, Some(hex)) => match bytes_of(hex.get_ref(), DELIMITER_MAX_BYTES) {
                Some(bytes) => Framing::Delimiter(bytes),
                None => return fault(hex.span(), "expected 1 to 8 bytes in hexadecimal"),
            },
            (FramingWord::Delimiter, _, None) => {
                return fault(0..0, "framing = \"delimiter\" needs delimiter_hex");
            }
        })
    }

    /// Options of sockets. If long messages must let short ones pass, the kernel holds few bytes
    /// ahead.
    fn sockets(&self, correlates: bool) -> SocketSettings {
        let low_water = if correlates { NOTSENT_LOW_WATER_BYTES } else { 0 };
        let time = |ms: u64| (ms > 0).then(|| Duration::from_millis(ms));
        let given = |ms: &Option<Spanned<u64>>, usual: u64| ms.as_ref().map_or(usual, |ms| *ms.get_ref());
        SocketSettings {
            rto_min: time(given(&self.rto_min_ms, RTO_MIN_MS)),
            rto_max: time(given(&self.rto_max_ms, RTO_MAX_MS)),
            user_timeout: time(self.user_timeout_ms),
            congestion: self.congestion.as_ref().map(|name| name.get_ref().clone()),
            notsent_low_water_bytes: Some(self.notsent_low_water_bytes.unwrap_or(low_water))
                .filter(|bytes| *bytes > 0),
        }
    }

    fn settings(&self, name: &str, framing: Framing, endpoints: Vec<EndpointSettings>) -> GroupSettings {
        fn given<T: Copy>(given: Option<&Spanned<T>>, usual: T) -> T {
            given.map_or(usual, |given| *given.get_ref())
        }
        let correlates = framing.correlates();
        GroupSettings {
            name: name.to_owned(),
            endpoints,
            framing,
            frame_max_bytes: given(self.frame_max_bytes.as_ref(), FRAME_BYTES),
            receive_max_bytes: given(self.receive_max_bytes.as_ref(), RECEIVE_BYTES),
            queue_max: self.queue_max,
            queue_threshold_percent: given(self.queue_threshold_percent.as_ref(), QUEUE_THRESHOLD_PERCENT),
            sync_timeout: self.sync_timeout_ms.as_ref().map(|ms| Duration::from_millis(*ms.get_ref())),
            in_flight_max: given(self.in_flight_max.as_ref(), if correlates { IN_FLIGHT } else { 1 }),
            heartbeat_interval: interval(self.heartbeat_interval_s.unwrap_or(if correlates {
                HEARTBEAT_INTERVAL_S
            } else {
                0
            })),
            heartbeat: None,
            tls: None,
            rate: self.rate.as_ref().and_then(|rate| rate.get_ref().rate()),
            sockets: self.sockets(correlates),
            connect_timeout: Duration::from_millis(given(self.connect_timeout_ms.as_ref(), 300)),
            idle_timeout: Duration::from_millis(self.idle_timeout_ms),
            policy: match self.balance {
                BalanceWord::LeastLoaded => Policy::LeastLoaded,
                BalanceWord::RoundRobin => Policy::RoundRobin,
                BalanceWord::LeastConnections => Policy::LeastConnections,
            },
            slow_start: Duration::from_millis(self.slow_start_ms),
            backup_when_full: self.backup_when_full,
            fail_fast: self.fail_fast,
            ejection: EjectionSettings {
                failures: self.ejection_failures,
                percent_max: given(self.ejection_percent_max.as_ref(), 50),
                time: Duration::from_millis(self.ejection_ms),
            },
            reconnect: RECONNECT,
            retry_percent: given(self.retry_percent.as_ref(), 10),
        }
    }
}

fn bytes_of(hex: &str, most: usize) -> Option<Vec<u8>> {
    let digits = hex.is_ascii() && hex.len().is_multiple_of(2) && !hex.is_empty();
    if !digits || hex.len() > 2 * most {
        return None;
    }
    let byte =
        |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok().filter(|_| !hex[at..].starts_with('+'));
    (0..hex.len()).step_by(2).map(byte).collect()
}
