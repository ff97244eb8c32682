//! Functions that encode text: base64 and the escapes of URLs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::Row;
use super::strings::{built, text};
use crate::error::Error;
use crate::evaluate::{Evaluation, Result};
use crate::value::Value;

pub(super) const TABLE: &[Row] = &[
    ("base64encode", "<s-:s>", base64_encode),
    ("base64decode", "<s-:s>", base64_decode),
    ("encodeUrlComponent", "<s-:s>", encode_component),
    ("encodeUrl", "<s-:s>", encode_url),
    ("decodeUrlComponent", "<s-:s>", decode_url),
    ("decodeUrl", "<s-:s>", decode_url),
];

/// The characters that ECMAScript's encodeURIComponent encodes.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// The characters that ECMAScript's encodeURI encodes.
const URL: &AsciiSet = &COMPONENT
    .remove(b';')
    .remove(b',')
    .remove(b'/')
    .remove(b'?')
    .remove(b':')
    .remove(b'@')
    .remove(b'&')
    .remove(b'=')
    .remove(b'+')
    .remove(b'$')
    .remove(b'#');

fn base64_encode(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    built(evaluation, text(arguments).map(|text| STANDARD.encode(text)))
}

fn base64_decode(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(text) = text(arguments) else { return Ok(Value::Undefined) };
    let bytes =
        STANDARD.decode(text).map_err(|error| Error::new("D3900", format!("$base64decode: {error}")))?;
    let decoded = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new("D3900", format!("$base64decode: expected UTF-8, found another byte at byte {at}"))
    })?;
    built(evaluation, Some(decoded))
}

fn encode_component(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    built(evaluation, text(arguments).map(|text| utf8_percent_encode(text, COMPONENT).to_string()))
}

fn encode_url(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    built(evaluation, text(arguments).map(|text| utf8_percent_encode(text, URL).to_string()))
}

fn decode_url(evaluation: &mut Evaluation, arguments: &[Value]) -> Result<Value> {
    let Some(text) = text(arguments) else { return Ok(Value::Undefined) };
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digits = |rest: &mut std::str::Bytes| rest.next().is_some_and(|byte| byte.is_ascii_hexdigit());
        if byte == b'%' && !(digits(&mut rest) && digits(&mut rest)) {
            return Err(Error::new("D3140", "% must be followed by two hexadecimal digits"));
        }
    }
    let decoded = percent_decode_str(text).decode_utf8();
    let decoded = decoded.map_err(|_| Error::new("D3140", "the decoded bytes are not UTF-8"))?;
    built(evaluation, Some(decoded.into_owned()))
}
