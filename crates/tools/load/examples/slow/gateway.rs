//! The gateway that is attacked.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::good::Targets;

const PAGE_BYTES: usize = 4096;

/// A running gateway; it ends with this.
pub(crate) struct Gateway {
    process: Child,
    pub(crate) targets: Targets,
    /// The longest of its limits of time.
    pub(crate) limit: Duration,
}

impl Gateway {
    /// Starts a gateway on ports that are free, on one core if it is given.
    pub(crate) fn start(binary: &Path, folder: &Path, core: Option<usize>) -> Result<Self, String> {
        let mut command = match core {
            Some(core) => {
                let mut command = Command::new("taskset");
                command.args(["--cpu-list", &core.to_string()]).arg(binary);
                command
            }
            None => Command::new(binary),
        };
        let mut process = command
            .arg("serve")
            .arg(folder)
            .args(["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", binary.display()))?;
        let output = process.stdout.take().ok_or("no output")?;
        let (mut apis, mut admin) = (None, None);
        for line in BufReader::new(output).lines() {
            let line = line.map_err(|error| error.to_string())?;
            apis = apis.or_else(|| address(&line, "gantry serves on "));
            admin = admin.or_else(|| address(&line, "metrics and health on "));
            if line.starts_with("Ctrl-C") {
                break;
            }
        }
        match (apis, admin) {
            (Some(apis), Some(admin)) => {
                Ok(Self { process, targets: Targets { apis, admin }, limit: limit(folder)? })
            }
            _ => Err("the gateway did not start".to_owned()),
        }
    }

    /// Bytes that are in memory.
    pub(crate) fn memory(&self) -> usize {
        let pages = std::fs::read_to_string(format!("/proc/{}/statm", self.process.id()))
            .ok()
            .and_then(|text| text.split(' ').nth(1)?.parse::<usize>().ok());
        pages.unwrap_or(0) * PAGE_BYTES
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn address(line: &str, after: &str) -> Option<SocketAddr> {
    let (_, url) = line.strip_prefix(after)?.split_once("://")?;
    let end = url.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ':')).unwrap_or(url.len());
    url[..end].parse().ok()
}

/// The longest of the times in a folder's `gantry.toml`.
fn limit(folder: &Path) -> Result<Duration, String> {
    let path = folder.join("gantry.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let times = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(" = ")?;
        name.ends_with("_timeout_ms").then(|| value.parse().ok())?
    });
    times.max().map(Duration::from_millis).ok_or_else(|| format!("{} has no limits of time", path.display()))
}
