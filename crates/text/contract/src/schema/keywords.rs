//! Turns one schema's keywords into its rules. A keyword that cannot be checked is a warning, and a senseless
//! one is an error.

use document::{Node, Part, Value as Json};
use expression::{Number, Value};

use super::compile::{Compiler, value_of};
use super::{
    Alternatives, ArrayRules, Bound, BoundKind, Condition, Counts, Discriminator, Format, NumberRules,
    ObjectRules, Pattern, Property, Schema, SchemaId, TextRules, Types, format,
};
use crate::contract::Version;
use crate::problem::Report;

/// Keywords that are rules, but are not checked here.
const UNCHECKED: [&str; 7] = [
    "unevaluatedProperties",
    "unevaluatedItems",
    "$dynamicRef",
    "$recursiveRef",
    "$id",
    "contentSchema",
    "dependencies",
];

/// Keywords that are not rules, or that other code reads.
const KNOWN: [&str; 67] = [
    "$ref",
    "$schema",
    "$comment",
    "$defs",
    "$anchor",
    "$dynamicAnchor",
    "$vocabulary",
    "definitions",
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "externalDocs",
    "xml",
    "discriminator",
    "readOnly",
    "writeOnly",
    "nullable",
    "type",
    "enum",
    "const",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "contentEncoding",
    "contentMediaType",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    // Keywords of a Swagger parameter or header, which is a schema too.
    "name",
    "in",
    "collectionFormat",
    "allowEmptyValue",
    "schema",
    "explode",
    "style",
    "content",
    "allowReserved",
];

/// The keywords of one schema.
pub(super) struct Keywords<'a, 'd, 't, 'r> {
    pub(super) compiler: &'a mut Compiler<'d, 't>,
    pub(super) part: &'a Part<'d, 't>,
    pub(super) report: &'a mut Report<'r>,
}

impl<'d, 't> Keywords<'_, 'd, 't, '_> {
    pub(super) fn schema(mut self) -> Schema {
        self.check_names();
        let types = self.types();
        let mut schema = Schema {
            types,
            values: self.values(),
            number: self.number(types),
            text: self.text(),
            array: self.array(),
            object: self.object(),
            all: self.list("allOf"),
            alternatives: self.alternatives(),
            not: self.inner("not"),
            condition: self.condition(),
            default: self.part.node.get("default").map(value_of),
            read_only: self.is_true("readOnly"),
            write_only: self.is_true("writeOnly"),
        };
        if self.part.node.get("$ref").is_some() {
            schema.all.push(self.reference());
        }
        schema
    }

    /// The schema of a reference beside other keywords.
    fn reference(&mut self) -> SchemaId {
        let target = self
            .part
            .node
            .get("$ref")
            .and_then(Node::text)
            .map(|text| document::target(self.compiler.root, text).map_err(|reason| reason.0));
        match target {
            Some(Ok(target)) => self.compiler.id(&target, self.report),
            Some(Err(reason)) => {
                self.report.error(self.part, reason);
                SchemaId::ANYTHING
            }
            None => {
                self.report.error(self.part, "expected the text of a $ref");
                SchemaId::ANYTHING
            }
        }
    }

    fn check_names(&mut self) {
        for (name, part) in self.part.members() {
            if UNCHECKED.contains(&name) {
                self.report.warning(&part, format!("'{name}' is not checked"));
            } else if !KNOWN.contains(&name) && !name.starts_with("x-") {
                self.report.warning(&part, format!("'{name}' is not a keyword of schemas and has no effect"));
            }
        }
    }

    fn types(&mut self) -> Types {
        let mut types = match self.part.member("type") {
            None => return self.untyped(),
            Some(part) => match &part.node.value {
                Json::Text(word) => self.type_of(&part, word),
                Json::Array(_) => part.elements().fold(Types::NONE, |types, part| match part.node.text() {
                    Some(word) => types.or(self.type_of(&part, word)),
                    None => types.or(self.type_of(&part, &part.node.describe())),
                }),
                _ => self.type_of(&part, &part.node.describe()),
            },
        };
        if self.is_true("nullable") || self.is_true("x-nullable") {
            if self.compiler.version == Version::OpenApi31 {
                self.report
                    .warning(self.part, "'nullable' has no effect in OpenAPI 3.1; add \"null\" to the types");
            } else {
                types = types.or(Types::NULL);
            }
        }
        types
    }

    fn untyped(&mut self) -> Types {
        if self.is_true("nullable") && self.compiler.version == Version::OpenApi30 {
            self.report.warning(self.part, "'nullable' says nothing without a type beside it");
        }
        Types::ALL
    }

    fn type_of(&mut self, part: &Part<'d, 't>, word: &str) -> Types {
        if word == "file" && self.compiler.version == Version::Swagger20 {
            return Types::ALL;
        }
        match Types::of_word(word) {
            Some(types) => types,
            None => {
                self.report.error(part, format!("expected the name of a type, found {word}"));
                Types::ALL
            }
        }
    }

