//! Users of a directory, asked for over real sockets.

mod server;
mod tls;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use directory::{Directory, Escape, GroupLookup, Pattern, Settings, UserLookup};
use security::{DirectoryFault, DirectorySource, Secret};

use server::{Entry, Mood, Server};

const PEOPLE: &[Entry] = &[
    ("cn=gateway,dc=test", "reads", &[]),
    (
        "uid=mary,ou=people,dc=test",
        "secret",
        &[
            ("uid", "mary"),
            ("memberOf", "cn=staff,ou=groups,dc=test"),
            ("memberOf", "cn=clerks,ou=groups,dc=test"),
            ("memberOf", "cn=admins,ou=playground,dc=test"),
        ],
    ),
    ("uid=john,ou=people,dc=test", "word", &[("uid", "john")]),
    ("uid=twin,ou=people,dc=test", "one", &[("uid", "twin")]),
    ("cn=twin,ou=people,dc=test", "one", &[("uid", "twin")]),
    ("uid=nameless,ou=people,dc=test", "x", &[("mail", "nameless")]),
    (
        "cn=staff,ou=groups,dc=test",
        "",
        &[
            ("member", "uid=mary,ou=people,dc=test"),
            ("member", "uid=john,ou=people,dc=test"),
            ("memberOf", "cn=all,ou=groups,dc=test"),
        ],
    ),
    (
        "cn=all,ou=groups,dc=test",
        "",
        &[("member", "cn=staff,ou=groups,dc=test"), ("memberOf", "cn=staff,ou=groups,dc=test")],
    ),
];

fn settings(servers: &[&Server]) -> Settings {
    let filter = Pattern::parse("(uid={user})", "user", Escape::Filter).expect("a filter");
    Settings {
        servers: servers.iter().map(|server| format!("ldap://127.0.0.1:{}", server.port)).collect(),
        start_tls: false,
        tls: None,
        service: Some(("cn=gateway,dc=test".to_owned(), Secret::new(b"reads".to_vec()))),
        users: UserLookup::Search { base: "ou=people,dc=test".to_owned(), filter },
        name_attribute: "uid".to_owned(),
        groups: GroupLookup::Attribute { attribute: "memberof".to_owned(), base: None },
        nested_groups_max_depth: 0,
        whole_group_names: false,
        connections_max: 2,
        timeout: Duration::from_secs(60),
    }
}

async fn ask(
    directory: &Directory,
    user: &str,
    password: &str,
) -> Result<(String, Vec<String>), DirectoryFault> {
    let user = directory.ask(user, &Secret::new(password.as_bytes().to_vec())).await?;
    Ok((user.name.into(), user.groups.iter().map(ToString::to_string).collect()))
}

fn known(user: &str, groups: &[&str]) -> Result<(String, Vec<String>), DirectoryFault> {
    Ok((user.to_owned(), groups.iter().map(|group| (*group).to_owned()).collect()))
}

#[tokio::test]
async fn a_user_is_found_and_bound_and_has_groups() {
    let server = Server::start(PEOPLE).await;
    let directory = Directory::new(settings(&[&server])).expect("settings");
    assert_eq!(ask(&directory, "mary", "secret").await, known("mary", &["staff", "clerks", "admins"]));
    assert_eq!(ask(&directory, "MARY", "secret").await, known("mary", &["staff", "clerks", "admins"]));
    assert_eq!(ask(&directory, "john", "word").await, known("john", &[]));
    for (user, password) in
        [("mary", "wrong"), ("mary", "word"), ("eve", "secret"), ("twin", "one"), ("mary", "")]
    {
        let fault = ask(&directory, user, password).await.expect_err(user);
        assert!(matches!(fault, DirectoryFault::Refused(_)), "{user}: {fault:?}");
    }
    let fault = ask(&directory, "nameless", "x").await.expect_err("it is not found by uid");
    assert!(matches!(fault, DirectoryFault::Refused(_)), "{fault:?}");
    assert_eq!(
        server.connections.load(Ordering::Relaxed),
        2,
        "two connections serve all, one after the other"
    );
    assert!(!format!("{directory:?}").contains("reads"));
}

