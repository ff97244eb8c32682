//! Text that counts only under a condition: `>>IF` of the standard, `$IF` of Micro Focus.
//!
//! The definitions of the text itself are known. A name without one counts as not defined, with a warning,
//! because only compiler options could define it. A comparison with such a name cannot be decided.
//! Definitions hold to the end of their text, but not in members that it copies.

use std::collections::HashMap;

/// The most words of a condition. So brackets cannot nest without end.
const MAX_CONDITION_WORDS: usize = 200;

/// The defined names, and the conditions around the present line.
#[derive(Default)]
pub(super) struct Conditions {
    defined: HashMap<String, Value>,
    open: Vec<Branch>,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(i64),
    Text(String),
    Truth(bool),
}

/// An open condition.
struct Branch {
    /// True if the lines around it count.
    outer: bool,
    /// True if the lines of this branch count.
    live: bool,
    /// True once a branch has counted.
    done: bool,
}

/// The result of a directive: the names that counted as not defined.
pub(super) type Outcome = Result<Vec<String>, String>;

impl Conditions {
    /// True if lines count here.
    pub(super) fn live(&self) -> bool {
        self.open.last().is_none_or(|branch| branch.live)
    }

    /// True if a condition has no end.
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Carries out a directive. None if the line is not a directive of this kind.
    pub(super) fn directive(&mut self, content: &str) -> Option<Outcome> {
        let numbered = content.len() > 6 && content.bytes().take(6).all(|byte| byte.is_ascii_digit());
        let content = if numbered { content[6..].trim_start() } else { content };
        let rest = content.strip_prefix(">>").or_else(|| content.strip_prefix('$'))?;
        let words = words(rest.trim_start());
        let (name, rest) = words.split_first()?;
        let name = name.to_ascii_uppercase();
        Some(match name.as_str() {
            "IF" => self.begin(rest),
            "ELIF" | "ELSE-IF" => self.next(Some(rest)),
            "ELSE" => self.next(None),
            "END-IF" | "END" => self.end(),
            "DEFINE" => self.define(rest),
            "SET" if rest.first().is_some_and(|word| word.eq_ignore_ascii_case("CONSTANT")) => {
                self.define(&rest[1..])
            }
            _ => return None,
        })
    }

    fn begin(&mut self, condition: &[&str]) -> Outcome {
        let outer = self.live();
        if !outer {
            self.open.push(Branch { outer, live: false, done: true });
            return Ok(Vec::new());
        }
        let decided = self.holds(condition);
        // If a condition cannot be decided, none of its branches counts.
        let (live, done) = decided.as_ref().map_or((false, true), |(live, _)| (*live, *live));
        self.open.push(Branch { outer, live, done });
        decided.map(|(_, unknown)| unknown)
    }

    /// The next branch. It counts if no earlier one has counted, and if its condition, if it has one, holds.
    fn next(&mut self, condition: Option<&[&str]>) -> Outcome {
        let Some(branch) = self.open.last() else { return Err("no IF is open".to_owned()) };
        let mut live = branch.outer && !branch.done;
        let mut unknown = Vec::new();
        if let Some(condition) = condition.filter(|_| live) {
            (live, unknown) = self.holds(condition)?;
        }
        if let Some(branch) = self.open.last_mut() {
            branch.live = live;
            branch.done |= live;
        }
        Ok(unknown)
    }

    fn end(&mut self) -> Outcome {
        self.open.pop().map(|_| Vec::new()).ok_or_else(|| "no IF is open".to_owned())
    }

    /// DEFINE name [AS] value, OFF or PARAMETER. PARAMETER needs the compiler's caller, who is not here.
    fn define(&mut self, words: &[&str]) -> Outcome {
        if !self.live() {
            return Ok(Vec::new());
        }
        let Some((name, rest)) = words.split_first() else { return Err("it names nothing".to_owned()) };
        let noise =
            |word: &&&str| !["AS", "IS", "=", "(", ")"].iter().any(|noise| noise.eq_ignore_ascii_case(word));
        let name = name.to_ascii_uppercase();
        match rest.iter().find(noise).map(|word| (word.to_ascii_uppercase(), value(word))) {
            Some((word, _)) if word == "OFF" || word == "PARAMETER" => drop(self.defined.remove(&name)),
            Some((_, Some(value))) => drop(self.defined.insert(name, value)),
            Some((word, None)) => return Err(format!("the value {word} is not known")),
            None => drop(self.defined.insert(name, Value::Truth(true))),
        }
        Ok(Vec::new())
    }

