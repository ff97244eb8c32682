//! The bind file: its model, its text, and the checks of its content.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use xml::OtherAttributes;
use xsd::TextType;

use crate::choices::is_default;
use crate::pipeline::is_below;
use crate::{Choices, Laying, Level, Problem};

/// The format that is written, and the only one that is read.
pub const FORMAT: u32 = 1;
/// The most bytes of a bind file.
pub const BIND_FILE_BYTES_MAX: usize = 8 << 20;
/// The most operations of a bind file.
pub const OPERATIONS_MAX: usize = 1_000;
/// The container of a program with a channel, unless another is named.
pub const CONTAINER_DEFAULT: &str = "DFHWS-DATA";

/// The first lines of a file.
const HEADER: &str = "# A web service: its program, its operations, and the copybooks of their records.\n\n";

/// The first bytes of IBM's files: `>WSBIND<` in EBCDIC.
const IBM_START: [u8; 8] = [0x6E, 0xE6, 0xE2, 0xC2, 0xC9, 0xD5, 0xC4, 0x4C];

/// True if these are the first bytes of a bind file of IBM's assistants.
#[must_use]
pub fn is_ibm(bytes: &[u8]) -> bool {
    bytes.starts_with(&IBM_START)
}

/// Whether a program is called, or calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The program answers requests.
    #[default]
    Provider,
    /// The program calls a foreign web service.
    Requester,
}

/// How the program gets its records (PGMINT).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InterfaceKind {
    /// In a commarea.
    #[default]
    Commarea,
    /// In the containers of a channel.
    Channel,
}

/// The versions of SOAP that the service speaks (SOAPVER).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SoapVersions {
    /// SOAP 1.1.
    #[default]
    #[serde(rename = "1.1")]
    V11,
    /// SOAP 1.2.
    #[serde(rename = "1.2")]
    V12,
    /// Both.
    #[serde(rename = "all")]
    All,
}

/// A whole bind file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BindFile {
    /// The format: [`FORMAT`].
    pub wsbind: u32,
    /// The name of the web service.
    pub name: String,
    /// See [`Role`].
    #[serde(default)]
    pub role: Role,
    /// The program of a provider (PGMNAME).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// See [`InterfaceKind`].
    #[serde(default)]
    pub interface: InterfaceKind,
    /// The container of a program with a channel and one container (CONTID).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The path of a provider, or the address that a requester calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The transaction that the program runs under (TRANSACTION).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The rules for converting between XML and records.
    pub mapping_level: Level,
    /// The oldest rules that a system must have to run the service.
    pub minimum_runtime_level: Level,
    /// See [`SoapVersions`].
    #[serde(default)]
    pub soap: SoapVersions,
    /// The target namespace of the WSDL.
    pub namespace: String,
    /// The code page of the records' text, by CCSID; by default the system's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ccsid: Option<u16>,
    /// See [`Choices`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub options: Choices,
    /// The binding of the WSDL, for operations by WSDL, if several bindings have operations with the same
    /// names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// The layout rules of the WSDL, for operations by WSDL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<Laying>,
    /// The operations, in their order.
    #[serde(default)]
    pub operation: Vec<Operation>,
    /// The foreign WSDL from which the file was made; none if the WSDL follows from the copybooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wsdl: Option<Documents>,
    /// The copybooks by their names, with the members that they copy.
    #[serde(default)]
    pub copybooks: BTreeMap<String, String>,
}

/// A WSDL with the files that it imports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Documents {
    /// The WSDL, one of the files.
    pub file: String,
    /// The files by their paths below the folder of the WSDL.
    pub files: BTreeMap<String, String>,
}

/// One operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// Its name in the WSDL.
    pub name: String,
    /// The SOAP action.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub soap_action: String,
    /// The action of the response in WS-Addressing; by default, it follows from the names.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub response_action: String,
    /// Its messages are channels that the WSDL lays out, not records of one copybook.
    #[serde(default, skip_serializing_if = "is_default")]
    pub by_wsdl: bool,
    /// The record of the request.
    pub request: Part,
    /// The record of the response; none if the operation is one-way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Part>,
}

/// The request or the response of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The element of the body.
    pub element: String,
    /// Its namespace.
    pub namespace: String,
    /// The attributes that the element may have although no field has them.
    #[serde(default, skip_serializing_if = "OtherAttributes::is_empty")]
    pub other_attributes: OtherAttributes,
    /// The copybook, one of those in the file.
    pub copybook: String,
    /// The 01 level, if the copybook has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The containers for the groups of the record, if the channel has several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub containers: BTreeMap<String, String>,
    /// Choices for single fields, by their COBOL names or paths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, FieldChoice>,
}

