//! The options of a worker: the arguments of its command line.

use std::path::PathBuf;

/// The options of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerOptions {
    /// The folder of the programs, `NAME.so`.
    pub programs: PathBuf,
    /// The most bytes of memory that programs may take, of all tasks; the region may set less.
    pub memory_max_bytes: u64,
    /// The user that the worker becomes; none if it keeps its user.
    pub user: Option<WorkerUser>,
    /// Names that a CALL may reach besides programs.
    pub callable: Vec<String>,
}

/// An unprivileged user for workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerUser {
    /// The user id.
    pub uid: u32,
    /// The group id.
    pub gid: u32,
}

impl WorkerOptions {
    /// The options as arguments of a command line.
    #[must_use]
    pub fn arguments(&self) -> Vec<std::ffi::OsString> {
        let user = self.user.map_or("same".to_owned(), |WorkerUser { uid, gid }| format!("{uid}:{gid}"));
        let callable = self.callable.join(",");
        vec![
            self.programs.clone().into(),
            self.memory_max_bytes.to_string().into(),
            user.into(),
            callable.into(),
        ]
    }

    /// The options from the arguments that a worker got.
    #[must_use]
    pub fn from_arguments(arguments: &[std::ffi::OsString]) -> Option<Self> {
        let [programs, memory, user, callable] = arguments else { return None };
        let user = match user.to_str()? {
            "same" => None,
            user => {
                let (uid, gid) = user.split_once(':')?;
                Some(WorkerUser { uid: uid.parse().ok()?, gid: gid.parse().ok()? })
            }
        };
        let callable =
            callable.to_str()?.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Some(Self {
            programs: programs.into(),
            memory_max_bytes: memory.to_str()?.parse().ok()?,
            user,
            callable,
        })
    }
}
