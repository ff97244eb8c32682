//! Client certificates: their names, and the rule that turns one of them into a user.
//!
//! TLS has checked that a certificate is authentic.

use std::collections::HashMap;
use std::sync::Arc;

use crate::der::{Der, SEQUENCE, fields_of};
use crate::identity::{Identity, Method, is_name};

/// The most names of each kind that are read from one certificate.
const NAMES_MAX: usize = 100;

const SET: u8 = 0x31;
const OBJECT_ID: u8 = 0x06;
const OCTETS: u8 = 0x04;
const BOOLEAN: u8 = 0x01;
/// `[3]` around the extensions.
const EXTENSIONS: u8 = 0xA3;
/// Names of the subject alternative name: rfc822Name, dNSName, uniformResourceIdentifier.
const EMAIL: u8 = 0x81;
const DNS: u8 = 0x82;
const URI: u8 = 0x86;
/// id-at-commonName, id-at-organizationName, id-at-organizationalUnitName, id-ce-subjectAltName.
const COMMON_NAME: &[u8] = &[0x55, 4, 3];
const ORGANIZATION: &[u8] = &[0x55, 4, 10];
const ORGANIZATIONAL_UNIT: &[u8] = &[0x55, 4, 11];
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1D, 0x11];

/// The names in a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertificateNames {
    /// Common names of the subject.
    pub common: Vec<String>,
    /// Organizations of the subject.
    pub organizations: Vec<String>,
    /// Organizational units of the subject.
    pub units: Vec<String>,
    /// DNS names of the subject alternative name.
    pub dns: Vec<String>,
    /// Mail addresses of the subject alternative name.
    pub emails: Vec<String>,
    /// URIs of the subject alternative name, such as SPIFFE ids.
    pub uris: Vec<String>,
}

impl CertificateNames {
    /// Reads a certificate in DER (RFC 5280, 4.1).
    #[must_use]
    pub fn parse(certificate: &[u8]) -> Option<Self> {
        let mut fields = fields_of(certificate)?;
        // Serial number, algorithm, issuer, validity.
        for _ in 0..4 {
            fields.next()?;
        }
        let mut names = Self::default();
        names.subject(fields.expect(SEQUENCE)?)?;
        while let Some(item) = fields.next() {
            if item.tag == EXTENSIONS {
                names.extensions(Der(item.content).expect(SEQUENCE)?)?;
            }
        }
        Some(names)
    }

    fn subject(&mut self, subject: &[u8]) -> Option<()> {
        let mut sets = Der(subject);
        while !sets.0.is_empty() {
            let mut attributes = Der(sets.expect(SET)?);
            while !attributes.0.is_empty() {
                let mut attribute = Der(attributes.expect(SEQUENCE)?);
                let kind = attribute.expect(OBJECT_ID)?;
                let value = attribute.next()?;
                let names = match kind {
                    COMMON_NAME => &mut self.common,
                    ORGANIZATION => &mut self.organizations,
                    ORGANIZATIONAL_UNIT => &mut self.units,
                    _ => continue,
                };
                add(names, text(value.tag, value.content));
            }
        }
        Some(())
    }

    fn extensions(&mut self, extensions: &[u8]) -> Option<()> {
        let mut extensions = Der(extensions);
        while !extensions.0.is_empty() {
            let mut extension = Der(extensions.expect(SEQUENCE)?);
            if extension.expect(OBJECT_ID)? != SUBJECT_ALT_NAME {
                continue;
            }
            let mut value = extension.next()?;
            if value.tag == BOOLEAN {
                value = extension.next()?;
            }
            if value.tag != OCTETS {
                return None;
            }
            let mut names = Der(Der(value.content).expect(SEQUENCE)?);
            while let Some(name) = names.next() {
                let into = match name.tag {
                    DNS => &mut self.dns,
                    EMAIL => &mut self.emails,
                    URI => &mut self.uris,
                    _ => continue,
                };
                add(
                    into,
                    std::str::from_utf8(name.content).ok().filter(|text| text.is_ascii()).map(str::to_owned),
                );
            }
        }
        Some(())
    }
}

/// Keeps a name that is valid for a user. Others, for example names with a NUL, are ignored.
fn add(names: &mut Vec<String>, name: Option<String>) {
    if let Some(name) = name.filter(|name| is_name(name) && names.len() < NAMES_MAX) {
        names.push(name);
    }
}

/// UTF8String, PrintableString, IA5String, BMPString.
fn text(tag: u8, content: &[u8]) -> Option<String> {
    match tag {
        0x0C => std::str::from_utf8(content).ok().map(str::to_owned),
        0x13 | 0x16 => content.is_ascii().then(|| String::from_utf8_lossy(content).into_owned()),
        0x1E if content.len().is_multiple_of(2) => {
            let units = content.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            char::decode_utf16(units).collect::<Result<_, _>>().ok()
        }
        _ => None,
    }
}

/// The kind of name that the rule uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSource {
    /// The common name of the subject.
    CommonName,
    /// A DNS name.
    Dns,
    /// A mail address.
    Email,
    /// A URI.
    Uri,
}

/// The step from a name to a user.
#[derive(Clone, Debug)]
pub enum UserRule {
    /// The name is the user.
    AsIs,
    /// Only the names of this table are users. The table gives their user names and groups.
    Table(HashMap<String, (String, Vec<String>)>),
}

/// The rule that turns a certificate into a user.
#[derive(Clone, Debug)]
pub struct CertificateRule {
    /// The kind of name. With [`UserRule::AsIs`], a certificate with several names of this kind is
    /// nobody's.
    pub source: NameSource,
    /// The step from the name to a user.
    pub users: UserRule,
    /// Groups of every user with a certificate.
    pub groups: Vec<String>,
    /// True if the subject's organizational units are groups, too.
    pub units_are_groups: bool,
}

impl CertificateRule {
    /// The user of a certificate; none if the rule finds no user.
    #[must_use]
    pub fn identity(&self, names: &CertificateNames) -> Option<Arc<Identity>> {
        let candidates = match self.source {
            NameSource::CommonName => &names.common,
            NameSource::Dns => &names.dns,
            NameSource::Email => &names.emails,
            NameSource::Uri => &names.uris,
        };
        let (user, own) = match &self.users {
            UserRule::AsIs => match candidates.as_slice() {
                [only] => (only, &[][..]),
                _ => return None,
            },
            UserRule::Table(table) => {
                let mut found = candidates.iter().filter_map(|name| table.get(name));
                let (user, groups) = found.next()?;
                (user, groups.as_slice())
            }
        };
        let units = if self.units_are_groups { names.units.as_slice() } else { &[] };
        let groups = self.groups.iter().chain(own).chain(units).map(|group| group.as_str().into()).collect();
        Some(Arc::new(Identity::new(user.as_str(), groups, Method::Certificate)))
    }
}
