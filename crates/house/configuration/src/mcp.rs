//! Makes tools from the configuration: the offered operations and their names.

use std::sync::Arc;

use ::api::{Api, Descriptions, OperationDescription, Route, Router};
use http::{HeaderName, Method};
use mcp::{Presentation, Tool, Wanted};
use security::{Cors, CorsSettings};
use serde::Deserialize;
use settings::GANTRY_FILE;
use toml::Spanned;

use super::loader::Loader;
use admission::Security;
use admission::config::{CallLimitsSection, SecurityReader};
use gateway::{McpSettings, Offered};

/// `[mcp]` of `gantry.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct McpSection {
    /// True if operations are offered as tools.
    enabled: bool,
    /// The path of the tools.
    path: Spanned<String>,
    /// APIs whose operations are tools; none for all.
    apis: Option<Vec<Spanned<String>>>,
    /// Web pages that may send messages.
    origins: Spanned<Vec<String>>,
    /// The URL of the path for clients, if the Host header does not show it.
    resource: Option<Spanned<String>>,
    /// The text about all tools that a client gives to its model.
    instructions: Option<String>,
    /// The limits of messages.
    limits: CallLimitsSection,
}

impl Default for McpSection {
    fn default() -> Self {
        Self {
            enabled: false,
            path: Spanned::new(0..0, "/mcp".to_owned()),
            apis: None,
            origins: Spanned::new(0..0, Vec::new()),
            resource: None,
            instructions: None,
            limits: CallLimitsSection::default(),
        }
    }
}

/// `mcp = true`, or `mcp = { name = "...", description = "..." }`.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected true, false, or a table with name, description and read_only, all optional"
)]
pub(crate) enum McpWord {
    Offered(bool),
    Shown(ToolSection),
}

/// An operation's form as a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolSection {
    name: Option<String>,
    description: Option<String>,
    read_only: Option<bool>,
}

/// The tool settings of an API. It has the same index as the API.
pub(super) struct ApiOffer {
    /// The file.
    pub(super) path: String,
    /// Whether its operations are tools; none if not given.
    pub(super) offered: Option<bool>,
    /// The settings of operations, with the same indexes.
    pub(super) operations: Vec<OperationOffer>,
}

/// The tool settings of an operation.
#[derive(Default)]
pub(super) struct OperationOffer {
    /// Whether it is a tool, and its form.
    pub(super) shown: Option<Spanned<McpWord>>,
    /// Scopes that a token must have.
    pub(super) scopes: Vec<Box<str>>,
}

/// Reads the settings of tools.
pub(super) struct McpReader<'a, 'f> {
    pub(super) loader: &'a mut Loader<'f>,
    /// The file of `[mcp]`.
    pub(super) path: &'a str,
    pub(super) security: &'a Security,
    pub(super) router: &'a Router,
}

impl<'a, 'f> McpReader<'a, 'f> {
    /// A reader of `[mcp]` in `gantry.toml`.
    pub(super) fn of(loader: &'a mut Loader<'f>, security: &'a Security, router: &'a Router) -> Self {
        Self { loader, path: GANTRY_FILE, security, router }
    }
}

/// An operation chosen as a tool.
struct Chosen<'c> {
    api: usize,
    operation: usize,
    description: OperationDescription,
    shown: Option<&'c Spanned<McpWord>>,
}

impl Chosen<'_> {
    fn section(&self) -> Option<&ToolSection> {
        match self.shown?.get_ref() {
            McpWord::Shown(section) => Some(section),
            McpWord::Offered(_) => None,
        }
    }
}

impl McpReader<'_, '_> {
    /// The tools of these APIs. Each API has its file at the same index.
    pub(super) fn mcp(
        &mut self,
        section: &McpSection,
        apis: &[Api],
        offers: &[ApiOffer],
    ) -> Option<McpSettings> {
        if !section.enabled {
            return None;
        }
        self.check_path(&section.path);
        self.check_apis(section, apis);
        let chosen = self.chosen(section, apis, offers);
        self.check_names(&chosen, offers);
        let named: Vec<Wanted<'_>> = chosen
            .iter()
            .map(|one| Wanted {
                api: apis[one.api].name(),
                id: &one.description.id,
                chosen: one.section().and_then(|section| section.name.as_deref()),
            })
            .collect();
        let names = mcp::names(&named);
        let withheld = self.withheld();
        let tools = chosen.iter().zip(names).map(|(one, name)| {
            let section = one.section();
            let presentation = Presentation {
                name,
                description: section.and_then(|section| section.description.clone()),
                read_only: section.and_then(|section| section.read_only),
            };
            let tool = Tool::new(&one.description, &presentation, &withheld);
            Offered { api: one.api, operation: one.operation, tool }
        });
        let tools = tools.collect();
        Some(McpSettings {
            path: section.path.get_ref().clone(),
            resource: self.resource(section),
            instructions: section.instructions.clone(),
            cors: self.cors(&section.origins)?,
            limiter: SecurityReader { loader: &mut self.loader.reading, path: self.path }
                .limiter(&section.limits)
                .map(Arc::new),
            issuers: self.issuers(),
            scopes: scopes(&chosen, offers),
            tools,
        })
    }

    fn check_path(&mut self, path: &Spanned<String>) {
        let text = path.get_ref();
        let good = |c: char| c.is_ascii_alphanumeric() || "/-._~".contains(c);
        if !text.starts_with('/') || text.len() < 2 || text.ends_with('/') || !text.chars().all(good) {
            let message = format!(
                "mcp.path is '{text}'; expected a path that starts with '/', does not end with it, and has letters, digits, '-', '.', '_' and '~'"
            );
            self.loader.at(self.path, path.span(), message);
        } else if !matches!(self.router.route(&Method::POST, text), Route::Unknown) {
            let message = format!("mcp.path is '{text}', which is a path of an API");
            self.loader.at(self.path, path.span(), message);
        }
    }

