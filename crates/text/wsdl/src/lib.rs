//! WSDL 1.1 documents: written from a model of a service, and read into one.
//!
//! [`write()`] makes the document of a [`Definitions`], in the shape of the CICS web services assistant:
//! document style, literal use, one port type, a binding and a port for each version of SOAP. The schemas are
//! given as text, because they follow from records, which this crate does not know.
//!
//! [`read::read`] goes the other way: foreign WSDL, with the schemas that it imports, becomes a model with
//! lines. [`read::shape`] makes a shape of a message, and the crate `assistant` writes it as a copybook.
//!
//! - An **operation** has a request element, and a response element unless it is one-way.
//! - A **version** is that of SOAP: 1.1, 1.2 or both.
//!
//! Deliberately absent: records and binds, envelopes, and faults. The assistant declares no faults either.

pub mod read;
mod write;

pub use write::{Definitions, ElementName, Operation, TypeNames, Versions, write};

/// The namespace of WSDL 1.1.
pub const WSDL_NAMESPACE: &str = "http://schemas.xmlsoap.org/wsdl/";
/// The namespace of the SOAP 1.1 binding of WSDL 1.1.
pub const SOAP_11_BINDING: &str = "http://schemas.xmlsoap.org/wsdl/soap/";
/// The namespace of the SOAP 1.2 binding of WSDL 1.1.
pub const SOAP_12_BINDING: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";
/// The transport of bindings over HTTP, for both versions of SOAP.
pub const HTTP_TRANSPORT: &str = "http://schemas.xmlsoap.org/soap/http";
