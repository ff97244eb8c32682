//! The tests of the code pages: known vectors, round trips, and a comparison with iconv.

mod iconv;
mod pages;