    fn values(&mut self) -> Vec<Box<[Value]>> {
        let mut lists: Vec<Box<[Value]>> = Vec::new();
        if let Some(constant) = self.part.node.get("const") {
            lists.push(Box::new([value_of(constant)]));
        }
        if let Some(part) = self.part.member("enum") {
            let values: Box<[Value]> = part.node.elements().iter().map(value_of).collect();
            if values.is_empty() {
                let found = part.node.describe();
                self.report.error(&part, format!("expected the values of 'enum', found {found}"));
            }
            lists.push(values);
        }
        lists
    }

    fn number(&mut self, types: Types) -> Option<Box<NumberRules>> {
        let mut rules = NumberRules::default();
        let pairs = [
            ("minimum", "exclusiveMinimum", BoundKind::AtLeast, BoundKind::Above),
            ("maximum", "exclusiveMaximum", BoundKind::AtMost, BoundKind::Below),
        ];
        for (name, exclusive, kind, exclusive_kind) in pairs {
            let mut kind = kind;
            match self.part.member(exclusive) {
                Some(part) if part.node.is_true() => kind = exclusive_kind,
                Some(part) if matches!(part.node.value, Json::Bool(_)) => {}
                Some(_) => {
                    let limit = self.number_of(exclusive);
                    rules.bounds.extend(limit.map(|limit| Bound { kind: exclusive_kind, limit }));
                }
                None => {}
            }
            rules.bounds.extend(self.number_of(name).map(|limit| Bound { kind, limit }));
        }
        rules.multiple_of = self.number_of("multipleOf");
        if rules
            .multiple_of
            .as_ref()
            .is_some_and(|number| number.as_decimal().is_none_or(|(units, _)| units <= 0))
        {
            self.report.error(self.part, "expected 'multipleOf' to be above zero, with up to 38 digits");
            rules.multiple_of = None;
        }
        if types.meets(Types::NUMBER)
            && let Some((least, most)) = self.part.text("format").and_then(format::integer_limits)
        {
            rules.bounds.push(Bound { kind: BoundKind::AtLeast, limit: least.into() });
            rules.bounds.push(Bound { kind: BoundKind::AtMost, limit: most.into() });
        }
        (!rules.bounds.is_empty() || rules.multiple_of.is_some()).then(|| Box::new(rules))
    }

    fn text(&mut self) -> Option<Box<TextRules>> {
        let rules = TextRules {
            characters: self.counts("minLength", "maxLength"),
            pattern: self.part.member("pattern").and_then(|part| self.pattern(&part)),
            format: self.part.text("format").and_then(Format::of_word),
        };
        let any = rules.characters.is_any() && rules.pattern.is_none() && rules.format.is_none();
        (!any).then(|| Box::new(rules))
    }

    /// A pattern. If it cannot be checked, there is a warning, and every text fits it.
    fn pattern(&mut self, part: &Part<'d, 't>) -> Option<Pattern> {
        let Some(text) = part.node.text() else {
            let found = part.node.describe();
            self.report.error(part, format!("expected a regular expression, found {found}"));
            return None;
        };
        self.pattern_of(part, text)
    }

    fn pattern_of(&mut self, part: &Part<'d, 't>, text: &str) -> Option<Pattern> {
        match Pattern::compile(text, &self.compiler.limits) {
            Ok(pattern) => Some(pattern),
            Err(reason) => {
                self.report.warning(part, format!("the pattern '{text}' is not checked: {reason}"));
                None
            }
        }
    }

    fn array(&mut self) -> Option<Box<ArrayRules>> {
        let mut rules = ArrayRules {
            items: self.counts("minItems", "maxItems"),
            first: self.list("prefixItems"),
            rest: None,
            unique: self.is_true("uniqueItems"),
            contains: None,
        };
        rules.rest = self.inner("items");
        if let Some(contains) = self.inner("contains") {
            let Counts { least, most } = self.counts("minContains", "maxContains");
            rules.contains = Some((contains, Counts { least: least.or(Some(1)), most }));
        }
        let any = rules.items.is_any()
            && rules.first.is_empty()
            && rules.rest.is_none()
            && !rules.unique
            && rules.contains.is_none();
        (!any).then(|| Box::new(rules))
    }

    fn object(&mut self) -> Option<Box<ObjectRules>> {
        let mut rules =
            ObjectRules { members: self.counts("minProperties", "maxProperties"), ..Default::default() };
        for (name, part) in self.members("properties") {
            let schema = self.compiler.id(&part, self.report);
            let property =
                Property { name: name.into(), schema, read_only: false, write_only: false, default: None };
            rules.properties.push(property);
        }
        rules.properties.sort_by(|one, other| one.name.cmp(&other.name));
        // In Swagger's parameters, a boolean of this name says that the parameter itself is required.
        let own = self.part.node.get("required").is_some_and(|node| matches!(node.value, Json::Bool(_)));
        if !(own && self.compiler.version == Version::Swagger20) {
            rules.required = self.names(self.part.member("required").as_ref());
        }
        for (name, part) in self.members("patternProperties") {
            let schema = self.compiler.id(&part, self.report);
            rules.patterns.extend(self.pattern_of(&part, name).map(|pattern| (pattern, schema)));
        }
        rules.others = self.inner("additionalProperties");
        rules.names = self.inner("propertyNames");
        for (name, part) in self.members("dependentRequired") {
            let names = self.names(Some(&part));
            rules.dependent_names.push((name.into(), names));
        }
        for (name, part) in self.members("dependentSchemas") {
            let schema = self.compiler.id(&part, self.report);
            rules.dependent_schemas.push((name.into(), schema));
        }
        let any = rules.members.is_any()
            && rules.properties.is_empty()
            && rules.required.is_empty()
            && rules.patterns.is_empty()
            && rules.others.is_none()
            && rules.names.is_none()
            && rules.dependent_names.is_empty()
            && rules.dependent_schemas.is_empty();
        (!any).then(|| Box::new(rules))
    }