/// A choice for one field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FieldChoice {
    /// The element, in place of the one that follows from the COBOL name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Shows or hides the field against the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub included: Option<bool>,
    /// The value must be there.
    #[serde(skip_serializing_if = "is_default")]
    pub required: bool,
    /// The form of the value, in place of the one of its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<FieldForm>,
    /// The namespace of the name, empty for none. By default, elements are in the namespace of the part, and
    /// attributes have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// See [`XmlPlace`].
    #[serde(skip_serializing_if = "is_default")]
    pub xml: XmlPlace,
    /// See [`Nillable`].
    #[serde(skip_serializing_if = "is_default")]
    pub nil: Nillable,
    /// The elements of its group come in any order (`xsd:all`). All elements of a group say so, or none.
    #[serde(skip_serializing_if = "is_default")]
    pub any_order: bool,
    /// The value of an empty element, or of an attribute that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The default is the only value.
    #[serde(skip_serializing_if = "is_default")]
    pub fixed: bool,
    /// The attributes that the element may have although no field has them.
    #[serde(skip_serializing_if = "OtherAttributes::is_empty")]
    pub other_attributes: OtherAttributes,
    /// The value is left out if it is blank.
    #[serde(skip_serializing_if = "is_default")]
    pub omit_blank: bool,
}

impl FieldChoice {
    /// True if the name comes from a foreign schema, so JSON does not have it.
    pub(crate) fn is_of_wsdl(&self, choices: &Choices) -> bool {
        let is_plain = self.namespace.is_none() && self.xml == XmlPlace::Element;
        let has_default = self.default.is_some();
        let has_others = !self.other_attributes.is_empty();
        choices.full_tables
            || !is_plain
            || self.any_order
            || has_default
            || has_others
            || self.nil != Nillable::Refuse
    }
}

/// The form of a field in XML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum XmlPlace {
    /// An element.
    #[default]
    Element,
    /// An attribute of the element around it.
    Attribute,
    /// The text of the element around it.
    Text,
}

/// The meaning of `xsi:nil` for an element whose counter says whether it is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nillable {
    /// It is an error.
    #[default]
    Refuse,
    /// A nil element counts as a missing one. A missing element is left out.
    Accept,
    /// The same in a request. A missing element is written as nil.
    Write,
}

/// The form of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum FieldForm {
    /// Bytes as two hexadecimal digits each: `xsd:hexBinary`.
    Hex,
    /// Bytes in base64: `xsd:base64Binary`.
    Base64,
    /// True and false, kept as 01 and 00: `xsd:boolean`.
    Boolean,
    /// Text of a simple type of XML Schema: `dateTime`, `token`.
    Text(TextType),
}

/// The words for the forms that are not text.
const FORMS: [(&str, FieldForm); 3] =
    [("hex", FieldForm::Hex), ("base64", FieldForm::Base64), ("boolean", FieldForm::Boolean)];

impl From<FieldForm> for String {
    fn from(form: FieldForm) -> Self {
        match form {
            FieldForm::Text(kind) => kind.name().to_owned(),
            form => {
                let word = FORMS.iter().find(|(_, known)| *known == form).map(|(word, _)| *word);
                word.unwrap_or_default().to_owned()
            }
        }
    }
}

impl TryFrom<String> for FieldForm {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        let known = FORMS.iter().find(|(known, _)| *known == word).map(|(_, form)| *form);
        known.or_else(|| TextType::by_name(&word).map(FieldForm::Text)).ok_or_else(|| {
            let words: Vec<&str> = FORMS.iter().map(|(word, _)| *word).chain(TextType::names()).collect();
            format!("expected one of {}, found '{word}'", words.join(", "))
        })
    }
}

