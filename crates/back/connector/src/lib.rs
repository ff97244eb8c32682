//! Endpoint groups: the high speed connector.
//!
//! A program or an API sends a request to a group by its name, and gets the reply. Which servers exist and are well, how many
//! connections there are, and what happens under overload or loss is the group's business.
//!
//! The data path of a call: [`GroupProvider`] gives the record to [`Group::send`]. The group's `lending` chooses an
//! endpoint by [`balance`] and lends a connection, or lets the call wait in the queue. `transport` writes the frame that
//! [`framing`] makes around the record and reads the frame of the reply. The connection goes back to the endpoint, or is closed
//! if anything about the call was not as it should be: so a late reply never reaches another caller.
//!
//! `keeper` is a task of each group. It opens connections, tries servers again that could not be reached, and closes
//! connections that nobody needs. [`descriptor`] and [`config`] read what is configured.
//!
//! Connections belong to the runtime that uses them: each worker of the gateway has one of its own. A worker that finds none
//! of its own takes over one of another.
//!
//! `options` is the one file with `unsafe`: socket options and figures that the system knows by number alone.
//!
//! Words: an **endpoint** is one server of a group, with the role PRIMARY or BACKUP. A **session** is an open connection.
//!
//! Deliberately absent: layouts, JSON, files other than those in `endpoints/`.

pub mod balance;
pub mod config;
pub mod descriptor;
mod error;
mod figures;
pub mod framing;
mod group;
mod groups;
mod keeper;
mod lending;
mod options;
mod provider;
mod settings;
mod transport;
mod view;

pub use error::{Trouble, TroubleKind};
pub use group::{Call, Group};
pub use groups::{Act, Groups, Marks, Plans};
pub use options::{Support, Wire, support};
pub use provider::{GroupProvider, KIND};
pub use settings::{EjectionSettings, EndpointSettings, GroupSettings, SocketSettings};
pub use view::{EndpointView, GroupView, Maximum, State};
