//! Record bytes to JSON and back, and refusals with their place and words.

mod errors;
mod forms;
mod json;
mod names;
mod numbers;
mod policies;
mod program_interface;
mod property;
mod random;
mod schema;
mod shapes;
mod side_by_side;
mod slots;
mod sources;
mod tables;
mod text;
mod truncation;
mod types;
mod utf8;
mod value;
mod variable;
mod views;
mod xml;
mod xml_errors;
mod xml_names;
mod xml_random;
mod xsd;

use codepage::CodePage;
use copybook::{FieldId, Layout};
use record::{Bind, CompileError, Error, ErrorKind, FieldOptions, Options};

/// A layout with options and the bind that came of them.
pub(crate) struct Case {
    pub(crate) layout: Layout,
    pub(crate) options: Options,
    pub(crate) bind: Bind,
}

impl Case {
    /// The copybook's record in CCSID 37, all options at their defaults.
    #[track_caller]
    pub(crate) fn new(copybook: &str) -> Self {
        Self::with(copybook, |_| {})
    }

    #[track_caller]
    pub(crate) fn in_page(copybook: &str, ccsid: u16) -> Self {
        Self::with(copybook, |choices| choices.options.encoding = page(ccsid).into())
    }

    #[track_caller]
    pub(crate) fn with(copybook: &str, choose: impl FnOnce(&mut Choices)) -> Self {
        let layout = layout(copybook);
        let mut choices = Choices { options: Options::new(page(37)), layout: &layout };
        choose(&mut choices);
        let options = choices.options;
        let bind = Bind::compile(&layout, &options).expect("a bind");
        Self { layout, options, bind }
    }

    /// JSON to record, the record as hexadecimal text.
    pub(crate) fn encode(&self, json: &str) -> Result<String, Error> {
        let mut record = Vec::new();
        self.bind.encode(json.as_bytes(), &mut record)?;
        Ok(hex(&record))
    }

    /// Record to JSON, the record as hexadecimal text.
    pub(crate) fn decode(&self, record: &str) -> Result<String, Error> {
        let mut json = Vec::new();
        self.bind.decode(&bytes(record), &mut json)?;
        Ok(String::from_utf8(json).expect("JSON is UTF-8"))
    }

    /// The JSON gives the record, and the record gives the JSON again, as it was.
    #[track_caller]
    pub(crate) fn check(&self, json: &str, record: &str) {
        self.check_encode(json, record);
        self.check_decode(record, json);
    }

    #[track_caller]
    pub(crate) fn check_encode(&self, json: &str, record: &str) {
        assert_eq!(self.encode(json).as_deref(), Ok(hex(&bytes(record)).as_str()), "the record of {json}");
    }

    #[track_caller]
    pub(crate) fn check_decode(&self, record: &str, json: &str) {
        assert_eq!(self.decode(record).as_deref(), Ok(json), "the JSON of {record}");
    }

    /// The JSON is refused with an error of this kind that reads so, place and all.
    #[track_caller]
    pub(crate) fn refuse_json(&self, json: &str, kind: ErrorKind, shown: &str) {
        let error = self.encode(json).expect_err(json);
        assert_eq!((error.to_string().as_str(), error.kind), (shown, kind), "the error of {json}");
    }

    /// The record is refused with an error of this kind that reads so, place and all, and nothing is written.
    #[track_caller]
    pub(crate) fn refuse_record(&self, record: &str, kind: ErrorKind, shown: &str) {
        let mut json = b"before".to_vec();
        let error = self.bind.decode(&bytes(record), &mut json).expect_err(record);
        assert_eq!((error.to_string().as_str(), error.kind), (shown, kind), "the error of {record}");
        assert_eq!(json, b"before");
    }
}

/// The options of a case while they are chosen.
pub(crate) struct Choices<'l> {
    pub(crate) options: Options,
    pub(crate) layout: &'l Layout,
}

impl Choices<'_> {
    /// The choices for the field of a COBOL name.
    #[track_caller]
    pub(crate) fn field(&mut self, name: &str) -> &mut FieldOptions {
        let id = self.layout.resolve(name).expect(name);
        self.of(id)
    }

    /// The choices for the `index`th field of the copybook, which need not have a name.
    pub(crate) fn at(&mut self, index: usize) -> &mut FieldOptions {
        let (id, _) = self.layout.iter().nth(index).expect("a field");
        self.of(id)
    }

    fn of(&mut self, id: FieldId) -> &mut FieldOptions {
        self.options.fields.entry(id).or_default()
    }
}

/// The copybook gives this record for this JSON, in CCSID 37, and this JSON for this record.
#[track_caller]
pub(crate) fn check(copybook: &str, json: &str, record: &str) {
    Case::new(copybook).check(json, record);
}

/// No bind comes of the copybook and these options, for these reasons.
#[track_caller]
pub(crate) fn refuse(copybook: &str, choose: impl FnOnce(&mut Choices), shown: &[&str]) -> Vec<CompileError> {
    let layout = layout(copybook);
    let mut choices = Choices { options: Options::new(page(37)), layout: &layout };
    choose(&mut choices);
    let options = choices.options;
    let errors = Bind::compile(&layout, &options).expect_err("no bind");
    assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), shown);
    errors
}

/// The only record of a copybook in free format.
#[track_caller]
pub(crate) fn layout(copybook: &str) -> Layout {
    let options = copybook::Options { format: copybook::Format::Free, ..copybook::Options::default() };
    let mut parsed = copybook::parse("TEST.cpy", copybook, &options)
        .unwrap_or_else(|findings| panic!("{findings:?} in\n{copybook}"));
    assert_eq!(parsed.layouts.len(), 1);
    parsed.layouts.remove(0)
}

#[track_caller]
pub(crate) fn page(ccsid: u16) -> &'static CodePage {
    CodePage::by_ccsid(ccsid).expect("a known code page")
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// The bytes of hexadecimal text, blanks between them as one likes.
#[track_caller]
pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    assert_eq!(digits.len() % 2, 0, "whole bytes in {hex}");
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}
