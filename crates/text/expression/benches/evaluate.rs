//! What expressions of API mappings cost on one core: nanoseconds an evaluation, and JSON to values and back beside it.
//!
//! `cargo bench -p expression --bench evaluate`; a word after `--` runs only the cases whose name holds it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use expression::{Context, Expression, Template, Value};

/// How long each of a case's rounds takes.
const ROUND: Duration = Duration::from_millis(200);

fn main() {
    let chosen = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let case = |name: &str, run: &mut dyn FnMut()| {
        if chosen.as_ref().is_none_or(|chosen| name.contains(chosen.as_str())) {
            measure(name, run);
        }
    };
    let json = response(100);
    let response = Value::from_json(json.as_bytes(), 16).expect("JSON");
    let query = Value::from_json(br#"{"author":"Ann","max":"20","page":"3"}"#, 16).expect("JSON");
    let bindings = [("zosAssetResponse", response.clone()), ("queryParameters", query)];
    let context = Context::new(&bindings);
    for (name, text) in [
        ("member", "$zosAssetResponse.channel.responseCode200.'title'"),
        ("exists", "$exists($zosAssetResponse.channel.responseCode200)"),
        ("foreach input", "($a := $zosAssetResponse.channel.responseCode200.'books'; $a != null ? $a : [])"),
        ("query string", r#"$join($each($queryParameters, function($v, $k) {$k & "=" & $v}), "&")"#),
        ("100 prices", "$sum($zosAssetResponse.channel.responseCode200.books.(price * count))"),
        ("100 filtered", "$zosAssetResponse.channel.responseCode200.books[price > 30].title"),
    ] {
        let expression = Expression::compile(text).expect("an expression");
        case(name, &mut || {
            assert!(black_box(&expression).evaluate(&context).expect("a value").is_defined());
        });
    }
    let template = Template::compile("/books/{{$zosAssetResponse.channel.responseCode200.'title'}}")
        .expect("a template");
    case("template", &mut || {
        assert!(black_box(&template).evaluate(&context).expect("a value").is_defined());
    });
    let text = "($a := $zosAssetResponse.channel.responseCode200.'books'; $a != null ? $a : [])";
    case("compile", &mut || {
        black_box(Expression::compile(black_box(text)).expect("an expression"));
    });
    case("read JSON", &mut || {
        black_box(Value::from_json(black_box(json.as_bytes()), 16).expect("JSON"));
    });
    let mut out = Vec::new();
    case("write JSON", &mut || {
        out.clear();
        black_box(&response).write_json(&mut out);
    });
}

fn response(books: usize) -> String {
    let books: Vec<String> = (0..books)
        .map(|number| {
            format!(
                r#"{{"title":"Book {number}","price":{number}.50,"count":{},"author":"Ann"}}"#,
                number % 7
            )
        })
        .collect();
    format!(r#"{{"channel":{{"responseCode200":{{"title":"Red","books":[{}]}}}}}}"#, books.join(","))
}

/// Prints the best and the median of some rounds.
fn measure(name: &str, run: &mut dyn FnMut()) {
    let mut rounds: Vec<f64> = (0..7)
        .map(|_| {
            let (begin, mut count) = (Instant::now(), 0_u32);
            while begin.elapsed() < ROUND {
                for _ in 0..16 {
                    run();
                }
                count += 16;
            }
            begin.elapsed().as_secs_f64() * 1e9 / f64::from(count)
        })
        .collect();
    rounds.sort_by(f64::total_cmp);
    println!("{name:24} {:>12.0} ns best {:>12.0} ns median", rounds[0], rounds[rounds.len() / 2]);
}