impl BindFile {
    /// Reads and checks a file, without its copybooks.
    ///
    /// # Errors
    /// All its faults.
    pub fn read(text: &[u8]) -> Result<Self, Vec<Problem>> {
        let refuse = |message: String| Err(vec![Problem::error("", message)]);
        if is_ibm(text) {
            return refuse(
                "this is a bind file of IBM's assistants; gantry soap import makes one of Gantry of it"
                    .to_owned(),
            );
        }
        if text.len() > BIND_FILE_BYTES_MAX {
            return refuse(format!("expected at most {BIND_FILE_BYTES_MAX} bytes, found {}", text.len()));
        }
        let text = match std::str::from_utf8(text) {
            Ok(text) => text,
            Err(error) => return refuse(format!("byte {} is not UTF-8", error.valid_up_to())),
        };
        let file: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let place = line.map(|line| format!("line {line}")).unwrap_or_default();
            vec![Problem::error(place, error.message().trim().to_owned())]
        })?;
        let problems = file.problems();
        if problems.is_empty() { Ok(file) } else { Err(problems) }
    }

    /// The text of the file.
    ///
    /// # Errors
    /// The file has content that [`BindFile::read`] refuses.
    pub fn write(&self) -> Result<String, Vec<Problem>> {
        let problems = self.problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        let text =
            toml::to_string_pretty(self).map_err(|error| vec![Problem::error("", error.to_string())])?;
        Ok(format!("{HEADER}{text}"))
    }

    /// The faults of the file itself. Faults in the texts of its copybooks and its WSDL are not included.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut tell = |place: &str, message: String| problems.push(Problem::error(place, message));
        if self.wsbind != FORMAT {
            tell("wsbind", format!("expected the format {FORMAT}, found {}", self.wsbind));
        }
        if self.name.is_empty()
            || !self.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        {
            tell("name", format!("expected letters, digits, '-', '_' and '.', found '{}'", self.name));
        }
        self.check_interface(&mut tell);
        if self.minimum_runtime_level < self.mapping_level {
            tell(
                "minimum_runtime_level",
                format!(
                    "expected {} or later, because mapping_level is {}, found {}",
                    self.mapping_level, self.mapping_level, self.minimum_runtime_level
                ),
            );
        }
        if self.namespace.is_empty() {
            tell("namespace", "expected the target namespace of the WSDL, found nothing".to_owned());
        }
        self.check_documents(&mut tell);
        self.check_operations(&mut tell);
        problems
    }

    fn check_interface(&self, tell: &mut dyn FnMut(&str, String)) {
        match (self.role, &self.program) {
            (Role::Provider, None) => tell("program", "a provider needs a program".to_owned()),
            (Role::Requester, Some(_)) => tell("program", "a requester has no program".to_owned()),
            (Role::Provider, Some(name)) if !is_program(name) => {
                tell("program", format!("expected 1 to 8 letters, digits, '$', '@' or '#', found '{name}'"))
            }
            _ => {}
        }
        if let (InterfaceKind::Commarea, Some(_)) = (self.interface, &self.container) {
            tell("container", "a program with a commarea has no container".to_owned());
        }
        let too_long = self.container.iter().find(|name| !is_container(name));
        if let Some(name) = too_long {
            tell("container", format!("expected 1 to 16 characters without blanks, found '{name}'"));
        }
        if let Some(uri) = &self.uri
            && (uri.is_empty()
                || uri.chars().any(|character| character.is_whitespace() || character.is_control()))
        {
            tell("uri", format!("expected a path or an address without blanks, found '{uri}'"));
        }
    }

    fn check_documents(&self, tell: &mut dyn FnMut(&str, String)) {
        let Some(Documents { file, files }) = &self.wsdl else { return };
        if !files.contains_key(file) {
            tell("wsdl.file", format!("there is no '{file}' in wsdl.files"));
        }
        for name in files.keys().filter(|name| !is_below(name)) {
            tell("wsdl.files", format!("'{name}' is not a path below a folder"));
        }
    }

    fn check_operations(&self, tell: &mut dyn FnMut(&str, String)) {
        if self.operation.is_empty() || self.operation.len() > OPERATIONS_MAX {
            let found = self.operation.len();
            tell("operation", format!("expected 1 to {OPERATIONS_MAX} operations, found {found}"));
        }
        let mut elements: HashMap<(&str, &str), &str> = HashMap::new();
        for operation in &self.operation {
            let place = format!("operation '{}'", operation.name);
            if !xml::is_name(&operation.name) {
                tell(&place, "expected a name of XML".to_owned());
            }
            let element = (operation.request.namespace.as_str(), operation.request.element.as_str());
            // The caller of a requester names the operation, so equal elements are allowed there.
            if let Some(other) = elements.insert(element, &operation.name)
                && self.role == Role::Provider
            {
                let message = format!(
                    "operation '{other}' has the element '{}' too; a web service tells its operations apart by their elements",
                    element.1
                );
                tell(&place, message);
            }
            if operation.by_wsdl && (self.layout.is_none() || self.wsdl.is_none()) {
                tell(&place, "by_wsdl needs [layout] and [wsdl]".to_owned());
            }
            self.check_part(&format!("{place}, request"), &operation.request, tell);
            if let Some(response) = &operation.response {
                self.check_part(&format!("{place}, response"), response, tell);
            }
        }
    }

    fn check_part(&self, place: &str, part: &Part, tell: &mut dyn FnMut(&str, String)) {
        if !xml::is_name(&part.element) {
            tell(place, format!("element: expected a name of XML, found '{}'", part.element));
        }
        if !self.copybooks.contains_key(&part.copybook) {
            let known: Vec<&str> = self.copybooks.keys().map(String::as_str).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            tell(place, format!("there is no copybook '{}'; the file has {known}", part.copybook));
        }
        if self.interface == InterfaceKind::Commarea && !part.containers.is_empty() {
            tell(place, "a program with a commarea has no containers".to_owned());
        }
        for name in part.containers.values().filter(|name| !is_container(name)) {
            tell(place, format!("containers: expected 1 to 16 characters without blanks, found '{name}'"));
        }
        for (field, choice) in &part.fields {
            if let Some(name) = choice.name.as_ref().filter(|name| !xml::is_name(name)) {
                tell(place, format!("fields.{field}: expected a name of XML, found '{name}'"));
            }
        }
    }
}

/// True for the name of a program in CICS.
fn is_program(name: &str) -> bool {
    (1..=8).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"$@#".contains(&byte))
}

/// True for the name of a container.
fn is_container(name: &str) -> bool {
    const SIGNS: &[u8] = b"$@#/%&?!:|\"=,;<>.-_";
    (1..=16).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || SIGNS.contains(&byte))
}
