//! DOCUMENT CREATE, INSERT, RETRIEVE, SET and DELETE. Documents end with their task.
//!
//! RESP2 values are those of CICS TS, "DOCUMENT CREATE" and its kin. The rules for documents are in
//! `program::documents`.

use std::collections::HashMap;

use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::{Condition, DUPREC, INVREQ, LENGERR, NOTFND, SYMBOLERR, TEMPLATERR};
use program::documents::{self, BadPlace, BadSymbol, BadTemplate, Document, From, Name, Piece, Symbols};

use super::Done;
use super::text::{Unconvertible, ccsid, convert};
use crate::cobol::arguments::{Area, Arguments};
use crate::task::{Fault, Runtime, Step, raise};

/// The most documents of a task.
const DOCUMENTS_MAX: usize = 1_000;

/// The most bytes in documents and symbols of a task.
const DOCUMENTS_BYTES_MAX: usize = 32 * 1024 * 1024;

/// INVREQ: TO stands before AT.
const RESP2_REVERSED: u32 = 0;
/// INVREQ: FROM has marks that a retrieved document never has.
const RESP2_BAD_MARK: u32 = 1;
/// INVREQ: a bookmark, or a delimiter, cannot be that.
const RESP2_BAD_NAME: u32 = 2;
/// INVREQ, our own: the task has too many documents or bytes.
const RESP2_FULL: u32 = 100;
/// NOTFND: the document of DOCTOKEN.
const RESP2_NO_DOCUMENT: u32 = 1;
/// NOTFND: the document of FROMDOC.
const RESP2_NO_SOURCE: u32 = 2;
/// NOTFND: the template.
const RESP2_NO_TEMPLATE: u32 = 3;
/// NOTFND: the symbol has no value.
const RESP2_NO_SYMBOL: u32 = 4;
/// NOTFND: the bookmark of AT, and that of TO.
const RESP2_NO_START: u32 = 5;
const RESP2_NO_END: u32 = 6;
/// NOTFND: the code page.
const RESP2_NO_PAGE: u32 = 7;
/// LENGERR: a length cannot be that.
const RESP2_BAD_LENGTH: u32 = 1;
/// LENGERR: the document does not fit.
const RESP2_TOO_SHORT: u32 = 2;

/// The documents of a task.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    known: HashMap<Name, Document>,
    made: u64,
}

fn condition<T>(condition: &'static Condition, resp2: u32) -> Result<T, Fault> {
    Err(Fault::Condition(condition, resp2))
}

pub(super) fn create(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let mut document = Document::default();
    set_list(&mut document.symbols, arguments, LISTLENGTH)?;
    let pieces = content(runtime, arguments, &mut document.symbols)?;
    // A new document has no bookmarks that could be in the way.
    let _ = document.insert(pieces, None, None);
    let size = document.bytes();
    let token = add(runtime, document)?;
    arguments.set_number(DOCSIZE, i64::try_from(size).unwrap_or(i64::MAX));
    arguments.set_characters(DOCTOKEN, &token);
    Ok(Step::GoOn)
}

pub(super) fn insert(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let token = token(runtime, arguments, DOCTOKEN, RESP2_NO_DOCUMENT)?;
    let mut symbols = std::mem::take(&mut document(runtime, token)?.symbols);
    let pieces = content(runtime, arguments, &mut symbols);
    document(runtime, token)?.symbols = symbols;
    let pieces = pieces?;
    check_room(runtime, pieces.iter().map(Piece::bytes).sum())?;
    let (at, to) = (arguments.name::<16>(AT), arguments.name::<16>(TO));
    let document = document(runtime, token)?;
    document.insert(pieces, at, to).or_else(|wrong| match wrong {
        BadPlace::NoStart => condition(&NOTFND, RESP2_NO_START),
        BadPlace::NoEnd => condition(&NOTFND, RESP2_NO_END),
        BadPlace::Reversed => condition(&INVREQ, RESP2_REVERSED),
        BadPlace::Name => condition(&INVREQ, RESP2_BAD_NAME),
        BadPlace::Twice => raise(&DUPREC),
    })?;
    tell_size(arguments, document);
    Ok(Step::GoOn)
}

