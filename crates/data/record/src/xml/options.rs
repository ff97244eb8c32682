//! How records show themselves as XML, where it differs from JSON.

use serde::Deserialize;

/// In which order a request has its elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ElementOrder {
    /// That of the schema, which is that of the copybook; another is an error.
    #[default]
    Schema,
    /// Any; the rows of a table still follow one another.
    Any,
}

/// How records show themselves as XML.
///
/// The names of elements are those of JSON, made valid where XML does not allow them: a first character that may not
/// be the first (a digit, a hyphen) gets an underscore in front, any other character that may not be part of a name
/// becomes `X`; names that are then alike get numbers, `aXb`, `aXb2`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct XmlOptions {
    /// The namespace of all elements; none puts them in no namespace. A request must have them in the same.
    pub namespace: Option<String>,
    /// The prefix of elements that are written; none makes the namespace the default one. A request may have any.
    pub prefix: Option<String>,
    /// The name of the outermost element; none takes the wrapper's, or else the record's.
    pub root: Option<String>,
    /// See [`ElementOrder`].
    pub order: ElementOrder,
}

/// What a field is in XML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum XmlForm {
    /// An element.
    #[default]
    Element,
    /// An attribute of the element around it. Attributes stand before the elements of their group in the copybook. One that a
    /// record makes null or leaves out is not written.
    Attribute,
    /// The text of the element around it, which has nothing else but attributes.
    Text,
}

/// What `xsi:nil` means for an element that a counter tells to be there or not (a table of at most one row).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nil {
    /// It is an error.
    #[default]
    Refuse,
    /// An element that is nil counts as one that is not there. One that is not there is left out.
    Accept,
    /// The same in a request; but one that is not there is written as nil, because its schema demands the element.
    Write,
}

/// A choice for one field in XML, for schemas of others: names in several namespaces, elements without one among those that
/// have one, attributes, text beside attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct XmlField {
    /// The local name; none takes that of JSON, made valid.
    pub name: Option<String>,
    /// The namespace, empty for none. If it is not said, elements are in [`XmlOptions::namespace`] and attributes in none.
    pub namespace: Option<String>,
    /// See [`XmlForm`].
    pub form: XmlForm,
    /// See [`Nil`].
    pub nil: Nil,
}
