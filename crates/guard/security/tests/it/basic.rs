//! Users with passwords.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::HeaderMap;
use security::{Authenticator, Authenticators, Basic, Check, DeniedKind, Presented, Users, user_line};

use crate::{NOW_MS, ask, denies, headers};

/// Argon2id with little memory, so that tests are fast. The passwords are "secret" and "a:b".
pub(crate) fn users() -> Arc<Users> {
    let text = format!("# users\n\nmary:staff, clerks:{}\njohn::{}\n", cheap(b"secret"), cheap(b"a:b"));
    Arc::new(Users::parse(&text, 100, 60).expect("users"))
}

pub(crate) fn cheap(password: &[u8]) -> String {
    use argon2::password_hash::PasswordHasher;
    let params = argon2::Params::new(8, 1, 1, None).expect("parameters");
    let argon2 = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    argon2.hash_password(password).expect("a hash").to_string()
}

fn basic(words: &str) -> HeaderMap {
    headers(&format!("Basic {}", STANDARD.encode(words)))
}

#[test]
fn a_user_with_the_right_password_is_known() {
    let way = Authenticator::Basic(users());
    let identity = ask(&way, &basic("mary:secret"), NOW_MS).expect("mary");
    assert_eq!((&*identity.name, identity.groups.len()), ("mary", 2));
    assert!(identity.is_in(&["clerks".into()]));
    // Colons belong to the password, and the scheme's name has no case.
    let john = headers(&format!("bAsIc  {}", STANDARD.encode("john:a:b")));
    assert_eq!(&*ask(&way, &john, NOW_MS).expect("john").name, "john");
}

#[test]
fn wrong_passwords_and_unknown_users_look_the_same() {
    let way = Authenticator::Basic(users());
    for words in ["mary:wrong", "mary:", "nobody:secret", "Mary:secret", "eve:secret"] {
        let denied = denies(&way, &basic(words), DeniedKind::Invalid);
        let all = Authenticators::new(vec![way.clone()], "gantry \"x\"");
        assert_eq!(all.challenges(&denied), [r#"Basic realm="gantry \"x\"", charset="UTF-8""#]);
    }
}

#[test]
fn what_is_no_basic_is_malformed_and_other_schemes_are_nothing() {
    let way = Authenticator::Basic(users());
    let long = format!("Basic {}", "A".repeat(5_000));
    for value in ["Basic", "Basic !", "Basic bWFyeQ==", "Basic Og==", "Basic /////w==", &long] {
        denies(&way, &headers(value), DeniedKind::Malformed);
    }
    for value in ["Bearer abc", "Digest x", "", "Basicx"] {
        denies(&way, &headers(value), DeniedKind::Missing);
    }
    let mut twice = basic("mary:secret");
    twice.append("authorization", "Basic x".parse().expect("a value"));
    denies(&way, &twice, DeniedKind::Malformed);
}

#[test]
fn a_verified_password_is_remembered_for_a_time() {
    let users = users();
    let all = Authenticators::new(vec![Authenticator::Basic(Arc::clone(&users))], "test");
    let headers = basic("mary:secret");
    let presented = Presented { headers: &headers, certificate: None };
    let Check::Password(work) = all.check(presented, NOW_MS) else { panic!("work") };
    work.run(NOW_MS).expect("mary");
    assert!(matches!(all.check(presented, NOW_MS + 59_999), Check::Known(_)));
    assert!(matches!(all.check(presented, NOW_MS + 60_000), Check::Password(_)));
    // A wrong password is never remembered.
    let wrong = basic("mary:wrong");
    assert!(matches!(all.check(Presented { headers: &wrong, ..presented }, NOW_MS), Check::Password(_)));
    users.replace(&format!("mary:boss:{}", cheap(b"new"))).expect("users");
    assert!(matches!(all.check(presented, NOW_MS), Check::Password(_)), "the old password is forgotten");
    let Check::Password(work) = all.check(presented, NOW_MS) else { panic!("work") };
    work.run(NOW_MS).expect_err("it is not mary's any more");
    assert_eq!(
        &*ask(&Authenticator::Basic(users), &basic("mary:new"), NOW_MS).expect("mary").groups[0],
        "boss"
    );
}

#[test]
fn work_that_began_before_a_change_is_not_remembered() {
    let users = users();
    let all = Authenticators::new(vec![Authenticator::Basic(Arc::clone(&users))], "test");
    let headers = basic("mary:secret");
    let presented = Presented { headers: &headers, certificate: None };
    let Check::Password(work) = all.check(presented, NOW_MS) else { panic!("work") };
    users.replace("").expect("no users");
    // The work began with the user of that time.
    work.run(NOW_MS).expect("mary");
    let Check::Password(work) = all.check(presented, NOW_MS) else { panic!("work") };
    assert_eq!(work.run(NOW_MS).expect_err("no users").kind, DeniedKind::Invalid);
}

#[test]
fn lines_are_written_and_read_back() {
    let line = user_line("ann", &["staff".to_owned(), "ops".to_owned()], b"pass word").expect("a line");
    assert!(line.starts_with("ann:staff,ops:$argon2id$v=19$m=19456,t=2,p=1$"), "{line}");
    let users = Arc::new(Users::parse(&line, 0, 0).expect("users"));
    assert_eq!(users.count(), 1);
    ask(&Authenticator::Basic(users), &basic("ann:pass word"), NOW_MS).expect("ann");
    for name in ["", "a:b", "#a", " a", "a\nb", &"x".repeat(257)] {
        user_line(name, &[], b"x").expect_err(name);
    }
    user_line("a", &["b,c".to_owned()], b"x").expect_err("a comma in a group");
    user_line("a", &[], b"").expect_err("no password");
}

#[test]
fn faults_of_a_file_are_told_with_their_line() {
    let good = cheap(b"x");
    let other = good.replace("argon2id", "argon2i");
    let greedy = good.replace("m=8,", "m=4000000,");
    let short = good.rsplit_once('$').expect("a hash").0.to_owned();
    let cases = [
        ("mary", "expected name:groups:hash"),
        ("mary:staff", "expected name:groups:hash"),
        (":staff:x", "the name is empty"),
        ("mary:staff:plain", "the hash cannot be read"),
        (&format!("mary::{other}"), "expected argon2id"),
        (&format!("mary::{greedy}"), "asks for more than"),
        (&format!("mary::{short}"), "salt or hash is missing"),
        (&format!("mary:a\u{7}:{good}"), "a group is too long or has control characters"),
        (&format!("mary::{good}\nmary::{good}"), "occurs twice"),
    ];
    for (text, expected) in cases {
        let error = Users::parse(&format!("# a comment\n{text}"), 0, 0).expect_err(text);
        assert!(error.message.contains(expected), "{text}: {error}");
        assert_eq!(error.line, 1 + text.lines().count());
        assert!(!error.message.contains("$argon2"), "no hash is shown: {error}");
    }
}

#[test]
fn debug_output_has_no_password_and_no_hash() {
    let users = users();
    let all = Authenticators::new(vec![Authenticator::Basic(Arc::clone(&users))], "test");
    let headers = basic("mary:secret");
    let check = all.check(Presented { headers: &headers, certificate: None }, NOW_MS);
    let parsed = Basic::parse(STANDARD.encode("mary:secret").as_bytes()).expect("basic");
    let shown = format!("{users:?} {all:?} {check:?} {parsed:?}");
    assert!(!shown.contains("secret") && !shown.contains("argon2id$"), "{shown}");
}
