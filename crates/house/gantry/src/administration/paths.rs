//! The URLs of administration that are known outside of its table too: to `gantry region`, to the check of base paths, and to
//! answers that lead to other URLs.
//!
//! What stands in braces is a name, percent-encoded.

/// The path of the region, and of all that is below it.
pub(crate) const REGION: &str = "/region";
pub(crate) const MESSAGES: &str = "/region/messages";
pub(crate) const PROGRAMS: &str = "/region/programs";
pub(crate) const TASKS: &str = "/region/tasks";
pub(crate) const PURGE: &str = "/region/tasks/{number}/purge";
pub(crate) const WORKERS: &str = "/region/workers";
pub(crate) const QUEUES: &str = "/region/queues";
/// A queue; `?item=` says which of its items.
pub(crate) const QUEUE: &str = "/region/queues/{name}";
pub(crate) const LINKS: &str = "/region/links";
pub(crate) const UNITS: &str = "/region/units";
pub(crate) const COMMIT: &str = "/region/units/{id}/commit";
pub(crate) const BACKOUT: &str = "/region/units/{id}/backout";
pub(crate) const TRACE: &str = "/region/trace";
pub(crate) const TRACE_OFF: &str = "/region/trace/off";
pub(crate) const DUMPS: &str = "/region/dumps";
pub(crate) const DUMP: &str = "/region/dumps/{id}";

/// The path of z/OS Connect's administration interface, which an address of APIs may have too.
pub(crate) const ZOS_CONNECT: &str = "/zosConnect";
pub(crate) const APIS: &str = "/zosConnect/apis";
pub(crate) const API: &str = "/zosConnect/apis/{name}";
pub(crate) const SERVICES: &str = "/zosConnect/services";
pub(crate) const SERVICE: &str = "/zosConnect/services/{name}";
pub(crate) const REQUESTERS: &str = "/zosConnect/apiRequesters";
pub(crate) const REQUESTER: &str = "/zosConnect/apiRequesters/{name}";

/// True if a path is that of z/OS Connect's administration interface, or below it.
pub(crate) fn is_shared(path: &str) -> bool {
    is_below(ZOS_CONNECT, path)
}

/// True if a path is this root, or below it.
pub(super) fn is_below(root: &str, path: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The template with a name in the place of what stands in braces. The name is percent-encoded already.
pub(crate) fn with_name(template: &str, name: &str) -> String {
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
