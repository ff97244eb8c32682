//! Tasks of several programs, which share a unit of work.

use std::path::Path;
use std::sync::Arc;

use region::{
    Definitions, Interchange, Keeping, ProgramProvider, QueueModel, Region, Settings, Slot, TaskRunner,
};
use service::{
    CallContext, Caller, Channel, Container, Content, Error, ErrorKind, LinkError, LinkedChannel, Outcome,
    Payload, ProgramRunner, ProgramTask, ServiceProvider, SoapContext, SoapFaultCode,
};
use wire::name;

use crate::batches::{ROUNDS_MAX, batched, settings};
use crate::steps::{results, step};

fn slot(folder: &Path) -> Arc<Slot> {
    let keeping = Keeping::Auxiliary { recoverable: true };
    let model = QueueModel { prefix: b"REC".to_vec(), keeping, expiry: None };
    let definitions = Definitions { queue_models: vec![model], ..Definitions::default() };
    let settings = Settings { store: folder.join("region.store"), definitions, ..settings() };
    let slot = Arc::new(Slot::default());
    assert!(slot.fill(Region::start(settings).expect("a region")));
    slot
}

fn begin(slot: &Arc<Slot>) -> Arc<dyn ProgramTask> {
    let runner = TaskRunner { region: slot.clone(), ccsid: 819, transaction: name("CPIH") };
    runner.begin(context()).expect("a task")
}

fn context<'a>() -> CallContext<'a> {
    CallContext { caller: Some(Caller { user: "maude", groups: &[] }), ..CallContext::default() }
}

fn container(name: &str, text: &str) -> Container {
    Container {
        name: name.to_owned(),
        content: Content::Char { bytes: text.as_bytes().to_vec(), ccsid: 819 },
    }
}

/// What STAGE gets: a note, and what it is to do.
fn given(note: &str, what: &str) -> Channel {
    let level = Container { name: "DFHWS-SOAPLEVEL".to_owned(), content: Content::Bit(vec![0, 0, 0, 1]) };
    Channel::of(vec![container("NOTE", &format!("{note:10}")), container("DO", &format!("{what:8}")), level])
}

async fn link(
    task: &Arc<dyn ProgramTask>,
    program: &str,
    channel: Channel,
) -> Result<LinkedChannel, LinkError> {
    task.link(program, LinkedChannel { name: "DFHHHC-V1".to_owned(), channel, fault: None }).await
}

fn text(linked: &LinkedChannel, name: &str) -> String {
    let found = linked.channel.get(name).unwrap_or_else(|| panic!("no {name} in {linked:?}"));
    String::from_utf8(found.content.bytes().to_vec()).expect("text")
}

/// The items of RECOVER.
async fn items(slot: &Slot) -> Vec<String> {
    let region = slot.get().expect("a region");
    let mut items = Vec::new();
    for number in 1.. {
        match &results(region, &[step("RQI", "RECOVER").number(number)]).await[..] {
            [(0, text)] => items.push(text.trim_end().to_owned()),
            _ => return items,
        }
    }
    items
}

#[tokio::test]
async fn programs_of_a_task_have_one_number_and_one_unit_of_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = slot(folder.path());
    let task = begin(&slot);
    let first = link(&task, "STAGE", given("first", "")).await.expect("it returns");
    let second = link(&task, "STAGE", given("second", "")).await.expect("it returns");
    assert_eq!(text(&first, "TASK"), text(&second, "TASK"));
    assert_eq!((text(&first, "TRN"), text(&first, "NOTE")), ("CPIH".to_owned(), "first     ".to_owned()));
    task.end().await.expect("it is committed");
    assert_eq!(items(&slot).await, ["first", "second"]);
}

#[tokio::test]
async fn programs_of_different_tasks_go_to_a_worker_together_and_keep_their_units_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = slot(folder.path());
    let region = slot.get().expect("a region").clone();
    for round in 0..ROUNDS_MAX {
        let before = batched(&region, "STAGE");
        let mut all = tokio::task::JoinSet::new();
        for number in 0..4 {
            let task = begin(&slot);
            all.spawn(async move {
                let note = format!("{round}.{number}");
                let first = link(&task, "STAGE", given(&note, "QUIET")).await.expect("it returns");
                let second = link(&task, "STAGE", given(&note, "QUIET")).await.expect("it returns");
                assert_eq!(text(&second, "NOTE"), format!("{note:10}"));
                assert_eq!(text(&first, "TASK"), text(&second, "TASK"));
                (text(&first, "TASK"), task)
            });
        }
        let mut ended = all.join_all().await;
        ended.sort_by(|(one, _), (other, _)| one.cmp(other));
        assert!(ended.windows(2).all(|pair| pair[0].0 != pair[1].0), "each task has its number");
        if batched(&region, "STAGE") < before + 4 {
            continue;
        }
        // One of them goes on alone, and is backed out; another commits.
        let [(_, one), (_, other), ..] = &ended[..] else { panic!("{ended:?}") };
        link(one, "STAGE", given("gone", "")).await.expect("it returns");
        one.back_out().await.expect("it is backed out");
        link(other, "STAGE", given("kept", "")).await.expect("it returns");
        other.end().await.expect("it is committed");
        assert_eq!(items(&slot).await, ["kept"]);
        return;
    }
    panic!("programs of different tasks do not go together");
}

