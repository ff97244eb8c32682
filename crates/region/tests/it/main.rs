//! Tests of regions with real workers and programs that are translated and compiled here. They need GnuCOBOL 3.

mod calls;
mod children;
mod counters;
mod crash;
mod enqueues;
mod files;
mod hostile;
mod kill;
mod limits;
mod pages;
mod programs;
mod region;
mod rights;
mod shared;
mod starts;
mod steps;
mod temporary;
mod transient;
mod wire;
