//! The remaining budget of an evaluation, for each limit.

use super::Result;
use crate::error::Error;
use crate::limits::Limits;
use crate::value::Value;

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

    /// Counts one node and one level. It is not left after an error, because an error ends the evaluation.
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

    /// Checks the depth and the size of a value. Code that walks over it goes as far.
    pub(crate) fn value(&self, value: &Value) -> Result<()> {
        let extent = value.extent();
        if extent.bytes as usize > self.limits.built_max_bytes {
            return Err(self.too_much_text());
        }
        if extent.depth > self.limits.value_depth_max {
            let allowed = self.limits.value_depth_max;
            return Err(Error::new(
                "L1005",
                format!("a value is nested deeper than value_depth_max allows ({allowed})"),
            ));
        }
        Ok(())
    }

    /// Counts this number of steps.
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

    /// Counts text of this number of bytes that was built, or is about to be.
    pub(crate) fn built(&mut self, bytes: usize) -> Result<()> {
        self.built = self.built.saturating_add(bytes);
        if self.built > self.limits.built_max_bytes {
            return Err(self.too_much_text());
        }
        Ok(())
    }

    fn too_much_text(&self) -> Error {
        let allowed = self.limits.built_max_bytes;
        Error::new("L1003", format!("the result is longer than built_max_bytes ({allowed})"))
    }

    /// Counts work over a whole value.
    pub(crate) fn walk(&mut self, value: &Value) -> Result<()> {
        self.steps(value.extent().bytes as usize / 64)
    }

    /// Whether a value counts as true. This may need a look at all elements of an array.
    pub(crate) fn truth(&mut self, value: &Value) -> Result<bool> {
        if matches!(value, Value::Array(_)) {
            self.walk(value)?;
        }
        Ok(value.truth())
    }

    /// Counts this number of elements or members that were made, or are about to be.
    pub(crate) fn elements(&mut self, count: usize) -> Result<()> {
        self.room(count)?;
        self.elements += count;
        self.steps(count)
    }

    /// Checks that this number of further elements may be made.
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
