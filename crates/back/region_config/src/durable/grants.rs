//! `[[region.queue_grant]]`: the rights to queues of messages.

use region::{QueueGrant, QueueRight, QueueRights};
use serde::Deserialize;
use toml::Spanned;

use super::Fault;

/// The longest name of a queue, in bytes.
const QUEUE_NAME_MAX: usize = 48;

/// `[[region.queue_grant]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueueGrantSection {
    users: Vec<String>,
    queues: Vec<String>,
    rights: Vec<RightWord>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RightWord {
    Put,
    Get,
    Browse,
    Inquire,
    Set,
}

impl RightWord {
    fn right(self) -> QueueRight {
        match self {
            Self::Put => QueueRight::Put,
            Self::Get => QueueRight::Get,
            Self::Browse => QueueRight::Browse,
            Self::Inquire => QueueRight::Inquire,
            Self::Set => QueueRight::Set,
        }
    }
}

/// All grants, and their faults.
pub(super) fn rights(written: &[Spanned<QueueGrantSection>], faults: &mut Vec<Fault>) -> QueueRights {
    let mut grants = Vec::new();
    for section in written {
        let QueueGrantSection { users, queues, rights } = section.get_ref();
        let mut wrong = |message: String| faults.push((section.span(), message));
        for (key, is_empty) in
            [("users", users.is_empty()), ("queues", queues.is_empty()), ("rights", rights.is_empty())]
        {
            if is_empty {
                wrong(format!("'{key}' is empty: nobody gets a right from it"));
            }
        }
        for user in users.iter().filter(|user| *user != "*" && !(1..=8).contains(&user.len())) {
            wrong(format!("'{user}' is not a user of a task: expected 1 to 8 characters, or '*'"));
        }
        for queue in queues.iter().filter(|queue| !is_pattern(queue)) {
            wrong(format!(
                "'{queue}' is not the name of a queue, nor the beginning of one with '*' behind it"
            ));
        }
        let rights = rights.iter().map(|word| word.right()).collect();
        grants.push(QueueGrant { users: users.clone(), queues: queues.clone(), rights });
    }
    QueueRights(grants)
}

fn is_pattern(text: &str) -> bool {
    let name = text.strip_suffix('*').unwrap_or(text);
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"._/%".contains(&byte);
    !text.is_empty() && name.len() <= QUEUE_NAME_MAX && name.bytes().all(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(QueueRights, Vec<String>), String> {
        let section: Spanned<QueueGrantSection> = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut faults = Vec::new();
        let rights = rights(&[section], &mut faults);
        Ok((rights, faults.into_iter().map(|(_, message)| message).collect()))
    }

    #[test]
    fn grants_are_read_and_faults_told() {
        let (rights, faults) = read(
            "users = [\"ANNE\", \"*\"]\nqueues = [\"ORDERS\", \"DEV.*\", \"*\"]\nrights = [\"put\", \"get\"]",
        )
        .expect("TOML");
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(rights.0[0].rights, [QueueRight::Put, QueueRight::Get]);
        let (_, faults) =
            read("users = [\"SOMEBODY1\"]\nqueues = [\"A*B\", \"\"]\nrights = []").expect("TOML");
        assert_eq!(faults.len(), 4, "{faults:?}");
        assert!(read("users = [\"A\"]\nqueues = [\"Q\"]\nrights = [\"own\"]").is_err());
    }
}
