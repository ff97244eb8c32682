//! Workload driver: clients with think time over HTTP, sweeps, CPU of the server, reports.
