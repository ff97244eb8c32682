//! Code pages on containers, through a program: what PUT and GET CONTAINER give and say. All other pairs of pages are in the
//! properties of `worker/commands/text.rs`.

use codepage::{Encoding, Unmappable};
use region::Region;
use wire::Interface;

use crate::region::{request, settings};

/// The work of the program; see PAGES.cbl.
#[derive(Clone, Copy, Debug)]
struct Case<'c> {
    put: &'c str,
    get: &'c str,
    from: i32,
    into: i32,
    /// Names of code pages, for PUT and for GET.
    names: (&'c str, &'c str),
    offset: i32,
    room: i32,
    data: &'c [u8],
}

const CASE: Case<'static> =
    Case { put: "CCSID", get: "CCSID", from: 0, into: 0, names: ("", ""), offset: 0, room: 200, data: b"" };

/// RESP and RESP2 of both commands, the data that GET gave, and what it said of length and CCSID.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    put: (i32, i32),
    get: (i32, i32),
    data: Vec<u8>,
    length: i32,
    ccsid: i32,
}

/// What it is about, what is done, RESP and RESP2 of PUT and of GET, and the data that GET gives.
type Told<'t> = (&'t str, Case<'t>, (i32, i32), (i32, i32), &'t [u8]);

const FINE: (i32, i32) = (0, 0);
const CCSIDERR: i32 = 123;
const CODEPAGEERR: i32 = 125;
const LENGERR: i32 = 22;

fn commarea(case: Case<'_>) -> Vec<u8> {
    let padded = |text: &str, bytes: usize| format!("{text:bytes$}").into_bytes();
    let mut commarea = [padded(case.put, 8), padded(case.get, 8)].concat();
    for number in [case.from, case.into] {
        commarea.extend(number.to_be_bytes());
    }
    commarea.extend([padded(case.names.0, 40), padded(case.names.1, 40)].concat());
    for number in [case.offset, case.room, case.data.len() as i32] {
        commarea.extend(number.to_be_bytes());
    }
    commarea.extend(case.data);
    commarea.resize(180, 0);
    commarea.resize(180 + 24, 0);
    // What GET leaves alone.
    commarea.resize(180 + 24 + 200, b'.');
    commarea
}

async fn say(region: &Region, case: Case<'_>) -> Said {
    let answer = region.run(request("PAGES", Interface::Commarea(commarea(case)))).await;
    let Ok(Interface::Commarea(bytes)) = answer else { panic!("{case:?}: {answer:?}") };
    let number = |at: usize| i32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let data = &bytes[204..];
    let end = data.iter().rposition(|byte| *byte != b'.').map_or(0, |last| last + 1);
    Said {
        put: (number(180), number(184)),
        get: (number(188), number(192)),
        data: data[..end].to_vec(),
        length: number(200),
        ccsid: number(196),
    }
}

fn encoded(ccsid: i32, text: &str) -> Vec<u8> {
    let encoding = Encoding::by_ccsid(u16::try_from(ccsid).expect("a CCSID")).expect("a page");
    let mut bytes = Vec::new();
    encoding.encode(text, Unmappable::Error, &mut bytes).expect("the page has the text");
    bytes
}

/// The pairs of the performance report, and some of mixed and double bytes.
const PAIRS: [(i32, i32, &str); 20] = [
    (1208, 437, "Caf\u{e9} {1}"),
    (1208, 37, "Caf\u{e9} {1}"),
    (1208, 1200, "Caf\u{e9} \u{1f600}"),
    (437, 1208, "Caf\u{e9} {1}"),
    (37, 1208, "Caf\u{e9} {1}"),
    (1200, 1208, "Caf\u{e9} \u{1f600}"),
    (37, 1200, "Caf\u{e9} [1]"),
    (437, 1200, "Caf\u{e9} [1]"),
    (1200, 37, "Caf\u{e9} [1]"),
    (1200, 437, "Caf\u{e9} [1]"),
    (37, 437, "Caf\u{e9} [1]"),
    (437, 37, "Caf\u{e9} [1]"),
    (1208, 930, "\u{65e5}\u{672c} ABC"),
    (930, 1200, "\u{65e5}\u{672c} ABC"),
    (939, 1399, "\u{65e5}\u{672c} ABC"),
    (1388, 1202, "\u{4e2d}\u{6587}"),
    (300, 1208, "\u{65e5}\u{672c}"),
    (933, 1208, "\u{d55c}\u{ad6d}"),
    (1140, 1252, "\u{20ac} 5"),
    (819, 1047, "a^b"),
];

