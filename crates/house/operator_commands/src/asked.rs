//! Sends requests to the admin address of a gateway.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use http::{Method, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use remote::{ApiKeyPlace, Auth, ErrorKind};
use security::Secret;
use serde_json::Value;

use crate::{Kind, Place, Trouble};
use remote::json_server::{AskSettings, JsonServer, Question};

/// The longest wait for an answer.
pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(30);

/// The longest wait for the answer to a check of health, which is ready at once.
pub(crate) const HEALTH_MAX: Duration = Duration::from_secs(5);

/// The longest wait for work on a whole store, a queue or a folder.
pub(crate) const WORK_MAX: Duration = Duration::from_secs(3_600);

/// The longest answer: a trace or a dump at its limits fits.
const ANSWER_MAX_BYTES: usize = 64 * 1024 * 1024;

/// The longest password or key, in bytes.
const SECRET_MAX_BYTES: u64 = 4_096;

/// The characters to escape in a part of a path.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~');

/// A name as a part of a path. Full stops are escaped, too, so that no name can mean a parent
/// folder.
pub(crate) fn escaped(name: &str) -> String {
    utf8_percent_encode(name, ESCAPED).to_string()
}

/// A gateway.
pub(crate) struct Gateway {
    server: JsonServer,
    url: String,
    /// The kind of credentials; none without credentials.
    presented: Option<&'static str>,
    runtime: tokio::runtime::Runtime,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) value: Value,
}

/// The remedy for a failure to connect, by the words that hyper and rustls have for it.
fn remedy(message: &str) -> &'static str {
    match () {
        () if message.contains("invalid HTTP version") => "the address speaks TLS: --admin https://HOST:PORT",
        () if message.contains("InvalidContentType") => "the address has no TLS: --admin http://HOST:PORT",
        () if message.contains("UnknownIssuer") => "trust its certificate with --ca FILE",
        () if message.contains("CaUsedAsEndEntity") => {
            "its certificate is that of an authority: make one with -addext basicConstraints=critical,CA:FALSE \
             -addext subjectAltName=DNS:NAME"
        }
        () if message.contains("certificate not valid for name") => {
            "--admin must have a name of the certificate: make one with the name that you use, by -addext subjectAltName"
        }
        () => {
            "the gateway must run, with [admin] in its gantry.toml; --admin HOST:PORT names another address"
        }
    }
}

impl Gateway {
    /// The gateway at a place. It is not connected yet. `usual` is how long its answers are waited for, if the place does not
    /// say that.
    ///
    /// # Errors
    /// The URL is not valid or not safe, or a file cannot be read.
    pub(crate) fn at(place: &Place, usual: Duration) -> Result<Self, Trouble> {
        let auth = auth(place).map_err(Trouble::refused)?;
        // An address without a scheme, as `gantry serve --admin` takes it.
        let is_address = place.admin.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let url = match is_address && !place.admin.contains("://") {
            true => format!("http://{}", place.admin),
            false => place.admin.clone(),
        };
        let settings = AskSettings {
            url: &url,
            ca: place.ca.as_deref(),
            timeout: place.timeout_s.map_or(usual, Duration::from_secs),
            answer_max_bytes: ANSWER_MAX_BYTES,
        };
        let server = JsonServer::known(settings, auth)
            .map_err(|error| Trouble::refused(format!("--admin: {error}")))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Trouble::refused(error.to_string()))?;
        let presented = match (&place.user, &place.key_file) {
            (_, Some(_)) => Some("the API key"),
            (Some(_), None) => Some("the user or the password"),
            (None, None) => None,
        };
        Ok(Self { server, url, presented, runtime })
    }

    /// Sends a request of administration.
    ///
    /// # Errors
    /// The gateway was not reached, or did not carry the request out.
    pub(crate) fn ask(&self, method: Method, target: String, body: Option<Value>) -> Result<Answer, Trouble> {
        let text = self.text(method, target, body)?;
        match serde_json::from_str(&text) {
            Ok(value) => Ok(Answer { text, value }),
            Err(_) => {
                let message =
                    format!("{}: expected JSON of the admin address, found something else", self.url);
                Err(Trouble { kind: Kind::NotReached, message })
            }
        }
    }

    /// Sends a request whose answer is a word for people.
    ///
    /// # Errors
    /// The gateway was not reached, or its answer is a failure.
    pub(crate) fn word(&self, method: Method, target: String) -> Result<String, Trouble> {
        self.text(method, target, None)
    }

    /// The body of an answer with status 200.
    fn text(&self, method: Method, target: String, body: Option<Value>) -> Result<String, Trouble> {
        let json = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let question = Question { method, target, json };
        let answer =
            self.runtime.block_on(self.server.ask(question)).map_err(|(kind, message)| match kind {
                ErrorKind::TimedOut => {
                    let remedy = "it may still carry the command out; --timeout-s waits longer";
                    let message = format!("the gateway has not answered: {message}; {remedy}");
                    Trouble { kind: Kind::NotReached, message }
                }
                ErrorKind::Unreachable | ErrorKind::Broken => {
                    let message = format!("could not reach the gateway: {message}; {}", remedy(&message));
                    Trouble { kind: Kind::NotReached, message }
                }
                _ => Trouble::refused(message),
            })?;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        if answer.status != StatusCode::OK {
            return Err(self.refusal(answer.status, &text));
        }
        Ok(text)
    }

    fn refusal(&self, status: StatusCode, text: &str) -> Trouble {
        let told = told(text);
        match status {
            StatusCode::UNAUTHORIZED => {
                let why = match self.presented {
                    Some(presented) => format!("{presented} is wrong, or is not accepted here"),
                    None => {
                        "the gateway needs credentials: --user with --password-file, or --key-file".to_owned()
                    }
                };
                Trouble { kind: Kind::NotAuthorized, message: format!("{}: {why} ({told})", self.url) }
            }
            StatusCode::FORBIDDEN => Trouble {
                kind: Kind::NotAuthorized,
                message: format!("{}: this user is not authorized: {told}", self.url),
            },
            _ => Trouble::refused(told),
        }
    }
}

