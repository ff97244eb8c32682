//! Properties of XML over random layouts: what goes in comes out, in every way of writing it, and broken text is an
//! error where another parser finds one too.

use proptest::prelude::*;
use record::{
    ByteOrder, DataTruncation, EditedValue, ElementOrder, ErrorKind, TableRoom, UnknownFields, ViewRule,
};

use crate::property::mutated;
use crate::random::{Dice, RandomLayout};
use crate::value::Value;
use crate::{Case, hex, page};

const PAGES: [u16; 5] = [37, 273, 819, 1140, 1252];

/// A case of a random layout, with a value for it.
struct Random {
    case: Case,
    value: Value,
    copybook: String,
}

fn random(dice: &mut Dice<'_>) -> Random {
    let ccsid = PAGES[dice.roll(PAGES.len())];
    let layout = RandomLayout::new(dice);
    let value = markup(layout.value(dice));
    let case = Case::with(&layout.copybook, |choices| {
        choices.options.encoding = page(ccsid).into();
        for name in &layout.chosen {
            choices.field(name).included = Some(true);
        }
        choices.options.edited = EditedValue::Value;
        for (view, teller, value) in &layout.rules {
            let field = choices.layout.resolve(teller).expect("names are those of the copybook");
            let values = vec![(*value).to_owned()];
            // A request may give none of them.
            choices.options.unmatched_views = record::UnmatchedViews::Omit;
            choices.field(view).when = Some(ViewRule { field, values });
        }
        if dice.one_in(2) {
            choices.options.native_order = ByteOrder::Little;
        }
        if dice.one_in(4) {
            choices.options.table_room = TableRoom::Full;
        }
        let xml = &mut choices.options.xml;
        match dice.roll(3) {
            1 => xml.namespace = Some("urn:a".to_owned()),
            2 => (xml.namespace, xml.prefix) = (Some("urn:a".to_owned()), Some("p".to_owned())),
            _ => {}
        }
        if dice.one_in(2) {
            choices.options.unknown_fields = UnknownFields::Ignore;
        }
        if dice.one_in(2) {
            choices.options.xml.order = ElementOrder::Any;
        }
        if dice.one_in(4) {
            choices.options.data_truncation = DataTruncation::Accept;
        }
    });
    Random { case, value, copybook: layout.copybook }
}

/// The same value with markup in place of the characters that XML does not have.
fn markup(value: Value) -> Value {
    match value {
        Value::Text(text) => {
            let mut marks = ['<', '&', '>', ']', '\r'].into_iter().cycle();
            let mark = |c: char| if c == '\u{1}' { marks.next().unwrap_or(c) } else { c };
            Value::Text(text.chars().map(mark).collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(markup).collect()),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, markup(value))).collect())
        }
        number => number,
    }
}

/// How elements are written.
struct Style<'d, 'r> {
    prefix: &'static str,
    /// In every way that means the same; none writes as a bind does.
    dice: Option<&'d mut Dice<'r>>,
    any_order: bool,
}

impl Style<'_, '_> {
    fn roll(&mut self, sides: usize) -> usize {
        self.dice.as_mut().map_or(0, |dice| dice.roll(sides))
    }

    fn document(&mut self, value: &Value, namespace: &str) -> String {
        let declared = match (namespace, self.prefix) {
            ("", _) => String::new(),
            (namespace, "") => format!(" xmlns=\"{namespace}\""),
            (namespace, prefix) => format!(" xmlns:{}=\"{namespace}\"", prefix.trim_end_matches(':')),
        };
        let start = ["", "<?xml version='1.0'?>\n", "<!-- a --> "][self.roll(3)];
        let (prefix, inner) = (self.prefix, self.content(value));
        format!("{start}<{prefix}r{declared}>{inner}</{prefix}r>{}", ["", "\n", "<!---->"][self.roll(3)])
    }

    fn content(&mut self, value: &Value) -> String {
        match value {
            Value::Number { .. } => {
                let (number, space) = (value.plain(), ["", " ", "\n\t"][self.roll(3)]);
                match self.roll(4) {
                    1 if !number.starts_with('-') => format!("{space}+{number}"),
                    2 if number.contains('.') => format!("{number}00{space}"),
                    3 => format!("<![CDATA[{number}]]>"),
                    _ => number,
                }
            }
            Value::Text(text) => text.chars().map(|character| self.character(character)).collect(),
            Value::Array(_) => unreachable!("rows are elements of their own"),
            Value::Object(members) => {
                let mut elements: Vec<String> = Vec::new();
                for (name, value) in members {
                    let element = match value {
                        Value::Array(rows) => rows.iter().map(|row| self.element(name, row)).collect(),
                        value => self.element(name, value),
                    };
                    let end = elements.len();
                    let at = if self.any_order { end - self.roll(end + 1) } else { end };
                    elements.insert(at, element);
                }
                elements.concat()
            }
        }
    }

    fn element(&mut self, name: &str, value: &Value) -> String {
        let (prefix, inner) = (self.prefix, self.content(value));
        let around = ["", " ", "\n", "<!-- x -->"][self.roll(4)];
        let space = ["", " ", "\n"][self.roll(3)];
        if inner.is_empty() && self.roll(2) == 1 {
            return format!("{around}<{prefix}{name}{space}/>");
        }
        format!("{around}<{prefix}{name}{space}>{inner}</{prefix}{name}{space}>")
    }

