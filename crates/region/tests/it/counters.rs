//! Named counters in real workers.

use region::Region;
use region::wire::Interface;

use crate::region::{request, settings, text};

#[tokio::test]
async fn counters_say_what_they_should() {
    let region = Region::start(settings()).expect("a region");
    let answer = region.run(request("COUNTS", Interface::Commarea(vec![b' '; 1000]))).await;
    let expected = [
        "DEFINE 000 000",
        "TWICE 016 202",
        "MINUS 016 405",
        "GET 000 000",
        "000000000000000010",
        "REDUCE 000 000",
        "000000000000000012",
        "LIMIT 072 101",
        "REWIND 000 000",
        "QUERY 000 000",
        "000000000000000010",
        "000000000000000012",
        "UPDATE 072 103",
        "DELETE 000 000",
        "GONE 016 201",
        "BIG 000 000",
        "000000005000000000",
        "LENGTH 022 001",
        "",
    ];
    assert_eq!(text(answer.expect("an answer")).trim_end(), expected.join(";"));
}
