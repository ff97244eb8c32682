//! The files of an API requester while they are written, operation by operation. An operation that cannot be
//! written is taken back whole.

use crate::fault::{Fault, Notes};
use crate::requester::{Operation, Requester, head};
use crate::{File, requester::file_path};

/// An operation that cannot be imported.
pub(crate) struct LeftOut {
    /// Its name.
    pub(crate) operation: String,
    /// The reasons; at least one.
    pub(crate) faults: Vec<Fault>,
}

impl LeftOut {
    /// The faults, for a package that is imported whole or not at all.
    pub(crate) fn into_faults(self) -> impl Iterator<Item = Fault> {
        let LeftOut { operation, faults } = self;
        faults
            .into_iter()
            .map(move |fault| Fault { message: format!("{operation}: {}", fault.message), ..fault })
    }
}

/// The written files.
pub(crate) struct Written {
    /// The requester's file first.
    pub(crate) files: Vec<File>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// The files of an API requester so far.
pub(crate) struct Draft<'a> {
    pub(crate) requester: &'a Requester,
    pub(crate) notes: &'a mut Notes,
    /// The text of the requester's file.
    pub(crate) out: String,
    /// The others.
    pub(crate) files: Vec<File>,
    left_out: Vec<LeftOut>,
}

impl<'a> Draft<'a> {
    /// Begins with the text before the operations.
    pub(crate) fn new(requester: &'a Requester, notes: &'a mut Notes) -> Self {
        let mut out = String::new();
        head(requester, &mut out);
        Self { requester, notes, out, files: Vec::new(), left_out: Vec::new() }
    }

    /// Writes an operation. If a fault prevents it, everything that was written for it is taken back.
    pub(crate) fn operation(
        &mut self,
        operation: &Operation,
        write: impl FnOnce(&mut Self) -> Result<(), Vec<Fault>>,
    ) {
        let (length, count) = (self.out.len(), self.files.len());
        if let Err(faults) = write(self) {
            self.out.truncate(length);
            self.files.truncate(count);
            self.left_out.push(LeftOut { operation: operation.name.clone(), faults });
        }
    }

    /// Ends with notes about the whole.
    pub(crate) fn finish(self, notes: &[&str]) -> Written {
        let Self { requester, notes: told, out, mut files, left_out } = self;
        for reason in notes {
            told.add("", 0, *reason);
        }
        files.insert(0, File { path: file_path(requester), text: out });
        Written { files, left_out }
    }
}
