//! WebAssembly text to the bytes of a module; a fault has its place in the text.

use std::borrow::Cow;

use wast::parser::{ParseBuffer, parse};

use crate::{Error, Kind};

/// The beginning of every module in binary form.
const MAGIC: &[u8] = b"\0asm";

/// The bytes of a module that was given as binary or as text.
pub(crate) fn binary(source: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
    if source.starts_with(MAGIC) {
        return Ok(Cow::Borrowed(source));
    }
    let text = std::str::from_utf8(source).map_err(|error| {
        let at = error.valid_up_to();
        let message =
            format!("expected a module of WebAssembly, which begins with \\0asm, or its text in UTF-8: no text at byte {at}");
        Error::new(Kind::Text, message).at(at)
    })?;
    let fault = |error: wast::Error| Error::new(Kind::Text, error.message()).at(error.span().offset());
    let buffer = ParseBuffer::new(text).map_err(fault)?;
    let mut module = parse::<wast::Wat<'_>>(&buffer).map_err(fault)?;
    module.encode().map(Cow::Owned).map_err(fault)
}
