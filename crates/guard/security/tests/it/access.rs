//! The matrix of roles and actions, and scopes.

use security::{Access, Action, Identity, Method, Refused, Role, RoleGroups};

fn groups(names: &[&str]) -> Option<Vec<Box<str>>> {
    Some(names.iter().map(|name| Box::from(*name)).collect())
}

fn all_groups() -> RoleGroups {
    RoleGroups {
        admin: groups(&["a"]),
        operations: groups(&["o"]),
        invoke: groups(&["i", "i2"]),
        reader: groups(&["r"]),
    }
}

fn member(of: &[&str]) -> Identity {
    Identity::new("mary", of.iter().map(|name| Box::from(*name)).collect(), Method::Basic)
}

#[test]
fn the_matrix() {
    let access = Access::global(all_groups(), true);
    // Invoke, Read, Operate, DeployCode.
    let rows = [
        ("a", [true, true, true, true]),
        ("o", [false, true, true, false]),
        ("i", [true, false, false, false]),
        ("i2", [true, false, false, false]),
        ("r", [false, true, false, false]),
        ("x", [false, false, false, false]),
    ];
    for (group, expected) in rows {
        let identity = member(&["z", group]);
        let administer = |action| access.may_administer(Some(&identity), action).is_ok();
        let actions = [Action::Invoke, Action::Read, Action::Operate, Action::DeployCode];
        assert_eq!(actions.map(administer), expected, "{group}");
        assert_eq!(access.may_invoke(Some(&identity), &[]).is_ok(), expected[0], "{group}");
        assert_eq!(access.may_see_documents(Some(&identity)).is_ok(), expected[0] || expected[1], "{group}");
    }
    assert_eq!(access.may_administer(None, Action::Read), Err(Refused::Unknown));
    assert_eq!(access.may_invoke(None, &[]), Err(Refused::Unknown));
    assert_eq!(access.may_invoke(Some(&member(&["r"])), &[]), Err(Refused::Role(Role::Invoke)));
    assert_eq!(
        access.may_administer(Some(&member(&["i"])), Action::DeployCode),
        Err(Refused::Role(Role::Admin))
    );
}

#[test]
fn groups_of_an_api_take_the_place_of_the_global_ones() {
    let global = Access::global(all_groups(), true);
    let own = RoleGroups { invoke: groups(&["orders"]), ..RoleGroups::default() };
    let access = global.specific(&own, None);
    assert!(access.may_invoke(Some(&member(&["orders"])), &[]).is_ok());
    assert!(access.may_invoke(Some(&member(&["i"])), &[]).is_err());
    assert!(access.may_invoke(Some(&member(&["a"])), &[]).is_ok(), "the other roles stay");
    let nobody = global.specific(&RoleGroups { invoke: groups(&[]), ..RoleGroups::default() }, None);
    assert!(nobody.may_invoke(Some(&member(&["i"])), &[]).is_err());
}

#[test]
fn without_groups_all_who_are_known_may_call_and_none_may_administer() {
    let access = Access::global(RoleGroups::default(), true);
    assert!(access.may_invoke(Some(&member(&[])), &[]).is_ok());
    assert!(access.may_see_documents(Some(&member(&[]))).is_ok());
    for action in [Action::Read, Action::Operate, Action::DeployCode] {
        assert!(access.may_administer(Some(&member(&["Admin"])), action).is_err(), "{action:?}");
    }
}

#[test]
fn what_needs_no_authentication_is_open_but_administration_never_is() {
    let access = Access::global(all_groups(), true).specific(&RoleGroups::default(), Some(false));
    assert!(!access.requires_auth());
    assert!(access.may_invoke(None, &[]).is_ok());
    assert!(access.may_invoke(Some(&member(&[])), &[]).is_ok());
    assert!(access.may_see_documents(None).is_ok());
    assert_eq!(access.may_administer(None, Action::Read), Err(Refused::Unknown));
}

#[test]
fn every_scope_is_needed() {
    let access = Access::global(RoleGroups::default(), true);
    let scopes: Vec<Box<str>> = vec!["read".into(), "write".into()];
    let mut identity = member(&[]);
    for (held, expected) in [(vec![], false), (vec!["read"], false), (vec!["write", "x", "read"], true)] {
        identity.scopes = held.into_iter().map(Box::from).collect();
        let allowed = access.may_invoke(Some(&identity), &scopes);
        assert_eq!(allowed, if expected { Ok(()) } else { Err(Refused::Scope(&scopes)) });
    }
    let open = access.specific(&RoleGroups::default(), Some(false));
    assert_eq!(open.may_invoke(None, &scopes), Err(Refused::Unknown), "scopes need somebody who has them");
}
