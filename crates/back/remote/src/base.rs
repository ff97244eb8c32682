//! Where a connection leads: scheme, host, port and the path in front of all others, fixed when it is configured.

use std::fmt;

use http::Uri;
use http::uri::{Authority, Scheme};

/// The URL of a connection: `https://host[:port][/path]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    scheme: Scheme,
    authority: Authority,
    /// Without a slash at its end; empty for none.
    path: String,
}

/// Why a text is not a [`Base`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseError(String);

impl fmt::Display for BaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BaseError {}

impl Base {
    /// Reads a URL.
    ///
    /// # Errors
    /// It is not an absolute URL of HTTP, or it has a user, a query or a fragment.
    pub fn parse(text: &str) -> Result<Self, BaseError> {
        let wrong = |why: &str| BaseError(format!("'{text}' {why}"));
        let uri: Uri = text.parse().map_err(|_| wrong("is not a URL"))?;
        let parts = uri.into_parts();
        let scheme = parts.scheme.ok_or_else(|| wrong("has no scheme; expected https://HOST"))?;
        if scheme != Scheme::HTTPS && scheme != Scheme::HTTP {
            return Err(wrong("is neither https nor http"));
        }
        let authority = parts.authority.ok_or_else(|| wrong("names no host"))?;
        if authority.as_str().contains('@') {
            return Err(wrong("holds a user; credentials have keys of their own"));
        }
        if authority.host().is_empty() {
            return Err(wrong("names no host"));
        }
        if percent::port_of(authority.as_str(), authority.host()).is_err() {
            return Err(wrong("has a wrong port; expected 1 to 65535"));
        }
        let rest = parts.path_and_query.ok_or_else(|| wrong("has no path"))?;
        if rest.query().is_some() || text.contains('#') {
            return Err(wrong("has a query or a fragment, which belong to operations"));
        }
        Ok(Self { scheme, authority, path: rest.path().trim_end_matches('/').to_owned() })
    }

    /// True if the connection has TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    /// True if the host is this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        matches!(self.authority.host(), "localhost" | "127.0.0.1" | "[::1]")
    }

    /// The URL of a path, which begins with a slash or is empty, and its query.
    pub(crate) fn uri(&self, target: &str) -> Result<Uri, http::Error> {
        let slash = if self.path.is_empty() && !target.starts_with('/') { "/" } else { "" };
        let target = format!("{}{slash}{target}", self.path);
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(target)
            .build()
    }

    /// The path and query of a whole URL that is on the same server, at this path or below it.
    #[must_use]
    pub fn below(&self, url: &str) -> Option<String> {
        let uri: Uri = url.parse().ok()?;
        let same = uri.scheme() == Some(&self.scheme) && uri.authority() == Some(&self.authority);
        let target = uri.path_and_query().filter(|_| same && !url.contains('#'))?.as_str();
        let rest = target.strip_prefix(&self.path)?;
        let is_part = rest.is_empty() || rest.starts_with(['/', '?']);
        (is_part && !has_dot_segment(rest)).then(|| rest.to_owned())
    }

    /// How long its path is, in bytes.
    pub(crate) fn path_bytes(&self) -> usize {
        self.path.len()
    }

    /// The path and query of a redirect, if it is on the same server and below the same path.
    pub(crate) fn redirected(&self, location: &str) -> Option<String> {
        let uri: Uri = location.parse().ok()?;
        let same = match (uri.scheme(), uri.authority()) {
            (None, None) => location.starts_with('/') && !location.starts_with("//"),
            (Some(scheme), Some(authority)) => *scheme == self.scheme && *authority == self.authority,
            _ => false,
        };
        let target = uri.path_and_query().filter(|_| same)?.as_str();
        let rest = target.strip_prefix(&self.path)?;
        (rest.starts_with('/') && !has_dot_segment(rest)).then(|| rest.to_owned())
    }
}

/// True if a part of the path leads upwards or stays, plain or escaped. Servers differ in what ends a part: some read escapes
/// first, some take a backslash for a slash, and some leave out what follows a semicolon.
fn has_dot_segment(target: &str) -> bool {
    let path = target.split('?').next().unwrap_or_default().to_ascii_lowercase();
    let plain = path.replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\").replace("%3b", ";");
    plain.split(['/', '\\']).any(|part| matches!(part.split(';').next(), Some("." | "..")))
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_urls_are_bases() {
        let base = Base::parse("https://api.example.com:8443/shop/").expect("a base");
        assert_eq!(base.to_string(), "https://api.example.com:8443/shop");
        assert_eq!(
            base.uri("/items?a=1").expect("a URL").to_string(),
            "https://api.example.com:8443/shop/items?a=1"
        );
        assert_eq!(base.uri("").expect("a URL").to_string(), "https://api.example.com:8443/shop");
        let bare = Base::parse("https://api.example.com").expect("a base");
        assert_eq!(bare.uri("?a=1").expect("a URL").to_string(), "https://api.example.com/?a=1");
        assert!(base.is_secure() && !base.is_local());
        assert!(Base::parse("http://[::1]:80").expect("a base").is_local());
        for text in [
            "",
            "/x",
            "api.example.com",
            "ftp://h/",
            "https://u:p@h/",
            "https://h/?q=1",
            "https://h/#f",
            "https://",
            "https://h:99999/",
            "https://h:0/",
            "https://h:12ab/",
            "https://[::1]:65536/",
        ] {
            assert!(Base::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn whole_urls_are_below_or_not() {
        let base = Base::parse("https://h/shop").expect("a base");
        for (url, rest) in
            [("https://h/shop", ""), ("https://H/shop/a?b=c", "/a?b=c"), ("https://h/shop?b", "?b")]
        {
            assert_eq!(base.below(url).as_deref(), Some(rest), "{url}");
        }
        for url in [
            "/shop/a",
            "//h/shop",
            "http://h/shop",
            "https://h/shopping",
            "https://h/",
            "https://h:444/shop",
            "https://u@h/shop",
            "https://h/shop/../b",
            "https://h/shop/%2e%2E/b",
            "https://h/shop/..%2Fb",
            "https://h/shop/a%2f..",
            "https://h/shop/..%5Cb",
            "https://h/shop/..\\b",
            "https://h/shop/..;x/b",
            "https://h/shop/.%3b/b",
            "https://h/shop#a",
            "https://h/shop/a b",
            "",
        ] {
            assert_eq!(base.below(url), None, "{url}");
        }
        let bare = Base::parse("https://h").expect("a base");
        assert_eq!(bare.below("https://h/a").as_deref(), Some("/a"));
        assert_eq!(bare.below("https://h.example/a"), None);
    }

    #[test]
    fn redirects_stay_on_the_server() {
        let base = Base::parse("https://h/shop").expect("a base");
        assert_eq!(base.redirected("/shop/b?c=d").as_deref(), Some("/b?c=d"));
        assert_eq!(base.redirected("https://h/shop/b").as_deref(), Some("/b"));
        for location in [
            "http://h/shop/b",
            "https://other/shop/b",
            "//other/shop/b",
            "/b",
            "b",
            "https://h:444/shop/b",
            "/shop/../b",
            "/shop/%2e%2E/b",
            "/shop/..%2Fb",
            "/shopping",
        ] {
            assert_eq!(base.redirected(location), None, "{location}");
        }
    }
}
