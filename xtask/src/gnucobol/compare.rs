//! Our layout and bind of a record against what its COBOL program wrote.
//!
//! GnuCOBOL's own signs are only read: we write IBM's letters, in ASCII pages too.

use codepage::CodePage;
use copybook::{FieldId, Format, Kind, Layout, PointerBytes, Sign};
use record::{
    BinaryRange, Bind, ByteOrder, Conditions, EditedValue, ErrorKind, FloatForm, Initialise, Naming, Options,
};

use super::compiler::Dialect;
use super::entry::Record;
use super::program::{self, Frame, Measured};
use super::text::hex;
use super::values::{self, Set};

/// A page in which a character is one byte: the compiler takes literals byte by byte.
const CCSID: u16 = 1252;

/// Compares a record with its frames.
///
/// # Errors
/// The first difference, in words, with both sides.
pub(crate) fn compare(record: &Record, frames: &[(Frame, Vec<u8>)], dialect: Dialect) -> Result<(), String> {
    let layout = layout(record, dialect.free)?;
    for (frame, bytes) in frames {
        let result = match frame {
            Frame::Places => places(record, &layout, bytes),
            Frame::Types | Frame::Values if dialect.ascii_signs => Ok(()),
            Frame::Types => initial(&layout, Initialise::Types, bytes),
            Frame::Values => initial(&layout, Initialise::Values, bytes),
            Frame::Moved(set) if dialect.ascii_signs => meant(record, &layout, *set, bytes),
            Frame::Moved(set) => {
                same(record, &layout, *set, bytes).and_then(|()| meant(record, &layout, *set, bytes))
            }
            Frame::Flags(set) => flags(record, &layout, *set, bytes),
        };
        result.map_err(|message| format!("{frame:?}: {message}"))?;
    }
    Ok(())
}

/// The record's layout, as our parser has it.
fn layout(record: &Record, free: bool) -> Result<Layout, String> {
    let name = program::name(record);
    let text = format!("{}       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n", record.special_names());
    let text = format!("{text}{}", record.copybook());
    let options = copybook::Options {
        format: if free { Format::Free } else { Format::Fixed },
        pointer_bytes: if record.wide_pointers { PointerBytes::Eight } else { PointerBytes::Four },
        ..copybook::Options::default()
    };
    let parsed = copybook::parse(&name, &text, &options).map_err(|findings| {
        let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
        format!("our parser refuses the copybook: {}", findings.join("; "))
    })?;
    parsed.layouts.into_iter().next().ok_or_else(|| "our parser found no record".to_owned())
}

fn options(initialise: Initialise, conditions: Conditions) -> Result<Options, String> {
    let page = CodePage::by_ccsid(CCSID).ok_or_else(|| format!("CCSID {CCSID} is not known"))?;
    let mut options = Options::new(page);
    options.naming = Naming::Cobol;
    options.native_order = ByteOrder::Little;
    options.float = Some(FloatForm::Ieee);
    // -std=ibm does not truncate to the picture (TRUNC(BIN)).
    options.binary_range = BinaryRange::Bytes;
    options.edited = EditedValue::Value;
    options.initialise = initialise;
    options.conditions = conditions;
    Ok(options)
}

fn bind(layout: &Layout, options: &Options) -> Result<Bind, String> {
    Bind::compile(layout, options).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        format!("no bind: {}", errors.join("; "))
    })
}

fn places(record: &Record, layout: &Layout, bytes: &[u8]) -> Result<(), String> {
    let measured = program::measured(record);
    let numbers: Vec<i32> = bytes
        .chunks_exact(4)
        .filter_map(|number| Some(i32::from_le_bytes(number.try_into().ok()?)))
        .collect();
    if numbers.len() != measured.len() * 3 {
        return Err(format!("{} numbers for {} fields", numbers.len(), measured.len()));
    }
    for (Measured { name, .. }, theirs) in measured.iter().zip(numbers.chunks_exact(3)) {
        let id = layout.resolve(name).map_err(|error| error.explain(name))?;
        let field = layout.field(id);
        let row = if theirs[2] == 0 { 0 } else { field.bytes };
        let ours = [field.offset, field.bytes, row];
        if ours.map(|number| number as i64) != [theirs[0], theirs[1], theirs[2]].map(i64::from) {
            return Err(format!(
                "{name} has offset, length and row length {ours:?} for us, {theirs:?} for GnuCOBOL"
            ));
        }
    }
    Ok(())
}

fn initial(layout: &Layout, initialise: Initialise, theirs: &[u8]) -> Result<(), String> {
    let bind = bind(layout, &options(initialise, Conditions::Ignore)?)?;
    let mut ours = encode(&bind, "{}")?;
    forgive(layout, false, &mut ours, theirs);
    same_bytes(layout, &ours, theirs)
}

fn encode(bind: &Bind, json: &str) -> Result<Vec<u8>, String> {
    let mut record = Vec::new();
    bind.encode(json.as_bytes(), &mut record).map_err(|error| format!("{json} is refused: {error}"))?;
    Ok(record)
}

