//! The description of a web service: its text, with the address that the client used.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::fault::attribute;

/// The placeholder for the address in the text of a description.
pub const ADDRESS: &str = "http://address.invalid";

/// A description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wsdl {
    text: Arc<str>,
    /// The documents that it imports, by their names in the query.
    parts: BTreeMap<String, String>,
}

impl Wsdl {
    /// Takes a text with [`ADDRESS`] in place of scheme and host.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.into(), parts: BTreeMap::new() }
    }

    /// Takes a text that imports others at `?wsdl=NAME`. All of them have [`ADDRESS`], too.
    #[must_use]
    pub fn with_parts(text: &str, parts: BTreeMap<String, String>) -> Self {
        Self { text: text.into(), parts }
    }

    /// The text with [`ADDRESS`] in it.
    #[must_use]
    pub fn template(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// The text for a client that reaches the service by this scheme and host.
    #[must_use]
    pub fn at(&self, scheme: &str, host: &str) -> String {
        addressed(&self.text, scheme, host)
    }

    /// The text for a query, for example `wsdl` or `wsdl=types%2Forder.xsd`. None if the part does
    /// not exist. A description without parts ignores the name.
    #[must_use]
    pub fn asked(&self, query: &str, scheme: &str, host: &str) -> Option<String> {
        let first = query.split('&').next().unwrap_or_default();
        let name = first.split_once('=').map_or("", |(_, name)| name);
        if name.is_empty() || self.parts.is_empty() {
            return Some(self.at(scheme, host));
        }
        let name = percent::decoded(name).ok()?;
        self.parts.get(&*name).map(|part| addressed(part, scheme, host))
    }
}

/// A text with the address that a client used.
fn addressed(text: &str, scheme: &str, host: &str) -> String {
    let mut address = format!("{scheme}://");
    attribute(host, &mut address);
    text.replace(ADDRESS, &address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_asks_for_a_part() {
        let parts = BTreeMap::from([(
            "types/a b.xsd".to_owned(),
            "<b at='http://address.invalid/s?wsdl'/>".to_owned(),
        )]);
        let wsdl = Wsdl::with_parts("<a/>", parts);
        let asked = |query: &str| wsdl.asked(query, "http", "h");
        for query in ["wsdl", "WSDL", "wsdl=", "wsdl&x=1"] {
            assert_eq!(asked(query).as_deref(), Some("<a/>"), "{query}");
        }
        assert_eq!(asked("wsdl=types%2Fa%20b.xsd").as_deref(), Some("<b at='http://h/s?wsdl'/>"));
        for query in ["wsdl=1", "wsdl=%", "wsdl=../types/a b.xsd"] {
            assert_eq!(asked(query), None, "{query}");
        }
        assert_eq!(Wsdl::new("<a/>").asked("wsdl=1", "http", "h").as_deref(), Some("<a/>"));
    }

    #[test]
    fn the_address_is_that_of_the_client() {
        let wsdl = Wsdl::new("<soap:address location=\"http://address.invalid/cics/services/A\"/>");
        assert_eq!(
            wsdl.at("https", "a&b:8443"),
            "<soap:address location=\"https://a&amp;b:8443/cics/services/A\"/>"
        );
    }
}
