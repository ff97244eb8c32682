//! From a WSDL to copybooks and a bind file.
//!
//! A bind reads and writes the counters of a copybook only where a table depends on them. So the bind file holds each
//! copybook a second time, with `DEPENDING ON` beside its counters. All tables have their full room, and the bytes are the same.
//!
//! A bind fills one record. Where a message has more, such as rows in containers or any XML, the bind file says that the WSDL lays out
//! the messages of the operation.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use assistant::{
    BinaryData, Content, Copybook, DateTime, Encoding, FieldName, Kind, Moment, Options, Role, VaryingArrays,
    Xml, XmlForm,
};
use web_service::{
    BindFile, CharVarying, Choices, Documents, FORMAT, FieldChoice, FieldForm, InterfaceKind, Laying,
    Messages, MessagesSection, Nillable, OPERATIONS_MAX, Part, Problem, SoapVersions, XmlPlace,
};
use wsdl::read::{Binding, Element, Files, Operation, Place, Version, Wsdl};

use super::operations::unknown_operations;
use super::provider::Elements;
use super::request::Request;

/// The code page of messages, if none is given: that of CICS.
pub(super) const CCSID_USUAL: u16 = 37;

/// The namespace of `xsi:nil` and `xsi:type`.
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The files that were made.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) copybooks: Vec<Member>,
    /// None where a bind cannot fill the records; a warning says why.
    pub(crate) file: Option<BindFile>,
    pub(crate) warnings: Vec<Problem>,
    /// Why there is no bind file, if there is none.
    pub(crate) obstacles: Vec<Problem>,
}

/// A copybook.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) member: String,
    pub(crate) text: String,
    /// Its source, in words.
    pub(crate) about: String,
}

/// The operations of a bind file, and why there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound {
    operations: Vec<web_service::Operation>,
    copybooks: BTreeMap<String, String>,
    /// The compiled messages of operations by WSDL, by the places of these.
    pub(super) messages: HashMap<Place, Messages>,
    obstacles: Vec<Problem>,
}

/// Makes copybooks and bind file.
///
/// # Errors
/// All that is wrong with the WSDL, and with the choice of a binding and its operations.
pub(crate) fn make(
    request: &Request,
    name: &str,
    bytes: Vec<u8>,
    files: &mut Files<'_>,
) -> Result<Made, Vec<Problem>> {
    let read = &wsdl::read::read(name, bytes, files).map_err(|faults| problems(&faults))?;
    let binding = binding(request, read).map_err(|message| vec![Problem::error("", message)])?;
    let operations = operations(request, binding).map_err(counted)?;
    let mut made = Made::default();
    made.warnings
        .extend(read.warnings.iter().map(|fault| Problem::warning(fault.place.to_string(), &fault.message)));
    made.warnings.extend(narrow_fields(request));
    let mut bound = Bound::default();
    let mut errors = Vec::new();
    for (index, operation) in operations.into_iter().enumerate() {
        if let Err(found) = message_pair(request, operation, index + 1, &mut made, &mut bound) {
            errors.extend(found);
        }
    }
    if !errors.is_empty() {
        return Err(counted(errors));
    }
    made.warnings = counted(std::mem::take(&mut made.warnings));
    if bound.obstacles.is_empty() {
        let file = bind_file(request, read, (binding, documents(read)), bound);
        made.obstacles = faults_of(&file, request.ccsid.unwrap_or(request.usual_ccsid));
        made.file = Some(file).filter(|_| made.obstacles.is_empty());
    } else {
        made.obstacles = bound.obstacles;
    }
    if !made.obstacles.is_empty() {
        let help = if request.options.one_record { "" } else { "; --one-record may help" };
        let first = format!("no bind file is made: Gantry cannot fill these records{help}");
        made.warnings.push(Problem::warning("", first));
    }
    Ok(made)
}

/// Why a bind file could not be loaded, as warnings: the copybooks are good.
fn faults_of(file: &BindFile, ccsid: u16) -> Vec<Problem> {
    let faults = match file.parts(ccsid) {
        Ok((parts, _)) => crate::faults_of_binds(&parts),
        Err(problems) => problems,
    };
    faults.into_iter().map(|fault| Problem::warning(fault.place, fault.message)).collect()
}

