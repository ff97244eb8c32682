//! From an interface to a copybook with exactly the same offsets and lengths, and to the choices for its
//! fields. The result is parsed again and compared, so a difference is a fault and never a wrong byte.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::fault::{Fault, FaultKind, Notes};
use crate::interface::{Field, Interface};
use crate::names::Words;
use crate::picture::{Clauses, Kind, clauses};

/// A copybook, and the choices for its fields in the service file.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// The copybook's text.
    pub(crate) text: String,
    /// The name of the object around the fields; none for a channel, whose object is named after the service.
    pub(crate) wrapper: Option<String>,
    /// Choices by COBOL name, in the order of the copybook.
    pub(crate) fields: Vec<(String, Choice)>,
    /// Names of visible binary fields, for options about their bytes.
    pub(crate) binary: Vec<String>,
    /// For a channel: the COBOL name of each container's group, and the container's name.
    pub(crate) containers: Vec<(String, String)>,
}

/// The choices of a service file for one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) name: Option<String>,
    pub(crate) included: Option<bool>,
    pub(crate) default: Option<String>,
    pub(crate) hex: bool,
    /// A number beside other visible views of its bytes. These need not be a number in the other views.
    pub(crate) beside_views: bool,
    pub(crate) description: Option<String>,
}

/// The highest level number of a field.
const LEVEL_MAX: usize = 49;

/// The most digits of a hexadecimal literal on a line.
const HEX_DIGITS_MAX: usize = 32;

/// The last column of the text of a line.
const COLUMN_MAX: usize = 72;

pub(crate) fn write(interface: &Interface, notes: &mut Notes) -> Result<Written, Vec<Fault>> {
    let mut writer = Writer {
        file: &interface.file,
        notes,
        faults: Vec::new(),
        words: Words::default(),
        text: String::new(),
        fields: Vec::new(),
        binary: Vec::new(),
        containers: Vec::new(),
        places: Vec::new(),
        counters: HashMap::new(),
        level_step: level_step(interface),
    };
    let wrapper = if interface.channel {
        writer.channel(interface);
        None
    } else {
        interface.segments.first().and_then(|segment| segment.fields.first()).map(|root| {
            writer.root(root);
            root.name.clone()
        })
    };
    writer.check();
    let Writer { faults, text, fields, binary, containers, .. } = writer;
    if faults.is_empty() { Ok(Written { text, wrapper, fields, binary, containers }) } else { Err(faults) }
}

/// The step between levels: two if there is room, as people write them.
fn level_step(interface: &Interface) -> usize {
    fn depth(fields: &[Field]) -> usize {
        fields.iter().map(|field| 1 + depth(&field.children)).max().unwrap_or(0)
    }
    let deepest = interface.segments.iter().map(|segment| depth(&segment.fields)).max().unwrap_or(0);
    let levels = deepest + if interface.channel { 2 } else { 0 };
    if levels.saturating_sub(1) * 2 < LEVEL_MAX { 2 } else { 1 }
}

/// The expected place of a field: its name, offset, bytes of a row, and line in the interface.
type Place = (String, usize, usize, usize);

struct Writer<'a> {
    file: &'a str,
    notes: &'a mut Notes,
    faults: Vec<Fault>,
    words: Words,
    text: String,
    fields: Vec<(String, Choice)>,
    binary: Vec<String>,
    containers: Vec<(String, String)>,
    places: Vec<Place>,
    /// COBOL names of the counters of tables, by original name.
    counters: HashMap<String, String>,
    level_step: usize,
}

/// The surroundings of a field in the walk of the tree.
#[derive(Clone, Copy)]
struct At {
    depth: usize,
    /// True if no choice of a group around it hides it.
    shown: bool,
    /// True within a view that is not the first one. Values there would overwrite the first view.
    view: bool,
    /// True if other views of the same bytes show too.
    beside: bool,
}

impl At {
    fn inner(self, shown: bool, view: bool, beside: bool) -> Self {
        Self {
            depth: self.depth + 1,
            shown: self.shown && shown,
            view: self.view || view,
            beside: self.beside || beside,
        }
    }
}

