//! Messages that a WSDL lays out. They have parts that a record of one copybook cannot hold, such as rows in
//! containers, choices and any XML.
//!
//! The bind file has the WSDL and the rules by which `gantry soap ws2ls` made copybooks of it ([`Laying`]).
//! Loading the service therefore makes the same structures again.

use std::collections::HashMap;
use std::sync::Arc;

use assistant::{Kind, NameTruncation, Shape};
use channel::{Element as ElementName, Interface, Options};
use codepage::Encoding;
use interface::IEEE_ORDER_OF_PROGRAMS;
use serde::{Deserialize, Serialize};
use wsdl::read::{Element, Files, Operation, Wsdl};

use crate::choices::is_default;
use crate::{CONTAINER_DEFAULT, InterfaceKind, Level, Problem};

/// The most bytes of a character in a field. No code page has more.
pub const CHAR_MULTIPLIER_MAX: u64 = 4;

/// The layout of text of varying length (CHAR-VARYING of DFHWS2LS).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextLaying {
    /// Blanks fill the field.
    #[default]
    No,
    /// The same.
    Collapse,
    /// X'00' ends the text.
    Null,
    /// A length stands in front of the text.
    Yes,
}

/// The rules for the layout of a WSDL: the parameters of `gantry soap ws2ls`. A rule that is left out has the
/// default of DFHWS2LS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Laying {
    /// MAPPING-LEVEL.
    pub mapping_level: Level,
    /// CHAR-VARYING.
    #[serde(skip_serializing_if = "is_default")]
    pub char_varying: TextLaying,
    /// CHAR-VARYING-LIMIT.
    pub char_varying_limit: u64,
    /// DEFAULT-CHAR-MAXLENGTH.
    pub default_char_maxlength: u64,
    /// CHAR-MULTIPLIER.
    #[serde(skip_serializing_if = "is_one")]
    pub char_multiplier: u64,
    /// DEFAULT-FRACTION-DIGITS.
    pub default_fraction_digits: u8,
    /// INLINE-MAXOCCURS-LIMIT.
    pub inline_maxoccurs_limit: u64,
    /// NAME-TRUNCATION=LEFT.
    #[serde(skip_serializing_if = "is_default")]
    pub name_truncation_left: bool,
    /// WIDE-COMP3=YES.
    #[serde(skip_serializing_if = "is_default")]
    pub wide_comp3: bool,
    /// MAPPING-OVERRIDES=UNDERSCORES-AS-HYPHENS.
    #[serde(skip_serializing_if = "is_default")]
    pub underscores_as_hyphens: bool,
    /// Text must be a value of its type: a date, a name. Bind files that are older than this key do not check
    /// it.
    #[serde(skip_serializing_if = "is_default")]
    pub check_types: bool,
}

impl Default for Laying {
    fn default() -> Self {
        let mut rules = Self::of(Level::default(), &assistant::Options::web_service(""));
        // Older files must still accept the same messages.
        rules.check_types = false;
        rules
    }
}

impl Laying {
    /// The rules of an assistant's run, with all checks.
    #[must_use]
    pub fn of(mapping_level: Level, options: &assistant::Options) -> Self {
        Self {
            mapping_level,
            char_varying: match options.char_varying {
                assistant::CharVarying::No => TextLaying::No,
                assistant::CharVarying::Collapse => TextLaying::Collapse,
                assistant::CharVarying::Null => TextLaying::Null,
                assistant::CharVarying::Yes => TextLaying::Yes,
            },
            char_varying_limit: options.char_varying_max,
            default_char_maxlength: options.default_char_max,
            char_multiplier: options.char_multiplier,
            default_fraction_digits: options.default_fraction_digits,
            inline_maxoccurs_limit: options.inline_max_occurs,
            name_truncation_left: options.name_truncation == NameTruncation::Left,
            wide_comp3: options.wide_comp3,
            underscores_as_hyphens: options.underscores_as_hyphens,
            check_types: true,
        }
    }

