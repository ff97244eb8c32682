//! Random schemas, with values made for them: fitting values fit, and forbidden ones do not.

use contract::Options;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::setting::{with_body, wrong_in};

/// A schema, a value that fits it, and one that does not.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) schema: Value,
    pub(crate) fits: Value,
    pub(crate) wrong: Value,
}

fn leaf() -> impl Strategy<Value = Case> {
    prop_oneof![
        (any::<i32>(), 0_i64..1_000_000).prop_map(|(least, more)| {
            let least = i64::from(least);
            Case {
                schema: json!({"type": "integer", "minimum": least, "maximum": least + more}),
                fits: json!(least + more / 2),
                wrong: json!(least + more + 1),
            }
        }),
        // Cents are exact: a tenth of one more is none.
        (1_i64..1_000_000_000).prop_map(|cents| {
            let number = |text: String| serde_json::from_str(&text).expect("a number");
            Case {
                schema: json!({"type": "number", "multipleOf": 0.01}),
                fits: number(format!("{}.{:02}", cents / 100, cents % 100)),
                wrong: number(format!("{}.{:02}1", cents / 100, cents % 100)),
            }
        }),
        ("[a-zäöü]{1,8}", 0_usize..4).prop_map(|(text, more)| {
            let count = text.chars().count();
            Case {
                schema: json!({"type": "string", "minLength": count, "maxLength": count + more}),
                wrong: json!(text.repeat(count + more + 1)),
                fits: json!(text),
            }
        }),
        any::<bool>().prop_map(|value| Case {
            schema: json!({"const": value}),
            fits: json!(value),
            wrong: json!(!value),
        }),
    ]
}

pub(crate) fn case() -> impl Strategy<Value = Case> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|cases| array(&cases)),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|cases| object(&cases)),
            inner
                .clone()
                .prop_map(|case| Case { schema: json!({"oneOf": [{"type": "null"}, case.schema]}), ..case }),
            inner.prop_map(|case| Case {
                schema: json!({"not": case.schema}),
                fits: case.wrong,
                wrong: case.fits,
            }),
        ]
    })
}

/// The first elements each by a schema of its own; the last is the one that may be wrong.
fn array(cases: &[Case]) -> Case {
    let schemas: Vec<&Value> = cases.iter().map(|case| &case.schema).collect();
    let fits: Vec<Value> = cases.iter().map(|case| case.fits.clone()).collect();
    let mut wrong = fits.clone();
    if let (Some(last), Some(case)) = (wrong.last_mut(), cases.last()) {
        last.clone_from(&case.wrong);
    }
    Case {
        schema: json!({"type": "array", "prefixItems": schemas, "minItems": cases.len(), "items": false}),
        fits: fits.into(),
        wrong: wrong.into(),
    }
}

fn object(cases: &[Case]) -> Case {
    let member = |at: usize| format!("m{at}");
    let all = |of: fn(&Case) -> &Value| -> serde_json::Map<String, Value> {
        cases.iter().enumerate().map(|(at, case)| (member(at), of(case).clone())).collect()
    };
    let names: Vec<String> = (0..cases.len()).map(member).collect();
    let mut wrong = all(|case| &case.fits);
    wrong.insert(member(0), cases[0].wrong.clone());
    Case {
        schema: json!({"type": "object", "properties": all(|case| &case.schema), "required": names,
            "additionalProperties": false}),
        fits: all(|case| &case.fits).into(),
        wrong: wrong.into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_is_made_to_fit_fits(case in case()) {
        let contract = with_body("3.1.0", &case.schema.to_string(), "");
        let wrong = |body: &Value| wrong_in(&contract, &body.to_string(), &Options::default());
        prop_assert_eq!(wrong(&case.fits), Vec::<String>::new());
        prop_assert!(!wrong(&case.wrong).is_empty(), "{} fits", case.wrong);
    }

    #[test]
    fn no_bytes_and_no_query_make_it_panic(body in any::<Vec<u8>>(), query in "[a-c=&%+,|0-9]{0,40}") {
        let schema = r#"{"type": "array", "items": {"type": "integer"}}"#;
        let contract = with_body("3.1.0", schema, "");
        let operation = crate::setting::only(&contract);
        let parts = contract::RequestParts { path: &[], query: &query, headers: &http::HeaderMap::new() };
        prop_assert!(contract.parameters(operation, &parts, &Options::default()).is_ok());
        if contract.body(operation, &body, &Options::default()).is_ok() {
            prop_assert!(serde_json::from_slice::<Vec<serde_json::Number>>(&body).is_ok());
        }
    }
}
