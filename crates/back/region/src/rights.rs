//! Who may run which programs and transactions of a region.
//!
//! A program that no rule names is free for every caller. A rule lets in only the groups and the users that
//! it names. Unknown callers match no rule.

use service::Caller;
use wire::{Name, name};

/// The most rules of a region.
pub const RULES_MAX: usize = 1_000;

/// Who may run one program, or any program under one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<const N: usize> {
    /// The program or the transaction.
    pub name: Name<N>,
    /// The groups whose users may run it.
    pub groups: Vec<Box<str>>,
    /// Users who may run it, whatever their groups.
    pub users: Vec<Box<str>>,
}

/// All rules of a region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// By program: for the first program of a task, and for LINK, XCTL and HANDLE ABEND PROGRAM in it.
    pub programs: Vec<Rule<8>>,
    /// By transaction: for the start of a task.
    pub transactions: Vec<Rule<4>>,
}

/// The caller of a task, for rules: the whole name, and the groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskCaller {
    /// The user's name.
    pub user: Box<str>,
    /// The user's groups.
    pub groups: Box<[Box<str>]>,
}

/// The bytes of a user id of CICS.
pub(crate) const USER_ID_BYTES: usize = 8;

/// A user as programs see it (ASSIGN USERID): the name in upper case, cut after the last whole character
/// within 8 bytes. Rules never see it, because two names may begin alike.
#[must_use]
pub fn user_id(user: &str) -> Name<8> {
    let upper = user.to_uppercase();
    name(&upper[..upper.floor_char_boundary(USER_ID_BYTES)])
}

/// The whole name of a task's user. If the caller is not known, the name that programs see.
pub(crate) fn whole_name(caller: Option<&TaskCaller>, user: Name<8>) -> Box<str> {
    match caller {
        Some(caller) => caller.user.clone(),
        None => String::from_utf8_lossy(&user).trim_end().into(),
    }
}

impl TaskCaller {
    /// A caller with a name and no groups.
    #[must_use]
    pub fn named(user: &str) -> Self {
        Self { user: user.into(), groups: Box::default() }
    }

    /// A caller that is kept for as long as its task runs.
    #[must_use]
    pub fn of(caller: Caller<'_>) -> Self {
        Self { user: caller.user.into(), groups: caller.groups.into() }
    }

    /// The caller.
    #[must_use]
    pub fn caller(&self) -> Caller<'_> {
        Caller { user: &self.user, groups: &self.groups }
    }
}

impl<const N: usize> Rule<N> {
    fn lets_in(&self, caller: Option<Caller<'_>>) -> bool {
        caller.is_some_and(|caller| {
            self.users.iter().any(|user| **user == *caller.user)
                || caller.groups.iter().any(|group| self.groups.contains(group))
        })
    }
}

impl Rights {
    /// True if the caller may run programs under the transaction.
    #[must_use]
    pub fn allow_transaction(&self, transaction: Name<4>, caller: Option<Caller<'_>>) -> bool {
        let mut rules = self.transactions.iter().filter(|rule| rule.name == transaction);
        rules.all(|rule| rule.lets_in(caller))
    }

    /// True if a rule names the program.
    pub(crate) fn guard_program(&self, program: Name<8>) -> bool {
        self.programs.iter().any(|rule| rule.name == program)
    }

    /// True if a rule names the transaction.
    pub(crate) fn guard_transaction(&self, transaction: Name<4>) -> bool {
        self.transactions.iter().any(|rule| rule.name == transaction)
    }

    /// The programs that the caller may not run.
    #[must_use]
    pub fn refused_programs(&self, caller: Option<Caller<'_>>) -> Vec<Name<8>> {
        let refused = self.programs.iter().filter(|rule| !rule.lets_in(caller));
        refused.map(|rule| rule.name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::name;

    fn rule<const N: usize>(text: &str, groups: &[&str], users: &[&str]) -> Rule<N> {
        let own = |names: &[&str]| names.iter().map(|name| (*name).into()).collect();
        Rule { name: name(text), groups: own(groups), users: own(users) }
    }

    #[test]
    fn user_ids_are_names_cut_at_a_character() {
        for (user, expected) in
            [("maude", "MAUDE   "), ("customer1", "CUSTOMER"), ("a", "A       "), ("", "        ")]
        {
            assert_eq!(user_id(user), expected.as_bytes(), "{user}");
        }
        assert_eq!(&user_id("abcdefg\u{e9}"), b"ABCDEFG ", "half a character is none");
    }

    #[test]
    fn rules_let_in_groups_and_users_and_nobody_else() {
        let rights = Rights {
            programs: vec![rule("PAY", &["clerks"], &["maude"]), rule("AUDIT", &[], &["eve"])],
            transactions: vec![rule("PAYR", &["clerks"], &[])],
        };
        let groups: [Box<str>; 2] = ["staff".into(), "clerks".into()];
        let clerk = Some(Caller { user: "carl", groups: &groups });
        let maude = Some(Caller { user: "maude", groups: &[] });
        let stranger = Some(Caller { user: "Maude", groups: &groups[..1] });
        for (caller, refused, transaction) in [
            (clerk, vec![name("AUDIT")], true),
            (maude, vec![name("AUDIT")], false),
            (stranger, vec![name("PAY"), name("AUDIT")], false),
            (None, vec![name("PAY"), name("AUDIT")], false),
        ] {
            assert_eq!(rights.refused_programs(caller), refused, "{caller:?}");
            assert_eq!(rights.allow_transaction(name("PAYR"), caller), transaction, "{caller:?}");
            assert!(rights.allow_transaction(name("ELSE"), caller));
        }
        assert!(Rights::default().refused_programs(None).is_empty());
    }
}
