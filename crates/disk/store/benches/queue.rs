//! Measures durable puts and gets of messages of 1 KiB with 1, 10 and 64 producers: the store without and with a log,
//! redb alone, and a bare preallocated file that is forced to disk with `fdatasync`.
//!
//! Each producer puts a message, waits until it is on disk, gets one, and waits until that is on disk; both count. All
//! four take the operations that wait together with one wait for the disk: the store by itself, the peers by a thread
//! of this bench. They run in the same folder, in turns, so that the ratio is what counts: minimum, median and maximum
//! of the turns. First the queue is empty, then it holds `STORE_BENCH_WAITING` messages (100,000 if it is not set), and
//! gets take the oldest. `STORE_BENCH_FOLDER` names the folder; it must be on the disk that is meant, not in memory.
//! `STORE_BENCH_TURN_MS` and `STORE_BENCH_TURNS` set the length and the number of the turns.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use redb::{Database, TableDefinition};
use store::{Definition, EngineKind, Logs, Options, Organization, Positions, Recovery, Store};

const TABLE: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("peer");
const MESSAGE_BYTES: usize = 1_024;
const PRODUCERS: [usize; 3] = [1, 10, 64];
const QUEUE: &[u8] = b"DEV.QUEUE.1";
/// Messages of one unit while a queue is filled.
const FILL: u64 = 500;
const FILE_BYTES: u64 = 64 << 20;
/// Number, kind and checksum, as any log needs them.
const HEADER_BYTES: usize = 32;

/// One thing that is measured.
trait Peer: Sync {
    /// Puts a message; its number, when it is on disk.
    fn put(&self) -> u64;
    /// Gets the message of a number, and returns when that is on disk.
    fn get(&self, number: u64);
    /// Puts this number of messages, and returns their numbers.
    fn fill(&self, messages: u64) -> Vec<u64>;
}

struct OfStore {
    store: Store,
    logs: Logs,
}

impl OfStore {
    fn new(path: &Path, options: Options) -> Self {
        let store = Store::open(path, options).expect("a new file");
        let definition = Definition {
            name: "MQ".to_string(),
            organization: Organization::Logs(Positions::Unique),
            recovery: Recovery::Recoverable,
        };
        let logs = store.logs(&definition).expect("a new store");
        Self { store, logs }
    }
}

impl Peer for OfStore {
    fn put(&self) -> u64 {
        let mut unit = self.store.unit().expect("a unit");
        let position = unit.append(&self.logs, QUEUE, vec![7; MESSAGE_BYTES]).expect("room");
        unit.syncpoint().expect("a working disk");
        position
    }

    fn get(&self, number: u64) {
        let mut unit = self.store.unit().expect("a unit");
        let message = unit.take(&self.logs, QUEUE, number).expect("a message");
        assert_eq!(message.len(), MESSAGE_BYTES);
        unit.syncpoint().expect("a working disk");
    }

    fn fill(&self, messages: u64) -> Vec<u64> {
        let mut numbers = Vec::new();
        for _ in 0..messages / FILL {
            let mut unit = self.store.unit().expect("a unit");
            for _ in 0..FILL {
                numbers.push(unit.append(&self.logs, QUEUE, vec![7; MESSAGE_BYTES]).expect("room"));
            }
            unit.syncpoint().expect("a working disk");
        }
        numbers
    }
}

/// An operation that waits for the disk.
enum Wish {
    Put(u64),
    Get(u64),
}

type Waiting = (Wish, SyncSender<()>);

/// A peer whose operations are grouped by a thread.
struct Grouped {
    next: AtomicU64,
    wishes: Mutex<Sender<Waiting>>,
    fill: Box<dyn Fn(std::ops::Range<u64>) + Sync>,
}

impl Grouped {
    fn wait(&self, wish: Wish) {
        let (done, told) = sync_channel(1);
        let wishes = self.wishes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        wishes.send((wish, done)).expect("the thread lives");
        told.recv().expect("the thread lives");
    }
}

impl Peer for Grouped {
    fn put(&self) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.wait(Wish::Put(number));
        number
    }

    fn get(&self, number: u64) {
        self.wait(Wish::Get(number));
    }

    fn fill(&self, messages: u64) -> Vec<u64> {
        let first = self.next.fetch_add(messages, Ordering::Relaxed);
        (self.fill)(first..first + messages);
        (first..first + messages).collect()
    }
}

fn group(wishes: &Receiver<Waiting>, mut apply: impl FnMut(&[Waiting])) {
    while let Ok(first) = wishes.recv() {
        let mut batch = vec![first];
        batch.extend(wishes.try_iter());
        apply(&batch);
        for (_, done) in batch {
            let _ = done.send(());
        }
    }
}

fn redb_batch(database: &Database, change: impl FnOnce(&mut redb::Table<'_, u64, &'static [u8]>)) {
    let transaction = database.begin_write().expect("a transaction");
    change(&mut transaction.open_table(TABLE).expect("the table"));
    transaction.commit().expect("a working disk");
}

