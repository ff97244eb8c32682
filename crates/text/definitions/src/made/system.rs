//! `[region]` from overrides of the system initialization table.

use super::{Maker, is_name};
use crate::section::{Section, Table, Value};
use crate::sit::Override;

/// Overrides that have no effect on programs here.
const NOTED: &[(&str, &str)] = &[
    ("PLTPI", "programs that run at start are pltpi = [...] of [region]: the table itself was not read"),
    ("SEC", "security is [security] here: docs/guides/security.md"),
    ("MXT", "workers of [region] limits how many tasks run at one time"),
    (
        "LOCALCCSID",
        "programs have an ASCII page here (ccsid of [region]); services name the page of their callers",
    ),
    ("EDSALIM", "worker_memory_max_bytes limits the storage of one worker"),
    ("TS", "temporary storage is in [store]"),
    ("EXPIRYINT", "queues go when they are not used if a [[region.tsmodel]] has expiry_s, in seconds"),
];

impl Maker {
    pub(super) fn system(&mut self, overrides: &[Override]) {
        for one in overrides {
            let Override { name, value, place } = one;
            let mut set = |key: &'static str, value: Value| {
                let mut section = Section::new(Table::Keys("region"), key, name.clone(), place);
                section.set(key, value);
                self.sections.push(section);
            };
            match name.as_str() {
                "APPLID" => {
                    // If there are two, the second is the specific one.
                    let applid = value.rsplit(',').next().unwrap_or(value).trim().to_uppercase();
                    if is_name(&applid, 8) {
                        set("applid", applid.into());
                    }
                }
                "SYSIDNT" if is_name(value, 4) => {
                    set("sysid", value.to_uppercase().into());
                    self.own_sysid = Some(value.to_uppercase());
                }
                "DFLTUSER" if is_name(value, 8) => set("default_user", value.to_uppercase().into()),
                "ICVR" => {
                    // Milliseconds of processor time. In CICS, 0 means no limit.
                    if let Some(time) = value.parse::<u64>().ok().filter(|time| *time > 0) {
                        set("task_cpu_max_ms", time.into());
                    }
                }
                _ => {
                    if let Some((_, reason)) = NOTED.iter().find(|(known, _)| known == name)
                        && !matches!(value.as_str(), "NO" | "0" | "")
                    {
                        self.note_at(place, format!("{name}={value}"), *reason);
                    }
                }
            }
        }
    }
}
