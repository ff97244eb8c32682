//! Bind files of IBM's assistants: the readable part of them.
//!
//! Such a file is a block of fields at fixed places, in EBCDIC, and a model for each direction. A model ends
//! with a template of the XML, in which `&A;` stands for a value. The descriptions of the fields are not
//! documented, so the layouts come from copybooks. The names in the templates, their order in each group, and the
//! length of the record show whether a copybook is the right one.

use std::collections::BTreeSet;

use codepage::CodePage;
use record::Schema;

use crate::{Problem, is_ibm};

/// The most bytes of a file.
const FILE_BYTES_MAX: usize = 8 << 20;
/// The code page of the text.
const CCSID: u16 = 37;
/// The bytes of a path or a namespace.
const LONG: usize = 255;
/// The bytes of a name.
const SHORT: usize = 8;

/// The offsets of fields.
mod at {
    pub(super) const LENGTH: usize = 0x008;
    pub(super) const BINDING: usize = 0x224;
    pub(super) const NAME: usize = 0x323;
    pub(super) const URI: usize = 0x32B;
    pub(super) const PROGRAM: usize = 0x52A;
    pub(super) const NAMESPACE: usize = 0x664;
    pub(super) const OPERATION: usize = 0xAC0;
    /// The operation in files of later releases.
    pub(super) const OPERATION_LATER: usize = 0xAC4;
    /// The length of the record, in its model.
    pub(super) const RECORD_BYTES: usize = 0x3C;
    /// Behind all fields.
    pub(super) const MODELS: usize = 0xBC0;
}

/// The start of a model.
const MODEL: &str = ">DFHICM<";
/// The end of the template of a message.
const BODY: &str = "<SOAP-ENV:Body>";

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IbmFile {
    /// The name of the web service.
    pub name: String,
    /// The path of a provider; none if the file has none.
    pub uri: Option<String>,
    /// The program.
    pub program: String,
    /// The target namespace of the WSDL.
    pub namespace: String,
    /// The operation.
    pub operation: String,
    /// The message to the program.
    pub request: IbmPart,
    /// The message from the program; none if the operation is one-way.
    pub response: Option<IbmPart>,
}

/// A message, by its template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IbmPart {
    /// The element of the body.
    pub element: String,
    /// Its namespace.
    pub namespace: String,
    /// The elements with a value.
    pub fields: BTreeSet<String>,
    /// The groups with at least one value of their own, and the elements of these values in their order.
    pub groups: Vec<(String, Vec<String>)>,
    /// The bytes of the record; none if the file does not say.
    pub record_bytes: Option<usize>,
}

impl IbmFile {
    /// Reads a file.
    ///
    /// # Errors
    /// It is not such a file, is damaged, or is for JSON.
    pub fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let refuse = |message: &str| Err(Problem::error("", message));
        if !is_ibm(bytes) {
            return refuse("expected a bind file of IBM's assistants: it starts with >WSBIND< in EBCDIC");
        }
        if bytes.len() > FILE_BYTES_MAX {
            return refuse("the file is too long for a bind file");
        }
        let length = bytes.get(at::LENGTH..at::LENGTH + 4).and_then(|field| field.try_into().ok());
        let length = length.map_or(0, u32::from_be_bytes) as usize;
        if length != bytes.len() || length < at::MODELS {
            let message = format!(
                "the file says that it has {length} bytes, and has {}; was it sent as text?",
                bytes.len()
            );
            return refuse(&message);
        }
        let page = CodePage::by_ccsid(CCSID).ok_or_else(|| Problem::error("", "CCSID 37 is not known"))?;
        let text = text(bytes, page);
        if field(&text, at::BINDING, LONG).ends_with("JSON") {
            return refuse("the file is for JSON, not for SOAP");
        }
        let (request, response) = match models(&text, bytes).as_slice() {
            [] => return refuse("the file has no model of a message"),
            [request] => (request.clone(), None),
            [request, response] => (request.clone(), response.clone()),
            several => {
                let message = format!(
                    "the file has {} models of messages, those of several operations; gantry soap ws2ls makes a bind file of the WSDL",
                    several.len()
                );
                return refuse(&message);
            }
        };
        let Some(request) = request else { return refuse("the file has no template of a SOAP body") };
        let program = field(&text, at::PROGRAM, SHORT);
        if program.is_empty() {
            return refuse(
                "the file names no program, as in archives of z/OS Connect: gantry import takes such an archive",
            );
        }
        let operation = match field(&text, at::OPERATION, LONG) {
            none if none.is_empty() => field(&text, at::OPERATION_LATER, LONG),
            operation => operation,
        };
        let uri = field(&text, at::URI, LONG);
        Ok(Self {
            name: field(&text, at::NAME, SHORT),
            uri: (!uri.is_empty()).then_some(uri),
            program,
            namespace: field(&text, at::NAMESPACE, LONG),
            operation,
            request,
            response,
        })
    }
}