    fn alternatives(&mut self) -> Vec<Alternatives> {
        let mut all = Vec::new();
        for (name, exactly_one) in [("anyOf", false), ("oneOf", true)] {
            let schemas = self.list(name);
            if schemas.is_empty() {
                continue;
            }
            let discriminator = self.discriminator(name);
            all.push(Alternatives { schemas, exactly_one, discriminator });
        }
        all
    }

    /// The discriminator of a list of references.
    fn discriminator(&mut self, list: &str) -> Option<Discriminator> {
        let part = self.part.member("discriminator").filter(|part| part.node.is_object())?;
        let Some(property) = part.text("propertyName") else {
            self.report.error(&part, "expected the member 'propertyName', found none");
            return None;
        };
        let mut schemas = Vec::new();
        for (value, reference) in part.member("mapping").iter().flat_map(Part::members) {
            let text = reference.node.text().unwrap_or_default();
            let text =
                if text.starts_with('#') { text.to_owned() } else { format!("#/components/schemas/{text}") };
            match document::target(self.compiler.root, &text) {
                Ok(target) => schemas.push((value.into(), self.compiler.id(&target, self.report))),
                Err(reason) => self.report.error(&reference, reason.0),
            }
        }
        // Without a mapping of its own, a schema is known by its name.
        for part in self.part.member(list).iter().flat_map(Part::elements) {
            let reference = part.text("$ref").unwrap_or_default();
            let Some(name) = reference.strip_prefix("#/components/schemas/") else { continue };
            let id = self.compiler.id(&part, self.report);
            if !schemas.iter().any(|(known, _): &(Box<str>, SchemaId)| **known == *name) {
                schemas.push((name.into(), id));
            }
        }
        (!schemas.is_empty()).then(|| Discriminator { property: property.into(), schemas })
    }

    fn condition(&mut self) -> Option<Condition> {
        let test = self.inner("if")?;
        Some(Condition { test, then: self.inner("then"), otherwise: self.inner("else") })
    }

    /// The schema in a member.
    fn inner(&mut self, name: &str) -> Option<SchemaId> {
        let part = self.part.member(name)?;
        Some(self.compiler.id(&part, self.report))
    }

    /// The schemas in a member that is a list.
    fn list(&mut self, name: &str) -> Vec<SchemaId> {
        let Some(part) = self.part.member(name) else { return Vec::new() };
        if part.node.elements().is_empty() {
            let found = part.node.describe();
            self.report.error(&part, format!("expected schemas in '{name}', found {found}"));
        }
        part.elements().map(|part| self.compiler.id(&part, self.report)).collect()
    }

    /// The members of a member that is an object.
    fn members(&mut self, name: &str) -> Vec<(&'d str, Part<'d, 't>)> {
        let Some(part) = self.part.member(name) else { return Vec::new() };
        if !part.node.is_object() {
            let found = part.node.describe();
            self.report.error(&part, format!("expected an object, found {found}"));
        }
        part.members().collect()
    }

    fn names(&mut self, part: Option<&Part<'d, 't>>) -> Vec<Box<str>> {
        let Some(part) = part else { return Vec::new() };
        let names: Vec<Box<str>> =
            part.node.elements().iter().filter_map(|name| name.text().map(Into::into)).collect();
        if !matches!(part.node.value, Json::Array(_)) || names.len() != part.node.elements().len() {
            let found = part.node.describe();
            self.report.error(part, format!("expected an array of names, found {found}"));
        }
        names
    }

    fn counts(&mut self, least: &str, most: &str) -> Counts {
        Counts { least: self.count(least), most: self.count(most) }
    }

    fn count(&mut self, name: &str) -> Option<usize> {
        let number = self.number_of(name)?;
        match number.as_i64().and_then(|count| usize::try_from(count).ok()) {
            Some(count) => Some(count),
            None => {
                self.report.error(self.part, format!("expected a count in '{name}', found {number}"));
                None
            }
        }
    }

    fn number_of(&mut self, name: &str) -> Option<Number> {
        let part = self.part.member(name)?;
        let number = match part.node.value {
            Json::Number(text) => Number::parse(text),
            _ => None,
        };
        if number.is_none() {
            let found = part.node.describe();
            self.report.error(&part, format!("expected a number in '{name}', found {found}"));
        }
        number
    }

    fn is_true(&self, name: &str) -> bool {
        self.part.node.get(name).is_some_and(Node::is_true)
    }
}
