//! Paths of programs that answer requests over HTTP themselves: which one has a request.

use std::sync::Arc;

use http::request::Parts;
use metrics::{Metrics, ServiceMetrics};
use service::Service;

use crate::handler::CountedService;
use crate::loaded::LoadedUriMap;
use crate::sight::named_host;

/// A path, with the program that answers its requests.
#[derive(Debug)]
pub(crate) struct UriMapEntry {
    /// The index of its API.
    pub(crate) api: usize,
    pub(crate) name: String,
    pub(crate) charset: String,
    host: Option<String>,
    /// The path without the `*` at its end.
    path: String,
    /// All paths that begin with the path.
    is_open: bool,
    service: Arc<Service>,
    metrics: ServiceMetrics,
}

impl UriMapEntry {
    fn new(loaded: LoadedUriMap, metrics: &Metrics) -> Self {
        let LoadedUriMap { api, name, path, host, charset, service } = loaded;
        let is_open = path.ends_with('*');
        let path = path.trim_end_matches('*').to_owned();
        let metrics = metrics.service(&service.name);
        Self { api, name, charset, host, path, is_open, service, metrics }
    }

    fn has(&self, path: &str, host: &str) -> bool {
        let fits = if self.is_open { path.starts_with(&self.path) } else { path == self.path };
        fits && self.host.as_ref().is_none_or(|own| own.eq_ignore_ascii_case(host))
    }

    /// The program, ready for a call.
    pub(crate) fn counted(&self) -> CountedService<'_> {
        CountedService { service: &self.service, metrics: &self.metrics }
    }
}

/// All paths, the most specific first: those with a host, then whole paths, then long ones.
#[derive(Debug, Default)]
pub(crate) struct UriMaps(Vec<UriMapEntry>);

impl UriMaps {
    pub(crate) fn new(loaded: Vec<LoadedUriMap>, metrics: &Metrics) -> Self {
        let mut entries: Vec<UriMapEntry> =
            loaded.into_iter().map(|loaded| UriMapEntry::new(loaded, metrics)).collect();
        entries
            .sort_by_key(|entry| (entry.host.is_none(), entry.is_open, std::cmp::Reverse(entry.path.len())));
        Self(entries)
    }

    /// True if there are any.
    #[inline]
    pub(crate) fn has_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// The path that a request has.
    pub(crate) fn of(&self, parts: &Parts) -> Option<&UriMapEntry> {
        let (host, _) = host_and_port(parts);
        self.0.iter().find(|entry| entry.has(parts.uri.path(), host))
    }
}

/// The host that a request names, and its port if it names one.
pub(crate) fn host_and_port(parts: &Parts) -> (&str, Option<u16>) {
    let text = named_host(parts).unwrap_or_default();
    let after = text.rfind(']').map_or(0, |bracket| bracket + 1);
    match text[after..].rfind(':') {
        Some(colon) => (&text[..after + colon], text[after + colon + 1..].parse().ok()),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http::header::HOST;

    use super::*;

    #[test]
    fn hosts_are_told_from_ports() {
        for (uri, header, expected) in [
            ("/a", "b.example:81", ("b.example", Some(81))),
            ("/a", "b.example", ("b.example", None)),
            ("/a", "[::1]:81", ("[::1]", Some(81))),
            ("/a", "[::1]", ("[::1]", None)),
            ("http://c.example:82/a", "b.example", ("c.example", Some(82))),
        ] {
            let request = Request::builder().uri(uri).header(HOST, header).body(()).expect("a request");
            assert_eq!(host_and_port(&request.into_parts().0), expected, "{uri} {header}");
        }
    }
}