impl Writer<'_> {
    fn fault(&mut self, field: &Field, message: impl std::fmt::Display) {
        let message = format!("{}: {message}", field.original);
        self.faults.push(Fault::at(FaultKind::Content, self.file, field.line, message));
    }

    fn note(&mut self, field: &Field, reason: impl std::fmt::Display) {
        self.notes.add(self.file, field.line, format!("{}: {reason}", field.name));
    }

    /// A commarea: its only structure is the record.
    fn root(&mut self, root: &Field) {
        if root.start.unwrap_or(0) != 0 {
            self.fault(root, "the record does not start at its first byte");
        }
        let word = self.words.word(&root.original);
        let at = At { depth: 0, shown: true, view: false, beside: false };
        if root.children.is_empty() {
            self.elementary(root, &word, at, root.bytes, "");
        } else {
            let bytes = self.root_bytes(root);
            self.line(at.depth, &word, "");
            self.places.push((word, 0, bytes, root.line));
            self.group(&root.children, bytes, 0, at.inner(true, false, false));
        }
    }

    /// The bytes of the record. Files that people have changed may have a smaller number than their fields
    /// need. The places and lengths of the fields count.
    fn root_bytes(&mut self, root: &Field) -> usize {
        let ends = root.children.iter().filter_map(|field| Some(field.start?.saturating_add(field.bytes)));
        let end = ends.max().unwrap_or(0);
        if end > root.bytes {
            self.note(root, format!("bytes is {}, but its fields have {end}: the fields count", root.bytes));
        }
        end.max(root.bytes)
    }

    /// A channel: the containers become groups, one behind the other, with their structures inside.
    fn channel(&mut self, interface: &Interface) {
        let word = self.words.word("CHANNEL");
        self.line(0, &word, "");
        let mut start = 0;
        for segment in &interface.segments {
            let word = self.words.word(&segment.name);
            let bytes: usize = segment.fields.iter().map(|field| field.bytes).sum();
            self.line(1, &word, "");
            if word.replace('-', "_") != segment.name {
                self.choose(&word, Choice { name: Some(segment.name.clone()), ..Choice::default() });
            }
            self.containers.push((word.clone(), segment.name.clone()));
            self.places.push((word, start, bytes, segment.line));
            let at = At { depth: 2, shown: true, view: false, beside: false };
            // Positions count within each container.
            let fields: Vec<Field> = segment.fields.iter().map(|field| moved(field, start)).collect();
            self.group(&fields, bytes, start, at);
            start += bytes;
        }
    }

    /// The fields of a group that starts at `start` and has this many bytes. Within a table it is the first
    /// row.
    fn group(&mut self, fields: &[Field], bytes: usize, start: usize, at: At) {
        let mut next = start;
        // The starts and names of the fields of this group, for fields that redefine them.
        let mut begun: HashMap<&str, (usize, String)> = HashMap::new();
        let views = views(fields);
        for (position, field) in fields.iter().enumerate() {
            let word = self.words.word(&field.original);
            if field.depended_on {
                self.counters.insert(field.original.clone(), word.clone());
            }
            let mut extra = String::new();
            let begin = match &field.redefines {
                None => self.begin(field, next, at),
                Some(target) => match begun.get(target.as_str()) {
                    Some((begin, word)) => {
                        extra = format!("REDEFINES {word} ");
                        *begin
                    }
                    None => {
                        self.fault(field, format!("it redefines {target}, which is not before it"));
                        next
                    }
                },
            };
            if let Some(told) = field.start
                && told != begin
            {
                self.fault(field, format!("startPos is {}, but its offset is {}", told + 1, begin + 1));
            }
            // A view of a view is a view of the field that they all describe.
            let target = field.redefines.as_ref().and_then(|target| begun.get(target.as_str()));
            let root = target.map_or_else(|| word.clone(), |(_, word)| word.clone());
            begun.insert(&field.original, (begin, root));
            let view = views.get(&position).copied().unwrap_or_default();
            let (shown, choice) = visible(field, view);
            let mut choice = self.choice(field, &word, choice, at.shown && shown);
            if at.shown && view.first && view.shown > 1 {
                let reason =
                    "other views of its bytes show too: numbers that cannot be read in a view are left out";
                self.note(field, reason);
            }
            let inner = at.inner(shown, field.redefines.is_some(), view.shown > 1);
            let stands = self.fields.len();
            self.field(field, &word, begin, At { depth: at.depth, ..inner }, &extra, &mut choice);
            if choice != Choice::default() && at.shown {
                // It is inserted in front of the choices of the fields in it.
                self.fields.insert(stands, (word.clone(), choice));
            }
            next = next.max(begin.saturating_add(field.bytes));
        }
        let end = start.saturating_add(bytes);
        if next > end {
            let message = format!("its fields end {} bytes behind it", next - end);
            if let Some(first) = fields.first() {
                self.fault(first, format!("the group around it is too short: {message}"));
            }
        } else if next < end {
            self.filler(end - next, at.depth);
        }
    }

    /// The start of a field: the one in its file, or else behind the field before, on its boundary.
    fn begin(&mut self, field: &Field, next: usize, at: At) -> usize {
        let begin = match field.start {
            Some(start) => start,
            None => {
                let boundary = match field.alignment.as_str() {
                    "HALFWORD" => 2,
                    "WORD" | "FULLWORD" => 4,
                    "DOUBLEWORD" => 8,
                    _ => 1,
                };
                next.next_multiple_of(boundary)
            }
        };
        if begin > next {
            self.filler(begin - next, at.depth);
        }
        begin.max(next)
    }

    fn field(&mut self, field: &Field, word: &str, begin: usize, at: At, extra: &str, choice: &mut Choice) {
        let rows = field.occurs.map_or(1, |(_, most)| most);
        if rows == 0 || !field.bytes.is_multiple_of(rows) {
            self.fault(field, format!("{} bytes are not {rows} rows", field.bytes));
            return;
        }
        let row = field.bytes / rows;
        let mut clause = extra.to_owned();
        if let Some((least, most)) = field.occurs {
            clause.push_str(&self.occurs(field, least, most));
        }
        // A table of single values has one field, with its own name.
        let single = match field.children.as_slice() {
            [only]
                if field.datatype == "ARRAY"
                    && only.children.is_empty()
                    && only.original == field.original =>
            {
                Some(only)
            }
            [] => Some(field),
            _ => None,
        };
        match single {
            Some(value) => {
                choice.default = choice.default.take().or_else(|| value.default.clone());
                let made = self.elementary(value, word, at, row, &clause);
                self.value_choice(value, made, at, choice, word);
                self.places.push((word.to_owned(), begin, row, field.line));
            }
            None => {
                self.line(at.depth, word, &clause);
                self.places.push((word.to_owned(), begin, row, field.line));
                let inner = At { depth: at.depth + 1, ..at };
                self.group(&field.children, row, begin, inner);
            }
        }
    }

    fn occurs(&mut self, field: &Field, least: usize, most: usize) -> String {
        match &field.depends_on {
            Some(counter) => match self.counters.get(counter) {
                Some(word) => format!("OCCURS {least} TO {most} DEPENDING ON {word} "),
                None => {
                    self.fault(field, format!("its rows depend on {counter}, which is not before it"));
                    String::new()
                }
            },
            None => {
                if least != most {
                    let reason =
                        format!("{least} to {most} rows without a counter: a table of {most} rows here");
                    self.note(field, reason);
                }
                format!("OCCURS {most} ")
            }
        }
    }

    /// Writes a field without fields of its own. Gives its kind.
    fn elementary(&mut self, field: &Field, word: &str, at: At, bytes: usize, extra: &str) -> Option<Kind> {
        match clauses(field, bytes) {
            Ok(Clauses { text, kind, note, .. }) => {
                let value =
                    if at.depth > 0 && !at.view { hex_value(field, kind, bytes) } else { String::new() };
                self.line(at.depth, word, &format!("{extra}{text}{value}"));
                if let Some(note) = note {
                    self.note(field, note);
                }
                if field.hex && field.default.is_some() && value.is_empty() {
                    self.note(field, "its default in hexadecimal is not imported");
                }
                if at.depth == 0 {
                    self.places.push((word.to_owned(), 0, bytes, field.line));
                }
                Some(kind)
            }
            Err(message) => {
                self.fault(field, message);
                None
            }
        }
    }

    fn value_choice(&mut self, field: &Field, kind: Option<Kind>, at: At, choice: &mut Choice, word: &str) {
        // A default in hexadecimal is a VALUE of the copybook.
        let dropped = if field.hex || at.view { choice.default.take() } else { None };
        if dropped.is_some() && !field.hex {
            self.note(field, "its default is in a view of other fields' bytes and is not imported");
        }
        match kind {
            Some(Kind::Binary) if at.shown => self.binary.push(word.to_owned()),
            Some(Kind::Bytes) if at.shown => choice.hex = true,
            _ => {}
        }
        choice.beside_views = at.shown && at.beside && matches!(kind, Some(Kind::Decimal | Kind::Binary));
    }

    /// The choices of the service file for a field, from its name and its visibility.
    fn choice(&mut self, field: &Field, word: &str, included: Option<bool>, shown: bool) -> Choice {
        let mut choice = Choice { included, default: field.default.clone(), ..Choice::default() };
        if field.depended_on {
            if field.included {
                self.note(
                    field,
                    "it counts the rows of a table: it is filled from the array and does not show",
                );
            }
            return Choice::default();
        }
        if shown {
            if word.replace('-', "_") != field.name {
                choice.name = Some(field.name.clone());
            }
            if !field.remarks.is_empty() {
                choice.description = Some(field.remarks.clone());
            }
        }
        choice
    }

    fn choose(&mut self, word: &str, choice: Choice) {
        self.fields.push((word.to_owned(), choice));
    }

    fn filler(&mut self, bytes: usize, depth: usize) {
        self.line(depth, "FILLER", &format!("PIC X({bytes})"));
    }

    fn line(&mut self, depth: usize, word: &str, clauses: &str) {
        let level = 1 + depth * self.level_step;
        if level > LEVEL_MAX {
            let message = format!("groups nest deeper than {LEVEL_MAX} levels");
            self.faults.push(Fault::new(FaultKind::Limit, self.file, message));
            return;
        }
        let indent = 7 + (depth * 2).min(20);
        let mut line = format!("{:indent$}{level:02}  {word}", "");
        for part in clauses.split_whitespace() {
            if line.len() + part.len() + 2 > COLUMN_MAX {
                let _ = writeln!(self.text, "{line}");
                line = format!("{:1$}", "", indent + 5);
            } else {
                line.push(' ');
            }
            line.push_str(part);
        }
        let _ = writeln!(self.text, "{line}.");
    }

    /// Reads the text like every other copybook, and checks that every field lies where the interface has it.
    fn check(&mut self) {
        if !self.faults.is_empty() {
            return;
        }
        let mut wrong = |line: usize, message: String| {
            self.faults.push(Fault::at(FaultKind::Content, self.file, line, message));
        };
        let parsed = match copybook::parse("interface", &self.text, &copybook::Options::default()) {
            Ok(parsed) => parsed,
            Err(diagnostics) => {
                for diagnostic in diagnostics {
                    wrong(0, format!("Gantry cannot read its copybook: {diagnostic}"));
                }
                return;
            }
        };
        let [layout] = parsed.layouts.as_slice() else {
            return wrong(0, format!("its copybook has {} records", parsed.layouts.len()));
        };
        let found: BTreeMap<&str, (usize, usize)> =
            layout.iter().map(|(_, field)| (field.name.as_str(), (field.offset, field.bytes))).collect();
        for (word, offset, bytes, line) in &self.places {
            match found.get(word.as_str()) {
                Some(place) if *place == (*offset, *bytes) => {}
                Some((at, length)) => wrong(
                    *line,
                    format!(
                        "{word} is at {} with {bytes} bytes, but its copybook has it at {} with {length}",
                        offset + 1,
                        at + 1
                    ),
                ),
                None => wrong(*line, format!("{word} is missing in its copybook")),
            }
        }
    }
}

