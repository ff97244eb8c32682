//! MQTM: the data for RETRIEVE in a transaction that a trigger has started.

use mqi::{Fields, TRIGGER, padded};
use queue::TriggerEvent;

/// MQAT-CICS.
const APPLICATION_CICS: i32 = 1;

/// The bytes of MQTM for a queue that starts a transaction, as CMQTML lays them out.
#[must_use]
pub fn trigger_message(event: &TriggerEvent) -> Vec<u8> {
    let TriggerEvent { queue, trigger, process } = event;
    let Some(mut fields) = Fields::initial(&TRIGGER, 1, padded) else { return Vec::new() };
    fields.set_text("QNAME", queue.as_str());
    fields.set_text("PROCESSNAME", &process.name);
    fields.set_text("TRIGGERDATA", &trigger.data);
    fields.set_number("APPLTYPE", APPLICATION_CICS);
    fields.set_text("APPLID", &process.transaction);
    fields.set_text("ENVDATA", &process.environment_data);
    fields.set_text("USERDATA", &process.user_data);
    fields.as_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use message::QueueName;
    use queue::{Process, Trigger};

    use super::*;

    #[test]
    fn the_structure_has_its_fields_where_cmqtml_has_them() {
        let event = TriggerEvent {
            queue: QueueName::new("CARD.DEMO.REQUEST").unwrap(),
            trigger: Trigger { data: "told".to_owned(), ..Trigger::default() },
            process: Process {
                name: "PROC".to_owned(),
                transaction: "CRDA".to_owned(),
                environment_data: "env".to_owned(),
                user_data: "user".to_owned(),
            },
        };
        let bytes = trigger_message(&event);
        let text =
            |from: usize, length: usize| String::from_utf8_lossy(&bytes[from..from + length]).into_owned();
        assert_eq!((bytes.len(), text(0, 4), &bytes[4..8]), (684, "TM  ".to_owned(), &[0, 0, 0, 1][..]));
        assert_eq!(text(8, 48).trim_end(), "CARD.DEMO.REQUEST");
        assert_eq!(text(56, 48), format!("{:48}", "PROC"));
        assert_eq!(text(104, 64).trim_end(), "told");
        assert_eq!(&bytes[168..172], &[0, 0, 0, 1]);
        assert_eq!(text(172, 256).trim_end(), "CRDA");
        assert_eq!((text(428, 128).trim_end(), text(556, 128).trim_end()), ("env", "user"));
    }
}