    /// The options for the layout of a record of this name.
    fn options(&self, record: &str) -> assistant::Options {
        let rules = assistant::Options::web_service(record);
        assistant::Options {
            // Both lists have the same names.
            mapping_level: self.mapping_level.name().parse().unwrap_or(rules.mapping_level),
            char_varying: match self.char_varying {
                TextLaying::No => assistant::CharVarying::No,
                TextLaying::Collapse => assistant::CharVarying::Collapse,
                TextLaying::Null => assistant::CharVarying::Null,
                TextLaying::Yes => assistant::CharVarying::Yes,
            },
            char_varying_max: self.char_varying_limit,
            default_char_max: self.default_char_maxlength,
            char_multiplier: self.char_multiplier,
            default_fraction_digits: self.default_fraction_digits,
            inline_max_occurs: self.inline_maxoccurs_limit,
            name_truncation: match self.name_truncation_left {
                true => NameTruncation::Left,
                false => NameTruncation::Right,
            },
            wide_comp3: self.wide_comp3,
            underscores_as_hyphens: self.underscores_as_hyphens,
            ..rules
        }
    }
}

/// The messages of one operation, as a configuration names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessagesSection {
    /// The WSDL, a path in the configuration folder.
    pub wsdl: String,
    /// The binding. Without it, the first binding that has an operation of this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// The operation.
    pub operation: String,
    /// How the program gets the messages. In a commarea they are records, without further containers.
    #[serde(default = "channel", skip_serializing_if = "is_channel")]
    pub interface: InterfaceKind,
    /// The container of the record; `DFHWS-DATA` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// See [`Laying`].
    #[serde(default)]
    pub layout: Laying,
}

/// The two sides of an operation: channels, or records if the interface is a commarea.
#[derive(Clone, Debug)]
pub struct Messages {
    /// The layout of a request.
    pub request: Arc<Interface>,
    /// The layout of a response; none if the operation is one-way.
    pub response: Option<Arc<Interface>>,
}

fn is_one(count: &u64) -> bool {
    *count == 1
}

fn channel() -> InterfaceKind {
    InterfaceKind::Channel
}

fn is_channel(interface: &InterfaceKind) -> bool {
    *interface == InterfaceKind::Channel
}

/// Why a configuration does not read an import.
pub const OUTSIDE: &str = "is outside of the configuration folder";

/// The WSDLs of one configuration, by their paths. Many services may have the same one, which is read once.
#[derive(Debug, Default)]
pub struct Wsdls(HashMap<String, Result<Wsdl, Vec<Problem>>>);

impl Wsdls {
    /// The WSDL at a path in the configuration folder. `files` gives it and what it imports.
    ///
    /// # Errors
    /// The WSDL cannot be read, or has faults. The error has all of them.
    pub fn get(&mut self, path: &str, files: &mut Files<'_>) -> Result<&Wsdl, Vec<Problem>> {
        if !self.0.contains_key(path) {
            self.0.insert(path.to_owned(), read(path, files));
        }
        match &self.0[path] {
            Ok(read) => Ok(read),
            Err(problems) => Err(problems.clone()),
        }
    }
}

fn read(path: &str, files: &mut Files<'_>) -> Result<Wsdl, Vec<Problem>> {
    let bytes = files(path)
        .map_err(|error| vec![Problem::error("", format!("the WSDL {path} cannot be read: {error}"))])?;
    let read = wsdl::read::below_root((path, OUTSIDE), files, |name, files| {
        wsdl::read::read(name, bytes.clone(), files)
    });
    read.map_err(|faults| problems(&faults))
}

impl MessagesSection {
    /// Compiles the messages of the WSDL that [`Wsdls`] has for the path. Texts are in the encoding.
    ///
    /// # Errors
    /// All parts of its messages that no record can hold.
    pub fn compile(&self, read: &Wsdl, encoding: Encoding) -> Result<Messages, Vec<Problem>> {
        let name = self.wsdl.rsplit('/').next().unwrap_or_default();
        let is_meant = |name: &str| self.binding.as_ref().is_none_or(|wanted| wanted == name);
        let bindings = read.bindings.iter().filter(|binding| is_meant(&binding.name));
        let named = bindings.flat_map(|binding| &binding.operations).filter(|found| {
            let name = found.as_ref().map_or_else(|faulty| &faulty.name, |operation| &operation.name);
            *name == self.operation
        });
        // An operation that can be laid out comes first.
        match named.min_by_key(|found| found.is_err()) {
            Some(Ok(operation)) => self.of_operation(operation, encoding),
            Some(Err(faulty)) => Err(problems(&faulty.faults)),
            None => {
                Err(vec![Problem::error(name, format!("the WSDL has no operation '{}'", self.operation))])
            }
        }
    }

