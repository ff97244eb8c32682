//! Interfaces of schemas: bytes of containers, faults of either side, and round trips of random schemas.

mod areas;
mod defaults;
mod faults;
mod imported;
mod layout;
mod messages;
mod other_attributes;
mod random;
mod wildcards;
