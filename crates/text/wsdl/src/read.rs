//! Reads foreign WSDL: WSDL 1.1 and XML Schema become a model with lines, and the model becomes shapes of
//! records.
//!
//! The data path: `files` reads the WSDL and its imports from a callback, and `limits` checks each text
//! first. `index` notes the declarations of the schemas. `bindings` finds the operations of each binding for
//! SOAP and the elements in their bodies. `content`, `particles` and `simple` resolve the content of an
//! element. [`shape`] turns it into a shape of the crate `assistant`.
//!
//! - A **particle** is a part of the content of an element: an element, a choice, a group, or any XML.
//! - A **facet** limits a simple type: its length, digits, range or values.
//!
//! Content that a record cannot hold is refused with file, line and reason. So are features that SOAP with
//! literal bodies does not have: SOAP encoding, WSDL 2.0, attachments.

mod bindings;
mod content;
mod digits;
mod fault;
mod files;
mod given;
mod index;
mod limits;
mod model;
mod names;
mod particles;
mod served;
mod shape;
mod simple;

pub use fault::{FAULTS_MAX, Fault, Place};
pub use files::{Files, below_root};
pub use limits::{
    ATTRIBUTES_MAX, CONTENT_DEPTH_MAX, ELEMENTS_MAX, FILE_BYTES_MAX, FILES_BYTES_MAX, FILES_MAX,
    IMPORT_DEPTH_MAX, PREFIXES_MAX, STEPS_MAX, XML_DEPTH_MAX,
};
pub use model::{
    Attribute, Base, Binding, Choice, Complex, Content, Element, Limit, Name, Operation, OperationFaults,
    Particle, Port, Reason, Simple, Style, Version, WhiteSpace, Wsdl,
};
pub use served::{Served, serve};
pub use shape::{ANY_CHARACTERS_MAX, is_empty, other_attributes, shape};

use roxmltree::Document;

use bindings::Bindings;
use files::Sources;
use index::Index;

/// Reads a WSDL by its file name and bytes. `files` gives its imports, by paths from the WSDL's folder.
///
/// An operation that cannot become a record is in the model with its faults; the others are still good.
///
/// # Errors
/// The text is not WSDL 1.1 with bindings for SOAP, or it is beyond a limit.
pub fn read(name: &str, bytes: Vec<u8>, files: &mut Files<'_>) -> Result<Wsdl, Vec<Fault>> {
    let one = |fault| vec![fault];
    let sources = Sources::read(name, bytes, files).map_err(one)?;
    let mut documents: Vec<Document<'_>> = Vec::new();
    for source in &sources.all {
        documents.push(files::parse(&source.text, &source.lines).map_err(one)?);
    }
    model_of(name, &sources, &documents)
}

fn model_of<'d>(name: &str, sources: &'d Sources, documents: &'d [Document<'d>]) -> Result<Wsdl, Vec<Fault>> {
    let one = |fault| vec![fault];
    let root = documents[0].root_element();
    if !names::is(root, names::WSDL, "definitions") {
        let place = sources.all[0].lines.place(root.range().start);
        let found = root.tag_name().name();
        let message = match root.tag_name().namespace() {
            Some(names::WSDL_2) => "WSDL 2.0 is not supported; expected WSDL 1.1".to_owned(),
            Some(names::WSDL) => format!("expected definitions, found {found}"),
            _ => format!("expected WSDL 1.1 (wsdl:definitions), found {found}"),
        };
        return Err(vec![Fault::new(&place, message)]);
    }
    let index = Index::read(sources, documents).map_err(one)?;
    let mut bindings = Bindings::new(&index, sources, documents).map_err(one)?;
    let read = bindings.read(root)?;
    let mut warnings = bindings.warnings;
    warnings.extend(sources.unread.iter().map(|unread| unread.fault.clone()));
    warnings.sort();
    warnings.dedup();
    Ok(Wsdl {
        file: name.to_owned(),
        namespace: names::own_attribute(root, "targetNamespace").unwrap_or_default().to_owned(),
        bindings: read,
        warnings,
        documents: sources.documents(),
    })
}
