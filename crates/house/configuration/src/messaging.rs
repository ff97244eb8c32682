//! Reads `[messaging]` into the messaging interface: the rights of callers to queues.

use std::sync::Arc;

use api::{Api, Document, ElsewhereSpec};
use serde::Deserialize;
use toml::Spanned;

use super::apis::Apis;
use super::loader::Loader;
use super::mcp::ApiOffer;
use super::written::GantryFile;
use admission::Security;
use admission::config::{
    ApiSections, CallLimitsSection, CorsSection, OperationSections, OwnSecuritySection, SecurityReader,
};
use gateway::{Grant, MessagingLimits, MessagingSettings, Right, messaging_operations};
use messaging::{DOCUMENT, DOCUMENT_PATH, ROOT};
use queue_config::QueueManagerSection;
use recording::config::{Around, ChainSection, Interceptors};
use settings::GANTRY_FILE;

/// The name of the interface's API.
const NAME: &str = "messaging";

/// `[messaging]` of `gantry.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct MessagingSection {
    /// Whether the interface exists. The default is true if there is a queue manager.
    enabled: Option<bool>,
    security: OwnSecuritySection,
    limits: CallLimitsSection,
    cors: Option<CorsSection>,
    interceptors: ChainSection,
    policy: Option<Spanned<String>>,
    /// The rights of groups to queues.
    grant: Vec<GrantSection>,
    message_max_bytes: Option<usize>,
    wait_max_ms: Option<u32>,
    list_max: Option<u32>,
    reserve_max_ms: Option<u32>,
}

/// `[[messaging.grant]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantSection {
    queues: Spanned<Vec<Box<str>>>,
    groups: Vec<Box<str>>,
    rights: Vec<RightWord>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RightWord {
    Put,
    Get,
    Browse,
    Administer,
}

impl RightWord {
    fn right(self) -> Right {
        match self {
            Self::Put => Right::Put,
            Self::Get => Right::Get,
            Self::Browse => Right::Browse,
            Self::Administer => Right::Administer,
        }
    }
}

impl Loader<'_> {
    /// Makes the messaging interface, if there is a queue manager of this name. It is one of the
    /// APIs.
    pub(super) fn messaging(
        &mut self,
        loaded: &mut Apis,
        gantry: &GantryFile,
        security: &Security,
        interceptors: &mut Interceptors,
    ) -> Option<MessagingSettings> {
        let messaging = self.messaging_of(loaded, gantry, security, interceptors);
        self.warn_of_tokens(gantry, messaging.as_ref());
        messaging
    }

    fn messaging_of(
        &mut self,
        loaded: &mut Apis,
        gantry: &GantryFile,
        security: &Security,
        interceptors: &mut Interceptors,
    ) -> Option<MessagingSettings> {
        let section = &gantry.messaging;
        let Some(manager) = gantry.queue_manager.as_ref().map(QueueManagerSection::name) else {
            if section.enabled == Some(true) {
                self.at_file(GANTRY_FILE, "[messaging] is enabled, but there is no [queue_manager]");
            }
            return None;
        };
        if section.enabled == Some(false) {
            return None;
        }
        if loaded.apis.iter().any(|api| api.name() == NAME) {
            let message = format!("'{NAME}' is the name of the messaging interface; rename the API");
            self.at_file(&format!("apis/{NAME}/api.toml"), message);
            return None;
        }
        if let Some(grant) = section.grant.first().filter(|_| security.knows_nobody()) {
            let message = "the grants are for groups of callers, and gantry.toml has no [[security.authenticator]] that \
                says who calls: nobody may put, get or browse";
            self.warn_at(GANTRY_FILE, grant.queues.span(), message);
        }
        for grant in &section.grant {
            let is_name = |name: &str| !name.is_empty() && !name.trim_end_matches('*').contains('*');
            if !grant.queues.get_ref().iter().all(|name| is_name(name)) {
                let message = "expected names of queues, with an asterisk at the end if need be";
                self.at(GANTRY_FILE, grant.queues.span(), message);
            }
        }
        let mut reader = SecurityReader { loader: &mut self.reading, path: GANTRY_FILE };
        let sections =
            ApiSections { security: &section.security, limits: &section.limits, cors: section.cors.as_ref() };
        let mut guard = reader.api(security, sections);
        let unlimited = CallLimitsSection::default();
        for _ in messaging_operations() {
            let operation =
                OperationSections { scopes: &[], limits: &unlimited, services: Vec::new(), roles: None };
            let own = reader.operation(security, &guard, &operation);
            guard.operations.push(own);
        }
        let around = Around {
            path: GANTRY_FILE.to_owned(),
            chain: section.interceptors.clone(),
            policy: section.policy.clone(),
        };
        interceptors.api(self, &around);
        let api = loaded.apis.len();
        loaded.apis.push(Api::elsewhere(described(manager)));
        loaded.guards.push(guard);
        let (path, operations) = (around.path, Vec::new());
        loaded.offers.push(ApiOffer { path, offered: Some(false), operations });
        let (grants, limits) = (section.grants(), section.limits_of_messages());
        Some(MessagingSettings { api, grants, limits, confirmed: Arc::default() })
    }
}

impl Loader<'_> {
    /// Warns of tokens that nobody gets here, because there is no messaging interface with a login.
    fn warn_of_tokens(&mut self, gantry: &GantryFile, messaging: Option<&MessagingSettings>) {
        if let (None, Some(place)) = (messaging, gantry.security.own_tokens()) {
            let message = "callers get these tokens from the login of the messaging interface, which needs a \
                [queue_manager] and [messaging] that is enabled: this gateway gives out none. It takes those of others with the same key";
            self.warn_at(GANTRY_FILE, place, message);
        }
    }
}

impl MessagingSection {
    fn grants(&self) -> Vec<Grant> {
        let grant = |written: &GrantSection| Grant {
            queues: written.queues.get_ref().clone(),
            groups: written.groups.clone(),
            rights: written.rights.iter().map(|word| word.right()).collect(),
        };
        self.grant.iter().map(grant).collect()
    }

    fn limits_of_messages(&self) -> MessagingLimits {
        let usual = MessagingLimits::default();
        MessagingLimits {
            message_max_bytes: self.message_max_bytes.unwrap_or(usual.message_max_bytes),
            wait_max_ms: self.wait_max_ms.unwrap_or(usual.wait_max_ms),
            list_max: self.list_max.unwrap_or(usual.list_max),
            reserve_max_ms: self.reserve_max_ms.unwrap_or(usual.reserve_max_ms),
        }
    }
}

fn described(manager: &str) -> ElsewhereSpec {
    ElsewhereSpec {
        name: NAME.to_owned(),
        description: format!("The queue manager {manager}, as clients of IBM MQ speak to it."),
        path: ROOT.trim_end_matches('/').to_owned(),
        operations: messaging_operations().map(|name| (name.to_owned(), manager.to_owned())).collect(),
        document: Some(Document {
            path: DOCUMENT_PATH.to_owned(),
            content_type: "application/json",
            text: Arc::from(DOCUMENT.as_bytes()),
        }),
    }
}
