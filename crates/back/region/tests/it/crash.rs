//! Money goes from account to account while workers and whole regions are killed: no transfer that was acknowledged is
//! lost, none is there twice, and the sum stays.
//!
//! A transfer changes two records and adds an item to a recoverable queue, in one unit of work. The region runs in the
//! example `durable`, which says what was acknowledged, and is killed with all its workers.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use region::{Definitions, Failure, Keeping, Limits, QueueModel, Region, Settings};
use rustix::process::{Pid, Signal};
use wire::name;

use crate::files::keyed;
use crate::kill::{own_applid, workers};
use crate::programs::{example, folder};
use crate::region::settings;
use crate::steps::{Step, run, step};

const ACCOUNTS: usize = 10;
const OPENING: i64 = 1_000;
const ROUNDS: usize = 6;

fn with_accounts(store: &Path, applid: &str) -> Settings {
    let queue_models = vec![QueueModel {
        prefix: b"LEDGER".to_vec(),
        keeping: Keeping::Auxiliary { recoverable: true },
        expiry: None,
    }];
    let definitions = Definitions { files: vec![keyed("ACCT")], queue_models, ..Definitions::default() };
    let limits = Limits { workers: 2, ..Limits::default() };
    Settings { applid: name(applid), store: store.join("region.store"), definitions, limits, ..settings() }
}

fn account(number: usize) -> String {
    format!("A{number:05}")
}

/// The steps that open all accounts.
fn opening() -> Vec<Step> {
    let open = |number| {
        let key = account(number);
        step("WR", "ACCT").key(&key).text(&format!("{key}{OPENING:+09}"))
    };
    (0..ACCOUNTS).map(open).collect()
}

/// The sum of all accounts, and how often each transfer is in the ledger.
async fn audit(region: &Region) -> (i64, HashMap<String, usize>) {
    let mut sum = 0;
    for number in 0..ACCOUNTS {
        let read = run(region, &[step("RD", "ACCT").key(account(number))]).await.expect("an answer");
        sum += read[0].text[6..15].parse::<i64>().expect("an amount");
    }
    let mut ledger: HashMap<String, usize> = HashMap::new();
    for item in 1.. {
        let read = run(region, &[step("RQI", "LEDGER").number(item)]).await.expect("an answer");
        match read[0].resp {
            0 => *ledger.entry(read[0].text.clone()).or_default() += 1,
            _ => return (sum, ledger),
        }
    }
    unreachable!("the ledger ends")
}

fn check(sum: i64, ledger: &HashMap<String, usize>, acknowledged: &[String]) {
    assert_eq!(sum, OPENING * ACCOUNTS as i64);
    for transfer in acknowledged {
        assert_eq!(ledger.get(transfer), Some(&1), "{transfer} was acknowledged");
    }
    assert!(ledger.values().all(|count| *count == 1), "nothing is there twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_workers_lose_and_double_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let applid = own_applid('W');
    let region = Region::start(with_accounts(folder.path(), &applid)).expect("a region");
    run(&region, &opening()).await.expect("accounts");
    let stop = Arc::new(AtomicBool::new(false));
    let caller = |caller: usize| {
        let (region, stop) = (region.clone(), stop.clone());
        tokio::spawn(async move {
            let mut acknowledged = Vec::new();
            for number in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let transfer = format!("C{caller} N{number}");
                // Both ways round, so that some are victims of deadlocks.
                let (from, to) = ((number + caller) % ACCOUNTS, (number * 3 + 1) % ACCOUNTS);
                let steps = [step("MOVE", &transfer).key(account(from)).text(&account(to)).number(7)];
                match run(&region, &steps).await {
                    Ok(_) => acknowledged.push(transfer),
                    Err(Failure::Abend { code, .. }) => {
                        assert!(["ASRA", "AFCF", "AKCS", "SAME"].contains(&code.as_str()), "{code}");
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            acknowledged
        })
    };
    let callers: Vec<_> = (0..4).map(caller).collect();
    let mut kills = 0;
    while kills < 60 {
        for pid in workers(&applid) {
            let pid = Pid::from_raw(pid).expect("a process id");
            kills += usize::from(rustix::process::kill_process(pid, Signal::KILL).is_ok());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stop.store(true, Ordering::Relaxed);
    let mut acknowledged = Vec::new();
    for caller in callers {
        acknowledged.extend(caller.await.expect("no caller fails"));
    }
    assert!(!acknowledged.is_empty());
    // Workers that were killed while they had nothing to do are only noticed by the next task.
    while run(&region, &[step("SYNC", "")]).await.is_err() {}
    let (sum, ledger) = audit(&region).await;
    check(sum, &ledger, &acknowledged);
}

/// The region's process, until it is dropped.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn killed_regions_lose_and_double_nothing() {
    let (store, applid) = (tempfile::tempdir().expect("a folder"), own_applid('D'));
    {
        let region = Region::start(with_accounts(store.path(), &applid)).expect("a region");
        run(&region, &opening()).await.expect("accounts");
    }
    let mut acknowledged = Vec::new();
    for round in 0..ROUNDS {
        let mut process = Process(
            Command::new(example("durable"))
                .args([folder().as_os_str(), store.path().join("region.store").as_os_str()])
                .args([format!("R{round}"), applid.clone()])
                .stdout(Stdio::piped())
                .spawn()
                .expect("the example"),
        );
        let said = BufReader::new(process.0.stdout.take().expect("its output"));
        for (count, line) in said.lines().enumerate() {
            let line = line.expect("a line");
            acknowledged.push(line.strip_prefix("done ").unwrap_or_else(|| panic!("{line}")).to_owned());
            // At another point each time, in the middle of other transfers.
            if count == 20 + round * 7 {
                process.0.kill().expect("it runs");
            }
        }
        drop(process);
        let begun = Instant::now();
        while !workers(&applid).is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(30), "workers have outlived their region");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let region = Region::start(with_accounts(store.path(), &applid)).expect("a region");
    let (sum, ledger) = audit(&region).await;
    assert!(acknowledged.len() > ROUNDS * 20);
    check(sum, &ledger, &acknowledged);
}
