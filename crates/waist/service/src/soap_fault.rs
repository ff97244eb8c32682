//! The fault with which a program answers a SOAP request in place of its data.

/// A SOAP fault. Which version's words it is told in, whoever writes the answer knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoapFault {
    /// Who is at fault.
    pub code: SoapFaultCode,
    /// What people read: a language (`xml:lang`) and a text in it, the one of CREATE first. SOAP 1.1 has room for that one.
    pub reasons: Vec<(String, String)>,
    /// The URI of FAULTACTOR (SOAP 1.1) or ROLE (SOAP 1.2).
    pub role: Option<String>,
    /// The content of the detail: XML elements, as the program wrote them.
    pub detail: Option<String>,
    /// Qualified names of subcodes (SOAP 1.2), the outermost first.
    pub subcodes: Vec<String>,
}

/// The code of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SoapFaultCode {
    /// Client in SOAP 1.1, Sender in SOAP 1.2.
    Client,
    /// Server in SOAP 1.1, Receiver in SOAP 1.2.
    Server,
    /// A qualified name of the program's.
    Other(String),
}
