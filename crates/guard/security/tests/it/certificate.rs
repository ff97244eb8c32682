//! Names in certificates, and the users behind them.

use std::collections::HashMap;

use rcgen::{CertificateParams, DnType, KeyPair, SanType};
use security::{CertificateNames, CertificateRule, Method, NameSource, UserRule, Validity};

fn certificate() -> Vec<u8> {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "Mary Müller");
    params.distinguished_name.push(DnType::OrganizationName, "Example");
    params.distinguished_name.push(DnType::OrganizationalUnitName, "Clerks");
    let name = |text: &str| text.to_owned().try_into().expect("ASCII");
    params.subject_alt_names = vec![
        SanType::DnsName(name("mary.example.com")),
        SanType::Rfc822Name(name("mary@example.com")),
        SanType::URI(name("spiffe://example.com/mary")),
        SanType::IpAddress([127, 0, 0, 1].into()),
    ];
    let key = KeyPair::generate().expect("a key");
    params.self_signed(&key).expect("a certificate").der().to_vec()
}

fn rule(source: NameSource, users: UserRule) -> CertificateRule {
    CertificateRule { source, users, groups: vec!["partners".to_owned()], units_are_groups: true }
}

#[test]
fn names_are_read() {
    let names = CertificateNames::parse(&certificate()).expect("a certificate");
    assert_eq!(names.common, ["Mary Müller"]);
    assert_eq!((names.organizations, names.units), (vec!["Example".to_owned()], vec!["Clerks".to_owned()]));
    assert_eq!(
        (names.dns, names.emails),
        (vec!["mary.example.com".to_owned()], vec!["mary@example.com".to_owned()])
    );
    assert_eq!(names.uris, ["spiffe://example.com/mary"]);
}

#[test]
fn the_time_of_a_certificate_is_read() {
    let mut params = CertificateParams::default();
    // UTCTime and GeneralizedTime.
    (params.not_before, params.not_after) =
        (rcgen::date_time_ymd(2024, 2, 29), rcgen::date_time_ymd(2051, 1, 1));
    let key = KeyPair::generate().expect("a key");
    let made = params.self_signed(&key).expect("a certificate");
    let expected =
        Validity { begins: params.not_before.unix_timestamp(), ends: params.not_after.unix_timestamp() };
    assert_eq!(Validity::parse(made.der()), Some(expected));
    assert_eq!(Validity::parse(b"no certificate"), None);
}

#[test]
fn a_certificate_that_is_cut_or_changed_is_no_panic() {
    let whole = certificate();
    for end in 0..whole.len() {
        let _ = (CertificateNames::parse(&whole[..end]), Validity::parse(&whole[..end]));
    }
    assert_eq!(CertificateNames::parse(&whole[..whole.len() / 2]), None);
    for at in 0..whole.len() {
        for bits in [0x01, 0x80, 0xFF] {
            let mut changed = whole.clone();
            changed[at] ^= bits;
            let _ = (CertificateNames::parse(&changed), Validity::parse(&changed));
        }
    }
}

#[test]
fn the_rule_says_which_name_is_the_user() {
    let names = CertificateNames::parse(&certificate()).expect("a certificate");
    let cases = [
        (NameSource::CommonName, "Mary Müller"),
        (NameSource::Dns, "mary.example.com"),
        (NameSource::Email, "mary@example.com"),
        (NameSource::Uri, "spiffe://example.com/mary"),
    ];
    for (source, expected) in cases {
        let identity = rule(source, UserRule::AsIs).identity(&names).expect("a user");
        assert_eq!((&*identity.name, identity.method), (expected, Method::Certificate));
        assert_eq!(identity.groups.iter().map(|group| &**group).collect::<Vec<_>>(), ["partners", "Clerks"]);
    }
}

#[test]
fn a_name_that_stands_twice_is_nobodys() {
    let mut names = CertificateNames::parse(&certificate()).expect("a certificate");
    names.common.push("root".to_owned());
    assert_eq!(rule(NameSource::CommonName, UserRule::AsIs).identity(&names), None);
    names.common.clear();
    assert_eq!(rule(NameSource::CommonName, UserRule::AsIs).identity(&names), None);
}

#[test]
fn a_table_names_all_users_that_there_are() {
    let names = CertificateNames::parse(&certificate()).expect("a certificate");
    let table = |name: &str| {
        let user = ("mary".to_owned(), vec!["boss".to_owned()]);
        rule(NameSource::Email, UserRule::Table(HashMap::from([(name.to_owned(), user)])))
    };
    let identity = table("mary@example.com").identity(&names).expect("mary");
    assert_eq!((&*identity.name, identity.groups.len()), ("mary", 3));
    assert_eq!(table("john@example.com").identity(&names), None);
}
