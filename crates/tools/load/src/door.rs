//! The door of a region as the driver sees it: whoever has a region implements it, and gives it to the driver.
//!
//! So the driver measures programs without HTTP, and still knows nothing of regions.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// How data goes from one program to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// In a commarea, of at most [`COMMAREA_MAX_BYTES`].
    Commarea,
    /// In one container of a channel.
    Channel,
    /// In items of a temporary storage queue.
    Queue,
}

/// The most bytes of a commarea.
pub const COMMAREA_MAX_BYTES: usize = 32_763;

impl Method {
    /// All methods.
    pub const ALL: [Method; 3] = [Method::Commarea, Method::Channel, Method::Queue];

    /// As people read it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Commarea => "commarea",
            Method::Channel => "channel",
            Method::Queue => "TS queue",
        }
    }
}

/// Where the program is that takes the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// In the region of the program that gives it.
    Local,
    /// In another region on this machine.
    Remote,
}

impl Way {
    /// As people read it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Way::Local => "local",
            Way::Remote => "remote",
        }
    }
}

/// One task, in which a program hands data to another again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Where to.
    pub way: Way,
    /// How.
    pub method: Method,
    /// How much each time.
    pub bytes: usize,
    /// How often.
    pub times: u32,
}

/// One task, in which a program has text converted in a container again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversion {
    /// The CCSID in which the text is put.
    pub from: u16,
    /// The CCSID in which it is got.
    pub into: u16,
    /// Its characters.
    pub characters: usize,
    /// How often.
    pub times: u32,
}

/// A way to a region.
pub trait Door: fmt::Debug {
    /// Where it leads, for the report.
    fn place(&self) -> String;

    /// Runs a task to its end.
    ///
    /// # Errors
    /// The task failed: why, for people.
    fn transfer(&mut self, transfer: Transfer) -> Result<(), String>;

    /// The same for text.
    ///
    /// # Errors
    /// The task failed: why, for people.
    fn convert(&mut self, conversion: Conversion) -> Result<(), String>;

    /// The processes, besides the driver's own, whose processor time the tasks cost.
    fn processes(&self) -> Vec<u32>;
}
