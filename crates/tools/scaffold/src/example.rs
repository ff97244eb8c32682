//! Values that fit a JSON schema, if the schema says enough. Callers let the contract judge the
//! values.

use contract::Definition;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Map, Number, Value};

/// The depth of an example in schemas that contain themselves.
const DEPTH_MAX: usize = 12;
/// The most elements of an array, or characters of a text, if the schema asks for a minimum.
const FILL_MAX: usize = 1_000;
/// The characters of a text without limits.
const TEXT_MAX: usize = 8;

/// Makes examples of one schema.
pub(crate) struct Examples<'s> {
    schema: Option<Value>,
    /// False if what authors wrote as examples and defaults does not count.
    heeds_authors: bool,
    definitions: &'s [Definition],
}

/// The extent of an object in an example.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All members.
    Whole,
    /// Only the required members.
    Least,
}

impl<'s> Examples<'s> {
    /// Makes examples of a schema. `schema` is JSON text.
    pub(crate) fn new(schema: &str, definitions: &'s [Definition]) -> Self {
        Self { schema: serde_json::from_str(schema).ok(), heeds_authors: true, definitions }
    }

    /// Examples, the best first: whole, without what authors wrote, and the least. Some may not fit the schema.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = Value> {
        [Self::whole, Self::plain, Self::least].into_iter().filter_map(|make| make(self))
    }

    /// An example with all members, in which no value is an author's example or default. Authors
    /// write examples that do not fit their schemas.
    fn plain(&self) -> Option<Value> {
        let Self { schema, definitions, .. } = self;
        Self { schema: schema.clone(), heeds_authors: false, definitions }.whole()
    }

    /// An example with all members of objects; none if the schema does not say enough.
    pub(crate) fn whole(&self) -> Option<Value> {
        self.value(self.schema.as_ref()?, "", (Extent::Whole, 0))
    }

    /// An example with only the required members.
    pub(crate) fn least(&self) -> Option<Value> {
        self.value(self.schema.as_ref()?, "", (Extent::Least, 0))
    }

    /// An example of a parameter with this name.
    pub(crate) fn named(&self, name: &str) -> Option<Value> {
        self.value(self.schema.as_ref()?, name, (Extent::Least, 0))
    }

    fn value<'v>(&self, schema: &'v Value, name: &str, (extent, depth): (Extent, usize)) -> Option<Value> {
        if depth > DEPTH_MAX {
            return None;
        }
        let below = (extent, depth + 1);
        let Value::Object(words) = schema else {
            return (schema != &Value::Bool(false)).then(|| Value::Object(Map::new()));
        };
        let first = |word: &str| words.get(word)?.as_array()?.first();
        let of_author = |found: Option<&'v Value>| found.filter(|_| self.heeds_authors);
        let given = of_author(words.get("example")).or_else(|| words.get("const"));
        let given = given.or_else(|| of_author(words.get("default").or_else(|| first("examples"))));
        if let Some(found) = given.or_else(|| first("enum")) {
            return Some(found.clone());
        }
        if let Some(reference) = words.get("$ref").and_then(Value::as_str) {
            return self.value(&self.definition(reference)?, name, below);
        }
        if let Some(one) = first("oneOf").or_else(|| first("anyOf")) {
            return self.value(one, name, below);
        }
        if let Some(Value::Array(parts)) = words.get("allOf") {
            return self.all_of(parts, words, (name, below));
        }
        let kind = match words.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(Value::Array(kinds)) => {
                kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null")?
            }
            _ if words.contains_key("items") => "array",
            _ => "object",
        };
        match kind {
            "object" => self.object(words, below),
            "array" => {
                let least = count(words, "minItems").unwrap_or(0).max(1);
                if count(words, "maxItems") == Some(0) {
                    return Some(Value::Array(Vec::new()));
                }
                let element = self.value(words.get("items").unwrap_or(&Value::Bool(true)), name, below);
                match element {
                    Some(element) if least <= FILL_MAX => Some(Value::Array(vec![element; least])),
                    None if count(words, "minItems").unwrap_or(0) == 0 => Some(Value::Array(Vec::new())),
                    _ => None,
                }
            }
            "string" => text(words, name).map(Value::from),
            "integer" | "number" => number(words),
            "boolean" => Some(Value::Bool(true)),
            "null" => Some(Value::Null),
            _ => None,
        }
    }

    fn definition(&self, reference: &str) -> Option<Value> {
        let wanted = reference.strip_prefix("#/$defs/")?;
        let found = self.definitions.iter().find(|definition| definition.name == wanted)?;
        serde_json::from_str(&found.schema).ok()
    }

    fn object(&self, words: &Map<String, Value>, below: (Extent, usize)) -> Option<Value> {
        let required: Vec<&str> = match words.get("required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let mut members = Map::new();
        let properties = words.get("properties").and_then(Value::as_object);
        let (least, most) = (count(words, "minProperties").unwrap_or(0), count(words, "maxProperties"));
        for (name, schema) in properties.into_iter().flatten() {
            let is_required = required.contains(&name.as_str());
            let room = most.is_none_or(|most| members.len() < most);
            let is_wanted = below.0 == Extent::Whole || members.len() < least;
            let is_there = is_required || (is_wanted && room);
            if !is_there {
                continue;
            }
            match self.value(schema, name, below) {
                Some(value) => {
                    members.insert(name.clone(), value);
                }
                None if is_required => return None,
                None => {}
            }
        }
        Some(Value::Object(members))
    }

    /// The members of all parts.
    fn all_of(
        &self,
        parts: &[Value],
        words: &Map<String, Value>,
        (name, below): (&str, (Extent, usize)),
    ) -> Option<Value> {
        let mut members = Map::new();
        for part in parts {
            match self.value(part, name, below)? {
                Value::Object(more) => members.extend(more),
                other if parts.len() == 1 => return Some(other),
                _ => return self.value(&self.together(parts, words), name, below),
            }
        }
        if let Value::Object(more) = self.object(words, below)? {
            members.extend(more);
        }
        Some(Value::Object(members))
    }

    /// One schema with the words of all parts, for values that are no objects.
    fn together(&self, parts: &[Value], words: &Map<String, Value>) -> Value {
        let mut all = words.clone();
        all.remove("allOf");
        for part in parts {
            let definition =
                part.get("$ref").and_then(Value::as_str).and_then(|reference| self.definition(reference));
            if let Value::Object(more) = definition.as_ref().unwrap_or(part) {
                all.extend(more.clone());
            }
        }
        Value::Object(all)
    }
}

