//! Tokens of this gateway: their use, and their ends.

use std::sync::{Arc, Mutex};

use http::header::{COOKIE, HeaderMap, HeaderValue};
use proptest::prelude::*;
use security::{
    Authenticator, Authenticators, Check, DeniedKind, EndedKeeper, Identity, Method, Presented, Secret,
    Tokens, Users, user_line,
};

use crate::NOW_MS;

const MINUTE_MS: u64 = 60_000;

fn key(byte: u8) -> Secret {
    Secret::new(vec![byte; 32])
}

fn users(lines: &[(&str, &str, &str)]) -> String {
    let line = |(name, group, password): &(&str, &str, &str)| {
        user_line(name, &[(*group).to_owned()], password.as_bytes()).expect("a line")
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn tokens(keys: &[Secret]) -> Arc<Tokens> {
    Arc::new(Tokens::new("LtpaToken2", 120, keys).expect("good"))
}

struct House {
    users: Arc<Users>,
    all: Authenticators,
}

fn house(text: &str, tokens: &Arc<Tokens>) -> House {
    let users = Arc::new(Users::parse(text, 0, 0).expect("users"));
    let ways = vec![Authenticator::Basic(Arc::clone(&users)), Authenticator::Token(Arc::clone(tokens))];
    House { users, all: Authenticators::new(ways, "test") }
}

impl House {
    fn log_in(&self, user: &str, password: &str) -> HeaderMap {
        let identity = self.users.verify(user, password.as_bytes()).expect("the password");
        let (name, value) = self.all.log_in(&identity, NOW_MS).expect("a token").expect("tokens");
        cookie(&format!("{name}={value}"))
    }

    fn ask(&self, headers: &HeaderMap, now_ms: u64) -> Result<Arc<Identity>, DeniedKind> {
        match self.all.check(Presented { headers, certificate: None }, now_ms) {
            Check::Known(identity) => Ok(identity),
            Check::Denied(denied) => Err(denied.kind),
            Check::Anonymous => Err(DeniedKind::Missing),
            other => panic!("{other:?}"),
        }
    }
}

fn cookie(value: &str) -> HeaderMap {
    let value = HeaderValue::from_str(value).expect("a header's value");
    HeaderMap::from_iter([(COOKIE, value)])
}

fn value(headers: &HeaderMap) -> String {
    let text = headers[COOKIE].to_str().expect("text");
    text.split_once('=').expect("a pair").1.to_owned()
}

#[test]
fn a_token_says_who_calls_on_every_instance_with_the_key() {
    let text = users(&[("mary", "staff", "secret")]);
    let headers = house(&text, &tokens(&[key(1)])).log_in("mary", "secret");
    // Another process has only the key and the file in common.
    let other = house(&text, &tokens(&[key(1)]));
    let identity = other.ask(&headers, NOW_MS + MINUTE_MS).expect("known");
    assert_eq!((&*identity.name, identity.method), ("mary", Method::Token));
    assert_eq!(*identity.groups, [Box::from("staff")]);
    let more = format!("a=b; LtpaToken2_1648032846={}; c=d", value(&headers));
    assert!(other.ask(&cookie(&more), NOW_MS).is_ok(), "any name that begins so");
    assert_eq!(other.ask(&cookie("JSESSIONID=1; a=b"), NOW_MS), Err(DeniedKind::Missing));
}

#[test]
fn keys_can_be_changed() {
    let text = users(&[("mary", "staff", "secret")]);
    let headers = house(&text, &tokens(&[key(1)])).log_in("mary", "secret");
    assert!(house(&text, &tokens(&[key(2), key(1)])).ask(&headers, NOW_MS).is_ok());
    assert_eq!(house(&text, &tokens(&[key(2)])).ask(&headers, NOW_MS), Err(DeniedKind::Invalid));
    assert_eq!(house(&text, &tokens(&[])).ask(&headers, NOW_MS), Err(DeniedKind::Invalid));
}

#[test]
fn a_token_ends() {
    let text = users(&[("mary", "staff", "secret")]);
    let house = house(&text, &tokens(&[key(1)]));
    let headers = house.log_in("mary", "secret");
    let end = NOW_MS + 120 * MINUTE_MS;
    assert!(house.ask(&headers, end - 1).is_ok());
    assert_eq!(house.ask(&headers, end), Err(DeniedKind::Expired));
    // An instance with shorter tokens refuses tokens that last longer.
    let shorter = Arc::new(Tokens::new("LtpaToken2", 60, &[key(1)]).expect("good"));
    assert_eq!(self::house(&text, &shorter).ask(&headers, NOW_MS), Err(DeniedKind::Invalid));
}

#[test]
fn a_token_ends_with_its_user() {
    let house = house(&users(&[("mary", "staff", "secret")]), &tokens(&[key(1)]));
    let headers = house.log_in("mary", "secret");
    house.users.replace(&users(&[("john", "staff", "other")])).expect("users");
    assert_eq!(house.ask(&headers, NOW_MS), Err(DeniedKind::Invalid), "the user is gone");
    house.users.replace(&users(&[("mary", "staff", "other")])).expect("users");
    assert_eq!(house.ask(&headers, NOW_MS), Err(DeniedKind::Invalid), "the user has another password");
}

#[test]
fn groups_are_those_of_now() {
    let text = users(&[("mary", "staff", "secret")]);
    let house = house(&text, &tokens(&[key(1)]));
    let headers = house.log_in("mary", "secret");
    house.users.replace(&text.replace("mary:staff:", "mary:visitors:")).expect("users");
    assert_eq!(*house.ask(&headers, NOW_MS).expect("known").groups, [Box::from("visitors")]);
}

#[derive(Debug, Default)]
struct Kept(Mutex<String>);

impl EndedKeeper for Kept {
    fn keep(&self, line: &str) -> Result<(), String> {
        self.0.lock().expect("no holder panics").push_str(line);
        Ok(())
    }
}

#[test]
fn a_logout_ends_one_token_for_good() {
    let text = users(&[("mary", "staff", "secret")]);
    let kept = Arc::new(Kept::default());
    let keeping = |text: &str| {
        let tokens = Tokens::new("LtpaToken2", 120, &[key(1)]).expect("good");
        Arc::new(tokens.kept_by(Arc::clone(&kept) as Arc<dyn EndedKeeper>, text, NOW_MS + 1))
    };
    let tokens = keeping("");
    let house = house(&text, &tokens);
    let (one, other) = (house.log_in("mary", "secret"), house.log_in("mary", "secret"));
    tokens.end(&one, NOW_MS).expect("kept");
    assert_eq!(house.ask(&one, NOW_MS), Err(DeniedKind::Invalid));
    assert!(house.ask(&other, NOW_MS).is_ok(), "another login goes on");
    // A restart follows, and the last line is cut.
    let lines = format!("{}0011", kept.0.lock().expect("no holder panics"));
    let after = self::house(&text, &keeping(&lines));
    assert_eq!(after.ask(&one, NOW_MS), Err(DeniedKind::Invalid));
    assert!(after.ask(&other, NOW_MS).is_ok());
    // There are more ended tokens than there is room for: all of before have ended.
    let many: String = (0..100_001).map(|number| format!("{number:032x} {}\n", NOW_MS * 2)).collect();
    let after = self::house(&text, &keeping(&many));
    assert_eq!(after.ask(&one, NOW_MS), Err(DeniedKind::Invalid));
    assert_eq!(after.ask(&other, NOW_MS), Err(DeniedKind::Invalid));
}

#[test]
fn a_changed_configuration_ends_no_token() {
    let text = users(&[("mary", "staff", "secret")]);
    let before = house(&text, &tokens(&[]));
    let (one, other) = (before.log_in("mary", "secret"), before.log_in("mary", "secret"));
    before.all.tokens().expect("tokens").end(&one, NOW_MS).expect("not kept");
    let mut after = house(&text, &tokens(&[]));
    after.all.follow(&before.all);
    assert_eq!(after.ask(&one, NOW_MS), Err(DeniedKind::Invalid));
    assert!(after.ask(&other, NOW_MS).is_ok());
    let mut changed = house(&text, &tokens(&[key(3)]));
    changed.all.follow(&before.all);
    assert_eq!(changed.ask(&other, NOW_MS), Err(DeniedKind::Invalid), "another key");
}

#[test]
fn settings_are_checked() {
    assert!(Tokens::new("", 120, &[]).is_err() && Tokens::new("a;b", 120, &[]).is_err());
    assert!(Tokens::new("a", 0, &[]).is_err());
    assert!(Tokens::new("a", 1, &[Secret::new(vec![0; 31])]).is_err());
}

proptest! {
    #[test]
    fn forged_tokens_are_refused(at in any::<prop::sample::Index>(), flip in 1_u8..=255, cut in any::<prop::sample::Index>()) {
        use base64::Engine;
        use base64::engine::general_purpose::URL_SAFE_NO_PAD;
        let text = "mary:staff:$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let house = house(text, &tokens(&[key(1)]));
        let identity = Identity::new("mary", vec![], Method::Basic);
        let (_, token) = house.all.log_in(&identity, NOW_MS).expect("a token").expect("tokens");
        let whole = format!("LtpaToken2={token}");
        prop_assert!(house.ask(&cookie(&whole), NOW_MS).is_ok());
        let mut bytes = URL_SAFE_NO_PAD.decode(&token).expect("base64");
        let short = &bytes[..cut.index(bytes.len())];
        let short = format!("LtpaToken2={}", URL_SAFE_NO_PAD.encode(short));
        prop_assert_eq!(house.ask(&cookie(&short), NOW_MS), Err(DeniedKind::Invalid));
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let changed = format!("LtpaToken2={}", URL_SAFE_NO_PAD.encode(&bytes));
        prop_assert_eq!(house.ask(&cookie(&changed), NOW_MS), Err(DeniedKind::Invalid));
    }
}