/// The copybooks of one operation, with its part of a bind file. The number is part of the copybooks' names.
///
/// # Errors
/// The faults of the operation, or why a bind cannot fill its records.
pub(super) fn one(
    request: &Request,
    operation: &Operation,
    number: usize,
) -> Result<(Vec<Member>, Bound), Vec<Problem>> {
    let (mut made, mut bound) = (Made::default(), Bound::default());
    message_pair(request, operation, number, &mut made, &mut bound).map_err(counted)?;
    if bound.obstacles.is_empty() { Ok((made.copybooks, bound)) } else { Err(bound.obstacles) }
}

impl Bound {
    /// Adds operations with their copybooks.
    pub(super) fn add(&mut self, other: Self) {
        self.operations.extend(other.operations);
        self.copybooks.extend(other.copybooks);
        self.messages.extend(other.messages);
        self.obstacles.extend(other.obstacles);
    }
}

/// A warning about text in a code page with several bytes for a character: fields have one byte for each
/// character of the schema.
fn narrow_fields(request: &Request) -> Option<Problem> {
    let ccsid = request.ccsid.filter(|_| !request.says_bytes)?;
    let is_narrow = codepage::Encoding::by_ccsid(ccsid)?.form() == codepage::Form::SingleByte;
    let message = format!(
        "CCSID {ccsid} has characters of several bytes, and fields have one for each character of the schema: text that is longer in bytes \
         is refused; CHAR-MULTIPLIER gives fields more bytes"
    );
    (!is_narrow).then(|| Problem::warning("CCSID", message))
}

/// Each problem once, with how often it is there. Operations share types, and so the faults of these.
fn counted(problems: Vec<Problem>) -> Vec<Problem> {
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut kept: Vec<(Problem, usize)> = Vec::new();
    for problem in problems {
        match places.entry((problem.place.clone(), problem.message.clone())) {
            Entry::Occupied(known) => kept[*known.get()].1 += 1,
            Entry::Vacant(free) => {
                free.insert(kept.len());
                kept.push((problem, 1));
            }
        }
    }
    let told = kept.into_iter().map(|(problem, times)| match times {
        1 => problem,
        times => Problem { message: format!("{} ({times} times)", problem.message), ..problem },
    });
    told.collect()
}

pub(super) fn problems(faults: &[wsdl::read::Fault]) -> Vec<Problem> {
    faults.iter().map(|fault| Problem::error(fault.place.to_string(), &fault.message)).collect()
}

/// The binding that is asked for, or the only one. Bindings for both versions of SOAP count as one, and the first is taken.
fn binding<'w>(request: &Request, read: &'w Wsdl) -> Result<&'w Binding, String> {
    let fits = |binding: &&Binding| {
        request.binding.as_ref().is_none_or(|name| binding.name == *name)
            && request
                .service
                .as_ref()
                .is_none_or(|name| binding.ports.iter().any(|port| port.service == *name))
    };
    let found: Vec<&Binding> = read.bindings.iter().filter(fits).collect();
    let names = |bindings: &[&Binding]| {
        let names: Vec<&str> = bindings.iter().map(|binding| binding.name.as_str()).collect();
        names.join(", ")
    };
    match found.as_slice() {
        [] => {
            let all: Vec<&Binding> = read.bindings.iter().collect();
            Err(format!("no binding has the name or service that is asked for; the WSDL has {}", names(&all)))
        }
        [first, rest @ ..] if rest.iter().all(|other| other.port_type == first.port_type) => Ok(first),
        several => Err(format!("the WSDL has several bindings; choose one with BINDING: {}", names(several))),
    }
}

/// The operations that are asked for; all must be good.
fn operations<'w>(request: &Request, binding: &'w Binding) -> Result<Vec<&'w Operation>, Vec<Problem>> {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    let named =
        |name: &str| request.operations.is_empty() || request.operations.iter().any(|wanted| wanted == name);
    for operation in &binding.operations {
        match operation {
            Ok(operation) if named(&operation.name) => found.push(operation),
            Err(faults) if named(&faults.name) => errors.extend(problems(&faults.faults)),
            _ => {}
        }
    }
    let unknown = unknown_operations(binding, &request.operations);
    errors.extend(unknown.map(|message| Problem::error("OPERATIONS", message)));
    if !errors.is_empty() && request.operations.is_empty() && !found.is_empty() {
        errors.push(Problem::error("", "choose the other operations with OPERATIONS to leave these out"));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    check_count(request, found.len())?;
    check_elements(request, &found)?;
    Ok(found)
}