fn count(words: &Map<String, Value>, word: &str) -> Option<usize> {
    words.get(word)?.as_u64().and_then(|count| usize::try_from(count).ok())
}

/// A text in the given format, or one made from the member's name.
fn text(words: &Map<String, Value>, name: &str) -> Option<String> {
    let known = match words.get("format").and_then(Value::as_str) {
        Some("date") => Some("2026-01-31"),
        Some("date-time") => Some("2026-01-31T12:00:00Z"),
        Some("time") => Some("12:00:00Z"),
        Some("uuid") => Some("123e4567-e89b-12d3-a456-426614174000"),
        Some("email") => Some("name@example.com"),
        Some("uri" | "url" | "uri-reference") => Some("https://example.com/"),
        Some("hostname") => Some("example.com"),
        Some("ipv4") => Some("192.0.2.1"),
        Some("ipv6") => Some("2001:db8::1"),
        Some("byte") => Some("AAAA"),
        _ => None,
    };
    let octets = match words.get("contentEncoding").and_then(Value::as_str) {
        Some("base64") => Some("AAAA"),
        Some("base16") => Some("00"),
        _ => None,
    };
    if let Some(known) = known.or(octets) {
        return Some(known.to_owned());
    }
    let (least, most) =
        (count(words, "minLength").unwrap_or(0), count(words, "maxLength").unwrap_or(TEXT_MAX));
    if let Some(pattern) = words.get("pattern").and_then(Value::as_str) {
        let pattern = regex_syntax::parse(&without_looks(pattern)).ok()?;
        let made = |more: u32| {
            let mut made = String::new();
            fit(&pattern, more, &mut made).map(|()| made)
        };
        let is_long_enough = |made: &String| made.chars().count() >= least;
        return (0..=u32::try_from(least.min(FILL_MAX)).unwrap_or(0))
            .map_while(made)
            .find(is_long_enough)
            .or_else(|| made(0));
    }
    let named: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase();
    let mut made: String = if named.is_empty() { "TEXT".to_owned() } else { named };
    made.truncate(most.min(TEXT_MAX.max(least)));
    if least > FILL_MAX {
        return None;
    }
    while made.len() < least {
        made.push('X');
    }
    Some(made)
}

