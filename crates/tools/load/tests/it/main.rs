//! Tests of the workload driver: its pure parts on given data, and whole runs against a small server in the test.

mod accounting;
mod arguments;
mod charts;
mod frames;
mod groups;
mod lists;
mod numbers;
mod proc_files;
mod programs;
mod responses;
mod results;
mod runs;
mod server;