/// The number of fields that describe the same bytes, and of those that show.
#[derive(Clone, Copy, Debug, Default)]
struct View {
    /// It is the first one, or redefines it.
    overlaid: bool,
    first: bool,
    /// The number of all that show.
    shown: usize,
}

/// The views of the same bytes, by the position of the field in its group.
fn views(fields: &[Field]) -> HashMap<usize, View> {
    let mut first_of: Vec<usize> = Vec::with_capacity(fields.len());
    let mut begun: HashMap<&str, usize> = HashMap::new();
    for (position, field) in fields.iter().enumerate() {
        let target = field.redefines.as_ref().and_then(|target| begun.get(target.as_str()));
        let first = target.copied().unwrap_or(position);
        first_of.push(first);
        begun.insert(&field.original, first);
    }
    let mut shown: HashMap<usize, (usize, usize)> = HashMap::new();
    for (position, first) in first_of.iter().enumerate() {
        let counts = shown.entry(*first).or_default();
        counts.0 += 1;
        counts.1 += usize::from(fields[position].included);
    }
    let mut views = HashMap::new();
    for (position, first) in first_of.iter().enumerate() {
        let (all, shown) = shown[first];
        if all > 1 {
            views.insert(position, View { overlaid: true, first: position == *first, shown });
        }
    }
    views
}

/// Whether a field shows, and the choice that is needed for it.
fn visible(field: &Field, view: View) -> (bool, Option<bool>) {
    if !view.overlaid {
        return (field.included, (!field.included).then_some(false));
    }
    match (field.included, view.first) {
        // If several views show, each must be named. A single first view need not be named.
        (true, true) => (true, (view.shown > 1).then_some(true)),
        (true, false) => (true, Some(true)),
        // The first view shows unless another is named.
        (false, true) => (false, (view.shown == 0).then_some(false)),
        (false, false) => (false, None),
    }
}

/// A default in hexadecimal is a VALUE, because it is not text in any code page.
fn hex_value(field: &Field, kind: Kind, bytes: usize) -> String {
    match &field.default {
        Some(digits)
            if field.hex
                && kind == Kind::Text
                && digits.len() == bytes * 2
                && digits.len() <= HEX_DIGITS_MAX
                && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            format!(" VALUE X'{}'", digits.to_ascii_uppercase())
        }
        _ => String::new(),
    }
}

/// A field with its positions counted from another start.
fn moved(field: &Field, by: usize) -> Field {
    Field {
        start: field.start.map(|start| start + by),
        children: field.children.iter().map(|child| moved(child, by)).collect(),
        ..field.clone()
    }
}
