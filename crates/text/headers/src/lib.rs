//! Headers of HTTP that neither configuration nor data may set. A connection or the gateway writes them.
//!
//! All lists have [`belongs_to_connection`] in common. Each adds the headers that only its own place must
//! refuse. Names are given in lower case, as in `http::HeaderName` and HTTP/2.
//!
//! Deliberately absent: the values of headers, and the handling of refused headers.

/// The header that replaces an unknown Transfer-Encoding. It has the same length as that name, because the
/// reader of heads writes it in the same place.
pub const UNKNOWN_CODING: &str = "x-unknown-coding!";

/// True for headers that are about one connection and not about the message (RFC 9110, section 7.6.1), and
/// for those that frame the message. No standard has Proxy-Connection, but proxies know it.
#[must_use]
pub fn belongs_to_connection(name: &str) -> bool {
    matches!(
        name,
        "connection"
            | "content-length"
            | "keep-alive"
            | "proxy-connection"
            | "te"
            | "trailer"
            | "transfer-encoding"
            | "upgrade"
    )
}

/// True for headers that configuration or data must not set in a request to another server: those of the
/// connection, its host, its proxy's credentials, and Expect, which asks for an answer before the body.
#[must_use]
pub fn refused_in_request(name: &str) -> bool {
    belongs_to_connection(name) || matches!(name, "expect" | "host" | "proxy-authorization")
}

/// True for headers that cannot be parameters of an operation: those that [`refused_in_request`] names, and
/// those that OpenAPI reserves. The Parameter Object says that Accept, Content-Type and Authorization are
/// ignored as parameters.
#[must_use]
pub fn refused_as_parameter(name: &str) -> bool {
    refused_in_request(name) || matches!(name, "accept" | "authorization" | "content-type")
}

/// True for headers that mappings cannot set in an answer: those of the connection, those about the body,
/// which the gateway writes, the date, and the id of the request.
#[must_use]
pub fn refused_in_answer(name: &str) -> bool {
    belongs_to_connection(name)
        || matches!(name, "content-encoding" | "content-range" | "content-type" | "date" | "x-request-id")
}

/// True for headers of a message with a call in it that are not about that call: those of the connection,
/// those about the message's body and its answer's, Expect, and Origin, which was checked already.
#[must_use]
pub fn stays_with_message(name: &str) -> bool {
    belongs_to_connection(name)
        || matches!(name, "accept" | "accept-encoding" | "content-type" | "expect" | "origin")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_the_headers_of_connections() {
        let connection = ["connection", "content-length", "keep-alive", "proxy-connection", "te"];
        for name in connection.into_iter().chain(["trailer", "transfer-encoding", "upgrade"]) {
            for refused in [
                belongs_to_connection,
                refused_in_request,
                refused_as_parameter,
                refused_in_answer,
                stays_with_message,
            ] {
                assert!(refused(name), "{name}");
            }
        }
    }

    #[test]
    fn lists_differ_where_their_places_do() {
        for (name, [request, parameter, answer, message]) in [
            ("host", [true, true, false, false]),
            ("expect", [true, true, false, true]),
            ("proxy-authorization", [true, true, false, false]),
            ("authorization", [false, true, false, false]),
            ("accept", [false, true, false, true]),
            ("accept-encoding", [false, false, false, true]),
            ("content-type", [false, true, true, true]),
            ("content-encoding", [false, false, true, false]),
            ("date", [false, false, true, false]),
            ("x-request-id", [false, false, true, false]),
            ("origin", [false, false, false, true]),
            ("x-mine", [false; 4]),
            // Names are in lower case.
            ("Connection", [false; 4]),
        ] {
            let found = [
                refused_in_request(name),
                refused_as_parameter(name),
                refused_in_answer(name),
                stays_with_message(name),
            ];
            assert_eq!(found, [request, parameter, answer, message], "{name}");
        }
    }
}
