//! The machine of the run.

use std::fs;

use serde::{Deserialize, Serialize};

/// The machine of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub cpu_model: String,
    /// Cores online.
    pub cores: usize,
    /// Memory in mebibytes.
    pub memory_mib: u64,
    /// Release of the kernel.
    pub kernel: String,
    /// Architecture.
    pub architecture: String,
    /// Runnable processes over the last minute before the run: above zero, others used the machine.
    pub load_average: f64,
}

/// Describes this machine; what cannot be read stays empty.
pub fn describe() -> Machine {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cpuinfo = read("/proc/cpuinfo");
    Machine {
        cpu_model: value_of(&cpuinfo, "model name").unwrap_or("unknown").to_owned(),
        cores: cpuinfo.lines().filter(|line| line.starts_with("processor")).count(),
        memory_mib: value_of(&read("/proc/meminfo"), "MemTotal").and_then(kibibytes).unwrap_or(0) / 1024,
        kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        architecture: std::env::consts::ARCH.to_owned(),
        load_average: read("/proc/loadavg")
            .split(' ')
            .next()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0.0),
    }
}

/// The value of the first line `key : value`.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| Some(line.strip_prefix(key)?.trim_start().strip_prefix(':')?.trim()))
}

fn kibibytes(text: &str) -> Option<u64> {
    text.strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_key() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\nMemTotal:  2048 kB\n";
        assert_eq!(value_of(text, "model name"), Some("Some CPU @ 2.0GHz"));
        assert_eq!(value_of(text, "MemTotal").and_then(kibibytes), Some(2048));
        assert_eq!(value_of(text, "model"), None);
    }
}
