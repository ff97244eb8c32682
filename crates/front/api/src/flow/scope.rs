//! The variables of expressions: the request, the results of calls, an error, the item of a loop.

use std::sync::Arc;

use expression::{Bindings, Context, Object, Value};

/// The variables that hold parts of the caller's request.
pub(super) const OF_REQUEST: [&str; 6] =
    ["apiRequest", "body", "cookies", "headers", "pathParameters", "queryParameters"];

/// The names that an expression may use, besides its own variables.
pub(super) const VARIABLES: [&str; 12] = [
    "apiRequest",
    "body",
    "calls",
    "cookies",
    "error",
    "errors",
    "headers",
    "item",
    "pathParameters",
    "queryParameters",
    "zosAssetResponse",
    "user",
];

/// The fault of an expression that reads a variable of another name.
pub(super) fn no_variable(name: &str) -> String {
    let known = VARIABLES.map(|known| format!("${known}")).join(", ");
    format!("there is no variable ${name}; known: {known}")
}

/// The parts of a request as values.
#[derive(Clone, Debug, Default)]
pub struct RequestValues {
    /// Headers by name; the case of names does not count.
    pub headers: Value,
    /// Query parameters by name.
    pub query: Value,
    /// Path parameters by name.
    pub path: Value,
    /// Cookies by name.
    pub cookies: Value,
    /// The body, if there is one.
    pub body: Value,
    /// Who calls: `name` and `groups`, if that is known.
    pub user: Value,
}

/// The time and the seed of random numbers, the same for all expressions of a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment {
    /// The time, in milliseconds since 1970 in UTC.
    pub now_ms: i64,
    /// The seed of random numbers.
    pub seed: u64,
}

/// The results of the calls of an operation that have ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    /// By name, in the order in which they ended: the JSON of each call that went well.
    pub(super) calls: Object,
    /// By name: why each call failed that may fail.
    pub(super) errors: Object,
    /// Why the operation failed, when a reply for that is looked for.
    pub(super) error: Value,
}

/// The scope of one evaluation.
#[derive(Clone, Debug)]
pub(super) struct Scope<'r> {
    request: &'r RequestValues,
    results: &'r Results,
    item: Value,
    moment: Moment,
}

impl<'r> Scope<'r> {
    pub(super) fn new(request: &'r RequestValues, results: &'r Results, moment: Moment) -> Self {
        Self { request, results, item: Value::Undefined, moment }
    }

    /// The same scope within a loop.
    pub(super) fn with_item(&self, item: Value) -> Self {
        Self { item, ..self.clone() }
    }

    /// The scope of an expression.
    pub(super) fn context(&self) -> Context<'_> {
        let Moment { now_ms, seed } = self.moment;
        Context { bindings: self, input: Value::Undefined, now_ms, seed }
    }
}

impl Bindings for Scope<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        let RequestValues { headers, query, path, cookies, body, user } = self.request;
        let value = match name {
            "headers" => headers.clone(),
            "queryParameters" => query.clone(),
            "pathParameters" => path.clone(),
            "cookies" => cookies.clone(),
            "body" => body.clone(),
            "user" => user.clone(),
            "apiRequest" => object([
                ("headers".into(), headers.clone()),
                ("queryParameters".into(), query.clone()),
                ("pathParameters".into(), path.clone()),
                ("cookies".into(), cookies.clone()),
                ("body".into(), body.clone()),
            ]),
            "calls" => self.results.calls.clone().into(),
            "errors" => self.results.errors.clone().into(),
            // An API project has one call in each operation.
            "zosAssetResponse" => {
                self.results.calls.iter().next().map_or(Value::Undefined, |(_, value)| value.clone())
            }
            "error" => self.results.error.clone(),
            "item" => self.item.clone(),
            _ => return None,
        };
        Some(value)
    }
}

/// An object of these members.
pub(super) fn object(members: impl IntoIterator<Item = (Arc<str>, Value)>) -> Value {
    let mut object = Object::new();
    for (name, value) in members {
        object.insert(name, value);
    }
    Value::Object(object)
}
