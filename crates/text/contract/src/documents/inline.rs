//! A schema with the targets of its references in their places, in the words of JSON Schema 2020-12.

use std::collections::HashSet;

use document::{Node, Part, Value, target};

use super::build::{Members, array, empty, one, text};
use super::portable::is_portable;
use super::schema31::{bound, nullable};
use super::upgrade::SCHEMA_WORDS;
use super::words::{ANNOTATIONS, OF_PATTERNS, TURNING, WORD_BYTES, is_told, own_bytes};
use crate::check::Direction;
use crate::contract::Version;

/// The most levels of schemas while references are replaced by their targets. Deeper schemas get a name.
const INLINE_DEPTH_MAX: usize = 24;
/// The most characters of a definition's name.
const NAME_CHARS_MAX: usize = 64;
/// The most schemas of the same value that are read to find read-only members.
const LOOKED_INTO_MAX: usize = 20;

/// The rules for writing schemas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) version: Version,
    /// Members of the other direction are left out.
    pub(super) direction: Direction,
    pub(super) mode: Mode,
    /// Bytes of all schemas together.
    pub(super) bytes_max: usize,
}

/// The treatment of references, and of schemas that are too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// References are replaced by their targets, unless that has no end.
    Inline,
    /// References lead to definitions.
    Named,
    /// The same, but a schema that is too long has only its type. Rules that would turn less into more
    /// (`not`, `if`) are left out.
    Cut,
}

/// Writes schemas that share definitions and a limit of bytes.
pub(super) struct Inliner<'d, 't> {
    root: &'d Node<'t>,
    settings: Settings,
    /// The places of the open schemas, from the outermost reference on.
    open: Vec<String>,
    /// Places with their names. The first ones are written already.
    named: Vec<(Part<'d, 't>, String)>,
    depth: usize,
    bytes_left: usize,
    whole: bool,
    /// A rule has been left out of the present schema, so that more values fit it.
    loosened: bool,
}

impl<'d, 't> Inliner<'d, 't> {
    pub(super) fn new(root: &'d Node<'t>, settings: Settings) -> Self {
        let bytes_left = settings.bytes_max;
        Self {
            root,
            settings,
            open: Vec::new(),
            named: Vec::new(),
            depth: 0,
            bytes_left,
            whole: true,
            loosened: false,
        }
    }

