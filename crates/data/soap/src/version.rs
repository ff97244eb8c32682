//! The two versions of SOAP, and their different names for the same things.

/// A version of SOAP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// SOAP 1.1, a note of W3C of 2000.
    Soap11,
    /// SOAP 1.2, a recommendation of W3C, second edition of 2007.
    Soap12,
}

/// The namespace of SOAP 1.1.
pub(crate) const NAMESPACE_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
/// The namespace of SOAP 1.2.
pub(crate) const NAMESPACE_12: &str = "http://www.w3.org/2003/05/soap-envelope";

impl Version {
    /// The version with this namespace of envelopes.
    #[must_use]
    pub fn of_namespace(namespace: &str) -> Option<Self> {
        match namespace {
            NAMESPACE_11 => Some(Version::Soap11),
            NAMESPACE_12 => Some(Version::Soap12),
            _ => None,
        }
    }

    /// The namespace of envelopes.
    #[must_use]
    pub fn namespace(self) -> &'static str {
        match self {
            Version::Soap11 => NAMESPACE_11,
            Version::Soap12 => NAMESPACE_12,
        }
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> &'static str {
        match self {
            Version::Soap11 => "1.1",
            Version::Soap12 => "1.2",
        }
    }

    /// The content type of messages in UTF-8.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Version::Soap11 => "text/xml; charset=utf-8",
            Version::Soap12 => "application/soap+xml; charset=utf-8",
        }
    }

    /// The text from the start of the envelope to the content of the body.
    #[must_use]
    pub fn head(self) -> &'static str {
        match self {
            Version::Soap11 => concat!(
                "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"http://schemas.xmlsoap.org/soap/envelope/\">",
                "<SOAP-ENV:Body>"
            ),
            Version::Soap12 => concat!(
                "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"http://www.w3.org/2003/05/soap-envelope\">",
                "<SOAP-ENV:Body>"
            ),
        }
    }

    /// The start tags of envelope and body. A header may stand between them.
    pub(crate) fn parts(self) -> (&'static str, &'static str) {
        let head = self.head();
        head.split_at(head.len() - "<SOAP-ENV:Body>".len())
    }

    /// The attribute for the target of a header block.
    pub(crate) fn role_attribute(self) -> &'static str {
        match self {
            Version::Soap11 => "actor",
            Version::Soap12 => "role",
        }
    }

    /// The roles of this node, beside no role at all: the next node, and the last one.
    pub(crate) fn is_role_of_ours(self, role: &str) -> bool {
        match self {
            Version::Soap11 => role.is_empty() || role == "http://schemas.xmlsoap.org/soap/actor/next",
            Version::Soap12 => {
                let known = role.strip_prefix(NAMESPACE_12).and_then(|rest| rest.strip_prefix("/role/"));
                role.is_empty() || matches!(known, Some("next" | "ultimateReceiver"))
            }
        }
    }
}

/// The text from the end of the body's content to the end of the envelope.
pub(crate) const TAIL: &str = "</SOAP-ENV:Body></SOAP-ENV:Envelope>";
/// The end of [`TAIL`] that follows the body.
pub(crate) const ENVELOPE_END: &str = "</SOAP-ENV:Envelope>";

/// The versions of a web service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versions {
    /// Both.
    #[default]
    All,
    /// Only one.
    Only(Version),
}

impl Versions {
    /// True if the version is one of them.
    #[must_use]
    pub fn has(self, version: Version) -> bool {
        match self {
            Versions::All => true,
            Versions::Only(only) => only == version,
        }
    }

    /// This version if it is one of them, else the only one.
    #[must_use]
    pub fn nearest(self, version: Version) -> Version {
        match self {
            Versions::All => version,
            Versions::Only(only) => only,
        }
    }

    /// All of them, the older one first.
    pub fn iter(self) -> impl Iterator<Item = Version> {
        [Version::Soap11, Version::Soap12].into_iter().filter(move |version| self.has(*version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_have_the_namespace_of_their_version() {
        for version in Versions::All.iter() {
            assert!(version.head().contains(&format!("\"{}\"", version.namespace())));
            assert_eq!(Version::of_namespace(version.namespace()), Some(version));
        }
        assert_eq!(Version::of_namespace("http://www.w3.org/2001/12/soap-envelope"), None);
    }

    #[test]
    fn blocks_are_for_the_next_node_and_for_the_last_one() {
        for (version, role, ours) in [
            (Version::Soap11, "", true),
            (Version::Soap11, "http://schemas.xmlsoap.org/soap/actor/next", true),
            (Version::Soap11, "http://www.w3.org/2003/05/soap-envelope/role/next", false),
            (Version::Soap11, "urn:other", false),
            (Version::Soap12, "", true),
            (Version::Soap12, "http://www.w3.org/2003/05/soap-envelope/role/next", true),
            (Version::Soap12, "http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver", true),
            (Version::Soap12, "http://www.w3.org/2003/05/soap-envelope/role/none", false),
            (Version::Soap12, "http://www.w3.org/2003/05/soap-envelope", false),
            (Version::Soap12, "http://schemas.xmlsoap.org/soap/actor/next", false),
        ] {
            assert_eq!(version.is_role_of_ours(role), ours, "{version:?} {role}");
        }
    }
}
