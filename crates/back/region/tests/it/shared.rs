//! Shared temporary storage on a real server: two regions, one queue; a server that comes and goes.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use region::{Definitions, Keeping, PoolAddress, PoolDefinition, QueueModel, Region, Settings};

use crate::region::settings;
use crate::steps::{resps, run, step};

const SYSIDERR: u16 = 53;

/// A server of Valkey or Redis on a socket in a folder, until it is dropped.
struct Server(Child);

impl Server {
    fn start(folder: &Path, more: &[&str]) -> Self {
        let arguments = ["--port", "0", "--save", "", "--daemonize", "no", "--unixsocket"];
        let start = |program: &str| {
            let mut command = Command::new(program);
            command.args(arguments).arg(socket(folder)).args(more).current_dir(folder);
            command.stdout(Stdio::null()).spawn()
        };
        let child = start("valkey-server").or_else(|_| start("redis-server")).unwrap_or_else(|error| {
            panic!("these tests need a server of Valkey or Redis: install Debian's package redis-server ({error})")
        });
        let server = Self(child);
        let begun = Instant::now();
        while std::os::unix::net::UnixStream::connect(socket(folder)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the server does not begin");
            std::thread::sleep(Duration::from_millis(10));
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("server.socket")
}

fn with_pool(folder: &tempfile::TempDir) -> Settings {
    let model = |prefix: &str, expiry| QueueModel {
        prefix: prefix.into(),
        keeping: Keeping::Shared("POOL1".to_owned()),
        expiry,
    };
    let pools = vec![PoolDefinition {
        name: "POOL1".to_owned(),
        address: PoolAddress::Unix(socket(folder.path())),
        database: 3,
        user: None,
        password: None,
        timeout: Duration::from_secs(5),
    }];
    let queue_models = vec![model("SH", None), model("SHX", Some(Duration::from_millis(1)))];
    let definitions = Definitions { queue_models, pools, ..Definitions::default() };
    Settings { store: folder.path().join("region.store"), definitions, ..settings() }
}

#[tokio::test]
async fn two_regions_have_one_queue() {
    let folder = tempfile::tempdir().expect("a folder");
    let _server = Server::start(folder.path(), &[]);
    let one = Region::start(with_pool(&folder)).expect("a region");
    let two = Region::start(with_pool(&folder)).expect("another");
    let steps = [
        step("RQ", "SHQ"),
        step("WQR", "SHQ").number(1),
        step("WQ", "SHQ").text("one"),
        step("WQ", "SHQ").text("two").length(3),
        step("WQR", "SHQ").number(2).text("second"),
        step("WQR", "SHQ").number(3),
        step("BACK", ""),
    ];
    let done = run(&one, &steps).await.expect("an answer");
    assert_eq!(done.iter().map(|done| done.resp).collect::<Vec<_>>(), [44, 44, 0, 0, 0, 26, 0]);
    assert_eq!((done[2].number, done[3].number), (1, 2));
    // What is shared is not recoverable; NEXT is one place for both regions.
    let read = run(&two, &[step("RQ", "SHQ")]).await.expect("an answer");
    assert_eq!((read[0].text.as_str(), read[0].number), ("one", 2));
    let read = run(&one, &[step("RQ", "SHQ"), step("RQ", "SHQ"), step("RQI", "SHQ").number(1)]).await;
    let read: Vec<_> = read.expect("an answer").into_iter().map(|done| (done.resp, done.text)).collect();
    assert_eq!(read, [(0, "second".to_owned()), (26, String::new()), (0, "one".to_owned())]);
    assert_eq!(resps(&two, &[step("DQ", "SHQ"), step("DQ", "SHQ"), step("RQ", "SHQ")]).await, [0, 44, 44]);
    // A queue that nobody uses goes.
    let unused = [step("WQ", "SHX"), step("WAIT", "").number(50), step("RQ", "SHX")];
    assert_eq!(resps(&one, &unused).await, [0, 0, 44]);
    assert!(!folder.path().join("region.store").exists());
}

#[tokio::test]
async fn a_server_that_is_gone_is_a_system_that_is_gone_until_it_is_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_pool(&folder)).expect("a region");
    assert_eq!(resps(&region, &[step("WQ", "SHQ"), step("RQ", "SHQ")]).await, [SYSIDERR; 2]);
    for _ in 0..2 {
        let server = Server::start(folder.path(), &[]);
        // The connection finds out by its first command at the latest.
        let begun = Instant::now();
        while resps(&region, &[step("WQ", "SHQ")]).await != [0] {
            assert!(begun.elapsed() < Duration::from_secs(60), "it does not connect again");
        }
        drop(server);
        assert_eq!(resps(&region, &[step("WQ", "SHQ")]).await, [SYSIDERR]);
    }
}

#[tokio::test]
async fn a_server_without_room_raises_nospace() {
    let folder = tempfile::tempdir().expect("a folder");
    let _server = Server::start(folder.path(), &["--maxmemory", "1", "--maxmemory-policy", "noeviction"]);
    let region = Region::start(with_pool(&folder)).expect("a region");
    assert_eq!(resps(&region, &[step("WQ", "SHQ"), step("RQ", "SHQ")]).await[0], 18);
}
