//! From a bind file to the running service: a layout and options for the request and the response of each
//! operation.

use std::sync::Arc;

use codepage::Encoding;
use copybook::{Field, Kind, Layout, Library, Member, Paths};
use interface::Interface;
use record::{
    BadNumber, Counters, DataTruncation, DateFormat, EditedValue, EmptyRows, Filler, Format, LowValueText,
    MissingFields, MissingRows, Naming, Nil, Options, Policies, TableRoom, TrimText, XmlField, XmlForm,
    XmlOptions,
};

use crate::check::check;
use crate::{
    BindFile, CharOccurs, CharVarying, Choices, DateTime, FieldChoice, FieldForm, InterfaceKind, Messages,
    MessagesSection, Nillable, NullRows, Operation, Part, Problem, Role, Severity, Wsdls, XmlPlace,
};

/// The interfaces of one operation.
#[derive(Clone, Debug)]
pub struct OperationParts {
    /// The record that the request fills.
    pub request: Interface,
    /// The record of the response; none if the operation is one-way.
    pub response: Option<Interface>,
}

impl BindFile {
    /// The interfaces of all operations of records, in their order, with their warnings. Operations by WSDL
    /// are compiled, and have no interface. Providers and requesters use the same interfaces, in opposite
    /// directions. `ccsid` is the code page of text if the file names none.
    ///
    /// # Errors
    /// All faults of the copybooks: their text, fields without elements at the file's mapping level, choices
    /// for fields that do not exist.
    pub fn parts(&self, ccsid: u16) -> Result<(Vec<OperationParts>, Vec<Problem>), Vec<Problem>> {
        let mut problems = Vec::new();
        let mut parts = Vec::new();
        // The operations share the WSDL, which is read once.
        let mut wsdls = Wsdls::default();
        for operation in &self.operation {
            if operation.by_wsdl {
                let messages = self.messages_of(operation, ccsid, &mut wsdls);
                problems.extend(messages.err().unwrap_or_default());
                continue;
            }
            match self.operation_parts(operation, ccsid, &mut problems) {
                Some(found) => parts.push(found),
                None => continue,
            }
        }
        if problems.iter().any(|problem| problem.severity == Severity::Error) {
            return Err(problems);
        }
        Ok((parts, problems))
    }

    /// The messages of an operation by WSDL. `ccsid` is the code page of text if the file names none.
    ///
    /// # Errors
    /// All faults of the WSDL and of its layout.
    pub fn messages(&self, operation: &Operation, ccsid: u16) -> Result<Messages, Vec<Problem>> {
        self.messages_of(operation, ccsid, &mut Wsdls::default())
    }

    fn messages_of(
        &self,
        operation: &Operation,
        ccsid: u16,
        wsdls: &mut Wsdls,
    ) -> Result<Messages, Vec<Problem>> {
        let refuse = |place: &str, message: String| vec![Problem::error(place, message)];
        let (Some(documents), Some(section)) = (&self.wsdl, self.messages_section(operation, "")) else {
            return Err(refuse("wsdl", "an operation by WSDL needs one".to_owned()));
        };
        let ccsid = self.ccsid.unwrap_or(ccsid);
        let encoding = Encoding::by_ccsid(ccsid)
            .ok_or_else(|| refuse("ccsid", format!("CCSID {ccsid} is not known")))?;
        let mut files = |name: &str| {
            let text = documents
                .files
                .get(name)
                .ok_or_else(|| "the bind file does not have this file".to_owned())?;
            Ok(text.clone().into_bytes())
        };
        let messages = section.compile(wsdls.get(&documents.file, &mut files)?, encoding)?;
        let response = operation.response.as_ref().zip(messages.response.as_deref());
        for (part, laid) in [(&operation.request, &*messages.request)].into_iter().chain(response) {
            if self.is_laid_otherwise(part, laid.copybook()) {
                let (name, copybook) = (&operation.name, &part.copybook);
                let message = format!(
                    "the WSDL gives other fields than {copybook}, with which the program was compiled: make the bind file again with gantry \
                     soap ws2ls, and compile the program with its copybooks"
                );
                return Err(refuse(&format!("operation '{name}'"), message));
            }
        }
        Ok(messages)
    }

    /// True if the copybook of a part has other places or lengths of fields than the one that the WSDL gives now: rules
    /// of layouts may change from version to version. A copybook that cannot be read is not compared.
    fn is_laid_otherwise(&self, part: &Part, laid: &str) -> bool {
        let places = |name: &str, text: &str| {
            let parsed =
                copybook::parse_with(name, text, &copybook::Options::default(), &Members(self)).ok()?;
            let of_record = |layout: &Layout| {
                let fields = layout.iter().filter(|(_, field)| field.children.is_empty() && !field.filler);
                let fields = fields.map(|(_, field)| {
                    (field.offset, field.bytes, field.occurs.map_or(1, |occurs| occurs.max))
                });
                (layout.max_bytes(), fields.collect::<Vec<_>>())
            };
            Some(parsed.layouts.iter().map(of_record).collect::<Vec<_>>())
        };
        let own = self.copybooks.get(&part.copybook).and_then(|text| places(&part.copybook, text));
        own.is_some_and(|own| places("", laid).is_some_and(|laid| own != laid))
    }

