//! A group as a service provider: `[provider]` with `kind = "group"`.

use std::sync::Arc;

use providers::{Kind, Payloads, Place, Section};
use serde::Deserialize;
use service::{CallContext, Error, Outcome, Payload, ServiceProvider, Stated, SystemOfRecord};
use toml::Table;

use crate::config::GroupFiles;
use crate::group::{Call, deadline};
use crate::groups::Slot;

/// The kind `group`.
pub static KIND: &dyn Kind = &GroupKind;

#[derive(Debug)]
struct GroupKind;

impl Kind for GroupKind {
    fn word(&self) -> &'static str {
        "group"
    }

    fn read(&self, keys: Table) -> Result<Box<dyn Section>, toml::de::Error> {
        Ok(Box::new(keys.try_into::<GroupSection>()?))
    }
}

/// `[provider]` with `kind = "group"`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupSection {
    /// The group: a file in `endpoints/` without its extension.
    group: String,
    /// The endpoint that gets all requests; none for any.
    endpoint: Option<String>,
    /// True if requests may be carried out twice without harm.
    #[serde(default)]
    idempotent: bool,
    /// True if requests have no replies.
    #[serde(default)]
    one_way: bool,
}

impl Section for GroupSection {
    fn provider(&self, mut place: Place<'_, '_>) -> Option<Arc<dyn ServiceProvider>> {
        if matches!(place.payloads, Payloads::Channels) {
            place.fault("an endpoint group takes records: the service needs [request] and [response]");
            return None;
        }
        let found = place.given.get::<GroupFiles>().map(|files| files.find(&self.group));
        let slot = match found {
            Some(Ok(slot)) => slot?,
            Some(Err(message)) => {
                place.fault(message);
                return None;
            }
            None => {
                place.fault("there are no endpoint groups here");
                return None;
            }
        };
        if let Some(endpoint) = &self.endpoint
            && !slot.settings.endpoints.iter().any(|known| known.name == *endpoint)
        {
            place.fault(format!("the group '{}' has no endpoint '{endpoint}'", self.group));
            return None;
        }
        Some(Arc::new(GroupProvider {
            slot,
            endpoint: self.endpoint.as_deref().map(Into::into),
            is_idempotent: self.idempotent,
            is_one_way: self.one_way,
        }))
    }

    /// Without a reply, the answer has no content.
    fn states_status(&self) -> bool {
        self.one_way
    }
}

/// The provider of a service that an endpoint group serves.
#[derive(Clone, Debug)]
pub struct GroupProvider {
    slot: Arc<Slot>,
    endpoint: Option<Arc<str>>,
    is_idempotent: bool,
    is_one_way: bool,
}

impl ServiceProvider for GroupProvider {
    fn call(&self, context: CallContext<'_>, request: Payload) -> Outcome {
        // Do this first. The caller's own clock starts later, so the group ends before it.
        let deadline = deadline(context.time_left);
        let Payload::Record(record) = request else {
            let message = format!("the endpoint group {} takes records", self.slot.settings.name);
            return Outcome::Ready(Err(Error::refused(message)));
        };
        let group = Arc::clone(self.slot.group());
        let (endpoint, is_idempotent, is_one_way) =
            (self.endpoint.clone(), self.is_idempotent, self.is_one_way);
        Outcome::Pending(Box::pin(async move {
            let call = Call { endpoint: endpoint.as_deref(), deadline, is_idempotent, is_one_way };
            let reply = Payload::Record(group.send(record, call).await?);
            match is_one_way {
                true => {
                    let status_line = Some("204".to_owned());
                    Ok(Payload::Stated(Box::new(Stated { payload: reply, status_line, fault: None })))
                }
                false => Ok(reply),
            }
        }))
    }

    fn kind(&self) -> &'static str {
        "group"
    }

    fn system_of_record(&self) -> SystemOfRecord<'_> {
        SystemOfRecord {
            identifier: Some(&self.slot.settings.name),
            reference: None,
            resource: self.endpoint.as_deref(),
        }
    }
}
