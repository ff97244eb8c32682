//! Tokens: fetched once, kept, fetched again after 401, and never shown.

use std::sync::Arc;
use std::time::{Duration, Instant};

use remote::{
    ApiKeyPlace, Auth, Call, ClientAuth, Connection, ConnectionSettings, ErrorKind, Grant, OAuth,
    OAuthSettings,
};
use security::Secret;

use crate::server::{Reply, Server, answer, connection, get, patient, post};

fn oauth(tokens: &Server, grant: Grant, client_auth: ClientAuth) -> OAuthSettings {
    OAuthSettings {
        server: connection(tokens.settings()),
        target: "/token".to_owned(),
        grant,
        client_id: "gantry".to_owned(),
        client_secret: Some(Secret::new(b"s&cret".to_vec())),
        client_auth,
        parameters: vec![("scope".to_owned(), "read write".to_owned())],
        refresh_before: Duration::from_secs(30),
        lifetime_default: Duration::from_secs(300),
    }
}

fn with(server: &Server, settings: OAuthSettings) -> Arc<Connection> {
    let auth = Auth::OAuth(Box::new(OAuth::new(settings)));
    connection(ConnectionSettings { auth, ..server.settings() })
}

fn token(text: &str) -> Reply {
    answer(200, &format!(r#"{{"access_token":"{text}","token_type":"bearer","expires_in":3600}}"#))
}

#[tokio::test]
async fn a_token_is_fetched_once_for_all() {
    let tokens = Server::start([token("one")]).await;
    let server = Server::start([answer(200, "{}")]).await;
    let connection = with(&server, oauth(&tokens, Grant::ClientCredentials, ClientAuth::Basic));
    let calls: Vec<_> = (0..6)
        .map(|_| {
            let connection = connection.clone();
            tokio::spawn(async move { connection.exchange(get("/"), &patient()).await })
        })
        .collect();
    for call in calls {
        assert!(call.await.expect("no panic").is_ok());
    }
    assert_eq!((tokens.asked().len(), server.asked().len()), (1, 6));
    assert!(server.asked().iter().all(|asked| asked.contains("\r\nauthorization: Bearer one\r\n")));
    let asked = tokens.asked().remove(0);
    assert!(asked.starts_with("POST /v1/token HTTP/1.1\r\n"), "{asked}");
    assert!(asked.ends_with("\r\n\r\ngrant_type=client_credentials&scope=read%20write"), "{asked}");
    // gantry:s%26cret
    assert!(asked.contains("\r\nauthorization: Basic Z2FudHJ5OnMlMjZjcmV0\r\n"), "{asked}");
}

#[tokio::test]
async fn a_password_grant_has_all_in_its_body() {
    let tokens = Server::start([token("one")]).await;
    let server = Server::start([answer(200, "{}")]).await;
    let grant = Grant::Password { user: "bob".to_owned(), password: Secret::new(b"p=w".to_vec()) };
    let connection = with(&server, oauth(&tokens, grant, ClientAuth::Body));
    connection.exchange(get("/"), &patient()).await.expect("an answer");
    let asked = tokens.asked().remove(0);
    let form = "grant_type=password&username=bob&password=p%3Dw&scope=read%20write&client_id=gantry&client_secret=s%26cret";
    assert!(asked.ends_with(&format!("\r\n\r\n{form}")), "{asked}");
}

#[tokio::test]
async fn a_token_that_is_refused_is_fetched_again_once() {
    let tokens = Server::start([token("old"), token("new")]).await;
    let server = Server::start([answer(401, ""), answer(200, "{}")]).await;
    let connection = with(&server, oauth(&tokens, Grant::ClientCredentials, ClientAuth::Basic));
    let found = connection.exchange(post("/", "x"), &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), tokens.asked().len()), (200, 2));
    assert!(server.asked()[1].contains("authorization: Bearer new\r\n"));

    let server = Server::start([answer(401, "")]).await;
    let tokens = Server::start([token("any")]).await;
    let connection = with(&server, oauth(&tokens, Grant::ClientCredentials, ClientAuth::Basic));
    let found = connection.exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), server.asked().len(), tokens.asked().len()), (401, 2, 2));
}

#[tokio::test]
async fn without_a_token_nothing_is_sent() {
    let replies = [
        answer(400, r#"{"error":"invalid_client","secret":"s&cret"}"#),
        answer(200, r#"{"token_type":"bearer"}"#),
        answer(200, r#"{"access_token":"t","token_type":"mac"}"#),
        answer(200, r#"{"access_token":"t","expires_in":"soon"}"#),
        answer(200, r#"{"access_token":"a\nb"}"#),
        answer(200, "<html>"),
        Reply::Cut(String::new()),
    ];
    for reply in replies {
        let tokens = Server::start([reply.clone()]).await;
        let server = Server::start([answer(200, "{}")]).await;
        let connection = with(&server, oauth(&tokens, Grant::ClientCredentials, ClientAuth::Basic));
        let error = connection.exchange(get("/"), &patient()).await.expect_err("no token");
        assert_eq!((error.kind, error.retry_is_safe), (ErrorKind::NoToken, true), "{reply:?}: {error}");
        assert!(!error.message.contains("cret"), "{error}");
        let asked = tokens.asked().len();
        assert!(connection.exchange(get("/"), &patient()).await.is_err());
        assert_eq!(tokens.asked().len(), asked, "a server that just failed is left alone for a while");
        assert!(server.asked().is_empty());
    }
}

#[tokio::test]
async fn a_call_without_time_takes_no_token_from_others() {
    let tokens = Server::start([Reply::Silence, token("one")]).await;
    let server = Server::start([answer(200, "{}")]).await;
    let connection = with(&server, oauth(&tokens, Grant::ClientCredentials, ClientAuth::Basic));
    let hasty = Call { deadline: Instant::now() + Duration::from_millis(50), ..patient() };
    connection.exchange(get("/"), &hasty).await.expect_err("no time");
    connection.exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!(tokens.asked().len(), 2);
}

#[tokio::test]
async fn a_token_that_has_ended_is_fetched_again() {
    let short = answer(200, r#"{"access_token":"short","expires_in":0}"#);
    let tokens = Server::start([short, token("long")]).await;
    let server = Server::start([answer(200, "{}")]).await;
    let connection = with(&server, oauth(&tokens, Grant::ClientCredentials, ClientAuth::Basic));
    for _ in 0..3 {
        connection.exchange(get("/"), &patient()).await.expect("an answer");
    }
    assert_eq!(tokens.asked().len(), 2);
    assert!(server.asked()[2].contains("authorization: Bearer long\r\n"));
}

#[tokio::test]
async fn keys_stand_where_they_are_wanted() {
    let server = Server::start([answer(200, "{}")]).await;
    let key = || Secret::new(b"k y".to_vec());
    for (place, name) in [(ApiKeyPlace::Query, "key"), (ApiKeyPlace::Header, "x-key")] {
        let auth = Auth::api_key(place, name, key()).expect("a key");
        let connection = connection(ConnectionSettings { auth, ..server.settings() });
        connection.exchange(get("/a?b=c"), &patient()).await.expect("an answer");
    }
    assert!(server.asked()[0].starts_with("GET /v1/a?b=c&key=k%20y HTTP/1.1"), "{:?}", server.asked());
    assert!(server.asked()[1].contains("\r\nx-key: k y\r\n"), "{:?}", server.asked());
}
