//! Links of the region to other regions: `[region.links]` and `[[region.link]]`.

use std::path::PathBuf;
use std::time::Duration;

use region::link::definition::{Address, Allowed, Identity, LinkLimits, Links, Peer, RemoteTransaction};
use region::link::message::USER_MAX_BYTES;
use serde::Deserialize;
use settings::{CertificatesOf, GANTRY_FILE};
use toml::Spanned;
use wire::{Name, name};

use crate::names::checked;
use crate::plan::Reader;
use crate::section::RegionSection;
use crate::transactions::TransactionSection;

/// The prefix of the path of a socket of this machine.
const UNIX: &str = "unix:";

/// `[region.links]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LinksSection {
    /// Where other regions reach this one: `unix:PATH`, or an address and a port.
    listen: Vec<Spanned<String>>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    /// The authority that must have signed the certificates of other regions.
    authority: Option<PathBuf>,
    sessions_max: usize,
    answer_max_ms: u64,
    heartbeat_ms: Spanned<u64>,
    connections_max: usize,
}

impl Default for LinksSection {
    fn default() -> Self {
        let limits = LinkLimits::default();
        let milliseconds = |time: Duration| time.as_millis() as u64;
        Self {
            listen: Vec::new(),
            certificate: None,
            key: None,
            authority: None,
            sessions_max: limits.sessions_max,
            answer_max_ms: milliseconds(limits.answer_max),
            heartbeat_ms: Spanned::new(0..0, milliseconds(limits.heartbeat)),
            connections_max: limits.connections_max,
        }
    }
}

/// `[[region.link]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkSection {
    sysid: String,
    /// Where it is; without it, it only calls.
    address: Option<String>,
    /// The name (DNS) in its certificate.
    certificate_name: Option<String>,
    /// The user of this machine that it runs as; that of this gateway if it is left out.
    uid: Option<u32>,
    #[serde(default)]
    programs: Vec<String>,
    #[serde(default)]
    transactions: Vec<String>,
    #[serde(default)]
    queues: Vec<String>,
    #[serde(default)]
    asserts_users: bool,
    user: Option<String>,
    #[serde(default = "yes")]
    converts_containers: bool,
}

fn yes() -> bool {
    true
}

/// The whole name of a user, which rules of programs compare.
fn whole_name(text: &str) -> Result<Box<str>, String> {
    match !text.is_empty() && text.len() <= USER_MAX_BYTES && !text.chars().any(char::is_control) {
        true => Ok(text.into()),
        false => Err(format!("user: expected a name of 1 to {USER_MAX_BYTES} bytes, found {text:?}")),
    }
}

pub(crate) fn sysid(text: &str) -> Result<Name<4>, String> {
    checked("sysid", &text.to_uppercase())
}

fn address(text: &str) -> Result<Address, String> {
    if let Some(path) = text.strip_prefix(UNIX) {
        return match path.starts_with('/') {
            true => Ok(Address::Unix(path.into())),
            false => Err(format!("expected the whole path of a socket behind 'unix:', found '{path}'")),
        };
    }
    let port = text.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    port.map(|_| Address::Tls(text.to_owned()))
        .ok_or_else(|| format!("expected 'unix:PATH' or 'HOST:PORT', found '{text}'"))
}

impl LinkSection {
    fn peer(&self) -> Result<Peer, String> {
        let address = self.address.as_deref().map(address).transpose()?;
        if matches!(address, Some(Address::Tls(_))) && self.certificate_name.is_none() {
            return Err("a region at HOST:PORT needs 'certificate_name', by which it is known".to_owned());
        }
        let beginnings = |texts: &[String]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        Ok(Peer {
            sysid: sysid(&self.sysid)?,
            address,
            certificate_name: self.certificate_name.clone(),
            uid: self.uid,
            allowed: Allowed {
                programs: beginnings(&self.programs),
                transactions: beginnings(&self.transactions),
                queues: beginnings(&self.queues),
            },
            asserts_users: self.asserts_users,
            user: self.user.as_deref().map(whole_name).transpose()?,
            converts_containers: self.converts_containers,
        })
    }
}