    fn character(&mut self, character: char) -> String {
        match (character, self.roll(8)) {
            (_, 7) => format!("&#{};", u32::from(character)),
            (_, 6) => format!("&#x{:X};", u32::from(character)),
            (']' | '\r', 5) => format!("&#{};", u32::from(character)),
            (character, 5) => format!("<![CDATA[{character}]]>"),
            ('"', 4) => "&quot;".to_owned(),
            ('\n', 4) => "\r\n".to_owned(),
            ('<', _) => "&lt;".to_owned(),
            ('>', _) => "&gt;".to_owned(),
            ('&', _) => "&amp;".to_owned(),
            ('\r', _) => "&#13;".to_owned(),
            (character, _) => character.to_string(),
        }
    }
}

fn rolls() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<u32>(), 0..1_500)
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() }
}

/// Pieces of XML that are interesting where they do not belong.
const PIECES: [&str; 32] = [
    "<",
    ">",
    "/",
    "</",
    "/>",
    "&",
    ";",
    "&#",
    "&#x41;",
    "&lt;",
    "&x;",
    "<!--",
    "-->",
    "--",
    "<![CDATA[",
    "]]>",
    "]]",
    "<?",
    "<!DOCTYPE r>",
    "=",
    "'",
    "\"",
    " ",
    "\r",
    ":",
    "xmlns",
    " a='1'",
    " xmlns:p='u'",
    "<x>",
    "</x>",
    "\u{1}",
    "é",
];

fn style<'d, 'r>(case: &Case, dice: Option<&'d mut Dice<'r>>) -> (Style<'d, 'r>, String) {
    let xml = &case.options.xml;
    let prefix = if xml.prefix.is_some() { "p:" } else { "" };
    let any_order = xml.order == ElementOrder::Any;
    (Style { prefix, dice, any_order }, xml.namespace.clone().unwrap_or_default())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_goes_in_comes_out(rolls in rolls()) {
        let mut dice = Dice::new(&rolls);
        let Random { case, value, copybook } = random(&mut dice);
        let json = value.plain();
        let mut record = Vec::new();
        case.bind.encode(json.as_bytes(), &mut record).expect("checked elsewhere");
        let record = hex(&record);

        let (mut plain, namespace) = style(&case, None);
        let plain = plain.document(&value, &namespace);
        prop_assert_eq!(case.decode_xml(&record), Ok(plain.clone()), "{}\n{}", &record, &copybook);
        prop_assert_eq!(case.encode_xml(&plain), Ok(record.clone()), "{}\n{}", &plain, &copybook);
        prop_assert!(roxmltree::Document::parse(&plain).is_ok(), "{plain}");

        let (mut varied, _) = style(&case, Some(&mut dice));
        let varied = varied.document(&value, &namespace);
        prop_assert!(roxmltree::Document::parse(&varied).is_ok(), "{varied}");
        prop_assert_eq!(case.encode_xml(&varied), Ok(record), "{}\n{}", varied, copybook);
    }

    #[test]
    fn what_is_xml_is_what_another_parser_takes(rolls in rolls()) {
        let mut dice = Dice::new(&rolls);
        let Random { case, value, copybook } = random(&mut dice);
        let (mut varied, namespace) = style(&case, Some(&mut dice));
        let varied = varied.document(&value, &namespace);
        let broken = mutated(varied.clone().into_bytes(), &PIECES.map(str::as_bytes), &mut dice);
        let shown = String::from_utf8_lossy(&broken);
        let mut record = Vec::new();
        let ours = case.bind.encode_xml(&broken, &mut record);
        let theirs = std::str::from_utf8(&broken).map_err(|error| error.to_string()).and_then(|text| {
            roxmltree::Document::parse(text).map(drop).map_err(|error| error.to_string())
        });
        match (&ours, &theirs) {
            (Ok(()), Err(error)) => prop_assert!(false, "{error}: {shown}\n{copybook}"),
            (Err(error), Ok(())) if error.kind == ErrorKind::Syntax => {
                // The other parser takes names that start with a colon, and empty namespaces of prefixes.
                let not_taken =
                    ["processing instructions", "encoding is", "version", "':", "found </:", "a prefix needs a namespace"];
                // It looks at little of what stands in the declaration, which is in the first line.
                let declaration = if shown.starts_with("<?xml") { shown.find("?>").unwrap_or(0) } else { 0 };
                let in_declaration = error.position.is_some_and(|at| at.0 == 1 && at.1 <= declaration);
                prop_assert!(
                    in_declaration || not_taken.iter().any(|start| error.message.contains(start)),
                    "{error}: {shown}\n{copybook}"
                );
            }
            _ => {}
        }
        if let Err(error) = ours {
            let placed = error.position.is_some() || error.kind == ErrorKind::View || error.kind == ErrorKind::RowCount;
            prop_assert!(placed || shown.starts_with(['\0', 'L', '<']), "{error}: {shown}");
            prop_assert!(!error.message.is_empty());
        }
    }

    #[test]
    fn bytes_of_any_kind_do_no_harm(rolls in rolls(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let Random { case, .. } = random(&mut Dice::new(&rolls));
        let (mut xml, mut record) = (Vec::new(), Vec::new());
        prop_assert!(case.bind.encode_xml(&bytes, &mut record).is_err());
        if case.bind.decode_xml(&bytes, &mut xml).is_ok() {
            let text = std::str::from_utf8(&xml).expect("XML is UTF-8");
            prop_assert!(roxmltree::Document::parse(text).is_ok(), "{text}");
        } else {
            prop_assert!(xml.is_empty());
        }
    }
}
