//! Dumps of abends: what is in them, however the task failed, and when there is none.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use region::{DumpSettings, DumpView, Failure, Limits, Region, Settings};
use serde_json::{Value, json};
use wire::{Container, Interface, name};

use crate::hostile::hostile;
use crate::region::{request, settings};

fn with_dumps(folder: &Path) -> Settings {
    let dumps = DumpSettings { folder: Some(folder.join("dumps")), most: 20, ..DumpSettings::default() };
    // A program that loops may do so for long on a machine that is busy.
    let limits = Limits { workers: 1, cpu_max: Duration::from_millis(300), ..Limits::default() };
    Settings { dumps, limits, ..settings() }
}

/// What DUMPED gets to fail in some way.
fn how(how: &str) -> Interface {
    Interface::Commarea(format!("{how:8}{:32}", "as it was at the begin").into_bytes())
}

async fn fail(region: &Arc<Region>, interface: Interface) -> String {
    match region.run(request("DUMPED", interface)).await {
        Err(Failure::Abend { code, .. }) => code,
        other => panic!("expected an abend, found {other:?}"),
    }
}

/// The dumps, when there are `count` of them.
pub(crate) async fn dumps(region: &Region, count: usize) -> Vec<DumpView> {
    loop {
        let dumps = region.dumps().expect("a folder");
        if dumps.len() >= count {
            assert_eq!(dumps.len(), count, "{dumps:?}");
            return dumps;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn content(region: &Region, dump: &DumpView) -> Value {
    let text = region.dump(&dump.id).expect("it can be read").expect("it is there");
    serde_json::from_str(&text).expect("JSON")
}

fn texts(bytes: &Value) -> String {
    let lines = bytes["text"].as_array().expect("lines").iter();
    lines.map(|line| line.as_str().expect("text")).collect()
}

#[tokio::test]
async fn an_abend_leaves_its_commarea_and_its_last_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    // What a gateway has left that was killed while it wrote a dump.
    let unfinished = folder.path().join("dumps/20240229T120000123Z-0000007-PAY-ASRA.part");
    std::fs::create_dir(folder.path().join("dumps")).expect("a folder");
    std::fs::write(&unfinished, "{").expect("a file");
    let region = Region::start(with_dumps(folder.path())).expect("a region");
    assert!(!unfinished.exists());
    assert_eq!(region.dumps(), Ok(Vec::new()));
    assert_eq!(fail(&region, how("ABCODE")).await, "MINE");
    let [dump] = dumps(&region, 1).await.try_into().expect("one dump");
    assert_eq!((dump.program.as_str(), dump.code.as_str()), ("DUMPED", "MINE"));
    let content = content(&region, &dump);
    assert_eq!(
        [&content["applid"], &content["transaction"], &content["user"], &content["program"]],
        [&json!("TESTREG"), &json!("TRN1"), &json!("MAUDE"), &json!("DUMPED")]
    );
    assert_eq!((&content["task"], &content["time"]), (&json!(dump.task), &json!(dump.time)));
    let abend = json!({ "code": "MINE", "program": "DUMPED", "line": 29, "message": "ABEND at line 29" });
    assert_eq!((&content["abend"], &content["dataOf"]), (&abend, &json!("abend")));
    assert_eq!(content["linkLevels"], json!(["DUMPED"]));
    let commarea = &content["commarea"];
    assert_eq!((&commarea["bytes"], &commarea["shown"]), (&json!(40), &json!(40)));
    assert_eq!(texts(commarea), format!("ABCODE  {:32}", "AS IT WAS AT THE ABEND"));
    assert_eq!(commarea["hex"][1], "2020202020202020");
    let commands = content["commands"].as_array().expect("a list");
    assert_eq!((commands.len(), &commands[0]["command"]), (32, &json!("ASKTIME ABSTIME")));
    let [.., write, abend] = commands.as_slice() else { panic!("two commands") };
    assert_eq!(
        write,
        &json!({ "number": 41, "level": 1, "program": "DUMPED", "line": 24, "command": "WRITEQ",
            "name": "DUMPQ", "resp": "NORMAL", "resp2": 0, "abend": null })
    );
    assert_eq!(
        [&abend["number"], &abend["command"], &abend["resp"], &abend["abend"]],
        [&json!(42), &json!("ABEND"), &json!("abend"), &json!("MINE")]
    );
}

#[tokio::test]
async fn a_worker_that_dies_leaves_its_commands_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_dumps(folder.path())).expect("a region");
    for (count, (way, code)) in [("NULL", "ASRA"), ("LOOP", "AICA"), ("CALL", "4038")].iter().enumerate() {
        assert_eq!(fail(&region, how(way)).await, *code, "{way}");
        let dump = dumps(&region, count + 1).await.pop().expect("a dump");
        let content = content(&region, &dump);
        assert_eq!((&content["abend"]["code"], dump.code.as_str()), (&json!(code), *code));
        let last = content["commands"].as_array().and_then(|commands| commands.last()).expect("a command");
        assert_eq!((&last["command"], &last["name"]), (&json!("WRITEQ"), &json!("DUMPQ")), "{way}");
        // A worker that libcob ends can still tell what there was. Of one that was killed this is not known: it has said other
        // things since the task began.
        let known = match *way {
            "CALL" => (json!("abend"), true),
            _ => (Value::Null, false),
        };
        assert_eq!((content["dataOf"].clone(), content["commarea"].is_object()), known, "{way}");
    }
    // A task that has asked its region for nothing leaves what it began with.
    let failure = region.run(request("BAD", Interface::Commarea(b"NULL    ".to_vec()))).await;
    assert!(matches!(failure, Err(Failure::Abend { .. })), "{failure:?}");
    let all = dumps(&region, 4).await;
    let content = content(&region, all.iter().find(|dump| dump.program == "BAD").expect("a dump"));
    assert_eq!((&content["dataOf"], texts(&content["commarea"])), (&json!("begin"), "NULL    ".to_owned()));
    assert_eq!((&content["commands"], &content["abend"]["line"]), (&json!([]), &Value::Null));
}

