//! Pipelines from their files to the ends of their runs.

mod files;
mod runs;
