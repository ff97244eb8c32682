//! Packages made in the tests, of every kind that is read, and what becomes of them.

mod apis;
mod folders;
mod host_api;
mod hostile;
mod made;
mod servers;
mod services;