    /// False if a part has been left out because it is too long.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// A schema that nothing refers to by name.
    pub(super) fn top(&mut self, part: &Part<'d, 't>) -> Node<'t> {
        self.open = vec![part.pointer.clone()];
        self.schema(part)
    }

    /// The schema of a Swagger parameter. Its other words do not belong to the schema.
    pub(super) fn parameter(&mut self, part: &Part<'d, 't>) -> Node<'t> {
        self.open = vec![part.pointer.clone()];
        self.rules(part, |word| SCHEMA_WORDS.contains(&word))
    }

    /// The schemas that earlier schemas refer to by name, and those that they refer to.
    pub(super) fn definitions(&mut self) -> Vec<(String, Node<'t>)> {
        let mut written = Vec::new();
        while let Some((part, name)) = self.named.get(written.len()).cloned() {
            written.push((name, self.top(&part)));
        }
        written
    }

    fn schema(&mut self, part: &Part<'d, 't>) -> Node<'t> {
        self.depth += 1;
        let made = match part.text("$ref") {
            Some(reference) => self.referred(part, reference),
            None => self.rules(part, |_| true),
        };
        self.depth -= 1;
        made
    }

    /// The target of a reference, with the words beside it. Before 3.1 these have no effect.
    fn referred(&mut self, part: &Part<'d, 't>, reference: &str) -> Node<'t> {
        // The contract has been compiled, so its references have targets.
        let Ok(target) = target(self.root, reference) else { return empty() };
        let referred = self.reference(target);
        if self.settings.version != Version::OpenApi31 || part.node.members().len() == 1 {
            return referred;
        }
        let beside = self.rules(part, |word| word != "$ref");
        let mut beside = Members::of(beside);
        if beside.names().all(|name| ANNOTATIONS.contains(&name)) {
            let mut made = Members::of(referred);
            for (name, node) in beside.into_list() {
                made.put(&name, node);
            }
            return made.into_node();
        }
        let mut all = vec![referred];
        if let Some(Node { value: Value::Array(more), .. }) = beside.remove("allOf") {
            all.extend(more);
        }
        beside.put("allOf", array(all));
        beside.into_node()
    }

    fn reference(&mut self, target: Part<'d, 't>) -> Node<'t> {
        let known = self.named.iter().find(|(part, _)| part.pointer == target.pointer);
        let name = match known.map(|(_, name)| name.clone()) {
            Some(name) => name,
            None if self.may_be_inline(&target) => {
                self.open.push(target.pointer.clone());
                let schema = self.schema(&target);
                self.open.pop();
                return schema;
            }
            None if self.spend(WORD_BYTES + NAME_CHARS_MAX) => self.name(target),
            None => return self.cut(&target),
        };
        one("$ref", text(format!("#/$defs/{name}")))
    }

    fn may_be_inline(&self, target: &Part<'d, 't>) -> bool {
        let has_end = !self.open.contains(&target.pointer);
        self.settings.mode == Mode::Inline && has_end && self.depth <= INLINE_DEPTH_MAX
    }

    /// Gives a schema a name: the last word of its place.
    fn name(&mut self, target: Part<'d, 't>) -> String {
        let good = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' };
        let word = target.pointer.rsplit('/').next().unwrap_or_default();
        let word: String = word.chars().map(good).take(NAME_CHARS_MAX).collect();
        let taken: HashSet<&str> = self.named.iter().map(|(_, name)| name.as_str()).collect();
        let mut name = word.clone();
        let mut number = 1_usize;
        while name.is_empty() || taken.contains(name.as_str()) {
            number += 1;
            name = format!("{word}_{number}");
        }
        self.named.push((target, name.clone()));
        name
    }

    /// The words of one schema that pass.
    fn rules(&mut self, part: &Part<'d, 't>, passes: impl Fn(&str) -> bool) -> Node<'t> {
        if !part.node.is_object() {
            return part.node.clone();
        }
        if !self.spend(own_bytes(part)) {
            return self.cut(part);
        }
        let mut made = Members::default();
        for (word, inner) in part.members() {
            if passes(word) && is_told(word) {
                self.word(word, &inner, &mut made);
            }
        }
        if self.settings.version != Version::OpenApi31 {
            made.put_some(
                "nullable",
                part.node.get("nullable").or_else(|| part.node.get("x-nullable")).cloned(),
            );
            nullable(&mut made);
            bound(&mut made, "minimum", "exclusiveMinimum");
            bound(&mut made, "maximum", "exclusiveMaximum");
        }
        if part.text("type") == Some("file") {
            made.put("type", text("string"));
        }
        self.one_direction(part, &mut made);
        self.choose(part, &mut made);
        made.into_node()
    }

    fn word(&mut self, word: &str, inner: &Part<'d, 't>, made: &mut Members<'t>) {
        match word {
            "properties" | "patternProperties" | "dependentSchemas" => {
                let mut schemas = Members::default();
                for (name, schema) in inner.members() {
                    let hidden = word == "properties" && self.is_hidden(&schema);
                    if !hidden {
                        schemas.put(name, self.schema(&schema));
                    }
                }
                made.put(word, schemas.into_node());
            }
            "oneOf" => {
                let schemas =
                    |inliner: &mut Self| inner.elements().map(|schema| inliner.schema(&schema)).collect();
                let (schemas, loosened) = self.loosening(schemas);
                // Now more than one alternative may fit.
                let word = if loosened && made.get("anyOf").is_none() { "anyOf" } else { word };
                made.put(word, array(schemas));
            }
            "allOf" | "anyOf" | "prefixItems" => {
                made.put(word, array(inner.elements().map(|schema| self.schema(&schema)).collect()));
            }
            "not" | "if" | "contains" => {
                let (schema, loosened) = self.loosening(|inliner| inliner.schema(inner));
                if !loosened {
                    made.put(word, schema);
                }
            }
            "items"
            | "additionalProperties"
            | "then"
            | "else"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties" => {
                made.put(word, self.schema(inner));
            }
            "pattern" if !inner.node.text().is_some_and(is_portable) => self.loosened = true,
            "example" => made.put("examples", array(vec![inner.node.clone()])),
            "examples" if !matches!(inner.node.value, Value::Array(_)) => {}
            _ => made.put(word, inner.node.clone()),
        }
    }

    /// Does some work, and returns whether it left out a rule.
    fn loosening<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        let before = std::mem::take(&mut self.loosened);
        let made = work(self);
        let loosened = self.loosened;
        self.loosened |= before;
        (made, loosened)
    }

    /// Members of the other direction are not required.
    fn one_direction(&mut self, part: &Part<'d, 't>, made: &mut Members<'t>) {
        let Some(Value::Array(required)) = made.get("required").map(|node| node.value.clone()) else {
            return;
        };
        let properties = part.member("properties");
        let hidden = |name: &str| {
            let property = properties.as_ref().and_then(|properties| properties.member(name));
            property.is_some_and(|property| self.is_hidden(&property))
        };
        let count = required.len();
        let kept: Vec<Node<'t>> =
            required.into_iter().filter(|name| !name.text().is_some_and(hidden)).collect();
        self.loosened |= kept.len() < count;
        if kept.is_empty() {
            made.remove("required");
        } else {
            made.put("required", array(kept));
        }
    }

    /// Alternatives with a discriminator may all fit literally, and so may alternatives with parts left out.
    /// Then one fitting alternative is enough.
    fn choose(&mut self, part: &Part<'d, 't>, made: &mut Members<'t>) {
        let is_cut = self.settings.mode == Mode::Cut;
        if is_cut {
            made.retain(|word| !TURNING.contains(&word));
        }
        if (is_cut || part.node.get("discriminator").is_some_and(Node::is_object))
            && let Some(alternatives) = made.remove("oneOf")
        {
            self.loosened = true;
            if made.get("anyOf").is_none() {
                made.put("anyOf", alternatives);
            }
        }
        if made.get("if").is_none() {
            made.retain(|word| !matches!(word, "then" | "else"));
        }
        let patterns = made.get("patternProperties").map(Node::members).unwrap_or_default();
        if !patterns.iter().all(|(pattern, _)| is_portable(pattern)) {
            // Without these patterns, the remaining rule cannot be stated.
            self.loosened = true;
            made.retain(|word| !OF_PATTERNS.contains(&word));
        }
    }

    /// True for a property of the other direction.
    fn is_hidden(&self, property: &Part<'d, 't>) -> bool {
        let word = match self.settings.direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        };
        let mut pending = vec![property.clone()];
        for _ in 0..LOOKED_INTO_MAX {
            let Some(part) = pending.pop() else { return false };
            if part.node.get(word).is_some_and(Node::is_true) {
                return true;
            }
            pending.extend(part.text("$ref").and_then(|reference| target(self.root, reference).ok()));
            pending.extend(part.member("allOf").iter().flat_map(Part::elements));
        }
        false
    }

    /// Takes bytes from the rest; false if there are not enough.
    fn spend(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.bytes_left;
        if fits {
            self.bytes_left -= bytes;
        } else {
            self.whole = false;
            if self.settings.mode != Mode::Cut {
                // The work is repeated in another mode.
                self.bytes_left = 0;
            }
        }
        fits
    }

    /// The words of a schema that is too long.
    fn cut(&self, part: &Part<'d, 't>) -> Node<'t> {
        let mut made = Members::default();
        made.put_some("type", part.node.get("type").filter(|kind| kind.text() != Some("file")).cloned());
        if self.settings.version != Version::OpenApi31 {
            made.put_some(
                "nullable",
                part.node.get("nullable").or_else(|| part.node.get("x-nullable")).cloned(),
            );
            nullable(&mut made);
        }
        made.into_node()
    }
}
