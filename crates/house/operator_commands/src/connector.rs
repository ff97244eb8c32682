//! `gantry connector`: shows the endpoint groups of a running gateway, and carries out operators'
//! commands.

use std::fmt::Write as _;
use std::process::ExitCode;

use administration::paths;
use calendar::Utc;
use clap::{Args, Subcommand};
use http::Method;
use serde_json::Value;

use crate::asked::{ANSWER_MAX, Gateway, escaped};
use crate::shown::{NONE, cell, cells, list};
use crate::table::Side::{Left, Right};
use crate::table::{Table, visible};
use crate::watch::Watch;
use crate::{Common, Trouble};

/// Which gateway, what of its endpoint groups, and how it is shown.
#[derive(Debug, Args)]
pub struct ConnectorArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    watch: Watch,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Queue, sessions and load of the groups. This is the default.
    Display(Shown),
    /// Totals of the endpoints since the figures were cleared.
    Stats(Shown),
    /// The highest values since the figures were cleared, each with its time.
    Maxstats(Shown),
    /// Begin the figures again, of one group or of all.
    Clearstats(Shown),
    /// Start a group or an endpoint.
    Start(Meant),
    /// Stop a group or an endpoint: requests under way end, no others begin, sessions are closed.
    Stop(Meant),
    /// Let an endpoint end its requests; its sessions stay open.
    Quiesce {
        /// The group.
        group: String,
        /// The endpoint.
        endpoint: String,
    },
}

#[derive(Debug, Args)]
struct Shown {
    /// The group; without it, all.
    group: Option<String>,
}

#[derive(Debug, Args)]
struct Meant {
    /// The group.
    group: String,
    /// The endpoint; without it, the group.
    endpoint: Option<String>,
}

impl Meant {
    fn name(&self) -> String {
        name(&self.group, self.endpoint.as_deref())
    }
}

fn name(group: &str, endpoint: Option<&str>) -> String {
    endpoint.map_or_else(|| group.to_owned(), |endpoint| format!("{group}/{endpoint}"))
}

/// Sends the command to the gateway and prints the answer.
///
/// # Errors
/// The gateway was not reached, or did not carry out the command.
pub fn run(args: &ConnectorArgs) -> Result<ExitCode, Trouble> {
    let gateway = Gateway::at(&args.common.place, ANSWER_MAX)?;
    let what = args.what.as_ref();
    let (method, target) = request(what);
    let show = |answer: &Value| show(what, answer);
    args.watch.ask(&gateway, (method, target, None), args.common.json, show)
}

/// The request of a command: method and path.
fn request(what: Option<&What>) -> (Method, String) {
    let look = |shown: Option<&Shown>| {
        let group = shown.and_then(|shown| shown.group.as_deref());
        let path = group.map(|group| paths::with_name(paths::GROUP, &escaped(group)));
        (Method::GET, path.unwrap_or_else(|| paths::CONNECTOR.to_owned()))
    };
    let act = |path: &str, name: &str| (Method::POST, paths::with_name(path, &escaped(name)));
    match what {
        None => look(None),
        Some(What::Display(shown) | What::Stats(shown) | What::Maxstats(shown)) => look(Some(shown)),
        Some(What::Clearstats(Shown { group: Some(group) })) => act(paths::GROUP_CLEAR, group),
        Some(What::Clearstats(Shown { group: None })) => (Method::POST, paths::CONNECTOR_CLEAR.to_owned()),
        Some(What::Start(meant)) => act(paths::GROUP_START, &meant.name()),
        Some(What::Stop(meant)) => act(paths::GROUP_STOP, &meant.name()),
        Some(What::Quiesce { group, endpoint }) => act(paths::GROUP_QUIESCE, &name(group, Some(endpoint))),
    }
}

