//! Access: the security schemes of a document, and the requirements of its operations.

use super::Reader;
use crate::contract::Version;
use crate::operation::{Location, Requirement, SecurityKind, SecurityScheme};
use document::Part;

impl<'d, 't> Reader<'d, 't> {
    /// The schemes of the whole document.
    pub(super) fn security_schemes(&mut self, root: &Part<'d, 't>) -> Vec<SecurityScheme> {
        let mut schemes = Vec::new();
        for (name, part) in self.scheme_list(root).iter().flat_map(Part::members) {
            let Some(part) = self.resolved(&part) else { continue };
            let Some(kind) = self.security_kind(&part) else { continue };
            schemes.push(SecurityScheme { name: name.to_owned(), kind });
        }
        schemes
    }

    fn scheme_list(&self, root: &Part<'d, 't>) -> Option<Part<'d, 't>> {
        match self.version {
            Version::Swagger20 => root.member("securityDefinitions"),
            Version::OpenApi30 | Version::OpenApi31 => root.member("components")?.member("securitySchemes"),
        }
    }

    fn security_kind(&mut self, part: &Part<'d, 't>) -> Option<SecurityKind> {
        match self.needed_text(part, "type")? {
            "apiKey" => {
                let name = self.needed_text(part, "name")?.to_owned();
                let location = match self.needed_text(part, "in")? {
                    "header" => Location::Header,
                    "query" => Location::Query,
                    "cookie" => Location::Cookie,
                    found => {
                        let message = format!("expected a key in header, query or cookie, found '{found}'");
                        self.report.error(part, message);
                        return None;
                    }
                };
                Some(SecurityKind::ApiKey { location, name })
            }
            "http" => Some(SecurityKind::Http(self.needed_text(part, "scheme")?.to_ascii_lowercase())),
            "basic" => Some(SecurityKind::Http("basic".to_owned())),
            "oauth2" => Some(SecurityKind::OAuth2),
            "openIdConnect" => Some(SecurityKind::OpenIdConnect),
            "mutualTLS" => Some(SecurityKind::MutualTls),
            found => {
                let expected = "expected a security scheme apiKey, http, oauth2, openIdConnect or mutualTLS";
                self.report.error(part, format!("{expected}, found '{found}'"));
                None
            }
        }
    }

    /// The requirements of an operation, or else of the whole document.
    pub(super) fn requirements(&mut self, operation: &Part<'d, 't>) -> Vec<Requirement> {
        let root = Part::root(self.root);
        let list = operation.member("security").or_else(|| root.member("security"));
        let schemes = self.scheme_list(&root);
        let mut requirements = Vec::new();
        for part in list.iter().flat_map(Part::elements) {
            let mut requirement = Requirement::default();
            for (name, _) in part.members() {
                if schemes.as_ref().is_none_or(|schemes| schemes.node.get(name).is_none()) {
                    self.report.error(
                        &part,
                        format!("expected the security scheme '{name}', found none of this name"),
                    );
                }
                let scopes = self.texts(&part, name).unwrap_or_default();
                requirement.schemes.push((name.to_owned(), scopes));
            }
            requirements.push(requirement);
        }
        requirements
    }
}
