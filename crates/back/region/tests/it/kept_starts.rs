//! Protected STARTs outlive the region's process: each begins once, and again only if its task was not at its end.

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use region::link::definition::{Address, Allowed, Links, Peer, RemoteProgram};
use region::link::message::{Message, Request};
use region::{Definitions, Region, Settings, Transaction};
use store::{Collation, Definition, Direction, Options, Organization, Recovery, Store};
use wire::{Interface, Name, name};

use crate::between::{Fate, stand_between};
use crate::linked::{ANSWER_MAX, Came, Linked, hex, pair, until};
use crate::region::request;
use crate::starts::{note, starter, with_transactions};
use crate::strangers::{peer, with_links};

pub(crate) fn with_store(folder: &Path) -> Settings {
    Settings { store: folder.join("region.store"), ..with_transactions() }
}

/// Waits until a task of the transaction runs, or until none does.
pub(crate) async fn until_running(region: &Region, transaction: &Name<4>, wanted: bool) {
    while region.view().tasks.iter().any(|task| task.transaction == *transaction) != wanted {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The store of a region that is gone, when no process uses it. Other threads of a dropped region end a
/// little later.
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
    records(&until_free(folder).await)
}

/// Copies a store that may be in use: its log first, so that the file is never older.
fn copy_store(from: &Path, to: &Path) -> std::io::Result<()> {
    for end in [".log1", ".log2", ""] {
        let named = |path: &Path| format!("{}{end}", path.display());
        std::fs::copy(named(from), named(to))?;
    }
    Ok(())
}

/// Waits until the store of a running region keeps `wanted` protected STARTs.
pub(crate) async fn until_kept(store: &Path, wanted: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.store");
    let found = || {
        copy_store(store, &copy).ok()?;
        // What is being written meanwhile may be there in part.
        Store::open(&copy, Options::default()).ok().map(|store| records(&store))
    };
    let begun = std::time::Instant::now();
    while found() != Some(wanted) {
        assert!(begun.elapsed() < ANSWER_MAX, "the store does not come to keep {wanted} of them");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn records(store: &Store) -> usize {
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
    copy_store(&store(&folder), &store(&crashed)).expect("a copy");
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

#[tokio::test]
async fn a_task_whose_program_is_another_regions_begins_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = || Address::Unix(folder.path().join("FAR1"));
    let everything = |peer| Peer { allowed: Allowed::everything(), ..peer };
    let far =
        Links { listen: vec![socket()], peers: vec![everything(peer("FRND", None))], ..Links::default() };
    let far = with_links(folder.path(), "FAR1", far);
    let remote = RemoteProgram {
        name: name("FARSTD"),
        sysid: name("FAR1"),
        remote_name: name("STARTED"),
        transaction: None,
        text: Vec::new(),
    };
    let mut settings = Settings {
        sysid: name("FRND"),
        definitions: Definitions { remote_programs: vec![remote], ..Definitions::default() },
        links: Links { peers: vec![peer("FAR1", Some(socket()))], ..Links::default() },
        ..with_store(folder.path())
    };
    let program = Transaction { program: name("FARSTD"), enabled: true, tasks_max: None };
    settings.transactions.insert(name("STD1"), program);
    let near = Region::start(settings).expect("a region");
    near.open_links().expect("links");
    until("there is no link", || near.links()[0].trouble.is_none());
    starter(&near, "PROTECT").await.expect("an answer");
    assert_eq!(&note(&far).await[..4], "STD1");
    // Nothing is left by which it would begin again after a restart.
    until_kept(&folder.path().join("region.store"), 0).await;
}

/// How long a task may take to begin, on a slow machine.
const BEGINS_MAX: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_task_whose_region_was_away_begins_when_it_is_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = || Address::Unix(folder.path().join("FAR1"));
    let remote = RemoteProgram {
        name: name("FARSTD"),
        sysid: name("FAR1"),
        remote_name: name("STARTED"),
        transaction: None,
        text: Vec::new(),
    };
    let mut settings = Settings {
        sysid: name("FRND"),
        definitions: Definitions { remote_programs: vec![remote], ..Definitions::default() },
        links: Links { peers: vec![peer("FAR1", Some(socket()))], ..Links::default() },
        ..with_store(folder.path())
    };
    let program = Transaction { program: name("FARSTD"), enabled: true, tasks_max: None };
    settings.transactions.insert(name("STD1"), program);
    let near = Region::start(settings).expect("a region");
    near.open_links().expect("links");
    near.recall();
    starter(&near, "PROTECT").await.expect("an answer");
    until("it tries in vain", || near.unattended_tasks() == 0);
    let everything = |peer| Peer { allowed: Allowed::everything(), ..peer };
    let far =
        Links { listen: vec![socket()], peers: vec![everything(peer("FRND", None))], ..Links::default() };
    let far = with_links(folder.path(), "FAR1", far);
    let found = tokio::time::timeout(BEGINS_MAX, note(&far)).await.expect("it does not begin");
    assert_eq!(&found[..4], "STD1");
    until_kept(&folder.path().join("region.store"), 0).await;
}

#[tokio::test]
async fn a_protected_start_that_could_not_be_cancelled_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_store(folder.path())).expect("a region");
    region.recall();
    starter(&region, "PROSOON").await.expect("an answer");
    let storage = storage::Storage::at(&folder.path().join("region.store"));
    let store = storage.open().expect("the region's");
    let starts = store.keyed(&Definition {
        name: "starts".to_owned(),
        organization: Organization::KeySequenced(Collation::Binary),
        recovery: Recovery::Recoverable,
    });
    let (starts, mut unit) = (starts.expect("the space"), store.unit().expect("a unit"));
    let record = unit.browse(&starts, Bound::Unbounded, Direction::Forward).expect("the disk");
    let held = unit.lock(&starts, &record.expect("a record").key, store::Mode::Exclusive);
    assert!(matches!(held, Ok(store::Locking::Granted)));
    assert_eq!(&starter(&region, "CANCEL").await.expect("an answer")[..6], "017000");
    drop(unit);
    let found =
        tokio::time::timeout(BEGINS_MAX, note(&region)).await.expect("it is neither cancelled nor begun");
    assert_eq!(&found[..4], "STD1");
    until_running(&region, b"STD1", false).await;
}

