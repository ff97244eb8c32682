//! The rights of tasks to queues, by their users.

use message::Reason;

use crate::options::Uses;

/// A right of a task to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueRight {
    /// MQPUT, MQPUT1.
    Put,
    /// MQGET that takes the message.
    Get,
    /// MQGET that leaves it.
    Browse,
    /// MQINQ.
    Inquire,
    /// MQSET.
    Set,
}

/// Lets some users do something with some queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueGrant {
    /// Users of tasks; `*` is anybody.
    pub users: Vec<String>,
    /// Names of queues, as programs open them, and whole topics; with `*` at the end, all that begin so.
    pub queues: Vec<String>,
    /// Their rights.
    pub rights: Vec<QueueRight>,
}

/// All grants of a region. Without any, every task may do everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueRights(pub Vec<QueueGrant>);

impl QueueRights {
    /// Whether a user may open a queue so.
    ///
    /// # Errors
    /// `NotAuthorized`.
    pub(crate) fn check(&self, user: &str, queue: &str, uses: Uses) -> Result<(), Reason> {
        let wanted = [
            (uses.output, QueueRight::Put),
            (uses.input.is_some(), QueueRight::Get),
            (uses.browse, QueueRight::Browse),
            (uses.inquire, QueueRight::Inquire),
            (uses.set, QueueRight::Set),
        ];
        let mut wanted = wanted.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, right)| right);
        let granted = |right: QueueRight| {
            self.0.iter().any(|grant| {
                grant.rights.contains(&right)
                    && grant.users.iter().any(|known| known == "*" || known == user.trim_end())
                    && grant.queues.iter().any(|known| fits(known, queue))
            })
        };
        if self.0.is_empty() || wanted.all(granted) { Ok(()) } else { Err(Reason::NotAuthorized) }
    }
}

fn fits(pattern: &str, queue: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => queue.starts_with(beginning),
        None => queue == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Input;

    #[test]
    fn a_task_may_do_what_is_granted_to_its_user() {
        let grant = |users: &[&str], queues: &[&str], rights: &[QueueRight]| QueueGrant {
            users: users.iter().map(|user| (*user).to_owned()).collect(),
            queues: queues.iter().map(|queue| (*queue).to_owned()).collect(),
            rights: rights.to_vec(),
        };
        let output = Uses { output: true, ..Uses::default() };
        let both = Uses { input: Some(Input::Shared), browse: true, ..Uses::default() };
        assert_eq!(QueueRights::default().check("ANYBODY", "ORDERS", both), Ok(()));
        let rights = QueueRights(vec![
            grant(&["CLERK1", "CLERK2"], &["ORDERS", "OLD.*"], &[QueueRight::Get]),
            grant(&["CLERK1"], &["ORDERS"], &[QueueRight::Browse]),
            grant(&["*"], &["ORDERS"], &[QueueRight::Put]),
        ]);
        let no = Err(Reason::NotAuthorized);
        for (user, queue, uses, expected) in [
            ("CLERK1", "ORDERS", both, Ok(())),
            ("CLERK1  ", "ORDERS", both, Ok(())),
            ("CLERK2", "ORDERS", both, no),
            ("CLERK1", "OLD.ORDERS", both, no),
            ("CLERK2", "OLD.ORDERS", Uses { browse: false, ..both }, Ok(())),
            ("GUEST", "ORDERS", output, Ok(())),
            ("GUEST", "ORDERS.NEW", output, no),
            ("GUEST", "ORDERS", Uses { set: true, ..output }, no),
        ] {
            assert_eq!(rights.check(user, queue, uses), expected, "{user} {queue}");
        }
    }
}