#[tokio::test]
async fn text_goes_between_code_pages() {
    let region = Region::start(settings()).expect("a region");
    for (from, into, text) in PAIRS {
        let (data, expected) = (encoded(from, text), encoded(into, text));
        let length = expected.len() as i32;
        let case = Case { from, into, data: &data, ..CASE };
        for get in ["CCSID", "SET"] {
            let said = say(&region, Case { get, ..case }).await;
            let mut data = expected.clone();
            if get == "SET" {
                data.resize(200, b' ');
            }
            let expected = Said { put: FINE, get: FINE, data, length, ccsid: 0 };
            assert_eq!(said, expected, "{from} {into} {get}");
        }
        // The length is that of the text as it would be given; an offset is one in it.
        let said = say(&region, Case { get: "NODATA", ..case }).await;
        assert_eq!((said.get, said.length, said.data), (FINE, length, Vec::new()), "{from} {into}");
        let said = say(&region, Case { get: "OFFSET", offset: 2, ..case }).await;
        assert_eq!((said.get, said.data), (FINE, expected[2..].to_vec()), "{from} {into}");
    }
}

#[tokio::test]
async fn parts_of_a_container_are_given_while_more_follows() {
    let region = Region::start(settings()).expect("a region");
    let case = Case { put: "BIT", get: "PART", data: b"ABCDEFGH", ..CASE };
    for (offset, room, expected) in
        [(0, 3, "ABC"), (3, 3, "DEF"), (6, 3, "GH"), (-1, 2, "AB"), (0, 0, ""), (1, 300, "BCDEFGH")]
    {
        let said = say(&region, Case { offset, room, ..case }).await;
        let found = (said.get, said.length, String::from_utf8_lossy(&said.data).into_owned());
        assert_eq!(found, (FINE, expected.len() as i32, expected.to_owned()), "{offset} {room}");
    }
    let beyond = say(&region, Case { offset: 8, room: 3, ..case }).await;
    assert_eq!(beyond.get, (LENGERR, 1));
    // Without an offset, what does not fit is cut, and told.
    let cut = say(&region, Case { room: 3, get: "LOCAL", ..case }).await;
    assert_eq!((cut.get, cut.length), ((LENGERR, 11), 8));
}

#[tokio::test]
async fn defaults_are_the_region_s_page() {
    let region = Region::start(settings()).expect("a region");
    let fine = |said: &Said| (said.put, said.get) == (FINE, FINE);
    // CHAR without a page is in the region's, 819; GET without a page gives that.
    let said = say(&region, Case { put: "CHAR", into: 37, data: b"caf\xE9", ..CASE }).await;
    assert!(fine(&said) && said.data == [0x83, 0x81, 0x86, 0x51], "{said:?}");
    let said = say(&region, Case { from: 37, get: "LOCAL", data: &[0xC1, 0x51], ..CASE }).await;
    assert!(fine(&said) && said.data == b"A\xE9", "{said:?}");
    // NOCONVERT gives the text as it is kept, and says in which page; 0 of BIT.
    let said = say(&region, Case { from: 37, get: "RAW", data: &[0xC1, 0x51], ..CASE }).await;
    assert!(fine(&said) && said.data == [0xC1, 0x51] && said.ccsid == 37, "{said:?}");
    let said = say(&region, Case { put: "BIT", get: "RAW", data: &[0xC1], ..CASE }).await;
    assert!(fine(&said) && said.data == [0xC1] && said.ccsid == 0, "{said:?}");
    // What is appended becomes the page of the container; what names no kind is of the container's.
    let said = say(&region, Case { put: "APPEND", from: 37, get: "RAW", data: &[0xC1], ..CASE }).await;
    assert!(fine(&said) && said.data == b"<A" && said.ccsid == 819, "{said:?}");
    let said = say(&region, Case { put: "AGAIN", from: 37, get: "RAW", data: &[0xF1], ..CASE }).await;
    assert!(fine(&said) && said.data == [0xC1, 0xC2] && said.ccsid == 37, "{said:?}");
    // Pages by their names.
    let names = ("UTF-8", "IBM-1047");
    let said = say(&region, Case { put: "PAGE", get: "PAGE", names, data: b"A^", ..CASE }).await;
    assert!(fine(&said) && said.data == [0xC1, 0x5F], "{said:?}");
    let names = ("037", "utf-16le");
    let said = say(&region, Case { put: "PAGE", get: "PAGE", names, data: &[0xC1], ..CASE }).await;
    assert!(fine(&said) && said.data == [0x41, 0], "{said:?}");
}

