//! Values of path, query and header parameters, decoded.

use std::borrow::Cow;

use failure::{Code, Failure};
use http::HeaderMap;
use percent::{BadText, form_decoded};
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
                value.map(|value| decoded(percent::decoded(value), source, name)).transpose()
            }
            Source::Query => self.query(name),
            Source::Header => self.header(name),
        }
    }

    /// Refuses a query with another parameter than those that are known.
    ///
    /// # Errors
    /// The name of the parameter; or it is not percent-encoded UTF-8.
    pub(crate) fn check_query(&self, is_known: impl Fn(&str) -> bool) -> Result<(), Failure> {
        for pair in self.query.split('&').filter(|pair| !pair.is_empty()) {
            let key = pair.split_once('=').map_or(pair, |(key, _)| key);
            let name = decoded(form_decoded(key), Source::Query, key)?;
            if !is_known(&name) {
                let details = format!("query parameter {name}: expected a parameter of the operation");
                return Err(Failure::with_details(Code::UnknownParameter, details));
            }
        }
        Ok(())
    }

    fn query(&self, name: &str) -> Result<Option<Cow<'a, str>>, Failure> {
        let mut found = None;
        for pair in self.query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if decoded(form_decoded(key), Source::Query, name)? == name && found.replace(value).is_some() {
                return Err(repeated(Source::Query, name));
            }
        }
        found.map(|value| decoded(form_decoded(value), Source::Query, name)).transpose()
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

/// A decoded text, or the failure of its parameter.
fn decoded<'a>(
    text: Result<Cow<'a, str>, BadText>,
    source: Source,
    name: &str,
) -> Result<Cow<'a, str>, Failure> {
    text.map_err(|fault| {
        let what = match fault {
            BadText::Escape => "'%' without two hexadecimal digits",
            BadText::NotUtf8 => "not UTF-8",
        };
        Failure::with_details(Code::BadUrl, format!("{} parameter {name}: {what}", source.word()))
    })
}
