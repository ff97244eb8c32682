//! Forms, queries, URLs and challenges that a program reads by EXEC CICS WEB. The first line is the media type, the rest the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use program::web::{FIELDS_MAX, form_fields, is_host, is_target, parameter, query_fields, realm, url};

fuzz_target!(|data: &[u8]| {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let content_type = String::from_utf8_lossy(&data[..end]);
    let body = data.get(end + 1..).unwrap_or_default();
    for fields in [form_fields(&content_type, body), query_fields(body)].into_iter().flatten() {
        assert!(fields.len() <= FIELDS_MAX);
        assert!(fields.iter().all(|field| field.value.len() <= body.len()));
    }
    let _ = parameter(&content_type, "charset");
    // The first line as a URL of WEB PARSE URL, and as a challenge.
    if let Some(url) = url(&content_type) {
        assert!(is_host(url.host) && url.port > 0);
        assert!(url.path.starts_with('/') && is_target(url.path) && is_target(url.query));
    }
    assert!(realm(&data[..end]).is_none_or(|realm| realm.len() < end));
});