fn of_redb(path: &Path) -> Grouped {
    let database = std::sync::Arc::new(Database::create(path).expect("a new file"));
    let (wishes, waiting) = channel();
    let shared = std::sync::Arc::clone(&database);
    std::thread::spawn(move || {
        group(&waiting, |batch| {
            redb_batch(&shared, |table| {
                for (wish, _) in batch {
                    match wish {
                        Wish::Put(number) => {
                            drop(table.insert(number, &[7; MESSAGE_BYTES][..]).expect("room"));
                        }
                        Wish::Get(number) => {
                            let message = table.remove(number).expect("a working disk").expect("a message");
                            assert_eq!(message.value().to_vec().len(), MESSAGE_BYTES);
                        }
                    }
                }
            });
        });
    });
    let fill = move |numbers: std::ops::Range<u64>| {
        let mut numbers = numbers.peekable();
        while numbers.peek().is_some() {
            redb_batch(&database, |table| {
                for number in numbers.by_ref().take(FILL as usize) {
                    drop(table.insert(number, &[7; MESSAGE_BYTES][..]).expect("room"));
                }
            });
        }
    };
    Grouped { next: AtomicU64::new(0), wishes: Mutex::new(wishes), fill: Box::new(fill) }
}

fn of_file(path: &Path) -> Grouped {
    let file: File = OpenOptions::new().create_new(true).write(true).open(path).expect("a new file");
    let zeros = vec![0; 1 << 20];
    for offset in (0..FILE_BYTES).step_by(zeros.len()) {
        file.write_all_at(&zeros, offset).expect("room");
    }
    file.sync_all().expect("a working disk");
    let (wishes, waiting) = channel();
    std::thread::spawn(move || {
        let mut offset = 0;
        group(&waiting, |batch| {
            let mut bytes = Vec::new();
            for (wish, _) in batch {
                let (Wish::Put(number) | Wish::Get(number)) = wish;
                let mut header = [0; HEADER_BYTES];
                header[..8].copy_from_slice(&number.to_be_bytes());
                bytes.extend_from_slice(&header);
                if matches!(wish, Wish::Put(_)) {
                    bytes.extend_from_slice(&[7; MESSAGE_BYTES]);
                }
            }
            if offset + bytes.len() as u64 > FILE_BYTES {
                offset = 0;
            }
            file.write_all_at(&bytes, offset).expect("room");
            offset += bytes.len() as u64;
            file.sync_data().expect("a working disk");
        });
    });
    Grouped { next: AtomicU64::new(0), wishes: Mutex::new(wishes), fill: Box::new(|_| {}) }
}

/// A peer, and the messages that wait in it.
struct Contender {
    peer: Box<dyn Peer>,
    waiting: Mutex<VecDeque<u64>>,
}

impl Contender {
    fn new(peer: impl Peer + 'static) -> Self {
        Self { peer: Box::new(peer), waiting: Mutex::default() }
    }

    fn step(&self) {
        let waiting = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let number = self.peer.put();
        waiting().push_back(number);
        let oldest = waiting().pop_front().expect("one was just put");
        self.peer.get(oldest);
    }

    /// Runs this number of producers for one turn. Returns puts and gets a second.
    fn measure(&self, producers: usize, turn: Duration) -> f64 {
        let begin = Instant::now();
        let count = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..producers {
                scope.spawn(|| {
                    while begin.elapsed() < turn {
                        self.step();
                        count.fetch_add(2, Ordering::Relaxed);
                    }
                });
            }
        });
        count.into_inner() as f64 / begin.elapsed().as_secs_f64()
    }
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

fn number(name: &str, otherwise: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return otherwise };
    text.parse().unwrap_or_else(|_| panic!("{name}: expected a number, found {text}"))
}

fn compare(contenders: &[Contender], waiting: u64) {
    let turn = Duration::from_millis(number("STORE_BENCH_TURN_MS", 1_000));
    let turns = number("STORE_BENCH_TURNS", 5);
    for producers in PRODUCERS {
        let mut figures = vec![Vec::new(); contenders.len()];
        for _ in 0..turns {
            for (contender, figures) in contenders.iter().zip(&mut figures) {
                figures.push(contender.measure(producers, turn));
            }
        }
        let ratio = |one: usize, other: usize| {
            spread(figures[one].iter().zip(&figures[other]).map(|(one, other)| one / other).collect())
        };
        print!("{waiting:8} {producers:9}");
        for figures in &figures {
            print!(" {:8.0}", median(figures.clone()));
        }
        let last = contenders.len() - 1;
        for one in 0..last - 1 {
            print!("  {}, {}", ratio(one, last - 1), ratio(one, last));
        }
        println!();
    }
}

fn main() {
    let folder = match std::env::var_os("STORE_BENCH_FOLDER") {
        Some(folder) => tempfile::tempdir_in(folder),
        None => tempfile::tempdir(),
    };
    let folder = folder.expect("a folder to write to");
    let path = |name: &str| folder.path().join(name);
    let of = |engine| Options { engine, ..Options::default() };
    let contenders = [
        Contender::new(OfStore::new(&path("bench.store"), of(EngineKind::File))),
        Contender::new(OfStore::new(&path("logged.store"), of(EngineKind::Log))),
        Contender::new(of_redb(&path("bench.redb"))),
        Contender::new(of_file(&path("bench.log"))),
    ];
    println!(
        " waiting producers  store/s    log/s   redb/s   file/s  store : redb, store : file  log : redb, log : file \
         (median, least to most)"
    );
    compare(&contenders, 0);
    let waiting = number("STORE_BENCH_WAITING", 100_000) / FILL * FILL;
    for contender in &contenders {
        let filled = contender.peer.fill(waiting);
        contender.waiting.lock().unwrap_or_else(PoisonError::into_inner).extend(filled);
    }
    compare(&contenders, waiting);
}
