//! Methods and paths lead to targets.
//!
//! Paths belong to owners, such as APIs. Each owner has a base path. The user of the crate says what a target is.

mod path;

use std::collections::{HashMap, HashSet};

use http::Method;

pub use path::{PathValues, path_parameters, positional};

/// All paths of all owners.
///
/// Owners whose base paths lie below each other share a tree of paths; which tree a path belongs to is looked up by hash,
/// so that a request costs the same with one owner and with thousands.
#[derive(Debug)]
pub struct Routes<T> {
    trees: foldhash::HashMap<Box<str>, matchit::Router<usize>>,
    /// How many segments the keys of `trees` have.
    depths: Vec<usize>,
    entries: Vec<Entry<T>>,
}

#[derive(Debug)]
struct Entry<T> {
    /// The position of the owner whose path it is.
    owner: usize,
    targets: Vec<(Method, T)>,
    /// The value of the Allow header.
    allow: String,
}

/// Where a request goes.
#[derive(Debug)]
pub enum Found<'r, T> {
    /// To a target.
    Target {
        /// The target.
        target: &'r T,
        /// The values of the path's parameters.
        path: PathValues<'r>,
    },
    /// The path exists, but not with this method.
    WrongMethod {
        /// The owner's position among those that were given.
        owner: usize,
        /// The value of the Allow header.
        allow: &'r str,
    },
    /// No such path.
    Unknown,
}

/// Two owners or targets want the same path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteError {
    /// The position of the owner that came second.
    pub owner: usize,
    /// The two routes in conflict.
    pub message: String,
}

impl<T> Default for Routes<T> {
    fn default() -> Self {
        Self { trees: foldhash::HashMap::default(), depths: Vec::new(), entries: Vec::new() }
    }
}

