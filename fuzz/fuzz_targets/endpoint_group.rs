//! Any text as the descriptor of an endpoint group.
#![no_main]

use connector::descriptor::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| match read(text) {
    Ok(group) => {
        assert!((1..=8).contains(&group.group_name.len()) && !group.endpoints.is_empty());
        for endpoint in group.endpoints {
            assert!(endpoint.destination.contains(':'));
            assert!(
                endpoint
                    .max_sockets
                    .is_none_or(|most| endpoint.start_sockets.is_none_or(|start| start <= most))
            );
        }
    }
    Err(fault) => assert!(fault.line >= 1 && fault.line <= text.lines().count().max(1) + 1),
});