impl IbmPart {
    /// The differences between the message and a copybook with these elements and a record of this length. Fields that
    /// only the template has are errors, others are warnings.
    #[must_use]
    pub fn differences(&self, copybook: &str, schema: &Schema, record_bytes: usize) -> Vec<Problem> {
        let mut known = BTreeSet::new();
        leaves(schema, &mut known);
        let missing = self.fields.difference(&known).map(|name| {
            Problem::error(copybook, format!("no field gives the element {name} that the bind file has"))
        });
        let more = known
            .difference(&self.fields)
            .map(|name| Problem::warning(copybook, format!("the bind file shows no element {name}")));
        let length = self.record_bytes.filter(|bytes| *bytes != record_bytes).map(|bytes| {
            let message = format!("the record has {record_bytes} bytes, and that of the bind file {bytes}");
            Problem::error(copybook, message)
        });
        let mut groups = vec![(self.element.clone(), own_values(schema))];
        gather_groups(schema, &mut groups);
        let moved = self.groups.iter().filter(|(name, fields)| {
            let of_name = || groups.iter().filter(|(known, _)| known == name);
            // Names that the copybook does not have are told above.
            let all_known = fields.iter().all(|field| known.contains(field));
            all_known && of_name().next().is_some() && !of_name().any(|(_, known)| is_within(fields, known))
        });
        let moved = moved.map(|(name, fields)| {
            let message = format!("the bind file has the elements of {name} as {}", fields.join(", "));
            Problem::error(copybook, message)
        });
        missing.chain(more).chain(length).chain(moved).collect()
    }
}

/// The names of the members with a value that stand in an object itself, in their order.
fn own_values(schema: &Schema) -> Vec<String> {
    let is_value = |member: &Schema| member.items.as_deref().unwrap_or(member).properties.is_empty();
    schema.properties.iter().filter(|(_, member)| is_value(member)).map(|(name, _)| name.clone()).collect()
}

/// The groups below an object, each with its own values.
fn gather_groups(schema: &Schema, groups: &mut Vec<(String, Vec<String>)>) {
    for (name, member) in &schema.properties {
        let inner = member.items.as_deref().unwrap_or(member);
        if !inner.properties.is_empty() {
            groups.push((name.clone(), own_values(inner)));
            gather_groups(inner, groups);
        }
    }
}

/// True if these names are among the others, in the same order.
fn is_within(names: &[String], others: &[String]) -> bool {
    let mut others = others.iter();
    names.iter().all(|name| others.any(|other| other == name))
}

/// The messages of the models, in their order; none for a model without a template.
fn models(text: &[char], bytes: &[u8]) -> Vec<Option<IbmPart>> {
    let mark: Vec<char> = MODEL.chars().collect();
    let starts = (at::MODELS..text.len()).filter(|start| text[*start..].starts_with(&mark));
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let models = starts.iter().zip(ends).map(|(start, end)| {
        let length = bytes.get(start + at::RECORD_BYTES..start + at::RECORD_BYTES + 4);
        let length = length.and_then(|field| field.try_into().ok()).map_or(0, u32::from_be_bytes) as usize;
        let found = part(&text[start + mark.len()..end].iter().collect::<String>())?;
        Some(IbmPart { record_bytes: (length > 0).then_some(length), ..found })
    });
    models.collect()
}

/// The names of all members with a value.
fn leaves(schema: &Schema, names: &mut BTreeSet<String>) {
    for (name, member) in &schema.properties {
        let inner = member.items.as_deref().unwrap_or(member);
        if inner.properties.is_empty() {
            names.insert(name.clone());
        } else {
            leaves(inner, names);
        }
    }
}

/// A character for each byte; U+0000 if the page has no printable character for it.
fn text(bytes: &[u8], page: &CodePage) -> Vec<char> {
    let character = |byte: &u8| {
        let unit = u32::from(page.to_unicode()[usize::from(*byte)]);
        char::from_u32(unit).filter(|character| !character.is_control()).unwrap_or('\0')
    };
    bytes.iter().map(character).collect()
}