pub(super) fn retrieve(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let token = token(runtime, arguments, DOCTOKEN, RESP2_NO_DOCUMENT)?;
    let wanted = page(arguments, CHARACTERSET)?;
    let own = runtime.task.ccsid;
    let document = &runtime.documents.known[&token];
    let data = document.retrieved(!arguments.has(DATAONLY), |bytes, from| match wanted {
        None => Ok(bytes.to_vec()),
        Some(wanted) => match convert(bytes.to_vec(), from.unwrap_or(own), wanted) {
            Ok(converted) => Ok(converted.bytes),
            // Bytes that are not text of their page stay.
            Err(Unconvertible::Malformed) => Ok(bytes.to_vec()),
            Err(Unconvertible::Page) => condition(&NOTFND, RESP2_NO_PAGE),
        },
    })?;
    arguments.set_number(LENGTH, i64::try_from(data.len()).unwrap_or(i64::MAX));
    let Some(area) = arguments.area(INTO) else { return raise(&INVREQ) };
    let room = match arguments.number(MAXLENGTH).map(usize::try_from) {
        None => area.bytes,
        Some(Ok(most @ 1..)) => most,
        Some(_) => return condition(&LENGERR, RESP2_BAD_LENGTH),
    };
    // The program may give a length beyond the item, as in CICS.
    Area::new(area.address(), room).write(&data);
    if data.len() > room { condition(&LENGERR, RESP2_TOO_SHORT) } else { Ok(Step::GoOn) }
}

pub(super) fn set(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let token = token(runtime, arguments, DOCTOKEN, RESP2_NO_DOCUMENT)?;
    let list = if arguments.has(SYMBOL) { VALUE } else { SYMBOLLIST };
    let data = given(arguments, list, LENGTH)?.unwrap_or_default();
    check_room(runtime, data.len())?;
    let symbols = &mut document(runtime, token)?.symbols;
    match arguments.bytes(SYMBOL, None) {
        Some(name) => {
            let set = symbols.set(name.trim_ascii_end(), &data);
            set.or_else(|BadSymbol { at }| condition(&SYMBOLERR, offset(at)))?;
        }
        None => set_list(symbols, arguments, LENGTH)?,
    }
    Ok(Step::GoOn)
}

pub(super) fn delete(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let token = token(runtime, arguments, DOCTOKEN, RESP2_NO_DOCUMENT)?;
    runtime.documents.known.remove(&token);
    Ok(Step::GoOn)
}

/// The document of DOCTOKEN, as WEB SEND takes it.
pub(super) fn sent(runtime: &Runtime, arguments: &Arguments) -> Result<Document, Fault> {
    let token = token(runtime, arguments, DOCTOKEN, RESP2_NO_DOCUMENT)?;
    Ok(runtime.documents.known[&token].clone())
}

