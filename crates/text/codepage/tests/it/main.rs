//! The tests of the code pages: known vectors, round trips, converters, and comparisons with iconv.

mod converters;
mod encodings;
mod iconv;
mod iconv_mixed;
mod pages;
mod translations;
