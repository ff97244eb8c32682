//! EXEC CICS DOCUMENT in a real worker.

use region::Region;
use wire::Interface;

use crate::region::{request, settings};

#[tokio::test]
async fn documents_are_made_of_buffers_symbols_and_templates() {
    let region = Region::start(settings()).expect("a region");
    let answer = region.run(request("DOCS", Interface::Commarea(vec![b' '; 1_000]))).await;
    let Interface::Commarea(bytes) = answer.expect("an answer") else { panic!("a commarea") };
    let bytes = bytes.trim_ascii_end();
    let shown: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let notes: Vec<&str> = shown.split_terminator(';').collect();
    let expected = [
        "00019",
        "000/00",
        // With the marks of a bookmark and of binary data.
        "00093",
        "000/00",
        "00040:\0\u{ff}Item Lamp A&B of 7.Lamp A&B &NO",
        " stays",
        "000/00",
        "00020:!Lamp A&B &NO",
        " stays",
        "000/00",
        // A default holds in its own template.
        "00084:Dear &WHO",
        ": Order &NO",
        " of nobody, <!--#echo var=ITEM-->Dear A+B: Order 9 of A+B, a+b",
        "000/00",
        // The buffer has the first ten bytes, and blanks.
        "00042:AB\0\u{ff}Item L                                ",
        "022/02",
        "013/03",
        "117/03",
        "116/04",
        "016/02",
        "013/04",
        "013/05",
        "016/00",
        "014/00",
        "013/07",
        "022/01",
        "016/01",
        "022/01",
        "000/00",
        "013/01",
        "013/02",
    ];
    assert_eq!(notes, expected);
}
