//! The reader of answers: whole, in pieces, and broken.

use load::response::{Answer, ResponseReader};
use proptest::prelude::*;

const SIZED: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const CHUNKED: &str =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nT: 1\r\n\r\n";
const CONTINUED: &str = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";

fn whole(text: &str) -> Result<Option<Answer>, &'static str> {
    ResponseReader::new(false).feed(text.as_bytes()).map_err(|malformed| malformed.0)
}

fn answer(status: u16, body_bytes: u64, keep_alive: bool) -> Answer {
    Answer { status, body_bytes, keep_alive }
}

#[test]
fn whole_answers() {
    assert_eq!(whole(SIZED), Ok(Some(answer(200, 5, true))));
    assert_eq!(whole(CHUNKED), Ok(Some(answer(200, 5, true))));
    assert_eq!(whole(CONTINUED), Ok(Some(answer(204, 0, false))));
    assert_eq!(whole("HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"), Ok(Some(answer(200, 0, false))));
    assert_eq!(
        whole("HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n"),
        Ok(Some(answer(304, 0, true)))
    );
}

#[test]
fn an_answer_to_head_has_no_body() {
    let mut reader = ResponseReader::new(true);
    assert_eq!(
        reader.feed(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"),
        Ok(Some(answer(200, 9 - 9, true)))
    );
}

#[test]
fn an_answer_without_length_ends_with_the_connection() {
    let mut reader = ResponseReader::keeping_content();
    assert_eq!(reader.feed(b"HTTP/1.1 200 OK\r\n\r\nabc"), Ok(None));
    assert_eq!(reader.end(), Ok(answer(200, 3, false)));
    assert_eq!(reader.into_content(), b"abc");
}

#[test]
fn a_connection_that_ends_within_an_answer_is_told() {
    let mut reader = ResponseReader::new(false);
    assert_eq!(reader.feed(&SIZED.as_bytes()[..SIZED.len() - 1]), Ok(None));
    assert!(!reader.is_between_answers());
    assert!(reader.end().is_err());
}

#[test]
fn the_same_reader_reads_one_answer_after_the_other() {
    let mut reader = ResponseReader::new(false);
    for text in [SIZED, CHUNKED, SIZED] {
        assert_eq!(reader.feed(text.as_bytes()), Ok(Some(answer(200, 5, true))));
        assert!(reader.is_between_answers());
    }
}

#[test]
fn what_is_not_an_answer_is_refused_with_a_reason() {
    for (text, reason) in [
        ("SSH-2.0-OpenSSH\r\n", "its head cannot be parsed"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nabc", "bytes follow the end of the answer"),
        ("HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n", "its content length is not a number"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n", "its transfer encoding is not chunked"),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
            "the size of a chunk is not a hexadecimal number",
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n",
            "a chunk is longer than its size",
        ),
    ] {
        assert_eq!(whole(text), Err(reason), "{text:?}");
    }
}

#[test]
fn a_head_without_end_is_refused_at_its_limit() {
    let mut reader = ResponseReader::new(false);
    assert_eq!(reader.feed(b"HTTP/1.1 200 OK\r\n"), Ok(None));
    let line = format!("x: {}\r\n", "y".repeat(1_000));
    let refused = (0..100).find_map(|_| reader.feed(line.as_bytes()).err());
    assert!(refused.is_some());
}

proptest! {
    #[test]
    fn pieces_make_the_same_answer(text in prop::sample::select(vec![SIZED, CHUNKED, CONTINUED]), cuts in prop::collection::vec(1..9usize, 1..90)) {
        let mut reader = ResponseReader::new(false);
        let (mut rest, mut last) = (text.as_bytes(), Ok(None));
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*cut).min(rest.len()));
            prop_assert_eq!(last, Ok(None));
            last = reader.feed(piece);
            rest = after;
        }
        prop_assert_eq!(last, ResponseReader::new(false).feed(text.as_bytes()));
    }

    #[test]
    fn any_bytes_are_an_answer_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), text in "\\PC*") {
        let _ = ResponseReader::new(false).feed(&bytes);
        let head = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{text}");
        let _ = ResponseReader::new(false).feed(head.as_bytes());
    }
}
