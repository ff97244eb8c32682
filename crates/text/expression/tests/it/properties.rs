//! Properties: no text panics, JSON is exact both ways, folding changes nothing.

use expression::{Context, Expression, Limits, Number, Template, Value};
use proptest::prelude::*;

const LIMITS: Limits = Limits {
    text_max_bytes: 4_096,
    nesting_max: 50,
    regex_max_bytes: 100_000,
    steps_max: 20_000,
    depth_max: 200,
    value_depth_max: 64,
    built_max_bytes: 100_000,
    elements_max: 20_000,
};

fn evaluated(text: &str, input: Value) -> Result<Value, expression::Error> {
    Expression::compile_within(text, &LIMITS)?.evaluate(&Context { input, ..Context::new(&()) })
}

fn written(value: &Value) -> String {
    let mut out = Vec::new();
    value.write_json(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// Text that often is an expression.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        "b",
        "$",
        "$$",
        "$x",
        "1",
        "2.5",
        "-",
        "+",
        "*",
        "**",
        "/",
        "%",
        "&",
        "=",
        "!=",
        "<",
        ">",
        "<=",
        "in",
        "and",
        "or",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ";",
        ":",
        "?",
        ".",
        "..",
        ":=",
        "~>",
        "^",
        "|",
        "'s'",
        "\"t\"",
        "`q r`",
        "null",
        "true",
        "function($x){",
        "$map",
        "$string",
        "$sum",
        "$count",
        "$match",
        "/a+/i",
        "$reduce",
        "$sort",
        "$pad",
        "$formatNumber",
        "$fromMillis",
        "$toMillis",
        "'[Y]-[M]'",
        "'#,##0.0'",
        "@",
        "#",
        "é",
        "\u{1D11E}",
        "/*",
        "*/",
    ]);
    prop::collection::vec(word, 0..30).prop_map(|words| words.join(" "))
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        ".*".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(".{0,4}", inner, 0..20)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

/// An arithmetic expression of literals, so that all of it is folded, and the same of variables.
fn arithmetic() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (-999_i64..999, 0_u32..4).prop_map(|(units, scale)| {
            format!("({})", Number::decimal(units.into(), scale).expect("a short number"))
        }),
        prop::sample::select(vec!["'a'", "''", "true", "false", "null"]).prop_map(str::to_string),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let operator =
            prop::sample::select(vec!["+", "-", "*", "/", "%", "=", "!=", "<", "&", "and", "or", "in"]);
        prop_oneof![
            (inner.clone(), operator, inner.clone())
                .prop_map(|(a, operator, b)| format!("({a} {operator} {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            inner.prop_map(|a| format!("$string({a})")),
        ]
    })
}

proptest! {
    #[test]
    fn no_text_panics(text in ".{0,60}") {
        let _ = evaluated(&text, Value::Null);
        let _ = Template::compile_within(&text, &LIMITS);
    }

    #[test]
    fn no_expression_panics(text in words()) {
        let input = Value::from_json(br#"{"a":[1,{"b":"x"},[2]],"b":{"a":null}}"#, 9).expect("JSON");
        if let Ok(value) = evaluated(&text, input) {
            let text = written(&value);
            prop_assert!(text.is_empty() || serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
        }
    }

    #[test]
    fn json_is_the_same_again(json in json()) {
        let text = json.to_string();
        let value = Value::from_json(text.as_bytes(), 64).expect("JSON");
        let again = written(&value);
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&again).expect("JSON"), json);
        prop_assert_eq!(Value::from_json(again.as_bytes(), 64).expect("JSON"), value);
    }

    #[test]
    fn any_bytes_are_judged_as_serde_json_does(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if Value::from_json(&bytes, 64).is_ok() {
            prop_assert!(serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok());
        }
    }

    #[test]
    fn numbers_pass_through(whole in "-?(0|[1-9][0-9]{0,60})", fraction in "[0-9]{0,40}") {
        let text = if fraction.is_empty() { whole.clone() } else { format!("{whole}.{fraction}") };
        let read = Number::parse(&text).expect("a number").to_string();
        let plain = |text: &str| {
            let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
            if text == "-0" { "0".to_string() } else { text.to_string() }
        };
        prop_assert_eq!(plain(&read), plain(&text));
    }

    #[test]
    fn sums_are_exact(a in -10_i128.pow(30)..10_i128.pow(30), b in -10_i128.pow(30)..10_i128.pow(30)) {
        let found = evaluated(&format!("({a}) + ({b})"), Value::Undefined).expect("a sum");
        prop_assert_eq!(written(&found), (a + b).to_string());
        let found = evaluated(&format!("({a}) - ({b}) < 0"), Value::Undefined).expect("an order");
        prop_assert_eq!(found, Value::Bool(a < b));
    }

    #[test]
    fn folding_changes_nothing(text in arithmetic()) {

        let folded = evaluated(&text, Value::Undefined);
        let literal = with_variables(&text);
        let unfolded = evaluated(&literal.0, literal.1);
        match (folded, unfolded) {
            (Ok(folded), Ok(unfolded)) => prop_assert_eq!(written(&folded), written(&unfolded)),
            (Err(folded), Err(unfolded)) => prop_assert_eq!(folded.code(), unfolded.code()),
            (folded, unfolded) => prop_assert!(false, "{:?} {:?}", folded, unfolded),
        }
    }

    #[test]
    fn times_are_read_as_they_are_written(time in -62_135_596_800_000_i64..253_402_300_800_000) {
        let text = format!("$toMillis($fromMillis({time})) = {time}");
        prop_assert_eq!(evaluated(&text, Value::Undefined).expect("a time"), Value::Bool(true));
        let picture = "'[Y0001]-[M01]-[D01] [H01]:[m01]:[s01].[f001] [Z]'";
        let text = format!("$toMillis($fromMillis({time}, {picture}, '-0330'), {picture}) = {time}");
        prop_assert_eq!(evaluated(&text, Value::Undefined).expect("a time"), Value::Bool(true));
    }

    #[test]
    fn integers_are_read_as_they_are_written(value in 0_i64..999_999) {
        for picture in ["0", "#,##0", "000000", "w", "Ww;o", "A", "i"] {
            if value == 0 && matches!(picture, "A" | "i") {
                continue;
            }
            let text = format!("$parseInteger($formatInteger({value}, '{picture}'), '{picture}')");
            prop_assert_eq!(evaluated(&text, Value::Undefined).expect("an integer"), Value::from(value), "{}", picture);
        }
    }
}

/// The expression with its literals in an array of the input, so that nothing can be folded.
fn with_variables(text: &str) -> (String, Value) {
    let (mut out, mut values) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let literal =
            ["'a'", "''", "true", "false", "null"].iter().find(|literal| rest.starts_with(**literal));
        let number = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let length = literal.map_or(number, |literal| literal.len());
        if length == 0 {
            out.push(character);
            rest = &rest[character.len_utf8()..];
            continue;
        }
        let json = rest[..length].replace('\'', "\"");
        values.push((format!("v{}", values.len()), Value::from_json(json.as_bytes(), 1).expect("a literal")));
        out.push_str(&format!("$$.v{}", values.len() - 1));
        rest = &rest[length..];
    }
    (out, Value::Object(values.into_iter().collect()))
}
