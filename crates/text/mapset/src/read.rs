//! Macros to mapsets.

use std::collections::BTreeSet;

use crate::operands::Operands;
use crate::statements::{Statement, statements};
use crate::{Fault, Limits, picture};

/// Instructions of an assembler that change nothing in a mapset.
const PASSED_OVER: [&str; 13] = [
    "ACONTROL", "ANOP", "CEJECT", "EJECT", "END", "ICTL", "ISEQ", "MNOTE", "POP", "PRINT", "PUSH", "SPACE",
    "TITLE",
];

/// A mapset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapset {
    /// In capitals.
    pub name: String,
    /// Where the structures of its maps are.
    pub storage: Storage,
    /// Its maps, in their order.
    pub maps: Vec<Map>,
}

/// Where the structures of a mapset are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// All maps are in the same place.
    #[default]
    Shared,
    /// STORAGE=AUTO: each map has its own place.
    Separate,
    /// BASE: each map redefines this item of the program.
    Base(String),
}

/// A map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// In capitals.
    pub name: String,
    /// Which structures it has.
    pub mode: Mode,
    /// True for TIOAPFX=YES: the structures begin with 12 bytes.
    pub has_prefix: bool,
    /// The extended attributes of each field, in the order of their bytes.
    pub attributes: Vec<Attribute>,
    /// The fields that have names.
    pub fields: Vec<Field>,
}

/// The structures of a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// For input.
    In,
    /// For output.
    #[default]
    Out,
    /// Both.
    InOut,
}

/// An extended attribute. Their order is the one of their bytes in a symbolic map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attribute {
    /// COLOR.
    Color,
    /// PS, programmed symbols.
    Symbols,
    /// HILIGHT.
    Highlight,
    /// VALIDN, validation.
    Validation,
    /// OUTLINE.
    Outline,
    /// SOSI: shift out and shift in.
    Shift,
    /// TRANSP, transparency.
    Transparency,
}

impl Attribute {
    const WORDS: [(&str, Self); 7] = [
        ("COLOR", Self::Color),
        ("PS", Self::Symbols),
        ("HILIGHT", Self::Highlight),
        ("VALIDN", Self::Validation),
        ("OUTLINE", Self::Outline),
        ("SOSI", Self::Shift),
        ("TRANSP", Self::Transparency),
    ];

    /// The attributes that EXTATT=YES asks for.
    const EXTENDED: [Self; 4] = [Self::Color, Self::Symbols, Self::Highlight, Self::Validation];

    /// The suffix of the field's name.
    pub fn suffix(self) -> char {
        match self {
            Self::Color => 'C',
            Self::Symbols => 'P',
            Self::Highlight => 'H',
            Self::Validation => 'V',
            Self::Outline => 'U',
            Self::Shift => 'M',
            Self::Transparency => 'T',
        }
    }
}

/// A field that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// In capitals.
    pub name: String,
    /// The picture of its data in the structure for input.
    pub input: String,
    /// The picture of its data in the structure for output.
    pub output: String,
    /// OCCURS.
    pub occurs: Option<usize>,
    /// GRPNAME. Fields with the same group that follow each other are one field on a screen.
    pub group: Option<String>,
}

/// Reads the mapsets of a source.
///
/// # Errors
/// The first fault of the source: of the assembler's language, in an operand that counts, or a limit.
pub fn read(text: &str, limits: &Limits) -> Result<Vec<Mapset>, Fault> {
    let mut reader = Reader { limits, mapsets: Vec::new(), open: None, map_open: false, maps: 0 };
    for statement in statements(text, limits)? {
        reader.statement(&statement)?;
    }
    match reader.mapsets.as_slice() {
        [] => Err(Fault { line: 1, message: "expected DFHMSD, found no mapset".to_owned() }),
        _ if reader.maps == 0 => {
            Err(Fault { line: 1, message: "expected DFHMDI, found a mapset without maps".to_owned() })
        }
        _ => Ok(reader.mapsets),
    }
}

/// The operands of a mapset that count for all of its maps.
#[derive(Clone, Debug, Default)]
struct Defaults {
    mode: Mode,
    has_prefix: bool,
    attributes: Vec<Attribute>,
}

struct Reader<'l> {
    limits: &'l Limits,
    mapsets: Vec<Mapset>,
    /// The defaults of the mapset that the source is in.
    open: Option<Defaults>,
    /// True behind DFHMDI.
    map_open: bool,
    /// All maps of the source.
    maps: usize,
}