#[tokio::test]
async fn an_abend_backs_out_what_programs_before_it_have_done_and_others_may_follow() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = slot(folder.path());
    let task = begin(&slot);
    link(&task, "STAGE", given("first", "")).await.expect("it returns");
    let failed = link(&task, "STAGE", given("second", "ABEND")).await.expect_err("an abend");
    assert_eq!(failed.abend.as_deref(), Some("BADD"));
    assert_eq!(failed.error.kind, ErrorKind::Abended);
    task.back_out().await.expect("it is backed out");
    link(&task, "STAGE", given("third", "")).await.expect("it returns");
    task.end().await.expect("it is committed");
    assert_eq!(items(&slot).await, ["third"]);
    // Whoever is gone has committed nothing, and holds no lock.
    let task = begin(&slot);
    link(&task, "STAGE", given("fourth", "")).await.expect("it returns");
    drop(task);
    assert_eq!(items(&slot).await, ["third"]);
}

#[tokio::test]
async fn a_fault_goes_from_program_to_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = slot(folder.path());
    let task = begin(&slot);
    let faulting = link(&task, "STAGE", given("first", "FAULT")).await.expect("a fault is no abend");
    let fault = faulting.fault.clone().expect("a fault");
    assert_eq!((&fault.code, &*fault.reasons[0].1), (&SoapFaultCode::Client, "No such item"));
    assert!(faulting.channel.containers().iter().all(|container| container.name != "DFH-SOAPFAULT"));
    let again = LinkedChannel { channel: given("second", "UNFAULT"), ..faulting };
    assert_eq!(task.link("STAGE", again).await.expect("it returns").fault, None);
    task.end().await.expect("no rollback");
    assert_eq!(items(&slot).await, ["first", "second"]);
}

#[tokio::test]
async fn programs_that_cannot_be_called_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = slot(folder.path());
    let task = begin(&slot);
    for (program, abend) in [("NOSUCH", Some("APCT")), ("", None), ("TOOLONGNAME", None)] {
        let failed = link(&task, program, given("x", "")).await.expect_err(program);
        assert_eq!(failed.abend.as_deref(), abend, "{program}: {failed:?}");
    }
    let nowhere = TaskRunner { region: Arc::default(), ccsid: 819, transaction: name("CPIH") };
    assert_eq!(nowhere.begin(context()).expect_err("no region").kind, ErrorKind::Refused);
}

fn provider(slot: &Arc<Slot>) -> ProgramProvider {
    ProgramProvider {
        region: slot.clone(),
        program: name("STAGE"),
        transaction: name("CPIH"),
        interchange: Interchange::Channel { channel: name("SERVICE") },
        context: None,
        states_status: false,
    }
}

async fn call(provider: &ProgramProvider, soap: SoapContext<'_>, channel: Channel) -> Result<Payload, Error> {
    let context = CallContext { soap: Some(soap), ..context() };
    match provider.call(context, Payload::Channel(channel)) {
        Outcome::Ready(answer) => answer,
        Outcome::Pending(answer) => answer.await,
    }
}

#[tokio::test]
async fn the_program_of_a_service_belongs_to_the_task_of_its_pipeline() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = slot(folder.path());
    let (provider, task) = (provider(&slot), begin(&slot));
    let soap = SoapContext { containers: &[], task: Some(&task) };
    let first = link(&task, "STAGE", given("header", "")).await.expect("it returns");
    let answer = call(&provider, soap, given("target", "")).await.expect("an answer");
    let Payload::Channel(channel) = answer else { panic!("{answer:?}") };
    assert_eq!(channel.get("TASK").map(|task| task.content.bytes()), Some(text(&first, "TASK").as_bytes()));
    assert!(items_are_locked_or_absent(&slot).await, "nothing is committed yet");
    call(&provider, soap, given("target", "ABEND")).await.expect_err("an abend");
    task.back_out().await.expect("it is backed out");
    task.end().await.expect("it ends");
    assert_eq!(items(&slot).await, Vec::<String>::new());
}

/// The queue of a unit that goes on is not there for others, or they wait for it in vain.
async fn items_are_locked_or_absent(slot: &Slot) -> bool {
    let region = slot.get().expect("a region");
    !matches!(results(region, &[step("RQI", "RECOVER").number(1)]).await[..], [(0, _)])
}

#[tokio::test]
async fn a_fault_of_a_service_comes_back_in_place_of_its_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let slot = slot(folder.path());
    let provider = provider(&slot);
    let level = Container { name: "DFHWS-SOAPLEVEL".to_owned(), content: Content::Bit(vec![0, 0, 0, 2]) };
    let containers = [level];
    let soap = SoapContext { containers: &containers, task: None };
    let given = Channel::of(vec![container("NOTE", "noted     "), container("DO", "FAULT   ")]);
    let answer = call(&provider, soap, given.clone()).await.expect("a fault is an answer");
    let fault = answer.without_fault().expect_err("a fault");
    assert_eq!(fault.code, SoapFaultCode::Client);
    assert_eq!(items(&slot).await, ["noted"], "a fault backs nothing out");
    // Without SOAP there is no SOAPFAULT.
    let none = SoapContext { containers: &[], task: None };
    let failed = call(&provider, none, given).await.expect_err("INVREQ is not handled");
    assert_eq!(failed.kind, ErrorKind::Abended);
}
