//! The description of a web service as it is served: its text, with the address by which the client came.

use std::sync::Arc;

use crate::fault::attribute;

/// What stands for the address in the text of a description.
pub const ADDRESS: &str = "http://address.invalid";

/// A description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wsdl {
    text: Arc<str>,
}

impl Wsdl {
    /// Takes a text with [`ADDRESS`] wherever scheme and host are to stand.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.into() }
    }

    /// The text with [`ADDRESS`] in it.
    #[must_use]
    pub fn template(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// The text for a client that reaches the service by this scheme and host.
    #[must_use]
    pub fn at(&self, scheme: &str, host: &str) -> String {
        let mut address = format!("{scheme}://");
        attribute(host, &mut address);
        self.text.replace(ADDRESS, &address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_that_of_the_client() {
        let wsdl = Wsdl::new("<soap:address location=\"http://address.invalid/cics/services/A\"/>");
        assert_eq!(
            wsdl.at("https", "a&b:8443"),
            "<soap:address location=\"https://a&amp;b:8443/cics/services/A\"/>"
        );
    }
}