impl<T> Routes<T> {
    /// Finds where a request goes. The path is that of the URL, still percent-encoded.
    #[inline]
    #[must_use]
    pub fn find<'r>(&'r self, method: &Method, path: &'r str) -> Found<'r, T> {
        let tree = self.depths.iter().find_map(|depth| self.trees.get(first_segments(path, *depth)?));
        let Some(Ok(found)) = tree.map(|tree| tree.at(path)) else { return Found::Unknown };
        let entry = &self.entries[*found.value];
        // Where there is GET there is HEAD, which differs only in that the body is not sent (RFC 9110, 9.3.2).
        let wanted = if method == Method::HEAD { &Method::GET } else { method };
        match entry.targets.iter().find(|(offered, _)| offered == wanted) {
            Some((_, target)) => Found::Target { target, path: PathValues(found.params) },
            None => Found::WrongMethod { owner: entry.owner, allow: &entry.allow },
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

/// For each base path the root of its tree: the shortest base path that it lies below.
fn roots(bases: &[&str]) -> Vec<Box<str>> {
    let known: HashSet<&str> = bases.iter().copied().collect();
    let root = |path: &&str| {
        let shorter = path.match_indices('/').map(|(at, _)| &path[..at]);
        shorter.chain([*path]).find(|root| known.contains(root)).unwrap_or(path).into()
    };
    bases.iter().map(root).collect()
}

/// Routes while their paths come in.
#[derive(Debug)]
pub struct RoutesBuilder<T> {
    routes: Routes<T>,
    bases: Vec<String>,
    /// The root of the tree of each owner.
    roots: Vec<Box<str>>,
    /// The entry of each path, whatever its parameters are called.
    known: HashMap<String, usize>,
    errors: Vec<RouteError>,
}

impl<T> RoutesBuilder<T> {
    /// Begins with the base paths of all owners, in their order.
    #[must_use]
    pub fn new(bases: &[&str]) -> Self {
        Self {
            routes: Routes::default(),
            bases: bases.iter().map(|base| percent::path_escaped(base)).collect(),
            roots: roots(bases).iter().map(|root| percent::path_escaped(root).into()).collect(),
            known: HashMap::new(),
            errors: Vec::new(),
        }
    }

    /// Adds a path, which lies below the owner's base path, with one method.
    ///
    /// # Panics
    /// There is no owner at that position.
    pub fn add(&mut self, owner: usize, path: &str, (method, target): (Method, T)) {
        let Some(position) = self.entry(owner, path) else { return };
        let entry = &mut self.routes.entries[position];
        if entry.targets.iter().any(|(other, _)| *other == method) {
            self.errors.push(RouteError { owner, message: format!("{method} {path} is defined twice") });
            return;
        }
        if !entry.allow.is_empty() {
            entry.allow.push_str(", ");
        }
        entry.allow.push_str(if method == Method::GET { "GET, HEAD" } else { method.as_str() });
        entry.targets.push((method, target));
    }

    /// The routes of all that was added.
    ///
    /// # Errors
    /// Paths that contradict each other.
    pub fn finish(mut self) -> Result<Routes<T>, Vec<RouteError>> {
        self.add_bases();
        let Self { mut routes, errors, .. } = self;
        routes.depths = routes.trees.keys().map(|root| root.matches('/').count()).collect();
        routes.depths.sort_unstable();
        routes.depths.dedup();
        if errors.is_empty() { Ok(routes) } else { Err(errors) }
    }

    /// A base path leads where its path `/` leads, unless it leads somewhere already.
    fn add_bases(&mut self) {
        for (base, root) in self.bases.iter().zip(&self.roots).filter(|(base, _)| !base.is_empty()) {
            let Some(position) = self.known.get(&format!("{base}/")) else { continue };
            if let Some(tree) = self.routes.trees.get_mut(root)
                && tree.at(base).is_err()
            {
                // A base path has no parameters, so the only conflict is with a path that it would have found.
                let _ = tree.insert(base.as_str(), *position);
            }
        }
    }

    /// The position of a path's entry, which is made if there is none yet.
    fn entry(&mut self, owner: usize, path: &str) -> Option<usize> {
        // Requests have such a path in this form.
        let numbered = percent::path_escaped(&positional(path));
        if let Some(position) = self.known.get(&numbered) {
            return Some(*position);
        }
        let position = self.routes.entries.len();
        let tree = self.routes.trees.entry(self.roots[owner].clone()).or_default();
        if let Err(error) = tree.insert(numbered.as_str(), position) {
            self.errors.push(RouteError { owner, message: format!("path '{path}': {error}") });
            return None;
        }
        self.known.insert(numbered, position);
        self.routes.entries.push(Entry { owner, targets: Vec::new(), allow: String::new() });
        Some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(added: &[(usize, &str, Method)]) -> Result<Routes<usize>, Vec<RouteError>> {
        let mut builder = RoutesBuilder::new(&["/shop", "/shop/orders", "/bank"]);
        for (number, (owner, path, method)) in added.iter().enumerate() {
            builder.add(*owner, path, (method.clone(), number));
        }
        builder.finish()
    }

    #[test]
    fn paths_may_have_any_character() {
        let mut builder = RoutesBuilder::new(&["/größe", "/b c"]);
        builder.add(0, "/größe/{weiß}/d e", (Method::GET, 0));
        builder.add(1, "/b c/", (Method::GET, 1));
        let routes = builder.finish().expect("no conflict");
        for (path, expected) in
            [("/gr%C3%B6%C3%9Fe/1/d%20e", Some(0)), ("/b%20c", Some(1)), ("/b%20c/", Some(1)), ("/b", None)]
        {
            let found = match routes.find(&Method::GET, path) {
                Found::Target { target, .. } => Some(*target),
                _ => None,
            };
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn a_base_path_leads_where_its_slash_leads() {
        let added =
            [(0, "/shop/{any}", Method::GET), (1, "/shop/orders/", Method::GET), (2, "/bank/", Method::POST)];
        let routes = routes(&added).expect("no conflict");
        let found = |method: Method, path: &str| match routes.find(&method, path) {
            Found::Target { target, .. } => Some(*target),
            _ => None,
        };
        assert_eq!((found(Method::POST, "/bank"), found(Method::POST, "/bank/")), (Some(2), Some(2)));
        // Another API has this path already.
        assert_eq!(
            (found(Method::GET, "/shop/orders"), found(Method::GET, "/shop/orders/")),
            (Some(0), Some(1))
        );
        assert_eq!(found(Method::GET, "/shop"), None);
    }

    #[test]
    fn owners_below_each_other_share_a_tree_and_their_paths() {
        let added = [
            (0, "/shop/{any}", Method::GET),
            (1, "/shop/orders/{id}", Method::GET),
            (0, "/shop/orders/{number}", Method::PUT),
            (2, "/bank/a/{b}/c/{d}", Method::POST),
        ];
        let routes = routes(&added).expect("no conflict");
        let found = |method: Method, path: &str| match routes.find(&method, path) {
            Found::Target { target, path } => (*target, path.texts().map(str::to_owned).collect::<Vec<_>>()),
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(found(Method::GET, "/shop/x"), (0, vec!["x".to_owned()]));
        assert_eq!(found(Method::HEAD, "/shop/orders/7"), (1, vec!["7".to_owned()]));
        assert_eq!(found(Method::PUT, "/shop/orders/7"), (2, vec!["7".to_owned()]));
        assert_eq!(found(Method::POST, "/bank/a/1/c/%32").1, ["1", "%32"]);
        let Found::Target { path, .. } = routes.find(&Method::POST, "/bank/a/1/c/2") else {
            panic!("it is there")
        };
        assert_eq!((path.nth(1), path.nth(2)), (Some("2"), None));
    }

    #[test]
    fn another_method_gets_the_list_of_those_that_there_are() {
        let routes = routes(&[(1, "/shop/orders/{id}", Method::GET), (0, "/shop/orders/{id}", Method::PUT)]);
        let routes = routes.expect("no conflict");
        let Found::WrongMethod { owner, allow } = routes.find(&Method::POST, "/shop/orders/1") else {
            panic!("it is not offered")
        };
        assert_eq!((owner, allow), (1, "GET, HEAD, PUT"));
        assert!(matches!(routes.find(&Method::GET, "/shop"), Found::Unknown));
        assert!(matches!(routes.find(&Method::GET, "/elsewhere/orders/1"), Found::Unknown));
    }

    #[test]
    fn what_comes_second_is_told() {
        let errors =
            routes(&[(0, "/shop/{a}", Method::GET), (1, "/shop/{b}", Method::GET)]).expect_err("twice");
        assert_eq!(errors, [RouteError { owner: 1, message: "GET /shop/{b} is defined twice".to_owned() }]);
    }

    #[test]
    fn parameters_of_templates_are_numbered() {
        assert_eq!(path_parameters("/a/{b}/c/{d}"), ["b", "d"]);
        assert_eq!(positional("/a/{b}/c/{d}"), "/a/{0}/c/{1}");
        assert_eq!(positional("/a"), "/a");
    }
}
