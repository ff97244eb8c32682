//! Paths to resources: `/ibmmq/rest/v2/messaging/qmgr/QM1/queue/Q1/message`.

use std::borrow::Cow;

use http::Method;

use crate::trouble::Trouble;

/// The beginning of every path.
pub const ROOT: &str = "/ibmmq/rest/";

/// The version of the interface, which stands in the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// `v1`: the first one; the only one with resources for queues.
    V1,
    /// `v2`: adds topics.
    V2,
    /// `v3`: ids begin with `ID:`; adds priority, properties and correlation ids that are text.
    V3,
}

/// The resource of a path. Names are decoded and not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resource<'p> {
    /// `/login`
    Login,
    /// `/admin/qmgr`, or one of them.
    Managers(Option<Cow<'p, str>>),
    /// `/admin/installation`, or one of them.
    Installations(Option<Cow<'p, str>>),
    /// `/admin/qmgr/{qmgr}/queue`, or one of them: version 1 alone.
    Queues(Cow<'p, str>, Option<Cow<'p, str>>),
    /// `/admin/qmgr/{qmgr}/channel`, or one of them: version 1 alone.
    Channels(Cow<'p, str>, Option<Cow<'p, str>>),
    /// `/admin/qmgr/{qmgr}/subscription`, or one of them: version 1 alone.
    Subscriptions(Cow<'p, str>, Option<Cow<'p, str>>),
    /// `/admin/action/qmgr/{qmgr}/mqsc`
    Mqsc(Cow<'p, str>),
    /// `/messaging/qmgr/{qmgr}/queue/{queue}/message`
    Message(Cow<'p, str>, Cow<'p, str>),
    /// `/messaging/qmgr/{qmgr}/queue/{queue}/messagelist`
    List(Cow<'p, str>, Cow<'p, str>),
    /// `/messaging/qmgr/{qmgr}/queue/{queue}/messages`: several at once, which is ours.
    Batch(Cow<'p, str>, Cow<'p, str>),
    /// `/messaging/qmgr/{qmgr}/queue/{queue}/reservation/{id}`: a message that was reserved, which is ours.
    Reservation(Cow<'p, str>, Cow<'p, str>, Cow<'p, str>),
    /// `/messaging/qmgr/{qmgr}/topic/{topic}/message`
    Topic(Cow<'p, str>, Cow<'p, str>),
}

/// The segments of a path below the version are few.
const SEGMENTS_MAX: usize = 8;

impl<'p> Resource<'p> {
    /// Finds what a path leads to.
    ///
    /// # Errors
    /// It leads nowhere, or cannot be decoded.
    pub fn parse(path: &'p str) -> Result<(Version, Self), Trouble> {
        let rest = path.strip_prefix(ROOT).ok_or_else(Trouble::unknown_path)?;
        let (version, rest) = rest.split_once('/').ok_or_else(Trouble::unknown_path)?;
        let version = match version {
            "v1" => Version::V1,
            "v2" => Version::V2,
            "v3" => Version::V3,
            _ => return Err(Trouble::unknown_path()),
        };
        let mut segments: [Cow<'p, str>; SEGMENTS_MAX] = Default::default();
        let mut count = 0;
        for segment in rest.strip_suffix('/').unwrap_or(rest).split('/') {
            let place = segments.get_mut(count).ok_or_else(Trouble::unknown_path)?;
            *place = percent::decoded(segment).map_err(|_| bad_url())?;
            count += 1;
        }
        let resource = Self::of(version, &mut segments[..count]).ok_or_else(Trouble::unknown_path)?;
        Ok((version, resource))
    }

    fn of(version: Version, segments: &mut [Cow<'p, str>]) -> Option<Self> {
        let words: [&str; SEGMENTS_MAX] =
            std::array::from_fn(|at| segments.get(at).map_or("", |segment| &**segment));
        let is = |at: usize, word: &str| words[at] == word;
        let count = segments.len();
        let messaging = count > 4 && is(0, "messaging") && is(1, "qmgr");
        let objects = matches!(count, 4 | 5) && version == Version::V1 && is(0, "admin") && is(1, "qmgr");
        let kind = match count {
            1 if is(0, "login") => 0,
            2 if is(0, "admin") && is(1, "qmgr") => 1,
            3 if is(0, "admin") && is(1, "qmgr") => 2,
            _ if objects && is(3, "queue") => 3,
            _ if objects && is(3, "channel") => 11,
            _ if objects && is(3, "subscription") => 12,
            5 if is(0, "admin") && is(1, "action") && is(2, "qmgr") && is(4, "mqsc") => 4,
            6 if messaging && is(3, "queue") && is(5, "message") => 5,
            6 if messaging && is(3, "queue") && is(5, "messagelist") => 6,
            6 if messaging && is(3, "queue") && is(5, "messages") => 7,
            7 if messaging && is(3, "queue") && is(5, "reservation") => 8,
            6 if messaging && version > Version::V1 && is(3, "topic") && is(5, "message") => 9,
            2 | 3 if is(0, "admin") && is(1, "installation") => 10,
            _ => return None,
        };
        let mut take = |at: usize| segments.get_mut(at).map(std::mem::take).unwrap_or_default();
        Some(match kind {
            0 => Self::Login,
            1 => Self::Managers(None),
            2 => Self::Managers(Some(take(2))),
            3 => Self::Queues(take(2), (count == 5).then(|| take(4))),
            11 => Self::Channels(take(2), (count == 5).then(|| take(4))),
            12 => Self::Subscriptions(take(2), (count == 5).then(|| take(4))),
            4 => Self::Mqsc(take(3)),
            5 => Self::Message(take(2), take(4)),
            6 => Self::List(take(2), take(4)),
            7 => Self::Batch(take(2), take(4)),
            8 => Self::Reservation(take(2), take(4), take(6)),
            9 => Self::Topic(take(2), take(4)),
            _ => Self::Installations((count == 3).then(|| take(2))),
        })
    }

    /// The methods that it offers.
    #[must_use]
    pub fn methods(&self) -> &'static str {
        match self {
            Self::Managers(_)
            | Self::Installations(_)
            | Self::Channels(..)
            | Self::Subscriptions(..)
            | Self::List(..) => "GET",
            Self::Login | Self::Message(..) => "DELETE, GET, POST",
            Self::Queues(_, None) => "GET, POST",
            Self::Queues(_, Some(_)) => "DELETE, GET, PATCH",
            Self::Mqsc(_) | Self::Topic(..) => "POST",
            Self::Batch(..) | Self::Reservation(..) => "DELETE, POST",
        }
    }

    /// The methods that it offers while its queue or topic is inhibited for this one: for puts, or for gets,
    /// which include browses.
    #[must_use]
    pub fn methods_beside(&self, inhibited: &Method) -> &'static str {
        let puts = *inhibited == Method::POST;
        match self {
            Self::Message(..) if puts => "DELETE, GET",
            Self::Batch(..) if puts => "DELETE",
            Self::Message(..) | Self::Batch(..) => "POST",
            _ => "",
        }
    }

    /// Checks that it offers a method.
    ///
    /// # Errors
    /// It does not.
    pub fn check_method(&self, method: &Method) -> Result<(), Trouble> {
        let offered = self.methods();
        if offered.split(", ").any(|name| name == method.as_str()) {
            return Ok(());
        }
        let trouble = Trouble::new(
            http::StatusCode::METHOD_NOT_ALLOWED,
            "GTY0405W",
            format!("The path does not offer the method {method}."),
        );
        Err(Trouble { allow: Some(offered), ..trouble.because(format!("It offers {offered}.")) })
    }

    /// The queue manager that the path names.
    #[must_use]
    pub fn manager(&self) -> Option<&str> {
        match self {
            Self::Login | Self::Managers(None) | Self::Installations(_) => None,
            Self::Managers(Some(manager))
            | Self::Queues(manager, _)
            | Self::Channels(manager, _)
            | Self::Subscriptions(manager, _)
            | Self::Mqsc(manager)
            | Self::Message(manager, _)
            | Self::List(manager, _)
            | Self::Batch(manager, _)
            | Self::Reservation(manager, ..)
            | Self::Topic(manager, _) => Some(manager),
        }
    }
}

fn bad_url() -> Trouble {
    Trouble::new(http::StatusCode::BAD_REQUEST, "GTY0401W", "The path is not percent-encoded UTF-8.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_resources() {
        let at = |path: &'static str| Resource::parse(path).expect(path);
        let message = |queue: &'static str| Resource::Message("QM1".into(), queue.into());
        assert_eq!(
            at("/ibmmq/rest/v1/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message"),
            (Version::V1, message("DEV.QUEUE.1"))
        );
        assert_eq!(
            at("/ibmmq/rest/v3/messaging/qmgr/QM1/queue/A%2FB%25/message"),
            (Version::V3, message("A/B%"))
        );
        assert_eq!(at("/ibmmq/rest/v2/login"), (Version::V2, Resource::Login));
        assert_eq!(at("/ibmmq/rest/v2/login/").1, Resource::Login);
        assert_eq!(at("/ibmmq/rest/v2/admin/qmgr/").1, Resource::Managers(None));
        assert_eq!(at("/ibmmq/rest/v3/admin/installation/").1, Resource::Installations(None));
        assert_eq!(at("/ibmmq/rest/v1/admin/installation/A").1, Resource::Installations(Some("A".into())));
        assert_eq!(at("/ibmmq/rest/v2/admin/qmgr/QM%2E1").1, Resource::Managers(Some("QM.1".into())));
        assert_eq!(at("/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc").1, Resource::Mqsc("QM1".into()));
        assert_eq!(at("/ibmmq/rest/v1/admin/qmgr/QM1/queue").1, Resource::Queues("QM1".into(), None));
        assert_eq!(at("/ibmmq/rest/v1/admin/qmgr/QM1/channel").1, Resource::Channels("QM1".into(), None));
        assert_eq!(
            at("/ibmmq/rest/v1/admin/qmgr/QM1/subscription/NEWS").1,
            Resource::Subscriptions("QM1".into(), Some("NEWS".into()))
        );
        assert_eq!(
            at("/ibmmq/rest/v2/messaging/qmgr/QM1/topic/a%2Fb/message").1,
            Resource::Topic("QM1".into(), "a/b".into())
        );
        assert_eq!(
            at("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/Q/reservation/7f").1,
            Resource::Reservation("QM1".into(), "Q".into(), "7f".into())
        );
    }

    #[test]
    fn other_paths_lead_nowhere() {
        for path in [
            "/ibmmq/rest/",
            "/ibmmq/rest/v4/login",
            "/ibmmq/rest/v2",
            "/ibmmq/rest/v2/",
            "/ibmmq/rest/v2/admin/qmgr/QM1/queue",
            "/ibmmq/rest/v2/admin/qmgr/QM1/channel",
            "/ibmmq/rest/v3/admin/qmgr/QM1/subscription",
            "/ibmmq/rest/v1/admin/qmgr/QM1/subscription/A/B",
            "/ibmmq/rest/v1/messaging/qmgr/QM1/topic/a/message",
            "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/Q/message/more",
            "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/Q/message/a/b/c/d",
        ] {
            assert_eq!(Resource::parse(path).expect_err(path).status, 404, "{path}");
        }
        let bad = Resource::parse("/ibmmq/rest/v2/messaging/qmgr/QM1/queue/%zz/message").expect_err("bad");
        assert_eq!(bad.status, 400);
    }

    #[test]
    fn methods_are_checked() {
        let list = Resource::List("QM1".into(), "Q".into());
        assert_eq!(list.check_method(&Method::GET), Ok(()));
        let trouble = list.check_method(&Method::POST).expect_err("POST");
        assert_eq!((trouble.status.as_u16(), trouble.allow), (405, Some("GET")));
    }
}
