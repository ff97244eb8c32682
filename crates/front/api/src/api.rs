//! A compiled API: its operations and the documents that describe it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::compile::{ServiceInterface, SpecError, operations};
use crate::documents;
use crate::operation::Operation;
use crate::spec::ApiSpec;

/// A compiled API.
#[derive(Debug)]
pub struct Api {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) base_path: String,
    pub(crate) operations: Vec<Arc<Operation>>,
    pub(crate) documents: Vec<Document>,
    pub(crate) slips: Vec<SpecError>,
}

/// A document that describes an API.
#[derive(Clone, Debug)]
pub struct Document {
    /// The whole path at which it is served.
    pub path: String,
    /// The content type.
    pub content_type: &'static str,
    /// The text.
    pub text: Arc<[u8]>,
}

impl Api {
    /// Compiles an API against the services that it may call.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn compile(
        spec: &ApiSpec,
        services: &HashMap<String, ServiceInterface>,
    ) -> Result<Self, Vec<SpecError>> {
        let operations = operations(spec, services)?;
        let documents = documents::documents(spec, &operations);
        Ok(Self {
            name: spec.name.clone(),
            version: spec.version.clone(),
            description: spec.description.clone(),
            base_path: spec.base_path.text.clone(),
            operations: operations
                .into_iter()
                .map(|operation| Arc::new(Operation::Mapped(operation)))
                .collect(),
            documents,
            slips: Vec::new(),
        })
    }

    /// Probable slips in its mappings.
    #[must_use]
    pub fn slips(&self) -> &[SpecError] {
        &self.slips
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version of its documents.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// A sentence for people.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The path in front of all its operations.
    #[must_use]
    pub fn base_path(&self) -> &str {
        &self.base_path
    }

    /// The operations.
    #[must_use]
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// The documents.
    #[must_use]
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }
}
