//! Headers of HTTP that neither configuration nor data may set, because a connection or the gateway writes them.
//!
//! All lists have [`belongs_to_connection`] in common. Each adds what only its own place must refuse. Names are given in lower
//! case, as `http::HeaderName` and HTTP/2 have them.
//!
//! Deliberately absent: the values of headers, and what is done about a header that is refused.

/// The header that stands for a Transfer-Encoding that the server does not know. It is as long as that name, because whoever
/// reads heads writes it in the same place.
pub const UNKNOWN_CODING: &str = "x-unknown-coding!";

/// True for headers that are about one connection and not about the message (RFC 9110, section 7.6.1), and for those that
/// frame the message. Proxy-Connection is of no standard, but proxies know it.
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

/// True for headers that a request to another server may not have from configuration or data: those of the connection,
/// its host, its proxy's credentials, and Expect, which asks for an answer before the body.
#[must_use]
pub fn refused_in_request(name: &str) -> bool {
    belongs_to_connection(name) || matches!(name, "expect" | "host" | "proxy-authorization")
}

/// True for headers that no parameter of an operation can be: those that [`refused_in_request`] names, and those that OpenAPI
/// reserves (Accept, Content-Type and Authorization are ignored as parameters, says the Parameter Object).
#[must_use]
pub fn refused_as_parameter(name: &str) -> bool {
    refused_in_request(name) || matches!(name, "accept" | "authorization" | "content-type")
}

/// True for headers that no mapping can set in an answer: those of the connection, those that tell of the body, which the
/// gateway writes, the date, and the id of the request.
#[must_use]
pub fn refused_in_answer(name: &str) -> bool {
    belongs_to_connection(name)
        || matches!(name, "content-encoding" | "content-range" | "content-type" | "date" | "x-request-id")
}

/// True for headers of a message that has a call in it, which are not about that call: those of the connection, those that tell
/// of the message's body and of its answer's, Expect, and Origin, which was judged already.
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
