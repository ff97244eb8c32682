//! `gantry record check`: do all records of a file fit the copybook? The faults by field, with examples.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use codepage::readable::spaced_hex;
use copybook::FieldId;
use dataset::{Content, Error, Explainer, Item, Record};

use crate::files::{FormatArgs, PortionArgs, Source};
use crate::{View, ViewArgs, print};

/// Faulty records of one field that are shown.
const EXAMPLES_MAX: usize = 3;
/// Fields whose faults are kept apart; a copybook has no more of them in practice.
const FIELDS_MAX: usize = 1_000;
/// The command looks for at most this number of faults of one record.
const FAULTS_OF_RECORD_MAX: usize = 100;
/// The command looks for all faults of this number of faulty records. Of later records it counts the first
/// fault, because each fault costs a further reading.
const SEARCHED_RECORDS_MAX: u64 = 1_000;
/// Bytes of a field that are shown.
const SHOWN_BYTES_MAX: usize = 16;

/// Which data, if any.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The file with records; without it the command checks only the copybook.
    input: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    portion: PortionArgs,
}

/// The faults of one field.
#[derive(Default)]
struct Faults {
    count: u64,
    examples: Vec<String>,
}

/// Decodes every record. A record counts once for each field that has faults.
pub(crate) fn check(view: &ViewArgs, args: &CheckArgs) -> Result<(), String> {
    if args.input.is_none() {
        for View { layout, .. } in View::all(view)? {
            let bytes = terminal::count(layout.max_bytes(), "byte");
            print(&format!("fine: {} of {bytes}\n", layout.name()))?;
        }
        return Ok(());
    }
    let view = View::new(view)?;
    let framing = args.format.framing(&view)?;
    let source = Source::open(args.input.as_deref(), terminal::is_quiet())?;
    let (name, progress) = (source.name.clone(), source.progress.clone());
    let (mut reader, hints) = source.records(&framing, args.portion.portion(), &view, args.format.recfm())?;
    let mut tally = Tally { explainer: Explainer::new(&view.layout, &view.options), faults: HashMap::new() };
    let mut finder = Finder::new(&view);
    let mut json = Vec::new();
    let (mut records, mut faulty, mut nulls) = (0u64, 0u64, 0u64);
    let ended = loop {
        let record = match reader.next_record() {
            Ok(Some(record)) => record,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        records += 1;
        json.clear();
        match view.bind.decode_counting(record.bytes, &mut json) {
            Ok(found) => nulls += found as u64,
            Err(error) => {
                faulty += 1;
                let faults = match faulty {
                    ..=SEARCHED_RECORDS_MAX => finder.all(error, record.bytes, &tally.explainer),
                    _ => vec![error],
                };
                tally.add(&record, &faults);
            }
        }
    };
    progress.finish_and_clear();
    crate::convert::say_nulls(nulls);
    if faulty > 0 {
        eprint!("{}", tally.render());
    }
    if faulty > SEARCHED_RECORDS_MAX && !terminal::is_quiet() {
        eprintln!("after {SEARCHED_RECORDS_MAX} faulty records, only the first fault of each record counts");
    }
    let broken = |error: Error| hints.explain(format!("{name}: {error}"));
    match (ended, faulty) {
        (Err(error), 0) => Err(broken(error)),
        (Err(error), _) => {
            Err(broken(error) + &format!("\n        {faulty} of {records} records before do not fit"))
        }
        (Ok(()), 0) => {
            hints.warn();
            let records = terminal::count(usize::try_from(records).unwrap_or(usize::MAX), "record");
            print(&format!("fine: {records}\n"))
        }
        (Ok(()), _) => Err(hints.explain(format!("{faulty} of {records} records do not fit the copybook"))),
    }
}

/// Finds the faults of a record that follow the first one.
struct Finder<'v> {
    view: &'v View,
    /// A record without faults, with all rows of all tables.
    template: Vec<u8>,
    /// The fields that say how many rows a table has, or which view a record has. Behind a faulty one, nothing is what it seems.
    telling: HashSet<FieldId>,
    record: Vec<u8>,
    json: Vec<u8>,
}

impl<'v> Finder<'v> {
    fn new(view: &'v View) -> Self {
        let mut template = Vec::new();
        view.bind.start(&mut template);
        let counters = view.layout.iter().filter_map(|(_, field)| field.occurs?.depending_on);
        let rules = view.options.fields.values().filter_map(|choices| Some(choices.when.as_ref()?.field));
        let telling = counters.chain(rules).collect();
        Self { view, template, telling, record: Vec::new(), json: Vec::new() }
    }

