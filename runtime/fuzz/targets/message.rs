//! The decoder of messages between places: any bytes are a message or an error, and what a message says
//! survives its encoding.
#![no_main]

use apg_runtime::apgas::message::validate::Route;
use apg_runtime::apgas::message::{Message, PutHeader};
use apg_runtime::base::place::PlaceId;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(header) = PutHeader::decode(bytes) {
        assert_eq!(PutHeader::decode(&header.encode()), Ok(header));
    }
    let Ok((message, payload)) = Message::decode(bytes) else { return };
    for (from, here) in [(0, 1), (1, 0), (1, 2)] {
        let route = Route { from: PlaceId(from), here: PlaceId(here), hosts: 3 };
        // Any message is allowed or refused; which one is for the tests of the check.
        drop(route.check(&message, payload.len(), 0));
    }
    let mut again = Vec::new();
    message.encode(&mut again);
    assert_eq!(Message::decode(&again), Ok((message, &[][..])));
});
