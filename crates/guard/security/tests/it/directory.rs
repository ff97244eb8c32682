//! Users of a directory: questions, memory, and users of a file beside them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use security::{
    Asking, Authenticator, Authenticators, Check, Denied, DeniedKind, DirectoryFault, DirectorySource,
    DirectoryUser, DirectoryUsers, Identity, Method, Presented, Secret,
};

use crate::basic::users;
use crate::{NOW_MS, headers};

/// Knows the user ann, and writes her name in its own way.
#[derive(Debug, Default)]
struct Fake(AtomicUsize);

impl DirectorySource for Fake {
    fn ask(&self, user: &str, password: &Secret) -> Asking {
        self.0.fetch_add(1, Ordering::Relaxed);
        let known = |name: &str, groups: &[&str]| {
            let groups = groups.iter().map(|group| (*group).into()).collect();
            Ok(DirectoryUser { name: name.into(), groups })
        };
        let answer = match (user, password.expose()) {
            ("ANN", b"right") => known("ann", &["staff", "bad\nname", ""]),
            ("odd", b"right") => known("odd\u{7}", &[]),
            ("away", _) => Err(DirectoryFault::Unavailable("nobody answers".to_owned())),
            _ => Err(DirectoryFault::Refused("no such user".to_owned())),
        };
        Box::pin(std::future::ready(answer))
    }
}

fn ask(all: &Authenticators, words: &str, now_ms: u64) -> Result<Arc<Identity>, Denied> {
    let headers = headers(&format!("Basic {}", STANDARD.encode(words)));
    match all.check(Presented { headers: &headers, certificate: None }, now_ms) {
        Check::Known(identity) => Ok(identity),
        Check::Denied(denied) => Err(denied),
        Check::Password(work) => work.run(now_ms),
        Check::Directory(question) => {
            let mut asking = Box::pin(question.run(now_ms));
            match asking.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(answer) => answer,
                Poll::Pending => panic!("the fake answers at once"),
            }
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn users_of_a_directory_are_known_and_remembered() {
    let fake = Arc::new(Fake::default());
    let directory = Arc::new(DirectoryUsers::new(Arc::clone(&fake) as _, 100, 60));
    let all = Authenticators::new(vec![Authenticator::Directory(Arc::clone(&directory))], "test");
    let ann = ask(&all, "ANN:right", NOW_MS).expect("ann");
    assert_eq!((&*ann.name, &*ann.groups, ann.method), ("ann", &["staff".into()][..], Method::Ldap));
    let again = ask(&all, "ANN:right", NOW_MS + 59_999).expect("ann");
    assert!(Arc::ptr_eq(&ann, &again) && fake.0.load(Ordering::Relaxed) == 1, "she is remembered");
    ask(&all, "ANN:right", NOW_MS + 60_000).expect("ann");
    assert_eq!(fake.0.load(Ordering::Relaxed), 2, "for a time");
    for (words, kind) in [
        ("ANN:wrong", DeniedKind::Invalid),
        ("eve:right", DeniedKind::Invalid),
        ("odd:right", DeniedKind::Invalid),
        ("away:right", DeniedKind::Unavailable),
    ] {
        let denied = ask(&all, words, NOW_MS).expect_err(words);
        assert_eq!(denied.kind, kind, "{words}");
        assert_eq!(all.challenges(&denied), [r#"Basic realm="test", charset="UTF-8""#]);
    }
    let before = fake.0.load(Ordering::Relaxed);
    let after = DirectoryUsers::new(Arc::new(Fake::default()), 100, 60);
    assert!(!after.adopt(&directory), "another source: it has been asked another number of times");
    let after = Arc::new(DirectoryUsers::new(Arc::clone(&fake) as _, 100, 60));
    assert!(after.adopt(&directory));
    ask(&Authenticators::new(vec![Authenticator::Directory(after)], "test"), "ANN:right", NOW_MS)
        .expect("ann");
    assert_eq!(fake.0.load(Ordering::Relaxed), before, "who was remembered still is");
}

#[test]
fn whom_a_file_knows_no_directory_is_asked_about() {
    let fake = Arc::new(Fake::default());
    let directory = Authenticator::Directory(Arc::new(DirectoryUsers::new(Arc::clone(&fake) as _, 100, 60)));
    let all = Authenticators::new(vec![Authenticator::Basic(users()), directory.clone()], "test");
    assert_eq!(ask(&all, "mary:secret", NOW_MS).expect("mary").method, Method::Basic);
    assert_eq!(ask(&all, "mary:wrong", NOW_MS).expect_err("the file's word").kind, DeniedKind::Invalid);
    assert_eq!(fake.0.load(Ordering::Relaxed), 0);
    assert_eq!(ask(&all, "ANN:right", NOW_MS).expect("ann").method, Method::Ldap);
    // A directory in front of the file gets questions about all users.
    let all = Authenticators::new(vec![directory, Authenticator::Basic(users())], "test");
    assert_eq!(ask(&all, "mary:secret", NOW_MS).expect_err("it does not know her").kind, DeniedKind::Invalid);
}