/// Makes another document; gives its token.
pub(super) fn add(runtime: &mut Runtime, document: Document) -> Result<Name, Fault> {
    if runtime.documents.known.len() == DOCUMENTS_MAX {
        return condition(&INVREQ, RESP2_FULL);
    }
    check_room(runtime, document.bytes() + document.symbols.bytes())?;
    runtime.documents.made += 1;
    let mut token = [0; 16];
    token.copy_from_slice(format!("GTYDOC{:010}", runtime.documents.made).as_bytes());
    runtime.documents.known.insert(token, document);
    Ok(token)
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The token of a document that there is.
fn token(runtime: &Runtime, arguments: &Arguments, option: OptionName, resp2: u32) -> Result<Name, Fault> {
    let token = arguments.name::<16>(option).unwrap_or_default();
    if runtime.documents.known.contains_key(&token) { Ok(token) } else { condition(&NOTFND, resp2) }
}

/// The document of a token.
fn document(runtime: &mut Runtime, token: Name) -> Result<&mut Document, Fault> {
    let known = runtime.documents.known.get_mut(&token);
    known.map_or_else(|| condition(&NOTFND, RESP2_NO_DOCUMENT), Ok)
}

/// Checks that `more` bytes fit into the task's documents.
fn check_room(runtime: &Runtime, more: usize) -> Result<(), Fault> {
    let bytes = |document: &Document| document.bytes() + document.symbols.bytes();
    let all: usize = runtime.documents.known.values().map(bytes).sum();
    if all + more > DOCUMENTS_BYTES_MAX { condition(&INVREQ, RESP2_FULL) } else { Ok(()) }
}

fn tell_size(arguments: &Arguments, document: &Document) {
    arguments.set_number(DOCSIZE, i64::try_from(document.bytes()).unwrap_or(i64::MAX));
}

/// The code page that an option names.
fn page(arguments: &Arguments, option: OptionName) -> Result<Option<u16>, Fault> {
    let Some(name) = arguments.bytes(option, Some(40)) else { return Ok(None) };
    match ccsid(&String::from_utf8_lossy(&name)) {
        Some(ccsid) => Ok(Some(ccsid)),
        None => condition(&NOTFND, RESP2_NO_PAGE),
    }
}

/// The data of an option, as long as another one says.
fn given(arguments: &Arguments, option: OptionName, length: OptionName) -> Result<Option<Vec<u8>>, Fault> {
    if !arguments.has(option) {
        return Ok(None);
    }
    let length = match arguments.number(length).map(usize::try_from) {
        None => None,
        Some(Ok(length)) if length <= DOCUMENTS_BYTES_MAX => Some(length),
        Some(_) => return condition(&LENGERR, RESP2_BAD_LENGTH),
    };
    Ok(match (arguments.area(option), length) {
        // The program may give a length beyond the item, as in CICS.
        (Some(area), Some(length)) => Some(Area::new(area.address(), length).copy()),
        _ => arguments.bytes(option, length),
    })
}

/// Sets the symbols of SYMBOLLIST.
fn set_list(symbols: &mut Symbols, arguments: &Arguments, length: OptionName) -> Result<(), Fault> {
    let Some(list) = given(arguments, SYMBOLLIST, length)? else { return Ok(()) };
    let delimiter = arguments.bytes(DELIMITER, Some(1)).and_then(|bytes| bytes.first().copied());
    if delimiter.is_some_and(|delimiter| !documents::is_delimiter(delimiter)) {
        return condition(&INVREQ, RESP2_BAD_NAME);
    }
    let set = symbols.set_list(&list, delimiter, !arguments.has(UNESCAPED));
    set.or_else(|BadSymbol { at }| condition(&SYMBOLERR, offset(at)))
}

/// The content that a command adds to a document.
fn content(runtime: &mut Runtime, arguments: &Arguments, symbols: &mut Symbols) -> Result<Vec<Piece>, Fault> {
    let ccsid = page(arguments, HOSTCODEPAGE)?;
    let text = |bytes: Vec<u8>| vec![Piece::Text { bytes, ccsid }];
    if let Some(bytes) = given(arguments, TEXT, LENGTH)? {
        return Ok(text(bytes));
    }
    if let Some(bytes) = given(arguments, BINARY, LENGTH)? {
        return Ok(vec![Piece::Binary(bytes)]);
    }
    if let Some(bytes) = given(arguments, FROM, LENGTH)? {
        return match documents::from(&bytes) {
            Ok(From::Text) => filled(runtime, symbols, &bytes).map(text),
            Ok(From::Pieces(pieces)) => Ok(pieces),
            Err(_) => condition(&INVREQ, RESP2_BAD_MARK),
        };
    }
    if arguments.has(FROMDOC) {
        let source = token(runtime, arguments, FROMDOC, RESP2_NO_SOURCE)?;
        return Ok(runtime.documents.known[&source].pieces().to_vec());
    }
    if let Some(name) = arguments.bytes(TEMPLATE, Some(48)) {
        let Some(template) = runtime.programs.template(name.trim_ascii_end()) else {
            return condition(&NOTFND, RESP2_NO_TEMPLATE);
        };
        return filled(runtime, symbols, &template).map(text);
    }
    if let Some(name) = arguments.bytes(SYMBOL, None) {
        let value = symbols.value(name.trim_ascii_end()).map(<[u8]>::to_vec);
        return value.map_or_else(|| condition(&NOTFND, RESP2_NO_SYMBOL), |value| Ok(text(value)));
    }
    Ok(arguments.name::<16>(BOOKMARK).map(Piece::Bookmark).into_iter().collect())
}

/// The text of a template with the symbols of a document.
fn filled(runtime: &Runtime, symbols: &mut Symbols, template: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut other = |name: &[u8]| runtime.programs.template(name);
    let filled = documents::fill(template, symbols, &mut other, DOCUMENTS_BYTES_MAX);
    filled.or_else(|wrong| match wrong {
        BadTemplate::Command { at } => condition(&TEMPLATERR, offset(at)),
        BadTemplate::TooDeep => condition(&TEMPLATERR, 0),
        BadTemplate::Missing => condition(&NOTFND, RESP2_NO_TEMPLATE),
        BadTemplate::TooLong => condition(&INVREQ, RESP2_FULL),
    })
}
