//! Measures commits a second with 1, 8 and 64 units at a time: the store, redb with one transaction a unit, and a bare
//! file to which each unit appends and which it forces to disk.
//!
//! Each unit writes one record of 1 KiB under a key of its own. All three run in the same folder, in turns, so that the
//! ratio is what counts: minimum, median and maximum of the turns. `STORE_BENCH_FOLDER` names the folder; it must be on
//! the disk that is meant, not in memory.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use redb::{Database, TableDefinition};
use store::{Collation, Definition, Keyed, Options, Organization, Recovery, Store};

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("peer");
const RECORD_BYTES: usize = 1_024;
const UNITS: [usize; 3] = [1, 8, 64];
const TURNS: usize = 5;
const TURN: Duration = Duration::from_millis(1_000);

/// Runs `commit` on this number of threads for one turn. Returns commits a second.
fn measure(threads: usize, commit: impl Fn(u64) + Sync) -> f64 {
    static KEYS: AtomicU64 = AtomicU64::new(0);
    let begin = Instant::now();
    let count = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while begin.elapsed() < TURN {
                    commit(KEYS.fetch_add(1, Ordering::Relaxed));
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    count.into_inner() as f64 / begin.elapsed().as_secs_f64()
}

fn by_store(store: &Store, file: &Keyed, key: u64) {
    let mut unit = store.unit().expect("a unit");
    unit.insert(file, &key.to_be_bytes(), vec![7; RECORD_BYTES]).expect("a new key");
    unit.syncpoint().expect("a working disk");
}

fn by_redb(database: &Database, key: u64) {
    let transaction = database.begin_write().expect("a transaction");
    {
        let mut table = transaction.open_table(TABLE).expect("the table");
        table.insert(&key.to_be_bytes()[..], &[7; RECORD_BYTES][..]).expect("room");
    }
    transaction.commit().expect("a working disk");
}

fn by_file(file: &Mutex<File>) {
    let mut file = file.lock().expect("no thread panics");
    file.write_all(&[7; RECORD_BYTES]).expect("room");
    file.sync_data().expect("a working disk");
}

fn spread(mut figures: Vec<f64>) -> String {
    figures.sort_by(f64::total_cmp);
    let (least, most) = (figures[0], figures[figures.len() - 1]);
    format!("{:.2} ({least:.2} to {most:.2})", figures[figures.len() / 2])
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn run(folder: &Path) {
    let store = Store::open(folder.join("bench.store"), Options::default()).expect("a new file");
    let definition = Definition {
        name: "RECORDS".to_string(),
        organization: Organization::KeySequenced(Collation::Binary),
        recovery: Recovery::Recoverable,
    };
    let file = store.keyed(&definition).expect("a new store");
    let database = Database::create(folder.join("bench.redb")).expect("a new file");
    let bare = OpenOptions::new().create(true).append(true).open(folder.join("bench.log"));
    let bare = Mutex::new(bare.expect("a new file"));
    println!("units  store/s  redb/s  file/s  store : redb, store : file (median, least to most)");
    for units in UNITS {
        let mut figures: [Vec<f64>; 3] = Default::default();
        for _ in 0..TURNS {
            figures[0].push(measure(units, |key| by_store(&store, &file, key)));
            figures[1].push(measure(units, |key| by_redb(&database, key)));
            figures[2].push(measure(units, |_| by_file(&bare)));
        }
        let ratio = |peer: usize| {
            let pairs = figures[0].iter().zip(&figures[peer]);
            spread(pairs.map(|(ours, theirs)| ours / theirs).collect())
        };
        let (to_redb, to_file) = (ratio(1), ratio(2));
        let [ours, redb, bare] = figures.map(median);
        println!("{units:5} {ours:8.0} {redb:7.0} {bare:7.0}  {to_redb}, {to_file}");
    }
}

fn main() {
    let folder = match std::env::var_os("STORE_BENCH_FOLDER") {
        Some(folder) => tempfile::tempdir_in(folder),
        None => tempfile::tempdir(),
    };
    run(folder.expect("a folder to write to").path());
}
