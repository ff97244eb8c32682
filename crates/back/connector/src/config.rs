//! From `endpoints/NAME.toml` and `endpoints/NAME.xml` to groups that can run.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use settings::Loader;
use toml::Spanned;
use waiting::Pauses;

use crate::balance::{Policy, Role};
use crate::descriptor::{self, Descriptor, check_destination, check_name};
use crate::framing::{DELIMITER_MAX_BYTES, Framing, Length, Order, Width};
use crate::groups::{Plans, Slot};
use crate::settings::{EjectionSettings, EndpointSettings, GroupSettings, SocketSettings};

/// The folder of groups.
const FOLDER: &str = "endpoints";

/// Bytes of a frame, at most.
const FRAME_MAX_BYTES: usize = 16 << 20;

/// Bytes of a frame if the file does not say how many.
const FRAME_BYTES: usize = 1 << 20;

/// Requests that wait at one time if the file does not say how many.
const QUEUE_MAX: usize = 400;

/// Percent of the queue at which the log warns.
const QUEUE_THRESHOLD_PERCENT: u32 = 80;

/// Connections of an endpoint at one time.
const MAX_SOCKETS: usize = 100;

/// Connections that are opened at the start.
const START_SOCKETS: usize = 1;

/// The shortest time before a retransmission, and the longest between two, in milliseconds.
const RTO_MIN_MS: u64 = 20;
const RTO_MAX_MS: u64 = 1_000;

/// The pause before an unreachable server is tried again, the first time and at most.
const RECONNECT: Pauses = Pauses { first: Duration::from_millis(100), longest: Duration::from_secs(10) };

/// The groups of a configuration.
#[derive(Debug, Default)]
pub struct GroupFiles {
    plans: Plans,
    /// Names of groups that have faults, which are told already.
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
                loader.at_file(&path, format!("there are two files for the group '{name}'"));
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

    /// All of them.
    #[must_use]
    pub fn into_plans(self) -> Plans {
        self.plans
    }
}

const NOT_A_GROUP: &str = "is not an endpoint group: files in endpoints/ end with .toml or .xml";

fn of_xml(loader: &mut Loader<'_>, path: &str, name: &str) -> Option<GroupSettings> {
    let text = match loader.files.read(path) {
        Ok(text) => text,
        Err(error) => {
            loader.at_file(path, format!("cannot be read: {error}"));
            return None;
        }
    };
    match descriptor::read(&text) {
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

/// A group as its descriptor says, and as is usual.
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

/// The framing of a descriptor, which does not say one.
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
    Some(file.settings(name, framing, endpoints))
}

/// `endpoints/NAME.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct GroupFile {
    framing: FramingWord,
    /// With `framing = "length"`: 2 or 4.
    length_bytes: Option<Spanned<u8>>,
    /// The length counts its own bytes.
    length_inclusive: bool,
    length_order: OrderWord,
    /// With `framing = "fixed"`.
    fixed_bytes: Option<Spanned<usize>>,
    /// With `framing = "delimiter"`: its bytes in hexadecimal.
    delimiter_hex: Option<Spanned<String>>,
    frame_max_bytes: Option<Spanned<usize>>,
    queue_max: usize,
    queue_threshold_percent: Option<Spanned<u32>>,
    sync_timeout_ms: Option<Spanned<u64>>,
    heartbeat_interval_s: u64,
    connect_timeout_ms: Option<Spanned<u64>>,
    /// 8 to 200; 0 leaves the kernel's.
    rto_min_ms: Option<Spanned<u64>>,
    /// 1,000 to 120,000; 0 leaves the kernel's.
    rto_max_ms: Option<Spanned<u64>>,
    user_timeout_ms: u64,
    congestion: Option<Spanned<String>>,
    notsent_low_water_bytes: u32,
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
            queue_max: QUEUE_MAX,
            queue_threshold_percent: None,
            sync_timeout_ms: None,
            heartbeat_interval_s: 0,
            connect_timeout_ms: None,
            rto_min_ms: None,
            rto_max_ms: None,
            user_timeout_ms: 0,
            congestion: None,
            notsent_low_water_bytes: 0,
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
        if let Some(given) = &self.frame_max_bytes
            && !(64..=FRAME_MAX_BYTES).contains(given.get_ref())
        {
            loader.at(path, given.span(), format!("expected a number from 64 to {FRAME_MAX_BYTES}"));
        }
    }

    /// The framing; none if there is a fault, which is told.
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
            (FramingWord::Delimiter, _, Some(hex)) => match bytes_of(hex.get_ref()) {
                Some(bytes) => Framing::Delimiter(bytes),
                None => return fault(hex.span(), "expected 1 to 8 bytes in hexadecimal"),
            },
            (FramingWord::Delimiter, _, None) => {
                return fault(0..0, "framing = \"delimiter\" needs delimiter_hex");
            }
        })
    }

    fn sockets(&self) -> SocketSettings {
        let time = |ms: u64| (ms > 0).then(|| Duration::from_millis(ms));
        let given = |ms: &Option<Spanned<u64>>, usual: u64| ms.as_ref().map_or(usual, |ms| *ms.get_ref());
        SocketSettings {
            rto_min: time(given(&self.rto_min_ms, RTO_MIN_MS)),
            rto_max: time(given(&self.rto_max_ms, RTO_MAX_MS)),
            user_timeout: time(self.user_timeout_ms),
            congestion: self.congestion.as_ref().map(|name| name.get_ref().clone()),
            notsent_low_water_bytes: Some(self.notsent_low_water_bytes).filter(|bytes| *bytes > 0),
        }
    }

    fn settings(&self, name: &str, framing: Framing, endpoints: Vec<EndpointSettings>) -> GroupSettings {
        fn given<T: Copy>(given: Option<&Spanned<T>>, usual: T) -> T {
            given.map_or(usual, |given| *given.get_ref())
        }
        GroupSettings {
            name: name.to_owned(),
            endpoints,
            framing,
            frame_max_bytes: given(self.frame_max_bytes.as_ref(), FRAME_BYTES),
            queue_max: self.queue_max,
            queue_threshold_percent: given(self.queue_threshold_percent.as_ref(), QUEUE_THRESHOLD_PERCENT),
            sync_timeout: self.sync_timeout_ms.as_ref().map(|ms| Duration::from_millis(*ms.get_ref())),
            heartbeat_interval: interval(self.heartbeat_interval_s),
            sockets: self.sockets(),
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

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.is_ascii() && hex.len().is_multiple_of(2) && !hex.is_empty();
    if !digits || hex.len() > 2 * DELIMITER_MAX_BYTES {
        return None;
    }
    let byte =
        |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok().filter(|_| !hex[at..].starts_with('+'));
    (0..hex.len()).step_by(2).map(byte).collect()
}