/// Bytes of the values are alike.
fn same(record: &Record, layout: &Layout, set: Set, theirs: &[u8]) -> Result<(), String> {
    let bind = bind(layout, &options(Initialise::Values, Conditions::Ignore)?)?;
    let json = values::moves(record, set).json;
    let mut ours = encode(&bind, &json)?;
    if !record.varying {
        forgive(layout, set != Set::Sparse, &mut ours, theirs);
    }
    same_bytes(layout, &ours, theirs).map_err(|message| format!("{message}\n  {json}"))
}

/// The bytes that COBOL made mean the values that were moved.
fn meant(record: &Record, layout: &Layout, set: Set, theirs: &[u8]) -> Result<(), String> {
    let bind = bind(layout, &options(Initialise::Values, Conditions::Ignore)?)?;
    let json = values::moves(record, set).json;
    let mut back = Vec::new();
    bind.decode(theirs, &mut back)
        .map_err(|error| format!("what COBOL made of {json} is refused: {error}\n  {}", hex(theirs)))?;
    let back = String::from_utf8_lossy(&back);
    if set != Set::Sparse && back != json {
        let theirs = hex(theirs);
        return Err(format!(
            "what COBOL made is read as other values\n  moved {json}\n  read  {back}\n  {theirs}"
        ));
    }
    Ok(())
}

/// A request is refused where no condition of a field is true.
fn flags(record: &Record, layout: &Layout, set: Set, bytes: &[u8]) -> Result<(), String> {
    let bind = bind(layout, &options(Initialise::Values, Conditions::Enforce)?)?;
    for ((groups, entry), flag) in program::conditional(record).into_iter().zip(bytes.chunks_exact(4)) {
        let Some(given) = values::of_entry(entry, set, record.comma) else { continue };
        let name = entry.name.as_deref().unwrap_or_default();
        let member = format!("{{\"{name}\":{}}}", given.json);
        let json = groups.iter().rev().fold(member, |inner, group| format!("{{\"{group}\":{inner}}}"));
        let mut encoded = Vec::new();
        let ours = match bind.encode(json.as_bytes(), &mut encoded) {
            Ok(()) => true,
            Err(error) if error.kind == ErrorKind::OutOfRange => false,
            Err(error) => return Err(format!("{json} is refused: {error}")),
        };
        let theirs = flag[0] == 1;
        if ours != theirs {
            let (ours, theirs) = (truth(ours), truth(theirs));
            return Err(format!("conditions of {json}: {ours} for us, {theirs} for GnuCOBOL"));
        }
    }
    Ok(())
}

fn truth(value: bool) -> &'static str {
    if value { "one is true" } else { "none is true" }
}

/// Takes over what INITIALIZE leaves open: bytes of no field outside of views, which may be blanks or zeros, and
/// zeros without a sign letter, of fillers alone if all other fields have got values.
fn forgive(layout: &Layout, fillers: bool, ours: &mut [u8], theirs: &[u8]) {
    if ours.len() != theirs.len() {
        return;
    }
    let mut covered = vec![false; ours.len()];
    for (id, field) in layout.iter().filter(|(id, field)| field.children.is_empty() && !in_view(layout, *id))
    {
        for delta in rows(layout, id) {
            covered[field.offset + delta..field.offset + delta + field.bytes].fill(true);
        }
    }
    for ((ours, theirs), _) in ours.iter_mut().zip(theirs).zip(covered).filter(|(_, covered)| !covered) {
        *ours = *theirs;
    }
    for (id, field) in layout.iter().filter(|(_, field)| field.filler || !fillers) {
        let place = match field.kind {
            Kind::Zoned { sign: Sign::Trailing, .. } => field.offset + field.bytes - 1,
            Kind::Zoned { sign: Sign::Leading, .. } => field.offset,
            _ => continue,
        };
        for at in rows(layout, id).into_iter().map(|delta| place + delta) {
            if ours.get(at) == Some(&b'{') && theirs.get(at) == Some(&b'0') {
                ours[at] = b'0';
            }
        }
    }
}

/// True if a field is a second description of bytes, or in one.
fn in_view(layout: &Layout, id: FieldId) -> bool {
    let mut at = Some(id);
    while let Some(id) = at {
        if layout.field(id).redefines.is_some() {
            return true;
        }
        at = layout.field(id).parent;
    }
    false
}

/// How far behind its first occurrence a field occurs.
fn rows(layout: &Layout, id: FieldId) -> Vec<usize> {
    let mut found = vec![0];
    let mut at = Some(id);
    while let Some(id) = at {
        let field = layout.field(id);
        let count = field.occurs.map_or(1, |occurs| occurs.max as usize);
        found = (0..count).flat_map(|row| found.iter().map(move |delta| delta + row * field.bytes)).collect();
        at = field.parent;
    }
    found
}

fn same_bytes(layout: &Layout, ours: &[u8], theirs: &[u8]) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    let at = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs);
    let at = at.unwrap_or(ours.len().min(theirs.len()));
    // The last elementary field that starts before it, tables at their largest.
    let field = layout.fields().iter().rfind(|field| field.children.is_empty() && field.offset <= at);
    let name = field.map_or("R", |field| field.name.as_str());
    Err(format!("different from byte {at} on, near {name}\n  ours   {}\n  theirs {}", hex(ours), hex(theirs)))
}