fn check_count(request: &Request, found: usize) -> Result<(), Vec<Problem>> {
    if found <= OPERATIONS_MAX {
        return Ok(());
    }
    let message = format!(
        "expected at most {OPERATIONS_MAX} operations for one bind file, found {found}; choose some of them by name with OPERATIONS"
    );
    let place = if request.operations.is_empty() { "" } else { "OPERATIONS" };
    Err(vec![Problem::error(place, message)])
}

/// A web service tells its operations apart by the elements of their requests.
fn check_elements(request: &Request, found: &[&Operation]) -> Result<(), Vec<Problem>> {
    if request.program.is_none() {
        return Ok(());
    }
    let (mut elements, mut errors) = (Elements::default(), Vec::new());
    for operation in found {
        if let Err(message) = elements.take(operation) {
            let message =
                format!("operation '{}': {message}; choose one of them with OPERATIONS", operation.name);
            errors.push(Problem::error(operation.place.to_string(), message));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The copybooks of an operation, and its part of the bind file.
fn message_pair(
    request: &Request,
    operation: &Operation,
    number: usize,
    made: &mut Made,
    bound: &mut Bound,
) -> Result<(), Vec<Problem>> {
    let (before, first) = (bound.obstacles.len(), made.copybooks.len());
    let member = format!("{}{number:02}", request.request_member);
    let about = format!("request of {}", operation.name);
    let asked = message(request, operation.request.as_ref(), (member, about), made, bound)?;
    let response = match &operation.response {
        None => None,
        Some(element) => {
            let Some(member) = &request.response_member else {
                let text = format!("RESPMEM is missing; operation '{}' has a response", operation.name);
                return Err(vec![Problem::error("", text)]);
            };
            let names = (format!("{member}{number:02}"), format!("response of {}", operation.name));
            Some(message(request, element.as_ref(), names, made, bound)?)
        }
    };
    let (Some(asked), Some(response)) = (asked, response.map_or(Some(None), |part| part.map(Some))) else {
        by_wsdl(request, operation, &made.copybooks[first..], (bound, before));
        return Ok(());
    };
    bound.operations.push(web_service::Operation {
        name: operation.name.clone(),
        soap_action: operation.action.clone(),
        response_action: operation.response_action.clone(),
        by_wsdl: false,
        request: asked,
        response,
    });
    Ok(())
}

/// The part of the bind file of an operation whose messages no record of one copybook holds: the WSDL lays them out when the service
/// is loaded. The reasons against a bind are then gone.
fn by_wsdl(
    request: &Request,
    operation: &Operation,
    copybooks: &[Member],
    (bound, before): (&mut Bound, usize),
) {
    let is_empty = operation.request.is_none() || operation.response.as_ref().is_some_and(Option::is_none);
    if request.options.one_record || is_empty {
        return;
    }
    let section = MessagesSection {
        wsdl: String::new(),
        binding: None,
        operation: operation.name.clone(),
        interface: request.interface,
        container: request.container.clone().filter(|_| request.interface == InterfaceKind::Channel),
        layout: Laying::of(request.level, &request.options),
    };
    let encoding = codepage::Encoding::by_ccsid(request.ccsid.unwrap_or(request.usual_ccsid));
    let Some((encoding, asked)) = encoding.zip(operation.request.as_ref()) else { return };
    match section.of_operation(operation, encoding) {
        Ok(messages) => drop(bound.messages.insert(operation.place.clone(), messages)),
        Err(found) => {
            let told = found.into_iter().map(|found| Problem::warning(found.place, found.message));
            return bound.obstacles.extend(told);
        }
    }
    let mut members = copybooks.iter();
    let mut part = |element: &Element| {
        let copybook = members.next().map(|member| (member.member.clone(), member.text.clone()));
        let (copybook, text) = copybook.unwrap_or_default();
        bound.copybooks.insert(copybook.clone(), text);
        let (element, namespace) = (element.name.local.clone(), element.name.namespace.clone());
        Part { element, namespace, copybook, ..Part::default() }
    };
    let asked = part(asked);
    let response = operation.response.as_ref().and_then(Option::as_ref).map(part);
    bound.obstacles.truncate(before);
    bound.operations.push(web_service::Operation {
        name: operation.name.clone(),
        soap_action: operation.action.clone(),
        response_action: operation.response_action.clone(),
        by_wsdl: true,
        request: asked,
        response,
    });
}

/// The copybook of a message, and its part of the bind file if a bind can fill it.
fn message(
    request: &Request,
    element: Option<&Element>,
    (member, about): (String, String),
    made: &mut Made,
    bound: &mut Bound,
) -> Result<Option<Part>, Vec<Problem>> {
    let Some(element) = element else {
        bound.obstacles.push(Problem::warning("", format!("{about}: the body is empty")));
        return Ok(None);
    };
    if element.name.namespace == XSI {
        let text = format!(
            "{about}: the element {} is of the namespace {}, which has only attributes: expected a namespace of your own",
            element.name.local, XSI
        );
        return Err(vec![Problem::error(element.place.to_string(), text)]);
    }
    let part = Part {
        element: element.name.local.clone(),
        namespace: element.name.namespace.clone(),
        copybook: member.clone(),
        other_attributes: wsdl::read::other_attributes(element, &request.options),
        ..Part::default()
    };
    if wsdl::read::is_empty(element) {
        let text = assistant::without_content(&member, &about);
        bound.copybooks.insert(member.clone(), text.clone());
        made.copybooks.push(Member { member, text, about });
        let hidden = FieldChoice { included: Some(false), ..FieldChoice::default() };
        return Ok(Some(Part { fields: BTreeMap::from([(assistant::NO_DATA.to_owned(), hidden)]), ..part }));
    }
    let origin = format!("{}, {about}", element.place.file);
    let options = Options { name: member.clone(), origin, ..request.options.clone() };
    let shape = wsdl::read::shape(element, &options).map_err(|faults| problems(&faults))?;
    let copybook = written(&shape, &options)?;
    made.warnings
        .extend(copybook.warnings.iter().map(|found| Problem::warning(&found.pointer, &found.message)));
    if request.program.is_some() && request.interface == InterfaceKind::Commarea && copybook.areas.len() > 1 {
        let text = format!("{about}: the record names containers; a program with a commarea has none");
        return Err(vec![Problem::error(element.place.to_string(), text)]);
    }
    let text = copybook.text.clone();
    let filled = filled(&copybook, &shape, &options, part, &about, bound)?;
    made.copybooks.push(Member { member, text, about });
    Ok(filled)
}

fn written(shape: &assistant::Shape, options: &Options) -> Result<Copybook, Vec<Problem>> {
    assistant::write(shape, options).map_err(|found| {
        let told = found.iter().map(|found| {
            let help = found.help.as_ref().map(|help| format!(" (help: {help})")).unwrap_or_default();
            Problem::error(&found.pointer, format!("{}{help}", found.message))
        });
        told.collect()
    })
}

/// The part of a bind file, with the copybook that a bind reads.
fn filled(
    copybook: &Copybook,
    shape: &assistant::Shape,
    options: &Options,
    part: Part,
    about: &str,
    bound: &mut Bound,
) -> Result<Option<Part>, Vec<Problem>> {
    let mut known = BTreeMap::new();
    if let Some(area) = copybook.areas.first() {
        note_values(&area.content, true, &mut known);
    }
    let mut obstacles: Vec<Problem> =
        copybook.names.iter().filter_map(|name| obstacle(name, about)).collect();
    let has = |wanted: fn(&Kind) -> bool| known.values().any(|known| wanted(known.kind));
    if options.char_varying == assistant::CharVarying::Null && has(|kind| matches!(kind, Kind::Text(_))) {
        obstacles.push(Problem::warning(about, "CHAR-VARYING=NULL: binds do not end text with X'00'"));
    }
    let points_in_time = |kind: &Kind| matches!(kind, Kind::Moment(Moment::DateTime));
    if options.datetime == DateTime::Packed15 && has(points_in_time) {
        obstacles.push(Problem::warning(about, "DATETIME=PACKED15: binds do not convert points in time"));
    }
    if let Some(twin) = copybook.areas.first().and_then(|area| twin(&area.content)) {
        let text = format!(
            "{}: the element stands twice in its group, and a bind cannot tell the two apart",
            twin.name
        );
        obstacles.push(Problem::warning(about, text));
    }
    if !obstacles.is_empty() {
        bound.obstacles.extend(obstacles);
        return Ok(None);
    }
    let depending =
        Options { presence_tables: true, varying_arrays: VaryingArrays::DependingOn, ..options.clone() };
    let program = &copybook.text;
    let copybook = written(shape, &depending)?;
    if let Err(difference) = same_places(program, &copybook.text) {
        bound.obstacles.push(Problem::warning(about, difference));
        return Ok(None);
    }
    let mut known = BTreeMap::new();
    if let Some(area) = copybook.areas.first() {
        note_values(&area.content, true, &mut known);
    }
    let mut nils = BTreeMap::new();
    if let Some(area) = copybook.areas.first() {
        note_nils(&area.content, &mut nils);
    }
    let mut fields = BTreeMap::new();
    for name in &copybook.names {
        let Some(xml) = &name.xml else { continue };
        let known = known.get(name.path.as_str()).copied();
        let nil = nils.get(name.path.as_str()).copied().unwrap_or_default();
        let choice = choice(xml, known, options.binary_data, &part.namespace);
        fields.insert(name.path.clone(), FieldChoice { nil, ..choice });
    }
    bound.copybooks.insert(part.copybook.clone(), copybook.text);
    Ok(Some(Part { fields, ..part }))
}

/// Checks that both copybooks have the same fields at the same places, and records of the same length. The compiler fills up rows of
/// tables, and in the copybook of a bind optional groups are rows.
///
/// # Errors
/// The first difference.
fn same_places(program: &str, bind: &str) -> Result<(), String> {
    let (program, bind) = (places(program)?, places(bind)?);
    let differs = |(own, other): &(&(String, usize), &(String, usize))| own != other;
    if let Some(((path, _), _)) = program.fields.iter().zip(&bind.fields).find(differs) {
        return Err(format!(
            "{path}: it stands elsewhere in the copybook of a bind: a group before it that may be missing does not end at the boundary \
             of its numbers (SYNC)"
        ));
    }
    if program.fields.len() != bind.fields.len() {
        let (own, other) = (program.fields.len(), bind.fields.len());
        return Err(format!("the copybook of a bind has {other} fields, and that of the program {own}"));
    }
    if program.bytes != bind.bytes {
        return Err(format!(
            "the record has {} bytes in the copybook of a bind, and {} in that of the program: a group at its end that may be missing \
             does not end at the boundary of its numbers (SYNC)",
            bind.bytes, program.bytes
        ));
    }
    Ok(())
}

/// The places of a record.
struct Places {
    /// The fields without fillers, by their paths, with their offsets.
    fields: Vec<(String, usize)>,
    bytes: usize,
}

/// The places of the first record of a copybook.
///
/// # Errors
/// It cannot be read.
fn places(text: &str) -> Result<Places, String> {
    let parsed = copybook::parse("RECORD", text, &copybook::Options::default()).map_err(|found| {
        let first = found.first().map(ToString::to_string).unwrap_or_default();
        format!("the copybook cannot be read: {first}")
    })?;
    let layout = parsed.layouts.first().ok_or("the copybook has no record")?;
    let elementary = layout.iter().filter(|(_, field)| field.children.is_empty() && !field.filler);
    let fields = elementary.map(|(id, field)| (layout.path(id), field.offset)).collect();
    Ok(Places { fields, bytes: layout.max_bytes() })
}

/// An element with the name of another one in the same group, if there is one.
fn twin(content: &Content) -> Option<&Xml> {
    match content {
        Content::Object(members) => {
            let mut names = HashSet::new();
            let elements = members.iter().filter_map(|member| member.xml.as_ref());
            let mut elements = elements.filter(|xml| xml.form == XmlForm::Element);
            let found = elements.find(|xml| !names.insert((&xml.namespace, &xml.name)));
            found.or_else(|| members.iter().find_map(|member| twin(&member.content)))
        }
        Content::Table(table) => twin(&table.row),
        Content::Value(_) | Content::Container(_) => None,
    }
}

/// Why a bind cannot fill a field.
fn obstacle(name: &FieldName, about: &str) -> Option<Problem> {
    let form = name.xml.as_ref().map(|xml| xml.form);
    let why = match (name.role, form) {
        (Role::Container | Role::Choice, _) => "it tells of a container",
        (Role::Length, _) => "it is the length of a text",
        (Role::Presence, _) if name.name.starts_with('@') => {
            "it tells whether an attribute is there, and one record has no place for that: require the attribute, or make it a text"
        }
        (_, Some(XmlForm::Group)) => "it is a group of elements that repeats",
        (_, Some(XmlForm::Type)) => "its type is chosen by xsi:type",
        (_, Some(XmlForm::Any | XmlForm::Prefixes)) => "it is any XML",
        _ => return None,
    };
    Some(Problem::warning(about, format!("{}: {why}", name.field)))
}

/// A value of the schema.
#[derive(Clone, Copy)]
struct Known<'c> {
    kind: &'c Kind,
    required: bool,
}

/// The values by the paths of their fields.
fn note_values<'c>(content: &'c Content, required: bool, known: &mut BTreeMap<&'c str, Known<'c>>) {
    match content {
        Content::Object(members) => {
            members.iter().for_each(|member| note_values(&member.content, member.required, known));
        }
        Content::Table(table) => note_values(&table.row, required, known),
        Content::Value(value) => {
            known.insert(&value.field, Known { kind: &value.kind, required });
        }
        Content::Container(_) => {}
    }
}

/// The meaning of nil for elements with a counter, by the paths of their fields.
fn note_nils<'c>(content: &'c Content, nils: &mut BTreeMap<&'c str, Nillable>) {
    match content {
        Content::Object(members) => {
            for member in members {
                let field = member.presence.as_deref().filter(|_| member.nullable);
                if let Some((field, _)) = field.and_then(|counter| counter.rsplit_once('-')) {
                    nils.insert(field, if member.required { Nillable::Write } else { Nillable::Accept });
                }
                note_nils(&member.content, nils);
            }
        }
        Content::Table(table) => note_nils(&table.row, nils),
        Content::Value(_) | Content::Container(_) => {}
    }
}

