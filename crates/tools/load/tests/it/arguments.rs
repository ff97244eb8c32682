//! Arguments: the canonical workload, and a clear line for each that cannot be used.

use clap::Parser;
use load::plan::{Endpoint, Plan, Server};
use load::{Error, ErrorKind, LoadArgs};

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    load: LoadArgs,
}

pub(crate) fn args(words: &[&str]) -> LoadArgs {
    Command::try_parse_from(["load"].iter().chain(words)).expect("arguments that clap accepts").load
}

fn plan(words: &[&str]) -> Result<Plan, Error> {
    args(words).plan()
}

#[test]
fn without_arguments_it_is_the_first_experiment_of_the_report() {
    let plan = plan(&[]).expect("a plan");
    assert_eq!(plan.clients, [100, 200, 300, 400, 500]);
    assert_eq!(plan.think.as_millis(), 100);
    assert_eq!(plan.server, Server::PortOwnerIfFound);
    let names: Vec<&str> = plan.targets.iter().map(|target| target.name.as_str()).collect();
    assert_eq!(names, ["1K", "4K"]);
    let request = "PUT /performance.api/mapping/CABASIC-RS2/1 HTTP/1.1\r\nhost: 127.0.0.1:2222\r\n\
        content-type: application/json\r\ncontent-length: 37\r\n\r\n{\"CABASICOperation\":{\"count_out\":32}}";
    assert_eq!(String::from_utf8_lossy(&plan.targets[0].calls[0].request), request);
}

#[test]
fn targets_have_names_bodies_and_lengths_by_their_order() {
    let words = "--target a=http://127.0.0.1:1/x?y=z --target http://127.0.0.1:1/?q=1 --body one --body two \
        --expect-bytes 7 --method POST";
    let plan = plan(&words.split_ascii_whitespace().collect::<Vec<_>>()).expect("a plan");
    let [a, b] = &plan.targets[..] else { panic!("two targets") };
    assert_eq!((a.name.as_str(), a.endpoint.path.as_str(), a.calls[0].body_bytes), ("a", "/x?y=z", 3));
    assert_eq!((b.name.as_str(), b.endpoint.path.as_str()), ("http://127.0.0.1:1/?q=1", "/?q=1"));
    assert!(b.calls[0].request.ends_with(b"two") && b.calls[0].request.starts_with(b"POST /?q=1 "));
    assert_eq!(b.expect.bytes, Some(7));
}

#[test]
fn a_body_is_read_from_a_file_and_headers_are_sent() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "<x/>").expect("written");
    let body = format!("@{}", file.path().display());
    let words = ["--target", "http://[::1]:8080", "--body", &body, "--header", "Content-Type: text/xml"];
    let plan = plan(&words).expect("a plan");
    let request = String::from_utf8_lossy(&plan.targets[0].calls[0].request).into_owned();
    assert_eq!(
        request,
        "PUT / HTTP/1.1\r\nhost: [::1]:8080\r\ncontent-type: text/xml\r\ncontent-length: 4\r\n\r\n<x/>"
    );
}

#[test]
fn unusable_arguments_are_told_in_one_line() {
    let url = "http://127.0.0.1:1/";
    for (words, part) in [
        (&["--target", "https://127.0.0.1/"][..], "is https"),
        (&["--target", "ftp://127.0.0.1/"], "must begin with http://"),
        (&["--target", "127.0.0.1:80"], "must begin with http://"),
        (&["--target", "http://u:p@127.0.0.1/"], "user information"),
        (&["--target", "http://127.0.0.1:99999/"], "port"),
        (&["--target", "not a url"], "is not valid"),
        (&["--target", url, "--target", url], "two targets are named"),
        (&["--target", url, "--body", "@/nowhere/at/all"], "cannot read the body"),
        (&["--target", url, "--body", "@/"], "is not a file"),
        (&["--target", url, "--header", "x"], "is not written as 'Name: value'"),
        (&["--target", url, "--header", "x y: z"], "has a name that HTTP does not allow"),
        (&["--target", url, "--header", "x: a\r\nb: c"], "has a value that HTTP does not allow"),
        (&["--target", url, "--header", "Host: x"], "is written by the driver itself"),
        (&["--target", url, "--method", "A B"], "is not an HTTP method"),
        (&["--target", url, "--method", "CONNECT"], "cannot be measured"),
        (&["--target", url, "--body", "a", "--body", "b"], "--body is given 2 times for 1 targets"),
        (&["--body", "a"], "need a --target"),
        (&["--clients", "0"], "--clients must be from 1 to 20000, not 0"),
        (&["--clients", "100,30000"], "not 30000"),
        (&["--rounds", "0"], "--rounds must be from 1"),
        (&["--threads", "65"], "--threads must be from 1 to 64"),
        (&["--think-ms", "NaN"], "--think-ms must be from 0 to 86400000, not NaN"),
        (&["--think-ms=-1"], "--think-ms must be from 0"),
        (&["--duration-s", "0"], "--duration-s must be from 0.01 to 86400"),
        (&["--timeout-ms", "inf"], "--timeout-ms must be"),
        (&["--expect-status", "99"], "--expect-status must be from 100 to 599"),
        (&["--metrics-url", "localhost"], "must begin with http://"),
    ] {
        let error = plan(words).expect_err("refused");
        let text = error.to_string();
        assert_eq!((error.kind(), error.exit_code()), (ErrorKind::Usage, 2), "{text}");
        assert!(text.contains(part) && !text.contains('\n'), "{text:?} should contain {part:?}");
    }
}

#[test]
fn addresses_are_resolved() {
    let endpoint = Endpoint::parse("http://[::1]:81").expect("an address");
    assert_eq!((endpoint.address.to_string().as_str(), endpoint.path.as_str()), ("[::1]:81", "/"));
    assert_eq!(Endpoint::parse("http://127.0.0.1/x").expect("an address").address.port(), 80);
}
