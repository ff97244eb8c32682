//! Temporary storage queues at the admin address, and one item in hexadecimal and as text.

use codepage::{Encoding, Unmappable};
use http::StatusCode;
use region::{ItemView, QueuePlace, QueueView, Region};
use serde_json::{Value, json};

use super::{answered, hex, later, not_found, refused, text};
use crate::asked::{Answer, Asked, Pending};

/// The code page of most mainframe regions. Items are shown in it, too.
const US_EBCDIC: u16 = 37;

/// The lengths of queue names in programs, with QUEUE and with QNAME. Shorter names are filled with
/// blanks.
const QUEUE_NAME_BYTES: [usize; 2] = [8, 16];

fn queue(queue: &QueueView, ccsid: u16) -> Value {
    let place = match queue.place {
        QueuePlace::Main => "main",
        QueuePlace::Auxiliary => "auxiliary",
        QueuePlace::Recoverable => "recoverable",
    };
    json!({
        "name": text(&queue.name, ccsid).trim_end(),
        "nameHex": hex(&queue.name),
        "place": place,
        "items": queue.items,
        "bytes": queue.bytes,
    })
}

/// Answers `/region/queues`.
pub(crate) fn all(asked: Asked<'_>) -> Pending<'_> {
    later(&asked, |region| list(region))
}

/// Answers for one item of a queue.
pub(crate) fn item(asked: Asked<'_>) -> Pending<'_> {
    later(&asked, move |region| one(region, asked.name(), asked.parameter("item")))
}

async fn list(region: &Region) -> Answer {
    let ccsid = region.settings().ccsid;
    match region.queues().await {
        Ok(view) => {
            let queues: Vec<Value> = view.queues.iter().map(|shown| queue(shown, ccsid)).collect();
            answered(&json!({ "queues": queues, "isCut": view.is_cut }))
        }
        Err(reason) => failed(&reason),
    }
}

fn failed(reason: &str) -> Answer {
    refused(StatusCode::INTERNAL_SERVER_ERROR, &format!("the store cannot be read: {reason}"))
}

async fn one(region: &Region, wanted: &str, given: Option<String>) -> Answer {
    let ccsid = region.settings().ccsid;
    let Ok(number) = given.as_deref().unwrap_or("1").parse::<u64>() else {
        let found = given.unwrap_or_default();
        let reason = format!("expected the number of an item in 'item', found '{found}'");
        return refused(StatusCode::BAD_REQUEST, &reason);
    };
    let mut bytes = Vec::new();
    let encoding = Encoding::by_ccsid(ccsid);
    if encoding.is_none_or(|encoding| encoding.encode(wanted, Unmappable::Error, &mut bytes).is_err()) {
        return not_found(&format!("there is no queue '{wanted}'"));
    }
    let blank = encoded_blank(encoding);
    let filled = QUEUE_NAME_BYTES.iter().filter(|length| bytes.len() < **length).map(|length| {
        let mut filled = bytes.clone();
        filled.resize(*length, blank);
        filled
    });
    for name in std::iter::once(bytes.clone()).chain(filled) {
        match region.queue_item(&name, number).await {
            Ok(None) => {}
            Ok(Some(ItemView { queue: shown, data: Some(data) })) => {
                return answered(&json!({
                    "queue": queue(&shown, ccsid),
                    "item": number,
                    "data": {
                        "bytes": data.len(),
                        "hex": hex(&data),
                        "ccsid": ccsid,
                        "text": text(&data, ccsid),
                        "text037": text(&data, US_EBCDIC),
                    },
                }));
            }
            Ok(Some(ItemView { queue, data: None })) => {
                let items = queue.items;
                return not_found(&format!("expected an item from 1 to {items}, found {number}"));
            }
            Err(reason) => return failed(&reason),
        }
    }
    not_found(&format!("there is no queue '{wanted}'"))
}

/// The blank that fills names, in the region's code page.
fn encoded_blank(encoding: Option<Encoding>) -> u8 {
    let mut blank = Vec::new();
    let encoded = encoding.map(|encoding| encoding.encode(" ", Unmappable::Error, &mut blank));
    match (encoded, blank.as_slice()) {
        (Some(Ok(_)), [blank]) => *blank,
        _ => b' ',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_with_the_blanks_of_the_code_page() {
        assert_eq!(encoded_blank(Encoding::by_ccsid(US_EBCDIC)), 0x40);
        assert_eq!(encoded_blank(Encoding::by_ccsid(819)), b' ');
    }
}
