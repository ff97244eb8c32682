//! Programs, tasks and workers of a region as JSON, and the messages of programs to operators.

use std::time::SystemTime;

use region::{LastAbend, OperatorMessage, ProgramState, ProgramView, Region, TaskView, WorkerView};
use serde_json::{Value, json};

use super::{name, text};

fn list<T>(shown: &[T], one: impl Fn(&T) -> Value) -> Vec<Value> {
    shown.iter().map(one).collect()
}

pub(super) fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

pub(crate) fn summary(region: &Region) -> Value {
    let (view, settings) = (region.view(), region.settings());
    json!({
        "applid": name(&settings.applid),
        "sysid": name(&settings.sysid),
        "ccsid": settings.ccsid,
        "waiting": view.waiting,
        "tasks": view.tasks.len(),
        "workers": view.workers.len(),
        "programs": view.programs.len(),
    })
}

/// The programs. A program with a faulty source runs in its earlier version.
pub(crate) fn programs(region: &Region, faulty: &[String]) -> Value {
    json!({ "programs": list(&region.view().programs, |shown| program(shown, faulty)) })
}

fn program(program: &ProgramView, faulty: &[String]) -> Value {
    let shown = program.name.map(|bytes| name(&bytes));
    let is_faulty =
        shown.as_ref().is_some_and(|name| faulty.iter().any(|faulty| faulty.eq_ignore_ascii_case(name)));
    let (state, sysid) = match program.state {
        _ if is_faulty => ("faulty", None),
        ProgramState::Enabled => ("enabled", None),
        ProgramState::Remote(sysid) => ("remote", Some(name(&sysid))),
        ProgramState::Missing => ("missing", None),
    };
    json!({
        "name": shown,
        "state": state,
        "sysid": sysid,
        "tasks": program.tasks,
        "batchedTasks": program.batched,
        "cpuNanosecondsMean": program.cpu_nanoseconds_mean,
        "memoryMaxBytes": program.memory_max_bytes,
        "abends": program.abends,
        "lastAbend": program.last_abend.as_ref().map(last_abend),
    })
}

fn last_abend(abend: &LastAbend) -> Value {
    json!({
        "unixSeconds": unix_seconds(abend.time),
        "task": abend.task,
        "program": abend.program,
        "code": abend.code,
        "message": abend.message,
    })
}

/// The running tasks, and the number of waiting ones.
pub(crate) fn tasks(region: &Region) -> Value {
    let (view, ccsid) = (region.view(), region.settings().ccsid);
    json!({ "waiting": view.waiting, "tasks": list(&view.tasks, |shown| task(shown, ccsid)) })
}

fn task(task: &TaskView, ccsid: u16) -> Value {
    let waits = task
        .waits
        .map(|waits| json!({ "what": waits.what.word(), "name": text(waits.name(), ccsid).trim_end() }));
    json!({
        "number": task.number,
        "transaction": name(&task.transaction),
        "program": name(&task.program),
        "user": name(&task.user),
        "sinceUnixSeconds": unix_seconds(task.since),
        "cpuMilliseconds": task.cpu_milliseconds,
        "worker": task.worker,
        "waitsFor": waits,
    })
}

pub(crate) fn workers(region: &Region) -> Value {
    json!({ "workers": list(&region.view().workers, worker) })
}

fn worker(worker: &WorkerView) -> Value {
    json!({
        "pid": worker.pid,
        "tasksEnded": worker.tasks_ended,
        "task": worker.task,
        "memoryBytes": worker.memory_bytes,
    })
}

/// The last messages of WRITE OPERATOR, oldest first.
pub(crate) fn messages(region: &Region) -> Value {
    json!({ "messages": list(&region.operator_messages(), message) })
}

fn message(message: &OperatorMessage) -> Value {
    json!({
        "unixSeconds": unix_seconds(message.time),
        "transaction": name(&message.transaction),
        "task": message.task,
        "user": name(&message.user),
        "text": message.text,
        "routeCodes": message.routes,
        "action": message.action,
    })
}
