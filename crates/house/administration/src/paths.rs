//! The URLs of administration that other code needs, too: `gantry region`, the check of base paths,
//! and answers with other URLs.
//!
//! A word in braces stands for a name, percent-encoded.

/// Scans the pickup folders of pipelines.
pub const SCAN: &str = "/pipelines/scan";

/// The root path of the region.
pub const REGION: &str = "/region";
/// The messages of programs to operators.
pub const MESSAGES: &str = "/region/messages";
/// The programs.
pub const PROGRAMS: &str = "/region/programs";
/// The running tasks.
pub const TASKS: &str = "/region/tasks";
/// Ends a task.
pub const PURGE: &str = "/region/tasks/{number}/purge";
/// Starts a transaction.
pub const START: &str = "/region/transactions/{name}/start";
/// The STARTs whose tasks have not begun.
pub const STARTS: &str = "/region/starts";
/// Cancels a START.
pub const CANCEL: &str = "/region/starts/{request}/cancel";
/// The files.
pub const FILES: &str = "/region/files";
/// The worker processes.
pub const WORKERS: &str = "/region/workers";
/// The temporary storage queues.
pub const QUEUES: &str = "/region/queues";
/// A queue; `?item=` selects an item.
pub const QUEUE: &str = "/region/queues/{name}";
/// The links to other regions.
pub const LINKS: &str = "/region/links";
/// The units of work in doubt.
pub const UNITS: &str = "/region/units";
/// Commits a unit of work in doubt.
pub const COMMIT: &str = "/region/units/{id}/commit";
/// Backs a unit of work in doubt out.
pub const BACKOUT: &str = "/region/units/{id}/backout";
/// The trace of tasks.
pub const TRACE: &str = "/region/trace";
/// Ends the trace.
pub const TRACE_OFF: &str = "/region/trace/off";
/// The dumps of abends.
pub const DUMPS: &str = "/region/dumps";
/// A dump.
pub const DUMP: &str = "/region/dumps/{id}";

/// Copies the store into a new file; `?name=` gives its name.
pub const BACKUP: &str = "/store/backup";

/// The queues of the queue manager.
pub const MESSAGE_QUEUES: &str = "/queues";
/// A queue; `?purge=true` deletes it with its messages.
pub const MESSAGE_QUEUE: &str = "/queues/{name}";
/// The messages of a queue; `?after=`, `?limit=` and `?id=` select them.
pub const QUEUE_MESSAGES: &str = "/queues/{name}/messages";
/// Moves messages back to the queues from which they came.
pub const QUEUE_RETRY: &str = "/queues/{name}/retry";
/// Moves messages to another queue.
pub const QUEUE_MOVE: &str = "/queues/{name}/move";
/// Removes all messages.
pub const QUEUE_PURGE: &str = "/queues/{name}/purge";

/// The endpoint groups.
pub const CONNECTOR: &str = "/connector";
/// Resets the figures of all groups.
pub const CONNECTOR_CLEAR: &str = "/connector/clearstats";
/// An endpoint group.
pub const GROUP: &str = "/connector/groups/{name}";
/// Starts a group, or an endpoint as `GROUP/ENDPOINT`.
pub const GROUP_START: &str = "/connector/groups/{name}/start";
/// Stops a group, or an endpoint as `GROUP/ENDPOINT`.
pub const GROUP_STOP: &str = "/connector/groups/{name}/stop";
/// Lets an endpoint end its requests, as `GROUP/ENDPOINT`.
pub const GROUP_QUIESCE: &str = "/connector/groups/{name}/quiesce";
/// Resets the figures of a group.
pub const GROUP_CLEAR: &str = "/connector/groups/{name}/clearstats";

/// The path of z/OS Connect's administration interface. Addresses of APIs may have it, too.
pub const ZOS_CONNECT: &str = "/zosConnect";
/// The APIs.
pub const APIS: &str = "/zosConnect/apis";
/// An API.
pub const API: &str = "/zosConnect/apis/{name}";
/// The services.
pub const SERVICES: &str = "/zosConnect/services";
/// A service; `?action=` selects a part of it.
pub const SERVICE: &str = "/zosConnect/services/{name}";
/// The API requesters.
pub const REQUESTERS: &str = "/zosConnect/apiRequesters";
/// An API requester.
pub const REQUESTER: &str = "/zosConnect/apiRequesters/{name}";

/// True for a path of z/OS Connect's administration interface.
#[must_use]
pub fn is_shared(path: &str) -> bool {
    is_below(ZOS_CONNECT, path)
}

/// True if a path is this root or below it.
pub(crate) fn is_below(root: &str, path: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The template with a name in place of its braces. The name must be percent-encoded already.
#[must_use]
pub fn with_name(template: &str, name: &str) -> String {
    match (template.split_once('{'), template.split_once('}')) {
        (Some((before, _)), Some((_, after))) => format!("{before}{name}{after}"),
        _ => template.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_a_root_by_whole_segments() {
        assert!(
            is_below(REGION, "/region") && is_below(REGION, "/region/x") && !is_below(REGION, "/regions")
        );
        assert!(is_shared("/zosConnect/apis") && !is_shared("/zosConnected") && !is_shared("/region"));
    }

    #[test]
    fn names_take_the_place_of_braces() {
        assert_eq!(with_name(PURGE, "7"), "/region/tasks/7/purge");
        assert_eq!(with_name(DUMP, "%7B"), "/region/dumps/%7B");
        assert_eq!(with_name(TASKS, "7"), TASKS);
    }
}
