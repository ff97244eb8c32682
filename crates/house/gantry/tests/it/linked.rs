//! Two gateways with linked regions, for tests: their folders, their processes, and their answers
//! to callers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use crate::client::Client;
use crate::folder::Folder;
use crate::process::{Gantry, request, text};

/// The longest time of a call. A longer call hangs.
pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(60);

const JSON: &str = "content-type: application/json\r\nconnection: close\r\n";

fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    std::fs::read_to_string(path).expect("a text")
}

fn service(program: &str) -> String {
    format!(
        r#"
ccsid = 819
naming = "cobol"
provider = {{ kind = "program", program = "{program}" }}
[request]
copybook = "MOVEREC.cpy"
wrapper = ""
[response]
copybook = "MOVEREC.cpy"
wrapper = ""
"#
    )
}

fn api(name: &str) -> String {
    format!("base_path = \"/{name}\"\n[[operation]]\nmethod = \"POST\"\npath = \"/\"\nservice = \"{name}\"\n")
}

/// Makes the part of gantry.toml that both have.
fn common(folder: &Folder, (sysid, applid): (&str, &str)) -> String {
    let at = text(folder.path());
    format!(
        r#"
[[listener]]
address = "127.0.0.1:0"
[admin]
address = "127.0.0.1:0"
[server]
reload_poll_ms = 20
[region]
cache = "{at}/.cache"
store = "{at}/.state/region.store"
workers = 2
sysid = "{sysid}"
applid = "{applid}"
lock_wait_max_ms = 2000
[[region.tsmodel]]
prefix = "REC"
location = "auxiliary"
recoverable = true
[region.links]
listen = ["unix:{at}/.link"]
answer_max_ms = 5000
heartbeat_ms = 500
"#
    )
}

fn with_programs(mut folder: Folder, programs: &[&str]) -> Folder {
    std::fs::create_dir_all(folder.path().join(".state")).expect("a folder");
    for name in programs {
        let to = if name.ends_with(".cpy") { "copybooks" } else { "programs" };
        folder = folder.with(&format!("{to}/{name}"), &source(name));
    }
    folder
}

/// The folders of two gateways. NEAR has two services. The program of `move` links to the other
/// region. The program of `take` is in the other region.
pub(crate) struct Pair {
    pub(crate) near: Folder,
    pub(crate) far: Folder,
    near_text: String,
    far_text: String,
}

impl Pair {
    /// Makes both folders. The application ids lead to the workers of each gateway.
    pub(crate) fn new(applids: [&str; 2]) -> Self {
        let far = with_programs(Folder::empty(), &["TAKER.cbl", "MOVEREC.cpy"]);
        let near = with_programs(Folder::empty(), &["MOVER.cbl", "MOVEREC.cpy"])
            .with("services/move.toml", &service("MOVER"))
            .with("services/take.toml", &service("TAKER"))
            .with("apis/move/api.toml", &api("move"))
            .with("apis/take/api.toml", &api("take"));
        let near_text = common(&near, ("NEAR", applids[0]));
        let far_text = common(&far, ("FARR", applids[1])) + TRANSACTION;
        let pair = Self { near, far, near_text, far_text };
        let (near, far) = (pair.near_toml(&pair.near_link()), pair.far_toml(FAR_LINK));
        Self { near: pair.near.with("gantry.toml", &near), far: pair.far.with("gantry.toml", &far), ..pair }
    }

    /// Gives NEAR's link to the other region, with a program of that region.
    pub(crate) fn near_link(&self) -> String {
        let socket = self.far.path().join(".link");
        format!("{NEAR_LINK}address = \"unix:{}\"\n{THERE}", text(&socket))
    }

    pub(crate) fn near_toml(&self, links: &str) -> String {
        format!("{}{links}", self.near_text)
    }

    pub(crate) fn far_toml(&self, links: &str) -> String {
        format!("{}{links}", self.far_text)
    }
}

