//! Templates, inputs and the laziness of variables.

use std::cell::RefCell;

use expression::{Bindings, Context, Expression, Kind, Object, Template, Value};

fn value(json: &str) -> Value {
    Value::from_json(json.as_bytes(), 64).expect("JSON")
}

fn text_of(template: &str) -> Value {
    let bindings = [("body", value(r#"{"title":"Red","n":1.50,"null":null,"list":[1,"a"]}"#))];
    Template::compile(template).expect("a template").evaluate(&Context::new(&bindings)).expect("a value")
}

#[test]
fn text_around_expressions() {
    assert_eq!(text_of("/redbook/{{$body.title}}"), Value::from("/redbook/Red"));
    assert_eq!(text_of("{{$body.n}}"), Value::from("1.5"));
    assert_eq!(text_of("{{$body.nothing}}"), Value::Undefined);
    assert_eq!(text_of("a{{$body.nothing}}b"), Value::from("ab"));
    assert_eq!(text_of("{{$body.'null'}}"), Value::from("null"));
    assert_eq!(text_of("{{$body.list}}!"), Value::from(r#"[1,"a"]!"#));
    assert_eq!(text_of(""), Value::from(""));
    assert_eq!(text_of("{ {{1 + 1}} }"), Value::from("{ 2 }"));
    assert_eq!(text_of(r#"{{ {"a": {"b": "}}"}}.a.b }}"#), Value::from("}}"));
    assert_eq!(text_of("{{/* }} */ 1}}{{'}}'}}"), Value::from("1}}"));
}

#[test]
fn constants_are_known_at_once() {
    assert_eq!(Template::compile("POST").expect("text").constant(), Some("POST"));
    assert_eq!(Template::compile("{{'a' & 'b'}}").expect("folded").constant(), Some("ab"));
    assert_eq!(Template::compile("{{$x}}").expect("a variable").constant(), None);
}

#[test]
fn faults_have_their_place_in_the_template() {
    let error = Template::compile("one\ntwo {{$x +}}").expect_err("no expression");
    let place = error.place().expect("a place");
    assert_eq!((error.code(), place.line, place.column, place.offset), ("S0207", 2, 11, 14));
    let error = Template::compile("one {{$x").expect_err("no end");
    assert_eq!((error.code(), error.place().expect("a place").column), ("S0107", 5));
    let template = Template::compile("é{{1 + $x}}").expect("a template");
    let error = template.evaluate(&Context::new(&[("x", Value::from("a"))])).expect_err("no number");
    assert_eq!((error.code(), error.kind()), ("T2002", Kind::Type));
    assert_eq!(
        error.to_string(),
        "T2002: the right side of + must be a number, found a string (character 4)"
    );
}

fn paths(text: &str) -> Vec<String> {
    let expression = Expression::compile(text).expect("an expression");
    let inputs = expression.inputs().iter();
    inputs
        .flat_map(|input| input.paths.iter().map(|path| format!("{}:{}", input.name, path.join("."))))
        .collect()
}

#[test]
fn inputs_are_the_paths_that_the_text_tells() {
    assert_eq!(paths("$z.channel.responseCode200"), ["z:channel.responseCode200"]);
    assert_eq!(paths("$exists($z.a.b) and $z.a.'c-d' = 1"), ["z:a.b", "z:a.c-d"]);
    assert_eq!(paths("$z.a.b & $z.a"), ["z:a"]);
    assert_eq!(paths("$z.a & $z.a.b"), ["z:a"]);
    assert_eq!(paths("$z"), ["z:"]);
    assert_eq!(paths("$z.a[0].b"), ["z:a.b"]);
    assert_eq!(paths("$z.a[b = $y.c].d"), ["z:a", "y:c"]);
    assert_eq!(paths("$z.a.*.b"), ["z:a"]);
    assert_eq!(paths("$z.a.(b & $w)"), ["z:a", "w:"]);
    assert_eq!(paths("($a := $z.list; $a != null ? $a : [])"), ["z:list"]);
    assert_eq!(paths("$join($each($q, function($v, $k) {$k & $v}), '&')"), ["q:"]);
    assert_eq!(paths("($f := function($n){$n > 0 ? $f($n - 1) : $z.a}; $f(3))"), ["z:a"]);
    assert_eq!(paths("1 + 1"), [""; 0]);
}

#[test]
fn a_variable_is_asked_for_when_it_is_needed_and_once() {
    struct Asked(RefCell<Vec<String>>);
    impl Bindings for Asked {
        fn get(&self, name: &str) -> Option<Value> {
            self.0.borrow_mut().push(name.to_string());
            Some(Value::from(7))
        }
    }
    let asked = Asked(RefCell::default());
    let expression =
        Expression::compile("false ? $never : $a + $a + $sum([1..3].($a))").expect("an expression");
    assert_eq!(expression.variables().iter().map(|name| &**name).collect::<Vec<_>>(), ["never", "a"]);
    assert_eq!(expression.evaluate(&Context::new(&asked)).expect("a value"), Value::from(35));
    assert_eq!(*asked.0.borrow(), ["a"]);
}

#[test]
fn names_of_headers_have_no_case() {
    let mut headers = Object::ignoring_case();
    for number in 0..20 {
        headers.insert(format!("X-Header-{number}"), Value::from(number));
        let bindings = [("headers", Value::Object(headers.clone()))];
        let expression =
            Expression::compile(&format!("$headers.'x-HEADER-{number}'")).expect("an expression");
        assert_eq!(expression.evaluate(&Context::new(&bindings)).expect("a value"), Value::from(number));
    }
}

#[test]
fn values_can_be_sent_to_other_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Value>();
    shared::<Expression>();
    shared::<Template>();
}
