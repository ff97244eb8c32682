//! APIs whose operations another front serves: what lists, logs, metrics and switches know of them.

use std::sync::Arc;

use http::Method;

use crate::api::{Api, Document};
use crate::operation::Operation;

/// An API of another front. All of its operations have one path.
#[derive(Clone, Debug)]
pub struct ElsewhereSpec {
    /// The name, unique among all APIs.
    pub name: String,
    /// A sentence for people.
    pub description: String,
    /// The path.
    pub path: String,
    /// Its operations: the id, and the service that is called.
    pub operations: Vec<(String, String)>,
    /// The description of the API. Its own front serves it. Without one the path is known to that front alone:
    /// the router leaves it out.
    pub document: Option<Document>,
}

/// An operation that another front serves.
#[derive(Debug)]
pub struct ElsewhereOperation {
    pub(crate) id: String,
    pub(crate) path: String,
    pub(crate) service: String,
}

impl ElsewhereOperation {
    pub(crate) const METHOD: &'static Method = &Method::POST;
}

impl Api {
    /// An API that another front serves.
    #[must_use]
    pub fn elsewhere(spec: ElsewhereSpec) -> Self {
        let ElsewhereSpec { name, description, path, operations, document } = spec;
        let operation = |(id, service): (String, String)| {
            Arc::new(Operation::Elsewhere(ElsewhereOperation { id, path: path.clone(), service }))
        };
        Self {
            name,
            version: "1.0.0".to_owned(),
            description,
            operations: operations.into_iter().map(operation).collect(),
            documents: document.into_iter().collect(),
            base_path: path,
            slips: Vec::new(),
        }
    }

    /// True if another front serves it.
    #[must_use]
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.operations.first().map(|operation| &**operation), Some(Operation::Elsewhere(_)))
    }
}