    /// The same for an operation that has been read.
    ///
    /// # Errors
    /// As [`MessagesSection::compile`].
    pub fn of_operation(&self, operation: &Operation, encoding: Encoding) -> Result<Messages, Vec<Problem>> {
        let side = |element: &Option<Element>, what: &str| {
            let place = format!("operation {}, {what}", operation.name);
            let Some(element) = element else {
                return Err(vec![Problem::error(&place, "the body is empty, and so tells no operation")]);
            };
            self.side(element, encoding).map_err(|mut found| {
                found.iter_mut().filter(|problem| problem.place.is_empty()).for_each(|problem| {
                    problem.place.clone_from(&place);
                });
                found
            })
        };
        let request = side(&operation.request, "request")?;
        let response = operation.response.as_ref().map(|element| side(element, "response")).transpose()?;
        Ok(Messages { request, response })
    }

    fn side(&self, element: &Element, encoding: Encoding) -> Result<Arc<Interface>, Vec<Problem>> {
        if !(1..=CHAR_MULTIPLIER_MAX).contains(&self.layout.char_multiplier) {
            let found = self.layout.char_multiplier;
            let message =
                format!("char_multiplier: expected a number from 1 to {CHAR_MULTIPLIER_MAX}, found {found}");
            return Err(vec![Problem::error("layout", message)]);
        }
        if self.interface == InterfaceKind::Commarea && self.container.is_some() {
            let message = "a commarea has no container: expected no 'container', or interface = \"channel\"";
            return Err(vec![Problem::error("messages", message)]);
        }
        let rules = self.layout.options("RECORD");
        let shape = match wsdl::read::is_empty(element) {
            true => nothing(element),
            false => wsdl::read::shape(element, &rules).map_err(|faults| problems(&faults))?,
        };
        let container = self.container.clone().unwrap_or_else(|| CONTAINER_DEFAULT.to_owned());
        let options = Options {
            container,
            ieee_order: Some(IEEE_ORDER_OF_PROGRAMS),
            check_types: self.layout.check_types,
            ..Options::assistant(encoding)
        };
        let other_attributes = &wsdl::read::other_attributes(element, &rules);
        let name =
            ElementName { local: &element.name.local, namespace: &element.name.namespace, other_attributes };
        let compiled = Interface::compile_message(&shape, name, &rules, &options);
        let compiled = compiled.map_err(|found| {
            let told = found.iter().map(|found| Problem::error(&found.pointer, found.message.clone()));
            told.collect::<Vec<_>>()
        })?;
        match compiled.first_apart().filter(|_| self.interface == InterfaceKind::Commarea) {
            Some(field) => {
                let message = format!("a commarea is one record, and {field} tells of a container");
                Err(vec![Problem::error("", message)])
            }
            None => Ok(Arc::new(compiled)),
        }
    }
}

/// The shape of an empty element.
fn nothing(element: &Element) -> Shape {
    Shape {
        kind: Kind::Object(Vec::new()),
        nullable: false,
        description: None,
        place: assistant::Place { pointer: element.place.to_string(), offset: None },
    }
}

fn problems(faults: &[wsdl::read::Fault]) -> Vec<Problem> {
    faults.iter().map(|fault| Problem::error(fault.place.to_string(), &fault.message)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wsdl_is_read_once_and_so_are_its_faults() {
        let mut reads = 0;
        let mut files = |path: &str| {
            reads += 1;
            match path {
                "orders.wsdl" => Ok(include_bytes!("../../channel/tests/orders.wsdl").to_vec()),
                "bad.wsdl" => Ok(b"<definitions/>".to_vec()),
                _ => Err("no such file".to_owned()),
            }
        };
        let mut wsdls = Wsdls::default();
        for _ in 0..3 {
            assert!(!wsdls.get("orders.wsdl", &mut files).expect("a WSDL").bindings.is_empty());
            assert!(wsdls.get("bad.wsdl", &mut files).is_err());
            let problems = wsdls.get("none.wsdl", &mut files).expect_err("no WSDL");
            assert_eq!(problems[0].message, "the WSDL none.wsdl cannot be read: no such file");
        }
        assert_eq!(reads, 3);
    }
}
