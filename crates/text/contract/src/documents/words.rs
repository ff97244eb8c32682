//! The words of schemas, by their meaning in a schema without its document, and their length.

use document::Part;

/// Quotes, colon and comma of a word or name.
pub(super) const WORD_BYTES: usize = 4;

/// Bytes of a schema without the schemas in it.
pub(super) fn own_bytes(part: &Part<'_, '_>) -> usize {
    let words = part.members().filter(|(word, _)| is_told(word)).map(|(word, inner)| {
        let inside = match word {
            "properties" | "patternProperties" | "dependentSchemas" => {
                inner.members().map(|(name, _)| name.len() + WORD_BYTES).sum()
            }
            _ if SCHEMAS.contains(&word) => inner.node.elements().len(),
            _ => inner.node.json().len(),
        };
        word.len() + WORD_BYTES + inside
    });
    WORD_BYTES + words.sum::<usize>()
}

/// True for words that are written at all.
pub(super) fn is_told(word: &str) -> bool {
    !DROPPED.contains(&word) && !word.starts_with("x-")
}

/// Words whose values are schemas or lists of them.
const SCHEMAS: [&str; 14] = [
    "allOf",
    "anyOf",
    "oneOf",
    "prefixItems",
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Words that turn more into less: if a part inside is left out, they refuse values that the contract allows.
pub(super) const TURNING: [&str; 9] = [
    "not",
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Words that belong together: the members that a pattern names, and the treatment of the others.
pub(super) const OF_PATTERNS: [&str; 3] =
    ["patternProperties", "additionalProperties", "unevaluatedProperties"];

/// Words that describe and have no rules.
pub(super) const ANNOTATIONS: [&str; 8] =
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];

/// Words that belong to the document: the places of schemas, and OpenAPI's rules for reading them.
const DROPPED: [&str; 19] = [
    "$ref",
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveRef",
    "$recursiveAnchor",
    "$vocabulary",
    "$comment",
    "$defs",
    "definitions",
    "discriminator",
    "xml",
    "externalDocs",
    "nullable",
    "collectionFormat",
    "allowEmptyValue",
    "contentSchema",
];
