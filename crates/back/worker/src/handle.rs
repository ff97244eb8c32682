//! The reactions of a link level to conditions and abends: HANDLE CONDITION, IGNORE CONDITION, HANDLE ABEND,
//! PUSH and POP.

use program::conditions::{Condition, Default, ENQBUSY, ERROR, QBUSY};

/// A label of a program: its number, and the frame that it means something in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) number: u16,
    pub(super) frame: usize,
}

/// Where an abend goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AbendExit {
    Label(Label),
    Program([u8; 8]),
}

#[derive(Clone, Copy, Debug)]
enum Handling {
    Label(Label),
    Ignore,
}

/// The settings of a link level.
#[derive(Debug, std::default::Default)]
pub(super) struct Handles {
    now: Settings,
    pushed: Vec<Settings>,
}

#[derive(Debug, std::default::Default)]
struct Settings {
    conditions: Vec<(u16, Handling)>,
    exit: Option<(AbendExit, bool)>,
}

/// The effect of a raised condition on the program that gave the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reaction {
    GoOn,
    GoTo(u16),
    Abend(&'static str),
}

/// The abend of conditions whose own code we do not know: that of the condition ERROR.
const UNKNOWN_ABEND: &str = "AEIA";

impl Handles {
    /// Handles, ignores or forgets a condition.
    pub(super) fn handle(&mut self, condition: u16, label: Option<Label>) {
        self.forget(condition);
        if let Some(label) = label {
            self.now.conditions.push((condition, Handling::Label(label)));
        }
    }

    pub(super) fn ignore(&mut self, condition: u16) {
        self.forget(condition);
        self.now.conditions.push((condition, Handling::Ignore));
    }

    fn forget(&mut self, condition: u16) {
        self.now.conditions.retain(|(known, _)| *known != condition);
    }

    /// Sets or removes the exit for abends.
    pub(super) fn set_exit(&mut self, exit: Option<AbendExit>) {
        match exit {
            Some(exit) => self.now.exit = Some((exit, true)),
            // CANCEL, which RESET can take back.
            None => self.enable_exit(false),
        }
    }

    /// Makes the last exit hold again, after CANCEL or after an abend went there.
    pub(super) fn reset_exit(&mut self) {
        self.enable_exit(true);
    }

    fn enable_exit(&mut self, enabled: bool) {
        if let Some((_, holds)) = &mut self.now.exit {
            *holds = enabled;
        }
    }

    pub(super) fn push(&mut self) {
        self.pushed.push(std::mem::take(&mut self.now));
    }

    /// False if nothing was pushed.
    pub(super) fn pop(&mut self) -> bool {
        match self.pushed.pop() {
            Some(settings) => {
                self.now = settings;
                true
            }
            None => false,
        }
    }

    /// True if the program has a reaction to this condition.
    pub(super) fn has(&self, condition: &Condition) -> bool {
        self.now.conditions.iter().any(|(known, _)| *known == condition.number)
    }

    /// The effect of a condition that a program with this frame has raised.
    pub(super) fn react(&self, condition: &Condition, frame: usize) -> Reaction {
        let find =
            |number: u16| self.now.conditions.iter().find(|(known, _)| *known == number).map(|(_, how)| *how);
        let told = |handling: Handling| match handling {
            Handling::Ignore => Some(Reaction::GoOn),
            Handling::Label(label) if label.frame == frame => Some(Reaction::GoTo(label.number)),
            Handling::Label(_) => None,
        };
        let own = find(condition.number);
        if let Some(reaction) = own.and_then(told) {
            return reaction;
        }
        let code = match condition.default {
            Default::Ignore => return Reaction::GoOn,
            // These conditions are only raised for a program that does not wait.
            Default::Wait if [&ENQBUSY, &QBUSY].contains(&condition) => return Reaction::GoOn,
            Default::Abend(code) => code,
            // Nothing else that we raise can be waited for.
            Default::AbendUnknown | Default::Wait => UNKNOWN_ABEND,
        };
        // ERROR is for conditions that would end the task and that the program has not named itself.
        let error = if own.is_none() { find(ERROR.number) } else { None };
        error.and_then(told).unwrap_or(Reaction::Abend(code))
    }

    /// The exit for an abend. It then no longer holds.
    pub(super) fn take_exit(&mut self) -> Option<AbendExit> {
        let (exit, holds) = self.now.exit.as_mut()?;
        std::mem::take(holds).then_some(*exit)
    }
}

#[cfg(test)]
mod tests {
    use program::conditions::{INVREQ, LENGERR, NORMAL, NOSTG, PGMIDERR, QIDERR, RETPAGE};

    use super::*;

    const FRAME: usize = 16;

    fn label(number: u16) -> Option<Label> {
        Some(Label { number, frame: FRAME })
    }

    #[test]
    fn conditions_go_where_the_program_said() {
        let mut handles = Handles::default();
        assert_eq!(handles.react(&PGMIDERR, FRAME), Reaction::Abend("AEI0"));
        assert_eq!(handles.react(&NORMAL, FRAME), Reaction::GoOn);
        handles.handle(PGMIDERR.number, label(3));
        handles.handle(ERROR.number, label(4));
        handles.ignore(LENGERR.number);
        assert_eq!(handles.react(&PGMIDERR, FRAME), Reaction::GoTo(3));
        assert_eq!(handles.react(&QIDERR, FRAME), Reaction::GoTo(4));
        assert_eq!(handles.react(&LENGERR, FRAME), Reaction::GoOn);
        // A condition that does not end the task by itself does not count for ERROR.
        assert_eq!(handles.react(&RETPAGE, FRAME), Reaction::GoOn);
        assert_eq!(handles.react(&ENQBUSY, FRAME), Reaction::GoOn);
        assert_eq!(handles.react(&NOSTG, FRAME), Reaction::GoTo(4));
        assert!(handles.has(&PGMIDERR) && !handles.has(&QIDERR));
        // Labels mean nothing in another frame.
        assert_eq!(handles.react(&PGMIDERR, FRAME + 8), Reaction::Abend("AEI0"));
        handles.push();
        assert_eq!(handles.react(&INVREQ, FRAME), Reaction::Abend("AEIP"));
        assert!(handles.pop());
        handles.handle(PGMIDERR.number, None);
        assert_eq!(handles.react(&PGMIDERR, FRAME), Reaction::GoTo(4));
        assert!(!handles.pop());
    }

    #[test]
    fn an_exit_holds_once_until_it_is_reset() {
        let exit = AbendExit::Label(Label { number: 5, frame: FRAME });
        let mut handles = Handles::default();
        assert_eq!(handles.take_exit(), None);
        handles.set_exit(Some(exit));
        assert_eq!(handles.take_exit(), Some(exit));
        assert_eq!(handles.take_exit(), None);
        handles.reset_exit();
        handles.set_exit(None);
        assert_eq!(handles.take_exit(), None);
        handles.reset_exit();
        assert_eq!(handles.take_exit(), Some(exit));
    }
}
