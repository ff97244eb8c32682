//! The figures of programs as metrics. The region counts for itself. This module copies its figures when metrics are read.

use std::sync::atomic::{AtomicU64, Ordering};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::{Registry, Unit};

use crate::Seconds;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ProgramLabels {
    program: String,
}

/// The figures of a program since the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCounts {
    /// The program that tasks begin with.
    pub program: String,
    /// Tasks.
    pub tasks: u64,
    /// Tasks that ended with an abend, or took too long.
    pub abends: u64,
    /// Processor time of the tasks in their workers, in nanoseconds.
    pub cpu_nanoseconds: u64,
}

/// The figures of the region's programs. Their number is limited: the region counts all programs beyond its limit as one.
#[derive(Debug, Default)]
pub struct ProgramMetrics {
    tasks: Family<ProgramLabels, Counter>,
    abends: Family<ProgramLabels, Counter>,
    cpu: Family<ProgramLabels, Seconds>,
}

impl ProgramMetrics {
    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "Tasks of the region, by the program that they begin with";
        registry.register("gantry_program_tasks", help, self.tasks.clone());
        let help = "Tasks that ended with an abend or took too long, by the program that they begin with";
        registry.register("gantry_program_abends", help, self.abends.clone());
        let help = "CPU time of tasks in their workers, by the program that they begin with, from samples";
        registry.register_with_unit("gantry_program_cpu", help, Unit::Seconds, self.cpu.clone());
    }

    /// Takes over the present figures.
    pub fn show(&self, programs: impl IntoIterator<Item = ProgramCounts>) {
        let set = |counter: &AtomicU64, value: u64| counter.store(value, Ordering::Relaxed);
        for ProgramCounts { program, tasks, abends, cpu_nanoseconds } in programs {
            let labels = ProgramLabels { program };
            set(self.tasks.get_or_create_owned(&labels).inner(), tasks);
            set(self.abends.get_or_create_owned(&labels).inner(), abends);
            let seconds = cpu_nanoseconds as f64 / 1e9;
            set(self.cpu.get_or_create_owned(&labels).inner(), seconds.to_bits());
        }
    }
}
