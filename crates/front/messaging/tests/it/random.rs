//! Whatever comes is understood or refused.

use proptest::prelude::*;

use crate::Sent;

fn targets() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("login".to_owned()),
        Just("admin".to_owned()),
        Just("messaging".to_owned()),
        Just("qmgr".to_owned()),
        Just("queue".to_owned()),
        Just("message".to_owned()),
        Just("mqsc".to_owned()),
        Just("action".to_owned()),
        "[A-Z.%0-9]{0,5}",
    ];
    let path = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.join("/"));
    (1..4_u8, path, prop::option::of("[a-zA-Z=&%0-9:]{0,20}")).prop_map(|(version, path, query)| {
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        format!("/ibmmq/rest/v{version}/{path}{query}")
    })
}

proptest! {
    #[test]
    fn any_request_has_an_operation_or_a_trouble(
        target in targets(),
        method in prop_oneof![Just("GET"), Just("POST"), Just("DELETE"), Just("PATCH")],
        value in "[ -~]{0,30}",
        body in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let headers = [
            ("ibm-mq-rest-csrf-token", ""),
            ("content-type", "application/json"),
            ("ibm-mq-usr", value.as_str()),
        ];
        let sent = Sent { method, target: &target, headers: &headers, body: &body };
        if let Err(trouble) = sent.operation() {
            prop_assert!(trouble.status.is_client_error());
        }
    }

    #[test]
    fn any_command_is_understood_or_refused(command in "(DIS|DEF|ALT|DELETE|CLEAR) (QL|Q|QA|QS|QMGR)\\([A-Z*']{0,4}\\) [A-Z()'0-9 ]{0,30}") {
        let body = serde_json::json!({"type": "runCommand", "parameters": {"command": command}});
        prop_assert!(messaging::Asked::parse(body.to_string().as_bytes()).is_ok());
    }
}
