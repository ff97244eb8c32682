//! The configuration of a region's links: where it listens, which regions it knows, and what they may do
//! here.

use std::path::PathBuf;
use std::time::Duration;

use wire::Name;

/// All links of a region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Where other regions reach this one.
    pub listen: Vec<Address>,
    /// The certificate of this region, for addresses of TCP.
    pub identity: Option<Identity>,
    /// The other regions.
    pub peers: Vec<Peer>,
    /// Limits of the links.
    pub limits: LinkLimits,
}

/// Where a region is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket on this machine.
    Unix(PathBuf),
    /// A host, as a name or an address, and a port: TCP with TLS, in which both sides have certificates.
    Tls(String),
}

/// Files in PEM: a region's own certificate and key, and the authority that it trusts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The certificates, the region's own first.
    pub certificate: PathBuf,
    /// Its key.
    pub key: PathBuf,
    /// The authority that must have signed the certificates of other regions.
    pub authority: PathBuf,
}

/// Another region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its system id.
    pub sysid: Name<4>,
    /// Its address; none if this region never calls it.
    pub address: Option<Address>,
    /// The name (DNS) in its certificate; none if it may connect only over a socket of this machine.
    pub certificate_name: Option<String>,
    /// The user of the machine whose processes may connect over a socket; none for the user of this process.
    pub uid: Option<u32>,
    /// Its rights here.
    pub allowed: Allowed,
    /// It says truly for whom it calls. Else its tasks run under `user`.
    pub asserts_users: bool,
    /// The user of its tasks if it names none or is not believed; none for the default user.
    pub user: Option<Box<str>>,
    /// Text in containers gets the code page of the region that receives it, if nothing is lost by that.
    pub converts_containers: bool,
}

/// The rights of another region here. Each list has the beginnings of names; an empty list allows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Programs that it may link to.
    pub programs: Vec<Vec<u8>>,
    /// Transactions that it may name with LINK, start and cancel.
    pub transactions: Vec<Vec<u8>>,
    /// Temporary storage queues that it may use.
    pub queues: Vec<Vec<u8>>,
}

/// A program of another region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteProgram {
    /// Its name here; with `*` at its end, the beginning of the names of several, which have the same names there.
    pub name: Name<8>,
    /// The region that has it.
    pub sysid: Name<4>,
    /// Its name there.
    pub remote_name: Name<8>,
    /// The transaction that it runs under there, if LINK names none.
    pub transaction: Option<Name<4>>,
    /// Parts of the commarea that are text, first byte and length: they are converted between the two regions' code pages.
    pub text: Vec<(usize, usize)>,
}

impl RemoteProgram {
    /// The beginning of the names, if there may be several.
    pub(crate) fn beginning(&self) -> Option<&[u8]> {
        self.name.trim_ascii_end().strip_suffix(b"*")
    }
}

/// A transaction of another region, which programs of this one may start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTransaction {
    /// Its name here.
    pub name: Name<4>,
    /// The region that has it.
    pub sysid: Name<4>,
    /// Its name there.
    pub remote_name: Name<4>,
    /// The text in the data of START with FROM: first byte and length of each part. It is converted to that
    /// region's code page.
    pub text: Vec<(usize, usize)>,
}

/// Limits of the links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkLimits {
    /// Requests that one region has under way at another.
    pub sessions_max: usize,
    /// The most requests that wait until one of those ends; further requests are refused.
    pub waiting_max: usize,
    /// The longest message, in bytes.
    pub frame_max_bytes: usize,
    /// How long a region waits for an answer.
    pub answer_max: Duration,
    /// How long connecting and saying hello may take.
    pub hello_max: Duration,
    /// How long the other side may take none of the bytes that are sent to it.
    pub stalled_max: Duration,
    /// How often a region asks whether the other is there; after three times without a sign the link is broken.
    pub heartbeat: Duration,
    /// How long is waited before a broken link is tried again, at most.
    pub reconnect_max: Duration,
    /// The most connections that other regions, known or not, may have here at a time.
    pub connections_max: usize,
}

impl Default for LinkLimits {
    fn default() -> Self {
        Self {
            sessions_max: 100,
            waiting_max: 1_000,
            frame_max_bytes: 16 * 1024 * 1024,
            answer_max: Duration::from_secs(30),
            hello_max: Duration::from_secs(5),
            stalled_max: Duration::from_secs(5),
            heartbeat: Duration::from_secs(5),
            reconnect_max: Duration::from_millis(500),
            connections_max: 64,
        }
    }
}

impl Allowed {
    /// Everything.
    #[must_use]
    pub fn everything() -> Self {
        let all = || vec![Vec::new()];
        Self { programs: all(), transactions: all(), queues: all() }
    }
}

impl Peer {
    /// True if both are the same region, whatever it may do.
    pub(super) fn is_same_region(&self, other: &Self) -> bool {
        (self.sysid, &self.certificate_name, self.uid) == (other.sysid, &other.certificate_name, other.uid)
    }

    /// A region of this machine and this user. It may do everything here, and its word on users is believed.
    #[must_use]
    pub fn trusted(sysid: Name<4>, address: Option<Address>) -> Self {
        Self {
            sysid,
            address,
            certificate_name: None,
            uid: None,
            allowed: Allowed::everything(),
            asserts_users: true,
            user: None,
            converts_containers: true,
        }
    }

    /// The user of its requests; none for the default user.
    pub(super) fn user_of(&self, asserted: Option<Box<str>>) -> Option<Box<str>> {
        asserted.filter(|_| self.asserts_users).or_else(|| self.user.clone())
    }
}

/// True if a name begins with one of the beginnings.
pub(super) fn begins(name: &[u8], beginnings: &[Vec<u8>]) -> bool {
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}
