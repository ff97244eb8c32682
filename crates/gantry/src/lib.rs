//! The binary: command line, config, listeners, wiring.
