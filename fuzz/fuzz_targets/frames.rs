//! Any bytes as a stream of frames, in each framing; what is a message goes back into a frame.
#![no_main]

use connector::framing::{Framing, Label, Length, Order, Scan, Width};
use libfuzzer_sys::fuzz_target;

const FRAME_MAX_BYTES: usize = 4_096;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, stream)) = bytes.split_first() else { return };
    let bit = |at: u8| choice >> at & 1 == 1;
    let framing = match choice & 7 {
        0 => Framing::Llzz,
        1 => Framing::Delimiter(vec![0x15]),
        2 => Framing::Delimiter(b"\r\n".to_vec()),
        3 => Framing::Fixed(usize::from(choice >> 3) + 1),
        4 => Framing::Gantry,
        _ => Framing::Length(Length {
            width: if bit(3) { Width::Two } else { Width::Four },
            inclusive: bit(4),
            order: if bit(5) { Order::Big } else { Order::Little },
        }),
    };
    match framing.scan(stream, FRAME_MAX_BYTES) {
        Ok(Scan::Frame { message, end, label }) => {
            assert!(message.end <= end && end <= stream.len() && end <= FRAME_MAX_BYTES);
            let message = &stream[message];
            let around = framing.write(message, label).expect("it came in a frame");
            assert_eq!([around.header(), message, around.trailer()].concat(), stream[..end]);
        }
        Ok(Scan::More { frame_bytes, .. }) => {
            assert!(frame_bytes.is_none_or(|all| all > stream.len() && all <= FRAME_MAX_BYTES));
        }
        Err(_) => {}
    }
    let _ = framing.write(stream, Label::default());
});
