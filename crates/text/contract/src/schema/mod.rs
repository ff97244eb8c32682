//! Schemas, compiled. Each keyword is read once, references are numbers, and no text is parsed when a value is judged.

mod compile;
mod cycles;
mod format;
mod keywords;
mod pattern;
mod rules;
mod text;

use expression::{Number, Value};

pub(crate) use compile::Compiler;
pub(crate) use format::Format;
pub(crate) use pattern::Pattern;
pub(crate) use rules::{compare, is_multiple};
pub(crate) use text::{MemberTypes, TextTypes, default_of, member_types, text_types};

/// A schema of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SchemaId(u32);

impl SchemaId {
    /// The schema that every value fits.
    pub const ANYTHING: SchemaId = SchemaId(0);
    /// The schema that no value fits.
    pub(crate) const NOTHING: SchemaId = SchemaId(1);
}

/// The places of the schemas that operations name themselves, as JSON pointers with `#` in front.
#[derive(Debug, Default)]
pub(crate) struct SchemaPlaces(Vec<Box<str>>);

impl SchemaPlaces {
    /// The place of a schema. [`SchemaId::ANYTHING`], [`SchemaId::NOTHING`] and schemas inside others have
    /// none.
    pub(crate) fn of(&self, id: SchemaId) -> Option<&str> {
        let at = (id.0 as usize).checked_sub(FIRST)?;
        self.0.get(at).map(|place| &**place)
    }
}

/// The number of the first schema of a document: before it are [`SchemaId::ANYTHING`] and [`SchemaId::NOTHING`].
const FIRST: usize = 2;

/// All schemas of a contract.
#[derive(Debug, Default)]
pub(crate) struct Schemas(Vec<Schema>);

impl Schemas {
    pub(crate) fn get(&self, id: SchemaId) -> &Schema {
        &self.0[id.0 as usize]
    }
}

/// One schema. A value must keep all these rules together.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub(crate) types: Types,
    /// `enum` and `const`: a value is in each of these lists.
    pub(crate) values: Vec<Box<[Value]>>,
    pub(crate) number: Option<Box<NumberRules>>,
    pub(crate) text: Option<Box<TextRules>>,
    pub(crate) array: Option<Box<ArrayRules>>,
    pub(crate) object: Option<Box<ObjectRules>>,
    /// `$ref` and `allOf`.
    pub(crate) all: Vec<SchemaId>,
    /// `anyOf` and `oneOf`.
    pub(crate) alternatives: Vec<Alternatives>,
    pub(crate) not: Option<SchemaId>,
    pub(crate) condition: Option<Condition>,
    pub(crate) default: Option<Value>,
    /// True if requests do not have it.
    pub(crate) read_only: bool,
    /// True if responses do not have it.
    pub(crate) write_only: bool,
}

/// A set of JSON types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(pub(crate) u8);

impl Types {
    pub(crate) const NULL: Types = Types(1);
    pub(crate) const BOOLEAN: Types = Types(2);
    pub(crate) const INTEGER: Types = Types(4);
    /// This includes integers.
    pub(crate) const NUMBER: Types = Types(8 | 4);
    pub(crate) const STRING: Types = Types(16);
    pub(crate) const ARRAY: Types = Types(32);
    pub(crate) const OBJECT: Types = Types(64);
    pub(crate) const ALL: Types = Types(127);
    pub(crate) const NONE: Types = Types(0);