#[tokio::test]
async fn what_cannot_be_converted_is_told() {
    let region = Region::start(settings()).expect("a region");
    let utf_8 = "a\u{3042}b".as_bytes();
    let by_name = |from, into| Case { put: "PAGE", get: "PAGE", names: (from, into), data: utf_8, ..CASE };
    let cases: [Told<'_>; 14] = [
        (
            "a character that the page lacks",
            Case { from: 1208, into: 37, data: utf_8, ..CASE },
            FINE,
            (CCSIDERR, 4),
            &[0x81, 0x40, 0x82],
        ),
        ("the same by name", by_name("UTF-8", "IBM037"), FINE, (CODEPAGEERR, 4), &[0x81, 0x40, 0x82]),
        (
            "the same in the region's page",
            Case { from: 1208, get: "LOCAL", data: utf_8, ..CASE },
            FINE,
            (CCSIDERR, 4),
            b"a b",
        ),
        (
            "the same where it is put",
            Case { put: "APPEND", get: "RAW", from: 1208, data: utf_8, ..CASE },
            (CCSIDERR, 4),
            FINE,
            b"<a b",
        ),
        ("no UTF-8", Case { from: 1208, into: 37, data: b"a\xFF", ..CASE }, FINE, (CCSIDERR, 5), b""),
        ("data of kind BIT", Case { put: "BIT", into: 37, data: b"AB", ..CASE }, FINE, (CCSIDERR, 3), b"AB"),
        (
            "the same by name",
            Case { put: "BIT", get: "PAGE", names: ("", "UTF-8"), data: b"AB", ..CASE },
            FINE,
            (CODEPAGEERR, 3),
            b"AB",
        ),
        (
            "no page of that number",
            Case { from: 1208, into: 9, data: b"A", ..CASE },
            FINE,
            (CCSIDERR, 2),
            b"",
        ),
        (
            "no number of a page",
            Case { from: 1208, into: 65_536, data: b"A", ..CASE },
            FINE,
            (CCSIDERR, 1),
            b"",
        ),
        ("the number 0", Case { from: 1208, into: 0, data: b"A", ..CASE }, FINE, (CCSIDERR, 1), b""),
        ("no page of that name", by_name("UTF-8", "NO-PAGE"), FINE, (CODEPAGEERR, 1), b""),
        (
            "too little room",
            Case { from: 37, into: 819, room: 1, data: &[0xC1, 0xC2], ..CASE },
            FINE,
            (LENGERR, 11),
            b"A",
        ),
        (
            "room below zero",
            Case { from: 37, into: 819, room: -1, data: &[0xC1, 0xC2], ..CASE },
            FINE,
            (LENGERR, 11),
            b"",
        ),
        (
            "an offset beyond the text",
            Case { get: "OFFSET", from: 37, into: 819, offset: 2, data: &[0xC1, 0xC2], ..CASE },
            FINE,
            (LENGERR, 1),
            b"",
        ),
    ];
    for (what, case, put, get, data) in cases {
        let said = say(&region, case).await;
        assert_eq!((said.put, said.get, &*said.data), (put, get, data), "{what}");
    }
    // Where nothing was put there is nothing to get.
    let said = say(&region, Case { from: 9, into: 37, data: b"A", ..CASE }).await;
    assert_eq!((said.put, said.get), ((CCSIDERR, 2), (122, 2)));
}
