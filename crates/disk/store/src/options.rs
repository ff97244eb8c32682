//! The limits and choices with which a store is opened, each with its unit in its name.

/// The thread that applies the units at their syncpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drive {
    /// A thread of the store's own.
    #[default]
    Thread,
    /// The thread that waits for a syncpoint, or calls [`Store::drive`](crate::Store::drive). Nothing happens
    /// between calls, so a run can be repeated.
    Caller,
}

/// The engine that takes the batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineKind {
    /// The store's file itself.
    File,
    /// A log in front of the file. Commits are faster, and data that is deleted soon after it was written
    /// never reaches the file. The log stands beside the file, under its name with `.log1` and `.log2` behind
    /// it. A closed store has an empty log, so the option can be changed then.
    #[default]
    Log,
}

/// A choice between fast commits and a fast opening after a crash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterCrash {
    /// The whole file is read and checked. A commit waits for one write to disk. A store with a log always
    /// works as with [`AfterCrash::Resume`], and its commits wait for the disk once.
    #[default]
    Check,
    /// Opening takes no longer than after a normal end, but a commit waits for the disk twice.
    Resume,
}

/// How much of a file is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opening {
    /// The file's structure is checked after a crash, and each record when it is read.
    #[default]
    Trust,
    /// The whole file is checked each time it is opened.
    Verify,
}

/// Limits and choices of one store. An operation beyond a limit fails with the limit's name; nothing is cut.
#[derive(Clone, Debug)]
pub struct Options {
    /// Units of work that are open, prepared or in doubt at one time.
    pub units_open_max: usize,
    /// Records and items that one unit changes.
    pub unit_writes_max: usize,
    /// Bytes of keys and values that one unit holds until its syncpoint.
    pub unit_bytes_max: u64,
    /// Locks that one unit holds.
    pub unit_locks_max: usize,
    /// Bytes of a key, or of the name of a space or log. At most [`KEY_BYTES_MAX`].
    pub key_bytes_max: usize,
    /// Bytes of a record or item.
    pub value_bytes_max: usize,
    /// Bytes of keys and values in the store, without the engine's own data around them.
    pub store_bytes_max: u64,
    /// Units that share one wait for the disk.
    pub batch_units_max: usize,
    /// Bytes of units that share one wait for the disk.
    pub batch_bytes_max: u64,
    /// Microseconds for which the first unit of a batch waits for others. With 0, the batch has only the
    /// units that came while the batch before was written.
    pub batch_delay_us: u64,
    /// The disk gets changes that nobody waits for after about this number of milliseconds. These are changes
    /// of spaces that are not recoverable, and of units that are committed lazily.
    pub idle_flush_ms: u64,
    /// Bytes of memory in which the engine keeps parts of the file.
    pub cache_bytes_max: usize,
    /// The engine that takes the batches.
    pub engine: EngineKind,
    /// Bytes of the log's two files together. A unit that is larger than a half makes them longer for a time.
    /// The same number of bytes of memory holds the changes that the file does not have yet.
    pub log_bytes_max: u64,
    /// The thread that applies units.
    pub drive: Drive,
    /// The work of opening the store after a crash.
    pub after_crash: AfterCrash,
    /// How much of a file is checked.
    pub opening: Opening,
}

/// The longest key that any option can allow, in bytes: that of VSAM.
pub const KEY_BYTES_MAX: usize = 255;

impl Default for Options {
    fn default() -> Self {
        Self {
            units_open_max: 10_000,
            unit_writes_max: 100_000,
            unit_bytes_max: 256 << 20,
            unit_locks_max: 100_000,
            key_bytes_max: KEY_BYTES_MAX,
            value_bytes_max: 16 << 20,
            store_bytes_max: 64 << 30,
            batch_units_max: 512,
            batch_bytes_max: 16 << 20,
            batch_delay_us: 0,
            idle_flush_ms: 1_000,
            cache_bytes_max: 64 << 20,
            engine: EngineKind::default(),
            log_bytes_max: 64 << 20,
            drive: Drive::default(),
            after_crash: AfterCrash::default(),
            opening: Opening::default(),
        }
    }
}
