//! The form of records in XML, where it differs from JSON.

use ::xml::OtherAttributes;
use serde::Deserialize;

/// The order of the elements in a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ElementOrder {
    /// The order of the schema, which is that of the copybook. Another order is an error.
    #[default]
    Schema,
    /// Any order. The rows of a table must still follow one another.
    Any,
}

/// How records show themselves as XML.
///
/// The names of elements are those of JSON, made valid where XML does not allow them. A first character that
/// must not be the first (a digit, a hyphen) gets an underscore in front. Any other character that a name
/// must not have becomes `X`. Names that are then alike get numbers: `aXb`, `aXb2`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct XmlOptions {
    /// The namespace of all elements, in requests too; none means no namespace.
    pub namespace: Option<String>,
    /// The prefix of written elements; without it, the namespace is the default one. A request may have any
    /// prefix.
    pub prefix: Option<String>,
    /// The name of the outermost element; by default the wrapper's, or else the record's.
    pub root: Option<String>,
    /// See [`ElementOrder`].
    pub order: ElementOrder,
    /// The attributes that the outermost element may have although no field has them.
    pub other_attributes: OtherAttributes,
}

/// The form of a field in XML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum XmlForm {
    /// An element.
    #[default]
    Element,
    /// An attribute of the element around it. In the copybook, attributes stand before the elements of their
    /// group. An attribute that is null or left out is not written.
    Attribute,
    /// The text of the element around it, which may have only attributes besides.
    Text,
}

/// The meaning of `xsi:nil` for an element whose counter says whether it is there (a table of at most one
/// row).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nil {
    /// It is an error.
    #[default]
    Refuse,
    /// A nil element counts as a missing one. A missing element is left out.
    Accept,
    /// The same in a request. But a missing element is written as nil, because its schema demands the
    /// element.
    Write,
}

/// A choice for one field in XML, for foreign schemas. They may have names in several namespaces, elements
/// without a namespace beside others, attributes, and text beside attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct XmlField {
    /// The local name; by default that of JSON, made valid.
    pub name: Option<String>,
    /// The namespace, empty for none. By default, elements are in [`XmlOptions::namespace`], and attributes
    /// have no namespace.
    pub namespace: Option<String>,
    /// See [`XmlForm`].
    pub form: XmlForm,
    /// See [`Nil`].
    pub nil: Nil,
    /// The elements of its group come in any order (`xsd:all`). All elements of a group say so, or none. The rows of a
    /// table must still follow one another.
    pub any_order: bool,
    /// The value of an element that is empty, or of an attribute that is missing: `default` or `fixed` of the schema. An
    /// element that is missing does not get it.
    pub default: Option<String>,
    /// The default is the only value (`fixed`). Both count as the record has them: `1.0` and `1` are one number.
    pub fixed: bool,
    /// The attributes that the element may have although no field has them.
    pub other_attributes: OtherAttributes,
}
