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
