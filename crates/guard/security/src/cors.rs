//! Cross-origin resource sharing (the Fetch standard, 3.2): which web pages may read an API's answers.

use std::borrow::Cow;

use http::Method;
use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderName, HeaderValue,
    ORIGIN, VARY,
};

/// The most headers of a preflight. A preflight with more is refused unread.
const HEADERS_ASKED_MAX: usize = 64;

/// The longest name of a header that a refusal repeats.
const NAME_SHOWN_MAX_BYTES: usize = 100;

/// The configuration.
#[derive(Clone, Debug, Default)]
pub struct CorsSettings {
    /// Origins, as browsers write them (`https://shop.example.com`), or only `*`.
    pub origins: Vec<String>,
    /// Methods; none for all methods of the path.
    pub methods: Option<Vec<Method>>,
    /// Request headers that pages may set, beside those that are always allowed.
    pub headers: Vec<HeaderName>,
    /// Response headers that pages may read, beside those that are always allowed.
    pub expose: Vec<HeaderName>,
    /// Whether pages may send cookies, client certificates and the browser's own Basic credentials.
    pub credentials: bool,
    /// Seconds for which a browser remembers a preflight's answer.
    pub max_age_s: u32,
}

/// The rules of one API.
#[derive(Clone, Debug)]
pub struct Cors {
    /// None for any.
    origins: Option<Vec<HeaderValue>>,
    methods: Option<Vec<Method>>,
    headers: Vec<HeaderName>,
    headers_value: HeaderValue,
    expose: Option<HeaderValue>,
    credentials: bool,
    max_age: HeaderValue,
}

/// The result for an OPTIONS request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preflight {
    /// It is not a preflight, but an ordinary OPTIONS request.
    Not,
    /// The headers of a 204 answer.
    Allowed(HeaderMap),
    /// It asks for more than is allowed: what.
    Refused(Cow<'static, str>),
}

const ORIGIN_REFUSED: &str = "the origin is not allowed";
const METHOD_REFUSED: &str = "the method is not allowed";
const HEADER_REFUSED: &str = "a header of access-control-request-headers is not allowed (cors.headers)";
const ANY: HeaderValue = HeaderValue::from_static("*");

impl Cors {
    /// Compiles the rules.
    ///
    /// # Errors
    /// `*` stands with credentials or beside other origins, or a text is not an origin.
    pub fn new(settings: &CorsSettings) -> Result<Self, String> {
        let any = settings.origins.iter().any(|origin| origin == "*");
        if any && settings.credentials {
            return Err("'*' with credentials would let every web page act for its reader; name the origins"
                .to_owned());
        }
        if any && settings.origins.len() > 1 {
            return Err("'*' must be the only origin".to_owned());
        }
        let origins: Result<Vec<_>, String> =
            settings.origins.iter().map(|origin| origin_value(origin)).collect();
        let join = |names: &[HeaderName]| {
            let names: Vec<&str> = names.iter().map(HeaderName::as_str).collect();
            HeaderValue::from_str(&names.join(", ")).expect("names of headers are a header's value")
        };
        Ok(Self {
            origins: if any { None } else { Some(origins?) },
            methods: settings.methods.clone(),
            headers: settings.headers.clone(),
            headers_value: join(&settings.headers),
            expose: (!settings.expose.is_empty()).then(|| join(&settings.expose)),
            credentials: settings.credentials,
            max_age: HeaderValue::from(settings.max_age_s),
        })
    }

