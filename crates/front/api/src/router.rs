//! From method and path to an operation or a document.

use std::collections::HashMap;
use std::sync::Arc;

use http::Method;
use routing::{Found, PathValues, Routes, RoutesBuilder};

use crate::api::{Api, Document};
use crate::operation::Operation;

/// All paths of all APIs.
#[derive(Debug, Default)]
pub struct Router {
    routes: Routes<Target>,
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
    /// The two routes in conflict.
    pub message: String,
}

impl Router {
    /// Makes the router of some APIs.
    ///
    /// # Errors
    /// Paths that contradict each other.
    pub fn new(apis: &[Api]) -> Result<Self, Vec<RouterError>> {
        let bases: Vec<&str> = apis.iter().map(Api::base_path).collect();
        let mut builder = RoutesBuilder::new(&bases);
        let mut errors = Vec::new();
        let mut base_paths: HashMap<&str, &Api> = HashMap::new();
        for (at, api) in apis.iter().enumerate() {
            if api.is_elsewhere() && api.documents.is_empty() {
                continue;
            }
            if let Some(other) = base_paths.insert(&api.base_path, api) {
                let message =
                    format!("base path '{}' is already that of API '{}'", api.base_path, other.name);
                errors.push(RouterError { api: at, message });
                continue;
            }
            // All operations of an API of another front have one path, and so has its document.
            let distinct = if api.is_elsewhere() { 1 } else { api.operations.len() };
            for (index, operation) in api.operations.iter().take(distinct).enumerate() {
                let target = Target::Operation(at, index, Arc::clone(operation));
                builder.add(at, operation.path(), (operation.method().clone(), target));
            }
            for document in &api.documents {
                let path = document.path.split('?').next().unwrap_or_default();
                builder.add(at, path, (Method::GET, Target::Document(at, document.clone())));
            }
        }
        match builder.finish() {
            Ok(routes) if errors.is_empty() => Ok(Self { routes }),
            Ok(_) => Err(errors),
            Err(more) => {
                let of_api =
                    |error: routing::RouteError| RouterError { api: error.owner, message: error.message };
                errors.extend(more.into_iter().map(of_api));
                errors.sort_by_key(|error| error.api);
                Err(errors)
            }
        }
    }

    /// Finds where a request goes. The path is that of the URL, still percent-encoded.
    #[must_use]
    pub fn route<'r>(&'r self, method: &Method, path: &'r str) -> Route<'r> {
        match self.routes.find(method, path) {
            Found::Target { target: Target::Operation(api, index, operation), path } => {
                Route::Operation { api: *api, index: *index, operation, path }
            }
            Found::Target { target: Target::Document(api, document), .. } => {
                Route::Document { api: *api, document }
            }
            Found::WrongMethod { owner, allow } => Route::WrongMethod { api: owner, allow },
            Found::Unknown => Route::Unknown,
        }
    }
}
