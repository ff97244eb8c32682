//! Transformations for programs: a record becomes JSON or XML, and back, by a name.

use std::fmt;

/// The direction of a transformation. JSON and XML are UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transformation {
    /// A record becomes JSON.
    DataToJson,
    /// JSON becomes a record.
    JsonToData,
    /// A record becomes XML.
    DataToXml,
    /// XML becomes a record.
    XmlToData,
}

/// The reason why nothing was transformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransformError {
    /// No transformation has that name.
    Unknown,
    /// The input does not fit: the error and its place.
    Input(String),
}

impl fmt::Display for TransformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransformError::Unknown => f.write_str("no transformation has that name"),
            TransformError::Input(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for TransformError {}

/// Transforms records for programs.
pub trait Transformer: Send + Sync {
    /// Transforms the input, a record or UTF-8 text.
    ///
    /// # Errors
    /// The transformation does not exist, or the input does not fit.
    fn transform(&self, name: &str, way: Transformation, input: &[u8]) -> Result<Vec<u8>, TransformError>;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn Transformer + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Transformer")
    }
}