/// True if this region calls that one.
pub(crate) fn check_called(written: &str, sysid: Name<4>, peers: &[Peer]) -> Result<(), String> {
    match peers.iter().any(|peer| peer.sysid == sysid && peer.address.is_some()) {
        true => Ok(()),
        false => Err(format!("no [[region.link]] with an address has the sysid {written}")),
    }
}

/// A transaction of another region; none if it belongs to this one.
fn remote_transaction(
    section: &TransactionSection,
    peers: &[Peer],
) -> Result<Option<RemoteTransaction>, String> {
    let data = section.data()?;
    let Some(written) = section.sysid.as_ref().map(|sysid| sysid.get_ref()) else {
        return match (&section.remote_name, data) {
            (Some(_), _) => Err("'remote_name' is for transactions with 'sysid'".to_owned()),
            (_, Some(_)) => Err("'copybook' is for transactions with 'sysid'".to_owned()),
            (None, None) => Ok(None),
        };
    };
    let (sysid, name) = (sysid(written)?, checked("transaction", &section.name)?);
    check_called(written, sysid, peers)?;
    if section.program.is_some() || section.tasks_max.is_some() || !section.enabled {
        let message = "a transaction with 'sysid' has no 'program', 'tasks_max' and 'enabled' here";
        return Err(message.to_owned());
    }
    let remote =
        section.remote_name.as_ref().map(|remote| checked("remote_name", remote.get_ref())).transpose()?;
    Ok(Some(RemoteTransaction { name, sysid, remote_name: remote.unwrap_or(name), text: Vec::new() }))
}

impl Reader<'_, '_> {
    /// The links of the region; none if one has a fault.
    pub(crate) fn links(&mut self, section: &RegionSection) -> Option<Links> {
        let before = self.problems.error_count();
        let links = &section.links;
        let mut peers: Vec<Peer> = Vec::new();
        for written in &section.link {
            let peer = written.get_ref().peer().and_then(|peer| {
                let own = name::<4>(&section.sysid.get_ref().to_uppercase());
                match peer.sysid == own || peers.iter().any(|known| known.sysid == peer.sysid) {
                    true => Err(format!(
                        "the sysid {} is this region's, or has a link already",
                        written.get_ref().sysid
                    )),
                    false => Ok(peer),
                }
            });
            match peer {
                Ok(peer) => peers.push(peer),
                Err(message) => self.at(GANTRY_FILE, written.span(), message),
            }
        }
        let mut listen = Vec::new();
        for written in &links.listen {
            match address(written.get_ref()) {
                Ok(address) => listen.push(address),
                Err(message) => self.at(GANTRY_FILE, written.span(), message),
            }
        }
        let identity = self.link_identity(links);
        let over_tcp = |address: &Address| matches!(address, Address::Tls(_));
        if identity.is_none()
            && peers.iter().filter_map(|peer| peer.address.as_ref()).chain(&listen).any(over_tcp)
        {
            self.at_file(
                GANTRY_FILE,
                "[region.links] needs 'certificate', 'key' and 'authority' for links over TCP",
            );
        }
        if *links.heartbeat_ms.get_ref() == 0 {
            self.at(GANTRY_FILE, links.heartbeat_ms.span(), "expected heartbeat_ms of at least 1");
        }
        let limits = LinkLimits {
            sessions_max: links.sessions_max.max(1),
            answer_max: Duration::from_millis(links.answer_max_ms),
            heartbeat: Duration::from_millis(*links.heartbeat_ms.get_ref()),
            connections_max: links.connections_max.max(1),
            ..LinkLimits::default()
        };
        (self.problems.error_count() == before).then_some(Links { listen, identity, peers, limits })
    }

    fn link_identity(&mut self, links: &LinksSection) -> Option<Identity> {
        let whole =
            |path: &PathBuf| self.files.folder().map_or_else(|| path.clone(), |folder| folder.join(path));
        match (&links.certificate, &links.key, &links.authority) {
            (Some(certificate), Some(key), Some(authority)) => {
                let identity = Identity {
                    certificate: whole(certificate),
                    key: whole(key),
                    authority: whole(authority),
                };
                self.note_certificates(&identity.certificate, CertificatesOf::Own, (GANTRY_FILE, None));
                self.note_certificates(&identity.authority, CertificatesOf::Authorities, (GANTRY_FILE, None));
                Some(identity)
            }
            (None, None, None) => None,
            _ => {
                let message = "[region.links] 'certificate', 'key' and 'authority' go together";
                self.at_file(GANTRY_FILE, message);
                None
            }
        }
    }