/// A field, up to its first 00, without blanks at its end.
fn field(text: &[char], start: usize, length: usize) -> String {
    let found = text.iter().skip(start).take(length).take_while(|character| **character != '\0');
    found.collect::<String>().trim_end().to_owned()
}

/// The message of a model: the last template in it.
fn part(model: &str) -> Option<IbmPart> {
    let body = model.rfind(BODY)?;
    let before = &model[..body];
    let start = before.rfind('\0').map_or(0, |at| at + 1);
    let template = &before[start..];
    // The element of the body is the one with a namespace; it ends the template.
    let declared = template.rfind(" xmlns=\"")?;
    let open = template[..declared].rfind('<')?;
    let namespace = template[declared..].split('"').nth(1)?.to_owned();
    let element = template[open + 1..declared].to_owned();
    let fields = template
        .split('<')
        .filter_map(|piece| piece.split_once('>'))
        .filter(|(name, value)| value.starts_with('&') && !name.starts_with('/') && !name.contains(' '))
        .map(|(name, _)| name.to_owned());
    let fields = fields.collect();
    Some(IbmPart { groups: groups(template), element, namespace, fields, record_bytes: None })
}

/// The groups of a template, which ends with the outermost one. In each group, `<name>&A;</name>` is a value of its own.
fn groups(template: &str) -> Vec<(String, Vec<String>)> {
    let (mut found, mut open) = (Vec::new(), Vec::<(String, Vec<String>)>::new());
    for piece in template.split('<').skip(1) {
        let Some((tag, _)) = piece.split_once('>') else { continue };
        if !tag.starts_with('/') {
            let name = tag.split(' ').next().unwrap_or_default().to_owned();
            open.push((name, Vec::new()));
            continue;
        }
        let Some((name, fields)) = open.pop() else { continue };
        if !fields.is_empty() {
            found.push((name, fields));
        } else if let Some((_, around)) = open.last_mut() {
            around.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(bytes: &mut Vec<u8>, at: usize, text: &str) {
        let page = CodePage::by_ccsid(CCSID).expect("a page");
        let byte = |character: char| {
            let found = page.to_unicode().iter().position(|unit| u32::from(*unit) == u32::from(character));
            u8::try_from(found.expect("a character")).expect("a byte")
        };
        let text: Vec<u8> = text.chars().map(byte).collect();
        if bytes.len() < at + text.len() {
            bytes.resize(at + text.len(), 0);
        }
        bytes[at..at + text.len()].copy_from_slice(&text);
    }

    fn file(binding: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, 0, ">WSBIND<");
        put(&mut bytes, at::BINDING, binding);
        put(&mut bytes, at::NAME, "CLAIM   /cics/services/CLAIM   ");
        put(&mut bytes, at::PROGRAM, "CLAIMPGM");
        put(&mut bytes, at::NAMESPACE, "urn:claim   ");
        put(&mut bytes, at::OPERATION, "CLAIMOperation");
        put(&mut bytes, 0x10C8, MODEL);
        let request = "<key><claim_no>&A;</claim_no></key><CLAIMOperation xmlns=\"urn:in\">&A;</CLAIMOperation><SOAP-ENV:Body>&A;</SOAP-ENV:Body>";
        put(&mut bytes, 0x1200, request);
        put(&mut bytes, 0x1400, MODEL);
        let response = "<a>&A;</a><b>&B;</b><CLAIMOperationResponse xmlns=\"urn:out\">&A;</CLAIMOperationResponse><SOAP-ENV:Body>";
        put(&mut bytes, 0x1500, response);
        let length = u32::try_from(bytes.len()).expect("short").to_be_bytes();
        bytes[8..12].copy_from_slice(&length);
        bytes
    }

    #[test]
    fn a_file_gives_names_and_templates() {
        let found = IbmFile::read(&file("CLAIMHTTPSoapBinding")).expect("a file");
        assert_eq!((found.name.as_str(), found.program.as_str()), ("CLAIM", "CLAIMPGM"));
        assert_eq!(found.uri.as_deref(), Some("/cics/services/CLAIM"));
        assert_eq!((found.namespace.as_str(), found.operation.as_str()), ("urn:claim", "CLAIMOperation"));
        assert_eq!(
            (found.request.element.as_str(), found.request.namespace.as_str()),
            ("CLAIMOperation", "urn:in")
        );
        assert_eq!(found.request.fields, BTreeSet::from(["claim_no".to_owned()]));
        let response = found.response.expect("a response");
        assert_eq!(response.fields, BTreeSet::from(["a".to_owned(), "b".to_owned()]));
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        let good = file("CLAIMHTTPSoapBinding");
        let refused = |bytes: &[u8]| IbmFile::read(bytes).expect_err("refused").message;
        assert!(refused(b"wsbind = 1").starts_with("expected a bind file of IBM"));
        assert!(refused(&good[..good.len() - 1]).contains("was it sent as text?"));
        assert!(refused(&good[..10]).contains("and has 10"));
        assert_eq!(refused(&file("WSDLTemplateBindingJSON")), "the file is for JSON, not for SOAP");
        for end in 0..good.len() {
            assert!(IbmFile::read(&good[..end]).is_err());
        }
    }

    fn told(part: &IbmPart, schema: &Schema, record_bytes: usize) -> Vec<String> {
        part.differences("X", schema, record_bytes).iter().map(ToString::to_string).collect()
    }

    fn value(name: &str) -> (String, Schema) {
        (name.to_owned(), Schema::default())
    }

    #[test]
    fn a_copybook_with_other_names_is_told() {
        let part = IbmPart { fields: BTreeSet::from(["a".to_owned(), "b".to_owned()]), ..IbmPart::default() };
        let schema = Schema::object(vec![value("b"), value("c")]);
        let expected =
            ["X: no field gives the element a that the bind file has", "X: the bind file shows no element c"];
        assert_eq!(told(&part, &schema, 9), expected);
    }

    #[test]
    fn a_copybook_of_another_length_or_order_is_told() {
        let template = "filler&null;<row><a>&A;</a><b>&B;</b></row><rest><c>&A;</c></rest>\
                        <OP xmlns=\"urn:in\"><id>&A;</id>&B;<code>&C;</code>&D;</OP><SOAP-ENV:Body>&A;";
        let part = IbmPart { record_bytes: Some(20), ..part(template).expect("a message") };
        let group = |name: &str, members: &[&str]| {
            (name.to_owned(), Schema::object(members.iter().map(|member| value(member)).collect()))
        };
        let good = vec![value("id"), group("row", &["a", "b"]), value("code"), group("rest", &["c"])];
        assert!(told(&part, &Schema::object(good.clone()), 20).is_empty(), "{part:?}");
        let length = "X: the record has 21 bytes, and that of the bind file 20";
        assert_eq!(told(&part, &Schema::object(good.clone()), 21), [length]);
        let mut swapped = good.clone();
        swapped[1] = group("row", &["b", "a"]);
        let moved = "X: the bind file has the elements of row as a, b";
        assert_eq!(told(&part, &Schema::object(swapped), 20), [moved]);
        let mut outermost = good.clone();
        outermost.swap(0, 2);
        let moved = "X: the bind file has the elements of OP as id, code";
        assert_eq!(told(&part, &Schema::object(outermost), 20), [moved]);
        // A field that stands in another group.
        let elsewhere = vec![value("id"), group("row", &["a"]), value("code"), group("rest", &["c", "b"])];
        let moved = "X: the bind file has the elements of row as a, b";
        assert_eq!(told(&part, &Schema::object(elsewhere), 20), [moved]);
    }

    #[test]
    fn the_model_says_the_length_of_the_record() {
        let mut bytes = file("CLAIMHTTPSoapBinding");
        bytes[0x10C8 + at::RECORD_BYTES..][..4].copy_from_slice(&186_u32.to_be_bytes());
        let found = IbmFile::read(&bytes).expect("a file");
        assert_eq!(
            (found.request.record_bytes, found.response.expect("a response").record_bytes),
            (Some(186), None)
        );
    }

    #[test]
    fn files_of_later_releases_and_of_other_kinds_are_told_apart() {
        let mut later = file("CLAIMHTTPSoapBinding");
        later[at::OPERATION..][..32].fill(0);
        put(&mut later, at::OPERATION_LATER, "CLAIMOperation");
        assert_eq!(IbmFile::read(&later).expect("a file").operation, "CLAIMOperation");
        let mut several = file("CLAIMHTTPSoapBinding");
        put(&mut several, 0x1600, MODEL);
        put(&mut several, 0x1700, MODEL);
        let length = u32::try_from(several.len()).expect("short").to_be_bytes();
        several[8..12].copy_from_slice(&length);
        let message = IbmFile::read(&several).expect_err("refused").message;
        assert!(
            message.starts_with("the file has 4 models of messages, those of several operations"),
            "{message}"
        );
        let mut archived = file("CLAIMHTTPSoapBinding");
        put(&mut archived, at::PROGRAM, "        ");
        let message = IbmFile::read(&archived).expect_err("refused").message;
        assert!(message.starts_with("the file names no program"), "{message}");
    }
}