#[tokio::test]
async fn channels_conditions_and_link_levels_are_in_dumps() {
    let folder = tempfile::tempdir().expect("a folder");
    let dumps_settings = DumpSettings { data_max_bytes: 20, ..with_dumps(folder.path()).dumps };
    let region =
        Region::start(Settings { dumps: dumps_settings, ..with_dumps(folder.path()) }).expect("a region");
    let container = |text: &str, ccsid| Container { name: name(text), ccsid, bytes: b"0123456789".to_vec() };
    let containers = vec![container("INPUT", None), container("BAQHTTPHEADERS", Some(1208))];
    let channel = Interface::Channel { name: name("CHANNEL"), containers };
    assert_eq!(fail(&region, channel).await, "CHAN");
    let dump = dumps(&region, 1).await.remove(0);
    let told = content(&region, &dump);
    let channel = &told["channels"][0];
    assert_eq!((&channel["name"], &channel["current"]), (&json!("CHANNEL"), &json!(true)));
    let [input, headers, answer] = [0, 1, 2].map(|at| &channel["containers"][at]);
    assert_eq!(
        (&input["name"], &input["ccsid"], texts(&input["content"])),
        (&json!("INPUT"), &Value::Null, "0123456789".into())
    );
    // Credentials may be among headers; and there is no room for more than 20 bytes.
    assert_eq!((&headers["content"]["bytes"], &headers["content"]["shown"]), (&json!(10), &json!(0)));
    assert_eq!((&answer["content"]["bytes"], &answer["content"]["shown"]), (&json!(12), &json!(0)));

    let code = fail(&region, how("COND")).await;
    let dump = dumps(&region, 2).await.remove(1);
    let told = content(&region, &dump);
    let last = told["commands"].as_array().and_then(|commands| commands.last()).expect("a command");
    assert_eq!(
        (&last["command"], &last["name"], &last["resp"]),
        (&json!("READQ"), &json!("NOSUCHQ"), &json!("QIDERR"))
    );
    assert_eq!((&told["abend"]["code"], &told["abend"]["line"]), (&json!(code), &last["line"]));

    assert_eq!(fail(&region, how("LINK")).await, "MINE");
    let dump = dumps(&region, 3).await.remove(2);
    let told = content(&region, &dump);
    assert_eq!(told["linkLevels"], json!(["DUMPED", "DUMPED"]));
    assert_eq!(texts(&told["commarea"]), "ABCODE  AS IT WAS AT", "cut after 20 bytes");
}

