//! Bounded waiting for those who call others.
//!
//! [`Places`] lets so many calls run at once, and so many wait for a place until a point in time. [`Pauses`] says how long to
//! wait before another try: each pause is longer than the one before, and no two callers pause equally long.
//!
//! Deliberately absent: what is called, and whether another try is right.

mod pauses;
mod places;

pub use pauses::{Pauses, random};
pub use places::{NoPlace, Place, Places};