#[tokio::test]
async fn words_of_callers_stay_words() {
    let server = Server::start(PEOPLE).await;
    let directory = Directory::new(settings(&[&server])).expect("settings");
    for user in ["*", "mary)(uid=*", "m*", "*)(|(uid=*", "\\6dary", "mary\0", "(", "ou=people"] {
        server.seen();
        let fault = ask(&directory, user, "secret").await.expect_err(user);
        assert!(matches!(fault, DirectoryFault::Refused(_)), "{user}: {fault:?}");
        let searched = format!("search ou=people,dc=test uid={user}");
        assert!(server.seen().contains(&searched), "the word arrives as it is: {user}");
    }
    // A password without a user's name proves nothing, and is not even sent.
    server.seen();
    ask(&directory, "mary", "").await.expect_err("no password");
    assert_eq!(server.seen(), Vec::<String>::new());
    // Of a user who is not there a password is verified too.
    ask(&directory, "eve", "x").await.expect_err("no such user");
    assert_eq!(server.seen().last().map(String::as_str), Some("bind cn=nobody,ou=people,dc=test"));

    let users = Pattern::parse("uid={user},ou=people,dc=test", "user", Escape::Name).expect("a name");
    let settings = Settings { service: None, users: UserLookup::Name(users), ..settings(&[&server]) };
    let directory = Directory::new(settings).expect("settings");
    assert_eq!(ask(&directory, "john", "word").await, known("john", &[]));
    server.seen();
    let fault = ask(&directory, "john,ou=people,dc=test", "word").await.expect_err("a longer name");
    assert!(matches!(fault, DirectoryFault::Refused(_)), "{fault:?}");
    assert_eq!(server.seen(), [r"bind uid=john\2cou\3dpeople\2cdc\3dtest,ou=people,dc=test"]);
    let fault = ask(&directory, "nameless", "x").await.expect_err("no uid");
    assert!(
        matches!(&fault, DirectoryFault::Unavailable(reason) if reason.contains("has no uid")),
        "{fault:?}"
    );
}

#[tokio::test]
async fn groups_of_groups_and_groups_elsewhere() {
    let server = Server::start(PEOPLE).await;
    let with = |groups: GroupLookup, depth, whole| {
        let settings = Settings {
            groups,
            nested_groups_max_depth: depth,
            whole_group_names: whole,
            ..settings(&[&server])
        };
        Directory::new(settings).expect("settings")
    };
    let base = Some("OU=Groups, dc=test".to_owned());
    let attribute = || GroupLookup::Attribute { attribute: "memberOf".to_owned(), base: base.clone() };
    let filter = Pattern::parse("(member={dn})", "dn", Escape::Filter).expect("a filter");
    let searched = || GroupLookup::Search { base: "ou=groups,dc=test".to_owned(), filter: filter.clone() };
    assert_eq!(ask(&with(GroupLookup::None, 3, false), "mary", "secret").await, known("mary", &[]));
    // What anybody may make in another place does not count.
    assert_eq!(
        ask(&with(attribute(), 0, false), "mary", "secret").await,
        known("mary", &["staff", "clerks"])
    );
    // Groups that are in each other end.
    assert_eq!(
        ask(&with(attribute(), 9, false), "mary", "secret").await,
        known("mary", &["staff", "clerks", "all"])
    );
    let whole = ["cn=staff,ou=groups,dc=test", "cn=clerks,ou=groups,dc=test"];
    assert_eq!(ask(&with(attribute(), 0, true), "mary", "secret").await, known("mary", &whole));
    assert_eq!(ask(&with(searched(), 0, false), "john", "word").await, known("john", &["staff"]));
    assert_eq!(ask(&with(searched(), 1, false), "john", "word").await, known("john", &["staff", "all"]));
}

