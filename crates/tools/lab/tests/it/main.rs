//! Tests of the lab: files and their faults, the result format, reports, and whole runs against a server in the test.

mod faults;
mod format;
mod runs;
mod shipped;
