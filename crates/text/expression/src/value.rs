//! The values of JSONata: JSON's, undefined, and functions while an expression runs. Clones are cheap.

use std::sync::Arc;

use crate::function::Function;
use crate::number::Number;
use crate::object::Object;

/// A value. Copies share their content.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Undefined: the result of a path that finds nothing.
    #[default]
    Undefined,
    /// JSON's `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, exact if possible.
    Number(Number),
    /// Text.
    String(Arc<str>),
    /// An array, or a sequence while an expression runs.
    Array(Array),
    /// An object; members keep their order.
    Object(Object),
    /// A function. It exists only while an expression runs, and is never the result of an evaluation.
    Function(Function),
}

/// The elements of an array, shared between copies.
#[derive(Clone, Debug, Default)]
pub struct Array {
    items: Arc<Vec<Value>>,
    pub(crate) flags: Flags,
    extent: Extent,
}

/// The extent of a value, kept without walking over it. Values that share their parts can be far bigger than
/// their memory.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    /// Levels of arrays and objects.
    pub(crate) depth: u16,
    /// The approximate bytes of its JSON text.
    pub(crate) bytes: u32,
}

impl Extent {
    /// The extent with one more value below it.
    pub(crate) fn and(self, name: usize, value: &Value) -> Extent {
        let below = value.extent();
        let name = u32::try_from(name).unwrap_or(u32::MAX);
        Extent {
            depth: self.depth.max(below.depth.saturating_add(1)),
            bytes: self.bytes.saturating_add(below.bytes).saturating_add(name),
        }
    }
}

/// The facts about an array besides its elements.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    /// Made by a path or a function: a sequence with a single value is that value.
    pub(crate) sequence: bool,
    /// A sequence that stays an array even with a single value, because `[]` follows a step.
    pub(crate) keep_singleton: bool,
    /// Made by an array constructor that is a step of a path. It does not become part of the path's sequence.
    pub(crate) constructed: bool,
    /// The sequence around an input that is an array.
    pub(crate) outer: bool,
}

impl Value {
    /// Text.
    pub fn string(text: impl Into<Arc<str>>) -> Value {
        Value::String(text.into())
    }

    /// An array of these elements. Undefined ones are left out, because JSON has none.
    pub fn array(items: impl IntoIterator<Item = Value>) -> Value {
        Value::Array(Array::new(items.into_iter().filter(Value::is_defined).collect()))
    }

    pub(crate) fn sequence(items: Vec<Value>) -> Value {
        Value::Array(Array::sequence(items))
    }

    /// True unless it is undefined. `null` is defined.
    pub fn is_defined(&self) -> bool {
        !matches!(self, Value::Undefined)
    }

    /// The text, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(array) => Some(array.items()),
            _ => None,
        }
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member of this name, if it is an object with this member.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// The elements of an array, or the value itself as the only one, or none if it is undefined.
    pub(crate) fn elements(&self) -> &[Value] {
        match self {
            Value::Undefined => &[],
            Value::Array(array) => array.items(),
            other => std::slice::from_ref(other),
        }
    }

    /// The result of `$boolean`.
    pub fn truth(&self) -> bool {
        match self {
            Value::Undefined | Value::Null | Value::Function(_) => false,
            Value::Bool(value) => *value,
            Value::Number(number) => !number.is_zero(),
            Value::String(text) => !text.is_empty(),
            Value::Array(array) => array.items().iter().any(Value::truth),
            Value::Object(object) => !object.is_empty(),
        }
    }

    /// Its word in `$type` and in messages.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Value::Undefined => "undefined",
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
            Value::Function(_) => "function",
        }
    }

    pub(crate) fn extent(&self) -> Extent {
        match self {
            Value::Array(array) => array.extent,
            Value::Object(object) => object.extent(),
            Value::String(text) => {
                Extent { depth: 0, bytes: u32::try_from(text.len() + 2).unwrap_or(u32::MAX) }
            }
            _ => Extent { depth: 0, bytes: 8 },
        }
    }

    /// True if it is or contains a function.
    pub(crate) fn has_function(&self) -> bool {
        match self {
            Value::Function(_) => true,
            Value::Array(array) => array.items().iter().any(Value::has_function),
            Value::Object(object) => object.iter().any(|(_, value)| value.has_function()),
            _ => false,
        }
    }
}

impl Array {
    /// An array of these elements.
    pub(crate) fn new(items: Vec<Value>) -> Array {
        let extent = items.iter().fold(Extent { depth: 1, bytes: 2 }, |extent, item| extent.and(1, item));
        Array { items: Arc::new(items), flags: Flags::default(), extent }
    }

    pub(crate) fn sequence(items: Vec<Value>) -> Array {
        Array::new(items).with(Flags { sequence: true, ..Flags::default() })
    }

    /// The same elements with other flags.
    pub(crate) fn with(&self, flags: Flags) -> Array {
        Array { items: Arc::clone(&self.items), flags, extent: self.extent }
    }

    /// The elements in order.
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// True if both have identical elements, not only equal ones.
    pub(crate) fn is(&self, other: &Array) -> bool {
        Arc::ptr_eq(&self.items, &other.items)
    }

    /// The elements for changes. They are copied if they are shared.
    pub(crate) fn into_items(self) -> Vec<Value> {
        Arc::try_unwrap(self.items).unwrap_or_else(|shared| (*shared).clone())
    }
}

/// The equality of JSONata's `=`: the order of members does not count.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Undefined, Value::Undefined) | (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a.is(b) || a.items() == b.items(),
            (Value::Object(a), Value::Object(b)) => a == b,
            (Value::Function(a), Value::Function(b)) => a.is(b),
            _ => false,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Number(value.into())
    }
}

impl From<Number> for Value {
    fn from(value: Number) -> Value {
        Value::Number(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::string(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::string(value)
    }
}

impl From<Object> for Value {
    fn from(value: Object) -> Value {
        Value::Object(value)
    }
}