    /// The transactions of other regions; none if one has a fault.
    pub(crate) fn remote_transactions(
        &mut self,
        written: &[Spanned<TransactionSection>],
        peers: &[Peer],
    ) -> Option<Vec<RemoteTransaction>> {
        let before = self.problems.error_count();
        let mut transactions: Vec<RemoteTransaction> = Vec::new();
        for section in written {
            match remote_transaction(section.get_ref(), peers) {
                Ok(None) => {}
                Ok(Some(mut found)) => {
                    if let Ok(Some(data)) = section.get_ref().data()
                        && let Some(text) = self.commarea_text(data)
                    {
                        found.text = text;
                    }
                    let name = &section.get_ref().name;
                    if written.iter().filter(|other| other.get_ref().name == *name).count() > 1 {
                        let message = format!("the transaction '{name}' is defined twice");
                        self.at(GANTRY_FILE, section.span(), message);
                    }
                    transactions.push(found);
                }
                Err(message) => self.at(GANTRY_FILE, section.span(), message),
            }
        }
        (self.problems.error_count() == before).then_some(transactions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(text: &str) -> Result<Peer, String> {
        toml::from_str::<LinkSection>(text).expect("a section").peer()
    }

    #[test]
    fn links_are_what_their_keys_say() {
        let peer = link("sysid = 'regb'\naddress = 'unix:/run/b'\nprograms = ['ACC', 'B']").expect("a peer");
        assert_eq!((peer.sysid, peer.address), (*b"REGB", Some(Address::Unix("/run/b".into()))));
        assert_eq!(peer.allowed.programs, [b"ACC".to_vec(), b"B".to_vec()]);
        assert_eq!((peer.asserts_users, peer.allowed.queues), (false, vec![]));
        let far = "sysid = 'B'\naddress = 'far.example:1435'\ncertificate_name = 'far.example'";
        assert_eq!(link(far).expect("a peer").address, Some(Address::Tls("far.example:1435".to_owned())));
    }

    #[test]
    fn links_that_cannot_be_are_refused() {
        for (text, expected) in [
            ("sysid = 'TOOLONG'", "1 to 4 characters"),
            ("sysid = 'B'\naddress = 'far.example'", "'unix:PATH' or 'HOST:PORT'"),
            ("sysid = 'B'\naddress = 'unix:run'", "whole path"),
            ("sysid = 'B'\naddress = 'far.example:1'", "certificate_name"),
            ("sysid = 'B'\nuser = ''", "1 to 256 bytes"),
        ] {
            let message = link(text).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }

    #[test]
    fn transactions_of_other_regions_need_a_link_and_no_program() {
        let peers = [link("sysid = 'B'\naddress = 'unix:/run/b'").expect("a peer")];
        let transaction = |text: &str| {
            let section = toml::from_str::<TransactionSection>(text).expect("a section");
            remote_transaction(&section, &peers)
        };
        let found = transaction("name = 'Ab'\nsysid = 'b'\nremote_name = 'CD'").expect("a transaction");
        let expected =
            RemoteTransaction { name: *b"Ab  ", sysid: *b"B   ", remote_name: *b"CD  ", text: Vec::new() };
        assert_eq!(found, Some(expected));
        assert_eq!(transaction("name = 'A'\nprogram = 'P'"), Ok(None));
        for (text, expected) in [
            ("name = 'A'\nremote_name = 'B'", "'remote_name' is for transactions with 'sysid'"),
            ("name = 'A'\nprogram = 'P'\ncopybook = 'B'", "'copybook' is for transactions with 'sysid'"),
            ("name = 'A'\nsysid = 'B'\nrecord = 'B'", "are those of a 'copybook'"),
            ("name = 'A'\nsysid = 'C'", "no [[region.link]] with an address has the sysid C"),
            ("name = 'A'\nsysid = 'B'\nprogram = 'P'", "has no 'program'"),
            ("name = 'TOOLONG'\nsysid = 'B'", "1 to 4 characters"),
        ] {
            let message = transaction(text).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
