//! Bounded waiting for calls.
//!
//! [`Places`] limits the calls that run at one time, and the calls that wait for a place until a
//! deadline. [`Pauses`] says how long to wait before another try. The pauses grow, and they differ
//! from caller to caller.
//!
//! Deliberately absent: the calls themselves, and whether another try is right.

mod pauses;
mod places;

pub use pauses::{Pauses, random};
pub use places::{NoPlace, Place, Places};
