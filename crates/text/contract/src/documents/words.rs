//! The words of schemas, by what they mean for one that is written without its document; and what they cost.

use document::Part;

/// Quotes, colon and comma of a word or name.
pub(super) const WORD_BYTES: usize = 4;

/// Bytes of a schema without those in it.
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

/// True for words that are told at all.
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

/// Words under which more becomes less: where something inside is left out, they refuse what the contract allows.
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

/// Words that go together: which members a pattern names, and what becomes of the others.
pub(super) const OF_PATTERNS: [&str; 3] =
    ["patternProperties", "additionalProperties", "unevaluatedProperties"];

/// Words that tell something and rule nothing.
pub(super) const ANNOTATIONS: [&str; 8] =
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"];

/// Words that belong to the document: where schemas are found, and how OpenAPI reads them.
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
