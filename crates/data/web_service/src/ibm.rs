//! Bind files of IBM's assistants: the readable part of them.
//!
//! Such a file is a block of fields at fixed places, in EBCDIC, and a model for each direction. A model ends
//! with a template of the XML, in which `&A;` stands for a value. The descriptions of the fields are not
//! documented, so the layouts come from copybooks; the names in the templates show whether a copybook is the
//! right one.

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
        let mut models = text[at::MODELS..].iter().collect::<String>();
        let Some(first) = models.find(MODEL) else { return refuse("the file has no model of a message") };
        let rest = models.split_off(first + MODEL.len());
        let (request, response) = match rest.split_once(MODEL) {
            Some((request, response)) => (part(request), part(response)),
            None => (part(&rest), None),
        };
        let Some(request) = request else { return refuse("the file has no template of a SOAP body") };
        let uri = field(&text, at::URI, LONG);
        Ok(Self {
            name: field(&text, at::NAME, SHORT),
            uri: (!uri.is_empty()).then_some(uri),
            program: field(&text, at::PROGRAM, SHORT),
            namespace: field(&text, at::NAMESPACE, LONG),
            operation: field(&text, at::OPERATION, LONG),
            request,
            response,
        })
    }
}

impl IbmPart {
    /// The differences between the template and the elements of a copybook. Fields that only the template has
    /// are errors, others are warnings.
    #[must_use]
    pub fn differences(&self, copybook: &str, schema: &Schema) -> Vec<Problem> {
        let mut known = BTreeSet::new();
        leaves(schema, &mut known);
        let missing = self.fields.difference(&known).map(|name| {
            Problem::error(copybook, format!("no field gives the element {name} that the bind file has"))
        });
        let more = known
            .difference(&self.fields)
            .map(|name| Problem::warning(copybook, format!("the bind file shows no element {name}")));
        missing.chain(more).collect()
    }
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
    Some(IbmPart { element, namespace, fields: fields.collect() })
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

    #[test]
    fn a_copybook_with_other_names_is_told() {
        let part = IbmPart { fields: BTreeSet::from(["a".to_owned(), "b".to_owned()]), ..IbmPart::default() };
        let schema =
            Schema::object(vec![("b".to_owned(), Schema::default()), ("c".to_owned(), Schema::default())]);
        let told: Vec<String> = part.differences("X", &schema).iter().map(ToString::to_string).collect();
        let expected =
            ["X: no field gives the element a that the bind file has", "X: the bind file shows no element c"];
        assert_eq!(told, expected);
    }
}
