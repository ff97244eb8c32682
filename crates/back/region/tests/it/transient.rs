//! Transient data queues in the store and outside: what is read once, what is backed out, and who waits.

use std::time::Duration;

use region::{
    Definitions, FileStatus, Limits, Region, Settings, TransientDefinition, TransientPlace, TransientRecovery,
};
use wire::name;

use crate::region::settings;
use crate::steps::{Step, abend, resps, results, run, step};

const INVREQ: u16 = 16;
const QZERO: u16 = 23;
const QBUSY: u16 = 25;

fn queue(queue: &str, place: TransientPlace) -> TransientDefinition {
    TransientDefinition { name: name(queue), place, status: FileStatus::Open, trigger: None }
}

fn with_queues(folder: &tempfile::TempDir) -> Settings {
    let place = |recovery| TransientPlace::Store(recovery);
    let transients = vec![
        queue("LOGI", place(TransientRecovery::Logical)),
        queue("PHYS", place(TransientRecovery::Physical)),
        queue("NONE", place(TransientRecovery::No)),
        queue("IN", TransientPlace::Input(folder.path().join("in.txt"))),
        queue("OUT", TransientPlace::Output(folder.path().join("out.txt"))),
        TransientDefinition { status: FileStatus::Closed, ..queue("SHUT", place(TransientRecovery::No)) },
        TransientDefinition { status: FileStatus::Disabled, ..queue("OFF", place(TransientRecovery::No)) },
    ];
    let limits = Limits { workers: 2, lock_wait_max: Duration::from_millis(300), ..Limits::default() };
    let definitions = Definitions { transients, ..Definitions::default() };
    std::fs::write(folder.path().join("in.txt"), "first\nsecond\r\nlast").expect("a file");
    Settings { store: folder.path().join("region.store"), definitions, limits, ..settings() }
}

fn write(queue: &str, text: &str) -> Step {
    step("WTD", queue).text(text).length(text.len())
}

#[tokio::test]
async fn records_are_read_once_in_their_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_queues(&folder)).expect("a region");
    for queue in ["LOGI", "PHYS", "NONE"] {
        let steps = [
            step("RTD", queue),
            write(queue, "one"),
            write(queue, "two"),
            write(queue, "three"),
            step("RTD", queue),
            step("RTD", queue).length(2),
            step("DTD", queue),
            step("RTD", queue),
            step("DTD", queue),
            step("WTD", queue).length(0),
        ];
        let done = run(&region, &steps).await.expect("an answer");
        let resps: Vec<_> = done.iter().map(|done| done.resp).collect();
        assert_eq!(resps, [QZERO, 0, 0, 0, 0, 22, 0, QZERO, 0, 22], "{queue}");
        assert_eq!((done[4].text.as_str(), done[4].length), ("one", 3), "{queue}");
        assert_eq!((done[5].text.as_str(), done[5].length), ("tw", 3), "{queue}");
    }
    let steps = [step("RTD", "MISS"), step("RTD", "SHUT"), step("WTD", "OFF")];
    assert_eq!(resps(&region, &steps).await, [44, 19, 84]);
}

#[tokio::test]
async fn what_is_backed_out_depends_on_the_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_queues(&folder)).expect("a region");
    let all = ["LOGI", "PHYS", "NONE"];
    resps(&region, &all.map(|queue| write(queue, "kept"))).await;
    let lost = all.map(|queue| [step("RTD", queue), write(queue, "lost")]).concat();
    assert_eq!(abend(&region, &[lost, vec![step("ABEND", "")]].concat()).await, "STOP");
    let texts = results(&region, &all.map(|queue| step("RTD", queue))).await;
    assert_eq!(texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["kept", "lost", "lost"]);
    assert_eq!(resps(&region, &all.map(|queue| step("RTD", queue))).await, [QZERO; 3]);
    // A new region has what was written and not read.
    resps(&region, &all.map(|queue| write(queue, "later"))).await;
    drop(region);
    let region = Region::start(with_queues(&folder)).expect("a region");
    assert_eq!(resps(&region, &all.map(|queue| step("RTD", queue))).await, [0; 3]);
}

#[tokio::test]
async fn files_outside_are_read_and_written_by_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_queues(&folder)).expect("a region");
    let reads = [step("RTD", "IN"), step("RTD", "IN").length(3), step("RTD", "IN"), step("RTD", "IN")];
    let done = results(&region, &reads).await;
    let expected = [(0, "first"), (22, "sec"), (0, "last"), (QZERO, "")];
    assert_eq!(done.iter().map(|(resp, text)| (*resp, text.as_str())).collect::<Vec<_>>(), expected);
    let steps = [
        write("OUT", "a line"),
        write("OUT", "another"),
        write("IN", "x"),
        step("RTD", "OUT"),
        step("DTD", "IN"),
    ];
    assert_eq!(resps(&region, &steps).await, [0, 0, INVREQ, INVREQ, INVREQ]);
    let written = std::fs::read_to_string(folder.path().join("out.txt")).expect("the file");
    assert_eq!(written, "a line\nanother\n");
    let mut missing = with_queues(&folder);
    missing.definitions.transients = vec![queue("GONE", TransientPlace::Input(folder.path().join("no.txt")))];
    let told = Region::start(missing).expect_err("no file");
    assert!(told.starts_with("transient data queue GONE: ") && told.contains("no.txt"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_reads_waits_for_who_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { workers: 2, lock_wait_max: Duration::from_secs(20), ..Limits::default() };
    let region = Region::start(Settings { limits, ..with_queues(&folder) }).expect("a region");
    let holder = [write("LOGI", "soon"), step("WQ", "HELD"), step("WAIT", "").number(1_000)];
    let reader = async {
        while resps(&region, &[step("RQI", "HELD").number(1)]).await != [0] {}
        assert_eq!(resps(&region, &[step("RTDN", "LOGI")]).await, [QBUSY]);
        results(&region, &[step("RTD", "LOGI")]).await
    };
    let (held, read) = tokio::join!(run(&region, &holder), reader);
    held.expect("the writer ends as it should");
    assert_eq!(read, [(0, "soon".to_owned())]);
}
