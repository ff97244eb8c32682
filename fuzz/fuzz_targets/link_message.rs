//! Any bytes as what comes from another region over a link, which nobody trusts: refused, or the same message again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use region::link::frame::Frames;
use region::link::message::Message;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(message) = Message::decode(bytes) {
        let mut again = Vec::new();
        message.encode(&mut again);
        assert_eq!(again, bytes);
    }
    let mut frames = Frames::new(1 << 16);
    frames.room().extend(bytes);
    while let Ok(Some(_)) = frames.next_message() {}
});
