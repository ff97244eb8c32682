//! Any bytes as a rule set, as an answer of an external interceptor, as a body whose secrets are hidden, and as the context of a trace.
#![no_main]

use interceptor::external::Decision;
use interceptor::policy::RuleSet;
use interceptor::redact::Redaction;
use interceptor::trace::TraceContext;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(context) = TraceContext::parse(bytes) {
        assert_eq!(TraceContext::parse(context.to_string().as_bytes()), Some(context));
    }
    let _ = Decision::parse(bytes, &[]);
    let rules = Redaction::new(Vec::new(), &["a".to_owned(), "/b/c".to_owned()]).expect("rules");
    if let Some(shown) = rules.json(bytes) {
        // Numbers that no f64 holds are JSON all the same.
        if let Err(error) = serde_json::from_str::<serde_json::Value>(&shown) {
            assert!(error.to_string().starts_with("number out of range"), "{error}: {shown}");
        }
        assert_eq!(rules.json(shown.as_bytes()).as_deref(), Some(&*shown), "hiding twice changes nothing");
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = rules.query(text);
        if let Err(findings) = RuleSet::parse(text) {
            assert!(findings.iter().any(|finding| !finding.is_warning));
        }
    }
});