/// The text of a refusal on one line: the message of its JSON, or its plain text.
fn told(text: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(text).ok();
    let message = parsed.as_ref().and_then(|value| {
        let message = value.get("errorMessage")?.as_str()?;
        Some(match value.get("errorDetails").and_then(Value::as_str) {
            Some(details) => format!("{message} ({details})"),
            None => message.to_owned(),
        })
    });
    let message = message.unwrap_or_else(|| text.trim().to_owned());
    super::table::visible(if message.is_empty() { "no reason is given" } else { &message })
}

fn auth(place: &Place) -> Result<Auth, String> {
    match (&place.user, &place.password_file, &place.key_file) {
        (None, None, None) => Ok(Auth::None),
        (Some(user), Some(file), None) => Auth::basic(user, &secret(file)?),
        (None, None, Some(file)) => Auth::api_key(ApiKeyPlace::Header, &place.key_header, secret(file)?),
        (_, _, Some(_)) => Err("--key-file is in place of --user and --password-file".to_owned()),
        _ => Err("--user and --password-file go together".to_owned()),
    }
}

/// The first line of a file.
fn secret(file: &Path) -> Result<Secret, String> {
    let describe = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut text = String::new();
    let read = File::open(file).map_err(describe)?.take(SECRET_MAX_BYTES).read_to_string(&mut text);
    read.map_err(describe)?;
    text.truncate(text.find('\n').unwrap_or(text.len()));
    Ok(Secret::from_text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_that_is_refused_leads_to_one_that_is_not() {
        let authority = "invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))";
        assert!(remedy(authority).contains("CA:FALSE"));
        let name =
            "invalid peer certificate: certificate not valid for name \"localhost\"; not valid for any names";
        assert!(remedy(name).contains("subjectAltName"));
        assert!(remedy("Connection refused").contains("must run"));
    }

    #[test]
    fn names_stay_one_part_of_the_path() {
        assert_eq!(escaped("../A B/Ü"), "%2E%2E%2FA%20B%2F%C3%9C");
    }

    #[test]
    fn refusals_are_told_on_one_line() {
        assert_eq!(told("there is no region\n"), "there is no region");
        assert_eq!(
            told(r#"{"errorMessage":"GTY0432W: who?","errorDetails":"a\u001b[1mb"}"#),
            "GTY0432W: who? (a.[1mb)"
        );
        assert_eq!(told(""), "no reason is given");
    }
}
