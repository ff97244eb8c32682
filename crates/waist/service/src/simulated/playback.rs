//! Playback: recorded answers, each with its request.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use crate::{Channel, Error, Payload};

/// An answer, and the request for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The request that it answers; none answers every request.
    pub request: Option<Payload>,
    /// The answer.
    pub reply: Reply,
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A record, or containers.
    Payload(Payload),
    /// The provider does not take the request.
    Refused,
    /// It takes the request and fails.
    Failed,
    /// No answer comes in time. The failure itself comes at once, or after the delay of the simulation.
    TimedOut,
}

/// Vectors in their order. The first match wins.
#[derive(Clone, Debug, Default)]
pub struct Playback {
    vectors: Vec<Vector>,
    /// The positions of vectors by the hash of their request, ascending.
    by_request: HashMap<u64, Vec<usize>>,
    /// The first vector that answers every request.
    always: Option<usize>,
    hasher: RandomState,
}

impl Playback {
    /// Vectors in the order in which they are tried.
    #[must_use]
    pub fn new(vectors: Vec<Vector>) -> Self {
        let mut made = Self::default();
        for (place, vector) in vectors.iter().enumerate() {
            match &vector.request {
                Some(request) => made.by_request.entry(hash(&made.hasher, request)).or_default().push(place),
                None => {
                    made.always.get_or_insert(place);
                }
            }
        }
        made.vectors = vectors;
        made
    }

    /// The answer to a request: the reply of the first vector with exactly these bytes, or without a request.
    /// The order of containers does not count, but their kind and code page do.
    ///
    /// # Errors
    /// The vector has an error, or no vector matches.
    pub fn answer(&self, request: &Payload) -> Result<Payload, Error> {
        let known = self.by_request.get(&hash(&self.hasher, request));
        let exact =
            known.into_iter().flatten().copied().find(|place| {
                self.vectors[*place].request.as_ref().is_some_and(|wanted| equal(wanted, request))
            });
        let place = match (exact, self.always) {
            (Some(exact), Some(always)) => exact.min(always),
            (Some(place), None) | (None, Some(place)) => place,
            (None, None) => return Err(Error::failed(unmatched(request))),
        };
        match &self.vectors[place].reply {
            Reply::Payload(payload) => Ok(payload.clone()),
            Reply::Refused => Err(Error::refused("the vector says that the request is refused")),
            Reply::Failed => Err(Error::failed("the vector says that the request fails")),
            Reply::TimedOut => Err(Error::timed_out()),
        }
    }
}

#[cold]
fn unmatched(request: &Payload) -> String {
    match request {
        Payload::Record(record) => {
            format!("no vector matches the request, a record of {} bytes", record.len())
        }
        Payload::Channel(channel) => {
            let names: Vec<&str> =
                channel.containers().iter().map(|container| container.name.as_str()).collect();
            format!("no vector matches the request, a channel with the containers {}", names.join(", "))
        }
        Payload::Stated(stated) => unmatched(&stated.payload),
        Payload::Web(_) | Payload::WebAnswer(_) => "no vector is for a request over HTTP".to_owned(),
    }
}

/// True if both have the same bytes under the same names.
fn equal(wanted: &Payload, found: &Payload) -> bool {
    match (wanted, found) {
        (Payload::Record(wanted), Payload::Record(found)) => wanted == found,
        (Payload::Channel(wanted), Payload::Channel(found)) => {
            wanted.containers().len() == found.containers().len() && has_all(wanted, found)
        }
        _ => false,
    }
}

fn has_all(wanted: &Channel, found: &Channel) -> bool {
    wanted.containers().iter().all(|container| found.get(&container.name) == Some(container))
}

/// A hash of the request that does not depend on the order of containers.
fn hash(hasher: &RandomState, request: &Payload) -> u64 {
    match request {
        Payload::Record(record) => hasher.hash_one(record),
        Payload::Channel(channel) => channel
            .containers()
            .iter()
            .map(|container| hasher.hash_one((&container.name, container.content.bytes())))
            .fold(0, u64::wrapping_add),
        Payload::Stated(stated) => hash(hasher, &stated.payload),
        Payload::Web(_) | Payload::WebAnswer(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Container, Content, ErrorKind};

    fn record(bytes: &[u8]) -> Payload {
        Payload::Record(bytes.to_vec())
    }

    fn channel(containers: &[(&str, &[u8])]) -> Payload {
        let made = containers.iter().map(|(name, bytes)| Container {
            name: (*name).to_owned(),
            content: Content::Bit(bytes.to_vec()),
        });
        Payload::Channel(Channel::of(made.collect()))
    }

    fn answers(request: Option<Payload>, reply: Reply) -> Vector {
        Vector { request, reply }
    }

    #[test]
    fn the_first_vector_that_matches_answers() {
        let playback = Playback::new(vec![
            answers(Some(record(b"a")), Reply::Payload(record(b"1"))),
            answers(Some(record(b"a")), Reply::Payload(record(b"2"))),
            answers(Some(channel(&[("X", b"1"), ("Y", b"2")])), Reply::Payload(channel(&[("Z", b"3")]))),
            answers(Some(record(b"b")), Reply::Refused),
            answers(None, Reply::TimedOut),
            answers(Some(record(b"c")), Reply::Payload(record(b"too late"))),
            answers(None, Reply::Failed),
        ]);
        assert_eq!(playback.answer(&record(b"a")), Ok(record(b"1")));
        let turned = channel(&[("Y", b"2"), ("X", b"1")]);
        assert_eq!(playback.answer(&turned), Ok(channel(&[("Z", b"3")])));
        let kind = |request: Payload| playback.answer(&request).map_err(|error| error.kind);
        assert_eq!(kind(record(b"b")), Err(ErrorKind::Refused));
        assert_eq!(kind(record(b"c")), Err(ErrorKind::TimedOut), "an earlier vector takes every request");
        assert_eq!(kind(channel(&[("X", b"1")])), Err(ErrorKind::TimedOut));
    }

    #[test]
    fn a_request_that_nothing_matches_fails_and_says_so() {
        let text = |ccsid| Content::Char { bytes: vec![1], ccsid };
        let of = |ccsid| {
            let container = Container { name: "T".to_owned(), content: text(ccsid) };
            Payload::Channel(Channel::of(vec![container]))
        };
        let playback = Playback::new(vec![answers(Some(of(37)), Reply::Failed)]);
        let says = |request: &Payload| playback.answer(request).expect_err("nothing matches").message;
        assert_eq!(says(&of(37)), "the vector says that the request fails");
        assert_eq!(says(&of(1208)), "no vector matches the request, a channel with the containers T");
        assert_eq!(says(&record(b"abc")), "no vector matches the request, a record of 3 bytes");
        let empty = Playback::new(Vec::new()).answer(&record(b"")).expect_err("nothing matches");
        assert_eq!(empty.kind, ErrorKind::Failed);
    }
}