const TRANSACTION: &str = "[[region.transaction]]\nname = \"TAKE\"\nprogram = \"TAKER\"\n";

const NEAR_LINK: &str = "[[region.link]]\nsysid = \"FARR\"\n";

/// The program that NEAR uses in the other region.
const THERE: &str = "
[[region.program]]
name = \"TAKER\"
sysid = \"FARR\"
[[region.transaction]]
name = \"FTAK\"
sysid = \"FARR\"
remote_name = \"TAKE\"
";

/// The rights that the other region gives NEAR.
pub(crate) const FAR_LINK: &str = "
[[region.link]]
sysid = \"NEAR\"
programs = [\"TAKER\"]
transactions = [\"\"]
queues = [\"FAR\"]
asserts_users = true
";

/// A gateway that can be killed and started again.
pub(crate) struct Phoenix<'f> {
    folder: &'f Folder,
    gantry: RwLock<Arc<Gantry>>,
}

impl<'f> Phoenix<'f> {
    pub(crate) fn new(folder: &'f Folder) -> Self {
        Self { gantry: RwLock::new(Arc::new(Gantry::folder(folder.path()))), folder }
    }

    pub(crate) fn now(&self) -> Arc<Gantry> {
        self.gantry.read().expect("no holder panics").clone()
    }

    /// Kills the gateway, calls `meanwhile`, and starts it again.
    pub(crate) fn kill(&self, meanwhile: impl FnOnce()) {
        self.now().kill();
        meanwhile();
        *self.gantry.write().expect("no holder panics") = Arc::new(Gantry::folder(self.folder.path()));
    }
}

/// The answer to a caller: the status and the body.
pub(crate) type Told = (u16, String);

/// Calls a service. Gives none if the gateway died meanwhile.
pub(crate) fn call(gantry: &Gantry, service: &str, (how, id): (&str, &str)) -> Option<Told> {
    let body = format!(r#"{{"MV-HOW":"{how}","MV-ID":"{id}"}}"#);
    let bytes = request("POST", &format!("/{service}/"), JSON, &body);
    let begun = Instant::now();
    let mut stream = TcpStream::connect(gantry.address()).ok()?;
    stream.set_read_timeout(Some(ANSWER_MAX)).expect("a socket");
    stream.write_all(bytes.as_bytes()).ok()?;
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    assert!(begun.elapsed() < ANSWER_MAX, "{service} {how} {id} hangs");
    let answer = String::from_utf8(answer).expect("text");
    // An answer needs the end of its head and of its body.
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let length = head.to_ascii_lowercase();
    let length = length.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    if read.is_err() || length != Some(body.len()) {
        return None;
    }
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    Some((status, body.to_owned()))
}

/// Gives all items of a queue, as operators see them.
pub(crate) fn items(gantry: &Gantry, queue: &str) -> Vec<String> {
    let mut items = Vec::new();
    loop {
        let path = format!("/region/queues/{queue}?item={}", items.len() + 1);
        let answer = Client::connect(gantry.admin).ask(request("GET", &path, "", "").as_bytes());
        if answer.status != 200 {
            return items;
        }
        let item: serde_json::Value = serde_json::from_str(answer.text()).expect("JSON");
        items.push(item["data"]["text"].as_str().expect("text").trim_end().to_owned());
    }
}

/// Waits until a program in one region reaches the other.
pub(crate) fn wait_for_link(near: &Gantry) {
    until("the link is not mended", || {
        call(near, "move", ("QUEUE", "x")).is_some_and(|(status, body)| status == 200 && resp(&body) == 0)
    });
}

/// Gives RESP from an answer.
pub(crate) fn resp(body: &str) -> u64 {
    let found: serde_json::Value = serde_json::from_str(body).expect("JSON");
    found["MV-RESP"].as_u64().unwrap_or_else(|| panic!("expected an answer of MOVER, found {body}"))
}

/// Waits until `done` gives true.
pub(crate) fn until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < ANSWER_MAX, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
