//! Any bytes as what strangers send to be known by: Basic credentials, tokens, certificates, sets of keys.
#![no_main]

use libfuzzer_sys::fuzz_target;
use security::jwt::{KeyRing, read_token};
use security::{Basic, CertificateNames, DeniedKind};

fuzz_target!(|bytes: &[u8]| {
    match Basic::parse(bytes) {
        Ok(basic) => assert!(!basic.user().is_empty() && !basic.user().contains(':')),
        Err(denied) => assert_eq!(denied.kind, DeniedKind::Malformed),
    }
    read_token(bytes);
    let _ = CertificateNames::parse(bytes);
    let _ = KeyRing::of_set(bytes, 0);
});