/// The facts about a field that a bind needs.
fn choice(xml: &Xml, known: Option<Known<'_>>, data: BinaryData, namespace: &str) -> FieldChoice {
    let kind = known.map(|known| known.kind);
    let place = match xml.form {
        XmlForm::Attribute => XmlPlace::Attribute,
        XmlForm::Text => XmlPlace::Text,
        _ => XmlPlace::Element,
    };
    let usual = match place {
        XmlPlace::Attribute => "",
        XmlPlace::Element | XmlPlace::Text => namespace,
    };
    FieldChoice {
        name: Some(xml.name.clone()),
        namespace: (place != XmlPlace::Text && xml.namespace != usual).then(|| xml.namespace.clone()),
        xml: place,
        form: match kind {
            Some(Kind::Boolean) => Some(FieldForm::Boolean),
            Some(Kind::Text(text)) => text.kind.map(FieldForm::Text),
            Some(Kind::Moment(moment)) => Some(FieldForm::Text(moment.text_type())),
            Some(Kind::Binary(binary)) if data == BinaryData::Text => {
                binary.encoding.text_type().map(FieldForm::Text)
            }
            Some(Kind::Binary(binary)) if binary.encoding == Encoding::Hex => Some(FieldForm::Hex),
            Some(Kind::Binary(_)) => Some(FieldForm::Base64),
            _ => None,
        },
        // The record has no more to tell whether the attribute is there.
        omit_blank: place == XmlPlace::Attribute && known.is_some_and(|known| !known.required),
        any_order: xml.any_order,
        // Of attributes, only optional ones can be missing. A group has no value, but its text.
        default: xml.value.clone().filter(|_| {
            known.is_some_and(|known| xml.fixed || place != XmlPlace::Attribute || !known.required)
        }),
        fixed: xml.fixed && known.is_some(),
        other_attributes: xml.other_attributes.clone(),
        ..FieldChoice::default()
    }
}

