//! Trigger levels of transient data queues: when a task is started for a queue, and when another one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use region::{
    Definitions, FileStatus, Region, Settings, Transaction, TransientDefinition, TransientPlace,
    TransientRecovery, Trigger,
};
use wire::name;

use crate::kept_starts::{until_free, until_running};
use crate::region::settings;
use crate::starts::note;
use crate::steps::{Step, abend, resps, step};

fn queue(queue: &str, recovery: TransientRecovery, level: u32) -> TransientDefinition {
    let user = (queue == "NONE").then(|| name("BATCH1"));
    let trigger = Trigger { level, transaction: name("TRG1"), user };
    let place = TransientPlace::Store(recovery);
    TransientDefinition { name: name(queue), place, status: FileStatus::Open, trigger: Some(trigger) }
}

pub(crate) fn with_triggers(folder: &tempfile::TempDir) -> Settings {
    let transients = vec![
        queue("LOGI", TransientRecovery::Logical, 3),
        queue("PHYS", TransientRecovery::Physical, 3),
        queue("NONE", TransientRecovery::No, 3),
        queue("EACH", TransientRecovery::Logical, 1),
        queue("PAIR", TransientRecovery::No, 2),
    ];
    let transaction = Transaction { program: name("TRIGGED"), enabled: true, tasks_max: None };
    Settings {
        store: folder.path().join("region.store"),
        definitions: Definitions { transients, ..Definitions::default() },
        transactions: BTreeMap::from([(name("TRG1"), transaction)]),
        ..settings()
    }
}

pub(crate) fn write(queue: &str, text: &str) -> Step {
    step("WTD", queue).text(text).length(text.len())
}

/// Waits until no task of a queue runs.
pub(crate) async fn until_ended(region: &Arc<Region>) {
    until_running(region, b"TRG1", false).await;
}

#[tokio::test]
async fn a_task_is_started_at_the_level_and_reads_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_triggers(&folder)).expect("a region");
    for (queue, user) in [("LOGI", "NOBODY  "), ("PHYS", "NOBODY  "), ("NONE", "BATCH1  ")] {
        // Twice: emptied, a queue begins anew.
        for first in ["1", "2"] {
            resps(&region, &[write(queue, first)]).await;
            resps(&region, &[write(queue, "X"), write(queue, "Y")]).await;
            let found = note(&region).await;
            assert_eq!(found.trim_end(), format!("TRG1QD{user}{queue}{first:8}003"));
            until_ended(&region).await;
        }
    }
}

#[tokio::test]
async fn a_recoverable_queue_counts_what_is_committed() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_triggers(&folder)).expect("a region");
    let three = |text: &str| vec![write("LOGI", text); 3];
    assert_eq!(abend(&region, &[three("LOST"), vec![step("ABEND", "")]].concat()).await, "STOP");
    resps(&region, &[three("UNDONE"), vec![step("BACK", "")], three("KEPT")].concat()).await;
    assert_eq!(note(&region).await.trim_end(), "TRG1QDNOBODY  LOGIKEPT    003");
}

#[tokio::test]
async fn what_a_task_leaves_waits_for_the_next_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_triggers(&folder)).expect("a region");
    let steps = ["KEEP", "OLD"].map(|text| write("PAIR", text));
    resps(&region, &steps).await;
    assert_eq!(&note(&region).await[18..29], "KEEP    001");
    until_ended(&region).await;
    resps(&region, &[write("PAIR", "NEW")]).await;
    assert_eq!(&note(&region).await[18..29], "OLD     002");
}

#[tokio::test]
async fn a_task_that_abends_is_started_again_by_the_next_write_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_triggers(&folder)).expect("a region");
    let abends = |region: &Region| region.view().programs.iter().map(|program| program.abends).sum::<u64>();
    for count in 1..=3 {
        resps(&region, &[write("EACH", "STOP")]).await;
        // Its unit of work is backed out: the record is the first one again.
        assert_eq!(&note(&region).await[18..29], "STOP    001");
        while abends(&region) < count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        until_ended(&region).await;
        assert_eq!(abends(&region), count);
    }
}

#[tokio::test]
async fn a_deleted_queue_begins_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_triggers(&folder)).expect("a region");
    resps(&region, &[write("PAIR", "A"), step("DTD", "PAIR"), write("PAIR", "B")]).await;
    resps(&region, &[write("PAIR", "C")]).await;
    assert_eq!(&note(&region).await[18..29], "B       002");
}

#[tokio::test]
async fn a_queue_above_its_level_has_its_task_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut before = with_triggers(&folder);
    before.definitions.transients.iter_mut().for_each(|queue| queue.trigger = None);
    let first = Region::start(before).expect("a region");
    resps(&first, &["A", "B", "C"].map(|text| write("LOGI", text))).await;
    resps(&first, &[write("PAIR", "A")]).await;
    drop(first);
    drop(until_free(folder.path()).await);
    let second = Region::start(with_triggers(&folder)).expect("a region");
    second.recall();
    assert_eq!(note(&second).await.trim_end(), "TRG1QDNOBODY  LOGIA       003");
    until_ended(&second).await;
    resps(&second, &[write("PAIR", "B")]).await;
    assert_eq!(&note(&second).await[14..29], "PAIRA       002");
}
