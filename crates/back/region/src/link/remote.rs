//! Tasks whose first program is in another region. They use no worker of this region.

use std::collections::HashSet;

use program::conditions::{TERMERR, by_number};
use wire::{Answer, Cargo, Interface, LinkAsk};

use crate::region::{Failure, Request};
use crate::work::{TaskEnd, Work};

/// Runs a program of another region. Its changes are committed there when it returns. If the task was started with PROTECT, they
/// are committed with the end of its record here, by two-phase commit: the task neither runs twice nor is lost.
///
/// # Errors
/// The task was not begun, or has failed.
pub(crate) async fn run(mut work: Work, request: Request) -> Result<Interface, Failure> {
    let joins = work.starts.join_elsewhere();
    if joins {
        work.partners.wait_for_doubts();
    }
    let ended = link(&mut work, request, !joins).await;
    match &ended {
        Ok(_) => work.end(TaskEnd::Normal).await?,
        // A task that was started with PROTECT and has not begun begins later.
        Err(Failure::NotBegun(_)) => {}
        Err(_) => work.end(TaskEnd::Abnormal).await?,
    }
    ended
}

/// Links a program of another region. Its changes belong to the unit of work, or are committed there when it
/// returns.
///
/// # Errors
/// It was not begun, or has failed.
pub(crate) async fn link(
    work: &mut Work,
    request: Request,
    sync_on_return: bool,
) -> Result<Interface, Failure> {
    let Request { program, transaction, interface, .. } = request;
    let channel = match &interface {
        Interface::Channel { name, containers } => Some((*name, containers.clone())),
        _ => None,
    };
    let cargo = Cargo::of(interface);
    let transaction = Some(transaction);
    match work.link(LinkAsk { sysid: None, program, transaction, sync_on_return, cargo }).await {
        Ok(Answer::Linked(Cargo::Channel { containers: changed, deleted, .. })) => {
            let (name, mut containers) = channel.unwrap_or(([b' '; 16], Vec::new()));
            // By name: a channel may have very many containers.
            let gone: HashSet<[u8; 16]> = changed.iter().map(|now| now.name).chain(deleted).collect();
            containers.retain(|known| !gone.contains(&known.name));
            containers.extend(changed);
            Ok(Interface::Channel { name, containers })
        }
        Ok(Answer::Linked(cargo)) => Ok(cargo.into_interface()),
        Ok(_) => Err(Failure::OutcomeUnknown("the other region answered something else".to_owned())),
        Err(Answer::Abend { code, message }) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
            Err(Failure::Abend { code: text(&code), program: text(&program), message })
        }
        Err(Answer::Condition { resp, .. }) if resp == TERMERR.number => {
            Err(Failure::OutcomeUnknown("the other region has not answered".to_owned()))
        }
        Err(Answer::Condition { resp, resp2 }) => {
            let name = by_number(resp).map_or("an unknown condition", |condition| condition.name);
            Err(Failure::NotBegun(format!(
                "the other region does not run the program: {name} with RESP2 {resp2}"
            )))
        }
        Err(_) => Err(Failure::OutcomeUnknown("the other region answered something else".to_owned())),
    }
}