fn show(what: Option<&What>, answer: &Value) -> String {
    let groups = |title: &str, one: fn(&Value) -> String| {
        let time = answer["time"].as_u64().map_or_else(String::new, |at| Utc::of_seconds(at).plain());
        let shown = |group: &Value| {
            let state = if group["stopped"] == Value::Bool(true) { ", STOPPED" } else { "" };
            let head = visible(&format!("{time} ENDPOINT GROUP {title} - {}{state}", cell(&group["name"])));
            format!("{head}\n{}END OF DISPLAY\n", one(group))
        };
        let all: Vec<String> = list(answer, "groups").iter().map(shown).collect();
        if all.is_empty() { "there are no endpoint groups\n".to_owned() } else { all.join("\n") }
    };
    match what {
        None | Some(What::Display(_)) => groups("DISPLAY", display) + &missing(&answer["kernel"]),
        Some(What::Stats(_)) => groups("STATS", stats),
        Some(What::Maxstats(_)) => groups("MAXSTATS", maxstats),
        Some(What::Clearstats(_)) => "the figures are cleared\n".to_owned(),
        Some(_) => visible(&format!("{} is {}", cell(&answer["name"]), cell(&answer["done"]))) + "\n",
    }
}

/// Options that the gateway's kernel lacks.
fn missing(kernel: &Value) -> String {
    let lacks = |name: &str| kernel[name] == Value::Bool(false);
    match (lacks("rtoMin"), lacks("rtoMax")) {
        (false, false) => String::new(),
        _ => "the kernel does not have rto_min_ms or rto_max_ms (Linux 6.15); `ip route change ROUTE rto_min 20ms` sets the first for a route\n".to_owned(),
    }
}

fn number(of: &Value, name: &str) -> f64 {
    of[name].as_f64().unwrap_or(0.0)
}

fn sum(endpoints: &[Value], name: &str) -> String {
    format!("{:.0}", endpoints.iter().map(|endpoint| number(endpoint, name)).sum::<f64>())
}

/// The mean time of all replies, in milliseconds.
fn mean_ms(endpoints: &[Value]) -> String {
    let replies: f64 = endpoints.iter().map(|endpoint| number(endpoint, "apis")).sum();
    let time = |endpoint: &Value| number(endpoint, "apis") * number(endpoint, "apiTimeMs");
    let all: f64 = endpoints.iter().map(time).sum();
    format!("{:.3}", if replies > 0.0 { all / replies } else { 0.0 })
}

fn role(endpoint: &Value) -> String {
    match endpoint["role"].as_str() {
        Some("PRIMARY") => "PRIM".to_owned(),
        Some("BACKUP") => "BACK".to_owned(),
        _ => NONE.to_owned(),
    }
}

fn display(group: &Value) -> String {
    let mut text = String::new();
    for (title, value) in [
        ("CURRENT QUEUE SIZE", cell(&group["queue"])),
        ("QUEUE HIGH WATER MARK", format!("{:.0}", number(&group["queueHighest"], "value"))),
        ("MAX QUEUE ALLOWED", cell(&group["queueMax"])),
    ] {
        writeln!(text, "{title:<22}- {value:>5}").expect("a text takes everything");
    }
    text.push('\n');
    let mut table = Table::new(&[
        ("SERVER ENDPOINT", Left),
        ("ROLE", Left),
        ("STATUS", Left),
        ("SESSIONS", Right),
        ("MAXSESS", Right),
        ("INUSE", Right),
        ("APIS/SEC", Right),
        ("API TIME", Right),
        ("TIMEOUTS", Right),
        ("ERRORS", Right),
        ("REASON", Left),
    ]);
    let endpoints = list(group, "endpoints");
    for endpoint in endpoints {
        let [name, status, sessions, most, in_use, timeouts, errors] =
            cells(endpoint, ["name", "status", "sessions", "maxSessions", "inUse", "timeouts", "errors"]);
        // An old failure explains nothing about an endpoint that serves.
        let reason = if status == "ACTIVE" { String::new() } else { cell(&endpoint["reason"]) };
        let rate = format!("{:.0}", number(endpoint, "apisPerSecond"));
        let time = format!("{:.3}", number(endpoint, "apiTimeMs"));
        let row =
            [name, role(endpoint), status, sessions, most, in_use, rate, time, timeouts, errors, reason];
        table.row(row);
    }
    let all = ["sessions", "maxSessions", "inUse", "apisPerSecond"].map(|name| sum(endpoints, name));
    let [sessions, most, in_use, rate] = all;
    let [timeouts, errors] = ["timeouts", "errors"].map(|name| sum(endpoints, name));
    let none = String::new;
    let totals = ["TOTALS".to_owned(), none(), none(), sessions, most, in_use, rate, mean_ms(endpoints)];
    table.row(totals.into_iter().chain([timeouts, errors, none()]));
    text + &table.text("")
}