/// The WSDL with what it imports, as a bind file has it.
pub(super) fn documents(read: &Wsdl) -> Documents {
    Documents { file: read.file.clone(), files: read.documents.clone() }
}

/// The bind file of operations. It has the documents if it needs them.
pub(super) fn bind_file(
    request: &Request,
    read: &Wsdl,
    (binding, documents): (&Binding, Documents),
    bound: Bound,
) -> BindFile {
    let name = request.wsbind.rsplit('/').next().unwrap_or_default();
    let ports = binding.ports.iter();
    let port = ports.clone().find(|port| request.service.as_ref().is_none_or(|name| port.service == *name));
    let address = port.map(|port| port.address.clone()).filter(|address| !address.is_empty());
    let path = |address: String| match address.split_once("://") {
        Some((_, rest)) => {
            rest.split_once('/').map_or_else(|| "/".to_owned(), |(_, path)| format!("/{path}"))
        }
        None => address,
    };
    let is_by_wsdl = bound.operations.iter().any(|operation| operation.by_wsdl);
    let from_wsdl = if request.program.is_some() { address.map(path) } else { address };
    BindFile {
        wsbind: FORMAT,
        name: name.strip_suffix(".wsbind").unwrap_or(name).to_owned(),
        role: if request.program.is_some() {
            web_service::Role::Provider
        } else {
            web_service::Role::Requester
        },
        program: request.program.clone(),
        interface: request.interface,
        container: request.container.clone(),
        uri: request.uri.clone().or(from_wsdl),
        transaction: request.transaction.clone(),
        mapping_level: request.level,
        minimum_runtime_level: request.minimum_runtime_level,
        soap: versions(request, read, binding),
        namespace: read.namespace.clone(),
        wsdl: (request.program.is_some() || is_by_wsdl).then_some(documents),
        ccsid: request.ccsid,
        options: Choices { char_varying: CharVarying::Collapse, full_tables: true, ..Choices::default() },
        binding: (is_by_wsdl && read.bindings.iter().any(|other| other.port_type != binding.port_type))
            .then(|| binding.name.clone()),
        layout: is_by_wsdl.then(|| Laying::of(request.level, &request.options)),
        operation: bound.operations,
        copybooks: bound.copybooks,
    }
}