    /// Answers a preflight for a path that offers these methods (`GET, PUT`).
    #[must_use]
    pub fn preflight(&self, request: &HeaderMap, offered: &str) -> Preflight {
        let (Some(origin), Some(method)) = (request.get(ORIGIN), request.get(ACCESS_CONTROL_REQUEST_METHOD))
        else {
            return Preflight::Not;
        };
        let mut headers = HeaderMap::new();
        if !self.allow_origin(origin, &mut headers) {
            return Preflight::Refused(ORIGIN_REFUSED.into());
        }
        let methods: Vec<&str> = offered.split(", ").filter(|method| self.allows_method(method)).collect();
        if !methods.iter().any(|allowed| method == allowed) {
            return Preflight::Refused(METHOD_REFUSED.into());
        }
        if let Err(why) = self.check_headers(request) {
            return Preflight::Refused(why);
        }
        if let Ok(methods) = HeaderValue::from_str(&methods.join(", ")) {
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        }
        if !self.headers.is_empty() {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, self.headers_value.clone());
        }
        headers.insert(ACCESS_CONTROL_MAX_AGE, self.max_age.clone());
        headers.append(VARY, HeaderValue::from_name(ACCESS_CONTROL_REQUEST_METHOD));
        headers.append(VARY, HeaderValue::from_name(ACCESS_CONTROL_REQUEST_HEADERS));
        Preflight::Allowed(headers)
    }

    /// Whether a request comes from no page, or from an allowed one. It guards requests that other
    /// pages must not even send.
    #[must_use]
    pub fn allows(&self, request: &HeaderMap) -> bool {
        let known = |origin| self.origins.as_ref().is_none_or(|origins| origins.contains(origin));
        request.get_all(ORIGIN).iter().all(known)
    }

    /// Adds the headers that let the page of this request read the answer; none if it may not.
    pub fn answer(&self, request: &HeaderMap, response: &mut HeaderMap) {
        let Some(origin) = request.get(ORIGIN) else {
            if self.origins.is_some() {
                response.append(VARY, HeaderValue::from_name(ORIGIN));
            }
            return;
        };
        if self.allow_origin(origin, response)
            && let Some(expose) = &self.expose
        {
            response.insert(ACCESS_CONTROL_EXPOSE_HEADERS, expose.clone());
        }
    }

    fn allow_origin(&self, origin: &HeaderValue, headers: &mut HeaderMap) -> bool {
        let Some(origins) = &self.origins else {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
            return true;
        };
        // The answer depends on the origin. Caches must know this, too.
        headers.append(VARY, HeaderValue::from_name(ORIGIN));
        let Some(known) = origins.iter().find(|known| *known == origin) else { return false };
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, known.clone());
        if self.credentials {
            headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        }
        true
    }

    fn allows_method(&self, method: &str) -> bool {
        self.methods.as_ref().is_none_or(|methods| methods.iter().any(|allowed| allowed.as_str() == method))
    }

    /// Refuses headers that a page may not set. The reason names the first of them: its page's developer looks for it.
    fn check_headers(&self, request: &HeaderMap) -> Result<(), Cow<'static, str>> {
        let asked = request.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter();
        let names = asked.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
        let mut names = names.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty());
        let known = |name: &[u8]| {
            self.headers.iter().any(|known| known.as_str().as_bytes().eq_ignore_ascii_case(name))
        };
        match names.by_ref().take(HEADERS_ASKED_MAX).find(|name| !known(name)) {
            None if names.next().is_none() => Ok(()),
            // A text that is not a name of a header is not repeated to a browser.
            Some(name) if name.len() <= NAME_SHOWN_MAX_BYTES => match HeaderName::from_bytes(name) {
                Ok(name) => Err(format!("the header '{name}' is not allowed (cors.headers)").into()),
                Err(_) => Err(HEADER_REFUSED.into()),
            },
            _ => Err(HEADER_REFUSED.into()),
        }
    }
}

/// Checks that an origin has the form that browsers send: scheme, host and perhaps a port, in lower
/// case, without a path.
fn origin_value(origin: &str) -> Result<HeaderValue, String> {
    let wrong =
        || format!("'{origin}' is not an origin: expected https://host or https://host:port, in lower case");
    if origin == "*" {
        return Ok(ANY);
    }
    let (scheme, rest) = origin.split_once("://").ok_or_else(wrong)?;
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.:[]_+".contains(c);
    if scheme.is_empty() || rest.is_empty() || !scheme.chars().chain(rest.chars()).all(good) {
        return Err(wrong());
    }
    HeaderValue::from_str(origin).map_err(|_| wrong())
}