    const WORDS: [(&'static str, Types); 7] = [
        ("null", Types::NULL),
        ("boolean", Types::BOOLEAN),
        ("integer", Types::INTEGER),
        ("number", Types::NUMBER),
        ("string", Types::STRING),
        ("array", Types::ARRAY),
        ("object", Types::OBJECT),
    ];

    /// The type of this name.
    pub(crate) fn of_word(word: &str) -> Option<Types> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, types)| *types)
    }

    /// The type of a value.
    pub(crate) fn of(value: &Value) -> Types {
        match value {
            Value::Null => Types::NULL,
            Value::Bool(_) => Types::BOOLEAN,
            Value::Number(number) if rules::is_integer(number) => Types::INTEGER,
            Value::Number(_) => Types(8),
            Value::String(_) => Types::STRING,
            Value::Array(_) => Types::ARRAY,
            Value::Object(_) => Types::OBJECT,
            _ => Types::NONE,
        }
    }

    pub(crate) fn has(self, types: Types) -> bool {
        self.0 & types.0 == types.0
    }

    pub(crate) fn meets(self, types: Types) -> bool {
        self.0 & types.0 != 0
    }

    pub(crate) fn and(self, types: Types) -> Types {
        Types(self.0 & types.0)
    }

    pub(crate) fn or(self, types: Types) -> Types {
        Types(self.0 | types.0)
    }

    /// The types in words: `string or null`.
    pub(crate) fn words(self) -> String {
        let words: Vec<&str> = Self::WORDS
            .iter()
            .filter(|(word, types)| self.has(*types) && !(*word == "integer" && self.has(Types::NUMBER)))
            .map(|(word, _)| *word)
            .collect();
        words.join(" or ")
    }
}

impl Default for Types {
    fn default() -> Self {
        Types::ALL
    }
}

#[derive(Debug, Default)]
pub(crate) struct NumberRules {
    pub(crate) bounds: Vec<Bound>,
    pub(crate) multiple_of: Option<Number>,
}

#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) kind: BoundKind,
    pub(crate) limit: Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundKind {
    AtLeast,
    Above,
    AtMost,
    Below,
}

#[derive(Debug, Default)]
pub(crate) struct TextRules {
    pub(crate) characters: Counts,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) format: Option<Format>,
}

#[derive(Debug, Default)]
pub(crate) struct ArrayRules {
    pub(crate) items: Counts,
    /// The schemas of the first elements, one by one.
    pub(crate) first: Vec<SchemaId>,
    /// The schema of all other elements.
    pub(crate) rest: Option<SchemaId>,
    pub(crate) unique: bool,
    /// A schema, and the number of elements that must fit it.
    pub(crate) contains: Option<(SchemaId, Counts)>,
}

#[derive(Debug, Default)]
pub(crate) struct ObjectRules {
    pub(crate) members: Counts,
    /// By name, in the order of bytes.
    pub(crate) properties: Vec<Property>,
    /// Required names. Those in `properties` are marked there.
    pub(crate) required: Vec<Box<str>>,
    pub(crate) patterns: Vec<(Pattern, SchemaId)>,
    /// The schema of members that neither `properties` nor `patterns` name.
    pub(crate) others: Option<SchemaId>,
    /// The schema of the names themselves.
    pub(crate) names: Option<SchemaId>,
    /// Names that are required if another one is there.
    pub(crate) dependent_names: Vec<(Box<str>, Vec<Box<str>>)>,
    /// The schema of the object if a name is there.
    pub(crate) dependent_schemas: Vec<(Box<str>, SchemaId)>,
}

#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: Box<str>,
    pub(crate) schema: SchemaId,
    /// True if requests do not have it, so it is not required there.
    pub(crate) read_only: bool,
    /// True if responses do not have it.
    pub(crate) write_only: bool,
    /// The default of its schema, or of the target of that.
    pub(crate) default: Option<Value>,
}

/// The allowed numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) least: Option<usize>,
    pub(crate) most: Option<usize>,
}

impl Counts {
    pub(crate) fn is_any(self) -> bool {
        self == Counts::default()
    }
}

/// Alternative schemas. One of them must hold.
#[derive(Debug)]
pub(crate) struct Alternatives {
    pub(crate) schemas: Vec<SchemaId>,
    /// Exactly one (`oneOf`), not several (`anyOf`).
    pub(crate) exactly_one: bool,
    pub(crate) discriminator: Option<Discriminator>,
}

/// The member that says which alternative an object is.
#[derive(Debug)]
pub(crate) struct Discriminator {
    pub(crate) property: Box<str>,
    /// By the member's value.
    pub(crate) schemas: Vec<(Box<str>, SchemaId)>,
}

#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) test: SchemaId,
    pub(crate) then: Option<SchemaId>,
    pub(crate) otherwise: Option<SchemaId>,
}
