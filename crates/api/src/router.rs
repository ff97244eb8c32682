//! From method and path to an operation or a document.

use std::collections::HashMap;
use std::sync::Arc;

use http::Method;

use crate::compile::{ServiceInterface, SpecError, operations, positional};
use crate::documents;
use crate::operation::Operation;
use crate::parameters::PathValues;
use crate::spec::ApiSpec;

/// A compiled API.
#[derive(Debug)]
pub struct Api {
    name: String,
    version: String,
    description: String,
    base_path: String,
    operations: Vec<Arc<Operation>>,
    documents: Vec<Document>,
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
            operations: operations.into_iter().map(Arc::new).collect(),
            documents,
        })
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

/// All paths of all APIs.
#[derive(Debug, Default)]
pub struct Router {
    paths: matchit::Router<usize>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// The position of the API whose path it is.
    api: usize,
    /// The path as its author wrote it.
    path: String,
    targets: Vec<(Method, Target)>,
    /// The value of the Allow header.
    allow: String,
}

#[derive(Clone, Debug)]
enum Target {
    /// The API's position and the operation's.
    Operation(usize, usize, Arc<Operation>),
    Document(usize, Document),
}

/// Where a request goes.
#[derive(Debug)]
pub enum Route<'r> {
    /// To an operation.
    Operation {
        /// The API's position among those that were given.
        api: usize,
        /// The operation's position in its API.
        index: usize,
        /// The operation.
        operation: &'r Operation,
        /// The values of the path's parameters.
        path: PathValues<'r>,
    },
    /// To a document.
    Document {
        /// The API's position.
        api: usize,
        /// The document.
        document: &'r Document,
    },
    /// The path exists, but not with this method.
    WrongMethod {
        /// The API's position.
        api: usize,
        /// The value of the Allow header.
        allow: &'r str,
    },
    /// No such path.
    Unknown,
}

/// Two APIs or operations want the same path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouterError {
    /// The position of the API that came second.
    pub api: usize,
    /// What is in conflict.
    pub message: String,
}

impl Router {
    /// Makes the router of some APIs.
    ///
    /// # Errors
    /// Paths that contradict each other.
    pub fn new(apis: &[Api]) -> Result<Self, Vec<RouterError>> {
        let mut router = Self::default();
        let mut errors = Vec::new();
        for (at, api) in apis.iter().enumerate() {
            if let Some(other) = apis[..at].iter().find(|other| other.base_path == api.base_path) {
                let message =
                    format!("base path '{}' is already that of API '{}'", api.base_path, other.name);
                errors.push(RouterError { api: at, message });
                continue;
            }
            for (index, operation) in api.operations.iter().enumerate() {
                let target = Target::Operation(at, index, Arc::clone(operation));
                router.add(at, &operation.path, operation.method.clone(), target, &mut errors);
            }
            for document in &api.documents {
                let target = Target::Document(at, document.clone());
                router.add(at, &document.path, Method::GET, target, &mut errors);
            }
        }
        if errors.is_empty() { Ok(router) } else { Err(errors) }
    }

    fn add(&mut self, api: usize, path: &str, method: Method, target: Target, errors: &mut Vec<RouterError>) {
        let position = match self.entries.iter().position(|entry| positional(&entry.path) == positional(path))
        {
            Some(position) => position,
            None => {
                if let Err(error) = self.paths.insert(positional(path), self.entries.len()) {
                    errors.push(RouterError { api, message: format!("path '{path}': {error}") });
                    return;
                }
                self.entries.push(Entry {
                    api,
                    path: path.to_owned(),
                    targets: Vec::new(),
                    allow: String::new(),
                });
                self.entries.len() - 1
            }
        };
        let entry = &mut self.entries[position];
        if entry.targets.iter().any(|(other, _)| *other == method) {
            errors.push(RouterError { api, message: format!("{method} {path} is defined twice") });
            return;
        }
        if !entry.allow.is_empty() {
            entry.allow.push_str(", ");
        }
        entry.allow.push_str(if method == Method::GET { "GET, HEAD" } else { method.as_str() });
        entry.targets.push((method, target));
    }

    /// Finds where a request goes. The path is that of the URL, still percent-encoded.
    #[must_use]
    pub fn route<'r>(&'r self, method: &Method, path: &'r str) -> Route<'r> {
        let Ok(found) = self.paths.at(path) else { return Route::Unknown };
        let entry = &self.entries[*found.value];
        // Where there is GET there is HEAD, which differs only in that the body is not sent (RFC 9110, 9.3.2).
        let wanted = if method == Method::HEAD { &Method::GET } else { method };
        match entry.targets.iter().find(|(offered, _)| offered == wanted) {
            Some((_, Target::Operation(api, index, operation))) => {
                Route::Operation { api: *api, index: *index, operation, path: PathValues(found.params) }
            }
            Some((_, Target::Document(api, document))) => Route::Document { api: *api, document },
            None => Route::WrongMethod { api: entry.api, allow: &entry.allow },
        }
    }
}
