//! The plan for an answer, by its status: the closest one counts.

use http::StatusCode;

/// Which statuses a response is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statuses {
    /// This one.
    One(u16),
    /// All with this first digit.
    Class(u16),
    /// All statuses without another response.
    Default,
}

impl Statuses {
    /// Reads `200`, `2xx` or `default`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "default" {
            return Some(Statuses::Default);
        }
        if let Some(class) = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX")) {
            return class.parse().ok().filter(|class| (1..=5).contains(class)).map(Statuses::Class);
        }
        text.parse().ok().filter(|status| (100..=599).contains(status)).map(Statuses::One)
    }

    /// How closely it fits; none if it does not.
    fn fit(self, status: StatusCode) -> Option<u8> {
        match self {
            Statuses::One(one) if one == status.as_u16() => Some(2),
            Statuses::Class(class) if class == status.as_u16() / 100 => Some(1),
            Statuses::Default => Some(0),
            _ => None,
        }
    }
}

/// The plans for the statuses of answers, no status twice.
#[derive(Debug)]
pub struct ByStatus<P>(Vec<(Statuses, P)>);

impl<P> Default for ByStatus<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P> ByStatus<P> {
    /// Adds a plan; false, and nothing added, if there is one for the same statuses.
    #[must_use]
    pub fn add(&mut self, statuses: Statuses, plan: P) -> bool {
        let is_new = self.0.iter().all(|(known, _)| *known != statuses);
        if is_new {
            self.0.push((statuses, plan));
        }
        is_new
    }

    /// The plan for a status: that of the status itself, or else of its class, or else of all.
    #[must_use]
    pub fn fit(&self, status: StatusCode) -> Option<&P> {
        let fits = self.0.iter().filter_map(|(statuses, plan)| Some((statuses.fit(status)?, plan)));
        fits.max_by_key(|(fit, _)| *fit).map(|(_, plan)| plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_read_and_fit() {
        let found = StatusCode::NOT_FOUND;
        let fit = |text: &str| Statuses::parse(text).map(|statuses| statuses.fit(found));
        assert_eq!(fit("404"), Some(Some(2)));
        assert_eq!(fit("4xx"), Some(Some(1)));
        assert_eq!(fit("default"), Some(Some(0)));
        assert_eq!(fit("5XX"), Some(None));
        for text in ["", "4x", "xx", "0xx", "6xx", "99", "600", "-1xx", "any"] {
            assert_eq!(Statuses::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_closest_plan_is_taken_and_none_stands_twice() {
        let mut plans = ByStatus::default();
        for (text, plan) in [("default", 'd'), ("4xx", 'c'), ("404", 'o')] {
            assert!(plans.add(Statuses::parse(text).expect("statuses"), plan), "{text}");
        }
        assert!(!plans.add(Statuses::Class(4), 'x'));
        let found = |status: StatusCode| plans.fit(status).copied();
        assert_eq!(found(StatusCode::NOT_FOUND), Some('o'));
        assert_eq!(found(StatusCode::GONE), Some('c'));
        assert_eq!(found(StatusCode::OK), Some('d'));
        assert_eq!(ByStatus::<char>::default().fit(StatusCode::OK), None);
    }
}
