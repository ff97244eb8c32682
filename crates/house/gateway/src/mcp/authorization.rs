//! Where a client gets a token for the tools: the protected resource metadata of RFC 9728, as MCP wants it.

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

/// Where the metadata of a host's resources are (RFC 9728, 3.1); that of one resource has its path behind it.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The tools as a protected resource.
#[derive(Debug)]
pub(super) struct Resource {
    path: String,
    /// Its URL, if the configuration says it.
    url: Option<String>,
    issuers: Vec<String>,
    scopes: Vec<String>,
}

/// What a challenge says beside what it says to everybody.
pub(super) struct Challenge(String);

impl Resource {
    pub(super) fn new(path: &str, url: Option<String>, issuers: Vec<String>, scopes: Vec<String>) -> Self {
        Self { path: path.to_owned(), url, issuers, scopes }
    }

    /// True for the paths of the metadata; there are none without an issuer of tokens.
    pub(super) fn has(&self, path: &str) -> bool {
        !self.issuers.is_empty()
            && path.strip_prefix(WELL_KNOWN).is_some_and(|rest| rest.is_empty() || rest == self.path)
    }

    /// Answers with the metadata. They are for everybody, pages too.
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

    /// What challenges to this request say beside the usual; none without an issuer of tokens.
    pub(super) fn challenge(&self, peer: &Peer, parts: &Parts) -> Option<Challenge> {
        if self.issuers.is_empty() {
            return None;
        }
        let origin = self.origin(peer, parts)?;
        Some(Challenge(format!(", resource_metadata=\"{origin}{WELL_KNOWN}{}\"", self.path)))
    }

    /// Scheme and host by which the client came.
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
    /// Completes the challenges for tokens in an answer.
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
