//! One name for each tool, whatever the operations are called.

use std::collections::HashSet;

use mcp::{TOOL_NAME_CHARS_MAX, Wanted, check_name, names};
use proptest::prelude::*;

fn made(wanted: &[(&str, &str, Option<&str>)]) -> Vec<String> {
    let wanted: Vec<Wanted<'_>> =
        wanted.iter().map(|(api, id, chosen)| Wanted { api, id, chosen: *chosen }).collect();
    names(&wanted)
}

#[test]
fn an_id_is_a_name_and_what_it_cannot_be_is_replaced() {
    let long = "x".repeat(100);
    let wanted = [("shop", "getItem", None), ("shop", "put item/ö", None), ("shop", &long, None)];
    assert_eq!(made(&wanted), ["getItem", "put_item__", &"x".repeat(64)]);
}

#[test]
fn ids_that_are_alike_have_their_apis_in_front() {
    let wanted = [("shop", "get", None), ("store", "get", None), ("store", "put", None)];
    assert_eq!(made(&wanted), ["shop_get", "store_get", "put"]);
    // Nothing takes a name that is an id, and numbers tell the rest apart.
    let wanted = [("shop", "a.b", None), ("shop", "a:b", None), ("x", "shop_a_b", None)];
    assert_eq!(made(&wanted), ["shop_a_b_2", "shop_a_b_3", "shop_a_b"]);
}

#[test]
fn chosen_names_stay() {
    let wanted = [("shop", "get", None), ("shop", "other", Some("get")), ("b", "third", Some("third.v1"))];
    assert_eq!(made(&wanted), ["shop_get", "get", "third.v1"]);
    // An operation with a name of its own is not in the way of others with its id.
    assert_eq!(made(&[("a", "get", Some("own")), ("b", "get", None)]), ["own", "get"]);
}

#[test]
fn a_chosen_name_is_checked() {
    for name in ["get", "a.b-c_D9", &"x".repeat(TOOL_NAME_CHARS_MAX)] {
        assert_eq!(check_name(name), Ok(()), "{name}");
    }
    for name in ["", "a b", "ä", "a/b", &"x".repeat(TOOL_NAME_CHARS_MAX + 1)] {
        let message = check_name(name).expect_err(name);
        assert!(message.contains(name) && message.contains("expected 1 to 128"), "{message}");
    }
}

proptest! {
    #[test]
    fn names_are_names_and_stand_once(wanted in prop::collection::vec(("[ab.]{0,3}", "[ab./é]{0,70}"), 0..12)) {
        let wanted: Vec<Wanted<'_>> =
            wanted.iter().map(|(api, id)| Wanted { api, id, chosen: None }).collect();
        let names = names(&wanted);
        prop_assert_eq!(names.len(), wanted.len());
        let distinct: HashSet<&String> = names.iter().collect();
        prop_assert_eq!(distinct.len(), names.len());
        for name in &names {
            prop_assert!(check_name(name).is_ok() && name.len() <= 64, "{}", name);
        }
    }
}