impl Reader<'_> {
    fn statement(&mut self, statement: &Statement) -> Result<(), Fault> {
        match statement.operation.as_str() {
            "DFHMSD" => self.mapset(statement),
            "DFHMDI" => self.map(statement),
            "DFHMDF" => self.field(statement),
            other if PASSED_OVER.contains(&other) => Ok(()),
            other => {
                let message = format!("expected DFHMSD, DFHMDI or DFHMDF, found {other}");
                Err(Fault { line: statement.line, message })
            }
        }
    }

    fn mapset(&mut self, statement: &Statement) -> Result<(), Fault> {
        let operands = Operands::of(statement)?;
        if operands.word("TYPE")?.is_some_and(|kind| kind == "FINAL") {
            (self.open, self.map_open) = (None, false);
            return Ok(());
        }
        check_language(&operands)?;
        let name = self.name(&operands, &statement.name)?;
        let automatic = operands.choice("STORAGE", &[("AUTO", ())])?.is_some();
        let storage = match operands.word("BASE")? {
            Some(_) if automatic => return Err(operands.fault("STORAGE and BASE exclude each other")),
            Some(base) => Storage::Base(self.name(&operands, &base)?),
            None if automatic => Storage::Separate,
            None => Storage::Shared,
        };
        self.open = Some(self.defaults(&operands, Defaults::default())?);
        self.map_open = false;
        self.mapsets.push(Mapset { name, storage, maps: Vec::new() });
        Ok(())
    }

    fn map(&mut self, statement: &Statement) -> Result<(), Fault> {
        let operands = Operands::of(statement)?;
        let (Some(defaults), Some(_)) = (self.open.clone(), self.mapsets.last()) else {
            return Err(operands.fault("stands outside of a mapset: expected DFHMSD before it"));
        };
        let name = self.name(&operands, &statement.name)?;
        self.maps += 1;
        if self.maps > self.limits.map_count_max {
            let most = self.limits.map_count_max;
            return Err(operands.fault(format!("expected at most {most} maps (map_count_max)")));
        }
        let Defaults { mode, has_prefix, attributes } = self.defaults(&operands, defaults)?;
        let map = Map { name, mode, has_prefix, attributes, fields: Vec::new() };
        self.map_open = true;
        self.mapsets.iter_mut().last().into_iter().for_each(|mapset| mapset.maps.push(map.clone()));
        Ok(())
    }

    fn field(&mut self, statement: &Statement) -> Result<(), Fault> {
        let operands = Operands::of(statement)?;
        let limits = self.limits;
        let group = match operands.word("GRPNAME")? {
            Some(group) => Some(self.name(&operands, &group)?),
            None => None,
        };
        let length = operands.number("LENGTH", ("field_max_bytes", limits.field_max_bytes))?;
        let occurs = operands.number("OCCURS", ("occurs_max", limits.occurs_max))?;
        let input = self.picture(&operands, "PICIN")?;
        let output = self.picture(&operands, "PICOUT")?;
        let map = match self.mapsets.last_mut().and_then(|mapset| mapset.maps.last_mut()) {
            Some(map) if self.map_open => map,
            _ => return Err(operands.fault("stands outside of a map: expected DFHMDI before it")),
        };
        if statement.name.is_empty() {
            return match group {
                None => Ok(()),
                Some(group) => Err(operands.fault(format!("a field of the group {group} has no name"))),
            };
        }
        let name = checked(&operands, &statement.name, limits)?;
        let bytes = one_length(&operands, length, input.as_ref(), output.as_ref())?;
        match occurs {
            Some(0) => return Err(operands.fault("OCCURS: expected a number above 0")),
            Some(_) if group.is_some() => {
                return Err(operands.fault("OCCURS and GRPNAME exclude each other"));
            }
            _ => {}
        }
        if map.fields.len() >= limits.field_count_max {
            let most = limits.field_count_max;
            return Err(operands.fault(format!("expected at most {most} fields (field_count_max)")));
        }
        let or_plain = |picture: Option<(String, usize)>| {
            picture.map_or_else(|| format!("X({bytes})"), |(text, _)| text)
        };
        let (input, output) = (or_plain(input), or_plain(output));
        map.fields.push(Field { name, input, output, occurs, group });
        Ok(())
    }

    /// The picture of PICIN or PICOUT, and its bytes.
    fn picture(&self, operands: &Operands<'_>, keyword: &str) -> Result<Option<(String, usize)>, Fault> {
        let Some(picture) = operands.quoted(keyword)? else { return Ok(None) };
        let (most, found) = (self.limits.picture_max_bytes, picture.len());
        if found > most {
            let message =
                format!("{keyword}: expected at most {most} bytes (picture_max_bytes), found {found}");
            return Err(operands.fault(message));
        }
        let bytes =
            picture::bytes(&picture).map_err(|message| operands.fault(format!("{keyword}: {message}")))?;
        let most = self.limits.field_max_bytes;
        if bytes > most {
            let message =
                format!("{keyword}: expected at most {most} bytes (field_max_bytes), found {bytes}");
            return Err(operands.fault(message));
        }
        Ok(Some((picture, bytes)))
    }

    /// A name in capitals.
    fn name(&self, operands: &Operands<'_>, name: &str) -> Result<String, Fault> {
        checked(operands, name, self.limits)
    }

    /// What DFHMSD and DFHMDI can both say.
    fn defaults(&self, operands: &Operands<'_>, defaults: Defaults) -> Result<Defaults, Fault> {
        let modes = [("IN", Mode::In), ("OUT", Mode::Out), ("INOUT", Mode::InOut)];
        let mode = operands.choice("MODE", &modes)?.unwrap_or(defaults.mode);
        let has_prefix =
            operands.choice("TIOAPFX", &[("YES", true), ("NO", false)])?.unwrap_or(defaults.has_prefix);
        let extended = operands.choice("EXTATT", &[("YES", true), ("MAPONLY", false), ("NO", false)])?;
        let attributes = match operands.words("DSATTS") {
            Some(words) => attributes(operands, &words)?,
            None => match extended {
                Some(true) => Attribute::EXTENDED.to_vec(),
                Some(false) => Vec::new(),
                None => defaults.attributes,
            },
        };
        Ok(Defaults { mode, has_prefix, attributes })
    }
}

