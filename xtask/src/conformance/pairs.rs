//! The same records in EBCDIC and in ASCII: decoding one gives what decoding the other gives.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use codepage::CodePage;
use copybook::{FieldId, Layout};
use record::{Bind, Filler, Naming, Options};

use super::json::Json;
use super::{from_lines, parse_file, stem};

/// A file of records in EBCDIC, the same in ASCII, and copybooks; one of these describes the records.
pub(super) struct Pair {
    pub(super) ebcdic: PathBuf,
    pub(super) ascii: PathBuf,
    pub(super) copybooks: Vec<PathBuf>,
}

/// Finds folders named `ebcdic` and `ascii` beside one another; the name of a file in the second is a part of the name of
/// its fellow in the first.
pub(super) fn find(files: &[PathBuf], is_copybook: &dyn Fn(&Path) -> bool) -> Vec<Pair> {
    let folder = |path: &Path| path.parent().and_then(Path::file_name).map(|name| name.to_ascii_lowercase());
    let around = |path: &Path| path.parent().and_then(Path::parent).map(Path::to_owned);
    let mut found = Vec::new();
    for ebcdic in files.iter().filter(|path| folder(path).is_some_and(|name| name == "ebcdic")) {
        let name = ebcdic.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let fellow = files.iter().find(|path| {
            folder(path).is_some_and(|name| name == "ascii")
                && around(path) == around(ebcdic)
                && name.contains(&stem(path).to_ascii_lowercase())
        });
        let copybooks = files.iter().filter(|path| around(path) == around(ebcdic) && is_copybook(path));
        if let Some(ascii) = fellow {
            found.push(Pair {
                ebcdic: ebcdic.clone(),
                ascii: ascii.clone(),
                copybooks: copybooks.cloned().collect(),
            });
        }
    }
    found
}

impl Pair {
    /// Compares all records, by the copybook that agrees with most.
    ///
    /// # Errors
    /// The records that differ, or that no copybook fits.
    pub(super) fn check(&self) -> Result<(), String> {
        let ebcdic = fs::read(&self.ebcdic).map_err(|error| error.to_string())?;
        let ascii = fs::read(&self.ascii).map_err(|error| error.to_string())?;
        let lines = from_lines(&ascii);
        let mut best: Option<Vec<String>> = None;
        for copybook in &self.copybooks {
            let Ok(layouts) = parse_file(copybook) else { continue };
            for layout in layouts.iter().filter(|layout| layout.max_bytes() * lines.len() == ebcdic.len()) {
                let differences = differences(layout, &ebcdic, &lines)?;
                if best.as_ref().is_none_or(|best| differences.len() < best.len()) {
                    best = Some(differences);
                }
            }
        }
        match best {
            None => Err("no copybook has records of the right length".to_owned()),
            Some(differences) if differences.is_empty() => Ok(()),
            Some(differences) => Err(format!("{} records differ: {}", differences.len(), differences[0])),
        }
    }
}

fn differences(layout: &Layout, ebcdic: &[u8], lines: &[&[u8]]) -> Result<Vec<String>, String> {
    let bind = |ccsid: u16| {
        let page = CodePage::by_ccsid(ccsid).ok_or("no code page")?;
        let fields: std::collections::HashMap<FieldId, record::FieldOptions> =
            std::collections::HashMap::new();
        let options = Options { naming: Naming::Cobol, filler: Filler::Expose, fields, ..Options::new(page) };
        Bind::compile(layout, &options).map_err(|errors| errors[0].to_string())
    };
    let (of_ebcdic, of_ascii) = (bind(37)?, bind(819)?);
    let mut found = Vec::new();
    for (row, (ebcdic, ascii)) in ebcdic.chunks(layout.max_bytes()).zip(lines).enumerate() {
        let mut line = ascii.to_vec();
        line.resize(layout.max_bytes(), b' ');
        let (a, b) = (json(&of_ebcdic, ebcdic), json(&of_ascii, &line));
        match (a, b) {
            (Ok(a), Ok(b)) if a == b => {
                let mut again = Vec::new();
                let mut text = Vec::new();
                Json::Members(a).write(&mut text);
                let written = of_ebcdic.encode(&text, &mut again);
                if written.is_err() || again != ebcdic {
                    found.push(format!("record {}: it is written otherwise ({written:?})", row + 1));
                }
            }
            (a, b) => found.push(format!("record {}: {a:?} is not {b:?}", row + 1)),
        }
    }
    Ok(found)
}

fn json(bind: &Bind, record: &[u8]) -> Result<BTreeMap<String, Json>, String> {
    let mut json = Vec::new();
    bind.decode(record, &mut json).map_err(|error| error.to_string())?;
    match Json::parse(&String::from_utf8_lossy(&json))? {
        Json::Members(members) => Ok(members),
        other => Err(format!("{other:?}")),
    }
}