    /// The section of a configuration for the messages of an operation. `folder` has the WSDL, and its name
    /// ends with a slash.
    pub(crate) fn messages_section(&self, operation: &Operation, folder: &str) -> Option<MessagesSection> {
        let (documents, layout) = (self.wsdl.as_ref()?, self.layout.as_ref()?);
        Some(MessagesSection {
            binding: self.binding.clone(),
            wsdl: format!("{folder}{}", documents.file),
            operation: operation.name.clone(),
            interface: if self.role == Role::Requester { InterfaceKind::Channel } else { self.interface },
            container: self.container.clone(),
            layout: layout.clone(),
        })
    }

    fn operation_parts(
        &self,
        operation: &Operation,
        ccsid: u16,
        problems: &mut Vec<Problem>,
    ) -> Option<OperationParts> {
        let name = &operation.name;
        let request = self.part(&operation.request, &format!("operation '{name}', request"), ccsid, problems);
        let response = match &operation.response {
            Some(part) => Some(self.part(part, &format!("operation '{name}', response"), ccsid, problems)?),
            None => None,
        };
        Some(OperationParts { request: request?, response })
    }

    fn part(&self, part: &Part, place: &str, ccsid: u16, problems: &mut Vec<Problem>) -> Option<Interface> {
        let layout = match layout(self, part) {
            Ok(layout) => layout,
            Err(found) => {
                problems.extend(found);
                return None;
            }
        };
        let found = check(&layout, &part.copybook, self.mapping_level, &self.options);
        let fails = found.iter().any(|problem| problem.severity == Severity::Error);
        problems.extend(found);
        if fails {
            return None;
        }
        let ccsid = self.ccsid.unwrap_or(ccsid);
        let Some(encoding) = Encoding::by_ccsid(ccsid) else {
            problems.push(Problem::error("ccsid", format!("CCSID {ccsid} is not known")));
            return None;
        };
        match options(&layout, part, &self.options, encoding) {
            Ok(options) => Some(Interface { layout: Arc::new(layout), options }),
            Err(message) => {
                problems.push(Problem::error(place, message));
                None
            }
        }
    }
}

/// The layout of a part: its record in the copybook that the file holds, with tables of characters joined if
/// the file says so.
///
/// # Errors
/// The fault of the copybook, with its name and line.
pub fn layout(file: &BindFile, part: &Part) -> Result<Layout, Vec<Problem>> {
    let name = &part.copybook;
    let Some(text) = file.copybooks.get(name) else {
        return Err(vec![Problem::error("", format!("there is no copybook '{name}'"))]);
    };
    let options = copybook::Options { record: part.record.clone(), ..copybook::Options::default() };
    let members = Members(file);
    let parsed = copybook::parse_with(name, text, &options, &members).map_err(|found| {
        let told = found.into_iter().map(|finding| {
            Problem::error(format!("{}, line {}", finding.file, finding.place.line), finding.message)
        });
        told.collect::<Vec<_>>()
    })?;
    let mut layouts = parsed.layouts;
    if layouts.len() > 1 {
        let names: Vec<&str> = layouts.iter().map(Layout::name).collect();
        let message = format!("the copybook has several records; choose one of {}", names.join(", "));
        return Err(vec![Problem::error(name.clone(), message)]);
    }
    let layout = layouts.pop().ok_or_else(|| vec![Problem::error(name.clone(), "there is no record")])?;
    Ok(if file.options.char_occurs == CharOccurs::String { layout.with_joined_characters() } else { layout })
}

/// The copybooks of a file, as COPY finds them.
pub(crate) struct Members<'f>(pub(crate) &'f BindFile);

impl Library for Members<'_> {
    fn member(&self, name: &str, _library: Option<&str>) -> Result<Member, String> {
        let found = self.0.copybooks.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let (name, text) = found.ok_or_else(|| "the bind file does not have this copybook".to_owned())?;
        Ok(Member { name: name.clone(), text: text.clone() })
    }
}

