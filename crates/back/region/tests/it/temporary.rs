//! Temporary storage in memory and in the store: what is kept, what is backed out, and who waits for whom.

use std::time::Duration;

use region::{Definitions, Keeping, Limits, QueueModel, Region, Settings};
use wire::Location;

use crate::region::settings;
use crate::steps::{abend, resps, results, run, step};

fn model(prefix: &str, keeping: Keeping) -> QueueModel {
    QueueModel { prefix: prefix.into(), keeping, expiry: None }
}

fn with_models(folder: &tempfile::TempDir) -> Settings {
    let queue_models = vec![
        model("REC", Keeping::Auxiliary { recoverable: true }),
        model("AUX", Keeping::Auxiliary { recoverable: false }),
        model("MAIN", Keeping::Main),
        model("FAR", Keeping::Remote(*b"SYSB")),
        QueueModel {
            prefix: b"OLD".to_vec(),
            keeping: Keeping::Auxiliary { recoverable: false },
            expiry: Some(Duration::ZERO),
        },
        QueueModel { prefix: b"OLDM".to_vec(), keeping: Keeping::Main, expiry: Some(Duration::ZERO) },
    ];
    let limits = Limits { workers: 2, lock_wait_max: Duration::from_millis(300), ..Limits::default() };
    Settings {
        store: folder.path().join("region.store"),
        definitions: Definitions { queue_models, ..Definitions::default() },
        limits,
        ..settings()
    }
}

fn text(text: &str) -> (u16, String) {
    (0, text.to_owned())
}

#[tokio::test]
async fn queues_in_all_places_do_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_models(&folder)).expect("a region");
    for queue in ["RECQ", "AUXQ", "MAINQ"] {
        let steps = [
            step("RQ", queue),
            step("WQR", queue).number(1).text("nothing yet"),
            step("WQ", queue).text("one"),
            step("WQ", queue).text("two").length(3),
            step("WQR", queue).number(2).text("second"),
            step("RQ", queue),
            step("RQ", queue),
            step("RQ", queue),
            step("RQI", queue).number(1),
            step("RQI", queue).number(2).length(3),
            step("RQI", queue).number(3),
            step("WQR", queue).number(3).text("third"),
            step("WQ", queue).length(0),
            step("SYNC", ""),
            step("DQ", queue),
            step("RQ", queue),
            step("DQ", queue),
        ];
        let done = run(&region, &steps).await.expect("an answer");
        let resps: Vec<u16> = done.iter().map(|done| done.resp).collect();
        assert_eq!(resps, [44, 44, 0, 0, 0, 0, 0, 26, 0, 22, 26, 26, 22, 0, 0, 44, 44], "{queue}");
        assert_eq!((done[2].number, done[3].number), (1, 2), "{queue}: the item that was written");
        assert_eq!((done[5].text.as_str(), done[5].number), ("one", 2), "{queue}: how many items");
        assert_eq!((done[6].text.as_str(), done[6].length), ("second", 40), "{queue}");
        assert_eq!((done[9].text.as_str(), done[9].length), ("sec", 40), "{queue}: cut, with its length");
    }
}

#[tokio::test]
async fn what_is_recoverable_is_backed_out_and_the_rest_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_models(&folder)).expect("a region");
    let all = |text: &str| ["RECQ", "AUXQ", "MAINQ"].map(|queue| step("WQ", queue).text(text)).to_vec();
    let mut steps = all("kept");
    steps.push(step("SYNC", ""));
    steps.extend(all("rolled back"));
    // The task sees its own changes until then.
    steps.extend([step("RQI", "RECQ").number(2), step("BACK", ""), step("RQI", "RECQ").number(2)]);
    let done = results(&region, &steps).await;
    assert_eq!(done[7..], [text("rolled back"), text(""), (26, String::new())]);
    let mut steps = all("lost");
    steps.push(step("ABEND", ""));
    assert_eq!(abend(&region, &steps).await, "STOP");
    let last =
        |queue| [step("RQI", queue).number(1), step("RQI", queue).number(2), step("RQI", queue).number(3)];
    let steps = ["RECQ", "AUXQ", "MAINQ"].map(last).concat();
    assert_eq!(resps(&region, &steps).await, [0, 26, 26, 0, 0, 0, 0, 0, 0]);
    // A queue that was deleted comes back, too.
    assert_eq!(abend(&region, &[step("DQ", "RECQ"), step("ABEND", "")]).await, "STOP");
    assert_eq!(results(&region, &[step("RQI", "RECQ").number(1)]).await, [text("kept")]);
    // After DELETEQ nothing is written to a recoverable queue before a syncpoint.
    let again = [step("DQ", "RECQ"), step("WQ", "RECQ"), step("SYNC", ""), step("WQ", "RECQ").text("new")];
    assert_eq!(resps(&region, &again).await, [0, 16, 0, 0]);
    assert_eq!(results(&region, &[step("RQ", "RECQ")]).await, [text("new")]);
}

