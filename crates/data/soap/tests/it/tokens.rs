//! UsernameToken of WS-Security.

use failure::Code;
use soap::{Token, Versions};

use crate::{ADD, S11, S12, envelope, fault, service, taken, taken_by};

const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const WSU: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
const PROFILE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0";

fn security(content: &str) -> String {
    format!("<Security xmlns=\"{WSSE}\" xmlns:u=\"{WSU}\" s:mustUnderstand=\"1\">{content}</Security>")
}

const ADA: &str = "<UsernameToken><Username>ada</Username><Password>a&lt;b</Password></UsernameToken>";

#[test]
fn a_token_is_user_and_password() {
    let token = Token { user: "ada".to_owned(), password: "a<b".to_owned() };
    for content in [
        ADA.to_owned(),
        ADA.replace("<Password>", &format!("<Password Type=\"{PROFILE}#PasswordText\">")),
        format!("<u:Timestamp><u:Created>2026-11-23T06:00:00Z</u:Created></u:Timestamp>{ADA}"),
        ADA.replace("</UsernameToken>", "<Nonce>abc</Nonce><u:Created/></UsernameToken>"),
    ] {
        for namespace in [S11, S12] {
            let taken = taken(&envelope(namespace, &security(&content), ADD)).1.expect(&content);
            assert_eq!(taken.token.as_ref(), Some(&token));
        }
    }
    assert!(!format!("{token:?}").contains("a<b"), "passwords are not shown");
}

#[test]
fn other_tokens_are_refused() {
    for (content, code) in [
        (
            ADA.replace("<Password>", &format!("<Password Type=\"{PROFILE}#PasswordDigest\">")),
            Code::Unauthenticated,
        ),
        (ADA.repeat(2), Code::Unauthenticated),
        ("<UsernameToken><Username>ada</Username></UsernameToken>".to_owned(), Code::Unauthenticated),
        (ADA.replace("ada", &"a".repeat(1_025)), Code::Unauthenticated),
        ("<BinarySecurityToken>abc</BinarySecurityToken>".to_owned(), Code::NotUnderstood),
        (format!("{ADA}<Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"/>"), Code::NotUnderstood),
    ] {
        let trouble = taken(&envelope(S12, &security(&content), ADD)).1.expect_err(&content);
        assert_eq!(trouble.failure.code, code, "{content}");
    }
    let blocks = security(ADA).repeat(2);
    let trouble = taken(&envelope(S12, &blocks, ADD)).1.expect_err("a token in each of two blocks");
    assert_eq!(trouble.failure.code, Code::Unauthenticated);
}

#[test]
fn faults_of_tokens_have_the_codes_of_ws_security() {
    let digest = ADA.replace("<Password>", &format!("<Password Type=\"{PROFILE}#PasswordDigest\">"));
    for (content, name) in [
        (digest, "UnsupportedSecurityToken"),
        (ADA.repeat(2), "InvalidSecurity"),
        ("<UsernameToken><Username>ada</Username></UsernameToken>".to_owned(), "InvalidSecurityToken"),
        (ADA.replace("ada", &"a".repeat(1_025)), "InvalidSecurityToken"),
    ] {
        let (status, text) = fault(&envelope(S11, &security(&content), ADD));
        assert_eq!(status, 401, "{text}");
        let code = format!("<SOAP-ENV:Fault xmlns:wsse=\"{WSSE}\"><faultcode>wsse:{name}</faultcode>");
        assert!(text.contains(&code) && text.contains("GTY0432W"), "{text}");
        let (status, text) = fault(&envelope(S12, &security(&content), ADD));
        assert_eq!(status, 401, "{text}");
        let code = format!(
            "<SOAP-ENV:Value>SOAP-ENV:Sender</SOAP-ENV:Value><SOAP-ENV:Subcode>\
             <SOAP-ENV:Value xmlns:wsse=\"{WSSE}\">wsse:{name}</SOAP-ENV:Value></SOAP-ENV:Subcode>"
        );
        assert!(text.contains(&code), "{text}");
    }
}

#[test]
fn without_consent_tokens_are_not_understood() {
    let service = soap::WebService { username_token: false, ..service(Versions::All) };
    let message = envelope(S12, &security(ADA), ADD);
    let trouble = taken_by(&service, &message).1.expect_err("not understood");
    assert_eq!(trouble.failure.code, Code::NotUnderstood);
    let message = message.replace(" s:mustUnderstand=\"1\"", "");
    assert_eq!(taken_by(&service, &message).1.expect("passed over").token, None);
}