/// Runs the program, and leaves it after that many looks; false if it has come to its end before.
async fn run_and_leave(region: &Region, looks: usize) -> bool {
    let mut commarea = b"PROTECT ".to_vec();
    commarea.resize(22, b' ');
    let mut running = Box::pin(region.run(request("STARTER", Interface::Commarea(commarea))));
    let mut looked = 0;
    std::future::poll_fn(|context| {
        looked += 1;
        match running.as_mut().poll(context) {
            Poll::Ready(ended) => Poll::Ready(ended.is_err()),
            Poll::Pending if looked == looks => Poll::Ready(true),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

#[tokio::test]
async fn a_protected_start_begins_whenever_its_caller_goes_if_it_was_committed() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_store(folder.path())).expect("a region");
    // The store is there, and what is left later is looked at in it.
    starter(&region, "PROTECT").await.expect("an answer");
    let mut whole = 0;
    // The caller goes before each wait of the task in turn; the last of these is that for the disk.
    for looks in 1.. {
        whole += usize::from(!run_and_leave(&region, looks).await);
        if whole == 3 {
            break;
        }
    }
    // What is committed begins, and its task takes the record away; what is not was never there.
    until_kept(&folder.path().join("region.store"), 0).await;
}

#[tokio::test]
async fn tasks_of_before_begin_when_the_region_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = Region::start(with_store(folder.path())).expect("a region");
    starter(&first, "PROSOON").await.expect("an answer");
    drop(first);
    assert_eq!(kept(folder.path()).await, 1);
    // Its time is over, but links and the way out are not there yet.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let second = Region::start(with_store(folder.path())).expect("a region");
    for _ in 0..20 {
        // Durable, so that the store is open.
        starter(&second, "BACKOUT").await.expect_err("an abend");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let begun = |region: &Region| {
        let mut programs = region.view().programs.into_iter();
        programs.any(|program| program.name == Some(name("STARTED")) && program.tasks > 0)
    };
    assert!(!begun(&second));
    second.recall();
    assert_eq!(&note(&second).await[..6], "STD1SD");
    assert!(begun(&second));
}

#[test]
fn a_task_whose_last_syncpoint_fails_does_not_begin_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut plan_a, plan_b) = pair(folder.path());
    plan_a.peers_socket = folder.path().join("between");
    stand_between(&plan_a.peers_socket, &plan_b.socket, |message| {
        match matches!(message, Message::Request { request: Request::Prepare { .. }, .. }) {
            true => Fate::Lost,
            false => Fate::Passes,
        }
    });
    let (a, b) = (Linked::start(&plan_a), Linked::start(&plan_b));
    a.wait_for_link("REGB");
    // It is started with PROTECT, and writes here and there.
    let commarea = format!("{:8}{:4}{:4}{:8}{:010}{:8}", "PROTECT", "REGA", "FTK1", "", 0, "");
    assert!(matches!(a.call(&format!("FARSTART {}", hex(commarea.as_bytes()))), Came::Ok(_)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(until_kept(&plan_a.store, 0));
    // Backed out here and there, and not begun again.
    assert_eq!((a.items("RECOUT"), b.items("RECIN")), (vec![], vec![]));
}
