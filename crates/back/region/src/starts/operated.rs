//! Transactions that operators start, as a program does with START: the task RETRIEVEs the data.

use std::fmt;
use std::sync::Arc;

use tokio::time::Instant;
use wire::{Name, Start, StartedData};

use super::{Due, Whose};
use crate::region::Region;
use crate::rights::{TaskCaller, user_id};

/// The most bytes of data (EIBCALEN and LENGTH are halfwords).
pub const START_DATA_MAX_BYTES: usize = 32_763;

/// Why a transaction is not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartRefused {
    /// It is not defined, or another region has it.
    Unknown,
    /// Its definition says that it is not enabled.
    Disabled,
    /// The user may not run it, or its program.
    NotAllowed,
    /// As many tasks wait as may, or there are more bytes of data than may wait.
    Full,
    /// The data are longer than [`START_DATA_MAX_BYTES`].
    TooLong,
}

impl fmt::Display for StartRefused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartRefused::Unknown => out.write_str("no [[region.transaction]] with a program has this name"),
            StartRefused::Disabled => out.write_str("the transaction is not enabled"),
            StartRefused::NotAllowed => out.write_str("the user may not run the transaction, or its program"),
            StartRefused::Full => out.write_str("too many started tasks wait (starts_max)"),
            StartRefused::TooLong => write!(out, "expected at most {START_DATA_MAX_BYTES} bytes of data"),
        }
    }
}

impl Region {
    /// Starts a transaction now, for a caller or for the default user. The name is that of the request, as CANCEL has it.
    ///
    /// # Errors
    /// The task cannot be started. A later failure of the task is in the log.
    pub fn start_transaction(
        &self,
        transaction: Name<4>,
        data: Option<Vec<u8>>,
        caller: Option<TaskCaller>,
    ) -> Result<Name<8>, StartRefused> {
        let settings = self.settings();
        let known = settings.transactions.get(&transaction).ok_or(StartRefused::Unknown)?;
        if !known.enabled {
            return Err(StartRefused::Disabled);
        }
        if data.as_ref().is_some_and(|data| data.len() > START_DATA_MAX_BYTES) {
            return Err(StartRefused::TooLong);
        }
        let user = caller.as_ref().map_or(settings.default_user, |caller| user_id(&caller.user));
        let whose = Whose::known(caller.map(Arc::new), settings);
        if !whose.may_run(transaction, settings) {
            return Err(StartRefused::NotAllowed);
        }
        let starts = &self.resources.starts;
        let request = starts.new_request();
        let data = StartedData { data, ..StartedData::default() };
        let start = Start { transaction, user: Some(user), data, ..Start::default() };
        let due = Due { start, whose, request, at: Instant::now() };
        let scheduled = starts.schedule(due, None, Some(settings));
        scheduled.map_or(Err(StartRefused::Full), |()| Ok(request))
    }
}
