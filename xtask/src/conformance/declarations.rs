//! A declaration with bytes and their value: what IBM's documentation says of both ways, and primitive values that
//! another project reads or refuses.

use std::path::Path;

use codepage::CodePage;
use record::{Bind, Naming, Options};
use serde::Deserialize;

use super::from_hex;
use super::json::{Exact, Json};

#[derive(Deserialize)]
struct Both {
    declaration: String,
    value: String,
    hex: String,
}

#[derive(Deserialize)]
struct Read {
    declaration: String,
    charset: Option<String>,
    input_hex: String,
    valid: bool,
    expected: Option<String>,
}

/// The value encodes to the bytes, and they decode to it.
pub(super) fn check_both(_: &Path, line: &str) -> Result<(), String> {
    let case: Both = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let shown = |error: String| format!("{} {}: {error}", case.declaration, case.value);
    let bind = bind(&case.declaration, 1140).map_err(shown)?;
    let bytes = from_hex(&case.hex)?;
    let mut record = Vec::new();
    bind.encode(format!("{{\"F\":{}}}", case.value).as_bytes(), &mut record)
        .map_err(|error| shown(error.to_string()))?;
    if record != bytes {
        return Err(shown(format!("expected {bytes:02x?}, found {record:02x?}")));
    }
    same(&case.value, &decode(&bind, &bytes).map_err(shown)?).map_err(shown)
}

/// The bytes decode to the value, or are refused.
pub(super) fn check_read(_: &Path, line: &str) -> Result<(), String> {
    let case: Read = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let shown = |error: String| format!("{} {}: {error}", case.declaration, case.input_hex);
    let ccsid = if case.charset.as_deref() == Some("ascii") { 819 } else { 1140 };
    let bind = bind(&case.declaration, ccsid).map_err(shown)?;
    match (decode(&bind, &from_hex(&case.input_hex)?), &case.expected) {
        (Ok(found), Some(expected)) if case.valid => same(expected, &found).map_err(shown),
        (Ok(_), None) if case.valid => Ok(()),
        (Err(_), _) if !case.valid => Ok(()),
        (Err(error), _) => Err(shown(error)),
        (Ok(found), _) => Err(shown(format!("expected an error, found {found:?}"))),
    }
}

fn bind(declaration: &str, ccsid: u16) -> Result<Bind, String> {
    let text = format!("       01  R.\n           05  F\n             {declaration}.\n");
    let parsed = copybook::parse("R", &text, &copybook::Options::default());
    let parsed =
        parsed.map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    let page = CodePage::by_ccsid(ccsid).ok_or("no code page")?;
    let options = Options { naming: Naming::Cobol, ..Options::new(page) };
    let errors = |errors: Vec<record::CompileError>| {
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    Bind::compile(&parsed.layouts[0], &options).map_err(errors)
}

fn decode(bind: &Bind, bytes: &[u8]) -> Result<Json, String> {
    let mut json = Vec::new();
    bind.decode(bytes, &mut json).map_err(|error| error.to_string())?;
    match Json::parse(&String::from_utf8_lossy(&json))? {
        Json::Members(members) => members.get("F").cloned().ok_or_else(|| "no value".to_owned()),
        other => Err(format!("{other:?}")),
    }
}

/// Floating point may have been rounded to another number of digits.
fn same(expected: &str, found: &Json) -> Result<(), String> {
    let (Json::Number(text) | Json::Text(text)) = found else { return Err(format!("found {found:?}")) };
    let exact = Exact::parse(expected).is_some() && Exact::parse(expected) == Exact::parse(text);
    let near = match (expected.parse::<f64>(), text.parse::<f64>()) {
        (Ok(a), Ok(b)) if expected.contains('.') && text.contains(['.', 'e', 'E']) => {
            (a - b).abs() <= 1e-6 * a.abs()
        }
        _ => false,
    };
    if exact || near || expected == text { Ok(()) } else { Err(format!("expected {expected}, found {text}")) }
}
