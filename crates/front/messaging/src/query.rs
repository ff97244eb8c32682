//! Query parameters of messages: which message is meant, and how long to wait for it.

use std::borrow::Cow;

use crate::trouble::Trouble;

/// The longest wait that a request can ask for, in milliseconds; a configuration may allow less.
pub const WAIT_MAX_MS: u32 = 2_147_483_647;

/// The parameters of a request's query. Unknown ones are ignored, because clients send some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query<'q> {
    /// As it was written.
    pub message_id: Option<Cow<'q, str>>,
    /// As it was written.
    pub correlation_id: Option<Cow<'q, str>>,
    /// Milliseconds.
    pub wait_ms: Option<u32>,
    /// How many messages at most.
    pub limit: Option<u32>,
    /// Milliseconds for which a message is reserved, which is ours.
    pub reserve_ms: Option<u32>,
    /// A queue is made like this one.
    pub like: Option<Cow<'q, str>>,
    /// A queue that is there is an error.
    pub no_replace: bool,
    /// A queue is deleted with its messages.
    pub purge: bool,
    /// The attributes that are wanted, with commas between them.
    pub attributes: Option<Cow<'q, str>>,
    /// The wanted parts of the queues' state, with commas between.
    pub status: Option<Cow<'q, str>>,
    /// A pattern of names.
    pub name: Option<Cow<'q, str>>,
    /// The id of a subscription.
    pub id: Option<Cow<'q, str>>,
    /// A kind of queues.
    pub r#type: Option<Cow<'q, str>>,
}

impl<'q> Query<'q> {
    /// Reads a query.
    ///
    /// # Errors
    /// It cannot be decoded, has a parameter twice, or a value that is none.
    pub fn parse(query: Option<&'q str>) -> Result<Self, Trouble> {
        let mut found = Self::default();
        for pair in query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = percent::form_decoded(name).map_err(|_| bad_url())?;
            let value = percent::form_decoded(value).map_err(|_| bad_url())?;
            found.take(&name, value)?;
        }
        Ok(found)
    }

    fn take(&mut self, name: &str, value: Cow<'q, str>) -> Result<(), Trouble> {
        match name {
            "messageId" => once(&mut self.message_id, name, value),
            "correlationId" => once(&mut self.correlation_id, name, value),
            "wait" => once(&mut self.wait_ms, name, number(name, &value, 0)?),
            "limit" => once(&mut self.limit, name, number(name, &value, 1)?),
            "reserve" => once(&mut self.reserve_ms, name, number(name, &value, 1)?),
            "like" => once(&mut self.like, name, value),
            "attributes" => once(&mut self.attributes, name, value),
            "status" => once(&mut self.status, name, value),
            "name" => once(&mut self.name, name, value),
            "id" => once(&mut self.id, name, value),
            "type" => once(&mut self.r#type, name, value),
            "noReplace" => flag(&mut self.no_replace, name, &value),
            "purge" => flag(&mut self.purge, name, &value),
            _ => Ok(()),
        }
    }
}

fn once<T>(place: &mut Option<T>, name: &str, value: T) -> Result<(), Trouble> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(Trouble::parameter(name, "", "the parameter once")),
    }
}

fn flag(place: &mut bool, name: &str, value: &str) -> Result<(), Trouble> {
    *place = match value {
        "" | "true" | "yes" => true,
        "false" | "no" => false,
        _ => return Err(Trouble::parameter(name, value, "true or false")),
    };
    Ok(())
}

fn number(name: &str, value: &str, least: u32) -> Result<u32, Trouble> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { value.parse::<u32>().ok() } else { None };
    number
        .filter(|number| (least..=WAIT_MAX_MS).contains(number))
        .ok_or_else(|| Trouble::parameter(name, value, &format!("a number from {least} to {WAIT_MAX_MS}")))
}

fn bad_url() -> Trouble {
    Trouble::new(http::StatusCode::BAD_REQUEST, "GTY0401W", "The query is not percent-encoded UTF-8.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_and_unknown_ones_are_passed_over() {
        let query = Query::parse(Some("wait=100&numberOfMessages=7&limit=3&correlationId=ID%3A00&&purge"));
        let query = query.expect("good");
        assert_eq!((query.wait_ms, query.limit, query.purge), (Some(100), Some(3), true));
        assert_eq!(query.correlation_id.as_deref(), Some("ID:00"));
        assert_eq!(Query::parse(None), Ok(Query::default()));
    }

    #[test]
    fn bad_values_are_refused() {
        for query in [
            "wait=-1",
            "wait=1s",
            "wait=2147483648",
            "wait=",
            "limit=0",
            "wait=1&wait=2",
            "a=%zz",
            "purge=2",
            "wait=+1",
        ] {
            assert_eq!(Query::parse(Some(query)).expect_err(query).status, 400, "{query}");
        }
    }
}
