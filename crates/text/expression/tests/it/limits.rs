//! Every limit ends an expression with its code, and none with a hang or an overflow.

use expression::{Context, Expression, Limits, Value};

fn code_within(text: &str, limits: &Limits) -> &'static str {
    let compiled = Expression::compile_within(text, limits);
    compiled.and_then(|compiled| compiled.evaluate(&Context::new(&()))).expect_err("a limit").code()
}

fn code(text: &str) -> &'static str {
    code_within(text, &Limits::default())
}

#[test]
fn text() {
    assert_eq!(code_within("1 + 1", &Limits { text_max_bytes: 4, ..Limits::default() }), "L0001");
    for open in ["(", "[", "{\"a\":", "-", "$f(", "a[", "1 ? ", "function(){", "|", "$x := "] {
        assert_eq!(code(&open.repeat(5_000)), "L0002", "{open}");
    }
    for chain in ["1", "1 + 1", "a.b[0]", "(1)"] {
        let text = vec![chain; 5_000].join(" & ");
        assert_eq!(code(&text), "L0002", "{chain}");
    }
    assert_eq!(code(&format!("$f{}", "()".repeat(5_000))), "L0002");
}

#[test]
fn regular_expressions() {
    assert_eq!(code("/(\\w{100}){100}{100}/"), "L0003");
    assert_eq!(code("$contains('a', /(a)\\1/)"), "S0303");
    let slow = format!("$contains('{}b', /^(a+)+$/)", "a".repeat(20_000));
    let compiled = Expression::compile(&slow).expect("an expression");
    assert_eq!(compiled.evaluate(&Context::new(&())).expect("linear time"), Value::Bool(false));
}

#[test]
fn steps() {
    assert_eq!(code("($f := function(){$f()}; $f())"), "L1001");
    assert_eq!(code("($f := function($x){($y := $x; $g := function(){$y}; $f($g))}; $f(1))"), "L1004");
}

#[test]
fn depth() {
    assert_eq!(code("($f := function($n){1 + $f($n + 1)}; $f(0))"), "L1002");
    assert_eq!(code("($f := function($n){$map([$n], $f)}; $f(0))"), "L1002");
    assert_eq!(code("($f := function($n){$n.$f($n)}; $f(0))"), "L1002");
    assert_eq!(code("($f := function($n){[{'a': $f($n)}]}; $f(0))"), "L1002");
}

#[test]
fn depth_of_values() {
    assert_eq!(code("$reduce([1..10000], function($t, $i){{'a': $t}}, 1)"), "L1005");
    assert_eq!(code("$reduce([1..10000], function($t, $i){$zip($t)}, [1])"), "L1005");
}

#[test]
fn memory() {
    assert_eq!(code("[1..1e9]"), "L1004");
    assert_eq!(code("[1..1e30]"), "L1004");
    assert_eq!(code("$pad('a', 1e12)"), "L1003");
    assert_eq!(code("$reduce([1..60], function($t, $i){$t & $t}, 'ab')"), "L1003");
    assert_eq!(code("$reduce([1..60], function($t, $i){$append($t, $t)}, [1, 2])"), "L1004");
    assert_eq!(code("$reduce([1..60], function($t, $i){{'a': $t, 'b': $t}}, 1) ~> $string()"), "L1003");
}

/// The code of the limit that an expression meets with an input, within some steps.
fn code_of(text: &str, input: &str, steps_max: u64) -> &'static str {
    let input = Value::from_json(input.as_bytes(), 64).expect("JSON");
    let limits = Limits { steps_max, ..Limits::default() };
    let compiled = Expression::compile_within(text, &limits).expect("an expression");
    let context = Context { input, ..Context::new(&()) };
    let Err(error) = compiled.evaluate(&context) else { panic!("`{text}` meets no limit") };
    error.code()
}

#[test]
fn members_that_a_transform_sets_or_deletes_are_counted() {
    let items = vec!["{}"; 2_000].join(",");
    let all = |form: fn(usize) -> String| (0..2_000).map(form).collect::<Vec<_>>().join(",");
    let more = all(|n| format!("\"m{n}\":1"));
    let input = format!("{{\"items\":[{items}],\"more\":{{{more}}}}}");
    assert_eq!(code_of("($more := more; $ ~> |items|$more|)", &input, 10_000_000), "L1004");
    let names = all(|n| format!("\"n{n}\""));
    let input = format!("{{\"items\":[{items}],\"names\":[{names}]}}");
    assert_eq!(code_of("($names := names; $ ~> |items|{}, $names|)", &input, 10_000_000), "L1004");
}

#[test]
fn going_through_texts_and_arrays_is_work() {
    let text = format!("{{\"t\":\"{}\"}}", "a".repeat(40_000));
    assert_eq!(
        code_of("($t := t; $map([1..4000], function($i){$substring($t, $i, 1)}))", &text, 1_000_000),
        "L1001"
    );
    assert_eq!(code_of("($t := t; $map([1..4000], function($i){$length($t)}))", &text, 1_000_000), "L1001");
    let array = |item: &str| format!("{{\"i\":[{}]}}", vec![item; 10_000].join(","));
    let look = "($i := i; $map([1..200], function($x){$count($lookup($i, 'n'))}))";
    assert_eq!(code_of(look, &array("{\"n\":1}"), 1_000_000), "L1001");
    assert_eq!(code_of("($i := i; $map([1..200], function($x){$max($i)}))", &array("1"), 1_000_000), "L1001");
}

#[test]
fn seeing_whether_an_array_is_true_is_work() {
    let zeros = format!("{{\"i\":[{}]}}", vec!["0"; 10_000].join(","));
    for question in [
        "$i ? 1 : 2",
        "$i and true",
        "false or $i",
        "true and $i",
        "$boolean($i)",
        "$not($i)",
        "$filter([1, 2], function($x){$i})",
        "$sift({'a': 1}, function($x){$i})",
        "$sort([1, 2], function($x, $y){$i})",
    ] {
        let text = format!("($i := i; $map([1..4000], function($n){{[{question}]}}))");
        assert_eq!(code_of(&text, &zeros, 1_000_000), "L1001", "{question}");
    }
}