    /// All faults of a record, up to [`FAULTS_OF_RECORD_MAX`]. A faulty field gets its initial value, and the record is read
    /// again.
    fn all(&mut self, first: record::Error, bytes: &[u8], explainer: &Explainer<'_>) -> Vec<record::Error> {
        self.record.clear();
        self.record.extend_from_slice(bytes);
        let mut faults = vec![first];
        while faults.len() < FAULTS_OF_RECORD_MAX {
            let Some(next) = faults.last().and_then(|last| self.next(last, explainer)) else { break };
            faults.push(next);
        }
        faults
    }

    /// The fault that follows this one; none if there is none, or if this one leaves open where the next field is.
    fn next(&mut self, last: &record::Error, explainer: &Explainer<'_>) -> Option<record::Error> {
        let item = item_at(explainer, &self.record, last)?;
        let id = item.field.filter(|id| !self.telling.contains(id))?;
        let field = self.view.layout.field(id);
        if item.bytes != field.bytes {
            return None;
        }
        let initial = self.template.get(field.offset..field.offset + field.bytes)?;
        self.record.get_mut(item.offset..item.offset + item.bytes)?.copy_from_slice(initial);
        self.json.clear();
        let next = self.view.bind.decode_counting(&self.record, &mut self.json).err()?;
        // The same place again is a fault of another kind, which this value does not mend.
        (next.offset > last.offset).then_some(next)
    }
}

struct Tally<'l> {
    explainer: Explainer<'l>,
    /// By the JSON path of the field, rows as `[]`.
    faults: HashMap<String, Faults>,
}

impl Tally<'_> {
    /// Counts a record for each field with faults, by the first of them.
    fn add(&mut self, record: &Record<'_>, faults: &[record::Error]) {
        let mut counted = HashSet::new();
        for error in faults {
            let field = without_rows(&error.path);
            if counted.insert(field.clone()) {
                self.add_one(record, field, error);
            }
        }
    }

    fn add_one(&mut self, record: &Record<'_>, field: String, error: &record::Error) {
        if self.faults.len() >= FIELDS_MAX && !self.faults.contains_key(&field) {
            return;
        }
        let faults = self.faults.entry(field).or_default();
        faults.count += 1;
        if faults.examples.len() < EXAMPLES_MAX {
            let bytes = bytes_at(&self.explainer, record.bytes, error);
            let number = record.number;
            faults.examples.push(format!("record {number}: {error}{bytes}"));
        }
    }

    /// The fields with most faults first.
    fn render(self) -> String {
        let mut fields: Vec<(String, Faults)> = self.faults.into_iter().collect();
        fields.sort_by(|(a, left), (b, right)| right.count.cmp(&left.count).then(a.cmp(b)));
        let mut text = String::new();
        for (field, faults) in fields {
            let field = if field.is_empty() { "the record as a whole" } else { &field };
            let records = terminal::count(usize::try_from(faults.count).unwrap_or(usize::MAX), "record");
            // Writing into a string does not fail.
            let _ = writeln!(text, "{field}: {records}");
            for example in &faults.examples {
                let _ = writeln!(text, "    {example}");
            }
            if faults.count > faults.examples.len() as u64 {
                let _ = writeln!(text, "    ...");
            }
        }
        text
    }
}

/// A path with empty brackets, so that all rows of a table count together.
fn without_rows(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut inside = false;
    for character in path.chars() {
        inside &= character != ']';
        if !inside {
            out.push(character);
        }
        inside |= character == '[';
    }
    out
}

/// The bytes of the field that a fault is about, to be put behind it.
fn bytes_at(explainer: &Explainer<'_>, record: &[u8], error: &record::Error) -> String {
    let field = item_at(explainer, record, error);
    let Some(bytes) = field.and_then(|item| record.get(item.offset..item.offset + item.bytes)) else {
        return String::new();
    };
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES_MAX)];
    format!(", {} '{}'", spaced_hex(bytes, SHOWN_BYTES_MAX), explainer.characters(shown))
}

/// The field that a fault is about.
fn item_at(explainer: &Explainer<'_>, record: &[u8], error: &record::Error) -> Option<Item> {
    let offset = error.offset?;
    explainer.explain(record).into_iter().find(|item| {
        item.offset == offset
            && item.bytes > 0
            && !matches!(item.content, Content::Group | Content::Table { .. } | Content::Beyond)
    })
}