    fn check_apis(&mut self, section: &McpSection, apis: &[Api]) {
        for name in section.apis.iter().flatten() {
            if !apis.iter().any(|api| api.name() == name.get_ref()) {
                let known: Vec<&str> = apis.iter().map(Api::name).collect();
                let message = format!("there is no API '{}'; known: {}", name.get_ref(), known.join(", "));
                self.loader.at(self.path, name.span(), message);
            }
        }
    }

    /// The operations that are tools. The operation decides, else its API, else `[mcp]`.
    fn chosen<'c>(&self, section: &McpSection, apis: &[Api], offers: &'c [ApiOffer]) -> Vec<Chosen<'c>> {
        let mut chosen = Vec::new();
        for (at, (api, offer)) in apis.iter().zip(offers).enumerate() {
            let listed = section.apis.as_ref();
            let listed = listed.is_none_or(|names| names.iter().any(|name| name.get_ref() == api.name()));
            let offered = offer.offered.unwrap_or(listed);
            let mut descriptions: Option<Descriptions<'_>> = None;
            for (place, written) in offer.operations.iter().enumerate() {
                let offered = match written.shown.as_ref().map(Spanned::get_ref) {
                    Some(McpWord::Offered(offered)) => *offered,
                    Some(McpWord::Shown(_)) => true,
                    None => offered,
                };
                if !offered {
                    continue;
                }
                // The document is only read again if the API offers a tool.
                let descriptions = descriptions.get_or_insert_with(|| api.descriptions());
                if let Some(description) = descriptions.of(place) {
                    let shown = written.shown.as_ref();
                    chosen.push(Chosen { api: at, operation: place, description, shown });
                }
            }
        }
        chosen
    }

    fn check_names(&mut self, chosen: &[Chosen<'_>], offers: &[ApiOffer]) {
        let mut seen: Vec<&str> = Vec::new();
        for one in chosen {
            let Some(name) = one.section().and_then(|section| section.name.as_deref()) else { continue };
            let fault = match mcp::check_name(name) {
                Err(message) => Some(message),
                Ok(()) if seen.contains(&name) => {
                    Some(format!("'{name}' is already the name of another tool"))
                }
                Ok(()) => None,
            };
            seen.push(name);
            if let (Some(message), Some(shown)) = (fault, one.shown) {
                self.loader.at(&offers[one.api].path, shown.span(), message);
            }
        }
    }

    /// Headers for authentication. An argument may not set them.
    fn withheld(&self) -> Vec<HeaderName> {
        let mut names =
            vec![http::header::AUTHORIZATION, http::header::PROXY_AUTHORIZATION, http::header::COOKIE];
        names.extend(self.security.secret_headers());
        names
    }

    fn cors(&mut self, origins: &Spanned<Vec<String>>) -> Option<Cors> {
        if origins.get_ref().iter().any(|origin| origin == "*") {
            let message = "'*' would let every web page call tools of this machine; name the origins";
            self.loader.at(self.path, origins.span(), message);
            return None;
        }
        let mut headers = vec![
            http::header::AUTHORIZATION,
            http::header::CONTENT_TYPE,
            HeaderName::from_static("last-event-id"),
            HeaderName::from_static("mcp-method"),
            HeaderName::from_static("mcp-name"),
            HeaderName::from_static("mcp-protocol-version"),
            HeaderName::from_static("mcp-session-id"),
        ];
        headers.extend(self.security.secret_headers());
        let settings = CorsSettings {
            origins: origins.get_ref().clone(),
            headers,
            expose: vec![http::header::WWW_AUTHENTICATE, HeaderName::from_static("x-request-id")],
            max_age_s: PREFLIGHT_AGE_S,
            ..CorsSettings::default()
        };
        match Cors::new(&settings) {
            Ok(cors) => Some(cors),
            Err(message) => {
                self.loader.at(self.path, origins.span(), message);
                None
            }
        }
    }

    fn resource(&mut self, section: &McpSection) -> Option<String> {
        let resource = section.resource.as_ref()?;
        let text = resource.get_ref();
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let good = rest.and_then(|rest| rest.find('/').map(|at| (at > 0, &rest[at..])));
        if good != Some((true, section.path.get_ref())) || text.contains(['"', '\\', ' ']) {
            let message = format!(
                "mcp.resource is '{text}'; expected the URL of mcp.path as clients see it: https://HOST{}",
                section.path.get_ref()
            );
            self.loader.at(self.path, resource.span(), message);
        }
        Some(text.clone())
    }

    /// Issuers that are URLs. Clients cannot find the servers of other issuers.
    fn issuers(&self) -> Vec<String> {
        let is_url = |issuer: &&str| issuer.starts_with("https://") || issuer.starts_with("http://");
        self.security.token_issuers().filter(is_url).map(str::to_owned).collect()
    }
}

/// How long a browser remembers a preflight's answer.
const PREFLIGHT_AGE_S: u32 = 600;

fn scopes(chosen: &[Chosen<'_>], offers: &[ApiOffer]) -> Vec<String> {
    let written = |one: &Chosen<'_>| offers[one.api].operations.get(one.operation);
    let mut scopes: Vec<String> =
        chosen.iter().filter_map(written).flat_map(|offer| &offer.scopes).map(Box::to_string).collect();
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}
