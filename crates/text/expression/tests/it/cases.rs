//! Tables of expressions with their values, by area: `cases/*.txt`.
//!
//! A line `given $name = JSON` sets a variable for the rows behind it, `given input = JSON` what `$$` sees, and a row
//! is `expression => JSON`, `expression => undefined` or `expression => !CODE`. Lines with `#` are comments.

use std::fs;
use std::path::Path;

use expression::{Bindings, Context, Expression, Value};

/// The time in all rows: 2026-11-21T09:08:07.006Z.
const NOW_MS: i64 = 1_795_252_087_006;

#[derive(Default)]
struct Given {
    variables: Vec<(String, Value)>,
    input: Value,
}

impl Bindings for Given {
    fn get(&self, name: &str) -> Option<Value> {
        self.variables.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }
}

fn shown(expression: &str, given: &Given) -> String {
    let evaluated = Expression::compile(expression).and_then(|compiled| {
        compiled.evaluate(&Context { input: given.input.clone(), now_ms: NOW_MS, ..Context::new(given) })
    });
    match evaluated {
        Ok(Value::Undefined) => "undefined".to_string(),
        Ok(value) => {
            let mut out = Vec::new();
            value.write_json(&mut out);
            String::from_utf8(out).expect("JSON is UTF-8")
        }
        Err(error) => format!("!{}", error.code()),
    }
}

fn check(table: &str, least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cases").join(table);
    let text = fs::read_to_string(&path).expect("the table is there");
    let (mut given, mut rows, mut wrong) = (Given::default(), 0, Vec::new());
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with("# ") {
            continue;
        }
        if let Some(rest) = line.strip_prefix("given ") {
            let (name, json) = rest.split_once(" = ").expect("given NAME = JSON");
            let value = Value::from_json(json.as_bytes(), 64).expect("JSON");
            match name.strip_prefix('$') {
                Some(name) => given.variables.push((name.to_string(), value)),
                None => given.input = value,
            }
            continue;
        }
        let (expression, expected) = line.rsplit_once(" => ").expect("EXPRESSION => RESULT");
        let found = shown(expression, &given);
        rows += 1;
        if found != expected {
            wrong.push(format!(
                "{table}:{}: {expression}\n  expected {expected}\n  found    {found}",
                number + 1
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows >= least, "{table} has {rows} rows, expected {least}");
}

#[test]
fn mappings() {
    check("mappings.txt", 10);
}

#[test]
fn paths() {
    check("paths.txt", 210);
}

#[test]
fn operators() {
    check("operators.txt", 250);
}

#[test]
fn functions() {
    check("functions.txt", 400);
}

#[test]
fn pictures() {
    check("pictures.txt", 150);
}

#[test]
fn numbers() {
    check("numbers.txt", 40);
}
