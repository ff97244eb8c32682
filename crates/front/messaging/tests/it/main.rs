//! Requests that clients send, commands, and what is answered.

mod answers;
mod captured;
mod mqsc;
mod random;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use messaging::{Head, Operation, Request, Trouble, Version};

/// A request as a test writes it.
struct Sent<'t> {
    method: &'t str,
    target: &'t str,
    headers: &'t [(&'t str, &'t str)],
    body: &'t [u8],
}

impl Sent<'_> {
    fn operation(&self) -> Result<(Version, Operation), Trouble> {
        let mut headers = HeaderMap::new();
        for (name, value) in self.headers {
            let name: HeaderName = name.parse().expect("a name");
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).expect("a value"));
        }
        let method: Method = self.method.parse().expect("a method");
        let (path, query) = match self.target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (self.target, None),
        };
        let request = Request::route(Head { method: &method, path, query, headers: &headers })?;
        request.check_origin()?;
        let version = request.version;
        request.operation(Bytes::copy_from_slice(self.body)).map(|operation| (version, operation))
    }
}