/// The options of a record by the rules of the assistants.
fn options(layout: &Layout, part: &Part, choices: &Choices, encoding: Encoding) -> Result<Options, String> {
    let mut options = Options {
        naming: Naming::Ls2ws,
        filler: if choices.full_tables { Filler::Hide } else { Filler::Expose },
        counters: if choices.full_tables { Counters::Hide } else { Counters::Show },
        table_room: if choices.full_tables { TableRoom::Full } else { TableRoom::Rows },
        edited: EditedValue::Value,
        missing_fields: MissingFields::Refuse,
        missing_rows: match choices.null_rows {
            NullRows::Keep => MissingRows::Refuse,
            NullRows::OmitGroups | NullRows::Omit => MissingRows::Initial,
        },
        empty_rows: match choices.null_rows {
            NullRows::Keep => EmptyRows::Keep,
            NullRows::OmitGroups => EmptyRows::OmitGroups,
            NullRows::Omit => EmptyRows::Omit,
        },
        data_truncation: if choices.data_truncation {
            DataTruncation::Accept
        } else {
            DataTruncation::Refuse
        },
        policies: Policies {
            trim_text: match choices.char_varying {
                CharVarying::No | CharVarying::Null => TrimText::Keep,
                CharVarying::Collapse | CharVarying::Binary => TrimText::Trailing,
            },
            low_value_text: match choices.char_varying {
                CharVarying::Null => LowValueText::End,
                _ => LowValueText::Keep,
            },
            bad_numbers: if choices.bad_numbers_are_zero { BadNumber::Zero } else { BadNumber::Refuse },
            ..Policies::default()
        },
        xml: XmlOptions {
            namespace: (!part.namespace.is_empty()).then(|| part.namespace.clone()),
            root: Some(part.element.clone()),
            other_attributes: part.other_attributes.clone(),
            ..XmlOptions::default()
        },
        ..Options::new(encoding)
    };
    // A configuration cannot name these fields, so they keep the form of their type.
    for (id, field) in layout.iter().filter(|(_, field)| !field.filler) {
        if let Some(format) = form_by_choice(field, choices)? {
            options.fields.entry(id).or_default().format = Some(format);
        }
    }
    choose_fields(&mut options, layout, part, choices)?;
    Ok(options)
}

/// Applies the choices of a bind file for single fields.
fn choose_fields(
    options: &mut Options,
    layout: &Layout,
    part: &Part,
    choices: &Choices,
) -> Result<(), String> {
    let paths = Paths::of(layout);
    for (name, choice) in &part.fields {
        let id = paths.resolve(name).map_err(|error| error.explain(name))?;
        let field = options.fields.entry(id).or_default();
        let place = match choice.xml {
            XmlPlace::Element => XmlForm::Element,
            XmlPlace::Attribute => XmlForm::Attribute,
            XmlPlace::Text => XmlForm::Text,
        };
        if choice.is_of_wsdl(choices) {
            // An attribute may have the name of an element, because the names of JSON come from COBOL.
            let (name, namespace) = (choice.name.clone(), choice.namespace.clone());
            let nil = match choice.nil {
                Nillable::Refuse => Nil::Refuse,
                Nillable::Accept => Nil::Accept,
                Nillable::Write => Nil::Write,
            };
            field.xml = Some(XmlField {
                name,
                namespace,
                form: place,
                nil,
                any_order: choice.any_order,
                default: choice.default.clone(),
                fixed: choice.fixed,
                other_attributes: choice.other_attributes.clone(),
            });
        } else if let Some(name) = &choice.name {
            field.name = Some(name.clone());
        }
        if choice.omit_blank {
            field.omit = Some(String::new());
        }
        field.included = choice.included.or(field.included);
        field.required |= choice.required;
        field.format = match choice.form {
            Some(FieldForm::Hex) => Some(Format::Hex),
            Some(FieldForm::Base64) => Some(Format::Base64),
            Some(FieldForm::Text(kind)) => Some(Format::Typed(kind)),
            Some(FieldForm::Boolean) => {
                Some(Format::Boolean { yes: "\u{1}".to_owned(), no: "\0".to_owned() })
            }
            None => field.format.take(),
        };
        field.default = missing(choice, choices, layout.field(id).bytes);
    }
    Ok(())
}

/// The value of a boolean or of octets that are missing, as text: zeros, as in the containers of a WSDL. X'00' is false, and a blank is no
/// value of a boolean. Fields of other forms have the initial value of their type.
pub(crate) fn missing(choice: &FieldChoice, choices: &Choices, bytes: usize) -> Option<String> {
    // A blank attribute is one that is missing.
    if !choice.is_of_wsdl(choices) || choice.omit_blank {
        return None;
    }
    match choice.form? {
        FieldForm::Boolean => Some(false.to_string()),
        FieldForm::Hex => Some("00".repeat(bytes)),
        FieldForm::Base64 => {
            let rest = ["", "AA==", "AAA="][bytes % 3];
            Some("AAAA".repeat(bytes / 3) + rest)
        }
        FieldForm::Text(_) => None,
    }
}

/// The form that a choice for the whole service gives to a field.
fn form_by_choice(field: &Field, choices: &Choices) -> Result<Option<Format>, String> {
    Ok(match &field.kind {
        Kind::Text { .. } if choices.char_varying == CharVarying::Binary => Some(Format::Base64),
        kind if is_time(kind, choices) => {
            Some(DateFormat::parse(ABSTIME, record::CENTURY_WINDOW_DEFAULT)?.into())
        }
        _ => None,
    })
}

/// The picture of points in time as ASKTIME gives them.
pub(crate) const ABSTIME: &str = "ABSTIME";

/// True for a field that holds a point in time: S9(15) COMP-3, if the choices say so.
pub(crate) fn is_time(kind: &Kind, choices: &Choices) -> bool {
    choices.datetime == DateTime::Packed15
        && matches!(kind, Kind::Packed { digits: 15, scale: 0, signed: true })
}