fn stats(group: &Value) -> String {
    let mut table = Table::new(&[
        ("SERVER ENDPOINT", Left),
        ("APIS", Right),
        ("APIS/SEC", Right),
        ("API TIME", Right),
        ("TIMEOUTS", Right),
        ("ERRORS", Right),
        ("RETRANS", Right),
        ("DSACKS", Right),
        ("SRTT", Right),
        ("RTO", Right),
        ("FLOOR", Right),
    ]);
    let endpoints = list(group, "endpoints");
    for endpoint in endpoints {
        let [name, apis, timeouts, errors] = cells(endpoint, ["name", "apis", "timeouts", "errors"]);
        let rate = format!("{:.0}", number(endpoint, "apisPerSecond"));
        let time = format!("{:.3}", number(endpoint, "apiTimeMs"));
        let [retransmits, dsacks] = cells(endpoint, ["retransmits", "dsacks"]);
        let ms = |name: &str| match endpoint[name].as_f64() {
            Some(us) => format!("{:.3}", us / 1_000.0),
            None => NONE.to_owned(),
        };
        let (srtt, rto, floor) = (ms("srttUs"), ms("rtoUs"), ms("rtoFloorUs"));
        let row = [name, apis, rate, time, timeouts, errors, retransmits, dsacks, srtt, rto, floor];
        table.row(row);
    }
    let [apis, rate, timeouts, errors] =
        ["apis", "apisPerSecond", "timeouts", "errors"].map(|name| sum(endpoints, name));
    let [retransmits, dsacks] = ["retransmits", "dsacks"].map(|name| sum(endpoints, name));
    let totals = ["TOTALS".to_owned(), apis, rate, mean_ms(endpoints), timeouts, errors, retransmits, dsacks];
    table.row(totals.into_iter().chain([String::new(), String::new(), String::new()]));
    let retries = cell(&group["retries"]);
    let [receiving, most, readers] = cells(group, ["receiving", "receiveMaxBytes", "readersWaiting"]);
    let room = format!("RECEIVING - {receiving} of {most} bytes, READERS WAITING - {readers}\n");
    table.text("") + &format!("SENT AGAIN - {retries}\n") + &room
}

