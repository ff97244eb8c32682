//! Tells clients where to get a token for the tools: the protected resource metadata of RFC 9728,
//! as MCP demands.

use bytes::Bytes;
use failure::{Code, Failure, JSON};
use http::Response;
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, WWW_AUTHENTICATE,
};
use http::request::Parts;
use http_body_util::Full;
use serde_json::json;

use admission::Peer;

/// The path of the metadata of a host's resources (RFC 9728, 3.1). The metadata of one resource has
/// its path behind this.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The tools as a protected resource.
#[derive(Debug)]
pub(super) struct Resource {
    path: String,
    /// Its URL, if configured.
    url: Option<String>,
    issuers: Vec<String>,
    scopes: Vec<String>,
}

/// The additional part of a challenge.
pub(super) struct Challenge(String);

impl Resource {
    pub(super) fn new(path: &str, url: Option<String>, issuers: Vec<String>, scopes: Vec<String>) -> Self {
        Self { path: path.to_owned(), url, issuers, scopes }
    }

    /// True for the paths of the metadata. There are none without an issuer of tokens.
    pub(super) fn has(&self, path: &str) -> bool {
        !self.issuers.is_empty()
            && path.strip_prefix(WELL_KNOWN).is_some_and(|rest| rest.is_empty() || rest == self.path)
    }

    /// Answers with the metadata. Everybody may read them, also pages.
    pub(super) fn answer(&self, peer: &Peer, parts: &Parts) -> Result<Response<Full<Bytes>>, Failure> {
        let origin = self.origin(peer, parts).ok_or_else(|| Failure::new(Code::BadHost))?;
        let mut metadata = json!({
            "resource": format!("{origin}{}", self.path),
            "authorization_servers": self.issuers,
            "bearer_methods_supported": ["header"],
        });
        if !self.scopes.is_empty() {
            metadata["scopes_supported"] = json!(self.scopes);
        }
        let mut response = Response::new(Full::new(Bytes::from(metadata.to_string())));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        Ok(response)
    }

    /// The additional part of challenges to this request; none without an issuer of tokens.
    pub(super) fn challenge(&self, peer: &Peer, parts: &Parts) -> Option<Challenge> {
        if self.issuers.is_empty() {
            return None;
        }
        let origin = self.origin(peer, parts)?;
        Some(Challenge(format!(", resource_metadata=\"{origin}{WELL_KNOWN}{}\"", self.path)))
    }

    /// The scheme and host that the client used.
    fn origin(&self, peer: &Peer, parts: &Parts) -> Option<String> {
        if let Some(url) = &self.url {
            return url.strip_suffix(&self.path).map(str::to_owned);
        }
        let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = host.or_else(|| parts.uri.authority().map(|authority| authority.as_str()))?;
        let good = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
        let scheme = if peer.secure { "https" } else { "http" };
        (!host.is_empty() && host.chars().all(good)).then(|| format!("{scheme}://{host}"))
    }
}

impl Challenge {
    /// Adds the additional part to the challenges for tokens in an answer.
    pub(super) fn complete(&self, headers: &mut HeaderMap) {
        if !headers.contains_key(WWW_AUTHENTICATE) {
            return;
        }
        let challenges: Vec<HeaderValue> = headers.get_all(WWW_AUTHENTICATE).iter().cloned().collect();
        headers.remove(WWW_AUTHENTICATE);
        for challenge in challenges {
            let more = challenge.to_str().ok().filter(|text| text.starts_with("Bearer "));
            let completed = more.and_then(|text| HeaderValue::from_str(&format!("{text}{}", self.0)).ok());
            headers.append(WWW_AUTHENTICATE, completed.unwrap_or(challenge));
        }
    }
}