/// The bytes of a field. All operands that say them must agree: the structure for output redefines the one for
/// input, so otherwise all later fields would lie elsewhere in one of the two.
fn one_length(
    operands: &Operands<'_>,
    length: Option<usize>,
    input: Option<&(String, usize)>,
    output: Option<&(String, usize)>,
) -> Result<usize, Fault> {
    let given = [
        ("LENGTH", length),
        ("PICIN", input.map(|(_, bytes)| *bytes)),
        ("PICOUT", output.map(|(_, bytes)| *bytes)),
    ];
    let mut given = given.into_iter().filter_map(|(keyword, bytes)| bytes.map(|bytes| (keyword, bytes)));
    let (keyword, bytes) = match given.next() {
        Some((_, 0)) => return Err(operands.fault("LENGTH: a field with a name has at least 1 byte")),
        Some(first) => first,
        None => return Err(operands.fault("expected LENGTH, PICIN or PICOUT")),
    };
    match given.find(|(_, other)| *other != bytes) {
        Some((other, found)) => Err(operands
            .fault(format!("expected the same length in {keyword} and {other}, found {bytes} and {found}"))),
        None => Ok(bytes),
    }
}

/// The attributes of DSATTS, in the order of their bytes.
fn attributes(operands: &Operands<'_>, words: &[String]) -> Result<Vec<Attribute>, Fault> {
    let mut found = BTreeSet::new();
    for word in words.iter().filter(|word| !word.is_empty()) {
        let attribute = Attribute::WORDS.iter().find(|(name, _)| name == word);
        let Some((_, attribute)) = attribute else {
            let names = Attribute::WORDS.map(|(name, _)| name).join(", ");
            return Err(operands.fault(format!("DSATTS: expected one of {names}, found {word}")));
        };
        found.insert(*attribute);
    }
    Ok(found.into_iter().collect())
}

/// Symbolic maps are written in COBOL. A source that names no language is taken for one of COBOL too, because a
/// COBOL program copies it.
fn check_language(operands: &Operands<'_>) -> Result<(), Fault> {
    match operands.word("LANG")? {
        Some(language) if ["ASM", "PLI", "C"].contains(&language.as_str()) => {
            Err(operands.fault(format!("LANG: expected COBOL, found {language}")))
        }
        _ => Ok(()),
    }
}

/// A name in capitals that COBOL can have.
fn checked(operands: &Operands<'_>, name: &str, limits: &Limits) -> Result<String, Fault> {
    if name.is_empty() {
        return Err(operands.fault("expected a name in column 1"));
    }
    let most = limits.name_max_bytes;
    if name.len() > most {
        return Err(
            operands.fault(format!("expected a name of at most {most} bytes (name_max_bytes), found {name}"))
        );
    }
    let is_part = |part: char| part.is_ascii_alphanumeric() || ['-', '_'].contains(&part);
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic());
    if !begins || !name.chars().all(is_part) {
        return Err(operands.fault(format!("expected a name of letters, digits and hyphens, found {name}")));
    }
    Ok(name.to_ascii_uppercase())
}