#[tokio::test]
async fn who_wants_no_dump_gets_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_dumps(folder.path())).expect("a region");
    for way in ["NODUMP", "NOCODE"] {
        fail(&region, how(way)).await;
    }
    region.run(request("DUMPED", how("HANDLED"))).await.expect("the abend is handled");
    // The one that is wanted is written after them.
    fail(&region, how("ABCODE")).await;
    assert_eq!(dumps(&region, 1).await[0].code, "MINE");
    let without = Region::start(settings()).expect("a region");
    fail(&without, how("ABCODE")).await;
    assert_eq!(
        (without.dumps(), without.dump("20240229T120000123Z-0000007-P-A")),
        (Ok(Vec::new()), Ok(None))
    );
}

#[tokio::test]
async fn a_region_that_ends_has_written_its_dumps() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = with_dumps(folder.path());
    let region = Region::start(settings.clone()).expect("a region");
    for _ in 0..3 {
        fail(&region, how("ABCODE")).await;
    }
    let next = region.successor(settings).expect("a region");
    assert!(Arc::try_unwrap(region).is_ok_and(|region| {
        drop(region);
        true
    }));
    let reader = next.settings().clone();
    drop(next);
    let files = std::fs::read_dir(reader.dumps.folder.expect("a folder")).expect("the folder");
    let dumps = files.flatten().filter(|file| file.file_name().to_string_lossy().ends_with(".json"));
    assert_eq!(dumps.count(), 3);
}

