//! From method and path to an operation or a document.

use std::collections::{HashMap, HashSet};
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
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) base_path: String,
    pub(crate) operations: Vec<Arc<Operation>>,
    pub(crate) documents: Vec<Document>,
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
///
/// APIs whose base paths lie below each other share a tree of paths; which tree a path belongs to is looked up by hash,
/// so that a request costs the same with one API and with thousands.
#[derive(Debug, Default)]
pub struct Router {
    trees: foldhash::HashMap<Box<str>, matchit::Router<usize>>,
    /// How many segments the keys of `trees` have.
    depths: Vec<usize>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// The position of the API whose path it is.
    api: usize,
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
        let mut builder = Builder { roots: roots(apis), ..Builder::default() };
        let mut base_paths: HashMap<&str, &Api> = HashMap::new();
        for (at, api) in apis.iter().enumerate() {
            if let Some(other) = base_paths.insert(&api.base_path, api) {
                let message =
                    format!("base path '{}' is already that of API '{}'", api.base_path, other.name);
                builder.errors.push(RouterError { api: at, message });
                continue;
            }
            for (index, operation) in api.operations.iter().enumerate() {
                let target = Target::Operation(at, index, Arc::clone(operation));
                builder.add(at, operation.path(), (operation.method().clone(), target));
            }
            for document in &api.documents {
                builder.add(at, &document.path, (Method::GET, Target::Document(at, document.clone())));
            }
        }
        let Builder { mut router, errors, .. } = builder;
        router.depths = router.trees.keys().map(|root| root.matches('/').count()).collect();
        router.depths.sort_unstable();
        router.depths.dedup();
        if errors.is_empty() { Ok(router) } else { Err(errors) }
    }

    /// Finds where a request goes. The path is that of the URL, still percent-encoded.
    #[must_use]
    pub fn route<'r>(&'r self, method: &Method, path: &'r str) -> Route<'r> {
        let tree = self.depths.iter().find_map(|depth| self.trees.get(first_segments(path, *depth)?));
        let Some(Ok(found)) = tree.map(|tree| tree.at(path)) else { return Route::Unknown };
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

/// The first segments of a path, `/a/b` of `/a/b/c` for two; none if it has fewer.
fn first_segments(path: &str, count: usize) -> Option<&str> {
    let mut slashes = memchr::memchr_iter(b'/', path.as_bytes());
    // As many slashes stand in front of the segments; the next one ends them.
    if count > 0 {
        slashes.nth(count - 1)?;
    }
    Some(&path[..slashes.next().unwrap_or(path.len())])
}

/// For each API the root of its tree: the shortest base path that its own lies below.
fn roots(apis: &[Api]) -> Vec<Box<str>> {
    let known: HashSet<&str> = apis.iter().map(Api::base_path).collect();
    let root = |api: &Api| {
        let path = api.base_path();
        let shorter = path.match_indices('/').map(|(at, _)| &path[..at]);
        shorter.chain([path]).find(|root| known.contains(root)).unwrap_or(path).into()
    };
    apis.iter().map(root).collect()
}

/// A router while its paths come in.
#[derive(Default)]
struct Builder {
    router: Router,
    /// The root of the tree of each API.
    roots: Vec<Box<str>>,
    /// The entry of each path, whatever its parameters are called.
    known: HashMap<String, usize>,
    errors: Vec<RouterError>,
}

impl Builder {
    fn add(&mut self, api: usize, path: &str, (method, target): (Method, Target)) {
        let Some(position) = self.entry(api, path) else { return };
        let entry = &mut self.router.entries[position];
        if entry.targets.iter().any(|(other, _)| *other == method) {
            self.errors.push(RouterError { api, message: format!("{method} {path} is defined twice") });
            return;
        }
        if !entry.allow.is_empty() {
            entry.allow.push_str(", ");
        }
        entry.allow.push_str(if method == Method::GET { "GET, HEAD" } else { method.as_str() });
        entry.targets.push((method, target));
    }

    /// The position of a path's entry, which is made if there is none yet.
    fn entry(&mut self, api: usize, path: &str) -> Option<usize> {
        let numbered = positional(path);
        if let Some(position) = self.known.get(&numbered) {
            return Some(*position);
        }
        let position = self.router.entries.len();
        let tree = self.router.trees.entry(self.roots[api].clone()).or_default();
        if let Err(error) = tree.insert(numbered.as_str(), position) {
            self.errors.push(RouterError { api, message: format!("path '{path}': {error}") });
            return None;
        }
        self.known.insert(numbered, position);
        self.router.entries.push(Entry { api, targets: Vec::new(), allow: String::new() });
        Some(position)
    }
}
