//! Messages as a region and a worker exchange them.

mod kinds;
mod messages;
mod web_kinds;
