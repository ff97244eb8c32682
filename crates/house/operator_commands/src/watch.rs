//! Asks the gateway and shows its answer, with `--watch` again and again.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use http::Method;
use serde_json::Value;

use crate::Trouble;
use crate::asked::Gateway;

/// Whether it is shown again.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Show it again every SECONDS, until Ctrl-C.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    watch: Option<u64>,
}

/// A request: method, path and query, and body.
pub(crate) type Request = (Method, String, Option<Value>);

impl Watch {
    /// Refuses it for a command whose answer is not shown again.
    ///
    /// # Errors
    /// It is wanted. `shown` names the commands that show their answers again.
    pub(crate) fn refuse(&self, shown: &str) -> Result<(), Trouble> {
        match self.watch {
            Some(_) => Err(Trouble::refused(format!("--watch is for {shown}"))),
            None => Ok(()),
        }
    }

    /// Sends a request and prints the answer: as the gateway's JSON, or as `show` shows it to people. A request that changes
    /// nothing is repeated, if that is wanted, until nobody reads it.
    ///
    /// # Errors
    /// The gateway was not reached, or did not carry out the request.
    pub(crate) fn ask(
        &self,
        gateway: &Gateway,
        (method, target, body): Request,
        is_json: bool,
        show: impl Fn(&Value) -> String,
    ) -> Result<ExitCode, Trouble> {
        let repeats = self.watch.filter(|_| method == Method::GET);
        loop {
            let answer = gateway.ask(method.clone(), target.clone(), body.clone())?;
            let text = if is_json { answer.text } else { show(&answer.value) };
            let is_read = print(&text, repeats.is_some() && !is_json);
            match repeats.filter(|_| is_read) {
                Some(seconds) => thread::sleep(Duration::from_secs(seconds)),
                None => return Ok(ExitCode::SUCCESS),
            }
        }
    }
}

/// Prints a text. A terminal is cleared before it if `stays` says that the text stays in its place. False if nobody reads it.
fn print(text: &str, stays: bool) -> bool {
    let mut stdout = std::io::stdout();
    let clear = if stays && stdout.is_terminal() { "\x1b[2J\x1b[H" } else { "" };
    stdout.write_all(format!("{clear}{text}").as_bytes()).and_then(|()| stdout.flush()).is_ok()
}