#[tokio::test]
async fn a_task_for_which_nobody_waits_any_more_leaves_a_dump() {
    let folder = tempfile::tempdir().expect("a folder");
    let dumps_settings = DumpSettings { data_max_bytes: 20, ..with_dumps(folder.path()).dumps };
    let limits = Limits { workers: 1, cpu_max: Duration::from_secs(60), ..Limits::default() };
    let settings = Settings { dumps: dumps_settings, limits, ..with_dumps(folder.path()) };
    let region = Region::start(settings).expect("a region");
    let is_running = || !region.view().tasks.is_empty();
    let waits = || region.view().tasks.iter().any(|task| task.waits.is_some());
    // One that waits in the region, and one that has asked it for nothing yet.
    for (count, (program, bytes)) in [("SLEEPER", 40), ("ENDLESS", 40)].into_iter().enumerate() {
        let caller = async {
            while !is_running() || (program == "SLEEPER" && !waits()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            biased;
            ended = region.run(request(program, Interface::Commarea(vec![b'A'; bytes]))) => panic!("{ended:?}"),
            () = caller => {}
        }
        let dump = dumps(&region, count + 1).await.remove(count);
        assert_eq!((dump.program.as_str(), dump.code.as_str()), (program, "AKC3"));
        let told = content(&region, &dump);
        let message = told["abend"]["message"].as_str().expect("a message");
        assert!(message.contains("the task has no caller any more"), "{message}");
        if program == "SLEEPER" {
            let last = told["commands"].as_array().and_then(|commands| commands.last()).expect("a command");
            assert_eq!((&last["command"], &last["resp"]), (&json!("DELAY"), &json!("running")));
        } else {
            let commarea = &told["commarea"];
            assert_eq!((&told["dataOf"], &commarea["bytes"]), (&json!("begin"), &json!(40)));
            assert_eq!(texts(commarea), "A".repeat(20));
        }
        let abends: Vec<_> = region.view().programs.into_iter().filter(|known| known.abends > 0).collect();
        assert_eq!((abends.len(), abends[0].abends), (count + 1, 1));
        while is_running() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn a_dump_has_no_more_than_is_configured_whatever_the_worker_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let dumps_of = DumpSettings {
        folder: Some(folder.path().join("dumps")),
        data_max_bytes: 100,
        ..DumpSettings::default()
    };
    let region = Region::start(Settings { dumps: dumps_of, ..hostile("boasts") }).expect("a region");
    let failed = region.run(request("ANY", Interface::None)).await;
    assert!(matches!(&failed, Err(Failure::Abend { code, .. }) if code == "ASRA"), "{failed:?}");
    let [dump] = dumps(&region, 1).await.try_into().expect("one dump");
    let commarea = &content(&region, &dump)["commarea"];
    assert_eq!((&commarea["bytes"], &commarea["shown"]), (&json!(10_000), &json!(100)));
}

async fn asked(region: &Arc<Region>, how: &str) -> String {
    let commarea = Interface::Commarea(format!("{how:8}{:9}{:72}", "", "").into_bytes());
    match region.run(request("ASKDUMP", commarea)).await {
        Ok(Interface::Commarea(bytes)) => String::from_utf8(bytes).expect("text"),
        other => panic!("expected a commarea, found {other:?}"),
    }
}

#[tokio::test]
async fn a_program_asks_for_a_dump_and_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_dumps(folder.path())).expect("a region");
    let answer = asked(&region, "DUMP").await;
    let mut all = dumps(&region, 2).await;
    all.sort_by_key(|dump| dump.code.clone());
    let [look, old] = all.try_into().expect("two dumps");
    // The second code begins with a blank: the dump is there all the same.
    assert_eq!((&answer[17..29], old.code.as_str()), ("000000016013", "_OLD"));
    assert_eq!(answer[8..17].trim_end(), format!("{}/0001", look.task % 10_000));
    let told = content(&region, &look);
    assert_eq!((&told["abend"], &told["dataOf"]), (&Value::Null, &json!("command")));
    let dump = &told["dump"];
    assert_eq!(
        [&dump["code"], &dump["program"], &dump["line"], &dump["area"]["bytes"]],
        [&json!("LOOK"), &json!("ASKDUMP"), &json!(23), &json!(7)]
    );
    assert_eq!(
        (texts(&dump["area"]), texts(&told["commarea"])),
        ("LOOK AT".into(), format!("{:89}", "DUMP"))
    );
    let last = told["commands"].as_array().and_then(|commands| commands.last()).expect("a command");
    assert_eq!(
        (&last["command"], &last["name"], &last["resp"]),
        (&json!("DUMP TRANSACTION"), &json!("LOOK"), &json!("running"))
    );
    assert_eq!(content(&region, &old)["dump"]["area"], Value::Null);
}

#[tokio::test]
async fn a_task_has_ten_dumps_at_most() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_dumps(folder.path())).expect("a region");
    // SUPPRESSED: the number of dumps is above the maximum.
    assert_eq!(&asked(&region, "MANY").await[17..23], "072001");
    assert!(dumps_at_most(&region, 10).await);
    // Where nobody keeps dumps, the program goes on.
    let region = Region::start(settings()).expect("a region");
    assert_eq!(&asked(&region, "MANY").await[17..23], "000000");
}

/// True if there are dumps, but no more than `most`: those that find no place in the queue of the writer are left out.
async fn dumps_at_most(region: &Region, most: usize) -> bool {
    loop {
        let count = region.dumps().expect("a folder").len();
        if count > 0 {
            return count <= most;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn commands_on_facilities_that_no_region_has_say_so() {
    let region = Region::start(settings()).expect("a region");
    let answer = asked(&region, "OTHERS").await;
    // SIGNAL EVENT, without its channel, SPOOLOPEN, WRITE JOURNALNAME, LOAD of no program and of a program.
    assert_eq!(&answer[17..53], ["000000", "122002", "080004", "043000", "027001", "027003"].concat());
}