#[tokio::test]
async fn a_new_region_finds_what_the_last_one_had() {
    let folder = tempfile::tempdir().expect("a folder");
    {
        let region = Region::start(with_models(&folder)).expect("a region");
        let steps =
            [step("WQ", "RECQ").text("r"), step("WQ", "AUXQ").text("a"), step("WQ", "MAINQ").text("m")];
        resps(&region, &steps).await;
        // The store belongs to one region.
        let other = Region::start(with_models(&folder)).expect_err("the store is in use");
        assert!(other.starts_with("the region's store: /") && !other.contains(": store: "), "{other}");
        // A successor has the same queues, in memory too; another store needs a restart.
        let next = region.successor(Settings { ccsid: 923, ..with_models(&folder) }).expect("a region");
        assert_eq!(resps(&next, &[step("RQ", "RECQ"), step("RQ", "MAINQ")]).await, [0, 0]);
        let moved = Settings { store: folder.path().join("other"), ..with_models(&folder) };
        assert!(region.successor(moved).is_err_and(|reason| reason.contains("only after a restart")));
    }
    let region = Region::start(with_models(&folder)).expect("a region");
    let steps = [step("RQ", "RECQ"), step("RQ", "AUXQ"), step("RQ", "MAINQ")];
    assert_eq!(results(&region, &steps).await, [text("r"), text("a"), (44, String::new())]);
}

#[tokio::test]
async fn without_a_model_the_program_chooses_and_the_store_is_made_when_it_is_needed() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("made/when/needed.store");
    let region = Region::start(Settings { store: store.clone(), ..settings() }).expect("a region");
    assert_eq!(resps(&region, &[step("WQ", "A"), step("RQ", "A"), step("SYNC", "")]).await, [0, 0, 0]);
    assert!(!store.exists());
    // A queue stays where its first item is.
    let steps = [step("WQA", "B").text("1"), step("WQM", "B").text("2"), step("WQM", "A"), step("WQA", "A")];
    assert_eq!(resps(&region, &steps).await, [0, 0, 0, 0]);
    assert!(store.exists());
    drop(region);
    let by_default = Definitions { queue_location: Location::Auxiliary, ..Definitions::default() };
    let region = Region::start(Settings { store, definitions: by_default, ..settings() }).expect("a region");
    let steps =
        [step("RQI", "B").number(2), step("RQ", "A"), step("WQ", "C"), step("DQ", "B"), step("RQ", "B")];
    assert_eq!(
        results(&region, &steps).await,
        [text("2"), (44, String::new()), text(""), text(""), (44, String::new())]
    );
}

#[tokio::test]
async fn models_make_queues_remote_or_let_them_expire() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_models(&folder)).expect("a region");
    assert_eq!(resps(&region, &[step("WQ", "FARQ"), step("RQ", "FARQ"), step("DQ", "FARQ")]).await, [53; 3]);
    for queue in ["OLDQ", "OLDMQ"] {
        // Nobody uses it for longer than nothing: each command finds it gone.
        let steps = [step("WQ", queue), step("RQ", queue), step("WQ", queue), step("WQ", queue)];
        let done = run(&region, &steps).await.expect("an answer");
        assert_eq!(done.iter().map(|done| done.resp).collect::<Vec<_>>(), [0, 44, 0, 0], "{queue}");
        assert_eq!(done[3].number, 1, "{queue}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_waits_for_the_other_one_but_not_for_ever() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_models(&folder)).expect("a region");
    resps(&region, &[step("WQ", "RECQ").text("first")]).await;
    let holder = [step("WQ", "RECQ").text("second"), step("WQ", "MAINGO"), step("WAIT", "").number(1_000)];
    let holds = run(&region, &holder);
    let waits = async {
        // The holder has told that it has the queue.
        while resps(&region, &[step("RQI", "MAINGO").number(1)]).await != [0] {}
        // Who reads does not wait, and sees what is committed.
        assert_eq!(resps(&region, &[step("RQI", "RECQ").number(2)]).await, [26]);
        abend(&region, &[step("WQ", "RECQ").text("third")]).await
    };
    let (held, waited) = tokio::join!(holds, waits);
    held.expect("the holder ends as it should");
    assert_eq!(waited, "AKCS");
    assert_eq!(results(&region, &[step("RQI", "RECQ").number(2)]).await, [text("second")]);
}