    fn holds(&self, condition: &[&str]) -> Result<(bool, Vec<String>), String> {
        if condition.len() > MAX_CONDITION_WORDS {
            return Err(format!("the condition has more than {MAX_CONDITION_WORDS} words"));
        }
        let mut reader = Reader { words: condition, at: 0, defined: &self.defined, unknown: Vec::new() };
        let holds = reader.any()?;
        match reader.peek() {
            None => Ok((holds, reader.unknown)),
            Some(word) => Err(format!("{word} is not expected in the condition")),
        }
    }
}

/// Reads a condition.
struct Reader<'c> {
    words: &'c [&'c str],
    at: usize,
    defined: &'c HashMap<String, Value>,
    unknown: Vec<String>,
}

impl<'c> Reader<'c> {
    fn any(&mut self) -> Result<bool, String> {
        let mut holds = self.all()?;
        while self.accept(&["OR"]) {
            holds |= self.all()?;
        }
        Ok(holds)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut holds = self.one()?;
        while self.accept(&["AND"]) {
            holds &= self.one()?;
        }
        Ok(holds)
    }

    fn one(&mut self) -> Result<bool, String> {
        if self.accept(&["NOT"]) {
            return Ok(!self.one()?);
        }
        if self.accept(&["("]) {
            let holds = self.any()?;
            return if self.accept(&[")"]) { Ok(holds) } else { Err("a bracket is not closed".to_owned()) };
        }
        let Some(word) = self.next() else { return Err("the condition is not complete".to_owned()) };
        self.accept(&["IS"]);
        let negated = self.accept(&["NOT"]);
        if self.accept(&["DEFINED", "SET"]) {
            let name = word.to_ascii_uppercase();
            let defined = self.defined.contains_key(&name);
            if !defined {
                self.unknown.push(name);
            }
            return Ok(defined != negated);
        }
        let Some(relation) = self.relation() else {
            return match self.value(word)? {
                Value::Truth(truth) if !negated => Ok(truth),
                _ => Err(format!("{word} is not a condition")),
            };
        };
        let Some(other) = self.next() else { return Err("the condition is not complete".to_owned()) };
        let (left, right) = (self.value(word)?, self.value(other)?);
        let order = match (&left, &right) {
            (Value::Number(left), Value::Number(right)) => left.cmp(right),
            (Value::Text(left), Value::Text(right)) => left.cmp(right),
            (Value::Truth(left), Value::Truth(right)) => left.cmp(right),
            _ => return Err(format!("{word} and {other} cannot be compared")),
        };
        Ok(relation(order) != negated)
    }

    fn relation(&mut self) -> Option<fn(std::cmp::Ordering) -> bool> {
        let relation: fn(std::cmp::Ordering) -> bool = match self.peek()?.to_ascii_uppercase().as_str() {
            "=" | "EQUAL" => |order| order.is_eq(),
            "<>" => |order| order.is_ne(),
            "<" | "LESS" => |order| order.is_lt(),
            "<=" => |order| order.is_le(),
            ">" | "GREATER" => |order| order.is_gt(),
            ">=" => |order| order.is_ge(),
            _ => return None,
        };
        self.at += 1;
        self.accept(&["TO", "THAN"]);
        Some(relation)
    }

    /// The value of a literal or of a name.
    fn value(&self, word: &str) -> Result<Value, String> {
        let known = value(word).or_else(|| self.defined.get(&word.to_ascii_uppercase()).cloned());
        known.ok_or_else(|| format!("the value of {word} is for compiler options to say"))
    }

    fn peek(&self) -> Option<&'c str> {
        self.words.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'c str> {
        let word = self.peek()?;
        self.at += 1;
        Some(word)
    }

    fn accept(&mut self, words: &[&str]) -> bool {
        let found = self.peek().is_some_and(|next| words.iter().any(|word| word.eq_ignore_ascii_case(next)));
        self.at += usize::from(found);
        found
    }
}

/// A literal.
fn value(word: &str) -> Option<Value> {
    let text = ['\'', '"'].iter().find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote));
    match text {
        Some(text) => Some(Value::Text(text.to_owned())),
        None => word.parse().ok().map(Value::Number),
    }
}

/// Splits a directive into words, literals and signs. A period at the end is ignored.
fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim().trim_end_matches('.').trim_end();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |at| at + 2),
            '<' | '>' if rest[1..].starts_with(['=', '>']) => 2,
            '(' | ')' | '=' | '<' | '>' => 1,
            _ => rest.find(|c: char| c.is_whitespace() || "()=<>\"'".contains(c)).unwrap_or(rest.len()),
        };
        found.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    found
}
