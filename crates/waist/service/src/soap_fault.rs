//! The fault that a program gives in place of its data, as the answer to a SOAP request.

/// A SOAP fault, in no version of SOAP. The writer of the answer knows the version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoapFault {
    /// The side that is at fault.
    pub code: SoapFaultCode,
    /// The texts for people: a language (`xml:lang`) and a text in it. The text of CREATE comes first. SOAP
    /// 1.1 has room only for that one.
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
    /// A qualified name from the program.
    Other(String),
}