/// A pattern without its groups that look ahead or behind, which no text is made for.
fn without_looks(pattern: &str) -> String {
    const LOOKS: [&str; 4] = ["(?=", "(?!", "(?<=", "(?<!"];
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    // The open groups of a group that looks, and of no other.
    let mut open = 0_usize;
    let mut in_class = false;
    while let Some(first) = rest.chars().next() {
        let mut bytes = first.len_utf8();
        let was_open = open;
        match first {
            '\\' => bytes += rest[bytes..].chars().next().map_or(0, char::len_utf8),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class && (open > 0 || LOOKS.iter().any(|look| rest.starts_with(look))) => open += 1,
            ')' if !in_class => open = open.saturating_sub(1),
            _ => {}
        }
        if was_open == 0 && open == 0 {
            out.push_str(&rest[..bytes]);
        }
        rest = &rest[bytes..];
    }
    out
}

/// Adds a text that fits a pattern, in which parts occur once or as often as they must, and `more` times if they may. None if no text fits,
/// or if it would be too long.
fn fit(pattern: &Hir, more: u32, made: &mut String) -> Option<()> {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => made.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(Class::Unicode(class)) => {
            let has = |c: &char| class.iter().any(|range| (range.start()..=range.end()).contains(c));
            let first = || class.iter().next().map(|range| range.start());
            made.push(('A'..='Z').chain('1'..='9').chain('a'..='z').find(has).or_else(first)?);
        }
        HirKind::Class(Class::Bytes(class)) => made.push(char::from(class.iter().next()?.start())),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            for _ in 0..repetition.min.max(1).saturating_add(more).min(most) {
                fit(&repetition.sub, more, made)?;
                if made.len() > FILL_MAX {
                    return None;
                }
            }
        }
        HirKind::Capture(capture) => fit(&capture.sub, more, made)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| fit(part, more, made))?,
        HirKind::Alternation(parts) => fit(parts.first()?, more, made)?,
    }
    Some(())
}

