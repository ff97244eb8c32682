//! The request from outside that a call serves, as a view. Its names and texts lie elsewhere. It is for
//! providers that pass some of them on.

use std::borrow::Cow;
use std::fmt;

/// The headers of a request.
pub trait Headers: fmt::Debug + Sync {
    /// The value of a header, by its name in any case. Several values of one name are joined by `, `.
    fn value(&self, name: &str) -> Option<Cow<'_, str>>;
}

/// A request from outside. Only calls that serve one have it; those of `gantry call` do not.
#[derive(Clone, Copy, Debug)]
pub struct RequestView<'a> {
    /// The method, as sent.
    pub method: &'a str,
    /// The scheme: `http` or `https`.
    pub scheme: &'a str,
    /// The host and port in its target. Most requests name them in a header instead.
    pub authority: Option<&'a str>,
    /// The path, still percent-encoded.
    pub path: &'a str,
    /// The query, still percent-encoded; none if there is no `?`.
    pub query: Option<&'a str>,
    /// The headers.
    pub headers: &'a dyn Headers,
}

impl RequestView<'_> {
    /// The whole URL: scheme, host, path and query. Without a host it is only path and query.
    #[must_use]
    pub fn url(&self) -> String {
        let host = match self.authority {
            Some(authority) => Some(Cow::Borrowed(authority)),
            None => self.headers.value("host"),
        };
        let mut url = host.map_or_else(String::new, |host| format!("{}://{host}", self.scheme));
        url.push_str(self.path);
        if let Some(query) = self.query {
            url.push('?');
            url.push_str(query);
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Host(Option<&'static str>);

    impl Headers for Host {
        fn value(&self, name: &str) -> Option<Cow<'_, str>> {
            (name == "host").then_some(self.0?).map(Cow::Borrowed)
        }
    }

    #[test]
    fn a_url_has_what_is_known() {
        let cases = [
            (None, Some("a.example:2222"), Some("n=1"), "https://a.example:2222/books?n=1"),
            (Some("b.example"), Some("a.example"), None, "https://b.example/books"),
            (None, None, Some(""), "/books?"),
        ];
        for (authority, host, query, expected) in cases {
            let headers = &Host(host);
            let view =
                RequestView { method: "GET", scheme: "https", authority, path: "/books", query, headers };
            assert_eq!(view.url(), expected);
        }
    }
}
