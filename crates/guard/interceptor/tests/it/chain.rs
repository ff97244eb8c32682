//! Order and choice of interceptors.

use interceptor::chain::{Choice, Placed, early, order};

fn placed(name: &str, sequence: u32, global: bool) -> Placed {
    Placed { name: name.to_owned(), sequence, global }
}

fn choice(names: &[&str], run_global: bool) -> Choice {
    Choice { names: names.iter().map(|name| (*name).to_owned()).collect(), run_global }
}

#[test]
fn lower_numbers_come_first_and_equal_ones_as_configured() {
    let all = [placed("c", 9, true), placed("own", 5, false), placed("a", 1, true), placed("b", 1, true)];
    let names = |choice: &Choice| -> Vec<&str> {
        order(&all, choice).expect("all are known").into_iter().map(|at| all[at].name.as_str()).collect()
    };
    assert_eq!(names(&Choice::default()), ["a", "b", "c"]);
    assert_eq!(names(&choice(&["own"], true)), ["a", "b", "own", "c"]);
    assert_eq!(names(&choice(&["own"], false)), ["own"]);
    assert_eq!(names(&choice(&["c"], false)), ["c"], "a global one may be chosen alone");
    assert_eq!(names(&choice(&["a", "a"], true)), ["a", "b", "c"], "none runs twice");
    assert!(names(&choice(&[], false)).is_empty());
    assert_eq!(early(&all), [2, 3, 0]);
}

#[test]
fn unknown_names_are_all_told() {
    let unknown =
        order(&[placed("a", 0, true)], &choice(&["x", "a", "y"], true)).expect_err("two are unknown");
    let told: Vec<(usize, String)> = unknown.iter().map(|one| (one.at, one.to_string())).collect();
    let text = |name: &str| format!("there is no interceptor '{name}'");
    assert_eq!(told, [(0, text("x")), (2, text("y"))]);
}
