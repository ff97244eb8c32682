//! What an evaluation may still spend, by limit.

use super::Result;
use crate::error::Error;
use crate::limits::Limits;

pub(crate) struct Purse {
    pub(crate) limits: Limits,
    steps: u64,
    depth: usize,
    built: usize,
    elements: usize,
}

impl Purse {
    pub(crate) fn new(limits: &Limits) -> Purse {
        Purse { limits: *limits, steps: 0, depth: 0, built: 0, elements: 0 }
    }

    /// One node more, one level deeper. Not left again after an error: that ends the evaluation.
    pub(crate) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > self.limits.depth_max {
            let allowed = self.limits.depth_max;
            return Err(Error::new(
                "L1002",
                format!("the evaluation goes deeper than depth_max allows ({allowed})"),
            ));
        }
        self.steps(1)
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// So much work.
    pub(crate) fn steps(&mut self, count: usize) -> Result<()> {
        self.steps += count as u64;
        if self.steps > self.limits.steps_max {
            let allowed = self.limits.steps_max;
            return Err(Error::new(
                "L1001",
                format!("the evaluation takes more steps than steps_max allows ({allowed})"),
            ));
        }
        Ok(())
    }

    /// Text of so many bytes was built, or is about to be.
    pub(crate) fn built(&mut self, bytes: usize) -> Result<()> {
        self.built = self.built.saturating_add(bytes);
        if self.built > self.limits.built_max_bytes {
            let allowed = self.limits.built_max_bytes;
            return Err(Error::new(
                "L1003",
                format!("the texts that are built have more bytes than built_max_bytes allows ({allowed})"),
            ));
        }
        Ok(())
    }

    /// So many elements or members were made, or are about to be.
    pub(crate) fn elements(&mut self, count: usize) -> Result<()> {
        self.room(count)?;
        self.elements += count;
        self.steps(count)
    }

    /// Whether so many elements more may be made.
    pub(crate) fn room(&self, count: usize) -> Result<()> {
        if self.elements.saturating_add(count) > self.limits.elements_max {
            let allowed = self.limits.elements_max;
            return Err(Error::new(
                "L1004",
                format!("more elements are made than elements_max allows ({allowed})"),
            ));
        }
        Ok(())
    }
}