#[tokio::test]
async fn a_directory_that_cannot_tell_refuses_nobody() {
    let server = Server::start(PEOPLE).await;
    let nobody = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        Server { port: listener.local_addr().expect("an address").port(), ..Server::default() }
    };
    let unavailable =
        |answer: Result<_, DirectoryFault>| matches!(answer, Err(DirectoryFault::Unavailable(_)));
    let gone = Directory::new(settings(&[&nobody])).expect("settings");
    assert!(unavailable(ask(&gone, "mary", "secret").await));
    // One of several is enough, and is asked first from then on.
    let both = Directory::new(settings(&[&nobody, &server])).expect("settings");
    for _ in 0..2 {
        assert_eq!(ask(&both, "john", "word").await, known("john", &[]));
    }
    let wrong = ("cn=gateway,dc=test".to_owned(), Secret::new(b"wrong".to_vec()));
    let wrong = Directory::new(Settings { service: Some(wrong), ..settings(&[&server]) }).expect("settings");
    let answer = ask(&wrong, "mary", "secret").await;
    assert!(
        matches!(&answer, Err(DirectoryFault::Unavailable(reason)) if reason.contains("bind_dn")),
        "{answer:?}"
    );
    for mood in [Mood::Code(51), Mood::Code(52), Mood::Code(1), Mood::Closing] {
        *server.mood.lock().expect("no panic") = mood;
        assert!(unavailable(ask(&both, "mary", "secret").await));
    }
    let hasty = Settings { timeout: Duration::from_millis(200), ..settings(&[&server]) };
    let hasty = Directory::new(hasty).expect("settings");
    *server.mood.lock().expect("no panic") = Mood::Silent;
    assert!(unavailable(ask(&hasty, "mary", "secret").await));
    *server.mood.lock().expect("no panic") = Mood::Fine;
    assert_eq!(ask(&both, "john", "word").await, known("john", &[]), "it is there again");
}

#[tokio::test]
async fn connections_that_died_are_made_anew_and_are_few() {
    let server = Server::start(PEOPLE).await;
    let directory = Arc::new(Directory::new(settings(&[&server])).expect("settings"));
    let many: Vec<_> = (0..50)
        .map(|_| {
            let directory = Arc::clone(&directory);
            tokio::spawn(async move { ask(&directory, "john", "word").await })
        })
        .collect();
    for one in many {
        assert_eq!(one.await.expect("no panic"), known("john", &[]));
    }
    let made = server.connections.load(Ordering::Relaxed);
    assert!(made <= 4, "two users at a time, two connections each: {made}");
    // The server closes what it has, at the next request of each.
    *server.mood.lock().expect("no panic") = Mood::Closing;
    ask(&directory, "john", "word").await.expect_err("closed, and closed again");
    *server.mood.lock().expect("no panic") = Mood::Fine;
    assert_eq!(ask(&directory, "john", "word").await, known("john", &[]));
}

#[test]
fn settings_that_would_not_be_safe_are_refused() {
    let good = || settings(&[&Server { port: 1, ..Server::default() }]);
    good().check().expect("this machine");
    let servers = |url: &str| Settings { servers: vec![url.to_owned()], ..good() };
    let cases = [
        (Settings { servers: Vec::new(), ..good() }, "one server at least"),
        (servers("ldap://ldap.example"), "in the clear"),
        (servers("ldap://localhost.example"), "in the clear"),
        (servers("ldap://127.0.0.1@evil.example"), "not a server URL"),
        (servers("ldaps://"), "not a server URL"),
        (servers("http://ldap.example"), "neither"),
        (servers("ldap.example"), "not a server URL"),
        (servers("ldaps://ldap.example"), "needs certificates"),
        (Settings { start_tls: true, ..servers("ldaps://ldap.example") }, "has TLS already"),
        (Settings { service: None, ..good() }, "under a name of the gateway"),
        (Settings { service: Some(("cn=x".to_owned(), Secret::new(Vec::new()))), ..good() }, "anonymous"),
        (Settings { connections_max: 0, ..good() }, "must not be"),
        (Settings { name_attribute: String::new(), ..good() }, "must not be"),
    ];
    for (settings, part) in cases {
        let error = settings.check().expect_err(part);
        assert!(error.contains(part), "expected '{part}': {error}");
    }
}