fn maxstats(group: &Value) -> String {
    let mut table = Table::new(&[
        ("SERVER ENDPOINT", Left),
        ("SESSIONS", Right),
        ("AT", Left),
        ("INUSE", Right),
        ("AT", Left),
        ("APIS/SEC", Right),
        ("AT", Left),
        ("API TIME", Right),
        ("AT", Left),
    ]);
    let at = |highest: &Value| {
        highest["time"].as_u64().map_or_else(|| NONE.to_owned(), |at| Utc::of_seconds(at).plain())
    };
    for endpoint in list(group, "endpoints") {
        let whole = |name: &str| {
            let highest = &endpoint[name];
            [format!("{:.0}", number(highest, "value")), at(highest)]
        };
        let time = &endpoint["apiTimeMsHighest"];
        let rows = [whole("sessionsHighest"), whole("inUseHighest"), whole("apisPerSecondHighest")];
        let cells = std::iter::once(cell(&endpoint["name"])).chain(rows.into_iter().flatten());
        table.row(cells.chain([format!("{:.3}", number(time, "value")), at(time)]));
    }
    let mut text = table.text("");
    for (title, name) in
        [("QUEUE HIGH WATER MARK", "queueHighest"), ("RECEIVING HIGH WATER MARK", "receivingHighest")]
    {
        let highest = &group[name];
        let (value, time) = (number(highest, "value"), at(highest));
        writeln!(text, "{title} - {value:.0} at {time}").expect("a text takes everything");
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer() -> Value {
        let endpoint = |name: &str, role: &str, in_use: u64, rate: f64, time: f64| {
            json!({
                "name": name, "role": role, "status": "ACTIVE", "sessions": 100, "maxSessions": 100,
                "inUse": in_use, "apis": 1_000, "apisPerSecond": rate, "apiTimeMs": time, "timeouts": 0, "errors": 0,
                "sessionsHighest": { "value": 100.0, "time": 0 },
            })
        };
        let endpoints = [
            endpoint("PRCRYP1", "PRIMARY", 100, 877.0, 1.139),
            endpoint("BKCRYP1", "BACKUP", 100, 876.0, 1.141),
        ];
        let group = json!({
            "name": "CRYPSVR1", "stopped": false, "queue": 20, "queueMax": 400, "retries": 3,
            "queueHighest": { "value": 29.0, "time": 0 }, "endpoints": endpoints,
            "receiving": 700_000, "receivingHighest": { "value": 900_000.0, "time": 0 },
            "receiveMaxBytes": 268_435_456, "readersWaiting": 2,
        });
        json!({ "time": 1_700_000_000, "groups": [group] })
    }

    #[test]
    fn the_display_is_that_of_the_report() {
        let shown = show(None, &answer());
        let expected = "\
2023-11-14 22:13:20 ENDPOINT GROUP DISPLAY - CRYPSVR1
CURRENT QUEUE SIZE    -    20
QUEUE HIGH WATER MARK -    29
MAX QUEUE ALLOWED     -   400

SERVER ENDPOINT  ROLE  STATUS  SESSIONS  MAXSESS  INUSE  APIS/SEC  API TIME  TIMEOUTS  ERRORS  REASON
PRCRYP1          PRIM  ACTIVE       100      100    100       877     1.139         0       0
BKCRYP1          BACK  ACTIVE       100      100    100       876     1.141         0       0
TOTALS                              200      200    200      1753     1.140         0       0
END OF DISPLAY
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn statistics_have_totals_and_times() {
        let all = || Shown { group: None };
        let stats = show(Some(&What::Stats(all())), &answer());
        assert!(
            stats.contains("TOTALS           2000      1753     1.140         0       0        0       0\nSENT AGAIN - 3\n\
                 RECEIVING - 700000 of 268435456 bytes, READERS WAITING - 2\n"),
            "{stats}"
        );
        let highest = show(Some(&What::Maxstats(all())), &answer());
        assert!(highest.contains("\nQUEUE HIGH WATER MARK - 29 at 1970-01-01"), "{highest}");
        assert!(highest.contains("\nRECEIVING HIGH WATER MARK - 900000 at 1970-01-01"), "{highest}");
        assert_eq!(show(None, &json!({ "groups": [] })), "there are no endpoint groups\n");
    }

    #[test]
    fn commands_lead_to_paths() {
        let meant =
            |endpoint: Option<&str>| Meant { group: "G".to_owned(), endpoint: endpoint.map(str::to_owned) };
        for (what, expected) in [
            (What::Start(meant(None)), "/connector/groups/G/start"),
            (What::Stop(meant(Some("E"))), "/connector/groups/G%2FE/stop"),
            (What::Clearstats(Shown { group: None }), "/connector/clearstats"),
        ] {
            assert_eq!(request(Some(&what)), (Method::POST, expected.to_owned()));
        }
        assert_eq!(request(None), (Method::GET, "/connector".to_owned()));
    }
}