/// The versions that clients of the WSDL may speak: bindings of one port type stand for one program. A requester calls by one.
fn versions(request: &Request, read: &Wsdl, binding: &Binding) -> SoapVersions {
    let same = |other: &&Binding| other.port_type == binding.port_type && request.program.is_some();
    match binding.version {
        version if read.bindings.iter().filter(same).any(|other| other.version != version) => {
            SoapVersions::All
        }
        Version::V1_1 => SoapVersions::V11,
        Version::V1_2 => SoapVersions::V12,
    }
}

#[cfg(test)]
mod tests {
    use super::same_places;

    #[test]
    fn copybooks_that_differ_are_found() {
        let record = |fields: &str| format!("       01  R.\n{fields}");
        let (a, b) = ("           03  A PIC X(3).\n", "           03  B PIC X(2).\n");
        let both = record(&[a, b].concat());
        assert_eq!(same_places(&both, &both), Ok(()));
        let swapped = same_places(&both, &record(&[b, a].concat())).expect_err("places");
        assert!(swapped.starts_with("A: it stands elsewhere"), "{swapped}");
        let filled = format!("{both}           03  FILLER PIC X.\n");
        let longer = same_places(&both, &filled).expect_err("a longer record");
        assert!(longer.starts_with("the record has 6 bytes in the copybook of a bind, and 5 in"), "{longer}");
        for (program, bind) in [(&both, &record(a)), (&record(a), &both)] {
            let fewer = same_places(program, bind).expect_err("another number of fields");
            assert!(fewer.starts_with("the copybook of a bind has"), "{fewer}");
        }
        for (program, bind) in [(both.as_str(), "this is no copybook"), ("this is no copybook", &both)] {
            let unread = same_places(program, bind).expect_err("a text");
            assert!(unread.starts_with("the copybook "), "{unread}");
        }
    }
}
