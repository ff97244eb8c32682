//! An endpoint group for `gantry load group`. The group of a configuration runs in the driver's own
//! process.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use connector::config::GroupFiles;
use connector::{Act, Call, Group, Groups, Marks, TroubleKind};
use load::group::{GroupDoor, Outcome};
use load::step::allow_clients;
use load::tally::Failure;
use settings::{Files, Loader, Problems};

use crate::cli::no_folder;

/// The status of requests that a gateway would refuse.
const REFUSED: u16 = 503;
/// The status of requests that a gateway could not send.
const UNFRAMEABLE: u16 = 502;

/// The driver ignores operators' commands to a gateway's groups.
struct Unmarked;

impl Marks for Unmarked {
    fn is(&self, _: Act, _: &str) -> bool {
        false
    }
}

/// A group of this process.
#[derive(Debug)]
struct Door {
    group: Arc<Group>,
    /// The group's connections need it.
    _groups: Groups,
    place: String,
    is_idempotent: bool,
}

/// Opens a group of a folder, in the current runtime.
///
/// # Errors
/// The folder or the group does not exist or has faults. The faults are shown.
pub(crate) fn open(folder: &Path, name: &str, is_idempotent: bool) -> Result<Rc<dyn GroupDoor>, String> {
    if !folder.is_dir() {
        return Err(no_folder(folder));
    }
    let files = Files::at(folder);
    let mut loader = Loader::new(&files, Problems::default(), |_| Vec::new());
    let plans = GroupFiles::read(&mut loader).into_plans();
    if loader.problems.error_count() > 0 {
        terminal::show(&loader.problems);
        return Err("the endpoint groups have faults".to_owned());
    }
    let groups = Groups::default();
    groups.apply(&plans, &Unmarked);
    let group = groups.get(name).ok_or_else(|| {
        let known: Vec<String> = groups.view().into_iter().map(|view| view.name).collect();
        format!("{} has no endpoint group '{name}'; known: {}", folder.display(), known.join(", "))
    })?;
    let sockets = u32::try_from(plans.sockets_max()).unwrap_or(u32::MAX);
    allow_clients(sockets).map_err(|error| error.to_string())?;
    let endpoints: Vec<String> = group
        .view()
        .endpoints
        .iter()
        .map(|endpoint| format!("{} {}", endpoint.name, endpoint.destination))
        .collect();
    let place = format!("{name} of {}: {}", folder.display(), endpoints.join(", "));
    Ok(Rc::new(Door { group, _groups: groups, place, is_idempotent }))
}

impl GroupDoor for Door {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn send(&self, request: Vec<u8>, timeout: Duration) -> Outcome<'_> {
        let call = Call {
            endpoint: None,
            deadline: Instant::now() + timeout,
            is_idempotent: self.is_idempotent,
            is_one_way: false,
        };
        Box::pin(async move { self.group.send(request, call).await.map_err(|trouble| failure(trouble.kind)) })
    }
}

/// The kind of failure in the driver's counts.
fn failure(kind: TroubleKind) -> Failure {
    match kind {
        TroubleKind::Stopped | TroubleKind::QueueFull | TroubleKind::TooMany | TroubleKind::NobodyWell => {
            Failure::Status(REFUSED)
        }
        TroubleKind::TimedOutUnsent | TroubleKind::TimedOutSent => Failure::Timeout,
        TroubleKind::Broken | TroubleKind::BadReply => Failure::BrokenAnswer,
        TroubleKind::Unframeable => Failure::Status(UNFRAMEABLE),
    }
}
