//! Dates and times by their pictures: written text is read back, and no text or picture makes a panic.

use program::callable::{Century, LILIAN_MAX, Reading, Stamp, read, write};
use proptest::prelude::*;

/// A window in which every year of two digits means itself.
fn century(year: i64) -> Century {
    Century { first_year: year }
}

/// The year of a Lilian date, as the picture writes it.
fn year(lilian: i64) -> i64 {
    let stamp = Stamp { lilian, milliseconds: 0 };
    let text = write(stamp, false, b"YYYY").expect("a picture").text;
    std::str::from_utf8(&text[..4]).expect("digits").parse().expect("a year")
}

proptest! {
    #[test]
    fn dates_come_back(
        lilian in 1..=LILIAN_MAX,
        picture in prop::sample::select(vec![
            "YYYYMMDD", "YYYY-ZM-ZD", "DD.RRRR.YYYY", "YYYYDDD", "Mmmmmmmmmz DD, YYYY", "Wwwwwwwwwz DD MMM YY",
            "  MM/DD/YY", "ZD Mmmmmmmmmm YYYY", "YY.DDD", "HH:MI YYYY MM DD",
        ]),
    ) {
        let stamp = Stamp { lilian, milliseconds: 0 };
        let text = write(stamp, false, picture.as_bytes()).expect("a picture").text;
        prop_assert_eq!(read(&text, picture.as_bytes(), Reading::Date, century(year(lilian))), Ok(stamp));
    }

    #[test]
    fn timestamps_come_back(
        lilian in 1..=LILIAN_MAX,
        milliseconds in 0..86_400_000_i64,
        picture in prop::sample::select(vec![
            "YYYYMMDDHHMISS999", "YYYY-MM-DD ZH:MI:SS.999 AP", "HH.MM.SS.999 YYYY.DDD", "YY/MM/DD HH:MI:SS.999 a.p.",
        ]),
    ) {
        let stamp = Stamp { lilian, milliseconds };
        let text = write(stamp, true, picture.as_bytes()).expect("a picture").text;
        prop_assert_eq!(read(&text, picture.as_bytes(), Reading::Timestamp, century(year(lilian))), Ok(stamp));
    }

    #[test]
    fn any_bytes_are_read(text in prop::collection::vec(any::<u8>(), 0..40), picture in "[YMDHSWRZAPa9mwz:/ .p<-]{0,30}") {
        let stamp = Stamp { lilian: 1, milliseconds: 0 };
        for reading in [Reading::Date, Reading::Timestamp] {
            if let Ok(read) = read(&text, picture.as_bytes(), reading, century(2000)) {
                prop_assert!((1..=LILIAN_MAX).contains(&read.lilian));
            }
        }
        prop_assert_eq!(write(stamp, true, picture.as_bytes()).is_err(), picture.contains('<'));
    }
}
