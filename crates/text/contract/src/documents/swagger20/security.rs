//! Security schemes and requirements in the words of Swagger 2.0.

use document::{Node, Part};

use super::Writer;
use crate::documents::build::{Members, array, text};
use crate::documents::schema20::copied;

/// OAuth's flows by their names in OpenAPI 3 and in Swagger 2.0.
const FLOWS: [(&str, &str); 4] = [
    ("implicit", "implicit"),
    ("password", "password"),
    ("clientCredentials", "application"),
    ("authorizationCode", "accessCode"),
];

impl<'d, 't> Writer<'d, 't, '_, '_> {
    /// The schemes that Swagger can have.
    pub(super) fn security_definitions(&mut self, root: &Part<'d, 't>) -> Members<'t> {
        let schemes = root.member("components").and_then(|components| components.member("securitySchemes"));
        let mut made = Members::default();
        for (name, part) in schemes.iter().flat_map(Part::members) {
            let Some(part) = self.resolved(&part) else { continue };
            match self.scheme(&part) {
                Some(mut scheme) => {
                    scheme.put_some("description", part.node.get("description").cloned());
                    made.put(name, scheme.into_node());
                }
                None => {
                    self.report.warning(&part, format!("Swagger 2.0 cannot say the security scheme '{name}'"))
                }
            }
        }
        made
    }

    fn scheme(&mut self, part: &Part<'d, 't>) -> Option<Members<'t>> {
        let mut made = Members::default();
        let kind = part.text("type")?;
        match (kind, part.text("scheme").map(str::to_ascii_lowercase).as_deref(), part.text("in")) {
            ("http", Some("basic"), _) => made.put("type", text("basic")),
            // For Swagger, a token is a key in a header.
            ("http", Some("bearer"), _) => {
                made.put("type", text("apiKey"));
                made.put("name", text("Authorization"));
                made.put("in", text("header"));
            }
            ("apiKey", _, Some("header" | "query")) => {
                for name in ["type", "name", "in"] {
                    made.put_some(name, part.node.get(name).cloned());
                }
            }
            ("oauth2", _, _) => {
                let flows = part.member("flows")?;
                let (flow, word) =
                    FLOWS.iter().find_map(|(name, word)| Some((flows.member(name)?, *word)))?;
                if flows.members().count() > 1 {
                    self.report.warning(&flows, format!("Swagger 2.0 has one flow for each scheme: {word}"));
                }
                made.put("type", text("oauth2"));
                made.put("flow", text(word));
                for name in ["authorizationUrl", "tokenUrl", "scopes"] {
                    made.put_some(name, flow.node.get(name).cloned());
                }
            }
            _ => return None,
        }
        Some(made)
    }

    /// Requirements without those whose schemes Swagger cannot have.
    pub(super) fn requirements(&mut self, list: &Part<'d, 't>, schemes: &Members<'t>) -> Node<'t> {
        let mut made: Vec<Node<'t>> = Vec::new();
        for part in list.elements() {
            if part.members().all(|(name, _)| schemes.get(name).is_some()) {
                made.push(copied(&part));
            } else {
                self.report.warning(&part, "Swagger 2.0 cannot say this security requirement");
            }
        }
        array(made)
    }
}
