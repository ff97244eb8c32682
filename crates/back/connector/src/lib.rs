//! Endpoint groups: the high speed connector.
//!
//! A program or an API sends a request to a group by its name, and gets the reply. The group knows
//! its servers and which of them work. It manages connections, overload and loss.
//!
//! The data path of a call: [`GroupProvider`] gives the record to [`Group::send`]. The group's
//! `lending` chooses an endpoint by [`balance`] and lends a connection, or the call waits in the
//! queue. `transport` writes the frame that [`framing`] makes around the record. Then it reads the
//! frame of the reply. The connection goes back to the endpoint. It is closed instead if the call
//! did not end well, so a late reply never reaches another caller.
//!
//! With more than one request on a connection, `session` owns the connection, and a `link` is a
//! lane of a session. Replies find their requests by correlation ids, or by their order. [`parts`]
//! joins replies that come in parts.
//!
//! `room` limits the memory of incoming replies, over all connections of a group.
//!
//! `keeper` is a task of each group. It opens connections, tries failed servers again, and closes
//! connections that nobody needs. [`descriptor`] and [`config`] read the configuration.
//!
//! `floor` raises the shortest time before a retransmission while a server reports needless
//! retransmissions.
//!
//! Connections belong to the runtime that uses them. Each worker of the gateway has its own
//! runtime. A worker without a connection takes over one from another worker.
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
