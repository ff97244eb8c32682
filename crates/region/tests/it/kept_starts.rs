//! Protected STARTs outlive the region's process: each begins once, and again only if its task was not at its end.

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use region::wire::Name;
use region::{Region, Settings};
use store::{Collation, Definition, Direction, Options, Organization, Recovery, Store};

use crate::starts::{note, starter, with_transactions};

fn with_store(folder: &Path) -> Settings {
    Settings { store: folder.join("region.store"), ..with_transactions() }
}

/// Waits until a task of the transaction runs, or until none does.
pub(crate) async fn until_running(region: &Region, transaction: &Name<4>, wanted: bool) {
    while region.view().tasks.iter().any(|task| task.transaction == *transaction) != wanted {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The store of a region that is gone, as soon as nobody has it. What a dropped region has on other threads ends a little later.
pub(crate) async fn until_free(folder: &Path) -> Store {
    loop {
        match Store::open(folder.join("region.store"), Options::default()) {
            Ok(store) => break store,
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// How many protected STARTs the store of a region that is gone keeps.
async fn kept(folder: &Path) -> usize {
    let store = until_free(folder).await;
    let starts = store.keyed(&Definition {
        name: "starts".to_owned(),
        organization: Organization::KeySequenced(Collation::Binary),
        recovery: Recovery::Recoverable,
    });
    let (starts, unit) = (starts.expect("the space"), store.unit().expect("a unit"));
    let mut last: Option<Vec<u8>> = None;
    for count in 0.. {
        let from = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        match unit.browse(&starts, from, Direction::Forward).expect("the disk") {
            Some(found) => last = Some(found.key),
            None => return count,
        }
    }
    unreachable!("the store has an end")
}

/// A region with the store, as soon as nobody else has it.
async fn again(folder: &Path) -> Arc<Region> {
    kept(folder).await;
    let region = Region::start(with_store(folder)).expect("a region");
    region.recall();
    region
}

#[tokio::test]
async fn a_protected_start_begins_once_though_its_region_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = Region::start(with_store(folder.path())).expect("a region");
    assert_eq!(starter(&first, "PROSOON").await.expect("an answer"), "000000LATER   ");
    drop(first);
    assert_eq!(kept(folder.path()).await, 1);
    let second = again(folder.path()).await;
    assert_eq!(&note(&second).await[..31], "STD1SDMAUDE   056022016PRO     ");
    until_running(&second, b"STD1", false).await;
    drop(second);
    assert_eq!(kept(folder.path()).await, 0);
}

#[tokio::test]
async fn a_task_that_a_region_takes_with_it_begins_again() {
    let (folder, crashed) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("another"));
    let first = Region::start(with_store(folder.path())).expect("a region");
    starter(&first, "PROSLEEP").await.expect("an answer");
    until_running(&first, b"SLP1", true).await;
    // What a crash would leave.
    let store = |folder: &tempfile::TempDir| folder.path().join("region.store");
    std::fs::copy(store(&folder), store(&crashed)).expect("a copy");
    let second = again(crashed.path()).await;
    until_running(&second, b"SLP1", true).await;
    for region in [first, second] {
        let sleeper = region.view().tasks.first().map(|task| task.number);
        assert!(region.purge(sleeper.expect("it sleeps")));
    }
}

#[tokio::test]
async fn a_task_that_abends_does_not_begin_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_store(folder.path())).expect("a region");
    starter(&region, "PROABEND").await.expect("an answer");
    while !region.view().programs.iter().any(|program| program.abends > 0) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    until_running(&region, b"ABN1", false).await;
    drop(region);
    assert_eq!(kept(folder.path()).await, 0);
}

#[tokio::test]
async fn a_protected_start_that_is_cancelled_or_backed_out_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_store(folder.path())).expect("a region");
    starter(&region, "BACKOUT").await.expect_err("an abend");
    starter(&region, "PROSOON").await.expect("an answer");
    assert_eq!(&starter(&region, "CANCEL").await.expect("an answer")[..6], "000000");
    drop(region);
    assert_eq!(kept(folder.path()).await, 0);
}
