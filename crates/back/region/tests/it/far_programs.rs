//! Protected STARTs whose program is in another region: its work there, and the end of the record here, are one unit of work.

use std::sync::{Arc, Mutex};

use region::link::definition::{Address, Allowed, Links, Peer, RemoteProgram};
use region::link::message::{Answer, Message};
use region::{Definitions, Region, Settings, Transaction};
use wire::name;

use crate::between::{Fate, stand_between};
use crate::kept_starts::{until_kept, with_store};
use crate::linked::{Came, Linked, Plan, hex, pair, until};
use crate::starts::{note, starter};
use crate::strangers::{peer, with_links};
use crate::two_phase::{MOMENTS, Moment, Watch};

/// A moment of the task: its program has returned there, or one of the commit.
#[derive(Clone, Copy, Debug)]
enum When {
    Returned,
    Commit(Moment),
}

/// Finds the moment.
enum Looks {
    Returned,
    Commit(Watch),
}

impl Looks {
    fn sees(&mut self, message: &Message) -> bool {
        match self {
            Looks::Returned => matches!(message, Message::Answer { answer: Answer::Linked { .. }, .. }),
            Looks::Commit(watch) => watch.sees(message),
        }
    }
}

/// What happens at the moment, once; the connection breaks in any case.
type Strike = Arc<Mutex<Option<(Looks, Box<dyn FnOnce() + Send>)>>>;

/// Two regions with somebody between them.
struct Stage {
    _folder: tempfile::TempDir,
    plans: (Plan, Plan),
    strike: Strike,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut plan_a, plan_b) = pair(folder.path());
        plan_a.peers_socket = folder.path().join("between");
        let strike = Strike::default();
        let planned = strike.clone();
        stand_between(&plan_a.peers_socket, &plan_b.socket, move |message| {
            let mut planned = planned.lock().expect("no holder panics");
            if !planned.as_mut().is_some_and(|(looks, _)| looks.sees(message)) {
                return Fate::Passes;
            }
            if let Some((_, does)) = planned.take() {
                does();
            }
            Fate::Lost
        });
        Self { _folder: folder, plans: (plan_a, plan_b), strike }
    }

    fn prepare(&self, when: When, does: impl FnOnce() + Send + 'static) {
        let looks = match when {
            When::Returned => Looks::Returned,
            When::Commit(moment) => Looks::Commit(Watch::new(moment)),
        };
        *self.strike.lock().expect("no holder panics") = Some((looks, Box::new(does)));
    }

    fn has_struck(&self) -> bool {
        self.strike.lock().expect("no holder panics").is_none()
    }
}

/// Starts a transaction of the region itself, with PROTECT.
fn start(region: &Linked, transaction: &str) {
    let commarea = format!("{:8}{:4}{transaction:4}{:8}{:010}{:8}", "PROTECT", "REGA", "", 0, "");
    let came = region.call(&format!("FARSTART {}", hex(commarea.as_bytes())));
    assert!(matches!(came, Came::Ok(_) | Came::Gone), "{came:?}");
}

fn until_none_is_kept(plan: &Plan) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(until_kept(&plan.store, 0));
}

#[test]
fn a_program_of_another_region_does_its_work_once_whoever_dies_when() {
    let stage = Stage::new();
    let mut done = 0;
    let b = Linked::start(&stage.plans.1);
    let mut a = Arc::new(Linked::start(&stage.plans.0));
    let moments = MOMENTS.map(When::Commit);
    for when in [When::Returned].into_iter().chain(moments) {
        for dies in [true, false] {
            a.wait_for_link("REGB");
            until("units of before are still in doubt", || b.in_doubt() == 0);
            let first = a.clone();
            stage.prepare(when, move || {
                if dies {
                    first.kill();
                }
            });
            start(&a, "FIT1");
            until(&format!("{when:?}: nobody has struck"), || stage.has_struck());
            if dies {
                a = Arc::new(Linked::start(&stage.plans.0));
            }
            done += 1;
            let is_there = || b.in_doubt() == 0 && b.items("RECIN").len() >= done;
            until(&format!("{when:?}, dies: {dies}: it is not done"), is_there);
            // Nothing is left by which it would begin again.
            until_none_is_kept(&stage.plans.0);
            until("its unit is in doubt", || b.in_doubt() == 0);
            assert_eq!(b.items("RECIN").len(), done, "{when:?}, dies: {dies}");
        }
    }
}

#[test]
fn a_program_of_another_region_that_abends_does_not_begin_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan_a, plan_b) = pair(folder.path());
    let (a, _b) = (Linked::start(&plan_a), Linked::start(&plan_b));
    a.wait_for_link("REGB");
    start(&a, "FAB1");
    until_none_is_kept(&plan_a);
}

#[tokio::test]
async fn a_protected_task_goes_on_to_a_third_region() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = |sysid: &str| Address::Unix(folder.path().join(sysid));
    let remote = |sysid: &str, there: &str| RemoteProgram {
        name: name("FARSTD"),
        sysid: name(sysid),
        remote_name: name(there),
        transaction: None,
        text: Vec::new(),
    };
    let everything = |sysid: &str, at| Peer { allowed: Allowed::everything(), ..peer(sysid, at) };
    let last =
        Links { listen: vec![socket("FAR2")], peers: vec![everything("FAR1", None)], ..Links::default() };
    let last = with_links(folder.path(), "FAR2", last);
    let middle = Settings {
        sysid: name("FAR1"),
        definitions: Definitions {
            remote_programs: vec![remote("FAR2", "STARTED")],
            ..Definitions::default()
        },
        links: Links {
            listen: vec![socket("FAR1")],
            peers: vec![everything("FRND", None), everything("FAR2", Some(socket("FAR2")))],
            ..Links::default()
        },
        store: folder.path().join("FAR1.store"),
        ..crate::region::settings()
    };
    let middle = Region::start(middle).expect("a region");
    middle.open_links().expect("links");
    let mut settings = Settings {
        sysid: name("FRND"),
        definitions: Definitions {
            remote_programs: vec![remote("FAR1", "FARSTD")],
            ..Definitions::default()
        },
        links: Links { peers: vec![peer("FAR1", Some(socket("FAR1")))], ..Links::default() },
        ..with_store(folder.path())
    };
    let program = Transaction { program: name("FARSTD"), enabled: true, tasks_max: None };
    settings.transactions.insert(name("STD1"), program);
    let near = Region::start(settings).expect("a region");
    near.open_links().expect("links");
    near.recall();
    until("there is no link", || {
        let connected = |region: &Region| region.links().iter().all(|link| link.trouble.is_none());
        connected(&near) && middle.links().iter().any(|link| link.sysid == "FAR2" && link.trouble.is_none())
    });
    starter(&near, "PROTECT").await.expect("an answer");
    assert_eq!(&note(&last).await[..4], "STD1");
    until_kept(&folder.path().join("region.store"), 0).await;
}
