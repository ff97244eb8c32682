//! Rules that choose views by the values of fields: `ID = 1 || in(KIND, 'A', null) && true`.

use copybook::{FieldId, Layout};

use super::super::json::Exact;
use super::super::tree::Tree;

/// A view, and when it shows.
pub(super) struct Rule {
    pub(super) view: FieldId,
    words: Vec<String>,
}

#[derive(Debug, PartialEq)]
enum Value {
    Null,
    Text(String),
    Truth(bool),
}

impl Rule {
    /// Reads the condition of a view.
    pub(super) fn new(view: FieldId, condition: &str) -> Self {
        Rule { view, words: words(condition) }
    }

    /// True if the view shows in a record.
    ///
    /// # Errors
    /// The condition is not understood, or names no field.
    pub(super) fn holds(&self, layout: &Layout, record: &Tree) -> Result<bool, String> {
        let mut reader = Reader { words: &self.words, at: 0, layout, record };
        let holds = reader.any()?;
        if reader.at == self.words.len() { Ok(holds) } else { Err(format!("the rule {:?}", self.words)) }
    }
}

struct Reader<'r> {
    words: &'r [String],
    at: usize,
    layout: &'r Layout,
    record: &'r Tree,
}

impl Reader<'_> {
    fn any(&mut self) -> Result<bool, String> {
        let mut holds = self.all()?;
        while self.accept("||") {
            holds |= self.all()?;
        }
        Ok(holds)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut holds = self.one()?;
        while self.accept("&&") {
            holds &= self.one()?;
        }
        Ok(holds)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.accept("!") {
            return Ok(!self.one()?);
        }
        if self.accept("(") {
            let holds = self.any()?;
            return if self.accept(")") { Ok(holds) } else { Err("a bracket is not closed".to_owned()) };
        }
        if self.accept("in") {
            return self.is_in();
        }
        let left = self.value()?;
        let relation = self.words.get(self.at).map(String::as_str);
        let ordered = |order: Option<std::cmp::Ordering>, wanted: fn(std::cmp::Ordering) -> bool| {
            Ok(order.is_some_and(wanted))
        };
        match relation {
            Some(relation @ ("=" | "==" | "!=" | "<>" | "<" | ">" | "<=" | ">=")) => {
                self.at += 1;
                let right = self.value()?;
                match relation {
                    "=" | "==" => Ok(same(&left, &right)),
                    "!=" | "<>" => Ok(!same(&left, &right)),
                    "<" => ordered(order(&left, &right), std::cmp::Ordering::is_lt),
                    ">" => ordered(order(&left, &right), std::cmp::Ordering::is_gt),
                    "<=" => ordered(order(&left, &right), std::cmp::Ordering::is_le),
                    _ => ordered(order(&left, &right), std::cmp::Ordering::is_ge),
                }
            }
            _ => match left {
                Value::Truth(truth) => Ok(truth),
                other => Err(format!("{other:?} is not a condition")),
            },
        }
    }

    /// The part behind `in`: the values that a field may have, in brackets.
    fn is_in(&mut self) -> Result<bool, String> {
        if !self.accept("(") {
            return Err("expected ( after in".to_owned());
        }
        let field = self.value()?;
        let mut found = false;
        while self.accept(",") {
            found |= same(&field, &self.value()?);
        }
        if self.accept(")") { Ok(found) } else { Err("in is not closed".to_owned()) }
    }

    fn value(&mut self) -> Result<Value, String> {
        let word = self.words.get(self.at).ok_or("the rule is not complete")?;
        self.at += 1;
        Ok(match word.as_str() {
            "null" => Value::Null,
            "true" => Value::Truth(true),
            "false" => Value::Truth(false),
            text if text.starts_with(['\'', '"']) => {
                Value::Text(text.trim_matches(['\'', '"']).trim().to_owned())
            }
            text if Exact::parse(text).is_some() => Value::Text(text.to_owned()),
            name => self.field(name)?,
        })
    }

    fn field(&self, name: &str) -> Result<Value, String> {
        let folded = |name: &str| name.to_ascii_uppercase().replace('_', "-");
        let found = self.layout.iter().find(|(_, field)| folded(&field.name) == folded(name));
        let (id, _) = found.ok_or_else(|| format!("the rule names no field: {name}"))?;
        Ok(match value(self.record, id) {
            Some(Tree::Text(text)) if text.chars().any(|c| c != '\0') => Value::Text(text.trim().to_owned()),
            Some(Tree::Number(text)) => Value::Text(text.clone()),
            _ => Value::Null,
        })
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at).is_some_and(|next| next == word);
        self.at += usize::from(found);
        found
    }
}

/// A field outside of tables.
pub(super) fn value(tree: &Tree, id: FieldId) -> Option<&Tree> {
    let Tree::Members(members) = tree else { return None };
    match members.get(&id) {
        Some(found) => Some(found),
        None => members.values().find_map(|member| value(member, id)),
    }
}

/// Numbers are compared as numbers.
fn same(left: &Value, right: &Value) -> bool {
    let exact = |value: &Value| match value {
        Value::Text(text) => Exact::parse(text),
        _ => None,
    };
    left == right || (exact(left).is_some() && exact(left) == exact(right))
}

fn order(left: &Value, right: &Value) -> Option<std::cmp::Ordering> {
    let (Value::Text(left), Value::Text(right)) = (left, right) else { return None };
    match (left.parse::<f64>(), right.parse::<f64>()) {
        (Ok(left), Ok(right)) => left.partial_cmp(&right),
        _ => Some(left.cmp(right)),
    }
}

fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let pair = ["&&", "||", "==", "!=", "<>", "<=", ">="].iter().any(|pair| rest.starts_with(pair));
        let end = match first {
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |at| at + 2),
            _ if pair => 2,
            '(' | ')' | ',' | '=' | '<' | '>' | '!' => 1,
            _ => rest
                .find(|c: char| c.is_whitespace() || "(),=<>!&|'\"".contains(c))
                .unwrap_or(rest.len())
                .max(1),
        };
        let end = rest.ceil_char_boundary(end);
        found.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    found
}
