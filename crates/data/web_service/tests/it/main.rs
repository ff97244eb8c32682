//! Bind files as text: a written file can be read again, and faults are reported.

mod text;
mod wrong;
