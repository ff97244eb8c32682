//! Values of path, query and header parameters, decoded.

use std::borrow::Cow;

use failure::{Code, Failure};
use http::HeaderMap;
use percent_encoding::percent_decode;
use routing::PathValues;

use crate::spec::Source;

/// Where the parameters of one request are.
#[derive(Clone, Copy)]
pub(crate) struct Parameters<'a> {
    pub(crate) path: &'a PathValues<'a>,
    pub(crate) query: &'a str,
    pub(crate) headers: &'a HeaderMap,
}

impl<'a> Parameters<'a> {
    /// The value of one parameter, if the request has it.
    ///
    /// # Errors
    /// It is given twice, or is not percent-encoded UTF-8.
    pub(crate) fn get(
        &self,
        source: Source,
        name: &str,
        position: usize,
    ) -> Result<Option<Cow<'a, str>>, Failure> {
        match source {
            Source::Path => {
                let value = self.path.nth(position);
                value.map(|value| decode(value.as_bytes(), source, name)).transpose()
            }
            Source::Query => self.query(name),
            Source::Header => self.header(name),
        }
    }

    fn query(&self, name: &str) -> Result<Option<Cow<'a, str>>, Failure> {
        let mut found = None;
        for pair in self.query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if decode_form(key, name)? == name && found.replace(value).is_some() {
                return Err(repeated(Source::Query, name));
            }
        }
        found.map(|value| decode_form(value, name)).transpose()
    }

    fn header(&self, name: &str) -> Result<Option<Cow<'a, str>>, Failure> {
        let mut values = self.headers.get_all(name).iter();
        let Some(value) = values.next() else { return Ok(None) };
        if values.next().is_some() {
            return Err(repeated(Source::Header, name));
        }
        let text = std::str::from_utf8(value.as_bytes()).map_err(|_| {
            Failure::with_details(Code::BadParameter, format!("header parameter {name}: not UTF-8"))
        })?;
        Ok(Some(Cow::Borrowed(text.trim())))
    }
}

fn repeated(source: Source, name: &str) -> Failure {
    Failure::with_details(Code::RepeatedParameter, format!("{} parameter {name}", source.word()))
}

/// Resolves percent escapes and plus signs, as forms write queries.
fn decode_form<'a>(text: &'a str, name: &str) -> Result<Cow<'a, str>, Failure> {
    if text.contains('+') {
        let spaced = text.replace('+', " ");
        return decode(spaced.as_bytes(), Source::Query, name).map(|text| Cow::Owned(text.into_owned()));
    }
    decode(text.as_bytes(), Source::Query, name)
}

fn decode<'a>(text: &'a [u8], source: Source, name: &str) -> Result<Cow<'a, str>, Failure> {
    let fault = |what: &str| {
        Failure::with_details(Code::BadUrl, format!("{} parameter {name}: {what}", source.word()))
    };
    if !escapes_are_whole(text) {
        return Err(fault("'%' without two hexadecimal digits"));
    }
    percent_decode(text).decode_utf8().map_err(|_| fault("not UTF-8"))
}

/// True if every percent sign begins an escape; the decoder would let others pass as they are.
fn escapes_are_whole(text: &[u8]) -> bool {
    let mut pieces = text.split(|byte| *byte == b'%');
    pieces.next();
    pieces.all(|piece| piece.len() >= 2 && piece[..2].iter().all(u8::is_ascii_hexdigit))
}
