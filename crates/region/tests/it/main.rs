//! Tests of regions with real workers and programs that are translated and compiled here. They need GnuCOBOL 3.

mod between;
mod calls;
mod children;
mod counters;
mod crash;
mod enqueues;
mod files;
mod hostile;
mod kill;
mod limits;
mod link_messages;
mod linked;
mod links;
mod pages;
mod programs;
mod region;
mod rights;
mod shared;
mod starts;
mod steps;
mod storm;
mod strangers;
mod temporary;
mod transient;
mod two_phase;
mod wire;
