//! Context containers: facts about the request, for a program with a channel.
//!
//! Names and contents are those of z/OS Connect ("Context containers"), and `DFHWS-USERID` that of CICS's pipelines. All
//! are CHAR, kept in UTF-8: a program that names no code page gets them in that of its region.

use service::{CallContext, RequestView};
use wire::{Container, HEADERS, name};

/// The URI of the request.
const URI: &str = "DFHWS-URI";
/// Its query.
const QUERY: &str = "DFHWS-URI-QUERY";
/// Its method, filled with blanks to [`METHOD_BYTES`].
const METHOD: &str = "DFHHTTPMETHOD";
/// Who calls.
const USER: &str = "DFHWS-USERID";

const METHOD_BYTES: usize = 8;
const UTF_8: u16 = 1208;

/// The names of all context containers.
pub const CONTEXT_CONTAINERS: [&str; 5] = [URI, QUERY, METHOD, HEADERS, USER];

/// The parts of its request that a program gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextContainers {
    /// In which form it gets the URI.
    pub uri: UriForm,
    /// The headers that the program gets if the request has them. If the list is empty, there is no container
    /// for headers.
    pub headers: Vec<String>,
}

/// The two forms that z/OS Connect has for the URI and its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UriForm {
    /// The whole URL, and a container for the query only if there is one: zosConnect-2.0.
    Url,
    /// The path, and an empty container for the query if there is none: zosConnect-3.0.
    Path,
}

impl ContextContainers {
    /// Adds the containers of a call to those of its request. A container that the request already has stays
    /// as it is.
    pub(crate) fn add(&self, context: &CallContext<'_>, containers: &mut Vec<Container>) {
        let mut put = |container: &str, text: String| {
            let name = name(container);
            if containers.iter().all(|known| known.name != name) {
                containers.push(Container { name, ccsid: Some(UTF_8), bytes: text.into_bytes() });
            }
        };
        if let Some(request) = &context.request {
            put(METHOD, format!("{:METHOD_BYTES$}", request.method));
            match self.uri {
                UriForm::Url => {
                    put(URI, request.url());
                    if let Some(query) = request.query {
                        put(QUERY, query.to_owned());
                    }
                }
                UriForm::Path => {
                    put(URI, request.path.to_owned());
                    put(QUERY, request.query.unwrap_or_default().to_owned());
                }
            }
            if !self.headers.is_empty() {
                put(HEADERS, self.json(request));
            }
        }
        if let Some(caller) = context.caller {
            put(USER, caller.user.to_owned());
        }
    }

    /// `{"httpHeaders":{"name":"value"}}`.
    fn json(&self, request: &RequestView<'_>) -> String {
        let mut members = serde_json::Map::new();
        for header in &self.headers {
            if let Some(value) = request.headers.value(header) {
                members.insert(header.clone(), value.into());
            }
        }
        serde_json::json!({ "httpHeaders": members }).to_string()
    }
}

#[cfg(test)]
mod tests {
    use service::{Caller, Headers};
    use std::borrow::Cow;

    use super::*;

    #[derive(Debug)]
    struct One(&'static str, &'static str);

    impl Headers for One {
        fn value(&self, name: &str) -> Option<Cow<'_, str>> {
            name.eq_ignore_ascii_case(self.0).then_some(Cow::Borrowed(self.1))
        }
    }

    /// The containers of a call, each as `NAME=text`.
    fn containers(form: UriForm, headers: &[&str], request: Option<RequestView<'_>>) -> Vec<String> {
        let headers = headers.iter().map(|name| (*name).to_owned()).collect();
        let context = CallContext {
            service: "s",
            caller: Some(Caller { user: "maud\u{e9}", groups: &[] }),
            request,
            ..CallContext::default()
        };
        let mut containers = vec![Container { name: name("OWN"), ccsid: None, bytes: b"1".to_vec() }];
        ContextContainers { uri: form, headers }.add(&context, &mut containers);
        let shown = |container: &Container| {
            let name = String::from_utf8_lossy(&container.name).trim_end().to_owned();
            format!("{name}={}", String::from_utf8_lossy(&container.bytes))
        };
        containers.iter().map(shown).collect()
    }

    fn request<'r>(query: Option<&'r str>, headers: &'r dyn Headers) -> RequestView<'r> {
        let authority = Some("a.example");
        RequestView { method: "GET", scheme: "http", authority, path: "/books", query, headers }
    }

    #[test]
    fn both_forms_are_those_of_z_os_connect() {
        let headers = One("X-Note", "a \"b\"");
        assert_eq!(
            containers(UriForm::Url, &["X-Note", "X-Other"], Some(request(Some("n=1"), &headers))),
            [
                "OWN=1",
                "DFHHTTPMETHOD=GET     ",
                "DFHWS-URI=http://a.example/books?n=1",
                "DFHWS-URI-QUERY=n=1",
                r#"BAQHTTPHEADERS={"httpHeaders":{"X-Note":"a \"b\""}}"#,
                "DFHWS-USERID=maud\u{e9}",
            ]
        );
        assert_eq!(
            containers(UriForm::Url, &["X-Other"], Some(request(None, &headers))),
            [
                "OWN=1",
                "DFHHTTPMETHOD=GET     ",
                "DFHWS-URI=http://a.example/books",
                r#"BAQHTTPHEADERS={"httpHeaders":{}}"#,
                "DFHWS-USERID=maud\u{e9}",
            ]
        );
        assert_eq!(
            containers(UriForm::Path, &[], Some(request(None, &headers))),
            [
                "OWN=1",
                "DFHHTTPMETHOD=GET     ",
                "DFHWS-URI=/books",
                "DFHWS-URI-QUERY=",
                "DFHWS-USERID=maud\u{e9}",
            ]
        );
    }

    #[test]
    fn without_a_request_there_is_the_caller_alone() {
        assert_eq!(containers(UriForm::Url, &["X-Note"], None), ["OWN=1", "DFHWS-USERID=maud\u{e9}"]);
    }

    #[test]
    fn what_the_request_has_put_stays() {
        let mut containers = vec![Container { name: name(URI), ccsid: Some(37), bytes: b"own".to_vec() }];
        let headers = One("", "");
        let context =
            CallContext { service: "s", request: Some(request(None, &headers)), ..CallContext::default() };
        ContextContainers { uri: UriForm::Path, headers: Vec::new() }.add(&context, &mut containers);
        assert_eq!(
            (containers[0].ccsid, &*containers[0].bytes, containers.len()),
            (Some(37), &b"own"[..], 3)
        );
    }
}
