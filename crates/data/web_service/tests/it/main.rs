//! Bind files as text: what is written is read again, and what is wrong is told.

mod text;
mod wrong;
