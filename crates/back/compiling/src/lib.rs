//! COBOL sources of a configuration become programs that workers can run.
//!
//! [`Sources::build`] takes the files of the folder `programs/` this way:
//!
//! 1. `program::translate` turns EXEC CICS into calls. Members that COPY names come from `programs/` and `copybooks/`.
//! 2. `encoded` writes the translated text in the region's code page, because a character must be one byte for GnuCOBOL.
//! 3. `compiler` finds GnuCOBOL and runs it in a process that has given up the rest of the system ([`confined`]). `words` has
//!    the words that the compiler keeps for itself. `side_by_side` compiles several programs at a time.
//! 4. [`Cache`] keeps the object under a digest of its sources. So the same source is compiled once.
//! 5. All objects are linked into one folder, a **set**, in which workers start. Shared objects of the user are taken as they
//!    are.
//!
//! `templates` adds the templates of documents to the set.
//!
//! A program with faults is left out, and its faults are reported. [`any_waits`] tells whether programs wait
//! for something while they hold a worker, and [`first_queue_call`] whether they need a queue manager.
//! [`user`] chooses who programs and the compiler run as.
//!
//! Deliberately absent: running programs, and EXEC CICS itself.

mod cache;
mod compiler;
pub mod confined;
mod encoded;
mod side_by_side;
mod sources;
mod templates;
pub mod user;
mod waiting;
mod words;

pub use cache::Cache;
pub use compiler::{Checks, is_installed};
pub use sources::{Built, Sources};
pub use waiting::{any_waits, first_queue_call};
