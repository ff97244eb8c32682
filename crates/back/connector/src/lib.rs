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
//! With more than one request on a connection, `session` has it: a `link` is then a lane of a session. Replies find their
//! requests by correlation ids, or by their order. [`parts`] puts replies together that come in parts.
//!
//! `room` limits the memory of replies that are received, over all connections of a group.
//!
//! `keeper` is a task of each group. It opens connections, tries servers again that could not be reached, and closes
//! connections that nobody needs. [`descriptor`] and [`config`] read what is configured.
//!
//! `floor` lets the shortest time before a retransmission rise while a server tells that retransmissions were needless.
//!
//! Connections belong to the runtime that uses them: each worker of the gateway has one of its own. A worker that finds none
//! of its own takes over one of another.
//!
//! Words: an **endpoint** is one server of a group, with the role PRIMARY or BACKUP. A **session** is an open connection.
//!
//! Deliberately absent: layouts, JSON, files other than those in `endpoints/`.

pub mod balance;
pub mod config;
pub mod descriptor;
mod error;
mod figures;
mod floor;
pub mod framing;
mod group;
mod groups;
mod keeper;
mod lending;
mod link;
pub mod parts;
mod provider;
mod reply_time;
mod room;
mod session;
mod settings;
mod stream;
mod tls;
mod transport;
mod view;
mod wired;

pub use error::{Trouble, TroubleKind};
pub use group::{Call, Group};
pub use groups::{Act, Groups, Marks, Plans};
pub use provider::{GroupProvider, KIND};
pub use settings::{EjectionSettings, EndpointSettings, GroupSettings, Heartbeat, SocketSettings};
pub use sockets::{Support, Wire, support};
pub use tls::Tls;
pub use view::{EndpointView, GroupView, Maximum, State};
