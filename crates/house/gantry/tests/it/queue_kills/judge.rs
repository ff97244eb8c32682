//! Compares the ledgers with the messages in queues and the records in the file.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use super::actors::get;
use super::{Ledger, MQI_IN, ORDERED, QUEUES, RESERVED, SHARED, Storm};
use crate::folder::Folder;
use crate::process::{Gantry, run, text};

/// Fails if a message was lost, came twice, came out of order, or is in the file but not in the
/// queue.
pub(super) fn judge(storm: &Storm<'_>, folder: &Folder, kills: usize) {
    let gantry = storm.gantry.now();
    let left = QUEUES.map(|queue| drain(&gantry, queue));
    let out = drain(&gantry, "MQI.OUT");
    storm.gantry.now().kill();
    for queue in [ORDERED, SHARED] {
        judge_gets(QUEUES[queue], &storm.ledgers[queue], &left[queue], storm.lazy);
    }
    judge_order(&storm.ledgers[ORDERED], &left[ORDERED], storm.lazy);
    judge_reservations(&storm.ledgers[RESERVED], &left[RESERVED]);
    let records = if storm.lazy { BTreeSet::new() } else { records(folder) };
    judge_tasks(storm, &records, (&left[MQI_IN], &out));
    let acknowledged: usize = storm.ledgers.iter().map(|ledger| all(&ledger.put).len()).sum();
    let got: usize = storm.ledgers.iter().map(|ledger| all(&ledger.got).len()).sum();
    let confirmed = all(&storm.ledgers[RESERVED].reserved).iter().filter(|(_, confirmed)| *confirmed).count();
    println!(
        "{kills} kills{}: {acknowledged} puts acknowledged, {got} got, {confirmed} confirmed, {} gets open, {} calls answered, \
         {} not, {} records of tasks",
        if storm.lazy { ", lazy gets" } else { "" },
        storm.ledgers.iter().map(|ledger| ledger.open_gets.load(Ordering::SeqCst)).sum::<usize>(),
        storm.calls[0].load(Ordering::SeqCst),
        storm.calls[1].load(Ordering::SeqCst),
        records.len(),
    );
    assert!(acknowledged >= kills && got >= kills, "there was nothing to lose");
}

fn all<T: Clone>(list: &Mutex<Vec<T>>) -> Vec<T> {
    list.lock().expect("no holder panics").clone()
}

/// Gets all messages of a queue, in order.
fn drain(gantry: &Gantry, queue: &str) -> Vec<String> {
    let next = || get(gantry, queue, "").ok().filter(|told| told.status == 200).map(|told| told.body);
    std::iter::from_fn(next).collect()
}

fn judge_gets(queue: &str, ledger: &Ledger, left: &[String], lazy: bool) {
    let got = all(&ledger.got);
    // A message of a lazy get may come again after a kill, but not before one.
    let mut times: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for (body, kills) in &got {
        let again = !times.entry(body).or_default().insert(*kills);
        assert!(!again, "{queue}: {body} was got twice without a kill in between");
    }
    let seen: Vec<&str> = times.keys().copied().collect();
    if !lazy {
        let twice = times.iter().find(|(_, kills)| kills.len() > 1);
        assert!(twice.is_none(), "{queue}: {twice:?} was got twice");
        let again = left.iter().find(|body| times.contains_key(body.as_str()));
        assert!(again.is_none(), "{queue}: {again:?} was got, and is there again");
    }
    let there: HashSet<&str> = seen.into_iter().chain(left.iter().map(String::as_str)).collect();
    assert!(left.len() == left.iter().collect::<HashSet<_>>().len(), "{queue}: a message is there twice");
    let missing: Vec<String> =
        all(&ledger.put).into_iter().filter(|body| !there.contains(body.as_str())).collect();
    // Each get without an answer may have taken one message.
    let open = ledger.open_gets.load(Ordering::SeqCst);
    assert!(missing.len() <= open, "{queue}: {missing:?} are lost, and {open} gets have no answer");
}

/// One client puts and one gets, so all messages come in the order of the puts.
fn judge_order(ledger: &Ledger, left: &[String], lazy: bool) {
    let got = all(&ledger.got);
    let mut parts: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (body, kills) in &got {
        // A lazy get may come again after a kill. So the order holds between two kills.
        parts.entry(if lazy { *kills } else { 0 }).or_default().push(body);
    }
    let rest = left.iter().map(String::as_str);
    if lazy {
        parts.insert(usize::MAX, rest.collect());
    } else {
        parts.entry(0).or_default().extend(rest);
    }
    for part in parts.values() {
        let wrong = part.windows(2).find(|pair| pair[0] >= pair[1]);
        assert!(wrong.is_none(), "out of order: {wrong:?}");
    }
}

fn judge_reservations(ledger: &Ledger, left: &[String]) {
    let (mut received, mut confirmed) = (HashSet::new(), HashSet::new());
    for (body, is_confirmed) in all(&ledger.reserved) {
        assert!(!confirmed.contains(&body), "{body} came again after it was confirmed");
        if is_confirmed {
            confirmed.insert(body);
        } else {
            received.insert(body);
        }
    }
    for body in left {
        assert!(!confirmed.contains(body), "{body} was confirmed, and is there again");
        received.insert(body.clone());
    }
    let lost: Vec<String> = all(&ledger.put).into_iter().filter(|body| !received.contains(body)).collect();
    assert!(lost.is_empty(), "{lost:?} are lost: an answer that is lost loses no reservation");
}

/// Gives the keys of the file.
fn records(folder: &Folder) -> BTreeSet<String> {
    let output = run(&["file", "list", "LEDGER", "--in", text(folder.path())]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).expect("text");
    listed.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

fn judge_tasks(storm: &Storm<'_>, records: &BTreeSet<String>, (waiting, out): (&[String], &[String])) {
    let keys = |letter: char| records.iter().filter(move |key| key.starts_with(letter)).cloned();
    let out: Vec<String> = out.iter().map(|body| body.trim_end().to_owned()).collect();
    let put: BTreeSet<String> = out.iter().cloned().collect();
    assert_eq!(put.len(), out.len(), "a task's message is there twice");
    assert_eq!(put, keys('P').collect(), "file and queue agree");
    let lost: Vec<String> = all(&storm.tasks).into_iter().filter(|key| !put.contains(key)).collect();
    assert!(lost.is_empty(), "{lost:?} were acknowledged and are lost");
    let moved: BTreeSet<String> = keys('M').collect();
    let both: Vec<&String> = waiting.iter().filter(|body| moved.contains(body.trim_end())).collect();
    assert!(both.is_empty(), "{both:?} are in the file and still on the queue");
    let there = |body: &String| moved.contains(body) || waiting.contains(body);
    let lost: Vec<String> = all(&storm.ledgers[MQI_IN].put).into_iter().filter(|body| !there(body)).collect();
    assert!(lost.is_empty(), "{lost:?} are neither in the file nor on the queue");
}