/// 1, or the nearest value within the limits and multiples.
fn number(words: &Map<String, Value>) -> Option<Value> {
    let limit = |word: &str| words.get(word).and_then(Value::as_f64);
    let step = limit("multipleOf").filter(|step| *step > 0.0);
    let unit = step.unwrap_or(1.0);
    let mut found = 1.0_f64;
    if let Some(step) = step {
        found = (found / step).ceil() * step;
    }
    if let Some(least) = limit("minimum").filter(|least| found < *least) {
        found = step.map_or(least, |step| (least / step).ceil() * step);
    }
    if let Some(least) = limit("exclusiveMinimum").filter(|least| found <= *least) {
        found = least + unit;
    }
    if let Some(most) = limit("maximum").filter(|most| found > *most) {
        found = step.map_or(most, |step| (most / step).floor() * step);
    }
    if let Some(most) = limit("exclusiveMaximum").filter(|most| found >= *most) {
        found = most - unit;
    }
    let is_whole = found.fract() == 0.0 && found.abs() < 9e15;
    if is_whole {
        serde_json::from_str(&format!("{found:.0}")).ok()
    } else {
        Number::from_f64(found).map(Value::Number)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn whole(schema: &Value) -> Option<Value> {
        Examples::new(&schema.to_string(), &[]).whole()
    }

    #[test]
    fn limits_and_words_of_a_schema_are_kept() {
        assert_eq!(whole(&json!({"type": "integer", "minimum": 10, "multipleOf": 4})), Some(json!(12)));
        assert_eq!(whole(&json!({"type": "integer", "exclusiveMaximum": 1})), Some(json!(0)));
        assert_eq!(whole(&json!({"type": "number", "multipleOf": 0.25})), Some(json!(1)));
        assert_eq!(whole(&json!({"type": "string", "minLength": 6, "maxLength": 6})), Some(json!("TEXTXX")));
        assert_eq!(whole(&json!({"type": ["null", "string"], "enum": ["A", "B"]})), Some(json!("A")));
        assert_eq!(
            whole(&json!({"type": "array", "minItems": 2, "items": {"const": 1}})),
            Some(json!([1, 1]))
        );
        assert_eq!(whole(&json!({"type": "array", "maxItems": 0})), Some(json!([])));
        let parts = json!({"allOf": [
            {"type": "object", "properties": {"a": {"type": "boolean"}}},
            {"type": "object", "properties": {"b": {"example": "bee"}}}]});
        assert_eq!(whole(&parts), Some(json!({"a": true, "b": "bee"})));
        let named = json!({"allOf": [{"type": "string"}, {"maxLength": 2}, {}]});
        assert_eq!(whole(&named), Some(json!("TE")));
        let definitions = [Definition {
            name: "Kind".to_owned(),
            schema: r#"{"type": "integer", "minimum": 3}"#.to_owned(),
        }];
        let referred = json!({"allOf": [{"$ref": "#/$defs/Kind"}, {"multipleOf": 2}]}).to_string();
        assert_eq!(Examples::new(&referred, &definitions).whole(), Some(json!(4)));
    }

    #[test]
    fn texts_fit_their_patterns() {
        let made = |pattern: &str| whole(&json!({"type": "string", "pattern": pattern}));
        assert_eq!(made("^[0-9]{4}$"), Some(json!("1111")));
        assert_eq!(made("^(DE|FR)-\\d+(/[a-f]{2})?$"), Some(json!("DE-1/aa")));
        assert_eq!(made("^[^A-Za-z0-9]$").and_then(|value| Some(value.as_str()?.chars().count())), Some(1));
        assert_eq!(made("^(?!\\s)(.*)(\\S)$"), Some(json!("AA")));
        assert_eq!(made("^(?!a(b[)]|\\))|c)x(?<!y)z"), Some(json!("xz")));
        assert_eq!(made("(a{1000}){1000}"), None);
        let long = |pattern: &str| whole(&json!({"type": "string", "pattern": pattern, "minLength": 7}));
        assert_eq!(long("^[0-9a-zA-Z_-]+$"), Some(json!("AAAAAAA")));
        assert_eq!(long("^x-[0-9]{2,9}$"), Some(json!("x-11111")));
        assert_eq!(long("^[0-9]{2}$"), Some(json!("11")), "no text is long enough");
        assert_eq!(made("("), None);
    }

    #[test]
    fn only_what_must_be_there() {
        let schema = json!({"type": "object", "required": ["id"], "properties": {
            "id": {"type": "string", "maxLength": 1}, "more": {"type": "string"}}});
        let definitions = [];
        let examples = Examples::new(&schema.to_string(), &definitions);
        assert_eq!(examples.least(), Some(json!({"id": "I"})));
        assert_eq!(examples.whole(), Some(json!({"id": "I", "more": "MORE"})));
    }

    #[test]
    fn an_object_has_no_more_and_no_fewer_members_than_it_may() {
        let choice = json!({"type": "object", "minProperties": 1, "maxProperties": 1, "properties": {
            "card": {"type": "string", "contentEncoding": "base64"}, "cash": {"type": "boolean"}}});
        let definitions = [];
        let examples = Examples::new(&choice.to_string(), &definitions);
        assert_eq!(examples.whole(), Some(json!({"card": "AAAA"})));
        assert_eq!(examples.least(), examples.whole());
    }

    #[test]
    fn what_contains_itself_ends() {
        let definitions = [Definition {
            name: "Node".to_owned(),
            schema: json!({"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/$defs/Node"}}})
                .to_string(),
        }];
        assert_eq!(Examples::new(r##"{"$ref":"#/$defs/Node"}"##, &definitions).whole(), None);
        let many = json!({"type": "object", "properties": {"next": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}});
        assert_eq!(Examples::new(&many.to_string(), &definitions).whole(), Some(json!({"next": []})));
    }

    #[test]
    fn plain_examples_have_nothing_of_authors() {
        let schema = json!({"type": "object", "properties": {
            "zip": {"type": "string", "maxLength": 7, "example": 10504},
            "kind": {"type": "string", "enum": ["A", "B"], "default": "C"},
            "fixed": {"const": 7, "example": 8}, "more": {"type": "integer", "examples": ["x"]}}});
        let examples = Examples::new(&schema.to_string(), &[]);
        assert_eq!(examples.whole(), Some(json!({"zip": 10504, "kind": "C", "fixed": 8, "more": "x"})));
        assert_eq!(examples.plain(), Some(json!({"zip": "ZIP", "kind": "A", "fixed": 7, "more": 1})));
    }
}
